// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "core/inspector.h"

namespace fencepost::ui {

enum class MarkKind {
    Change, // of state, by a worker
    Refusal, // a mismatch or a fenced owner's write
    Operator, // a person's action or note
    Instant, // created, lease end, expiry: known from the row itself
};

// One thing that happened to a record, or is due.
struct Mark {
    MarkKind kind = MarkKind::Change;
    Time at;
    std::optional<State> state; // reached by it
    std::string title;
    std::string text; // who, attempt, reason
    std::optional<std::int64_t> seq; // of the journal
    bool future = false; // not reached yet by the database's clock
};

// Journal, refusals, operators' actions and the row's own instants as one list, oldest first.
[[nodiscard]] std::vector<Mark> marksOf(const RowDetails& details, const std::vector<AuditEntry>& audit);

struct PlacedMark {
    std::size_t mark = 0;
    double y = 0; // middle
};

// An idle gap drawn shorter than its time, which is said beside it.
struct Gap {
    double y = 0; // middle of the break
    Duration time{};
};

struct TimelineLayout {
    std::vector<PlacedMark> marks;
    std::vector<Gap> gaps;
    double height = 0;
};

// How near two marks come: two lines of text, or three where the instant has one of its own.
constexpr double twoLines = 44;
constexpr double threeLines = 60;

// Rows in the order of time; the distance grows with the logarithm of the time between, gaps longer than `idle` are
// compressed.
[[nodiscard]] TimelineLayout layOut(const std::vector<Mark>& marks, Duration idle, double closest = twoLines);
// Ten times the median distance, at least a minute: what counts as idle in this history.
[[nodiscard]] Duration idleThreshold(const std::vector<Mark>& marks);

} // namespace fencepost::ui
