// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include <gtest/gtest.h>

#include "core/evidence/line_reader.h"

using namespace fencepost;

namespace {

struct KeptLine {
    std::int64_t number;
    std::string text;
    bool tooLong;
    bool ended;

    bool operator==(const KeptLine&) const = default;
};

std::vector<KeptLine> linesOf(const std::vector<std::string>& pieces)
{
    std::vector<KeptLine> lines;
    const auto keep = [&lines](const LineReader::Line& line) {
        lines.push_back({ line.number, std::string(line.text), line.tooLong, line.ended });
        return true;
    };
    LineReader reader;
    for (const auto& piece : pieces)
        reader.add(piece, keep);
    reader.finish(keep);
    return lines;
}

} // namespace

TEST(LineReaderTest, LinesAreTheSameHoweverTheyCome)
{
    const std::vector<KeptLine> expected{ { 1, "ab", false, true }, { 2, "", false, true }, { 3, "c", false, false } };
    EXPECT_EQ(linesOf({ "ab\r\n\nc" }), expected);
    EXPECT_EQ(linesOf({ "a", "b\r", "\n", "\n", "c" }), expected);
    EXPECT_TRUE(linesOf({ "", "" }).empty());
}

TEST(LineReaderTest, ALineThatIsTooLongIsSaidAndTheNextOneIsWhole)
{
    const std::string piece(LineReader::longest / 2 + 1, 'x');
    const std::vector<KeptLine> expected{ { 1, "", true, true }, { 2, "b", false, true } };
    EXPECT_EQ(linesOf({ piece, piece, piece, "\nb\n" }), expected);
}
