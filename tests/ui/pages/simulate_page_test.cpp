// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractAxis>
#include <QAction>
#include <QChart>
#include <QComboBox>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/console_fixture.h"
#include "ui/pages/simulate_life.h"
#include "ui/pages/simulate_page.h"
#include "ui/pages/simulate_results.h"
#include "ui/pages/simulate_sweep.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/knob_form.h"
#include "ui/widgets/line_card.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/timeline.h"

namespace fencepost::ui {
namespace {

using models::KnobsModel;
using simulation::Measure;
using testing::eventually;

constexpr auto twoWorlds = R"({"scenario": 1, "name": "pair", "title": "A pair", "seed": 3, "shows": "it shows that.",
  "load": {"requests": 60, "duration": "10s"}, "network": {"loss": "10%"},
  "variants": [{"name": "wrong", "set": {"client.key": "attempt"}}, {"name": "right", "set": {}}],
  "expect": ["right:duplicate_effects = 0"]})";

class SimulatePageTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ConsoleFixture::SetUp();
        context.emplace(PageContext{ nullptr, zone, range, theme, navigation, {}, {}, nullptr });
    }

    void open(SimulatePage& page)
    {
        page.resize(1400, 900);
        static_cast<QWidget&>(page).show();
        ASSERT_TRUE(page.openFile(write("pair.json", twoWorlds)));
    }
    void run(SimulatePage& page)
    {
        const auto before = page.report();
        page.runWorlds();
        ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.report() != before; }));
    }
    QString write(const char* name, const char* text)
    {
        const auto path = folder.filePath(QLatin1String(name));
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        return path;
    }
    static void turn(SimulatePage& page, const char* path, const char* value)
    {
        auto& knobs = page.knobs();
        for (int row = 0; row < knobs.rowCount(); ++row)
            if (knobs.index(row, KnobsModel::Setting).data().toString() == QLatin1String(path)) {
                EXPECT_TRUE(knobs.setData(knobs.index(row, KnobsModel::Value), QLatin1String(value)));
                return;
            }
        ADD_FAILURE() << path;
    }

    QTemporaryDir folder;
};

TEST_F(SimulatePageTest, ComparesTheVariantsOfAScenario)
{
    SimulatePage page(*context);
    open(page);
    EXPECT_EQ(page.variants().count(), 2);
    run(page);
    const auto& results = page.results();
    EXPECT_TRUE(results.verdict().contains(QStringLiteral("I7")));
    EXPECT_TRUE(results.verdict().contains(QStringLiteral("The least that leads to it, with seed 3: request ")));
    EXPECT_EQ(results.plot(SimulateResults::Amplification).plot().bars.size(), 2U);
    QStringList labels;
    for (const auto& bar : results.plot(SimulateResults::Latency).plot().bars)
        labels += bar.label;
    EXPECT_EQ(labels.join(QLatin1Char('|')), QStringLiteral("p50|p95\nwrong|p99|p50|p95\nright|p99"))
        << "each world once";
    const auto axes = results.line(SimulateResults::Load).view().chart()->axes(Qt::Horizontal);
    ASSERT_EQ(axes.size(), 1);
    EXPECT_EQ(axes.front()->titleText(), QStringLiteral("seconds"));
    EXPECT_FALSE(results.line(SimulateResults::Load).plot().lines.empty());
    EXPECT_EQ(results.table().columnCount(), 4);
    EXPECT_GT(page.report()->worlds[0].outcome[Measure::DuplicateEffects], 0);
    ASSERT_EQ(page.report()->expectations.size(), 1U);
    EXPECT_TRUE(page.report()->expectations[0].held);
}

TEST_F(SimulatePageTest, OpensOneOfTheShippedScenarios)
{
    SimulatePage page(*context);
    static_cast<QWidget&>(page).show();
    page.choose("double_click");
    EXPECT_EQ(page.variants().count(), 2);
    EXPECT_EQ(page.command(), QStringLiteral("fencepostctl simulate double_click --seed 26"));
    page.choose("naive_retries");
    EXPECT_EQ(page.variants().count(), SimulatePage::mostVariants);
}

TEST_F(SimulatePageTest, LetsTheVariantsThatAreComparedBeChosen)
{
    SimulatePage page(*context);
    static_cast<QWidget&>(page).show();
    page.choose("naive_retries");
    const auto names = [&] {
        QStringList all;
        for (int i = 0; i < page.variants().count(); ++i)
            all += page.variants().tabText(i);
        return all.join(QLatin1Char(' '));
    };
    EXPECT_EQ(names(), QStringLiteral("naive keys jitter budget"));
    EXPECT_TRUE(page.words().contains(QStringLiteral("4 of its 5 variants are compared; + offers the rest: breaker.")))
        << page.words().toStdString();
    page.variants().setCurrentIndex(2);
    auto* others = page.findChild<QMenu*>(QStringLiteral("others"));
    ASSERT_TRUE(others);
    Q_EMIT others->aboutToShow();
    const auto actions = others->actions();
    EXPECT_FALSE(actions.front()->isEnabled()) << "there are four";
    ASSERT_TRUE(actions.back()->text().contains(QStringLiteral("in the place of this one")));
    actions.back()->trigger();
    EXPECT_EQ(names(), QStringLiteral("naive keys breaker budget"));
    EXPECT_TRUE(page.knobs().scenario().client.breaker);
    EXPECT_TRUE(page.words().contains(QStringLiteral("the rest: jitter.")));
    page.removeVariant(0);
    Q_EMIT others->aboutToShow();
    EXPECT_TRUE(others->actions().front()->isEnabled());
    page.takeVariant("jitter");
    EXPECT_EQ(names(), QStringLiteral("keys breaker budget jitter"));
    EXPECT_EQ(page.command(),
        QStringLiteral(
            "fencepostctl simulate naive_retries --seed 11 --variant keys --variant breaker --variant budget "
            "--variant jitter"));
    run(page);
    EXPECT_EQ(page.report()->worlds[3].variant, "jitter");
}

TEST_F(SimulatePageTest, TurnsOneVariantByItsSlider)
{
    SimulatePage page(*context);
    open(page);
    page.variants().setCurrentIndex(1);
    auto* form = page.findChild<KnobForm*>();
    ASSERT_TRUE(form);
    auto* slider = form->slider(QStringLiteral("network.loss"));
    ASSERT_TRUE(slider);
    slider->setValue(0);
    EXPECT_EQ(page.knobs().scenario().network.loss, 0);
    page.variants().setCurrentIndex(0);
    EXPECT_EQ(page.knobs().scenario().network.loss, 100'000) << "the other one stays as it was";
    page.variants().setCurrentIndex(1);
    EXPECT_EQ(page.knobs().scenario().network.loss, 0);
    run(page);
    EXPECT_EQ(page.report()->worlds[1].outcome[Measure::Retries], 0);
    EXPECT_TRUE(page.report()->expectations.empty()) << "nothing is claimed of another world";
    const auto lines = page.command().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), page.variants().count()) << "one cannot say what the other worlds are like";
    EXPECT_FALSE(lines[0].contains(QStringLiteral("--set"))) << lines[0].toStdString();
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral("--set network.loss=0% --variant right"))) << lines[1].toStdString();
    EXPECT_FALSE(page.results().isStale());
    slider->setValue(slider->maximum());
    EXPECT_TRUE(page.results().isStale());
    slider->setValue(0);
    EXPECT_FALSE(page.results().isStale()) << "it is again what was run";
    page.choose("payout_crash");
    EXPECT_TRUE(page.results().isStale()) << "nothing is told of what was not run";
}

TEST_F(SimulatePageTest, FindsASettingInTheForm)
{
    SimulatePage page(*context);
    open(page);
    auto* form = page.findChild<KnobForm*>();
    EXPECT_FALSE(form->isShown(QStringLiteral("vendor.look_up"))) << "its group is folded";
    form->setFilter(QStringLiteral("look_up"));
    EXPECT_TRUE(form->isShown(QStringLiteral("vendor.look_up")));
    EXPECT_FALSE(form->isShown(QStringLiteral("load.rate")));
    form->setFilter({});
    EXPECT_TRUE(form->isShown(QStringLiteral("load.rate")));
    auto* field = form->field(QStringLiteral("load.rate"));
    ASSERT_TRUE(field);
    field->setText(QStringLiteral("fast"));
    Q_EMIT field->editingFinished();
    EXPECT_TRUE(form->problem().contains(QStringLiteral("not a number a second")));
    EXPECT_EQ(page.knobs().scenario().load.rate, 100'000);
}

TEST_F(SimulatePageTest, ComparesFourWorldsAtMost)
{
    SimulatePage page(*context);
    open(page);
    for (int i = 0; i < 5; ++i)
        page.addVariant();
    EXPECT_EQ(page.variants().count(), SimulatePage::mostVariants);
    turn(page, "service.nodes", "7");
    run(page);
    ASSERT_EQ(page.report()->worlds.size(), 4U);
    EXPECT_EQ(page.report()->worlds[3].scenario.service.nodes, 7);
    EXPECT_EQ(page.report()->worlds[2].scenario.service.nodes, 2);
    page.removeVariant(0);
    EXPECT_EQ(page.variants().count(), 3);
    run(page);
    EXPECT_EQ(page.report()->worlds.front().variant, "right");
}

TEST_F(SimulatePageTest, StopsAndSaysSo)
{
    SimulatePage page(*context);
    open(page);
    turn(page, "load.requests", "2000000");
    page.runWorlds();
    auto* button = page.findChild<QPushButton*>(QStringLiteral("run"));
    EXPECT_EQ(button->text(), QStringLiteral("Stop"));
    button->click();
    EXPECT_FALSE(page.isLoading());
    EXPECT_EQ(button->text(), QStringLiteral("Run"));
    EXPECT_TRUE(page.findChild<ErrorBanner*>()->sentence().contains(QStringLiteral("stopped")));
    EXPECT_FALSE(page.report());
}

TEST_F(SimulatePageTest, SweepsOneSettingOrTwo)
{
    SimulatePage page(*context);
    open(page);
    auto& sweep = page.sweep();
    sweep.setAxis(0, QStringLiteral("network.loss"), QStringLiteral("0%..20%:10%"));
    sweep.setAxis(1, QStringLiteral("client.jitter"), QStringLiteral("none,full"));
    Q_EMIT sweep.asked(0);
    ASSERT_TRUE(eventually([&] { return sweep.swept() != nullptr && !page.isLoading(); }));
    EXPECT_EQ(sweep.table().rowCount(), 6);
    const auto& bars = sweep.plot().plot().bars;
    ASSERT_EQ(bars.size(), 6U);
    EXPECT_EQ(bars[0].label, QStringLiteral("none\n0%"));
    EXPECT_EQ(bars[1].label, QStringLiteral("full")) << "the first setting's value once for all of the second";
    EXPECT_EQ(bars[2].label, QStringLiteral("none\n10%"));
    sweep.setAxis(0, QStringLiteral("network.loss"), QStringLiteral("20%..0%:10%"));
    Q_EMIT sweep.asked(0);
    EXPECT_TRUE(page.findChild<ErrorBanner*>()->sentence().contains(QStringLiteral("sweep")));
}

TEST_F(SimulatePageTest, SweepsWhatItsFaultsHave)
{
    SimulatePage page(*context);
    open(page);
    auto& sweep = page.sweep();
    sweep.setAxis(0, QStringLiteral("faults[0].for"), QStringLiteral("1s..3s:1s"));
    EXPECT_TRUE(sweep.axes()->empty()) << "there is no such fault";
    page.knobs().addFault(simulation::FaultKind::Outage);
    sweep.setAxis(0, QStringLiteral("faults[0].for"), QStringLiteral("1s..3s:1s"));
    Q_EMIT sweep.asked(0);
    ASSERT_TRUE(eventually([&] { return sweep.swept() != nullptr && !page.isLoading(); }));
    EXPECT_EQ(sweep.table().rowCount(), 3);
    page.knobs().removeEntry("faults", 0);
    EXPECT_TRUE(sweep.axes()->empty()) << "it went with its fault";
}

TEST_F(SimulatePageTest, StepsThroughTheLifeOfARequest)
{
    SimulatePage page(*context);
    open(page);
    run(page);
    auto& life = page.life();
    Q_EMIT life.asked(1, 5);
    ASSERT_TRUE(eventually([&] { return !life.timeline().marks().empty() && !page.isLoading(); }));
    EXPECT_EQ(life.diagram().path().current, "SUCCEEDED");
    const auto last = life.current();
    life.step(1);
    EXPECT_EQ(life.current(), last) << "there is nothing behind the end";
    for (std::size_t i = 0; i < last; ++i)
        life.step(-1);
    EXPECT_EQ(life.current(), 0U);
    EXPECT_NE(life.diagram().path().current, "SUCCEEDED");
}

// Where each attempt has a key of its own there are several records, and no transition leads from one to another.
TEST(SimulateLifeTest, ShowsThePathOfOneRecord)
{
    const std::vector<simulation::TraceLine> trace = { { {}, 1, "client 1", "sends attempt 1", "" },
        { {}, 1, "store", "execute", "IN_PROGRESS", "k1" }, { {}, 1, "store", "keeps the outcome", "SUCCEEDED", "k1" },
        { {}, 1, "client 1", "sends attempt 2", "" }, { {}, 1, "store", "execute", "IN_PROGRESS", "k2" } };
    EXPECT_EQ(pathOf(trace, {}, 3).current, "SUCCEEDED");
    EXPECT_EQ(pathOf(trace, {}, 3).steps.size(), 2U);
    const auto second = pathOf(trace, {}, 4);
    EXPECT_EQ(second.current, "IN_PROGRESS");
    ASSERT_EQ(second.steps.size(), 1U);
    EXPECT_NE(second.steps[0].from, "SUCCEEDED");
    EXPECT_EQ(marksOf(trace, {})[4].text, "store, key k2");
}

TEST_F(SimulatePageTest, WritesTablesAndAReport)
{
    SimulatePage page(*context);
    open(page);
    run(page);
    ASSERT_TRUE(page.writeTables(folder.path()));
    ASSERT_TRUE(page.writeReport(folder.filePath(QStringLiteral("out.md"))));
    QFile measures(folder.filePath(QStringLiteral("measures.csv")));
    ASSERT_TRUE(measures.open(QIODevice::ReadOnly));
    EXPECT_TRUE(measures.readLine().startsWith("scenario,version,seed"));
    QFile report(folder.filePath(QStringLiteral("out.md")));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    EXPECT_TRUE(report.readAll().contains("Scenario `pair`, seed 3"));
}

// What the page shows is of the whole run, so the command has to go on where it would end at a violation.
TEST_F(SimulatePageTest, SaysTheCommandThatGivesWhatItShows)
{
    SimulatePage page(*context);
    open(page);
    EXPECT_EQ(page.command(),
        QStringLiteral("fencepostctl simulate %1 --seed 3").arg(folder.filePath(QStringLiteral("pair.json"))));
    run(page);
    ASSERT_GT(page.report()->worlds[0].outcome[Measure::Violations], 1);
    EXPECT_FALSE(page.results().isStale());
    EXPECT_TRUE(page.command().endsWith(QStringLiteral(" --seed 3 --go-on"))) << page.command().toStdString();
    page.variants().setCurrentIndex(1);
    turn(page, "service.nodes", "3");
    EXPECT_TRUE(page.results().isStale());
    EXPECT_FALSE(page.command().contains(QStringLiteral("--go-on"))) << "nobody knows yet";
    run(page);
    EXPECT_FALSE(page.results().isStale());
    const auto lines = page.command().split(u'\n');
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[0].endsWith(QStringLiteral("--variant wrong --go-on"))) << lines[0].toStdString();
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral("--variant right"))) << lines[1].toStdString();
    ASSERT_TRUE(page.writeReport(folder.filePath(QStringLiteral("out.md"))));
    QFile report(folder.filePath(QStringLiteral("out.md")));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    EXPECT_TRUE(report.readAll().contains(QStringLiteral("    %1\n    %2\n").arg(lines[0], lines[1]).toUtf8()));
}

TEST_F(SimulatePageTest, SaysWhatWasSweptAndThatItIsOfAnotherWorld)
{
    SimulatePage page(*context);
    open(page);
    auto& sweep = page.sweep();
    sweep.setAxis(0, QStringLiteral("network.loss"), QStringLiteral("0%..10%:10%"));
    EXPECT_FALSE(sweep.isStale());
    Q_EMIT sweep.asked(1);
    ASSERT_TRUE(eventually([&] { return sweep.swept() != nullptr && !page.isLoading(); }));
    EXPECT_EQ(sweep.words(),
        QStringLiteral("A pair, right, seed 3: fencepostctl simulate sweep %1 --seed 3 --set "
                       "network.loss=0%..10%:10% --variant right")
            .arg(folder.filePath(QStringLiteral("pair.json"))));
    EXPECT_FALSE(sweep.isStale());
    turn(page, "service.nodes", "7");
    EXPECT_FALSE(sweep.isStale()) << "the other one was turned";
    page.variants().setCurrentIndex(1);
    turn(page, "service.nodes", "7");
    EXPECT_TRUE(sweep.isStale());
    turn(page, "service.nodes", "2");
    EXPECT_FALSE(sweep.isStale());
    page.removeVariant(1);
    EXPECT_TRUE(sweep.isStale());
    page.choose("double_click");
    EXPECT_TRUE(sweep.isStale());
}

TEST_F(SimulatePageTest, SaysWhoseRequestIsFollowedAndThatItIsOfAnotherRun)
{
    SimulatePage page(*context);
    open(page);
    run(page);
    auto& life = page.life();
    EXPECT_FALSE(life.isStale());
    Q_EMIT life.asked(1, 5);
    ASSERT_TRUE(eventually([&] { return !life.timeline().marks().empty() && !page.isLoading(); }));
    EXPECT_EQ(life.whose(), QStringLiteral("Request 5 of A pair, right, seed 3"));
    EXPECT_FALSE(life.isStale());
    page.choose("double_click");
    EXPECT_TRUE(life.isStale());
    run(page);
    EXPECT_TRUE(life.isStale()) << "it is of the run before";
    Q_EMIT life.asked(0, 2);
    ASSERT_TRUE(eventually([&] { return life.whose().startsWith(QStringLiteral("Request 2 ")) && !page.isLoading(); }));
    EXPECT_FALSE(life.isStale());
}

// The sweep may be of another scenario than the run beside it.
TEST_F(SimulatePageTest, NamesInATableTheWorldThatWasSwept)
{
    SimulatePage page(*context);
    open(page);
    page.sweep().setAxis(0, QStringLiteral("network.loss"), QStringLiteral("0%..10%:10%"));
    Q_EMIT page.sweep().asked(1);
    ASSERT_TRUE(eventually([&] { return page.sweep().swept() != nullptr && !page.isLoading(); }));
    ASSERT_TRUE(
        page.openFile(write("other.json", R"({"scenario": 1, "name": "other", "seed": 9, "load": {"requests": 5}})")));
    run(page);
    ASSERT_TRUE(page.writeTables(folder.path()));
    QFile table(folder.filePath(QStringLiteral("sweep.csv")));
    ASSERT_TRUE(table.open(QIODevice::ReadOnly));
    EXPECT_TRUE(table.readLine().startsWith("scenario,version,seed,variant,network.loss,"));
    const auto cells = table.readLine().split(',');
    EXPECT_EQ(cells[0], "pair");
    EXPECT_EQ(cells[2], "3");
    EXPECT_EQ(cells[3], "right");
    EXPECT_EQ(cells[5], "60");
}

TEST_F(SimulatePageTest, RunsOnARetryLog)
{
    SimulatePage page(*context);
    open(page);
    EXPECT_FALSE(page.openRetryLog(write("empty.csv", "attempt,delay_ms,status,code,notes\n")));
    ASSERT_TRUE(page.openRetryLog(
        write("log.csv", "attempt,delay_ms,status,code,notes\n1,0,5xx,503,\n2,137,200,200,\n1,0,200,200,\n")));
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.report(); }));
    EXPECT_EQ(page.report()->worlds[1].outcome[Measure::Requests], 2);
    EXPECT_TRUE(page.results().card(SimulateResults::Attempts).title().contains(QStringLiteral("observed")));
    EXPECT_TRUE(page.words().contains(QStringLiteral("10s apart is made up"))) << page.words().toStdString();
}

TEST_F(SimulatePageTest, RunsOnTheKeysOfTheConnection)
{
    for (int i = 0; i < 3; ++i)
        finalize(reserve("key" + std::to_string(i)));
    connectSession();
    SimulatePage page(*context);
    open(page);
    const auto actions = page.findChildren<QAction*>();
    const auto found = std::find_if(actions.begin(), actions.end(),
        [](const QAction* action) { return action->text().contains(QStringLiteral("connection's keys")); });
    ASSERT_NE(found, actions.end());
    (*found)->trigger();
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.report(); }));
    EXPECT_EQ(page.report()->worlds[0].outcome[Measure::Requests], 3);
    EXPECT_EQ(page.report()->worlds[0].scenario.recording->attempts, (std::vector<std::int64_t>{ 0, 3 }));
}

TEST_F(SimulatePageTest, RunsOnSomeOfTheKeysOfTheConnection)
{
    for (int i = 0; i < 3; ++i)
        finalize(reserve("key" + std::to_string(i)));
    connectSession();
    SimulatePage page(*context);
    open(page);
    page.readRecords(QStringLiteral("key = key1"));
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.report(); }));
    EXPECT_EQ(page.report()->worlds[0].outcome[Measure::Requests], 1);
    EXPECT_TRUE(page.command().contains(QStringLiteral("--db 'address of orders-test' --filter 'key = key1'")))
        << page.command().toStdString();
    EXPECT_TRUE(page.words().contains(QStringLiteral("attempts come when they did"))) << page.words().toStdString();
    page.readRecords(QStringLiteral("key ="));
    EXPECT_TRUE(page.findChild<ErrorBanner*>()->sentence().contains(QStringLiteral("read the keys")));
}

TEST_F(SimulatePageTest, SaysWhatIsWrongWithAFile)
{
    SimulatePage page(*context);
    open(page);
    const auto done = page.openFile(write("bad.json", R"({"scenario": 1, "name": "x", "service": {"lease": "soon"}})"));
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("service.lease"), std::string::npos);
    EXPECT_EQ(page.variants().count(), 2) << "what was open stays";
}

} // namespace
} // namespace fencepost::ui
