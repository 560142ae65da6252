// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/forensics/flow.h"
#include "core/protocol/transition.h"

using namespace fencepost;

namespace {

Flow judged(Kind kind, const char* from, const char* to, const char* event)
{
    Flow flow{ from, to, event, 1, {}, {} };
    judge(kind, flow);
    return flow;
}

// No row of the machine that changes something is called illegal, whatever it starts from.
TEST(FlowTest, KnowsEveryTransitionOfTheProtocol)
{
    for (const auto& transition : transitions()) {
        if (transition.effect == Effect::Nothing)
            continue;
        for (const auto from : { State::Absent, State::InProgress, State::Succeeded, State::FailedRetryable,
                 State::FailedFinal, State::Held, State::Expired }) {
            if (transition.from && *transition.from != from)
                continue;
            const auto to = transition.to.value_or(from);
            const auto shown = transition.guard == Guard::Over ? State::Expired : from;
            const auto flow = judged(Kind::Idempotency, std::string(wordOf(shown)).c_str(),
                std::string(wordOf(to)).c_str(), std::string(wordOf(transition.event)).c_str());
            EXPECT_NE(flow.nature, FlowNature::Illegal)
                << transition.row << ": " << flow.from << " to " << flow.to << " by " << flow.event;
        }
    }
}

TEST(FlowTest, TellsWhatNoRuleAllows)
{
    for (const auto& [from, to, event] : {
             std::tuple("SUCCEEDED", "IN_PROGRESS", "renew"),
             std::tuple("SUCCEEDED", "FAILED_FINAL", "fail"),
             std::tuple("SUCCEEDED", "IN_PROGRESS", "reserve"),
             std::tuple("ABSENT", "SUCCEEDED", "finalize"),
             std::tuple("IN_PROGRESS", "SUCCEEDED", "mismatch"),
             std::tuple("IN_PROGRESS", "SUCCEEDED", "magic"),
             std::tuple("", "SUCCEEDED", "finalize"),
             std::tuple("IN_PROGRESS", "in_progress", "reserve"),
             std::tuple("IN_PROGRESS", "EXPIRED", "finalize"),
             std::tuple("HELD", "EXPIRED", "hold"),
         }) {
        const auto flow = judged(Kind::Idempotency, from, to, event);
        EXPECT_EQ(flow.nature, FlowNature::Illegal) << from << " to " << to << " by " << event;
        EXPECT_NE(flow.why, "");
    }
}

// Its retention was over while it was held or failed, and giving it back lengthens none.
TEST(FlowTest, WhatIsGivenBackMayHaveExpired)
{
    for (const auto& [from, event] : { std::tuple("HELD", "reconcile"), std::tuple("IN_PROGRESS", "reconcile"),
             std::tuple("HELD", "operator_resolve"), std::tuple("IN_PROGRESS", "operator_release") })
        EXPECT_NE(judged(Kind::Idempotency, from, "EXPIRED", event).nature, FlowNature::Illegal) << event;
}

TEST(FlowTest, EveryEdgeOfMessagesIsItself)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        EXPECT_FALSE(flowEdges(kind).empty());
        for (const auto& edge : flowEdges(kind)) {
            const auto flow = judged(
                kind, std::string(edge.from).c_str(), std::string(edge.to).c_str(), std::string(edge.event).c_str());
            EXPECT_EQ(flow.nature, edge.nature);
            EXPECT_EQ(flow.why, edge.why);
        }
    }
    EXPECT_TRUE(flowEdges(Kind::Job).empty());
}

} // namespace
