// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/command.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

bool isPlain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
}

std::string shellWord(const std::string& text)
{
    if (!text.empty() && std::all_of(text.begin(), text.end(), isPlain))
        return text;
    std::string quoted = "'";
    for (const auto c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

} // namespace

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
