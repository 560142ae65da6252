// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/http_message.h"

namespace fencepost::app {

// The routes that are served without the contract.
enum class LookRoute {
    Payment,
    Refund,
    Ledger,
    Notices,
    Metrics,
    Operation,
    Payouts,
    Vendor,
    Faults,
    Reconcile,
    Events,
    Capabilities,
};

// What a path asks for.
struct LookFor {
    LookRoute route;
    std::string_view pattern;
    std::string_view methods; // as Allow has them
    std::vector<std::string> names; // the segments that stand for {…}
};
// None: it is the path of no such route.
[[nodiscard]] std::optional<LookFor> lookFor(std::string_view path);

// 404, or 405 where the path has other methods; none: one of the routes that only look, or the faults.
[[nodiscard]] std::optional<HttpResponse> refuseUnknown(std::string_view method, std::string_view path);

} // namespace fencepost::app
