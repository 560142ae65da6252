// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/messaging/webhook_signature.h"

namespace fencepost::app {

constexpr const char* webhookSecretVariable = "FENCEPOST_WEBHOOK_SECRET";

// Apart by blanks: while they are changed, both sign and both are believed. None: nothing is signed.
[[nodiscard]] Result<std::vector<WebhookSecret>> webhookSecretsIn(const std::string& text);
// Of the environment, so that none is in an argument.
[[nodiscard]] Result<std::vector<WebhookSecret>> webhookSecrets();

} // namespace fencepost::app
