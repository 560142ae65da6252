// SPDX-License-Identifier: GPL-3.0-or-later
#include <QMenu>

#include "core/store/schema.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/table_page.h"
#include "ui/shell/palette.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class BookmarksTest : public ConsoleFixture {
protected:
    ui::TablePage* keys()
    {
        window->openPage(QStringLiteral("keys"));
        auto* page = qobject_cast<ui::TablePage*>(window->page());
        const bool loaded =
            page && eventually([page] { return page->model()->rowCount() > 5 && !page->model()->busy(); });
        return loaded ? page : nullptr;
    }
    static bool marked(ui::TablePage& page, int row)
    {
        return page.model()->index(row, 1).data(models::RowsModelBase::BookmarkedRole).toBool();
    }
    QAction* bookmarkedView(ui::TablePage& page)
    {
        Q_EMIT page.filterBar().viewsMenu().aboutToShow();
        for (auto* action : page.filterBar().viewsMenu().actions())
            if (action->text().startsWith(QLatin1String("Bookmarked")))
                return action;
        return nullptr;
    }
};

TEST_F(BookmarksTest, BMarksTheRowAndThePaletteAndTheFilterFindIt)
{
    openDemo();
    auto* page = keys();
    ASSERT_NE(page, nullptr);
    auto& view = page->grid().view();
    window->activateWindow();
    view.setFocus();
    view.setCurrentRow(2);
    const auto row = page->model()->rowAt(2);
    ASSERT_FALSE(bookmarkedView(*page)->isEnabled());
    QTest::keyClick(&view, Qt::Key_B);
    EXPECT_TRUE(marked(*page, 2));
    EXPECT_FALSE(marked(*page, 3));

    auto* action = bookmarkedView(*page);
    ASSERT_TRUE(action && action->isEnabled());
    action->trigger();
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() == 1 && !page->model()->busy(); }))
        << page->filterBar().filter().toStdString();
    EXPECT_EQ(page->model()->rowAt(0).identity, row.identity);

    window->openPage(QStringLiteral("overview"));
    press("palette");
    auto* search = window->findChild<QLineEdit*>(QStringLiteral("search"));
    QTest::keyClicks(search, QStringLiteral("bookmark ") + QString::fromStdString(row.key).left(6));
    auto* palette = window->findChild<ui::Palette*>();
    const auto& offers = palette->offers();
    const auto offer = std::find_if(
        offers.begin(), offers.end(), [](const auto& each) { return each.group == QLatin1String("Bookmarks"); });
    ASSERT_NE(offer, offers.end());
    for (auto step = offers.begin(); step != offer; ++step)
        QTest::keyClick(search, Qt::Key_Down);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    auto* dossier = qobject_cast<ui::RecordDossier*>(window->dossier());
    ASSERT_NE(dossier, nullptr);
    EXPECT_TRUE(eventually([dossier] { return dossier->loaded(); }));

    view.setCurrentRow(0);
    press("bookmark");
    EXPECT_FALSE(marked(*page, 0));
    EXPECT_TRUE(desk->bookmarks()->of(QStringLiteral("demo")).isEmpty());
}

TEST_F(BookmarksTest, ColumnsThatATableDoesNotHaveAreNotShown)
{
    const test::TempDatabase database(store::Dialect::Sqlite);
    const auto connection = database.connect();
    ASSERT_TRUE(connection);
    const auto ddl = store::ddl(store::Dialect::Sqlite, "playbook", {});
    ASSERT_TRUE(ddl);
    for (const auto& part : QString::fromStdString(*ddl).split(u';')) {
        const auto statement = part.trimmed().toStdString();
        ASSERT_TRUE(statement.empty() || (*connection)->execute(statement)) << statement;
    }
    ASSERT_TRUE(desk->openUrl(QString::fromStdString(database.url()), QStringLiteral("playbook"),
        Error{ Failure::NotFound, "none", {}, {} }));
    ASSERT_TRUE(eventually([this] { return !desk->session()->bindings().empty(); })) << banner().toStdString();
    window->openPage(QStringLiteral("keys"));
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    QStringList shown;
    for (int column = 0; column < page->model()->columnCount(); ++column)
        if (!page->grid().view().isColumnHidden(column))
            shown += page->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    EXPECT_EQ(shown,
        QStringList({ QStringLiteral("State"), QStringLiteral("Key"), QStringLiteral("Age"), QStringLiteral("Code"),
            QStringLiteral("Created"), QStringLiteral("Expires") }));
}

} // namespace
} // namespace fencepost::app
