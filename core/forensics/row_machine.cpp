// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/row_machine.h"

#include <algorithm>
#include <array>

#include "core/protocol/transition.h"

namespace fencepost {

namespace {

constexpr bool isSeldom = true;

constexpr std::array inboxRows = {
    RowEdge{ "ABSENT", "RECEIVED" },
    RowEdge{ "RECEIVED", "PROCESSING" },
    RowEdge{ "PROCESSING", "PROCESSED" },
    RowEdge{ "PROCESSING", "FAILED" },
    RowEdge{ "FAILED", "PROCESSING" },
    RowEdge{ "PROCESSING", "DEAD" },
    RowEdge{ "DEAD", "RECEIVED" },
    // Its handler was lost, and the next delivery takes it over.
    RowEdge{ "PROCESSING", "PROCESSING", isSeldom },
    // Its effect is another event's, or a later version was applied: nothing is carried out.
    RowEdge{ "RECEIVED", "PROCESSED", isSeldom },
    RowEdge{ "FAILED", "PROCESSED", isSeldom },
    // Its attempts are spent when it arrives again.
    RowEdge{ "FAILED", "DEAD", isSeldom },
};

constexpr std::array outboxRows = {
    RowEdge{ "ABSENT", "PENDING" },
    RowEdge{ "PENDING", "SENDING" },
    RowEdge{ "SENDING", "SENT" },
    RowEdge{ "SENDING", "PENDING" },
    RowEdge{ "SENDING", "DEAD" },
    RowEdge{ "DEAD", "PENDING" },
    RowEdge{ "DEAD", "DISCARDED" },
    RowEdge{ "DISCARDED", "DEAD", isSeldom },
    // It was sent, and its consumer's dead letter is sent again.
    RowEdge{ "SENT", "PENDING", isSeldom },
    RowEdge{ "DISCARDED", "PENDING", isSeldom },
    // The words of other outboxes, whose rows have them instead of SENT and of a PENDING that waits for its next
    // attempt.
    RowEdge{ "SENDING", "DISPATCHED" },
    RowEdge{ "SENDING", "FAILED" },
    RowEdge{ "FAILED", "SENDING" },
    RowEdge{ "FAILED", "DEAD" },
};

// Only frameworks have jobs.
constexpr std::array jobRows = {
    RowEdge{ "ABSENT", "PENDING" },
    RowEdge{ "PENDING", "IN_PROGRESS" },
    RowEdge{ "IN_PROGRESS", "SUCCEEDED" },
    RowEdge{ "IN_PROGRESS", "FAILED_RETRYABLE" },
    RowEdge{ "FAILED_RETRYABLE", "IN_PROGRESS" },
    RowEdge{ "IN_PROGRESS", "DEAD" },
    RowEdge{ "DEAD", "PENDING" },
    RowEdge{ "IN_PROGRESS", "FAILED_FINAL" },
    RowEdge{ "FAILED_RETRYABLE", "DEAD", isSeldom },
};

constexpr std::array letterRows = {
    RowEdge{ "ABSENT", "DEAD" },
    RowEdge{ "DEAD", "REDRIVEN" },
    RowEdge{ "REDRIVEN", "DEAD" },
    RowEdge{ "DEAD", "DISCARDED" },
    RowEdge{ "DISCARDED", "DEAD" },
    // The other payload came again.
    RowEdge{ "DEAD", "DEAD", isSeldom },
};

} // namespace

std::span<const RowEdge> rowEdges(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Inbox:
        return inboxRows;
    case Kind::Outbox:
        return outboxRows;
    case Kind::DeadLetter:
        return letterRows;
    case Kind::Job:
        return jobRows;
    case Kind::Idempotency:
    case Kind::Lock:
        break;
    }
    return {};
}

bool isLegal(Kind kind, std::string_view from, std::string_view to) noexcept
{
    const auto edges = rowEdges(kind);
    if (!edges.empty())
        return std::any_of(
            edges.begin(), edges.end(), [&](const RowEdge& edge) { return edge.from == from && edge.to == to; });
    const auto before = stateOf(from);
    const auto after = stateOf(to);
    return before && after && isLegal(*before, *after);
}

} // namespace fencepost
