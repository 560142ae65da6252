// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {

namespace {

// What one process can keep of a world.
constexpr std::int64_t mostRequests = 100'000'000;
constexpr std::int64_t wholeLoad = 1'000'000; // parts of a million

constexpr std::array ofTryingAgain = { "client.policy", "client.attempts", "client.growth", "client.base",
    "client.throttled_base", "client.factor", "client.cap", "client.floor", "client.retry_after", "client.total",
    "client.attempt_timeout", "client.jitter", "client.deadline", "client.budget", "client.budget_percent",
    "client.budget_reserve", "client.breaker", "client.limiter", "client.throttle" };

// Whether every setting of the delays can be heeded beside the others.
Status checkDelays(const Client& client)
{
    const auto policy = policyOf(client);
    const auto& backoff = policy.backoff;
    const bool looksBack = backoff.jitter == retry::Jitter::Decorrelated || backoff.jitter == retry::Jitter::PollyV2;
    const auto said = [](Duration length) { return Spread(length).text(); };
    const auto jitter = std::string(retry::wordOf(backoff.jitter));
    if (looksBack && client.growth != GrowthOf::Preset)
        return wrongAt("client.growth", "the jitter " + jitter + " grows by the delay before, and by nothing else");
    if (looksBack && client.factor > 0)
        return wrongAt("client.factor", "the jitter " + jitter + " grows by the delay before, and has no factor");
    if (!looksBack && backoff.growth == retry::Growth::Steps) {
        std::string table;
        for (const auto step : backoff.steps)
            table += (table.empty() ? "" : ", ") + said(step);
        for (const auto& [path, isSet] : { std::pair("client.base", client.base > Duration(0)),
                 std::pair("client.throttled_base", client.throttledBase > Duration(0)),
                 std::pair("client.factor", client.factor > 0) })
            if (isSet)
                return wrongAt(path,
                    "the delays of " + std::string(policy.name) + " are a table (" + table
                        + "); client.growth exponential or series lets them grow instead");
    }
    if (backoff.floor > backoff.cap)
        return wrongAt(client.cap > Duration(0) ? "client.cap" : "client.floor",
            "no delay is shorter than " + said(backoff.floor) + " (client.floor"
                + (client.floor > Duration(0) ? "" : ", of the preset") + "), and none is longer than "
                + said(backoff.cap) + " (client.cap" + (client.cap > Duration(0) ? "" : ", of the preset") + ")");
    return {};
}

} // namespace

bool isOfTryingAgain(std::string_view path) noexcept
{
    return std::find(ofTryingAgain.begin(), ofTryingAgain.end(), path) != ofTryingAgain.end();
}

Error wrongAt(std::string_view path, const std::string& what)
{
    return invalid((path.empty() ? std::string("the scenario") : std::string(path)) + ": " + what);
}

Status check(const Scenario& scenario)
{
    if (const auto checked = checkDelays(scenario.client); !checked)
        return checked;
    const auto& load = scenario.load;
    const auto unbounded = load.requests == 0 && load.arrivals == Arrivals::AtOnce && !scenario.recording;
    if (unbounded)
        return wrongAt("load.requests", "requests that arrive at once have to be counted");
    constexpr std::int64_t thousand = 1'000;
    auto rate = load.rate;
    for (std::size_t i = 0; i < scenario.phases.size(); ++i) {
        const auto& phase = scenario.phases[i];
        if (phase.until <= phase.from)
            return wrongAt("phases[" + std::to_string(i) + "]", "it ends before it begins");
        rate = std::max(rate, phase.rate);
    }
    if (load.criticalPlus + load.sheddablePlus + load.sheddable > wholeLoad)
        return wrongAt("load", "critical_plus, sheddable_plus and sheddable are more than 100% of the requests");
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(load.duration).count();
    if (load.requests == 0 && rate / thousand * seconds > mostRequests)
        return wrongAt("load", "more than " + std::to_string(mostRequests) + " requests would come");
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        const auto& fault = scenario.faults[i];
        const bool ofNode = fault.kind == FaultKind::NodeCrash || fault.kind == FaultKind::ClockStep;
        if (ofNode && fault.node >= scenario.service.nodes)
            return wrongAt("faults[" + std::to_string(i) + "].node",
                "there are " + std::to_string(scenario.service.nodes) + " nodes, counted from 1");
        if (fault.kind == FaultKind::ClockStep && fault.step == Duration(0))
            return wrongAt(
                "faults[" + std::to_string(i) + "]", "a step of the clock goes forward or back by some time");
    }
    if (scenario.service.contract == Contract::SingleTransaction
        && scenario.service.effect != EffectKind::LocalTransaction)
        return wrongAt(
            "service.contract", "a call to a vendor is not part of a transaction: it needs reserve_finalize");
    if (scenario.events.on && scenario.service.effect != EffectKind::LocalTransaction)
        return wrongAt(
            "events.on", "an event is written in the transaction of a local effect: service.effect is local_tx");
    return {};
}

Result<Scenario> withVariant(const Scenario& scenario, const Variant& variant)
{
    auto turned = scenario;
    turned.variants.clear();
    turned.violates = scenario.violates || variant.violates;
    for (const auto& [path, value] : variant.set)
        if (const auto done = turn(turned, path, value); !done)
            return done.error();
    if (const auto checked = check(turned); !checked)
        return checked.error();
    return turned;
}

retry::Policy policyOf(const Client& client)
{
    auto policy = retry::presets()[static_cast<std::size_t>(client.preset)];
    if (client.attempts > 0)
        policy.attempts = static_cast<int>(client.attempts);
    auto& backoff = policy.backoff;
    if (client.growth != GrowthOf::Preset)
        backoff.growth = client.growth == GrowthOf::Series ? retry::Growth::Series : retry::Growth::Exponential;
    if (client.base > Duration(0)) {
        backoff.base = client.base;
        backoff.throttledBase = {};
    }
    if (client.throttledBase > Duration(0))
        backoff.throttledBase = client.throttledBase;
    if (client.factor > 0)
        backoff.factor = client.factor;
    if (client.cap > Duration(0))
        backoff.cap = client.cap;
    if (client.floor > Duration(0))
        backoff.floor = client.floor;
    if (client.retryAfter != RetryAfterOf::Preset)
        policy.retryAfter =
            client.retryAfter == RetryAfterOf::Clamp ? retry::RetryAfterRule::Clamp : retry::RetryAfterRule::Floor;
    if (client.total > Duration(0))
        policy.total = client.total;
    if (client.attemptTimeout > Duration(0))
        policy.attemptTimeout = client.attemptTimeout;
    if (client.jitter > 0)
        backoff.jitter = static_cast<retry::Jitter>(client.jitter - 1);
    return policy;
}

bool comesAsRecorded(const Scenario& scenario)
{
    if (!scenario.recording || scenario.recording->by == RecordedBy::Hand)
        return false;
    if (scenario.client.retries != Retries::Auto)
        return scenario.client.retries == Retries::Recorded;
    const Scenario usual;
    return std::all_of(ofTryingAgain.begin(), ofTryingAgain.end(), [&](const char* path) {
        const auto& knob = *findScenarioKnob(path);
        return shownValue(knob, scenario) == shownValue(knob, usual);
    });
}

retry::Policy policyOf(const Events& events)
{
    return retry::presets()[static_cast<std::size_t>(events.preset)];
}

} // namespace fencepost::simulation
