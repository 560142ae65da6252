// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/application.h"

#include <cstdio>

#include <CLI/CLI.hpp>

#include <QAction>
#include <QApplication>
#include <QPalette>
#include <QTimer>

#include "app/console/tour.h"
#include "app/demo/demo.h"
#include "core/profile/changed_files.h"
#include "models/visible_text.h"
#include "ui/commands.h"
#include "ui/dialogs/password_dialog.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/link.h"
#include "ui/main_window.h"

namespace fencepost::app {

namespace {

Error usage(const std::string& message, const char* code = "usage")
{
    return { Failure::Invalid, message, {}, code };
}

bool systemIsDark()
{
    return QApplication::palette().color(QPalette::Window).lightness() < 128;
}

ui::Scheme schemeOf(const QString& word)
{
    const bool dark = word == QLatin1String("dark") || (word != QLatin1String("light") && systemIsDark());
    return dark ? ui::Scheme::Dark : ui::Scheme::Light;
}

} // namespace

Result<Options> parseArguments(int argc, char** argv)
{
    CLI::App command("Inspect and operate idempotency keys, inboxes and dead letters.", "fencepost");
    std::string db;
    std::string environment;
    std::string now;
    std::string tour;
    std::string theme;
    std::string size;
    std::string link;
    Options options;
    command.set_version_flag("--version", "fencepost " FENCEPOST_VERSION);
    auto* dbOption = command.add_option("--db", db, "Database: sqlite:PATH or postgresql://…");
    command.add_flag("--demo", options.demo, "Open a demo of a payments service")->excludes(dbOption);
    command
        .add_option("--environment", environment,
            "With --db: local, development, staging or production. Unsaid, a saved connection of the same address "
            "tells, "
            "and what is not on this computer is taken for production")
        ->needs(dbOption)
        ->check(CLI::IsMember({ "local", "development", "staging", "production" }));
    auto* nowOption = command.add_option("--now", now, "With --demo: the instant at which it ends");
    nowOption->excludes(dbOption);
    command.add_option("--tour", tour, "Write a picture of every page into this folder, then end");
    command.add_option("--theme", theme, "light or dark")->check(CLI::IsMember({ "light", "dark" }));
    command.add_option("--size", size, "Size of the window: 1280x800");
    command.add_option("link", link, "fencepost://CONNECTION/PAGE…");
    try {
        command.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return usage(command.help(), "help");
    } catch (const CLI::CallForVersion&) {
        return usage("fencepost " FENCEPOST_VERSION "\n", "help");
    } catch (const CLI::ParseError& error) {
        return usage(error.what());
    }
    options.db = QString::fromStdString(db);
    options.environment = QString::fromStdString(environment);
    options.now = QString::fromStdString(now);
    options.tour = QString::fromStdString(tour);
    options.theme = QString::fromStdString(theme);
    options.link = QString::fromStdString(link);
    if (!size.empty()) {
        const QStringList parts = QString::fromStdString(size).split(QLatin1Char('x'));
        options.size = QSize(parts.value(0).toInt(), parts.value(1).toInt());
        if (parts.size() != 2 || options.size->width() < 640 || options.size->height() < 480
            || options.size->width() > 8192 || options.size->height() > 8192)
            return usage("--size is WIDTHxHEIGHT, from 640x480 to 8192x8192.");
    }
    if (const auto parsed = link.empty() ? Result<ui::Link>(ui::Link{}) : ui::parseLink(options.link); !parsed)
        return usage(parsed.error().message);
    return options;
}

Application::Application(
    QApplication& qt, Options options, const Folders& folders, profile::Library profiles, std::vector<Error> leftOut)
    : m_qt(qt)
    , m_options(std::move(options))
    , m_folders(folders)
    , m_leftOut(std::move(leftOut))
    , m_theme(ui::Scheme::Light)
    , m_zone(models::Zone::utc())
    , m_desk(folders, std::move(profiles), m_keychain, m_clock)
{
    const auto settings = loadSettings(m_folders.settings());
    if (settings)
        m_settings = *settings;
    else
        m_settingsError = settings.error();
    m_desk.alertDesk().setSetups(m_settings.alerts);
    m_theme.setScheme(schemeOf(m_options.theme.isEmpty() ? m_settings.scheme : m_options.theme));
    m_theme.applyTo(m_qt);
    if (const auto zone = models::Zone::named(m_settings.zone))
        m_zone.set(*zone);
    connect(&m_keychain, &SystemKeychain::healthChanged, this, [this] {
        m_desk.setKeychain(
            m_keychain.health() == SystemKeychain::Health::Usable ? ui::Keychain::Usable : ui::Keychain::Missing);
    });
    m_keychain.probe();
    m_window = std::make_unique<ui::MainWindow>(m_desk, m_theme, m_zone);
    // A picture shows a page, not what happens to be told.
    if (m_options.tour.isEmpty())
        m_tray = std::make_unique<AlertTray>(*m_desk.alerts(), *m_window, m_theme);
    for (auto it = m_settings.shortcuts.begin(); it != m_settings.shortcuts.end(); ++it)
        (void)m_window->commands().remap(it.key().toStdString(), QKeySequence(it.value().toString()));
    connect(&m_desk, &Desk::passwordRequested, this, &Application::askPassword);
    connect(m_window.get(), &ui::MainWindow::schemeChosen, this, &Application::keepSettings);
    connect(m_window.get(), &ui::MainWindow::zoneChosen, this, &Application::keepSettings);
    connect(m_window->commands().action("reload"), &QAction::triggered, this, [this] {
        report(m_desk.rereadProfiles());
        tellChangedProfiles();
    });
    connect(&m_window->commands(), &ui::Commands::keysChanged, this, &Application::keepSettings);
    connect(&m_desk.alertDesk(), &AlertDesk::setupsChanged, this, &Application::keepSettings);
    connect(&m_qt, &QApplication::aboutToQuit, this, &Application::keepSettings);
}

Application::~Application()
{
    m_tray.reset();
    m_window.reset();
}

Status Application::start()
{
    if (const Status opened = openDatabase(); !opened)
        return opened;
    showWindow();
    if (!m_options.tour.isEmpty())
        startTour();
    return {};
}

Status Application::openDatabase()
{
    if (m_options.demo || !m_options.db.isEmpty()) {
        const auto opened = m_options.demo
            ? openDemo()
            : m_desk.openUrl(m_options.db, {}, Error{ Failure::NotFound, "none", {}, {} },
                models::environmentOf(m_options.environment));
        if (opened && !m_options.link.isEmpty())
            followLinkHere(*ui::parseLink(m_options.link));
        return opened;
    }
    if (!m_options.link.isEmpty()) {
        m_window->openLink(*ui::parseLink(m_options.link));
        return {};
    }
    if (m_options.tour.isEmpty() && m_desk.connections().find(m_settings.lastConnection))
        m_desk.open(m_settings.lastConnection);
    return {};
}

// A link that is of another database would show that one, which the command line did not name.
void Application::followLinkHere(const ui::Link& link)
{
    const auto opened = m_desk.session()->status().name;
    if (link.connection == opened)
        return m_window->openLink(link);
    m_window->report(tr("follow the link"),
        Error{ Failure::Invalid,
            "The link is of the connection " + link.connection.toStdString() + ", and what was opened is called "
                + opened.toStdString(),
            {}, {}, "Start fencepost with the link alone, or write fencepost://" + opened.toStdString() + "/…" });
}

Status Application::openDemo()
{
    m_demoFolder.emplace();
    if (!m_demoFolder->isValid())
        return Error{ Failure::Full, "No temporary folder can be made for the demo.",
            m_demoFolder->errorString().toStdString(), {} };
    DemoOptions demo{ .path = m_demoFolder->filePath(QStringLiteral("payments-demo.db")).toStdString() };
    if (!m_options.now.isEmpty()) {
        const auto end = parseInstant(m_options.now.toStdString());
        if (!end)
            return end.error();
        demo.end = *end;
    }
    if (const Status made = makeDemoOf(demo); !made)
        return made;
    const auto opened = m_desk.openUrl(
        QStringLiteral("sqlite:") + QString::fromStdString(demo.path), QStringLiteral("payments-demo"), demoPolicy());
    if (opened)
        m_desk.alerts()->suggest();
    return opened;
}

// Only a tour needs the past of a demo.
Status Application::makeDemoOf(const DemoOptions& demo)
{
    if (m_options.tour.isEmpty()) {
        const auto made = makeDemo(demo);
        return made ? Status() : Status(made.error());
    }
    auto moments = makeDemoWithMoments(demo, *m_desk.snapshots());
    if (!moments)
        return moments.error();
    m_moments = std::move(*moments);
    return {};
}

void Application::showWindow()
{
    m_window->setArrangement(m_options.tour.isEmpty() ? m_settings.arrangement : QJsonObject());
    if (m_options.size)
        m_window->resize(*m_options.size);
    else if (m_options.tour.isEmpty())
        m_window->restoreGeometry(QByteArray::fromBase64(m_settings.geometry.toLatin1()));
    m_window->show();
    report(m_leftOut);
    if (m_settingsError)
        m_window->report(tr("read the settings; the defaults are used"), *m_settingsError);
    tellChangedProfiles();
}

// What somebody else has changed in a profile is seen before it is trusted. A picture shows a page.
void Application::tellChangedProfiles()
{
    if (!m_options.tour.isEmpty())
        return;
    QStringList told;
    for (const auto& file :
        profile::changedFiles(m_folders.profiles().toStdString(), m_folders.seenProfiles().toStdString())) {
        QStringList lines{ models::visibleText(file.path) };
        for (const auto& line : file.lines)
            lines += models::visibleText(line);
        told += lines.join(QLatin1Char('\n'));
    }
    if (!told.isEmpty())
        (new ui::TextDialog(m_theme, tr("Profiles that have changed since they were last used"),
             told.join(QStringLiteral("\n\n")), m_window.get()))
            ->open();
}

void Application::report(const std::vector<Error>& leftOut)
{
    if (leftOut.empty())
        return;
    auto problem = leftOut.front();
    if (const auto others = leftOut.size() - 1; others > 0)
        problem.message += tr(" (and %n more)", nullptr, int(others)).toStdString();
    m_window->report(tr("read a schema profile; no table is read by it"), problem);
}

void Application::startTour()
{
    auto* tour = new Tour(*m_window, m_desk, m_options.tour, this);
    if (m_moments)
        tour->showEvidence(*m_moments);
    connect(tour, &Tour::finished, this, [this](const QStringList& files, const QString& problem) {
        for (const QString& file : files)
            std::puts(qPrintable(file));
        if (!problem.isEmpty())
            std::fputs(qPrintable(problem + QLatin1Char('\n')), stderr);
        m_qt.exit(problem.isEmpty() ? 0 : 1);
    });
    // Once the event loop runs: what ends before it could not end the program.
    QTimer::singleShot(0, tour, &Tour::start);
}

// A tour, or a window opened with a theme for once, leaves the settings as they are.
void Application::keepSettings()
{
    if (!m_options.tour.isEmpty() || m_settingsError)
        return;
    Settings now = m_settings;
    const QString scheme = m_theme.scheme() == ui::Scheme::Dark ? QStringLiteral("dark") : QStringLiteral("light");
    const ui::Scheme before = schemeOf(m_options.theme.isEmpty() ? m_settings.scheme : m_options.theme);
    if (m_theme.scheme() != before)
        now.scheme = scheme;
    now.zone = m_zone.value().name();
    if (!m_desk.openId().isEmpty())
        now.lastConnection = m_desk.openId();
    now.alerts = m_desk.alertDesk().setups();
    now.shortcuts = {};
    for (const auto& entry : m_window->commands().entries())
        if (entry.action->shortcut() != entry.standard)
            now.shortcuts[entry.id] = entry.action->shortcut().toString(QKeySequence::PortableText);
    now.arrangement = m_window->arrangement();
    now.geometry = QString::fromLatin1(m_window->saveGeometry().toBase64());
    if (now == m_settings)
        return;
    if (const Status saved = saveSettings(m_folders.settings(), now); !saved)
        m_window->report(tr("save the settings"), saved.error());
    m_settings = now;
}

void Application::askPassword(const QString& connectionId, const QString& why)
{
    const models::SessionStatus open = m_desk.session()->status();
    const models::Connection* kept = m_desk.connections().find(connectionId);
    const models::Connection connection =
        kept ? *kept : models::Connection{ .name = open.name, .environment = open.environment };
    // A keychain keeps passwords by the connection's id, which a database of the command line has not.
    const ui::Keychain keychain = kept ? m_desk.keychain() : ui::Keychain::Missing;
    auto* dialog = new ui::PasswordDialog(m_theme, connection, why, keychain, m_window.get());
    connect(dialog, &ui::PasswordDialog::given, this,
        [this, connectionId](const QString& password, bool keep) { m_desk.openWith(connectionId, password, keep); });
    dialog->open();
}

} // namespace fencepost::app
