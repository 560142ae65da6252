// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/overview.h"

namespace fencepost::models {
namespace {

constexpr Count open{ 0, Exactness::AtLeast };

Count exact(std::int64_t value)
{
    return { value, Exactness::Exact };
}

TEST(OverviewTest, WhatWasNotCountedInTimeIsEstimatedFromTheCountBefore)
{
    const Counts before{ .byState = { { "HELD", exact(8) }, { "SUCCEEDED", exact(341) } },
        .total = exact(349),
        .stuck = exact(21),
        .expiringSoon = exact(2),
        .oldestLease = timeFromMicros(5) };
    const Counts hurried{
        .byState = { { "HELD", open }, { "IN_PROGRESS", open } }, .total = open, .stuck = open, .expiringSoon = exact(3)
    };
    const auto shown = withEstimates(hurried, before);
    EXPECT_EQ(shown.total.value, 349);
    EXPECT_EQ(shown.total.exactness, Exactness::Estimate);
    EXPECT_EQ(shown.stuck.value, 21);
    EXPECT_EQ(shown.stuck.exactness, Exactness::Estimate);
    EXPECT_EQ(shown.byState.at("HELD").value, 8);
    EXPECT_EQ(shown.byState.at("HELD").exactness, Exactness::Estimate);
    EXPECT_EQ(shown.byState.at("SUCCEEDED").value, 341);
    EXPECT_EQ(shown.byState.at("SUCCEEDED").exactness, Exactness::Estimate);
    EXPECT_EQ(shown.byState.at("IN_PROGRESS").exactness, Exactness::AtLeast) << "nobody knows";
    EXPECT_EQ(shown.expiringSoon.value, 3) << "what was counted is not touched";
    EXPECT_EQ(shown.expiringSoon.exactness, Exactness::Exact);
    EXPECT_EQ(shown.oldestLease, timeFromMicros(5)) << "it may be there still";
}

TEST(OverviewTest, AWholeCountForgetsTheOneBefore)
{
    const Counts before{ .byState = { { "HELD", exact(8) } }, .total = exact(8), .oldestLease = timeFromMicros(5) };
    const Counts whole{ .byState = { { "IN_PROGRESS", exact(0) } }, .total = exact(0), .stuck = exact(0) };
    const auto shown = withEstimates(whole, before);
    EXPECT_EQ(shown.byState.count("HELD"), 0U);
    EXPECT_EQ(shown.total.exactness, Exactness::Exact);
    EXPECT_EQ(shown.oldestLease, std::nullopt);
}

TEST(OverviewTest, AnEstimateOutlivesSeveralHurriedCounts)
{
    const Counts hurried{ .byState = { { "IN_PROGRESS", open } }, .total = open, .stuck = open };
    auto shown = withEstimates(hurried,
        Counts{ .byState = { { "IN_PROGRESS", exact(4) } },
            .total = exact(4),
            .stuck = exact(1),
            .oldestLease = timeFromMicros(5) });
    shown = withEstimates(hurried, shown);
    EXPECT_EQ(shown.stuck.value, 1);
    EXPECT_EQ(shown.stuck.exactness, Exactness::Estimate);
    EXPECT_EQ(shown.oldestLease, timeFromMicros(5)) << "it may be there still";
    EXPECT_EQ(withEstimates(hurried, std::nullopt).stuck.exactness, Exactness::AtLeast);
}

} // namespace
} // namespace fencepost::models
