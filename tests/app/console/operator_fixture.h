// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include "tests/app/console/console_fixture.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {

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
        ASSERT_TRUE(testing::eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
    }

    ui::TablePage* rowsOf(const char* page)
    {
        window->openPage(QLatin1String(page));
        auto* front = qobject_cast<ui::TablePage*>(window->page());
        if (!front
            || !testing::eventually([front] { return front->model()->rowCount() > 0 && !front->model()->busy(); }))
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

    // From the top bar, or from the button of a plan that waits for it.
    void armByClicks(ui::PlanDialog* plan = nullptr)
    {
        QAbstractButton* from = window->findChild<QAbstractButton*>(QStringLiteral("arming"));
        if (plan)
            from = &plan->confirmButton();
        QTest::mouseClick(from, Qt::LeftButton);
        auto* arm = dialog<ui::ArmDialog>();
        ASSERT_NE(arm, nullptr);
        QTest::keyClicks(arm->findChild<QLineEdit*>(), QStringLiteral("INC-1"));
        auto* act = buttonOf(*arm, QStringLiteral("Arm "));
        ASSERT_NE(act, nullptr);
        QTest::mouseClick(act, Qt::LeftButton);
        ASSERT_TRUE(testing::eventually([this] { return desk->session()->armed(); })) << qPrintable(banner());
    }

    ui::PlanDialog* reviewedPlan()
    {
        auto* plan = dialog<ui::PlanDialog>();
        return plan && testing::eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Review; }) ? plan
                                                                                                              : nullptr;
    }

    static void confirm(ui::PlanDialog& plan, const QString& reason)
    {
        plan.form().setReason(reason);
        ASSERT_TRUE(plan.confirmButton().isEnabled()) << qPrintable(plan.hint());
        QTest::mouseClick(&plan.confirmButton(), Qt::LeftButton);
        ASSERT_TRUE(testing::eventually([&plan] { return plan.stage() == ui::PlanDialog::Stage::Done; }));
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

    // Every instant that is written anywhere in the window; the one in a scheduled job's key is no instant of ours.
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
            QStringLiteral(R"((?<!@)(?:\d{4}-\d\d-\d\dT|read |Refreshed )\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?)"));
        QStringList found;
        for (const QString& each : words)
            for (auto matches = instant.globalMatch(each); matches.hasNext();)
                found += matches.next().captured();
        return found;
    }
};

} // namespace fencepost::app
