// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/service.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

constexpr auto clientTimeout = 3s;

// Of a thousand executions; the last column takes what is left.
struct Chances {
    Weather weather;
    int declined, transient, ambiguous, crashes, crashesLate, sleeps, slow, losesAnswer;
};

constexpr std::array chances = {
    Chances{ Weather::Fair, 55, 20, 6, 8, 6, 10, 25, 30 },
    Chances{ Weather::Outage, 10, 480, 90, 60, 70, 90, 40, 20 },
    Chances{ Weather::Deployment, 20, 50, 20, 250, 200, 20, 20, 20 },
};

bool callsProvider(const Request& request)
{
    return request.kind <= RequestKind::Void;
}

} // namespace

Service::Service(Store& store, Agenda& agenda, const Policy& policy, Random& random, Forecast forecast, Time end)
    : m_store(store)
    , m_agenda(agenda)
    , m_policy(policy)
    , m_random(random)
    , m_forecast(forecast)
    , m_end(end)
{
}

Duration Service::between(Duration least, Duration most)
{
    return least + Duration(m_random.below(static_cast<std::uint64_t>((most - least).count())));
}

Status Service::send(const std::shared_ptr<Call>& call)
{
    if (call->answered)
        return {};
    const auto& request = call->request;
    const auto policy = m_policy.forRoute(request.id.scope, request.id.operation);
    --call->patience;
    ++m_calls;
    const auto reserved = m_store.reserve({ .id = request.id,
        .requestHash = requestHashOf(request),
        .payloadHash = payloadHashOf(request),
        .owner = { uuid4(m_random) },
        .lease = policy.lease.value,
        .ttl = policy.ttl.value,
        .takeover = policy.takeover.value,
        .maxAttempts = policy.maxAttempts.value,
        .staleKey = policy.staleKey.value,
        .correlationId = request.correlationId,
        .requestMethod = request.method,
        .requestTarget = request.target,
        .requestBody = request.body.empty() ? std::nullopt : std::optional(request.body),
        .principal = request.principal });
    if (!reserved)
        return reserved.error();
    return answer(call, *reserved, policy);
}

Status Service::answer(const std::shared_ptr<Call>& call, const Reserved& reserved, const RoutePolicy& policy)
{
    switch (reserved.outcome) {
    case Outcome::Execute:
        return execute({ call, { call->request.id, reserved.record->owner, reserved.record->fence }, policy });
    case Outcome::InFlight:
        return sendLater(call, policy.retryAfter.value + between(0ms, 400ms));
    case Outcome::RetryLater:
        return sendLater(call, *reserved.record->notBefore - m_agenda.now() + between(50ms, 2s));
    case Outcome::Held:
        return sendLater(call, between(5min, 40min));
    default:
        call->answered = true;
        return {};
    }
}

Status Service::sendLater(const std::shared_ptr<Call>& call, Duration delay)
{
    if (call->patience <= 0) {
        if (call->returns <= 0)
            return {};
        --call->returns;
        call->patience = 6;
        delay = between(4min, 30min);
    }
    m_agenda.in(delay, [this, call] { return send(call); });
    return {};
}

Fate Service::fateOf(const Call& call)
{
    const auto weather = m_forecast(m_agenda.now(), m_end);
    auto row = chances.front();
    for (const auto& candidate : chances)
        if (candidate.weather == weather)
            row = candidate;
    const auto dice = static_cast<int>(m_random.below(1000));
    const bool provider = callsProvider(call.request);
    int below = 0;
    const auto falls = [&](int chance) { return dice < (below += chance); };
    if (falls(row.declined))
        return provider ? Fate::Declined : Fate::Succeeds;
    if (falls(row.transient))
        return Fate::Transient;
    if (falls(row.ambiguous))
        return call.request.kind == RequestKind::Payout ? Fate::Ambiguous : Fate::Transient;
    if (falls(row.crashes))
        return Fate::Crashes;
    if (falls(row.crashesLate))
        return provider ? Fate::CrashesLate : Fate::Crashes;
    if (falls(row.sleeps))
        return Fate::Sleeps;
    if (falls(row.slow))
        return Fate::Slow;
    return falls(row.losesAnswer) ? Fate::LosesAnswer : Fate::Succeeds;
}

Status Service::execute(const Execution& execution)
{
    const auto& call = execution.call;
    const auto lease = execution.policy.lease.value;
    const auto fate = call->fate.value_or(fateOf(*call));
    call->fate.reset();
    const auto latency = between(40ms, 900ms);
    switch (fate) {
    case Fate::Succeeds:
        return finishIn(execution, latency, true);
    case Fate::LosesAnswer:
        if (const auto status = finishIn(execution, latency, false); !status)
            return status;
        return sendLater(call, clientTimeout);
    case Fate::Declined:
        return declineIn(execution, latency);
    case Fate::Transient:
        return failIn(execution, between(1s, 3s));
    case Fate::Ambiguous:
        m_agenda.in(between(15s, 16s), [this, execution]() -> Status {
            ++m_calls;
            const auto held = m_store.hold(execution.claim, "outcome_unknown");
            if (!held)
                return held.error();
            return sendLater(execution.call, clientTimeout);
        });
        return {};
    case Fate::CrashesLate:
        if (const auto status = advanceIn(execution, latency); !status)
            return status;
        return sendLater(call, clientTimeout);
    case Fate::Crashes:
        return sendLater(call, clientTimeout);
    case Fate::Sleeps:
        if (const auto status = finishIn(execution, lease + between(2s, 90s), false); !status)
            return status;
        return sendLater(call, clientTimeout);
    case Fate::Slow:
        if (const auto status = keepRenewing(execution, 2 + static_cast<int>(m_random.below(3))); !status)
            return status;
        return sendLater(call, clientTimeout);
    }
    return {};
}

Status Service::finishIn(const Execution& execution, Duration delay, bool heard)
{
    if (callsProvider(execution.call->request) && delay > 300ms)
        if (const auto status = advanceIn(execution, delay / 3); !status)
            return status;
    m_agenda.in(delay, [this, execution, heard]() -> Status {
        ++m_calls;
        const auto done =
            m_store.finalize(execution.claim, { .response = answerTo(execution.call->request, m_random) });
        if (!done)
            return done.error();
        execution.call->answered = execution.call->answered || (heard && done->outcome == Outcome::Applied);
        return {};
    });
    return {};
}

Status Service::declineIn(const Execution& execution, Duration delay)
{
    struct Refusal {
        const char* code;
        const char* detail;
    };
    constexpr std::array refusals = { Refusal{ "PROVIDER.card_declined", "The card was declined" },
        Refusal{ "PROVIDER.insufficient_funds", "The account does not cover the amount" },
        Refusal{ "VALIDATION.amount_too_small", "The amount is below the provider's minimum" } };
    const auto refusal = refusals[m_random.below(refusals.size())];
    m_agenda.in(delay, [this, execution, refusal]() -> Status {
        ++m_calls;
        const auto failed = m_store.fail(execution.claim,
            { .retryable = false,
                .completion = {
                    .response = refusalOf(402, refusal.code, refusal.detail), .errorCode = refusal.code } });
        if (!failed)
            return failed.error();
        execution.call->answered = failed->outcome == Outcome::Applied;
        return {};
    });
    return {};
}

Status Service::failIn(const Execution& execution, Duration delay)
{
    const bool timeout = m_random.below(2) == 0;
    const std::string code = timeout ? "DEPENDENCY.timeout" : "DEPENDENCY.unavailable";
    const bool outage = m_forecast(m_agenda.now(), m_end) == Weather::Outage;
    const auto wait = outage ? between(20s, 3min) : between(1s, 5s);
    m_agenda.in(delay, [this, execution, code, timeout, wait]() -> Status {
        ++m_calls;
        const auto failed = m_store.fail(execution.claim,
            { .retryable = true,
                .retryAfter = wait,
                .completion = { .response = refusalOf(timeout ? 504 : 503, code, "stripe did not answer in time"),
                    .errorCode = code } });
        if (!failed)
            return failed.error();
        return sendLater(execution.call, wait + between(50ms, 1s));
    });
    return {};
}

Status Service::advanceIn(const Execution& execution, Duration delay)
{
    const auto data = R"({"provider":"stripe","provider_request_id":")" + token("req_", 14, m_random) + "\"}";
    m_agenda.in(delay, [this, claim = execution.claim, data]() -> Status {
        ++m_calls;
        const auto advanced = m_store.advance(claim, "provider_called", data);
        return advanced ? Status() : Status(advanced.error());
    });
    return {};
}

Status Service::keepRenewing(const Execution& execution, int times)
{
    const auto lease = execution.policy.lease.value;
    if (times == 0)
        return finishIn(execution, lease / 6, false);
    m_agenda.in(lease / 3, [this, execution, lease, times]() -> Status {
        ++m_calls;
        const auto renewed = m_store.renew(execution.claim, lease);
        if (!renewed)
            return renewed.error();
        // A worker that lost its record stops at once; the effect behind it may still be on its way.
        return renewed->outcome == Outcome::Applied ? keepRenewing(execution, times - 1) : Status();
    });
    return {};
}

Status Service::reconcile(const RecordId& id)
{
    ++m_calls;
    const auto found = m_store.find(id);
    if (!found)
        return found.error();
    if (!*found || !isStuck(**found, m_agenda.now()))
        return {};
    constexpr std::array answers = { Evidence::Applied, Evidence::Applied, Evidence::NotApplied, Evidence::Unknown };
    const auto evidence = answers[m_random.below(answers.size())];
    Completion completion;
    if (evidence == Evidence::Applied) {
        completion.response.code = 201;
        completion.response.refType = "payouts";
        completion.response.refId = token("po_", 16, m_random);
    }
    ++m_calls;
    const auto reconciled = m_store.reconcile(id, (*found)->fence, evidence, completion, "completer");
    return reconciled ? Status() : Status(reconciled.error());
}

} // namespace fencepost::app
