// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QKeySequenceEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>

#include "core/operations/operation.h"
#include "models/files.h"
#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/run_view.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/pages/overview_page.h"
#include "ui/shell/activity.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/chart_menu.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class MenuTest : public OperatorTest {
protected:
    QMenuBar* bar() const { return window->findChild<QMenuBar*>(); }
    QMenu* menu(const char* name) const { return bar()->findChild<QMenu*>(QLatin1String(name)); }

    // Opened by the keys that its underlined letter says, and closed again.
    QMenu* openByKeys(Qt::Key letter)
    {
        QApplication::setActiveWindow(window.get());
        QTest::keyClick(window.get(), letter, Qt::AltModifier);
        QMenu* opened = nullptr;
        (void)eventually([&opened] { return (opened = qobject_cast<QMenu*>(QApplication::activePopupWidget())); });
        return opened;
    }

    // The plan that fences the first stuck key, as the dialog saves it.
    QString savedPlan()
    {
        auto* page = rowsOf("stuck");
        if (!page)
            return {};
        page->run("next-row");
        press("operation.fence");
        auto* plan = reviewedPlan();
        if (!plan)
            return {};
        plan->form().setReason(QStringLiteral("INC-9: reviewed by two"));
        buttonOf(*plan, QStringLiteral("Save plan"))->click();
        auto* chooser = dialog<QFileDialog>();
        const QString path = files.filePath(QStringLiteral("fence.json"));
        chooser->selectFile(path);
        QMetaObject::invokeMethod(chooser, "accept");
        EXPECT_TRUE(eventually([&path] { return QFile::exists(path); }));
        plan->reject();
        EXPECT_TRUE(eventually([this] { return window->findChildren<QDialog*>().isEmpty(); }));
        return path;
    }

    void openPlan(const QString& path)
    {
        key("Ctrl+O");
        auto* chooser = dialog<QFileDialog>();
        ASSERT_NE(chooser, nullptr);
        chooser->selectFile(path);
        QMetaObject::invokeMethod(chooser, "accept");
    }
};

TEST_F(MenuTest, EveryCommandStandsInOneMenu)
{
    for (const auto& entry : window->commands().entries()) {
        int places = 0;
        for (const QMenu* each : bar()->findChildren<QMenu*>())
            places += int(each->actions().count(entry.action));
        EXPECT_EQ(places, 1) << qPrintable(entry.title);
    }
    for (const Operation& operation : operations())
        EXPECT_TRUE(menu("Operations")
                        ->actions()
                        .contains(window->commands().action(std::string("operation.") + operation.id)));
}

TEST_F(MenuTest, MenusOpenByTheirLettersAndMarkWhatIsOn)
{
    openDemo();
    auto* view = openByKeys(Qt::Key_V);
    ASSERT_EQ(view, menu("View"));
    auto* dark = window->commands().action("theme");
    auto* live = window->commands().action("live");
    EXPECT_FALSE(dark->isChecked());
    EXPECT_TRUE(live->isChecked());
    QTest::mouseClick(view, Qt::LeftButton, {}, view->actionGeometry(dark).center());
    EXPECT_EQ(theme.scheme(), ui::Scheme::Dark);
    key("P");
    view = openByKeys(Qt::Key_V);
    ASSERT_EQ(view, menu("View"));
    EXPECT_TRUE(dark->isChecked());
    EXPECT_FALSE(live->isChecked()) << "paused by its key";
    QTest::keyClick(view, Qt::Key_Escape);
    EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
    // Without selected records the operations say why they rest.
    auto* operations = openByKeys(Qt::Key_O);
    ASSERT_EQ(operations, menu("Operations"));
    EXPECT_FALSE(window->commands().action("operation.fence")->isEnabled());
    EXPECT_TRUE(window->commands().action("operation.fence")->toolTip().contains(QLatin1String("Select records")));
    QTest::keyClick(operations, Qt::Key_Escape);
}

TEST_F(MenuTest, OperationsRestWhereTheFilterLeftNoRows)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    page->run("next-row");
    ASSERT_EQ(openByKeys(Qt::Key_O), menu("Operations"));
    auto* note = window->commands().action("operation.note");
    EXPECT_TRUE(note->isEnabled());
    menu("Operations")->close();
    page->show({}, QStringLiteral("held and stuck"));
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowCount() == 0; }));
    ASSERT_EQ(openByKeys(Qt::Key_O), menu("Operations"));
    EXPECT_FALSE(note->isEnabled());
    menu("Operations")->close();
}

TEST_F(MenuTest, AKeyIsChosenInTheSheetAndThatOfAnotherCommandIsRefused)
{
    openDemo();
    key("?");
    auto* sheet = dialog<ui::ShortcutSheet>();
    ASSERT_NE(sheet, nullptr);
    QApplication::setActiveWindow(sheet);
    const auto choose = [sheet](Qt::Key pressed) {
        QTest::mouseClick(sheet->cap(QStringLiteral("reload")), Qt::LeftButton);
        auto* field = sheet->findChild<QKeySequenceEdit*>();
        ASSERT_NE(field, nullptr);
        QTest::keyClick(field, pressed);
        ASSERT_TRUE(eventually([sheet] { return !sheet->findChild<QKeySequenceEdit*>(); }));
    };
    ASSERT_NO_FATAL_FAILURE(choose(Qt::Key_F5));
    EXPECT_TRUE(sheet->message().contains(QLatin1String("is changed"))) << qPrintable(sheet->message());
    EXPECT_EQ(sheet->cap(QStringLiteral("reload"))->text(), QStringLiteral("F5"));
    auto* reload = window->commands().action("reload");
    EXPECT_EQ(reload->shortcut(), QKeySequence(Qt::Key_F5));
    ASSERT_NO_FATAL_FAILURE(choose(Qt::Key_T));
    EXPECT_TRUE(sheet->message().contains(QStringLiteral("belongs to “Dark theme”"))) << qPrintable(sheet->message());
    // The first key of a page's two.
    ASSERT_NO_FATAL_FAILURE(choose(Qt::Key_G));
    EXPECT_TRUE(sheet->message().contains(QStringLiteral("belongs to “Go to "))) << qPrintable(sheet->message());
    EXPECT_EQ(reload->shortcut(), QKeySequence(Qt::Key_F5));
    ASSERT_NO_FATAL_FAILURE(choose(Qt::Key_Backspace));
    EXPECT_TRUE(reload->shortcut().isEmpty());
    EXPECT_FALSE(sheet->cap(QStringLiteral("open-row"))->isEnabled()) << "a key of the rows themselves";
    QTest::mouseClick(buttonOf(*sheet, QStringLiteral("Standard keys")), Qt::LeftButton);
    EXPECT_EQ(reload->shortcut(), QKeySequence(Qt::Key_R));
}

TEST_F(MenuTest, APlanFromAFileIsReviewedAndAppliedOnce)
{
    openCopy();
    const QString path = savedPlan();
    ASSERT_FALSE(path.isEmpty());
    ASSERT_NO_FATAL_FAILURE(openPlan(path));
    auto* plan = reviewedPlan();
    ASSERT_NE(plan, nullptr) << qPrintable(banner());
    EXPECT_EQ(plan->form().reason(), QStringLiteral("INC-9: reviewed by two"));
    EXPECT_FALSE(plan->form().isEnabled()) << "it was frozen with it";
    ASSERT_NO_FATAL_FAILURE(armByClicks(plan));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));
    plan->reject();
    ASSERT_TRUE(eventually([this] { return window->findChildren<QDialog*>().isEmpty(); }));

    ASSERT_NO_FATAL_FAILURE(openPlan(path));
    plan = reviewedPlan();
    ASSERT_NE(plan, nullptr) << qPrintable(banner());
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 0 · already done 1 · skipped 0 · failed 0"));
    plan->reject();
}

TEST_F(MenuTest, APlanEditedByHandOrForAnotherDatabaseIsNotOpened)
{
    openCopy();
    const QString path = savedPlan();
    ASSERT_FALSE(path.isEmpty());
    auto bytes = models::readFile(path);
    ASSERT_TRUE(bytes);
    const QString edited = files.filePath(QStringLiteral("edited.json"));
    ASSERT_TRUE(models::replaceFile(edited, QByteArray(*bytes).replace("reviewed by two", "reviewed by one")));
    ASSERT_NO_FATAL_FAILURE(openPlan(edited));
    EXPECT_TRUE(eventually([this] { return banner().contains(QLatin1String("no plan that can be applied")); }))
        << qPrintable(banner());
    EXPECT_EQ(window->findChild<ui::PlanDialog*>(), nullptr);

    openDemo();
    ASSERT_NO_FATAL_FAILURE(openPlan(path));
    EXPECT_TRUE(eventually([this] { return banner().contains(QLatin1String("another database")); }))
        << qPrintable(banner());
    EXPECT_EQ(window->findChild<ui::PlanDialog*>(), nullptr);
}

TEST_F(MenuTest, AClickOnAnIdentifierCopiesItAndOpensItsRow)
{
    openDemo();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    const auto columnOf = [&](const char* id) {
        for (int column = 0; column < page->model()->columnCount(); ++column)
            if (page->model()->headerData(column, Qt::Horizontal, models::RowsModelBase::ColumnIdRole)
                == QLatin1String(id))
                return column;
        return -1;
    };
    const auto row = page->model()->rowAt(2);
    ASSERT_TRUE(row.owner);
    const auto clickWords = [&view](int at, int column) {
        const QRect cell = view.visualRect(view.model()->index(at, column));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, cell.center() - QPoint(cell.width() / 4, 0));
    };
    QApplication::clipboard()->setText(QStringLiteral("before"));
    clickWords(2, columnOf("owner"));
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(), *row.owner);
    EXPECT_NE(window->dossier(), nullptr);
    clickWords(2, columnOf("key"));
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(), row.key);
    QApplication::clipboard()->setText(QStringLiteral("before"));
    clickCell(view, 3, columnOf("scope"));
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("before")) << "words are no identifier";
}

TEST_F(MenuTest, EveryChartGivesItsQueryItsPictureAndItsNumbers)
{
    openDemo();
    ASSERT_TRUE(settle());
    const auto check = [this](ui::ChartMenu& chart, const QString& heading, const QString& statement) {
        chooseFrom(chart, QStringLiteral("Copy as CSV"));
        const auto lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        EXPECT_EQ(lines.value(0), heading);
        EXPECT_GT(lines.size(), 3);
        QApplication::clipboard()->clear();
        chooseFrom(chart, QStringLiteral("Copy as PNG"));
        EXPECT_TRUE(QApplication::clipboard()->mimeData()->hasImage());
        chooseFrom(chart, QStringLiteral("Show the query"));
        auto* query = dialog<ui::TextDialog>();
        ASSERT_NE(query, nullptr);
        EXPECT_TRUE(query->findChild<QPlainTextEdit*>()->toPlainText().contains(statement, Qt::CaseInsensitive))
            << qPrintable(query->findChild<QPlainTextEdit*>()->toPlainText());
        query->reject();
        ASSERT_TRUE(eventually([this] { return window->findChildren<ui::TextDialog*>().isEmpty(); }));
    };
    ASSERT_TRUE(eventually([this] { return !window->page()->findChildren<ui::ChartMenu*>().isEmpty(); }));
    const auto charts = window->page()->findChildren<ui::ChartMenu*>();
    EXPECT_EQ(charts.size(), 2);
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    auto* strip = page->findChild<ui::ArrivalsStrip*>();
    ASSERT_TRUE(eventually([strip] { return strip->caption().contains(QLatin1String("Drag")); }))
        << qPrintable(strip->caption());
    check(*strip->findChild<ui::ChartMenu*>(), QStringLiteral("from,until,state,rows"), QStringLiteral("select"));
}

} // namespace
} // namespace fencepost::app
