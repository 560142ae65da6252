// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QPlainTextEdit>

#include "models/files.h"
#include "models/mapping_models.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/dialogs/mapping_preview.h"
#include "ui/dialogs/mapping_wizard.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/pages/connections_page.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/survey_panel.h"

namespace fencepost::app {
namespace {

using testing::eventually;
using ui::MappingWizard;

// From a table that nobody knows to its rows, as somebody does it who has a mouse and a keyboard.
class MappingTest : public ConsoleFixture {
protected:
    void make(test::TempDatabase& database, const std::vector<std::string>& statements)
    {
        ASSERT_EQ(database.problem(), "");
        const auto connection = database.connect();
        ASSERT_TRUE(connection);
        for (const auto& statement : statements) {
            const auto done = (*connection)->execute(statement);
            ASSERT_TRUE(done) << done.error().message << done.error().detail;
        }
    }

    void open(const test::TempDatabase& database)
    {
        const auto id = desk->connections().add(
            { .name = QStringLiteral("orders"), .url = QString::fromStdString(database.url()) });
        ASSERT_TRUE(id);
        desk->open(*id);
        ASSERT_TRUE(eventually([this] { return desk->session() && desk->session()->bindingsRead(); }));
        window->openPage(QStringLiteral("connections"));
        page = qobject_cast<ui::ConnectionsPage*>(window->page());
        ASSERT_NE(page, nullptr);
        survey = page->findChild<ui::SurveyPanel*>();
        ASSERT_NE(survey, nullptr);
        ASSERT_TRUE(eventually([this] { return survey->model().rowCount() > 0; })) << qPrintable(banner());
    }

    // By a click on its row and on the button.
    MappingWizard* map(const std::string& table)
    {
        for (int row = 0; row < survey->model().rowCount(); ++row)
            if (survey->model().rowAt(row).name.table == table)
                survey->grid().view().setCurrentRow(row);
        QTest::mouseClick(survey->findChild<QPushButton*>(QStringLiteral("map")), Qt::LeftButton);
        auto* wizard = dialog<MappingWizard>();
        EXPECT_NE(wizard, nullptr);
        EXPECT_TRUE(
            eventually([wizard] { return !wizard || (wizard->draft().isLoaded() && !wizard->draft().loading()); }));
        return wizard;
    }

    // As a keyboard does it: the first letters of an entry, then Enter.
    static void choose(MappingWizard& wizard, const QString& field, const QString& words)
    {
        auto* box = wizard.findChild<QComboBox*>(field);
        ASSERT_NE(box, nullptr) << field.toStdString();
        const int entry = box->findText(words, Qt::MatchStartsWith);
        ASSERT_GE(entry, 0) << field.toStdString() << ' ' << words.toStdString();
        box->setFocus();
        while (box->currentIndex() < entry)
            QTest::keyClick(box, Qt::Key_Down);
        while (box->currentIndex() > entry)
            QTest::keyClick(box, Qt::Key_Up);
    }

    static void next(MappingWizard& wizard)
    {
        QTest::mouseClick(wizard.findChild<QPushButton*>(QStringLiteral("next")), Qt::LeftButton);
    }

    bool rowsShown(const QString& pageName, const QString& binding, int rows)
    {
        window->openPage(pageName);
        auto* table = qobject_cast<ui::TablePage*>(window->page());
        return table && eventually([&] {
            return table->model()->binding() && table->model()->binding()->name == binding.toStdString()
                && table->model()->rowCount() == rows;
        });
    }

    ui::ConnectionsPage* page = nullptr;
    ui::SurveyPanel* survey = nullptr;
};

TEST_F(MappingTest, AnUnknownTableOfAFileIsReadAfterFourSteps)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE charge_requests (request_key TEXT PRIMARY KEY, tenant_id TEXT, status TEXT, response_body "
          "TEXT, "
          "created_at TEXT)",
            "INSERT INTO charge_requests VALUES ('a', 't', 'busy', NULL, '2026-05-01 10:00:00'), ('b', 't', "
            "'complete', "
            "'{}', '2026-05-01 11:00:00'), ('c', 't', 'limbo', NULL, '2026-05-01 11:00:00')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("charge_requests");
    ASSERT_NE(wizard, nullptr);
    EXPECT_TRUE(wizard->hint().contains(QStringLiteral("time zone"))) << wizard->hint().toStdString();
    next(*wizard);
    EXPECT_EQ(wizard->step(), MappingWizard::State);
    for (std::size_t i = 0; i < wizard->draft().mapping().values.size(); ++i)
        if (wizard->draft().mapping().values[i].value == "busy")
            choose(*wizard, QStringLiteral("state%1").arg(i), QStringLiteral("IN_PROGRESS"));
    next(*wizard);
    choose(*wizard, QStringLiteral("zone"), QStringLiteral("UTC"));
    ASSERT_TRUE(eventually([wizard] { return wizard->draft().preview().has_value(); })) << qPrintable(wizard->hint());
    EXPECT_EQ(wizard->preview().model()->rowCount(), 3);
    EXPECT_TRUE(wizard->preview().summary().contains(QStringLiteral("UNKNOWN 1")))
        << wizard->preview().summary().toStdString();
    next(*wizard);
    const auto file = folders.profiles() + QStringLiteral("/mapped.charge_requests.json");
    EXPECT_EQ(wizard->findChild<QLineEdit*>(QStringLiteral("profileFile"))->text(), file);
    QTest::keyClick(wizard, Qt::Key_Return);
    ASSERT_TRUE(eventually([&] { return desk->session()->bindings().size() == 1; })) << qPrintable(banner());
    EXPECT_TRUE(QFile::exists(file));
    EXPECT_TRUE(eventually([this] { return banner().contains(QStringLiteral("only read until actions")); }))
        << qPrintable(banner());
    for (const auto& capability : desk->session()->bindings().front()->capabilities)
        EXPECT_TRUE(!capability.allowed || capability.verb == "note") << capability.verb;
    EXPECT_TRUE(rowsShown(QStringLiteral("keys"), QStringLiteral("charge_requests"), 3));

    // It is known from now on, and at the next start.
    EXPECT_TRUE(desk->knowsProfile(QStringLiteral("mapped.charge_requests")));
    auto library = profile::shippedLibrary();
    ASSERT_TRUE(library);
    EXPECT_TRUE(profile::addFolder(*library, folders.profiles().toStdString()).empty());
    EXPECT_TRUE(library->find("mapped.charge_requests"));
}

TEST_F(MappingTest, AnUnknownTableOfASchemaIsReadInTheZoneThatWasChosen)
{
    test::TempDatabase database(store::Dialect::PostgreSql);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE SCHEMA billing",
            "CREATE TABLE billing.\"MailOutbox\" (\"MessageId\" uuid PRIMARY KEY, topic text, \"Body\" jsonb, "
            "\"SentAt\" "
            "timestamp)",
            "INSERT INTO billing.\"MailOutbox\" VALUES ('00000000-0000-4000-8000-000000000001', 'mail', '{}', NULL), "
            "('00000000-0000-4000-8000-000000000002', 'mail', '{}', '2026-07-01 12:00:00')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("MailOutbox");
    ASSERT_NE(wizard, nullptr);
    EXPECT_EQ(wizard->draft().mapping().kind, Kind::Outbox);
    EXPECT_EQ(wizard->draft().shownValues("Body"), models::ValuesShown::Hidden);
    wizard->showStep(MappingWizard::Times);
    choose(*wizard, QStringLiteral("zone"), QStringLiteral("America/New_York"));
    ASSERT_TRUE(eventually([wizard] { return wizard->draft().preview().has_value(); })) << qPrintable(wizard->hint());
    ASSERT_EQ(wizard->preview().model()->rowCount(), 2);
    wizard->showStep(MappingWizard::Save);
    ASSERT_TRUE(eventually([wizard] { return wizard->findChild<QPushButton*>(QStringLiteral("next"))->isEnabled(); }))
        << qPrintable(wizard->hint());
    next(*wizard);
    ASSERT_TRUE(eventually([&] { return desk->session()->bindings().size() == 1; })) << qPrintable(banner());
    ASSERT_TRUE(rowsShown(QStringLiteral("outbox"), QStringLiteral("MailOutbox"), 2));
    auto* table = qobject_cast<ui::TablePage*>(window->page());
    for (int row = 0; row < 2; ++row) {
        const auto& sent = table->model()->rowAt(row);
        EXPECT_EQ(sent.state, sent.finishedAt ? "DISPATCHED" : "PENDING");
        EXPECT_TRUE(!sent.finishedAt || formatInstant(*sent.finishedAt).starts_with("2026-07-01T16:00:00"));
    }
}

TEST_F(MappingTest, JobsWithoutRowsAreMappedByTheValuesThatTheirApplicationWrites)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE background_jobs (id INTEGER PRIMARY KEY, job_name TEXT, args TEXT, state TEXT, attempts "
          "INTEGER, "
          "max_attempts INTEGER)" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("background_jobs");
    ASSERT_NE(wizard, nullptr);
    EXPECT_EQ(wizard->draft().mapping().kind, Kind::Job);
    EXPECT_TRUE(wizard->hint().contains(QStringLiteral("No value has a state yet"))) << wizard->hint().toStdString();
    wizard->showStep(MappingWizard::State);
    auto* field = wizard->findChild<QLineEdit*>(QStringLiteral("moreValue"));
    for (const auto* value : { "waiting", "finished" }) {
        QTest::keyClicks(field, QLatin1String(value));
        QTest::mouseClick(wizard->findChild<QPushButton*>(QStringLiteral("addValue")), Qt::LeftButton);
    }
    ASSERT_EQ(wizard->draft().mapping().values.size(), 2U);
    EXPECT_EQ(wizard->draft().mapping().values[0].state, "PENDING");
    EXPECT_EQ(wizard->draft().mapping().values[1].state, "SUCCEEDED");
    wizard->showStep(MappingWizard::Save);
    ASSERT_TRUE(eventually([wizard] { return wizard->findChild<QPushButton*>(QStringLiteral("next"))->isEnabled(); }))
        << qPrintable(wizard->hint());
    next(*wizard);
    ASSERT_TRUE(eventually([&] { return desk->session()->bindings().size() == 1; })) << qPrintable(banner());
    ASSERT_NO_FATAL_FAILURE(
        make(database, { "INSERT INTO background_jobs VALUES (1, 'mail', '{}', 'waiting', 0, 5)" }));
    EXPECT_TRUE(rowsShown(QStringLiteral("keys"), QStringLiteral("background_jobs"), 1)) << "jobs are read like keys";
}

TEST_F(MappingTest, BodiesAreRevealedByAClickAndTheLookIsAudited)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE pay_keys (idempotency_key TEXT PRIMARY KEY, response TEXT)",
            "INSERT INTO pay_keys VALUES ('a', 'paid')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("pay_keys");
    ASSERT_NE(wizard, nullptr);
    wizard->findChild<ui::RowGrid*>(QStringLiteral("columns"))->view().setCurrentRow(1);
    auto* values = wizard->findChild<QPlainTextEdit*>(QStringLiteral("values"));
    EXPECT_FALSE(values->isVisible());
    auto* reveal = wizard->findChild<QPushButton*>(QStringLiteral("reveal"));
    ASSERT_TRUE(reveal->isVisible());
    QTest::mouseClick(reveal, Qt::LeftButton);
    EXPECT_TRUE(eventually([values] { return values->isVisible() && values->toPlainText() == QLatin1String("paid"); }));
    EXPECT_TRUE(QFile::exists(folders.audit));
}

TEST_F(MappingTest, AZoneThatDoesNotExistIsNoAnswer)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE pay_keys (idempotency_key TEXT PRIMARY KEY, status TEXT, created_at TEXT)",
            "INSERT INTO pay_keys VALUES ('a', 'done', '2026-05-01 10:00:00')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("pay_keys");
    ASSERT_NE(wizard, nullptr);
    wizard->showStep(MappingWizard::Times);
    auto* zones = wizard->findChild<QComboBox*>(QStringLiteral("zone"));
    const auto type = [&](const QString& words) {
        zones->lineEdit()->setFocus();
        zones->lineEdit()->selectAll();
        QTest::keyClicks(zones->lineEdit(), words);
        QTest::keyClick(zones->lineEdit(), Qt::Key_Tab);
    };
    type(QStringLiteral("utc"));
    EXPECT_EQ(wizard->draft().mapping().encodings.at("created_at"), "naive:UTC");
    const auto reads = [wizard](const char* instant) {
        const auto& preview = wizard->draft().preview();
        return preview && !preview->page.rows.empty() && preview->page.rows.front().createdAt == *parseInstant(instant);
    };
    ASSERT_TRUE(eventually([&] { return reads("2026-05-01T10:00:00Z"); })) << qPrintable(wizard->hint());
    type(QStringLiteral("Europe/Berlin"));
    EXPECT_TRUE(eventually([&] { return reads("2026-05-01T08:00:00Z"); })) << qPrintable(wizard->hint());
    type(QStringLiteral("Europe/Berlim"));
    EXPECT_EQ(wizard->draft().mapping().encodings.at("created_at"), "") << "UTC was written over";
    EXPECT_TRUE(wizard->findChild<QLabel*>(QStringLiteral("zoneNote"))
                    ->text()
                    .contains(QStringLiteral("There is no time zone “Europe/Berlim”")));
    EXPECT_TRUE(wizard->hint().contains(QStringLiteral("in which time zone"))) << qPrintable(wizard->hint());
    wizard->showStep(MappingWizard::Save);
    EXPECT_FALSE(wizard->findChild<QPushButton*>(QStringLiteral("next"))->isEnabled());
}

TEST_F(MappingTest, AnEncodingThatWasChosenStaysWhateverElseIsMapped)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE mail_outbox (message_id TEXT PRIMARY KEY, topic TEXT, published_at INTEGER, next_attempt_at "
          "INTEGER, made INTEGER)",
            "INSERT INTO mail_outbox VALUES ('a', 'mail', 1790000000000, NULL, 1790000000000)" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("mail_outbox");
    ASSERT_NE(wizard, nullptr);
    auto& draft = wizard->draft();
    draft.setMeaning("published_at", profile::Meaning::Finished);
    draft.setMeaning("next_attempt_at", profile::Meaning::NextAttempt);
    wizard->showStep(MappingWizard::Times);
    choose(*wizard, QStringLiteral("encoding0"), QStringLiteral("Seconds"));
    choose(*wizard, QStringLiteral("encoding1"), QStringLiteral("Microseconds"));
    draft.setMeaning("made", profile::Meaning::Created);
    const auto shown = [wizard](int line) {
        return wizard->findChild<QComboBox*>(QStringLiteral("encoding%1").arg(line))->currentText();
    };
    EXPECT_EQ(shown(0), QStringLiteral("Seconds since 1970"));
    EXPECT_EQ(shown(1), QStringLiteral("Microseconds since 1970"));
    EXPECT_EQ(draft.mapping().encodings.at("published_at"), "epoch_s");
    EXPECT_EQ(draft.mapping().encodings.at("next_attempt_at"), "epoch_us");
    draft.setMeaning("published_at", profile::Meaning::None);
    draft.setMeaning("published_at", profile::Meaning::Finished);
    EXPECT_EQ(shown(0), QStringLiteral("Seconds since 1970"));
    EXPECT_EQ(draft.mapping().encodings.at("published_at"), "epoch_s") << "the form and the file say the same";
}

TEST_F(MappingTest, ANameOfTheShippedProfilesIsRefusedBeforeAnythingIsWritten)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(
        make(database, { "CREATE TABLE pay_keys (idempotency_key TEXT PRIMARY KEY, response TEXT)" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("pay_keys");
    ASSERT_NE(wizard, nullptr);
    wizard->showStep(MappingWizard::Save);
    auto* name = wizard->findChild<QLineEdit*>(QStringLiteral("profileName"));
    auto* save = wizard->findChild<QPushButton*>(QStringLiteral("next"));
    for (const auto* refused : { "fencepost.mine", "oban.jobs" }) {
        name->selectAll();
        QTest::keyClicks(name, QLatin1String(refused));
        EXPECT_TRUE(wizard->hint().contains(QStringLiteral("come with Fencepost"))) << qPrintable(wizard->hint());
        EXPECT_FALSE(save->isEnabled()) << refused;
        QTest::keyClick(wizard, Qt::Key_Return);
    }
    EXPECT_TRUE(QDir(folders.profiles()).entryList(QDir::Files).isEmpty());
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("mine.pay"));
    EXPECT_TRUE(eventually([save] { return save->isEnabled(); })) << qPrintable(wizard->hint());
}

TEST_F(MappingTest, AFileOfThatNameIsNotReplacedUnseen)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(
        make(database, { "CREATE TABLE pay_keys (idempotency_key TEXT PRIMARY KEY, response TEXT)" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    ASSERT_TRUE(QDir().mkpath(folders.profiles()));
    QFile file(folders.profiles() + QStringLiteral("/mine.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("kept");
    file.close();
    auto* wizard = map("pay_keys");
    ASSERT_NE(wizard, nullptr);
    wizard->showStep(MappingWizard::Save);
    auto* path = wizard->findChild<QLineEdit*>(QStringLiteral("profileFile"));
    path->selectAll();
    QTest::keyClicks(path, file.fileName());
    auto* save = wizard->findChild<QPushButton*>(QStringLiteral("next"));
    EXPECT_EQ(save->text(), QStringLiteral("Replace the file"));
    EXPECT_TRUE(wizard->findChild<QLabel*>(QStringLiteral("saveNote"))->text().contains(QStringLiteral("replaced")));
    QTest::keyClick(wizard, Qt::Key_Escape);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("kept"));
    EXPECT_TRUE(desk->session()->bindings().empty());
}

TEST_F(MappingTest, ProfilesThatChangedAreReadAgain)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database, { "CREATE TABLE work (id INTEGER PRIMARY KEY, st TEXT)" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    EXPECT_TRUE(desk->session()->bindings().empty());
    EXPECT_TRUE(desk->rereadProfiles().empty());

    QByteArray profile = R"({"profile": "mine", "format": 1, "kind": "job", "dialects": ["sqlite"],
        "detect": {"require": {"t": ["id", "st"]}}, "source": {"tables": {"t": "work"}}, "identity": ["id"],
        "fields": {"key": ["text", ["col", "id"]]}, "state": [{"when": ["true"], "is": "PENDING"}]})";
    ASSERT_TRUE(QDir().mkpath(folders.profiles()));
    const auto path = folders.profiles() + QStringLiteral("/mine.json");
    ASSERT_TRUE(models::replaceFile(path, profile));
    EXPECT_TRUE(desk->rereadProfiles().empty());
    ASSERT_TRUE(eventually([this] {
        return !desk->session()->bindings().empty() && desk->session()->bindings().front()->profile == "mine";
    })) << qPrintable(banner());

    ASSERT_TRUE(models::replaceFile(path, profile.replace("PENDING", "WAITING!")));
    const auto leftOut = desk->rereadProfiles();
    ASSERT_EQ(leftOut.size(), 1U);
    EXPECT_EQ(leftOut.front().message.rfind(path.toStdString() + ": /state/0/is: found", 0), 0U)
        << leftOut.front().message;
    EXPECT_TRUE(eventually([this] { return desk->session()->bindings().empty(); }));
    EXPECT_TRUE(desk->rereadProfiles().empty());
}

TEST_F(MappingTest, OneOfSeveralProfilesIsChosenOnceAndForAll)
{
    const auto mine = QByteArrayLiteral(
        R"({"profile": "mine", "format": 1, "kind": "idempotency", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["key", "payload_hash", "status", "result_ref", "http_code", "created_at", "expires_at"]}},
        "source": {"tables": {"t": "idempotency_keys"}}, "identity": ["key"], "time": {"*": {"sqlite": "iso"}},
        "fields": {"key": ["col", "key"]}, "state": [{"when": ["true"], "is": "PENDING"}]})");
    ASSERT_TRUE(QDir().mkpath(folders.profiles()));
    const auto path = folders.profiles() + QStringLiteral("/mine.json");
    ASSERT_TRUE(models::replaceFile(path, mine));
    ASSERT_TRUE(desk->adoptProfile(path));
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
          "http_code INT, created_at TEXT, expires_at TEXT)",
            "INSERT INTO idempotency_keys (key, status) VALUES ('k', 'pending')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* button = survey->findChild<QPushButton*>(QStringLiteral("chooseProfile"));
    ASSERT_TRUE(button->isVisible());
    ASSERT_EQ(button->menu()->actions().size(), 2);
    EXPECT_EQ(desk->session()->bindings().front()->profile, "seed.playbook.idempotency_keys");
    button->menu()->actions().at(1)->trigger();
    ASSERT_TRUE(eventually([this] {
        return desk->session()->bindingsRead() && !desk->session()->bindings().empty()
            && desk->session()->bindings().front()->profile == "mine";
    })) << qPrintable(banner());
    EXPECT_TRUE(eventually([button] { return !button->isVisible(); }));
    auto again = profile::shippedLibrary();
    ASSERT_TRUE(again);
    EXPECT_TRUE(profile::addFolder(*again, folders.profiles().toStdString()).empty());
    ASSERT_NE(again->chosenFor("", "idempotency_keys"), nullptr);
    EXPECT_EQ(again->chosenFor("", "idempotency_keys")->name, "mine");
}

TEST_F(MappingTest, TheZoneOfAnApplicationIsSaidAndDamagedAnswersAreNotWrittenOver)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { R"(CREATE TABLE "cap.received" ("Id" INTEGER PRIMARY KEY, "Version" TEXT, "Name" TEXT, "Group" TEXT,
            "Content" TEXT, "Retries" INTEGER, "Added" TEXT, "ExpiresAt" TEXT, "StatusName" TEXT))",
            R"(INSERT INTO "cap.received" VALUES (1, 'v1', 'paid', 'g', '{}', 50, '2026-07-01 12:00:00', NULL,
            'Failed'))" }));
    ASSERT_TRUE(QDir().mkpath(folders.profiles()));
    const auto answers = folders.profiles() + QStringLiteral("/answers.json");
    ASSERT_TRUE(models::replaceFile(answers, "{\"tables\": 7"));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* button = survey->findChild<QPushButton*>(QStringLiteral("sayZone"));
    ASSERT_TRUE(button->isVisible());
    const auto say = [&] {
        QTest::mouseClick(button, Qt::LeftButton);
        auto* zones = dialog<ui::ZoneDialog>();
        ASSERT_NE(zones, nullptr);
        QTest::keyClicks(zones->findChild<QLineEdit*>(), QStringLiteral("Europe/Berlin"));
        QTest::keyClick(zones, Qt::Key_Return);
        testing::handleEvents();
    };
    ASSERT_NO_FATAL_FAILURE(say());
    EXPECT_TRUE(banner().contains(QStringLiteral("answers.json"))) << qPrintable(banner());
    EXPECT_EQ(*models::readFile(answers), QByteArray("{\"tables\": 7"));
    ASSERT_TRUE(QFile::remove(answers));
    ASSERT_NO_FATAL_FAILURE(say());
    ASSERT_TRUE(eventually([button] { return !button->isVisible(); })) << qPrintable(banner());
    auto again = profile::shippedLibrary();
    ASSERT_TRUE(again);
    EXPECT_TRUE(profile::addFolder(*again, folders.profiles().toStdString()).empty());
    EXPECT_FALSE(profile::asksForZone(*again->find("dotnetcore.cap.received")));
    ASSERT_TRUE(eventually([this] { return desk->session()->bindingsRead(); }));
    const auto& capabilities = desk->session()->bindings().front()->capabilities;
    const auto replay = std::find_if(
        capabilities.begin(), capabilities.end(), [](const Capability& each) { return each.verb == "replay"; });
    ASSERT_NE(replay, capabilities.end());
    EXPECT_TRUE(replay->allowed) << replay->why;
}

TEST_F(MappingTest, HostileAndWideTablesAreShownAndRefusedWithAClearWord)
{
    std::string wide = "CREATE TABLE wide (idempotency_key TEXT PRIMARY KEY, response TEXT";
    for (int i = 0; i < 998; ++i)
        wide += ", c" + std::to_string(i) + " TEXT";
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE y (id INTEGER PRIMARY KEY)", wide + ")", "INSERT INTO wide (idempotency_key) VALUES ('a')",
            R"(CREATE TABLE "x""; DROP TABLE y; --" (key TEXT PRIMARY KEY, status TEXT))",
            R"(INSERT INTO "x""; DROP TABLE y; --" VALUES ('k', '<b>done</b>'))" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* hostile = map("x\"; DROP TABLE y; --");
    ASSERT_NE(hostile, nullptr);
    EXPECT_TRUE(hostile->hint().contains(QStringLiteral("cannot be part of a profile")))
        << hostile->hint().toStdString();
    hostile->showStep(MappingWizard::Save);
    EXPECT_FALSE(hostile->findChild<QPushButton*>(QStringLiteral("next"))->isEnabled());
    QTest::keyClick(hostile, Qt::Key_Escape);
    testing::handleEvents();
    auto* many = map("wide");
    ASSERT_NE(many, nullptr);
    EXPECT_TRUE(eventually([many] { return many->draft().preview().has_value(); })) << qPrintable(many->hint());
    EXPECT_EQ(many->preview().model()->rowCount(), 1);
    QTest::keyClick(many, Qt::Key_Escape);
    bool there = false;
    for (int row = 0; row < survey->model().rowCount(); ++row)
        there = there || survey->model().rowAt(row).name.table == "y";
    EXPECT_TRUE(there);
}

TEST_F(MappingTest, EveryControlOfTheWizardIsReachedByTabAndHasAName)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    ASSERT_NO_FATAL_FAILURE(make(database,
        { "CREATE TABLE pay_keys (idempotency_key TEXT PRIMARY KEY, status TEXT, created_at TEXT)",
            "INSERT INTO pay_keys VALUES ('a', 'done', '2026-05-01 10:00:00')" }));
    ASSERT_NO_FATAL_FAILURE(open(database));
    auto* wizard = map("pay_keys");
    ASSERT_NE(wizard, nullptr);
    for (int step = 0; step < MappingWizard::steps; ++step) {
        wizard->showStep(step);
        QSet<QWidget*> met;
        for (int i = 0; i < 60; ++i) {
            met.insert(QApplication::focusWidget());
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : wizard, Qt::Key_Tab);
        }
        for (auto* box : wizard->findChildren<QComboBox*>()) {
            if (!box->isVisible() || !box->isEnabled())
                continue;
            EXPECT_FALSE(box->accessibleName().isEmpty()) << box->objectName().toStdString();
            EXPECT_TRUE(met.contains(box) || (box->lineEdit() && met.contains(box->lineEdit())))
                << step << ' ' << box->objectName().toStdString();
        }
        EXPECT_TRUE(met.contains(wizard->findChild<QPushButton*>(QStringLiteral("next")))
            || !wizard->findChild<QPushButton*>(QStringLiteral("next"))->isEnabled());
    }
}

} // namespace
} // namespace fencepost::app
