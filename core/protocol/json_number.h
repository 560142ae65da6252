// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fencepost {

// As ECMAScript's Number::toString writes it, which RFC 8785 §3.2.2.3 takes over: shortest digits that round-trip, -0
// as 0. The value must be finite.
void appendEcmaScript(std::string& out, double value);

// A number token of a JSON text, read as the IEEE 754 double that every receiver makes of it.
struct JsonNumber {
    std::string text; // of the double, as appendEcmaScript writes it
    // What the token says and the double cannot: sign, digits and exponent, as normalisedDecimal writes them. None: the
    // double's shortest form says the same number.
    std::optional<std::string> lossy;
};

// The token must follow RFC 8259's grammar. None: its magnitude is over the greatest double, or its exponent has more
// than 18 digits.
[[nodiscard]] std::optional<JsonNumber> readJsonNumber(std::string_view token);

// One spelling per decimal number: 10.50 and 105e-1 are both "105e-1", 0.0 and -0 are "0". The exponent is left out
// where it is 0. None: the exponent has more than 18 digits.
[[nodiscard]] std::optional<std::string> normalisedDecimal(std::string_view token);

} // namespace fencepost
