// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t otherBody = std::uint64_t(1) << 63U;
constexpr std::uint64_t poolBodies = 4; // what users of a pool of keys mostly ask for

// Nothing keeps a naive client from trying again.
class NoBudget final : public retry::Budget {
public:
    std::optional<retry::Charge> take(retry::Cost) override { return retry::Charge{}; }
    void cancel(const retry::Charge&) override { }
    void settle(const std::optional<retry::Charge>&, retry::Settled) override { }
    std::int64_t balance() override { return 0; }
};

std::unique_ptr<retry::Budget> budgetOf(const Client& client)
{
    switch (BudgetKind(client.budget)) {
    case BudgetKind::Finagle:
        return nullptr;
    case BudgetKind::Aws:
        return std::make_unique<retry::AwsBudget>(retry::AwsOptions{});
    case BudgetKind::Grpc:
        return std::make_unique<retry::GrpcBudget>(retry::GrpcOptions{});
    case BudgetKind::Envoy:
        return std::make_unique<retry::EnvoyBudget>(
            retry::EnvoyOptions{ .percent = static_cast<int>(client.budgetPercent) });
    case BudgetKind::None:
        return std::make_unique<NoBudget>();
    }
    return nullptr;
}

std::uint64_t numberOfText(std::string_view text)
{
    std::uint64_t number = 14695981039346656037U; // FNV-1a
    for (const char c : text)
        number = (number ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return number;
}

} // namespace

// The next arrival, and whether there is one. What a phase changes counts from its first instant on.
bool World::advanceArrival()
{
    const auto& load = m_scenario.load;
    ++m_arrived;
    if (const auto& recording = m_scenario.recording) {
        if (m_arrived > recording->requests.size())
            return false;
        m_arrivesAt = m_scenario.start + recording->requests[m_arrived - 1].at;
        return true;
    }
    if (load.requests > 0 && m_arrived > static_cast<std::uint64_t>(load.requests))
        return false;
    if (load.arrivals == Arrivals::AtOnce) {
        m_arrivesAt = m_scenario.start;
        return true;
    }
    const auto ends = m_scenario.start + load.duration;
    for (std::uint64_t turn = 0; m_arrivesAt < ends; ++turn) {
        auto rate = load.rate;
        auto changes = ends;
        for (const auto& phase : m_scenario.phases) {
            const auto from = m_scenario.start + phase.from;
            const auto until = m_scenario.start + phase.until;
            if (m_arrivesAt >= from && m_arrivesAt < until) {
                rate = phase.rate;
                changes = std::min(changes, until);
            } else if (m_arrivesAt < from) {
                changes = std::min(changes, from);
            }
        }
        Duration gap = Duration::max();
        if (rate > 0 && load.arrivals == Arrivals::Regular) {
            m_arrivalRest += microsPerThousandth;
            gap = Duration(m_arrivalRest / rate);
            m_arrivalRest %= rate;
        } else if (rate > 0) {
            const auto log = negativeLog(m_dice.roll(Throw::Gap, m_arrived, turn));
            gap = Duration(static_cast<std::int64_t>(
                (Wide(log) * std::uint64_t(microsPerThousandth) >> 32U) / std::uint64_t(rate)));
        }
        if (gap < changes - m_arrivesAt) {
            m_arrivesAt += gap;
            return true;
        }
        m_arrivesAt = changes;
        m_arrivalRest = 0;
    }
    return false;
}

void World::planArrival()
{
    if (m_arrived == 0)
        m_arrivesAt = m_scenario.start;
    do {
        if (!advanceArrival()) {
            m_arrivalsOver = true;
            return;
        }
    } while (m_options.only && !m_onlyRequests.contains(m_arrived));
    m_queue.plan(m_arrivesAt, { .happening = Happening::Arrive });
}

void World::arrive()
{
    beginRequest(m_arrived);
    planArrival();
}

void World::takePriority(Request& request)
{
    const auto& load = m_scenario.load;
    request.priority = retry::Priority::Critical;
    request.background = m_dice.happens(Throw::Background, request.number, 0, load.background);
    if (load.criticalPlus + load.sheddablePlus + load.sheddable == 0)
        return;
    constexpr std::uint64_t million = 1'000'000;
    auto place = static_cast<std::int64_t>(Dice::below(m_dice.roll(Throw::Priority, request.number), million));
    for (const auto& [share, priority] : { std::pair(load.criticalPlus, retry::Priority::CriticalPlus),
             std::pair(load.sheddablePlus, retry::Priority::SheddablePlus),
             std::pair(load.sheddable, retry::Priority::Sheddable) }) {
        if (place < share) {
            request.priority = priority;
            return;
        }
        place -= share;
    }
}

void World::beginRequest(std::uint64_t number)
{
    ++m_outcome[Measure::Requests];
    if (m_options.keepsStrikes)
        m_outcome.happened.requests.push_back(number);
    const auto place = m_requests.add();
    auto& request = m_requests[place];
    const auto& client = m_scenario.client;
    request.number = number;
    request.client = static_cast<std::uint32_t>((number - 1) % static_cast<std::uint64_t>(client.count));
    request.payload = client.key == KeyUse::Pool ? Dice::below(m_dice.roll(Throw::Key, number), poolBodies) : number;
    request.returnsLeft = client.returns;
    takePriority(request);
    if (m_scenario.recording) {
        request.recorded = static_cast<std::uint32_t>(number - 1);
        const auto& recorded = m_scenario.recording->requests[request.recorded];
        if (!recorded.payload.empty())
            request.payload = numberOfText(recorded.payload);
        // Who comes with the same key is the same client.
        if (!recorded.key.empty())
            request.client =
                static_cast<std::uint32_t>(numberOfText(recorded.key) % static_cast<std::uint64_t>(client.count));
    }
    request.live = 1;
    if (traces(number))
        trace(number, "client " + std::to_string(request.client + 1), "wants it done");
    planSteps(place);
    beginCall(place, request.payload, Duration(0), false);
    if (strikes(Throw::DoubleClick, number, 0, client.doubleClick)) {
        const bool other = strikes(Throw::Payload, number, 0, client.otherPayload);
        const auto payload = other ? request.payload | otherBody : request.payload;
        beginCall(place, payload, draw(client.doubleClickAfter, Throw::DoubleClickAfter, number, 0), false);
    }
    release(place);
}

void World::beginCall(std::uint32_t place, std::uint64_t payload, Duration in, bool inDoubt)
{
    auto& request = m_requests[place];
    const auto index = m_calls.add();
    auto& call = m_calls[index];
    call.number = request.number << callBits | (++request.calls & ((1U << callBits) - 1));
    call.first = request.calls == 1;
    call.request = place;
    call.payload = payload;
    call.inDoubt = inDoubt;
    call.random.begin(m_dice.roll(Throw::Client, call.number));
    ++request.live;
    if (in == Duration(0))
        step(index);
    else
        plan(in, { .happening = Happening::Begin, .place = index, .number = lowOf(call.number) });
}

void World::release(std::uint32_t place)
{
    auto& request = m_requests[place];
    if (--request.live > 0)
        return;
    judge(request);
    m_requests.remove(place);
}

// A recorded request that carries the key of an earlier one is that one again.
bool World::isDoneByAnother(const Request& request) const
{
    if (request.recorded == nowhere)
        return false;
    const auto& key = m_scenario.recording->requests[request.recorded].key;
    const auto known = m_pool.find(scopeOf(request) + "/" + key);
    return known != m_pool.end() && !m_subjects[known->second].done.empty();
}

std::string World::scopeOf(const Request& request) const
{
    return m_scenario.service.scope == ScopeOf::Principal ? "client-" + std::to_string(request.client + 1)
                                                          : std::string("payments");
}

void World::judge(const Request& request)
{
    if (request.effects > 1)
        ++m_outcome[Measure::DoubledRequests];
    if (request.toldSuccess && request.effects == 0 && !isDoneByAnother(request)) {
        ++m_outcome[Measure::LostEffects];
        if (traces(request.number))
            trace(request.number, "oracle", "its client was told of a success, and nothing was done");
    }
    if (request.recorded != nowhere && request.acquired > 0) {
        if (m_outcome.executions.size() <= request.acquired)
            m_outcome.executions.resize(request.acquired + 1);
        ++m_outcome.executions[request.acquired];
    }
    if (request.subject != nowhere)
        dropSubject(request.subject, request.number);
    for (const auto other : request.others)
        dropSubject(other, request.number);
}

retry::Dependency& World::dependencyOf(std::uint32_t client)
{
    const auto index = m_scenario.client.shared ? 0 : client;
    auto& guarded = m_dependencies[index];
    if (!guarded)
        guarded = makeDependency(index);
    return *guarded->dependency;
}

std::unique_ptr<World::Guarded> World::makeDependency(std::size_t index) const
{
    const auto& wanted = m_scenario.client;
    retry::DependencyOptions options;
    options.budget.percent = static_cast<int>(wanted.budgetPercent);
    options.budget.leastPerSecond = static_cast<int>(wanted.budgetReserve);
    if (!wanted.breaker)
        options.breaker.reset();
    if (!wanted.limiter)
        options.limiter.reset();
    if (wanted.throttle)
        options.throttle.emplace();
    auto made = std::make_unique<Guarded>();
    made->random.begin(m_dice.roll(Throw::Protection, index));
    made->dependency = std::make_unique<retry::Dependency>(options, m_clock, made->random, budgetOf(wanted));
    return made;
}

std::uint32_t World::pooledSubject(const std::string& scope, const std::string& key)
{
    const auto [entry, isNew] = m_pool.try_emplace(scope + "/" + key, nowhere);
    if (isNew) {
        entry->second = m_subjects.add();
        auto& subject = m_subjects[entry->second];
        subject.id = { scope, "pay", key };
        subject.kept = true;
    }
    return entry->second;
}

// The key that an attempt carries.
std::uint32_t World::subjectFor(std::uint32_t place, std::uint32_t call)
{
    auto& request = m_requests[place];
    const auto& client = m_scenario.client;
    if (request.subject != nowhere && client.key == KeyUse::Operation)
        return request.subject;
    const auto scope = scopeOf(request);
    const auto* recorded = request.recorded == nowhere ? nullptr : &m_scenario.recording->requests[request.recorded];
    if (recorded && !recorded->key.empty())
        return pooledSubject(scope, recorded->key);
    if (client.key == KeyUse::None)
        return nowhere;
    if (client.key == KeyUse::Pool) {
        const auto ofClient = (request.number - 1) / static_cast<std::uint64_t>(client.count);
        return pooledSubject(scope, "k" + std::to_string(ofClient % static_cast<std::uint64_t>(client.keys) + 1));
    }
    const auto index = m_subjects.add();
    std::string key = "k" + std::to_string(request.number);
    if (client.key == KeyUse::Attempt) {
        key += "." + std::to_string(m_calls[call].number & ((1U << callBits) - 1)) + "."
            + std::to_string(m_calls[call].attempts);
        request.others.push_back(index);
    } else {
        request.subject = index;
    }
    m_subjects[index].id = { scope, "pay", std::move(key) };
    return index;
}

} // namespace fencepost::simulation
