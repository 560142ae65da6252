// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_bars.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int rowHeight = 34;
constexpr int stateLabelWidth = 168;
constexpr int countWidth = 76;
constexpr int shareWidth = 56;

QString shareText(const Count& count, const Count& total)
{
    if (total.value <= 0)
        return {};
    const double share = 100.0 * static_cast<double>(count.value) / static_cast<double>(total.value);
    return share > 0 && share < 0.1 ? QStringLiteral("< 0.1 %")
                                    : QStringLiteral("%1 %").arg(share, 0, 'f', share < 10 ? 1 : 0);
}

} // namespace

StateBars::StateBars(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Rows per state"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StateBars::setCounts(const Counts& counts, const std::vector<std::string>& order)
{
    const auto before = m_bars.size();
    m_bars.clear();
    m_total = counts.total;
    for (const std::string& state : order) {
        const auto found = counts.byState.find(state);
        // Of a count that did not come to its end, what is missing is not none.
        m_bars.push_back({ state, found == counts.byState.end() ? Count{ 0, counts.total.exactness } : found->second });
    }
    for (const auto& [state, count] : counts.byState) {
        if (std::find(order.begin(), order.end(), state) == order.end())
            m_bars.push_back({ state, count });
    }
    QStringList spoken;
    for (const Bar& bar : m_bars)
        spoken += tr("%1 %2").arg(stateLook(bar.state).word, countText(bar.count));
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
    if (before != m_bars.size())
        updateGeometry();
    update();
}

QString StateBars::csv() const
{
    QString lines = QStringLiteral("state,rows,exactness\n");
    for (const Bar& bar : m_bars)
        lines += QStringLiteral("%1,%2,%3\n")
                     .arg(text(bar.state))
                     .arg(bar.count.value)
                     .arg(exactnessText(bar.count.exactness));
    return lines;
}

void StateBars::setDimmed(bool dimmed)
{
    m_dimmed = dimmed;
    update();
}

QSize StateBars::sizeHint() const
{
    return { 480, static_cast<int>(m_bars.size()) * rowHeight };
}

void StateBars::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    std::int64_t most = 1;
    for (const Bar& bar : m_bars)
        most = std::max(most, bar.count.value);
    for (std::size_t index = 0; index < m_bars.size(); ++index) {
        const QRect place(0, static_cast<int>(index) * rowHeight, width(), rowHeight);
        if (static_cast<int>(index) == m_current) {
            painter.setPen(hasFocus() ? QPen(m_theme.color(Role::Accent), 1) : Qt::NoPen);
            painter.setBrush(m_theme.tint(Role::Accent, 8));
            painter.drawRoundedRect(QRectF(place).adjusted(0.5, 1.5, -0.5, -1.5), space::radius, space::radius);
        }
        paintBar(painter, place.adjusted(space::small, 0, -space::small, 0), m_bars[index], most);
    }
}

void StateBars::paintBar(QPainter& painter, const QRect& place, const Bar& bar, std::int64_t most) const
{
    const StateLook look = stateLook(bar.state);
    const bool none = bar.count.value == 0;
    m_theme.paintState(painter, QRect(place.left(), place.top(), stateLabelWidth, place.height()),
        { .state = bar.state, .dimmed = m_dimmed || none });

    const QRectF track(place.left() + stateLabelWidth, place.center().y() - 4,
        std::max(24, place.width() - stateLabelWidth - countWidth - shareWidth), 9);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Role::Background));
    painter.drawRoundedRect(track, 3, 3);
    if (!none) {
        // Every row is seen: a state with a single key still has three pixels.
        const qreal length =
            std::max(3.0, track.width() * static_cast<qreal>(bar.count.value) / static_cast<qreal>(most));
        const QRectF filled(track.left(), track.top(), length, track.height());
        painter.setBrush(m_dimmed ? m_theme.color(Role::Edge) : m_theme.color(look.role));
        painter.drawRoundedRect(filled, std::min(3.0, length / 2), 3);
        if (bar.count.exactness != Exactness::Exact)
            m_theme.paintHatch(painter, filled, m_theme.tint(Role::Background, 60));
    }
    painter.setFont(m_theme.font(Text::Mono));
    painter.setPen(m_theme.color(none || m_dimmed ? Role::Muted : Role::Text));
    const QRect counts(static_cast<int>(track.right()), place.top(), countWidth, place.height());
    painter.drawText(counts, Qt::AlignVCenter | Qt::AlignRight, countText(bar.count));
    painter.setFont(m_theme.font(Text::MonoCaption));
    painter.setPen(m_theme.color(Role::Muted));
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignRight, none ? QString() : shareText(bar.count, m_total));
}

int StateBars::barAt(const QPoint& point) const
{
    const int bar = point.y() / rowHeight;
    return bar >= 0 && bar < static_cast<int>(m_bars.size()) && rect().contains(point) ? bar : -1;
}

void StateBars::setCurrent(int bar)
{
    m_current = bar;
    setCursor(bar >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void StateBars::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(barAt(event->pos()));
}

void StateBars::mouseReleaseEvent(QMouseEvent* event)
{
    const int bar = barAt(event->pos());
    if (bar >= 0 && event->button() == Qt::LeftButton)
        Q_EMIT chosen(text(m_bars[static_cast<std::size_t>(bar)].state));
}

void StateBars::leaveEvent(QEvent* /*event*/)
{
    setCurrent(-1);
}

void StateBars::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (m_current < 0 && !m_bars.empty())
        setCurrent(0);
}

void StateBars::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_bars.size());
    if (count == 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Down:
        return setCurrent(std::min(count - 1, m_current + 1));
    case Qt::Key_Up:
        return setCurrent(std::max(0, m_current - 1));
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0)
            Q_EMIT chosen(text(m_bars[static_cast<std::size_t>(m_current)].state));
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool StateBars::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int bar = barAt(help->pos());
        if (bar >= 0) {
            const Bar& shown = m_bars[static_cast<std::size_t>(bar)];
            QToolTip::showText(help->globalPos(),
                tr("%1: %2, %3")
                    .arg(stateLook(shown.state).word, countText(shown.count), exactnessText(shown.count.exactness)),
                this);
        }
        return true;
    }
    return QWidget::event(event);
}

} // namespace fencepost::ui
