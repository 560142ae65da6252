// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <gmock/gmock.h>

#include "core/retry/backoff.h"
#include "core/retry/policy.h"
#include "core/retry/polly_curve.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Answers the same number for ever: the lowest or the highest that a draw can give.
class Always final : public Random {
public:
    explicit Always(std::uint64_t value)
        : m_value(value)
    {
    }
    std::uint64_t next() override { return m_value; }

private:
    std::uint64_t m_value;
};

std::vector<std::int64_t> boundsInMilliseconds(const Backoff& backoff, int count)
{
    std::vector<std::int64_t> bounds;
    for (int n = 1; n <= count; ++n)
        bounds.push_back(boundOf(backoff, n) / 1ms);
    return bounds;
}

std::vector<Duration> delaysOf(const Backoff& backoff, int count, Random& random)
{
    Delays delays(backoff);
    std::vector<Duration> drawn;
    for (int n = 0; n < count; ++n)
        drawn.push_back(delays.next(random));
    return drawn;
}

constexpr std::array everyJitter = { Jitter::None, Jitter::RangeX2, Jitter::Full, Jitter::Equal, Jitter::Decorrelated,
    Jitter::PlusMinus20, Jitter::UpTo10, Jitter::PollyV2 };

TEST(Backoff, GrowsExponentiallyUpToItsCap)
{
    const Backoff backoff{ .jitter = Jitter::None, .base = 50ms, .cap = 20s };
    EXPECT_THAT(
        boundsInMilliseconds(backoff, 11), ElementsAre(50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000, 20000));
}

TEST(Backoff, GrowsAsASeries)
{
    const Backoff backoff{ .growth = Growth::Series, .jitter = Jitter::None, .base = 100ms, .cap = 2s };
    EXPECT_THAT(boundsInMilliseconds(backoff, 6), ElementsAre(100, 300, 700, 1500, 2000, 2000));
}

TEST(Backoff, RepeatsTheLastStepOfATable)
{
    constexpr std::array<Duration, 2> steps = { 1s, 3s };
    const Backoff backoff{ .growth = Growth::Steps, .jitter = Jitter::None, .cap = 1h, .steps = steps };
    EXPECT_THAT(boundsInMilliseconds(backoff, 4), ElementsAre(1000, 3000, 3000, 3000));
}

TEST(Backoff, HasNoDelayBeforeTheFirstAttempt)
{
    for (const auto& policy : presets())
        EXPECT_EQ(boundOf(policy.backoff, 0), 0s) << policy.name;
}

TEST(Backoff, StartsHigherWhereTheServerAsksToSlowDown)
{
    const Backoff backoff{ .jitter = Jitter::None, .base = 50ms, .throttledBase = 1s, .cap = 20s };
    EXPECT_EQ(boundOf(backoff, 1, true), 1s);
    EXPECT_EQ(boundOf(backoff, 3, true), 4s);
    EXPECT_EQ(boundOf(backoff, 1, false), 50ms);
}

// With jitter, after every growth, at every n, for many seeds.
TEST(Backoff, IsNeverNegativeNorOverItsCap)
{
    for (const auto jitter : everyJitter)
        for (const auto growth : { Growth::Exponential, Growth::Series })
            for (const Duration cap : { Duration(0), Duration(1), Duration(2s), Duration(24h) }) {
                const Backoff backoff{ .growth = growth, .jitter = jitter, .base = 100ms, .factor = 3, .cap = cap };
                for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                    SeededRandom random(seed);
                    Delays delays(backoff);
                    for (int n = 1; n <= 200; ++n) {
                        const auto delay = delays.next(random);
                        const auto range = rangeOf(backoff, n);
                        ASSERT_GE(delay, 0s);
                        ASSERT_LE(delay, jitter == Jitter::UpTo10 ? cap + cap / 10 : cap) << wordOf(jitter);
                        ASSERT_GE(delay, range.least) << wordOf(jitter) << ' ' << n;
                        ASSERT_LE(delay, range.most) << wordOf(jitter) << ' ' << n;
                    }
                }
            }
}

TEST(Backoff, StandsAMillionRetries)
{
    for (const auto& policy : presets())
        for (const int n : { 63, 64, 65, 1000, 1'000'000, INT32_MAX })
            EXPECT_EQ(boundOf(policy.backoff, n), policy.backoff.cap) << policy.name << ' ' << n;
    const Backoff flat{ .jitter = Jitter::None, .base = 7ms, .factor = 1, .cap = 1s };
    EXPECT_EQ(boundOf(flat, INT32_MAX), 7ms);
    const Backoff widest{
        .jitter = Jitter::None, .base = Duration::max(), .factor = INT64_MAX, .cap = Duration::max()
    };
    EXPECT_EQ(boundOf(widest, 1'000'000), Duration::max());
}

TEST(Backoff, ReachesBothEndsOfItsRange)
{
    Always lowest(0);
    for (const auto jitter : { Jitter::RangeX2, Jitter::Full, Jitter::Equal, Jitter::PlusMinus20, Jitter::UpTo10 }) {
        const Backoff backoff{ .jitter = jitter, .base = 100ms, .cap = 10s };
        Delays delays(backoff);
        for (int n = 1; n <= 4; ++n)
            EXPECT_EQ(delays.next(lowest), rangeOf(backoff, n).least) << wordOf(jitter);
    }
    // A range of 2^k microseconds takes the highest number as its most.
    const Backoff backoff{ .jitter = Jitter::Full, .base = Duration((1 << 20) - 1), .cap = 10s };
    EXPECT_EQ(Delays(backoff).next(*std::make_unique<Always>((1ULL << 20) - 1)), backoff.base);
}

TEST(Backoff, KeepsTheFormulaOfEachJitter)
{
    const auto rangeWith = [](Jitter jitter) { return rangeOf({ .jitter = jitter, .base = 100ms, .cap = 500ms }, 2); };
    EXPECT_EQ(rangeWith(Jitter::None), (DelayRange{ 200ms, 200ms }));
    EXPECT_EQ(rangeWith(Jitter::RangeX2), (DelayRange{ 200ms, 400ms }));
    EXPECT_EQ(rangeWith(Jitter::Full), (DelayRange{ 0ms, 200ms }));
    EXPECT_EQ(rangeWith(Jitter::Equal), (DelayRange{ 100ms, 200ms }));
    EXPECT_EQ(rangeWith(Jitter::Decorrelated), (DelayRange{ 100ms, 500ms }));
    EXPECT_EQ(rangeWith(Jitter::PlusMinus20), (DelayRange{ 160ms, 240ms }));
    EXPECT_EQ(rangeWith(Jitter::UpTo10), (DelayRange{ 200ms, 220ms }));
    EXPECT_EQ(rangeWith(Jitter::PollyV2), (DelayRange{ 0ms, 500ms }));
}

// Nothing is gained by jitter that puts everybody on the cap again.
TEST(Backoff, StaysSpreadAtTheCap)
{
    for (const auto jitter : { Jitter::Full, Jitter::Equal, Jitter::PlusMinus20, Jitter::UpTo10, Jitter::PollyV2 }) {
        const Backoff backoff{ .jitter = jitter, .base = 1s, .cap = 2s };
        SeededRandom random(7);
        Delays delays(backoff);
        std::vector<Duration> drawn;
        for (int n = 0; n < 100; ++n)
            drawn.push_back(delays.next(random));
        std::sort(drawn.begin() + 10, drawn.end());
        EXPECT_EQ(std::unique(drawn.begin() + 10, drawn.end()), drawn.end()) << wordOf(jitter);
    }
}

TEST(Backoff, LooksBackAtTheDelayBeforeWhereItIsDecorrelated)
{
    const Backoff backoff{ .jitter = Jitter::Decorrelated, .base = 100ms, .cap = 10s };
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SeededRandom random(seed);
        Duration before = backoff.base;
        for (const auto delay : delaysOf(backoff, 20, random)) {
            EXPECT_GE(delay, 100ms);
            EXPECT_LE(delay, std::min<Duration>(before * 3, 10s));
            before = delay;
        }
    }
}

TEST(Backoff, GivesTheSameDelaysForTheSameSeed)
{
    // Pinned: the simulator's reports and the seeds of the documents rely on them, on every machine.
    const auto drawn = [](const char* preset) {
        SeededRandom random(1);
        std::vector<std::int64_t> micros;
        for (const auto delay : delaysOf(presetOf(preset)->backoff, 4, random))
            micros.push_back(delay.count());
        return micros;
    };
    EXPECT_THAT(drawn("playbook"), ElementsAre(141644, 302598, 613599, 1445725));
    EXPECT_THAT(drawn("aws"), ElementsAre(41393, 28619, 32919, 326683));
    EXPECT_THAT(drawn("polly"), ElementsAre(1000713, 3235336, 6590004, 8019024));
}

TEST(Backoff, NamesItsJittersInBothDirections)
{
    for (const auto jitter : everyJitter)
        EXPECT_EQ(*jitterOf(wordOf(jitter)), jitter);
    EXPECT_FALSE(jitterOf("fuller"));
    EXPECT_FALSE(jitterOf(""));
}

TEST(PollyCurve, IsTheFormulaOfPolly)
{
    for (double t = 0; t < 33; t += 0.0371) {
        const auto whole = static_cast<std::uint64_t>(t);
        const auto fraction = static_cast<std::uint64_t>((t - std::floor(t)) * static_cast<double>(curveOne));
        const auto exact = std::pow(2.0, t) * std::tanh(std::sqrt(4.0 * t));
        const auto ours = static_cast<double>(pollyCurve(whole, fraction)) / static_cast<double>(curveOne);
        EXPECT_NEAR(ours, exact, 1e-6 * exact + 1e-8) << t;
    }
    EXPECT_EQ(pollyCurve(0, 0), 0U);
    EXPECT_EQ(pollyCurve(33, 0), curveEnd);
    EXPECT_EQ(pollyCurve(UINT64_MAX, curveOne - 1), curveEnd);
}

TEST(PollyCurve, PutsTheMedianOfTheFirstDelayNearTheBase)
{
    const Backoff backoff{ .jitter = Jitter::PollyV2, .base = 1s, .cap = 1h };
    std::vector<Duration> first;
    for (std::uint64_t seed = 1; seed <= 2001; ++seed) {
        SeededRandom random(seed);
        first.push_back(Delays(backoff).next(random));
    }
    std::nth_element(first.begin(), first.begin() + 1000, first.end());
    EXPECT_GT(first[1000], 800ms);
    EXPECT_LT(first[1000], 1200ms);
}

} // namespace
} // namespace fencepost::retry
