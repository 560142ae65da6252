// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr std::uint64_t mostRetryAfter = (1U << 24U) - 1;
constexpr std::uint32_t mostExecutions = 1'000; // of one request by a completer
constexpr std::uint64_t stages = 16;
constexpr std::uint64_t placeTurns = 32; // beyond the number of every labelled point

// Where a labelled point that has several places can strike, and whom: each line asks for what is true in it.
struct PointPlace {
    int point = 0;
    int at = 0; // in front of this one, or behind it
    bool ofLocal = false;
    bool ofVendor = false;
    bool ofKey = false;
    bool ofFinalize = false;
};
constexpr PointPlace pointPlaces[] = {
    { .point = 12, .at = 5, .ofVendor = true },
    { .point = 12, .at = 8, .ofLocal = true },
    { .point = 12, .at = 9, .ofFinalize = true },
    { .point = 18, .at = 5, .ofVendor = true, .ofKey = true },
    { .point = 18, .at = 9, .ofFinalize = true },
    { .point = 20, .at = 2, .ofKey = true },
    { .point = 20, .at = 9, .ofKey = true },
    { .point = 20, .at = 10, .ofKey = true },
};

std::string nodeName(std::uint32_t node)
{
    return "node " + std::to_string(node + 1);
}

} // namespace

void World::deliver(const What& what)
{
    const auto& call = m_calls[what.place];
    const auto& request = m_requests[call.request];
    const std::uint32_t attempt = what.code;
    const auto who = call.number << attemptBits | attempt;
    const auto refuse = [&](const Reply& reply) {
        replyTo(what.place, attempt, reply);
        letGo(what.place);
    };
    const auto& service = m_scenario.service;
    if (const auto* fault = active(FaultKind::Outage, who))
        return refuse({ .code = status::unavailable, .retryAfter = fault->retryAfter });
    if (const auto* fault = active(FaultKind::Throttle, who))
        return refuse({ .code = status::tooManyRequests, .retryAfter = fault->retryAfter });
    const auto index = static_cast<std::uint32_t>(
        Dice::below(m_dice.roll(Throw::Node, call.number, attempt), static_cast<std::uint64_t>(service.nodes)));
    auto& node = m_nodes[index];
    if (!node.up)
        return refuse({ .flags = answer_flag::NotSent });
    const Waiting waiting{ what.place, attempt, what.extra, call.request };
    if (m_hasRoom || node.running.size() < static_cast<std::size_t>(service.workers))
        return startExecution(index, waiting);
    if (node.queue.size() < static_cast<std::size_t>(service.queue)) {
        node.queue.push_back(waiting);
        return;
    }
    ++m_outcome[Measure::Overload];
    if (traces(request.number))
        trace(request.number, nodeName(index), "has no place left in its queue");
    refuse({ .code = status::unavailable, .retryAfter = service.retryAfter });
}

void World::startExecution(std::uint32_t node, const Waiting& waiting)
{
    const auto place = m_executions.add();
    auto& execution = m_executions[place];
    auto& request = m_requests[waiting.request];
    execution.number = ++m_executionNumbers;
    execution.call = waiting.call;
    execution.attempt = waiting.attempt;
    execution.request = waiting.request;
    execution.subject = waiting.subject;
    execution.node = node;
    execution.place = static_cast<std::uint32_t>(m_nodes[node].running.size());
    execution.payload = waiting.call == nowhere ? request.payload : m_calls[waiting.call].payload;
    execution.turn = request.executions++;
    m_nodes[node].running.push_back(place);
    if (traces(request.number))
        trace(request.number, nodeName(node), "begins execution " + std::to_string(execution.turn + 1));
    if (strikes(crashAt(19), request.number, execution.turn, m_scenario.crash[19])) {
        const bool back = m_dice.roll(Throw::Fault, request.number, execution.turn) % 2 == 0;
        m_nodes[node].skew += back ? -std::chrono::hours(1) : std::chrono::hours(1);
        if (traces(request.number))
            trace(request.number, nodeName(node), "its clock steps by an hour (p19)");
    }
    if (crashesAt(place, 1))
        return;
    if (m_scenario.service.contract == Contract::None || execution.subject == nowhere)
        startHandler(place);
    else
        planStoreStep(place, Stage::Reserve);
}

void World::startHandler(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const auto number = m_requests[execution.request].number;
    execution.stage = Stage::Handle;
    const auto* recorded = recordedOf(execution);
    execution.silent = recorded && recorded->silent;
    // How long one would have run that crashed, nobody knows.
    const bool isKnown = recorded
        && (recorded->ending != RecordedEnding::Crashed || endingOf(*recorded, execution) == RecordedEnding::Crashed);
    auto takes = isKnown ? recorded->took : draw(m_scenario.service.time, Throw::ServiceTime, number, execution.turn);
    if (const auto* slow = active(FaultKind::Brownout, number))
        takes *= slow->factor;
    planStep(place, takes);
}

void World::planStoreStep(std::uint32_t place, Stage stage)
{
    auto& execution = m_executions[place];
    execution.stage = stage;
    const auto turn = execution.turn * stages + std::uint64_t(stage);
    planStep(place, draw(m_scenario.service.storeTime, Throw::StoreTime, m_requests[execution.request].number, turn));
}

// A lease is renewed only where the execution will still be there, so that what is short plans nothing.
void World::planStep(std::uint32_t place, Duration in)
{
    auto& execution = m_executions[place];
    execution.stepsAt = m_now + in;
    plan(in, { .happening = Happening::Step, .place = place, .number = lowOf(execution.number) });
    beat(place);
}

void World::beat(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const bool beats = execution.owns && m_scenario.service.heartbeat && !execution.silent && !execution.beating;
    if (!beats || execution.beatsAt >= execution.stepsAt)
        return;
    execution.beating = true;
    m_queue.plan(std::max(execution.beatsAt, m_now),
        { .happening = Happening::Renew, .place = place, .number = lowOf(execution.number) });
}

void World::renew(const What& what)
{
    auto& execution = m_executions[what.place];
    if (execution.number == 0 || lowOf(execution.number) != what.number)
        return;
    execution.beating = false;
    if (execution.silent || !execution.owns || execution.uncommitted)
        return;
    useClockOf(execution.node);
    const auto lease = execution.lease;
    const auto renewed = m_store.renew(execution.claim, lease);
    if (!renewed || renewed->outcome != fencepost::Outcome::Applied)
        return;
    execution.beatsAt = m_now + lease / beatsInLease;
    beat(what.place);
}

void World::advance(std::uint32_t place)
{
    switch (m_executions[place].stage) {
    case Stage::Reserve:
    case Stage::Waiting:
        reserve(place);
        break;
    case Stage::Handle:
        handled(place);
        break;
    case Stage::Commit:
        commitLocal(place);
        break;
    case Stage::Finalize:
        finalize(place);
        break;
    case Stage::AskVendor:
        callVendor(place);
        break;
    case Stage::VendorDone:
        vendorDone(place);
        break;
    case Stage::Vendor:
        break;
    }
}

void World::answer(std::uint32_t place, const Reply& reply)
{
    auto& execution = m_executions[place];
    const auto& request = m_requests[execution.request];
    if (execution.call != nowhere) {
        const auto& call = m_calls[execution.call];
        m_outcome[Measure::Wasted] += call.over || call.current != execution.attempt ? 1 : 0;
        const auto* recorded = recordedOf(execution);
        const bool lost = (recorded && recorded->ending == RecordedEnding::TimedOut)
            || strikes(crashAt(11), request.number, execution.turn, m_scenario.crash[11]);
        const bool broken = recorded && recorded->ending == RecordedEnding::Reset;
        if (!lost)
            replyTo(execution.call, execution.attempt, broken ? Reply{ .flags = answer_flag::Gone } : reply);
        if (traces(request.number))
            trace(request.number, nodeName(execution.node),
                "answers " + std::to_string(reply.code) + (lost || broken ? ", which is lost" : ""), execution.subject);
    }
    endExecution(place);
}

void World::replyTo(std::uint32_t index, std::uint32_t attempt, const Reply& reply)
{
    const auto& call = m_calls[index];
    const auto& network = m_scenario.network;
    if (active(FaultKind::Silence, call.number) != nullptr
        || active(FaultKind::Partition, m_requests[call.request].client) != nullptr
        || strikes(Throw::LostBack, call.number, attempt, network.loss)) {
        if (const auto number = m_requests[call.request].number; traces(number))
            trace(number, "network", "loses the answer");
        return;
    }
    const auto asked = static_cast<std::uint64_t>((reply.retryAfter + retryAfterUnit - Duration(1)) / retryAfterUnit);
    const auto wait = static_cast<std::uint32_t>(std::min(asked, mostRetryAfter));
    plan(draw(network.latency, Throw::WayBack, call.number, attempt),
        { .happening = Happening::Answer,
            .flags = reply.flags,
            .code = static_cast<std::uint16_t>(reply.code),
            .place = index,
            .number = lowOf(call.number),
            .extra = wait << attemptBits | attempt });
}

// What it belongs to lets it go.
void World::leave(std::uint32_t place)
{
    const auto call = m_executions[place].call;
    const auto request = m_executions[place].request;
    m_executions.remove(place);
    if (call != nowhere)
        letGo(call);
    else
        release(request);
}

void World::endExecution(std::uint32_t place)
{
    const auto index = m_executions[place].node;
    auto& running = m_nodes[index].running;
    const auto at = m_executions[place].place;
    running[at] = running.back();
    m_executions[running[at]].place = at;
    running.pop_back();
    leave(place);
    nextInQueue(index);
}

void World::nextInQueue(std::uint32_t index)
{
    auto& node = m_nodes[index];
    while (
        node.up && !node.queue.empty() && node.running.size() < static_cast<std::size_t>(m_scenario.service.workers)) {
        const auto waiting = node.queue.front();
        node.queue.pop_front();
        const auto& call = m_calls[waiting.call];
        if (m_scenario.service.dropsExpired && (call.over || call.current != waiting.attempt))
            letGo(waiting.call);
        else
            startExecution(index, waiting);
    }
}

bool World::crashesAt(std::uint32_t place, int point)
{
    const auto chance = m_scenario.crash[static_cast<std::size_t>(point)];
    if (chance == 0)
        return false;
    const auto& execution = m_executions[place];
    const auto number = m_requests[execution.request].number;
    if (!strikes(crashAt(point), number, execution.turn, chance))
        return false;
    const auto node = execution.node;
    if (traces(number))
        trace(number, nodeName(node), "dies at p" + std::to_string(point));
    crashNode(node);
    return true;
}

bool World::strikesAt(const Execution& execution, int point, int at)
{
    const auto chance = m_scenario.crash[static_cast<std::size_t>(point)];
    if (chance == 0)
        return false;
    const bool isLocal = m_scenario.service.effect == EffectKind::LocalTransaction;
    const bool isKeyed = execution.subject != nowhere && m_scenario.service.contract != Contract::None;
    const bool finalizes = isKeyed && m_scenario.service.contract == Contract::ReserveFinalize;
    std::array<int, 3> places{};
    std::size_t count = 0;
    for (const auto& one : pointPlaces)
        if (one.point == point && (!one.ofLocal || isLocal) && (!one.ofVendor || !isLocal) && (!one.ofKey || isKeyed)
            && (!one.ofFinalize || finalizes))
            places[count++] = one.at;
    const auto number = m_requests[execution.request].number;
    const auto turn = std::uint64_t(execution.turn) * placeTurns + static_cast<std::uint64_t>(point);
    return count > 0 && places[Dice::below(m_dice.roll(Throw::Place, number, turn), count)] == at
        && strikes(crashAt(point), number, execution.turn, chance);
}

bool World::restsAt(std::uint32_t place, int point)
{
    auto& execution = m_executions[place];
    if (execution.rested) {
        execution.rested = execution.silent = false;
        return false;
    }
    const auto number = m_requests[execution.request].number;
    const auto at = static_cast<std::size_t>(point);
    Duration length{};
    if (strikes(pauseAt(point), number, execution.turn, m_scenario.pause[at]))
        length = m_scenario.pauseFor;
    if (strikesAt(execution, 12, point))
        length = std::max<Duration>(length, m_scenario.service.lease + std::chrono::seconds(1));
    if (length == Duration(0))
        return false;
    if (traces(number))
        trace(number, nodeName(execution.node),
            "stands still at p" + std::to_string(point) + " for " + formatDuration(length));
    execution.rested = execution.silent = true;
    planStep(place, length);
    return true;
}

void World::crashNode(std::uint32_t index)
{
    auto& node = m_nodes[index];
    if (!node.up)
        return;
    ++m_outcome[Measure::Crashes];
    node.up = false;
    plan(m_scenario.service.restart, { .happening = Happening::NodeUp, .place = index });
    if (m_scenario.service.store == StoreKind::Memory)
        m_store.loseAll();
    const auto running = std::exchange(node.running, {});
    for (const auto place : running)
        loseExecution(place);
    const auto queue = std::exchange(node.queue, {});
    for (const auto& waiting : queue) {
        replyTo(waiting.call, waiting.attempt, { .flags = answer_flag::Gone });
        letGo(waiting.call);
    }
}

void World::rollBack(Execution& execution)
{
    if (!execution.uncommitted)
        return;
    auto& subject = m_subjects[execution.subject];
    m_store.put(subject.id, execution.before);
    subject.locked = execution.uncommitted = false;
}

void World::loseExecution(std::uint32_t place)
{
    auto& execution = m_executions[place];
    rollBack(execution);
    if (execution.call != nowhere)
        replyTo(execution.call, execution.attempt, { .flags = answer_flag::Gone });
    leave(place);
}

void World::useClockOf(std::uint32_t node)
{
    m_storeClock.setSkew(m_scenario.service.nodeClock ? m_nodes[node].skew : Duration(0));
}

void World::completeLater(std::uint32_t place, std::uint32_t subject)
{
    auto& request = m_requests[place];
    const auto& service = m_scenario.service;
    if (service.completer == Duration(0) || request.completing || subject == nowhere
        || service.contract == Contract::None)
        return;
    request.completing = true;
    ++request.live;
    plan(service.completer, { .happening = Happening::Complete, .place = place, .extra = subject });
}

void World::complete(const What& what)
{
    auto& request = m_requests[what.place];
    m_storeClock.setSkew(Duration(0));
    const auto* record = m_store.look(m_subjects[what.extra].id);
    if (!record || isTerminal(record->status) || record->hold || request.executions >= mostExecutions) {
        request.completing = false;
        release(what.place);
        return;
    }
    plan(m_scenario.service.completer, what);
    const auto node = freeNode();
    if (isLive(*record, m_now) || !node)
        return;
    if (traces(request.number))
        trace(request.number, "completer", "drives it to its end");
    executeForNobody(*node, what.place, what.extra);
}

std::optional<std::uint32_t> World::freeNode() const
{
    const auto up = std::find_if(m_nodes.begin(), m_nodes.end(), [&](const Node& node) {
        return node.up && (m_hasRoom || node.running.size() < static_cast<std::size_t>(m_scenario.service.workers));
    });
    return up == m_nodes.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(up - m_nodes.begin()));
}

// No client waits for what comes of it.
void World::executeForNobody(std::uint32_t node, std::uint32_t request, std::uint32_t subject)
{
    ++m_requests[request].live;
    startExecution(node, { .call = nowhere, .attempt = 0, .subject = subject, .request = request });
}

} // namespace fencepost::simulation
