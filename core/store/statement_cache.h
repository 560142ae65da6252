// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fencepost::store {

// Prepared statements by their text, the latest used first. Filters make new texts all the time, and more than these
// are not worth the database's memory.
template <typename Prepared> class StatementCache {
public:
    using Release = std::function<void(Prepared&)>;

    explicit StatementCache(Release release = {})
        : m_release(std::move(release))
    {
    }
    ~StatementCache() { clear(); }
    StatementCache(const StatementCache&) = delete;
    StatementCache& operator=(const StatementCache&) = delete;

    // Good until the next add(). Null: it is not kept.
    Prepared* find(std::string_view text)
    {
        const auto found = m_byText.find(text);
        if (found == m_byText.end())
            return nullptr;
        m_entries.splice(m_entries.begin(), m_entries, found->second);
        return &m_entries.front().second;
    }

    Prepared& add(const std::string& text, Prepared prepared)
    {
        if (m_entries.size() >= kept)
            remove(std::prev(m_entries.end()));
        m_entries.emplace_front(text, std::move(prepared));
        m_byText.emplace(m_entries.front().first, m_entries.begin());
        return m_entries.front().second;
    }

    void erase(std::string_view text)
    {
        if (const auto found = m_byText.find(text); found != m_byText.end())
            remove(found->second);
    }

    void clear()
    {
        while (!m_entries.empty())
            remove(m_entries.begin());
    }

private:
    using Entries = std::list<std::pair<std::string, Prepared>>;

    // A page's text has tens of thousands of octets, and what tells two of them apart stands at their ends, mostly.
    struct EndHash {
        std::size_t operator()(std::string_view text) const noexcept
        {
            constexpr std::size_t hashed = 512;
            const auto end = text.substr(text.size() - std::min(text.size(), hashed));
            return std::hash<std::string_view>()(end) + text.size();
        }
    };

    void remove(typename Entries::iterator entry)
    {
        if (m_release)
            m_release(entry->second);
        m_byText.erase(entry->first);
        m_entries.erase(entry);
    }

    static constexpr std::size_t kept = 200;
    Release m_release;
    Entries m_entries;
    std::unordered_map<std::string_view, typename Entries::iterator, EndHash> m_byText;
};

} // namespace fencepost::store
