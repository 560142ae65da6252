// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/lab/cashier_parts.h"
#include "app/lab/work.h"
#include "core/service/execution.h"

namespace fencepost::app {

inline constexpr std::string_view refundStep = "refund"; // of the request that makes one

// The rows of refunds and the events that tell of them, in the transaction that is open. Used by one thread.
class Refunds {
public:
    // The request behind a refund, as the refund's event names it.
    struct Asked {
        std::optional<RecordId> record; // none: it came without a key
        std::optional<std::string> correlationId;
    };
    static Asked askedBy(const Execution& execution);

    // All of it outlives this; `drawn`: of the request that is in work.
    Refunds(const CashierParts& parts, Books& books, const FaultsOfRequest& drawn);

    // One that has succeeded is entered, too.
    Result<Work> make(const Execution& execution, const std::string& effectId, const std::string& status);
    // Into the ledger, and announced.
    Result<Work> enter(const Refund& refund, const std::string& effectId, const Asked& asked);
    Result<Work> recall(const std::string& id);

private:
    Status announce(const Refund& refund, const Asked& asked);

    const CashierParts& m_parts;
    Books& m_books;
    const FaultsOfRequest& m_drawn;
};

} // namespace fencepost::app
