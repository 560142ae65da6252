// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/protocol/record.h"

namespace fencepost::app {

// The Authorization of this run, from FENCEPOST_AUTHORIZATION; empty: none.
[[nodiscard]] std::string authorizationOfRun();
// The lines that a client sends for it.
[[nodiscard]] Headers credentialLines(const std::string& authorization);
// A base that a path which begins with a slash is put behind.
[[nodiscard]] std::string withoutSlashes(std::string base);

} // namespace fencepost::app
