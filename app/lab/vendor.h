// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "app/lab/http_server.h"
#include "core/store/database.h"

namespace fencepost::app {

class Faults;

struct VendorOptions {
    store::Target target;
    store::OpenOptions openOptions;
    bool recognisesKeys = false; // a repeated Idempotency-Key pays once (Stripe); else the header means nothing to it
};

// The company behind the refunds, as far as the lab needs one: it pays out over real HTTP and keeps its own books.
// POST /payouts {amount,currency,external_id}, GET /payouts?external_id=….
[[nodiscard]] Result<std::unique_ptr<HttpServer>> startVendor(const VendorOptions& options, Faults& faults);

} // namespace fencepost::app
