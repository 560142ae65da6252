// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/protocol/error_codes.h"
#include "core/retry/decision.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Time start = *parseInstant("2026-10-21T07:28:00Z");

Signal answer(int status, std::optional<std::string> code = {})
{
    Signal signal;
    signal.status = status;
    signal.errorCode = std::move(code);
    return signal;
}

Signal ended(Ending ending)
{
    Signal signal;
    signal.ending = ending;
    return signal;
}

// A POST with a key, after its first attempt.
Situation postWithKey()
{
    Situation situation;
    situation.hasKey = true;
    situation.startedAt = situation.now = start;
    return situation;
}

Situation postWithoutKey()
{
    auto situation = postWithKey();
    situation.hasKey = false;
    return situation;
}

Decision decided(const Signal& signal, const Situation& situation = postWithKey(), const char* preset = "playbook")
{
    SeededRandom random(1);
    const auto policy = *presetOf(preset);
    Delays delays(policy.backoff);
    return decide(signal, policy, situation, delays, random);
}

std::string verdict(const Signal& signal, const Situation& situation = postWithKey(), const char* preset = "playbook")
{
    return std::string(wordOf(decided(signal, situation, preset).verdict));
}

TEST(Decision, IsTheTableOfTheProtocol)
{
    EXPECT_EQ(verdict(answer(200)), "done");
    EXPECT_EQ(verdict(answer(201)), "done");
    EXPECT_EQ(verdict(answer(303)), "done");
    EXPECT_EQ(verdict(ended(Ending::NotSent)), "retry");
    EXPECT_EQ(verdict(ended(Ending::TimedOut)), "retry");
    EXPECT_EQ(verdict(ended(Ending::Lost)), "retry");
    for (const int status : { 500, 501, 502, 503, 504, 505, 599 })
        EXPECT_EQ(verdict(answer(status)), "retry") << status;
    EXPECT_EQ(verdict(answer(429)), "retry");
    EXPECT_EQ(verdict(answer(425)), "retry");
    EXPECT_EQ(verdict(answer(409, "idempotency.in_progress")), "retry");
    EXPECT_EQ(verdict(answer(409, "idempotency.outcome_unknown")), "retry");
    EXPECT_EQ(verdict(answer(409, "CONFLICT.idempotency.payload_mismatch")), "stop");
    EXPECT_EQ(verdict(answer(409, "idempotency_key_payload_mismatch")), "stop");
    for (const int status : { 400, 401, 403, 404, 408, 409, 410, 412, 413, 415, 422, 451 })
        EXPECT_EQ(verdict(answer(status)), "stop") << status;
    EXPECT_EQ(verdict(answer(409, "PROVIDER.duplicate")), "done");
    EXPECT_EQ(verdict(ended(Ending::Cancelled)), "unknown");
    EXPECT_EQ(verdict(ended(Ending::BreakerOpen)), "stop");
    EXPECT_EQ(verdict(ended(Ending::BudgetEmpty)), "stop");
    EXPECT_EQ(verdict(ended(Ending::Shed)), "stop");
}

TEST(Decision, StopsAtAReplayedServerError)
{
    auto replayed = answer(500);
    replayed.replayed = true;
    EXPECT_EQ(verdict(replayed), "stop");
    EXPECT_THAT(std::string(decided(replayed).reason), HasSubstr("final"));
    auto success = answer(201);
    success.replayed = true;
    EXPECT_EQ(verdict(success), "done");
}

TEST(Decision, ObeysTheServersHint)
{
    auto no = answer(503);
    no.shouldRetry = false;
    EXPECT_EQ(verdict(no), "unknown");
    EXPECT_THAT(std::string(decided(no).reason), HasSubstr("says not to retry"));
    auto yes = answer(422);
    yes.shouldRetry = true;
    EXPECT_EQ(verdict(yes), "retry");
    auto situation = postWithKey();
    situation.attempts = 5;
    EXPECT_EQ(verdict(yes, situation), "stop") << "still bounded by the attempts";
    auto done = answer(200);
    EXPECT_EQ(verdict(done), "done");
    done.shouldRetry = false;
    EXPECT_EQ(verdict(done), "done") << "a success that is the last word";
}

// An answer that the operation runs is no answer of the operation.
TEST(Decision, TakesNoWordOfARunningRequestForItsOutcome)
{
    for (const int status : { 202, 303 }) {
        auto running = answer(status, "idempotency.in_progress");
        EXPECT_EQ(verdict(running), "retry") << status;
        running.errorCode.reset();
        EXPECT_EQ(verdict(running), "done") << status;
        running.shouldRetry = true;
        EXPECT_EQ(verdict(running), "retry") << status;
        auto last = postWithKey();
        last.attempts = 5;
        EXPECT_EQ(verdict(running, last), "unknown") << "the key is kept";
    }
}

// The 409 that means "in flight" is retried, the one that means "mismatch" is not; the code alone tells.
TEST(Decision, TakesTheCodeBeforeTheStatus)
{
    EXPECT_EQ(verdict(answer(422, "idempotency.in_progress")), "retry");
    EXPECT_EQ(verdict(answer(500, "VALIDATION.amount")), "stop");
    EXPECT_EQ(verdict(answer(400, "TRANSIENT.lock")), "retry");
    EXPECT_EQ(verdict(answer(503, "nobody.knows")), "retry");
    EXPECT_EQ(verdict(answer(409, "nobody.knows")), "stop");
    EXPECT_EQ(verdict(answer(200, "TRANSIENT.lock")), "done") << "a success has no error";
}

TEST(Decision, NeverRepeatsAnUnsafeRequestWithoutAKey)
{
    for (const auto& signal : { ended(Ending::TimedOut), ended(Ending::Lost), answer(500), answer(503), answer(504) })
        EXPECT_EQ(verdict(signal, postWithoutKey()), "unknown");
    for (const auto& signal : { answer(429), answer(425) })
        EXPECT_EQ(verdict(signal, postWithoutKey()), "stop");
    auto told = answer(503);
    told.shouldRetry = true;
    EXPECT_EQ(verdict(told, postWithoutKey()), "unknown") << "no hint makes it safe";
    EXPECT_EQ(verdict(ended(Ending::NotSent), postWithoutKey()), "retry") << "nobody can have executed it";
    auto put = postWithoutKey();
    put.verb = verbOf("PUT");
    EXPECT_EQ(verdict(ended(Ending::TimedOut), put), "retry");
}

TEST(Decision, FollowsThePresetAboutStatuses)
{
    EXPECT_EQ(verdict(answer(501), postWithKey(), "aws"), "stop");
    EXPECT_EQ(verdict(answer(505), postWithKey(), "aws"), "stop");
    EXPECT_EQ(verdict(answer(507), postWithKey(), "aws"), "unknown");
    EXPECT_EQ(verdict(answer(502), postWithKey(), "aws"), "retry");
    auto policy = *presetOf("playbook");
    policy.retriesRequestTimeout = true;
    Delays delays(policy.backoff);
    SeededRandom random(1);
    EXPECT_EQ(decide(answer(408), policy, postWithKey(), delays, random).verdict, Verdict::Retry);
}

TEST(Decision, EndsWithTheAttempts)
{
    for (const auto& policy : presets()) {
        auto situation = postWithKey();
        situation.attempts = policy.attempts - 1;
        EXPECT_EQ(verdict(answer(500), situation, std::string(policy.name).c_str()), "retry") << policy.name;
        situation.attempts = policy.attempts;
        EXPECT_EQ(verdict(answer(500), situation, std::string(policy.name).c_str()), "unknown") << policy.name;
        EXPECT_EQ(verdict(ended(Ending::NotSent), situation, std::string(policy.name).c_str()), "stop") << policy.name;
    }
    auto last = postWithKey();
    last.attempts = 5;
    EXPECT_THAT(std::string(decided(answer(500), last, "vendor").reason), HasSubstr("dead letters"));
}

TEST(Decision, LeavesRetriesToTheLayerThatOwnsThem)
{
    auto nested = postWithKey();
    nested.ownsRetries = false;
    EXPECT_EQ(verdict(answer(503), nested), "unknown");
    EXPECT_THAT(std::string(decided(answer(503), nested).reason), HasSubstr("another layer"));
}

TEST(Decision, NeverWaitsPastTheDeadline)
{
    auto situation = postWithKey();
    situation.deadline = start + 149ms; // the delay is at least 100 ms, and an attempt needs 50
    EXPECT_EQ(verdict(answer(429), situation), "stop");
    situation.deadline = start + 10s;
    EXPECT_EQ(verdict(answer(429), situation), "retry");
    situation.now = start + 9990ms;
    EXPECT_EQ(verdict(answer(429), situation), "stop");
    auto total = postWithKey();
    total.now = start + 9990ms;
    EXPECT_EQ(verdict(answer(429), total), "stop") << "the policy's total counts without a deadline, too";
    total.deadline = start + 1h;
    EXPECT_EQ(verdict(answer(429), total), "stop");
}

TEST(Decision, WaitsAtLeastAsLongAsTheServerAsks)
{
    auto busy = answer(503);
    busy.retryAfter = 4s;
    const auto decision = decided(busy);
    EXPECT_EQ(decision.verdict, Verdict::Retry);
    EXPECT_GE(decision.delay, 4s);
    EXPECT_LE(decision.delay, 4400ms);
    EXPECT_EQ(decision.retryAfter, 4s);
}

// P-130: stop now and say so, neither sleep and fail nor come early.
TEST(Decision, StopsWhereTheServerAsksForMoreThanIsLeft)
{
    auto busy = answer(429);
    busy.retryAfter = 60s;
    const auto decision = decided(busy);
    EXPECT_EQ(decision.verdict, Verdict::Stop);
    EXPECT_EQ(decision.retryAfter, 60s);
    EXPECT_EQ(decision.delay, 0s);
    EXPECT_EQ(decision.reason, "the server asks for more time than is left");
    EXPECT_EQ(decided(busy, postWithKey(), "aws").verdict, Verdict::Retry) << "clamped to five seconds";
}

TEST(Decision, RemembersADoubtUntilItIsSettled)
{
    auto doubtful = postWithKey();
    doubtful.inDoubt = true;
    for (const auto& signal : { ended(Ending::BreakerOpen), ended(Ending::BudgetEmpty), ended(Ending::Shed),
             ended(Ending::DeadlineOver), answer(401), answer(403), answer(409, "idempotency.key_expired") })
        EXPECT_EQ(verdict(signal, doubtful), "unknown");
    EXPECT_EQ(verdict(answer(422), doubtful), "stop") << "the same request would have been refused before";
    EXPECT_FALSE(decided(answer(201), doubtful).inDoubt);
    EXPECT_TRUE(decided(answer(429), doubtful).inDoubt);
    EXPECT_FALSE(decided(answer(429)).inDoubt);
    EXPECT_TRUE(decided(ended(Ending::TimedOut)).inDoubt);
    EXPECT_TRUE(decided(ended(Ending::NotSent), doubtful).inDoubt);
    EXPECT_FALSE(decided(ended(Ending::NotSent)).inDoubt);
    EXPECT_TRUE(decided(answer(409, "idempotency.in_progress")).inDoubt);
}

TEST(Decision, HasNoDoubtAboutSafeVerbs)
{
    auto get = postWithoutKey();
    get.verb = verbOf("GET");
    get.attempts = 5;
    EXPECT_EQ(verdict(ended(Ending::TimedOut), get), "stop");
    EXPECT_EQ(verdict(ended(Ending::Cancelled), get), "stop");
}

TEST(Decision, TellsTheBreakerOnlyWhatSaysSomethingAboutTheDependency)
{
    const auto health = [](const Signal& signal) { return decided(signal).health; };
    for (const auto& failure : { ended(Ending::NotSent), ended(Ending::TimedOut), ended(Ending::Lost), answer(500),
             answer(503), answer(503, "DEPENDENCY.unavailable"), answer(504, "DEPENDENCY.timeout") })
        EXPECT_EQ(health(failure), Health::Failure);
    for (const auto& neutral : { answer(400), answer(404), answer(409, "idempotency.in_progress"), answer(422),
             answer(429), answer(503, "RATE_LIMIT.exceeded"), ended(Ending::Cancelled), ended(Ending::BreakerOpen),
             ended(Ending::Shed), ended(Ending::BudgetEmpty), ended(Ending::DeadlineOver) })
        EXPECT_EQ(health(neutral), Health::Neutral);
    EXPECT_EQ(health(answer(200)), Health::Success);
    EXPECT_EQ(health(answer(304)), Health::Success);
    auto replayed = answer(500);
    replayed.replayed = true;
    EXPECT_EQ(health(replayed), Health::Neutral);
}

TEST(Decision, TellsTheLimiterWhatWasDropped)
{
    const auto load = [](const Signal& signal) { return decided(signal).load; };
    for (const auto& dropped : { ended(Ending::TimedOut), ended(Ending::Lost), answer(429), answer(503) })
        EXPECT_EQ(load(dropped), Load::Dropped);
    EXPECT_EQ(load(answer(200)), Load::Success);
    EXPECT_EQ(load(answer(422)), Load::Success);
    EXPECT_EQ(load(ended(Ending::NotSent)), Load::Ignored);
    EXPECT_EQ(load(ended(Ending::Cancelled)), Load::Ignored);
}

TEST(Decision, CostsLessWhereTheServerThrottles)
{
    EXPECT_EQ(decided(answer(429)).cost, Cost::Throttle);
    EXPECT_EQ(decided(answer(503, "RATE_LIMIT.exceeded")).cost, Cost::Throttle);
    EXPECT_EQ(decided(answer(503)).cost, Cost::Normal);
    auto told = answer(429);
    told.shouldRetry = true;
    EXPECT_EQ(decided(told).cost, Cost::Throttle);
    // AWS starts at a second there.
    SeededRandom random(3);
    auto policy = *presetOf("aws");
    policy.backoff.jitter = Jitter::None;
    Delays delays(policy.backoff);
    EXPECT_EQ(decide(answer(429), policy, postWithKey(), delays, random).delay, 1s);
}

TEST(Decision, IsTotal)
{
    SeededRandom random(5);
    for (int round = 0; round < 20'000; ++round) {
        auto signal = ended(static_cast<Ending>(random.below(9)));
        signal.status = static_cast<int>(random.below(700)) - 50;
        const auto codes = errorCodes();
        if (random.below(2) == 0)
            signal.errorCode = std::string(codes[random.below(codes.size())].code);
        if (random.below(3) == 0)
            signal.shouldRetry = random.below(2) == 0;
        signal.replayed = random.below(2) == 0;
        if (random.below(2) == 0)
            signal.retryAfter = Duration(static_cast<std::int64_t>(random.below(20'000'000)));
        auto situation = postWithKey();
        situation.verb = static_cast<Verb>(random.below(3));
        situation.hasKey = random.below(2) == 0;
        situation.inDoubt = random.below(2) == 0 && situation.verb != Verb::Safe;
        situation.attempts = static_cast<int>(random.below(12));
        situation.now = start + Duration(static_cast<std::int64_t>(random.below(12'000'000)));
        if (random.below(2) == 0)
            situation.deadline = start + Duration(static_cast<std::int64_t>(random.below(15'000'000)));
        const auto& policy = presets()[random.below(presets().size())];
        Delays delays(policy.backoff);
        const auto decision = decide(signal, policy, situation, delays, random);
        ASSERT_FALSE(decision.reason.empty());
        ASSERT_EQ(decision.verdict == Verdict::Unknown, decision.inDoubt && decision.verdict != Verdict::Retry);
        if (decision.verdict != Verdict::Retry)
            continue;
        ASSERT_LT(situation.attempts, policy.attempts);
        ASSERT_TRUE(situation.hasKey || situation.verb != Verb::Unsafe || signal.ending == Ending::NotSent);
        for (const auto& end :
            { situation.deadline, policy.total ? std::optional(start + *policy.total) : std::nullopt }) {
            ASSERT_TRUE(!end || *end - situation.now - decision.delay >= policy.leastAttempt);
        }
        ASSERT_TRUE(
            !signal.retryAfter || policy.retryAfter != RetryAfterRule::Floor || decision.delay >= *signal.retryAfter);
    }
}

TEST(AttemptTimeout, IsCutToWhatIsLeft)
{
    const auto policy = *presetOf("playbook");
    auto situation = postWithKey();
    EXPECT_EQ(attemptTimeout(policy, situation), 3s);
    situation.now = start + 8s;
    EXPECT_EQ(attemptTimeout(policy, situation), 2s);
    situation.deadline = start + 9s;
    EXPECT_EQ(attemptTimeout(policy, situation), 1s);
    situation.now = start + 8950ms;
    EXPECT_EQ(attemptTimeout(policy, situation), 50ms);
    situation.now = start + 8951ms;
    EXPECT_EQ(attemptTimeout(policy, situation), std::nullopt);
    situation.now = start + 1h;
    EXPECT_EQ(attemptTimeout(policy, situation), std::nullopt);
    situation = postWithKey();
    EXPECT_EQ(attemptTimeout(*presetOf("vendor"), situation), 15s) << "no total, no deadline";
}

TEST(SignalOfAnswer, ReadsTheHeadersOfTheProtocol)
{
    const auto signal = signalOfAnswer(503,
        { { "retry-after", "5" }, { "Retry-After", "Wed, 21 Oct 2026 07:29:00 GMT" },
            { "IDEMPOTENCY-STATUS", " replayed" }, { "Stripe-Should-Retry", "true" }, { "X-Other", "1" } },
        start);
    EXPECT_EQ(signal.status, 503);
    EXPECT_EQ(signal.retryAfter, 60s);
    EXPECT_TRUE(signal.replayed);
    EXPECT_EQ(signal.shouldRetry, true);
    const auto odd = signalOfAnswer(503,
        { { "Retry-After", "soon" }, { "Idempotency-Should-Retry", "maybe" }, { "Idempotency-Status", "stored" } },
        start);
    EXPECT_EQ(odd.retryAfter, std::nullopt);
    EXPECT_EQ(odd.shouldRetry, std::nullopt);
    EXPECT_FALSE(odd.replayed);
}

TEST(Verbs, AreThoseOfHttp)
{
    for (const char* method : { "GET", "HEAD", "OPTIONS", "TRACE" })
        EXPECT_EQ(verbOf(method), Verb::Safe);
    EXPECT_EQ(verbOf("PUT"), Verb::Idempotent);
    EXPECT_EQ(verbOf("DELETE"), Verb::Idempotent);
    for (const char* method : { "POST", "PATCH", "get", "", "BREW" })
        EXPECT_EQ(verbOf(method), Verb::Unsafe) << method;
}

} // namespace
} // namespace fencepost::retry
