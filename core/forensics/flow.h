// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/row.h"
#include "core/time.h"

namespace fencepost {

// Expected: as the protocol has it. Intervened: an operator, or what takes an operator's change back. Suspicious: the
// protocol provides for it, and something went wrong. Illegal: no rule of the protocol leads there.
enum class FlowNature { Expected, Intervened, Suspicious, Illegal };

[[nodiscard]] std::string_view wordOf(FlowNature nature) noexcept; // "expected", …

// How often rows went from one state to another by one event, within a stretch of time.
struct Flow {
    std::string from; // shown states; ABSENT: there was no row
    std::string to;
    std::string event;
    std::int64_t count = 0;
    Time firstAt;
    Time lastAt;
    FlowNature nature = FlowNature::Expected;
    std::string why; // not expected: in words
    bool estimated = false; // some of them are taken to have come evenly between the first and the last that are known

    bool operator==(const Flow&) const = default;
};

// One edge of a machine. That of the idempotency records is transitions(); those of messages are here.
struct FlowEdge {
    std::string_view from;
    std::string_view to;
    std::string_view event;
    FlowNature nature;
    std::string_view why;
};

// Inbox, Outbox and DeadLetter; the others have none.
[[nodiscard]] std::span<const FlowEdge> flowEdges(Kind kind) noexcept;

// Judges a flow by its states and its event.
void judge(Kind kind, Flow& flow);

// The filter of the rows that took one of these ways at since ≤ t < until, however many they are: a row that took it
// twice is one. Another's table tells only what came, and what it is now.
[[nodiscard]] std::string filterOf(Kind kind, bool native, const std::vector<Flow>& flows, Time since, Time until);

} // namespace fencepost
