// SPDX-License-Identifier: GPL-3.0-or-later
#include <QContextMenuEvent>
#include <QSignalSpy>

#include "core/store/database.h"
#include "models/rows_model.h"
#include "tests/app/console/operator_fixture.h"
#include "ui/widgets/row_panel.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What was chosen by hand is what the page acts on, or nothing is, whatever other processes do meanwhile.
class ChosenRowTest : public OperatorTest {
protected:
    void run(const std::string& sql)
    {
        auto connection = store::Connection::open({ .path = files.filePath(QStringLiteral("copy.db")).toStdString() },
            { .access = store::Access::ReadWrite });
        ASSERT_TRUE(connection);
        const auto done = (*connection)->execute(sql);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
    }

    static QStringList identityOf(const ui::GridView& view, int row)
    {
        return view.model()->index(row, 0).data(models::RowsModelBase::IdentityRole).toStringList();
    }

    static QString quoted(const QString& text) { return QLatin1Char('\'') + text + QLatin1Char('\''); }
};

TEST_F(ChosenRowTest, AGroupStaysChosenWhereverItMoves)
{
    openCopy();
    auto* page = rowsOf("dlq");
    ASSERT_NE(page, nullptr);
    auto& groups = page->findChild<ui::RowPanel*>()->grid();
    auto& view = groups.view();
    ASSERT_TRUE(eventually([&view] { return view.model() && view.model()->rowCount() > 3; }));
    clickCell(view, 2, 0);
    EXPECT_TRUE(settle());
    const auto chosen = identityOf(view, 2);
    const auto first = identityOf(view, 0);
    run("UPDATE dead_letters SET state = 'DISCARDED' WHERE fingerprint = " + quoted(first.at(0)).toStdString());
    page->reload();
    ASSERT_TRUE(eventually([&] { return identityOf(view, 0) != first; }));
    EXPECT_EQ(identityOf(view, view.currentRow()), chosen);
    ASSERT_NE(buttonOf(*page, QStringLiteral("Replay the group")), nullptr);

    run("DELETE FROM dead_letters WHERE fingerprint = " + quoted(chosen.at(0)).toStdString());
    page->reload();
    EXPECT_TRUE(eventually([&] { return view.currentRow() < 0; }));
    EXPECT_EQ(buttonOf(*page, QStringLiteral("Replay the group")), nullptr) << "of which group?";
}

TEST_F(ChosenRowTest, AConflictStaysChosenWhereverItMoves)
{
    openCopy();
    window->openPage(QStringLiteral("conflicts"));
    auto* grid = window->page()->findChild<ui::RowGrid*>();
    ASSERT_NE(grid, nullptr);
    auto& view = grid->view();
    ASSERT_TRUE(eventually([&view] { return view.model() && view.model()->rowCount() > 1; }));
    EXPECT_TRUE(settle());
    const auto chosen = identityOf(view, 0);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Home);
    run("UPDATE idempotency_conflicts SET last_at = (SELECT max(last_at) FROM idempotency_conflicts) + 1 WHERE "
        "idempotency_key = "
        + quoted(identityOf(view, view.model()->rowCount() - 1).at(2)).toStdString());
    window->page()->reload();
    ASSERT_TRUE(eventually([&] { return view.model()->rowCount() > 1 && identityOf(view, 0) != chosen; }));
    EXPECT_EQ(identityOf(view, view.currentRow()), chosen);
}

// Nobody chose it, and it is what is seen: a row that comes ahead of it does not take its place.
TEST_F(ChosenRowTest, TheRowThatIsCurrentFromTheStartStaysSo)
{
    openCopy();
    window->openPage(QStringLiteral("conflicts"));
    auto& view = window->page()->findChild<ui::RowGrid*>()->view();
    ASSERT_TRUE(eventually([&view] { return view.model() && view.model()->rowCount() > 1 && view.currentRow() == 0; }));
    EXPECT_TRUE(settle());
    const auto first = identityOf(view, 0);
    run("UPDATE idempotency_conflicts SET last_at = (SELECT max(last_at) FROM idempotency_conflicts) + 1 WHERE "
        "idempotency_key = "
        + quoted(identityOf(view, view.model()->rowCount() - 1).at(2)).toStdString());
    window->page()->reload();
    ASSERT_TRUE(eventually([&] { return view.model()->rowCount() > 1 && identityOf(view, 0) != first; }));
    EXPECT_EQ(identityOf(view, view.currentRow()), first);
}

// Also the first row, which is current before anybody chooses it.
TEST_F(ChosenRowTest, AFirstRowThatWasChosenIsNotHandedOnToItsNeighbour)
{
    openCopy();
    auto* page = rowsOf("dlq");
    ASSERT_NE(page, nullptr);
    page->show({}, QStringLiteral("state = DEAD"));
    EXPECT_TRUE(settle());
    auto& view = page->grid().view();
    ASSERT_TRUE(eventually([&view] { return view.currentRow() == 0; }));
    for (const bool byKey : { true, false }) {
        const auto first = identityOf(view, 0);
        view.setFocus();
        if (byKey)
            QTest::keyClick(&view, Qt::Key_Up);
        else
            QTest::mousePress(
                view.viewport(), Qt::RightButton, {}, view.visualRect(view.model()->index(0, 0)).center());
        run("UPDATE dead_letters SET state = 'DISCARDED' WHERE id = " + quoted(first.at(0)).toStdString());
        page->setLive(true);
        ASSERT_TRUE(eventually([&] { return identityOf(view, 0) != first; })) << byKey;
        EXPECT_EQ(view.currentRow(), -1) << byKey;
        EXPECT_TRUE(page->selection().rows.empty()) << byKey;
        page->setLive(false);
        QTest::keyClick(&view, Qt::Key_Home);
        EXPECT_EQ(view.currentRow(), 0);
    }
}

TEST_F(ChosenRowTest, HomeAndEndReachTheEdgesOfATableThatIsReadInParts)
{
    openCopy();
    run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO "
        "idempotency_records "
        "(scope, operation_type, idempotency_key, request_hash, status, owner_execution_id, fence, attempt, hold, "
        "created_at, started_at, "
        "updated_at, expires_at, response_code) SELECT 'many', 'op', 'key-' || i, zeroblob(32), 'SUCCEEDED', "
        "'00000000-0000-4000-8000-000000000001', 1, 1, 0, "
        "i, "
        "i, i, 253402300000000000, 200 FROM n");
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    view.setFocus();
    const auto first = identityOf(view, 0);
    for (int round = 0; round < 2; ++round) {
        QTest::keyClick(&view, Qt::Key_End);
        ASSERT_TRUE(eventually([&] { return page->model()->firstPosition() > 0 && view.currentRow() > 0; }));
        EXPECT_EQ(view.currentRow(), page->model()->rowCount() - 1);
        QTest::keyClick(&view, Qt::Key_Home);
        ASSERT_TRUE(eventually([&] { return page->model()->firstPosition() == 0 && view.currentRow() == 0; }));
        EXPECT_EQ(identityOf(view, 0), first);
    }
}

TEST_F(ChosenRowTest, BelowTheRowsThereIsNoMenu)
{
    openCopy();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    page->show({}, QStringLiteral("key = ") + identityOf(view, 0).at(2));
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() == 1 && !page->model()->busy(); }));
    QSignalSpy asked(&page->grid(), &ui::RowGrid::contextMenuAsked);
    QObject::disconnect(&page->grid(), &ui::RowGrid::contextMenuAsked, page, nullptr);
    const auto press = [&](QContextMenuEvent::Reason reason, const QPoint& at) {
        QContextMenuEvent event(reason, at, view.viewport()->mapToGlobal(at));
        QApplication::sendEvent(view.viewport(), &event);
    };
    press(QContextMenuEvent::Mouse, QPoint(20, view.viewport()->height() - 10));
    EXPECT_EQ(asked.size(), 0);
    press(QContextMenuEvent::Mouse, view.visualRect(view.model()->index(0, 0)).center());
    EXPECT_EQ(asked.size(), 1);
    press(QContextMenuEvent::Keyboard, QPoint(20, view.viewport()->height() - 10));
    EXPECT_EQ(asked.size(), 2) << "a key asks for the menu of the current row";
}

} // namespace
} // namespace fencepost::app
