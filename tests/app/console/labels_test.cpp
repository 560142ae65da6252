// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTabWidget>

#include "core/store/schema.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/bindings_view.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What would be opened if it were read as markup: a pipe that nobody writes into would stop the window for ever.
constexpr auto hostile = "<img src=\"/proc/self/environ\"><b>strange</b>";

// Rows, names and states of a database that somebody else fills, everywhere that the window shows them.
class LabelsTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        const auto opened = database.connect();
        ASSERT_TRUE(opened);
        ASSERT_TRUE(store::initSchema(**opened, false));
        const std::string value = hostile;
        const std::vector<std::string> statements = {
            "CREATE TABLE event_publication (id TEXT NOT NULL, listener_id TEXT NOT NULL, event_type TEXT NOT NULL, "
            "serialized_event TEXT NOT NULL, publication_date TEXT NOT NULL, completion_date TEXT, status TEXT, "
            "completion_attempts INT, last_resubmission_date TEXT, PRIMARY KEY (id))",
            "INSERT INTO event_publication VALUES ('" + value + "', '" + value + "', '" + value + "', '" + value
                + "', '2026-05-01T10:00:00Z', NULL, '" + value + "', 1, NULL)",
            "CREATE TABLE \"" + std::string("<b>jobs</b>") + "\" (id INTEGER PRIMARY KEY, status TEXT)",
        };
        for (const auto& statement : statements) {
            const auto done = (*opened)->execute(statement);
            ASSERT_TRUE(done) << done.error().message << done.error().detail;
        }
        ASSERT_TRUE(desk->openUrl(QString::fromStdString(database.url()), QStringLiteral("<b>hostile</b>"),
            Error{ Failure::NotFound, "none", {}, {} }));
        ASSERT_TRUE(eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }))
            << qPrintable(banner());
    }

    // Those that may have markup: what they show is escaped where it is written.
    static bool mayHaveMarkup(const QLabel& label)
    {
        return qobject_cast<const ui::ErrorBanner*>(label.parentWidget()) != nullptr
            || label.inherits("QTipLabel"); // its words are those of tooltips, which are looked at below
    }

    // Of the whole program, hidden ones too: they may be shown later.
    void expectPlain(const char* place)
    {
        int labels = 0;
        for (const auto* widget : QApplication::allWidgets()) {
            if (const auto* label = qobject_cast<const QLabel*>(widget)) {
                ++labels;
                EXPECT_TRUE(label->textFormat() == Qt::PlainText || mayHaveMarkup(*label))
                    << place << ": " << label->text().toStdString();
            }
            EXPECT_FALSE(widget->toolTip().contains(QStringLiteral("<img")))
                << place << ": " << widget->toolTip().toStdString();
        }
        EXPECT_GT(labels, 20) << place;
    }

    test::TempDatabase database{ store::Dialect::Sqlite };
};

TEST_F(LabelsTest, NoPageReadsItsWordsAsMarkup)
{
    for (const auto& entry : ui::pages()) {
        window->openPage(QLatin1String(entry.id));
        ASSERT_TRUE(settle()) << entry.id;
        testing::handleEvents();
        EXPECT_FALSE(window->grab().isNull());
        expectPlain(entry.id);
    }
}

TEST_F(LabelsTest, AValueOfARowIsShownAsItIsWhereItsTableIsDescribed)
{
    window->openPage(QStringLiteral("connections"));
    const auto* view = window->page()->findChild<ui::BindingsView*>();
    ASSERT_NE(view, nullptr);
    QString words;
    ASSERT_TRUE(eventually([&] {
        words.clear();
        for (const auto* label : view->findChildren<QLabel*>())
            words += label->text() + u'\n';
        return words.contains(QStringLiteral("<b>strange</b>"));
    })) << qPrintable(words);
    expectPlain("connections");
}

TEST_F(LabelsTest, NoDialogReadsItsWordsAsMarkup)
{
    window->openPage(QStringLiteral("outbox"));
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    page->show(QStringLiteral("event_publication"), {});
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() == 1 && !page->model()->busy(); }));
    for (const auto* command :
        { "sheet", "palette", "zone-choose", "connection-add", "import", "snapshot", "alert-add", "arm", "export" }) {
        ASSERT_TRUE(window->commands().action(command)->isEnabled()) << command;
        press(command);
        testing::handleEvents();
        expectPlain(command);
        while (auto* dialog = QApplication::activeModalWidget())
            dialog->close();
        while (auto* popup = QApplication::activePopupWidget())
            popup->close();
        testing::handleEvents();
    }
    page->grid().view().setCurrentRow(0);
    QTest::keyClick(&page->grid().view(), Qt::Key_Return);
    ui::RecordDossier* dossier = nullptr;
    ASSERT_TRUE(eventually([&] {
        dossier = qobject_cast<ui::RecordDossier*>(window->dossier());
        return dossier && dossier->loaded();
    }));
    for (int tab = 0; tab < dossier->tabs().count(); ++tab) {
        dossier->tabs().setCurrentIndex(tab);
        expectPlain("the dossier");
    }
}

} // namespace
} // namespace fencepost::app
