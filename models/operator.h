// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace fencepost::models {

// Who acts, and where that is kept for tables without an audit of their own: the same in every program, so that what
// one of them did is seen by the others.

// "user@host", the system's own name for the user: the environment may be empty, or say anything.
[[nodiscard]] std::string actorName();
// $XDG_STATE_HOME/fencepost/audit.sqlite; a relative variable is ignored, as its specification demands.
[[nodiscard]] std::string auditFile();
// fencepost.policy.json beside an SQLite file (`database`, empty for a server), in the working folder, or in the
// programs' own configuration: the first that is there. Empty: none is.
[[nodiscard]] std::string policyFile(const std::string& database, const std::string& configuration);

} // namespace fencepost::models
