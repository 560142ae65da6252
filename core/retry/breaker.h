// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/retry/decision.h"
#include "core/retry/rolling_counts.h"

namespace fencepost::retry {

struct BreakerOptions {
    Duration window = std::chrono::seconds(30);
    int buckets = 10;
    int minimum = 20; // attempts within the window before they say anything
    int failurePercent = 50;
    int slowPercent = 80;
    Duration slowAfter = std::chrono::seconds(5); // an attempt that took longer is slow
    Duration openFor = std::chrono::seconds(5); // doubled each time that the probes fail
    Duration openMost = std::chrono::seconds(60);
    int probes = 3; // that have to succeed before it closes
    Duration probeLease = std::chrono::seconds(4); // the timeout of an attempt and a second
};

enum class BreakerState {
    Closed, // everything passes and is counted
    Open, // nothing passes
    HalfOpen, // probes pass
    ForcedOpen, // by an operator, until released
    ForcedClosed,
};

[[nodiscard]] std::string_view wordOf(BreakerState state) noexcept; // "closed", "open", "half_open", "forced_open" …

// What one attempt was let through with. Settled once: it can be moved, not copied.
class Permit {
public:
    Permit(Permit&&) noexcept = default;
    Permit& operator=(Permit&&) noexcept = default;
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() = default;

    [[nodiscard]] bool isProbe() const { return m_probe.has_value(); }

private:
    friend class Breaker;
    Permit(std::uint64_t generation, std::optional<std::uint64_t> probe)
        : m_generation(generation)
        , m_probe(probe)
    {
    }

    std::uint64_t m_generation;
    std::optional<std::uint64_t> m_probe;
};

// The last change of state, for logs and operators.
struct BreakerChange {
    BreakerState from = BreakerState::Closed;
    BreakerState to = BreakerState::Closed;
    Time at{};
    std::string reason;
};

// Keeps attempts away from a dependency that is known to be unhealthy. It counts attempts, not calls, so it stands
// inside the retries. A probe is a lease: it comes back with its result, without one, or when its time is over; what
// comes back later, or from an earlier state, changes nothing. Not thread-safe: Dependency guards it.
class Breaker {
public:
    Breaker(const BreakerOptions& options, const Clock& clock, Random& random);

    // For one attempt. None: refused.
    [[nodiscard]] std::optional<Permit> admit();
    // Neutral: it says nothing, and a probe is free again.
    void settle(Permit permit, Health health, Duration took);

    [[nodiscard]] BreakerState state() const;
    // How long until an attempt may pass; zero: now. None: nobody knows, an operator opened it.
    [[nodiscard]] std::optional<Duration> retryAfter() const;
    // Rises with every change of state, so it counts them, too.
    [[nodiscard]] std::uint64_t generation() const { return m_generation; }
    [[nodiscard]] const BreakerChange& lastChange() const { return m_change; }

    // The operator's. Released from open it asks the probes first, from closed it starts to count anew.
    void forceOpen(std::string reason);
    void forceClosed(std::string reason);
    void release(std::string reason);

private:
    struct Probe {
        std::uint64_t id;
        Time expires;
    };

    void change(BreakerState to, std::string reason);
    void open(std::string reason);
    void settleProbe(std::uint64_t id, Health health, bool slow);
    void count(Health health, bool slow);
    void dropExpired();

    BreakerOptions m_options;
    const Clock& m_clock;
    Random& m_random;
    RollingCounts<3> m_counts;
    BreakerState m_state = BreakerState::Closed;
    std::uint64_t m_generation = 0;
    BreakerChange m_change;
    Time m_openUntil{};
    Duration m_openNext; // without jitter
    std::vector<Probe> m_probes;
    std::uint64_t m_lastProbe = 0;
    int m_probesPassed = 0;
};

} // namespace fencepost::retry
