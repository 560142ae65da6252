// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/protocol/outbound_call.h"
#include "core/protocol/record.h"
#include "core/result.h"
#include "core/store/database.h"

namespace fencepost::store {

// What was sent to vendors on behalf of a record, as far as it may have had an effect, in words:
// "acme payouts.create po_1, mail send".
struct RecordCalls {
    struct Done {
        CallId id;
        std::string step;
    };
    std::string done; // empty: none is
    std::string open; // nobody knows what became of these
    std::vector<Done> doneCalls = {};
};

// The record whose calls are meant; what is not known of it lets more of them be its own.
struct CallsSought {
    RecordId id;
    std::optional<Bytes> requestHash;
    std::optional<Time> startedAt;
    int attempt = 1;
};

// Of each of the records, in their order. Calls of a request that had the key before are not among them (isCallOf()).
// Runs in whatever transaction is open. `now` none: the database's own clock (PostgreSQL). Denied: the role may not
// read the ledger of calls; Unsupported: there is none.
[[nodiscard]] Result<std::vector<RecordCalls>> callsOf(
    Connection& connection, const std::vector<CallsSought>& records, const std::optional<Time>& now);

} // namespace fencepost::store
