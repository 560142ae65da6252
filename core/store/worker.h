// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/record_row.h"
#include "core/store_input.h"

namespace fencepost::store {

inline constexpr const char* finalizedReason = "finalized";
inline constexpr const char* failedReason = "failed";

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
