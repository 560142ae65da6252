// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/exchange/playbook_csv.h"
#include "core/inspector.h"
#include "core/simulation/scenario.h"

namespace fencepost::simulation {

// Long enough that a budget and a breaker see of a call what they saw of it when calls came one by one.
inline constexpr Duration usualSpacing = std::chrono::seconds(10);

// What a client's retry log tells. It has no instants: its calls are laid one behind the other, that far apart, which
// is made up. Invalid: it does not begin with a first attempt, it has none, or too many, of all or of one call.
[[nodiscard]] Result<Recording> recordingOf(
    std::span<const exchange::RetryLogRow> rows, const std::string& source, Duration spacing = usualSpacing);

// One record, and what its journal says of it where there is one.
struct RecordedLife {
    Row row;
    std::vector<JournalEntry> journal;
};

// Each execution of a record is an arrival at its time; the leases and lifetimes that records had are read off them,
// and the usual ones become the world's. It is the same whenever it is read: what has expired since counts as it was
// left. Invalid: none of them says when it began, or one was executed too often.
[[nodiscard]] Result<Recording> recordingOf(const std::vector<RecordedLife>& lives, const std::string& source);

inline constexpr std::int64_t mostRecordedLives = 20'000;

struct RecordingRequest {
    FilterPtr filter; // null: everything
    std::int64_t limit = mostRecordedLives; // the newest records
    std::function<bool(std::int64_t read)> goesOn; // false: it stops, Cancelled
};

// The records of a table of keys. Their keys and payloads are not kept. NotFound: there are none.
[[nodiscard]] Result<Recording> readRecording(
    Inspector& inspector, const Binding& binding, const RecordingRequest& request);

// The scenario's world with what really happened as its load; its claims are about another one and go.
[[nodiscard]] Scenario withRecording(Scenario scenario, Recording recording);

} // namespace fencepost::simulation
