// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace fencepost::simulation {

// Things that come and go, each at a place that stays its own for as long as it lives. A place is used again, so who
// remembers one for later remembers the thing's own number as well.
template <typename Thing> class Slab {
public:
    template <typename... Arguments> std::uint32_t add(Arguments&&... arguments)
    {
        ++m_living;
        if (m_free.empty()) {
            m_things.emplace_back(std::forward<Arguments>(arguments)...);
            return static_cast<std::uint32_t>(m_things.size() - 1);
        }
        const auto place = m_free.back();
        m_free.pop_back();
        m_things[place].reuse(std::forward<Arguments>(arguments)...);
        return place;
    }
    void remove(std::uint32_t place)
    {
        --m_living;
        m_things[place].end();
        m_free.push_back(place);
    }
    [[nodiscard]] Thing& operator[](std::uint32_t place) { return m_things[place]; }
    [[nodiscard]] const Thing& operator[](std::uint32_t place) const { return m_things[place]; }
    [[nodiscard]] std::size_t living() const { return m_living; }
    [[nodiscard]] std::size_t places() const { return m_things.size(); }

private:
    std::deque<Thing> m_things;
    std::vector<std::uint32_t> m_free;
    std::size_t m_living = 0;
};

} // namespace fencepost::simulation
