// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/simulate_life.h"

#include <algorithm>
#include <set>

#include <QBoxLayout>
#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>

#include "core/simulation/measures.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/stale_part.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/timeline.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr qint64 microsPerMilli = 1'000;

// Behind the beginning of its world: nobody cares which day it was.
QString behindStart(Time at, Time start)
{
    return QStringLiteral("+%1").arg(QString::fromStdString(simulation::shownMeasure(
        simulation::MeasureUnit::Length, (at - start).count() / microsPerMilli * microsPerMilli)));
}

MarkKind kindOfLine(const simulation::TraceLine& line)
{
    if (!line.state.empty())
        return MarkKind::Change;
    return line.actor == "oracle" ? MarkKind::Refusal : MarkKind::Instant;
}

} // namespace

std::vector<Mark> marksOf(const std::vector<simulation::TraceLine>& trace, Time start)
{
    std::vector<Mark> marks;
    std::set<std::string> keys;
    for (const auto& line : trace)
        if (!line.key.empty())
            keys.insert(line.key);
    const bool several = keys.size() > 1;
    for (std::size_t place = 0; place < trace.size(); ++place) {
        const auto& line = trace[place];
        Mark mark;
        mark.kind = kindOfLine(line);
        mark.at = start + line.at;
        mark.state = stateOf(line.state);
        mark.title = line.text;
        mark.text = several && !line.key.empty() ? line.actor + ", key " + line.key : line.actor;
        mark.seq = std::int64_t(place);
        marks.push_back(std::move(mark));
    }
    return marks;
}

StatePath pathOf(const std::vector<simulation::TraceLine>& trace, Time start, std::size_t until)
{
    StatePath path;
    // Of one record: where each attempt has a key of its own, the one that was told of last.
    std::string key;
    for (std::size_t place = 0; place < trace.size() && place <= until; ++place)
        if (!trace[place].state.empty())
            key = trace[place].key;
    for (std::size_t place = 0; place < trace.size() && place <= until; ++place) {
        const auto& line = trace[place];
        if (line.state.empty() || line.state == path.current || line.key != key)
            continue;
        PathStep step;
        step.from = path.current;
        step.to = line.state;
        step.event = line.text;
        step.actor = line.actor;
        step.at = start + line.at;
        step.seq = std::int64_t(place);
        path.current = line.state;
        append(path, std::move(step));
    }
    return path;
}

SimulateLife::SimulateLife(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_world(new QComboBox(this))
    , m_request(new QSpinBox(this))
    , m_show(new QPushButton(tr("Follow it"), this))
    , m_back(new QPushButton(tr("Step back"), this))
    , m_on(new QPushButton(tr("Step"), this))
    , m_words(new PlainLabel(this))
    , m_whose(new PlainLabel(this))
    , m_timeline(new Timeline(
          theme, [this](Time at) { return behindStart(at, m_start); }, this))
    , m_diagram(new StateDiagram(theme, this))
{
    build(theme);
    connect(m_show, &QPushButton::clicked, this,
        [this] { Q_EMIT asked(m_world->currentIndex(), quint64(m_request->value())); });
    connect(m_back, &QPushButton::clicked, this, [this] { step(-1); });
    connect(m_on, &QPushButton::clicked, this, [this] { step(1); });
    connect(m_timeline, &Timeline::chosen, this, &SimulateLife::choose);
}

void SimulateLife::build(const Theme& theme)
{
    m_show->setObjectName(QStringLiteral("follow"));
    m_world->setAccessibleName(tr("World"));
    m_request->setAccessibleName(tr("Request"));
    m_request->setRange(1, 1);
    m_request->setPrefix(tr("request "));
    m_back->setIcon(theme.icon("chevron-left"));
    m_on->setIcon(theme.icon("chevron-right"));
    m_back->setEnabled(false);
    m_on->setEnabled(false);
    m_words->setWordWrap(true);
    setTone(m_words, "muted");
    m_words->setText(tr("Run the worlds, then follow one of their requests from its first attempt to its end."));
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    for (auto* widget : std::initializer_list<QWidget*>{ m_world, m_request, m_show, m_back, m_on })
        line->addWidget(widget);
    line->addWidget(m_words, 1);
    m_whose->hide();
    setTone(m_whose, "muted");
    auto* shown = new QWidget(this);
    auto* split = new QSplitter(Qt::Horizontal, shown);
    split->addWidget(m_timeline);
    split->addWidget(m_diagram);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, space::small, 0, 0);
    layout->setSpacing(space::small);
    layout->addLayout(line);
    auto* below = new QVBoxLayout(shown);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(space::small);
    below->addWidget(m_whose);
    below->addWidget(split, 1);
    m_stale = new StalePart(theme,
        tr("This is of another run than what is chosen now. Run it, then follow one of its requests."), shown, this);
    layout->addWidget(m_stale, 1);
}

void SimulateLife::setStale(bool stale)
{
    m_stale->setStale(stale);
}

bool SimulateLife::isStale() const
{
    return m_stale->isStale();
}

QString SimulateLife::whose() const
{
    return m_whose->text();
}

void SimulateLife::setWorlds(const QStringList& names, std::int64_t requests, std::uint64_t interesting)
{
    const int before = m_world->currentIndex();
    m_world->clear();
    m_world->addItems(names);
    m_world->setCurrentIndex(std::clamp<int>(before, 0, int(names.size()) - 1));
    m_world->setVisible(names.size() > 1);
    m_request->setRange(1, int(std::clamp<std::int64_t>(requests, 1, INT_MAX)));
    m_request->setValue(int(std::min<std::uint64_t>(interesting, INT_MAX)));
}

void SimulateLife::show(const std::shared_ptr<const simulation::Outcome>& outcome, Time start, const QString& whose)
{
    m_outcome = outcome;
    m_whose->setText(whose);
    m_whose->show();
    m_start = start;
    m_timeline->setMarks(marksOf(outcome->trace, start));
    const bool some = !outcome->trace.empty();
    m_back->setEnabled(some);
    m_on->setEnabled(some);
    if (some)
        return choose(outcome->trace.size() - 1);
    m_diagram->setPath({});
    m_words->setText(tr("There was no such request."));
}

void SimulateLife::step(int by)
{
    if (!m_outcome || m_outcome->trace.empty())
        return;
    const auto last = std::int64_t(m_outcome->trace.size()) - 1;
    choose(std::size_t(std::clamp<std::int64_t>(std::int64_t(m_current) + by, 0, last)));
}

void SimulateLife::choose(std::size_t mark)
{
    if (!m_outcome || mark >= m_outcome->trace.size())
        return;
    m_current = mark;
    const auto& line = m_outcome->trace[mark];
    m_timeline->choose(mark);
    m_diagram->setPath(pathOf(m_outcome->trace, m_start, mark));
    m_words->setText(tr("%1 of %2, %3: %4: %5")
                         .arg(mark + 1)
                         .arg(m_outcome->trace.size())
                         .arg(behindStart(m_start + line.at, m_start), text(line.actor), text(line.text)));
}

} // namespace fencepost::ui
