// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/query/filter.h"

namespace fencepost {

// From ≤ span < until.
struct SpanRange {
    Duration from{};
    Duration until{};
};

// A moment in the life of a row, as far as it is known: what is not said may be anything.
struct Moment {
    std::string event = {};
    std::string from = {}; // states; empty: any
    std::string to = {};
    std::optional<int> attempt = {};
    std::optional<int> leastAttempt = {};
    Time since;
    Time until; // not within
    std::optional<SpanRange> delay = {}; // after the failure before it
    std::optional<SpanRange> took = {}; // after the first attempt of its life
};

// The filter of the rows that had such a moment: "had(event = finalize and …)".
[[nodiscard]] std::string filterOf(const Moment& moment);
// That the field is this text, whatever stands in it: "operation = \"POST /refunds\"".
[[nodiscard]] std::string equalTerm(Field field, const std::string& text);

} // namespace fencepost
