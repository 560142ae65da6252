// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lab/effects_once.h"
#include "app/lab/refunds.h"
#include "core/service/reconciler.h"
#include "core/store/sql_outbound_ledger.h"

namespace fencepost::app {

// Refunds that are paid out by a vendor: recorded, sent, settled, each for itself. Used by one thread.
class RefundPayouts {
public:
    // What the pieces that work on refunds have in common; all of it outlives this.
    struct Parts {
        const CashierParts& cashier;
        Books& books;
        Refunds& refunds;
        EffectsOnce& once;
        const FaultsOfRequest& drawn; // of the request that is in work
    };
    explicit RefundPayouts(const Parts& parts);

    Handled payOut(Execution& execution);
    // A refund that was begun while there was a vendor to pay it out, and none is configured any more: the ledger tells
    // whether it was paid, and where it does not know, nobody else may pay.
    std::optional<Handled> finishPayout(Execution& execution);
    // Settles a refund whose owner left without an outcome, by asking the vendor and sending nothing.
    Result<ReconcileReport> reconcile(Store& store, const RouteContract& contract, const RecordId& id);

private:
    struct Paid {
        std::optional<std::string> payoutId; // none: nobody pays it out
        std::string effectId;
        Fence fence;
        KeyLives lives;
        Refunds::Asked asked;
        std::optional<Claim> claim = {}; // of who must still own the record; none: what happened is settled for it
    };
    Result<Work> record(Execution& execution, const std::string& effectId);
    Handled settle(const Refund& refund, const Paid& paid);
    Result<Work> enterPaid(const Refund& refund, const Paid& paid);
    Handled carryOut(Execution& execution);
    std::optional<Handled> carryOn(Execution& execution);
    Handled withDoubt(const Execution& execution, Handled handled);
    Handled unpaid(const Refund& refund, const VendorOutcome& outcome);
    Reconciliation conclude(const RouteContract& contract, const Record& record, const KeyLives& lives,
        const std::vector<OutboundCall>& calls);

    const CashierParts& m_parts;
    Books& m_books;
    Refunds& m_refunds;
    EffectsOnce& m_once;
    const FaultsOfRequest& m_drawn;
    store::SqlOutboundLedger m_calls;
};

} // namespace fencepost::app
