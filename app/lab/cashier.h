// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>

#include <nlohmann/json_fwd.hpp>

#include "app/lab/books.h"
#include "app/lab/faults.h"
#include "app/lab/payouts.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/service/idempotent_handler.h"
#include "core/service/reconciler.h"
#include "core/store/sql_effect_guard.h"
#include "core/store/sql_outbound_ledger.h"

namespace fencepost::app {

// JSON on one line; what is no UTF-8 is replaced.
[[nodiscard]] std::string compact(const nlohmann::ordered_json& body);
[[nodiscard]] HttpResponse jsonResponse(int status, const nlohmann::ordered_json& body);
[[nodiscard]] HttpResponse responseOf(const Payment& payment, int status);
[[nodiscard]] HttpResponse responseOf(const Refund& refund, int status);

// What a cashier works with; all of it belongs to its thread.
struct CashierParts {
    store::Connection& connection;
    const Clock& clock;
    Random& random;
    std::vector<std::string> destinations{}; // that hear of refunds; empty: nobody
    Payouts* payouts = nullptr; // none: refunds are rows of this database and nothing else
    Vendor vendor{}; // that the payouts go to
    std::map<std::string, Duration, std::less<>> effectsKept{}; // by operation; else a day
};

// The work of the refund service: payments, refunds and their reversal, each effect once and with everything that
// belongs to it in one transaction. Used by one thread.
class Cashier {
public:
    explicit Cashier(const CashierParts& parts);

    // Of the request that is in work now.
    void setFaults(FaultsOfRequest drawn) { m_drawn = std::move(drawn); }

    Handled createPayment(Execution& execution);
    Handled createRefund(Execution& execution);
    Handled voidRefund(Execution& execution, const std::string& id);

    // Settles a refund whose owner left without an outcome, by asking the vendor and sending nothing.
    Result<ReconcileReport> reconcile(Store& store, const RouteContract& contract, const RecordId& id);

    [[nodiscard]] Books& books() { return m_books; }

private:
    // How long an effect of an operation is remembered.
    [[nodiscard]] Duration kept(std::string_view operation) const;
    // What a piece of work came to: an answer with the business object's id, or a refusal that leaves nothing behind.
    struct Work {
        Handled handled;
        std::optional<std::string> ref; // none: refused
    };
    struct Effect {
        std::string_view step;
        std::function<Result<Work>(const std::string& effectId)> work;
        std::function<Result<Work>(const std::string& ref)> recall; // of one that is done
    };

    Handled once(Execution& execution, const Effect& effect);
    Handled unguarded(const Effect& effect);
    // Before the first attempt: where the key was used before, and both the record and the effect of then are
    // forgotten, the rows of then make room.
    Status makeRoom(Execution& execution, const std::string& effectId);
    Result<Work> guarded(Execution& execution, const Effect& effect);
    // What `body` has written is committed, unless it is refused.
    Result<Work> committed(const std::function<Result<Work>()>& body);
    Result<std::optional<Work>> doneBefore(Execution& execution, const std::string& effectId,
        const std::function<Result<Work>(const std::string&)>& recalled);
    // The request behind a refund, as the refund's event names it.
    struct Asked {
        std::optional<RecordId> record; // none: it came without a key
        std::optional<std::string> correlationId;
    };
    static Asked askedBy(const Execution& execution);
    Result<Work> refund(const Execution& execution, const std::string& effectId, const std::string& status);
    Result<Work> enter(const Refund& refund, const std::string& effectId, const Asked& asked);
    Result<Work> recall(const std::string& id);
    // A refund that is paid out by a vendor: recorded, sent, settled, each for itself.
    Handled payOut(Execution& execution);
    Result<Work> record(Execution& execution, const std::string& effectId);
    struct Paid {
        std::optional<std::string> payoutId; // none: nobody pays it out
        std::string effectId;
        Fence fence;
        int attempt = 1;
        Asked asked;
    };
    Handled settle(const Refund& refund, const Paid& paid);
    std::optional<Handled> finishPayout(Execution& execution);
    bool mayBePaid(const Execution& execution);
    Handled unpaid(const Refund& refund, const VendorOutcome& outcome);
    Reconciliation conclude(
        const RouteContract& contract, const Record& record, const std::vector<OutboundCall>& calls);
    Status announce(const Refund& refund, const Asked& asked);
    [[nodiscard]] std::string freshId(const char* prefix);

    CashierParts m_parts;
    Books m_books;
    store::SqlEffectGuard m_effects;
    store::SqlOutboundLedger m_calls;
    FaultsOfRequest m_drawn;
};

} // namespace fencepost::app
