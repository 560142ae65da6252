// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace fencepost::store {

// Instants are read as no further from 1970 than this, some 18,000 years: a span can then be added to any of them and
// any two be compared, whatever somebody wrote into a row.
inline constexpr std::int64_t farthestMicros = std::int64_t{ 1 } << 59U;

[[nodiscard]] constexpr Time instantWithin(std::int64_t micros) noexcept
{
    return timeFromMicros(std::clamp(micros, -farthestMicros, farthestMicros));
}

} // namespace fencepost::store
