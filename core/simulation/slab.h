// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace fencepost::simulation {

// Things that come and go, each at a place that stays its own for as long as it lives. A place is used again, so who
// remembers one for later remembers the thing's own number as well.
template <typename Thing> class Slab {
public:
    std::uint32_t add()
    {
        ++m_living;
        if (m_free.empty()) {
            if (m_used == m_blocks.size() * blockSize)
                m_blocks.push_back(std::make_unique<std::array<Thing, blockSize>>());
            return m_used++;
        }
        const auto place = m_free.back();
        m_free.pop_back();
        (*this)[place].reuse();
        return place;
    }
    void remove(std::uint32_t place)
    {
        --m_living;
        (*this)[place].end();
        m_free.push_back(place);
    }
    [[nodiscard]] Thing& operator[](std::uint32_t place) { return (*m_blocks[place / blockSize])[place % blockSize]; }
    [[nodiscard]] const Thing& operator[](std::uint32_t place) const
    {
        return (*m_blocks[place / blockSize])[place % blockSize];
    }
    [[nodiscard]] std::size_t living() const { return m_living; }

private:
    static constexpr std::size_t blockSize = 64;

    std::vector<std::unique_ptr<std::array<Thing, blockSize>>> m_blocks;
    std::vector<std::uint32_t> m_free;
    std::uint32_t m_used = 0;
    std::size_t m_living = 0;
};

} // namespace fencepost::simulation
