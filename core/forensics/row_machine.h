// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "core/query/row.h"

namespace fencepost {

// One change of state of one row, by the states that are shown; ABSENT: there was no row. Unlike a flow, which is
// counted, each change is here.
struct RowEdge {
    std::string_view from;
    std::string_view to;
    bool seldom = false; // of no ordinary life
};

// Inbox, Outbox, DeadLetter and Job; that of the idempotency records is transitions().
[[nodiscard]] std::span<const RowEdge> rowEdges(Kind kind) noexcept;

// Whether the machine of a kind leads from one shown state to the other. Whatever has no machine of its own has that of
// the idempotency records.
[[nodiscard]] bool isLegal(Kind kind, std::string_view from, std::string_view to) noexcept;

} // namespace fencepost
