// SPDX-License-Identifier: Apache-2.0
#include "core/service/known_answers.h"

#include <algorithm>
#include <thread>

#include "core/service/record_answer.h"

namespace fencepost {

std::optional<HttpResponse> KnownAnswers::cached(const Reservation& reservation) const
{
    if (m_parts.cache == nullptr)
        return {};
    const auto now = m_parts.clock.now();
    const auto record = m_parts.cache->find(reservation.id, now);
    // Another request under this key is for the store to judge, and to count.
    const bool same = record && record->fingerprintAlg == reservation.fingerprintAlg
        && record->requestHash == reservation.requestHash;
    if (!same)
        return {};
    if (m_parts.answered)
        m_parts.answered(reservation, { Outcome::Replay, *record, now });
    return replayOf(m_route, *record);
}

// Most duplicates come when all is over: one read tells them, where a reservation would write and wait for a disk. What
// it does not answer, or cannot, is the reservation's to judge.
std::optional<HttpResponse> KnownAnswers::stored(const Reservation& reservation) const
{
    const auto replayed = m_parts.store.replay(reservation);
    if (!replayed || !*replayed)
        return {};
    remember(*(*replayed)->record);
    return replayOf(m_route, *(*replayed)->record);
}

std::optional<HttpResponse> KnownAnswers::awaited(const Reservation& reservation, const Clock& steady, Time until) const
{
    constexpr Duration shortest = std::chrono::milliseconds(10);
    constexpr Duration longest = std::chrono::milliseconds(200);
    const bool ranHere = m_parts.running != nullptr && m_parts.running->isRunning(reservation.id);
    auto pause = shortest;
    // A store that answers slowly takes its part of the patience.
    const auto patience = until - steady.now();
    for (Duration waited{}; waited < patience && steady.now() < until;) {
        pause = std::min(pause, patience - waited);
        waited += pause;
        if (m_parts.sleep)
            m_parts.sleep(pause);
        else
            std::this_thread::sleep_for(pause);
        if (auto answer = stored(reservation))
            return answer;
        if (auto nothing = cameToNothing(reservation, ranHere))
            return nothing;
        pause = std::min(longest, pause * 2);
    }
    return {};
}

// Whoever goes on waiting would learn nothing more.
std::optional<HttpResponse> KnownAnswers::cameToNothing(const Reservation& reservation, bool ranHere) const
{
    const auto found = m_parts.store.find(reservation.id);
    if (!found)
        return {};
    const auto now = m_parts.clock.now();
    const auto& record = *found;
    if (!record) {
        // Rolled back. What runs in another process cannot be seen before it is committed.
        const bool ended = ranHere && !m_parts.running->isRunning(reservation.id);
        return ended ? std::optional(answerOf(m_route, reservation.id, { Outcome::RetryLater, {}, now }))
                     : std::nullopt;
    }
    if (record->requestHash != reservation.requestHash)
        return {};
    if (record->hold)
        return answerOf(m_route, reservation.id, { Outcome::Held, *record, now });
    return record->status == State::FailedRetryable
        ? std::optional(answerOf(m_route, reservation.id, { Outcome::RetryLater, *record, now }))
        : std::nullopt;
}

void KnownAnswers::remember(const Record& record) const
{
    if (m_parts.cache != nullptr)
        m_parts.cache->put(record, m_parts.clock.now());
}

} // namespace fencepost
