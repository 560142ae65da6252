// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/protocol/transition.h"
#include "ui/widgets/flow_layout.h"

namespace fencepost::ui {
namespace {

QSizeF measure(const QString& text)
{
    double longest = 0;
    for (const auto& line : text.split(u'\n'))
        longest = std::max(longest, double(line.size()) * 7);
    return { longest, 15.0 * double(text.count(u'\n') + 1) };
}

const FlowArc* arcOf(const FlowPicture& picture, const std::string& from, const std::string& to)
{
    for (const auto& arc : picture.arcs)
        if (arc.from == from && arc.to == to)
            return &arc;
    return nullptr;
}

const FlowNode* nodeOf(const FlowPicture& picture, const std::string& state)
{
    for (const auto& node : picture.nodes)
        if (node.state == state)
            return &node;
    return nullptr;
}

void expectWhole(const FlowPicture& picture)
{
    const QRectF all(QPointF(), picture.size);
    for (const auto& node : picture.nodes) {
        EXPECT_TRUE(all.contains(node.box)) << node.state;
        for (const auto& other : picture.nodes)
            EXPECT_TRUE(&node == &other || !node.box.intersects(other.box)) << node.state << " on " << other.state;
    }
    for (const auto& arc : picture.arcs) {
        // A straight line has no height, and no rectangle contains it.
        const auto line = arc.line.boundingRect();
        EXPECT_TRUE(all.contains(line.topLeft()) && all.contains(line.bottomRight())) << arc.from << " to " << arc.to;
        EXPECT_EQ(arc.flows.empty(), arc.label.isEmpty());
        if (arc.flows.empty())
            continue;
        EXPECT_TRUE(all.contains(arc.labelBox)) << arc.from << " to " << arc.to;
        for (const auto& node : picture.nodes)
            EXPECT_FALSE(node.box.intersects(arc.labelBox)) << arc.from << " to " << arc.to << " on " << node.state;
        for (const auto& other : picture.arcs)
            EXPECT_TRUE(&arc == &other || other.flows.empty() || !other.labelBox.intersects(arc.labelBox))
                << arc.from << " to " << arc.to << " on " << other.from << " to " << other.to;
    }
}

TEST(FlowLayoutTest, DrawsAQuietMachineWhole)
{
    for (const auto kind : { Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        const auto picture = layOutFlows(kind, {}, measure);
        EXPECT_GE(picture.nodes.size(), 4U);
        EXPECT_GE(picture.arcs.size(), 3U);
        expectWhole(picture);
        for (const auto& node : picture.nodes)
            EXPECT_FALSE(node.met);
    }
    // What is never counted is drawn all the same.
    const auto inbox = layOutFlows(Kind::Inbox, {}, measure);
    EXPECT_NE(arcOf(inbox, "RECEIVED", "PROCESSING"), nullptr);
    EXPECT_NE(arcOf(inbox, "FAILED", "PROCESSING"), nullptr);
    EXPECT_NE(arcOf(layOutFlows(Kind::Outbox, {}, measure), "PENDING", "SENDING"), nullptr);
}

TEST(FlowLayoutTest, StatesThatNobodyKnowsKeepTheirNames)
{
    EXPECT_EQ(stateWordOf("BOGUS"), QStringLiteral("BOGUS"));
    EXPECT_EQ(stateWordOf("WHAT"), QStringLiteral("WHAT"));
    EXPECT_EQ(stateWordOf("FAILED_RETRYABLE"), QStringLiteral("FAILED_RETRYABLE"));
    EXPECT_EQ(describe({ "BOGUS", "WHAT", "jump", 2, {}, {}, FlowNature::Illegal, "" }),
        QStringLiteral("BOGUS to WHAT by jump: 2"));
}

TEST(FlowLayoutTest, EveryTransitionOfTheProtocolFindsItsPlace)
{
    std::vector<Flow> flows;
    for (const auto& transition : transitions()) {
        if (!transition.from || !transition.to)
            continue;
        Flow flow{ std::string(wordOf(*transition.from)), std::string(wordOf(*transition.to)),
            std::string(wordOf(transition.event)), 12'345 };
        flows.push_back(flow);
    }
    ASSERT_GT(flows.size(), 15U);
    expectWhole(layOutFlows(Kind::Idempotency, flows, measure));
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        std::vector<Flow> all;
        for (const auto& edge : flowEdges(kind))
            all.push_back({ std::string(edge.from), std::string(edge.to), std::string(edge.event), 1'000'000 });
        const auto picture = layOutFlows(kind, all, measure);
        expectWhole(picture);
        for (const auto& flow : all)
            EXPECT_TRUE(nodeOf(picture, flow.to)->met) << flow.to;
    }
}

TEST(FlowLayoutTest, FlowsOfOneEdgeAreOneAndTheWorstOfThemColoursIt)
{
    const auto picture = layOutFlows(Kind::Idempotency,
        { { "IN_PROGRESS", "IN_PROGRESS", "renew", 100, {}, {}, FlowNature::Expected },
            { "IN_PROGRESS", "IN_PROGRESS", "reserve", 3, {}, {}, FlowNature::Suspicious },
            { "ABSENT", "IN_PROGRESS", "reserve", 7, {}, {}, FlowNature::Expected } },
        measure);
    const auto* loop = arcOf(picture, "IN_PROGRESS", "IN_PROGRESS");
    ASSERT_NE(loop, nullptr);
    EXPECT_EQ(loop->count, 103);
    EXPECT_EQ(loop->nature, FlowNature::Suspicious);
    EXPECT_EQ(loop->label, QStringLiteral("103\n3 suspicious"));
    EXPECT_EQ(arcOf(picture, "ABSENT", "IN_PROGRESS")->label, QStringLiteral("7\nreserve"));
    expectWhole(picture);
}

TEST(FlowLayoutTest, StatesThatTheMachineDoesNotHaveStandBesideIt)
{
    const std::vector<Flow> flows{ { "NONSENSE", "IN_PROGRESS", "reserve", 1, {}, {}, FlowNature::Illegal },
        { "SUCCEEDED", "ZOMBIE", "rise", 1, {}, {}, FlowNature::Illegal } };
    const auto picture = layOutFlows(Kind::Idempotency, flows, measure);
    EXPECT_NE(nodeOf(picture, "NONSENSE"), nullptr);
    EXPECT_NE(nodeOf(picture, "ZOMBIE"), nullptr);
    expectWhole(picture);
    // Another's table has no machine: what arrived in which state.
    std::vector<Flow> foreign;
    for (const char* state : { "SUCCEEDED", "FAILED_FINAL", "IN_PROGRESS", "UNKNOWN", "HELD" })
        foreign.push_back({ "ABSENT", state, "create", 5 });
    expectWhole(layOutFlows(Kind::Job, foreign, measure));
}

} // namespace
} // namespace fencepost::ui
