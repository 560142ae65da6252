// SPDX-License-Identifier: Apache-2.0
#include "core/service/running_keys.h"

#include <utility>

namespace fencepost {

RunningKeys::Turn::Turn(RunningKeys& keys, Requests::iterator request)
    : m_keys(&keys)
    , m_request(request)
{
}

RunningKeys::Turn::Turn(Turn&& other) noexcept
    : m_keys(std::exchange(other.m_keys, nullptr))
    , m_request(other.m_request)
{
}

RunningKeys::Turn::~Turn()
{
    end();
}

void RunningKeys::Turn::win()
{
    if (m_keys == nullptr)
        return;
    const std::lock_guard lock(m_keys->m_mutex);
    m_request->second.won = true;
}

std::vector<Reservation> RunningKeys::Turn::end()
{
    auto* const keys = std::exchange(m_keys, nullptr);
    if (keys == nullptr)
        return {};
    const std::lock_guard lock(keys->m_mutex);
    auto refused = std::move(m_request->second.refused);
    keys->m_running.erase(m_request);
    return refused;
}

std::optional<RunningKeys::Turn> RunningKeys::begin(const RecordId& id, const TaggedHash& request)
{
    const std::lock_guard lock(m_mutex);
    const auto [running, isNew] = m_running.emplace(id, Running{ request, false, {} });
    if (!isNew)
        return {};
    return Turn(*this, running);
}

std::optional<Outcome> RunningKeys::meet(const Reservation& reservation)
{
    // Whoever sends more than that under one key has been journalled often enough.
    constexpr std::size_t mostRefused = 64;
    const std::lock_guard lock(m_mutex);
    const auto found = m_running.find(reservation.id);
    if (found == m_running.end())
        return {};
    auto& running = found->second;
    if (!running.won || running.request.alg != reservation.fingerprintAlg
        || running.request.hash == reservation.requestHash)
        return Outcome::InFlight;
    if (running.refused.size() < mostRefused)
        running.refused.push_back(reservation);
    return Outcome::Mismatch;
}

bool RunningKeys::isRunning(const RecordId& id)
{
    const std::lock_guard lock(m_mutex);
    return m_running.count(id) > 0;
}

bool RunningKeys::isWaiting(const RecordId& id)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_running.find(id);
    return found != m_running.end() && !found->second.won;
}

} // namespace fencepost
