// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/random.h"
#include "core/retry/rolling_counts.h"
#include "core/time.h"

namespace fencepost::retry {

// Whose work is kept longest comes first.
enum class Priority { CriticalPlus, Critical, SheddablePlus, Sheddable };

[[nodiscard]] std::string_view wordOf(Priority priority) noexcept; // "critical_plus", "critical", …

// What asks to be let through.
struct Work {
    Priority priority = Priority::Critical;
    bool retry = false;
    bool background = false; // nobody waits for it; its retries count as sheddable
};

// One step of the ladder: from which load on, in thousandths, and what it does besides the steps below it.
struct Rung {
    int enter;
    std::optional<Priority> refuses; // this priority and everything below it
    std::optional<Priority> refusesRetries; // the retries of this priority and of everything below it
    bool refusesBackgroundRetries;
    bool halves; // attempts halved, delays doubled
    std::string_view reason;
};

[[nodiscard]] std::span<const Rung> ladder() noexcept;

// A refusal: 503 with Retry-After, spread so that those who were refused together do not come back together.
struct Refusal {
    std::string_view reason;
    Duration retryAfter{}; // 1 to 5 s
};

// Sheds load in steps, the least important first (protocol §3.8, [L-1]). It steps up at once, and down when the load is
// a tenth below the step, so that it does not flutter. Not thread-safe: Dependency guards it.
class Shedding {
public:
    // The load as it is now, in thousandths.
    void update(int load);

    [[nodiscard]] std::optional<Refusal> refusalOf(const Work& work, Random& random) const;
    [[nodiscard]] int attemptsOf(int attempts) const; // never under 1
    [[nodiscard]] int widening() const; // factor of every delay
    [[nodiscard]] std::size_t rung() const { return m_rung; } // 0: none; n: the n-th of the ladder

private:
    std::size_t m_rung = 0;
};

struct ThrottleOptions {
    int factor = 2; // K: requests per accepted one that are let through
    Duration window = std::chrono::seconds(120);
    int mostPercent = 90; // some always pass, to find out
};

// The client's own refusal when a server accepts too little (adaptive throttling of Google's SRE book): with the chance
// max(0, (requests − K · accepted) / (requests + 1)). A request counts when it is sent or refused, not when it comes
// back. Not thread-safe: Dependency guards it.
class Throttle {
public:
    explicit Throttle(const ThrottleOptions& options);

    [[nodiscard]] bool admit(Time now, Random& random);
    void accepted(Time now); // the server took it, whatever it answered
    // The chance of the next refusal, in thousandths.
    [[nodiscard]] int refusals(Time now);

private:
    ThrottleOptions m_options;
    RollingCounts<2> m_counts;
};

} // namespace fencepost::retry
