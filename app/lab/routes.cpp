// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/routes.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"
#include "core/protocol/key_syntax.h"

namespace fencepost::app {

namespace {

constexpr std::array routes = {
    UnsafeRoute{ "POST", "/payments", "payment.create",
        [](Cashier& cashier, Execution& execution, const std::string&) { return cashier.createPayment(execution); },
        true },
    UnsafeRoute{ "POST", "/refunds", "refund.create",
        [](Cashier& cashier, Execution& execution, const std::string&) { return cashier.createRefund(execution); },
        true },
    UnsafeRoute{ "POST", "/refunds/{id}/void", "refund.void",
        [](Cashier& cashier, Execution& execution, const std::string& id) { return cashier.voidRefund(execution, id); },
        false },
};

std::string_view takeSegment(std::string_view& path)
{
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

void setLease(RoutePolicy& policy, Duration lease)
{
    policy.lease.value = lease;
    policy.renewEvery.value = renewalOf(lease);
    policy.safetyMargin.value = safetyMarginOf(lease);
}

template <typename T> void layUnder(Setting<T>& setting, const Setting<T>& own)
{
    if (!setting.isSaid())
        setting = own;
}

// The lab's routes are what they do: they move money, unless a policy file says that a route is not financial. What the
// file says of a setting counts, what it does not say is the financial profile's.
void layUnder(RoutePolicy& policy, std::string_view name, std::string_view operation)
{
    if (policy.financial.isSaid() && !policy.financial.value)
        return;
    constexpr std::string_view money = R"({"format":1,"routes":[{"scope":"*","operation":"*","profile":"financial"}]})";
    const auto own = parsePolicy(money).value().forRoute(name, operation);
    if (policy.effects.value == policy.ttl.value)
        policy.effects = own.effects;
    layUnder(policy.financial, own.financial);
    layUnder(policy.staleKey, own.staleKey);
    layUnder(policy.ttl, own.ttl);
    policy.effects.value = std::max(policy.effects.value, policy.ttl.value);
}

constexpr const char* json = "application/json";

// In lower case, without its parameters; empty: there is none.
std::string mediaTypeOf(const HttpRequest& head)
{
    const auto line = lineOf(head.headers, "content-type").value_or("");
    return asciiLower(withoutBlanks(line.substr(0, line.find(';'))));
}

} // namespace

std::span<const UnsafeRoute> unsafeRoutes() noexcept
{
    return routes;
}

const UnsafeRoute* findUnsafeRoute(std::string_view method, std::string_view path) noexcept
{
    for (const auto& route : routes)
        if (route.method == method && matched(route.pattern, path))
            return &route;
    return nullptr;
}

std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view path)
{
    std::vector<std::string> found;
    while (pattern.starts_with('/') && path.starts_with('/')) {
        const auto expected = takeSegment(pattern);
        const auto segment = takeSegment(path);
        if (expected.starts_with('{') && !segment.empty())
            found.push_back(decodedSegment(segment));
        else if (expected != segment)
            return {};
    }
    return pattern.empty() && path.empty() ? std::optional(std::move(found)) : std::nullopt;
}

std::string decodedSegment(std::string_view segment)
{
    std::string text;
    for (std::size_t at = 0; at < segment.size(); ++at) {
        const auto octet = percentAt(segment, at);
        text += octet.value_or(segment[at]);
        at += octet ? 2 : 0;
    }
    return text;
}

bool isNamed(std::string_view path)
{
    const auto decoded = decodedSegment(path);
    return isUtf8(decoded) && decoded.find('\0') == std::string::npos;
}

bool isTakenForJson(const HttpRequest& head)
{
    const auto type = mediaTypeOf(head);
    return type.empty() || type == json || type == "application/x-www-form-urlencoded";
}

HttpRequest asJson(HttpRequest request)
{
    if (mediaTypeOf(request) == json || !isTakenForJson(request))
        return request;
    std::erase_if(request.headers, [](const auto& header) { return asciiLower(header.first) == "content-type"; });
    request.headers.emplace_back("Content-Type", json);
    return request;
}

RouteContract contractOf(const UnsafeRoute& route, const LabOptions& options)
{
    const auto name = routeOf(route.method, route.pattern);
    auto policy = options.policy.forRoute(name, route.operation);
    layUnder(policy, name, route.operation);
    const bool effectsFollow = policy.effects.value == policy.ttl.value;
    const bool callsVendor = route.operation == "refund.create";
    if (!callsVendor)
        policy.effect.value = EffectClass::LocalTransaction;
    else if (options.effect)
        policy.effect.value = *options.effect;
    if (!callsVendor || options.effect)
        policy.takeover.value = policy.effect.value == EffectClass::External ? Takeover::Manual : Takeover::Auto;
    if (!policy.mode.isSaid())
        policy.mode.value = ContractMode::SingleTransaction;
    if (options.mode)
        policy.mode.value = *options.mode;
    if (options.lease)
        setLease(policy, *options.lease);
    if (options.ttl)
        policy.ttl.value = *options.ttl;
    // They are never forgotten before the answer is.
    policy.effects.value = effectsFollow ? policy.ttl.value : std::max(policy.effects.value, policy.ttl.value);
    if (options.inFlight)
        policy.inFlight.value = *options.inFlight;
    if (options.wait)
        policy.wait.value = *options.wait;
    auto contract = contractFrom(name, std::string(route.operation), policy);
    contract.longestBody = std::min(contract.longestBody, options.server.longestBody);
    contract.keepsRequest = true;
    contract.describedBy = capabilityPath;
    contract.operationUrl = operationUrl;
    return contract;
}

// Whoever follows a link takes "." and ".." for the folders above, however they are written; not with a mark behind
// them, which is written differently within a key.
std::string_view withoutMark(std::string_view path)
{
    const bool marked = path.ends_with("/.;") || path.ends_with("/..;");
    return marked ? path.substr(0, path.size() - 1) : path;
}

std::string operationUrl(const RecordId& id)
{
    auto url = "/operations/" + id.operation + '/';
    for (const char c : id.key) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
            || c == '_' || c == '.' || c == '~';
        if (plain)
            url += c;
        else
            appendPercent(url, c);
    }
    if (id.key == "." || id.key == "..")
        url += ';';
    return url;
}

std::optional<RecordId> operationOf(const std::string& operation, const std::string& key, const std::string& principal)
{
    for (const auto& route : unsafeRoutes())
        if (route.operation == operation)
            if (auto scope = scopeOf(routeOf(route.method, route.pattern), principal))
                return RecordId{ *scope, operation, key };
    return {};
}

} // namespace fencepost::app
