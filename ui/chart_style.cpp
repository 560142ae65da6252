// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart_style.h"

#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QLegend>

#include "ui/theme.h"

namespace fencepost::ui {

void styleChart(const Theme& theme, QChart& chart)
{
    chart.setBackgroundVisible(false);
    chart.setPlotAreaBackgroundVisible(false);
    chart.setAnimationOptions(QChart::NoAnimation);
    chart.legend()->hide();
    chart.setMargins(QMargins(0, 0, 0, 0));
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.setTitleFont(theme.font(Text::Body));
    chart.setTitleBrush(theme.color(Role::Text));
    for (QAbstractAxis* axis : chart.axes())
        styleAxis(theme, *axis);
}

void styleAxis(const Theme& theme, QAbstractAxis& axis)
{
    QPen hairline(theme.color(Role::Border), 0);
    hairline.setCosmetic(true);
    axis.setLabelsFont(theme.font(Text::Caption));
    axis.setLabelsColor(theme.color(Role::Muted));
    axis.setTitleFont(theme.font(Text::Caption));
    axis.setTitleBrush(theme.color(Role::Muted));
    axis.setGridLinePen(hairline);
    axis.setLinePen(hairline);
    axis.setShadesVisible(false);
}

void styleView(QChartView& view)
{
    view.setRenderHint(QPainter::Antialiasing);
    view.setFrameShape(QFrame::NoFrame);
    view.setBackgroundBrush(Qt::NoBrush);
    view.setStyleSheet(QStringLiteral("background: transparent"));
    view.setFocusPolicy(Qt::NoFocus);
}

} // namespace fencepost::ui
