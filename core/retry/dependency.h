// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "core/retry/breaker.h"
#include "core/retry/budget.h"
#include "core/retry/limiter.h"
#include "core/retry/shedding.h"

namespace fencepost::retry {

struct DependencyOptions {
    FinagleOptions budget;
    std::optional<BreakerOptions> breaker = BreakerOptions{}; // none: nothing keeps attempts away from what is down
    std::optional<LimiterOptions> limiter = LimiterOptions{}; // none: as many at once as are asked for
    std::optional<ThrottleOptions> throttle{}; // none: the breaker alone keeps attempts away
};

// What one attempt was let through with: a place, the breaker's permit, and for a retry what it cost.
struct Admission {
    std::optional<Permit> permit;
    std::optional<Slot> slot;
    std::optional<Charge> charge{};
};

// What is shared by all calls to one dependency, such as a host: the ladder, breaker, limiter, budget and throttle in
// front of each attempt. Safe to use from several threads at once.
class Dependency {
public:
    // The clock and the randomness outlive it; nobody else uses that randomness meanwhile. Without a budget of another
    // kind it has Finagle's.
    Dependency(
        const DependencyOptions& options, const Clock& clock, Random& random, std::unique_ptr<Budget> budget = {});

    // A call, from its first attempt to its end.
    void began();
    void ended();

    // For one attempt. Otherwise the signal that the call goes on with: Shed, BreakerOpen or BudgetEmpty; whatever was
    // taken before the refusal is given back.
    [[nodiscard]] std::variant<Admission, Signal> admit(const Work& work, Cost cost, Duration timeout);
    // The attempt has ended, and this was decided about it.
    void settle(Admission admission, const Decision& decision, Duration took);
    // It was not sent after all.
    void withdraw(Admission admission);

    // What the load allows now: fewer attempts, longer delays.
    [[nodiscard]] int attemptsOf(int attempts);
    [[nodiscard]] int widening();
    // The delay of a queue in front of it, where there is one; it counts beside what is in flight.
    void setQueueLoad(int load);

    // For metrics and operators.
    struct Gauges {
        BreakerState breaker = BreakerState::Closed;
        std::uint64_t breakerChanges = 0; // ever
        std::uint64_t uncounted = 0; // of these, those that countChanges() did not tell of yet
        BreakerChange lastChange;
        std::int64_t budget = 0;
        int limit = 0;
        int inFlight = 0;
        std::size_t rung = 0;
    };
    [[nodiscard]] Gauges gauges();
    // The same, one caller after the other, for whoever counts: each change of the breaker is told of once, however
    // many share this. `count` does not come back here.
    void countChanges(const std::function<void(const Gauges&)>& count);
    void forceOpen(std::string reason);
    void forceClosed(std::string reason);
    void release(std::string reason);

private:
    Gauges gaugesNow();
    void updateLadder();
    void giveBack(Admission admission);
    [[nodiscard]] Signal shed(std::optional<Duration> retryAfter);

    const Clock& m_clock;
    Random& m_random;
    std::mutex m_mutex;
    Shedding m_ladder;
    std::optional<Breaker> m_breaker;
    std::optional<Limiter> m_limiter;
    std::unique_ptr<Budget> m_budget;
    std::optional<Throttle> m_throttle;
    int m_queueLoad = 0;
    std::uint64_t m_counted = 0; // changes of the breaker
};

} // namespace fencepost::retry
