// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/backend.h"
#include "core/clock.h"
#include "core/profile/profile.h"
#include "core/random.h"
#include "core/store/database.h"

namespace fencepost::store {

struct OpenRequest {
    Target target;
    OpenOptions options;
    const Clock* clock =
        nullptr; // decides leases in SQLite; null: the system's. PostgreSQL binds it only where bindClock is set
    bool bindClock = false; // tests, demo and simulator on PostgreSQL; otherwise the database's own clock decides
    const profile::Library* profiles = nullptr; // not owned, outlives the backend
    Random* random = nullptr; // draws an operator's owner ids; none: the system's
    std::string only; // the one table that is asked for, as a binding is named: views beside it are not run
    std::string identity; // of a database that is still made under another name; empty: as it is found
    std::string
        auditPath; // the console's own audit file, for targets without the audit table; empty: such writes are refused
};

// Opens on the calling thread; errors say what could not be opened and never contain a password.
[[nodiscard]] Result<std::unique_ptr<Backend>> open(const OpenRequest& request);

} // namespace fencepost::store
