// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace fencepost::exchange {

// Where a cell begins in its text; both count from 1, the column in characters.
struct CsvPlace {
    std::size_t line = 1;
    std::size_t column = 1;

    bool operator==(const CsvPlace&) const = default;
};

struct CsvCell {
    std::string text; // without its quotes
    CsvPlace place;

    bool operator==(const CsvCell&) const = default;
};

using CsvRow = std::vector<CsvCell>;

// RFC 4180. Also understood: line feeds alone, a byte order mark in front, blank lines, a last line without an end.
// Invalid, code VALIDATION.csv: a quote that is not closed or has text around it, a lone carriage return, octets that
// are no UTF-8; the message says where.
[[nodiscard]] Result<std::vector<CsvRow>> parseCsv(std::string_view text);

[[nodiscard]] Error csvError(const CsvPlace& place, const std::string& what);

enum class CsvStyle {
    Exact, // reads back as what was written
    SpreadsheetSafe, // what a spreadsheet would take for a formula, also behind blanks, is quoted with an apostrophe in
                     // front
};

// One line with its line feed; cells are quoted where they must be.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& cells, CsvStyle style);

} // namespace fencepost::exchange
