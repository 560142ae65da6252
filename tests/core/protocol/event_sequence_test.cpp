// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/event_sequence.h"

using namespace fencepost;

namespace {

std::string arrival(std::string_view id, std::optional<std::int64_t> last, std::int64_t first = 1)
{
    const auto answer = arrivalOf(*parseSequencedId(id), last, first);
    if (!answer)
        return answer.error().failure == Failure::Conflict ? "gap" : "other";
    return *answer == Arrival::Next ? "next" : "duplicate";
}

} // namespace

TEST(EventSequence, IdsAreAnAggregateAndANumber)
{
    EXPECT_EQ(*parseSequencedId("order-7-42"), (SequencedId{ "order-7", 42 }));
    EXPECT_EQ(*parseSequencedId("a-0"), (SequencedId{ "a", 0 }));
    EXPECT_EQ(parseSequencedId("a-9223372036854775807")->sequence, INT64_MAX);
    EXPECT_EQ(format({ "order-7", 42 }), "order-7-42");
    for (const auto* text : { "", "order", "-1", "order-", "order-x", "order-07", "order-1x", "order-+1", "order- 1",
             "a-9223372036854775808" })
        EXPECT_EQ(parseSequencedId(text).error().failure, Failure::Invalid) << text;
}

TEST(EventSequence, ADuplicateIsAcknowledgedAndAGapIsAnError)
{
    EXPECT_EQ(arrival("o-1", std::nullopt), "next");
    EXPECT_EQ(arrival("o-4", 3), "next");
    EXPECT_EQ(arrival("o-3", 3), "duplicate");
    EXPECT_EQ(arrival("o-1", 3), "duplicate");
    EXPECT_EQ(arrival("o-5", 3), "gap");
    EXPECT_EQ(arrival("o-2", std::nullopt), "gap");
    EXPECT_EQ(arrival("o-0", 3), "gap");
    EXPECT_EQ(arrival("o-0", std::nullopt, 0), "next");
    EXPECT_EQ(arrival("o-9223372036854775807", INT64_MAX), "duplicate");
    EXPECT_EQ(arrival("o-9223372036854775807", INT64_MAX - 1), "next");
    EXPECT_EQ(expectedAfter(INT64_MAX), std::nullopt);
    EXPECT_EQ(arrivalOf({ "order-7", 6 }, 3).error().message, "order-7-6 does not follow: of order-7 4 is expected");
}
