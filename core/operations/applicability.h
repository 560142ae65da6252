// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/inspector.h"
#include "core/messaging/replay_verdict.h"

namespace fencepost::operation {

// In Row::extra of another's row: a column of its identity is NULL, so that nothing names it.
inline constexpr auto rowNameless = "nameless";

// Why a verb does not apply to a row as it was seen; empty: it applies. The guard of the write itself is judged again
// in its transaction.
[[nodiscard]] std::string whyNotFence(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotRelease(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotExpire(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotResolve(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotFail(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotReplay(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotEdit(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotDiscard(const Binding& binding, const Row& row, Time now);
[[nodiscard]] std::string whyNotNote(const Binding& binding, const Row& row, Time now);

// Of a dead letter; Unknown where nothing was judged.
[[nodiscard]] ReplayVerdict verdictOf(const Row& row);
[[nodiscard]] std::string verdictWords(const Row& row); // and why it is that
[[nodiscard]] std::string extraOf(const Row& row, const char* name); // empty: absent

// The status under what is shown: IN_PROGRESS of a held or expired row.
[[nodiscard]] State statusOf(const Row& row);
[[nodiscard]] bool isLive(const Row& row, Time now);
// Fencing it keeps it free for the next same request.
[[nodiscard]] bool isSafeToFence(const Row& row, Time now);

} // namespace fencepost::operation
