// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/simulation/measures.h"
#include "core/simulation/scenario.h"

namespace fencepost::simulation {

// What a scenario claims about its outcome: two terms and a comparison, as in "keyless:duplicate_effects > 0" or
// "none:attempts > 2 * full:attempts". A term is a whole number or a measure, of a variant where there are some.
struct ExpectedTerm {
    std::int64_t factor = 1;
    std::string variant; // empty: of the only one
    const MeasureKind* measure = nullptr; // none: the factor alone
};

struct Expectation {
    std::string text; // as it was written
    ExpectedTerm left;
    std::string comparison; // = < <= > >= !=
    ExpectedTerm right;
};

// Invalid: there is no such measure or variant, or it is no comparison.
[[nodiscard]] Result<Expectation> parseExpectation(std::string_view text, const Scenario& scenario);

// Whether so much compares with so much as the word says.
[[nodiscard]] bool holds(std::int64_t left, std::string_view comparison, std::int64_t right);

} // namespace fencepost::simulation
