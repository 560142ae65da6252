// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_diagram.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>

#include "ui/theme.h"
#include "ui/widgets/arrow_head.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

// The diagram grows with its page, but its words never shout.
constexpr double largestScale = 1.35;

} // namespace

FlowDiagram::FlowDiagram(const Theme& theme, QWidget* parent)
    : Drawing(theme, parent)
{
    setAccessibleName(tr("State machine with flows"));
    setFlows(Kind::Idempotency, {});
}

void FlowDiagram::setFlows(Kind kind, std::vector<Flow> flows)
{
    m_kind = kind;
    m_flows = std::move(flows);
    m_current.reset();
    QStringList lines;
    for (const auto& flow : m_flows)
        lines += describe(flow);
    setAccessibleDescription(lines.isEmpty() ? tr("Nothing moved.") : lines.join(QStringLiteral(". ")));
    layOutAgain();
}

void FlowDiagram::setDimmed(bool dimmed)
{
    if (m_dimmed == dimmed)
        return;
    m_dimmed = dimmed;
    update();
}

void FlowDiagram::layOutAgain()
{
    const QFontMetricsF metrics(theme().font(Text::Caption));
    const QFontMetricsF strong(theme().font(Text::Strong));
    m_picture = layOutFlows(m_kind, m_flows, [&](const QString& text) {
        const auto lines = text.split(u'\n');
        double width = strong.horizontalAdvance(lines.front());
        for (const auto& line : lines)
            width = std::max(width, metrics.horizontalAdvance(line));
        return QSizeF(width, strong.lineSpacing() + metrics.lineSpacing() * double(lines.size() - 1));
    });
    m_most = 0;
    for (const auto& arc : m_picture.arcs)
        m_most = std::max(m_most, arc.count);
    updateGeometry();
    update();
}

QSize FlowDiagram::sizeHint() const
{
    return (m_picture.size * zoom()).toSize();
}

// What is zoomed is scrolled, and what is not is made to fit.
QSize FlowDiagram::minimumSizeHint() const
{
    return zoom() > 1 ? sizeHint() : (m_picture.size * 0.62).toSize();
}

double FlowDiagram::scale() const
{
    const double fits = std::min(width() / m_picture.size.width(), height() / m_picture.size.height());
    return zoom() > 1 ? std::max(zoom(), std::min(fits, largestScale * zoom())) : std::min(fits, largestScale) * zoom();
}

QPointF FlowDiagram::placeOf(const FlowArc& arc) const
{
    return origin() + arc.labelBox.center() * scale();
}

std::optional<std::size_t> FlowDiagram::arcAt(const QPointF& position) const
{
    const auto point = drawnPoint(position);
    QPainterPathStroker reach;
    reach.setWidth(12);
    const auto& arcs = m_picture.arcs;
    for (std::size_t i = arcs.size(); i-- > 0;)
        if (!arcs[i].flows.empty() && arcs[i].labelBox.contains(point))
            return i;
    for (std::size_t i = arcs.size(); i-- > 0;)
        if (!arcs[i].flows.empty() && reach.createStroke(arcs[i].line).contains(point))
            return i;
    return {};
}

QColor FlowDiagram::colourOf(const FlowArc& arc, bool current) const
{
    if (arc.flows.empty())
        return theme().color(Role::Border);
    if (m_dimmed)
        return theme().color(Role::Muted);
    if (arc.nature == FlowNature::Illegal || arc.nature == FlowNature::Suspicious)
        return theme().color(Role::Danger);
    if (current)
        return theme().color(Role::Accent);
    // One operator's hand among a thousand workers' is said by the label alone.
    const bool intervened = std::all_of(arc.flows.begin(), arc.flows.end(),
        [this](std::size_t flow) { return m_flows[flow].nature == FlowNature::Intervened; });
    return theme().color(intervened ? Role::Held : Role::Text);
}

void FlowDiagram::draw(QPainter& painter) const
{
    const auto& arcs = m_picture.arcs;
    for (std::size_t i = 0; i < arcs.size(); ++i)
        drawArc(painter, arcs[i], m_current == i);
    for (const auto& node : m_picture.nodes)
        drawNode(painter, node);
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (!arcs[i].flows.empty())
            drawLabel(painter, arcs[i], m_current == i);
}

// Thicker by each power of ten: rare ones, which matter most, are still seen beside a million.
void FlowDiagram::drawArc(QPainter& painter, const FlowArc& arc, bool current) const
{
    const auto colour = colourOf(arc, current);
    double width = 1;
    if (!arc.flows.empty())
        width = 1.4 + 0.7 * std::log10(double(std::max<std::int64_t>(arc.count, 1))) + (current ? 0.8 : 0);
    QPen pen(colour, width);
    pen.setCapStyle(Qt::FlatCap);
    if (arc.nature == FlowNature::Illegal)
        pen.setDashPattern({ 3, 2 });
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(arc.line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(arrowHead(arc.tip, arc.angle, arc.flows.empty() ? 6 : 8 + width));
}

void FlowDiagram::drawLabel(QPainter& painter, const FlowArc& arc, bool current) const
{
    const auto colour = colourOf(arc, current);
    const bool calm = arc.nature == FlowNature::Expected && !current;
    painter.setPen(QPen(calm ? theme().color(Role::Border) : colour, 1));
    painter.setBrush(theme().color(Role::Surface));
    painter.drawRoundedRect(arc.labelBox, 4, 4);
    const auto lines = arc.label.split(u'\n');
    const QFontMetricsF strong(theme().font(Text::Strong));
    QRectF line(arc.labelBox.left(), arc.labelBox.top() + 3, arc.labelBox.width(), strong.lineSpacing());
    painter.setFont(theme().font(Text::Strong));
    painter.setPen(colour);
    painter.drawText(line, Qt::AlignCenter | Qt::TextSingleLine, lines.front());
    line.translate(0, strong.lineSpacing());
    line.setHeight(QFontMetricsF(theme().font(Text::Caption)).lineSpacing());
    painter.setFont(theme().font(Text::Caption));
    painter.setPen(calm ? theme().color(Role::Muted) : colour);
    painter.drawText(line, Qt::AlignCenter | Qt::TextSingleLine, lines.back());
}

void FlowDiagram::drawNode(QPainter& painter, const FlowNode& node) const
{
    const auto look = stateLook(node.state);
    const auto colour = theme().color(node.met && !m_dimmed ? look.role : Role::Muted);
    QPen pen(node.met ? colour : theme().color(Role::Border), node.met ? 1.5 : 1);
    if (look.dotted || node.state == "ABSENT")
        pen.setStyle(Qt::DotLine);
    painter.setPen(pen);
    painter.setBrush(node.met ? theme().tint(look.role, 8) : theme().color(Role::Surface));
    painter.drawRoundedRect(node.box, space::radius, space::radius);
    constexpr double gap = 4;
    const double room = node.box.width() - space::icon - gap - 8;
    // The longest word of the protocol is set smaller before it is cut.
    const auto whole = stateWordOf(node.state);
    const bool fits = QFontMetricsF(theme().font(Text::Body)).horizontalAdvance(whole) <= room;
    const auto font = theme().font(fits ? Text::Body : Text::Caption);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const auto word = metrics.elidedText(whole, Qt::ElideRight, room);
    const double width = space::icon + gap + metrics.horizontalAdvance(word);
    const QPointF start(node.box.center().x() - width / 2, node.box.center().y());
    theme().paintIcon(
        painter, QRectF(start.x(), start.y() - space::icon / 2.0, space::icon, space::icon), look.icon, colour);
    painter.setPen(colour);
    painter.drawText(QRectF(start.x() + space::icon + gap, node.box.top(), width, node.box.height()),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, word);
}

void FlowDiagram::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(arcAt(event->position()));
    setCursor(m_current ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void FlowDiagram::leaveEvent(QEvent* event)
{
    if (!hasFocus())
        setCurrent({});
    QWidget::leaveEvent(event);
}

void FlowDiagram::mouseReleaseEvent(QMouseEvent* event)
{
    const auto arc = arcAt(event->position());
    if (event->button() != Qt::LeftButton || !arc)
        return QWidget::mouseReleaseEvent(event);
    open(*arc);
}

void FlowDiagram::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        return walk(-1);
    case Qt::Key_Right:
    case Qt::Key_Down:
        return walk(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current)
            open(*m_current);
        return;
    default:
        if (!zoomByKey(event->key()))
            QWidget::keyPressEvent(event);
    }
}

void FlowDiagram::walk(int by)
{
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < m_picture.arcs.size(); ++i)
        if (!m_picture.arcs[i].flows.empty())
            moved.push_back(i);
    if (moved.empty())
        return;
    auto at = m_current ? std::find(moved.begin(), moved.end(), *m_current) - moved.begin() : (by > 0 ? -1 : 0);
    const auto count = static_cast<std::ptrdiff_t>(moved.size());
    at = (at + by + count) % count;
    setCurrent(moved[static_cast<std::size_t>(at)]);
}

void FlowDiagram::setCurrent(std::optional<std::size_t> arc)
{
    if (m_current == arc)
        return;
    m_current = arc;
    update();
}

void FlowDiagram::open(std::size_t arc)
{
    std::vector<Flow> flows;
    for (const auto flow : m_picture.arcs[arc].flows)
        flows.push_back(m_flows[flow]);
    Q_EMIT chosen(flows);
}

QString FlowDiagram::tipAt(const QPointF& position) const
{
    QStringList lines;
    if (const auto arc = arcAt(position))
        for (const auto flow : m_picture.arcs[*arc].flows)
            lines += describe(m_flows[flow]);
    return lines.join(u'\n');
}

} // namespace fencepost::ui
