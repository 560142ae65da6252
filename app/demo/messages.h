// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/agenda.h"
#include "app/demo/service.h"
#include "core/random.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"

namespace fencepost::app {

// When the partner, who refused for two days, listens again.
inline constexpr Duration partnerIsBack = std::chrono::minutes(55); // before the end

// Two days of refunds and the events that tell of them: most arrive, some endpoints refuse or break, some answers are
// lost behind a consumer that had its effect, and one waits behind a dead head of its key. All of it outlives the
// agenda. The answer lets the relay look for what is due.
std::function<Status()> writeMessages(
    Service& service, store::Outbox& outbox, store::Inbox& inbox, Agenda& agenda, Random& random, Time end);

} // namespace fencepost::app
