// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/messaging/outbox.h"

namespace fencepost {

// What the statements of a relay do to one row, for whoever has no statements: the simulator. Whose turn it is among
// those of one ordering key is the caller's to say.

// In this relay's hands, as one more attempt; none: it does not wait, or it is not due yet.
[[nodiscard]] std::optional<OutboxMessage> decideClaimed(
    const OutboxMessage& message, const Owner& owner, Duration lease, Time now);
// The target has it; none: it is another relay's by now.
[[nodiscard]] std::optional<OutboxMessage> decideSent(const OutboxMessage& message, const Owner& owner, Time now);

} // namespace fencepost
