// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include "core/forensics/flow.h"
#include "core/forensics/row_machine.h"
#include "core/messaging/dead_letter.h"
#include "core/protocol/transition.h"

namespace fencepost {
namespace {

TEST(RowMachineTest, RecordsHaveTheMachineOfTheProtocol)
{
    EXPECT_TRUE(rowEdges(Kind::Idempotency).empty());
    for (const auto from : { State::Absent, State::InProgress, State::Succeeded, State::Held, State::Expired })
        for (const auto to : { State::Absent, State::InProgress, State::FailedFinal, State::Held, State::Expired })
            EXPECT_EQ(isLegal(Kind::Idempotency, wordOf(from), wordOf(to)), isLegal(from, to))
                << wordOf(from) << " to " << wordOf(to);
    EXPECT_FALSE(isLegal(Kind::Idempotency, "SUCCEEDED", "FAILED_RETRYABLE"));
    EXPECT_FALSE(isLegal(Kind::Idempotency, "ABSENT", "NONSENSE"));
}

TEST(RowMachineTest, EveryStateOfMessagesComesFromABeginning)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        std::set<std::string_view> reached{ "ABSENT" };
        for (std::size_t i = 0; i < rowEdges(kind).size(); ++i)
            for (const auto& edge : rowEdges(kind))
                if (reached.contains(edge.from))
                    reached.insert(edge.to);
        for (const auto& edge : rowEdges(kind)) {
            EXPECT_TRUE(reached.contains(edge.from)) << edge.from;
            EXPECT_TRUE(isLegal(kind, edge.from, edge.to));
        }
        EXPECT_FALSE(isLegal(kind, "ABSENT", "ABSENT"));
        EXPECT_FALSE(isLegal(kind, "UNKNOWN", "DEAD"));
    }
    EXPECT_FALSE(isLegal(Kind::Inbox, "PROCESSED", "RECEIVED")) << "what was processed is never handled again";
    EXPECT_FALSE(isLegal(Kind::Outbox, "PENDING", "SENT"));
    EXPECT_FALSE(isLegal(Kind::DeadLetter, "REDRIVEN", "DISCARDED"));
}

// What is counted of a table is what its rows do, but for what is counted of their dead letters.
TEST(RowMachineTest, WhatIsCountedIsAnEdgeOfTheMachine)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter })
        for (const auto& edge : flowEdges(kind)) {
            const bool ofTheLetter = edge.event == "conflict" || (edge.event == "discard" && kind != Kind::DeadLetter);
            EXPECT_TRUE(ofTheLetter || isLegal(kind, edge.from, edge.to)) << edge.from << " to " << edge.to;
        }
}

} // namespace
} // namespace fencepost
