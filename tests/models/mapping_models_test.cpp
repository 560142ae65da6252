// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QFileInfo>

#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/mapping_models.h"
#include "models/profile_file.h"
#include "models/session.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using profile::Meaning;
using testing::eventually;

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

// A hand-made table in a real file, behind a session as the console has it.
class MappingModelsTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_EQ(m_database.problem(), "");
        auto profiles = profile::shippedLibrary();
        ASSERT_TRUE(profiles);
        m_profiles = std::move(*profiles);
        run("CREATE TABLE charge_requests (request_key TEXT PRIMARY KEY, tenant TEXT, card_token TEXT, status TEXT, "
            "response_body TEXT, created_at TEXT)");
        run("INSERT INTO charge_requests VALUES ('a', 'pay 4111111111111111', 'tok_1', 'busy', '{\"x\":1}', "
            "'2026-05-01 "
            "10:00:00'), ('b', 't', 'tok_2', 'complete', NULL, '2026-05-01 11:00:00')");
        m_session = std::make_unique<Session>(
            SessionRequest{
                .name = QStringLiteral("test"), .openReads = [this] { return open(); }, .actor = "ada@bench" },
            m_clock);
        m_session->open();
        ASSERT_TRUE(eventually([this] { return m_session->bindingsRead(); }));
    }

    Result<std::unique_ptr<Backend>> open()
    {
        return store::open({ .target = m_database.target(),
            .options = { .access = store::Access::ReadOnly },
            .profiles = &m_profiles,
            .auditPath = m_database.folder().toStdString() + "/audit.db" });
    }

    void run(const std::string& sql)
    {
        const auto connection = m_database.connect();
        ASSERT_TRUE(connection);
        const auto done = (*connection)->execute(sql);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
    }

    void load(MappingDraft& draft)
    {
        draft.load();
        ASSERT_TRUE(eventually([&draft] { return draft.isLoaded() && !draft.loading(); }));
    }

    [[nodiscard]] static int rowOf(const MappedColumnsModel& model, const std::string& column)
    {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.rowAt(row).name == column)
                return row;
        return -1;
    }

    SystemClock m_clock;
    test::TempDatabase m_database{ store::Dialect::Sqlite };
    profile::Library m_profiles;
    std::unique_ptr<Session> m_session;
};

TEST_F(MappingModelsTest, TablesThatAreAskedAboutComeFirst)
{
    run("CREATE TABLE color (id INTEGER PRIMARY KEY)");
    SurveyModel model;
    QAbstractItemModelTester tester(&model, fatal);
    model.load(m_session->reads());
    ASSERT_TRUE(eventually([&model] { return model.rowCount() == 2; }));
    EXPECT_EQ(model.rowAt(0).name.table, "charge_requests");
    EXPECT_EQ(verdictOf(model.rowAt(1)), QStringLiteral("not recognised"));
    EXPECT_EQ(model.recognised(), 0U);
    EXPECT_EQ(model.ambiguous(), 0U);
    auto changed = std::vector<SurveyedTable>{ model.rowAt(0), model.rowAt(1) };
    changed[1].candidates = { "one.profile", "another.profile" };
    model.setRows(changed, Time());
    EXPECT_EQ(model.ambiguous(), 1U);
    EXPECT_EQ(model.textAt(1, 1), QStringLiteral("ambiguous"));
    EXPECT_TRUE(model.textAt(1, 3).contains(QStringLiteral("one.profile, another.profile")));
}

TEST_F(MappingModelsTest, ColumnsAreShownWithGuessesAndWithoutSecrets)
{
    MappingDraft draft(*m_session, { {}, "charge_requests" });
    MappedColumnsModel model(draft);
    QAbstractItemModelTester tester(&model, fatal);
    ASSERT_NO_FATAL_FAILURE(load(draft));
    ASSERT_EQ(model.rowCount(), 6);
    const auto& key = model.rowAt(rowOf(model, "request_key"));
    EXPECT_EQ(key.meaning, Meaning::Key);
    EXPECT_TRUE(key.inKey);
    EXPECT_GT(key.score, 80);
    EXPECT_EQ(key.values, (QStringList{ QStringLiteral("a"), QStringLiteral("b") }));
    EXPECT_FALSE(model.rowAt(rowOf(model, "tenant")).values.join(u' ').contains(QStringLiteral("4111111111111111")));
    EXPECT_EQ(model.rowAt(rowOf(model, "card_token")).shown, ValuesShown::Redacted);
    EXPECT_FALSE(model.rowAt(rowOf(model, "card_token")).values.contains(QStringLiteral("tok_1")));
    const auto& body = model.rowAt(rowOf(model, "response_body"));
    EXPECT_EQ(body.shown, ValuesShown::Hidden);
    EXPECT_TRUE(body.values.isEmpty());
    model.sortLoaded(3, Qt::DescendingOrder);
    EXPECT_GE(model.rowAt(0).score, model.rowAt(5).score);
}

TEST_F(MappingModelsTest, RevealingIsWrittenIntoTheAuditFirst)
{
    MappingDraft draft(*m_session, { {}, "charge_requests" });
    ASSERT_NO_FATAL_FAILURE(load(draft));
    draft.reveal("response_body");
    ASSERT_TRUE(eventually([&draft] { return draft.shownValues("response_body") == ValuesShown::Values; }));
    EXPECT_TRUE(draft.valuesOf("response_body").contains(QStringLiteral("{\"x\":1}")));
    auto backend = open();
    ASSERT_TRUE(backend);
    const auto entries = (*backend)->inspector().audit({ .limit = 10 });
    ASSERT_TRUE(entries) << entries.error().message;
    ASSERT_EQ(entries->size(), 1U);
    EXPECT_EQ(entries->front().verb, "reveal");
    EXPECT_EQ(entries->front().binding, "charge_requests");
}

TEST_F(MappingModelsTest, ChoicesBecomeRowsOnceEverythingIsSaid)
{
    MappingDraft draft(*m_session, { {}, "charge_requests" });
    ASSERT_NO_FATAL_FAILURE(load(draft));
    ASSERT_TRUE(draft.values());
    EXPECT_EQ(draft.mapping().values.size(), 2U);
    EXPECT_FALSE(draft.preview());
    ASSERT_FALSE(draft.questions().isEmpty());
    EXPECT_TRUE(draft.questions().front().contains(QStringLiteral("time zone")))
        << draft.questions().front().toStdString();
    draft.setEncoding("created_at", "iso");
    ASSERT_TRUE(eventually([&draft] { return draft.preview().has_value(); }));
    PreviewModel model(draft.mapping().kind);
    QAbstractItemModelTester tester(&model, fatal);
    model.show(*draft.preview());
    ASSERT_EQ(model.rowCount(), 2);
    QStringList states;
    for (int row = 0; row < 2; ++row)
        states += model.data(model.index(row, 0), RowsModelBase::StateRole).toString();
    states.sort();
    EXPECT_EQ(states.join(u' '), QStringLiteral("SUCCEEDED UNKNOWN")) << "nobody has said what busy is";
    for (std::size_t i = 0; i < draft.mapping().values.size(); ++i)
        if (draft.mapping().values[i].value == "busy")
            draft.setState(i, "IN_PROGRESS");
    ASSERT_TRUE(
        eventually([&draft] { return draft.preview() && draft.preview()->counts.byState.contains("IN_PROGRESS"); }));
    draft.setMeaning("request_key", Meaning::None);
    ASSERT_TRUE(eventually([&draft] { return !draft.preview(); })) << "rows of the choice before are gone";
    EXPECT_TRUE(draft.previewError());
}

TEST_F(MappingModelsTest, AMeaningOfOneColumnGoesWithTheNewestChoice)
{
    MappingDraft draft(*m_session, { {}, "charge_requests" });
    ASSERT_NO_FATAL_FAILURE(load(draft));
    draft.setMeaning("tenant", Meaning::Key);
    EXPECT_EQ(draft.meaningOf("request_key"), Meaning::None);
    draft.setKind(Kind::Outbox);
    EXPECT_EQ(draft.meaningOf("tenant"), Meaning::Key) << "what was chosen stays";
    EXPECT_EQ(draft.meaningOf("request_key"), Meaning::None);
    EXPECT_EQ(draft.mapping().done, "DISPATCHED");
    draft.setStyle(profile::StateStyle::WriteOnce);
    EXPECT_TRUE(draft.mapping().values.empty());
    draft.setStyle(profile::StateStyle::Values);
    draft.setStateColumn("card_token");
    EXPECT_FALSE(draft.whyNoValues().isEmpty());
    ASSERT_TRUE(eventually([&draft] { return !draft.loading(); }));
    EXPECT_FALSE(draft.values()) << "secrets are no states";
}

TEST_F(MappingModelsTest, ATableThatIsGoneIsAnError)
{
    MappingDraft draft(*m_session, { {}, "gone" });
    QString attempted;
    Error error;
    QObject::connect(&draft, &MappingDraft::failed, &draft, [&](const QString& what, const Error& why) {
        attempted = what;
        error = why;
    });
    draft.load();
    ASSERT_TRUE(eventually([&] { return !attempted.isEmpty(); }));
    EXPECT_EQ(error.failure, Failure::NotFound);
    EXPECT_FALSE(draft.isLoaded());
}

TEST_F(MappingModelsTest, AValueThatIsTooLongForAStateIsCountedAndNotListed)
{
    run("INSERT INTO charge_requests (request_key, status) VALUES ('long', '" + std::string(267, 'x') + "')");
    run("INSERT INTO charge_requests (request_key) VALUES ('none')");
    MappingDraft draft(*m_session, { {}, "charge_requests" });
    load(draft);
    ASSERT_TRUE(draft.values());
    EXPECT_EQ(draft.values()->longer, 1);
    EXPECT_EQ(draft.values()->rows, 4);
    EXPECT_TRUE(draft.values()->allValues);
    std::vector<std::optional<std::string>> listed;
    for (const auto& value : draft.values()->values)
        listed.push_back(value.value);
    std::sort(listed.begin(), listed.end());
    EXPECT_EQ(listed, (std::vector<std::optional<std::string>>{ std::nullopt, "busy", "complete" }));
}

TEST_F(MappingModelsTest, WhatIsOfNoUseAsAProfileIsTakenBack)
{
    const auto path = m_database.folder() + QStringLiteral("/profiles/mapped.y.json");
    ProfileFile fresh(path);
    ASSERT_TRUE(fresh.save("{}", false));
    ASSERT_TRUE(fresh.takeBack());
    EXPECT_FALSE(QFile::exists(path));
    ASSERT_TRUE(ProfileFile(path).save("kept", false));
    ProfileFile over(path);
    ASSERT_TRUE(over.save("{}", true));
    ASSERT_TRUE(over.takeBack());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("kept"));
}

TEST_F(MappingModelsTest, TheRowsOfAFileAreCountedWhereTheyAreFew)
{
    run("CREATE TABLE many (id INTEGER PRIMARY KEY, filler TEXT)");
    run("INSERT INTO many SELECT value, 'x' FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM "
        "n WHERE value < 20000) SELECT value FROM n)");
    run("CREATE VIEW seen AS SELECT * FROM many");
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    SurveyModel model;
    model.load(m_session->reads());
    ASSERT_TRUE(eventually([&] { return model.rowCount() == 3; }));
    constexpr int rowsColumn = 2;
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto& table = model.rowAt(row);
        const auto words = model.textAt(row, rowsColumn);
        if (table.name.table == "charge_requests") {
            EXPECT_EQ(words, QStringLiteral("2"));
        } else if (table.name.table == "many") {
            ASSERT_TRUE(table.estimate);
            EXPECT_FALSE(table.counted);
            EXPECT_NEAR(double(*table.estimate), 20'000, 6'000);
            EXPECT_TRUE(words.startsWith(QStringLiteral("≈"))) << words.toStdString();
        } else {
            EXPECT_EQ(words, QString()) << "what a view does is not known beforehand";
        }
    }
}

TEST_F(MappingModelsTest, AFileThatIsThereIsOnlyReplacedWhereThatWasAsked)
{
    const auto folder = m_database.folder() + QStringLiteral("/profiles");
    const auto path = freeProfilePath(folder, QStringLiteral("mapped.x"));
    EXPECT_EQ(path, folder + QStringLiteral("/mapped.x.json"));
    ASSERT_TRUE(ProfileFile(path).save("{}", false));
    EXPECT_EQ(freeProfilePath(folder, QStringLiteral("mapped.x")), folder + QStringLiteral("/mapped.x-2.json"));
    const auto again = ProfileFile(path).save("{\"other\": 1}", false);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().failure, Failure::Conflict);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("{}"));
    ASSERT_TRUE(ProfileFile(path).save("{\"other\": 1}", true));
    file.seek(0);
    QFile replaced(path);
    ASSERT_TRUE(replaced.open(QIODevice::ReadOnly));
    EXPECT_EQ(replaced.readAll(), QByteArray("{\"other\": 1}"));
    EXPECT_EQ(QFileInfo(path).permissions() & QFileDevice::ReadOther, 0);
}

} // namespace
} // namespace fencepost::models
