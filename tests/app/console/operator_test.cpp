// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
#include <QListWidget>
#include <QMenu>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>

#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/run_view.h"
#include "ui/dialogs/save_view_dialog.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/table_page.h"
#include "ui/shell/activity.h"
#include "ui/shell/rail.h"
#include "ui/widgets/arrivals_chart.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What a page's buttons act on is the row whose dossier is open, however it was opened.
TEST_F(OperatorTest, AJumpLeavesNoOtherRowUnderTheButtons)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowCount() > 20; }));
    const auto wanted = page->model()->rowAt(17);
    ASSERT_NE(wanted.state, "HELD");
    const auto jump = [&](const QString& filter) {
        window->openLink({ .connection = QStringLiteral("demo"),
            .page = QStringLiteral("keys"),
            .binding = QStringLiteral("idempotency_records"),
            .filter = filter,
            .identity = wanted.identity });
    };
    jump(QStringLiteral(""));
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowCount() > 20; }));
    const auto current = page->currentRow();
    ASSERT_TRUE(current);
    EXPECT_EQ(current->identity, wanted.identity);
    jump(QStringLiteral("held"));
    ASSERT_TRUE(eventually([page] {
        return !page->model()->busy() && page->model()->rowCount() > 0 && page->model()->rowAt(0).state == "HELD";
    }));
    EXPECT_FALSE(page->currentRow()) << "it is not among these";
    page->reload();
    ASSERT_TRUE(eventually([page] { return !page->model()->busy(); }));
    EXPECT_FALSE(page->currentRow());
    auto* titles = page->grid().view().horizontalHeader();
    const QPoint title(titles->sectionViewportPosition(titles->logicalIndex(1)) + 20, titles->height() / 2);
    QTest::mouseClick(titles->viewport(), Qt::LeftButton, {}, title);
    ASSERT_TRUE(eventually([page] { return !page->model()->busy(); }));
    EXPECT_FALSE(page->currentRow()) << "a title is not the first row under it";
    page->grid().view().setCurrentRow(1);
    const auto chosen = page->currentRow();
    ASSERT_TRUE(chosen);
    jump(QStringLiteral("state = SUCCEEDED"));
    page->grid().view().setCurrentRow(0);
    page->show(QStringLiteral("idempotency_records"), QStringLiteral("stuck"));
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowCount() > 0; }));
    EXPECT_FALSE(page->currentRow()) << "what was chosen by hand is not among these either";
}

TEST_F(OperatorTest, AnUnreachableHostLeavesTheWindowUsable)
{
    press("connection-add");
    auto* form = dialog<ui::ConnectionDialog>();
    ASSERT_NE(form, nullptr);
    QTest::keyClicks(form->findChild<QLineEdit*>(QStringLiteral("name")), QStringLiteral("far away"));
    QTest::keyClick(form->findChild<QComboBox*>(QStringLiteral("kind")), Qt::Key_Down);
    QTest::keyClicks(form->findChild<QLineEdit*>(QStringLiteral("host")), QStringLiteral("127.0.0.1"));
    QTest::keyClicks(form->findChild<QLineEdit*>(QStringLiteral("port")), QStringLiteral("1"));
    QTest::keyClicks(form->findChild<QLineEdit*>(QStringLiteral("database")), QStringLiteral("orders"));
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("save")), Qt::LeftButton);
    ASSERT_TRUE(eventually([this] { return desk->connections().all().size() == 1; }));

    window->openPage(QStringLiteral("connections"));
    auto* list = window->page()->findChild<QListWidget*>(QStringLiteral("connections"));
    ASSERT_NE(list, nullptr);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(0)).center());
    QTest::mouseClick(window->page()->findChild<QPushButton*>(QStringLiteral("open")), Qt::LeftButton);
    ASSERT_TRUE(eventually([this] { return banner().contains(QLatin1String("Could not reach the database")); }))
        << qPrintable(banner());
    EXPECT_NE(buttonOf(*window, QStringLiteral("Retry")), nullptr);

    // The other pages still open, and another connection works at once.
    for (const char* page : { "overview", "keys", "stuck", "audit" }) {
        window->openPage(QLatin1String(page));
        EXPECT_EQ(window->currentPage(), QLatin1String(page));
    }
    openDemo();
    EXPECT_EQ(banner(), QString());
    EXPECT_NE(rowsOf("keys"), nullptr);
}

TEST_F(OperatorTest, AnArmedConnectionDisarmsWhenNobodyTouchesTheWindow)
{
    openDemo();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* arming = window->findChild<QAbstractButton*>(QStringLiteral("arming"));
    const QString before = arming->text();
    clock.advance(std::chrono::seconds(50));
    desk->session()->tick();
    EXPECT_TRUE(desk->session()->armed());
    EXPECT_NE(arming->text(), before) << "it counts down";
    // A key is a use: the wait begins anew.
    QTest::keyClick(window.get(), Qt::Key_J);
    for (int i = 0; i < 5; ++i) {
        clock.advance(std::chrono::seconds(50));
        desk->session()->tick();
    }
    EXPECT_TRUE(desk->session()->armed());
    clock.advance(std::chrono::seconds(51));
    desk->session()->tick();
    EXPECT_FALSE(desk->session()->armed());
    EXPECT_TRUE(arming->text().contains(QStringLiteral("Read-only"))) << qPrintable(arming->text());
}

TEST_F(OperatorTest, ARowsKeyThatWasGivenAnotherWorksNoLonger)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    QApplication::setActiveWindow(window.get());
    view.setFocus();
    view.setCurrentRow(0);
    QTest::keyClick(&view, Qt::Key_J);
    EXPECT_EQ(view.currentRow(), 1);
    QTest::keyClick(&view, Qt::Key_X);
    EXPECT_EQ(page->model()->selection().size().value, 1);
    ASSERT_EQ(window->commands().remap("next-row", QKeySequence(Qt::Key_F6)), QString());
    ASSERT_EQ(window->commands().remap("live", QKeySequence(Qt::Key_F7)), QString());
    QTest::keyClick(&view, Qt::Key_J);
    EXPECT_EQ(view.currentRow(), 1);
    QTest::keyClick(&view, Qt::Key_F6);
    EXPECT_EQ(view.currentRow(), 2);
    auto* live = window->findChild<QAbstractButton*>(QStringLiteral("live"));
    EXPECT_TRUE(live->toolTip().contains(QStringLiteral("F7"))) << qPrintable(live->toolTip());
}

TEST_F(OperatorTest, TheRangeOfTheTopBarIsThatOfEveryPage)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto* strip = page->findChild<ui::ArrivalsStrip*>();
    const auto stretches = [](const QString& csv) {
        QSet<QString> from;
        for (const QString& line : csv.split(QLatin1Char('\n')).mid(1))
            from += line.section(QLatin1Char(','), 0, 0);
        from.remove(QString());
        return from.values();
    };
    ASSERT_TRUE(testing::eventually([&] { return stretches(strip->csv()).size() > 1; }));
    auto* range = window->findChild<QComboBox*>(QStringLiteral("range"));
    ASSERT_NE(range, nullptr);
    // Every hour has rows, so hours would not all lie three apart.
    const auto threeHourly = [&](const QString& csv) {
        const auto from = stretches(csv);
        const auto start = from.isEmpty() ? QDateTime() : QDateTime::fromString(from.front(), Qt::ISODate);
        return from.size() > 4 && std::all_of(from.begin(), from.end(), [&start](const QString& each) {
            return start.secsTo(QDateTime::fromString(each, Qt::ISODate)) % (3 * 3600) == 0;
        });
    };
    EXPECT_FALSE(threeHourly(strip->csv()));
    range->setCurrentIndex(range->findText(QStringLiteral("Last 7 days")));
    EXPECT_TRUE(testing::eventually([&] { return threeHourly(strip->csv()); })) << qPrintable(strip->csv());
    window->openPage(QStringLiteral("overview"));
    auto* chart = window->page()->findChild<ui::ArrivalsChart*>();
    ASSERT_NE(chart, nullptr);
    EXPECT_TRUE(testing::eventually([&] { return threeHourly(chart->csv()); })) << qPrintable(chart->csv());
}

TEST_F(OperatorTest, AnExpiryIsTakenBackFromTheAuditPage)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("state = SUCCEEDED"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(eventually([page] {
        return !page->model()->busy() && page->model()->rowCount() > 0
            && page->model()->rowAt(0).state == std::string("SUCCEEDED");
    }));
    page->grid().view().setFocus();
    clickCell(page->grid().view(), 0, 2);
    key("Esc"); // the record that the click opened
    const auto expired = page->model()->rowAt(0).key;
    key("Shift+E");
    auto* plan = reviewedPlan();
    ASSERT_NE(plan, nullptr);
    ASSERT_NO_FATAL_FAILURE(confirm(*plan, QStringLiteral("INC-2: expire")));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));
    plan->reject();
    ASSERT_TRUE(eventually([this] { return !QApplication::activeModalWidget(); }));

    key("G, A");
    auto* audit = qobject_cast<ui::AuditPage*>(window->page());
    ASSERT_NE(audit, nullptr);
    ASSERT_TRUE(eventually([audit] {
        return audit->model()->rowCount() > 0 && !audit->model()->busy()
            && audit->model()->rowAt(0).reason == "INC-2: expire";
    }));
    clickCell(audit->grid().view(), 0, 3);
    ASSERT_TRUE(audit->undoButton().isEnabled()) << qPrintable(audit->undoButton().toolTip());
    QTest::mouseClick(&audit->undoButton(), Qt::LeftButton);
    plan = reviewedPlan();
    ASSERT_NE(plan, nullptr);
    ASSERT_NO_FATAL_FAILURE(confirm(*plan, QStringLiteral("INC-2: the wrong key")));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));
    plan->reject();
    ASSERT_TRUE(eventually([audit] {
        return audit->model()->rowCount() > 0 && audit->model()->rowAt(0).reason == "INC-2: the wrong key";
    }));
    EXPECT_EQ(audit->model()->rowAt(0).verb, "unexpire");
    EXPECT_NE(audit->model()->rowAt(0).identity.find(expired), std::string::npos);
}

TEST_F(OperatorTest, EverythingStuckIsFencedOnceItsCountIsTyped)
{
    openCopy(models::Environment::Production);
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* page = rowsOf("stuck");
    ASSERT_NE(page, nullptr);
    // Leases of the demo end while this runs: those are left alone.
    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("age > 20m"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowCount() > 0; }));
    const int stuck = page->model()->rowCount();
    ASSERT_GT(stuck, 1);
    page->grid().view().setFocus();
    key("Shift+A");
    EXPECT_TRUE(page->selection().all);
    key("Shift+F");
    auto* plan = reviewedPlan();
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->confirmButton().text(), QStringLiteral("Fence %1 owners on copy").arg(stuck));
    plan->form().setReason(QStringLiteral("INC-3: the workers are gone"));
    QTest::keyClicks(&plan->countField(), QString::number(stuck - 1));
    EXPECT_FALSE(plan->confirmButton().isEnabled());
    plan->countField().selectAll();
    QTest::keyClicks(&plan->countField(), QString::number(stuck));
    ASSERT_NO_FATAL_FAILURE(confirm(*plan, QStringLiteral("INC-3: the workers are gone")));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed %1 · skipped 0 · failed 0").arg(stuck));
}

TEST_F(OperatorTest, ColumnsAreChosenAndAViewIsSavedAndOpenedFromTheirMenus)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    const int scope = [&view] {
        for (int column = 0; column < view.model()->columnCount(); ++column)
            if (view.model()->headerData(column, Qt::Horizontal).toString() == QLatin1String("Scope"))
                return column;
        return -1;
    }();
    ASSERT_GE(scope, 0);
    auto* columns = toolOf(page->filterBar(), QStringLiteral("Which columns are shown"));
    auto* views = toolOf(page->filterBar(), QStringLiteral("Saved views"));
    ASSERT_TRUE(columns && views);
    chooseFrom(*columns, QStringLiteral("Scope"));
    EXPECT_TRUE(view.isColumnHidden(scope));

    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("held"));
    QTest::keyClick(&field, Qt::Key_Return);
    chooseFrom(*views, QStringLiteral("Save this view…"));
    auto* name = dialog<ui::SaveViewDialog>();
    ASSERT_NE(name, nullptr);
    auto* save = buttonOf(*name, QStringLiteral("Save view"));
    ASSERT_NE(save, nullptr);
    EXPECT_FALSE(save->isEnabled());
    QTest::keyClicks(name->findChild<QLineEdit*>(), QStringLiteral("Stuck"));
    EXPECT_FALSE(save->isEnabled()) << "it comes with the program";
    name->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(name->findChild<QLineEdit*>(), QStringLiteral("Night shift"));
    EXPECT_TRUE(save->isEnabled());
    QTest::keyClick(name->findChild<QLineEdit*>(), Qt::Key_Return);
    ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));

    field.clear();
    QTest::keyClick(&field, Qt::Key_Return);
    chooseFrom(*columns, QStringLiteral("Scope"));
    EXPECT_FALSE(view.isColumnHidden(scope));
    chooseFrom(*views, QStringLiteral("Night shift"));
    EXPECT_EQ(page->filterBar().filter(), QStringLiteral("held"));
    EXPECT_TRUE(view.isColumnHidden(scope));
}

TEST_F(OperatorTest, EveryInstantOfEveryPageFollowsTheZone)
{
    openDemo();
    const auto kathmandu = models::Zone::named(QStringLiteral("Asia/Kathmandu"));
    ASSERT_TRUE(kathmandu);
    for (const ui::PageEntry& entry : ui::pages()) {
        zone.set(models::Zone::utc());
        window->openPage(QLatin1String(entry.id));
        ASSERT_TRUE(settle()) << entry.id;
        if (auto* rows = qobject_cast<ui::TablePage*>(window->page()); rows && rows->handles("open-row")) {
            rows->grid().view().setCurrentRow(0);
            rows->run("open-row");
        }
        const auto allEndWith = [this](const QString& offset) {
            const QStringList found = instants();
            for (const QString& each : found)
                if (!each.endsWith(offset))
                    return each;
            return found.isEmpty() ? QStringLiteral("no instant at all") : QString();
        };
        (void)eventually([&] { return allEndWith(QStringLiteral("Z")).isEmpty(); });
        EXPECT_EQ(allEndWith(QStringLiteral("Z")), QString()) << entry.id;
        zone.set(*kathmandu);
        (void)eventually([&] { return allEndWith(QStringLiteral("+05:45")).isEmpty(); });
        EXPECT_EQ(allEndWith(QStringLiteral("+05:45")), QString()) << entry.id;
    }
}

TEST_F(OperatorTest, EveryKeyOfTheKeysPageDoesWhatTheSheetSays)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    view.setFocus();
    view.setCurrentRow(0);
    key("J");
    EXPECT_EQ(view.currentRow(), 1);
    key("K");
    EXPECT_EQ(view.currentRow(), 0);
    key("C");
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(), page->model()->rowAt(0).key);
    key("Y");
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QLatin1String("fencepost://")));
    key("X");
    EXPECT_EQ(page->selection().rows.size(), 1U);
    key("Esc");
    const auto scheme = theme.scheme();
    key("T");
    EXPECT_NE(theme.scheme(), scheme);
    zone.set(*models::Zone::named(QStringLiteral("Asia/Kathmandu")));
    key("Z");
    EXPECT_NE(zone.value().name(), QStringLiteral("Asia/Kathmandu"));
    auto* live = window->findChild<QAbstractButton*>(QStringLiteral("live"));
    const QString shown = live->text();
    key("P");
    EXPECT_NE(live->text(), shown);
    for (const auto& [keys, id] : { std::pair{ "G, I", "inbox" }, { "G, S", "stuck" }, { "G, V", "overview" },
             { "G, O", "outbox" }, { "G, D", "dlq" }, { "G, R", "runs" }, { "G, A", "audit" },
             { "G, C", "connections" }, { "G, K", "keys" } }) {
        key(keys);
        EXPECT_EQ(window->currentPage(), QLatin1String(id)) << keys;
    }
    for (const char* keys : { "Shift+F", "N" }) {
        view.setFocus();
        view.setCurrentRow(0);
        page->model()->clearSelection();
        key(keys);
        auto* plan = dialog<ui::PlanDialog>();
        ASSERT_NE(plan, nullptr) << keys;
        QTest::keyClick(plan, Qt::Key_Escape);
        ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); })) << keys;
    }
    view.setFocus();
    key("?");
    auto* sheet = dialog<ui::ShortcutSheet>();
    ASSERT_NE(sheet, nullptr);
    QTest::keyClick(sheet, Qt::Key_Escape);
    ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
    key("/");
    EXPECT_TRUE(page->filterBar().field().hasFocus());
}

TEST_F(OperatorTest, TheOtherKeysOfTheSheetDoWhatItSays)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    view.setFocus();
    view.setCurrentRow(0);
    const auto before = page->model()->loadedAt();
    key("R");
    EXPECT_TRUE(eventually([&] { return page->model()->loadedAt() > before; }));
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_NE(window->dossier(), nullptr);
    key("Esc");
    EXPECT_EQ(window->dossier(), nullptr);
    key("B");
    EXPECT_TRUE(view.currentIndex().data(models::RowsModelBase::BookmarkedRole).toBool());
    key("B");
    EXPECT_FALSE(view.currentIndex().data(models::RowsModelBase::BookmarkedRole).toBool());
    key("Shift+C");
    ASSERT_TRUE(eventually([] { return QApplication::activePopupWidget() != nullptr; }));
    QApplication::activePopupWidget()->close();

    key("Ctrl+K");
    EXPECT_TRUE(window->findChild<QLineEdit*>(QStringLiteral("search"))->hasFocus());
    key("Esc");
    const int height = view.rowHeight();
    key("D");
    EXPECT_LT(view.rowHeight(), height);
    key("D");
    EXPECT_EQ(view.rowHeight(), height);
    const auto* rail = window->findChild<ui::Rail*>();
    key("Ctrl+B");
    EXPECT_TRUE(rail->isCollapsed());
    key("Ctrl+B");
    EXPECT_FALSE(rail->isCollapsed());
    const auto* activity = window->findChild<ui::Activity*>();
    key("Ctrl+J");
    EXPECT_TRUE(activity->isVisible());
    key("Ctrl+J");
    EXPECT_FALSE(activity->isVisible());
    const auto asked = [this](const char* keys, auto* found) {
        key(keys);
        found = dialog<std::remove_pointer_t<decltype(found)>>();
        ASSERT_NE(found, nullptr) << keys;
        found->reject();
        ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); })) << keys;
    };
    ASSERT_NO_FATAL_FAILURE(asked("Shift+Z", static_cast<ui::ZoneDialog*>(nullptr)));
    ASSERT_NO_FATAL_FAILURE(asked("Ctrl+Shift+A", static_cast<ui::ArmDialog*>(nullptr)));
    ASSERT_NO_FATAL_FAILURE(asked("Ctrl+N", static_cast<ui::ConnectionDialog*>(nullptr)));
    key("Ctrl+R");
    EXPECT_TRUE(eventually([this] { return desk->session()->status().link.state == models::Link::State::Open; }));
    key("Ctrl+Q");
    EXPECT_FALSE(window->isVisible());
}

TEST_F(OperatorTest, EachOperationsKeyOpensItsPlanOnARowThatItFits)
{
    openDemo();
    for (const auto& [keys, page, filter, title] :
        { std::tuple{ "Shift+L", "stuck", "", "Release for retry" }, { "Shift+X", "stuck", "", "Fail finally" },
            { "Shift+V", "keys", "held", "Resolve hold" }, { "Shift+E", "keys", "state = SUCCEEDED", "Expire key" } }) {
        auto* rows = rowsOf(page);
        ASSERT_NE(rows, nullptr) << keys;
        rows->show({}, QLatin1String(filter));
        ASSERT_TRUE(eventually([rows] { return rows->model()->rowCount() > 0 && !rows->model()->busy(); })) << keys;
        rows->grid().view().setFocus();
        rows->grid().view().setCurrentRow(0);
        key(keys);
        auto* plan = dialog<ui::PlanDialog>();
        ASSERT_NE(plan, nullptr) << keys;
        EXPECT_TRUE(plan->windowTitle().startsWith(QLatin1String(title))) << qPrintable(plan->windowTitle());
        plan->reject();
        ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); })) << keys;
    }
}

// A run of many rows goes on below while the operator looks at something else.
TEST_F(OperatorTest, ARunGoesOnInTheBottomDockWithPauseAndStop)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    page->show({}, QStringLiteral("state = SUCCEEDED and age > 1h"));
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() > 0 && !page->model()->busy(); }));
    page->grid().view().setFocus();
    key("Shift+A");
    key("Shift+E");
    auto* plan = reviewedPlan();
    ASSERT_NE(plan, nullptr);
    const auto size = std::int64_t(plan->plan()->items.size());
    ASSERT_GT(size, 100);
    plan->form().setReason(QStringLiteral("INC-4: the retention was too long"));
    QTest::keyClicks(&plan->countField(), QString::number(size));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_EQ(plan->stage(), ui::PlanDialog::Stage::Running) << qPrintable(banner());
    QTest::mouseClick(&plan->backgroundButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
    const auto* activity = window->findChild<ui::Activity*>();
    EXPECT_TRUE(activity->isVisible());
    auto* run = activity->findChild<ui::RunView*>();
    ASSERT_NE(run, nullptr);
    // It may be over before anybody could stop it; either way it says what became of every row.
    if (auto* stop = buttonOf(*run, QStringLiteral("Stop")))
        QTest::mouseClick(stop, Qt::LeftButton);
    ASSERT_TRUE(eventually([run] { return buttonOf(*run, QStringLiteral("Close")) != nullptr; }));
    EXPECT_TRUE(run->summary().startsWith(QStringLiteral("changed "))) << qPrintable(run->summary());
    EXPECT_TRUE(activity->logText().contains(QStringLiteral("Expire"))) << qPrintable(activity->logText());
    window->openPage(QStringLiteral("audit"));
    EXPECT_TRUE(run->isVisible());
    QTest::mouseClick(buttonOf(*run, QStringLiteral("Close")), Qt::LeftButton);
    testing::handleEvents();
    EXPECT_EQ(activity->findChild<ui::RunView*>(), nullptr);
}

} // namespace
} // namespace fencepost::app
