// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/operations/plan.h"
#include "tests/support/fake_inspector.h"

namespace fencepost {
namespace {

using test::stuckRow;
using testing::HasSubstr;
using namespace std::chrono_literals;

class PlanTest : public testing::Test {
protected:
    PlanRequest request(const char* verb, const char* filter)
    {
        PlanRequest out;
        out.verb = verb;
        out.filter = filter;
        out.reason = "worker 3 is gone";
        out.actor = "op@host";
        return out;
    }
    Result<Plan> make(const PlanRequest& what) { return makePlan(m_inspector, m_inspector.binding(), what, m_random); }
    void fill(int rows)
    {
        for (int i = 0; i < rows; ++i)
            m_inspector.add(stuckRow("k" + std::to_string(1000 + i), m_now, 100 + i));
    }
    static std::int64_t sum(const RunReport& report)
    {
        return report.changed + report.alreadyDone + report.skipped + report.failed + report.notRun;
    }

    const Time m_now = *parseInstant("2026-11-20T12:00:00Z");
    test::FakeInspector m_inspector{ m_now };
    SeededRandom m_random{ 1 };
};

TEST_F(PlanTest, FreezesEveryMatchingRowOverSeveralPages)
{
    fill(1203);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->items.size(), 1203U);
    EXPECT_EQ(m_inspector.pages, 3);
    EXPECT_EQ(plan->items[1202].number, 1202);
    EXPECT_EQ(plan->items[5].fence, 105);
    EXPECT_EQ(plan->countsByState.at("IN_PROGRESS"), 1203);
    EXPECT_EQ(plan->database, "fake:1");
    EXPECT_EQ(plan->sql, "statement of fence");
    EXPECT_THAT(plan->effect, HasSubstr("Fence 1203 owners in idempotency_records"));
    EXPECT_THAT(plan->inverse, HasSubstr("None"));
    EXPECT_TRUE(m_inspector.changes.empty());
}

// The database's rule by its name, its code and what to do; not what it quoted of other rows.
TEST_F(PlanTest, ReportsWhatTheDatabaseSaidOfARow)
{
    fill(1);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    m_inspector.fault = [](const Change&) {
        return Error{ Failure::Conflict, "The change breaks a rule of the table",
            "ERROR:  duplicate key value violates unique constraint \"one_iban\"\nDETAIL:  Key (iban)=(DE02) already "
            "exists.\n(and more)",
            "23505", "Ask somebody" };
    };
    const auto report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->items.at(0).outcome.reason,
        "The change breaks a rule of the table. 23505: duplicate key value violates unique constraint \"one_iban\". "
        "Nothing was changed. Ask somebody.");
}

TEST_F(PlanTest, KeepsTheWarningsOfTheTable)
{
    fill(1);
    m_inspector.binding().warnings = { "rows may be hidden" };
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    const auto read = parsePlan(formatPlan(*plan));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->warnings, std::vector<std::string>{ "rows may be hidden" });
}

TEST_F(PlanTest, CountsWhatTheNextRequestsAreAnswered)
{
    fill(2);
    auto spent = stuckRow("z", m_now);
    spent.attempts = spent.maxAttempts = 3;
    m_inspector.add(spent);
    const auto plan = make(request("release", "stuck"));
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->effect,
        HasSubstr("Afterwards the next same request executes (2 rows); is answered FAILED_FINAL 503 (1 row)."));
}

TEST_F(PlanTest, LeavesOutRowsWithTheReason)
{
    fill(2);
    auto done = stuckRow("z", m_now);
    done.state = done.rawState = "SUCCEEDED";
    m_inspector.add(done);
    const auto plan = make(request("fence", "scope = pay"));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->items.size(), 2U);
    ASSERT_EQ(plan->leftOut.size(), 1U);
    EXPECT_EQ(plan->leftOut[0].key, "z");
    EXPECT_THAT(plan->leftOut[0].why, HasSubstr("SUCCEEDED"));
}

TEST_F(PlanTest, NamesMissingRowsAndTakesRepeatedOnesOnce)
{
    fill(1);
    auto what = request("fence", "");
    what.identities = { { "pay", "charge", "k1000" }, { "pay", "charge", "nothing" }, { "pay", "charge", "k1000" } };
    const auto plan = make(what);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->items.size(), 1U);
    ASSERT_EQ(plan->leftOut.size(), 1U);
    EXPECT_EQ(plan->leftOut[0].why, "there is no such row");
}

TEST_F(PlanTest, RefusesWhatCannotBeReviewed)
{
    fill(30);
    for (const auto* empty : { "", "   ", "\t\n" }) {
        const auto plan = make(request("fence", empty));
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().failure, Failure::Invalid);
        EXPECT_THAT(plan.error().message, HasSubstr("empty filter"));
    }
    auto unreasoned = request("fence", "stuck");
    unreasoned.reason.clear();
    EXPECT_THAT(make(unreasoned).error().message, HasSubstr("reason"));
    auto large = request("fence", "stuck");
    large.limit = 29;
    EXPECT_THAT(make(large).error().message, HasSubstr("Narrow the filter"));
    EXPECT_EQ(make(request("drop", "stuck")).error().failure, Failure::Invalid);
    EXPECT_EQ(make(request("resolve", "held")).error().failure, Failure::Invalid);
    EXPECT_EQ(make(request("fence", "state = ")).error().failure, Failure::Invalid);
}

TEST_F(PlanTest, SaysThatALeaseIsLive)
{
    auto row = stuckRow("k", m_now);
    row.leaseUntil = m_now + 30s;
    m_inspector.add(row);
    const auto plan = make(request("fence", "state = IN_PROGRESS"));
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->items[0].warning, HasSubstr("live for another 30s"));
    EXPECT_THAT(plan->effect, HasSubstr("1 row has a warning"));
}

TEST_F(PlanTest, AsksTwiceBeforeMoneyIsExpired)
{
    auto row = stuckRow("k", m_now);
    row.state = row.rawState = "SUCCEEDED";
    m_inspector.add(row);
    auto what = request("expire", "scope = pay");
    what.isFinancial = [](const Row& candidate) { return candidate.scope == "pay"; };
    auto plan = make(what);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->items.empty());
    EXPECT_THAT(plan->leftOut.at(0).why, HasSubstr("--i-know-this-allows-re-execution"));

    what.parameters["i_know_this_allows_re_execution"] = "1";
    plan = make(what);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->items.at(0).parameters.at("tombstone"), "30d");
    EXPECT_THAT(plan->items.at(0).effect, HasSubstr("refuses the key for 30d"));

    what.parameters["tombstone"] = "none";
    plan = make(what);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->items.at(0).parameters.empty());
    EXPECT_THAT(plan->items.at(0).warning, HasSubstr("execute again"));
}

TEST_F(PlanTest, AppliesEveryItemOnceHoweverOftenItIsRun)
{
    fill(40);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    auto report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 40);
    report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->alreadyDone, 40);
    EXPECT_EQ(report->changed, 0);
    EXPECT_EQ(m_inspector.rowOf({ "pay", "charge", "k1007" }).fence, 108);
    EXPECT_EQ(m_inspector.changes[7].reason, "worker 3 is gone");
    EXPECT_EQ(m_inspector.changes[7].actor, "op@host");
}

TEST_F(PlanTest, SkipsRowsThatDrifted)
{
    fill(5);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    m_inspector.rowOf({ "pay", "charge", "k1002" }).fence = 999;
    m_inspector.remove({ "pay", "charge", "k1003" });
    const auto report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 3);
    EXPECT_EQ(report->skipped, 2);
    EXPECT_EQ(report->items[2].outcome.reason, "it moved on");
    EXPECT_EQ(sum(*report), 5);
}

TEST_F(PlanTest, StopsWhereEveryFurtherRowWouldFailAndResumes)
{
    fill(10);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    m_inspector.fault = [](const Change& change) -> std::optional<Error> {
        if (change.item == 4)
            return Error{ Failure::Full, "The disk is full.", {} };
        return std::nullopt;
    };
    auto report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 4);
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(report->notRun, 5);
    EXPECT_EQ(report->stoppedBy->failure, Failure::Full);
    m_inspector.fault = {};
    report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->alreadyDone, 4);
    EXPECT_EQ(report->changed, 6);
    EXPECT_FALSE(report->stoppedBy);
}

TEST_F(PlanTest, GoesOnPastARowThatSomebodyElseHasLocked)
{
    fill(10);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    m_inspector.fault = [](const Change& change) -> std::optional<Error> {
        if (change.item == 4)
            return Error{ Failure::Unavailable, "Somebody else holds a lock on the row", {}, "55P03" };
        return std::nullopt;
    };
    const auto report = applyPlan(m_inspector, *plan, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 9);
    EXPECT_EQ(report->failed, 1);
    EXPECT_FALSE(report->stoppedBy);
}

TEST_F(PlanTest, StopsWhenItIsAskedTo)
{
    fill(10);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    const auto report = applyPlan(m_inspector, *plan, "op@host",
        [](const ItemReport&, std::size_t done, std::size_t total) { return done < 3 && total == 10; });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 3);
    EXPECT_EQ(report->notRun, 7);
    EXPECT_EQ(report->stoppedBy->failure, Failure::Cancelled);
}

TEST_F(PlanTest, AddsUpWhateverHappens)
{
    SeededRandom chance{ 42 };
    constexpr std::array failures = { Failure::Invalid, Failure::NotFound, Failure::Conflict, Failure::Denied,
        Failure::Unavailable, Failure::TimedOut, Failure::InDoubt, Failure::Full, Failure::Internal };
    for (int round = 0; round < 300; ++round) {
        test::FakeInspector inspector{ m_now };
        const auto size = static_cast<int>(chance.below(30));
        for (int i = 0; i < size; ++i)
            inspector.add(stuckRow("k" + std::to_string(i), m_now));
        auto plan = makePlan(inspector, inspector.binding(), request("fence", "stuck"), m_random);
        ASSERT_TRUE(plan);
        for (int i = 0; i < size; ++i)
            if (chance.below(5) == 0)
                inspector.rowOf({ "pay", "charge", "k" + std::to_string(i) }).fence = 1;
        inspector.fault = [&](const Change&) -> std::optional<Error> {
            if (chance.below(8) != 0)
                return std::nullopt;
            return Error{ failures[chance.below(failures.size())], "injected", {} };
        };
        const auto stopAt = chance.below(40);
        for (int run = 0; run < 3; ++run) {
            const auto report = applyPlan(inspector, *plan, "op@host",
                [&](const ItemReport&, std::size_t done, std::size_t) { return done != stopAt; });
            ASSERT_TRUE(report);
            EXPECT_EQ(sum(*report), size);
            EXPECT_EQ(report->items.size(), static_cast<std::size_t>(size - report->notRun));
            EXPECT_EQ(report->notRun > 0, report->stoppedBy && report->notRun > 0);
        }
    }
}

TEST_F(PlanTest, RefusesAPlanOfAnotherDatabaseOrTable)
{
    fill(1);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(plan);
    m_inspector.information().identity = "fake:2";
    EXPECT_THAT(applyPlan(m_inspector, *plan, "op@host", {}).error().message, HasSubstr("another database"));
    m_inspector.information().identity = plan->database;
    m_inspector.information().replica = true;
    EXPECT_THAT(applyPlan(m_inspector, *plan, "op@host", {}).error().message, HasSubstr("is a replica"));
    m_inspector.information().replica = false;
    m_inspector.information().identity = "fake:1";
    m_inspector.binding().profile = "other";
    EXPECT_THAT(applyPlan(m_inspector, *plan, "op@host", {}).error().message, HasSubstr("profile"));
    m_inspector.binding().name = "elsewhere";
    EXPECT_EQ(applyPlan(m_inspector, *plan, "op@host", {}).error().failure, Failure::NotFound);
    EXPECT_TRUE(m_inspector.changes.empty());
}

class UndoTest : public PlanTest { };

TEST_F(UndoTest, PutsBackWhatWasExpired)
{
    fill(3);
    const auto plan = make(request("expire", "stuck"));
    ASSERT_TRUE(plan);
    ASSERT_EQ(applyPlan(m_inspector, *plan, "op@host", {})->changed, 3);
    auto undo = makeUndo(m_inspector, plan->requestId, "", "op@host", m_random);
    ASSERT_TRUE(undo) << undo.error().message;
    EXPECT_EQ(undo->verb, "unexpire");
    EXPECT_EQ(undo->undoOf, plan->requestId);
    EXPECT_EQ(applyPlan(m_inspector, *undo, "op@host", {})->changed, 3);
    EXPECT_EQ(m_inspector.rowOf({ "pay", "charge", "k1001" }).expiresAt, m_now + 24h);

    auto again = makeUndo(m_inspector, plan->requestId, "", "op@host", m_random);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->requestId, undo->requestId);
    EXPECT_EQ(applyPlan(m_inspector, *again, "op@host", {})->alreadyDone, 3);
}

TEST_F(UndoTest, KeepsTheNumbersOfTheItems)
{
    fill(3);
    const auto plan = make(request("expire", "stuck"));
    ASSERT_TRUE(applyPlan(m_inspector, *plan, "op@host", {}));
    m_inspector.rowOf({ "pay", "charge", "k1001" }).fence = 9999;
    const auto undo = makeUndo(m_inspector, plan->requestId, "", "op@host", m_random);
    ASSERT_TRUE(undo);
    ASSERT_EQ(undo->items.size(), 2U);
    EXPECT_EQ(undo->items[1].number, 2);
    ASSERT_EQ(undo->leftOut.size(), 1U);
    EXPECT_THAT(undo->leftOut[0].why, HasSubstr("it moved on"));
}

TEST_F(UndoTest, IsRefusedWhereThereIsNone)
{
    fill(1);
    const auto plan = make(request("fence", "stuck"));
    ASSERT_TRUE(applyPlan(m_inspector, *plan, "op@host", {}));
    const auto undo = makeUndo(m_inspector, plan->requestId, "", "op@host", m_random);
    ASSERT_FALSE(undo);
    EXPECT_EQ(undo.error().failure, Failure::Unsupported);
    EXPECT_THAT(undo.error().message, HasSubstr("a fence only ever goes up"));
    EXPECT_EQ(makeUndo(m_inspector, "00000000-0000-4000-8000-000000000000", "", "op@host", m_random).error().failure,
        Failure::NotFound);
}

} // namespace
} // namespace fencepost
