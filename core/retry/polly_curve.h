// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fencepost::retry {

// Fixed point: 1.0 is 2^30.
inline constexpr int curveBits = 30;
inline constexpr std::uint64_t curveOne = 1ULL << curveBits;
inline constexpr std::uint64_t curveEnd = UINT64_MAX; // beyond what can be said

// 2^t · tanh(√(4 t)) for t = whole + fraction/2^30, fraction < 2^30: the curve below Polly's decorrelated jitter v2
// (App-vNext/Polly, RetryHelper.DecorrelatedJitterBackoffV2). In integers, because the last bits of libm's exp and tanh
// differ between machines. Right to six digits up to whole = 32, curveEnd beyond.
[[nodiscard]] std::uint64_t pollyCurve(std::uint64_t whole, std::uint64_t fraction) noexcept;

} // namespace fencepost::retry
