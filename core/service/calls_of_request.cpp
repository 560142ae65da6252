// SPDX-License-Identifier: Apache-2.0
#include "core/service/calls_of_request.h"

namespace fencepost {

Result<std::vector<OutboundCall>> callsOf(Store& store, OutboundLedger& ledger, const Record& record, Time now)
{
    auto calls = ledger.callsOf(record.id);
    if (!calls || calls->empty())
        return calls;
    const auto began = store.lifeBegan(record.id);
    if (!began)
        return began.error();
    std::erase_if(*calls, [&](const OutboundCall& call) { return !isCallOf(call, record, now, *began); });
    return calls;
}

} // namespace fencepost
