// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/measures.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace fencepost::simulation {

namespace {

using Unit = MeasureUnit;

constexpr std::array<MeasureKind, measureCount> kinds = { {
    { "requests", Unit::Count, "what users wanted to have done, each once" },
    { "calls", Unit::Count, "calls that clients made for them: first clicks, second clicks and returns" },
    { "attempts", Unit::Count, "requests that were sent" },
    { "retries", Unit::Count, "attempts behind the first of a call" },
    { "amplification", Unit::Factor, "attempts for each call that was begun" },
    { "succeeded", Unit::Count, "calls that ended well" },
    { "refused", Unit::Count, "calls that ended with no effect in doubt" },
    { "unknown", Unit::Count, "calls whose client cannot know whether it happened" },
    { "success_rate", Unit::Share,
        "calls that ended well, of all that were begun: what a breaker or a budget ends early counts as not well, so "
        "while a dependency is down it is low whoever protects it" },
    { "latency_p50", Unit::Length, "of a call that ended well, its retries included" },
    { "latency_p95", Unit::Length, "the same, of all but the slowest twentieth" },
    { "latency_p99", Unit::Length, "the same, of all but the slowest hundredth" },
    { "latency_most", Unit::Length, "the slowest call that ended well" },
    { "delay_p50", Unit::Length, "that clients waited before a retry" },
    { "delay_p95", Unit::Length, "the same, of all but the longest twentieth" },
    { "duplicate_effects", Unit::Count, "effects beyond the first of a request: the number that must be zero" },
    { "doubled_requests", Unit::Count, "requests whose effect happened more than once" },
    { "lost_effects", Unit::Count, "requests whose client was told of a success that never happened" },
    { "foreign_answers", Unit::Count, "answers that belong to somebody else's request" },
    { "replays", Unit::Count, "attempts that got the stored answer" },
    { "conflicts", Unit::Count, "attempts whose key belongs to another payload" },
    { "in_flight_answers", Unit::Count, "attempts that found their request being handled" },
    { "takeovers", Unit::Count, "records that were run again after a lease or a failure" },
    { "fenced", Unit::Count, "owners whose outcome came too late to be written" },
    { "held", Unit::Count, "requests that wait for a person to say whether they happened" },
    { "stuck", Unit::Count, "requests left in progress with nobody at work" },
    { "expired", Unit::Count, "requests executed anew because their record was over" },
    { "crashes", Unit::Count, "processes that died" },
    { "overload", Unit::Count, "attempts that a full queue refused" },
    { "timeouts", Unit::Count, "attempts whose answer was not waited for any longer" },
    { "wasted", Unit::Count, "handlings whose client had gone" },
    { "breaker_opened", Unit::Count, "times that a breaker opened" },
    { "breaker_refusals", Unit::Count, "calls that an open breaker stopped" },
    { "budget_refusals", Unit::Count, "calls that an empty budget stopped" },
    { "shed", Unit::Count, "calls that the client's own limits stopped" },
    { "shed_critical", Unit::Count, "of these, the critical ones and those above them" },
    { "peak_100ms", Unit::Count, "most attempts in a tenth of a second" },
    { "herd", Unit::Factor,
        "most attempts in a tenth of a second against their mean, in the 10 s behind the last fault and the breakers "
        "that "
        "it opened" },
    { "outage_retry_share", Unit::Share, "retries for each first attempt while a fault lasted" },
    { "events_written", Unit::Count, "events in the outbox" },
    { "events_sent", Unit::Count, "deliveries, with those that were repeated" },
    { "events_handled", Unit::Count, "events whose effect happened" },
    { "doubled_events", Unit::Count, "effects of events beyond the first: the number that must be zero" },
    { "late_events", Unit::Count, "events handled behind a later one of their key" },
    { "dead_letters", Unit::Count, "events that were given up" },
    { "redriven", Unit::Count, "dead letters that were sent again" },
    { "dead_again", Unit::Count, "of these, what died once more" },
    { "undelivered", Unit::Count, "events that are still in the outbox at the end" },
    { "lag_most", Unit::Length, "the oldest that an event in the outbox became" },
    { "peak_handling", Unit::Count, "most deliveries in a tenth of a second at the consumer" },
    { "violations", Unit::Count, "invariants that did not hold" },
    { "steps", Unit::Count, "events that were simulated" },
} };

constexpr Duration shortestStep = std::chrono::milliseconds(100);
constexpr std::size_t usualSteps = 300;
constexpr std::size_t mostSteps = 2 * usualSteps;

} // namespace

std::span<const MeasureKind> measureKinds() noexcept
{
    return kinds;
}

const MeasureKind* findMeasure(std::string_view name) noexcept
{
    const auto* found =
        std::find_if(kinds.begin(), kinds.end(), [&](const MeasureKind& kind) { return kind.name == name; });
    return found == kinds.end() ? nullptr : found;
}

Measure measureOf(const MeasureKind& kind) noexcept
{
    return static_cast<Measure>(&kind - kinds.data());
}

namespace {

// To the microsecond below a second, to the millisecond above.
std::string shownLength(std::int64_t micros)
{
    constexpr std::int64_t thousand = 1'000;
    constexpr std::int64_t minute = 60;
    const auto withFraction = [](std::int64_t whole, std::int64_t thousandths) {
        auto text = std::to_string(whole);
        if (thousandths == 0)
            return text;
        text += "." + std::to_string(thousand + thousandths).substr(1);
        while (text.back() == '0')
            text.pop_back();
        return text;
    };
    if (micros < thousand * thousand)
        return withFraction(micros / thousand, micros % thousand) + "ms";
    const auto seconds = micros / thousand / thousand;
    const auto text = withFraction(seconds % minute, micros / thousand % thousand) + "s";
    if (seconds < minute)
        return text;
    const auto minutes = std::to_string(seconds / minute % minute) + "m" + text;
    return seconds < minute * minute ? minutes : std::to_string(seconds / minute / minute) + "h" + minutes;
}

} // namespace

bool saysSomethingByZero(Measure measure) noexcept
{
    constexpr std::array findings = { Measure::Succeeded, Measure::SuccessRate, Measure::DuplicateEffects,
        Measure::DoubledEvents, Measure::Violations };
    return std::find(findings.begin(), findings.end(), measure) != findings.end();
}

std::string shownMeasure(MeasureUnit unit, std::int64_t value)
{
    constexpr std::int64_t thousand = 1'000;
    constexpr std::int64_t perPercent = 10'000;
    const auto fraction = [](std::int64_t number, std::int64_t scale, std::size_t places) {
        return std::to_string(number / scale) + "."
            + std::to_string(scale + number % scale).substr(1).substr(0, places);
    };
    switch (unit) {
    case Unit::Count:
        return std::to_string(value);
    case Unit::Length:
        return shownLength(value);
    case Unit::Share:
        return fraction(value, perPercent, 2) + "%";
    case Unit::Factor:
        return fraction(value, thousand, 3);
    }
    return {};
}

void Lengths::add(Duration length)
{
    const auto place = placeOf(static_cast<std::uint64_t>(std::max<std::int64_t>(length.count(), 0)));
    if (place >= m_counts.size())
        m_counts.resize(place + 1);
    ++m_counts[place];
    ++m_count;
    m_most = std::max(m_most, length);
}

std::uint64_t Lengths::upperEdge(std::size_t place)
{
    if (place < fine)
        return place;
    const auto shift = static_cast<unsigned>(place / fine - 1);
    const auto mantissa = static_cast<std::uint64_t>(place % fine + fine);
    return ((mantissa + 1) << shift) - 1;
}

Duration Lengths::percentile(int thousandths) const
{
    if (m_count == 0)
        return {};
    constexpr std::int64_t all = 1'000;
    const auto wanted = (m_count * thousandths + all - 1) / all;
    std::int64_t seen = 0;
    for (std::size_t place = 0; place < m_counts.size(); ++place) {
        seen += m_counts[place];
        if (seen >= wanted)
            return std::min(Duration(static_cast<std::int64_t>(upperEdge(place))), m_most);
    }
    return m_most;
}

std::vector<std::pair<Duration, std::int64_t>> Lengths::steps() const
{
    // From a millisecond on: what is finer is noise in a chart.
    std::vector<std::pair<Duration, std::int64_t>> steps;
    Duration edge = std::chrono::milliseconds(1);
    std::int64_t count = 0;
    const auto close = [&] {
        if (count > 0 || !steps.empty())
            steps.emplace_back(edge, count);
        count = 0;
        edge *= 2;
    };
    for (std::size_t place = 0; place < m_counts.size(); ++place) {
        if (m_counts[place] == 0)
            continue;
        while (Duration(static_cast<std::int64_t>(upperEdge(place))) > edge)
            close();
        count += m_counts[place];
    }
    if (count > 0)
        close();
    return steps;
}

Series::Series(Duration expected)
    : m_width(std::max(shortestStep, expected / std::int64_t(usualSteps) / shortestStep * shortestStep))
{
}

void Series::goTo(Duration when)
{
    while (static_cast<std::size_t>(when / m_width) >= mostSteps)
        widen();
    m_place = static_cast<std::size_t>(when / m_width);
    m_begins = m_width * std::int64_t(m_place);
    if (m_place >= m_steps.size())
        m_steps.resize(m_place + 1);
}

void Series::widen()
{
    m_width *= 2;
    std::vector<SeriesStep> half((m_steps.size() + 1) / 2);
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        auto& to = half[i / 2];
        const auto& from = m_steps[i];
        for (const auto member : { &SeriesStep::offered, &SeriesStep::retried, &SeriesStep::answered,
                 &SeriesStep::failed, &SeriesStep::done, &SeriesStep::capacity })
            to.*member += from.*member;
        for (const auto member : { &SeriesStep::queue, &SeriesStep::busy, &SeriesStep::openBreakers, &SeriesStep::lag })
            to.*member = std::max(to.*member, from.*member);
        to.budget = from.budget;
        to.deadLetters = from.deadLetters;
    }
    m_steps = std::move(half);
}

} // namespace fencepost::simulation
