// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/deliveries.h"

#include "core/evidence/log_line.h"

namespace fencepost {

using exchange::InboxResult;
using exchange::InboxRow;

Deliveries::Deliveries(const InboxRow& first)
{
    m_message.id = { std::string(untold), first.source, first.eventId };
    m_message.receivedAt = first.firstSeen;
    m_message.receiveCount = 0;
    add(first);
}

bool Deliveries::takes(const InboxRow& row) const
{
    return m_message.id.eventId == row.eventId && m_message.id.source == row.source;
}

// What was processed once stays so.
void Deliveries::add(const InboxRow& row)
{
    ++m_message.receiveCount;
    if (!row.result) {
        // When it was processed is told, and not what came of it.
        if (row.processed && (m_message.state == InboxState::Received || m_message.state == InboxState::Failed)) {
            m_message.state = InboxState::Processed;
            m_message.processedAt = row.processed;
        }
        return;
    }
    const bool over = m_message.state == InboxState::Processed;
    const auto at = row.processed.value_or(row.firstSeen);
    switch (*row.result) {
    case InboxResult::Ok:
        ++m_message.attempt;
        m_message.state = InboxState::Processed;
        if (!m_message.processedAt)
            m_message.processedAt = row.processed;
        m_message.result = std::string(wordOf(InboxResult::Ok));
        return;
    case InboxResult::Replayed:
        m_message.state = InboxState::Processed;
        if (!m_message.result)
            m_message.result = std::string(wordOf(InboxResult::Replayed));
        return;
    case InboxResult::Failed:
        fail(at);
        if (!over)
            m_message.state = InboxState::Failed;
        return;
    case InboxResult::Dead:
        fail(at);
        ++m_deaths;
        m_diedAt = at;
        if (!over)
            m_message.state = InboxState::Dead;
        return;
    }
}

void Deliveries::fail(Time at)
{
    ++m_message.attempt;
    addAttempt(m_message.attempts, { m_message.attempt, at, {}, std::string(untold), "the file tells no reason" });
}

std::optional<DeadLetter> Deliveries::letter() const
{
    if (m_message.state != InboxState::Dead)
        return {};
    Delivery delivery;
    delivery.id = m_message.id;
    auto letter = deadLetterOf(m_message, delivery, m_diedAt).letter;
    letter.deaths = m_deaths;
    return letter;
}

} // namespace fencepost
