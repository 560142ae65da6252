// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/csv.h"

#include <algorithm>
#include <iterator>

#include "core/ids.h"

namespace fencepost::exchange {

namespace {

constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

class CsvReader {
public:
    explicit CsvReader(std::string_view text)
        : m_text(text)
    {
        if (m_text.starts_with(byteOrderMark))
            m_text.remove_prefix(byteOrderMark.size());
    }

    Result<std::vector<CsvRow>> read()
    {
        std::vector<CsvRow> rows;
        while (m_at < m_text.size()) {
            if (atLineEnd()) {
                passLineEnd();
                continue;
            }
            auto row = readRow();
            if (!row)
                return row.error();
            rows.push_back(std::move(*row));
        }
        return rows;
    }

private:
    [[nodiscard]] bool atLineEnd() const
    {
        return m_text[m_at] == '\n' || (m_text[m_at] == '\r' && m_text.substr(m_at + 1, 1) == "\n");
    }

    void passLineEnd()
    {
        if (m_text[m_at] == '\r')
            pass();
        pass();
    }

    void pass()
    {
        const char c = m_text[m_at++];
        if (c == '\n') {
            ++m_place.line;
            m_place.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80) {
            ++m_place.column; // not once per octet of a character
        }
    }

    Result<CsvRow> readRow()
    {
        CsvRow row;
        while (true) {
            CsvCell cell{ {}, m_place };
            const auto status = m_at < m_text.size() && m_text[m_at] == '"' ? readQuoted(cell) : readPlain(cell);
            if (!status)
                return status.error();
            if (!isUtf8(cell.text))
                return csvError(cell.place, "the cell is no UTF-8");
            row.push_back(std::move(cell));
            if (m_at == m_text.size())
                return row;
            if (m_text[m_at] == ',') {
                pass();
                continue;
            }
            passLineEnd();
            return row;
        }
    }

    Status readPlain(CsvCell& cell)
    {
        while (m_at < m_text.size() && m_text[m_at] != ',' && !atLineEnd()) {
            if (m_text[m_at] == '"')
                return csvError(m_place, "a quote inside of a cell that does not begin with one");
            if (m_text[m_at] == '\r')
                return csvError(m_place, "a carriage return without a line feed");
            cell.text += m_text[m_at];
            pass();
        }
        return {};
    }

    Status readQuoted(CsvCell& cell)
    {
        pass();
        while (m_at < m_text.size()) {
            if (m_text[m_at] == '"') {
                pass();
                if (m_at == m_text.size() || m_text[m_at] == ',' || atLineEnd())
                    return {};
                if (m_text[m_at] != '"')
                    return csvError(m_place, "text behind the closing quote of a cell");
            }
            cell.text += m_text[m_at];
            pass();
        }
        return csvError(cell.place, "the quote of this cell is not closed");
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    CsvPlace m_place;
};

// Also what some of them strip before they look, and what others take for the same sign: the wide forms of = + - @.
bool isFormula(std::string_view text)
{
    constexpr std::string_view starts[] = { "=", "+", "-", "@", "\t", "\r", "\n", "\xef\xbc\x9d", "\xef\xbc\x8b",
        "\xef\xbc\x8d", "\xef\xbc\xa0" };
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::any_of(
        std::begin(starts), std::end(starts), [text](std::string_view start) { return text.starts_with(start); });
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

Result<std::vector<CsvRow>> parseCsv(std::string_view text)
{
    return CsvReader(text).read();
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
