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

} // namespace

} // namespace fencepost::simulation
