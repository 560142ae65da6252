// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/refunds.h"

#include <nlohmann/json.hpp>

#include "app/lab/json_response.h"
#include "app/lab/money_request.h"
#include "app/lab/refund_event.h"
#include "core/store/outbox.h"

namespace fencepost::app {

using nlohmann::ordered_json;

Refunds::Refunds(const CashierParts& parts, Books& books, const FaultsOfRequest& drawn)
    : m_parts(parts)
    , m_books(books)
    , m_drawn(drawn)
{
}

Refunds::Asked Refunds::askedBy(const Execution& execution)
{
    if (!execution.isKeyed())
        return {};
    return { execution.claim().id, execution.correlationId() };
}

Result<Work> Refunds::make(const Execution& execution, const std::string& effectId, const std::string& status)
{
    const MoneyRequest fields(execution.request());
    auto chargeId = fields.text("charge_id").value_or("");
    // No name of ours, and no text of PostgreSQL's.
    if (chargeId.find('\0') != std::string::npos)
        chargeId.clear();
    const auto payment = m_books.lockPayment(chargeId);
    if (!payment)
        return payment.error();
    if (!*payment)
        return Work{ refusal("VALIDATION.unknown_charge", 404, "There is no such payment."), std::nullopt };
    const auto refunded = m_books.refundedOf(chargeId);
    if (!refunded)
        return refunded.error();
    const auto remaining = (*payment)->amount - *refunded;
    if (*fields.amount() > remaining)
        return Work{ refusal("VALIDATION.refund_exceeds_remaining", 422,
                         "Of this payment " + std::to_string(remaining) + " are left to refund."),
            std::nullopt };
    const Refund made{ m_parts.freshId("rf_"), chargeId, *fields.amount(), (*payment)->currency, status,
        fields.text("reference"), std::nullopt, m_parts.clock.now(), std::nullopt };
    if (const auto added = m_books.add(made, effectId); !added)
        return added.error();
    if (status == "succeeded")
        return enter(made, effectId, askedBy(execution));
    return Work{ {}, made.id };
}

Result<Work> Refunds::enter(const Refund& refund, const std::string& effectId, const Asked& asked)
{
    const auto entered = m_books.add(
        LedgerEntry{ 0, "refund", refund.id, -refund.amount, refund.currency, refund.reference, refund.createdAt },
        effectId);
    if (!entered)
        return entered.error();
    if (const auto announced = announce(refund, asked); !announced)
        return announced.error();
    return Work{ { .response = responseOf(refund, 201), .refType = "refund", .refId = refund.id }, refund.id };
}

Result<Work> Refunds::recall(const std::string& id)
{
    const auto made = m_books.refund(id);
    if (!made)
        return made.error();
    if (!*made)
        return Error{ Failure::Corrupt, "The refund of an effect that is done is not there", id };
    return Work{ { .response = responseOf(**made, 201), .refType = "refund", .refId = id }, id };
}

// In the transaction of the refund: whoever finds one finds the other.
Status Refunds::announce(const Refund& refund, const Asked& asked)
{
    if (m_parts.destinations.empty())
        return {};
    OutboxEvent event;
    event.eventId = "evt_" + refund.id.substr(refund.id.find('_') + 1);
    event.source = eventSource;
    event.type = refundSucceeded;
    event.aggregateType = "refund";
    event.aggregateId = refund.id;
    event.record = asked.record;
    event.correlationId = asked.correlationId;
    ordered_json payload;
    payload["id"] = event.eventId;
    payload["source"] = event.source;
    payload["type"] = event.type;
    payload["created"] = formatInstant(refund.createdAt);
    payload["data"] = jsonOf(refund);
    event.payload = compact(payload);
    const auto faults = m_drawn.forEvent();
    if (auto written = faults.written(); !written.empty())
        event.headers.emplace_back(faultHeader, std::move(written));
    // The refunds of a payment go one after the other, but for those that are to come in the wrong order.
    if (faults.find(FaultKind::ReorderEvent) == nullptr)
        event.orderingKey = refund.chargeId;
    store::Outbox outbox(m_parts.connection, {});
    for (const auto& destination : m_parts.destinations) {
        event.destination = destination;
        if (const auto added = outbox.add(event); !added)
            return added.error();
    }
    return {};
}

} // namespace fencepost::app
