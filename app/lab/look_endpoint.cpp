// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/look_endpoint.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "app/lab/json_response.h"
#include "app/lab/problems.h"
#include "app/lab/routes.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

constexpr int ledgerPage = 1000; // entries
constexpr int noticesPage = 1000;

std::int64_t afterOf(std::string_view query)
{
    std::int64_t after = 0;
    constexpr std::string_view name = "after=";
    if (query.starts_with(name))
        std::from_chars(query.data() + name.size(), query.data() + query.size(), after);
    return after;
}

HttpResponse ledgerResponse(const std::vector<LedgerEntry>& entries)
{
    ordered_json body;
    body["entries"] = ordered_json::array();
    for (const auto& entry : entries) {
        ordered_json one;
        one["seq"] = entry.seq;
        one["kind"] = entry.kind;
        one["object_id"] = entry.objectId;
        one["amount"] = entry.amount;
        one["currency"] = entry.currency;
        one["reference"] = textOrNull(entry.reference);
        one["at"] = formatInstant(entry.at);
        body["entries"].push_back(std::move(one));
    }
    if (entries.size() == ledgerPage)
        body["next"] = "/ledger?after=" + std::to_string(entries.back().seq);
    return jsonResponse(200, body);
}

HttpResponse noticesResponse(const std::vector<Notice>& notices)
{
    ordered_json body;
    body["notices"] = ordered_json::array();
    for (const auto& notice : notices)
        body["notices"].push_back({ { "seq", notice.seq }, { "consumer", notice.consumer },
            { "event_id", notice.eventId }, { "refund_id", notice.refundId }, { "at", formatInstant(notice.at) } });
    if (notices.size() == noticesPage)
        body["next"] = "/notices?after=" + std::to_string(notices.back().seq);
    return jsonResponse(200, body);
}

HttpResponse operationResponse(const Record& record, Time now)
{
    ordered_json body;
    body["state"] = wordOf(shownState(record, now));
    body["attempt"] = record.attempt;
    if (record.response.code)
        body["status"] = *record.response.code;
    if (record.response.refId)
        body["reference"] = { { "type", record.response.refType.value_or("") }, { "id", *record.response.refId } };
    if (record.errorCode)
        body["error_code"] = *record.errorCode;
    body["expires"] = formatInstant(record.expiresAt);
    auto response = jsonResponse(200, body);
    // A hold ends when a person has decided.
    if (!isTerminal(record.status))
        response.headers.emplace_back("Retry-After", record.hold ? "30" : "1");
    return response;
}

HttpResponse runningResponse()
{
    auto response = jsonResponse(200, ordered_json{ { "state", wordOf(State::InProgress) }, { "attempt", 1 } });
    response.headers.emplace_back("Retry-After", "1");
    return response;
}

HttpResponse lookAtOperation(const LookEndpoint& endpoint, const LookFor& asked, const std::string& principal)
{
    const auto id = operationOf(asked.names.front(), asked.names.back(), principal);
    if (!id)
        return notFound();
    const auto record = endpoint.store.find(*id);
    const auto now = endpoint.store.now();
    if (!record || !now)
        return unavailable(record ? now.error() : record.error());
    if (*record && !isExpired(**record, *now))
        return operationResponse(**record, *now);
    // Within one transaction nobody sees its record before the commit.
    if (endpoint.lab.running().isRunning(*id))
        return runningResponse();
    return *record ? operationResponse(**record, *now) : notFound();
}

HttpResponse lookAtPayouts(Books& books)
{
    const auto payouts = books.vendorPayouts();
    if (!payouts)
        return unavailable(payouts.error());
    auto body = ordered_json::array();
    for (const auto& [id, reference] : *payouts)
        body.push_back({ { "id", id }, { "reference", reference } });
    return jsonResponse(200, body);
}

} // namespace

HttpResponse answerLook(const LookEndpoint& endpoint, const HttpRequest& request)
{
    const auto asked = lookFor(pathOf(request));
    if (!asked || !isNamed(pathOf(request)))
        return notFound();
    auto& books = endpoint.books;
    switch (asked->route) {
    case LookRoute::Payment: {
        const auto payment = books.payment(asked->names.front());
        return !payment ? unavailable(payment.error()) : *payment ? responseOf(**payment, 200) : notFound();
    }
    case LookRoute::Refund: {
        const auto refund = books.refund(asked->names.front());
        return !refund ? unavailable(refund.error()) : *refund ? responseOf(**refund, 200) : notFound();
    }
    case LookRoute::Ledger: {
        const auto entries = books.ledger(afterOf(queryOf(request)), ledgerPage);
        return entries ? ledgerResponse(*entries) : unavailable(entries.error());
    }
    case LookRoute::Notices: {
        const auto notices = books.notices(afterOf(queryOf(request)), noticesPage);
        return notices ? noticesResponse(*notices) : unavailable(notices.error());
    }
    case LookRoute::Operation:
        return lookAtOperation(endpoint, *asked, request.principal);
    case LookRoute::Payouts:
        return lookAtPayouts(books);
    case LookRoute::Capabilities:
        return capabilitiesOf(endpoint.lab.contracts());
    case LookRoute::Vendor:
        return jsonResponse(200, ordered_json{ { "url", endpoint.lab.vendorUrl() } });
    case LookRoute::Metrics:
    case LookRoute::Faults:
    case LookRoute::Reconcile:
    case LookRoute::Events:
        break;
    }
    return notFound();
}

} // namespace fencepost::app
