// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/demo/agenda.h"
#include "app/demo/service.h"

namespace fencepost::app {

// How long the history is that the demo shows.
inline constexpr auto demoSpan = std::chrono::hours(48);

// Two quiet days, an outage of the provider in the afternoon of the second, and a deployment that went wrong in the
// last hour.
[[nodiscard]] Weather forecast(Time now, Time end);

// Writes two days of clients into the agenda: their requests, duplicates, late repeats and mistakes. What still runs at
// the end is left running.
void writeStory(Service& service, Agenda& agenda, Random& random, Time end);

} // namespace fencepost::app
