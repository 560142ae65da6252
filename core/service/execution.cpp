// SPDX-License-Identifier: Apache-2.0
#include "core/service/execution.h"

#include <algorithm>

#include "core/protocol/ascii.h"
#include "core/protocol/outbound_call.h"
#include "core/service/calls_of_request.h"

namespace fencepost {

Execution::Execution(const HttpRequest& request, Time deadline, const Clock& steady, std::optional<Ground> ground)
    : m_request(request)
    , m_deadline(deadline)
    , m_steady(steady)
    , m_renewedAt(steady.now())
{
    if (!ground)
        return;
    m_store = &ground->store;
    m_claim = std::move(ground->claim);
    m_terms = ground->terms;
    m_beat = ground->beat;
    m_startedAt = ground->record.startedAt;
    m_attempt = ground->record.attempt;
    m_correlationId = ground->record.correlationId;
    m_requestHash = ground->record.requestHash;
    m_recoveryPoint = ground->record.recoveryPoint;
    m_recoveryData = ground->record.recoveryData;
    m_fingerprintAlg = ground->record.fingerprintAlg;
    m_running = ground->running;
}

Execution::Commit::Commit(Execution& execution)
    : m_execution(execution)
    , m_turn(!execution.isKeyed() || execution.m_running == nullptr
              ? std::nullopt
              : execution.m_running->begin(
                  execution.m_claim.id, { execution.m_fingerprintAlg, execution.m_requestHash }))
{
    if (m_turn)
        m_turn->win();
}

Execution::Commit::~Commit()
{
    if (m_turn)
        for (auto& refused : m_turn->end())
            m_execution.m_refused.push_back(std::move(refused));
}

Duration Execution::left() const
{
    return std::max(Duration(0), m_deadline - m_steady.now());
}

bool Execution::callerRetries() const
{
    if (lineOf(m_request.headers, "x-retry-owner"))
        return true;
    const auto attempt = withoutBlanks(lineOf(m_request.headers, "idempotency-attempt").value_or("1"));
    return attempt != "1" && attempt.find_first_not_of("0123456789") == std::string_view::npos;
}

bool Execution::isLost() const
{
    return m_beat != nullptr && m_beat->isLost();
}

bool Execution::renewIfDue()
{
    if (isLost())
        return false;
    const bool due = m_steady.now() - m_renewedAt >= m_terms.renewEvery;
    return !isKeyed() || m_beat != nullptr || !due || renew(m_terms.lease);
}

Result<KeyLives> Execution::lives() const
{
    return isKeyed() ? m_store->livesOf(m_claim.id) : Result<KeyLives>(KeyLives());
}

Result<std::vector<OutboundCall>> Execution::calls(OutboundLedger& ledger) const
{
    if (!isKeyed())
        return std::vector<OutboundCall>();
    const auto now = m_store->now();
    if (!now)
        return now.error();
    Record record;
    record.id = m_claim.id;
    record.requestHash = m_requestHash;
    record.startedAt = m_startedAt;
    record.attempt = m_attempt;
    return callsOf(ledger, record, *now);
}

std::string Execution::effectId(std::string_view step) const
{
    return toHex(effectKey(step));
}

Bytes Execution::effectKey(std::string_view step) const
{
    return fencepost::effectKey(m_claim.id, m_requestHash, step);
}

bool Execution::renew(Duration lease)
{
    if (!isKeyed())
        return true;
    const auto now = m_steady.now();
    const auto renewed = m_store->renew(m_claim, lease);
    const bool applied = renewed && renewed->outcome == Outcome::Applied;
    m_renewedAt = applied ? now : m_renewedAt;
    return applied;
}

bool Execution::advance(const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    if (!isKeyed())
        return true;
    const auto advanced = m_store->advance(m_claim, recoveryPoint, data);
    if (!advanced || advanced->outcome != Outcome::Applied)
        return false;
    m_recoveryPoint = recoveryPoint;
    m_recoveryData = data;
    return true;
}

} // namespace fencepost
