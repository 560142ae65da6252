// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "core/forensics/row_machine.h"
#include "ui/widgets/state_places.h"

namespace fencepost::ui {

namespace {

constexpr double nodeWidth = 152;
constexpr double nodeHeight = 34;
constexpr double canvasMargin = 4;

// Where the nodes stand on a canvas of some width.
class Ground {
public:
    // `stretch` of the plan's height below the state of that name: more of it is more room for labels.
    Ground(const StatePath& path, double width, double stretch, std::string_view below)
        : m_kind(path.kind)
        , m_plan(planOf(path.kind))
        , m_width(std::clamp(width, narrowestDiagram, widestDiagram))
        , m_stretch(stretch)
        , m_fixed(m_plan.places.front().y)
    {
        for (const auto& place : m_plan.places)
            if (place.state == below)
                m_fixed = place.y;
        for (const auto& place : m_plan.places) {
            const bool visited = isVisited(path, place.state);
            if (!isShown(path, place))
                continue;
            m_height = std::max(m_height, yOf(place) + nodeHeight / 2 + 9);
            m_nodes.push_back({ std::string(place.state), boxOf(place.state), visited, path.current == place.state,
                path.current == place.state && path.stuck });
        }
    }

    [[nodiscard]] QSizeF size() const { return { m_width, m_height }; }
    [[nodiscard]] const std::vector<DiagramNode>& nodes() const { return m_nodes; }
    [[nodiscard]] QPointF centreOf(std::string_view state) const
    {
        // Two of a row must not touch.
        constexpr double least = nodeWidth / 2 + 2 * canvasMargin;
        const double reach = (m_width - nodeWidth) / 2 - canvasMargin;
        for (const auto& place : m_plan.places)
            if (place.state == state)
                return { m_width / 2
                        + (place.x == 0 ? 0 : std::copysign(std::max(least, std::abs(place.x) * reach), place.x)),
                    yOf(place) };
        return {};
    }
    [[nodiscard]] QRectF boxOf(std::string_view state) const
    {
        const auto centre = centreOf(state);
        return { centre.x() - nodeWidth / 2, centre.y() - nodeHeight / 2, nodeWidth, nodeHeight };
    }
    [[nodiscard]] double bendOf(std::string_view from, std::string_view to) const
    {
        for (const auto& bend : m_plan.bends)
            if (bend.from == from && bend.to == to)
                return bend.by * m_width / widestDiagram;
        return isLegal(m_kind, to, from) ? 16 : 0;
    }

private:
    [[nodiscard]] double yOf(const StatePlace& place) const
    {
        return place.y <= m_fixed ? place.y : m_fixed + (place.y - m_fixed) * m_stretch;
    }
    [[nodiscard]] bool isShown(const StatePath& path, const StatePlace& place) const
    {
        if (isReached(path, place))
            return true;
        const auto foreign = path.native ? Whose::Others : Whose::Ours;
        if (place.whose == foreign || place.whose == Whose::Nobodys)
            return false;
        return std::none_of(m_plan.places.begin(), m_plan.places.end(), [&](const StatePlace& other) {
            return other.x == place.x && other.y == place.y && isReached(path, other);
        });
    }
    static bool isReached(const StatePath& path, const StatePlace& place)
    {
        return path.current == place.state || isVisited(path, place.state);
    }
    static bool isVisited(const StatePath& path, std::string_view state)
    {
        return std::any_of(path.steps.begin(), path.steps.end(),
            [&](const PathStep& step) { return step.from == state || step.to == state; });
    }

    Kind m_kind;
    StatePlan m_plan;
    double m_width;
    double m_stretch;
    double m_fixed; // what is not below it stays where it is
    double m_height = 0;
    std::vector<DiagramNode> m_nodes;
};

// Where the line from the middle of a box towards a point leaves the box, grown by a margin.
QPointF leave(const QRectF& box, const QPointF& towards, double margin)
{
    const auto grown = box.adjusted(-margin, -margin, margin, margin);
    const auto centre = grown.center();
    const auto direction = towards - centre;
    const double x = std::abs(direction.x()) < 1e-9 ? 1e9 : grown.width() / 2 / std::abs(direction.x());
    const double y = std::abs(direction.y()) < 1e-9 ? 1e9 : grown.height() / 2 / std::abs(direction.y());
    return centre + direction * std::min(x, y);
}

void drawLoop(const Ground& ground, DiagramEdge& edge)
{
    const auto box = ground.boxOf(edge.from);
    const QPointF start(box.right() + 1, box.top() + 8);
    const QPointF end(box.right() + 5, box.bottom() - 8);
    edge.line.moveTo(start);
    edge.line.cubicTo(start + QPointF(44, -22), end + QPointF(44, 22), end);
    edge.tip = end;
    edge.angle = std::numbers::pi - 0.35;
}

void drawLine(const Ground& ground, DiagramEdge& edge)
{
    if (edge.from == edge.to)
        return drawLoop(ground, edge);
    const auto a = ground.centreOf(edge.from);
    const auto b = ground.centreOf(edge.to);
    const auto along = b - a;
    const double length = std::hypot(along.x(), along.y());
    const QPointF normal(along.y() / length, -along.x() / length);
    auto control =
        (a + b) / 2 + normal * (2 * (ground.bendOf(edge.from, edge.to) + (edge.kind == EdgeKind::Illegal ? 30 : 0)));
    // On a narrow canvas a wide bend is drawn in as far as it must be.
    constexpr int pulls = 4;
    for (int pull = 0; pull < pulls; ++pull) {
        const auto start = leave(ground.boxOf(edge.from), control, 1);
        edge.tip = leave(ground.boxOf(edge.to), control, 4);
        edge.line = QPainterPath(start);
        edge.line.quadTo(control, edge.tip);
        const auto extent = edge.line.boundingRect();
        const double over = std::max(0.0, canvasMargin - extent.left())
            - std::max(0.0, extent.right() + canvasMargin - ground.size().width());
        if (std::abs(over) < 0.5)
            break;
        control.rx() += 2.5 * over;
    }
    const auto arrival = edge.tip - control;
    edge.angle = std::atan2(arrival.y(), arrival.x());
}

// Where the middle of a label may be, and what it costs beside what it hides.
using Spots = std::vector<std::pair<QPointF, double>>;

// What any place costs that belongs to no line.
constexpr double priceAnywhere = 150;

// Wherever there is room, the nearer the better: for a crowd of labels on a narrow canvas.
Spots spotsAnywhere(const QPointF& from, const QSizeF& canvas)
{
    constexpr double step = 8;
    Spots spots;
    for (double y = step; y < canvas.height(); y += step)
        for (double x = step; x < canvas.width(); x += step)
            spots.emplace_back(QPointF(x, y), priceAnywhere + 2 * (QPointF(x, y) - from).manhattanLength());
    return spots;
}

// Where a label may stand: along its line, beside it, or around a loop.
Spots spotsOf(const Ground& ground, const DiagramEdge& edge, const QSizeF& size)
{
    if (edge.from == edge.to) {
        const auto box = ground.boxOf(edge.from);
        const double right = edge.line.boundingRect().right() + size.width() / 2 + 2;
        const double below = box.bottom() + size.height() / 2 + 8;
        const double above = box.top() - size.height() / 2 - 8;
        return { { { right, box.center().y() }, 0 }, { { right, below }, 20 }, { { right, above }, 30 } };
    }
    Spots spots;
    for (const double at : { 0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82 })
        for (const auto& side :
            { QPointF(0, 0), QPointF(0.15, 0), QPointF(-0.15, 0), QPointF(0.3, 0), QPointF(-0.3, 0), QPointF(0.45, 0),
                QPointF(-0.45, 0), QPointF(0, 0.4), QPointF(0, -0.4), QPointF(0.4, 0.4), QPointF(-0.4, 0.4),
                QPointF(0.4, -0.4), QPointF(-0.4, -0.4), QPointF(0.8, 0), QPointF(-0.8, 0), QPointF(0, 1.2),
                QPointF(0, -1.2), QPointF(0.8, 1.2), QPointF(-0.8, 1.2), QPointF(0.8, -1.2), QPointF(-0.8, -1.2) })
            spots.emplace_back(
                edge.line.pointAtPercent(at) + QPointF(side.x() * size.width(), side.y() * size.height()),
                std::abs(at - 0.5) * 40 + side.manhattanLength() * 40);
    return spots;
}

// What a label must not lie on, and what it should not.
struct Surroundings {
    std::vector<QRectF> taken; // by states and other labels
    std::vector<std::vector<QPointF>> lines; // of all edges, in their order, as points along them
};

bool liesOn(const QRectF& box, const std::vector<QPointF>& line)
{
    return std::any_of(line.begin(), line.end(), [&](const QPointF& point) { return box.contains(point); });
}

// The shortest way from a box to a line.
QLineF wayBetween(const QRectF& box, const std::vector<QPointF>& line)
{
    QLineF shortest;
    for (const auto& point : line) {
        const QPointF nearest(
            std::clamp(point.x(), box.left(), box.right()), std::clamp(point.y(), box.top(), box.bottom()));
        const QLineF way(nearest, point);
        if (shortest.isNull() || way.length() < shortest.length())
            shortest = way;
    }
    return shortest;
}

// Whether a state lies over the way from a label to its line.
bool isHidden(const QLineF& way, const std::vector<DiagramNode>& nodes)
{
    constexpr int looks = 8;
    return std::any_of(nodes.begin(), nodes.end(), [&](const DiagramNode& node) {
        const auto box = node.box.adjusted(-2, -2, 2, 2);
        for (int look = 1; look < looks; ++look)
            if (box.contains(way.pointAt(double(look) / looks)))
                return true;
        return false;
    });
}

// A label on another's line could be taken for that one's, all the more where it is not on its own.
double priceOfLines(const Diagram& diagram, const Surroundings& around, std::size_t own, const QRectF& box)
{
    constexpr double ofPath = 300;
    constexpr double ofPossible = 12;
    constexpr double offItsOwn = 90;
    const bool onItsOwn = liesOn(box, around.lines[own]);
    double price = 0;
    if (!onItsOwn) {
        const auto way = wayBetween(box, around.lines[own]);
        price = offItsOwn + 2 * way.length() + (isHidden(way, diagram.nodes) ? ofPath : 0);
    }
    for (std::size_t i = 0; i < diagram.edges.size(); ++i)
        if (i != own && liesOn(box, around.lines[i]))
            price += diagram.edges[i].kind != EdgeKind::Possible ? ofPath : onItsOwn ? ofPossible : offItsOwn;
    return price;
}

// Of all of them, the one where the label hides least.
void placeLabel(
    const Ground& ground, Diagram& diagram, std::size_t own, const Surroundings& around, const MeasureText& measure)
{
    auto& edge = diagram.edges[own];
    const auto text = measure(edge.label);
    const QSizeF size(text.width() + 12, text.height() + 6);
    const auto canvas = ground.size();
    const auto within = [](double at, double length, double whole) {
        return std::clamp(at - length / 2, 2.0, std::max(2.0, whole - length - 2));
    };
    double best = 1e18;
    const auto choose = [&](const Spots& spots) {
        for (const auto& [centre, price] : spots) {
            const QRectF box(QPointF(within(centre.x(), size.width(), canvas.width()),
                                 within(centre.y(), size.height(), canvas.height())),
                size);
            double cost = price;
            for (const auto& other : around.taken) {
                const auto overlap = box.adjusted(-3, -3, 3, 3).intersected(other);
                cost += overlap.isEmpty() ? 0 : 10 * overlap.width() * overlap.height();
            }
            if (cost < best)
                cost += priceOfLines(diagram, around, own, box);
            if (cost < best) {
                best = cost;
                edge.labelBox = box;
            }
        }
    };
    const auto spots = spotsOf(ground, edge, size);
    choose(spots);
    // Thousands of places, which are looked at where one of them could be better.
    if (best > priceAnywhere)
        choose(spotsAnywhere(edge.from == edge.to ? spots.front().first : edge.line.pointAtPercent(0.5), canvas));
    edge.leader = liesOn(edge.labelBox, around.lines[own]) ? QLineF() : wayBetween(edge.labelBox, around.lines[own]);
}

bool hidesAny(const QRectF& box, const std::vector<QRectF>& taken)
{
    return std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return box.intersects(other); });
}

// Whether it can be taken for no other line's.
bool isClear(const Diagram& diagram, const Surroundings& around, std::size_t own)
{
    for (std::size_t i = 0; i < diagram.edges.size(); ++i)
        if (i != own && diagram.edges[i].kind != EdgeKind::Possible
            && liesOn(diagram.edges[own].labelBox, around.lines[i]))
            return false;
    return true;
}

enum class Placed {
    Badly, // there is not enough room for all
    Crossed, // one is on another line than its own
    Led, // to its own line, on which one has no room
    Well,
};

// One after the other; where one is left without room, it is the first to choose in the next round.
Placed placeLabels(const Ground& ground, Diagram& diagram, const MeasureText& measure)
{
    constexpr int rounds = 10;
    constexpr int pointsOfALine = 32;
    std::vector<std::size_t> order;
    Surroundings around;
    for (std::size_t i = 0; i < diagram.edges.size(); ++i) {
        if (!diagram.edges[i].label.isEmpty())
            order.push_back(i);
        around.lines.emplace_back();
        for (int point = 0; point <= pointsOfALine; ++point)
            around.lines.back().push_back(diagram.edges[i].line.pointAtPercent(double(point) / pointsOfALine));
    }
    for (int round = 0; round < rounds; ++round) {
        around.taken.clear();
        for (const auto& node : diagram.nodes)
            around.taken.push_back(node.box);
        auto without = order.end();
        for (auto edge = order.begin(); edge != order.end(); ++edge) {
            placeLabel(ground, diagram, *edge, around, measure);
            if (hidesAny(diagram.edges[*edge].labelBox, around.taken))
                without = edge;
            around.taken.push_back(diagram.edges[*edge].labelBox);
        }
        if (without == order.end()) {
            const auto isLed = [&](std::size_t own) {
                const auto& edge = diagram.edges[own];
                return edge.from != edge.to && !edge.leader.isNull();
            };
            const bool clear =
                std::all_of(order.begin(), order.end(), [&](std::size_t own) { return isClear(diagram, around, own); });
            return !clear                                        ? Placed::Crossed
                : std::any_of(order.begin(), order.end(), isLed) ? Placed::Led
                                                                 : Placed::Well;
        }
        std::rotate(order.begin(), without, without + 1);
    }
    return Placed::Badly;
}

void addEdge(const Ground& ground, std::vector<DiagramEdge>& edges, DiagramEdge edge)
{
    drawLine(ground, edge);
    edges.push_back(std::move(edge));
}

std::vector<DiagramEdge> edgesOf(const Ground& ground, const StatePath& path)
{
    std::vector<DiagramEdge> edges;
    for (const auto& from : ground.nodes()) {
        for (const auto& to : ground.nodes()) {
            std::vector<std::size_t> legal;
            std::vector<std::size_t> illegal;
            for (std::size_t i = 0; i < path.steps.size(); ++i)
                if (path.steps[i].from == from.state && path.steps[i].to == to.state)
                    (path.steps[i].legal ? legal : illegal).push_back(i);
            if (!illegal.empty())
                addEdge(
                    ground, edges, { .from = from.state, .to = to.state, .kind = EdgeKind::Illegal, .steps = illegal });
            if (!legal.empty())
                addEdge(ground, edges, { .from = from.state, .to = to.state, .kind = EdgeKind::Taken, .steps = legal });
            else if (illegal.empty() && isDrawn(path.kind, from.state, to.state, path.current))
                addEdge(ground, edges, { .from = from.state, .to = to.state });
        }
    }
    std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return edges;
}

} // namespace

Diagram layOut(const StatePath& path, double width, const MeasureText& measure)
{
    // As low as its words allow, because it is read beside other things on a small screen. What is scrolled there
    // anyhow may be as high as it takes.
    constexpr double smallScreen = 450;
    std::optional<std::pair<Placed, Diagram>> best;
    const std::string_view parting = path.kind == Kind::Inbox ? "PROCESSING" : "";
    for (const auto& [stretch, below] : { std::pair(1.0, std::string_view()), { 1.2, "" }, { 1.45, parting },
             { 1.75, parting }, { 1.45, "" }, { 1.75, "" } }) {
        const Ground ground(path, width, stretch, below);
        Diagram diagram{ .size = ground.size(), .nodes = ground.nodes(), .edges = edgesOf(ground, path) };
        for (auto& edge : diagram.edges)
            if (edge.kind != EdgeKind::Possible)
                edge.label = labelOf(path, edge.steps);
        const auto placed = placeLabels(ground, diagram, measure);
        const bool enough = placed == Placed::Well || (placed == Placed::Led && diagram.size.height() <= smallScreen);
        if (!best || placed > best->first || placed == Placed::Badly)
            best.emplace(placed, std::move(diagram));
        if (enough)
            break;
    }
    return std::move(best->second);
}

} // namespace fencepost::ui
