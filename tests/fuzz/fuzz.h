// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

// One target per program: it reads any octets, and aborts where a promise of the core is broken. libFuzzer calls it
// where the compiler has that; driver.cpp does elsewhere.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fencepost::fuzz {

// Ends the program where a promise is broken; the driver then keeps the input.
void require(bool holds, std::string_view promise, std::string_view about = {});
// A refusal says why, in text that a person can read, and no more of the input than is of use.
void requireRefusal(const Error& error, std::size_t inputSize);

[[nodiscard]] std::string_view textOf(const std::uint8_t* data, std::size_t size);
// At most `most` parts; the last one has all that is left.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator, std::size_t most);

} // namespace fencepost::fuzz
