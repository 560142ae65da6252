// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QProcess>

#include "core/store/statements.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/pages/audit_page.h"

namespace fencepost::app {
namespace {

// A table of somebody else's, without an audit table beside it: what is done to it is kept in the operators' own file.
class AuditFileTest : public ConsoleFixture {
protected:
    AuditFileTest()
        : database(store::Dialect::Sqlite)
    {
    }

    void SetUp() override
    {
        // Where fencepostctl finds its file is where the window looks for its own.
        qputenv("XDG_STATE_HOME", files.filePath(QStringLiteral("state")).toUtf8());
        folders.audit = standardFolders().audit;
        profiles = profile::shippedLibrary();
        ASSERT_TRUE(profiles);
        window.reset();
        desk = std::make_unique<Desk>(folders, *profiles, keychain, clock);
        desk->setKeychain(ui::Keychain::Missing);
        window = std::make_unique<ui::MainWindow>(*desk, theme, zone);
        window->show();
        const auto connection = database.connect();
        ASSERT_TRUE(connection);
        ASSERT_TRUE((*connection)->execute(store::sql::layout_atlas_records.sqlite));
        ASSERT_TRUE((*connection)
                        ->execute("INSERT INTO idempotency_records VALUES ('pay', 'charge', 'order-7', zeroblob(32),"
                                  " 'IN_PROGRESS', '7d9f6d2e-0000-4000-8000-000000000abc', NULL, NULL, NULL,"
                                  " '2026-01-01 11:00:00', '2026-01-01 11:00:00', '2036-01-01 11:00:00')"));
    }

    void TearDown() override { qunsetenv("XDG_STATE_HOME"); }

    int ctl(const QStringList& arguments) const
    {
        QProcess process;
        process.setWorkingDirectory(files.path());
        process.start(QStringLiteral(FENCEPOSTCTL), QStringList{ QStringLiteral("--db"), urlOfDatabase() } + arguments);
        return process.waitForFinished(60'000) ? process.exitCode() : -1;
    }

    QString urlOfDatabase() const { return QString::fromStdString(database.url()); }

    test::TempDatabase database;
    Result<profile::Library> profiles = profile::Library();
};

TEST_F(AuditFileTest, ShowsWhatTheCommandLineDid)
{
    ASSERT_EQ(ctl({ QStringLiteral("plan"), QStringLiteral("fail"), QStringLiteral("--key"), QStringLiteral("pay"),
                  QStringLiteral("charge"), QStringLiteral("order-7"), QStringLiteral("--reason"),
                  QStringLiteral("worker is gone"), QStringLiteral("--out"), QStringLiteral("plan.json") }),
        0);
    ASSERT_EQ(ctl({ QStringLiteral("apply"), QStringLiteral("plan.json") }), 0);

    const QFileInfo file(folders.audit);
    EXPECT_TRUE(file.absoluteFilePath().startsWith(files.path()));
    EXPECT_TRUE(file.isFile());
    EXPECT_EQ(QFileInfo(file.absolutePath()).permissions()
            & (QFile::ReadGroup | QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther),
        QFile::Permissions());

    const auto id = desk->connections().add({ .name = QStringLiteral("theirs"), .url = urlOfDatabase() });
    ASSERT_TRUE(id);
    desk->open(*id);
    ASSERT_TRUE(testing::eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
    window->openPage(QStringLiteral("audit"));
    ASSERT_TRUE(settle());
    const auto* page = qobject_cast<ui::AuditPage*>(window->page());
    ASSERT_NE(page, nullptr);
    const auto* model = page->model();
    ASSERT_TRUE(testing::eventually([model] { return model->rowCount() == 1; })) << qPrintable(banner());
    // A row that was not read yet says nothing.
    ASSERT_TRUE(testing::eventually([model] { return !model->index(0, 0).data().toString().isEmpty(); }));
    QStringList words;
    for (int column = 0; column < model->columnCount(); ++column)
        words += model->index(0, column).data().toString();
    EXPECT_TRUE(words.contains(QStringLiteral("worker is gone"))) << qPrintable(words.join(QLatin1Char('|')));
}

} // namespace
} // namespace fencepost::app
