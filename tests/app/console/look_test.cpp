// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QComboBox>
#include <QDir>
#include <QPainter>
#include <QTabWidget>
#include <QToolButton>

#include "tests/app/console/console_fixture.h"
#include "tests/support/cut_words.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/confirm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/password_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/plan_review.h"
#include "ui/dialogs/save_view_dialog.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/flows_page.h"
#include "ui/pages/retries_page.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/range_field.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::cutWords;
using testing::eventually;

// What a person would see at a glance: words that are cut, columns that end in the middle. With FENCEPOST_PICTURES set
// every scene is kept as a picture there.
class LookTest : public ConsoleFixture, public ::testing::WithParamInterface<QSize> {
protected:
    void SetUp() override
    {
        window->resize(GetParam());
        openDemo(models::Environment::Production);
    }

    static QString words(const QStringList& cut) { return cut.join(QLatin1Char('\n')); }

    void look(QWidget& at, const QString& scene)
    {
        testing::handleEvents();
        EXPECT_EQ(words(cutWords(at)), QString()) << qPrintable(scene);
        const QString folder = qEnvironmentVariable("FENCEPOST_PICTURES");
        if (folder.isEmpty())
            return;
        QDir().mkpath(folder);
        at.grab().save(
            QStringLiteral("%1/%2x%3-%4.png").arg(folder).arg(GetParam().width()).arg(GetParam().height()).arg(scene));
    }

    template <typename Dialog> void lookAtDialog(const QString& scene)
    {
        auto* shown = dialog<Dialog>();
        ASSERT_NE(shown, nullptr) << qPrintable(scene);
        look(*shown, scene);
        shown->reject();
        ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); })) << qPrintable(scene);
    }

    ui::TablePage* rows(const char* page, const QString& filter = QStringLiteral(""))
    {
        window->openPage(QLatin1String(page));
        auto* front = qobject_cast<ui::TablePage*>(window->page());
        if (!front)
            return nullptr;
        front->show({}, filter);
        return eventually([front] { return front->model()->rowCount() > 0 && !front->model()->busy(); }) ? front
                                                                                                         : nullptr;
    }

    static bool endsInTheMiddle(const QTableView& view)
    {
        const auto* header = view.horizontalHeader();
        for (int column = 0; column < header->count(); ++column) {
            const int left = header->sectionViewportPosition(column);
            const int right = left + header->sectionSize(column);
            if (!header->isSectionHidden(column) && left < view.viewport()->width() - 1
                && right > view.viewport()->width() + 1)
                return true;
        }
        return false;
    }
};

TEST_P(LookTest, NoPageCutsItsWordsOrItsColumns)
{
    for (const ui::PageEntry& entry : ui::pages()) {
        window->openPage(QLatin1String(entry.id));
        ASSERT_TRUE(settle()) << entry.id;
        look(*window, QLatin1String(entry.id));
        for (const auto* view : window->page()->findChildren<ui::GridView*>())
            // A table without rows is not shown, and has no columns to cut.
            EXPECT_TRUE(!view->isVisible() || !endsInTheMiddle(*view)) << entry.id;
    }
}

TEST_P(LookTest, NoPartOfARecordCutsItsWords)
{
    auto* page = rows("keys", QStringLiteral("state = SUCCEEDED and attempts > 1"));
    ASSERT_NE(page, nullptr);
    page->run("open-row");
    auto* dossier = window->dossier();
    ASSERT_NE(dossier, nullptr);
    for (int part = 0; part < dossier->partCount(); ++part) {
        dossier->showPart(part);
        ASSERT_TRUE(eventually([dossier] { return !dossier->isLoading(); }));
        look(*window, QStringLiteral("record-") + dossier->partName(part).toLower());
    }
    EXPECT_FALSE(endsInTheMiddle(page->grid().view()));
    page = rows("stuck");
    ASSERT_NE(page, nullptr);
    page->run("open-row");
    ASSERT_TRUE(eventually([this] { return window->dossier() && !window->dossier()->isLoading(); }));
    look(*window, QStringLiteral("record-stuck"));
}

TEST_P(LookTest, NoDialogCutsItsWords)
{
    auto* page = rows("stuck");
    ASSERT_NE(page, nullptr);
    page->grid().view().setCurrentRow(0);
    press("operation.fence");
    auto* plan = dialog<ui::PlanDialog>();
    ASSERT_NE(plan, nullptr);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Review; }));
    lookAtDialog<ui::PlanDialog>(QStringLiteral("plan"));
    page = rows("keys", QStringLiteral("held"));
    ASSERT_NE(page, nullptr);
    page->grid().view().setCurrentRow(0);
    press("operation.resolve");
    lookAtDialog<ui::PlanDialog>(QStringLiteral("plan-resolve"));
    press("arm");
    lookAtDialog<ui::ArmDialog>(QStringLiteral("arm"));
    press("zone-choose");
    lookAtDialog<ui::ZoneDialog>(QStringLiteral("zone"));
    press("sheet");
    lookAtDialog<ui::ShortcutSheet>(QStringLiteral("sheet"));
    press("connection-add");
    lookAtDialog<ui::ConnectionDialog>(QStringLiteral("connection-sqlite"));
    press("connection-add");
    auto* form = dialog<ui::ConnectionDialog>();
    ASSERT_NE(form, nullptr);
    form->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentIndex(1);
    lookAtDialog<ui::ConnectionDialog>(QStringLiteral("connection-postgresql"));
    const models::Connection far{ .name = QStringLiteral("orders-prod"),
        .environment = models::Environment::Production,
        .url = QStringLiteral("postgresql://reader@db1.example/orders") };
    (new ui::PasswordDialog(
         theme, far, QStringLiteral("The server refused this password."), ui::Keychain::Missing, window.get()))
        ->open();
    lookAtDialog<ui::PasswordDialog>(QStringLiteral("password"));
    (new ui::SaveViewDialog(theme, *desk->views(),
         { .filter = QStringLiteral("stuck and age > 5m and scope = \"tenant:northwind\""),
             .columns = QStringLiteral("State, Key, Scope, Operation, Owner, Fence, Attempts, Lease, Age, Created"),
             .order = QStringLiteral("created, newest or largest first") },
         window.get()))
        ->open();
    lookAtDialog<ui::SaveViewDialog>(QStringLiteral("save-view"));
    (new ui::ConfirmDialog(theme,
         { .title = QStringLiteral("Remove orders-prod"),
             .explanation = QStringLiteral("Its definition and its password in the keychain are removed."),
             .button = QStringLiteral("Remove 1 connection"),
             .environment = QStringLiteral("production"),
             .place = QStringLiteral("orders-prod") },
         window.get()))
        ->open();
    lookAtDialog<ui::ConfirmDialog>(QStringLiteral("confirm"));
}

// From field to field a person goes down the form, never back up.
TEST_P(LookTest, TabGoesThroughAFormAsItIsRead)
{
    for (const int kind : { 0, 1 }) {
        press("connection-add");
        auto* form = dialog<ui::ConnectionDialog>();
        ASSERT_NE(form, nullptr);
        form->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentIndex(kind);
        testing::handleEvents();
        QWidget* field = form->findChild<QLineEdit*>(QStringLiteral("name"));
        int reached = 1;
        for (QWidget* next = field->nextInFocusChain(); next->objectName() != QLatin1String("save");
             next = next->nextInFocusChain()) {
            if (!next->isVisible() || !(next->focusPolicy() & Qt::TabFocus) || next->window() != form)
                continue;
            EXPECT_GE(next->mapTo(form, QPoint()).y(), field->mapTo(form, QPoint()).y() - 4)
                << qPrintable(next->objectName()) << " after " << qPrintable(field->objectName());
            field = next;
            ++reached;
        }
        EXPECT_GT(reached, 5);
        form->reject();
        ASSERT_TRUE(eventually([] { return !QApplication::activeModalWidget(); }));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LookTest, ::testing::Values(QSize(1280, 800), QSize(960, 600)),
    [](const ::testing::TestParamInfo<QSize>& size) { return "Wide" + std::to_string(size.param.width()); });

// The last entry of a long list is as high as the first one.
TEST_P(LookTest, APopupShowsItsLastEntryWhole)
{
    window->openPage(QStringLiteral("retries"));
    ASSERT_TRUE(settle());
    auto* page = qobject_cast<ui::RetriesPage*>(window->page());
    ASSERT_NE(page, nullptr);
    auto& choice = page->promises();
    ASSERT_GT(choice.count(), 7);
    choice.showPopup();
    testing::handleEvents();
    const auto* view = choice.view();
    const auto last = view->visualRect(choice.model()->index(choice.count() - 1, 0));
    EXPECT_LE(last.bottom(), view->viewport()->rect().bottom());
    choice.hidePopup();
}

// What was frozen is none of the ranges that can be chosen.
TEST_P(LookTest, AFrozenTimeIsSaidInTheTopBar)
{
    auto* range = window->findChild<QComboBox*>(QStringLiteral("range"));
    ASSERT_NE(range, nullptr);
    window->openPage(QStringLiteral("flows"));
    ASSERT_TRUE(settle());
    auto* page = qobject_cast<ui::FlowsPage*>(window->page());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(eventually([page] { return page->range().freeze().isEnabled(); }));
    page->range().freeze().click();
    testing::handleEvents();
    EXPECT_EQ(range->currentIndex(), -1);
    EXPECT_EQ(range->placeholderText(), QStringLiteral("Frozen: 2d"));
    range->setCurrentIndex(1);
    EXPECT_FALSE(page->range().freeze().isChecked()) << "what is chosen moves again";
}

} // namespace
} // namespace fencepost::app
