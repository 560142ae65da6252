// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/line_card.h"

#include <algorithm>
#include <cmath>

#include <QCategoryAxis>
#include <QChart>
#include <QCoreApplication>
#include <QLegend>
#include <QLineSeries>
#include <QPen>
#include <QValueAxis>

#include "ui/chart_style.h"
#include "ui/theme.h"

namespace fencepost::ui {

namespace {

// At most so many steps of 1, 2 or 5 times a power of ten.
double niceStep(double most, int steps)
{
    const double rough = std::max(most / steps, 1e-3);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : { 1.0, 2.0, 5.0, 10.0 })
        if (rough <= factor * power)
            return factor * power;
    return 10 * power;
}

// Of the axis of time: in which unit its numbers are short.
struct TimeUnit {
    double seconds;
    const char* name;
};

TimeUnit unitFor(double seconds)
{
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    constexpr double day = 24 * hour;
    constexpr double several = 10;
    if (seconds < several * minute)
        return { 1, "seconds" };
    if (seconds < several * hour)
        return { minute, "minutes" };
    return seconds < several * day ? TimeUnit{ hour, "hours" } : TimeUnit{ day, "days" };
}

QValueAxis* timeAxis(double most, int steps, const TimeUnit& unit, QChart* chart)
{
    auto* axis = new QValueAxis(chart);
    const double step = niceStep(most, steps);
    axis->setRange(0, std::max(most, 1e-3));
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setTickInterval(step);
    axis->setLabelFormat(step < 1 ? QStringLiteral("%.1f") : QStringLiteral("%.0f"));
    axis->setTitleText(QCoreApplication::translate("LineCard", unit.name));
    return axis;
}

QCategoryAxis* axisTo(double most, int steps, QChart& chart)
{
    const double step = niceStep(most, steps);
    return newNumberAxis(std::max(std::ceil(most / step), 1.0) * step, step, chart);
}

} // namespace

LineCard::LineCard(const Theme& theme, QWidget* parent)
    : ChartCard(theme, parent)
    , m_theme(theme)
{
    view().setMinimumHeight(190);
    connect(&theme, &Theme::changed, this, &LineCard::draw);
    setNumbers([this] { return csvOf(m_plot); }, {});
}

void LineCard::show(const LinePlot& plot, double until)
{
    m_plot = plot;
    m_until = until;
    setTitle(plot.title, plot.caption);
    if (plot.lines.empty())
        return showEmpty(plot.none, {});
    draw();
    showChart();
}

void LineCard::draw()
{
    if (m_plot.lines.empty())
        return;
    auto* chart = new QChart;
    const auto unit = unitFor(m_until);
    double most = 0;
    for (const auto& line : m_plot.lines) {
        auto* series = new QLineSeries(chart);
        series->setName(line.name);
        QPen pen(m_theme.color(line.role), 1.75);
        if (line.dashed)
            pen.setStyle(Qt::DashLine);
        series->setPen(pen);
        for (const auto& point : line.points) {
            series->append(point.x() / unit.seconds, point.y());
            most = std::max(most, point.y());
        }
        chart->addSeries(series);
    }
    auto* seconds = timeAxis(m_until / unit.seconds, 8, unit, chart);
    constexpr int steps = 4;
    auto* values = axisTo(most, steps, *chart);
    chart->addAxis(seconds, Qt::AlignBottom);
    chart->addAxis(values, Qt::AlignLeft);
    for (auto* series : chart->series()) {
        series->attachAxis(seconds);
        series->attachAxis(values);
    }
    styleChart(m_theme, *chart);
    seconds->setGridLineVisible(false);
    chart->legend()->setVisible(m_plot.lines.size() > 1);
    chart->legend()->setAlignment(Qt::AlignTop);
    chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    chart->legend()->setFont(m_theme.font(Text::Caption));
    chart->legend()->setLabelColor(m_theme.color(Role::Muted));
    const QChart* before = view().chart();
    view().setChart(chart);
    delete before;
}

} // namespace fencepost::ui
