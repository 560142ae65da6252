// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/simulation/simulator.h"

namespace fencepost::simulation {

using Knobs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A small world with these knobs turned.
inline Scenario world(Knobs knobs, std::string_view begin = R"({"scenario": 1, "name": "test"})")
{
    auto scenario = parseScenario(begin);
    EXPECT_TRUE(scenario) << scenario.error().message;
    for (const auto& [path, value] : knobs) {
        const auto turned = turn(*scenario, path, value);
        EXPECT_TRUE(turned) << turned.error().message;
    }
    const auto checked = check(*scenario);
    EXPECT_TRUE(checked) << checked.error().message;
    return std::move(*scenario);
}

} // namespace fencepost::simulation
