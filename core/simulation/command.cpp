// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/command.h"

#include "core/shell_word.h"

namespace fencepost::simulation {

std::string commandLineOf(const SimulationCommand& command)
{
    std::string line = "fencepostctl simulate";
    const auto add = [&](const std::string& word) { line += " " + shellWord(word); };
    if (!command.verb.empty())
        add(command.verb);
    add(command.scenario);
    if (command.seed) {
        add("--seed");
        add(std::to_string(*command.seed));
    }
    for (const auto& [path, value] : command.set) {
        add("--set");
        add(path + "=" + value);
    }
    for (const auto& variant : command.variants) {
        add("--variant");
        add(variant);
    }
    for (const auto& [option, value] : command.more) {
        add(option);
        if (!value.empty())
            add(value);
    }
    return line;
}

} // namespace fencepost::simulation
