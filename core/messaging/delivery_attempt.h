// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace fencepost {

// One try that failed: of a handler, or of a delivery.
struct DeliveryAttempt {
    int number = 0; // from 1, in a life: a redrive begins another
    Time at;
    std::string owner;
    std::string code; // of the taxonomy, a status of HTTP, an exit code
    std::string error; // in words; never a payload

    bool operator==(const DeliveryAttempt&) const = default;
};

// Kept of all, so that no event grows for ever: the newest, and one that may have had an effect, if there was any.
inline constexpr std::size_t keptAttempts = 100;
inline constexpr std::size_t keptErrorOctets = 4'096; // of one; cut between two characters

// A JSON array of objects, oldest first.
[[nodiscard]] std::string formatAttempts(const std::vector<DeliveryAttempt>& attempts);
// Corrupt: it is none. Empty text: there were no attempts.
[[nodiscard]] Result<std::vector<DeliveryAttempt>> parseAttempts(std::string_view text);

// Octets of its code and error that no database takes as text become U+FFFD.
void addAttempt(std::vector<DeliveryAttempt>& attempts, DeliveryAttempt attempt);

} // namespace fencepost
