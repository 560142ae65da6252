// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/agenda.h"
#include "core/random.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"

namespace fencepost::app {

// Two days of events that are sent: most arrive, some endpoints refuse or break, some answers are lost behind a consumer
// that had its effect, and one waits behind a dead head of its key. All of it outlives the agenda.
void writeMessages(store::Outbox& outbox, store::Inbox& inbox, Agenda& agenda, Random& random, Time end);

} // namespace fencepost::app
