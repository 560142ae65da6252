// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTemporaryDir>
#include <QTimer>

#include "app/console/desk.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "resources/resources.h"
#include "tests/bench/require.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"
#include "ui/main_window.h"
#include "ui/theme.h"
#include "ui/zone_setting.h"

// idle_bench [ROWS] [SECONDS]: opens the console's window on the overview, with live refresh and all suggested alert
// rules, leaves it alone and prints which share of one core the database takes: on PostgreSQL all processes of its
// cluster, which FENCEPOST_TEST_POSTGRES names, on SQLite all threads of the console but that of the window. Once with
// the window in sight and once hidden.

namespace {

using namespace fencepost;

constexpr double allowedPercent = 0.5;

// Fields 4 and 14 to 17 of proc(5): parent, and the clock ticks of the process and of its children that have ended.
struct ProcessStat {
    int parent = 0;
    long own = 0;
    long children = 0;
};

ProcessStat statOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray line = file.readAll();
    const auto fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    return { fields.value(1).toInt(), fields.value(11).toLong() + fields.value(12).toLong(),
        fields.value(13).toLong() + fields.value(14).toLong() };
}

long ticksOfThreads()
{
    long ticks = 0;
    for (const QString& thread : QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        if (thread.toInt() != getpid())
            ticks += statOf(QStringLiteral("/proc/self/task/%1/stat").arg(thread)).own;
    return ticks;
}

QStringList processes()
{
    return QDir(QStringLiteral("/proc")).entryList({ QStringLiteral("[0-9]*") }, QDir::Dirs);
}

int postmasterOf(const std::string& database)
{
    for (const QString& process : processes()) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(process));
        if (file.open(QIODevice::ReadOnly) && file.readAll().startsWith("postgres: ")) {
            file.seek(0);
            if (file.readAll().contains(QByteArray::fromStdString(database)))
                return statOf(QStringLiteral("/proc/%1/stat").arg(process)).parent;
        }
    }
    return 0;
}

long ticksOfCluster(int postmaster)
{
    const auto own = statOf(QStringLiteral("/proc/%1/stat").arg(postmaster));
    long ticks = own.own + own.children;
    for (const QString& process : processes()) {
        const auto stat = statOf(QStringLiteral("/proc/%1/stat").arg(process));
        if (stat.parent == postmaster)
            ticks += stat.own + stat.children;
    }
    return ticks;
}

void waitFor(int seconds)
{
    QEventLoop loop;
    QTimer::singleShot(std::chrono::seconds(seconds), &loop, &QEventLoop::quit);
    loop.exec();
}

// Percent of one core.
double shareOf(const std::function<long()>& ticks, int seconds)
{
    QElapsedTimer timer;
    timer.start();
    const long before = ticks();
    waitFor(seconds);
    const double spent = double(ticks() - before) / double(sysconf(_SC_CLK_TCK));
    return 100 * spent / (double(timer.elapsed()) / 1000);
}

bool measure(store::Dialect dialect, std::int64_t rows, int seconds)
{
    const test::TempDatabase database(dialect);
    if (!database.problem().empty()) {
        std::fprintf(stderr, "%s\n", database.problem().c_str());
        return false;
    }
    {
        const auto connection = test::require(database.connect(), "connect");
        (void)test::require(test::fillRecords(*connection, rows, SystemClock().now(), true), "fill");
    }
    const QTemporaryDir files;
    const app::Folders folders{ files.path() + QStringLiteral("/config"), files.path() + QStringLiteral("/data"),
        files.path() + QStringLiteral("/audit.sqlite") };
    const SystemClock clock;
    app::SystemKeychain keychain;
    app::Desk desk(folders, test::require(profile::shippedLibrary(), "profiles"), keychain, clock);
    desk.setKeychain(ui::Keychain::Missing);
    ui::Theme theme(ui::Scheme::Light);
    ui::ZoneSetting zone(models::Zone::utc());
    ui::MainWindow window(desk, theme, zone);
    window.show();
    test::require(desk.openUrl(QString::fromStdString(database.url()), {}, Error{ Failure::NotFound, {}, {}, {} },
                      models::Environment::Local),
        "open");
    desk.alerts()->suggest();
    window.openPage(QStringLiteral("overview"));
    // What opening costs is no idle load.
    waitFor(10);
    const int postmaster = dialect == store::Dialect::Sqlite ? 0 : postmasterOf(database.target().database);
    const auto ticks = [postmaster] { return postmaster == 0 ? ticksOfThreads() : ticksOfCluster(postmaster); };
    const char* name = dialect == store::Dialect::Sqlite ? "sqlite" : "postgresql";
    bool holds = true;
    for (const bool visible : { true, false }) {
        window.setVisible(visible);
        const double share = shareOf(ticks, seconds);
        holds = holds && share < allowedPercent;
        std::printf("%-10s rows=%lld window=%-7s database=%.3f %% of one core (bound %.1f %%) queries/min=%lld\n", name,
            static_cast<long long>(rows), visible ? "visible" : "hidden", share, allowedPercent,
            static_cast<long long>(desk.session()->status().usage.jobs));
        std::fflush(stdout);
    }
    return holds;
}

} // namespace

int main(int argc, char** argv)
{
    const QApplication qt(argc, argv);
    loadResources();
    const std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
    const int seconds = argc > 2 ? std::atoi(argv[2]) : 60;
    const bool sqlite = measure(store::Dialect::Sqlite, rows, seconds);
    const bool postgresql = measure(store::Dialect::PostgreSql, rows, seconds);
    return sqlite && postgresql ? 0 : 1;
}
