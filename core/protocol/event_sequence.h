// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace fencepost {

// The id of an event of an aggregate: {aggregate}-{sequence}, as in order-7-42. The aggregate may hold dashes of its
// own.
struct SequencedId {
    std::string aggregate;
    std::int64_t sequence = 0;

    bool operator==(const SequencedId&) const = default;
};

// Invalid: there is no dash, no aggregate, or no number without sign and leading zeros that fits into 63 bits.
[[nodiscard]] Result<SequencedId> parseSequencedId(std::string_view text);
[[nodiscard]] std::string format(const SequencedId& id);

enum class Arrival {
    Next, // apply it
    Duplicate, // it was applied before: acknowledge it, do nothing
};

// What an event is to an aggregate whose last applied sequence is `last`; none: it has none yet, and `first` comes
// first. Conflict: it leaves a gap, or comes before the first; the message names the sequence that is expected.
[[nodiscard]] Result<Arrival> arrivalOf(
    const SequencedId& id, std::optional<std::int64_t> last, std::int64_t first = 1);
// None: the last one was the greatest there is.
[[nodiscard]] std::optional<std::int64_t> expectedAfter(std::optional<std::int64_t> last, std::int64_t first = 1);

} // namespace fencepost
