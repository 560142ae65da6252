// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/selection.h"

#include <algorithm>

namespace fencepost::models {

bool Selection::empty() const
{
    return !m_asOf && size().value == 0;
}

bool Selection::inRanges(std::int64_t position) const
{
    const auto range = std::lower_bound(m_ranges.begin(), m_ranges.end(), position,
        [](const SelectedRange& candidate, std::int64_t wanted) { return candidate.last < wanted; });
    return range != m_ranges.end() && range->first <= position;
}

bool Selection::contains(std::int64_t position, const Identity& identity) const
{
    if (!m_asOf && !inRanges(position))
        return false;
    return m_exceptions.empty() || !m_exceptions.contains(identity);
}

Count Selection::size() const
{
    const auto without = static_cast<std::int64_t>(m_exceptions.size());
    if (m_asOf)
        return { .value = std::max<std::int64_t>(0, m_matching.value - without), .exactness = m_matching.exactness };
    std::int64_t selected = 0;
    for (const auto& range : m_ranges)
        selected += range.last - range.first + 1;
    return { .value = selected - without };
}

void Selection::clear()
{
    *this = Selection();
}

void Selection::selectEverything(Time asOf, Count matching)
{
    clear();
    m_asOf = asOf;
    m_matching = matching;
}

void Selection::add(const SelectedRange& range)
{
    std::erase_if(m_exceptions,
        [&](const auto& exception) { return exception.second >= range.first && exception.second <= range.last; });
    if (m_asOf)
        return;
    auto merged = range;
    std::vector<SelectedRange> kept;
    for (const auto& other : m_ranges) {
        if (other.last + 1 < merged.first || other.first > merged.last + 1) {
            kept.push_back(other);
            continue;
        }
        if (other.first < merged.first) {
            merged.first = other.first;
            merged.firstCursor = other.firstCursor;
        }
        if (other.last > merged.last) {
            merged.last = other.last;
            merged.lastCursor = other.lastCursor;
        }
    }
    const auto place = std::lower_bound(kept.begin(), kept.end(), merged.first,
        [](const SelectedRange& candidate, std::int64_t first) { return candidate.first < first; });
    kept.insert(place, merged);
    m_ranges = std::move(kept);
}

void Selection::toggle(std::int64_t position, const Cursor& cursor, const Identity& identity)
{
    if (contains(position, identity)) {
        const auto single = std::find_if(m_ranges.begin(), m_ranges.end(),
            [&](const SelectedRange& range) { return range.first == position && range.last == position; });
        if (!m_asOf && single != m_ranges.end())
            m_ranges.erase(single);
        else
            m_exceptions.emplace(identity, position);
        return;
    }
    if (m_exceptions.erase(identity) == 0)
        add({ .first = position, .last = position, .firstCursor = cursor, .lastCursor = cursor });
}

void Selection::shift(std::int64_t by)
{
    for (auto& range : m_ranges) {
        range.first += by;
        range.last += by;
    }
    for (auto& [identity, position] : m_exceptions)
        position += by;
}

} // namespace fencepost::models
