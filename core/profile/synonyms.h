// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/table_facts.h"
#include "core/query/row.h"

namespace fencepost::profile {

// What a column of an unknown table may be to the canonical model.
enum class Meaning {
    None,
    Key,
    Scope,
    Operation,
    Queue,
    OrderKey,
    RequestHash,
    State,
    Response,
    ResponseCode,
    ResultRef,
    Payload,
    Owner,
    Version,
    LeaseUntil,
    Started,
    Updated,
    Created,
    Finished,
    NextAttempt,
    Expires,
    Attempts,
    MaxAttempts,
    Error,
    CorrelationId,
};

struct MeaningEntry {
    Meaning meaning;
    const char* field; // of a profile's "fields"; empty: it is no field
    const char* title; // for people
    bool several; // more columns than one may have it
    bool instant;
};

// In the order in which people look for them.
[[nodiscard]] std::span<const MeaningEntry> meanings() noexcept;
[[nodiscard]] const MeaningEntry& entryOf(Meaning meaning) noexcept;
// A body or a part of one: its values are private until somebody asks to see them.
[[nodiscard]] bool isBody(Meaning meaning) noexcept;

// One thing that a column may be: how sure its name, its type and its values make us, and why.
struct Guess {
    Meaning meaning = Meaning::None;
    int score = 0; // from 0 to 100
    std::string reason;

    bool operator==(const Guess&) const = default;
};

struct ColumnGuess {
    std::string column;
    Guess best; // with the other columns considered: two of them are never the same key
    std::vector<Guess> guesses; // all that it may be, the likeliest first
    std::string warning; // what a reader of its name alone would get wrong; empty: nothing
};

struct TableGuess {
    Kind kind = Kind::Idempotency;
    int score = 0; // how much the table looks like one of that kind; 0: not at all
    std::vector<ColumnGuess> columns; // in the order of the table

    [[nodiscard]] const ColumnGuess* find(std::string_view column) const;
};

using SampledValues = std::map<std::string, ColumnValues>; // by the column

// What the dictionary of synonyms makes of a table. A guess is never more than that: whoever maps the table confirms
// it.
[[nodiscard]] TableGuess guessOf(
    const TableFacts& table, const SampledValues& values, std::optional<Kind> kind = std::nullopt);

// Whole numbers from 100 to 599 and nothing else: codes of HTTP, whatever the column is called.
[[nodiscard]] bool areHttpCodes(const ColumnValues& values);

// The canonical state that a stored value most likely is, by the dictionary; nothing: nobody can tell.
[[nodiscard]] std::optional<std::string_view> stateOf(Kind kind, std::string_view value);

} // namespace fencepost::profile
