// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/protocol/transition.h"

namespace fencepost {

// Steps of a record as a journal or a log tells them, by the states that are shown. What is shown covers what is
// stored: an expired record is still its status underneath, a held one is in progress or failed for now.

// Whether some row of the table leads by this event from one shown state to the other.
[[nodiscard]] bool leads(Event event, State from, State to) noexcept;
// The same by whatever event. A record whose steps were all made in one transaction is there at once.
[[nodiscard]] bool leads(State from, State to) noexcept;

// What an arrival is called that was refused or answered from the record, and changed nothing: "mismatch", "fenced",
// "in_progress", "replayed", "held", "expired". Our own journal tells of the refused ones, an imported log of all.
[[nodiscard]] bool isArrival(std::string_view word) noexcept;

} // namespace fencepost
