// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/retry/backoff.h"
#include "core/time.h"

namespace fencepost {

// How many spans fell into each of fixed steps, eight to a decade from 1 ms to 10 days: wide enough for a chart, narrow
// enough to see a herd, and the same for every query so that two histograms can be compared.
class SpanHistogram {
public:
    struct Step {
        Duration from;
        Duration until;
        std::int64_t count = 0;

        bool operator==(const Step&) const = default;
    };

    void add(Duration span); // what is negative, because a clock was set, counts as nothing
    [[nodiscard]] std::vector<Step> steps() const; // from the first to the last that is not empty, without gaps
    // And on to the steps that have these two: what was promised is seen beside what was.
    [[nodiscard]] std::vector<Step> steps(Duration least, Duration most) const;
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] Duration least() const { return m_least; } // exact; zero where nothing was added
    [[nodiscard]] Duration most() const { return m_most; }
    // The least of the spans that so large a part of them is no longer than: of 0.5, the median. Exact.
    [[nodiscard]] Duration quantile(double part) const;

private:
    [[nodiscard]] std::vector<Step> stepsBetween(int first, int last, Duration end) const;

    std::map<int, std::int64_t> m_steps;
    std::vector<std::int64_t> m_spans; // in microseconds, in the order in which they came
    std::int64_t m_count = 0;
    Duration m_least{};
    Duration m_most{};
};

struct AttemptCount {
    int attempts = 0;
    std::string state;
    std::int64_t count = 0;

    bool operator==(const AttemptCount&) const = default;
};

// What a policy promises of the delay before an attempt; none: nobody knows the policy.
using Promise = std::function<std::optional<retry::DelayRange>(
    const std::string& scope, const std::string& operation, int attempt)>;

// The delays before the n-th attempt of one operation: from the failure of the attempt before it until it began.
struct AttemptDelays {
    std::string operation; // of messages: where they go to or come from
    int attempt = 2;
    SpanHistogram delays;
    std::optional<retry::DelayRange> promised;
    std::int64_t early = 0; // sooner than promised
    std::int64_t late = 0; // later: the client's budget, an operator, an outage
};

// How many first attempts and how many others began within one stretch.
struct AttemptRate {
    Time from;
    std::int64_t first = 0;
    std::int64_t again = 0;

    bool operator==(const AttemptRate&) const = default;
};

struct ArrivalRate {
    Time from;
    std::int64_t count = 0;

    bool operator==(const ArrivalRate&) const = default;
};

inline constexpr double retryBudget = 0.2; // of first attempts, protocol §3.8

// Of all attempts to the first ones: 1 is no retry at all. 0: nothing began.
[[nodiscard]] double amplificationOf(const std::vector<AttemptRate>& rates);

} // namespace fencepost
