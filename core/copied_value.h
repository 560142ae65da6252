// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace fencepost {

// One value of a row as SQLite keeps it. The octets are a view: they end with the call that they were given to.
struct CopiedValue {
    enum class Kind { Null, Integer, Real, Text, Octets };
    Kind kind = Kind::Null;
    std::int64_t integer = 0;
    double real = 0;
    std::string_view octets = {}; // of a text as well
};

} // namespace fencepost
