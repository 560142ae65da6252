// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/world.h"

#include <algorithm>

#include "core/simulation/world_events.h"

namespace fencepost::simulation {

namespace {

constexpr Duration arrivalSlot = std::chrono::milliseconds(100);
constexpr Duration herdWindow = std::chrono::seconds(10);
constexpr std::int64_t stepsBetweenQuestions = 1 << 14;
constexpr std::int64_t factorScale = 1'000;
constexpr std::int64_t shareScale = 1'000'000;
constexpr std::size_t sampledDependencies = 100;

struct RuleWord {
    std::string_view rule;
    std::string_view meaning;
};

constexpr std::array rules = {
    RuleWord{ "I1", "at most one owner may finalize per fence" },
    RuleWord{ "I2", "the fence of a record only rises" },
    RuleWord{ "I3", "a record at its end does not change" },
    RuleWord{ "I4", "a stored response stays the same" },
    RuleWord{ "I5", "a replay runs no handler" },
    RuleWord{ "I6", "no request is refused for ever without a hold that somebody sees" },
    RuleWord{ "I7", "an effect happens at most once" },
    RuleWord{ "I8", "a mismatch does not change the record" },
    RuleWord{ "I9", "the row of an effect is unique" },
};

} // namespace

std::string_view meaningOfRule(std::string_view rule) noexcept
{
    const auto* found = std::find_if(rules.begin(), rules.end(), [&](const RuleWord& word) { return word.rule == rule; });
    return found == rules.end() ? std::string_view() : found->meaning;
}

std::uint64_t OwnRandom::next()
{
    return (m_state = Dice(m_state).roll(Throw::Client, 1));
}

World::World(const Scenario& scenario, const RunOptions& options)
    : m_scenario(scenario)
    , m_options(options)
    , m_dice(scenario.seed)
    , m_policy(policyOf(scenario.client))
    , m_now(scenario.start)
    , m_clock(m_now)
    , m_storeClock(m_now)
    , m_store(m_storeClock, false)
    , m_arrivedOf(static_cast<std::size_t>(scenario.client.count))
    , m_nodes(static_cast<std::size_t>(scenario.service.nodes))
    , m_active(scenario.faults.size())
{
    m_outcome.series = Series(scenario.load.duration);
    m_vendor.name = "vendor";
    m_vendor.timeout = scenario.vendor.timeout;
    m_vendor.remembers =
        scenario.service.effect == EffectKind::ExternalIdempotent ? scenario.vendor.remembers : Duration(0);
    const auto dependencies = scenario.client.shared ? 1 : scenario.client.count;
    m_dependencies.resize(static_cast<std::size_t>(dependencies));
    if (options.only) {
        m_onlyRequests.insert(options.only->requests.begin(), options.only->requests.end());
        m_onlyStrikes.insert(options.only->strikes.begin(), options.only->strikes.end());
    }
    if (scenario.events.on || !scenario.deliveries.empty())
        m_events = std::make_unique<EventWorld>(*this);
}

World::~World() = default;

Outcome World::run()
{
    for (std::size_t i = 0; i < m_scenario.faults.size(); ++i) {
        const auto& fault = m_scenario.faults[i];
        const auto* only = m_options.only;
        if (only && std::find(only->faults.begin(), only->faults.end(), i) == only->faults.end())
            continue;
        plan(fault.from, { .happening = Happening::FaultBegin, .place = static_cast<std::uint32_t>(i) });
        plan(fault.until(), { .happening = Happening::FaultEnd, .place = static_cast<std::uint32_t>(i) });
    }
    planArrival();
    if (m_events)
        m_events->begin();
    plan(m_outcome.series.width(), { .happening = Happening::Sample });
    while (!m_queue.isEmpty() && !m_stop) {
        const auto entry = m_queue.take();
        m_now = entry.at;
        ++m_outcome[Measure::Steps];
        handle(entry.what);
        const auto steps = m_outcome[Measure::Steps];
        if (steps % stepsBetweenQuestions == 0) {
            m_outcome.mostInFlight = std::max(m_outcome.mostInFlight, m_requests.living());
            if ((m_options.mostSteps > 0 && steps >= m_options.mostSteps)
                || (m_options.goesOn && !m_options.goesOn({ since(), m_outcome[Measure::Requests], steps }))) {
                m_outcome.stopped = true;
                break;
            }
        }
    }
    finish();
    return std::move(m_outcome);
}

void World::handle(const What& what)
{
    switch (what.happening) {
    case Happening::Arrive:
        arrive();
        break;
    case Happening::Begin:
    case Happening::Wake: {
        auto& call = m_calls[what.place];
        if (static_cast<std::uint32_t>(call.number) == what.number && !call.over)
            step(what.place);
        break;
    }
    case Happening::Deliver:
        deliver(what);
        break;
    case Happening::Timeout:
        timeout(what);
        break;
    case Happening::Answer:
        answered(what);
        break;
    case Happening::Step:
        if (static_cast<std::uint32_t>(m_executions[what.place].number) == what.number)
            advance(what.place);
        break;
    case Happening::Renew:
        renew(what);
        break;
    case Happening::VendorArrive:
        vendorArrive(what);
        break;
    case Happening::VendorAnswer:
        vendorAnswered(what);
        break;
    case Happening::VendorTimeout:
        vendorTimedOut(what);
        break;
    case Happening::NodeUp:
        m_nodes[what.place].up = true;
        break;
    case Happening::FaultBegin:
        beginFault(what.place);
        break;
    case Happening::FaultEnd:
        endFault(what.place);
        break;
    case Happening::Complete:
        complete(what);
        break;
    case Happening::Sample:
        sample();
        break;
    default:
        m_events->handle(what);
        break;
    }
}

bool World::strikes(Throw what, std::uint64_t who, std::uint64_t turn, std::int64_t perMillion)
{
    if (!m_dice.happens(what, who, turn, perMillion))
        return false;
    const Strike strike{ what, who, turn };
    if (m_options.only && !m_onlyStrikes.contains(strike))
        return false;
    if (m_options.keepsStrikes)
        m_outcome.happened.strikes.push_back(strike);
    return true;
}

Duration World::draw(const Spread& spread, Throw what, std::uint64_t who, std::uint64_t turn) const
{
    return spread.at(m_dice.roll(what, who, turn));
}

const Fault* World::active(FaultKind kind, std::uint64_t who)
{
    if (m_activeCount == 0)
        return nullptr;
    for (std::size_t i = 0; i < m_active.size(); ++i) {
        const auto& fault = m_scenario.faults[i];
        if (m_active[i] && fault.kind == kind && m_dice.happens(Throw::Fault, who, i, fault.share))
            return &fault;
    }
    return nullptr;
}

void World::beginFault(std::size_t index)
{
    const auto& fault = m_scenario.faults[index];
    m_active[index] = true;
    ++m_activeCount;
    if (m_options.keepsStrikes)
        m_outcome.happened.faults.push_back(index);
    if (fault.kind == FaultKind::NodeCrash)
        crashNode(static_cast<std::uint32_t>(fault.node));
    if (fault.kind == FaultKind::ClockStep)
        m_nodes[static_cast<std::size_t>(fault.node)].skew += fault.back ? -fault.step : fault.step;
}

void World::endFault(std::size_t index)
{
    const auto& fault = m_scenario.faults[index];
    m_active[index] = false;
    --m_activeCount;
    if (fault.kind == FaultKind::ClockStep)
        m_nodes[static_cast<std::size_t>(fault.node)].skew -= fault.back ? -fault.step : fault.step;
    if (fault.kind == FaultKind::NodeCrash)
        m_nodes[static_cast<std::size_t>(fault.node)].up = true;
    if (m_activeCount == 0) {
        closeArrivals();
        m_lastFaultEnd = m_now;
        m_herdMost = m_herdSum = 0;
    }
}

void World::violate(std::string_view rule, std::uint64_t request, std::string what)
{
    ++m_outcome[Measure::Violations];
    trace(request, "oracle", std::string(rule) + ": " + what);
    if (m_outcome.violations.size() < keptViolations)
        m_outcome.violations.push_back({ std::string(rule), std::move(what), since(), request });
    if (m_options.stopsAtViolation)
        m_stop = true;
}

bool World::traces(std::uint64_t request) const
{
    return m_options.tracesAll || (m_options.traced && *m_options.traced == request);
}

void World::trace(std::uint64_t request, std::string actor, std::string text, std::string state)
{
    if (traces(request) && m_outcome.trace.size() < keptTraceLines)
        m_outcome.trace.push_back({ since(), request, std::move(actor), std::move(text), std::move(state) });
}

void World::countArrival()
{
    const auto slot = since() / arrivalSlot;
    if (slot != m_slot) {
        closeArrivals();
        m_slot = slot;
    }
    ++m_slotCount;
}

void World::closeArrivals()
{
    m_outcome[Measure::Peak100ms] = std::max(m_outcome[Measure::Peak100ms], m_slotCount);
    if (m_lastFaultEnd) {
        const auto begin = *m_lastFaultEnd - m_scenario.start;
        const auto slotBegins = m_slot * arrivalSlot;
        if (slotBegins >= begin && slotBegins < begin + herdWindow) {
            m_herdMost = std::max(m_herdMost, m_slotCount);
            m_herdSum += m_slotCount;
            constexpr auto slots = herdWindow / arrivalSlot;
            if (m_herdSum > 0)
                m_outcome[Measure::Herd] = m_herdMost * factorScale * slots / m_herdSum;
        }
    }
    m_slotCount = 0;
}

void World::sample()
{
    auto& step = m_outcome.series.at(since() - Duration(1));
    std::int64_t queue = 0;
    std::int64_t busy = 0;
    for (const auto& node : m_nodes) {
        queue += static_cast<std::int64_t>(node.queue.size());
        busy += static_cast<std::int64_t>(node.running.size());
        if (node.up) {
            auto mean = m_scenario.service.time.mean() + 2 * m_scenario.service.storeTime.mean();
            if (const auto* slow = active(FaultKind::Brownout, 0))
                mean *= slow->factor;
            if (!active(FaultKind::Outage, 0) && mean > Duration(0))
                step.capacity += m_outcome.series.width() * m_scenario.service.workers / mean;
        }
    }
    step.queue = std::max(step.queue, queue);
    step.busy = std::max(step.busy, busy);
    std::int64_t open = 0;
    std::int64_t budget = 0;
    for (std::size_t i = 0; i < std::min(m_dependencies.size(), sampledDependencies); ++i) {
        if (!m_dependencies[i])
            continue;
        const auto gauges = m_dependencies[i]->dependency->gauges();
        open += gauges.breaker == retry::BreakerState::Closed ? 0 : 1;
        budget += gauges.budget;
    }
    step.openBreakers = std::max(step.openBreakers, open);
    step.budget = budget;
    if (m_events)
        m_events->sample(step);
    m_outcome.mostInFlight = std::max(m_outcome.mostInFlight, m_requests.living());
    // The axis goes on for as long as something else does.
    if (!m_queue.isEmpty())
        m_queue.plan(
            std::max(m_now + m_outcome.series.width(), m_queue.next()), { .happening = Happening::Sample });
}

void World::finish()
{
    closeArrivals();
    auto& out = m_outcome;
    out.lasted = since();
    for (const auto& guarded : m_dependencies)
        if (guarded)
            out[Measure::BreakerOpened] += static_cast<std::int64_t>(guarded->dependency->gauges().breakerChanges);
    if (m_events)
        m_events->finish();
    if (out[Measure::Calls] > 0) {
        out[Measure::Amplification] = out[Measure::Attempts] * factorScale / out[Measure::Calls];
        out[Measure::SuccessRate] = out[Measure::Succeeded] * shareScale / out[Measure::Calls];
    }
    if (m_faultFirst > 0)
        out[Measure::OutageRetryShare] = m_faultRetries * shareScale / m_faultFirst;
    constexpr int half = 500;
    constexpr int twentieth = 950;
    constexpr int hundredth = 990;
    out[Measure::LatencyP50] = out.latency.percentile(half).count();
    out[Measure::LatencyP95] = out.latency.percentile(twentieth).count();
    out[Measure::LatencyP99] = out.latency.percentile(hundredth).count();
    out[Measure::LatencyMost] = out.latency.most().count();
    out[Measure::DelayP50] = out.delays.percentile(half).count();
    out[Measure::DelayP95] = out.delays.percentile(twentieth).count();
    std::sort(out.happened.strikes.begin(), out.happened.strikes.end());
}

Outcome simulate(const Scenario& scenario, const RunOptions& options)
{
    return World(scenario, options).run();
}

std::string Schedule::text() const
{
    std::string text;
    for (const auto request : requests)
        text += "request " + std::to_string(request) + "\n";
    for (const auto fault : faults)
        text += "faults[" + std::to_string(fault) + "]\n";
    for (const auto& strike : strikes)
        text += std::string(wordOf(strike.what)) + " of " + std::to_string(strike.who) + ", time "
            + std::to_string(strike.turn) + "\n";
    return text;
}

} // namespace fencepost::simulation
