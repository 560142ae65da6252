// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAction>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include "app/console/application.h"
#include "app/console/settings.h"
#include "core/profile/library.h"
#include "resources/resources.h"
#include "ui/commands.h"
#include "ui/link.h"
#include "ui/main_window.h"
#include "ui/pages.h"

namespace fencepost::app {
namespace {

struct Ended {
    int code = -1;
    QStringList lines;
    QString complaint;
};

// The program itself, without a display and with files of its own.
Ended run(const QTemporaryDir& home, const QStringList& arguments, const QStringList& more = {})
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : { "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "DBUS_SESSION_BUS_ADDRESS" })
        environment.remove(QLatin1String(name));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.filePath(QStringLiteral("config")));
    environment.insert(QStringLiteral("XDG_DATA_HOME"), home.filePath(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_STATE_HOME"), home.filePath(QStringLiteral("state")));
    for (const QString& pair : more)
        environment.insert(pair.section(QLatin1Char('='), 0, 0), pair.section(QLatin1Char('='), 1));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(FENCEPOST_PROGRAM), arguments);
    Ended ended;
    if (!process.waitForFinished(180'000))
        process.kill();
    else
        ended.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    ended.lines = QString::fromUtf8(process.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ended.complaint = QString::fromUtf8(process.readAllStandardError());
    return ended;
}

TEST(ProgramTest, TourOfTheDemoPicturesEveryPage)
{
    const QTemporaryDir home;
    const QString folder = home.filePath(QStringLiteral("tour"));
    const Ended ended = run(home,
        { QStringLiteral("--demo"), QStringLiteral("--tour"), folder, QStringLiteral("--theme"), QStringLiteral("dark"),
            QStringLiteral("--size"), QStringLiteral("1280x800") });
    ASSERT_EQ(ended.code, 0) << qPrintable(ended.complaint);
    for (const ui::PageEntry& page : ui::pages())
        EXPECT_FALSE(ended.lines.filter(QStringLiteral("-%1.png").arg(QLatin1String(page.id))).isEmpty()) << page.id;
    for (const char* shown : { "conflicts-explained", "differences-found", "-plan.png", "plan-many", "plan-replay",
             "plan-edit", "plan-resolve" })
        EXPECT_FALSE(ended.lines.filter(QLatin1String(shown)).isEmpty()) << shown;
    for (const QString& file : ended.lines)
        EXPECT_EQ(QImage(file).size(), QSize(1280, 800)) << qPrintable(file);
    EXPECT_FALSE(QFileInfo::exists(home.filePath(QStringLiteral("config/fencepost/settings.json"))));
}

TEST(ProgramTest, TourFollowsTheScale)
{
    const QTemporaryDir home;
    const Ended ended = run(home,
        { QStringLiteral("--tour"), home.filePath(QStringLiteral("tour")), QStringLiteral("--size"),
            QStringLiteral("1280x800") },
        { QStringLiteral("QT_SCALE_FACTOR=2") });
    ASSERT_EQ(ended.code, 0) << qPrintable(ended.complaint);
    ASSERT_FALSE(ended.lines.isEmpty());
    EXPECT_EQ(QImage(ended.lines.front()).size(), QSize(2560, 1600));
}

TEST(ProgramTest, TourEndsWhereThereIsNoDatabase)
{
    const QTemporaryDir home;
    const QString folder = home.filePath(QStringLiteral("tour"));
    const Ended ended = run(home,
        { QStringLiteral("--db"), QStringLiteral("sqlite:") + home.filePath(QStringLiteral("missing.db")),
            QStringLiteral("--tour"), folder });
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(ended.complaint.contains(QStringLiteral("missing.db"))) << qPrintable(ended.complaint);
    EXPECT_TRUE(ended.lines.isEmpty());
    EXPECT_TRUE(QDir(folder).entryList(QDir::Files).isEmpty());
}

TEST(ProgramTest, TourEndsWhereItsFolderCannotBeMade)
{
    const QTemporaryDir home;
    QFile file(home.filePath(QStringLiteral("file")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    const QString folder = home.filePath(QStringLiteral("file/tour"));
    const Ended ended = run(home, { QStringLiteral("--tour"), folder });
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(ended.complaint.contains(folder)) << qPrintable(ended.complaint);
    EXPECT_TRUE(ended.complaint.contains(QStringLiteral("cannot be made"))) << qPrintable(ended.complaint);
    EXPECT_TRUE(ended.lines.isEmpty()) << qPrintable(ended.lines.join(QLatin1Char(' ')));
}

TEST(ProgramTest, ABadProfileKeepsItFromNothingElse)
{
    const QTemporaryDir home;
    ASSERT_TRUE(QDir(home.path()).mkpath(QStringLiteral("config/fencepost/profiles")));
    QFile bad(home.filePath(QStringLiteral("config/fencepost/profiles/bad.json")));
    ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
    bad.write("{\"profile\": 7}");
    bad.close();
    const Ended ended =
        run(home, { QStringLiteral("--demo"), QStringLiteral("--tour"), home.filePath(QStringLiteral("tour")) });
    EXPECT_EQ(ended.code, 0) << qPrintable(ended.complaint);
    EXPECT_FALSE(ended.lines.isEmpty());
}

TEST(ProgramTest, RefusesWhatItDoesNotUnderstand)
{
    const QTemporaryDir home;
    EXPECT_EQ(run(home, { QStringLiteral("--nonsense") }).code, 2);
    EXPECT_EQ(run(home, { QStringLiteral("--size"), QStringLiteral("9x9") }).code, 2);
    EXPECT_EQ(run(home, { QStringLiteral("http://example") }).code, 2);
    EXPECT_EQ(run(home, { QStringLiteral("--help") }).code, 0);
    const Ended secret = run(home, { QStringLiteral("--db"), QStringLiteral("postgresql://ann:hunter2@127.0.0.1/x") });
    EXPECT_EQ(secret.code, 1);
    EXPECT_FALSE(secret.complaint.contains(QLatin1String("hunter2"))) << qPrintable(secret.complaint);
}

TEST(SettingsTest, SurviveTheFileAndADamagedOneIsNotOverwritten)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("deep/settings.json"));
    EXPECT_EQ(*loadSettings(path), Settings{});
    Settings settings{ .scheme = QStringLiteral("dark"),
        .zone = QStringLiteral("Europe/Berlin"),
        .lastConnection = QStringLiteral("id") };
    settings.shortcuts[QStringLiteral("reload")] = QStringLiteral("F5");
    ASSERT_TRUE(saveSettings(path, settings));
    EXPECT_EQ(*loadSettings(path), settings);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("nonsense");
    file.close();
    const auto damaged = loadSettings(path);
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().failure, Failure::Corrupt);
}

TEST(SettingsTest, AChosenKeyIsThereAtTheNextStart)
{
    loadResources();
    const QTemporaryDir home;
    const Folders folders{ home.filePath(QStringLiteral("config")), home.filePath(QStringLiteral("data")),
        home.filePath(QStringLiteral("audit.sqlite")) };
    const auto profiles = profile::shippedLibrary();
    ASSERT_TRUE(profiles);
    {
        Application first(*qApp, {}, folders, *profiles);
        EXPECT_EQ(first.window().commands().action("reload")->shortcut(), QKeySequence(Qt::Key_R));
        EXPECT_EQ(first.window().commands().remap("reload", QKeySequence(Qt::Key_F5)), QString());
    }
    Application second(*qApp, {}, folders, *profiles);
    EXPECT_EQ(second.window().commands().action("reload")->shortcut(), QKeySequence(Qt::Key_F5));
}

TEST(LinkTest, RoundTripsWithEveryCharacter)
{
    const ui::Link link{ .connection = QStringLiteral("orders prod/é?"),
        .page = QStringLiteral("keys"),
        .binding = QStringLiteral("svc_a.idempotency_keys"),
        .filter = QStringLiteral("key = \"a&b=c#%\" and age > 5m"),
        .identity = { "a/b", "c&id=d", "é", "" },
        .range = TimeRange{ timeFromMicros(1'000'001), timeFromMicros(2'000'000) } };
    const auto parsed = ui::parseLink(ui::formatLink(link));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, link);
    EXPECT_FALSE(ui::parseLink(QStringLiteral("http://x")));
    EXPECT_FALSE(ui::parseLink(QStringLiteral("fencepost://c/keys?password=x")));
    EXPECT_FALSE(ui::parseLink(QStringLiteral("fencepost://c/keys?id=k"))) << "of which table?";
    EXPECT_FALSE(ui::parseLink(QStringLiteral("fencepost://c/flows?from=2026-01-01T00:00:00Z")));
    EXPECT_FALSE(ui::parseLink(QStringLiteral("fencepost://c/flows?from=2026-01-02&until=2026-01-01")));
}

} // namespace
} // namespace fencepost::app
