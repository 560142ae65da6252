// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace fencepost::app {

// The password that the system's keychain keeps under a name, or none: no secret service, no such entry, or no answer
// in time. A bus that cannot start a secret service blocks for half a minute, hence the limit.
[[nodiscard]] std::optional<std::string> passwordFromKeychain(const std::string& name);

} // namespace fencepost::app
