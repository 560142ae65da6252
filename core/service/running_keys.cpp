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
    if (m_keys == nullptr)
        return;
    const std::lock_guard lock(m_keys->m_mutex);
    m_keys->m_running.erase(m_request);
}

std::optional<RunningKeys::Turn> RunningKeys::begin(const RecordId& id, const TaggedHash& request)
{
    const std::lock_guard lock(m_mutex);
    const auto [running, isNew] = m_running.emplace(id, request);
    if (!isNew)
        return {};
    return Turn(*this, running);
}

std::optional<TaggedHash> RunningKeys::find(const RecordId& id)
{
    const std::lock_guard lock(m_mutex);
    const auto running = m_running.find(id);
    return running == m_running.end() ? std::nullopt : std::optional(running->second);
}

} // namespace fencepost
