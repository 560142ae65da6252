// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/cashier.h"

#include "app/lab/json_response.h"
#include "app/lab/money_request.h"

namespace fencepost::app {

Cashier::Cashier(const CashierParts& parts)
    : m_parts(parts)
    , m_books(parts.connection)
    , m_refunds(m_parts, m_books, m_drawn)
    , m_once(m_parts, m_books, m_drawn)
    , m_payouts({ m_parts, m_books, m_refunds, m_once, m_drawn })
{
}

Handled Cashier::createPayment(Execution& execution)
{
    const MoneyRequest fields(execution.request());
    if (auto bad = fields.refused())
        return std::move(*bad);
    const auto currency = fields.text("currency").value_or("");
    if (!isCurrency(currency))
        return refusal("VALIDATION.currency", 422, "\"currency\" is three capital letters, such as EUR.");
    const auto answered = [](const Payment& payment) {
        Work work{ { responseOf(payment, 201) }, payment.id };
        work.handled.refType = "payment";
        work.handled.refId = payment.id;
        return work;
    };
    return m_once.once(execution,
        { "payment",
            [&](const std::string& effectId) -> Result<Work> {
                const Payment payment{ m_parts.freshId("ch_"), *fields.amount(), currency, fields.text("reference"),
                    m_parts.clock.now() };
                if (const auto added = m_books.add(payment, effectId); !added)
                    return added.error();
                const auto entered = m_books.add(LedgerEntry{ 0, "payment", payment.id, payment.amount, currency,
                                                     payment.reference, payment.createdAt },
                    effectId);
                return entered ? Result<Work>(answered(payment)) : Result<Work>(entered.error());
            },
            [&](const std::string& ref) -> Result<Work> {
                const auto payment = m_books.payment(ref);
                if (!payment)
                    return payment.error();
                if (!*payment)
                    return Error{ Failure::Corrupt, "The payment of an effect that is done is not there", ref };
                return answered(**payment);
            } });
}

Handled Cashier::createRefund(Execution& execution)
{
    if (auto bad = MoneyRequest(execution.request()).refused())
        return std::move(*bad);
    if (m_parts.payouts != nullptr)
        return m_payouts.payOut(execution);
    if (auto begun = m_payouts.finishPayout(execution))
        return std::move(*begun);
    return m_once.once(execution,
        { refundStep, [&](const std::string& effectId) { return m_refunds.make(execution, effectId, "succeeded"); },
            [&](const std::string& ref) { return m_refunds.recall(ref); } });
}

Result<ReconcileReport> Cashier::reconcile(Store& store, const RouteContract& contract, const RecordId& id)
{
    return m_payouts.reconcile(store, contract, id);
}

Handled Cashier::voidRefund(Execution& execution, const std::string& id)
{
    const auto answered = [&](const Refund& refund) {
        return Work{ { .response = responseOf(refund, 200), .refType = "refund", .refId = id }, id };
    };
    const auto current = [&]() -> Result<Work> {
        const auto refund = m_books.refund(id);
        if (!refund)
            return refund.error();
        return *refund ? Result<Work>(answered(**refund))
                       : Result<Work>(Error{ Failure::Corrupt, "A refund that was voided is not there", id });
    };
    return m_once.once(execution,
        { "void",
            [&](const std::string& effectId) -> Result<Work> {
                const auto refund = m_books.lockRefund(id);
                if (!refund)
                    return refund.error();
                if (!*refund)
                    return Work{ refusal("VALIDATION.unknown_refund", 404, "There is no such refund."), std::nullopt };
                if ((*refund)->status != "succeeded")
                    return Work{ refusal("VALIDATION.refund_not_voidable", 422,
                                     "The refund is " + (*refund)->status + " and cannot be voided."),
                        std::nullopt };
                const auto now = m_parts.clock.now();
                if (const auto voided = m_books.voidRefund(id, now); !voided)
                    return voided.error();
                const auto entered = m_books.add(
                    LedgerEntry{ 0, "void", id, (*refund)->amount, (*refund)->currency, (*refund)->reference, now },
                    effectId);
                return entered ? current() : Result<Work>(entered.error());
            },
            [&](const std::string&) { return current(); } });
}

} // namespace fencepost::app
