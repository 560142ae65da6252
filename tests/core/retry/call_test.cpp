// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/retry/call.h"
#include "core/retry/steady_clock.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Time start = timeFromMicros(1'000'000'000);

Signal answer(int status)
{
    Signal signal;
    signal.status = status;
    return signal;
}

Signal ended(Ending ending)
{
    Signal signal;
    signal.ending = ending;
    return signal;
}

CallOptions post(const char* preset = "playbook")
{
    return { .policy = *presetOf(preset), .hasKey = true };
}

class CallTest : public ::testing::Test {
protected:
    // Answers one signal after the other, the last for ever; each attempt takes a while.
    CallResult carryOutWith(std::vector<Signal> signals, const CallOptions& options = post(),
        const std::function<void(const Decision&)>& fallback = {}, Duration took = 10ms)
    {
        Call call(options, dependency, clock, random);
        return carryOut(
            call,
            [&](const Call::Send& send) {
                sent.push_back(clock.now() - start);
                timeouts.push_back(send.timeout);
                EXPECT_EQ(send.attempt, static_cast<int>(sent.size()));
                clock.advance(std::min(took, send.timeout));
                return signals[std::min(sent.size(), signals.size()) - 1];
            },
            [&](Time until) { clock.set(until); }, fallback);
    }

    ManualClock clock{ start };
    SeededRandom shared{ 1 };
    SeededRandom random{ 2 };
    Dependency dependency{ {}, clock, shared };
    std::vector<Duration> sent; // when, from the start
    std::vector<Duration> timeouts;
};

// The playbook's own log: a timeout, a 502, a 200.
TEST_F(CallTest, RetriesUntilItSucceeds)
{
    const auto result = carryOutWith({ ended(Ending::TimedOut), answer(502), answer(200) });
    EXPECT_EQ(result.decision.verdict, Verdict::Done);
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(sent[0], 0s);
    EXPECT_GE(sent[1] - sent[0], 110ms);
    EXPECT_LE(sent[1] - sent[0], 210ms);
    EXPECT_GE(sent[2] - sent[1], 210ms);
    EXPECT_LE(sent[2] - sent[1], 410ms);
}

TEST_F(CallTest, StopsAtOnceAtARefusal)
{
    EXPECT_EQ(carryOutWith({ answer(422) }).decision.verdict, Verdict::Stop);
    EXPECT_EQ(sent.size(), 1U);
}

TEST_F(CallTest, EndsUnknownWhenNoAttemptSaysWhatHappened)
{
    const auto result = carryOutWith({ ended(Ending::TimedOut) });
    EXPECT_EQ(result.decision.verdict, Verdict::Unknown);
    EXPECT_EQ(sent.size(), 5U);
}

TEST_F(CallTest, CutsTheLastTimeoutsToTheDeadline)
{
    auto options = post();
    options.deadline = start + 4s;
    EXPECT_EQ(carryOutWith({ ended(Ending::TimedOut) }, options, {}, 1h).decision.verdict, Verdict::Unknown);
    ASSERT_EQ(timeouts.size(), 2U);
    EXPECT_EQ(timeouts[0], 3s);
    EXPECT_LT(timeouts[1], 1s);
    EXPECT_LE(clock.now(), start + 4s);
}

TEST_F(CallTest, SendsNothingAfterItsDeadline)
{
    auto options = post();
    options.deadline = start;
    const auto result = carryOutWith({ answer(200) }, options);
    EXPECT_EQ(result.decision.verdict, Verdict::Stop);
    EXPECT_EQ(result.decision.reason, "the deadline is over");
    EXPECT_TRUE(sent.empty());
}

TEST_F(CallTest, DoesNotSpendItsPlanOnAnOpenBreaker)
{
    for (int i = 0; i < 4; ++i) {
        sent.clear();
        carryOutWith({ answer(503) });
    }
    EXPECT_EQ(dependency.gauges().breaker, BreakerState::Open);
    sent.clear();
    const auto result = carryOutWith({ answer(200) });
    EXPECT_EQ(result.decision.verdict, Verdict::Stop);
    EXPECT_EQ(result.decision.reason, "the breaker is open");
    EXPECT_GT(result.decision.retryAfter, 0s);
    EXPECT_TRUE(sent.empty());
}

// The breaker opens between two attempts: the first may have had its effect, so this is not a plain stop.
TEST_F(CallTest, StaysUnknownWhenARefusalHereFollowsATimeout)
{
    Call call(post(), dependency, clock, random);
    ASSERT_TRUE(std::holds_alternative<Call::Send>(call.next()));
    call.settle(ended(Ending::TimedOut));
    const auto wait = call.next();
    ASSERT_TRUE(std::holds_alternative<Call::Wait>(wait));
    EXPECT_EQ(std::get<Call::Wait>(wait).reason, "no answer came in time");
    dependency.forceOpen("maintenance");
    clock.set(std::get<Call::Wait>(wait).until);
    const auto over = call.next();
    ASSERT_TRUE(std::holds_alternative<Decision>(over));
    EXPECT_EQ(std::get<Decision>(over).verdict, Verdict::Unknown);
    EXPECT_EQ(std::get<Decision>(over).reason, "the breaker is open");
}

TEST_F(CallTest, FallsBackAfterAStopOnly)
{
    int asked = 0;
    const auto fallback = [&](const Decision&) { ++asked; };
    EXPECT_TRUE(carryOutWith({ answer(422) }, post(), fallback).fellBack);
    EXPECT_EQ(asked, 1);
    sent.clear();
    EXPECT_FALSE(carryOutWith({ ended(Ending::TimedOut) }, post(), fallback).fellBack)
        << "another way to pay would be a second payment";
    sent.clear();
    EXPECT_FALSE(carryOutWith({ answer(200) }, post(), fallback).fellBack);
    EXPECT_EQ(asked, 1);
}

TEST_F(CallTest, GivesEverythingBackWhenItIsCancelled)
{
    {
        Call call(post(), dependency, clock, random);
        ASSERT_TRUE(std::holds_alternative<Call::Send>(call.next()));
        EXPECT_EQ(dependency.gauges().inFlight, 1);
        EXPECT_TRUE(std::holds_alternative<Call::Wait>(call.next())) << "one attempt at a time";
        call.cancel();
        const auto over = std::get<Decision>(call.next());
        EXPECT_EQ(over.verdict, Verdict::Unknown);
        EXPECT_EQ(over.reason, "the caller cancelled it");
        call.settle(answer(200));
        EXPECT_EQ(std::get<Decision>(call.next()), over) << "what comes later changes nothing";
    }
    EXPECT_EQ(dependency.gauges().inFlight, 0);
    {
        const Call unsent(post(), dependency, clock, random);
    }
    {
        Call dropped(post(), dependency, clock, random);
        ASSERT_TRUE(std::holds_alternative<Call::Send>(dropped.next()));
    }
    EXPECT_EQ(dependency.gauges().inFlight, 0) << "its destruction gives it back";
    Call waiting(post(), dependency, clock, random);
    ASSERT_TRUE(std::holds_alternative<Call::Send>(waiting.next()));
    waiting.settle(answer(429));
    waiting.cancel();
    EXPECT_EQ(std::get<Decision>(waiting.next()).verdict, Verdict::Stop) << "nobody executed it";
}

TEST_F(CallTest, TriesLessAndLaterUnderLoad)
{
    dependency.setQueueLoad(950);
    EXPECT_EQ(carryOutWith({ answer(503) }).decision.verdict, Verdict::Unknown);
    ASSERT_EQ(sent.size(), 3U) << "half of five";
    EXPECT_GE(sent[1] - sent[0], 210ms);
    EXPECT_LE(sent[1] - sent[0], 410ms);
    dependency.setQueueLoad(0);
}

// As a service uses it: real time, real randomness.
TEST(CallOnASteadyClock, NeedsNothingElse)
{
    const SteadyClock steady;
    SystemRandom shared;
    SystemRandom own;
    Dependency dependency({}, steady, shared);
    auto options = post();
    options.deadline = steady.now() + 1min;
    Call call(options, dependency, steady, own);
    const auto result = carryOut(
        call, [](const Call::Send&) { return answer(201); }, [](Time) { ADD_FAILURE() << "nothing to wait for"; });
    EXPECT_EQ(result.decision.verdict, Verdict::Done);
    EXPECT_EQ(call.attempts(), 1);
    EXPECT_GE(steady.now(), *options.deadline - 1min);
}

TEST(CallSeeds, MakeTheSameRunAgain)
{
    const auto run = [] {
        ManualClock at(start);
        SeededRandom shared(5);
        SeededRandom own(6);
        Dependency dependency({}, at, shared);
        std::string log;
        for (int i = 0; i < 30; ++i) {
            Call call(post(), dependency, at, own);
            const auto result = carryOut(
                call,
                [&](const Call::Send&) {
                    log += std::to_string(microsOf(at.now())) + ' ';
                    at.advance(10ms);
                    return own.below(3) == 0 ? answer(200) : answer(503);
                },
                [&](Time until) { at.set(until); });
            log += std::string(wordOf(result.decision.verdict)) + '\n';
        }
        return log;
    };
    EXPECT_EQ(run(), run());
}

// Many calls at once on one clock: a small event loop around the real machines.
class Crowd {
public:
    struct Attempt {
        Time at;
        bool retry;
    };
    // What the server does with an attempt: its answer, and when it comes.
    using Server = std::function<std::pair<Signal, Duration>(Time now, Random& random)>;

    Crowd(std::uint64_t seed, const DependencyOptions& options, Server server)
        : m_random(seed)
        , m_shared(seed + 1)
        , m_server(std::move(server))
        , m_dependency(options, m_clock, m_shared)
    {
    }

    void arrive(Time at, const CallOptions& options)
    {
        m_events.emplace(at, [this, options] {
            m_calls.push_back(std::make_unique<Call>(options, m_dependency, m_clock, m_random));
            advance(*m_calls.back(), options);
        });
    }
    void run()
    {
        while (!m_events.empty()) {
            const auto next = m_events.begin();
            m_clock.set(std::max(m_clock.now(), next->first));
            const auto event = std::move(next->second);
            m_events.erase(next);
            event();
            check();
        }
    }

    std::vector<Attempt> attempts;
    std::map<std::string, int> verdicts;
    int probesMost = 0;
    Dependency& dependency() { return m_dependency; }
    ManualClock& clock() { return m_clock; }

private:
    void advance(Call& call, const CallOptions& options)
    {
        const auto step = call.next();
        if (const auto* send = std::get_if<Call::Send>(&step)) {
            attempts.push_back({ m_clock.now(), send->attempt > 1 });
            EXPECT_TRUE(!options.deadline || m_clock.now() + send->timeout <= *options.deadline);
            auto [signal, took] = m_server(m_clock.now(), m_random);
            const bool probing = m_dependency.gauges().breaker == BreakerState::HalfOpen;
            m_probes += probing ? 1 : 0;
            probesMost = std::max(probesMost, m_probes);
            if (took > send->timeout) {
                took = send->timeout;
                signal = ended(Ending::TimedOut);
            }
            m_events.emplace(m_clock.now() + took, [this, &call, options, signal = signal, probing] {
                m_probes -= probing ? 1 : 0;
                call.settle(signal);
                advance(call, options);
            });
        } else if (const auto* wait = std::get_if<Call::Wait>(&step)) {
            EXPECT_GT(wait->until, m_clock.now());
            m_events.emplace(wait->until, [this, &call, options] { advance(call, options); });
        } else {
            const auto& decision = std::get<Decision>(step);
            ++verdicts[std::string(wordOf(decision.verdict))];
            EXPECT_TRUE(!options.deadline || m_clock.now() <= *options.deadline);
        }
    }
    void check()
    {
        const auto gauges = m_dependency.gauges();
        ASSERT_GE(gauges.limit, 4);
        ASSERT_LE(gauges.limit, 200);
        ASSERT_LE(gauges.inFlight, 200);
        ASSERT_LE(m_probes, 3);
    }

    ManualClock m_clock{ start };
    SeededRandom m_random;
    SeededRandom m_shared;
    Server m_server;
    Dependency m_dependency;
    std::vector<std::unique_ptr<Call>> m_calls;
    std::multimap<Time, std::function<void()>> m_events;
    int m_probes = 0;
};

// The most retries over what the budget allows at any retry: not above 0.
std::int64_t overBudget(const std::vector<Crowd::Attempt>& attempts, const FinagleOptions& options)
{
    std::deque<Crowd::Attempt> window;
    std::int64_t worst = INT64_MIN;
    std::int64_t requests = 0;
    std::int64_t retries = 0;
    for (const auto& attempt : attempts) {
        window.push_back(attempt);
        (attempt.retry ? retries : requests) += 1;
        while (window.front().at <= attempt.at - options.ttl) {
            (window.front().retry ? retries : requests) -= 1;
            window.pop_front();
        }
        if (attempt.retry)
            worst = std::max(
                worst, retries * 100 - requests * options.percent - options.leastPerSecond * (options.ttl / 1s) * 100);
    }
    return worst;
}

// Random outages, slowness and refusals, hundreds of calls each: the promises of protocol §3.8 hold throughout.
TEST(CallHistory, KeepsThePromisesOfItsLayers)
{
    int retried = 0;
    int probed = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        SeededRandom plan(seed);
        const auto badFrom = start + Duration(static_cast<std::int64_t>(plan.below(20'000'000)));
        const auto badTo = badFrom + Duration(static_cast<std::int64_t>(plan.below(40'000'000)));
        const auto badness = 30 + plan.below(71);
        const FinagleOptions budget{ .leastPerSecond = static_cast<int>(plan.below(5)) };
        // Without a breaker the budget alone stands between an outage and three times the traffic.
        const bool breaks = seed % 2 == 0;
        const BreakerOptions breaker{ .minimum = breaks ? 20 : 1'000'000 };
        // And with a narrow limiter few retries are left to count.
        const LimiterOptions limiter{ .start = 100, .least = seed % 3 == 0 ? 4 : 100 };
        Crowd crowd(seed, { .budget = budget, .breaker = breaker, .limiter = limiter }, [=](Time now, Random& random) {
            const auto took = Duration(static_cast<std::int64_t>(5'000 + random.below(200'000)));
            if (now < badFrom || now > badTo || random.below(100) >= badness)
                return std::pair(answer(random.below(50) == 0 ? 409 : 200), took);
            switch (random.below(5)) {
            case 0:
                return std::pair(answer(200), Duration(20s));
            case 1:
                return std::pair(ended(Ending::NotSent), Duration(1ms));
            case 2:
                return std::pair(ended(Ending::Lost), took);
            case 3: {
                auto busy = answer(429);
                busy.retryAfter = std::chrono::seconds(random.below(4));
                return std::pair(busy, took);
            }
            default:
                return std::pair(answer(503), took);
            }
        });
        Time at = start;
        const int calls = 2500;
        for (int i = 0; i < calls; ++i) {
            at += Duration(static_cast<std::int64_t>(plan.below(40'000)));
            auto options = post(plan.below(2) == 0 ? "playbook" : "atlas");
            options.hasKey = plan.below(5) != 0;
            options.priority = static_cast<Priority>(plan.below(4));
            options.background = plan.below(4) == 0;
            if (plan.below(2) == 0)
                options.deadline = at + Duration(static_cast<std::int64_t>(plan.below(8'000'000)));
            crowd.arrive(at, options);
        }
        crowd.run();
        ASSERT_LE(overBudget(crowd.attempts, budget), 0) << "seed " << seed;
        int over = 0;
        for (const auto& [verdict, count] : crowd.verdicts)
            over += count;
        ASSERT_EQ(over, calls) << "every call ends";
        ASSERT_EQ(crowd.dependency().gauges().inFlight, 0) << "every lease comes back or expires";
        ASSERT_LE(crowd.probesMost, 3);
        for (const auto& attempt : crowd.attempts)
            retried += attempt.retry ? 1 : 0;
        probed += crowd.probesMost;
    }
    EXPECT_GT(retried, 1000) << "the histories have to ask for what is promised";
    EXPECT_GT(probed, 10);
}

// Golden trace G8: 1,000 calls per second, and everything answers 503 for a minute.
class Outage {
public:
    explicit Outage(const BreakerOptions& breaker)
        : m_crowd(8, { .breaker = breaker, .limiter = LimiterOptions{ .start = 200, .least = 100 } },
            [](Time now, Random& random) {
                const auto took = Duration(static_cast<std::int64_t>(2'000 + random.below(6'000)));
                return std::pair(answer(isOut(now) ? 503 : 200), took);
            })
    {
        for (int i = 0; i < 130'000; ++i)
            m_crowd.arrive(start + i * 1ms, post());
        m_crowd.run();
    }

    [[nodiscard]] int sent(bool duringOutage, bool retry) const
    {
        return static_cast<int>(
            std::count_if(m_crowd.attempts.begin(), m_crowd.attempts.end(), [=](const Crowd::Attempt& attempt) {
                return isOut(attempt.at) == duringOutage && attempt.retry == retry;
            }));
    }
    // The most attempts within 100 ms once it is over, of 100 calls that arrive in them.
    [[nodiscard]] int worstAfterwards() const
    {
        std::map<std::int64_t, int> counts;
        for (const auto& attempt : m_crowd.attempts)
            if (!isOut(attempt.at))
                ++counts[(attempt.at - start) / 100ms];
        int worst = 0;
        for (const auto& [bucket, count] : counts)
            worst = std::max(worst, count);
        return worst;
    }
    [[nodiscard]] Crowd& crowd() { return m_crowd; }

private:
    static bool isOut(Time now) { return now < start + 60s; }

    Crowd m_crowd;
};

TEST(CallOutage, LeavesLittleMoreThanProbesAndNoHerdAfterwards)
{
    Outage outage({});
    EXPECT_LT(outage.sent(true, false) + outage.sent(true, true), 200);
    EXPECT_LT(outage.worstAfterwards(), 300) << "three times the mean";
    EXPECT_EQ(outage.crowd().dependency().gauges().breaker, BreakerState::Closed);
    EXPECT_EQ(overBudget(outage.crowd().attempts, {}), INT64_MIN) << "the breaker opens before the first retry";
    EXPECT_GT(outage.crowd().verdicts["done"], 10'000);
}

TEST(CallOutage, AmplifiesByAFifthAtMostWithoutABreaker)
{
    Outage outage({ .minimum = INT32_MAX });
    EXPECT_EQ(overBudget(outage.crowd().attempts, {}), 0) << "all that the budget allows, and nothing more";
    const auto requests = outage.sent(true, false);
    const auto retries = outage.sent(true, true);
    EXPECT_GT(requests, 20'000);
    EXPECT_LE(retries * 100, requests * 20 + 60 * 10 * 100 + 10'000);
    EXPECT_GT(retries * 100, requests * 15);
    EXPECT_LT(outage.worstAfterwards(), 300) << "three times the mean";
}

TEST_F(CallTest, ACallThatGoesOnAfterARestartIsInDoubtUntilItIsAnswered)
{
    auto resumed = post();
    resumed.inDoubt = true;
    EXPECT_EQ(carryOutWith({ ended(Ending::NotSent) }, resumed).decision.verdict, Verdict::Unknown);
    sent.clear();
    EXPECT_EQ(carryOutWith({ ended(Ending::NotSent), answer(422) }, resumed).decision.verdict, Verdict::Stop);
    sent.clear();
    EXPECT_EQ(carryOutWith({ ended(Ending::NotSent) }).decision.verdict, Verdict::Stop);
}

} // namespace
} // namespace fencepost::retry
