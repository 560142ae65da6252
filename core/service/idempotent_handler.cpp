// SPDX-License-Identifier: Apache-2.0
#include "core/service/idempotent_handler.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "core/protocol/ascii.h"
#include "core/protocol/key_syntax.h"
#include "core/service/completion.h"
#include "core/service/conclusion.h"
#include "core/service/problem.h"
#include "core/service/record_answer.h"

namespace fencepost {

namespace {

// PostgreSQL's lock_not_available: lock_timeout ended the waiting for somebody else's lock.
constexpr std::string_view lockNotAvailable = "55P03";

// Whoever waits for the key's row waits for the request that has written it and has not committed. What that one
// presented cannot be seen yet.
bool isBehindAnother(const Error& error)
{
    return error.code == lockNotAvailable;
}

Reserved inFlightAt(Time now)
{
    return { Outcome::InFlight, std::nullopt, now };
}

Handled uncaught(EffectClass effect)
{
    // It is the answer from now on, whoever asks again with the key.
    Handled handled{ problemResponse({ .code = "INTERNAL.uncaught",
        .detail = effect == EffectClass::LocalTransaction
            ? "Nothing was done. This key has its answer: use a new one to try again."
            : "This key has its answer: verify the outcome before you use a new one." }) };
    handled.errorCode = "INTERNAL.uncaught";
    // A local effect was rolled back with the exception; what an external call did, nobody knows.
    if (effect == EffectClass::External)
        handled.settlement = Settlement::Unknown;
    return handled;
}

// A line end would begin another header, for as long as the answer is kept; a recipient may read a blank there
// (RFC 9110 §5.5).
void withoutLineEnds(Headers& headers)
{
    headers.erase(
        std::remove_if(headers.begin(), headers.end(), [](const auto& header) { return !isToken(header.first); }),
        headers.end());
    for (auto& [name, value] : headers)
        std::replace_if(
            value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

HttpResponse tooLate(const RouteContract& route)
{
    return problemResponse({ .code = "DEPENDENCY.timeout",
        .detail = "The time that the caller gives is used up. Nothing was done.",
        .retryAfter = route.policy.retryAfter.value });
}

} // namespace

IdempotentHandler::IdempotentHandler(RouteContract route, ServiceParts parts, Handler handler)
    : m_route(std::move(route))
    , m_parts(std::move(parts))
    , m_handler(std::move(handler))
    , m_keys(m_parts.clock, m_parts.random)
{
}

Result<IdempotentHandler> IdempotentHandler::create(RouteContract route, ServiceParts parts, Handler handler)
{
    if (const auto checked = check(route, parts); !checked)
        return checked.error();
    return IdempotentHandler(std::move(route), std::move(parts), std::move(handler));
}

std::optional<HttpResponse> IdempotentHandler::refuse(const HttpRequest& head) const
{
    auto admission = admit(m_route, head, steady().now());
    if (auto* refusal = std::get_if<HttpResponse>(&admission))
        return withInstance(std::move(*refusal), head);
    return {};
}

HttpResponse IdempotentHandler::serve(const HttpRequest& request)
{
    return withInstance(answerTo(request), request);
}

HttpResponse IdempotentHandler::answerTo(const HttpRequest& request)
{
    const auto now = steady().now();
    auto admission = admit(m_route, request, now);
    if (auto* refusal = std::get_if<HttpResponse>(&admission))
        return std::move(*refusal);
    if (const auto* keyed = std::get_if<Keyed>(&admission))
        return serveKeyed(request, *keyed);
    const auto plain = withoutCoding(m_route, request);
    if (const auto* refusal = std::get_if<HttpResponse>(&plain))
        return *refusal;
    Execution execution(std::get<HttpRequest>(plain), now + m_route.workTime, steady(), {});
    return run(execution).response;
}

HttpResponse IdempotentHandler::serveKeyed(const HttpRequest& request, const Keyed& keyed)
{
    auto wish = reservationOf(m_route, request, keyed.id, Owner(m_keys.uuid4()));
    if (auto* refusal = std::get_if<HttpResponse>(&wish))
        return std::move(*refusal);
    const auto& reservation = std::get<Reservation>(wish);
    if (auto refusal = unrecorded(request, keyed.id))
        return std::move(*refusal);
    if (auto cached = known().cached(reservation))
        return std::move(*cached);
    // What is finished costs next to nothing to tell again, however busy the service is.
    if (auto stored = known().stored(reservation))
        return std::move(*stored);
    // Nobody waits any more for what would be done now.
    if (keyed.deadline <= steady().now())
        return tooLate(m_route);
    if (m_parts.turnAway)
        if (const auto away = m_parts.turnAway(request))
            return problemResponse({ .code = away->status == 429 ? "RATE_LIMIT.exceeded" : "DEPENDENCY.unavailable",
                .status = away->status,
                .retryAfter = away->retryAfter });
    // The handler reads what the fingerprint has read.
    auto plain = withoutCoding(m_route, request);
    if (auto* refusal = std::get_if<HttpResponse>(&plain))
        return std::move(*refusal);
    const auto& readable = std::get<HttpRequest>(plain);
    return m_route.mode == ContractMode::SingleTransaction ? inOneTransaction(readable, keyed, reservation)
                                                           : reserveAndFinalize(readable, keyed, reservation);
}

// Whoever completes what another began may be taken for somebody else, under whom the key is a new one.
std::optional<HttpResponse> IdempotentHandler::unrecorded(const HttpRequest& request, const RecordId& id)
{
    const auto scope = lineOf(request.headers, resumeHeader);
    if (!scope)
        return {};
    if (*scope == quotedKey(id.scope)) {
        const auto record = m_parts.store.find(id);
        if (!record)
            return storeDown(m_route);
        if (*record)
            return {};
    }
    return problemResponse({ .code = unrecordedCode,
        .status = 412,
        .detail =
            "What is to be completed is not recorded under this key, route and principal; nothing was executed." });
}

HttpResponse IdempotentHandler::answer(const Keyed& keyed, const Reservation& reservation, const Reserved& reserved)
{
    if (reserved.outcome == Outcome::Replay)
        known().remember(*reserved.record);
    if (reserved.outcome == Outcome::InFlight && m_route.inFlight == InFlightAnswer::Wait)
        if (auto awaited =
                known().awaited(reservation, steady(), std::min(steady().now() + m_route.wait, keyed.deadline)))
            return std::move(*awaited);
    if (reserved.outcome != Outcome::KeyExpired || !reserved.record
        || (reserved.record->fingerprintAlg == reservation.fingerprintAlg
            && reserved.record->requestHash == reservation.requestHash))
        return answerOf(m_route, reservation.id, reserved);
    // What another request came to is none of this one's business.
    auto own = reserved;
    own.record->response = {};
    return answerOf(m_route, reservation.id, own);
}

HttpResponse IdempotentHandler::unreserved(const HttpRequest& request, const Error& error, Time deadline)
{
    if (error.failure == Failure::Invalid)
        return problemResponse({ .code = "VALIDATION.request", .detail = sentence(error.message) });
    if (!m_route.failOpen)
        return storeDown(m_route);
    Execution execution(request, deadline, steady(), {});
    return run(execution).response;
}

LeaseTerms IdempotentHandler::terms() const
{
    const auto& policy = m_route.policy;
    const LeaseTerms said{ policy.lease.value, policy.renewEvery.value, policy.safetyMargin.value };
    // A service that has set the lease alone means those that belong to it.
    const bool fits = said.renewEvery > Duration(0) && said.renewEvery + said.safetyMargin <= said.lease;
    return fits ? said : LeaseTerms{ said.lease, renewalOf(said.lease), safetyMarginOf(said.lease) };
}

Handled IdempotentHandler::run(Execution& execution)
{
    // The reservation may have taken what was left of it, and what was not begun can be left.
    if (execution.left() <= Duration(0))
        return { .response = tooLate(m_route), .settlement = Settlement::Transient, .retryAfter = Duration(0) };
    try {
        auto handled = m_handler(execution);
        withoutLineEnds(handled.response.headers);
        if (!handled.inDoubt && execution.hasCalled())
            handled.inDoubt = true;
        return handled;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return uncaught(m_route.policy.effect.value);
    }
}

// Row 3 stands before row 4.
std::optional<HttpResponse> IdempotentHandler::besideRunning(const Keyed& keyed, const Reservation& reservation)
{
    const auto outcome = m_parts.running == nullptr ? std::nullopt : m_parts.running->meet(reservation);
    if (!outcome)
        return {};
    auto seen = inFlightAt(m_parts.clock.now());
    seen.outcome = *outcome;
    // A mismatch is told of when it is journalled.
    if (*outcome == Outcome::InFlight && m_parts.answered)
        m_parts.answered(reservation, seen);
    return answer(keyed, reservation, seen);
}

// Other requests that came under the key while its record was locked: now there is a record to journal them at. Where
// there is none they are only told of, for a reservation would be won.
void IdempotentHandler::journal(const std::vector<Reservation>& refused)
{
    for (const auto& reservation : refused) {
        const auto record = m_parts.store.find(reservation.id);
        const bool differs = record && *record && (*record)->requestHash != reservation.requestHash;
        if (!differs) {
            if (m_parts.answered)
                m_parts.answered(reservation, { Outcome::Mismatch, {}, m_parts.clock.now() });
            continue;
        }
        const auto reserved = m_parts.store.reserve(reservation);
        // It ended between the two: nobody works on what was refused.
        if (reserved && reserved->outcome == Outcome::Execute)
            static_cast<void>(
                m_parts.store
                    .fail({ reservation.id, reservation.owner, reserved->record->fence }, { .retryable = true })
                    .has_value());
    }
}

HttpResponse IdempotentHandler::reserveAndFinalize(
    const HttpRequest& request, const Keyed& keyed, const Reservation& reservation)
{
    if (auto beside = besideRunning(keyed, reservation))
        return std::move(*beside);
    const auto reserved = m_parts.store.reserve(reservation);
    if (!reserved && isBehindAnother(reserved.error()))
        return answer(keyed, reservation, inFlightAt(m_parts.clock.now()));
    if (!reserved)
        return unreserved(request, reserved.error(), keyed.deadline);
    if (reserved->outcome != Outcome::Execute)
        return answer(keyed, reservation, *reserved);
    const Claim claim{ reservation.id, reservation.owner, reserved->record->fence };
    auto* const heartbeat = m_parts.heartbeat ? m_parts.heartbeat(request) : nullptr;
    auto beat = heartbeat == nullptr ? nullptr : heartbeat->keep(claim, terms());
    Execution execution(request, keyed.deadline, steady(),
        Execution::Ground{ m_parts.store, claim, *reserved->record, terms(), beat.get(), m_parts.running });
    const auto handled = run(execution);
    // A renewal behind the end would find nothing to renew.
    beat.reset();
    auto response = Conclusion(m_route, m_parts, handled).reach(claim, *reserved->record);
    journal(execution.m_refused);
    return response;
}

// Whoever is ahead of this one here waits for the record, and learns soon whether it is another request's.
void IdempotentHandler::awaitTheStoresWord(const RecordId& id, Time deadline)
{
    constexpr Duration patience = std::chrono::seconds(1);
    constexpr Duration pause = std::chrono::milliseconds(5);
    for (Duration waited{}; waited < patience && steady().now() < deadline && m_parts.running->isWaiting(id);
         waited += pause) {
        if (m_parts.sleep)
            m_parts.sleep(pause);
        else
            std::this_thread::sleep_for(pause);
    }
}

// Rows 1 and 10, or 1 and 11, with the business writes between them: all of it or nothing.
HttpResponse IdempotentHandler::inOneTransaction(
    const HttpRequest& request, const Keyed& keyed, const Reservation& reservation)
{
    if (m_parts.running == nullptr)
        return inTransaction(request, keyed, reservation, nullptr);
    auto turn = m_parts.running->begin(reservation.id, { reservation.fingerprintAlg, reservation.requestHash });
    if (!turn) {
        awaitTheStoresWord(reservation.id, keyed.deadline);
        if (auto beside = besideRunning(keyed, reservation))
            return std::move(*beside);
        // It ended just now.
        return inOneTransaction(request, keyed, reservation);
    }
    auto response = inTransaction(request, keyed, reservation, &*turn);
    journal(turn->end());
    return response;
}

HttpResponse IdempotentHandler::inTransaction(
    const HttpRequest& request, const Keyed& keyed, const Reservation& reservation, RunningKeys::Turn* turn)
{
    std::optional<HttpResponse> response;
    std::optional<Handled> failed;
    std::optional<Record> kept;
    std::optional<Reserved> seen;
    const auto done = m_parts.together([&]() -> Status {
        response.reset();
        failed.reset();
        seen.reset();
        const auto reserved = m_parts.store.reserve(reservation);
        if (!reserved) {
            if (isBehindAnother(reserved.error()))
                seen = inFlightAt(m_parts.clock.now());
            return reserved.error();
        }
        if (reserved->outcome != Outcome::Execute) {
            seen = *reserved;
            return {};
        }
        if (turn != nullptr)
            turn->win();
        const Claim claim{ reservation.id, reservation.owner, reserved->record->fence };
        Execution execution(
            request, keyed.deadline, steady(), Execution::Ground{ m_parts.store, claim, *reserved->record, terms() });
        auto handled = run(execution);
        if (settlementOf(handled, m_route) != Settlement::Done) {
            failed = std::move(handled);
            return Error{ Failure::Cancelled, "The handler failed, so nothing of it is kept", {} };
        }
        const auto applied = m_parts.store.finalize(claim, completionOf(m_route, handled));
        if (!applied)
            return applied.error();
        if (applied->outcome != Outcome::Applied) {
            response = fencedAnswer(m_route, reservation.requestHash, applied->record, applied->now);
            return Error{ Failure::Conflict, "The record was taken away", {} };
        }
        kept = applied->record;
        response = firstAnswer(std::move(handled.response), *applied->record);
        return {};
    });
    if (failed)
        return keepFailure(keyed, reservation, *failed);
    // Behind the transaction, so that nobody waits with a lock in hand.
    if (seen)
        return answer(keyed, reservation, *seen);
    if (!done && done.error().failure != Failure::Conflict)
        return unreserved(request, done.error(), keyed.deadline);
    if (done && kept)
        known().remember(*kept);
    return response ? std::move(*response) : storeDown(m_route);
}

// Behind the rollback: only an answer that will not change is worth a record of its own.
HttpResponse IdempotentHandler::keepFailure(const Keyed& keyed, const Reservation& reservation, const Handled& handled)
{
    if (settlementOf(handled, m_route) != Settlement::Terminal)
        return transientAnswer(
            handled.response, retryAfterOf(handled, m_parts.clock.now()).value_or(m_route.policy.retryAfter.value));
    const auto reserved = m_parts.store.reserve(reservation);
    if (!reserved)
        return storeDown(m_route);
    if (reserved->outcome != Outcome::Execute)
        return answer(keyed, reservation, *reserved);
    const Claim claim{ reservation.id, reservation.owner, reserved->record->fence };
    return Conclusion(m_route, m_parts, handled).reach(claim, *reserved->record);
}

} // namespace fencepost
