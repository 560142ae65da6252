// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/query/row.h"
#include "core/store.h"

namespace fencepost::ui {

// What stands for the event of a step that nobody wrote down.
inline constexpr std::string_view notRecorded = "unrecorded";

// One change of state of one row, oldest first.
struct PathStep {
    std::string from; // shown states; ABSENT: there was no row
    std::string to;
    std::string event; // the journal's word, or what happens to messages; "expiry": time passed; or notRecorded
    int attempt = 0; // 0: unknown
    std::string owner; // whole; drawn as its last six
    std::string actor;
    std::string reason;
    std::optional<Time> at;
    std::optional<Duration> since; // what `sinceWhat` says; none: the first, or unknown
    QString sinceWhat; // empty: the step before
    std::int64_t times = 1; // that it happened, where each by itself is not recorded
    bool inferred = false; // not recorded, but what is recorded could not be without it
    bool legal = true; // some row of the state machine leads there
    std::optional<std::int64_t> seq; // of the journal; none: not journalled
};

struct StatePath {
    Kind kind = Kind::Idempotency;
    std::vector<PathStep> steps;
    std::string current = "ABSENT";
    bool stuck = false;
    bool journalled = true; // false: the table keeps no journal, so only the present state is known
    bool native = true; // false: another's table, whose rows go their own ways
    QStringList remarks; // in sentences: what is not recorded
};

struct ShownRecord {
    State state = State::Absent; // as the row reads now
    std::string word; // of a table that is not ours, whose state may be none of those; empty: that of `state`
    std::optional<Time> expiresAt;
    bool journalled = true;
    bool stuck = false;
};

// The path that a journal tells, gaps included: a record that expired by itself, or was changed behind the protocol.
[[nodiscard]] StatePath pathOf(std::vector<JournalEntry> journal, const ShownRecord& shown);
// A word of the diagram, translated.
[[nodiscard]] QString pathWord(const char* text);

// With the time since the last step before it whose time is known.
void append(StatePath& path, PathStep step);

// "ABSENT > IN_PROGRESS > SUCCEEDED"; an illegal step is written "!>".
[[nodiscard]] std::string formatPath(const StatePath& path);
// The label of an edge: which steps, every attempt and owner of them, and the time since the step before each.
[[nodiscard]] QString labelOf(const StatePath& path, const std::vector<std::size_t>& steps);
// One sentence per step, for assistive technology and the tooltip.
[[nodiscard]] QString describe(const PathStep& step);
[[nodiscard]] QString describe(const StatePath& path);
// A line of CSV for each step, below their names. Spreadsheets take no cell of it for a formula.
[[nodiscard]] QString csvOf(const StatePath& path);

} // namespace fencepost::ui
