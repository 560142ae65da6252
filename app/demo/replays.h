// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/agenda.h"
#include "core/backend.h"
#include "core/random.h"

namespace fencepost::app {

// What the people on call replayed in the last hour: the partner's events, most of which arrive now, and the receipts,
// whose first one dies again, so that the brake holds the rest back. `clock` is the agenda's. `relayPass` lets the
// relay look for what is due. All of it outlives the agenda.
void writeReplays(Backend& backend, Agenda& agenda, const Clock& clock, Random& random, Time end,
    const std::function<Status()>& relayPass);

} // namespace fencepost::app
