// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/synonyms.h"
#include "core/result.h"
#include "core/time.h"

namespace fencepost::profile {

// How the state of a row is stored.
enum class StateStyle {
    Values, // words or numbers of a column
    NullResponse, // no response yet: in progress
    WriteOnce, // a row is only there once its work is done
    Instant, // no instant yet: not done
    Flag, // true: done
};

struct StateValue {
    std::optional<std::string> value; // none: NULL
    std::string state; // canonical; empty: nobody knows, so its rows are UNKNOWN

    bool operator==(const StateValue&) const = default;
};

// A table described by hand: which of its columns means what. Without actions: it is read until somebody has written
// and reviewed them.
struct Mapping {
    std::string name; // of the profile
    std::string title;
    Kind kind = Kind::Idempotency;
    std::vector<std::string> identity; // columns that tell rows apart
    std::map<std::string, Meaning> meanings; // by the column; others are not used
    StateStyle style = StateStyle::WriteOnce;
    std::string stateColumn; // of every style but WriteOnce
    std::vector<StateValue> values; // Values
    std::string done; // the state of the other styles where the row is done
    std::string open; // and where it is not
    std::map<std::string, std::string> encodings; // of instants, by the column; empty: to be asked
    std::optional<Duration> stuckAfter; // open for longer; none: nothing is called stuck

    bool operator==(const Mapping&) const = default;
};

// Whether a column says since when rows wait: without one only a lease tells what is stuck.
[[nodiscard]] bool tellsSince(const Mapping& mapping);
[[nodiscard]] bool tellsLease(const Mapping& mapping);

// How instants are stored, as far as a column and its values tell.
struct EncodingGuess {
    std::string encoding; // empty: nobody can tell
    bool asksForZone = false; // a time of no zone: whoever runs the application knows which it is
    std::string reason;

    bool operator==(const EncodingGuess&) const = default;
};
[[nodiscard]] EncodingGuess encodingOf(
    std::string_view dialect, const ColumnFacts& column, const ColumnValues* values = nullptr);

// The canonical words of done and open rows of a kind, where one column says no more than that.
[[nodiscard]] std::string_view doneState(Kind kind) noexcept;
[[nodiscard]] std::string_view openState(Kind kind) noexcept;

// The style that columns with these meanings most likely have, and its column.
struct StyleGuess {
    StateStyle style = StateStyle::WriteOnce;
    std::string column;
    std::string reason;
};
[[nodiscard]] StyleGuess styleOf(const TableFacts& table, const std::map<std::string, Meaning>& meanings);
// As styleOf, where the style is chosen: the column that goes with it. Empty: there is none.
[[nodiscard]] std::string columnFor(
    StateStyle style, const TableFacts& table, const std::map<std::string, Meaning>& meanings);

// All that can be guessed, ready to be confirmed.
[[nodiscard]] Mapping proposedMapping(const TableFacts& table, const TableGuess& guess, const SampledValues& values);
// "mapped.orders_idempotency": a name that no shipped profile has.
[[nodiscard]] std::string profileNameFor(const TableFacts& table);

// What a person has to say or mend before it can be a profile, each as a sentence; none: it can.
[[nodiscard]] std::vector<std::string> openQuestions(const TableFacts& table, const Mapping& mapping);
// The profile as a file of format 1. Invalid: the first open question, or what the format does not take.
[[nodiscard]] Result<std::string> documentOf(const TableFacts& table, const Mapping& mapping);

inline constexpr auto unreviewed =
    "this mapping was made by hand: it is read only until its actions are written into the profile and reviewed";

} // namespace fencepost::profile
