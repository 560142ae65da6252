// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/inspector.h"

namespace fencepost::ui {

// The states in which rows of a table are to be expected, in the order of their life, out of the words that its kind
// has in a profile. A row in any other state is shown all the same, UNKNOWN among them.
[[nodiscard]] std::vector<std::string> expectedStates(const Binding& binding);
// Those words, all of them.
[[nodiscard]] std::vector<std::string> possibleStates(Kind kind);
// Whether the table can tell that a row waits for a person.
[[nodiscard]] bool tellsHolds(const Binding& binding);
// Whether refused arrivals are recorded: nobody's tables but our own keep them, elsewhere they are refused before
// anything is written.
[[nodiscard]] bool tellsConflicts(const Binding& binding);

} // namespace fencepost::ui
