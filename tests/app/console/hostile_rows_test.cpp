// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTabWidget>

#include "core/store/schema.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/payload_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// Rows that no worker of ours would write, in the window itself.
class HostileRowsTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        const auto opened = database.connect();
        ASSERT_TRUE(opened);
        ASSERT_TRUE(store::initSchema(**opened, false));
        const std::string columns =
            "INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
            "owner_execution_id, fence, attempt, created_at, started_at, updated_at, expires_at, response_code, "
            "response_body) VALUES ('payments', 'charge', ";
        const std::string rest = ", '00000000-0000-4000-8000-000000000001', 1, 1, 1790000000000000, 1790000000000000, "
                                 "1790000000000000, 1990000000000000, 200, ";
        const std::vector<std::string> rows = {
            "'huge', zeroblob(32), 'SUCCEEDED'" + rest + "CAST(replace(hex(zeroblob(33554432)), '0', 'x') AS BLOB))",
            "CAST(x'ff00fe41' AS TEXT), zeroblob(32), 'SUCCEEDED'" + rest + "x'fffe00')",
            "'unknown', zeroblob(32), 'VANISHED'" + rest + "NULL)",
            "'"
            "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x80\xae"
            "evil', zeroblob(32), 'SUCCEEDED'"
                + rest + "CAST('{\"a\":\"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\"}' AS BLOB))",
        };
        ASSERT_TRUE((*opened)->execute("PRAGMA ignore_check_constraints = 1"));
        for (const auto& row : rows) {
            const auto done = (*opened)->execute(columns + row);
            ASSERT_TRUE(done) << done.error().message << done.error().detail;
        }
    }

    test::TempDatabase database{ store::Dialect::Sqlite };
};

TEST_F(HostileRowsTest, AreShownAsData)
{
    ASSERT_TRUE(desk->openUrl(
        QString::fromStdString(database.url()), QStringLiteral("hostile"), Error{ Failure::NotFound, "none", {}, {} }));
    ASSERT_TRUE(eventually([this] { return !desk->session()->bindings().empty(); })) << qPrintable(banner());
    window->openPage(QStringLiteral("keys"));
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() == 4 && !page->model()->busy(); }))
        << qPrintable(banner());
    QStringList captions;
    QStringList states;
    for (int row = 0; row < 4; ++row) {
        states += QString::fromStdString(page->model()->rowAt(row).state);
        page->grid().view().setCurrentRow(row);
        QTest::keyClick(&page->grid().view(), Qt::Key_Return);
        ui::RecordDossier* dossier = nullptr;
        ASSERT_TRUE(eventually([&] {
            dossier = qobject_cast<ui::RecordDossier*>(window->dossier());
            return dossier && dossier->loaded();
        })) << row;
        for (int tab = 0; tab < dossier->tabs().count(); ++tab) {
            dossier->tabs().setCurrentIndex(tab);
            EXPECT_FALSE(window->grab().isNull());
        }
        for (const auto* payload : dossier->findChildren<ui::PayloadView*>()) {
            captions += payload->caption();
            EXPECT_LT(payload->shownText().size(), 128 * 1024);
        }
        EXPECT_EQ(banner(), QString()) << row;
        press("back");
        testing::handleEvents();
    }
    EXPECT_TRUE(states.contains(QStringLiteral("UNKNOWN"))) << qPrintable(states.join(u' '));
    EXPECT_FALSE(captions.filter(QStringLiteral("64 MiB")).isEmpty()) << qPrintable(captions.join(u'\n'));
}

} // namespace
} // namespace fencepost::app
