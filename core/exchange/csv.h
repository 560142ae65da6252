// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
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

// Why a row cannot be read. The words have nothing of the row in them.
struct CsvFault {
    CsvPlace place;
    std::string what;
};

// Cuts octets that come piece by piece into rows, and keeps no more than one of them. RFC 4180. Also understood: line
// feeds alone, a byte order mark in front, blank lines, a last line without an end. Not understood: a quote that is not
// closed or has text around it, a lone carriage return, octets that are no UTF-8. Behind such a row it goes on with the
// next line, also where that stands behind a quote that nobody closes.
class CsvReader {
public:
    struct Row {
        std::size_t line = 1; // where it begins
        CsvRow cells; // empty where there is a fault
        std::optional<CsvFault> fault;
        bool ended = true; // false: the last one, without a line feed
    };
    // False: no more rows are wanted.
    using Visit = std::function<bool(const Row& row)>;

    // `longest`: octets of a row.
    explicit CsvReader(std::size_t longest = std::numeric_limits<std::size_t>::max())
        : m_longest(longest)
    {
    }

    // Both answer whether more is wanted.
    bool add(std::string_view piece, const Visit& visit);
    bool finish(const Visit& visit);

private:
    enum class At { RowStart, RowStartReturn, CellStart, Plain, PlainReturn, Quoted, Quote, QuoteReturn, RestOfLine };

    bool feed(std::string_view octets, const Visit& visit);
    void take(char c);
    void takeFirst(char c);
    void takePlain(char c);
    void takeQuoted(char c);
    void takeBehindQuote(char c);
    bool takeEnd(char c, At awaiting);
    void awaitLineFeed(At awaiting);
    void pass(char c);
    void beginCell();
    void endCell();
    void endRow();
    void fail(const CsvPlace& place, std::string_view what);
    void close();
    bool begin(const Visit& visit);
    bool give(bool ended, const Visit& visit);

    const std::size_t m_longest;
    std::string m_head; // of the text, as long as it may be a byte order mark
    bool m_begun = false;
    At m_at = At::RowStart;
    CsvPlace m_place;
    CsvPlace m_returnPlace; // of a carriage return whose line feed is awaited
    Row m_row;
    std::size_t m_octets = 0; // of the row
    bool m_broken = false; // its end cannot be told: what follows is read from its second line on
    bool m_over = false; // it is to be given away
    bool m_spans = false; // a cell of it has a line feed
    std::string m_rest; // of a row of several lines, what stands behind its first
};

// The same of a text that is there as a whole. Invalid, code VALIDATION.csv: the first row that is not understood; the
// message says where.
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
