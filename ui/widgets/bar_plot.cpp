// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/bar_plot.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int scaleLines = 4;

double heightOf(const PlotBar& bar)
{
    double height = 0;
    for (const auto& [role, value] : bar.parts)
        height += value;
    return height;
}

// One among a million is still seen, and the bar is as high as its sum: the largest part gives what the others are
// lent.
std::vector<double> pixelsOf(const PlotBar& bar, double each)
{
    constexpr double least = 2;
    std::vector<double> heights;
    double lent = 0;
    for (const auto& [role, value] : bar.parts) {
        heights.push_back(value > 0 ? std::max(least, value * each) : 0);
        lent += value > 0 ? heights.back() - value * each : 0;
    }
    if (const auto largest = std::max_element(heights.begin(), heights.end()); largest != heights.end())
        *largest = std::max(std::min(*largest, least), *largest - lent);
    return heights;
}

} // namespace

BarPlot::BarPlot(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void BarPlot::setPlot(Plot plot)
{
    m_plot = std::move(plot);
    m_current = -1;
    m_pressed = -1;
    QStringList words;
    for (const auto& bar : m_plot.bars)
        if (heightOf(bar) > 0)
            words += bar.words;
    setAccessibleDescription(words.join(QStringLiteral(". ")));
    update();
}

// Of 1, 2 or 5 times a power of ten.
double BarPlot::step() const
{
    double most = m_plot.line.value_or(0);
    for (const auto& bar : m_plot.bars)
        most = std::max(most, heightOf(bar));
    const double rough = std::max(most, 1e-9) / scaleLines;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : { 1.0, 2.0, 5.0, 10.0 })
        if (rough <= factor * power * (1 + 1e-9)) {
            const double nice = factor * power;
            return m_plot.value ? nice : std::max(nice, 1.0);
        }
    return 10 * power;
}

double BarPlot::top() const
{
    double most = m_plot.line.value_or(0);
    for (const auto& bar : m_plot.bars)
        most = std::max(most, heightOf(bar));
    return std::max(1.0, std::ceil(most / step() - 1e-9)) * step();
}

QString BarPlot::valueText(double value) const
{
    return m_plot.value ? m_plot.value(value) : numberText(std::llround(value));
}

int BarPlot::labelLines() const
{
    qsizetype most = 0;
    for (const auto& bar : m_plot.bars)
        most = std::max(most, bar.label.count(QLatin1Char('\n')));
    return static_cast<int>(most) + 1;
}

QRectF BarPlot::area() const
{
    const QFontMetricsF metrics(m_theme.font(Text::Caption));
    // Zero may be longer than the top: 0ms below 3s.
    const double words = std::max(metrics.horizontalAdvance(valueText(top())), metrics.horizontalAdvance(valueText(0)));
    const double left = std::max({ words, metrics.horizontalAdvance(valueText(step())), 12.0 }) + space::small;
    const bool limited = m_plot.line && !m_plot.lineWords.isEmpty();
    const double right = space::small + (limited ? metrics.horizontalAdvance(m_plot.lineWords) : 0);
    const bool promised = m_plot.band && !m_plot.bandWords.isEmpty();
    const double above = metrics.height() / 2 + 2 + (promised ? metrics.height() : 0);
    const double below = metrics.height() * (labelLines() + (m_plot.axes.isEmpty() ? 0 : 1)) + space::tiny;
    return QRectF(rect()).adjusted(left, above, -right, -below);
}

QRectF BarPlot::lineWordsPlace() const
{
    if (!m_plot.line || m_plot.lineWords.isEmpty())
        return {};
    const auto place = area();
    const QFontMetricsF metrics(m_theme.font(Text::Caption));
    const double y = place.bottom() - place.height() * *m_plot.line / top();
    return { place.right() + space::tiny, y - metrics.height() / 2, width() - place.right() - space::tiny,
        metrics.height() };
}

QRectF BarPlot::bandWordsPlace() const
{
    if (!m_plot.band || m_plot.bandWords.isEmpty())
        return {};
    const auto place = area();
    const QFontMetricsF metrics(m_theme.font(Text::Caption));
    const double wide = metrics.horizontalAdvance(m_plot.bandWords) + 1;
    const auto [left, right] = bandEnds();
    return { std::clamp((left + right - wide) / 2, place.left(), std::max(place.left(), place.right() - wide)),
        place.top() - metrics.height() - 2, wide, metrics.height() };
}

std::pair<double, double> BarPlot::bandEnds() const
{
    const auto place = area();
    return { std::clamp(xOf(m_plot.band->first), place.left(), place.right()),
        std::clamp(xOf(m_plot.band->second), place.left(), place.right()) };
}

double BarPlot::xOf(double bar) const
{
    const auto place = area();
    return place.left() + place.width() * bar / std::max<double>(1, double(m_plot.bars.size()));
}

QRectF BarPlot::placeOf(int bar) const
{
    const auto place = area();
    const double left = xOf(bar);
    const double width = xOf(bar + 1) - left;
    // Hairlines between bars only where there is room for them.
    const double gap = width > 6 ? std::min(width * 0.18, 6.0) : width > 3 ? 1 : 0;
    return { left + gap / 2, place.top(), std::max(width - gap, 1.0), place.height() };
}

int BarPlot::barAt(const QPointF& position) const
{
    const auto place = area();
    return position.x() < place.left() || position.x() >= place.right() ? -1 : nearestBar(position);
}

int BarPlot::nearestBar(const QPointF& position) const
{
    const auto place = area();
    const int last = static_cast<int>(m_plot.bars.size()) - 1;
    const double at = (position.x() - place.left()) / std::max(1.0, place.width()) * double(m_plot.bars.size());
    return last < 0 ? -1 : static_cast<int>(std::clamp(at, 0.0, double(last)));
}

void BarPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.font(Text::Caption));
    paintScale(painter);
    paintBand(painter);
    paintBars(painter);
    paintLine(painter);
    paintLabels(painter);
}

void BarPlot::paintScale(QPainter& painter) const
{
    const auto place = area();
    for (double value = 0; value <= top() * (1 + 1e-9); value += step()) {
        const double y = place.bottom() - place.height() * value / top();
        painter.setPen(QPen(m_theme.color(Role::Border), 1));
        painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
        painter.setPen(m_theme.color(Role::Muted));
        painter.drawText(
            QRectF(0, y - 10, place.left() - space::tiny, 20), Qt::AlignRight | Qt::AlignVCenter, valueText(value));
    }
}

void BarPlot::paintBand(QPainter& painter) const
{
    if (!m_plot.band)
        return;
    const auto place = area();
    const auto [left, right] = bandEnds();
    const QRectF band(left, place.top(), std::max(2.0, right - left), place.height());
    painter.fillRect(band, m_theme.tint(Role::Accent, 12));
    m_theme.paintHatch(painter, band, m_theme.tint(Role::Accent, 40));
    painter.setPen(QPen(m_theme.color(Role::Accent), 1, Qt::DashLine));
    painter.drawLine(band.topLeft(), band.bottomLeft());
    painter.drawLine(band.topRight(), band.bottomRight());
}

void BarPlot::paintBars(QPainter& painter) const
{
    const int from = m_pressed >= 0 ? std::min(m_pressed, m_current) : m_current;
    const int to = m_pressed >= 0 ? std::max(m_pressed, m_current) : m_current;
    for (int i = 0; i < static_cast<int>(m_plot.bars.size()); ++i) {
        const auto place = placeOf(i);
        const bool chosen = from >= 0 && i >= from && i <= to;
        if (chosen)
            painter.fillRect(place, m_theme.tint(Role::Accent, 8));
        double bottom = place.bottom();
        const auto& parts = m_plot.bars[std::size_t(i)].parts;
        const auto heights = pixelsOf(m_plot.bars[std::size_t(i)], place.height() / top());
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const double height = heights[part];
            if (height <= 0)
                continue;
            const auto role = parts[part].first;
            auto colour = m_theme.color(role);
            painter.fillRect(
                QRectF(place.left(), bottom - height, place.width(), height), chosen ? colour : m_theme.tint(role, 82));
            bottom -= height;
            // Told apart also where there are no colours.
            if (bottom > place.top() && height > 3)
                painter.fillRect(QRectF(place.left(), bottom, place.width(), 1), m_theme.color(Role::Surface));
        }
    }
}

void BarPlot::paintLine(QPainter& painter) const
{
    if (!m_plot.line)
        return;
    const auto place = area();
    const double y = place.bottom() - place.height() * *m_plot.line / top();
    painter.setPen(QPen(m_theme.color(Role::Danger), 1.5, Qt::DashLine));
    painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    painter.setPen(m_theme.color(Role::Danger));
    painter.drawText(lineWordsPlace(), Qt::AlignLeft | Qt::AlignVCenter, m_plot.lineWords);
}

std::vector<BarPlot::Label> BarPlot::labels() const
{
    const auto place = area();
    const QFontMetricsF metrics(m_theme.font(Text::Caption));
    std::vector<Label> labels;
    // Each line for itself: that of a group needs the room of all its bars.
    std::vector<double> free(std::size_t(labelLines()), place.left() - 40);
    for (int i = 0; i < static_cast<int>(m_plot.bars.size()); ++i) {
        const auto lines = m_plot.bars[std::size_t(i)].label.split(QLatin1Char('\n'));
        for (qsizetype line = 0; line < lines.size(); ++line) {
            const auto& label = lines[line];
            const double width = metrics.horizontalAdvance(label);
            // Left of it is the scale's lowest number.
            const double left = std::clamp(
                placeOf(i).center().x() - width / 2, place.left(), std::max(place.left(), this->width() - width));
            auto& begins = free[std::size_t(line)];
            if (label.isEmpty() || left < begins)
                continue;
            // Pushed in from an edge it would be read as another bar's.
            if (line == 0 && nearestBar({ left + width / 2, 0 }) != i)
                continue;
            const double top = place.bottom() + 2 + double(line) * metrics.height();
            labels.push_back({ i, label, QRectF(left, top, width + 1, metrics.height()) });
            begins = left + width + space::small;
        }
    }
    return labels;
}

void BarPlot::paintLabels(QPainter& painter) const
{
    const auto place = area();
    const QFontMetricsF metrics(m_theme.font(Text::Caption));
    painter.setPen(m_theme.color(Role::Muted));
    for (const auto& label : labels())
        painter.drawText(label.place, Qt::AlignCenter, label.text);
    if (!m_plot.axes.isEmpty())
        painter.drawText(QRectF(0, place.bottom() + 2 + labelLines() * metrics.height(), width(), metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(m_plot.axes, Qt::ElideRight, width()));
    if (!m_plot.band || m_plot.bandWords.isEmpty())
        return;
    painter.setPen(m_theme.color(Role::Accent));
    painter.drawText(bandWordsPlace(), Qt::AlignCenter, m_plot.bandWords);
}

void BarPlot::setCurrent(int bar)
{
    if (m_current == bar)
        return;
    m_current = bar;
    update();
}

void BarPlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_pressed = barAt(event->position());
    setCurrent(barAt(event->position()));
}

void BarPlot::mouseMoveEvent(QMouseEvent* event)
{
    // A drag that leaves the bars, in whatever haste, takes all that it went over.
    const int bar = m_pressed >= 0 ? nearestBar(event->position()) : barAt(event->position());
    setCurrent(bar);
    setCursor(bar >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void BarPlot::mouseReleaseEvent(QMouseEvent* event)
{
    const int first = m_pressed;
    m_pressed = -1;
    if (event->button() != Qt::LeftButton || first < 0)
        return update();
    m_current = nearestBar(event->position());
    update();
    Q_EMIT chosen(std::min(first, m_current), std::max(first, m_current));
}

void BarPlot::leaveEvent(QEvent* event)
{
    if (m_pressed < 0 && !hasFocus())
        setCurrent(-1);
    QWidget::leaveEvent(event);
}

void BarPlot::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_plot.bars.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Left:
        return setCurrent(std::max(0, m_current - 1));
    case Qt::Key_Right:
        return setCurrent(std::min(last, m_current + 1));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            Q_EMIT chosen(m_current, m_current);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool BarPlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos());
    QToolTip::showText(
        help->globalPos(), bar < 0 ? QString() : plainToolTip(m_plot.bars[std::size_t(bar)].words), this);
    return true;
}

} // namespace fencepost::ui
