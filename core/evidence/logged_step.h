// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/protocol/record.h"

namespace fencepost {

// One line of a log as a step of its record. Unknown: the log does not tell the state.
struct LoggedStep {
    State from = State::Unknown;
    State to = State::Unknown;
    std::string_view word; // the event as it is told; empty: it is not
    std::string_view outcome; // of telemetry::KeyOutcome; empty: it is not told
    bool begins = false; // by its states, its outcome and the line before, an execution begins with it
};

// What our journal would call it. Everybody has words of his own for what happened, and some of them are ours for
// something else: the word counts where a rule of the protocol leads so by it, and otherwise what came of it does.
// "unknown": the states tell nothing that could be called anything.
[[nodiscard]] std::string_view eventOf(const LoggedStep& step) noexcept;

} // namespace fencepost
