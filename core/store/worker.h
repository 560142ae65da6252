// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store.h"
#include "core/store/record_row.h"

namespace fencepost::store {

inline constexpr const char* finalizedReason = "finalized";
inline constexpr const char* failedReason = "failed";

Status check(const Claim& claim);
// Invalid: no instant can be computed with it, or it is longer than anything is kept: a thousand years.
Status checkSpan(const std::optional<Duration>& span);
[[nodiscard]] Trigger triggerOf(Event event, const Claim& claim, const Completion& completion = {});
// Key, owner, fence and instant: what every worker's statement has.
[[nodiscard]] Parameters parametersOf(const Claim& claim, const std::optional<Time>& now);

// The values of complete.sql beside the claim's. Views the completion.
class CompletionColumns {
public:
    explicit CompletionColumns(const Completion& completion);
    void addTo(Parameters& parameters, State status, Event event, const char* reason) const;

private:
    const Completion& m_completion;
    ResponseColumns m_response;
};

} // namespace fencepost::store
