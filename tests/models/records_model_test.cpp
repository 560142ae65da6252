// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "models/records_model.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::handleEvents;
using testing::openerOf;

constexpr int shownRows = 40;

class RecordsModelTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        m_thread.start();
        QObject::connect(&m_model, &QAbstractItemModel::modelReset, &m_model, [this] { ++m_resets; });
        QObject::connect(&m_model, &RowsModelBase::shifted, &m_model, [this](int rows) { m_top += rows; });
    }
    void load()
    {
        m_model.setBinding(std::make_shared<const Binding>(FakeDatabase::binding()));
        wait();
        m_model.show(0, shownRows);
        wait();
        m_resets = 0;
    }
    void wait()
    {
        ASSERT_TRUE(eventually([this] { return !m_model.busy(); }));
    }
    // A view of forty rows whose first one is at m_top of the window; it follows `shifted`.
    void scrollBy(int rows)
    {
        m_top = std::clamp(m_top + rows, 0, std::max(0, m_model.rowCount() - shownRows));
        m_model.show(m_top, m_top + shownRows - 1);
        wait();
    }
    [[nodiscard]] std::string keyAt(int row) const { return m_model.rowAt(row).key; }
    void expectConsecutive() const
    {
        for (int row = 1; row < m_model.rowCount(); ++row)
            ASSERT_EQ(FakeDatabase::rowOfId(keyAt(row)), FakeDatabase::rowOfId(keyAt(row - 1)) - 1) << row;
    }

    SystemClock m_clock;
    FakeDatabase m_database{ 10'000'000 };
    StoreThread m_thread{ openerOf(m_database), m_clock,
        { .first = std::chrono::milliseconds(1), .longest = std::chrono::milliseconds(5) } };
    RecordsModel m_model{ m_thread };
    QAbstractItemModelTester m_tester{ &m_model, QAbstractItemModelTester::FailureReportingMode::Fatal };
    int m_resets = 0;
    int m_top = 0;
};

TEST_F(RecordsModelTest, ShowsTheFirstPageAndItsPlace)
{
    load();
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(9'999'999));
    EXPECT_EQ(m_model.firstPosition(), 0);
    EXPECT_TRUE(m_model.positionIsExact());
    EXPECT_EQ(m_model.estimatedSize().value, 10'000'000);
    EXPECT_EQ(m_model.estimatedSize().exactness, Exactness::Estimate);
    EXPECT_EQ(m_model.emptiness().kind, Emptiness::Kind::Rows);
    EXPECT_EQ(m_model.data(m_model.index(0, 0), RowsModelBase::StateRole).toString(), QStringLiteral("SUCCEEDED"));
}

TEST_F(RecordsModelTest, EvictsBehindAndPagesBackToTheSameRows)
{
    m_model.setCapacity(1000);
    load();
    for (int step = 0; step < 60; ++step)
        scrollBy(100);
    EXPECT_LE(m_model.rowCount(), 1000 + 2 * RecordsModel::pageSize);
    EXPECT_GT(m_model.firstPosition(), 4000);
    EXPECT_EQ(FakeDatabase::rowOfId(keyAt(0)), 9'999'999 - m_model.firstPosition());
    expectConsecutive();
    while (m_model.firstPosition() > 0 || m_top > 0)
        scrollBy(-100);
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(9'999'999));
    EXPECT_LE(m_model.rowCount(), 1000 + 2 * RecordsModel::pageSize);
    expectConsecutive();
    EXPECT_EQ(m_resets, 0);
}

TEST_F(RecordsModelTest, JumpsToTheEndAndToAFraction)
{
    load();
    m_model.jumpToEnd();
    wait();
    EXPECT_EQ(keyAt(m_model.rowCount() - 1), FakeDatabase::idOf(0));
    EXPECT_EQ(m_model.firstPosition() + m_model.rowCount(), 10'000'000);
    m_model.jumpToFraction(0.25);
    wait();
    EXPECT_NEAR(static_cast<double>(FakeDatabase::rowOfId(keyAt(0))), 7'500'000, 1000);
    EXPECT_NEAR(static_cast<double>(m_model.firstPosition()), 2'500'000, 1000);
    EXPECT_FALSE(m_model.positionIsExact());
    m_model.jumpToBegin();
    wait();
    EXPECT_EQ(m_model.firstPosition(), 0);
}

TEST_F(RecordsModelTest, KeepsTheRowsWhenAReloadFails)
{
    load();
    const auto rows = m_model.rowCount();
    m_database.breakWith(Error{ Failure::TimedOut, "It took too long.", {}, "57014" });
    QSignalSpy failed(&m_model, &RowsModelBase::failed);
    m_model.reload();
    wait();
    EXPECT_EQ(m_model.rowCount(), rows);
    EXPECT_TRUE(m_model.stale());
    EXPECT_EQ(m_model.error()->failure, Failure::TimedOut);
    EXPECT_TRUE(m_model.loadedAt().has_value());
    EXPECT_EQ(failed.count(), 1);
    m_database.restore();
    m_model.refresh();
    wait();
    EXPECT_FALSE(m_model.stale());
    EXPECT_FALSE(m_model.error());
}

TEST_F(RecordsModelTest, DropsTheRowsOfAnotherFilterWhenTheNewOneFails)
{
    load();
    m_database.breakWith(Error{ Failure::TimedOut, "It took too long.", {}, "57014" });
    ASSERT_TRUE(m_model.setFilterText(QStringLiteral("stuck")));
    wait();
    EXPECT_EQ(m_model.rowCount(), 0);
    EXPECT_EQ(m_model.emptiness().kind, Emptiness::Kind::NotLoaded);
}

TEST_F(RecordsModelTest, SaysWhyThereIsNothing)
{
    const std::vector<std::pair<Failure, Emptiness::Kind>> cases = {
        { Failure::NotFound, Emptiness::Kind::TableMissing },
        { Failure::Denied, Emptiness::Kind::NoPermission },
        { Failure::TimedOut, Emptiness::Kind::NotLoaded },
    };
    for (const auto& [failure, kind] : cases) {
        m_database.breakWith(std::nullopt);
        m_thread.run([](Backend&) -> Result<int> { return 0; }).waitForFinished();
        m_database.breakWith(Error{ failure, "No.", {} });
        m_model.setBinding(std::make_shared<const Binding>(FakeDatabase::binding()));
        wait();
        EXPECT_EQ(m_model.emptiness().kind, kind);
    }
}

TEST_F(RecordsModelTest, RefusesAFilterThatIsNone)
{
    load();
    const auto pages = m_database.pages();
    const auto refused = m_model.setFilterText(QStringLiteral("state = ="));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Invalid);
    EXPECT_EQ(m_model.filterText(), QString());
    EXPECT_EQ(m_database.pages(), pages);
}

TEST_F(RecordsModelTest, OnlyTheNewestFilterIsShown)
{
    load();
    m_database.block();
    ASSERT_TRUE(m_model.setFilterText(QStringLiteral("stuck")));
    ASSERT_TRUE(eventually([this] { return m_database.waiting() == 1; }));
    ASSERT_TRUE(m_model.setFilterText(QString()));
    m_database.release();
    wait();
    EXPECT_EQ(keyAt(1), FakeDatabase::idOf(9'999'998)) << "the answer to the first filter has every thousandth row";
    EXPECT_EQ(m_resets, 1);
}

TEST_F(RecordsModelTest, PutsNewRowsOnTopWithoutAReset)
{
    load();
    m_database.addRows(3);
    m_database.setState(9'999'998, "HELD");
    m_database.remove(9'999'997);
    m_model.refresh();
    wait();
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(10'000'002));
    EXPECT_EQ(keyAt(3), FakeDatabase::idOf(9'999'999));
    EXPECT_EQ(m_model.rowAt(4).state, "HELD");
    EXPECT_EQ(keyAt(5), FakeDatabase::idOf(9'999'996));
    EXPECT_EQ(m_resets, 0);
    EXPECT_EQ(m_model.newRows().value, 0);
}

TEST_F(RecordsModelTest, CountsNewRowsWhileScrolledAndMovesNothing)
{
    load();
    scrollBy(100);
    scrollBy(100);
    const auto first = keyAt(m_top);
    const auto rows = m_model.rowCount();
    m_database.addRows(37);
    m_database.setState(FakeDatabase::rowOfId(first), "HELD");
    m_database.remove(FakeDatabase::rowOfId(first) - 1);
    m_model.refresh();
    wait();
    EXPECT_EQ(keyAt(m_top), first);
    EXPECT_EQ(m_model.rowCount(), rows);
    EXPECT_EQ(m_model.rowAt(m_top).state, "HELD");
    EXPECT_TRUE(m_model.data(m_model.index(m_top + 1, 0), RowsModelBase::GoneRole).toBool());
    EXPECT_EQ(m_model.newRows().value, 37);
    EXPECT_EQ(m_model.newRows().exactness, Exactness::Exact);
    m_model.refresh();
    wait();
    EXPECT_EQ(m_model.rowCount(), rows - 1) << "the refresh after takes it out";
    m_database.addRows(1000);
    m_model.refresh();
    wait();
    EXPECT_EQ(m_model.newRows().exactness, Exactness::AtLeast);
    EXPECT_EQ(m_resets, 0);
}

TEST_F(RecordsModelTest, FreezesTheOrderWhileRowsAreSelected)
{
    load();
    m_model.toggleSelected(2);
    m_database.addRows(5);
    m_model.refresh();
    wait();
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(9'999'999));
    EXPECT_EQ(m_model.newRows().value, 5);
    EXPECT_TRUE(m_model.data(m_model.index(2, 0), RowsModelBase::SelectedRole).toBool());
    m_model.clearSelection();
    m_model.refresh();
    wait();
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(10'000'004));
}

// However many rows came ahead of them, those that are shown say what they are now.
TEST_F(RecordsModelTest, ReadsTheFrozenRowsAnewWhateverCameAheadOfThem)
{
    load();
    m_model.show(0, 19);
    m_model.toggleSelected(2);
    for (const int more : { 37, 300 }) {
        m_database.addRows(more);
        const auto* state = more == 37 ? "HELD" : "EXPIRED";
        for (const int row : { 0, 1, 10, 19 })
            m_database.setState(9'999'999 - row, state);
        m_model.refresh();
        wait();
        for (const int row : { 0, 1, 10, 19 }) {
            EXPECT_EQ(keyAt(row), FakeDatabase::idOf(9'999'999 - row));
            EXPECT_EQ(m_model.rowAt(row).state, state) << row << " behind " << more;
        }
    }
    EXPECT_EQ(m_model.newRows().exactness, Exactness::AtLeast);
    m_database.remove(9'999'999);
    m_database.remove(9'999'990);
    m_model.refresh();
    wait();
    for (const int row : { 0, 9 })
        EXPECT_TRUE(m_model.data(m_model.index(row, 0), RowsModelBase::GoneRole).toBool()) << row;
    EXPECT_FALSE(m_model.data(m_model.index(1, 0), RowsModelBase::GoneRole).toBool());
    EXPECT_EQ(m_resets, 0);
}

TEST_F(RecordsModelTest, SelectsEverythingInOneStep)
{
    load();
    ASSERT_TRUE(m_model.setFilterText(QStringLiteral("stuck")));
    wait();
    m_model.selectEverything();
    EXPECT_EQ(m_model.selection().size().value, 10'000);
    m_model.toggleSelected(3);
    EXPECT_EQ(m_model.selection().size().value, 9'999);
    EXPECT_FALSE(m_model.data(m_model.index(3, 0), RowsModelBase::SelectedRole).toBool());
    EXPECT_TRUE(m_model.data(m_model.index(4, 0), RowsModelBase::SelectedRole).toBool());
    const auto scope = m_model.resolveSelection().result();
    ASSERT_TRUE(scope);
    EXPECT_TRUE(scope->identities.empty());
    EXPECT_NE(scope->filter.find("stuck"), std::string::npos);
    EXPECT_NE(scope->filter.find("not (key = \"" + keyAt(3) + "\""), std::string::npos);
    EXPECT_NE(scope->filter.find("created <= "), std::string::npos);
    EXPECT_TRUE(parseFilter(scope->filter));
}

TEST_F(RecordsModelTest, RefusesToActOnAWholeTable)
{
    load();
    m_model.selectEverything();
    const auto scope = m_model.resolveSelection().result();
    ASSERT_FALSE(scope);
    EXPECT_EQ(scope.error().failure, Failure::Invalid);
}

TEST_F(RecordsModelTest, ResolvesARangeThatIsNoLongerLoaded)
{
    m_model.setCapacity(1000);
    load();
    m_model.selectOnly(5);
    for (int step = 0; step < 60; ++step)
        scrollBy(100);
    m_model.selectTo(m_top + 10);
    const auto last = FakeDatabase::rowOfId(keyAt(m_top + 10));
    auto future = m_model.resolveSelection();
    ASSERT_TRUE(eventually([&] { return future.isFinished(); }));
    const auto scope = future.result();
    ASSERT_TRUE(scope) << scope.error().message;
    ASSERT_EQ(static_cast<std::int64_t>(scope->identities.size()), m_model.selection().size().value);
    EXPECT_EQ(scope->identities.front().front(), FakeDatabase::idOf(9'999'994));
    EXPECT_EQ(scope->identities.back().front(), FakeDatabase::idOf(last));
}

TEST_F(RecordsModelTest, SortsOnlyTheLoadedRowsByAColumnWithoutIndex)
{
    load();
    EXPECT_FALSE(m_model.setOrder(QStringLiteral("fence"), false));
    const auto rows = m_model.rowCount();
    m_model.sortLoaded(6, Qt::AscendingOrder);
    EXPECT_TRUE(m_model.sortedLocally());
    EXPECT_EQ(m_model.rowCount(), rows);
    EXPECT_LT(keyAt(0), keyAt(1));
    m_model.show(m_model.rowCount() - 10, m_model.rowCount() - 1);
    wait();
    EXPECT_EQ(m_model.rowCount(), rows);
    m_model.reload();
    wait();
    EXPECT_FALSE(m_model.sortedLocally());
}

TEST_F(RecordsModelTest, ShowsOldDataWhileTheConnectionIsLostAndRefreshesAfterwards)
{
    load();
    m_database.lose();
    m_model.refresh();
    wait();
    EXPECT_EQ(m_model.emptiness().kind, Emptiness::Kind::ConnectionLost);
    EXPECT_TRUE(m_model.stale());
    EXPECT_GT(m_model.rowCount(), 0);
    m_database.addRows(1);
    m_database.restore();
    ASSERT_TRUE(eventually([this] { return !m_model.stale(); }));
    EXPECT_EQ(keyAt(0), FakeDatabase::idOf(10'000'000));
}

TEST_F(RecordsModelTest, MutesWhatTheConsoleChangedUntilTheNextRefresh)
{
    load();
    m_database.setState(9'999'999, "HELD");
    m_model.noteChanged({ { FakeDatabase::idOf(9'999'999) } });
    wait();
    EXPECT_EQ(m_model.rowAt(0).state, "HELD");
    EXPECT_TRUE(m_model.data(m_model.index(0, 0), RowsModelBase::ChangedRole).toBool());
    m_model.refresh();
    wait();
    EXPECT_FALSE(m_model.data(m_model.index(0, 0), RowsModelBase::ChangedRole).toBool());
}

TEST_F(RecordsModelTest, TakesNoRowForAProofWhereRowsMayBeHidden)
{
    FakeDatabase none(0);
    StoreThread thread(
        openerOf(none), m_clock, { .first = std::chrono::milliseconds(1), .longest = std::chrono::milliseconds(5) });
    thread.start();
    RecordsModel model(thread);
    auto binding = FakeDatabase::binding();
    model.setBinding(std::make_shared<const Binding>(binding));
    ASSERT_TRUE(eventually([&] { return !model.busy(); }));
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::NoRows);
    EXPECT_EQ(model.estimatedSize().exactness, Exactness::Exact);
    binding.mayHideRows = true;
    model.setBinding(std::make_shared<const Binding>(binding));
    ASSERT_TRUE(eventually([&] { return !model.busy(); }));
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::RowsMayBeHidden);
    EXPECT_EQ(model.estimatedSize().exactness, Exactness::AtLeast);
}

TEST_F(RecordsModelTest, FollowsTheZone)
{
    load();
    int created = 0;
    while (m_model.headerData(created, Qt::Horizontal, RowsModelBase::ColumnIdRole).toString()
        != QStringLiteral("created"))
        ++created;
    EXPECT_TRUE(m_model.textAt(0, created).endsWith(QLatin1Char('Z')));
    m_model.setZone(*Zone::named(QStringLiteral("Asia/Kolkata")));
    EXPECT_TRUE(m_model.textAt(0, created).endsWith(QStringLiteral("+05:30")));
}

TEST(EmptyRecordsModelTest, TellsNoRowsFromHiddenRows)
{
    SystemClock clock;
    FakeDatabase database(0);
    StoreThread thread(openerOf(database), clock);
    thread.start();
    RecordsModel model(thread);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::Loading);
    model.setBinding(std::make_shared<const Binding>(FakeDatabase::binding()));
    ASSERT_TRUE(eventually([&] { return model.emptiness().kind == Emptiness::Kind::NoRows; }));
}

} // namespace
} // namespace fencepost::models
