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

std::optional<HttpResponse> KnownAnswers::awaited(const Reservation& reservation, Duration patience) const
{
    constexpr Duration shortest = std::chrono::milliseconds(10);
    constexpr Duration longest = std::chrono::milliseconds(200);
    auto pause = shortest;
    for (Duration waited{}; waited < patience; waited += pause, pause = std::min(longest, pause * 2)) {
        pause = std::min(pause, patience - waited);
        if (m_parts.sleep)
            m_parts.sleep(pause);
        else
            std::this_thread::sleep_for(pause);
        if (auto answer = stored(reservation))
            return answer;
    }
    return {};
}

void KnownAnswers::remember(const Record& record) const
{
    if (m_parts.cache != nullptr)
        m_parts.cache->put(record, m_parts.clock.now());
}

} // namespace fencepost
