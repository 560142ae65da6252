// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/inspector.h"
#include "core/protocol/transition.h"

namespace fencepost::operation {

// The protocol's event of an operation or of its inverse: "fence", "unexpire".
[[nodiscard]] std::optional<Event> eventOfVerb(std::string_view verb) noexcept;
// Of --as: "succeeded", "failed", "retryable", "takeover".
[[nodiscard]] std::optional<Resolution> resolutionOf(std::string_view word) noexcept;

// What decide() makes of one of Fencepost's own records as it was seen, so that no word about it can differ from what
// the store will do.
struct Foresight {
    Record before;
    Record after; // the operation
    Decision same; // the same request, asked right afterwards
    Decision other; // another request under the same key
};

// None: the operation does not apply to the row, or its state is unknown.
[[nodiscard]] std::optional<Foresight> foresee(
    std::string_view verb, const Row& row, Time now, const std::map<std::string, std::string>& parameters);

// Whether the client is told to use a new key: it has failed for good, or will with the next same request.
[[nodiscard]] bool closesKey(const Record& after, Time now);

// The answer to the next same request: "executes", "is answered FAILED_FINAL 503", "is held".
[[nodiscard]] std::string answerOf(const Decision& decision);
// The same as a clause, with what it rests on: "the next same request is held (attempts_exhausted: 5 of 5)".
[[nodiscard]] std::string clauseOf(const Foresight& foresight, Time now);

} // namespace fencepost::operation
