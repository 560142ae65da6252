// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/simulation/scenario.h"

namespace fencepost::simulation {

enum class KnobForm {
    Count, // a whole number
    Rate, // a second, up to three places behind the point
    Chance, // 0.5%
    Length, // 30s
    Spread, // exponential(50ms)
    Flag, // true or false
    Word, // one of the knob's words
};

using KnobPlace = std::variant<std::int64_t*, int*, bool*, Duration*, Spread*>;

// One thing that can be chosen about a world. The table of them is all that files, --set, sweeps, the form and the
// documentation know.
struct ScenarioKnob {
    std::string_view path; // "service.lease"
    KnobForm form = KnobForm::Count;
    std::int64_t least = 0; // in the form's own unit: a count, thousandths a second, parts of a million, microseconds
    std::int64_t most = 0;
    std::string_view words; // Word: separated by blanks
    std::string_view meaning;
    KnobPlace (*place)(Scenario& scenario);
};

[[nodiscard]] std::span<const ScenarioKnob> scenarioKnobs() noexcept;
[[nodiscard]] const ScenarioKnob* findScenarioKnob(std::string_view path) noexcept;
// Whether it says how a client tries again: once one of them was chosen, what was recorded is tried again like that.
[[nodiscard]] bool isOfTryingAgain(std::string_view path) noexcept;
[[nodiscard]] std::string shownValue(const ScenarioKnob& knob, const Scenario& scenario);
// What is wrong where; without a path, with the scenario.
[[nodiscard]] Error wrongAt(std::string_view path, const std::string& what);

// Invalid: the message names the path and what was expected.
Status turn(const ScenarioKnob& knob, Scenario& scenario, std::string_view value);

// The values of a sweep, as in --set service.lease=10s..60s:10s; a single value is a sweep of one.
[[nodiscard]] Result<std::vector<std::string>> sweptValues(const ScenarioKnob& knob, std::string_view range);

// The form and the bounds of "faults[0].for", whether or not there is such a fault; none: it is no number of one. It
// has no place of its own.
[[nodiscard]] std::optional<ScenarioKnob> knobOfMember(std::string_view path);

} // namespace fencepost::simulation
