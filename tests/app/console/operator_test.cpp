// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QInputDialog>
#include <QListWidget>
#include <QMenu>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>

#include "tests/app/console/console_fixture.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/run_view.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What a person does with mouse and keyboard, from the first click to what the window says afterwards.
class OperatorTest : public ConsoleFixture {
protected:
    // Operations change it, so that it is this test's own.
    void openCopy(models::Environment environment = models::Environment::Local)
    {
        const QString path = files.filePath(QStringLiteral("copy.db"));
        ASSERT_TRUE(QFile::copy(demoFile(), path));
        const auto id = desk->connections().add(
            { .name = QStringLiteral("copy"), .environment = environment, .url = QStringLiteral("sqlite:") + path });
        ASSERT_TRUE(id);
        desk->open(*id);
        ASSERT_TRUE(eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
    }

    ui::TablePage* rowsOf(const char* page)
    {
        window->openPage(QLatin1String(page));
        auto* front = qobject_cast<ui::TablePage*>(window->page());
        if (!front || !eventually([front] { return front->model()->rowCount() > 0 && !front->model()->busy(); }))
            return nullptr;
        front->setLive(false);
        return front;
    }

    static void clickCell(QTableView& view, int row, int column)
    {
        const QRect cell = view.visualRect(view.model()->index(row, column));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, cell.center());
    }

    static QPushButton* buttonOf(const QWidget& parent, const QString& beginning)
    {
        for (QPushButton* button : parent.findChildren<QPushButton*>())
            if (button->isVisible() && button->text().startsWith(beginning))
                return button;
        return nullptr;
    }

    void armByClicks()
    {
        QTest::mouseClick(window->findChild<QAbstractButton*>(QStringLiteral("arming")), Qt::LeftButton);
        auto* arm = dialog<ui::ArmDialog>();
        ASSERT_NE(arm, nullptr);
        QTest::keyClicks(arm->findChild<QLineEdit*>(), QStringLiteral("INC-1"));
        auto* act = buttonOf(*arm, QStringLiteral("Arm "));
        ASSERT_NE(act, nullptr);
        QTest::mouseClick(act, Qt::LeftButton);
        ASSERT_TRUE(eventually([this] { return desk->session()->armed(); })) << qPrintable(banner());
    }

    ui::PlanDialog* reviewedPlan()
    {
        auto* plan = dialog<ui::PlanDialog>();
        return plan && eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Review; }) ? plan : nullptr;
    }

    static void confirm(ui::PlanDialog& plan, const QString& reason)
    {
        plan.form().setReason(reason);
        ASSERT_TRUE(plan.confirmButton().isEnabled()) << qPrintable(plan.hint());
        QTest::mouseClick(&plan.confirmButton(), Qt::LeftButton);
        ASSERT_TRUE(eventually([&plan] { return plan.stage() == ui::PlanDialog::Stage::Done; }));
    }

    // A menu under a button holds its caller until something in it is chosen.
    static void chooseFrom(QToolButton& button, const QString& title)
    {
        QTimer::singleShot(0, &button, [title] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            ASSERT_NE(menu, nullptr) << qPrintable(title);
            for (QAction* action : menu->actions())
                if (action->text() == title) {
                    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                    return;
                }
            menu->close();
            ADD_FAILURE() << "the menu has no " << qPrintable(title);
        });
        QTest::mouseClick(&button, Qt::LeftButton);
    }

    static QToolButton* toolOf(const QWidget& parent, const QString& tip)
    {
        for (QToolButton* tool : parent.findChildren<QToolButton*>())
            if (tool->toolTip() == tip)
                return tool;
        return nullptr;
    }

    void key(const char* keys)
    {
        // Offscreen no window manager gives the focus back to it when a dialog closes.
        QApplication::setActiveWindow(window.get());
        const QKeySequence sequence{ QLatin1String(keys) };
        for (int i = 0; i < sequence.count(); ++i)
            QTest::keyClick(window.get(), sequence[i].key(), sequence[i].keyboardModifiers());
    }

    // Every instant that is written anywhere in the window.
    QStringList instants() const
    {
        QStringList words;
        for (const QLabel* label : window->findChildren<QLabel*>())
            if (label->isVisible())
                words += label->text();
        for (const QAbstractItemView* view : window->findChildren<QAbstractItemView*>()) {
            if (!view->isVisible() || !view->model())
                continue;
            for (int row = 0; row < std::min(view->model()->rowCount(), 30); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column)
                    words += view->model()->index(row, column).data().toString();
        }
        static const QRegularExpression instant(
            QStringLiteral(R"((?:\d{4}-\d\d-\d\dT|read |Refreshed )\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?)"));
        QStringList found;
        for (const QString& each : words)
            for (auto matches = instant.globalMatch(each); matches.hasNext();)
                found += matches.next().captured();
        return found;
    }
};

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
    auto* name = dialog<QInputDialog>();
    ASSERT_NE(name, nullptr);
    QTest::keyClicks(name->findChild<QLineEdit*>(), QStringLiteral("Night shift"));
    QTest::keyClick(name, Qt::Key_Return);
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
             { "G, A", "audit" }, { "G, C", "connections" }, { "G, K", "keys" } }) {
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

} // namespace
} // namespace fencepost::app
