// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/world.h"

#include <algorithm>
#include <numeric>

#include "core/simulation/event_world.h"

namespace fencepost::simulation {

namespace {

constexpr std::int64_t stepsBetweenQuestions = 1 << 14;

// Of those that did not crash, so that as many more do as are asked for.
std::int64_t moreCrashesOf(const Scenario& scenario)
{
    constexpr std::int64_t whole = 100;
    constexpr std::int64_t most = 1'000'000;
    if (!scenario.recording || scenario.replay.crashes <= whole)
        return 0;
    std::int64_t crashes = 0;
    std::int64_t others = 0;
    for (const auto& request : scenario.recording->requests)
        for (const auto& attempt : request.attempts)
            ++(attempt.ending == RecordedEnding::Crashed ? crashes : others);
    return others == 0 ? 0 : std::min(most, (scenario.replay.crashes - whole) * (most / whole) * crashes / others);
}

// How many the service that was recorded could serve nobody wrote down: as many as came, until somebody says how many.
bool hasUsualRoom(const Service& service)
{
    const Service usual;
    return service.nodes == usual.nodes && service.workers == usual.workers && service.queue == usual.queue;
}

} // namespace

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
    m_asRecorded = comesAsRecorded(scenario);
    m_hasRoom = m_asRecorded && hasUsualRoom(scenario.service);
    m_moreCrashes = moreCrashesOf(scenario);
    // What comes as it was recorded asks no budget.
    m_freshBudget = m_asRecorded ? 0 : makeDependency(0)->dependency->gauges().budget;
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
    sortLog();
    return std::move(m_outcome);
}

// A row of the playbook's log does not say which call it is of: a call's rows stand one behind the other.
void World::sortLog()
{
    std::vector<std::size_t> places(m_loggedCalls.size());
    std::iota(places.begin(), places.end(), std::size_t(0));
    std::stable_sort(places.begin(), places.end(),
        [this](std::size_t left, std::size_t right) { return m_loggedCalls[left] < m_loggedCalls[right]; });
    std::vector<exchange::RetryLogRow> sorted;
    sorted.reserve(places.size());
    for (const auto place : places)
        sorted.push_back(std::move(m_outcome.retryLog[place]));
    m_outcome.retryLog = std::move(sorted);
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
        comeUp(what.place);
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
    case Happening::Intervene:
        intervene(what);
        break;
    default:
        m_events->handle(what);
        break;
    }
}

bool World::mayStrike(const Strike& strike)
{
    if (m_options.only && !m_onlyStrikes.contains(strike))
        return false;
    if (m_options.keepsStrikes)
        m_outcome.happened.strikes.push_back(strike);
    return true;
}

const Fault* World::firstActive(FaultKind kind, std::uint64_t who) const
{
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

// Where no fault keeps it down.
void World::comeUp(std::uint32_t node)
{
    for (std::size_t i = 0; i < m_active.size(); ++i)
        if (m_active[i] && m_scenario.faults[i].kind == FaultKind::NodeCrash
            && m_scenario.faults[i].node == std::int64_t(node))
            return;
    m_nodes[node].up = true;
}

void World::endFault(std::size_t index)
{
    const auto& fault = m_scenario.faults[index];
    m_active[index] = false;
    --m_activeCount;
    if (fault.kind == FaultKind::ClockStep)
        m_nodes[static_cast<std::size_t>(fault.node)].skew -= fault.back ? -fault.step : fault.step;
    if (fault.kind == FaultKind::NodeCrash)
        comeUp(static_cast<std::uint32_t>(fault.node));
    if (m_activeCount == 0) {
        closeArrivals();
        m_lastFaultEnd = m_now;
        m_recovers.reset();
    }
}

Outcome simulate(const Scenario& scenario, const RunOptions& options)
{
    return World(scenario, options).run();
}

} // namespace fencepost::simulation
