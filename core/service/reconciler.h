// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/outbound_ledger.h"
#include "core/service/vendor_call.h"
#include "core/store.h"

namespace fencepost {

// What is known about a whole request: whether its effects happened, and, where they did, what it would have answered.
struct Reconciliation {
    Evidence evidence = Evidence::Unknown;
    Completion completion = {};
};

struct ReconcileHooks {
    std::function<const Vendor*(std::string_view name)> vendor = findVendor; // null: the vendor is not known
    AskVendor ask; // for each call whose outcome is open; none: they stay open
    // Behind the asking: all calls of the record are settled. Rebuilds the answer from them and the business rows.
    std::function<Reconciliation(const Record& record, const std::vector<OutboundCall>& calls)> conclude;
};

struct ReconcilerOptions {
    Duration settleAfter = std::chrono::seconds(15); // behind the lease of a record without calls: a vendor's timeout
    std::string actor = "reconciler";
};

enum class Reconciled {
    Succeeded, // it had happened: the record has its answer
    Released, // it had not happened: the next same request executes
    Held, // nobody knows
    TooEarly, // something of it may still be under way
    NotNeeded, // it is in work, finished, held for another reason, or for the next same request to repeat
};

[[nodiscard]] std::string_view wordOf(Reconciled reconciled) noexcept;

// From when on a record's vendors may be asked: not before its lease is over and none of its calls can still be
// answered. `settleAfter`: behind the lease of a record without calls.
[[nodiscard]] Time reconcilableFrom(const Record& record, const std::vector<OutboundCall>& calls, Duration settleAfter);

struct ReconcileReport {
    Reconciled what = Reconciled::NotNeeded;
    std::string reason;
    std::optional<Record> record; // as it is now
};

// Settles records whose owner left without an outcome (rows 5 to 7), without sending anything: holds first, asks the
// vendors, and writes what they said by compare-and-swap. Several at once do no harm. Used by one thread.
class Reconciler {
public:
    Reconciler(Store& store, OutboundLedger& ledger, ReconcileHooks hooks, ReconcilerOptions options);

    Result<ReconcileReport> settle(const RecordId& id);

private:
    Result<Evidence> settleCalls(const std::vector<OutboundCall>& calls);
    Result<ReconcileReport> conclude(const Record& record, const std::vector<OutboundCall>& calls, Time now);
    Result<ReconcileReport> write(const Record& record, const Reconciliation& known);

    Store& m_store;
    OutboundLedger& m_ledger;
    ReconcileHooks m_hooks;
    ReconcilerOptions m_options;
};

} // namespace fencepost
