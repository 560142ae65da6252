// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/lab/payouts.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/store/database.h"

namespace fencepost::app {

// What a cashier works with; all of it belongs to its thread.
struct CashierParts {
    store::Connection& connection;
    const Clock& clock;
    Random& random;
    std::vector<std::string> destinations{}; // that hear of refunds; empty: nobody
    Payouts* payouts = nullptr; // none: refunds are rows of this database and nothing else
    Vendor vendor{}; // that the payouts go to
    std::map<std::string, Duration, std::less<>> effectsKept{}; // by operation; else a day

    // How long an effect of an operation is remembered.
    [[nodiscard]] Duration kept(std::string_view operation) const;
    // The name of something new.
    [[nodiscard]] std::string freshId(const char* prefix) const;
};

} // namespace fencepost::app
