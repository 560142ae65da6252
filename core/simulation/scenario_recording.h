// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "core/simulation/scenario.h"

namespace fencepost::simulation {

// What really happened, as scenario files say it. Invalid: the message names the path and what was expected.
[[nodiscard]] Result<Recording> readRecording(const nlohmann::json& value);
[[nodiscard]] Result<std::vector<RecordedDelivery>> readDeliveries(const nlohmann::json& value);

[[nodiscard]] nlohmann::ordered_json written(const Recording& recording);
[[nodiscard]] nlohmann::ordered_json written(const std::vector<RecordedDelivery>& deliveries);

} // namespace fencepost::simulation
