// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/simulate_sweep.h"

#include <algorithm>

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>

#include "ui/theme.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/chart_card.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/simulation_plots.h"
#include "ui/widgets/stale_part.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using namespace simulation;

constexpr Measure tableMeasures[] = { Measure::Amplification, Measure::SuccessRate, Measure::LatencyP95,
    Measure::DuplicateEffects, Measure::Stuck, Measure::Violations };

// "none" and what is a setting of every world.
int sharedPaths()
{
    return int(scenarioKnobs().size()) + 1;
}

} // namespace

SimulateSweep::SimulateSweep(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_world(new QComboBox(this))
    , m_axes{ makeAxis(tr("Setting")), makeAxis(tr("A second setting")) }
    , m_run(new QPushButton(tr("Sweep"), this))
    , m_measure(new QComboBox)
    , m_plot(new BarPlot(theme))
    , m_card(new ChartCard(theme, m_plot, this))
    , m_words(new PlainLabel)
    , m_shown(new QWidget(this))
    , m_table(new PlainTable(theme, { { tr("Value"), 0, true } }, m_shown))
    , m_stale(new StalePart(theme,
          tr("This is of another world than what is chosen now. Sweep it to see what comes of that."), m_shown, this))
{
    build(theme);
    m_card->setTitle(tr("What a measure comes to"), {});
    m_card->showEmpty(tr("Nothing was swept yet"), tr("Choose a setting and its range, as in 1..6:1 or 10s..60s:10s."));
    m_card->setNumbers([this] { return csvOf(m_plot->plot()); }, {});
    setAxis(0, QStringLiteral("client.attempts"), QStringLiteral("1..6:1"));
    connect(m_run, &QPushButton::clicked, this, [this] { Q_EMIT asked(m_world->currentIndex()); });
    connect(m_world, &QComboBox::activated, this, &SimulateSweep::listMembers);
    connect(m_measure, &QComboBox::activated, this, &SimulateSweep::showMeasure);
}

SimulateSweep::Axis SimulateSweep::makeAxis(const QString& words)
{
    Axis axis{ new QComboBox(this), new QLineEdit(this) };
    axis.path->setAccessibleName(words);
    axis.path->addItem(tr("none"), QString());
    for (const auto& knob : scenarioKnobs())
        axis.path->addItem(text(knob.path), text(knob.path));
    axis.range->setAccessibleName(tr("Range: %1").arg(words));
    axis.range->setPlaceholderText(tr("first..last:step, or words with commas"));
    return axis;
}

void SimulateSweep::build(const Theme& theme)
{
    m_run->setObjectName(QStringLiteral("sweep"));
    m_table->setAccessibleName(tr("Points of the sweep"));
    m_world->setAccessibleName(tr("World"));
    m_measure->setAccessibleName(tr("Measure"));
    for (const auto& kind : measureKinds())
        m_measure->addItem(text(kind.name), text(kind.name));
    m_measure->setCurrentText(QStringLiteral("amplification"));
    m_card->addTool(m_measure);
    auto* grid = new QGridLayout;
    grid->setSpacing(space::small);
    for (int i = 0; i < 2; ++i) {
        auto* name = new PlainLabel(i == 0 ? tr("Sweep") : tr("and"), this);
        name->setFont(theme.font(Text::Caption));
        grid->addWidget(name, i, 0);
        grid->addWidget(m_axes[std::size_t(i)].path, i, 1);
        grid->addWidget(m_axes[std::size_t(i)].range, i, 2);
    }
    grid->addWidget(m_world, 0, 3);
    grid->addWidget(m_run, 1, 3);
    grid->setColumnStretch(2, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, space::small, 0, 0);
    layout->setSpacing(space::medium);
    layout->addLayout(grid);
    layout->addWidget(m_stale, 1);
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_words->hide();
    setTone(m_words, "muted");
    auto* shown = new QVBoxLayout(m_shown);
    shown->setContentsMargins(0, 0, 0, 0);
    shown->setSpacing(space::medium);
    shown->addWidget(m_words);
    shown->addWidget(m_card, 1);
    shown->addWidget(m_table, 1);
}

void SimulateSweep::setStale(bool stale)
{
    m_stale->setStale(stale);
}

bool SimulateSweep::isStale() const
{
    return m_stale->isStale();
}

QString SimulateSweep::words() const
{
    return m_words->text();
}

void SimulateSweep::setWorlds(const QStringList& names, std::vector<std::vector<std::string>> members)
{
    m_members = std::move(members);
    const int before = m_world->currentIndex();
    m_world->clear();
    m_world->addItems(names);
    m_world->setCurrentIndex(std::clamp<int>(before, 0, int(names.size()) - 1));
    m_world->setVisible(names.size() > 1);
    listMembers();
}

// Behind what every world has: what one that is not the chosen one has is not offered.
void SimulateSweep::listMembers()
{
    const auto world = std::size_t(std::max(m_world->currentIndex(), 0));
    for (const auto& axis : m_axes) {
        const auto before = axis.path->currentData();
        while (axis.path->count() > sharedPaths())
            axis.path->removeItem(axis.path->count() - 1);
        if (world < m_members.size())
            for (const auto& path : m_members[world])
                axis.path->addItem(text(path), text(path));
        axis.path->setCurrentIndex(std::max(axis.path->findData(before), 0));
    }
}

void SimulateSweep::setAxis(int axis, const QString& path, const QString& range)
{
    auto& chosen = m_axes[std::size_t(axis)];
    chosen.path->setCurrentIndex(std::max(chosen.path->findData(path), 0));
    chosen.range->setText(range);
}

Result<std::vector<SweepAxis>> SimulateSweep::axes() const
{
    std::vector<SweepAxis> axes;
    for (const auto& chosen : m_axes) {
        const auto path = chosen.path->currentData().toString();
        if (path.isEmpty())
            continue;
        auto axis = parseSweepAxis((path + QLatin1Char('=') + chosen.range->text().trimmed()).toStdString());
        if (!axis)
            return axis.error();
        axes.push_back(std::move(*axis));
    }
    return axes;
}

const MeasureKind& SimulateSweep::measure() const
{
    return measureKinds()[std::size_t(std::max(m_measure->currentIndex(), 0))];
}

void SimulateSweep::show(const std::shared_ptr<const Sweep>& sweep)
{
    m_sweep = sweep;
    m_words->setText(
        tr("%1: %2").arg(worldWords(sweep->scenario, sweep->variant), QString::fromStdString(sweep->command)));
    m_words->show();
    std::vector<PlainTable::Heading> headings;
    constexpr int wide = 150;
    constexpr int narrow = 120;
    for (const auto& axis : sweep->axes)
        headings.push_back({ QString::fromStdString(axis.path), wide, true });
    for (const auto one : tableMeasures)
        headings.push_back({ text(measureKinds()[std::size_t(one)].name), narrow, true });
    headings.back().width = 0;
    auto* table = new PlainTable(m_theme, headings, m_shown);
    table->setAccessibleName(tr("Points of the sweep"));
    std::vector<QStringList> lines;
    for (const auto& point : sweep->points) {
        QStringList line;
        for (const auto& value : point.values)
            line += QString::fromStdString(value);
        for (const auto one : tableMeasures)
            line += measureText(measureKinds()[std::size_t(one)].unit, point[one]);
        lines.push_back(line);
    }
    table->setLines(lines);
    delete m_shown->layout()->replaceWidget(m_table, table);
    m_table->deleteLater();
    m_table = table;
    showMeasure();
}

void SimulateSweep::showMeasure()
{
    if (!m_sweep)
        return;
    const auto made = sweptPlot(*m_sweep, measure());
    m_card->setTitle(made.title, made.caption);
    if (made.plot.bars.empty())
        return m_card->showEmpty(made.none, {});
    m_plot->setPlot(made.plot);
    m_card->showChart();
}

} // namespace fencepost::ui
