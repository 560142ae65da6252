// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "models/session.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::openerOf;

class SessionTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        QObject::connect(&m_session, &Session::disarmed, &m_session, [this](DisarmReason why) { m_disarmed = why; });
        m_session.open();
    }
    [[nodiscard]] bool arm(Duration duration)
    {
        return m_session.arm(duration, QStringLiteral("incident 4711"))
            && eventually([this] { return m_session.armed(); });
    }
    [[nodiscard]] std::vector<std::string> auditedVerbs() const
    {
        std::vector<std::string> verbs;
        for (const auto& entry : m_database.audit())
            verbs.push_back(entry.verb);
        return verbs;
    }
    void pass(Duration time)
    {
        for (auto left = time; left > Duration(); left -= std::chrono::seconds(30)) {
            m_clock.advance(std::min(left, Duration(std::chrono::seconds(30))));
            m_session.tick();
        }
    }

    ManualClock m_clock{ FakeDatabase::nowOf() - std::chrono::seconds(3) };
    FakeDatabase m_database{ 1000 };
    Session m_session{ { .name = QStringLiteral("orders-prod"),
                           .environment = Environment::Production,
                           .openReads = openerOf(m_database),
                           .openWrites = openerOf(m_database),
                           .actor = "ada@bench",
                           .idleLimit = std::chrono::minutes(5) },
        m_clock };
    std::optional<DisarmReason> m_disarmed;
};

TEST_F(SessionTest, LearnsTheDatabaseItsTablesAndItsClock)
{
    ASSERT_TRUE(eventually([this] { return m_session.status().info && !m_session.bindings().empty(); }));
    const auto status = m_session.status();
    EXPECT_EQ(status.info->product, "Fake");
    EXPECT_EQ(status.skew, Duration(std::chrono::seconds(3)));
    EXPECT_EQ(status.link.state, Link::State::Open);
    EXPECT_NE(m_session.binding(QStringLiteral("idempotency_records")), nullptr);
    EXPECT_EQ(m_session.binding(QStringLiteral("others")), nullptr);
    EXPECT_EQ(status.arming, Arming::ReadOnly);
    EXPECT_EQ(m_session.writes(), nullptr);
}

TEST_F(SessionTest, ArmsWithAReasonAndAuditsIt)
{
    EXPECT_FALSE(m_session.arm(std::chrono::minutes(15), QStringLiteral("  ")));
    ASSERT_TRUE(arm(std::chrono::minutes(15)));
    EXPECT_NE(m_session.writes(), nullptr);
    EXPECT_EQ(m_session.status().armedFor, Duration(std::chrono::minutes(15)));
    const auto audit = m_database.audit();
    ASSERT_EQ(audit.size(), 1U);
    EXPECT_EQ(audit[0].verb, "arm");
    EXPECT_EQ(audit[0].reason, "incident 4711");
    EXPECT_EQ(audit[0].actor, "ada@bench");
    EXPECT_FALSE(m_session.arm(std::chrono::minutes(15), QStringLiteral("again")));
}

TEST_F(SessionTest, CountsDownAndDisarmsWhenTheTimeIsOver)
{
    ASSERT_TRUE(arm(std::chrono::minutes(4)));
    pass(std::chrono::minutes(3));
    EXPECT_EQ(m_session.status().armedFor, Duration(std::chrono::minutes(1)));
    pass(std::chrono::minutes(1));
    EXPECT_EQ(m_disarmed, DisarmReason::TimeOver);
    EXPECT_EQ(m_session.writes(), nullptr);
    ASSERT_TRUE(eventually([this] { return m_database.audit().size() == 2; }));
    EXPECT_EQ(auditedVerbs(), std::vector<std::string>({ "arm", "disarm" }));
}

TEST_F(SessionTest, DisarmsWhenNobodyIsThere)
{
    ASSERT_TRUE(arm(std::chrono::minutes(30)));
    pass(std::chrono::minutes(4));
    m_session.touch();
    pass(std::chrono::minutes(4));
    EXPECT_TRUE(m_session.armed());
    pass(std::chrono::minutes(1));
    EXPECT_EQ(m_disarmed, DisarmReason::Idle);
}

TEST_F(SessionTest, DisarmsWhenTheComputerSlept)
{
    ASSERT_TRUE(arm(std::chrono::minutes(30)));
    m_clock.advance(std::chrono::minutes(2));
    m_session.tick();
    EXPECT_EQ(m_disarmed, DisarmReason::Suspended);
}

TEST_F(SessionTest, IsNotArmedWithoutItsAuditEntry)
{
    ASSERT_TRUE(eventually([this] { return m_session.status().info.has_value(); }));
    m_database.breakWith(Error{ Failure::Denied, "The audit cannot be written.", {} });
    QSignalSpy failed(&m_session, &Session::armingFailed);
    ASSERT_TRUE(m_session.arm(std::chrono::minutes(15), QStringLiteral("incident 4711")));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_FALSE(m_session.armed());
    EXPECT_EQ(m_session.writes(), nullptr);
}

TEST_F(SessionTest, ClosesWithoutWaiting)
{
    ASSERT_TRUE(arm(std::chrono::minutes(15)));
    QSignalSpy closed(&m_session, &Session::closed);
    m_session.close();
    ASSERT_TRUE(eventually([&] { return closed.count() > 0; }));
    ASSERT_TRUE(eventually([this] { return m_database.audit().size() == 2; })) << "the disarming is audited too";
}

// A program that quits handles no more events: the entry is on its way when the session goes, or it never was.
class QuittingTest : public ::testing::TestWithParam<std::string> { };

TEST_P(QuittingTest, LeavesTheDisarmingInTheAudit)
{
    const SystemClock clock;
    FakeDatabase database(1000);
    auto session = std::make_unique<Session>(
        SessionRequest{
            .name = QStringLiteral("orders"), .openReads = openerOf(database), .openWrites = openerOf(database) },
        clock);
    session->open();
    ASSERT_TRUE(session->arm(std::chrono::minutes(5), QStringLiteral("incident 4711")));
    const auto& way = GetParam();
    ASSERT_TRUE(way == "arming" || eventually([&] { return session->armed(); }));
    if (way == "disarmed")
        session->disarm(DisarmReason::Asked);
    if (way == "closed")
        session->close();
    session.reset();
    ASSERT_EQ(database.audit().size(), 2U);
    EXPECT_EQ(database.audit().front().verb, "arm");
    EXPECT_EQ(database.audit().back().verb, "disarm");
}

INSTANTIATE_TEST_SUITE_P(Ways, QuittingTest, ::testing::Values("arming", "armed", "disarmed", "closed"),
    [](const auto& way) { return way.param; });

TEST(ReadOnlySessionTest, CanNeverBeArmed)
{
    const SystemClock clock;
    FakeDatabase database(1);
    Session session({ .name = QStringLiteral("replica"), .openReads = openerOf(database) }, clock);
    session.open();
    EXPECT_FALSE(session.canArm());
    const auto refused = session.arm(std::chrono::minutes(1), QStringLiteral("why"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Denied);
}

} // namespace
} // namespace fencepost::models
