// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/operations/applicability.h"
#include "core/operations/operation.h"
#include "tests/support/fake_inspector.h"

namespace fencepost {
namespace {

using test::stuckRow;
using testing::HasSubstr;
using namespace std::chrono_literals;

class OperationsTest : public testing::Test {
protected:
    std::string whyNot(const char* verb, const Row& row)
    {
        return findOperation(verb)->whyNot(m_inspector.binding(), row, m_now);
    }
    std::string effect(const char* verb, const Row& row, const std::map<std::string, std::string>& parameters = {})
    {
        return findOperation(verb)->effect(m_inspector.binding(), row, m_now, parameters);
    }
    std::string warning(const char* verb, const Row& row, const std::map<std::string, std::string>& parameters = {})
    {
        return findOperation(verb)->warning(m_inspector.binding(), row, m_now, parameters);
    }
    Row live()
    {
        auto row = stuckRow("k", m_now);
        row.stuck = false;
        row.leaseUntil = m_now + 42s;
        return row;
    }
    Row held()
    {
        auto row = stuckRow("k", m_now);
        row.state = "HELD";
        row.stuck = false;
        row.hold = true;
        return row;
    }
    Row done()
    {
        auto row = stuckRow("k", m_now);
        row.state = row.rawState = "SUCCEEDED";
        row.stuck = false;
        return row;
    }

    const Time m_now = *parseInstant("2026-11-20T12:00:00Z");
    test::FakeInspector m_inspector{ m_now };
};

TEST_F(OperationsTest, AreCompleteAndUnique)
{
    std::set<std::string> ids;
    std::set<std::string> shortcuts;
    for (const auto& operation : operations()) {
        EXPECT_TRUE(ids.insert(operation.id).second);
        EXPECT_TRUE(shortcuts.insert(operation.shortcut).second);
        EXPECT_EQ(findOperation(operation.id), &operation);
        EXPECT_NE(std::string(operation.summary), "");
        EXPECT_NE(std::string(operation.inverse), "");
        EXPECT_EQ(operation.hasInverse, std::string(operation.inverseVerb) != "");
    }
    EXPECT_EQ(ids,
        (std::set<std::string>{
            "fence", "release", "expire", "resolve", "fail", "replay", "edit", "discard", "note" }));
    EXPECT_EQ(findOperation("drop"), nullptr);
    EXPECT_EQ(findInverse(""), nullptr);
    EXPECT_STREQ(findInverse("unexpire")->id, "expire");
}

TEST_F(OperationsTest, ApplyWhereTheStateMachineAllows)
{
    const auto stuck = stuckRow("k", m_now);
    EXPECT_EQ(whyNot("fence", stuck), "");
    EXPECT_EQ(whyNot("release", stuck), "");
    EXPECT_EQ(whyNot("expire", stuck), "");
    EXPECT_EQ(whyNot("resolve", stuck), "it is not held");
    EXPECT_EQ(whyNot("fail", stuck), "");
    EXPECT_EQ(whyNot("note", stuck), "");

    EXPECT_EQ(whyNot("fence", live()), "");
    EXPECT_THAT(whyNot("release", live()), HasSubstr("fence it first"));
    EXPECT_THAT(whyNot("expire", live()), HasSubstr("fence it first"));
    EXPECT_THAT(whyNot("fail", live()), HasSubstr("fence it first"));

    EXPECT_EQ(whyNot("fence", held()), "");
    EXPECT_THAT(whyNot("release", held()), HasSubstr("resolve it"));
    EXPECT_EQ(whyNot("expire", held()), "");
    EXPECT_EQ(whyNot("resolve", held()), "");
    EXPECT_EQ(whyNot("fail", held()), "");

    EXPECT_THAT(whyNot("fence", done()), HasSubstr("SUCCEEDED"));
    EXPECT_THAT(whyNot("release", done()), HasSubstr("SUCCEEDED"));
    EXPECT_EQ(whyNot("expire", done()), "");
    EXPECT_THAT(whyNot("fail", done()), HasSubstr("SUCCEEDED"));

    // Another's table, whose own words say nothing here: the mapped status decides, not the expiry over it.
    auto over = stuckRow("k", m_now);
    over.state = "EXPIRED";
    over.rawState = "completed";
    over.status = "SUCCEEDED";
    EXPECT_EQ(operation::statusOf(over), State::Succeeded);

    auto expired = done();
    expired.state = "EXPIRED";
    expired.expiresAt = m_now;
    EXPECT_THAT(whyNot("expire", expired), HasSubstr("expired already"));
}

TEST_F(OperationsTest, AgreeWithDecideAboutEveryShapeOfRecord)
{
    const std::map<std::string, Event> events = { { "fence", Event::OperatorFence },
        { "release", Event::OperatorRelease }, { "expire", Event::OperatorExpire },
        { "resolve", Event::OperatorResolve }, { "fail", Event::OperatorFail } };
    int agreed = 0;
    for (const auto status : { State::InProgress, State::Succeeded, State::FailedRetryable, State::FailedFinal })
        for (const auto lease : { -1s, 0s, 1s })
            for (const auto expiry : { -1s, 0s, 1s })
                for (const bool hold : { false, true }) {
                    if (hold && isTerminal(status))
                        continue;
                    Record record;
                    record.status = status;
                    record.hold = hold;
                    record.fence = { 7 };
                    if (status == State::InProgress)
                        record.leaseExpiresAt = m_now + lease;
                    record.expiresAt = m_now + expiry;
                    Row row = stuckRow("k", m_now);
                    row.rawState = wordOf(status);
                    row.state = wordOf(shownState(record, m_now));
                    row.hold = hold;
                    row.leaseUntil = record.leaseExpiresAt;
                    row.expiresAt = record.expiresAt;
                    for (const auto& [verb, event] : events) {
                        Trigger trigger;
                        trigger.event = event;
                        trigger.fence = record.fence;
                        trigger.nextFence = { 8 };
                        trigger.reason = "because";
                        const auto decision = decide(record, trigger, m_now);
                        EXPECT_EQ(whyNot(verb.c_str(), row).empty(), decision.outcome == Outcome::Applied)
                            << verb << " on " << row.state << '/' << row.rawState << " lease " << lease.count()
                            << " expiry " << expiry.count() << ": " << decision.reason;
                        ++agreed;
                    }
                }
    EXPECT_EQ(agreed, (4 + 2) * 9 * 5);
}

TEST_F(OperationsTest, SayWhatFencingDoes)
{
    EXPECT_EQ(effect("fence", stuckRow("k", m_now)),
        "fence 7 → next; owner …000abc can no longer renew, finalize or fail; the next same request takes over");
    EXPECT_THAT(effect("fence", live()), HasSubstr("HELD until it is resolved"));
    EXPECT_THAT(effect("fence", live(), { { "no_hold", "provider is idempotent" } }), HasSubstr("NOT held"));
    EXPECT_THAT(warning("fence", live()), HasSubstr("live for another 42s"));
    EXPECT_EQ(warning("fence", stuckRow("k", m_now)), "");
    auto manual = stuckRow("k", m_now);
    manual.takeover = "manual";
    EXPECT_THAT(effect("fence", manual), HasSubstr("HELD"));
    EXPECT_THAT(effect("fence", manual, { { "no_hold", "x" } }),
        HasSubstr("NOT held, the next same request is held (outcome_unknown: its takeover policy is manual)"));
    EXPECT_THAT(warning("fence", manual, { { "no_hold", "x" } }), HasSubstr("nothing holds it before"));
    EXPECT_THAT(warning("fence", live(), { { "no_hold", "x" } }), HasSubstr("right now"));
}

TEST_F(OperationsTest, SayThatTheLastAttemptIsSpent)
{
    const auto spent = [](Row row) {
        row.attempts = 5;
        row.maxAttempts = 5;
        return row;
    };
    const auto closes = "the next same request is answered FAILED_FINAL 503: its attempts are spent (5 of 5), which "
                        "closes the key";
    const auto retryable = std::map<std::string, std::string>{ { "as", "retryable" }, { "evidence", "x" } };
    EXPECT_THAT(effect("fence", spent(stuckRow("k", m_now))),
        HasSubstr("; the next same request is held (attempts_exhausted: 5 of 5)"));
    EXPECT_THAT(effect("release", spent(stuckRow("k", m_now))), HasSubstr(closes));
    EXPECT_THAT(warning("release", spent(stuckRow("k", m_now))), HasSubstr("nothing executes again"));
    EXPECT_THAT(effect("resolve", spent(held()), retryable), HasSubstr(closes));
    EXPECT_THAT(warning("resolve", spent(held()), retryable), HasSubstr("nothing executes again"));
    EXPECT_THAT(effect("resolve", spent(held()), { { "as", "takeover" } }), HasSubstr("executes again"));
    EXPECT_THAT(warning("resolve", spent(held()), { { "as", "takeover" } }), HasSubstr("twice"));
    // With one left, it is the old story.
    auto left = spent(held());
    left.attempts = 4;
    EXPECT_THAT(effect("resolve", left, retryable), HasSubstr("executes again"));
}

TEST_F(OperationsTest, SayThatExpiryDoesNotOpenWhatHasNoOutcome)
{
    auto failed = done();
    failed.state = failed.rawState = "FAILED_RETRYABLE";
    failed.nextAttemptAt = m_now + 90s;
    EXPECT_THAT(effect("expire", failed),
        HasSubstr("the next same request is told to retry later for another 1m 30s, then it executes, another "
                  "payload stays refused"));
    EXPECT_THAT(warning("expire", failed), HasSubstr("neither closes nor frees"));
    failed.attempts = failed.maxAttempts = 2;
    EXPECT_THAT(effect("expire", failed), HasSubstr("is answered FAILED_FINAL 503"));
    auto manual = stuckRow("k", m_now);
    manual.takeover = "manual";
    EXPECT_THAT(effect("expire", manual), HasSubstr("the next same request is held (outcome_unknown"));
    manual.takeover = "auto";
    manual.attempts = manual.maxAttempts = 2;
    EXPECT_THAT(effect("expire", manual), HasSubstr("the next same request is held (attempts_exhausted: 2 of 2)"));
}

TEST_F(OperationsTest, WarnOfReExecutionBeforeTheRetentionIsOver)
{
    EXPECT_THAT(effect("expire", done()), HasSubstr("will execute again"));
    EXPECT_THAT(warning("expire", done()), HasSubstr("1d"));
    EXPECT_THAT(effect("expire", done(), { { "tombstone", "30d" } }), HasSubstr("refuses the key for 30d"));
    EXPECT_EQ(warning("expire", done(), { { "tombstone", "30d" } }), "");
    EXPECT_THAT(warning("expire", done(), { { "tombstone", "none" } }), HasSubstr("execute again"));
}

TEST_F(OperationsTest, LeaveRowsOfAnUnknownStateAlone)
{
    for (auto row : { stuckRow("k", m_now), held() }) {
        row.state = "UNKNOWN";
        row.rawState = "PAUSED";
        for (const auto& operation : operations()) {
            if (!isFor(operation, Kind::Idempotency))
                continue;
            const auto why = whyNot(operation.id, row);
            if (std::string_view(operation.id) == "note")
                EXPECT_EQ(why, "");
            else
                EXPECT_THAT(why, HasSubstr("\"PAUSED\" is not known")) << operation.id;
        }
    }
}

TEST_F(OperationsTest, GiveTheReasonOfTheTable)
{
    m_inspector.binding().capabilities[0].allowed = false;
    m_inspector.binding().capabilities[0].why = "the playbook layout has no owner column";
    EXPECT_EQ(whyNot("fence", stuckRow("k", m_now)), "the playbook layout has no owner column");
    m_inspector.binding().capabilities.clear();
    EXPECT_THAT(whyNot("note", stuckRow("k", m_now)), HasSubstr("has no action note"));
}

TEST_F(OperationsTest, RefuseParametersThatAreWrong)
{
    const auto& resolve = *findOperation("resolve");
    EXPECT_THAT(checkParameters(resolve, {}).error().message, HasSubstr("as"));
    EXPECT_THAT(checkParameters(resolve, { { "as", "done" }, { "evidence", "x" } }).error().message,
        HasSubstr("succeeded, failed, retryable, takeover"));
    EXPECT_THAT(checkParameters(resolve, { { "as", "failed" } }).error().message, HasSubstr("evidence"));
    EXPECT_THAT(
        checkParameters(resolve, { { "as", "failed" }, { "evidence", "" } }).error().message, HasSubstr("empty"));
    EXPECT_TRUE(checkParameters(resolve,
        { { "as", "succeeded" }, { "evidence", "the provider says so" }, { "response_code", "201" },
            { "reference", "refund:rf_1" } }));
    EXPECT_FALSE(checkParameters(resolve, { { "as", "failed" }, { "evidence", "x" }, { "response_code", "2000" } }));
    for (const auto* wrong : { "100", "200", "204", "302" })
        EXPECT_FALSE(checkParameters(resolve, { { "as", "failed" }, { "evidence", "x" }, { "response_code", wrong } }));
    for (const auto* wrong : { "100", "422", "500" })
        EXPECT_FALSE(
            checkParameters(resolve, { { "as", "succeeded" }, { "evidence", "x" }, { "response_code", wrong } }));
    EXPECT_TRUE(checkParameters(resolve, { { "as", "failed" }, { "evidence", "x" }, { "response_code", "404" } }));
    EXPECT_FALSE(checkParameters(*findOperation("fail"), { { "response_code", "204" } }));
    EXPECT_FALSE(checkParameters(resolve, { { "as", "failed" }, { "evidence", "x" }, { "reference", "rf_1" } }));
    EXPECT_FALSE(checkParameters(*findOperation("expire"), { { "tombstone", "30" } }));
    EXPECT_TRUE(checkParameters(*findOperation("expire"), { { "tombstone", "none" } }));
    EXPECT_FALSE(checkParameters(*findOperation("note"), { { "as", "x" } }));
    EXPECT_TRUE(checkParameters(*findOperation("note"), { { "snooze", "4h" }, { "ticket", "https://t/1" } }));
    EXPECT_TRUE(checkParameters(*findOperation("note"), { { "snooze", "none" } }));
    EXPECT_FALSE(checkParameters(*findOperation("note"), { { "snooze", "soon" } }));
    EXPECT_FALSE(checkParameters(*findOperation("note"), { { "ticket", "OPS-1" } }));
}

TEST_F(OperationsTest, CountWhatTheyActOn)
{
    EXPECT_EQ(countedTitle(*findOperation("fence"), 1), "Fence 1 owner");
    EXPECT_EQ(countedTitle(*findOperation("fence"), 48211), "Fence 48211 owners");
    EXPECT_EQ(countedTitle(*findOperation("note"), 2), "Add notes to 2 records");
}

} // namespace
} // namespace fencepost
