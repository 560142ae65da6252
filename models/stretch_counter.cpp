// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stretch_counter.h"

#include <algorithm>
#include <cmath>

#include "models/arrivals.h"

namespace fencepost::models {

namespace {

constexpr int slices = 8;
constexpr Duration sliceBudget = std::chrono::milliseconds(25);
constexpr Duration shortestSlice = std::chrono::milliseconds(1);
constexpr int narrower = 4; // how much a slice shrinks that took too long
constexpr double goldenRatio = 0.618033988749894848;

void add(Counts& all, const Counts& some)
{
    for (const auto& [state, count] : some.byState)
        all.byState[state].value += count.value;
    all.total.value += some.total.value;
    all.stuck.value += some.stuck.value;
    all.expiringSoon.value += some.expiringSoon.value;
    if (some.oldestLease)
        all.oldestLease = std::min(*some.oldestLease, all.oldestLease.value_or(*some.oldestLease));
    all.now = some.now;
    all.cost.sql = some.cost.sql;
    all.cost.rows += some.cost.rows;
    all.cost.time += some.cost.time;
}

void scale(Counts& counts, double factor, Exactness exactness)
{
    const auto scaled = [factor, exactness](Count& count) {
        count = { std::llround(static_cast<double>(count.value) * factor), exactness };
    };
    for (auto& [state, count] : counts.byState)
        scaled(count);
    for (auto* count : { &counts.total, &counts.stuck, &counts.expiringSoon })
        scaled(*count);
}

} // namespace

StretchCounter::StretchCounter(
    Inspector& inspector, const Binding& binding, FilterPtr filter, Duration budget, std::optional<Duration> countable)
    : m_inspector(inspector)
    , m_binding(binding)
    , m_filter(std::move(filter))
    , m_budget(budget)
    , m_countable(countable)
{
}

Result<std::optional<Counts>> StretchCounter::count(Time from, Time until)
{
    const auto started = std::chrono::steady_clock::now();
    auto counts = !m_countable || *m_countable >= until - from ? exactly(from, until)
                                                               : Result<std::optional<Counts>>(std::nullopt);
    if (counts && !*counts) {
        m_countable = std::min(m_countable.value_or(until - from), (until - from) / slices);
        counts = estimated(from, until);
    }
    if (counts && *counts)
        (*counts)->cost.time = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started);
    return counts;
}

// None: not in time. Rows that this role is not shown are no reason to take less.
Result<std::optional<Counts>> StretchCounter::exactly(Time from, Time until)
{
    const auto budget = m_countable ? sliceBudget : m_budget;
    auto counts = m_inspector.counts(m_binding, createdWithin(m_filter, from, until), budget);
    if (!counts)
        return counts.error();
    const bool ended = m_binding.mayHideRows ? counts->cost.time < budget : counts->total.exactness == Exactness::Exact;
    return ended ? std::optional(std::move(*counts)) : std::nullopt;
}

Result<std::optional<Counts>> StretchCounter::estimated(Time from, Time until)
{
    const Duration part = (until - from) / slices;
    Counts sum;
    for (int slice = 0; slice < slices;) {
        const auto width = std::min(*m_countable, part);
        const auto offset = std::fmod(goldenRatio * (slice + 1), 1.0) * static_cast<double>((part - width).count());
        const auto begin = from + part * slice + Duration(std::llround(offset));
        auto counts = exactly(begin, begin + width);
        if (!counts)
            return counts.error();
        if (*counts) {
            add(sum, **counts);
            ++slice;
            continue;
        }
        if (width / narrower < shortestSlice)
            return std::optional<Counts>();
        m_countable = width / narrower;
        sum = {};
        slice = 0;
    }
    const auto width = std::min(*m_countable, part);
    if (width < part)
        scale(sum, static_cast<double>(part.count()) / static_cast<double>(width.count()), Exactness::Estimate);
    else
        scale(sum, 1, m_binding.mayHideRows ? Exactness::AtLeast : Exactness::Exact);
    // Other stretches have fewer rows: what was quick may be wider.
    if (sum.cost.time < sliceBudget)
        m_countable = std::min(width * 2, until - from);
    return std::optional(std::move(sum));
}

} // namespace fencepost::models
