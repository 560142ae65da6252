// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/agenda.h"
#include "core/random.h"
#include "core/store/inbox.h"

namespace fencepost::app {

// Two days of webhooks into the inbox: repeated deliveries, handlers that fail, one that never works, and events that
// wait at the end. `inbox` outlives the agenda.
void writeDeliveries(store::Inbox& inbox, Agenda& agenda, Random& random, Time end);

} // namespace fencepost::app
