// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/requests.h"

#include <array>

namespace fencepost::app {

namespace {

constexpr std::array tenants = { "northwind", "contoso", "fabrikam", "initech", "umbrella" };
constexpr std::array currencies = { "EUR", "EUR", "EUR", "USD", "GBP", "SEK" };
constexpr std::array events = { "charge.succeeded", "charge.succeeded", "refund.succeeded", "payout.paid",
    "charge.disputed" };

template <typename T> const char* oneOf(const T& words, Random& random)
{
    return words[random.below(words.size())];
}

std::string member(const char* name, const std::string& value)
{
    return "\"" + std::string(name) + "\":\"" + value + "\"";
}

std::string member(const char* name, std::int64_t value)
{
    return "\"" + std::string(name) + "\":" + std::to_string(value);
}

// Crockford's alphabet; the first ten characters are the milliseconds, as in a ULID.
std::string ulid(Time now, Random& random)
{
    constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    auto millis = static_cast<std::uint64_t>(microsOf(now) / 1000);
    std::string text(26, '0');
    for (std::size_t i = 10; i-- > 0; millis /= 32)
        text[i] = alphabet[millis % 32];
    for (std::size_t i = 10; i < text.size(); ++i)
        text[i] = alphabet[random.below(32)];
    return text;
}

// The whole second as people write it: 2026-11-20T02:00:00Z.
std::string second(Time now)
{
    return formatInstant(now).substr(0, 19) + "Z";
}

void addMoney(Request& request, Random& random)
{
    request.amount = static_cast<std::int64_t>(500 + random.below(40) * 250 + random.below(2) * 99);
    request.currency = oneOf(currencies, random);
}

std::string money(const Request& request)
{
    return member("amount", request.amount) + "," + member("currency", request.currency);
}

void fill(Request& request, const std::string& tenant, Time now, Random& random)
{
    request.method = "POST";
    switch (request.kind) {
    case RequestKind::Payment:
        request.target = "/v1/payments";
        request.id.key = "payment:create:" + tenant + ":" + ulid(now, random);
        request.body = "{" + money(request) + "," + member("customer", token("cus_", 14, random)) + ","
            + member("order", token("ord_", 10, random)) + "," + member("source", token("card_", 12, random)) + "}";
        break;
    case RequestKind::Refund: {
        const auto charge = token("ch_", 14, random);
        request.target = "/v1/refunds";
        request.id.key =
            "refund:" + charge + ":amount_" + std::to_string(request.amount) + ":" + uuid4(random).substr(0, 8);
        request.body = "{" + money(request) + "," + member("charge_id", charge) + ","
            + member("reason", random.below(3) == 0 ? "duplicate" : "requested_by_customer") + "}";
        break;
    }
    case RequestKind::Payout:
        request.amount *= 40;
        request.target = "/v1/payouts";
        request.id.key = uuid4(random);
        request.body = "{" + money(request) + "," + member("destination", token("ba_", 16, random)) + ","
            + member("statement", tenant + " settlement") + "}";
        break;
    case RequestKind::Void: {
        const auto payment = token("pay_", 14, random);
        request.method = "DELETE";
        request.target = "/v1/payments/" + payment;
        request.id.key = "void:" + payment;
        break;
    }
    case RequestKind::Quote:
        request.target = "/v1/quotes";
        request.id.key = uuid4(random);
        request.body = "{" + money(request) + "," + member("target_currency", oneOf(currencies, random)) + "}";
        break;
    case RequestKind::Customer:
        request.target = "/v1/customers";
        request.id.key = tenant + "-" + std::to_string(microsOf(now) / 1'000'000) + "-" + token("", 6, random);
        request.body =
            "{" + member("email", token("user", 5, random) + "@example.com") + "," + member("locale", "en-GB") + "}";
        break;
    case RequestKind::Webhook:
    case RequestKind::Settlement:
        break;
    }
}

} // namespace

std::string token(const std::string& prefix, std::size_t digits, Random& random)
{
    constexpr std::string_view alphabet = "0123456789abcdef";
    auto text = prefix;
    for (std::size_t i = 0; i < digits; ++i)
        text += alphabet[random.below(16)];
    return text;
}

Request makeRequest(RequestKind kind, Time now, Random& random)
{
    Request request;
    request.kind = kind;
    request.correlationId = token("req_", 16, random);
    addMoney(request, random);
    if (kind == RequestKind::Webhook) {
        const std::string type = oneOf(events, random);
        const auto event = token("evt_", 16, random);
        request.method = "POST";
        request.target = "/webhooks/stripe";
        request.principal = "stripe";
        request.id = { "provider:stripe", "webhook " + type, event + ":ledger" };
        request.body = "{" + money(request) + "," + member("id", event) + "," + member("type", type) + "}";
        return request;
    }
    if (kind == RequestKind::Settlement) {
        request.method = "POST";
        request.target = "/internal/settle";
        request.principal = "scheduler";
        request.id = { "job:scheduler", "settle", "settle@" + second(now) };
        request.body = "{" + member("scheduled_at", second(now)) + "}";
        return request;
    }
    constexpr std::array operations = { "POST /payments", "POST /refunds", "POST /payouts", "DELETE /payments",
        "POST /quotes", "POST /customers" };
    const std::string tenant = oneOf(tenants, random);
    request.principal = tenant;
    request.id.scope = "tenant:" + tenant;
    request.id.operation = operations[static_cast<std::size_t>(kind)];
    fill(request, tenant, now, random);
    return request;
}

Request withAnotherAmount(const Request& request, Random& random)
{
    auto changed = request;
    changed.amount = request.amount * 10 + static_cast<std::int64_t>(random.below(10));
    const auto was = member("amount", request.amount);
    if (const auto at = changed.body.find(was); at != std::string::npos)
        changed.body.replace(at, was.size(), member("amount", changed.amount));
    changed.correlationId = token("req_", 16, random);
    return changed;
}

Bytes payloadHashOf(const Request& request)
{
    return sha256(request.body);
}

Bytes requestHashOf(const Request& request)
{
    return sha256(
        "idem-fp-v1\n" + request.method + "\n" + request.target + "\n\napplication/json\n\n" + payloadHashOf(request));
}

Response answerTo(const Request& request, Random& random)
{
    struct Resource {
        const char* prefix;
        const char* path;
        const char* status;
    };
    constexpr std::array resources = { Resource{ "pay_", "/v1/payments/", "captured" },
        Resource{ "rf_", "/v1/refunds/", "succeeded" }, Resource{ "po_", "/v1/payouts/", "in_transit" },
        Resource{ "pay_", "/v1/payments/", "voided" }, Resource{ "qt_", "/v1/quotes/", "open" },
        Resource{ "cus_", "/v1/customers/", "active" }, Resource{ "le_", "/v1/ledger/", "posted" },
        Resource{ "st_", "/v1/settlements/", "closed" } };
    const auto& resource = resources[static_cast<std::size_t>(request.kind)];
    const auto id = token(resource.prefix, 16, random);
    Response response;
    response.code = request.kind == RequestKind::Webhook || request.kind == RequestKind::Void ? 200 : 201;
    response.headers = { { "Content-Type", "application/json" }, { "Location", resource.path + id } };
    const bool hasAmount = request.kind != RequestKind::Customer && request.kind != RequestKind::Settlement;
    response.body = "{" + (hasAmount ? money(request) + "," : std::string()) + member("id", id) + ","
        + member("status", resource.status) + "}";
    response.bodyDigest = sha256(*response.body);
    response.refType = std::string(resource.path).substr(4, std::string(resource.path).size() - 5);
    response.refId = id;
    return response;
}

Response refusalOf(int status, const std::string& code, const std::string& detail)
{
    Response response;
    response.code = status;
    response.headers = { { "Content-Type", "application/problem+json" } };
    response.body = "{" + member("detail", detail) + "," + member("error_code", code) + "," + member("status", status)
        + "," + member("title", status >= 500 ? "The provider did not answer" : "The request was refused") + "}";
    response.bodyDigest = sha256(*response.body);
    return response;
}

} // namespace fencepost::app
