// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/random.h"
#include "core/time.h"

namespace fencepost::retry {

// How a delay is spread around its bound L, so that clients that failed together do not come back together.
// U(a, b) is uniform over whole microseconds, both ends included.
enum class Jitter {
    None, // L
    RangeX2, // min(cap, L + U(0, L)): the ranges 100–200, 200–400 … of the playbook
    Full, // U(0, L) (Amazon's Builders' Library)
    Equal, // L/2 + U(0, L/2)
    Decorrelated, // min(cap, U(base, 3 · the delay before)); the first one follows base
    PlusMinus20, // U(0.8 L, 1.2 L) as in gRPC's A6, drawn from its part below the cap
    UpTo10, // L + U(0, L/10): spreads a fixed table without ever coming early
    PollyV2, // the decorrelated formula of Polly v8, drawn again from the upper half of the cap where that cuts it
};

// "none", "range_x2", "full", "equal", "decorrelated", "pm20", "up_to_10", "polly_v2".
[[nodiscard]] std::string_view wordOf(Jitter jitter) noexcept;
[[nodiscard]] Result<Jitter> jitterOf(std::string_view word);

// How L grows with the number n of the retry, which counts from 1.
enum class Growth {
    Exponential, // min(cap, base · factor^(n−1))
    Series, // min(cap, base · (factor^n − 1)): 100, 300, 700
    Steps, // the n-th of a table, its last one for ever
};

// The shape of a policy's delays. Whole microseconds and no floating point: a seed gives the same delays on every
// machine. Neither negative nor over the cap for any n; only UpTo10 goes over its step.
struct Backoff {
    Growth growth = Growth::Exponential;
    Jitter jitter = Jitter::Full;
    Duration base{};
    Duration throttledBase{}; // after an answer that asks to slow down; zero: as base
    std::int64_t factor = 2;
    Duration cap{};
    Duration floor{}; // no delay is shorter, whatever the jitter drew
    std::span<const Duration> steps{}; // Growth::Steps; outlives the backoff
};

// L(n), the bound without jitter.
[[nodiscard]] Duration boundOf(const Backoff& backoff, int retry, bool throttled = false);

// What the jitter can make of L(n).
struct DelayRange {
    Duration least{};
    Duration most{};

    bool operator==(const DelayRange&) const = default;
};
[[nodiscard]] DelayRange rangeOf(const Backoff& backoff, int retry, bool throttled = false);

// The delays of one call, one after the other. Decorrelated jitters look back at the delay before, so every call has
// its own. Not thread-safe.
class Delays {
public:
    // `taken`: delays that were taken before, of which nothing else is known.
    explicit Delays(const Backoff& backoff, int taken = 0)
        : m_backoff(backoff)
        , m_retry(taken)
    {
    }

    // Before the next retry.
    Duration next(Random& random, bool throttled = false);

private:
    [[nodiscard]] Duration draw(Random& random, Duration bound, bool throttled);
    [[nodiscard]] Duration pollyV2(Random& random, Duration base);

    Backoff m_backoff;
    int m_retry = 0;
    Duration m_previous{};
    std::uint64_t m_pollyPrevious = 0;
};

// Uniform in [least, most], both included; least where the range is empty.
[[nodiscard]] Duration drawBetween(Random& random, Duration least, Duration most);

} // namespace fencepost::retry
