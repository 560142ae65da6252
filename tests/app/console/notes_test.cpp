// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>

#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/run_view.h"
#include "ui/pages/stuck_page.h"
#include "ui/widgets/field_list.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class NotesTest : public OperatorTest {
protected:
    void annotate(ui::TablePage& page, const QString& words, const std::map<const char*, QString>& fields)
    {
        page.grid().view().setCurrentRow(0);
        key("N");
        auto* plan = reviewedPlan();
        ASSERT_NE(plan, nullptr);
        for (const auto& [name, value] : fields) {
            auto* field = plan->form().findChild<QLineEdit*>(QLatin1String(name));
            ASSERT_NE(field, nullptr) << name;
            QApplication::setActiveWindow(plan);
            field->setFocus();
            QTest::keyClicks(field, value);
            QTest::keyClick(field, Qt::Key_Tab);
        }
        ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Review; }));
        ASSERT_NO_FATAL_FAILURE(confirm(*plan, words));
        EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));
        plan->reject();
        ASSERT_TRUE(eventually([this] { return window->findChildren<QDialog*>().isEmpty(); }));
    }
};

TEST_F(NotesTest, AKnownIssueIsQuietOnTheBoardAndSaysWhoLooksAfterIt)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* page = qobject_cast<ui::StuckPage*>(rowsOf("stuck"));
    ASSERT_NE(page, nullptr);
    const auto quiet = [page](int row) {
        return page->model()->index(row, 0).data(models::RowsModelBase::QuietRole).toBool();
    };
    EXPECT_FALSE(quiet(0));
    EXPECT_EQ(page->known(), QString());
    ASSERT_NO_FATAL_FAILURE(annotate(*page, QStringLiteral("The bank is down"),
        { { "assignee", QStringLiteral("mara") }, { "ticket", QStringLiteral("https://tickets/7") },
            { "tags", QStringLiteral("bank, outage") }, { "snooze", QStringLiteral("4h") } }));
    ASSERT_TRUE(eventually([&] { return quiet(0); }));
    EXPECT_FALSE(quiet(1));
    page->grid().view().setCurrentRow(0);
    EXPECT_TRUE(page->known().startsWith(QLatin1String("Quiet until "))) << qPrintable(page->known());
    for (const char* word : { "The bank is down", "mara", "https://tickets/7" })
        EXPECT_TRUE(page->known().contains(QLatin1String(word))) << qPrintable(page->known());

    page->run("open-row");
    ASSERT_TRUE(eventually([this] { return window->dossier() && !window->dossier()->isLoading(); }));
    auto* facts = window->dossier()->findChild<ui::FieldList*>();
    EXPECT_EQ(facts->valueOf(QStringLiteral("Assigned to")), QStringLiteral("mara"));
    EXPECT_EQ(facts->valueOf(QStringLiteral("Tags")), QStringLiteral("bank, outage"));
    key("Esc");

    ASSERT_NO_FATAL_FAILURE(
        annotate(*page, QStringLiteral("It is up again"), { { "snooze", QStringLiteral("none") } }));
    EXPECT_TRUE(eventually([&] { return !quiet(0); }));
}

TEST_F(NotesTest, TheNotebookBecomesATimelineOfNotesOperationsAndPinnedRecords)
{
    openCopy();
    ASSERT_NO_FATAL_FAILURE(armByClicks());
    auto* page = qobject_cast<ui::StuckPage*>(rowsOf("stuck"));
    ASSERT_NE(page, nullptr);
    ASSERT_NO_FATAL_FAILURE(annotate(*page, QStringLiteral("The bank is down"), {}));
    page->grid().view().setCurrentRow(0);
    const auto pinned = QString::fromStdString(page->model()->rowAt(0).key);
    page->run("bookmark");
    press("notebook-export");
    auto* chooser = dialog<QFileDialog>();
    ASSERT_NE(chooser, nullptr);
    const auto path = files.filePath(QStringLiteral("timeline.md"));
    chooser->selectFile(path);
    QMetaObject::invokeMethod(chooser, "accept");
    ASSERT_TRUE(eventually([&] { return QFile::exists(path); })) << qPrintable(banner());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto text = QString::fromUtf8(file.readAll());
    for (const auto* words : { "note by ", "The bank is down", "operator: note", "operator: arm", "## Pinned records",
             "reserve", "All times are UTC" })
        EXPECT_TRUE(text.contains(QLatin1String(words))) << words << ' ' << qPrintable(text.left(4000));
    EXPECT_TRUE(text.contains(pinned));
}

TEST_F(NotesTest, TheFirstFieldToFillHasTheFocusAndTabsFollowTheForm)
{
    openCopy();
    auto* page = rowsOf("keys");
    ASSERT_NE(page, nullptr);
    page->show({}, QStringLiteral("held"));
    ASSERT_TRUE(eventually([page] { return !page->model()->busy() && page->model()->rowAt(0).state == "HELD"; }));
    page->grid().view().setCurrentRow(0);
    key("Shift+V");
    auto* plan = dialog<ui::PlanDialog>();
    ASSERT_NE(plan, nullptr);
    QApplication::setActiveWindow(plan);
    QStringList order;
    for (int step = 0; step < 6 && QApplication::focusWidget(); ++step) {
        auto* field = QApplication::focusWidget();
        order += field->objectName().isEmpty() ? field->accessibleName() : field->objectName();
        QTest::keyClick(field, Qt::Key_Tab);
    }
    EXPECT_EQ(order,
        QStringList({ QStringLiteral("as"), QStringLiteral("evidence"), QStringLiteral("response_code"),
            QStringLiteral("reference"), QStringLiteral("effect_undone"), QStringLiteral("Reason") }));
}

} // namespace
} // namespace fencepost::app
