// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <QElapsedTimer>
#include <QKeyEvent>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QWheelEvent>

#include "app/console/desk.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "resources/resources.h"
#include "tests/bench/figures.h"
#include "tests/bench/frames.h"
#include "tests/bench/many_letters.h"
#include "tests/bench/require.h"
#include "tests/support/large_table.h"
#include "ui/main_window.h"
#include "ui/pages/table_page.h"
#include "ui/theme.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/zone_setting.h"

// grid_bench FILE [ROWS] [MEASUREMENT] [PAGE]: opens the console's window on an SQLite table, filled first where the
// file is not there, and measures frames: how long the window's thread is busy between one input and the next, sixteen
// milliseconds later. With a part of a measurement's name only those are taken. PAGE is keys, or dlq: then
// the file is filled with dead letters of 300 groups, which the page groups above its grid.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;

class Bench {
public:
    Bench(test::TimedApplication& application, ui::TablePage& page, std::string only)
        : m_application(application)
        , m_only(std::move(only))
        , m_page(page)
        , m_view(page.grid().view())
    {
    }

    void measure(const std::string& what, int frames, const std::function<void(int)>& input)
    {
        if (what.find(m_only) == std::string::npos)
            return;
        test::measureFrames(m_application, what, frames, input);
        settle();
    }
    void settle()
    {
        QElapsedTimer timer;
        timer.start();
        while (m_page.model()->busy() && timer.elapsed() < 20'000)
            QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
    }
    void wheel(int notches)
    {
        const QPointF at(m_view.viewport()->rect().center());
        QWheelEvent event(at, m_view.viewport()->mapToGlobal(at), {}, { 0, notches * -120 }, Qt::NoButton,
            Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_view.viewport(), &event);
    }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QKeyEvent event(QEvent::KeyPress, key, modifiers);
        QCoreApplication::sendEvent(&m_view, &event);
    }
    void drag(double fraction)
    {
        auto* bar = m_page.grid().findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly);
        for (auto* each : m_page.grid().findChildren<QScrollBar*>())
            if (each->accessibleName() == QStringLiteral("Position in the whole table"))
                bar = each;
        if (bar)
            bar->setValue(int(fraction * bar->maximum()));
    }

private:
    test::TimedApplication& m_application;
    std::string m_only;
    ui::TablePage& m_page;
    ui::GridView& m_view;
};

bool fillWhereMissing(const store::Target& target, std::int64_t rows, bool letters)
{
    auto connection = store::Connection::open(
        target, { .access = store::Access::ReadWrite, .statementTimeout = {}, .lockTimeout = 10s, .create = true });
    const auto status = connection ? store::schemaStatus(**connection) : connection.error();
    if (!status)
        return std::fprintf(stderr, "%s\n", status.error().message.c_str()) < 0;
    if (status->version)
        return true;
    if (letters) {
        test::require(store::initSchema(**connection, false), "schema");
        test::fillLetters(**connection, int(rows), int(rows / 5));
        return true;
    }
    SystemClock clock;
    const auto filled = test::fillRecords(**connection, rows, clock.now(), false);
    if (!filled)
        std::fprintf(stderr, "%s %s\n", filled.error().message.c_str(), filled.error().detail.c_str());
    return filled.has_value();
}

// The size of a table without statistics is counted within a budget, which a cold file exceeds at first.
void warm(Bench& bench)
{
    for (const int key : { Qt::Key_End, Qt::Key_Home }) {
        bench.press(key);
        bench.settle();
    }
}

void run(Bench& bench)
{
    bench.measure("wheel down", 600, [&](int) { bench.wheel(3); });
    bench.measure("page down", 300, [&](int) { bench.press(Qt::Key_PageDown); });
    bench.measure("page up", 300, [&](int) { bench.press(Qt::Key_PageUp); });
    bench.measure("bar dragged end to end", 1000, [&](int frame) { bench.drag(frame / 999.0); });
    bench.measure("bar dragged back", 1000, [&](int frame) { bench.drag(1 - frame / 999.0); });
    bench.measure("End and Home in turn", 100, [&](int frame) {
        if (frame % 10 == 0)
            bench.press(frame % 20 == 0 ? Qt::Key_End : Qt::Key_Home);
    });
    bench.measure("Ctrl+A and Escape in turn", 100, [&](int frame) {
        if (frame % 2 == 0)
            bench.press(Qt::Key_A, Qt::ControlModifier);
        else
            bench.press(Qt::Key_Escape);
    });
    bench.press(Qt::Key_A, Qt::ControlModifier);
    bench.measure("wheel with everything selected", 300, [&](int) { bench.wheel(3); });
    bench.press(Qt::Key_Escape);
    for (int part = 1; part <= 9; ++part) {
        bench.drag(part / 10.0);
        bench.settle();
        bench.measure("wheel at " + std::to_string(part * 10) + " %", 150, [&](int) { bench.wheel(3); });
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: grid_bench FILE [ROWS] [MEASUREMENT] [keys|dlq]\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    test::TimedApplication application(argc, argv);
    loadResources();
    store::Target target;
    target.dialect = store::Dialect::Sqlite;
    target.path = argv[1];
    const std::string shown = argc > 4 ? argv[4] : "keys";
    if (!fillWhereMissing(target, argc > 2 ? std::atoll(argv[2]) : 10'000'000, shown == "dlq"))
        return 1;
    QTemporaryDir files;
    SystemClock clock;
    app::SystemKeychain keychain{ 500ms };
    ui::Theme theme(ui::Scheme::Light);
    theme.applyTo(application);
    ui::ZoneSetting zone(models::Zone::utc());
    app::Desk desk({ files.filePath(QStringLiteral("config")), files.filePath(QStringLiteral("data")),
                       files.filePath(QStringLiteral("state/audit.sqlite")) },
        profile::shippedLibrary().value(), keychain, clock);
    desk.setKeychain(ui::Keychain::Missing);
    ui::MainWindow window(desk, theme, zone);
    window.resize(1280, 800);
    window.show();
    if (!desk.openUrl(QStringLiteral("sqlite:") + QString::fromLocal8Bit(argv[1]), QStringLiteral("bench"),
            Error{ Failure::NotFound, "none", {}, {} }))
        return 1;
    while (desk.session()->bindings().empty())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
    window.openPage(QString::fromStdString(shown));
    auto* page = qobject_cast<ui::TablePage*>(window.page());
    if (page == nullptr)
        return 1;
    Bench bench(application, *page, argc > 3 ? argv[3] : "");
    while (page->model()->rowCount() == 0)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
    bench.settle();
    warm(bench);
    std::printf("rows about %lld, resident %.0f MB\n", static_cast<long long>(page->model()->estimatedSize().value),
        test::residentMegabytes("VmRSS"));
    run(bench);
    std::printf("resident in the end %.0f MB, at most %.0f MB\n", test::residentMegabytes("VmRSS"),
        test::residentMegabytes("VmHWM"));
    return 0;
}
