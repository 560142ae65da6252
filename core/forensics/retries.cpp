// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/retries.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fencepost {

namespace {

constexpr int perDecade = 8;
constexpr int decades = 9;
constexpr int stepCount = perDecade * decades;

// 10^(i/8) in thousandths. A table, because a logarithm is not the same on every machine.
constexpr std::array<std::int64_t, perDecade> withinDecade{ 1000, 1334, 1778, 2371, 3162, 4217, 5623, 7499 };

// In microseconds.
constexpr std::int64_t edgeOf(int step)
{
    std::int64_t scale = 1;
    for (int decade = 0; decade < step / perDecade; ++decade)
        scale *= 10;
    return withinDecade[static_cast<std::size_t>(step % perDecade)] * scale;
}

// −1: below the first edge.
int stepOf(std::int64_t micros)
{
    int step = -1;
    while (step + 1 < stepCount && micros >= edgeOf(step + 1))
        ++step;
    return step;
}

} // namespace

void SpanHistogram::add(Duration span)
{
    span = std::max(span, Duration::zero());
    m_least = m_count == 0 ? span : std::min(m_least, span);
    m_most = m_count == 0 ? span : std::max(m_most, span);
    ++m_count;
    ++m_steps[stepOf(span.count())];
    m_spans.push_back(span.count());
}

std::vector<SpanHistogram::Step> SpanHistogram::steps() const
{
    if (m_steps.empty())
        return {};
    return stepsBetween(m_steps.begin()->first, m_steps.rbegin()->first, m_most);
}

std::vector<SpanHistogram::Step> SpanHistogram::steps(Duration least, Duration most) const
{
    if (m_steps.empty())
        return {};
    return stepsBetween(std::min(m_steps.begin()->first, stepOf(least.count())),
        std::max(m_steps.rbegin()->first, stepOf(most.count())), std::max(m_most, most));
}

std::vector<SpanHistogram::Step> SpanHistogram::stepsBetween(int first, int last, Duration end) const
{
    std::vector<Step> all;
    for (int step = first; step <= last; ++step) {
        const auto found = m_steps.find(step);
        const auto from = step < 0 ? Duration::zero() : Duration(edgeOf(step));
        const auto until = step + 1 < stepCount ? Duration(edgeOf(step + 1)) : end + Duration(1);
        all.push_back({ from, until, found == m_steps.end() ? 0 : found->second });
    }
    return all;
}

Duration SpanHistogram::quantile(double part) const
{
    if (m_spans.empty())
        return Duration::zero();
    const auto wanted = std::ceil(part * static_cast<double>(m_count)) - 1;
    const auto place = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 0, m_count - 1);
    auto spans = m_spans;
    std::nth_element(spans.begin(), spans.begin() + place, spans.end());
    return Duration(spans[static_cast<std::size_t>(place)]);
}

double amplificationOf(const std::vector<AttemptRate>& rates)
{
    std::int64_t first = 0;
    std::int64_t all = 0;
    for (const auto& rate : rates) {
        first += rate.first;
        all += rate.first + rate.again;
    }
    return first == 0 ? 0 : static_cast<double>(all) / static_cast<double>(first);
}

} // namespace fencepost
