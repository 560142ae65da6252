// SPDX-License-Identifier: Apache-2.0
#include "core/retry/polly_curve.h"

#include <array>
#include <cstddef>

namespace fencepost::retry {

namespace {

constexpr std::uint64_t furthest = 32;
constexpr std::uint64_t logOf2ToE = 1'549'082'005; // log₂(e) · 2^30

constexpr std::uint64_t squareRoot(std::uint64_t value)
{
    std::uint64_t root = 0;
    for (std::uint64_t bit = 1ULL << 31; bit != 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= value)
            root |= bit;
    return root;
}

// 2^(1/2), 2^(1/4), 2^(1/8) …
constexpr auto rootsOfTwo = [] {
    std::array<std::uint64_t, curveBits> roots{};
    std::uint64_t last = 2 * curveOne;
    for (auto& root : roots) {
        root = squareRoot(last << curveBits);
        last = root;
    }
    return roots;
}();

// 2^fraction, in [1, 2).
std::uint64_t powerOfTwo(std::uint64_t fraction)
{
    std::uint64_t value = curveOne;
    for (std::size_t i = 0; i < rootsOfTwo.size(); ++i)
        if ((fraction & (curveOne >> (i + 1))) != 0)
            value = (value * rootsOfTwo[i]) >> curveBits;
    return value;
}

// tanh(x) = 1 − 2 / (e^2x + 1) with x = 2√t, so e^2x = 2^(4√t · log₂ e).
std::uint64_t hyperbolicTangent(std::uint64_t t)
{
    // t is below 33 · 2^30 < 2^36: shifted by 26 it fits, and the root has 28 bits behind its point.
    const auto fourRoots = 4 * squareRoot(t << 26);
    // 23 · 2^28 times 1.45 · 2^20 fits.
    const auto exponent = (fourRoots * (logOf2ToE >> 10)) >> 18; // 30 bits behind its point
    const auto whole = exponent >> curveBits;
    if (whole > 32)
        return curveOne; // from here on it differs from 1 by less than the last bit
    const auto e2x = powerOfTwo(exponent & (curveOne - 1)) << whole;
    return curveOne - (2 * curveOne * curveOne) / (e2x + curveOne);
}

} // namespace

std::uint64_t pollyCurve(std::uint64_t whole, std::uint64_t fraction) noexcept
{
    if (whole > furthest)
        return curveEnd;
    const auto mantissa = (powerOfTwo(fraction) * hyperbolicTangent((whole << curveBits) + fraction)) >> curveBits;
    return mantissa << whole;
}

} // namespace fencepost::retry
