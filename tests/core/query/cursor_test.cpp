// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include <gtest/gtest.h>

#include "core/inspector.h"

namespace fencepost {
namespace {

TEST(CursorTest, ComesBackFromItsText)
{
    const std::vector<Cursor> cursors = { {}, { { "" } },
        { { "created", "1763682347123456", "tenant/1", "refund", "k" } },
        { { std::string("a\0b\xff", 4), "12:34", "ü", "$(rm -rf /); 'x' \"y\"" } } };
    for (const auto& cursor : cursors) {
        const auto text = formatCursor(cursor);
        EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."),
            std::string::npos)
            << text;
        const auto again = parseCursor(text);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(*again, cursor);
    }
}

TEST(CursorTest, RefusesGarbage)
{
    for (const auto* text : { "", "c1.", "c1..", "c2.AA.00000000", "hello", "c1.!!.00000000", "c1.MTph.00000000" })
        EXPECT_FALSE(parseCursor(text)) << text;
}

TEST(CursorTest, RefusesEveryChangedCharacter)
{
    const auto good = formatCursor({ { "created", "1763682347123456", "scope", "operation", "key-17" } });
    std::mt19937 random(7);
    for (std::size_t i = 0; i < good.size(); ++i) {
        auto text = good;
        while (text[i] == good[i])
            text[i] = static_cast<char>(random() % 256);
        EXPECT_FALSE(parseCursor(text)) << i;
        EXPECT_FALSE(parseCursor(good.substr(0, i))) << i;
    }
}

} // namespace
} // namespace fencepost
