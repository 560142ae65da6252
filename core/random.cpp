// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <cstdlib>

#include <sys/random.h>

namespace fencepost {

std::uint64_t Random::below(std::uint64_t bound)
{
    if (bound == 0)
        return 0;
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    for (;;) {
        const auto value = next();
        if (value < limit)
            return value % bound;
    }
}

std::uint64_t SystemRandom::next()
{
    std::uint64_t value = 0;
    // Without randomness two owners could share an id, which no caller can mend.
    if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
        std::abort();
    return value;
}

std::uint64_t SeededRandom::next()
{
    m_state += 0x9e3779b97f4a7c15ULL;
    auto z = m_state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

} // namespace fencepost
