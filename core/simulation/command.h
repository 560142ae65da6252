// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost::simulation {

// What to simulate, as it is asked of fencepostctl.
struct SimulationCommand {
    std::string verb; // "sweep"; empty: simulate itself
    std::string scenario; // name or file
    std::optional<std::uint64_t> seed;
    std::vector<std::pair<std::string, std::string>> set;
    std::vector<std::string> variants;
    std::vector<std::pair<std::string, std::string>> more; // further options and their values
};

// One line for a POSIX shell.
[[nodiscard]] std::string commandLineOf(const SimulationCommand& command);

} // namespace fencepost::simulation
