// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/csv.h"

#include "core/exchange/playbook_csv.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using namespace fencepost::exchange;
using fuzz::require;

namespace {

std::vector<std::vector<std::string>> textsOf(const std::vector<CsvRow>& rows)
{
    std::vector<std::vector<std::string>> texts;
    for (const auto& row : rows) {
        auto& line = texts.emplace_back();
        for (const auto& cell : row)
            line.push_back(cell.text);
    }
    return texts;
}

void checkCells(std::string_view text)
{
    const auto rows = parseCsv(text);
    if (!rows) {
        require(rows.error().code == "VALIDATION.csv", "the refusal has its code", rows.error().code);
        return fuzz::requireRefusal(rows.error(), text.size());
    }
    std::string written;
    std::string safe;
    for (const auto& cells : textsOf(*rows)) {
        written += csvLine(cells, CsvStyle::Exact);
        safe += csvLine(cells, CsvStyle::SpreadsheetSafe);
    }
    require(written.size() <= 2 * text.size() + 4 * rows->size() + 1, "what is written is linear");
    const auto again = parseCsv(written);
    require(again.has_value(), "what is written is read", written);
    require(textsOf(*again) == textsOf(*rows), "cells are written as they are read", written);
    const auto defused = parseCsv(safe);
    require(defused.has_value(), "what is written for a spreadsheet is read", safe);
    for (const auto& row : textsOf(*defused))
        for (const auto& cell : row)
            require(cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos,
                "no cell is a formula", cell);
}

// Rows are the same however they come, and nothing is read twice without end.
void checkPieces(std::string_view text)
{
    constexpr std::size_t longest = 64;
    const auto rowsOf = [text](std::size_t piece) {
        std::vector<std::string> rows;
        const auto keep = [&rows](const CsvReader::Row& row) {
            auto& shown = rows.emplace_back(std::to_string(row.line) + (row.fault ? row.fault->what : std::string()));
            for (const auto& cell : row.cells)
                shown += '\0' + cell.text;
            return true;
        };
        CsvReader reader(longest);
        for (std::size_t at = 0; at < text.size(); at += piece)
            reader.add(text.substr(at, piece), keep);
        reader.finish(keep);
        return rows;
    };
    const auto whole = rowsOf(text.size() + 1);
    require(whole.size() <= text.size(), "rows are no more than octets");
    require(rowsOf(1) == whole, "rows are the same octet by octet");
    require(rowsOf(7) == whole, "rows are the same in pieces");
}

template <typename Row>
void checkFormat(std::string_view text, Result<std::vector<Row>> (*read)(std::string_view),
    std::string (*write)(std::span<const Row>, CsvStyle))
{
    const auto rows = read(text);
    if (!rows)
        return fuzz::requireRefusal(rows.error(), text.size());
    const auto written = write(*rows, CsvStyle::Exact);
    const auto again = read(written);
    require(again.has_value(), "what is written is read", written);
    require(again->size() == rows->size(), "no row is lost", written);
    require(write(*again, CsvStyle::Exact) == written, "rows have one spelling", written);
    // Instants are written in whole seconds; all else is as it was.
    if constexpr (!std::is_same_v<Row, InboxRow>)
        require(*again == *rows, "rows are written as they are read", written);
    require(parseCsv(write(*rows, CsvStyle::SpreadsheetSafe)).has_value(), "what is written for a spreadsheet is read");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    checkCells(text);
    checkPieces(text);
    checkFormat<RetryLogRow>(text, readRetryLog, writeRetryLog);
    checkFormat<ReplayRow>(text, readReplayOutcomes, writeReplayOutcomes);
    checkFormat<InboxRow>(text, readInbox, writeInbox);
    return 0;
}
