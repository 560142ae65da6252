// SPDX-License-Identifier: Apache-2.0
#include "core/retry/backoff.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/in_quotes.h"
#include "core/retry/polly_curve.h"

namespace fencepost::retry {

namespace {

struct JitterWord {
    Jitter jitter;
    std::string_view word;
};
constexpr std::array jitterWords = {
    JitterWord{ Jitter::None, "none" },
    JitterWord{ Jitter::RangeX2, "range_x2" },
    JitterWord{ Jitter::Full, "full" },
    JitterWord{ Jitter::Equal, "equal" },
    JitterWord{ Jitter::Decorrelated, "decorrelated" },
    JitterWord{ Jitter::PlusMinus20, "pm20" },
    JitterWord{ Jitter::UpTo10, "up_to_10" },
    JitterWord{ Jitter::PollyV2, "polly_v2" },
};

// a · b, at most `most`; none of them negative.
std::int64_t productUpTo(std::int64_t a, std::int64_t b, std::int64_t most)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? most : std::min(product, most);
}

Duration baseOf(const Backoff& backoff, bool throttled)
{
    return throttled && backoff.throttledBase > Duration(0) ? backoff.throttledBase : backoff.base;
}

Duration exponential(Duration base, std::int64_t factor, Duration cap, int retry)
{
    auto bound = std::min(base, cap).count();
    // A factor of 1 never reaches the cap; everything else does within 63 steps, also for a retry of a million.
    for (int n = 1; n < retry && factor > 1 && bound > 0 && bound < cap.count(); ++n)
        bound = productUpTo(bound, factor, cap.count());
    return Duration(bound);
}

Duration series(Duration base, std::int64_t factor, Duration cap, int retry)
{
    std::int64_t power = 1;
    for (int n = 0; n < retry && factor > 1 && power < INT64_MAX; ++n)
        power = productUpTo(power, factor, INT64_MAX);
    return Duration(productUpTo(base.count(), power - 1, cap.count()));
}

Duration stepAt(std::span<const Duration> steps, int retry)
{
    if (steps.empty())
        return Duration(0);
    return steps[std::min(static_cast<std::size_t>(std::max(retry, 1)), steps.size()) - 1];
}

// Without overflow and without the error of dividing first.
Duration fifths(Duration bound, std::int64_t count)
{
    return Duration(bound.count() / 5 * count + bound.count() % 5 * count / 5);
}

Duration tripledUpTo(Duration delay, Duration cap)
{
    return Duration(productUpTo(delay.count(), 3, cap.count()));
}

Duration doubledUpTo(Duration delay, Duration cap)
{
    return Duration(productUpTo(delay.count(), 2, cap.count()));
}

// The curve's difference, scaled so that the median of the first delay is the base: 1/1.4 of it.
Duration scaled(std::uint64_t difference, Duration base, Duration cap)
{
    __extension__ using Wide = unsigned __int128;
    const auto wide = (static_cast<Wide>(difference) * static_cast<Wide>(base.count()) * 5 / 7) >> curveBits;
    return wide > static_cast<Wide>(cap.count()) ? cap : Duration(static_cast<std::int64_t>(wide));
}

} // namespace

std::string_view wordOf(Jitter jitter) noexcept
{
    for (const auto& entry : jitterWords)
        if (entry.jitter == jitter)
            return entry.word;
    return "";
}

Result<Jitter> jitterOf(std::string_view word)
{
    std::string known;
    for (const auto& entry : jitterWords) {
        if (entry.word == word)
            return entry.jitter;
        known += (known.empty() ? "" : ", ") + std::string(entry.word);
    }
    return invalid(inQuotes(word) + " is not a jitter; expected one of " + known);
}

Duration drawBetween(Random& random, Duration least, Duration most)
{
    if (most <= least)
        return least;
    return least
        + Duration(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>((most - least).count()) + 1)));
}

Duration boundOf(const Backoff& backoff, int retry, bool throttled)
{
    if (retry < 1)
        return Duration(0);
    const auto base = baseOf(backoff, throttled);
    switch (backoff.growth) {
    case Growth::Exponential:
        return exponential(base, backoff.factor, backoff.cap, retry);
    case Growth::Series:
        return series(base, backoff.factor, backoff.cap, retry);
    case Growth::Steps:
        return std::min(stepAt(backoff.steps, retry), backoff.cap);
    }
    return Duration(0);
}

DelayRange rangeOf(const Backoff& backoff, int retry, bool throttled)
{
    const auto bound = boundOf(backoff, retry, throttled);
    const auto cap = backoff.cap;
    const auto base = std::min(baseOf(backoff, throttled), cap);
    DelayRange range{ bound, bound };
    switch (backoff.jitter) {
    case Jitter::None:
        break;
    case Jitter::RangeX2:
        range.most = doubledUpTo(bound, cap);
        break;
    case Jitter::Full:
        range.least = Duration(0);
        break;
    case Jitter::Equal:
        range.least = bound - bound / 2;
        break;
    case Jitter::Decorrelated:
        range = { base, exponential(base, 3, cap, retry + 1) };
        break;
    case Jitter::PlusMinus20:
        range = { fifths(bound, 4), std::min(fifths(bound, 6), cap) };
        break;
    case Jitter::UpTo10:
        range.most = bound + bound / 10;
        break;
    case Jitter::PollyV2:
        range = { Duration(0), cap };
        break;
    }
    return { std::max(range.least, backoff.floor), std::max(range.most, backoff.floor) };
}

Duration Delays::next(Random& random, bool throttled)
{
    // Far beyond every cap, and a count that cannot overflow.
    m_retry = std::min(m_retry + 1, 1'000'000);
    const auto delay = draw(random, boundOf(m_backoff, m_retry, throttled), throttled);
    m_previous = delay;
    return std::max(delay, m_backoff.floor);
}

Duration Delays::draw(Random& random, Duration bound, bool throttled)
{
    const auto cap = m_backoff.cap;
    const auto base = std::min(baseOf(m_backoff, throttled), cap);
    switch (m_backoff.jitter) {
    case Jitter::Decorrelated: {
        const auto before = std::max(m_retry == 1 ? base : m_previous, base);
        // The draw is from the whole range and only then capped, as the formula has it.
        return std::min(cap, drawBetween(random, base, tripledUpTo(before, Duration::max())));
    }
    case Jitter::PollyV2:
        return pollyV2(random, base);
    case Jitter::RangeX2:
        return std::min(cap, bound + drawBetween(random, Duration(0), bound));
    case Jitter::None:
    case Jitter::Full:
    case Jitter::Equal:
    case Jitter::PlusMinus20:
    case Jitter::UpTo10: {
        auto plain = m_backoff;
        plain.floor = Duration(0);
        const auto range = rangeOf(plain, m_retry, throttled);
        return drawBetween(random, range.least, range.most);
    }
    }
    return bound;
}

Duration Delays::pollyV2(Random& random, Duration base)
{
    const auto cap = m_backoff.cap;
    const auto curve = pollyCurve(static_cast<std::uint64_t>(m_retry - 1), random.below(curveOne));
    const auto before = std::exchange(m_pollyPrevious, curve);
    const auto delay = curve == curveEnd ? cap : scaled(curve - std::min(before, curve), base, cap);
    return delay < cap ? delay : drawBetween(random, cap / 2, cap);
}

} // namespace fencepost::retry
