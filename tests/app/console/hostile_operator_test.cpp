// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QListWidget>

#include "core/random.h"
#include "core/store/database.h"
#include "tests/app/console/operator_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/dialogs/confirm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/run_view.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/plain_table.h"
#include "ui/zone_setting.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// Somebody, or something, does what nobody expected while the window is open.
class HostileOperatorTest : public OperatorTest {
protected:
    QString path() const { return files.filePath(QStringLiteral("copy.db")); }

    bool loses(models::Link::State state)
    {
        return eventually([this, state] {
            desk->session()->refreshInfo();
            return desk->session()->status().link.state == state;
        });
    }

    Result<std::unique_ptr<store::Connection>> secondConnection()
    {
        store::Target target;
        target.path = path().toStdString();
        return store::Connection::open(target, { .access = store::Access::ReadWrite });
    }

    ui::PlanDialog* planFor(const char* page, const char* filter, const char* keys)
    {
        auto* rows = rowsOf(page);
        if (!rows)
            return nullptr;
        rows->show({}, QLatin1String(filter));
        if (!eventually([rows] { return rows->model()->rowCount() > 0 && !rows->model()->busy(); }))
            return nullptr;
        rows->grid().view().setFocus();
        rows->grid().view().setCurrentRow(0);
        key(keys);
        return reviewedPlan();
    }

    // What is offered where the same connection is opened again.
    ui::PlanDialog* offeredAgain()
    {
        EXPECT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
        const auto id = desk->openId();
        desk->close();
        testing::handleEvents();
        desk->open(id);
        EXPECT_TRUE(eventually([this] { return banner().contains(QStringLiteral("cut short")); }))
            << qPrintable(banner());
        auto* look = buttonOf(*window, QStringLiteral("Look at it"));
        if (!look)
            return nullptr;
        QTest::mouseClick(look, Qt::LeftButton);
        return reviewedPlan();
    }
};

TEST_F(HostileOperatorTest, AFileThatIsDeletedWhileItIsOpenIsSaidToBeGone)
{
    openCopy();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    const int rows = page->model()->rowCount();
    ASSERT_TRUE(QFile::remove(path()));
    ASSERT_TRUE(loses(models::Link::State::Failed) || loses(models::Link::State::Lost));
    EXPECT_TRUE(eventually([this] { return !banner().isEmpty(); }));
    EXPECT_EQ(page->model()->rowCount(), rows) << "the last rows stay";
    EXPECT_FALSE(QFile::exists(path())) << "and nobody makes a new file";
    EXPECT_NE(buttonOf(*window, QStringLiteral("Re")), nullptr) << qPrintable(banner());
}

TEST_F(HostileOperatorTest, AFileThatIsReplacedIsReadAnewAndNothingIsWrittenIntoTheOldOne)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* plan = planFor("keys", "state = SUCCEEDED", "Shift+E");
    ASSERT_NE(plan, nullptr);
    ASSERT_TRUE(QFile::rename(path(), path() + QStringLiteral(".old")));
    for (const char* side : { "-wal", "-shm" })
        QFile::rename(path() + QLatin1String(side), path() + QStringLiteral(".old") + QLatin1String(side));
    ASSERT_TRUE(QFile::copy(demoFile(), path()));
    plan->form().setReason(QStringLiteral("INC-9: at the wrong moment"));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_FALSE(plan->runView().summary().startsWith(QStringLiteral("changed 1")))
        << qPrintable(plan->runView().summary());
    plan->reject();
    EXPECT_TRUE(loses(models::Link::State::Open));
}

TEST_F(HostileOperatorTest, ALockedDatabaseFailsTheRowAndSaysThatNothingWasChanged)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* plan = planFor("keys", "state = SUCCEEDED", "Shift+E");
    ASSERT_NE(plan, nullptr);
    auto other = secondConnection();
    ASSERT_TRUE(other);
    ASSERT_TRUE((*other)->execute("BEGIN IMMEDIATE"));
    plan->form().setReason(QStringLiteral("INC-10: while somebody writes"));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(plan->runView().summary().section(QStringLiteral(" · "), 0, 0), QStringLiteral("changed 0"));
    const auto report = plan->runView().reportText();
    EXPECT_TRUE(report.contains(QStringLiteral("locked")) || report.contains(QStringLiteral("busy"))
        || report.contains(QStringLiteral("lock")))
        << qPrintable(report);
    ASSERT_TRUE((*other)->execute("ROLLBACK"));
    plan->reject();
    ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
    // The same plan again, once the lock is gone.
    plan = planFor("keys", "state = SUCCEEDED", "Shift+E");
    ASSERT_NE(plan, nullptr);
    ASSERT_NO_FATAL_FAILURE(confirm(*plan, QStringLiteral("INC-10: again")));
    EXPECT_TRUE(plan->runView().summary().startsWith(QStringLiteral("changed 1")))
        << qPrintable(plan->runView().summary());
}

TEST_F(HostileOperatorTest, ARunThatWasKilledIsOfferedAgainAndRepeatsNothing)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* plan = planFor("keys", "state = SUCCEEDED", "Shift+E");
    ASSERT_NE(plan, nullptr);
    Plan begun = *plan->plan();
    begun.reason = "INC-11: killed in the middle";
    const auto request = begun.requestId;
    // As a kill between the first row and the report leaves it: begun, carried out, no report.
    ASSERT_TRUE(desk->plans()->begin(begun));
    {
        auto started = desk->session()->carryOut(begun, nullptr, window.get());
        ASSERT_TRUE(started);
        ASSERT_TRUE(eventually([&] { return (*started)->state() == models::RunState::Finished; }));
        ASSERT_EQ((*started)->report().changed, 1);
    }
    plan->reject();
    plan = offeredAgain();
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->plan()->requestId, request);
    EXPECT_FALSE(plan->form().isEnabled()) << "what was frozen is not edited";
    ASSERT_NO_FATAL_FAILURE(armByClicks(plan));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_TRUE(plan->runView().summary().startsWith(QStringLiteral("changed 0 · already done 1")))
        << qPrintable(plan->runView().summary());
    EXPECT_TRUE(desk->plans()->interrupted().empty());
}

TEST_F(HostileOperatorTest, AReplayThatWasBroughtToItsEndElsewhereIsNotOfferedAgain)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* rows = rowsOf("dlq");
    ASSERT_NE(rows, nullptr);
    rows->show({}, QStringLiteral("state = DEAD"));
    ASSERT_TRUE(eventually([rows] { return rows->model()->rowCount() > 0 && !rows->model()->busy(); }));
    rows->grid().view().setFocus();
    rows->grid().view().setCurrentRow(0);
    press("operation.replay");
    auto* plan = reviewedPlan();
    ASSERT_NE(plan, nullptr);
    Plan begun = *plan->plan();
    begun.reason = "INC-12: killed in the middle";
    ASSERT_TRUE(desk->plans()->begin(begun));
    {
        auto started = desk->session()->carryOut(begun, nullptr, window.get(), std::nullopt, ReplaySettings());
        ASSERT_TRUE(started);
        ASSERT_TRUE(eventually([&] { return (*started)->state() == models::RunState::Finished; }));
        ASSERT_FALSE((*started)->report().stoppedBy);
    }
    // Another one is cut short, so that there is something to wait for.
    Plan other = begun;
    other.requestId = "11111111-6a0e-4c39-9c3f-3f0d4c1c9e11";
    other.createdAt = begun.createdAt - std::chrono::hours(1);
    ASSERT_TRUE(desk->plans()->begin(other));
    plan->reject();
    plan = offeredAgain();
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->plan()->requestId, other.requestId);
    plan->reject();
    ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
}

TEST_F(HostileOperatorTest, AConnectionIsRemovedWhileItsRecordIsOpen)
{
    openCopy();
    auto* page = rowsOf("stuck");
    ASSERT_NE(page, nullptr);
    page->run("open-row");
    ASSERT_NE(window->dossier(), nullptr);
    window->openPage(QStringLiteral("connections"));
    auto* list = window->page()->findChild<QListWidget*>(QStringLiteral("connections"));
    ASSERT_NE(list, nullptr);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(0)).center());
    QTest::mouseClick(window->page()->findChild<QPushButton*>(QStringLiteral("remove")), Qt::LeftButton);
    auto* ask = dialog<ui::ConfirmDialog>();
    ASSERT_NE(ask, nullptr);
    QTest::mouseClick(ask->findChild<QPushButton*>(QStringLiteral("confirm")), Qt::LeftButton);
    ASSERT_TRUE(eventually([this] { return !desk->session() && desk->connections().all().empty(); }));
    EXPECT_EQ(window->dossier(), nullptr);
    for (const char* each : { "overview", "keys", "stuck", "inbox", "outbox", "dlq", "runs", "audit", "connections" })
        window->openPage(QLatin1String(each));
    openDemo();
    EXPECT_NE(rowsOf("keys"), nullptr);
}

TEST_F(HostileOperatorTest, TwoWindowsOnOneDatabaseDoNotFightOverARow)
{
    openCopy();
    Desk secondDesk(folders, profile::shippedLibrary().value(), keychain, clock);
    secondDesk.setKeychain(ui::Keychain::Missing);
    ui::MainWindow second(secondDesk, theme, zone);
    second.resize(1280, 800);
    second.show();
    ASSERT_TRUE(secondDesk.openUrl(
        QStringLiteral("sqlite:") + path(), QStringLiteral("copy"), Error{ Failure::NotFound, "none", {}, {} }));
    ASSERT_TRUE(eventually([&] { return !secondDesk.session()->bindings().empty(); }));
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* plan = planFor("keys", "state = SUCCEEDED", "Shift+E");
    ASSERT_NE(plan, nullptr);
    const auto item = plan->plan()->items.front();
    // The other window is quicker.
    ASSERT_TRUE(secondDesk.session()->arm(std::chrono::minutes(5), QStringLiteral("INC-12")));
    ASSERT_TRUE(eventually([&] { return secondDesk.session()->armed(); }));
    Plan theirs = *plan->plan();
    SystemRandom random;
    theirs.requestId = uuid4(random);
    theirs.reason = "INC-12: the other window";
    auto started = secondDesk.session()->carryOut(theirs, nullptr, secondDesk.session());
    ASSERT_TRUE(started);
    ASSERT_TRUE(eventually([&] { return (*started)->state() == models::RunState::Finished; }));
    ASSERT_EQ((*started)->report().changed, 1);
    plan->form().setReason(QStringLiteral("INC-12: this window"));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 0 · skipped 1 · failed 0"));
    EXPECT_FALSE(plan->runView().items().cell(0, 2).isEmpty()) << "a row that is skipped says why";
}

TEST_F(HostileOperatorTest, ThemeZoneAndSizeMayChangeUnderAnOpenDialog)
{
    openCopy();
    auto* plan = planFor("stuck", "", "Shift+F");
    ASSERT_NE(plan, nullptr);
    const auto request = plan->plan()->requestId;
    const QColor light = plan->grab().toImage().pixelColor(plan->width() / 2, plan->height() - 8);
    theme.setScheme(ui::Scheme::Dark);
    testing::handleEvents();
    const QColor dark = plan->grab().toImage().pixelColor(plan->width() / 2, plan->height() - 8);
    EXPECT_LT(dark.lightness(), light.lightness());
    zone.set(*models::Zone::named(QStringLiteral("Asia/Kathmandu")));
    window->resize(800, 600);
    testing::handleEvents();
    window->resize(1280, 800);
    testing::handleEvents();
    EXPECT_EQ(plan->plan()->requestId, request) << "a dialog is modal to its data";
    EXPECT_EQ(plan->stage(), ui::PlanDialog::Stage::Review);
    plan->reject();
    theme.setScheme(ui::Scheme::Light);
}

TEST_F(HostileOperatorTest, ASmallWindowShowsEverythingAndGrowsBack)
{
    openDemo();
    auto* page = rowsOf("stuck");
    ASSERT_NE(page, nullptr);
    page->run("open-row");
    window->resize(800, 600);
    testing::handleEvents();
    EXPECT_EQ(window->size(), QSize(800, 600));
    for (const ui::PageEntry& entry : ui::pages()) {
        window->openPage(QLatin1String(entry.id));
        ASSERT_TRUE(settle()) << entry.id;
        EXPECT_LE(window->page()->mapTo(window.get(), QPoint(window->page()->width(), 0)).x(), 800) << entry.id;
    }
    window->resize(1280, 800);
    testing::handleEvents();
    EXPECT_EQ(window->size(), QSize(1280, 800));
}

TEST_F(HostileOperatorTest, AHundredSavedViewsAreStillAMenu)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    for (int view = 0; view < 100; ++view)
        ASSERT_TRUE(desk->views()->save({ .name = QStringLiteral("View %1").arg(view, 3, 10, QLatin1Char('0')),
            .filter = QStringLiteral("attempts > %1").arg(view) }));
    auto* views = toolOf(page->filterBar(), QStringLiteral("Saved views"));
    ASSERT_NE(views, nullptr);
    QSize menu;
    QTimer::singleShot(0, views, [&menu] {
        auto* popup = QApplication::activePopupWidget();
        ASSERT_NE(popup, nullptr);
        menu = popup->size();
        popup->close();
    });
    QTest::mouseClick(views, Qt::LeftButton);
    EXPECT_LT(menu.width(), 480) << "one column, which scrolls";
    chooseFrom(*views, QStringLiteral("View 003"));
    EXPECT_EQ(page->filterBar().filter(), QStringLiteral("attempts > 3"));
}

} // namespace
} // namespace fencepost::app
