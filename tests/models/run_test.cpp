// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "models/plan_model.h"
#include "models/run.h"
#include "models/session.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::openerOf;

constexpr int planSize = 50;

class RunTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        m_thread.start();
        m_thread.run([](Backend& backend) { return backend.inspector().info(); }).waitForFinished();
    }
    static Plan makePlan(int size = planSize)
    {
        Plan plan;
        plan.requestId = "7d1f0a52-6a0e-4c39-9c3f-3f0d4c1c9e11";
        plan.verb = "fence";
        plan.binding = "idempotency_records";
        plan.database = "fake";
        plan.reason = "incident 4711";
        plan.actor = "ada@bench";
        plan.createdAt = FakeDatabase::nowOf();
        for (int i = 0; i < size; ++i) {
            PlanItem item;
            item.number = i;
            item.key = FakeDatabase::idOf(i);
            item.identity = { item.key };
            item.state = "SUCCEEDED";
            plan.items.push_back(item);
        }
        return plan;
    }
    static void expectAddsUp(const RunReport& report, int size = planSize)
    {
        EXPECT_EQ(report.changed + report.alreadyDone + report.skipped + report.failed + report.notRun, size);
        EXPECT_EQ(static_cast<std::int64_t>(report.items.size()) + report.notRun, size);
    }
    [[nodiscard]] bool finish(models::Run& run)
    {
        return eventually([&] { return run.state() == RunState::Finished; });
    }

    SystemClock m_clock;
    FakeDatabase m_database{ 1000 };
    StoreThread m_thread{ openerOf(m_database), m_clock,
        { .first = std::chrono::milliseconds(1), .longest = std::chrono::milliseconds(5) } };
    QTemporaryDir m_temporary;
    std::shared_ptr<const PlanFolder> m_folder =
        std::make_shared<PlanFolder>(m_temporary.filePath(QStringLiteral("plans")));
};

TEST_F(RunTest, CarriesOutEveryRowAndReportsIt)
{
    m_database.setState(7, "HELD");
    models::Run run(m_thread, makePlan(), "op@host", m_folder);
    ReportModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QObject::connect(&run, &models::Run::itemsDone, &model, &ReportModel::append);
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(finish(run));
    EXPECT_EQ(run.report().changed, planSize - 1);
    EXPECT_EQ(run.report().skipped, 1);
    EXPECT_FALSE(run.report().stoppedBy);
    expectAddsUp(run.report());
    ASSERT_EQ(model.rowCount(), planSize);
    EXPECT_EQ(model.textAt(7, 1), QStringLiteral("skipped"));
    EXPECT_EQ(model.textAt(7, 3), QStringLiteral("it moved on: HELD"));
    EXPECT_EQ(model.data(model.index(7, 0), RowsModelBase::StateRole).toString(), QStringLiteral("skipped"));
    const auto kept = m_folder->all();
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].state, KeptPlan::State::Done);
    EXPECT_EQ(*kept[0].plan, makePlan());
}

TEST_F(RunTest, ASecondRunChangesNothing)
{
    models::Run first(m_thread, makePlan(), "op@host", m_folder);
    ASSERT_TRUE(first.start());
    EXPECT_FALSE(first.start()) << "a run begins once";
    ASSERT_TRUE(finish(first));
    models::Run second(m_thread, makePlan(), "op@host", m_folder);
    ASSERT_TRUE(second.start());
    ASSERT_TRUE(finish(second));
    EXPECT_EQ(second.report().alreadyDone, planSize);
    EXPECT_EQ(second.report().changed, 0);
}

TEST_F(RunTest, PausesBetweenTwoRowsAndGoesOn)
{
    models::Run run(m_thread, makePlan(), "op@host", nullptr);
    m_database.block();
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    run.pause();
    EXPECT_EQ(run.state(), RunState::Paused);
    m_database.release();
    QSignalSpy progressed(&run, &models::Run::progressed);
    ASSERT_TRUE(eventually([&] { return progressed.count() > 0; }));
    EXPECT_EQ(run.done(), 1U);
    EXPECT_EQ(run.report().notRun, planSize - 1);
    run.resume();
    ASSERT_TRUE(finish(run));
    EXPECT_EQ(run.report().changed, planSize);
}

TEST_F(RunTest, IsNoFasterThanItsPaceAndLetGoOnTheWay)
{
    models::Run paced(m_thread, makePlan(), "ada@bench", nullptr);
    paced.setPace(200);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(paced.start());
    ASSERT_TRUE(finish(paced));
    EXPECT_GE(since.elapsed(), (planSize - 1) * 1000 / 200) << "the last row is not waited for";
    expectAddsUp(paced.report());
}

TEST_F(RunTest, WhatAJobWaitsForIsNoCostOfTheDatabase)
{
    const auto before = m_thread.usage().time;
    auto waited = m_thread.run([this](Backend& backend) -> Result<DatabaseInfo> {
        m_thread.idled(std::chrono::hours(1));
        return backend.inspector().info();
    });
    ASSERT_TRUE(eventually([&] { return waited.isFinished(); }));
    EXPECT_EQ(m_thread.usage().time, before);
}

TEST_F(RunTest, AReplayOfTheTableOfAFrameworkKeepsItsPaceAndCanBePaused)
{
    auto plan = makePlan();
    plan.verb = "replay";
    models::Run run(m_thread, plan, "ada@bench", nullptr);
    run.setPace(0.01);
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(eventually([&] { return run.done() == 1; }));
    run.pause();
    run.setPace(std::nullopt);
    EXPECT_EQ(run.state(), RunState::Paused);
    EXPECT_EQ(run.done(), 1U);
    run.resume();
    ASSERT_TRUE(finish(run));
    EXPECT_EQ(run.done(), static_cast<std::size_t>(planSize));
    EXPECT_FALSE(run.report().stoppedBy);
}

TEST_F(RunTest, ASlowRunIsLetGoOrStopped)
{
    models::Run slow(m_thread, makePlan(), "ada@bench", nullptr);
    slow.setPace(0.01);
    ASSERT_TRUE(slow.start());
    ASSERT_TRUE(eventually([&] { return slow.done() == 1; }));
    ASSERT_TRUE(slow.timeLeft());
    EXPECT_GE(*slow.timeLeft(), std::chrono::hours(1));
    slow.setPace(std::nullopt);
    ASSERT_TRUE(finish(slow));
    EXPECT_EQ(slow.report().changed, planSize);

    auto plan = makePlan();
    plan.requestId = "7d1f0a52-6a0e-4c39-9c3f-3f0d4c1c9e12";
    models::Run stopped(m_thread, plan, "ada@bench", nullptr);
    stopped.setPace(0.01);
    ASSERT_TRUE(stopped.start());
    ASSERT_TRUE(eventually([&] { return stopped.done() == 1; }));
    stopped.stop();
    ASSERT_TRUE(finish(stopped));
    EXPECT_EQ(stopped.report().notRun, planSize - 1);
    expectAddsUp(stopped.report());
}

TEST_F(RunTest, StopsARowThatKeepsTheDatabaseBusy)
{
    models::Run run(m_thread, makePlan(), "op@host", m_folder);
    m_database.block();
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    run.stop();
    EXPECT_EQ(run.state(), RunState::Stopping);
    ASSERT_TRUE(finish(run)) << "nobody releases the statement: it is interrupted";
    EXPECT_TRUE(run.report().stoppedBy);
    EXPECT_EQ(run.report().changed, 0);
    expectAddsUp(run.report());
    EXPECT_EQ(m_folder->interrupted().size(), 1U);
    m_database.release();
    models::Run again(m_thread, makePlan(), "op@host", m_folder);
    ASSERT_TRUE(again.start());
    ASSERT_TRUE(finish(again));
    EXPECT_EQ(again.report().changed + again.report().alreadyDone, planSize) << "it can be finished later";
}

TEST_F(RunTest, StopsWhilePaused)
{
    models::Run run(m_thread, makePlan(), "op@host", nullptr);
    run.pause();
    ASSERT_TRUE(run.start());
    run.pause();
    run.stop();
    ASSERT_TRUE(finish(run));
    expectAddsUp(run.report());
}

TEST_F(RunTest, ALostConnectionEndsTheRunAndTheReportStillAddsUp)
{
    models::Run run(m_thread, makePlan(), "op@host", m_folder);
    m_database.block();
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    m_database.lose();
    m_database.release();
    ASSERT_TRUE(finish(run));
    ASSERT_TRUE(run.report().stoppedBy);
    EXPECT_EQ(run.report().stoppedBy->failure, Failure::Unavailable);
    expectAddsUp(run.report());
}

TEST_F(RunTest, AStoppedThreadLeavesEverythingNotRun)
{
    models::Run run(m_thread, makePlan(), "op@host", nullptr);
    m_database.block();
    auto ahead = m_thread.run([](Backend& backend) { return backend.inspector().info(); });
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    m_thread.stop();
    ASSERT_TRUE(finish(run));
    EXPECT_EQ(run.report().notRun, planSize);
    expectAddsUp(run.report());
}

TEST_F(RunTest, IsNotBegunWhereThePlanCannotBeKept)
{
    auto plan = makePlan();
    plan.requestId = "../../etc/passwd";
    models::Run run(m_thread, plan, "op@host", m_folder);
    const auto refused = run.start();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Invalid);
    EXPECT_EQ(run.state(), RunState::Ready);
}

TEST_F(RunTest, AnotherDatabaseIsRefusedWithoutAChange)
{
    auto plan = makePlan();
    plan.database = "another";
    models::Run run(m_thread, plan, "op@host", m_folder);
    ASSERT_TRUE(run.start());
    ASSERT_TRUE(finish(run));
    ASSERT_TRUE(run.report().stoppedBy);
    EXPECT_EQ(run.report().stoppedBy->failure, Failure::Invalid);
    EXPECT_EQ(run.report().notRun, planSize);
}

TEST_F(RunTest, SurvivesThatItsOwnerDies)
{
    m_database.block();
    {
        models::Run run(m_thread, makePlan(), "op@host", nullptr);
        ASSERT_TRUE(run.start());
        ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    }
    m_database.release();
    auto after = m_thread.run([](Backend& backend) { return backend.inspector().info(); });
    after.waitForFinished();
    EXPECT_TRUE(after.result());
    EXPECT_EQ(m_database.row({ FakeDatabase::idOf(planSize - 1) })->value().state, "SUCCEEDED")
        << "the rest was not run";
}

TEST_F(RunTest, NeedsAnArmedSessionAndHoldsItArmed)
{
    ManualClock clock(FakeDatabase::nowOf());
    Session session({ .name = QStringLiteral("a"),
                        .openReads = openerOf(m_database),
                        .openWrites = openerOf(m_database),
                        .actor = "ada@bench" },
        clock);
    session.open();
    QObject owner;
    EXPECT_EQ(session.carryOut(makePlan(), m_folder, &owner).error().failure, Failure::Denied);
    ASSERT_TRUE(session.arm(std::chrono::seconds(30), QStringLiteral("incident")));
    ASSERT_TRUE(eventually([&] { return session.armed(); }));
    m_database.block();
    const auto run = session.carryOut(makePlan(), m_folder, &owner);
    ASSERT_TRUE(run);
    clock.advance(std::chrono::seconds(40));
    session.tick();
    EXPECT_TRUE(session.armed());
    m_database.release();
    ASSERT_TRUE(finish(**run));
    EXPECT_EQ((*run)->report().changed, planSize);
    EXPECT_FALSE(session.armed()) << "the time was over meanwhile";
}

TEST_F(RunTest, DisarmingByHandStopsIt)
{
    ManualClock clock(FakeDatabase::nowOf());
    Session session({ .name = QStringLiteral("a"),
                        .openReads = openerOf(m_database),
                        .openWrites = openerOf(m_database),
                        .actor = "ada@bench" },
        clock);
    session.open();
    QObject owner;
    ASSERT_TRUE(session.arm(std::chrono::minutes(5), QStringLiteral("incident")));
    ASSERT_TRUE(eventually([&] { return session.armed(); }));
    m_database.block();
    const auto run = session.carryOut(makePlan(), m_folder, &owner);
    ASSERT_TRUE(run);
    session.disarm();
    m_database.release();
    ASSERT_TRUE(finish(**run));
    EXPECT_GT((*run)->report().notRun, 0);
    expectAddsUp((*run)->report());
}

TEST_F(RunTest, ReportsRoundTrip)
{
    RunReport report{ .requestId = makePlan().requestId, .changed = 1, .skipped = 1, .failed = 1, .notRun = 2 };
    report.items = { { 0, "a", { ItemResult::Changed, "", "{\"x\":1}", "{}" } },
        { 1, "b", { ItemResult::Skipped, "it moved on", "", "" } },
        { 2, "c", { ItemResult::Failed, "the disk is full", "", "" } } };
    report.stoppedBy = Error{ Failure::Full, "The disk is full.", "database or disk is full", "13" };
    const auto again = parseReport(formatReport(report));
    ASSERT_TRUE(again);
    EXPECT_EQ(formatReport(*again), formatReport(report));
    EXPECT_EQ(again->items.size(), 3U);
    EXPECT_EQ(*again->stoppedBy, *report.stoppedBy);
    EXPECT_FALSE(parseReport("{}"));
}

TEST_F(RunTest, ListsADamagedPlanBesideTheOthers)
{
    ASSERT_TRUE(m_folder->save(makePlan()));
    auto second = makePlan(3);
    second.requestId = "11111111-6a0e-4c39-9c3f-3f0d4c1c9e11";
    const auto path = m_folder->save(second);
    ASSERT_TRUE(path);
    QFile file(*path);
    ASSERT_TRUE(file.resize(100));
    const auto plans = m_folder->all();
    ASSERT_EQ(plans.size(), 2U);
    EXPECT_TRUE(plans[0].plan);
    ASSERT_TRUE(plans[1].error);
    EXPECT_NE(plans[1].error->message.find("11111111"), std::string::npos);
}

} // namespace
} // namespace fencepost::models
