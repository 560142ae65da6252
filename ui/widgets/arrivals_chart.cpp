// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/arrivals_chart.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChart>
#include <QCursor>
#include <QStackedBarSeries>
#include <QToolTip>

#include "core/protocol/record.h"
#include "ui/chart_style.h"
#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString hourText(const models::Zone& zone, Time time)
{
    return zone.format(time, models::Precision::Seconds).section(QLatin1Char('T'), 1).left(5);
}

QString dayText(const models::Zone& zone, Time time)
{
    return zone.format(time, models::Precision::Seconds).mid(5, 5);
}

QString lengthText(Duration length)
{
    constexpr std::chrono::hours hour(1);
    if (length == hour)
        return ArrivalsChart::tr("hour");
    if (length == std::chrono::minutes(1))
        return ArrivalsChart::tr("minute");
    return length % hour == Duration(0) ? ArrivalsChart::tr("%1 hours").arg(length / hour)
                                        : models::durationText(length);
}

// Words at the times of day that people look for, about eight of them.
int minutesBetweenWords(Duration whole)
{
    for (const int step : { 10, 60, 180, 360 })
        if (whole <= std::chrono::minutes(step) * 8)
            return step;
    return 24 * 60;
}

// At most four steps of 1, 2 or 5 times a power of ten.
double niceStep(double most)
{
    const double rough = std::max(1.0, most / 4);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : { 1.0, 2.0, 5.0, 10.0 }) {
        if (rough <= factor * power)
            return factor * power;
    }
    return 10 * power;
}

} // namespace

ArrivalsChart::ArrivalsChart(const Theme& theme, QWidget* parent)
    : ChartCard(theme, parent)
    , m_theme(theme)
{
    connect(&theme, &Theme::changed, this, &ArrivalsChart::draw);
    setNumbers([this] { return csv(); },
        [this] {
            return m_arrivals.hours.empty()
                ? QString()
                : tr("-- once per %1 shown\n%2")
                      .arg(lengthText(m_arrivals.width), text(m_arrivals.hours.back().counts.cost.sql));
        });
}

void ArrivalsChart::show(const std::optional<models::Arrivals>& arrivals, const models::Zone& zone)
{
    m_zone = zone;
    m_arrivals = arrivals.value_or(models::Arrivals{});
    if (!arrivals) {
        setTitle(tr("When keys arrived"), {});
        return showEmpty(tr("Counting the arrivals"), {});
    }
    if (!m_arrivals.skipped.isEmpty()) {
        setTitle(tr("When keys arrived"), {});
        return showEmpty(tr("Not counted"), m_arrivals.skipped);
    }
    draw();
}

void ArrivalsChart::draw()
{
    if (m_arrivals.hours.empty())
        return;
    std::int64_t sum = 0;
    const models::ArrivalHour* peak = &m_arrivals.hours.front();
    for (const models::ArrivalHour& hour : m_arrivals.hours) {
        sum += hour.counts.total.value;
        if (hour.counts.total.value > peak->counts.total.value)
            peak = &hour;
    }
    const auto hours = static_cast<qsizetype>(m_arrivals.hours.size());
    const Duration whole = m_arrivals.width * std::int64_t(hours);
    if (sum == 0) {
        setTitle(tr("When keys arrived"), {});
        // Rows that are not shown were not counted.
        const bool hidden = peak->counts.total.exactness == Exactness::AtLeast;
        return showEmpty((hidden ? tr("No key that this role is shown was created in the last %1")
                                 : tr("No key was created in the last %1"))
                             .arg(lengthText(whole)),
            hidden ? tr("Row-level security may hide some.") : tr("The table may still have older ones."));
    }
    const QString each = lengthText(m_arrivals.width);
    const auto approximately = m_arrivals.isEstimate() ? tr("about %1") : QStringLiteral("%1");
    setTitle(tr("%1 in the last %2, most in the %3 from %4 (%5)")
                 .arg(approximately.arg(counted(sum, tr("key"), tr("keys"))), lengthText(whole), each,
                     hourText(m_zone, peak->from), countText(peak->counts.total)),
        (hours < m_arrivals.wanted        ? tr("Only the last %1 were counted in time · %2").arg(lengthText(whole))
                : m_arrivals.isEstimate() ? tr("Keys created per %1, estimated from parts of each · %2").arg(each)
                                          : tr("Keys created per %1, by the state they have now · %2").arg(each))
            .arg(m_zone.label(m_arrivals.hours.back().from)));

    auto* chart = new QChart;
    auto* series = new QStackedBarSeries(chart);
    series->setBarWidth(0.72);
    std::vector<std::string> states;
    for (const std::string_view word : stackedStates()) {
        const std::string state(word);
        const bool present = std::any_of(m_arrivals.hours.begin(), m_arrivals.hours.end(), [&state](const auto& hour) {
            const auto it = hour.counts.byState.find(state);
            return it != hour.counts.byState.end() && it->second.value > 0;
        });
        if (!present)
            continue;
        states.push_back(state);
        auto* set = new QBarSet(text(state), series);
        set->setColor(m_theme.color(stateLook(state).role));
        // A hairline of the ground tells them apart also where there are no colours.
        set->setPen(QPen(m_theme.color(Role::Surface), 0));
        for (const models::ArrivalHour& hour : m_arrivals.hours) {
            const auto it = hour.counts.byState.find(state);
            set->append(it == hour.counts.byState.end() ? 0 : static_cast<double>(it->second.value));
        }
        connect(set, &QBarSet::hovered, this, [this, state](bool inside, int index) {
            if (!inside || index < 0 || index >= static_cast<int>(m_arrivals.hours.size()))
                return QToolTip::hideText();
            const models::ArrivalHour& hour = m_arrivals.hours[static_cast<std::size_t>(index)];
            QToolTip::showText(QCursor::pos(),
                tr("%1 to %2: %3 %4 of %5")
                    .arg(hourText(m_zone, hour.from), hourText(m_zone, hour.from + m_arrivals.width),
                        countText(hour.counts.byState.at(state)), text(state), countText(hour.counts.total)));
        });
        connect(set, &QBarSet::clicked, this, [this, state](int index) {
            const models::ArrivalHour& hour = m_arrivals.hours[static_cast<std::size_t>(index)];
            Q_EMIT chosen(QStringLiteral("created >= %1 and created < %2 and state = %3")
                              .arg(text(formatInstant(hour.from)), text(formatInstant(hour.from + m_arrivals.width)),
                                  text(state)));
        });
        series->append(set);
    }
    chart->addSeries(series);

    auto* places = new QBarCategoryAxis(chart);
    for (qsizetype hour = 0; hour < hours; ++hour)
        places->append(QString::number(hour));
    places->setVisible(false);
    chart->addAxis(places, Qt::AlignBottom);
    series->attachAxis(places);

    // The bars stand on a hidden axis of hours; this one only carries words, at times of the chosen zone.
    auto* words = new QCategoryAxis(chart);
    words->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    words->setRange(0, static_cast<double>(hours));
    words->setStartValue(0);
    const int step = minutesBetweenWords(whole);
    const int width = int(std::chrono::duration_cast<std::chrono::minutes>(m_arrivals.width).count());
    for (qsizetype hour = 1; hour + 1 < hours; ++hour) {
        const Time from = m_arrivals.hours[static_cast<std::size_t>(hour)].from;
        const QString clock = hourText(m_zone, from);
        const int minute = clock.left(2).toInt() * 60 + clock.mid(3, 2).toInt();
        // A category axis drops a word that it has already, so each gets its own number of spaces of no width.
        if (minute % step < width)
            words->append((minute < width ? dayText(m_zone, from) : clock) + QString(hour, QChar(0x200B)),
                static_cast<double>(hour));
    }
    words->setGridLineVisible(false);
    chart->addAxis(words, Qt::AlignBottom);

    const double tick = niceStep(static_cast<double>(peak->counts.total.value));
    const double top = std::ceil(static_cast<double>(peak->counts.total.value) / tick) * tick;
    auto* counts = newNumberAxis(top, tick, *chart);
    chart->addAxis(counts, Qt::AlignLeft);
    series->attachAxis(counts);

    styleChart(m_theme, *chart);
    const QChart* before = view().chart();
    view().setChart(chart);
    delete before;
    setLegend(states);
    showChart();
}

QString ArrivalsChart::csv() const
{
    QString result = QStringLiteral("from,state,keys\n");
    for (const models::ArrivalHour& hour : m_arrivals.hours) {
        for (const auto& [state, count] : hour.counts.byState)
            result += QStringLiteral("%1,%2,%3\n")
                          .arg(m_zone.format(hour.from, models::Precision::Seconds), text(state))
                          .arg(count.value);
    }
    return result;
}

} // namespace fencepost::ui
