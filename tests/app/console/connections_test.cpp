// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QScreen>
#include <QScrollArea>
#include <QTableWidget>

#include "app/console/application.h"
#include "core/random.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "models/files.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/gate.h"
#include "tests/support/temp_database.h"
#include "ui/dialogs/confirm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/password_dialog.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

class ConnectionsTest : public ConsoleFixture {
protected:
    void fill(QWidget& form, const char* name, const QString& words)
    {
        auto* field = form.findChild<QLineEdit*>(QLatin1String(name));
        ASSERT_NE(field, nullptr) << name;
        field->clear();
        QTest::keyClicks(field, words);
    }

    static void click(QWidget& form, const char* name)
    {
        auto* button = form.findChild<QPushButton*>(QLatin1String(name));
        ASSERT_NE(button, nullptr) << name;
        QTest::mouseClick(button, Qt::LeftButton);
    }

    QString addressOpened(const QString& url)
    {
        const auto id = desk->connections().add({ .name = QStringLiteral("here"), .url = url });
        EXPECT_TRUE(id);
        desk->open(*id);
        (void)testing::eventually([this] { return !banner().isEmpty(); });
        return banner();
    }

    // What the page in front says in the place of its rows.
    QString emptiness() const
    {
        for (const auto* state : window->page()->findChildren<ui::EmptyState*>())
            if (state->isVisible())
                return state->title();
        return {};
    }

    QByteArray storedBytes() const
    {
        QFile file(folders.connections());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

TEST_F(ConnectionsTest, AddedEditedMovedAndRemovedByHand)
{
    press("connection-add");
    auto* added = dialog<ui::ConnectionDialog>();
    ASSERT_NE(added, nullptr);
    fill(*added, "name", QStringLiteral("orders-prod"));
    added->findChild<QComboBox*>(QStringLiteral("environment"))->setCurrentIndex(3);
    added->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentIndex(1);
    fill(*added, "host", QStringLiteral("db1.example,db2.example"));
    fill(*added, "port", QStringLiteral("5432,5433"));
    fill(*added, "database", QStringLiteral("orders"));
    fill(*added, "user", QStringLiteral("reader"));
    fill(*added, "password", QStringLiteral("s3cret-of-ann"));
    added->findChild<QComboBox*>(QStringLiteral("sslMode"))->setCurrentIndex(6);
    fill(*added, "sslRootCert", QStringLiteral("/etc/ssl/root.crt"));
    added->findChild<QComboBox*>(QStringLiteral("target"))->setCurrentIndex(6);
    click(*added, "save");
    ASSERT_EQ(desk->connections().all().size(), 1) << qPrintable(banner());
    const models::Connection first = desk->connections().all().front();
    EXPECT_EQ(first.environment, models::Environment::Production);
    const auto address = desk->addressOf(first.url);
    ASSERT_TRUE(address);
    EXPECT_EQ(address->host, QStringLiteral("db1.example,db2.example"));
    EXPECT_EQ(address->port, QStringLiteral("5432,5433"));
    EXPECT_EQ(address->sslMode, QStringLiteral("verify-full"));
    EXPECT_EQ(address->sslRootCert, QStringLiteral("/etc/ssl/root.crt"));
    EXPECT_EQ(address->targetSessionAttrs, QStringLiteral("prefer-standby"));
    EXPECT_FALSE(storedBytes().contains("s3cret-of-ann"));
    testing::handleEvents();

    click(*window->page(), "edit");
    auto* edited = dialog<ui::ConnectionDialog>();
    ASSERT_NE(edited, nullptr);
    EXPECT_EQ(edited->findChild<QLineEdit*>(QStringLiteral("host"))->text(), QStringLiteral("db1.example,db2.example"));
    fill(*edited, "name", QStringLiteral("orders-main"));
    click(*edited, "save");
    testing::handleEvents();
    EXPECT_EQ(desk->connections().all().front().name, QStringLiteral("orders-main"));
    EXPECT_EQ(desk->connections().all().front().url, first.url);

    ASSERT_TRUE(
        desk->connections().add({ .name = QStringLiteral("laptop"), .url = QStringLiteral("sqlite:/tmp/x.db") }));
    for (auto* button : window->page()->findChildren<QAbstractButton*>()) {
        if (button->accessibleName() == QLatin1String("Move down")) {
            QTest::mouseClick(button, Qt::LeftButton);
            break; // the click makes the page anew
        }
    }
    EXPECT_EQ(desk->connections().all().back().name, QStringLiteral("orders-main"));

    click(*window->page(), "remove");
    auto* question = dialog<ui::ConfirmDialog>();
    ASSERT_NE(question, nullptr);
    click(*question, "confirm");
    testing::handleEvents();
    ASSERT_EQ(desk->connections().all().size(), 1);
    EXPECT_EQ(desk->connections().all().front().name, QStringLiteral("laptop"));

    models::Connections reread(folders.connections());
    ASSERT_TRUE(reread.load());
    EXPECT_EQ(reread.all(), desk->connections().all());
}

TEST_F(ConnectionsTest, ReadOnlyForeverSurvivesTheFile)
{
    ASSERT_TRUE(desk->connections().add(
        { .name = QStringLiteral("safe"), .url = QStringLiteral("sqlite:/tmp/x.db"), .readOnly = true }));
    models::Connections reread(folders.connections());
    ASSERT_TRUE(reread.load());
    EXPECT_TRUE(reread.all().front().readOnly);
}

TEST_F(ConnectionsTest, ATestNamesWhatIsRecognised)
{
    press("connection-add");
    auto* added = dialog<ui::ConnectionDialog>();
    ASSERT_NE(added, nullptr);
    fill(*added, "path", demoFile());
    click(*added, "test");
    ASSERT_TRUE(testing::eventually([this] { return banner().contains(QLatin1String("Recognised")); }))
        << qPrintable(banner());
    EXPECT_TRUE(banner().contains(QLatin1String("idempotency_records")));
}

TEST_F(ConnectionsTest, TheFormStaysOnTheScreenWhenItGrows)
{
    press("connection-add");
    auto* form = dialog<ui::ConnectionDialog>();
    ASSERT_NE(form, nullptr);
    const QRect screen = form->screen()->availableGeometry();
    form->move(screen.left(), screen.bottom() - form->height());
    form->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentIndex(1);
    testing::handleEvents();
    EXPECT_GE(form->frameGeometry().top(), screen.top());
    EXPECT_LE(form->frameGeometry().bottom(), screen.bottom());
}

TEST_F(ConnectionsTest, ADefinitionWithoutANameIsRefusedAndNothingIsKept)
{
    press("connection-add");
    auto* added = dialog<ui::ConnectionDialog>();
    ASSERT_NE(added, nullptr);
    fill(*added, "path", QStringLiteral("/tmp/x.db"));
    click(*added, "save");
    EXPECT_TRUE(banner().contains(QLatin1String("needs a name"))) << qPrintable(banner());
    EXPECT_TRUE(desk->connections().all().isEmpty());
}

TEST_F(ConnectionsTest, AFileThatIsNoDatabaseIsSaidToBeNone)
{
    const QString path = files.filePath(QStringLiteral("notes.txt"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(4096, 'x'));
    file.close();
    const QString words = addressOpened(QStringLiteral("sqlite:") + path);
    EXPECT_TRUE(words.contains(QLatin1String("notes.txt")) || words.contains(QLatin1String("database")))
        << qPrintable(words);
    EXPECT_TRUE(words.contains(QLatin1String("Nothing was changed"))) << qPrintable(words);
    for (const char* page : { "overview", "keys", "stuck", "inbox", "outbox", "dlq" }) {
        window->openPage(QLatin1String(page));
        EXPECT_TRUE(testing::eventually([this] { return emptiness() == QLatin1String("The database cannot be read"); }))
            << page << ": " << qPrintable(emptiness());
    }
}

TEST_F(ConnectionsTest, ADatabaseWithoutATableOfOursSaysSo)
{
    const QString path = files.filePath(QStringLiteral("other.db"));
    ASSERT_TRUE(store::Connection::open({ .dialect = store::Dialect::Sqlite, .path = path.toStdString() },
        { .access = store::Access::ReadWrite, .create = true }));
    const auto id =
        desk->connections().add({ .name = QStringLiteral("other"), .url = QStringLiteral("sqlite:") + path });
    ASSERT_TRUE(id);
    desk->open(*id);
    window->openPage(QStringLiteral("keys"));
    EXPECT_TRUE(testing::eventually([this] { return emptiness() == QLatin1String("No table for keys is recognised"); }))
        << qPrintable(emptiness());
}

TEST_F(ConnectionsTest, AMissingFileIsSaidToBeMissingAndNotMade)
{
    const QString path = files.filePath(QStringLiteral("nowhere.db"));
    const QString words = addressOpened(QStringLiteral("sqlite:") + path);
    EXPECT_TRUE(words.contains(QLatin1String("Could not reach the database"))) << qPrintable(words);
    EXPECT_FALSE(QFile::exists(path));
}

TEST_F(ConnectionsTest, AnUnreachableHostIsNamedAndTriedAgain)
{
    const QString words = addressOpened(QStringLiteral("postgresql://ann@127.0.0.1:1/orders"));
    EXPECT_TRUE(words.contains(QLatin1String("Could not reach the database"))) << qPrintable(words);
    ASSERT_NE(desk->session(), nullptr);
    EXPECT_EQ(desk->session()->status().link.state, models::Link::State::Lost);
}

TEST_F(ConnectionsTest, ADamagedListOfConnectionsIsKeptAndSaid)
{
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("one"), .url = QStringLiteral("sqlite:/tmp/x.db") }));
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("two"), .url = QStringLiteral("sqlite:/tmp/y.db") }));
    QFile file(folders.connections());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{ broken");
    file.close();
    (void)desk->connections().load();
    window->openPage(QStringLiteral("connections"));
    EXPECT_TRUE(banner().contains(QLatin1String("cannot be read"))) << qPrintable(banner());
    EXPECT_EQ(storedBytes(), QByteArray("{ broken"));
    for (QPushButton* button : window->page()->findChildren<QPushButton*>()) {
        if (button->text() == QLatin1String("Use the backup")) {
            QTest::mouseClick(button, Qt::LeftButton);
            break; // the click makes the page anew
        }
    }
    EXPECT_FALSE(desk->connections().all().isEmpty());
}

TEST_F(ConnectionsTest, ADatabaseOfTheCommandLineStandsUnderItsOwnName)
{
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("orders-prod"),
        .environment = models::Environment::Production,
        .url = QStringLiteral("postgresql://ann@127.0.0.1:1/orders") }));
    EXPECT_EQ(window->currentPage(), QStringLiteral("connections"));
    ASSERT_TRUE(desk->openUrl(QStringLiteral("sqlite:") + demoFile(), QStringLiteral("shown-once"), demoPolicy()));
    EXPECT_EQ(window->currentPage(), QStringLiteral("overview"));
    ASSERT_TRUE(testing::eventually([this] { return !desk->session()->bindings().empty(); }));

    window->openPage(QStringLiteral("connections"));
    auto* list = window->page()->findChild<QListWidget*>(QStringLiteral("connections"));
    auto* name = window->page()->findChild<ui::ElidedLabel*>(QStringLiteral("name"));
    ASSERT_TRUE(list && name);
    ASSERT_EQ(list->count(), 2);
    EXPECT_EQ(list->currentItem()->text(), QStringLiteral("shown-once"));
    EXPECT_EQ(name->text(), QStringLiteral("shown-once"));
    const auto tables = [this] { return window->page()->findChildren<QTableWidget*>().size(); };
    EXPECT_EQ(tables(), 1) << "the policy of the open one";
    EXPECT_EQ(window->page()->findChild<QPushButton*>(QStringLiteral("open"))->text(), QStringLiteral("Close"));

    list->setCurrentRow(1);
    EXPECT_EQ(name->text(), QStringLiteral("orders-prod"));
    EXPECT_EQ(tables(), 0) << "nothing is known of one that is closed";
    EXPECT_EQ(window->page()->findChild<QPushButton*>(QStringLiteral("open"))->text(), QStringLiteral("Open"));
}

TEST_F(ConnectionsTest, AnAddressThatNobodyHasNamedIsLocalWhereItIsOnThisComputerOnly)
{
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("trial"),
        .environment = models::Environment::Staging,
        .url = QStringLiteral("postgresql://192.0.2.9:1/orders") }));
    const auto environmentOf = [this](const char* url, std::optional<models::Environment> said = {}) {
        EXPECT_TRUE(desk->openUrl(QString::fromLatin1(url), {}, Error{ Failure::NotFound, "none", {}, {} }, said));
        return desk->session()->status().environment;
    };
    using models::Environment;
    for (const auto* here : { "postgresql://127.0.0.1:1/orders", "postgresql://[::1]:1/orders",
             "postgresql://localhost:1,127.0.0.1:2/orders" })
        EXPECT_EQ(environmentOf(here), Environment::Local) << here;
    for (const auto* away : { "postgresql://192.0.2.1:1/orders", "postgresql://127.0.0.1:1,192.0.2.1:1/orders" })
        EXPECT_EQ(environmentOf(away), Environment::Production) << away;
    EXPECT_EQ(environmentOf("postgresql://192.0.2.9:1/orders"), Environment::Staging) << "as its connection says";
    EXPECT_EQ(environmentOf("postgresql://192.0.2.9:1/orders", Environment::Development), Environment::Development);
}

TEST_F(ConnectionsTest, APageThatWasChosenStaysInFrontWhenASessionOpens)
{
    window->openPage(QStringLiteral("keys"));
    ASSERT_TRUE(desk->openUrl(QStringLiteral("sqlite:") + demoFile(), {}, Error{ Failure::NotFound, "none", {}, {} }));
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
}

TEST_F(ConnectionsTest, ALongNameLeavesRoomForTheEnvironmentAndWrapsTheRest)
{
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("ein-ausserordentlich-langer-verbindungsname-fuer-die-"
                                                                 "zahlungsabwicklungsdatenbank-im-rechenzentrum-sued"),
        .environment = models::Environment::Production,
        .url = QStringLiteral("sqlite:/srv/") + QString(300, QLatin1Char('x')) }));
    window->openPage(QStringLiteral("connections"));
    testing::handleEvents();
    const auto* area = window->page()->findChild<QScrollArea*>(QStringLiteral("detail"));
    ASSERT_NE(area, nullptr);
    EXPECT_LE(area->widget()->width(), area->viewport()->width());
    const auto* chip = area->findChild<ui::EnvironmentChip*>();
    ASSERT_NE(chip, nullptr);
    EXPECT_EQ(chip->visibleRegion().boundingRect(), chip->rect());
}

class PostgresConnectionsTest : public ConnectionsTest {
protected:
    PostgresConnectionsTest()
        : database(store::Dialect::PostgreSql)
    {
    }

    void SetUp() override { ASSERT_EQ(database.problem(), std::string()); }

    // A role that must give a password, in a cluster that trusts everybody else.
    void addGuardedRole(const std::string& role, const std::string& password)
    {
        database.administrate("CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "' IN ROLE guarded");
        ASSERT_EQ(database.problem(), std::string());
    }

    QString urlAs(const QString& role) const
    {
        store::Target target = database.target();
        target.user = role.toStdString();
        return QString::fromStdString(store::formatUrl(target));
    }

    test::TempDatabase database;
    profile::Library profiles = profile::shippedLibrary().value();
};

TEST_F(PostgresConnectionsTest, AWrongPasswordIsAskedForAgainAndTheRightOneConnects)
{
    const QString role = QStringLiteral("guarded_") + QString::fromStdString(database.target().database);
    addGuardedRole(role.toStdString(), "correct horse");
    QStringList reasons;
    QObject::connect(desk.get(), &ui::Workspace::passwordRequested, window.get(),
        [&reasons](const QString&, const QString& why) { reasons += why; });
    const auto id = desk->connections().add({ .name = QStringLiteral("guarded"), .url = urlAs(role) });
    ASSERT_TRUE(id);
    desk->open(*id);
    ASSERT_TRUE(testing::eventually([&reasons] { return reasons.size() == 1; })) << qPrintable(banner());
    desk->openWith(*id, QStringLiteral("wrong-battery"), false);
    ASSERT_TRUE(testing::eventually([&reasons] { return reasons.size() == 2; })) << qPrintable(banner());
    EXPECT_TRUE(reasons.back().contains(QLatin1String("refused")));
    EXPECT_FALSE(banner().contains(QLatin1String("wrong-battery")));
    desk->openWith(*id, QStringLiteral("correct horse"), false);
    EXPECT_TRUE(testing::eventually([this] {
        return desk->session()->status().link.state == models::Link::State::Open;
    })) << qPrintable(banner());
    QFile stored(folders.connections());
    ASSERT_TRUE(stored.open(QIODevice::ReadOnly));
    EXPECT_FALSE(stored.readAll().contains("correct horse"));
    database.administrate("DROP OWNED BY " + role.toStdString());
    database.administrate("DROP ROLE " + role.toStdString());
}

TEST_F(PostgresConnectionsTest, TheFormSaysWhatIsWrongWithPasswordAndHost)
{
    const QString role = QStringLiteral("form_") + QString::fromStdString(database.target().database);
    addGuardedRole(role.toStdString(), "correct horse");
    press("connection-add");
    auto* form = dialog<ui::ConnectionDialog>();
    ASSERT_NE(form, nullptr);
    fill(*form, "name", QStringLiteral("guarded"));
    form->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentIndex(1);
    fill(*form, "host", QStringLiteral("127.0.0.1"));
    fill(*form, "port", QString::fromStdString(database.target().port));
    fill(*form, "database", QString::fromStdString(database.target().database));
    fill(*form, "user", role);
    const auto answer = [&] {
        click(*form, "test");
        EXPECT_TRUE(
            testing::eventually([&] { return form->findChild<QPushButton*>(QStringLiteral("test"))->isEnabled(); }));
        return banner();
    };
    fill(*form, "password", QStringLiteral("wrong-battery"));
    auto words = answer();
    EXPECT_TRUE(words.contains(QLatin1String("The database refused the password"))) << qPrintable(words);
    EXPECT_TRUE(words.contains(QLatin1String("Check the user and the password"))) << qPrintable(words);
    EXPECT_FALSE(words.contains(QLatin1String("wrong-battery"))) << qPrintable(words);

    fill(*form, "password", QStringLiteral("correct horse"));
    fill(*form, "port", QStringLiteral("1"));
    words = answer();
    EXPECT_TRUE(words.contains(QLatin1String("Nothing listens at that host and port"))) << qPrintable(words);
    EXPECT_TRUE(words.contains(QLatin1String("Check the host and the port"))) << qPrintable(words);

    fill(*form, "port", QString::fromStdString(database.target().port));
    fill(*form, "database", QStringLiteral("nowhere"));
    words = answer();
    EXPECT_TRUE(words.contains(QLatin1String("There is no such database. Nothing was changed."))) << qPrintable(words);

    fill(*form, "database", QString::fromStdString(database.target().database));
    database.close();
    words = answer();
    EXPECT_TRUE(words.contains(QLatin1String("The database is closed to connections"))) << qPrintable(words);
    database.open();
    words = answer();
    EXPECT_TRUE(words.contains(QLatin1String("answered in"))) << qPrintable(words);
    click(*form, "save");
    EXPECT_EQ(desk->connections().all().size(), 1);
    EXPECT_FALSE(storedBytes().contains("correct horse"));
    database.administrate("DROP ROLE " + role.toStdString());
}

TEST_F(ConnectionsTest, WhatWasChangedInAProfileIsShownBeforeItIsTrusted)
{
    const QString own = files.filePath(QStringLiteral("own"));
    const Folders ours{ own + QStringLiteral("/config"), own + QStringLiteral("/data"),
        own + QStringLiteral("/state/audit.db") };
    ASSERT_TRUE(QDir().mkpath(ours.profiles()));
    const auto shownAfter = [&](const QByteArray& text) {
        EXPECT_TRUE(models::replaceFile(ours.profiles() + QStringLiteral("/mine.json"), text));
        Application program(*qApp, {}, ours, *profile::shippedLibrary());
        EXPECT_TRUE(program.start());
        const auto* dialog = program.window().findChild<ui::TextDialog*>();
        return dialog == nullptr ? QString() : dialog->text();
    };
    EXPECT_EQ(shownAfter("{\n1\n}\n"), QString());
    const auto shown = shownAfter("{\n2\n}\n");
    EXPECT_TRUE(shown.endsWith(QLatin1String("mine.json\n- 1\n+ 2"))) << qPrintable(shown);
    EXPECT_EQ(shownAfter("{\n2\n}\n"), QString());
}

TEST_F(PostgresConnectionsTest, ThePasswordIsAskedForUntilItIsRight)
{
    const QString role = QStringLiteral("asked_") + QString::fromStdString(database.target().database);
    addGuardedRole(role.toStdString(), "correct horse");
    const QString own = files.filePath(QStringLiteral("own"));
    Application program(
        *qApp, {}, { own + QStringLiteral("/config"), own + QStringLiteral("/data"), folders.audit }, profiles);
    ASSERT_TRUE(program.start());
    const auto id = program.desk().connections().add({ .name = QStringLiteral("guarded"), .url = urlAs(role) });
    ASSERT_TRUE(id);
    program.desk().open(*id);
    const auto answer = [&program](const QString& asked, const QString& password) {
        QWidget* open = nullptr;
        ASSERT_TRUE(testing::eventually([&] {
            for (auto* dialog : program.window().findChildren<ui::PasswordDialog*>())
                for (const auto* label : dialog->findChildren<QLabel*>())
                    if (dialog->isVisible() && label->text() == asked)
                        open = dialog;
            return open != nullptr;
        })) << asked.toStdString();
        QTest::keyClicks(open->findChild<QLineEdit*>(), password);
        QTest::keyClick(open->findChild<QLineEdit*>(), Qt::Key_Return);
    };
    ASSERT_NO_FATAL_FAILURE(answer(QStringLiteral("The server asks for a password."), QStringLiteral("wrong-battery")));
    ASSERT_NO_FATAL_FAILURE(answer(QStringLiteral("The server refused this password."), QStringLiteral("wrong again")));
    ASSERT_NO_FATAL_FAILURE(
        answer(QStringLiteral("The server refused this password."), QStringLiteral("correct horse")));
    EXPECT_TRUE(testing::eventually(
        [&program] { return program.desk().session()->status().link.state == models::Link::State::Open; }));
    for (const auto* banner : program.window().findChildren<ui::ErrorBanner*>())
        EXPECT_FALSE(banner->isVisible()) << banner->sentence().toStdString();
    program.desk().close();
    testing::handleEvents();
    database.administrate("DROP OWNED BY " + role.toStdString());
    database.administrate("DROP ROLE " + role.toStdString());
}

TEST_F(PostgresConnectionsTest, AStoppedServerLeavesTheLastRowsGreyAndComesBack)
{
    {
        auto backend = store::open({ .target = database.target(),
            .options = { .access = store::Access::ReadWrite },
            .profiles = &profiles,
            .auditPath = folders.audit.toStdString() });
        ASSERT_TRUE(backend);
        const auto connection = database.connect();
        ASSERT_TRUE(connection);
        ASSERT_TRUE(store::initSchema(**connection, false));
        SystemRandom random;
        ASSERT_TRUE((*backend)->store().reserve({ .id = { "payments", "charge", "pay-1" },
            .requestHash = sha256("body"),
            .owner = { uuid4(random) },
            .lease = std::chrono::minutes(1),
            .ttl = std::chrono::hours(24) }));
    }
    test::Gate gate(static_cast<std::uint16_t>(std::stoi(database.target().port)));
    ASSERT_NE(gate.port(), 0);
    store::Target target = database.target();
    target.host = "127.0.0.1";
    target.port = std::to_string(gate.port());
    const auto id = desk->connections().add(
        { .name = QStringLiteral("cluster"), .url = QString::fromStdString(store::formatUrl(target)) });
    ASSERT_TRUE(id);
    desk->open(*id);
    window->openPage(QStringLiteral("keys"));
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(testing::eventually([&] { return page->model()->rowCount() == 1 && !page->model()->busy(); }))
        << qPrintable(banner());
    std::vector<models::Link> losses;
    QObject::connect(&desk->session()->reads(), &models::StoreThread::linkChanged, window.get(),
        [&losses](const models::Link& link) {
            if (link.state == models::Link::State::Lost)
                losses.push_back(link);
        });

    gate.shut();
    page->model()->refresh();
    ASSERT_TRUE(testing::eventually([&] { return losses.size() >= 4; }));
    for (std::size_t i = 2; i < losses.size(); ++i) {
        EXPECT_EQ(losses[i].attempt, losses[i - 1].attempt + 1);
        EXPECT_EQ(losses[i].retryIn, losses[i - 1].retryIn * 2);
        EXPECT_EQ(losses[i].since, losses[i - 1].since);
    }
    EXPECT_TRUE(page->grid().showsRows());
    EXPECT_EQ(page->model()->rowCount(), 1);
    EXPECT_TRUE(page->grid().view().stale());
    const auto* link = window->findChild<QLabel*>(QStringLiteral("link"));
    ASSERT_NE(link, nullptr);
    EXPECT_TRUE(link->text().contains(QLatin1String("Connection lost"))) << qPrintable(link->text());
    EXPECT_TRUE(page->filterBar().summary().contains(QLatin1String("as of ")))
        << qPrintable(page->filterBar().summary());
    EXPECT_TRUE(page->filterBar().summary().contains(QLatin1String(" ago"))) << qPrintable(page->filterBar().summary());
    EXPECT_TRUE(banner().contains(QLatin1String("Nothing was changed"))) << qPrintable(banner());
    const auto banners = window->findChildren<ui::ErrorBanner*>();
    EXPECT_EQ(std::count_if(banners.begin(), banners.end(), [](const auto* each) { return each->isVisible(); }), 1)
        << "the same thing is said once";

    gate.open();
    EXPECT_TRUE(testing::eventually([&] { return !page->grid().view().stale() && banner().isEmpty(); }))
        << qPrintable(banner());
    EXPECT_EQ(desk->session()->status().link.state, models::Link::State::Open);
    EXPECT_EQ(page->model()->rowCount(), 1);
}

TEST_F(PostgresConnectionsTest, ALostConnectionIsSaidAndComesBack)
{
    const auto id =
        desk->connections().add({ .name = QStringLiteral("cluster"), .url = QString::fromStdString(database.url()) });
    ASSERT_TRUE(id);
    desk->open(*id);
    ASSERT_TRUE(testing::eventually([this] { return desk->session()->status().info.has_value(); }))
        << qPrintable(banner());
    // The way back can be so quick that only the thread's own report tells of the loss.
    int lost = 0;
    QObject::connect(&desk->session()->reads(), &models::StoreThread::linkChanged, window.get(),
        [&lost](const models::Link& link) { lost += link.state == models::Link::State::Lost ? 1 : 0; });
    database.administrate("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE "
                          "'fencepost/%' AND datname = '"
        + database.target().database + "'");
    ASSERT_EQ(database.problem(), std::string());
    desk->session()->refreshInfo();
    ASSERT_TRUE(testing::eventually([&lost] { return lost > 0; }));
    EXPECT_TRUE(testing::eventually([this] {
        return desk->session()->status().link.state == models::Link::State::Open && banner().isEmpty();
    })) << qPrintable(banner());
}

} // namespace
} // namespace fencepost::app
