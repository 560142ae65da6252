// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/protocol/record.h"

namespace fencepost {

// A life of a record's key: used again behind its end, a key begins another one.
struct KeyLife {
    Fence began; // of its first attempt
    std::optional<Fence> concluded = {}; // of its last outcome that was not taken back

    bool operator==(const KeyLife&) const = default;
};

// Oldest first; the last one is the present one. Empty: the journal does not say, and nothing is of an earlier one.
using KeyLives = std::vector<KeyLife>;

// Whether what was done under this fence is of an earlier life than the present one.
[[nodiscard]] bool isOfEarlierLife(Fence fence, const KeyLives& lives);
// And that life had an outcome.
[[nodiscard]] bool isOfPastLife(Fence fence, const KeyLives& lives);

// What the journal says of one key, entry by entry in their order. Of a life whose beginning is no longer in the
// journal it knows the outcome.
class LivesOfJournal {
public:
    void add(std::string_view event, std::string_view toState, int attempt, Fence fence);
    [[nodiscard]] const KeyLives& lives() const& { return m_lives; }
    [[nodiscard]] KeyLives lives() && { return std::move(m_lives); }

private:
    KeyLives m_lives;
};

} // namespace fencepost
