// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simulation/recording_source.h"
#include "core/simulation/simulator.h"

namespace fencepost::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<exchange::RetryLogRow> rowsOf(const std::string& lines)
{
    const auto rows = exchange::readRetryLog("attempt,delay_ms,status,code,notes\n" + lines);
    EXPECT_TRUE(rows) << rows.error().message;
    return *rows;
}

JournalEntry entry(std::int64_t seq, std::string_view event, std::string to, int attempt, Duration at)
{
    JournalEntry made;
    made.seq = seq;
    made.event = event;
    made.toState = std::move(to);
    made.attempt = attempt;
    made.at = Time(at);
    return made;
}

std::vector<RecordedEnding> endingsOf(const RecordedRequest& request)
{
    std::vector<RecordedEnding> endings;
    for (const auto& attempt : request.attempts)
        endings.push_back(attempt.ending);
    return endings;
}

TEST(RecordingSource, ReadsACallOfARetryLogWhereItsAttemptsBeginAgain)
{
    const auto recording = recordingOf(
        rowsOf("1,0,timeout,,initial timeout\n2,137,5xx,502,proxy error\n3,281,200,201,success\n1,0,429,429,\n"),
        "log");
    ASSERT_TRUE(recording) << recording.error().message;
    ASSERT_THAT(recording->requests, SizeIs(2));
    EXPECT_THAT(endingsOf(recording->requests[0]),
        ElementsAre(RecordedEnding::TimedOut, RecordedEnding::ProxyError, RecordedEnding::Answered));
    EXPECT_EQ(recording->requests[0].attempts[1].code, 502);
    EXPECT_EQ(recording->requests[0].attempts[1].note, "proxy error");
    EXPECT_THAT(endingsOf(recording->requests[1]), ElementsAre(RecordedEnding::Throttled));
    EXPECT_EQ(recording->requests[1].at, usualSpacing);
    EXPECT_EQ(recording->by, RecordedBy::Log);
    EXPECT_EQ(recording->requests[0].attempts[1].delay, milliseconds(137));
    EXPECT_THAT(recording->attempts, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(recording->delays, ElementsAre(milliseconds(137), milliseconds(281)));
}

TEST(RecordingSource, KnowsWhatALogCallsEachEnding)
{
    const auto recording =
        *recordingOf(rowsOf("1,0,reset,,\n2,100,breaker_open,,\n3,200,429,429,\n4,5000,not_sent,,\n1,0,4xx,404,\n"),
            "log", seconds(2));
    EXPECT_THAT(endingsOf(recording.requests[0]),
        ElementsAre(
            RecordedEnding::Reset, RecordedEnding::BreakerOpen, RecordedEnding::Throttled, RecordedEnding::NotSent));
    EXPECT_EQ(recording.requests[0].attempts[2].retryAfter, seconds(5)) << "what was waited for was asked for";
    EXPECT_EQ(recording.requests[1].at, seconds(2));
}

TEST(RecordingSource, KnowsAnEndingByItsCodeAlone)
{
    const auto recording =
        *recordingOf(rowsOf("1,0,201,,\n1,0,204,204,\n1,0,404,,\n1,0,500,500,\n1,0,502,,\n1,0,503,,\n"
                            "1,0,429,,\n1,0,200,201,\n1,0,answered,200,\n1,0,5xx,200,\n"),
            "log");
    std::vector<std::pair<RecordedEnding, int>> ends;
    for (const auto& request : recording.requests)
        ends.emplace_back(request.attempts[0].ending, request.attempts[0].code);
    EXPECT_THAT(ends,
        ElementsAre(std::pair(RecordedEnding::Answered, 201), std::pair(RecordedEnding::Answered, 204),
            std::pair(RecordedEnding::Declined, 404), std::pair(RecordedEnding::Failed, 500),
            std::pair(RecordedEnding::ProxyError, 502), std::pair(RecordedEnding::Failed, 503),
            std::pair(RecordedEnding::Throttled, 429), std::pair(RecordedEnding::Answered, 201),
            std::pair(RecordedEnding::Answered, 200), std::pair(RecordedEnding::Failed, 0)));
    EXPECT_THAT(recording.observed,
        ElementsAre(std::pair<std::string, std::int64_t>("succeeded", 4),
            std::pair<std::string, std::int64_t>("refused", 6), std::pair<std::string, std::int64_t>("unknown", 0)));
}

TEST(RecordingSource, BelievesWhatIsToldBehindATimeout)
{
    const auto logOf = [](const std::string& rows) {
        Scenario scenario;
        scenario.name = "again";
        RunOptions options;
        options.keepsLogs = true;
        const auto outcome = simulate(withRecording(scenario, *recordingOf(rowsOf(rows), "log")), options);
        const auto text = exchange::writeRetryLog(outcome.retryLog);
        return text.substr(text.find('\n') + 1);
    };
    for (const std::string rows :
        { "1,0,timeout,,\n2,137,5xx,503,\n3,281,200,201,\n", "1,0,timeout,,\n2,200,4xx,422,\n",
            "1,0,reset,,\n2,100,5xx,500,\n3,100,4xx,404,\n", "1,0,timeout,,\n2,300,4xx,409,\n3,500,200,200,\n",
            "1,0,200,202,\n2,300,200,200,\n", "1,0,4xx,425,\n2,300,5xx,503,\n3,50,timeout,,\n" })
        EXPECT_EQ(logOf(rows), rows);
    EXPECT_EQ(logOf("1,0,201,201,\n"), "1,0,200,201,\n") << "the playbook's word for every success";
}

TEST(RecordingSource, RefusesMoreAttemptsThanAreRunOn)
{
    std::string rows;
    for (int attempt = 1; attempt <= 256; ++attempt)
        rows += std::to_string(attempt) + ",0,5xx,503,\n";
    EXPECT_THAT(recordingOf(rowsOf(rows), "log").error().message, HasSubstr("a call of more than 255 attempts"));
    RecordedLife life;
    for (int attempt = 1; attempt <= 256; ++attempt)
        life.journal.push_back(entry(attempt, "reserve", "IN_PROGRESS", attempt, seconds(attempt)));
    EXPECT_THAT(recordingOf({ life }, "records").error().message, HasSubstr("executed 256 times"));
    life.journal.pop_back();
    Scenario scenario;
    scenario.name = "again";
    EXPECT_EQ(simulate(withRecording(scenario, *recordingOf({ life }, "records")))[Measure::Takeovers], 254);
}

TEST(RecordingSource, GivesALogAgainThatIsRunOnUnchanged)
{
    const std::string log = "attempt,delay_ms,status,code,notes\n1,0,timeout,,slow\n2,137,5xx,502,\n3,281,200,201,\n"
                            "1,0,reset,,\n2,9000,429,429,\n3,5000,200,200,\n1,0,breaker_open,,\n1,0,4xx,404,\n";
    Scenario scenario;
    scenario.name = "again";
    RunOptions options;
    options.keepsLogs = true;
    const auto outcome = simulate(withRecording(scenario, *recordingOf(*exchange::readRetryLog(log), "log")), options);
    EXPECT_EQ(exchange::writeRetryLog(outcome.retryLog), log);
    EXPECT_EQ(outcome[Measure::BudgetRefusals] + outcome[Measure::BreakerRefusals], 0);
}

TEST(RecordingSource, RefusesALogThatBeginsInTheMiddle)
{
    EXPECT_THAT(recordingOf(rowsOf("2,137,200,200,\n"), "log").error().message, HasSubstr("first attempt"));
    EXPECT_THAT(recordingOf(std::vector<exchange::RetryLogRow>(), "log").error().message, HasSubstr("no attempt"));
    EXPECT_THAT(recordingOf(rowsOf("1,0,timeout,,\n5,137,200,200,\n"), "log").error().message,
        HasSubstr("attempt 2 of the log: number 5 follows number 1"));
    EXPECT_THAT(recordingOf(rowsOf("1,0,timeout,,\n2,9223372036854775807,200,200,\n"), "log").error().message,
        HasSubstr("none is longer than a day"));
}

TEST(RecordingSource, ReadsAttemptsFromAJournal)
{
    RecordedLife life;
    life.journal = { entry(1, "reserve", "IN_PROGRESS", 1, seconds(100)),
        entry(2, "reserve", "IN_PROGRESS", 2, seconds(160)), entry(3, "fail", "FAILED_RETRYABLE", 2, seconds(161)),
        entry(4, "reserve", "IN_PROGRESS", 3, seconds(163)), entry(5, "finalize", "SUCCEEDED", 3, seconds(164)) };
    const auto recording = recordingOf({ life }, "records");
    ASSERT_TRUE(recording) << recording.error().message;
    ASSERT_THAT(recording->requests, SizeIs(1));
    EXPECT_THAT(endingsOf(recording->requests[0]),
        ElementsAre(RecordedEnding::Crashed, RecordedEnding::Failed, RecordedEnding::Answered));
    EXPECT_EQ(recording->requests[0].attempts[2].took, seconds(1));
    EXPECT_THAT(recording->delays, ElementsAre(seconds(60), seconds(3))) << "from one execution to the next";
    EXPECT_THAT(recording->attempts, ElementsAre(0, 0, 0, 1));
}

TEST(RecordingSource, ReadsOffWhatRulesARecordHad)
{
    const auto running = [](Duration began, Duration lease) {
        RecordedLife life;
        life.row.state = "IN_PROGRESS";
        life.row.startedAt = Time(began);
        life.row.leaseUntil = Time(began + lease);
        life.row.expiresAt = Time(began + std::chrono::hours(24));
        life.journal = { entry(1, "reserve", "IN_PROGRESS", 1, began) };
        return life;
    };
    RecordedLife takenOver;
    takenOver.row.state = "HELD";
    takenOver.row.takeover = "manual";
    takenOver.row.maxAttempts = 5;
    takenOver.journal = { entry(1, "reserve", "IN_PROGRESS", 1, seconds(100)),
        entry(2, "reserve", "IN_PROGRESS", 2, seconds(132)), entry(3, "operator_fence", "HELD", 2, seconds(140)) };
    auto brief = takenOver;
    brief.row.state = "IN_PROGRESS";
    brief.journal = { entry(1, "reserve", "IN_PROGRESS", 1, seconds(200)),
        entry(2, "reserve", "IN_PROGRESS", 2, seconds(218)) };
    const auto recording = *recordingOf({ running(seconds(1), seconds(30)), running(seconds(2), seconds(30)),
                                            running(seconds(3), seconds(15)), takenOver, brief },
        "records");
    EXPECT_EQ(recording.lease, seconds(30));
    EXPECT_EQ(recording.ttl, std::chrono::hours(24));
    const auto& held = recording.requests[3];
    EXPECT_EQ(held.attempts[0].lease, seconds(30)) << "the usual one was over by then";
    EXPECT_TRUE(held.manual);
    EXPECT_EQ(held.maxAttempts, 5);
    ASSERT_THAT(held.steps, SizeIs(1));
    EXPECT_EQ(held.steps[0].act, RecordedAct::Hold);
    EXPECT_EQ(held.steps[0].at, seconds(40));
    EXPECT_EQ(recording.requests[4].attempts[0].lease, seconds(15)) << "another one that was seen";
    EXPECT_THAT(recording.observed,
        testing::IsSupersetOf({ std::pair<std::string, std::int64_t>("stuck", 4), { "held", 1 }, { "takeovers", 2 } }));
    Scenario scenario;
    EXPECT_EQ(withRecording(scenario, recording).service.lease, seconds(30));
}

TEST(RecordingSource, TakesAnotherPayloadForARequestOfItsOwn)
{
    RecordedLife life;
    life.row.state = "SUCCEEDED";
    life.journal = { entry(1, "reserve", "IN_PROGRESS", 1, seconds(1)),
        entry(2, "finalize", "SUCCEEDED", 1, seconds(2)), entry(3, "mismatch", "SUCCEEDED", 1, seconds(60)) };
    const auto recording = *recordingOf({ life }, "records");
    ASSERT_THAT(recording.requests, SizeIs(2));
    EXPECT_EQ(recording.requests[0].key, recording.requests[1].key);
    EXPECT_NE(recording.requests[0].payload, recording.requests[1].payload);
    EXPECT_THAT(recording.attempts, ElementsAre(0, 1)) << "nothing was executed for it";
    Scenario scenario;
    scenario.name = "again";
    const auto world = withRecording(scenario, recording);
    const auto outcome = simulate(world);
    EXPECT_EQ(outcome[Measure::Conflicts], 1);
    auto forgetful = world;
    forgetful.service.ttl = seconds(10);
    const auto forgotten = simulate(forgetful);
    EXPECT_EQ(forgotten[Measure::Conflicts], 0);
    EXPECT_EQ(forgotten[Measure::Expired], 1);
    EXPECT_EQ(forgotten[Measure::DuplicateEffects], 0) << "it is another effect";
}

TEST(RecordingSource, TakesAKeyThatWasForgottenForAnotherRequest)
{
    RecordedLife life;
    life.journal = { entry(1, "reserve", "IN_PROGRESS", 1, seconds(1)),
        entry(2, "finalize", "SUCCEEDED", 1, seconds(2)), entry(3, "reserve", "IN_PROGRESS", 1, seconds(900)),
        entry(4, "fail", "FAILED_FINAL", 1, seconds(901)) };
    const auto recording = *recordingOf({ life }, "records");
    ASSERT_THAT(recording.requests, SizeIs(2));
    EXPECT_THAT(endingsOf(recording.requests[1]), ElementsAre(RecordedEnding::Declined));
    EXPECT_EQ(recording.requests[1].at, seconds(899));
    EXPECT_THAT(recording.attempts, ElementsAre(0, 2));
}

TEST(RecordingSource, BelievesARowWithoutAJournal)
{
    RecordedLife failed;
    failed.row.state = "FAILED_FINAL";
    failed.row.attempts = 3;
    failed.row.createdAt = Time(seconds(10));
    RecordedLife earlier;
    earlier.row.state = "SUCCEEDED";
    earlier.row.createdAt = Time(seconds(5));
    earlier.row.finishedAt = Time(seconds(7));
    const auto recording = *recordingOf({ failed, earlier }, "records");
    ASSERT_THAT(recording.requests, SizeIs(2));
    EXPECT_EQ(recording.requests[0].at, Duration(0));
    EXPECT_EQ(recording.requests[0].attempts[0].took, seconds(2));
    EXPECT_EQ(recording.requests[1].at, seconds(5));
    EXPECT_THAT(endingsOf(recording.requests[1]),
        ElementsAre(RecordedEnding::Failed, RecordedEnding::Failed, RecordedEnding::Declined));
    EXPECT_THAT(
        recordingOf({ RecordedLife{} }, "records").error().message, HasSubstr("None of records says when it began"));
}

TEST(RecordingSource, IsTheLoadOfAWorld)
{
    Scenario scenario;
    scenario.name = "again";
    scenario.expect = { "requests = 100" };
    const auto rows = rowsOf("1,0,5xx,503,\n2,120,200,200,\n1,0,200,200,\n");
    const auto world = withRecording(scenario, *recordingOf(rows, "log"));
    EXPECT_TRUE(world.expect.empty());
    const auto outcome = simulate(world);
    EXPECT_EQ(outcome[Measure::Requests], 2);
    EXPECT_EQ(outcome[Measure::Attempts], 3);
    EXPECT_EQ(outcome[Measure::Succeeded], 2);
}

} // namespace
} // namespace fencepost::simulation
