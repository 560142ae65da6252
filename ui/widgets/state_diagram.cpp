// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_diagram.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>

#include "ui/theme.h"
#include "ui/widgets/arrow_head.h"

namespace fencepost::ui {

namespace {

constexpr double largest = 1.25; // the diagram grows with its panel, but never shouts, and stays readable

} // namespace

StateDiagram::StateDiagram(const Theme& theme, QWidget* parent)
    : Drawing(theme, parent)
{
    setAccessibleName(tr("State diagram"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setPath({});
}

void StateDiagram::setPath(StatePath path)
{
    m_path = std::move(path);
    m_step = m_path.steps.empty() ? std::nullopt : std::optional(m_path.steps.size() - 1);
    setAccessibleDescription(describe(m_path));
    layOutAgain();
}

QSize StateDiagram::sizeHint() const
{
    return (m_diagram.size * zoom()).toSize();
}

// At its own size: its captions are the smallest words that there are. What is zoomed is scrolled.
QSize StateDiagram::minimumSizeHint() const
{
    if (zoom() > 1)
        return (m_diagram.size * scale()).toSize();
    return QSizeF(narrowestDiagram, m_diagram.size.height()).toSize();
}

int StateDiagram::heightForWidth(int width) const
{
    const double fits = zoom() > 1 ? scale() : std::clamp(width / widestDiagram, 1.0, largest);
    return int(std::ceil(m_diagram.size.height() * fits));
}

// The width that it has while nothing is zoomed: to be magnified changes no line's course.
double StateDiagram::room() const
{
    return zoom() > 1 && parentWidget() ? std::min(width(), parentWidget()->width()) : width();
}

void StateDiagram::resizeEvent(QResizeEvent* event)
{
    layOutAgain();
    QWidget::resizeEvent(event);
}

void StateDiagram::layOutAgain()
{
    const QFontMetricsF metrics(theme().font(Text::Caption));
    m_diagram = layOut(m_path, room(), [&metrics](const QString& text) {
        double width = 0;
        const auto lines = text.split(u'\n');
        for (const auto& line : lines)
            width = std::max(width, metrics.horizontalAdvance(line));
        return QSizeF(width, metrics.lineSpacing() * double(lines.size()));
    });
    updateGeometry();
    update();
}

double StateDiagram::scale() const
{
    const double fits = std::min(largest, room() / m_diagram.size.width());
    return zoom() > 1 ? fits * zoom() : std::min(fits, height() / m_diagram.size.height()) * zoom();
}

QPointF StateDiagram::origin() const
{
    return { Drawing::origin().x(), 0 };
}

QPointF StateDiagram::placeOf(std::size_t step) const
{
    for (const auto& edge : m_diagram.edges)
        if (isOf(edge, step))
            return origin() + edge.labelBox.center() * scale();
    return {};
}

const DiagramEdge* StateDiagram::edgeAt(const QPointF& position) const
{
    const auto point = drawnPoint(position);
    QPainterPathStroker reach;
    reach.setWidth(12);
    for (auto edge = m_diagram.edges.rbegin(); edge != m_diagram.edges.rend(); ++edge)
        if (edge->kind != EdgeKind::Possible
            && (edge->labelBox.contains(point) || reach.createStroke(edge->line).contains(point)))
            return &*edge;
    return nullptr;
}

bool StateDiagram::isOf(const DiagramEdge& edge, std::size_t step)
{
    return std::find(edge.steps.begin(), edge.steps.end(), step) != edge.steps.end();
}

bool StateDiagram::isChosen(const DiagramEdge& edge) const
{
    return hasFocus() && m_step && isOf(edge, *m_step);
}

void StateDiagram::draw(QPainter& painter) const
{
    for (const auto& edge : m_diagram.edges)
        paintEdge(painter, edge);
    for (const auto& node : m_diagram.nodes)
        paintNode(painter, node);
    for (const auto& edge : m_diagram.edges)
        if (edge.kind != EdgeKind::Possible)
            paintLabel(painter, edge);
}

void StateDiagram::paintEdge(QPainter& painter, const DiagramEdge& edge) const
{
    const bool taken = edge.kind == EdgeKind::Taken;
    const bool next = edge.kind == EdgeKind::Possible && edge.from == m_path.current;
    auto colour = theme().color(edge.kind == EdgeKind::Illegal ? Role::Danger
            : taken                                            ? Role::Text
            : next                                             ? Role::Edge
                                                               : Role::Border);
    if (taken && isChosen(edge))
        colour = theme().color(Role::Accent);
    QPen pen(colour, edge.kind == EdgeKind::Possible ? 1.0 : isChosen(edge) ? 2.5 : 1.75);
    pen.setCapStyle(Qt::RoundCap);
    if (edge.kind == EdgeKind::Illegal)
        pen.setDashPattern({ 4, 3 });
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(edge.line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(arrowHead(edge.tip, edge.angle, edge.kind == EdgeKind::Possible ? 6 : 9));
}

void StateDiagram::paintLabel(QPainter& painter, const DiagramEdge& edge) const
{
    const bool illegal = edge.kind == EdgeKind::Illegal;
    const bool chosen = isChosen(edge);
    if (!edge.leader.isNull()) {
        painter.setPen(QPen(theme().color(illegal ? Role::Danger
                                    : chosen      ? Role::Accent
                                                  : Role::Edge),
            1, Qt::DotLine));
        painter.drawLine(edge.leader);
    }
    painter.setPen(QPen(theme().color(illegal ? Role::Danger : chosen ? Role::Accent : Role::Border), 1));
    painter.setBrush(theme().color(Role::Surface));
    painter.drawRoundedRect(edge.labelBox, 4, 4);
    painter.setFont(theme().font(Text::Caption));
    const auto lines = edge.label.split(u'\n');
    const double height = (edge.labelBox.height() - 6) / double(lines.size());
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QRectF line(
            edge.labelBox.left(), edge.labelBox.top() + 3 + height * double(i), edge.labelBox.width(), height);
        painter.setPen(theme().color(illegal ? Role::Danger : i == 0 ? Role::Text : Role::Muted));
        painter.drawText(line, Qt::AlignCenter | Qt::TextSingleLine, lines.at(i));
    }
}

void StateDiagram::paintNode(QPainter& painter, const DiagramNode& node) const
{
    const auto look = stateLook(node.state);
    const bool faint = !node.visited && !node.current;
    const auto colour = theme().color(faint ? Role::Muted : look.role);
    QPen pen(faint ? theme().color(Role::Border) : colour, node.current ? 2.25 : 1.25);
    if (look.dotted)
        pen.setStyle(Qt::DotLine);
    painter.setPen(pen);
    painter.setBrush(node.current ? theme().tint(look.role, 16) : theme().color(Role::Surface));
    painter.drawRoundedRect(node.box, space::radius, space::radius);

    auto font = theme().font(node.current ? Text::Strong : Text::Body);
    font.setPixelSize(12);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double gap = 6;
    const double iconSize = space::icon;
    const double clock = node.stuck ? gap + iconSize : 0;
    const auto word = metrics.elidedText(look.word, Qt::ElideRight, node.box.width() - iconSize - gap - clock - 12);
    const double whole = iconSize + gap + metrics.horizontalAdvance(word) + clock;
    const QPointF start(node.box.center().x() - whole / 2, node.box.center().y());
    const auto paintIcon = [&](double x, const char* icon) {
        theme().paintIcon(painter, QRectF(x, start.y() - iconSize / 2, iconSize, iconSize), icon, colour);
    };
    paintIcon(start.x(), look.icon);
    if (node.stuck)
        paintIcon(start.x() + whole - iconSize, "clock");
    painter.setPen(colour);
    painter.drawText(QRectF(start.x() + iconSize + gap, node.box.top(), whole, node.box.height()),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, word);
}

void StateDiagram::mouseMoveEvent(QMouseEvent* event)
{
    setCursor(edgeAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void StateDiagram::mouseReleaseEvent(QMouseEvent* event)
{
    const auto* edge = edgeAt(event->position());
    if (event->button() != Qt::LeftButton || !edge)
        return;
    // Clicking again walks through the steps that share an edge.
    auto next = edge->steps.front();
    for (const auto step : edge->steps)
        if (m_step && step > *m_step) {
            next = step;
            break;
        }
    choose(next);
    Q_EMIT stepActivated(next);
}

void StateDiagram::keyPressEvent(QKeyEvent* event)
{
    if (zoomByKey(event->key()))
        return;
    const auto count = m_path.steps.size();
    if (count == 0 || !m_step)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        return choose(*m_step > 0 ? *m_step - 1 : 0);
    case Qt::Key_Right:
    case Qt::Key_Down:
        return choose(std::min(*m_step + 1, count - 1));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(count - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT stepActivated(*m_step);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void StateDiagram::choose(std::size_t step)
{
    m_step = step;
    setAccessibleDescription(
        tr("Step %1 of %2: %3.").arg(step + 1).arg(m_path.steps.size()).arg(describe(m_path.steps[step])) + u' '
        + describe(m_path));
    update();
    Q_EMIT stepChanged(step);
}

QString StateDiagram::tipAt(const QPointF& position) const
{
    QStringList lines;
    if (const auto* edge = edgeAt(position))
        for (const auto step : edge->steps)
            lines += QStringLiteral("%1. %2").arg(step + 1).arg(describe(m_path.steps[step]));
    return lines.join(u'\n');
}

bool StateDiagram::event(QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    return Drawing::event(event);
}

} // namespace fencepost::ui
