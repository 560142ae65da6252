// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/simulate_results.h"

#include <algorithm>

#include <QComboBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QTabWidget>

#include "ui/theme.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/chart_card.h"
#include "ui/widgets/line_card.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/stale_part.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using namespace simulation;

constexpr double micros = 1'000'000;

QScrollArea* scrolling(QWidget* inner, QWidget* parent)
{
    auto* scroll = new QScrollArea(parent);
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
}

} // namespace

SimulateResults::SimulateResults(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_verdict(new PlainLabel(this))
    , m_world(new QComboBox)
{
    m_verdict->setWordWrap(true);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_world->setAccessibleName(tr("Whose load is shown"));
    auto* tabs = new QTabWidget(this);
    tabs->setDocumentMode(true);
    tabs->addTab(makeCharts(theme), tr("Charts"));
    tabs->addTab(makeNumbers(theme), tr("Numbers"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    auto* all = new QWidget(this);
    auto* shown = new QVBoxLayout(all);
    shown->setContentsMargins(0, 0, 0, 0);
    shown->setSpacing(space::small);
    shown->addWidget(m_verdict);
    shown->addWidget(tabs, 1);
    m_stale = new StalePart(
        theme, tr("This is of the run before. Run it to see what comes of what is chosen now."), all, this);
    layout->addWidget(m_stale, 1);
    connect(m_world, &QComboBox::activated, this, &SimulateResults::showLoad);
}

QWidget* SimulateResults::makeCharts(const Theme& theme)
{
    auto* inner = new QWidget(this);
    setPart(inner, "background");
    auto* grid = new QGridLayout(inner);
    grid->setContentsMargins(0, space::small, space::small, space::large);
    grid->setSpacing(space::medium);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    for (int i = 0; i < LinesCount; ++i)
        m_lines[std::size_t(i)] = new LineCard(theme, inner);
    m_lines[Load]->addTool(m_world);
    for (int i = 0; i < BarsCount; ++i) {
        const auto place = std::size_t(i);
        m_plots[place] = new BarPlot(theme);
        m_cards[place] = new ChartCard(theme, m_plots[place], inner);
        m_cards[place]->setNumbers([this, place] { return csvOf(m_plots[place]->plot()); }, {});
    }
    QWidget* const order[] = { m_lines[Load], m_cards[Duplicates], m_lines[Retries], m_cards[Amplification],
        m_cards[Success], m_cards[Latency], m_cards[Stuck], m_cards[Conflicts], m_lines[Breakers], m_lines[Budgets],
        m_cards[Attempts], m_cards[Delays] };
    for (auto* line : m_lines)
        line->showEmpty(tr("Nothing was run yet"), {});
    for (auto* card : m_cards)
        card->showEmpty(tr("Nothing was run yet"), {});
    int at = 0;
    for (auto* card : order) {
        grid->addWidget(card, at / 2, at % 2);
        ++at;
    }
    return scrolling(inner, this);
}

QWidget* SimulateResults::makeNumbers(const Theme& theme)
{
    m_tableHome = new QWidget(this);
    auto* layout = new QVBoxLayout(m_tableHome);
    layout->setContentsMargins(0, space::small, 0, 0);
    layout->setSpacing(space::medium);
    m_claims = new PlainTable(theme,
        { { tr("What the scenario claims"), 0, true }, { tr("Found"), 160, true }, { tr("Holds"), 80 } }, m_tableHome);
    m_claims->setEmptyText(tr("It claims nothing about this world"));
    m_claims->setAccessibleName(tr("Claims"));
    m_claims->setMaximumHeight(220);
    m_table = new PlainTable(theme, { { tr("Measure"), 0, true } }, m_tableHome);
    m_table->setAccessibleName(tr("Measures"));
    layout->addWidget(m_table, 1);
    layout->addWidget(m_claims);
    return m_tableHome;
}

void SimulateResults::setStale(bool stale)
{
    m_stale->setStale(stale);
}

bool SimulateResults::isStale() const
{
    return m_stale->isStale();
}

double SimulateResults::lasted() const
{
    Duration longest{};
    for (const auto& world : m_report->worlds)
        longest = std::max(longest, world.outcome.series.width() * std::int64_t(world.outcome.series.steps().size()));
    return double(longest.count()) / micros;
}

void SimulateResults::show(std::shared_ptr<const Report> report)
{
    m_report = std::move(report);
    const auto before = m_world->currentIndex();
    m_world->clear();
    for (const auto& world : m_report->worlds)
        m_world->addItem(worldNameOf(world));
    m_world->setCurrentIndex(std::clamp(before, 0, m_world->count() - 1));
    m_world->setVisible(m_world->count() > 1);
    const double until = lasted();
    m_lines[Retries]->show(simulatedRetries(*m_report), until);
    m_lines[Breakers]->show(simulatedBreakers(*m_report), until);
    m_lines[Budgets]->show(simulatedBudgets(*m_report), until);
    showLoad();
    fill(Duplicates, simulatedDuplicates(*m_report));
    fill(Amplification, simulatedAmplification(*m_report));
    fill(Success, simulatedSuccess(*m_report));
    fill(Latency, simulatedLatency(*m_report));
    fill(Stuck, simulatedStuck(*m_report));
    fill(Conflicts, simulatedConflicts(*m_report));
    fill(Attempts, simulatedAttempts(*m_report));
    fill(Delays, simulatedDelays(*m_report));
    showTable();
    showVerdict();
}

void SimulateResults::fill(Bars bars, const RetryPlot& made)
{
    m_cards[bars]->setTitle(made.title, made.caption);
    if (made.plot.bars.empty())
        return m_cards[bars]->showEmpty(made.none, {}, bars == Duplicates ? Emptiness::Good : Emptiness::NotLoaded);
    m_plots[bars]->setPlot(made.plot);
    m_cards[bars]->showChart();
}

void SimulateResults::showLoad()
{
    const int place = m_world->currentIndex();
    if (place >= 0)
        m_lines[Load]->show(simulatedLoad(m_report->worlds[std::size_t(place)]), lasted());
}

void SimulateResults::showTable()
{
    std::vector<PlainTable::Heading> headings{ { tr("Measure"), 190, true } };
    constexpr int numberWidth = 120;
    for (const auto& world : m_report->worlds)
        headings.push_back({ worldNameOf(world), numberWidth, true });
    headings.push_back({ tr("What it is"), 0 });
    auto* table = new PlainTable(m_theme, headings, m_tableHome);
    table->setAccessibleName(tr("Measures"));
    std::vector<QStringList> lines;
    for (const auto& kind : measureKinds()) {
        QStringList line{ text(kind.name) };
        for (const auto& world : m_report->worlds)
            line += measureText(kind.unit, world.outcome[measureOf(kind)]);
        lines.push_back(line << sentence(kind.meaning));
    }
    table->setLines(lines);
    delete m_tableHome->layout()->replaceWidget(m_table, table);
    m_table->deleteLater();
    m_table = table;
    std::vector<QStringList> claims;
    for (const auto& one : m_report->expectations)
        claims.push_back({ QString::fromStdString(one.text), QStringLiteral("%1 and %2").arg(one.left).arg(one.right),
            one.held ? tr("yes") : tr("no") });
    m_claims->setLines(claims);
}

void SimulateResults::showVerdict()
{
    QStringList words;
    for (const auto& world : m_report->worlds) {
        const auto& outcome = world.outcome;
        if (outcome.violations.empty())
            continue;
        const auto& first = outcome.violations.front();
        words += tr("%1: %2 (%3), first after %4: %5")
                     .arg(worldNameOf(world), counted(outcome[Measure::Violations], tr("violation"), tr("violations")),
                         text(first.rule + " " + std::string(meaningOfRule(first.rule))),
                         QString::fromStdString(shownMeasure(MeasureUnit::Length, first.at.count())),
                         QString::fromStdString(first.what));
        if (!world.found)
            continue;
        QStringList least;
        for (const auto& line : linesOf(world.found->least.schedule, world.scenario))
            least += QString::fromStdString(line);
        words += tr("The least that leads to it, with seed %1: %2")
                     .arg(world.scenario.seed)
                     .arg(least.join(QStringLiteral("; ")));
    }
    const bool good = words.isEmpty();
    m_verdict->setText(good ? tr("Every invariant held.") : words.join(QLatin1Char('\n')));
    setTone(m_verdict, good ? "good" : "danger");
}

QString SimulateResults::verdict() const
{
    return m_verdict->text();
}

} // namespace fencepost::ui
