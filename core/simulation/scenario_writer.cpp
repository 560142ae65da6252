// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_knobs.h"
#include "core/simulation/scenario_recording.h"

namespace fencepost::simulation {

std::string formatScenario(const Scenario& scenario)
{
    const Scenario usual;
    nlohmann::ordered_json document{ { "scenario", scenarioFormat }, { "name", scenario.name },
        { "title", scenario.title }, { "shows", scenario.shows }, { "seed", scenario.seed } };
    if (scenario.violates)
        document["violates"] = true;
    if (scenario.start != usual.start)
        document["start"] = formatInstant(scenario.start);
    for (const auto& knob : scenarioKnobs()) {
        const auto value = shownValue(knob, scenario);
        if (value == shownValue(knob, usual))
            continue;
        const auto dot = knob.path.find('.');
        document[std::string(knob.path.substr(0, dot))][std::string(knob.path.substr(dot + 1))] = value;
    }
    const auto length = [](Duration value) { return Spread(value).text(); };
    const auto rate = [](std::int64_t thousandths) { return double(thousandths) / 1000; };
    for (const auto& phase : scenario.phases)
        document["phases"].push_back(
            { { "from", length(phase.from) }, { "until", length(phase.until) }, { "rate", rate(phase.rate) } });
    for (const auto& fault : scenario.faults) {
        nlohmann::ordered_json entry{ { "kind", wordOf(fault.kind) }, { "from", length(fault.from) },
            { "for", length(fault.length) } };
        const Fault plain;
        if (fault.share != plain.share)
            entry["share"] = std::to_string(fault.share / 10'000) + "."
                + std::to_string(10'000 + fault.share % 10'000).substr(1) + "%";
        if (fault.kind == FaultKind::Brownout)
            entry["factor"] = fault.factor;
        if (fault.kind == FaultKind::NodeCrash || fault.kind == FaultKind::ClockStep)
            entry["node"] = fault.node + 1;
        if (fault.kind == FaultKind::ClockStep)
            entry[fault.back ? "back" : "forward"] = length(fault.step);
        if (fault.retryAfter > Duration(0))
            entry["retry_after"] = length(fault.retryAfter);
        document["faults"].push_back(std::move(entry));
    }
    for (const auto& variant : scenario.variants) {
        auto set = nlohmann::ordered_json::object();
        for (const auto& [path, value] : variant.set)
            set[path] = value;
        nlohmann::ordered_json entry{ { "name", variant.name }, { "title", variant.title } };
        if (variant.violates)
            entry["violates"] = true;
        entry["set"] = std::move(set);
        document["variants"].push_back(std::move(entry));
    }
    if (scenario.recording)
        document["recording"] = written(*scenario.recording);
    if (!scenario.deliveries.empty())
        document["deliveries"] = written(scenario.deliveries);
    if (!scenario.expect.empty())
        document["expect"] = scenario.expect;
    return document.dump(2) + "\n";
}

} // namespace fencepost::simulation
