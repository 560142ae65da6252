// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/look_routes.h"

#include <array>

#include "app/lab/event_endpoint.h"
#include "app/lab/problems.h"
#include "app/lab/routes.h"
#include "core/protocol/ascii.h"
#include "core/service/problem.h"

namespace fencepost::app {

namespace {

struct LookEntry {
    LookRoute route;
    std::string_view pattern;
    std::string_view methods = "GET, HEAD";
};

constexpr std::array lookRoutes = { LookEntry{ LookRoute::Payment, "/payments/{id}" },
    LookEntry{ LookRoute::Refund, "/refunds/{id}" }, LookEntry{ LookRoute::Ledger, "/ledger" },
    LookEntry{ LookRoute::Notices, "/notices" }, LookEntry{ LookRoute::Metrics, "/metrics" },
    LookEntry{ LookRoute::Operation, "/operations/{operation}/{key}" },
    LookEntry{ LookRoute::Payouts, "/admin/payouts" }, LookEntry{ LookRoute::Vendor, "/admin/vendor" },
    LookEntry{ LookRoute::Faults, "/admin/faults", "GET, HEAD, POST, DELETE" },
    LookEntry{ LookRoute::Reconcile, "/admin/reconcile", "POST" }, LookEntry{ LookRoute::Events, eventsPath, "POST" },
    LookEntry{ LookRoute::Capabilities, capabilityPath } };

// Of a list as Allow has it.
bool isAmong(std::string_view method, std::string_view methods)
{
    while (!methods.empty()) {
        const auto end = methods.find(',');
        if (withoutBlanks(methods.substr(0, end)) == method)
            return true;
        methods = end == std::string_view::npos ? std::string_view() : methods.substr(end + 1);
    }
    return false;
}

} // namespace

std::optional<LookFor> lookFor(std::string_view path)
{
    for (const auto& entry : lookRoutes)
        if (auto names = matched(entry.pattern, entry.route == LookRoute::Operation ? withoutMark(path) : path))
            return LookFor{ entry.route, entry.pattern, entry.methods, std::move(*names) };
    return {};
}

std::optional<HttpResponse> refuseUnknown(std::string_view method, std::string_view path)
{
    const auto look = lookFor(path);
    if (look && isAmong(method, look->methods))
        return {};
    std::string allowed(look ? look->methods : "");
    for (const auto& route : unsafeRoutes())
        if (matched(route.pattern, path))
            allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    if (allowed.empty())
        return notFound();
    auto refusal = problemResponse({ .code = "VALIDATION.method", .status = 405, .detail = "Allowed: " + allowed });
    refusal.headers.emplace_back("Allow", allowed);
    return refusal;
}

} // namespace fencepost::app
