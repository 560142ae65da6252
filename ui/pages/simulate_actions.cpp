// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QStyle>
#include <QTabBar>

#include "core/query/filter.h"
#include "core/simulation/command.h"
#include "models/files.h"
#include "models/session.h"
#include "ui/pages/simulate_page.h"
#include "ui/pages/simulate_sweep.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/knob_form.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// The knobs in which a world stands otherwise than another one.
Settings turnedKnobs(const simulation::Scenario& world, const simulation::Scenario& from)
{
    Settings settings;
    for (const auto& knob : simulation::scenarioKnobs()) {
        auto value = shownValue(knob, world);
        if (value != shownValue(knob, from))
            settings.emplace_back(std::string(knob.path), std::move(value));
    }
    for (const auto* list : { "phases", "faults" })
        if (auto value = shownList(list, world); value != shownList(list, from))
            settings.emplace_back(list, std::move(value));
    return settings;
}

} // namespace

QMenu* SimulatePage::makeMenu()
{
    auto* menu = new QMenu(this);
    menu->addAction(m_context.theme.icon("open"), tr("Open a scenario…"), this,
        [this] { chooseFile(tr("Open a scenario"), tr("Scenarios (*.json)"), &SimulatePage::openFile); });
    menu->addAction(m_context.theme.icon("retries"), tr("Run on a retry log…"), this,
        [this] { chooseFile(tr("Run on a retry log"), tr("Retry logs (*.csv)"), &SimulatePage::openRetryLog); });
    auto* records = menu->addAction(
        m_context.theme.icon("keys"), tr("Run on this connection's keys"), this, [this] { readRecords({}); });
    auto* some = menu->addAction(tr("Run on some of this connection's keys…"), this, &SimulatePage::chooseRecords);
    for (auto* action : { records, some })
        action->setEnabled(m_context.session != nullptr);
    menu->addSeparator();
    menu->addAction(m_context.theme.icon("copy"), tr("Copy as command"), this,
        [this] { QApplication::clipboard()->setText(command()); });
    menu->addAction(m_context.theme.icon("save"), tr("Save tables (CSV)…"), this, [this] { chooseTarget(true); });
    menu->addAction(
        m_context.theme.icon("save"), tr("Save a report (Markdown)…"), this, [this] { chooseTarget(false); });
    return menu;
}

void SimulatePage::report(const QString& attempted, const Status& done)
{
    if (done)
        m_banner->clear();
    else
        m_banner->report(attempted, done.error());
}

void SimulatePage::chooseFile(const QString& words, const QString& names, Status (SimulatePage::*use)(const QString&))
{
    auto* chooser = newFileChooser(this, words);
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ names, tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, this,
        [this, use](const QString& path) { report(tr("read the file"), (this->*use)(path)); });
    chooser->open();
}

void SimulatePage::chooseTarget(bool folder)
{
    if (!m_report)
        return m_banner->tell("warning", tr("Nothing was simulated yet."));
    auto* chooser = newFileChooser(this, folder ? tr("Save tables") : tr("Save a report"));
    chooser->setFileMode(folder ? QFileDialog::Directory : QFileDialog::AnyFile);
    chooser->setAcceptMode(folder ? QFileDialog::AcceptOpen : QFileDialog::AcceptSave);
    if (!folder)
        chooser->selectFile(text(m_report->scenario.name) + QStringLiteral(".md"));
    connect(chooser, &QFileDialog::fileSelected, this, [this, folder](const QString& path) {
        report(folder ? tr("save the tables") : tr("save the report"), folder ? writeTables(path) : writeReport(path));
    });
    chooser->open();
}

Status SimulatePage::openFile(const QString& path)
{
    const auto content = models::readFile(path);
    if (!content)
        return content.error();
    auto scenario = simulation::parseScenario(content->toStdString());
    if (!scenario)
        return scenario.error();
    take(std::move(*scenario), path);
    return {};
}

Status SimulatePage::openRetryLog(const QString& path)
{
    const auto content = models::readFile(path);
    if (!content)
        return content.error();
    const auto rows = exchange::readRetryLog(content->toStdString());
    if (!rows)
        return rows.error();
    auto recording = simulation::recordingOf(*rows, path.toStdString());
    if (!recording)
        return recording.error();
    take(simulation::withRecording(m_scenario, std::move(*recording)), m_file);
    runWorlds();
    return {};
}

void SimulatePage::chooseRecords()
{
    auto* asking = new QInputDialog(this);
    asking->setAttribute(Qt::WA_DeleteOnClose);
    asking->setWindowTitle(tr("Run on some keys"));
    asking->setLabelText(tr("Those that match, as on the page Keys: operation ~ refund and age < 2d"));
    asking->setTextValue(m_filter);
    connect(asking, &QInputDialog::textValueSelected, this, &SimulatePage::readRecords);
    asking->open();
}

void SimulatePage::readRecords(const QString& filter)
{
    auto* session = m_context.session;
    const auto& all = session->bindings();
    const auto found = std::find_if(all.begin(), all.end(),
        [](const models::BindingPtr& one) { return one->kind == Kind::Idempotency && one->canRead; });
    if (found == all.end())
        return m_banner->tell("warning", tr("This connection has no table of keys that could be read."));
    simulation::RecordingRequest request;
    auto parsed = parseFilter(filter.toStdString());
    if (!parsed)
        return m_banner->report(tr("read the keys"), parsed.error());
    request.filter = std::move(*parsed);
    m_records.start(
        session->reads(),
        [binding = *found, request = std::move(request)](
            Backend& backend) { return simulation::readRecording(backend.inspector(), *binding, request); },
        [this, filter](const Result<simulation::Recording>& recording) {
            if (!recording)
                return m_banner->report(tr("read the keys"), recording.error());
            take(simulation::withRecording(m_scenario, *recording), m_file);
            m_filter = filter;
            runWorlds();
        });
}

simulation::Report SimulatePage::reportToRun()
{
    keepVariant();
    simulation::Report report;
    report.scenario = m_scenario;
    report.scenario.seed = m_seed->text().toULongLong();
    bool changed = report.scenario.seed != m_scenario.seed;
    const bool only = m_worlds.size() == 1 && m_worlds.front().name.empty();
    report.scenario.variants.clear();
    for (const auto& world : m_worlds) {
        auto scenario = world.scenario;
        scenario.seed = report.scenario.seed;
        const auto set = turnedKnobs(scenario, m_scenario);
        const auto was = std::find_if(m_scenario.variants.begin(), m_scenario.variants.end(),
            [&](const simulation::Variant& variant) { return variant.name == world.name; });
        if (was != m_scenario.variants.end())
            changed = changed || !turnedKnobs(scenario, *withVariant(m_scenario, *was)).empty();
        else
            changed = changed || !set.empty();
        if (only)
            report.scenario = scenario;
        else
            report.scenario.variants.push_back({ world.name, world.title, set, scenario.violates });
        report.worlds.push_back({ world.name, world.title, std::move(scenario), {} });
    }
    // What was changed is another world than the one that the claims are about.
    if (changed)
        report.scenario.expect.clear();
    report.commands = commands();
    return report;
}

// What is typed is what is run, or nothing is.
bool SimulatePage::isReady(const QString& attempted)
{
    m_form->takePending();
    if (m_seed->property("invalid").toBool()) {
        m_seed->setFocus();
        m_banner->report(attempted, invalid("seed: \"" + m_seed->text().toStdString() + "\" is not a whole number"));
        return false;
    }
    const auto problem = m_form->problem();
    if (problem.isEmpty())
        return true;
    m_form->chooseProblem();
    m_banner->report(attempted, invalid(problem.toStdString()));
    return false;
}

void SimulatePage::checkSeed()
{
    bool isSeed = false;
    (void)m_seed->text().toULongLong(&isSeed);
    if (m_seed->property("invalid").toBool() == isSeed) {
        m_seed->setProperty("invalid", !isSeed);
        m_seed->style()->unpolish(m_seed);
        m_seed->style()->polish(m_seed);
    }
    showStale();
}

void SimulatePage::runWorlds()
{
    if (m_worlds.empty() || !isReady(tr("simulate")))
        return;
    auto report = reportToRun();
    for (const auto& world : report.worlds)
        if (const auto checked = check(world.scenario); !checked)
            return m_banner->report(tr("simulate %1").arg(text(world.variant)), checked.error());
    m_banner->clear();
    m_run.simulate(std::move(report));
}

void SimulatePage::runSweep(int world)
{
    if (!isReady(tr("sweep")))
        return;
    const auto axes = m_sweep->axes();
    if (!axes)
        return m_banner->report(tr("sweep"), axes.error());
    m_banner->clear();
    const auto report = reportToRun();
    if (world < 0 || world >= std::ssize(report.worlds))
        return;
    const auto& chosen = report.worlds[std::size_t(world)];
    simulation::Sweep asked;
    asked.scenario = chosen.scenario;
    asked.variant = chosen.variant;
    asked.axes = *axes;
    asked.command = sweepCommand(world, *axes);
    m_run.sweep(std::move(asked));
}

// A world that was reported, also where its knobs were turned since.
void SimulatePage::follow(int world, quint64 request)
{
    if (!m_report || world < 0 || world >= std::ssize(m_report->worlds))
        return;
    m_asked = { m_report, world, request };
    m_run.trace(m_report->worlds[std::size_t(world)].scenario, request);
}

std::vector<simulation::SimulationCommand> SimulatePage::worldCommands() const
{
    simulation::SimulationCommand shared;
    shared.scenario = m_file.isEmpty() ? m_scenario.name : m_file.toStdString();
    shared.seed = m_seed->text().toULongLong();
    if (const auto& recording = m_scenario.recording; recording && recording->by == simulation::RecordedBy::Log)
        shared.more.emplace_back("--from", recording->source);
    if (const auto& recording = m_scenario.recording; recording && recording->by == simulation::RecordedBy::Table) {
        const auto url = m_context.workspace ? m_context.workspace->openedUrl() : QString();
        shared.more.emplace_back(
            "--db", (url.isEmpty() ? tr("address of %1").arg(m_context.connection) : url).toStdString());
        if (!m_filter.isEmpty())
            shared.more.emplace_back("--filter", m_filter.toStdString());
    }
    const auto base = simulation::worldsOf(m_scenario, {});
    std::vector<simulation::SimulationCommand> each;
    for (int place = 0; place < std::ssize(m_worlds); ++place) {
        const auto& world = m_worlds[std::size_t(place)];
        const auto was =
            std::find_if(base->begin(), base->end(), [&](const auto& of) { return of.variant == world.name; });
        const auto& from = was == base->end() ? base->front() : *was;
        auto& command = each.emplace_back(shared);
        if (!from.variant.empty())
            command.variants.push_back(from.variant);
        command.set = turnedKnobs(place == m_current ? m_knobs.scenario() : world.scenario, from.scenario);
    }
    return each;
}

// One line where the worlds are those of the scenario, or all turned alike; else a line for each.
std::vector<std::string> SimulatePage::commands() const
{
    const auto each = worldCommands();
    const auto count = std::max<std::size_t>(m_scenario.variants.size(), 1);
    const auto isOwn = [&](const World& world) {
        return m_scenario.variants.empty() ? world.name.empty()
                                           : std::any_of(m_scenario.variants.begin(), m_scenario.variants.end(),
                                               [&](const auto& variant) { return variant.name == world.name; });
    };
    const bool listed = std::all_of(m_worlds.begin(), m_worlds.end(), isOwn);
    const bool alike =
        std::all_of(each.begin(), each.end(), [&](const auto& one) { return one.set == each.front().set; });
    if (!each.empty() && listed && alike) {
        auto all = each.front();
        all.variants.clear();
        if (m_worlds.size() < count)
            for (const auto& world : m_worlds)
                all.variants.push_back(world.name);
        return { commandLineOf(all) };
    }
    std::vector<std::string> lines;
    for (const auto& command : each)
        lines.push_back(commandLineOf(command));
    return lines;
}

std::string SimulatePage::sweepCommand(int world, const std::vector<simulation::SweepAxis>& axes) const
{
    auto command = worldCommands()[std::size_t(world)];
    command.verb = "sweep";
    for (const auto& axis : axes)
        command.set.emplace_back(axis.path, axis.range);
    return commandLineOf(command);
}

QString SimulatePage::command() const
{
    QStringList lines;
    for (const auto& line : m_report && !isStale() ? m_report->commands : commands())
        lines += QString::fromStdString(line);
    return lines.join(u'\n');
}

Status SimulatePage::writeTables(const QString& folder) const
{
    auto files = simulation::csvFilesOf(*m_report);
    if (const auto& swept = m_sweep->swept())
        for (auto& file : simulation::sweepFilesOf(*swept))
            files.push_back(std::move(file));
    for (const auto& file : files)
        if (auto written = models::replaceFile(
                folder + QLatin1Char('/') + QString::fromStdString(file.name), QByteArray::fromStdString(file.content));
            !written)
            return written;
    return {};
}

Status SimulatePage::writeReport(const QString& path) const
{
    return models::replaceFile(path, QByteArray::fromStdString(simulation::markdownOf(*m_report)));
}

} // namespace fencepost::ui
