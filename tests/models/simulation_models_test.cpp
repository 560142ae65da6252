// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "models/knobs_model.h"
#include "models/simulation_run.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;

simulation::Scenario small(std::int64_t requests = 40)
{
    simulation::Scenario scenario;
    scenario.name = "small";
    scenario.load.requests = requests;
    scenario.load.duration = std::chrono::seconds(4);
    return scenario;
}

simulation::Report reportOf(const simulation::Scenario& scenario)
{
    return { scenario, {}, *simulation::worldsOf(scenario, {}), {} };
}

simulation::Sweep toSweep(std::vector<simulation::SweepAxis> axes)
{
    simulation::Sweep asked;
    asked.scenario = small();
    asked.variant = "slow";
    asked.axes = std::move(axes);
    return asked;
}

int rowOf(const QString& path)
{
    int row = 0;
    for (const auto& knob : simulation::scenarioKnobs()) {
        if (QString::fromUtf8(knob.path.data(), qsizetype(knob.path.size())) == path)
            return row;
        ++row;
    }
    return -1;
}

TEST(KnobsModel, ListsEveryKnobWithItsValue)
{
    KnobsModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.rowCount(), int(simulation::scenarioKnobs().size()));
    const auto value = model.index(rowOf(QStringLiteral("service.lease")), KnobsModel::Value);
    EXPECT_EQ(value.data().toString(), QStringLiteral("1m"));
    EXPECT_FALSE(value.data(KnobsModel::IsTurned).toBool());
    EXPECT_TRUE(value.flags().testFlag(Qt::ItemIsEditable));
    EXPECT_FALSE(value.siblingAtColumn(KnobsModel::Setting).flags().testFlag(Qt::ItemIsEditable));
    ASSERT_TRUE(model.setData(value, QStringLiteral("30s")));
    EXPECT_EQ(model.scenario().service.lease, std::chrono::seconds(30));
    EXPECT_TRUE(value.data(KnobsModel::IsTurned).toBool());
    EXPECT_EQ(value.siblingAtColumn(KnobsModel::Usual).data().toString(), QStringLiteral("1m"));
}

TEST(KnobsModel, KeepsTheFaultsAndPhasesOfAWorld)
{
    KnobsModel model;
    auto scenario = small();
    scenario.load.duration = std::chrono::seconds(50);
    model.setScenario(scenario);
    const QSignalSpy changed(&model, &KnobsModel::listsChanged);
    const QSignalSpy refused(&model, &KnobsModel::listRefused);
    for (std::size_t kind = 0; kind < simulation::faultKinds().size(); ++kind) {
        model.addFault(simulation::FaultKind(kind));
        EXPECT_TRUE(check(model.scenario())) << simulation::faultKinds()[kind];
    }
    model.addPhase();
    EXPECT_TRUE(check(model.scenario()));
    EXPECT_EQ(changed.count(), int(simulation::faultKinds().size()) + 1);
    const auto length = QStringLiteral("faults[0].for");
    EXPECT_EQ(model.member(length), QStringLiteral("10s"));
    EXPECT_TRUE(model.setMember(length, QStringLiteral(" 3s ")));
    EXPECT_EQ(model.scenario().faults[0].length, std::chrono::seconds(3));
    for (const auto* value : { "soon", "", "0s", "-1s" })
        EXPECT_FALSE(model.setMember(length, QString::fromLatin1(value))) << value;
    EXPECT_FALSE(model.setMember(QStringLiteral("faults[99].for"), QStringLiteral("1s")));
    EXPECT_FALSE(model.setMember(QStringLiteral("phases[0].until"), QStringLiteral("1s"))) << "before it begins";
    EXPECT_EQ(refused.count(), 6);
    EXPECT_EQ(model.member(length), QStringLiteral("3s"));
    EXPECT_EQ(model.member(QStringLiteral("faults[99].for")), QString());
    model.removeEntry("faults", 0);
    model.removeEntry("faults", 99);
    EXPECT_EQ(model.scenario().faults.size(), simulation::faultKinds().size() - 1);
    model.removeEntry("phases", 0);
    EXPECT_TRUE(model.scenario().phases.empty());
}

TEST(KnobsModel, RefusesWhatIsNoValueAndSaysWhy)
{
    KnobsModel model;
    const QSignalSpy refused(&model, &KnobsModel::refused);
    const auto value = model.index(rowOf(QStringLiteral("service.nodes")), KnobsModel::Value);
    EXPECT_FALSE(model.setData(value, QStringLiteral("0")));
    EXPECT_EQ(refused.count(), 1);
    EXPECT_TRUE(model.problem().contains(QStringLiteral("not between 1 and 1000")));
    EXPECT_EQ(value.data().toString(), QStringLiteral("2")) << "it stays as it was";
    EXPECT_FALSE(model.setData(value.siblingAtColumn(KnobsModel::Meaning), QStringLiteral("3")));
    ASSERT_TRUE(model.setData(value, QStringLiteral("3")));
    EXPECT_TRUE(model.problem().isEmpty());
}

TEST(KnobScale, GivesOnlyValuesThatItsKnobTakes)
{
    for (const auto& knob : simulation::scenarioKnobs()) {
        simulation::Scenario scenario;
        if (!KnobScale::has(knob, scenario))
            continue;
        const KnobScale scale(knob);
        for (int place = 0; place <= KnobScale::positions; ++place) {
            const auto value = scale.valueAt(place).toStdString();
            const auto turned = turn(knob, scenario, value);
            ASSERT_TRUE(turned) << knob.path << " at " << place << ": " << turned.error().message;
        }
    }
}

TEST(KnobScale, RisesAndFindsItsPlaceAgain)
{
    for (const auto& knob : simulation::scenarioKnobs()) {
        simulation::Scenario scenario;
        if (!KnobScale::has(knob, scenario))
            continue;
        const KnobScale scale(knob);
        int last = -1;
        for (int place = 0; place <= KnobScale::positions; ++place) {
            ASSERT_TRUE(turn(knob, scenario, scale.valueAt(place).toStdString()));
            const int found = scale.positionOf(scenario);
            EXPECT_LE(found, place) << knob.path;
            EXPECT_EQ(scale.valueAt(found), scale.valueAt(place)) << knob.path;
            EXPECT_GE(found, last) << knob.path;
            last = found;
        }
    }
}

TEST(SimulationRun, TellsOfEveryWorld)
{
    SimulationRun run;
    std::shared_ptr<const simulation::Report> report;
    QObject::connect(&run, &SimulationRun::simulated, &run, [&](const auto& whole) { report = whole; });
    const QSignalSpy started(&run, &SimulationRun::started);
    const QSignalSpy ended(&run, &SimulationRun::ended);
    auto scenario = small();
    scenario.variants = { { "one", {}, { { "service.nodes", "1" } } }, { "two", {}, { { "network.loss", "5%" } } } };
    scenario.expect = { "one:requests = 40" };
    run.simulate(reportOf(scenario));
    EXPECT_TRUE(run.isRunning());
    ASSERT_TRUE(eventually([&] { return report != nullptr; }));
    EXPECT_FALSE(run.isRunning());
    EXPECT_EQ(started.count(), 1);
    EXPECT_EQ(ended.count(), 1);
    ASSERT_EQ(report->worlds.size(), 2U);
    EXPECT_EQ(report->worlds[1].outcome.values, simulation::simulate(report->worlds[1].scenario).values)
        << "the thread it is on changes nothing";
    ASSERT_EQ(report->expectations.size(), 1U);
    EXPECT_TRUE(report->expectations[0].held);
}

TEST(SimulationRun, AnswersNothingOfWhatWasStopped)
{
    SimulationRun run;
    const QSignalSpy simulated(&run, &SimulationRun::simulated);
    const QSignalSpy ended(&run, &SimulationRun::ended);
    run.simulate(reportOf(small(2'000'000)));
    run.stop();
    EXPECT_FALSE(run.isRunning());
    EXPECT_EQ(ended.count(), 1);
    testing::handleEvents();
    EXPECT_EQ(simulated.count(), 0);
    run.stop();
    EXPECT_EQ(ended.count(), 1) << "nothing runs any more";
}

TEST(SimulationRun, TellsHowFarItIsInOneWorld)
{
    SimulationRun run;
    std::vector<double> parts;
    QObject::connect(&run, &SimulationRun::progressed, &run, [&](const SimulationProgress& at) {
        EXPECT_EQ(at.done, 0);
        EXPECT_EQ(at.of, 1);
        parts.push_back(at.part);
    });
    auto scenario = small(0);
    scenario.load.rate = 100'000'000; // a hundred thousand a second
    scenario.load.duration = std::chrono::hours(1);
    scenario.service.workers = 10'000;
    run.simulate(reportOf(scenario));
    EXPECT_TRUE(eventually([&] { return parts.size() >= 3; }));
    run.stop();
    ASSERT_GE(parts.size(), 3U);
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_GT(parts.back(), 0);
    EXPECT_LT(parts.back(), 1);
}

TEST(SimulationRun, DropsTheRunBefore)
{
    SimulationRun run;
    std::vector<std::int64_t> requests;
    QObject::connect(&run, &SimulationRun::simulated, &run,
        [&](const auto& whole) { requests.push_back(whole->worlds[0].outcome[simulation::Measure::Requests]); });
    run.simulate(reportOf(small(2'000'000)));
    run.simulate(reportOf(small(7)));
    ASSERT_TRUE(eventually([&] { return !run.isRunning(); }));
    testing::handleEvents();
    EXPECT_EQ(requests, std::vector<std::int64_t>{ 7 });
}

TEST(SimulationRun, SweepsAndFollows)
{
    SimulationRun run;
    std::shared_ptr<const simulation::Sweep> swept;
    std::shared_ptr<const simulation::Outcome> outcome;
    std::optional<Error> error;
    QObject::connect(&run, &SimulationRun::swept, &run, [&](const auto& whole) { swept = whole; });
    QObject::connect(&run, &SimulationRun::traced, &run, [&](const auto& whole) { outcome = whole; });
    QObject::connect(&run, &SimulationRun::failed, &run, [&](const Error& said) { error = said; });
    run.sweep(toSweep({ *simulation::parseSweepAxis("service.nodes=1..3:1") }));
    ASSERT_TRUE(eventually([&] { return swept != nullptr; }));
    EXPECT_EQ(swept->points.size(), 3U);
    EXPECT_EQ(swept->scenario.name + ":" + swept->variant, "small:slow") << "whose it is travels with it";
    run.trace(small(), 3);
    ASSERT_TRUE(eventually([&] { return outcome != nullptr; }));
    ASSERT_FALSE(outcome->trace.empty());
    for (const auto& line : outcome->trace)
        EXPECT_EQ(line.request, 3U);
    run.sweep(toSweep({}));
    ASSERT_TRUE(eventually([&] { return error.has_value(); }));
    EXPECT_EQ(error->failure, Failure::Invalid);
}

} // namespace
} // namespace fencepost::models
