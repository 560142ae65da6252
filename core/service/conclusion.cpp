// SPDX-License-Identifier: Apache-2.0
#include "core/service/conclusion.h"

#include <algorithm>

#include "core/service/insistence.h"
#include "core/service/known_answers.h"
#include "core/service/problem.h"
#include "core/service/record_answer.h"

namespace fencepost {

namespace {

// A failure that will be told again and again: repeating it is of no use.
HttpResponse finalAnswer(const HttpResponse& response, const Record& record)
{
    auto answer = firstAnswer(response, record);
    answer.headers.emplace_back("Idempotency-Should-Retry", "false");
    return answer;
}

} // namespace

Conclusion::Conclusion(const RouteContract& route, const ServiceParts& parts, const Handled& handled)
    : m_route(route)
    , m_parts(parts)
    , m_handled(handled)
    , m_settlement(settlementOf(handled, route))
    , m_delay(retryAfterOf(handled, parts.clock.now()).value_or(Duration(0)))
{
}

HttpResponse Conclusion::reach(const Claim& claim, const Record& begun)
{
    const bool spent = begun.maxAttempts > 0 && begun.attempt >= begun.maxAttempts;
    // Told that it failed, the caller would do it under another key, beside the effect that may be there.
    m_heldAsSpent = m_settlement == Settlement::Transient && spent && isInDoubt(m_handled, m_route, begun.attempt);
    if (m_heldAsSpent)
        m_settlement = Settlement::Unknown;
    const auto applied = insistently([&] { return write(claim); });
    // What happened is not told before it is kept: the same key will be told the outcome.
    if (!applied)
        return storeDown(m_route);
    const auto& record = applied->record;
    const bool own = record && record->owner == claim.owner && record->fence == claim.fence;
    const bool finished = own && isTerminal(record->status);
    if (applied->outcome != Outcome::Applied && !finished)
        return fencedAnswer(m_route, begun.requestHash, record, applied->now);
    if (finished && m_settlement != Settlement::Unknown)
        KnownAnswers(m_route, m_parts).remember(*record);
    return answer(claim.id, *applied, finished);
}

Result<Applied> Conclusion::write(const Claim& claim) const
{
    switch (m_settlement) {
    case Settlement::Done:
        return m_parts.store.finalize(claim, completionOf(m_route, m_handled));
    case Settlement::Terminal:
        return m_parts.store.fail(claim, { .completion = completionOf(m_route, m_handled) });
    case Settlement::Transient:
        return m_parts.store.fail(
            claim, { .retryable = true, .retryAfter = m_delay, .completion = completionOf(m_route, m_handled) });
    case Settlement::Unknown:
        break;
    }
    return m_parts.store.hold(claim, m_heldAsSpent ? "attempts_exhausted" : "outcome_unknown");
}

HttpResponse Conclusion::answer(const RecordId& id, const Applied& applied, bool finished) const
{
    const auto& response = m_handled.response;
    switch (m_settlement) {
    case Settlement::Done:
    case Settlement::Terminal:
        return firstAnswer(response, *applied.record);
    case Settlement::Transient:
        // The last attempt that was allowed is an answer for ever, and this is the first time that it is told.
        return finished ? finalAnswer(response, *applied.record)
                        : transientAnswer(response, std::max(m_delay, m_route.policy.retryAfter.value));
    case Settlement::Unknown:
        break;
    }
    return answerOf(m_route, id, { Outcome::Held, std::nullopt, applied.now });
}

} // namespace fencepost
