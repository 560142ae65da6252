// SPDX-License-Identifier: Apache-2.0
#include "core/store/worker.h"

namespace fencepost::store {

Parameters parametersOf(const Claim& claim, const std::optional<Time>& now)
{
    Parameters parameters;
    addKey(parameters, claim.id).text("owner", claim.owner.uuid).integer("fence", claim.fence.value).time("now", now);
    return parameters;
}

CompletionColumns::CompletionColumns(const Completion& completion)
    : m_completion(completion)
    , m_response(completion.response)
{
}

void CompletionColumns::addTo(Parameters& parameters, State status, Event event, const char* reason) const
{
    parameters.text("status", wordOf(status)).text("event", wordOf(event)).text("reason", reason);
    m_response.addTo(parameters);
    parameters.text("error_code", m_completion.errorCode)
        .integer("ttl", m_completion.ttl ? std::optional(m_completion.ttl->count()) : std::nullopt);
}

} // namespace fencepost::store
