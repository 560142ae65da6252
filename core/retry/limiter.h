// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.h"
#include "core/retry/decision.h"

namespace fencepost::retry {

struct LimiterOptions {
    int start = 20;
    int least = 4;
    int most = 200;
    int backoffPercent = 90; // of the limit, after a drop
};

// A place among those in flight. Given back once: it can be moved, not copied.
class Slot {
public:
    Slot(Slot&&) noexcept = default;
    Slot& operator=(Slot&&) noexcept = default;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() = default;

private:
    friend class Limiter;
    explicit Slot(std::uint64_t id)
        : m_id(id)
    {
    }

    std::uint64_t m_id;
};

// How many may be in flight at once, found by additive increase and multiplicative decrease (AIMD, as in Netflix's
// concurrency-limits): one more after as many successes as the limit counts while at least half of it is used, a tenth
// less after each drop. Every slot is a lease, so nobody who dies keeps one. Not thread-safe: Dependency guards it.
class Limiter {
public:
    Limiter(const LimiterOptions& options, const Clock& clock);

    // None: all are taken. The lease outlives the attempt's timeout.
    [[nodiscard]] std::optional<Slot> acquire(Duration lease);
    // A slot whose lease is over was given to nobody else by name, but counts for nothing.
    void release(Slot slot, Load load);

    [[nodiscard]] int limit() const { return m_limit; }
    [[nodiscard]] int inFlight();
    // In thousandths of the limit: 1000 when all are taken.
    [[nodiscard]] int load();

private:
    struct Lease {
        std::uint64_t id;
        Time expires;
    };

    void dropExpired();
    void succeed(int inFlightBefore);

    LimiterOptions m_options;
    const Clock& m_clock;
    std::vector<Lease> m_leases; // by id
    Time m_firstExpiry = Time::max(); // no lease is over before
    std::uint64_t m_lastId = 0;
    int m_limit;
    int m_successes = 0;
};

// The load of a queue instead, in thousandths: how long the oldest waits, of what it may.
[[nodiscard]] int loadOfQueue(Duration delay, Duration target);

} // namespace fencepost::retry
