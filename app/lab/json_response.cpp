// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/json_response.h"

#include <nlohmann/json.hpp>

namespace fencepost::app {

using nlohmann::ordered_json;

std::string compact(const ordered_json& body)
{
    return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

HttpResponse jsonResponse(int status, const ordered_json& body)
{
    return { status, { { "Content-Type", "application/json" } }, compact(body) };
}

ordered_json textOrNull(const std::optional<std::string>& text)
{
    return text ? ordered_json(*text) : ordered_json();
}

ordered_json jsonOf(const Refund& refund)
{
    ordered_json body;
    body["id"] = refund.id;
    body["object"] = "refund";
    body["charge_id"] = refund.chargeId;
    body["amount"] = refund.amount;
    body["currency"] = refund.currency;
    body["status"] = refund.status;
    body["reference"] = textOrNull(refund.reference);
    if (refund.payoutId)
        body["payout_id"] = *refund.payoutId;
    body["created"] = formatInstant(refund.createdAt);
    if (refund.voidedAt)
        body["voided"] = formatInstant(*refund.voidedAt);
    return body;
}

HttpResponse responseOf(const Payment& payment, int status)
{
    ordered_json body;
    body["id"] = payment.id;
    body["object"] = "payment";
    body["amount"] = payment.amount;
    body["currency"] = payment.currency;
    body["reference"] = textOrNull(payment.reference);
    body["created"] = formatInstant(payment.createdAt);
    auto response = jsonResponse(status, body);
    if (status == 201)
        response.headers.emplace_back("Location", "/payments/" + payment.id);
    return response;
}

HttpResponse responseOf(const Refund& refund, int status)
{
    auto response = jsonResponse(status, jsonOf(refund));
    if (status == 201)
        response.headers.emplace_back("Location", "/refunds/" + refund.id);
    return response;
}

} // namespace fencepost::app
