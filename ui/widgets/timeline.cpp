// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/timeline.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

constexpr double axisX = 24;
constexpr double textX = 48;
constexpr double halfGap = 9;
constexpr int beside = 10; // between a title and its instant

Role roleOf(const Mark& mark)
{
    switch (mark.kind) {
    case MarkKind::Refusal:
        return Role::Danger;
    case MarkKind::Operator:
        return Role::Accent;
    case MarkKind::Change:
        return mark.state ? stateLook(wordOf(*mark.state)).role : Role::Text;
    case MarkKind::Instant:
        return Role::Muted;
    }
    return Role::Text;
}

// Measuring a hundred thousand texts takes seconds, and the widest of them is among the longest.
std::vector<const Mark*> longestTitles(const std::vector<Mark>& marks)
{
    constexpr std::size_t most = 64;
    std::vector<const Mark*> longest;
    longest.reserve(marks.size());
    for (const Mark& mark : marks)
        longest.push_back(&mark);
    const auto end = longest.begin() + std::ptrdiff_t(std::min(most, longest.size()));
    std::partial_sort(longest.begin(), end, longest.end(),
        [](const Mark* left, const Mark* right) { return left->title.size() > right->title.size(); });
    longest.erase(end, longest.end());
    return longest;
}

} // namespace

Timeline::Timeline(const Theme& theme, FormatTime formatTime, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
    , m_formatTime(std::move(formatTime))
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    viewport()->setAutoFillBackground(false);
    connect(&theme, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void Timeline::setMarks(std::vector<Mark> marks)
{
    m_marks = std::move(marks);
    m_chosen.reset();
    arrange();
    setAccessibleDescription(m_marks.empty()
            ? tr("Nothing is known about this record's past.")
            : tr("%1 entries, the last: %2").arg(m_marks.size()).arg(describe(m_marks.back())));
}

// No state is cut for an instant: where they do not stand side by side, the instant has a line of its own.
void Timeline::arrange()
{
    const QFontMetrics titles(m_theme.font(Text::Strong));
    const QFontMetrics times(m_theme.font(Text::MonoCaption));
    m_widest = 0;
    for (const Mark* mark : longestTitles(m_marks))
        m_widest = std::max(m_widest,
            titles.horizontalAdvance(visible(mark->title)) + beside + times.horizontalAdvance(m_formatTime(mark->at)));
    place();
}

void Timeline::place()
{
    m_stacked = m_widest > viewport()->width() - textX - space::large;
    m_layout = layOut(m_marks, idleThreshold(m_marks), m_stacked ? threeLines : twoLines);
    measure();
    viewport()->update();
}

void Timeline::setFormat(FormatTime formatTime)
{
    m_formatTime = std::move(formatTime);
    arrange();
}

void Timeline::show(std::int64_t seq)
{
    for (std::size_t i = 0; i < m_marks.size(); ++i)
        if (m_marks[i].seq == seq)
            return choose(i);
}

void Timeline::measure()
{
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(24);
    verticalScrollBar()->setRange(0, std::max(0, int(m_layout.height) - viewport()->height()));
}

void Timeline::choose(std::size_t mark)
{
    m_chosen = mark;
    const int y = int(m_layout.marks[mark].y);
    if (y < verticalScrollBar()->value() + 30)
        verticalScrollBar()->setValue(y - 30);
    if (y > verticalScrollBar()->value() + viewport()->height() - 50)
        verticalScrollBar()->setValue(y - viewport()->height() + 50);
    setAccessibleDescription(describe(m_marks[mark]));
    viewport()->update();
}

std::optional<std::size_t> Timeline::markAt(double y) const
{
    const auto found = std::lower_bound(m_layout.marks.begin(), m_layout.marks.end(), y,
        [](const PlacedMark& mark, double value) { return mark.y + 24 < value; });
    if (found == m_layout.marks.end() || std::abs(found->y - y) > 24)
        return std::nullopt;
    return found->mark;
}

QString Timeline::describe(const Mark& mark) const
{
    return QStringLiteral("%1 · %2 · %3").arg(m_formatTime(mark.at), visible(mark.title), visible(mark.text));
}

void Timeline::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const double scrolled = verticalScrollBar()->value();
    const double bottom = scrolled + viewport()->height() + 60;
    paintAxis(painter, scrolled);
    const auto first = std::lower_bound(m_layout.marks.begin(), m_layout.marks.end(), scrolled - 60,
        [](const PlacedMark& mark, double y) { return mark.y < y; });
    for (auto mark = first; mark != m_layout.marks.end() && mark->y < bottom; ++mark)
        paintMark(painter, m_marks[mark->mark], mark->y - scrolled, m_chosen == mark->mark);
    const auto gap = std::lower_bound(m_layout.gaps.begin(), m_layout.gaps.end(), scrolled - 60,
        [](const Gap& entry, double y) { return entry.y < y; });
    for (auto entry = gap; entry != m_layout.gaps.end() && entry->y < bottom; ++entry)
        paintGap(painter, *entry, entry->y - scrolled);
}

void Timeline::paintAxis(QPainter& painter, double scrolled) const
{
    if (m_layout.marks.size() < 2)
        return;
    painter.setPen(QPen(m_theme.color(Role::Edge), 1.5));
    const double from = m_layout.marks.front().y - scrolled;
    const double to = m_layout.marks.back().y - scrolled;
    double top = std::max(-10.0, from);
    const double bottom = std::min(to, viewport()->height() + 10.0);
    // Open where a gap is, as nobody knows here what ground the axis stands on.
    auto gap = std::lower_bound(m_layout.gaps.begin(), m_layout.gaps.end(), scrolled - 60,
        [](const Gap& entry, double y) { return entry.y < y; });
    for (; gap != m_layout.gaps.end() && gap->y - scrolled < bottom; ++gap) {
        const double broken = gap->y - scrolled - halfGap;
        if (broken > top)
            painter.drawLine(QPointF(axisX, top), QPointF(axisX, broken));
        top = std::max(top, broken + 2 * halfGap);
    }
    if (bottom > top)
        painter.drawLine(QPointF(axisX, top), QPointF(axisX, bottom));
}

void Timeline::paintMark(QPainter& painter, const Mark& mark, double y, bool chosen) const
{
    if (chosen) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.tint(Role::Accent, 16));
        painter.drawRoundedRect(
            QRectF(4, y - 19, viewport()->width() - 8, m_stacked ? 56 : 40), space::radius, space::radius);
    }
    const auto colour = m_theme.color(roleOf(mark));
    painter.setPen(QPen(colour, 1.75, mark.future ? Qt::DotLine : Qt::SolidLine));
    painter.setBrush(m_theme.color(Role::Surface));
    painter.drawEllipse(QPointF(axisX, y), 9, 9);
    const auto icon = mark.kind == MarkKind::Refusal    ? "conflicts"
        : mark.kind == MarkKind::Operator               ? "note"
        : mark.kind == MarkKind::Instant || !mark.state ? "clock"
                                                        : stateLook(wordOf(*mark.state)).icon;
    m_theme.paintIcon(painter, QRectF(axisX - 6, y - 6, 12, 12), icon, colour);

    const double width = viewport()->width() - textX - space::large;
    const auto time = m_formatTime(mark.at);
    painter.setFont(m_theme.font(Text::MonoCaption));
    const double timeWidth = painter.fontMetrics().horizontalAdvance(time) + 2;
    painter.setPen(m_theme.color(Role::Muted));
    painter.drawText(m_stacked ? QRectF(textX, y, width, 18) : QRectF(textX + width - timeWidth, y - 18, timeWidth, 18),
        (m_stacked ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, time);

    painter.setFont(m_theme.font(Text::Strong));
    painter.setPen(mark.kind == MarkKind::Instant ? m_theme.color(Role::Muted) : m_theme.color(Role::Text));
    const double titleWidth = m_stacked ? width : width - timeWidth - 8;
    const auto title = painter.fontMetrics().elidedText(visible(mark.title), Qt::ElideRight, int(titleWidth));
    painter.drawText(
        QRectF(textX, y - 18, titleWidth, 18), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
    painter.setFont(m_theme.font(Text::Caption));
    painter.setPen(m_theme.color(Role::Muted));
    const auto text = painter.fontMetrics().elidedText(visible(mark.text), Qt::ElideRight, int(width));
    painter.drawText(QRectF(textX, m_stacked ? y + 16 : y + 1, width, 18),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
}

void Timeline::paintGap(QPainter& painter, const Gap& gap, double y) const
{
    painter.setPen(QPen(m_theme.color(Role::Edge), 1.5));
    QPolygonF zigzag;
    for (int i = 0; i <= 4; ++i)
        zigzag << QPointF(axisX + (i % 2 ? 4 : -4) * (i == 0 || i == 4 ? 0 : 1), y + (i - 2) * halfGap / 2);
    painter.drawPolyline(zigzag);
    painter.setFont(m_theme.font(Text::Caption));
    painter.setPen(m_theme.color(Role::Muted));
    painter.drawText(QRectF(textX, y - 9, viewport()->width() - textX, 18), Qt::AlignLeft | Qt::AlignVCenter,
        tr("%1 without an event, compressed").arg(QString::fromStdString(formatDuration(gap.time))));
}

void Timeline::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (m_stacked == (m_widest > viewport()->width() - textX - space::large))
        measure();
    else
        place();
}

void Timeline::keyPressEvent(QKeyEvent* event)
{
    const bool down = event->key() == Qt::Key_Down || event->key() == Qt::Key_J;
    const bool up = event->key() == Qt::Key_Up || event->key() == Qt::Key_K;
    if (m_marks.empty() || (!down && !up))
        return QAbstractScrollArea::keyPressEvent(event);
    if (!m_chosen)
        choose(down ? 0 : m_marks.size() - 1);
    else if (down)
        choose(std::min(*m_chosen + 1, m_marks.size() - 1));
    else
        choose(*m_chosen == 0 ? 0 : *m_chosen - 1);
    Q_EMIT chosen(*m_chosen);
}

bool Timeline::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress) {
        const auto* press = static_cast<QMouseEvent*>(event);
        if (const auto mark = markAt(press->position().y() + verticalScrollBar()->value())) {
            choose(*mark);
            Q_EMIT chosen(*mark);
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto mark = markAt(help->pos().y() + verticalScrollBar()->value());
        QToolTip::showText(help->globalPos(), mark ? plainToolTip(describe(m_marks[*mark])) : QString(), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace fencepost::ui
