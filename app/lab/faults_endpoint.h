// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lab/faults.h"
#include "app/lab/http_server.h"

namespace fencepost::app {

// Lists the faults, and for this computer adds to them or clears them.
[[nodiscard]] HttpResponse answerFaults(Faults& faults, const Incoming& incoming);

} // namespace fencepost::app
