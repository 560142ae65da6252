// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/cursor_interpolation.h"

namespace fencepost::models {
namespace {

std::string between(const std::string& begin, const std::string& end, double fraction)
{
    const auto cursor = interpolate({ { "created", "0", begin, "k" } }, { { "created", "0", end, "k" } }, fraction);
    EXPECT_EQ(cursor.values.size(), 4U);
    return cursor.values.at(2);
}

TEST(CursorInterpolationTest, GoesPartOfTheWayInEveryKindOfValue)
{
    EXPECT_EQ(between("1000", "2000", 0.25), "1250");
    EXPECT_EQ(between("2000", "1000", 0.25), "1750") << "a descending order";
    EXPECT_EQ(between("2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z", 0.5), "2026-11-20T12:00:00.000000Z");
    EXPECT_EQ(between("2026-11-20 00:00:00", "2026-11-21 00:00:00", 0.5), "2026-11-20 12:00:00.000000");
    EXPECT_EQ(between("2026-11-20 00:00:00.5+00", "2026-11-21 00:00:00.5+00", 0.5), "2026-11-20 12:00:00.500000Z");
    EXPECT_EQ(
        between("00000000-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "ffffffff-aaaa-4aaa-8aaa-aaaaaaaaaaaa", 0.5).substr(0, 1), "7");
    EXPECT_TRUE(isUuid(between("00000000-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "ffffffff-aaaa-4aaa-8aaa-aaaaaaaaaaaa", 0.3)));
    const auto text = between("order-a", "order-z", 0.5);
    EXPECT_GT(text, "order-l");
    EXPECT_LT(text, "order-o");
}

TEST(CursorInterpolationTest, LeavesWhatIsEqualAndWhatIsNotComparable)
{
    const Cursor begin{ { "key", "0", "payments", "k-000" } };
    const Cursor end{ { "key", "0", "payments", "k-999" } };
    const auto middle = interpolate(begin, end, 0.5);
    EXPECT_EQ(middle.values.at(2), "payments");
    EXPECT_EQ(middle.values.at(3).substr(0, 2), "k-");
    EXPECT_GT(middle.values.at(3), begin.values.at(3));
    EXPECT_LT(middle.values.at(3), end.values.at(3));
    const Cursor other{ { "key", "1", "k" } };
    EXPECT_EQ(interpolate(begin, other, 0.2), begin);
    EXPECT_EQ(interpolate(begin, other, 0.8), other);
}

} // namespace
} // namespace fencepost::models
