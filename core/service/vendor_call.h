// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/outbound_ledger.h"
#include "core/service/execution.h"
#include "core/service/settlement.h"

namespace fencepost {

// What came of sending a call.
enum class Sent {
    Done,
    Refused, // the vendor said no, so nothing was done
    NotSent, // it is certain that nothing left
    Unknown, // no answer, or one that says nothing
};

struct VendorAnswer {
    Sent sent = Sent::Unknown;
    CallResult result;
};

// What a vendor says when it is asked whether it has a call.
struct VendorKnowledge {
    Evidence evidence = Evidence::Unknown;
    CallResult result; // of one that was applied
};

// Sends once, with the identity, and gives up after the vendor's timeout.
using SendCall = std::function<VendorAnswer(const CallIdentity& identity, Duration timeout)>;
// The reconcile hook of a vendor: looks the call up and changes nothing.
using AskVendor = std::function<VendorKnowledge(const OutboundCall& call)>;

// Writes what the vendor said of this call, as it was when the vendor was asked.
[[nodiscard]] Result<CallDecision> writeKnowledge(
    OutboundLedger& ledger, const Vendor& vendor, const OutboundCall& asked, VendorKnowledge knowledge);

struct VendorCall {
    Vendor vendor;
    std::string operation; // the vendor's: "payouts.create"
    std::string step; // which effect of the request this is; made once, to whichever vendor
    std::string domain = "fencepost.invalid"; // of message ids
    Duration keep = std::chrono::hours(24); // as long as the record
    AskVendor ask = {}; // none: an unknown outcome stays unknown
};

struct VendorOutcome {
    Sent sent = Sent::Unknown;
    CallResult result;
    bool lost = false; // the record was taken away: stop
    std::string reason;
    bool elsewhere = false; // Unknown of another call of this effect: sending this one again settles nothing

    [[nodiscard]] bool isDone() const { return sent == Sent::Done; }
};

// How a handler settles its record where one call decides it.
[[nodiscard]] Settlement settlementOf(const VendorOutcome& outcome);

// One call on behalf of an execution: the ledger says whether it may be sent, SENDING is written before it is, and what
// came of it afterwards. Never in a transaction. A call whose outcome is unknown is not sent again before the vendor
// was asked, unless the vendor recognises it.
[[nodiscard]] VendorOutcome callVendor(
    Execution& execution, OutboundLedger& ledger, const VendorCall& wished, const SendCall& send);

} // namespace fencepost
