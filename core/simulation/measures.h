// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"

namespace fencepost::simulation {

enum class Measure : std::uint8_t {
    Requests,
    Calls,
    Attempts,
    Retries,
    Amplification,
    Succeeded,
    Refused,
    Unknown,
    SuccessRate,
    LatencyP50,
    LatencyP95,
    LatencyP99,
    LatencyMost,
    DelayP50,
    DelayP95,
    DuplicateEffects,
    DoubledRequests,
    LostEffects,
    ForeignAnswers,
    Replays,
    Conflicts,
    InFlightAnswers,
    Takeovers,
    Fenced,
    Held,
    Stuck,
    Expired,
    Crashes,
    Overload,
    Timeouts,
    Wasted,
    BreakerOpened,
    BreakerRefusals,
    BudgetRefusals,
    ShedHere,
    ShedCritical,
    Peak100ms,
    Herd,
    OutageRetryShare,
    EventsWritten,
    EventsSent,
    EventsHandled,
    DoubledEvents,
    LateEvents,
    DeadLetters,
    Redriven,
    DeadAgain,
    Undelivered,
    LagMost,
    PeakHandling,
    Violations,
    Steps,
};

inline constexpr std::size_t measureCount = static_cast<std::size_t>(Measure::Steps) + 1;

enum class MeasureUnit {
    Count,
    Length, // microseconds
    Share, // parts of a million
    Factor, // thousandths
};

struct MeasureKind {
    std::string_view name; // "duplicate_effects"
    MeasureUnit unit = MeasureUnit::Count;
    std::string_view meaning;
};

// In the order of Measure.
[[nodiscard]] std::span<const MeasureKind> measureKinds() noexcept;
[[nodiscard]] const MeasureKind* findMeasure(std::string_view name) noexcept;
[[nodiscard]] Measure measureOf(const MeasureKind& kind) noexcept;
// Whether nothing is a finding as well, so that a table has its row also where it is 0 in every world.
[[nodiscard]] bool saysSomethingByZero(Measure measure) noexcept;
// As people read it: 3, 12.5%, 1.20, 350ms.
[[nodiscard]] std::string shownMeasure(MeasureUnit unit, std::int64_t value);

// How often which length occurred, within a sixty-fourth of it, in memory that does not grow.
class Lengths {
public:
    void add(Duration length);
    [[nodiscard]] std::int64_t count() const { return m_count; }
    // The least length that so many thousandths of all are not longer than; zero where there is none.
    [[nodiscard]] Duration percentile(int thousandths) const;
    [[nodiscard]] Duration most() const { return m_most; }
    // Upper edges and counts of the steps that are not empty, in doubling steps.
    [[nodiscard]] std::vector<std::pair<Duration, std::int64_t>> steps() const;

    bool operator==(const Lengths&) const = default;

private:
    static constexpr unsigned fineBits = 6;
    static constexpr std::size_t fine = std::size_t(1) << fineBits;

    static std::size_t placeOf(std::uint64_t micros)
    {
        if (micros < fine)
            return static_cast<std::size_t>(micros);
        const auto width = static_cast<unsigned>(std::bit_width(micros));
        const auto shift = width - fineBits - 1;
        return (shift + 1) * fine + static_cast<std::size_t>(micros >> shift) - fine;
    }
    static std::uint64_t upperEdge(std::size_t place);

    std::vector<std::int64_t> m_counts;
    std::int64_t m_count = 0;
    Duration m_most{};
};

// One step of the time axis.
struct SeriesStep {
    std::int64_t offered = 0; // first attempts
    std::int64_t retried = 0;
    std::int64_t answered = 0; // attempts that came back well
    std::int64_t failed = 0; // that did not
    std::int64_t done = 0; // calls that ended well
    std::int64_t capacity = 0; // handlings that all nodes can finish in the step
    std::int64_t queue = 0; // the most that waited
    std::int64_t busy = 0; // the most that were handled at once
    std::int64_t openBreakers = 0; // the most
    std::int64_t budget = 0; // retries that were left, at the end of the step
    std::int64_t lag = 0; // microseconds: age of the oldest event that is not sent
    std::int64_t deadLetters = 0; // at the end of the step

    bool operator==(const SeriesStep&) const = default;
};

// The time axis in steps of one width, which doubles where a run takes longer than was thought: never more than a few
// hundred of them.
class Series {
public:
    explicit Series(Duration expected);

    [[nodiscard]] SeriesStep& at(Duration when)
    {
        if (when < m_begins || when >= m_begins + m_width || m_steps.empty())
            goTo(when);
        return m_steps[m_place];
    }
    [[nodiscard]] Duration width() const { return m_width; }
    [[nodiscard]] const std::vector<SeriesStep>& steps() const { return m_steps; }

private:
    void goTo(Duration when);
    void widen();

    Duration m_width;
    Duration m_begins{}; // of the step that was asked for last
    std::size_t m_place = 0;
    std::vector<SeriesStep> m_steps;
};

} // namespace fencepost::simulation
