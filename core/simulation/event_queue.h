// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/time.h"

namespace fencepost::simulation {

// What is to happen, the earliest first; of what happens at one instant, what was planned first. A heap with four
// children to a node: half as deep as one with two, and its children lie in one or two lines of the cache.
template <typename What> class EventQueue {
public:
    struct Entry {
        Time at;
        std::uint64_t turn; // of its planning
        What what;
    };

    void plan(Time at, const What& what)
    {
        m_heap.push_back({ at, ++m_turns, what });
        rise(m_heap.size() - 1);
    }
    // What is mostly planned in the order of its time, as limits of one length are: it waits beside the heap, which
    // stays small.
    void planInOrder(Time at, const What& what)
    {
        if (!m_lane.empty() && at < m_lane.back().at)
            plan(at, what);
        else
            m_lane.push_back({ at, ++m_turns, what });
    }
    [[nodiscard]] bool isEmpty() const { return m_heap.empty() && m_lane.empty(); }
    [[nodiscard]] std::size_t size() const { return m_heap.size() + m_lane.size(); }
    // There is one, here and below.
    [[nodiscard]] Time next() const { return isLaneFirst() ? m_lane.front().at : m_heap.front().at; }
    Entry take()
    {
        if (isLaneFirst()) {
            const auto entry = m_lane.front();
            m_lane.pop_front();
            return entry;
        }
        const auto first = m_heap.front();
        const auto last = m_heap.back();
        m_heap.pop_back();
        if (!m_heap.empty())
            sink(last);
        return first;
    }
    // How many were ever planned.
    [[nodiscard]] std::uint64_t planned() const { return m_turns; }

private:
    static constexpr std::size_t children = 4;

    static bool before(const Entry& left, const Entry& right)
    {
        return left.at != right.at ? left.at < right.at : left.turn < right.turn;
    }
    [[nodiscard]] bool isLaneFirst() const
    {
        return !m_lane.empty() && (m_heap.empty() || before(m_lane.front(), m_heap.front()));
    }
    void rise(std::size_t place)
    {
        const auto entry = m_heap[place];
        while (place > 0) {
            const auto parent = (place - 1) / children;
            if (!before(entry, m_heap[parent]))
                break;
            m_heap[place] = m_heap[parent];
            place = parent;
        }
        m_heap[place] = entry;
    }
    void sink(const Entry& entry)
    {
        std::size_t place = 0;
        for (;;) {
            const auto first = place * children + 1;
            if (first >= m_heap.size())
                break;
            auto least = first;
            const auto end = std::min(first + children, m_heap.size());
            for (auto child = first + 1; child < end; ++child)
                if (before(m_heap[child], m_heap[least]))
                    least = child;
            if (!before(m_heap[least], entry))
                break;
            m_heap[place] = m_heap[least];
            place = least;
        }
        m_heap[place] = entry;
    }

    std::vector<Entry> m_heap;
    std::deque<Entry> m_lane;
    std::uint64_t m_turns = 0;
};

} // namespace fencepost::simulation
