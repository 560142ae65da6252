// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/arrivals_strip.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/state_legend.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int barsHeight = 34;
constexpr int axisHeight = 15;

QString clockText(const models::Zone& zone, Time time)
{
    return zone.format(time, models::Precision::Seconds).mid(11, 5);
}

} // namespace

ArrivalBars::ArrivalBars(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFixedHeight(barsHeight + axisHeight);
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("When the rows arrived"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ArrivalBars::show(const std::optional<models::Arrivals>& arrivals, const models::Zone& zone)
{
    m_arrivals = arrivals;
    m_zone = zone;
    m_pressed = -1;
    m_current = std::min(m_current, count() - 1);
    update();
}

void ArrivalBars::setDimmed(bool dimmed)
{
    m_dimmed = dimmed;
    update();
}

void ArrivalBars::mark(const std::optional<TimeRange>& range)
{
    m_mark = range;
    update();
}

QSize ArrivalBars::sizeHint() const
{
    return { 480, barsHeight + axisHeight };
}

std::vector<std::string> ArrivalBars::states() const
{
    std::vector<std::string> present;
    for (const auto state : stackedStates())
        for (int stretch = uncounted(); stretch < count(); ++stretch) {
            const auto& counts = at(stretch).counts.byState;
            if (const auto found = counts.find(std::string(state)); found != counts.end() && found->second.value > 0) {
                present.emplace_back(state);
                break;
            }
        }
    return present;
}

QRect ArrivalBars::placeOf(int stretch) const
{
    const int left = width() * stretch / std::max(1, count());
    const int right = width() * (stretch + 1) / std::max(1, count());
    return { left, 0, right - left, barsHeight };
}

QRect ArrivalBars::placeOfMark() const
{
    if (!m_mark || count() == 0)
        return {};
    const Time start = startOf(0);
    const Time end = m_arrivals->end;
    if (m_mark->until <= start || m_mark->from >= end)
        return {};
    const auto placed = [&](Time time) {
        const auto shown = std::clamp(time, start, end) - start;
        return int(double(width()) * double(shown.count()) / double((end - start).count()));
    };
    const int from = placed(m_mark->from);
    return { from, 0, std::max(1, placed(m_mark->until) - from), barsHeight };
}

const models::ArrivalHour& ArrivalBars::at(int stretch) const
{
    return m_arrivals->hours[std::size_t(stretch - uncounted())];
}

Time ArrivalBars::startOf(int stretch) const
{
    return m_arrivals->end - m_arrivals->width * std::int64_t(count() - stretch);
}

int ArrivalBars::stretchAt(int x) const
{
    return count() == 0 ? -1 : std::clamp(x * count() / std::max(1, width()), 0, count() - 1);
}

void ArrivalBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(m_theme.color(Role::Border), 0));
    painter.drawLine(0, barsHeight, width(), barsHeight);
    std::int64_t most = 1;
    for (int stretch = uncounted(); stretch < count(); ++stretch)
        most = std::max(most, at(stretch).counts.total.value);
    if (uncounted() > 0)
        m_theme.paintHatch(painter, QRectF(0, 0, placeOf(uncounted()).left(), barsHeight), m_theme.color(Role::Border));
    const QRect mark = placeOfMark();
    painter.fillRect(mark, m_theme.tint(Role::Warning, 16));
    painter.setFont(m_theme.font(Text::Caption));
    // With its day a label is wider than a stretch of a wide window: none is written over another.
    const int widest = painter.fontMetrics().horizontalAdvance(QStringLiteral("00-00 00:00")) + space::small;
    const int every = std::max(1, (count() * widest + width() - 1) / std::max(1, width()));
    QString dayBefore;
    for (int stretch = uncounted(); stretch < count(); ++stretch) {
        const QRect place = placeOf(stretch);
        const bool marked = m_pressed >= 0
            ? stretch >= std::min(m_pressed, m_current) && stretch <= std::max(m_pressed, m_current)
            : stretch == m_current;
        if (marked)
            painter.fillRect(place, m_theme.tint(Role::Accent, m_pressed >= 0 ? 24 : 10));
        const auto& hour = at(stretch);
        // Every stretch with a row is seen, and none is higher than the strip.
        int bottom = barsHeight;
        for (const auto state : stackedStates()) {
            const auto found = hour.counts.byState.find(std::string(state));
            if (found == hour.counts.byState.end() || found->second.value == 0)
                continue;
            const int height = std::max(1, int((barsHeight - 3) * found->second.value / most));
            const QRect bar(place.left() + 1, bottom - height, std::max(1, place.width() - 2), height);
            painter.fillRect(bar, m_theme.color(m_dimmed ? Role::Edge : stateLook(state).role));
            bottom -= height;
        }
        if (stretch % every == 0 && place.left() + widest <= width()) {
            const Time from = hour.from;
            // The same hour of two days would read as one: each day is said where it begins.
            const auto instant = m_zone.format(from, models::Precision::Seconds);
            const auto day = instant.left(10);
            const auto label =
                std::exchange(dayBefore, day) == day ? clockText(m_zone, from) : instant.mid(5, 11).replace(u'T', u' ');
            painter.setPen(m_theme.color(Role::Muted));
            painter.drawText(
                QRect(place.left(), barsHeight + 1, widest, axisHeight - 1), Qt::AlignLeft | Qt::AlignVCenter, label);
        }
    }
    if (!mark.isEmpty()) {
        painter.setPen(QPen(m_theme.color(Role::Warning), 1));
        painter.drawLine(mark.topLeft(), mark.bottomLeft());
        painter.drawLine(mark.topRight(), mark.bottomRight());
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.drawRect(QRect(0, 0, width() - 1, barsHeight));
    }
}

void ArrivalBars::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_pressed = m_current = stretchAt(event->pos().x());
    update();
}

void ArrivalBars::mouseMoveEvent(QMouseEvent* event)
{
    m_current = stretchAt(event->pos().x());
    setCursor(m_current >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void ArrivalBars::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_pressed < 0)
        return;
    m_current = stretchAt(event->pos().x());
    choose(std::min(m_pressed, m_current), std::max(m_pressed, m_current));
}

void ArrivalBars::leaveEvent(QEvent*)
{
    if (m_pressed < 0 && !hasFocus())
        m_current = -1;
    update();
}

void ArrivalBars::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const int from = m_current < 0 ? count() : m_current;
        m_current = count() == 0 ? -1 : std::clamp(from + (event->key() == Qt::Key_Left ? -1 : 1), 0, count() - 1);
        setAccessibleDescription(words(m_current));
        return update();
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Space) && m_current >= 0)
        return choose(m_current, m_current);
    QWidget::keyPressEvent(event);
}

void ArrivalBars::choose(int from, int to)
{
    m_pressed = -1;
    update();
    if (from >= 0 && to < count())
        Q_EMIT chosen(startOf(from), startOf(to + 1));
}

QString ArrivalBars::words(int stretch) const
{
    if (stretch < uncounted() || stretch >= count())
        return stretch < 0 ? QString() : tr("Not counted in time");
    const auto& hour = at(stretch);
    QStringList parts{ tr("%1 to %2: %3")
                           .arg(m_zone.format(hour.from, models::Precision::Seconds),
                               clockText(m_zone, hour.from + m_arrivals->width), numberText(hour.counts.total.value)) };
    for (const auto& [state, number] : hour.counts.byState)
        if (number.value > 0)
            parts += tr("%1 %2").arg(countText(number), text(state));
    return parts.join(QStringLiteral("\n"));
}

bool ArrivalBars::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), words(stretchAt(help->pos().x())), this);
        return true;
    }
    return QWidget::event(event);
}

ArrivalsStrip::ArrivalsStrip(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_bars(new ArrivalBars(theme, this))
    , m_caption(new PlainLabel(this))
    , m_legend(new StateLegend(theme, this))
    , m_menu(new ChartMenu(theme, *this, this))
{
    m_caption->setFont(theme.font(Text::Caption));
    // Two lines of it are as high as the choice beside them.
    m_caption->setWordWrap(true);
    setTone(m_caption, "muted");
    setTabOrder(m_menu, m_bars);
    m_menu->setTitle(tr("When the rows arrived"));
    m_menu->setNumbers([this] { return csv(); }, [this] { return query(); });
    auto* head = new QHBoxLayout;
    head->setSpacing(space::small);
    head->addWidget(m_caption, 1);
    head->addWidget(m_menu);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, 0, space::large, space::tiny);
    layout->setSpacing(space::tiny);
    layout->addLayout(head);
    layout->addWidget(m_legend);
    layout->addWidget(m_bars);
    connect(m_bars, &ArrivalBars::chosen, this, [this](Time from, Time until) {
        Q_EMIT chosen(QStringLiteral("created >= %1 and created < %2")
                          .arg(text(formatInstant(from)), text(formatInstant(until))));
    });
}

void ArrivalsStrip::show(
    const std::optional<models::Arrivals>& arrivals, const models::Zone& zone, const QString& one, const QString& rows)
{
    m_arrivals = arrivals;
    m_zone = zone;
    m_bars->show(arrivals, zone);
    // The room is kept while it is counted, and given to the rows where there is nothing to see.
    m_bars->setVisible(!arrivals || arrivals->skipped.isEmpty());
    m_legend->setVisible(!m_bars->isHidden());
    if (arrivals)
        m_legend->setStates(m_bars->states());
    if (!arrivals)
        return m_caption->setText(tr("Counting when they arrived"));
    if (!arrivals->skipped.isEmpty())
        return m_caption->setText(arrivals->skipped);
    std::int64_t sum = 0;
    for (const auto& hour : arrivals->hours)
        sum += hour.counts.total.value;
    const auto counted = int(arrivals->hours.size());
    const QString rest = !arrivals->whole ? tr(". Counting the rest")
        : counted < arrivals->wanted
        ? tr(". Only the last %1 were counted in time").arg(models::durationText(arrivals->width * counted))
        : sum == 0 ? QString()
                   : tr(". Drag to see only some of them");
    m_caption->setText(
        (sum == 0 ? tr("None of the %1 that match arrived in this time").arg(rows)
                  : tr("%1 %2 by the time they arrived · %3")
                        .arg(countText({ sum, arrivals->isEstimate() ? Exactness::Estimate : Exactness::Exact }),
                            sum == 1 ? one : rows, zone.label(arrivals->hours.back().from)))
        + rest);
}

void ArrivalsStrip::setDimmed(bool dimmed)
{
    m_bars->setDimmed(dimmed);
}

QString ArrivalsStrip::csv() const
{
    QString lines = QStringLiteral("from,until,state,rows\n");
    if (!m_arrivals)
        return lines;
    for (const auto& hour : m_arrivals->hours)
        for (const auto& [state, number] : hour.counts.byState)
            lines += QStringLiteral("%1,%2,%3,%4\n")
                         .arg(m_zone.format(hour.from, models::Precision::Seconds),
                             m_zone.format(hour.from + m_arrivals->width, models::Precision::Seconds), text(state))
                         .arg(number.value);
    return lines;
}

QString ArrivalsStrip::query() const
{
    if (!m_arrivals || m_arrivals->hours.empty())
        return tr("-- nothing was asked yet");
    return tr("-- once per %1 shown, newest first; %2 of the database's time in all\n%3")
        .arg(models::durationText(m_arrivals->width), models::durationText(m_arrivals->cost),
            text(m_arrivals->hours.back().counts.cost.sql));
}

QString ArrivalsStrip::caption() const
{
    return m_caption->text();
}

} // namespace fencepost::ui
