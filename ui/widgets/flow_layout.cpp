// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <QCoreApplication>
#include <QLineF>

#include "core/protocol/transition.h"
#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr double boxWidth = 172;
constexpr double boxHeight = 38;
constexpr double columnStep = 258;
constexpr double rowStep = 132;
constexpr double margin = 56; // loops and bends need it
constexpr double labelPadding = 6;

struct NodePlace {
    const char* state;
    double column;
    double row;
};

// Life runs from the left to the right; where it goes wrong, downwards.
constexpr NodePlace ofKeys[] = { { "ABSENT", 0, 0.8 }, { "IN_PROGRESS", 1, 0.8 }, { "HELD", 1, 2.2 },
    { "SUCCEEDED", 2.3, 0 }, { "FAILED_RETRYABLE", 2.3, 1.15 }, { "FAILED_FINAL", 2.3, 2.2 },
    { "EXPIRED", 3.4, 0.45 } };
constexpr NodePlace ofInbox[] = { { "ABSENT", 0, 0.3 }, { "RECEIVED", 1, 0.3 }, { "PROCESSING", 2, 0.3 },
    { "PROCESSED", 3.2, 0.3 }, { "FAILED", 3.2, 1.3 }, { "DEAD", 2, 2 } };
constexpr NodePlace ofOutbox[] = { { "ABSENT", 0, 0.3 }, { "PENDING", 1, 0.3 }, { "SENDING", 2.2, 0.3 },
    { "SENT", 3.4, 0.3 }, { "DEAD", 2.2, 1.6 } };
constexpr NodePlace ofLetters[] = { { "ABSENT", 0, 0.7 }, { "DEAD", 1.2, 0.7 }, { "REDRIVEN", 2.5, 0.1 },
    { "DISCARDED", 2.5, 1.3 } };

std::span<const NodePlace> placesOf(Kind kind)
{
    switch (kind) {
    case Kind::Idempotency:
        return ofKeys;
    case Kind::Inbox:
        return ofInbox;
    case Kind::Outbox:
        return ofOutbox;
    case Kind::DeadLetter:
        return ofLetters;
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return {};
}

// What a healthy life takes, and so is drawn although nothing moved.
std::vector<std::pair<std::string, std::string>> usualEdges(Kind kind)
{
    std::vector<std::pair<std::string, std::string>> edges;
    if (kind == Kind::Idempotency)
        return { { "ABSENT", "IN_PROGRESS" }, { "IN_PROGRESS", "SUCCEEDED" }, { "IN_PROGRESS", "FAILED_RETRYABLE" },
            { "FAILED_RETRYABLE", "IN_PROGRESS" }, { "IN_PROGRESS", "FAILED_FINAL" }, { "IN_PROGRESS", "HELD" },
            { "HELD", "FAILED_FINAL" }, { "EXPIRED", "IN_PROGRESS" } };
    for (const auto& edge : flowEdges(kind))
        edges.emplace_back(edge.from, edge.to);
    // When a message was taken is not recorded, so that nothing is ever counted there.
    if (kind == Kind::Inbox)
        edges.insert(edges.end(), { { "RECEIVED", "PROCESSING" }, { "FAILED", "PROCESSING" } });
    else if (kind == Kind::Outbox)
        edges.emplace_back("PENDING", "SENDING");
    return edges;
}

class Layout {
public:
    Layout(Kind kind, const std::vector<Flow>& flows, const MeasureText& measure)
        : m_flows(flows)
        , m_measure(measure)
    {
        addNodes(kind);
        for (const auto& [from, to] : usualEdges(kind))
            arc(from, to);
        for (std::size_t i = 0; i < flows.size(); ++i) {
            auto& one = arc(flows[i].from, flows[i].to);
            one.flows.push_back(i);
            one.count += flows[i].count;
            one.nature = std::max(one.nature, flows[i].nature);
            node(flows[i].from).met = true;
            node(flows[i].to).met = true;
        }
    }

    FlowPicture take()
    {
        double top = 1e9;
        double bottom = 0;
        for (const auto& each : m_picture.nodes) {
            top = std::min(top, each.box.center().y());
            bottom = std::max(bottom, each.box.center().y());
        }
        m_middle = (top + bottom) / 2 + boxHeight;
        for (auto& each : m_picture.arcs)
            route(each);
        // Where there is least room first.
        std::stable_sort(m_picture.arcs.begin(), m_picture.arcs.end(), [](const FlowArc& left, const FlowArc& right) {
            return std::pair(!left.flows.empty(), left.line.length())
                < std::pair(!right.flows.empty(), right.line.length());
        });
        for (auto& each : m_picture.arcs)
            if (!each.flows.empty())
                label(each);
        fit();
        return std::move(m_picture);
    }

private:
    void addNodes(Kind kind)
    {
        double lowest = 0;
        for (const auto& place : placesOf(kind)) {
            add(place.state, place.column, place.row);
            lowest = std::max(lowest, place.row);
        }
        // What the machine does not have: another's states, or what somebody wrote by hand.
        double column = 0;
        for (const auto& flow : m_flows)
            for (const auto& state : { flow.from, flow.to })
                if (find(state) == nullptr) {
                    const bool absent = state == "ABSENT";
                    add(state, absent ? 0 : 1.4 + std::fmod(column, 3),
                        lowest + (m_picture.nodes.empty() || absent ? 0.5 : 0.9) + std::floor(column / 3) * 0.8);
                    column += absent ? 0 : 1;
                }
    }
    void add(const std::string& state, double column, double row)
    {
        m_picture.nodes.push_back(
            { state, QRectF(margin + column * columnStep, margin + row * rowStep, boxWidth, boxHeight), false });
    }
    FlowNode* find(const std::string& state)
    {
        const auto found = std::find_if(
            m_picture.nodes.begin(), m_picture.nodes.end(), [&](const FlowNode& each) { return each.state == state; });
        return found == m_picture.nodes.end() ? nullptr : &*found;
    }
    FlowNode& node(const std::string& state) { return *find(state); }
    FlowArc& arc(const std::string& from, const std::string& to)
    {
        for (auto& each : m_picture.arcs)
            if (each.from == from && each.to == to)
                return each;
        m_picture.arcs.push_back({ from, to, {} });
        return m_picture.arcs.back();
    }

    static QPointF borderOf(const QRectF& box, const QPointF& towards)
    {
        const auto middle = box.center();
        const auto way = towards - middle;
        const double across = std::abs(way.x()) / (box.width() / 2);
        const double down = std::abs(way.y()) / (box.height() / 2);
        const double most = std::max(across, down);
        return most <= 0 ? middle : middle + way / most;
    }
    static QPointF at(const QPainterPath& line, double part) { return line.pointAtPercent(part); }

    void route(FlowArc& each)
    {
        const auto& from = node(each.from).box;
        const auto& to = node(each.to).box;
        if (each.from == each.to)
            return loop(each, from);
        const bool both = std::any_of(m_picture.arcs.begin(), m_picture.arcs.end(),
            [&](const FlowArc& other) { return other.from == each.to && other.to == each.from; });
        for (const double bend : { both ? 26.0 : 0.0, 44.0, -44.0, 90.0, -90.0, 140.0, -140.0, 200.0 })
            if (curve(each, from, to, bend))
                return;
    }
    // False: it would run through a state that it has nothing to do with.
    bool curve(FlowArc& each, const QRectF& from, const QRectF& to, double bend)
    {
        const QLineF straight(from.center(), to.center());
        const double length = std::max(1.0, straight.length());
        const QPointF aside(-straight.dy() / length, straight.dx() / length);
        const auto control = (from.center() + to.center()) / 2 - aside * bend * 2;
        const auto begin = borderOf(from, control);
        const auto end = borderOf(to, control);
        QPainterPath line(begin);
        line.quadTo(control, end);
        each.line = line;
        each.tip = end;
        const auto way = end - at(line, 0.96);
        each.angle = std::atan2(way.y(), way.x());
        return std::none_of(m_picture.nodes.begin(), m_picture.nodes.end(), [&](const FlowNode& other) {
            return other.state != each.from && other.state != each.to
                && line.intersects(other.box.adjusted(-6, -6, 6, 6));
        });
    }
    void loop(FlowArc& each, const QRectF& box)
    {
        // Below where the others stand above it.
        const bool below = box.center().y() > m_middle;
        const double side = below ? box.bottom() : box.top();
        const QPointF begin(box.left() + box.width() * 0.3, side);
        const QPointF end(box.left() + box.width() * 0.7, side);
        const double high = below ? -44 : 44;
        QPainterPath line(begin);
        line.cubicTo(begin + QPointF(-22, -high), end + QPointF(22, -high), end);
        each.line = line;
        each.tip = end;
        const auto way = end - at(line, 0.95);
        each.angle = std::atan2(way.y(), way.x());
    }

    // Of several events: how many of them are what the colour says.
    [[nodiscard]] QString wordsOf(const FlowArc& each) const
    {
        if (each.flows.size() == 1)
            return text(m_flows[each.flows.front()].event);
        std::int64_t alike = 0;
        for (const auto flow : each.flows)
            alike += m_flows[flow].nature == each.nature ? m_flows[flow].count : 0;
        return alike == each.count
            ? QCoreApplication::translate("FlowDiagram", "%1 events").arg(each.flows.size())
            : QCoreApplication::translate("FlowDiagram", "%1 %2").arg(numberText(alike), text(wordOf(each.nature)));
    }
    void label(FlowArc& each)
    {
        const bool estimated = std::any_of(
            each.flows.begin(), each.flows.end(), [this](std::size_t flow) { return m_flows[flow].estimated; });
        each.label = (estimated ? QStringLiteral("≈ ") : QString()) + numberText(each.count) + u'\n' + wordsOf(each);
        const auto size = m_measure(each.label) + QSizeF(2 * labelPadding, labelPadding);
        QRectF best;
        double least = 1e9;
        // On its line, else beside it.
        for (const double aside : { 0.0, 26.0, -26.0, 44.0, -44.0, 64.0, -64.0 })
            for (double part = 0.12; part < 0.9; part += 0.02) {
                const double turn = (each.line.angleAtPercent(part) + 90) * std::numbers::pi / 180;
                const auto place = at(each.line, part) + QPointF(std::cos(turn), -std::sin(turn)) * aside;
                const QRectF box(place - QPointF(size.width() / 2, size.height() / 2), size);
                const double cost = overlapOf(box) * 10 + crossingsOf(box, each) * 40 + std::abs(part - 0.5) * 60
                    + std::abs(aside) * 1.5;
                if (cost < least) {
                    least = cost;
                    best = box;
                }
            }
        each.labelBox = best;
        m_labels.push_back(best);
    }
    [[nodiscard]] double overlapOf(const QRectF& box) const
    {
        double overlap = 0;
        const auto add = [&](const QRectF& other) {
            const auto common = box.intersected(other.adjusted(-3, -3, 3, 3));
            overlap += common.width() > 0 && common.height() > 0 ? common.width() * common.height() : 0;
        };
        for (const auto& each : m_picture.nodes)
            add(each.box);
        for (const auto& each : m_labels)
            add(each);
        return overlap;
    }
    // A label on another's line could be taken for that one's.
    [[nodiscard]] int crossingsOf(const QRectF& box, const FlowArc& own) const
    {
        return static_cast<int>(std::count_if(m_picture.arcs.begin(), m_picture.arcs.end(), [&](const FlowArc& other) {
            return &other != &own && !other.flows.empty() && other.line.intersects(box);
        }));
    }
    void fit()
    {
        QRectF all;
        for (const auto& each : m_picture.nodes)
            all |= each.box;
        for (const auto& each : m_picture.arcs)
            all |= each.line.boundingRect() | each.labelBox;
        constexpr double edge = 12;
        const QPointF move(edge - all.left(), edge - all.top());
        for (auto& each : m_picture.nodes)
            each.box.translate(move);
        for (auto& each : m_picture.arcs) {
            each.line.translate(move);
            each.tip += move;
            if (!each.label.isEmpty())
                each.labelBox.translate(move);
        }
        m_picture.size = all.size() + QSizeF(2 * edge, 2 * edge);
    }

    const std::vector<Flow>& m_flows;
    const MeasureText& m_measure;
    FlowPicture m_picture;
    std::vector<QRectF> m_labels;
    double m_middle = 0; // loops hang below what stands lower
};

} // namespace

FlowPicture layOutFlows(Kind kind, const std::vector<Flow>& flows, const MeasureText& measure)
{
    return Layout(kind, flows, measure).take();
}

QString stateWordOf(const std::string& state)
{
    const auto look = stateLook(state);
    return look.dotted && !state.empty() ? models::visibleText(state) : look.word;
}

QString describe(const Flow& flow)
{
    auto words = QCoreApplication::translate("FlowDiagram", "%1 to %2 by %3: %4")
                     .arg(stateWordOf(flow.from), stateWordOf(flow.to), text(flow.event),
                         (flow.estimated ? QStringLiteral("≈ ") : QString()) + numberText(flow.count));
    if (!flow.why.empty())
        words += QStringLiteral(", ") + text(flow.why);
    return words;
}

} // namespace fencepost::ui
