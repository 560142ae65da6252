// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/simulate_page.h"

#include <algorithm>

#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "ui/pages/simulate_life.h"
#include "ui/pages/simulate_results.h"
#include "ui/pages/simulate_sweep.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/knob_form.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/simulation_plots.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int settingsWidth = 380;
constexpr int seedWidth = 90;
constexpr int scenarioLetters = 24;

} // namespace

SimulatePage::SimulatePage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_scenarios(new QComboBox(this))
    , m_seed(new QLineEdit(this))
    , m_start(new QPushButton(tr("Run"), this))
    , m_progress(new QProgressBar(this))
    , m_shows(new PlainLabel(this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_variants(new QTabBar(this))
    , m_add(new QToolButton(this))
    , m_others(new QMenu(m_add))
    , m_form(new KnobForm(context.theme, m_knobs))
    , m_tabs(new QTabWidget(this))
    , m_results(new SimulateResults(context.theme, this))
    , m_sweep(new SimulateSweep(context.theme, this))
    , m_life(new SimulateLife(context.theme, this))
{
    build();
    connect(&m_run, &models::SimulationRun::started, this, &SimulatePage::showRunning);
    connect(&m_run, &models::SimulationRun::ended, this, &SimulatePage::showRunning);
    connect(&m_run, &models::SimulationRun::progressed, this, &SimulatePage::showProgress);
    connect(&m_run, &models::SimulationRun::simulated, this, &SimulatePage::showReport);
    connect(&m_run, &models::SimulationRun::swept, this, [this](const auto& swept) {
        m_sweep->show(swept);
        showStale();
    });
    connect(&m_run, &models::SimulationRun::traced, this, &SimulatePage::showLife);
    connect(&m_run, &models::SimulationRun::failed, this,
        [this](const Error& error) { m_banner->report(tr("simulate"), error); });
    connect(&m_knobs, &QAbstractItemModel::dataChanged, this, &SimulatePage::showStale);
    connect(&m_knobs, &models::KnobsModel::listsChanged, this, &SimulatePage::showStale);
    connect(&m_knobs, &models::KnobsModel::listsChanged, this, &SimulatePage::tellSweep);
    connect(m_seed, &QLineEdit::textChanged, this, &SimulatePage::checkSeed);
    connect(m_sweep, &SimulateSweep::asked, this, &SimulatePage::runSweep);
    connect(m_life, &SimulateLife::asked, this, &SimulatePage::follow);
}

// A field that is left takes what was typed in it, so it is left while there is still somebody to take it.
SimulatePage::~SimulatePage()
{
    auto* chosen = QApplication::focusWidget();
    if (chosen && isAncestorOf(chosen))
        chosen->clearFocus();
}

void SimulatePage::build()
{
    setPart(this, "surface");
    auto* header = new PageHeader(m_context.theme, tr("Simulate"), this);
    buildHead(*header);
    m_shows->setWordWrap(true);
    setTone(m_shows, "muted");
    m_banner->clear();
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_results, tr("Outcome"));
    m_tabs->addTab(m_sweep, tr("Sweep"));
    m_tabs->addTab(m_life, tr("One request"));
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->addWidget(makeSettings());
    auto* outcome = new QWidget(this);
    auto* beside = new QVBoxLayout(outcome);
    beside->setContentsMargins(space::medium, 0, 0, 0);
    beside->addWidget(m_tabs);
    split->addWidget(outcome);
    split->setStretchFactor(1, 1);
    split->setSizes({ settingsWidth, 3 * settingsWidth });
    split->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::large, space::small);
    layout->setSpacing(space::small);
    layout->addWidget(header);
    layout->addWidget(m_shows);
    layout->addWidget(m_banner);
    layout->addWidget(split, 1);
}

void SimulatePage::buildHead(PageHeader& header)
{
    m_scenarios->setObjectName(QStringLiteral("scenarios"));
    m_scenarios->setAccessibleName(tr("Scenario"));
    m_scenarios->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scenarios->setMinimumContentsLength(scenarioLetters);
    for (const auto& shipped : simulation::shippedScenarios())
        if (const auto scenario = simulation::parseScenario(shipped.json))
            m_scenarios->addItem(text(scenario->title), text(shipped.name));
    m_seed->setObjectName(QStringLiteral("seed"));
    m_seed->setFixedWidth(seedWidth);
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setToolTip(tr("The same scenario and seed give the same outcome everywhere"));
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(seedWidth);
    m_progress->hide();
    setKind(m_start, "primary");
    m_start->setObjectName(QStringLiteral("run"));
    auto* more = new QToolButton(this);
    more->setIcon(m_context.theme.icon("more"));
    more->setAccessibleName(tr("More about simulations"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setProperty("menu", QStringLiteral("none"));
    more->setMenu(makeMenu());
    auto* seedName = new PlainLabel(tr("Seed"), this);
    setTone(seedName, "muted");
    for (auto* widget : std::initializer_list<QWidget*>{ m_scenarios, seedName, m_seed, m_progress, m_start, more })
        header.addRight(widget);
    connect(m_scenarios, &QComboBox::activated, this,
        [this] { choose(m_scenarios->currentData().toString().toStdString()); });
    connect(m_start, &QPushButton::clicked, this, [this] { m_run.isRunning() ? stop() : runWorlds(); });
    connect(m_seed, &QLineEdit::returnPressed, this, &SimulatePage::runWorlds);
}

QWidget* SimulatePage::makeSettings()
{
    auto* side = new QWidget(this);
    m_variants->setAccessibleName(tr("Variants"));
    m_variants->setDocumentMode(true);
    m_variants->setExpanding(false);
    m_variants->setTabsClosable(true);
    m_variants->setUsesScrollButtons(true);
    m_add->setIcon(m_context.theme.icon("add"));
    m_add->setAccessibleName(tr("Add a variant"));
    m_add->setToolTip(tr("Another world with these settings, to be turned and compared, or another one of the "
                         "scenario's variants; four at most"));
    m_add->setProperty("menu", QStringLiteral("none"));
    m_add->setPopupMode(QToolButton::InstantPopup);
    m_others->setObjectName(QStringLiteral("others"));
    m_add->setMenu(m_others);
    auto* filter = new QLineEdit(side);
    filter->setPlaceholderText(tr("Find a setting"));
    filter->setAccessibleName(tr("Find a setting"));
    addClearButton(*filter, m_context.theme);
    auto* scroll = new QScrollArea(side);
    scroll->setWidget(m_form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(space::tiny);
    bar->addWidget(m_variants, 1);
    bar->addWidget(m_add);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, space::small, 0);
    layout->setSpacing(space::small);
    layout->addLayout(bar);
    layout->addWidget(filter);
    layout->addWidget(scroll, 1);
    connect(filter, &QLineEdit::textChanged, m_form, &KnobForm::setFilter);
    connect(m_others, &QMenu::aboutToShow, this, &SimulatePage::listOthers);
    connect(m_variants, &QTabBar::currentChanged, this, &SimulatePage::showVariant);
    connect(m_variants, &QTabBar::tabCloseRequested, this, &SimulatePage::removeVariant);
    return side;
}

void SimulatePage::activate()
{
    if (m_opened || m_scenarios->count() == 0)
        return;
    choose("thundering_herd");
    runWorlds();
}

void SimulatePage::choose(std::string_view name)
{
    for (const auto& shipped : simulation::shippedScenarios())
        if (shipped.name == name)
            if (auto scenario = simulation::parseScenario(shipped.json))
                return take(std::move(*scenario), {});
}

// Its worlds become variants, as many of them as are compared.
void SimulatePage::take(simulation::Scenario scenario, const QString& file)
{
    m_run.stop();
    m_banner->clear();
    m_opened = true;
    m_scenario = std::move(scenario);
    m_file = file;
    const int listed = m_scenarios->findData(file.isEmpty() ? text(m_scenario.name) : QString());
    m_scenarios->setCurrentIndex(file.isEmpty() ? listed : -1);
    m_seed->setText(QString::number(m_scenario.seed));
    m_worlds.clear();
    const auto worlds = simulation::worldsOf(m_scenario, {});
    if (worlds)
        for (const auto& world : *worlds)
            if (std::ssize(m_worlds) < mostVariants)
                m_worlds.push_back({ world.variant, world.title, world.scenario });
    m_current = 0;
    const QSignalBlocker quiet(m_variants);
    while (m_variants->count() > 0)
        m_variants->removeTab(0);
    for (const auto& name : worldNames())
        m_variants->addTab(name);
    m_knobs.setScenario(m_worlds.front().scenario);
    tellVariants();
}

QStringList SimulatePage::worldNames() const
{
    QStringList names;
    for (const auto& world : m_worlds)
        names += world.name.empty() ? tr("this world") : text(world.name);
    return names;
}

void SimulatePage::keepVariant()
{
    if (m_current < std::ssize(m_worlds))
        m_worlds[std::size_t(m_current)].scenario = m_knobs.scenario();
}

void SimulatePage::showVariant(int place)
{
    if (place < 0 || place >= std::ssize(m_worlds))
        return;
    keepVariant();
    m_current = place;
    m_knobs.setScenario(m_worlds[std::size_t(place)].scenario);
}

void SimulatePage::stop()
{
    m_run.stop();
    m_banner->tell("warning", tr("The simulation was stopped before its end; what is shown is of the run before."));
}

void SimulatePage::showProgress(const models::SimulationProgress& progress)
{
    constexpr int steps = 1'000; // of one world
    m_progress->setRange(0, progress.of * steps);
    m_progress->setValue(progress.done * steps + int(progress.part * steps));
    m_progress->setToolTip(
        tr("%1 of %2, %3 events").arg(progress.done + 1).arg(progress.of).arg(numberText(progress.world.steps)));
}

void SimulatePage::showRunning()
{
    const bool running = m_run.isRunning();
    m_start->setText(running ? tr("Stop") : tr("Run"));
    m_progress->setVisible(running);
    if (running)
        m_progress->setRange(0, 0);
    Q_EMIT statusChanged();
}

// A report knows the commands that give it.
bool SimulatePage::isStale() const
{
    return m_report && !m_worlds.empty()
        && m_report->commands != simulation::commandsToTheEnd(commands(), m_report->worlds);
}

void SimulatePage::showStale()
{
    m_results->setStale(isStale());
    m_life->setStale(m_followed.report && (m_followed.report->commands != m_report->commands || isStale()));
    bool isSwept = false;
    const auto& swept = m_sweep->swept();
    for (int world = 0; swept && world < std::ssize(m_worlds); ++world)
        isSwept = isSwept || sweepCommand(world, swept->axes) == swept->command;
    m_sweep->setStale(swept && !isSwept);
}

void SimulatePage::showLife(const std::shared_ptr<const simulation::Outcome>& outcome)
{
    m_followed = m_asked;
    const auto& world = m_followed.report->worlds[std::size_t(m_followed.world)];
    m_life->show(outcome, world.scenario.start,
        tr("Request %1 of %2").arg(m_followed.request).arg(worldWords(world.scenario, world.variant)));
    showStale();
}

void SimulatePage::showReport(const std::shared_ptr<const simulation::Report>& report)
{
    m_report = report;
    m_results->show(report);
    showStale();
    QStringList names;
    std::int64_t requests = 0;
    std::uint64_t interesting = 1;
    for (const auto& world : report->worlds) {
        names += world.variant.empty() ? tr("this world") : text(world.variant);
        requests = std::max(requests, world.outcome[simulation::Measure::Requests]);
        if (interesting == 1 && !world.outcome.violations.empty())
            interesting = std::max<std::uint64_t>(world.outcome.violations.front().request, 1);
    }
    m_life->setWorlds(names, requests, interesting);
}

Page* makeSimulatePage(PageContext& context, QWidget* parent)
{
    return new SimulatePage(context, parent);
}

} // namespace fencepost::ui
