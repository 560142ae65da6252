// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

TEST(RecordingTest, LivesThroughRequestsAsTheyWere)
{
    RunOptions options;
    options.keepsLogs = true;
    const auto outcome = simulate(world({}, R"({"scenario": 1, "name": "recorded",
        "recording": {"source": "a log", "requests": [
            {"at": "0s", "key": "k1", "payload": "abc", "result": "rf_123"},
            {"at": "1s", "key": "k1", "payload": "abc"},
            {"at": "2s", "key": "k1", "payload": "xyz"}]}})"),
        options);
    EXPECT_EQ(exchange::writeReplayOutcomes(outcome.replays),
        "key,payload_hash,status,http_code,result_id,notes\n"
        "k1,abc,complete,201,rf_123,created\n"
        "k1,abc,complete,201,rf_123,replayed\n"
        "k1,xyz,conflict,409,,payload mismatch\n");
    EXPECT_EQ(outcome[Measure::DuplicateEffects], 0);
    EXPECT_EQ(outcome[Measure::LostEffects], 0);
    EXPECT_TRUE(outcome.violations.empty());
}

TEST(RecordingTest, LetsOnlyWhatIsChosenAnewBeAnotherOne)
{
    constexpr std::string_view recorded = R"({"scenario": 1, "name": "recorded",
        "recording": {"requests": [{"at": "0s", "key": "k1", "payload": "abc", "attempts": [
            {"ending": "timed_out", "took": "4s", "code": 200, "note": "initial timeout"},
            {"ending": "proxy_error", "took": "30ms", "code": 502, "note": "proxy error"},
            {"ending": "answered", "took": "20ms", "code": 200, "note": "success"}]}]}})";
    RunOptions options;
    options.keepsLogs = true;
    const auto outcome = simulate(world({}, recorded), options);
    ASSERT_GE(outcome.retryLog.size(), 3U);
    EXPECT_EQ(outcome.retryLog[0].status, "timeout");
    EXPECT_EQ(outcome.retryLog[0].delayMs, 0);
    EXPECT_EQ(outcome.retryLog[1].status, "5xx");
    EXPECT_GE(outcome.retryLog[1].delayMs, 100);
    EXPECT_LE(outcome.retryLog[1].delayMs, 200);
    EXPECT_EQ(outcome[Measure::Succeeded], 1);
    EXPECT_EQ(outcome[Measure::DuplicateEffects], 0);
    // With another policy the same request waits otherwise.
    const auto slower = simulate(world({ { "client.base", "1s" } }, recorded), options);
    EXPECT_GE(slower.retryLog[1].delayMs, 1000);
    // And without a contract the attempt that timed out has done it already.
    const auto naive = simulate(world({ { "service.contract", "none" } }, recorded), options);
    EXPECT_EQ(naive[Measure::DuplicateEffects], 1);
}

// Nobody waits for what the completer does.
TEST(RecordingTest, DrivesWhatWasLeftToItsEndWhoseverKeyItIs)
{
    for (const auto* key : { "", R"("key": "k1", )" }) {
        const auto recorded = std::string(R"({"scenario": 1, "name": "recorded", "client": {"attempts": 1},
            "service": {"completer": "10s", "lease": "5s"},
            "recording": {"source": "a table", "by": "table", "requests": [{"at": "0s", )")
            + key + R"("payload": "p", "attempts": [{"at": "0s", "ending": "crashed"},
                {"at": "1s", "ending": "crashed"}, {"at": "2s", "ending": "answered", "code": 201}]}]}})";
        const auto outcome = simulate(world({}, recorded));
        EXPECT_EQ(outcome[Measure::Crashes], 2) << key;
        EXPECT_EQ(outcome[Measure::Takeovers], 2) << key;
        EXPECT_EQ(outcome[Measure::Stuck], 0) << key;
        EXPECT_EQ(outcome[Measure::DuplicateEffects], 0) << key;
    }
}

TEST(RecordingTest, ReceivesDeliveriesAsTheyCame)
{
    RunOptions options;
    options.keepsLogs = true;
    auto scenario =
        world({ { "load.requests", "1" } }, R"({"scenario": 1, "name": "webhook", "start": "2025-09-15T12:00:00Z",
        "deliveries": [{"at": "0s", "event": "ev_001", "source": "payments", "took": "3s"},
                       {"at": "5s", "event": "ev_001", "source": "payments"}]})");
    const auto outcome = simulate(scenario, options);
    EXPECT_EQ(exchange::writeInbox(outcome.inbox),
        "event_id,source,first_seen,processed,result\n"
        "ev_001,payments,2025-09-15T12:00:00Z,2025-09-15T12:00:03Z,ok\n"
        "ev_001,payments,2025-09-15T12:00:05Z,2025-09-15T12:00:05Z,replayed\n");
    EXPECT_EQ(outcome[Measure::EventsHandled], 1);
    ASSERT_TRUE(turn(scenario, "events.inbox", "false"));
    EXPECT_EQ(simulate(scenario)[Measure::DoubledEvents], 1);
}

// G9 of the protocol.
TEST(RecordingTest, DoesNotTakeADuplicateForDoneWhileTheFirstIsHandled)
{
    RunOptions options;
    options.keepsLogs = true;
    const auto outcome = simulate(world({ { "load.requests", "1" } }, R"({"scenario": 1, "name": "webhook",
        "deliveries": [{"at": "0s", "event": "ev_001", "source": "payments", "took": "3s"},
                       {"at": "1s", "event": "ev_001", "source": "payments"}]})"),
        options);
    ASSERT_EQ(outcome.inbox.size(), 2U);
    EXPECT_FALSE(outcome.inbox[1].result);
    EXPECT_EQ(outcome[Measure::EventsHandled], 1);
}

// Two records that somebody left: one was taken over 32 s later, behind its lease of 30 s, of the other one nobody
// heard again.
constexpr std::string_view table = R"({"scenario": 1, "name": "table", "service": {"lease": "30s"},
    "recording": {"by": "table", "lease": "30s", "requests": [
        {"at": "0s", "attempts": [{"ending": "crashed", "at": "0s", "lease": "30s"},
                                  {"ending": "failed", "at": "32s", "took": "1s"},
                                  {"ending": "answered", "at": "50s", "took": "2s"}]},
        {"at": "5s", "attempts": [{"ending": "crashed", "at": "0s", "lease": "30s"}]},
        {"at": "6s", "attempts": [{"ending": "held", "at": "0s", "took": "3s"}]},
        {"at": "7s", "attempts": [{"ending": "declined", "at": "0s", "took": "1s"}]}]}})";

TEST(RecordingTest, GivesATableThatWasReadAsItWas)
{
    const auto outcome = simulate(world({}, table));
    EXPECT_EQ(outcome.executions, (std::vector<std::int64_t>{ 0, 3, 0, 1 }));
    EXPECT_EQ(outcome.betweenExecutions.count(), 2);
    EXPECT_EQ(outcome[Measure::Stuck], 1);
    EXPECT_EQ(outcome[Measure::Held], 1);
    EXPECT_EQ(outcome[Measure::Crashes], 2);
    EXPECT_EQ(outcome[Measure::Takeovers], 2);
    EXPECT_EQ(outcome[Measure::Succeeded], 1);
    EXPECT_GE(outcome.latency.most(), std::chrono::seconds(52));
    EXPECT_EQ(outcome[Measure::Violations], 0);
}

TEST(RecordingTest, LetsALongerLeaseRefuseWhoTookOverAndAShorterOneLetHimInEarlier)
{
    const auto longer = simulate(world({ { "service.lease", "2m" } }, table));
    EXPECT_EQ(longer[Measure::Takeovers], 0);
    EXPECT_EQ(longer[Measure::Stuck], 2);
    EXPECT_EQ(longer[Measure::InFlightAnswers], 2);
    const auto shorter = simulate(world({ { "service.lease", "10s" } }, table));
    EXPECT_EQ(shorter[Measure::Takeovers], 2);
    EXPECT_EQ(shorter[Measure::Stuck], 1);
    // 12 s behind the first one instead of 32 s, and then as it was.
    EXPECT_EQ(shorter.betweenExecutions.percentile(1), shorter.betweenExecutions.percentile(500));
    EXPECT_LT(shorter.betweenExecutions.percentile(500), std::chrono::seconds(13));
}

TEST(RecordingTest, ScalesTheCrashesThatWere)
{
    const auto none = simulate(world({ { "replay.crashes", "0" } }, table));
    EXPECT_EQ(none[Measure::Crashes], 0);
    EXPECT_EQ(none[Measure::Stuck], 0);
    EXPECT_EQ(none[Measure::Succeeded], 2);
    EXPECT_EQ(none[Measure::Takeovers], 0) << "who was answered does not come again";
    const auto more = simulate(world({ { "replay.crashes", "1000" } }, table));
    EXPECT_GT(more[Measure::Crashes], 2);
}

TEST(RecordingTest, LetsAPolicyTryAgainOnceOneWasChosen)
{
    EXPECT_TRUE(comesAsRecorded(world({}, table)));
    const auto chosen = world({ { "client.base", "200ms" } }, table);
    EXPECT_FALSE(comesAsRecorded(chosen));
    EXPECT_TRUE(comesAsRecorded(world({ { "client.base", "200ms" }, { "client.retries", "recorded" } }, table)));
    const auto outcome = simulate(chosen);
    EXPECT_GT(outcome[Measure::InFlightAnswers], 0) << "it asks again while the lease is live";
    // Who gave up comes back when somebody did.
    EXPECT_EQ(outcome.executions, (std::vector<std::int64_t>{ 0, 3, 0, 1 }));
    const auto soon = simulate(world({ { "client.base", "200ms" }, { "service.lease", "500ms" } }, table));
    EXPECT_EQ(soon[Measure::Stuck], 0);
}

TEST(RecordingTest, LetsAPolicyTryAgainThatIsChosenAlthoughItIsTheUsualOne)
{
    EXPECT_TRUE(comesAsRecorded(world({ { "service.lease", "10s" } }, table)));
    EXPECT_FALSE(comesAsRecorded(world({ { "client.policy", "playbook" } }, table)));
    EXPECT_FALSE(comesAsRecorded(world({ { "client.budget", "finagle" } }, table)));
    EXPECT_TRUE(comesAsRecorded(world({ { "client.policy", "playbook" }, { "client.retries", "recorded" } }, table)));
    EXPECT_TRUE(comesAsRecorded(world({ { "client.retries", "recorded" }, { "client.policy", "atlas" } }, table)));
    const auto chosen = world({ { "client.policy", "playbook" } }, table);
    EXPECT_GT(simulate(chosen)[Measure::InFlightAnswers], 0);
    EXPECT_FALSE(comesAsRecorded(*parseScenario(formatScenario(chosen)))) << "its file says so too";
}

// The owner slept past its lease and was held by who came meanwhile, and finished it all the same.
constexpr std::string_view asleep = R"({"scenario": 1, "name": "asleep", "recording": {"by": "table", "lease": "3s",
    "requests": [{"at": "0s", "manual": true, "steps": [{"at": "4s", "act": "come"}],
        "attempts": [{"ending": "answered", "at": "0s", "took": "5s", "lease": "3s", "silent": true}]}]},
    "service": {"lease": "3s"}})";

TEST(RecordingTest, LetsWhoeverCameMeanwhileHoldWhatItsOwnerFinishes)
{
    const auto outcome = simulate(world({}, asleep));
    EXPECT_EQ(outcome[Measure::Held], 0);
    EXPECT_EQ(outcome[Measure::Fenced], 0);
    EXPECT_EQ(outcome[Measure::Succeeded], 1);
    EXPECT_EQ(outcome.executions, (std::vector<std::int64_t>{ 0, 1 }));
    // He who comes finds a longer lease live, and one that may be taken over takes it.
    EXPECT_EQ(simulate(world({ { "service.lease", "10s" } }, asleep))[Measure::InFlightAnswers], 1);
    EXPECT_EQ(simulate(world({ { "service.takeover", "auto" } }, asleep))[Measure::Takeovers], 1);
}

TEST(RecordingTest, HasRoomForAllThatCameUntilSomebodySaysHowMuch)
{
    std::string requests;
    for (int i = 0; i < 1'000; ++i)
        requests +=
            std::string(i == 0 ? "" : ",") + R"({"at": "0s", "attempts": [{"ending": "answered", "took": "5s"}]})";
    const auto file = R"({"scenario": 1, "name": "crowd", "recording": {"by": "log", "requests": [)" + requests + "]}}";
    EXPECT_EQ(simulate(world({}, file))[Measure::Overload], 0);
    EXPECT_EQ(simulate(world({}, file))[Measure::Succeeded], 0) << "who waits 3 s for 5 s of work";
    EXPECT_GT(simulate(world({ { "service.workers", "10" } }, file))[Measure::Overload], 0);
}

TEST(RecordingTest, LetsAnOperatorDoWhatHeDid)
{
    const auto outcome =
        simulate(world({}, R"({"scenario": 1, "name": "steps", "recording": {"by": "table", "requests": [
        {"at": "0s", "attempts": [{"ending": "crashed", "at": "0s"}], "steps": [{"at": "2m", "act": "release"}]},
        {"at": "1s", "attempts": [{"ending": "held", "at": "0s"}], "steps": [{"at": "2m", "act": "succeed"}]},
        {"at": "2s", "attempts": [{"ending": "crashed", "at": "0s"}], "steps": [{"at": "2m", "act": "hold"}]}]}})"));
    EXPECT_EQ(outcome[Measure::Stuck], 0);
    EXPECT_EQ(outcome[Measure::Held], 1);
    EXPECT_EQ(outcome[Measure::Violations], 0);
}

constexpr std::string_view resets = R"({"scenario": 1, "name": "resets", "service": {"contract": "none"},
    "recording": {"by": "log", "requests": [{"at": "0s", "attempts": [
        {"ending": "reset"}, {"ending": "breaker_open", "delay": "150ms"}, {"ending": "answered", "delay": "300ms"}]}]}})";

TEST(RecordingTest, DoesTwiceWhatWasExecutedBeforeItsConnectionBroke)
{
    RunOptions options;
    options.keepsLogs = true;
    const auto arrived = simulate(world({ { "replay.resets_arrived", "100%" } }, resets), options);
    EXPECT_EQ(arrived[Measure::DuplicateEffects], 1);
    const auto lost = simulate(world({ { "replay.resets_arrived", "0%" } }, resets), options);
    EXPECT_EQ(lost[Measure::DuplicateEffects], 0) << "what a breaker stopped was never sent";
    for (const auto& outcome : { arrived, lost }) {
        EXPECT_EQ(exchange::writeRetryLog(outcome.retryLog),
            "attempt,delay_ms,status,code,notes\n1,0,reset,,\n2,150,breaker_open,,\n3,300,200,201,\n");
        EXPECT_EQ(outcome[Measure::Timeouts], 0);
    }
}

TEST(RecordingTest, WaitsAsLongAsItWasToldTo)
{
    RunOptions options;
    options.keepsLogs = true;
    const auto outcome = simulate(world({ { "client.retries", "policy" } },
                                      R"({"scenario": 1, "name": "throttled", "recording": {"by": "log", "requests": [
        {"at": "0s", "attempts": [{"ending": "throttled", "retry_after": "5s"}, {"ending": "answered", "delay": "5s"}]}]}})"),
        options);
    ASSERT_EQ(outcome.retryLog.size(), 2U);
    EXPECT_GE(outcome.retryLog[1].delayMs, 5'000);
}

} // namespace

} // namespace fencepost::simulation
