// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ctl/context.h"
#include "core/simulation/command.h"
#include "core/simulation/scenario.h"

namespace CLI {
class App;
}

namespace fencepost::app {

// Which world is meant.
struct ScenarioOptions {
    std::string scenario; // a name or a file
    std::string seed;
    std::vector<std::string> set; // path=value
    std::vector<std::string> variants;
    std::string from; // a retry log; empty: none
    std::string spacing; // of its calls
    std::string filter; // of the records of --db
};

// list, knobs and show.
void addSimulationLists(CLI::App& simulate, Context& context);
void declareScenario(CLI::App& command, ScenarioOptions& options);

// One that comes with the program, or a file.
[[nodiscard]] Result<simulation::Scenario> readScenario(const std::string& nameOrFile);

// As it was asked for, with every knob turned. What is wrong with it is the input's fault.
[[nodiscard]] Result<simulation::Scenario> scenarioOf(Context& context, const ScenarioOptions& options);

// The line that gives the same again.
[[nodiscard]] simulation::SimulationCommand commandOf(
    const ScenarioOptions& options, const simulation::Scenario& scenario);

} // namespace fencepost::app
