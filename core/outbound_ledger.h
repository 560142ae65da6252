// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/protocol/outbound_call.h"
#include "core/result.h"

namespace fencepost {

// outbound_calls: what was sent to vendors on behalf of which record, written before it is sent. Used by one thread at
// a time, like the store beside it. Errors are the store's; after InDoubt or Unavailable nothing may be sent, and the
// next look at the call tells.
class OutboundLedger {
public:
    virtual ~OutboundLedger() = default;

    // Carries out what decideCall() says, in one transaction: Send compares owner and fence under the record's lock.
    virtual Result<CallDecision> apply(const Vendor& vendor, const CallTrigger& trigger) = 0;
    virtual Result<std::optional<OutboundCall>> find(const CallId& id) = 0;
    // In the order in which they were begun.
    virtual Result<std::vector<OutboundCall>> callsOf(const RecordId& record) = 0;
    // Of the record's key, by the journal.
    virtual Result<KeyLives> livesOf(const RecordId& record) = 0;
    // Forgets what nobody asks for any more; an unresolved call stays for as long as its outcome is unknown. Answers
    // how many.
    virtual Result<int> purge(int batch) = 0;
};

} // namespace fencepost
