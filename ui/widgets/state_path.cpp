// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <QCoreApplication>
#include <QStringList>

#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString pathWord(const char* text)
{
    return QCoreApplication::translate("StateDiagram", text);
}

QString toText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

// Arrivals that were refused move nothing; the timeline shows them.
bool moves(const JournalEntry& entry)
{
    return entry.event != "mismatch" && entry.event != "fenced";
}

void append(StatePath& path, PathStep step)
{
    if (!path.steps.empty() && path.steps.back().at && step.at)
        step.since = *step.at - *path.steps.back().at;
    path.steps.push_back(std::move(step));
}

// Bridges what the journal does not say: expiry by the clock, or a change that nobody journalled.
void bridge(StatePath& path, State from, State to, const std::optional<Time>& at)
{
    if (from == to)
        return;
    const bool expiry = to == State::Expired && from != State::Absent;
    append(path,
        { .from = from,
            .to = to,
            .event = expiry ? "expiry" : "unrecorded",
            .at = expiry ? at : std::nullopt,
            .legal = expiry });
}

constexpr double nodeWidth = 152;
constexpr double nodeHeight = 34;

struct PathPlace {
    State state;
    double x; // from the middle, in halves of what is left beside a node
    double y;
};

// Hand-placed: the ordinary life runs down the middle, what needs a person is left, what needs time is right.
constexpr std::array placesOfPath = {
    PathPlace{ State::Absent, 0, 24 },
    PathPlace{ State::InProgress, 0, 120 },
    PathPlace{ State::Held, -1, 236 },
    PathPlace{ State::FailedRetryable, 1, 236 },
    PathPlace{ State::Succeeded, -0.57, 350 },
    PathPlace{ State::FailedFinal, 0.57, 350 },
    PathPlace{ State::Expired, 0, 464 },
    PathPlace{ State::Unknown, -1, 120 },
};
constexpr double canvasHeight = 490;
constexpr double canvasMargin = 4;

struct Bend {
    State from;
    State to;
    double by; // sideways offset of the curve's middle, to the left of its direction
};

// Edges that would run through a node, or side by side with their opposite, take a way around.
constexpr std::array bends = {
    Bend{ State::InProgress, State::Absent, 22 },
    Bend{ State::Absent, State::InProgress, 0 },
    Bend{ State::Expired, State::InProgress, 0 },
    Bend{ State::InProgress, State::Expired, 26 },
    Bend{ State::Expired, State::Absent, -250 },
    Bend{ State::Succeeded, State::Absent, 190 },
    Bend{ State::FailedFinal, State::Absent, -190 },
    Bend{ State::FailedRetryable, State::Absent, -60 },
    Bend{ State::Held, State::FailedRetryable, -24 },
    Bend{ State::FailedRetryable, State::Held, -24 },
};

// Where the nodes stand on a canvas of some width.
class Ground {
public:
    explicit Ground(double width)
        : m_width(std::clamp(width, narrowestDiagram, widestDiagram))
    {
    }

    [[nodiscard]] QSizeF size() const { return { m_width, canvasHeight }; }
    [[nodiscard]] QPointF centreOf(State state) const
    {
        // Two of a row must not touch.
        constexpr double least = nodeWidth / 2 + 2 * canvasMargin;
        const double reach = (m_width - nodeWidth) / 2 - canvasMargin;
        for (const auto& place : placesOfPath)
            if (place.state == state)
                return { m_width / 2
                        + (place.x == 0 ? 0 : std::copysign(std::max(least, std::abs(place.x) * reach), place.x)),
                    place.y };
        return {};
    }
    [[nodiscard]] QRectF boxOf(State state) const
    {
        const auto centre = centreOf(state);
        return { centre.x() - nodeWidth / 2, centre.y() - nodeHeight / 2, nodeWidth, nodeHeight };
    }
    [[nodiscard]] double bendOf(State from, State to) const
    {
        for (const auto& bend : bends)
            if (bend.from == from && bend.to == to)
                return bend.by * m_width / widestDiagram;
        return isLegal(to, from) ? 16 : 0;
    }

private:
    double m_width;
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
            { QPointF(0, 0), QPointF(0.5, 0), QPointF(-0.5, 0), QPointF(0.8, 0), QPointF(-0.8, 0), QPointF(0, 1.2),
                QPointF(0, -1.2), QPointF(0.8, 1.2), QPointF(-0.8, 1.2), QPointF(0.8, -1.2), QPointF(-0.8, -1.2) })
            spots.emplace_back(
                edge.line.pointAtPercent(at) + QPointF(side.x() * size.width(), side.y() * size.height()),
                std::abs(at - 0.5) * 40 + side.manhattanLength() * 120);
    return spots;
}

// Of all of them, the one where the label hides least.
void placeLabel(const Ground& ground, DiagramEdge& edge, const std::vector<QRectF>& taken, const MeasureText& measure)
{
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
            for (const auto& other : taken) {
                const auto overlap = box.adjusted(-3, -3, 3, 3).intersected(other);
                cost += overlap.isEmpty() ? 0 : 10 * overlap.width() * overlap.height();
            }
            if (cost < best) {
                best = cost;
                edge.labelBox = box;
            }
        }
    };
    const auto own = spotsOf(ground, edge, size);
    choose(own);
    // Thousands of places, which are looked at where one of them could be better.
    if (best > priceAnywhere)
        choose(spotsAnywhere(edge.from == edge.to ? own.front().first : edge.line.pointAtPercent(0.5), canvas));
}

// The whole net would hide the path: what leads back to the beginning, or out of expiry, is drawn where it is next.
bool isShown(State from, State to, State current)
{
    if (from == to || from == State::Unknown || to == State::Unknown || !isLegal(from, to))
        return false;
    return from == current || (from != State::Expired && to != State::Absent);
}

void addEdge(const Ground& ground, std::vector<DiagramEdge>& edges, DiagramEdge edge)
{
    drawLine(ground, edge);
    edges.push_back(std::move(edge));
}

std::vector<DiagramEdge> edgesOf(const Ground& ground, const StatePath& path)
{
    std::vector<DiagramEdge> edges;
    for (const auto& from : placesOfPath) {
        for (const auto& to : placesOfPath) {
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
            else if (illegal.empty() && isShown(from.state, to.state, path.current))
                addEdge(ground, edges, { .from = from.state, .to = to.state });
        }
    }
    std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return edges;
}

QString numbersOf(const std::vector<std::size_t>& steps)
{
    QStringList numbers;
    for (const auto step : steps)
        numbers += QString::number(step + 1);
    if (numbers.size() > 4)
        numbers = { numbers.at(0), numbers.at(1), QStringLiteral("…"), numbers.constLast() };
    return numbers.join(QStringLiteral(", "));
}

} // namespace

StatePath pathOf(std::vector<JournalEntry> journal, const ShownRecord& shown)
{
    std::sort(journal.begin(), journal.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
    StatePath path{ .steps = {}, .current = shown.state, .journalled = shown.journalled };
    std::optional<State> last;
    for (const auto& entry : journal) {
        const auto from = stateOf(entry.fromState).value_or(State::Unknown);
        const auto to = stateOf(entry.toState).value_or(State::Unknown);
        if (!moves(entry))
            continue;
        if (last)
            bridge(path, *last, from, std::nullopt);
        append(path,
            { .from = from,
                .to = to,
                .event = entry.event,
                .attempt = entry.attempt,
                .owner = entry.owner,
                .actor = entry.actor,
                .reason = entry.reason,
                .at = entry.at,
                .legal = isLegal(from, to),
                .seq = entry.seq });
        last = to;
    }
    if (last)
        bridge(path, *last, shown.state, shown.expiresAt);
    return path;
}

std::string formatPath(const StatePath& path)
{
    if (path.steps.empty())
        return std::string(wordOf(path.current));
    std::string text(wordOf(path.steps.front().from));
    for (const auto& step : path.steps) {
        text += step.legal ? " > " : " !> ";
        text += wordOf(step.to);
    }
    return text;
}

Diagram layOut(const StatePath& path, double width, const MeasureText& measure)
{
    const Ground ground(width);
    Diagram diagram{ .size = ground.size(), .nodes = {}, .edges = edgesOf(ground, path) };
    std::vector<QRectF> taken;
    for (const auto& place : placesOfPath) {
        const bool visited = std::any_of(path.steps.begin(), path.steps.end(),
            [&](const PathStep& step) { return step.from == place.state || step.to == place.state; });
        if (place.state == State::Unknown && !visited && path.current != State::Unknown)
            continue;
        diagram.nodes.push_back({ place.state, ground.boxOf(place.state), visited, path.current == place.state });
        taken.push_back(ground.boxOf(place.state));
    }
    for (auto& edge : diagram.edges) {
        if (edge.kind == EdgeKind::Possible)
            continue;
        edge.label = labelOf(path, edge.steps);
        placeLabel(ground, edge, taken, measure);
        taken.push_back(edge.labelBox);
    }
    return diagram;
}

QString labelOf(const StatePath& path, const std::vector<std::size_t>& steps)
{
    const auto& last = path.steps[steps.back()];
    QString first = QStringLiteral("%1 · ").arg(numbersOf(steps));
    if (last.event == "expiry")
        first += pathWord("time passed");
    else if (last.event == "unrecorded")
        first += pathWord("not journalled");
    else
        first += last.attempt > 0 ? pathWord("attempt %1").arg(last.attempt) : toText(last.event);
    if (!last.owner.empty())
        first += QStringLiteral(" · ") + lastSix(last.owner);
    if (!last.since)
        return first;
    return first + QStringLiteral("\n") + pathWord("after %1").arg(toText(formatDuration(*last.since)));
}

QString describe(const PathStep& step)
{
    auto text = pathWord("%1 to %2 by %3").arg(toText(wordOf(step.from)), toText(wordOf(step.to)), toText(step.event));
    if (step.attempt > 0)
        text += pathWord(", attempt %1").arg(step.attempt);
    if (!step.owner.empty())
        text += pathWord(", owner %1").arg(lastSix(step.owner));
    if (step.since)
        text += pathWord(", after %1").arg(toText(formatDuration(*step.since)));
    if (!step.legal)
        text += pathWord(", which the state machine does not allow");
    return text;
}

QString describe(const StatePath& path)
{
    QStringList sentences{ pathWord("The record is %1.").arg(toText(wordOf(path.current))) };
    if (!path.journalled)
        sentences += pathWord("This table keeps no journal, so only the present state is known.");
    for (std::size_t i = 0; i < path.steps.size(); ++i)
        sentences += pathWord("Step %1: %2.").arg(i + 1).arg(describe(path.steps[i]));
    return sentences.join(u' ');
}

} // namespace fencepost::ui
