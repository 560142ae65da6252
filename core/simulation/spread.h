// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"

namespace fencepost::simulation {

// How long something takes, as its lengths are spread. In whole microseconds by integers alone: a number gives the
// same length on every machine. Written as text:
//   50ms · uniform(10ms,50ms) · exponential(50ms) · percentiles(0=5ms,50=20ms,99=800ms,100=2s)
class Spread {
public:
    Spread() = default; // always nothing
    explicit Spread(Duration always)
        : m_least(always)
        , m_most(always)
    {
    }
    // Invalid: what was expected.
    [[nodiscard]] static Result<Spread> parse(std::string_view text);

    // The length that a number of 64 even bits stands for.
    [[nodiscard]] Duration at(std::uint64_t number) const;
    [[nodiscard]] Duration mean() const;
    // The longest one that is written in it; of an exponential one that is its mean.
    [[nodiscard]] Duration longest() const;
    // Always the same.
    [[nodiscard]] bool isEven() const { return m_shape == Shape::Uniform && m_least == m_most; }
    [[nodiscard]] std::string text() const;

    bool operator==(const Spread&) const = default;

private:
    enum class Shape { Uniform, Exponential, Percentiles };

    Shape m_shape = Shape::Uniform;
    Duration m_least{};
    Duration m_most{}; // Exponential: the mean
    std::vector<std::pair<int, Duration>> m_percentiles; // in thousandths of a percent, rising
};

// −ln(x) of the fraction x = (number + 1) / 2⁶⁴, in units of 2⁻³².
[[nodiscard]] std::uint64_t negativeLog(std::uint64_t number);

} // namespace fencepost::simulation
