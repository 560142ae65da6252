// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <sys/resource.h>

#include <QDir>

#include "core/exchange/csv.h"
#include "core/store/inbox.h"
#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ExportTest : public CtlTest {
protected:
    CtlRun exported(const QStringList& arguments, const std::function<void()>& inChild = {}) const
    {
        return plain(
            QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("export") }
                + arguments,
            inChild);
    }
    CtlRun exported(const char* words) const { return exported(QString::fromUtf8(words).split(QLatin1Char(' '))); }

    static std::vector<std::vector<std::string>> cellsOf(const std::string& csv)
    {
        const auto rows = exchange::parseCsv(csv);
        EXPECT_TRUE(rows) << rows.error().message;
        std::vector<std::vector<std::string>> texts;
        for (const auto& row : rows.value()) {
            texts.emplace_back();
            for (const auto& cell : row)
                texts.back().push_back(cell.text);
        }
        return texts;
    }

    [[nodiscard]] std::string content(const char* name) const
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll().toStdString();
    }

    // Its handler gives it up at once.
    void bury(const std::string& id, const std::string& error)
    {
        Delivery delivery;
        delivery.id = { "ledger", "shop", id };
        delivery.payloadHash = sha256(id);
        delivery.payload = id;
        delivery.type = "refund.succeeded";
        store::Inbox inbox(*connection, {});
        const Owner owner{ "00000000-0000-4000-8000-000000000001" };
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        ASSERT_TRUE(inbox.fail(delivery, owner, { "exit_1", error, false, {} }, 5));
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, ExportTest, bothDialects(), nameOfDialect);

TEST_P(ExportTest, WritesEveryRowOnceOverManyPages)
{
    makeStuckKeys(2'345);
    const auto run = exported("--format csv --order key --ascending --columns key,state,attempts,lease");
    ASSERT_EQ(run.code, 0) << run.err;
    const auto rows = cellsOf(run.out);
    ASSERT_EQ(rows.size(), 2'346U);
    EXPECT_THAT(rows[0], ElementsAre("key", "state", "attempts", "lease"));
    for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_EQ(rows[i][0], "key-" + std::to_string(99'999 + i));
    EXPECT_EQ(rows[1][1], "IN_PROGRESS");
    EXPECT_EQ(rows[1][2], "1");
    EXPECT_TRUE(parseInstant(rows[1][3])) << rows[1][3];
    EXPECT_THAT(rows[1][3], ::testing::EndsWith("Z"));
    EXPECT_THAT(run.out, StartsWith("key,state,attempts,lease\r\n"));
    EXPECT_THAT(run.err, HasSubstr("Exported 2345 rows of idempotency_records"));
    EXPECT_THAT(run.err, HasSubstr("A row that changed meanwhile may be there in either state."));
}

TEST_P(ExportTest, JsonLinesAreThoseOfTheList)
{
    makeStuckKeys(3);
    const auto lines = exported("--format jsonl --filter stuck");
    ASSERT_EQ(lines.code, 0) << lines.err;
    EXPECT_EQ(lines.lines(), ctl("keys list --filter stuck").lines());
    EXPECT_EQ(lines.lines().size(), 3U);
}

TEST_P(ExportTest, OnlyWhatMatchesIsExported)
{
    makeStuckKeys(3);
    const auto run = exported({ QStringLiteral("--format"), QStringLiteral("csv"), QStringLiteral("--columns"),
        QStringLiteral("key"), QStringLiteral("--filter"), QStringLiteral("key = key-100001") });
    EXPECT_EQ(run.out, "key\r\nkey-100001\r\n");
    EXPECT_THAT(run.err, HasSubstr("Exported 1 row of"));
    const auto none = exported({ QStringLiteral("--format"), QStringLiteral("csv"), QStringLiteral("--columns"),
        QStringLiteral("key"), QStringLiteral("--filter"), QStringLiteral("key = missing") });
    EXPECT_EQ(none.code, 0);
    EXPECT_EQ(none.out, "key\r\n");
}

TEST_P(ExportTest, NoCellIsAFormulaNorEndsItsRow)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    for (const auto* key : { "=HYPERLINK(1)", "  @SUM(A1)", "a\"b,c", "p|q [x](http://evil)" })
        makeStuckKey(key);
    const auto csv = exported("--format csv --columns key --order key --ascending");
    EXPECT_THAT(cellsOf(csv.out),
        ::testing::UnorderedElementsAre(ElementsAre("key"), ElementsAre("'=HYPERLINK(1)"), ElementsAre("'  @SUM(A1)"),
            ElementsAre("a\"b,c"), ElementsAre("p|q [x](http://evil)")));
    const auto markdown = exported("--format md --columns key,state");
    EXPECT_THAT(markdown.out, StartsWith("| Key | State |\n| --- | --- |\n"));
    EXPECT_THAT(markdown.out, HasSubstr("| p\\|q \\[x](http://evil) | IN_PROGRESS |\n"));
}

TEST_P(ExportTest, WhatTheGridHidesStaysHidden)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    connection = std::move(*database.connect());
    bury("evt-1", "refused: password=hunter2 for ann@example.org at https://joe:s3cret@bank.example/pay");
    for (const auto* format : { "csv", "jsonl", "md" }) {
        const auto run = exported(QStringList{
            QStringLiteral("--kind"), QStringLiteral("dlq"), QStringLiteral("--format"), QLatin1String(format) });
        ASSERT_EQ(run.code, 0) << run.err;
        EXPECT_THAT(run.out, HasSubstr("evt-1"));
        for (const auto* secret : { "hunter2", "ann@example.org", "s3cret" })
            EXPECT_THAT(run.out, Not(HasSubstr(secret))) << format;
    }
}

TEST_P(ExportTest, AFileIsThereWholeOrNotAtAll)
{
    makeStuckKeys(3'000);
    const QStringList words = QStringLiteral("--format csv --out out.csv").split(QLatin1Char(' '));
    // The fourth page does not fit any more: first as on a full disk, then as a program that is killed.
    const auto limited = [](bool told) {
        return [told] {
            std::signal(SIGXFSZ, told ? SIG_IGN : SIG_DFL);
            const rlimit limit{ 600'000, 600'000 };
            setrlimit(RLIMIT_FSIZE, &limit);
        };
    };
    const auto full = exported(words, limited(true));
    EXPECT_EQ(full.code, 1);
    EXPECT_THAT(full.err, HasSubstr("out.csv cannot be written to its end; nothing of it is left"));
    EXPECT_FALSE(QFile::exists(path("out.csv")));
    EXPECT_FALSE(QFile::exists(path("out.csv.part")));
    const auto killed = exported(words, limited(false));
    EXPECT_EQ(killed.code, -1);
    EXPECT_FALSE(QFile::exists(path("out.csv")));
    EXPECT_TRUE(QFile::exists(path("out.csv.part")));
    // What is left of it is in nobody's way.
    const auto whole = exported(words);
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_EQ(cellsOf(content("out.csv")).size(), 3'001U);
    EXPECT_FALSE(QFile::exists(path("out.csv.part")));
    EXPECT_EQ(QFile::permissions(path("out.csv")) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

TEST_P(ExportTest, AFileThatIsThereIsReplacedOnlyWhenTold)
{
    makeStuckKeys(1);
    ASSERT_TRUE(QFile(path("out.csv")).open(QIODevice::WriteOnly));
    const auto refused = exported("--format csv --out out.csv");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("replace it with --force"));
    EXPECT_EQ(content("out.csv"), "");
    EXPECT_FALSE(QFile::exists(path("out.csv.part")));
    ASSERT_EQ(exported("--format csv --out out.csv --force").code, 0);
    EXPECT_EQ(cellsOf(content("out.csv")).size(), 2U);
    ASSERT_TRUE(QDir(database.folder()).mkdir(QStringLiteral("folder")));
    EXPECT_EQ(exported("--format csv --out folder --force").code, 2);
    EXPECT_EQ(exported("--format csv --out nowhere/out.csv").code, 2);
    if (GetParam() == store::Dialect::Sqlite) {
        EXPECT_THAT(exported("--format csv --out test.db --force").err, HasSubstr("is the database itself"));
    }
    const auto summary = ctl("export --format jsonl --out other.jsonl").json();
    EXPECT_EQ(summary["rows"], 1);
    EXPECT_EQ(summary["file"], "other.jsonl");
}

TEST_P(ExportTest, SomebodyElsesTableIsExportedByItsName)
{
    makeAtlasKeys({ "k1", "k2" });
    const auto run = exported("--format csv --columns key,operation --order key --ascending");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, "key,operation\r\nk1,charge\r\nk2,charge\r\n");
}

TEST_P(ExportTest, WhatCannotBeExportedIsSaid)
{
    makeStuckKeys(1);
    EXPECT_EQ(exported("--format xls").code, 2);
    EXPECT_EQ(exported("--format csv --filter nonsense").code, 2);
    const auto order = exported("--format csv --order owner");
    EXPECT_EQ(order.code, 2);
    EXPECT_THAT(order.err, HasSubstr("It can be ordered by: created"));
    const auto column = exported("--format csv --columns key,colour");
    EXPECT_EQ(column.code, 2);
    EXPECT_THAT(column.err, HasSubstr("There is no column \"colour\""));
    EXPECT_EQ(exported("--format jsonl --columns key").code, 2);
    EXPECT_EQ(exported("--format csv --binding nothing").code, 2);
}

} // namespace
} // namespace fencepost::test
