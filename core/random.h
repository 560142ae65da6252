// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fencepost {

// Where randomness comes from; injected, so that a run can be repeated. Not thread-safe.
class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t next() = 0;

    // Uniform in [0, bound); 0 for bound 0. Rejection sampling, so there is no modulo bias.
    std::uint64_t below(std::uint64_t bound);
};

// The operating system's generator.
class SystemRandom final : public Random {
public:
    std::uint64_t next() override;
};

// SplitMix64 (Steele, Lea and Flood, 2014): the same seed gives the same numbers on every machine.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed)
        : m_state(seed)
    {
    }
    std::uint64_t next() override;

private:
    std::uint64_t m_state;
};

} // namespace fencepost
