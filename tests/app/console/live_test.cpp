// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/fingerprint.h"
#include "core/random.h"
#include "core/store/stores.h"
#include "tests/app/console/operator_fixture.h"
#include "ui/pages/overview_page.h"
#include "ui/range_setting.h"
#include "ui/widgets/comparison_card.h"
#include "ui/widgets/plain_table.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What follows the database by itself, and when it does not.
class LiveTest : public OperatorTest {
protected:
    // Another process begins some requests.
    void reserve(int count)
    {
        auto backend = store::open({ .target = { .path = files.filePath(QStringLiteral("copy.db")).toStdString() },
            .options = { .access = store::Access::ReadWrite },
            .profiles = nullptr,
            .auditPath = folders.audit.toStdString() });
        ASSERT_TRUE(backend);
        SystemRandom random;
        for (int i = 0; i < count; ++i) {
            Reservation reservation;
            reservation.id = { "payments", "charge", "new-" + uuid4(random) };
            reservation.requestHash = sha256("body");
            reservation.owner = { uuid4(random) };
            reservation.lease = std::chrono::minutes(5);
            reservation.ttl = std::chrono::hours(24);
            ASSERT_TRUE((*backend)->store().reserve(reservation));
        }
    }
    QPushButton* pill(ui::TablePage& page) { return page.findChild<QPushButton*>(QStringLiteral("new-rows")); }
};

TEST_F(LiveTest, OnlyThePageInFrontOfAWindowInSightAsksAgain)
{
    openCopy();
    ASSERT_NE(rowsOf("keys"), nullptr);
    auto* keys = qobject_cast<ui::TablePage*>(window->page());
    window->openPage(QStringLiteral("inbox"));
    auto* inbox = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(inbox, nullptr);
    EXPECT_TRUE(inbox->model()->isLive());
    EXPECT_FALSE(keys->model()->isLive()) << "behind another";
    window->openPage(QStringLiteral("keys"));
    EXPECT_TRUE(keys->model()->isLive());
    EXPECT_FALSE(inbox->model()->isLive());
    window->hide();
    EXPECT_FALSE(keys->model()->isLive());
    window->show();
    EXPECT_TRUE(keys->model()->isLive());
    window->setWindowState(Qt::WindowMinimized);
    EXPECT_TRUE(eventually([keys] { return !keys->model()->isLive(); }));
    window->setWindowState(Qt::WindowNoState);
    EXPECT_TRUE(eventually([keys] { return keys->model()->isLive(); }));
    press("live");
    EXPECT_FALSE(keys->model()->isLive());
    press("live");
    EXPECT_TRUE(keys->model()->isLive());
}

TEST_F(LiveTest, NothingMovesBehindADialog)
{
    openCopy();
    ASSERT_NE(rowsOf("keys"), nullptr);
    auto* keys = qobject_cast<ui::TablePage*>(window->page());
    press("arm");
    auto* arm = dialog<ui::ArmDialog>();
    ASSERT_NE(arm, nullptr);
    EXPECT_FALSE(keys->model()->isLive());
    arm->reject();
    EXPECT_TRUE(eventually([keys] { return keys->model()->isLive(); }));
}

TEST_F(LiveTest, WithASelectionNewRowsAreCountedAndShownWhenTheyAreAskedFor)
{
    openCopy();
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    ASSERT_TRUE(keys->model()->setOrder(QStringLiteral("created"), true));
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 0 && !keys->model()->busy(); }));
    keys->model()->toggleSelected(0);
    const auto first = keys->model()->rowAt(0).key;
    ASSERT_NO_FATAL_FAILURE(reserve(3));
    keys->setLive(true);
    ASSERT_TRUE(eventually([&] { return pill(*keys)->isVisible(); }));
    EXPECT_EQ(pill(*keys)->text(), QStringLiteral("3 new ▲"));
    EXPECT_EQ(keys->model()->rowAt(0).key, first) << "what is selected stays where it is";
    QTest::mouseClick(pill(*keys), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return keys->model()->rowCount() > 3 && !keys->model()->busy(); }));
    EXPECT_FALSE(pill(*keys)->isVisible());
    EXPECT_EQ(keys->model()->rowAt(3).key, first);
}

// A click on a row is one, too: what somebody looks at does not move away from under the pointer.
TEST_F(LiveTest, AtAChosenRowNewRowsAreCountedAndShownWhenTheyAreAskedFor)
{
    openCopy();
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    ASSERT_TRUE(keys->model()->setOrder(QStringLiteral("created"), true));
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 2 && !keys->model()->busy(); }));
    auto& view = keys->grid().view();
    clickCell(view, 2, 0);
    const auto chosen = keys->model()->rowAt(2).key;
    ASSERT_NO_FATAL_FAILURE(reserve(3));
    keys->setLive(true);
    ASSERT_TRUE(eventually([&] { return pill(*keys)->isVisible(); }));
    EXPECT_EQ(pill(*keys)->text(), QStringLiteral("3 new ▲"));
    EXPECT_EQ(keys->model()->rowAt(2).key, chosen);
    EXPECT_EQ(view.currentRow(), 2);
    QTest::mouseClick(pill(*keys), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return keys->model()->rowCount() > 5 && keys->model()->rowAt(5).key == chosen; }));
    EXPECT_TRUE(eventually([&] { return view.currentRow() == 5; })) << "it is still the one that is meant";
}

// Sorted by a column that no index serves, only what is loaded is: read anew, it stands in the table's own order.
TEST_F(LiveTest, AtAChosenRowNewRowsAreCountedAgainOnceAListThatWasSortedHereIsReadAnew)
{
    openCopy();
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    ASSERT_TRUE(keys->model()->setOrder(QStringLiteral("created"), true));
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 2 && !keys->model()->busy(); }));
    auto& view = keys->grid().view();
    auto* header = view.horizontalHeader();
    int unordered = -1;
    for (int column = 0; column < header->count() && unordered < 0; ++column)
        if (!keys->model()->canOrderBy(column) && !header->isSectionHidden(column))
            unordered = column;
    ASSERT_GE(unordered, 0);
    view.scrollTo(view.model()->index(0, unordered));
    const QPoint title(header->sectionViewportPosition(unordered) + header->sectionSize(unordered) / 2, 5);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, title);
    ASSERT_TRUE(keys->model()->sortedLocally());
    EXPECT_EQ(header->sortIndicatorSection(), unordered);
    keys->show(QString(), QStringLiteral("not held"));
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 2 && !keys->model()->busy(); }));
    EXPECT_FALSE(keys->model()->sortedLocally());
    EXPECT_NE(header->sortIndicatorSection(), unordered);
    clickCell(view, 2, 0);
    const auto chosen = keys->model()->rowAt(2).key;
    ASSERT_NO_FATAL_FAILURE(reserve(3));
    keys->setLive(true);
    ASSERT_TRUE(eventually([&] { return pill(*keys)->isVisible(); }));
    EXPECT_EQ(keys->model()->rowAt(2).key, chosen);
}

TEST_F(LiveTest, WithoutASelectionNewRowsComeByThemselves)
{
    openCopy();
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    ASSERT_TRUE(keys->model()->setOrder(QStringLiteral("created"), true));
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 0 && !keys->model()->busy(); }));
    ASSERT_NO_FATAL_FAILURE(reserve(1));
    keys->setLive(true);
    EXPECT_TRUE(eventually([keys] { return keys->model()->rowAt(0).key.rfind("new-", 0) == 0; }));
    EXPECT_FALSE(pill(*keys)->isVisible());
}

TEST_F(LiveTest, TheOverviewComparesTheHourWithTheHourBeforeAndLeadsToItsRows)
{
    openCopy();
    window->openPage(QStringLiteral("overview"));
    ASSERT_TRUE(settle());
    auto* card = window->page()->findChild<ui::ComparisonCard*>();
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(eventually([card] { return card->sentence().contains(QStringLiteral("in the last hour")); }))
        << qPrintable(card->sentence());
    const auto inProgress = [card] {
        for (int row = 0; row < card->table().rowCount(); ++row)
            if (card->table().cell(row, 0) == QStringLiteral("IN_PROGRESS"))
                return card->table().cell(row, 1).toInt();
        return 0;
    };
    const int before = inProgress();
    ASSERT_NO_FATAL_FAILURE(reserve(5));
    window->page()->reload();
    ASSERT_TRUE(eventually([&] { return inProgress() == before + 5; })) << inProgress();
    // The rows of that number.
    for (int row = 0; row < card->table().rowCount(); ++row)
        if (card->table().cell(row, 0) == QStringLiteral("IN_PROGRESS"))
            Q_EMIT const_cast<ui::PlainTable&>(card->table()).cellClicked(row, 1);
    auto* keys = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(keys, nullptr);
    ASSERT_TRUE(eventually([keys] { return keys->model()->rowCount() > 0 && !keys->model()->busy(); }));
    EXPECT_EQ(keys->model()->rowCount(), before + 5);
}

TEST_F(LiveTest, AFrozenTimeIsComparedWithTheTimeBeforeIt)
{
    openCopy();
    const auto began = SystemClock().now();
    ASSERT_NO_FATAL_FAILURE(reserve(4));
    const auto ended = SystemClock().now();
    window->openPage(QStringLiteral("overview"));
    ASSERT_TRUE(settle());
    auto* card = window->page()->findChild<ui::ComparisonCard*>();
    ASSERT_NE(card, nullptr);
    // So short that nothing else of the demo falls into the time before it.
    window->findChild<ui::RangeSetting*>()->freeze(TimeRange{ ended, ended + (ended - began) });
    EXPECT_TRUE(eventually([card] {
        return card->sentence() == QStringLiteral("0 rows in the frozen time, 4 fewer than in the time before it");
    })) << qPrintable(card->sentence());
    window->openPage(QStringLiteral("flows"));
    ASSERT_TRUE(settle());
    const auto says = [this](const QString& words) {
        return eventually([&] {
            for (const auto* label : window->page()->findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains(words))
                    return true;
            return false;
        });
    };
    EXPECT_TRUE(says(QStringLiteral("· 4 in the ")));
    window->openPage(QStringLiteral("retries"));
    EXPECT_TRUE(says(QStringLiteral(" in the ")));
    window->openPage(QStringLiteral("conflicts"));
    EXPECT_TRUE(says(QStringLiteral("· 0 in the ")));
}

} // namespace
} // namespace fencepost::app
