// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/lab/refund_payouts.h"

namespace fencepost::app {

// The work of the refund service: payments, refunds and their reversal, each effect once and with everything that
// belongs to it in one transaction. Used by one thread.
class Cashier {
public:
    explicit Cashier(const CashierParts& parts);
    Cashier(const Cashier&) = delete;
    Cashier& operator=(const Cashier&) = delete;

    // Of the request that is in work now.
    void setFaults(FaultsOfRequest drawn) { m_drawn = std::move(drawn); }

    Handled createPayment(Execution& execution);
    Handled createRefund(Execution& execution);
    Handled voidRefund(Execution& execution, const std::string& id);

    // Settles a refund whose owner left without an outcome, by asking the vendor and sending nothing.
    Result<ReconcileReport> reconcile(Store& store, const RouteContract& contract, const RecordId& id);

    [[nodiscard]] Books& books() { return m_books; }

private:
    CashierParts m_parts;
    Books m_books;
    FaultsOfRequest m_drawn;
    Refunds m_refunds;
    EffectsOnce m_once;
    RefundPayouts m_payouts;
};

} // namespace fencepost::app
