// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "models/audit_model.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::openerOf;

class AuditModelTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        m_thread.start();
        for (int i = 0; i < 5000; ++i)
            record();
    }
    void record()
    {
        AuditEntry entry;
        entry.verb = "fence";
        entry.requestId = m_recorded++ % 1000 == 0 ? "rare" : "common";
        entry.outcome = "changed";
        ASSERT_TRUE(m_database.record(entry));
    }
    void wait()
    {
        ASSERT_TRUE(eventually([this] { return !m_model.busy(); }));
    }
    void expectDense() const
    {
        for (int row = 1; row < m_model.rowCount(); ++row)
            ASSERT_EQ(m_model.rowAt(row).seq, m_model.rowAt(row - 1).seq - 1);
    }

    SystemClock m_clock;
    FakeDatabase m_database{ 1 };
    StoreThread m_thread{ openerOf(m_database), m_clock };
    int m_recorded = 0;
    AuditModel m_model{ m_thread };
    QAbstractItemModelTester m_tester{ &m_model, QAbstractItemModelTester::FailureReportingMode::Fatal };
};

TEST_F(AuditModelTest, PagesInBothDirections)
{
    m_model.setCapacity(600);
    m_model.showAll();
    m_model.setCapacity(600);
    wait();
    EXPECT_EQ(m_model.rowAt(0).seq, 5000);
    EXPECT_EQ(m_model.estimatedSize().value, 5000);
    int guard = 0;
    while (m_model.moreAfter() && ++guard < 200) {
        m_model.show(m_model.rowCount() - 20, m_model.rowCount() - 1);
        wait();
    }
    EXPECT_EQ(m_model.rowAt(m_model.rowCount() - 1).seq, 1);
    EXPECT_LT(m_model.rowCount(), 2000);
    expectDense();
    while (m_model.moreBefore() && ++guard < 400) {
        m_model.show(0, 20);
        wait();
    }
    EXPECT_EQ(m_model.rowAt(0).seq, 5000);
    expectDense();
}

TEST_F(AuditModelTest, JumpsToTheOldestAndIntoTheMiddle)
{
    m_model.showAll();
    wait();
    m_model.jumpToEnd();
    wait();
    EXPECT_EQ(m_model.rowAt(m_model.rowCount() - 1).seq, 1);
    EXPECT_EQ(m_model.firstPosition() + m_model.rowCount(), 5000);
    m_model.jumpToFraction(0.5);
    wait();
    expectDense();
    EXPECT_TRUE(m_model.moreBefore() || m_model.rowAt(0).seq == 5000);
}

TEST_F(AuditModelTest, PutsNewEntriesOnTop)
{
    m_model.showAll();
    wait();
    record();
    m_model.refresh();
    wait();
    EXPECT_EQ(m_model.rowAt(0).seq, 5001);
    expectDense();
}

TEST_F(AuditModelTest, VerifiesTheChain)
{
    auto verdict = m_model.verify();
    ASSERT_TRUE(eventually([&] { return verdict.isFinished(); }));
    EXPECT_TRUE(verdict.result()->intact);
}

} // namespace
} // namespace fencepost::models
