// SPDX-License-Identifier: Apache-2.0
#include "core/service/terminal_cache.h"

namespace fencepost {

namespace {

std::size_t octetsOf(const Record& record)
{
    return record.response.body ? record.response.body->size() : 0;
}

} // namespace

TerminalCache::TerminalCache(Limits limits)
    : m_limits(limits)
{
}

TerminalCache::TerminalCache()
    : TerminalCache(Limits{})
{
}

void TerminalCache::put(const Record& record, Time now)
{
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_byId.find(record.id); found != m_byId.end())
        remove(found);
    const bool lasting = isTerminal(record.status) && !record.hold && !isExpired(record, now) && !record.tombstoneUntil;
    if (!lasting || m_limits.records == 0 || octetsOf(record) > m_limits.octets)
        return;
    while (m_entries.size() >= m_limits.records || m_octets + octetsOf(record) > m_limits.octets)
        remove(m_byId.find(m_entries.back().record.id));
    m_entries.push_front({ record, now });
    m_byId.emplace(record.id, m_entries.begin());
    m_octets += octetsOf(record);
}

std::optional<Record> TerminalCache::find(const RecordId& id, Time now)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_byId.find(id);
    if (found == m_byId.end())
        return {};
    const auto entry = found->second;
    // A clock that stepped back says nothing about the age.
    if (isExpired(entry->record, now) || now < entry->since || now - entry->since >= m_limits.longestAge) {
        remove(found);
        return {};
    }
    m_entries.splice(m_entries.begin(), m_entries, entry);
    return entry->record;
}

void TerminalCache::forget(const RecordId& id)
{
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_byId.find(id); found != m_byId.end())
        remove(found);
}

std::size_t TerminalCache::size() const
{
    const std::lock_guard lock(m_mutex);
    return m_entries.size();
}

void TerminalCache::remove(ById::iterator found)
{
    m_octets -= octetsOf(found->second->record);
    m_entries.erase(found->second);
    m_byId.erase(found);
}

} // namespace fencepost
