// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <gtest/gtest.h>

#include "core/exchange/csv.h"
#include "core/random.h"

namespace fencepost::exchange {
namespace {

// Cells in brackets, one line per row; or what is wrong.
std::string read(std::string_view text)
{
    const auto rows = parseCsv(text);
    if (!rows) {
        EXPECT_EQ(rows.error().failure, Failure::Invalid);
        EXPECT_EQ(rows.error().code, "VALIDATION.csv");
        return rows.error().message;
    }
    std::string shown;
    for (const auto& row : *rows) {
        for (const auto& cell : row)
            shown += '[' + cell.text + ']';
        shown += ';';
    }
    return shown;
}

// The same of text that comes in pieces: rows that cannot be read are in angle brackets, with the line where they
// begin.
std::string readPieces(std::string_view text, std::size_t piece, std::size_t longest = 1000)
{
    std::string shown;
    const auto show = [&shown](const CsvReader::Row& row) {
        if (row.fault)
            shown += '<' + std::to_string(row.line) + ' ' + row.fault->what + '>';
        for (const auto& cell : row.cells)
            shown += '[' + cell.text + ']';
        shown += ';';
        return true;
    };
    CsvReader reader(longest);
    for (std::size_t at = 0; at < text.size(); at += piece)
        EXPECT_TRUE(reader.add(text.substr(at, piece), show));
    EXPECT_TRUE(reader.finish(show));
    return shown;
}

TEST(Csv, ReadsCells)
{
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(read("a,b\nc,d\n"), "[a][b];[c][d];");
    EXPECT_EQ(read("a,b\nc,d"), "[a][b];[c][d];") << "the last line may have no end";
    EXPECT_EQ(read(",\n"), "[][];");
    EXPECT_EQ(read("a,"), "[a][];");
    EXPECT_EQ(read(" a , b \n"), "[ a ][ b ];") << "blanks belong to the cell";
}

TEST(Csv, ReadsQuotedCells)
{
    EXPECT_EQ(read("\"a,b\",\"c\"\"d\"\n"), "[a,b][c\"d];");
    EXPECT_EQ(read("\"a\nb\",c\n"), "[a\nb][c];");
    EXPECT_EQ(read("\"a\r\nb\",c\r\n"), "[a\r\nb][c];");
    EXPECT_EQ(read("\"\"\n"), "[];");
    EXPECT_EQ(read("\"\"\"\"\n"), "[\"];");
    EXPECT_EQ(read("\"a\""), "[a];");
}

TEST(Csv, ToleratesWhatOthersWrite)
{
    EXPECT_EQ(read("a,b\r\nc,d\r\n"), "[a][b];[c][d];");
    EXPECT_EQ(read("\xef\xbb\xbf"
                   "a,b\n"),
        "[a][b];");
    EXPECT_EQ(read("\n\r\na\n\n\nb\n\n"), "[a];[b];");
}

TEST(Csv, SaysWhatIsWrongAndWhere)
{
    EXPECT_EQ(read("a,\"b\nc\n"), "line 1, column 3: the quote of this cell is not closed");
    EXPECT_EQ(read("a\n\"b\"c\n"), "line 2, column 4: text behind the closing quote of a cell");
    EXPECT_EQ(read("a,b\"c\n"), "line 1, column 4: a quote inside of a cell that does not begin with one");
    EXPECT_EQ(read("a\rb\n"), "line 1, column 2: a carriage return without a line feed");
    EXPECT_EQ(read("a,\xff\n"), "line 1, column 3: the cell is no UTF-8");
    EXPECT_EQ(read("\"a\nb\",\xc3\xa4\xc3\xa4\"\n"),
        "line 2, column 6: a quote inside of a cell that does not begin with one")
        << "columns are characters, lines those of the file";
}

TEST(Csv, RowsAreTheSameHoweverTheyCome)
{
    for (const std::string text : { "a,b\nc,d", "\xef\xbb\xbf\"a\r\nb\",\"c\"\"\"\r\n\r\nd,\xc3\xa4\n", "\"a\",",
             "\xef\xbb", "a\r\n\"b\"\r\n", "" }) {
        const auto whole = readPieces(text, 1000);
        for (const std::size_t piece : { 1, 2, 3, 5 })
            EXPECT_EQ(readPieces(text, piece), whole) << text;
        EXPECT_EQ(read(text), text == "\xef\xbb" ? "line 1, column 1: the cell is no UTF-8" : whole);
    }
}

TEST(Csv, OneLineThatCannotBeReadCostsNoOther)
{
    for (const std::size_t piece : { 1, 7, 1000 }) {
        EXPECT_EQ(
            readPieces("a,b\"c\nd,e\n", piece), "<1 a quote inside of a cell that does not begin with one>;[d][e];");
        EXPECT_EQ(readPieces("a\rb,c\nd\n", piece), "<1 a carriage return without a line feed>;[d];");
        EXPECT_EQ(readPieces("\xff,b\nd\n", piece), "<1 the cell is no UTF-8>;[d];");
        EXPECT_EQ(readPieces("\"a\n\xff\",b\nd\n", piece), "<1 the cell is no UTF-8>;[d];") << "where it ends is known";
        EXPECT_EQ(readPieces("a,\"b\nc,d\ne,f\n", piece), "<1 the quote of this cell is not closed>;[c][d];[e][f];");
        EXPECT_EQ(readPieces("a,\"b\nc,\"d\"\ne\n", piece), "<1 text behind the closing quote of a cell>;[c][d];[e];");
        EXPECT_EQ(readPieces("a\n\r", piece), "[a];<2 a carriage return without a line feed>;");
        EXPECT_EQ(readPieces("\"a\"\r", piece), "<1 text behind the closing quote of a cell>;");
    }
}

TEST(Csv, NoMoreThanOneRowIsKept)
{
    for (const std::size_t piece : { 1, 64, 100'000 }) {
        EXPECT_EQ(readPieces("a\n" + std::string(5000, 'x') + ",b\nc\n", piece, 100),
            "[a];<2 the row is longer than 100 octets>;[c];");
        std::string open = "a,\"b\n";
        for (int i = 0; i < 60; ++i)
            open += "c,d\n";
        const auto shown = readPieces(open, piece, 100);
        EXPECT_TRUE(shown.starts_with("<1 the quote of this cell is not closed within 100 octets>;[c][d];[c][d];"));
        EXPECT_EQ(std::count(shown.begin(), shown.end(), ';'), 61) << "all that stands behind it is there";
    }
}

TEST(Csv, LinesAreCountedAlsoBehindWhatCannotBeRead)
{
    std::vector<std::size_t> lines;
    const auto keep = [&lines](const CsvReader::Row& row) {
        lines.push_back(row.line);
        return lines.size() < 4;
    };
    CsvReader reader;
    EXPECT_FALSE(reader.add("a\n\"b\nc\",d\n\ne\"\nf\ng\n", keep)) << "four rows were enough";
    EXPECT_EQ(lines, (std::vector<std::size_t>{ 1, 2, 5, 6 }));
}

TEST(Csv, KnowsWhereACellStands)
{
    const auto rows = parseCsv("\xef\xbb\xbf"
                               "a,\"b\nb\",c\r\n\xc3\xa4,d\n");
    ASSERT_TRUE(rows);
    EXPECT_EQ((*rows)[0][1].place, (CsvPlace{ 1, 3 }));
    EXPECT_EQ((*rows)[0][2].place, (CsvPlace{ 2, 4 }));
    EXPECT_EQ((*rows)[1][1].place, (CsvPlace{ 3, 3 }));
}

TEST(Csv, QuotesOnlyWhatMustBe)
{
    EXPECT_EQ(csvLine({ "a", "", " b ", "c d" }, CsvStyle::Exact), "a,, b ,c d\n");
    EXPECT_EQ(csvLine({ "a,b", "c\"d", "e\nf", "g\rh" }, CsvStyle::Exact), "\"a,b\",\"c\"\"d\",\"e\nf\",\"g\rh\"\n");
    EXPECT_EQ(csvLine({ "=1+1", "-1", "'a" }, CsvStyle::Exact), "=1+1,-1,'a\n");
}

TEST(Csv, KeepsWhatAReaderWouldPassOver)
{
    // A blank line, and a byte order mark in front of the file.
    for (const std::string first : { "", "\xef\xbb\xbf", "\xef\xbb\xbfkey" }) {
        const auto rows = parseCsv(csvLine({ first }, CsvStyle::Exact));
        ASSERT_TRUE(rows) << rows.error().message;
        ASSERT_EQ(rows->size(), 1U);
        EXPECT_EQ(rows->front().front().text, first);
    }
}

TEST(Csv, DefusesFormulasForSpreadsheets)
{
    for (const char* formula : { "=HYPERLINK(1)", "+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "\nx", "  =1", "\xef\xbc\x9d",
             "\xc2\xa0=1", " \xe2\x80\x8b\xe3\x80\x80@x", "\xe2\x80\xaf+1" })
        EXPECT_EQ(csvLine({ formula }, CsvStyle::SpreadsheetSafe), "\"'" + std::string(formula) + "\"\n");
    EXPECT_EQ(csvLine({ "=\"a\"" }, CsvStyle::SpreadsheetSafe), "\"'=\"\"a\"\"\"\n");
    EXPECT_EQ(csvLine({ "a=1", "1-1", "", "b,c" }, CsvStyle::SpreadsheetSafe), "a=1,1-1,,\"b,c\"\n");
    EXPECT_EQ(csvLine({ "\xe2\x80", "\xe2\x80\x94 no" }, CsvStyle::SpreadsheetSafe), "\xe2\x80,\xe2\x80\x94 no\n");
}

TEST(Csv, WhatIsWrittenReadsBackTheSame)
{
    SeededRandom random(5);
    constexpr std::string_view alphabet = "a,\"\r\n =\t\xc3\xa4'";
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::string> cells(1 + random.below(4));
        for (auto& cell : cells)
            for (auto left = random.below(6); left > 0; --left) {
                const auto at = random.below(alphabet.size() - 1);
                cell += at == 8 || at == 9 ? "\xc3\xa4" : std::string(1, alphabet[at]);
            }
        const auto rows = parseCsv(csvLine(cells, CsvStyle::Exact));
        ASSERT_TRUE(rows) << rows.error().message;
        ASSERT_EQ(rows->size(), 1U);
        std::vector<std::string> again;
        for (const auto& cell : rows->front())
            again.push_back(cell.text);
        EXPECT_EQ(again, cells);
    }
}

TEST(Csv, RandomOctetsNeitherCrashNorHang)
{
    SeededRandom random(6);
    for (int i = 0; i < 5000; ++i) {
        std::string text;
        constexpr std::string_view likely = ",\"\r\na";
        for (auto left = random.below(60); left > 0; --left)
            text += random.below(3) == 0 ? static_cast<char>(random.below(256)) : likely[random.below(likely.size())];
        const auto rows = parseCsv(text);
        EXPECT_TRUE(rows || !rows.error().message.empty());
    }
}

} // namespace
} // namespace fencepost::exchange
