// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/csv.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/ids.h"

namespace fencepost::exchange {

namespace {

constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

constexpr std::string_view strayQuote = "a quote inside of a cell that does not begin with one";
constexpr std::string_view strayReturn = "a carriage return without a line feed";
constexpr std::string_view strayText = "text behind the closing quote of a cell";

// Blanks, and those that only look like some: no-break and narrow ones, of other widths, of no width, the wide one.
std::string_view withoutBlanks(std::string_view text)
{
    constexpr std::string_view blanks[] = { " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe2\x81\xa0",
        "\xe3\x80\x80", "\xef\xbb\xbf" };
    constexpr std::string_view widths = "\xe2\x80"; // U+2000 to U+200F
    for (bool stripped = true; stripped;) {
        stripped = text.size() > widths.size() && text.starts_with(widths)
            && static_cast<unsigned char>(text[widths.size()]) <= 0x8f;
        if (stripped)
            text.remove_prefix(widths.size() + 1);
        for (const auto blank : blanks)
            if (text.starts_with(blank)) {
                text.remove_prefix(blank.size());
                stripped = true;
            }
    }
    return text;
}

// Also what some of them strip before they look, and what others take for the same sign: the wide forms of = + - @.
bool isFormula(std::string_view text)
{
    constexpr std::string_view starts[] = { "=", "+", "-", "@", "\t", "\r", "\n", "\xef\xbc\x9d", "\xef\xbc\x8b",
        "\xef\xbc\x8d", "\xef\xbc\xa0" };
    const auto shown = withoutBlanks(text);
    return std::any_of(
        std::begin(starts), std::end(starts), [shown](std::string_view start) { return shown.starts_with(start); });
}

void appendCell(std::string& out, std::string_view text, CsvStyle style)
{
    const bool defused = style == CsvStyle::SpreadsheetSafe && isFormula(text);
    // In front of a file a byte order mark would be taken off.
    if (!defused && text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(byteOrderMark)) {
        out += text;
        return;
    }
    out += defused ? "\"'" : "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

} // namespace

bool CsvReader::add(std::string_view piece, const Visit& visit)
{
    if (m_begun)
        return feed(piece, visit);
    m_head += piece;
    const bool mayBeMark = m_head.size() < byteOrderMark.size() && byteOrderMark.starts_with(m_head);
    return mayBeMark || begin(visit);
}

bool CsvReader::begin(const Visit& visit)
{
    m_begun = true;
    const auto head = std::exchange(m_head, {});
    return feed(std::string_view(head).substr(head.starts_with(byteOrderMark) ? byteOrderMark.size() : 0), visit);
}

bool CsvReader::finish(const Visit& visit)
{
    if (!m_begun && !begin(visit))
        return false;
    while (m_at != At::RowStart && m_at != At::RestOfLine) {
        close();
        if (!give(false, visit))
            return false;
    }
    return true;
}

bool CsvReader::feed(std::string_view octets, const Visit& visit)
{
    for (const char c : octets) {
        if (m_spans)
            m_rest += c;
        ++m_octets;
        take(c);
        if (!m_over && m_octets > m_longest && !m_row.cells.empty())
            fail(m_row.cells.back().place,
                (m_at == At::Quoted ? "the quote of this cell is not closed within " : "the row is longer than ")
                    + std::to_string(m_longest) + " octets");
        if (m_over && !give(true, visit))
            return false;
    }
    return true;
}

void CsvReader::take(char c)
{
    switch (m_at) {
    case At::RowStart:
        m_octets = 1;
        m_row.line = m_place.line;
        if (c == '\n')
            return pass(c);
        if (c == '\r')
            return awaitLineFeed(At::RowStartReturn);
        beginCell();
        return takeFirst(c);
    case At::CellStart:
        return takeFirst(c);
    case At::Plain:
        return takePlain(c);
    case At::Quoted:
        return takeQuoted(c);
    case At::Quote:
        return takeBehindQuote(c);
    case At::RowStartReturn:
        if (c == '\n')
            m_at = At::RowStart;
        else
            fail(m_returnPlace, strayReturn);
        return pass(c);
    case At::PlainReturn:
    case At::QuoteReturn:
        if (c == '\n')
            endRow();
        else
            fail(m_returnPlace, m_at == At::PlainReturn ? strayReturn : strayText);
        return pass(c);
    case At::RestOfLine:
        if (c == '\n')
            m_at = At::RowStart;
        return pass(c);
    }
}

void CsvReader::takeFirst(char c)
{
    m_at = c == '"' ? At::Quoted : At::Plain;
    if (m_at == At::Quoted)
        pass(c);
    else
        takePlain(c);
}

void CsvReader::takePlain(char c)
{
    if (c == '"') {
        fail(m_place, strayQuote);
        return pass(c);
    }
    if (!takeEnd(c, At::PlainReturn)) {
        m_row.cells.back().text += c;
        pass(c);
    }
}

void CsvReader::takeQuoted(char c)
{
    if (c == '"')
        m_at = At::Quote;
    else
        m_row.cells.back().text += c;
    m_spans = m_spans || c == '\n';
    pass(c);
}

void CsvReader::takeBehindQuote(char c)
{
    if (c == '"') {
        m_row.cells.back().text += c;
        m_at = At::Quoted;
        return pass(c);
    }
    if (!takeEnd(c, At::QuoteReturn)) {
        fail(m_place, strayText);
        pass(c);
    }
}

// Whether it is what ends a cell.
bool CsvReader::takeEnd(char c, At awaiting)
{
    if (c == ',') {
        endCell();
        pass(c);
        beginCell();
    } else if (c == '\n') {
        endRow();
        pass(c);
    } else if (c == '\r') {
        awaitLineFeed(awaiting);
    } else {
        return false;
    }
    return true;
}

void CsvReader::awaitLineFeed(At awaiting)
{
    m_returnPlace = m_place;
    m_at = awaiting;
    pass('\r');
}

void CsvReader::pass(char c)
{
    if (c == '\n') {
        ++m_place.line;
        m_place.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80) {
        ++m_place.column; // not once per octet of a character
    }
}

void CsvReader::beginCell()
{
    m_row.cells.push_back({ {}, m_place });
    m_at = At::CellStart;
}

void CsvReader::endCell()
{
    const auto& cell = m_row.cells.back();
    if (!m_row.fault && !isUtf8(cell.text))
        m_row.fault = CsvFault{ cell.place, "the cell is no UTF-8" };
}

void CsvReader::endRow()
{
    endCell();
    m_at = At::RowStart;
    m_over = true;
}

void CsvReader::fail(const CsvPlace& place, std::string_view what)
{
    if (!m_row.fault)
        m_row.fault = CsvFault{ place, std::string(what) };
    m_broken = true;
    m_over = true;
}

// At the end of the text.
void CsvReader::close()
{
    switch (m_at) {
    case At::CellStart:
    case At::Plain:
    case At::Quote:
        return endRow();
    case At::RowStartReturn:
    case At::PlainReturn:
        return fail(m_returnPlace, strayReturn);
    case At::QuoteReturn:
        return fail(m_returnPlace, strayText);
    case At::Quoted:
        return fail(m_row.cells.back().place, "the quote of this cell is not closed");
    case At::RowStart:
    case At::RestOfLine:
        return;
    }
}

// Lines behind a quote that is not closed are read again as if it were not there. Each of them has an even number of
// quotes or ends the row, and so is no such row itself: they are read twice at most.
bool CsvReader::give(bool ended, const Visit& visit)
{
    auto row = std::exchange(m_row, {});
    const auto rest = std::exchange(m_rest, {});
    const bool broken = std::exchange(m_broken, false);
    const bool spans = std::exchange(m_spans, false);
    m_over = false;
    m_octets = 0;
    row.ended = ended || (broken && spans);
    if (row.fault)
        row.cells.clear();
    if (!visit(row))
        return false;
    if (!broken)
        return true;
    m_at = spans ? At::RowStart : At::RestOfLine;
    if (spans)
        m_place = { row.line + 1, 1 };
    return feed(rest, visit);
}

Result<std::vector<CsvRow>> parseCsv(std::string_view text)
{
    std::vector<CsvRow> rows;
    std::optional<Error> failed;
    const auto keep = [&](const CsvReader::Row& row) {
        if (row.fault)
            failed = csvError(row.fault->place, row.fault->what);
        else
            rows.push_back(row.cells);
        return !failed;
    };
    CsvReader reader;
    if (reader.add(text, keep))
        reader.finish(keep);
    if (failed)
        return *failed;
    return rows;
}

Error csvError(const CsvPlace& place, const std::string& what)
{
    return { Failure::Invalid,
        "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + what, {},
        "VALIDATION.csv" };
}

std::string csvLine(const std::vector<std::string>& cells, CsvStyle style)
{
    // A line with nothing on it is no row.
    if (cells.size() == 1 && cells.front().empty())
        return "\"\"\n";
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            line += ',';
        appendCell(line, cells[i], style);
    }
    return line + '\n';
}

} // namespace fencepost::exchange
