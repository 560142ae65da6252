// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/knobs_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QRegularExpression>

namespace fencepost::models {

namespace {

using simulation::KnobForm;
using simulation::ScenarioKnob;

constexpr std::int64_t millisecond = 1'000;
constexpr std::int64_t perPercent = 10'000;
constexpr std::int64_t thousand = 1'000;
constexpr std::int64_t mostEven = 400; // values that lie close enough together

const ScenarioKnob& knobAt(int row)
{
    return simulation::scenarioKnobs()[std::size_t(row)];
}

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

// Sliders end where people stop asking, not where the engine does.
std::int64_t mostOf(const ScenarioKnob& knob)
{
    constexpr std::int64_t day = std::int64_t(24) * 3600 * 1'000'000;
    switch (knob.form) {
    case KnobForm::Length:
        return std::min(knob.most, 2 * day);
    case KnobForm::Spread:
        return std::min(knob.most, day / 24);
    case KnobForm::Rate:
        return std::min<std::int64_t>(knob.most, 10'000 * thousand);
    case KnobForm::Count:
        return std::min<std::int64_t>(knob.most, 100'000);
    default:
        return knob.most;
    }
}

std::int64_t firstOf(const ScenarioKnob& knob)
{
    switch (knob.form) {
    case KnobForm::Length:
    case KnobForm::Spread:
        return std::max(knob.least, millisecond);
    case KnobForm::Chance:
        return std::max<std::int64_t>(knob.least, 100);
    case KnobForm::Rate:
        return std::max<std::int64_t>(knob.least, thousand / 10);
    default:
        return std::max<std::int64_t>(knob.least, 1);
    }
}

// Two digits tell enough on a slider.
std::int64_t rounded(std::int64_t value)
{
    std::int64_t scale = 1;
    while (value / scale >= 100)
        scale *= 10;
    return (value + scale / 2) / scale * scale;
}

QString decimals(std::int64_t value, std::int64_t scale)
{
    QString text = QString::number(value / scale);
    if (value % scale == 0)
        return text;
    QString digits = QString::number(scale + value % scale).mid(1);
    while (digits.endsWith(QLatin1Char('0')))
        digits.chop(1);
    return text + QLatin1Char('.') + digits;
}

// A whole second of it, if there is one.
Duration partOf(Duration whole, int parts)
{
    const auto part = std::chrono::floor<std::chrono::seconds>(whole / parts);
    return part > Duration(0) ? Duration(part) : std::max(whole / parts, Duration(millisecond));
}

} // namespace

KnobsModel::KnobsModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void KnobsModel::setScenario(simulation::Scenario scenario)
{
    m_scenario = std::move(scenario);
    m_problem.clear();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT listsChanged(true);
}

int KnobsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(simulation::scenarioKnobs().size());
}

int KnobsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant KnobsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto& knob = knobAt(index.row());
    if (role == IsTurned)
        return shownValue(knob, m_scenario) != shownValue(knob, m_usual);
    if (role == Qt::ToolTipRole)
        return textOf(knob.meaning);
    if (role != Qt::DisplayRole && role != Qt::EditRole)
        return {};
    switch (Column(index.column())) {
    case Setting:
        return textOf(knob.path);
    case Value:
        return QString::fromStdString(shownValue(knob, m_scenario));
    case Usual:
        return QString::fromStdString(shownValue(knob, m_usual));
    case Meaning:
        return textOf(knob.meaning);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant KnobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    constexpr const char* titles[] = { "Setting", "Value", "Usually", "What it is" };
    return section >= 0 && section < ColumnCount ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

Qt::ItemFlags KnobsModel::flags(const QModelIndex& index) const
{
    const auto flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == Value ? flags | Qt::ItemIsEditable : flags;
}

bool KnobsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || index.column() != Value || role != Qt::EditRole)
        return false;
    const auto& knob = knobAt(index.row());
    auto turned = m_scenario;
    if (const auto done = turn(knob, turned, value.toString().trimmed().toStdString()); !done) {
        m_problem = QString::fromStdString(done.error().message);
        Q_EMIT refused(index.row(), m_problem);
        return false;
    }
    m_problem.clear();
    if (shownValue(knob, turned) == shownValue(knob, m_scenario))
        return true;
    m_scenario = std::move(turned);
    Q_EMIT dataChanged(index.siblingAtColumn(0), index.siblingAtColumn(ColumnCount - 1));
    return true;
}

namespace {

struct MemberPlace {
    bool isFault = false;
    std::size_t entry = 0;
    std::string member;
};

std::optional<MemberPlace> placeOf(const QString& path)
{
    static const QRegularExpression form(QStringLiteral("^(faults|phases)\\[([0-9]{1,4})\\]\\.([a-z_]+)$"));
    const auto match = form.match(path);
    if (!match.hasMatch())
        return std::nullopt;
    return MemberPlace{ match.captured(1) == QLatin1String("faults"), match.captured(2).toULongLong(),
        match.captured(3).toStdString() };
}

// What an entry says as a whole, with one member changed.
Status checkAt(const simulation::Scenario& world, const MemberPlace& place)
{
    return place.isFault ? checkEntry(world.faults[place.entry]) : checkEntry(world.phases[place.entry]);
}

} // namespace

QString KnobsModel::member(const QString& path) const
{
    const auto place = placeOf(path);
    if (!place || place->entry >= (place->isFault ? m_scenario.faults.size() : m_scenario.phases.size()))
        return {};
    return QString::fromStdString(place->isFault ? shownMember(m_scenario.faults[place->entry], place->member)
                                                 : shownMember(m_scenario.phases[place->entry], place->member));
}

bool KnobsModel::setMember(const QString& path, const QString& value)
{
    auto turned = m_scenario;
    const auto place = placeOf(path);
    auto done = turn(turned, path.toStdString(), value.trimmed().toStdString());
    if (done && place)
        if (const auto whole = checkAt(turned, *place); !whole)
            done = simulation::wrongAt(path.toStdString(), whole.error().message);
    if (!done) {
        m_problem = QString::fromStdString(done.error().message);
        Q_EMIT listRefused(path, m_problem);
        return false;
    }
    m_problem.clear();
    m_scenario = std::move(turned);
    Q_EMIT listsChanged(false);
    return true;
}

void KnobsModel::addFault(simulation::FaultKind kind)
{
    constexpr int parts = 5;
    constexpr std::int64_t half = 500'000;
    const auto part = partOf(m_scenario.load.duration, parts);
    simulation::Fault fault{ .kind = kind, .from = part, .length = part };
    if (kind == simulation::FaultKind::Partition)
        fault.share = half;
    if (kind == simulation::FaultKind::ClockStep)
        fault.step = std::chrono::hours(1);
    m_scenario.faults.push_back(fault);
    Q_EMIT listsChanged(false);
}

void KnobsModel::addPhase()
{
    constexpr int parts = 5;
    const auto part = partOf(m_scenario.load.duration, parts);
    m_scenario.phases.push_back({ .from = part, .until = 2 * part, .rate = 2 * m_scenario.load.rate });
    Q_EMIT listsChanged(false);
}

void KnobsModel::removeEntry(std::string_view list, int entry)
{
    const auto erase = [&](auto& items) {
        if (entry >= 0 && entry < std::ssize(items))
            items.erase(items.begin() + entry);
    };
    if (list == "faults")
        erase(m_scenario.faults);
    else
        erase(m_scenario.phases);
    Q_EMIT listsChanged(false);
}

bool KnobScale::has(const simulation::ScenarioKnob& knob, const simulation::Scenario& scenario)
{
    if (knob.form == KnobForm::Word || knob.form == KnobForm::Flag)
        return false;
    return knob.form != KnobForm::Spread || shownValue(knob, scenario).find('(') == std::string::npos;
}

KnobScale::KnobScale(const simulation::ScenarioKnob& knob)
    : m_knob(knob)
    , m_least(knob.least)
    , m_most(mostOf(knob))
    , m_first(firstOf(knob))
    , m_even(m_most - m_least <= mostEven)
{
}

std::int64_t KnobScale::numberAt(int position) const
{
    position = std::clamp(position, 0, positions);
    if (position == positions)
        return m_most;
    if (m_even)
        return m_least + (m_most - m_least) * position / positions;
    if (position == 0)
        return m_least;
    const double way = double(position - 1) / double(positions - 1);
    return rounded(std::llround(double(m_first) * std::pow(double(m_most) / double(m_first), way)));
}

QString KnobScale::valueAt(int position) const
{
    const auto number = numberAt(position);
    switch (m_knob.form) {
    case KnobForm::Rate:
        return decimals(number, thousand);
    case KnobForm::Chance:
        return decimals(number, perPercent) + QLatin1Char('%');
    case KnobForm::Length:
    case KnobForm::Spread:
        return QString::fromStdString(simulation::Spread(Duration(number)).text());
    default:
        return QString::number(number);
    }
}

int KnobScale::positionOf(const simulation::Scenario& scenario) const
{
    auto copy = scenario;
    const auto place = m_knob.place(copy);
    std::int64_t number = 0;
    if (const auto* const* count = std::get_if<std::int64_t*>(&place))
        number = **count;
    else if (const auto* const* length = std::get_if<Duration*>(&place))
        number = (*length)->count();
    else if (const auto* const* spread = std::get_if<simulation::Spread*>(&place))
        number = (*spread)->mean().count();
    int low = 0;
    int high = positions;
    while (low < high) {
        const int middle = (low + high) / 2;
        (numberAt(middle) < number ? low : high) = numberAt(middle) < number ? middle + 1 : middle;
    }
    return low;
}

} // namespace fencepost::models
