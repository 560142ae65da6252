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

// What a client's retry log tells. It has no instants, so its calls begin one behind the other. Invalid: it does not
// begin with a first attempt, or it has none.
[[nodiscard]] Result<Recording> recordingOf(std::span<const exchange::RetryLogRow> rows, const std::string& source);

// One record, and what its journal says of it where there is one.
struct RecordedLife {
    Row row;
    std::vector<JournalEntry> journal;
};

// Invalid: none of them says when it began.
[[nodiscard]] Result<Recording> recordingOf(const std::vector<RecordedLife>& lives, const std::string& source);

inline constexpr std::int64_t mostRecordedLives = 20'000;

struct RecordingRequest {
    FilterPtr filter; // null: everything
    std::int64_t limit = mostRecordedLives; // the newest records
    std::function<bool(std::int64_t read)> goesOn; // false: it stops, Cancelled
};

// The records of a table of keys. Their keys and payloads are not kept: each is a request of its own.
[[nodiscard]] Result<Recording> readRecording(
    Inspector& inspector, const Binding& binding, const RecordingRequest& request);

// The scenario's world with what really happened as its load; its claims are about another one and go.
[[nodiscard]] Scenario withRecording(Scenario scenario, Recording recording);

} // namespace fencepost::simulation
