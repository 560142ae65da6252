// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/random.h"

namespace fencepost::test {

// A JSON document that can be spelled in many ways.
struct JsonSample {
    enum class Kind { Literal, Number, Text, Array, Object };
    Kind kind = Kind::Literal;
    std::string word; // literal, digits of a number with an optional sign, or UTF-8
    int exponent = 0; // of a number
    std::vector<std::pair<std::string, JsonSample>> parts; // names are used by objects only
};

JsonSample randomSample(Random& random, int depth = 4);
// Another spelling with each call: spaces, order of members, escapes, places of the decimal point.
std::string spell(const JsonSample& sample, Random& random);
// Changes one thing that is no matter of spelling.
void change(JsonSample& sample, Random& random);

} // namespace fencepost::test
