// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/console_fixture.h"
#include "ui/pages/keys_page.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/workspace.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

// A workspace of one open connection with folders for views and notes.
class SmallWorkspace final : public Workspace {
public:
    SmallWorkspace(const QString& folder, const Clock& clock)
        : m_connections(folder + QStringLiteral("/connections.json"))
        , m_notebook(folder + QStringLiteral("/notebook.jsonl"), clock)
        , m_views(folder + QStringLiteral("/views"))
    {
        m_views.load();
    }
    models::Connections& connections() override { return m_connections; }
    models::Session* session() override { return nullptr; }
    QString openId() const override { return {}; }
    void open(const QString&) override { }
    void openWith(const QString&, const QString&, bool) override { }
    void close() override { }
    Status openFile(const QString&) override { return Error{ Failure::Unsupported, "none", {}, {} }; }
    void test(const models::Connection&, const QString&, Tested) override { }
    Result<Address> addressOf(const QString&) const override { return Error{ Failure::Unsupported, "", "", "" }; }
    QString urlOf(const Address&) const override { return {}; }
    Keychain keychain() const override { return Keychain::Missing; }
    void keepPassword(const QString&, const QString&, Done) override { }
    void forgetPassword(const QString&) override { }
    const Result<Policy>& policy() const override { return m_policy; }
    QString policyPath() const override { return {}; }
    models::Notebook* notebook() override { return &m_notebook; }
    models::SavedViews* views() override { return &m_views; }

private:
    models::Connections m_connections;
    models::Notebook m_notebook;
    models::SavedViews m_views;
    Result<Policy> m_policy = Error{ Failure::NotFound, "There is no file.", "", "" };
};

class ViewsTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ConsoleFixture::SetUp();
        reserve("k1");
        finalize(reserve("k2"));
        connectSession();
        workspace = std::make_unique<SmallWorkspace>(folder.path(), wallClock);
        context->workspace = workspace.get();
        page = std::make_unique<KeysPage>(*context);
        page->resize(1100, 600);
        page->show();
        page->activate();
        ASSERT_TRUE(eventually([this] { return page->model()->rowCount() == 2; }));
    }

    QAction* actionOf(QMenu& menu, const QString& title)
    {
        Q_EMIT menu.aboutToShow();
        for (auto* action : menu.actions())
            if (action->text() == title)
                return action;
        return nullptr;
    }

    QTemporaryDir folder;
    std::unique_ptr<SmallWorkspace> workspace;
    std::unique_ptr<KeysPage> page;
};

} // namespace

TEST_F(ViewsTest, AViewComesBackWithItsFilterAndColumns)
{
    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("stuck"));
    QTest::keyClick(&field, Qt::Key_Return);
    page->grid().view().setColumnHidden(3, true);
    page->saveView(QStringLiteral("Night shift"));
    ASSERT_TRUE(QFile::exists(workspace->views()->folder()));

    models::SavedViews again(workspace->views()->folder());
    again.load();
    const auto views = again.of(Kind::Idempotency);
    const auto kept = std::find_if(
        views.begin(), views.end(), [](const auto& view) { return view.name == QStringLiteral("Night shift"); });
    ASSERT_NE(kept, views.end());
    EXPECT_EQ(kept->filter, QStringLiteral("stuck"));

    field.clear();
    page->grid().view().setColumnHidden(3, false);
    auto* action = actionOf(page->filterBar().viewsMenu(), QStringLiteral("Night shift"));
    ASSERT_TRUE(action);
    action->trigger();
    EXPECT_EQ(page->filterBar().filter(), QStringLiteral("stuck"));
    EXPECT_TRUE(page->grid().view().isColumnHidden(3));
    ASSERT_TRUE(eventually([this] { return page->model()->rowCount() == 1; }));
}

TEST_F(ViewsTest, RowsAreCopiedAsTheyAreSelected)
{
    QMenu menu;
    page->fillCopyMenu(menu);
    auto* json = actionOf(menu, QStringLiteral("JSON lines"));
    ASSERT_TRUE(json);
    page->grid().view().setCurrentRow(0);
    page->model()->toggleSelected(0);
    page->model()->toggleSelected(1);
    json->trigger();
    const auto copied = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(copied.contains(QStringLiteral("\"k1\""))) << copied.toStdString();
    EXPECT_TRUE(copied.contains(QStringLiteral("\"k2\"")));
}

} // namespace fencepost::ui
