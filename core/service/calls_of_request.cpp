// SPDX-License-Identifier: Apache-2.0
#include "core/service/calls_of_request.h"

namespace fencepost {

Result<std::vector<OutboundCall>> callsOf(OutboundLedger& ledger, const Record& record, Time now)
{
    auto calls = ledger.callsOf(record.id);
    if (!calls || calls->empty())
        return calls;
    const auto lives = ledger.livesOf(record.id);
    if (!lives)
        return lives.error();
    std::erase_if(*calls, [&](const OutboundCall& call) { return !isCallOf(call, record, now, *lives); });
    return calls;
}

} // namespace fencepost
