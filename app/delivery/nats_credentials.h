// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/delivery/targets.h"

namespace fencepost::app {

// For --help: which variables natsCredentials() reads.
extern const char* const natsCredentialsHelp;

// Of the environment, so that none is in an argument or in an outbox. Invalid: more than one kind, or half of one.
[[nodiscard]] Result<delivery::NatsCredentials> natsCredentials();

} // namespace fencepost::app
