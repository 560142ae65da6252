// SPDX-License-Identifier: Apache-2.0
#include "core/service/running_keys.h"

#include <utility>

namespace fencepost {

RunningKeys::Turn::Turn(RunningKeys& keys, std::set<RecordId>::iterator key)
    : m_keys(&keys)
    , m_key(key)
{
}

RunningKeys::Turn::Turn(Turn&& other) noexcept
    : m_keys(std::exchange(other.m_keys, nullptr))
    , m_key(other.m_key)
{
}

RunningKeys::Turn::~Turn()
{
    if (m_keys == nullptr)
        return;
    const std::lock_guard lock(m_keys->m_mutex);
    m_keys->m_running.erase(m_key);
}

std::optional<RunningKeys::Turn> RunningKeys::begin(const RecordId& id)
{
    const std::lock_guard lock(m_mutex);
    const auto [key, isNew] = m_running.insert(id);
    if (!isNew)
        return {};
    return Turn(*this, key);
}

} // namespace fencepost
