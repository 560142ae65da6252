// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include <gmock/gmock.h>

#include "core/retry/policy.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// The ranges of all retries that a policy makes, in milliseconds: "100-200 200-400".
std::string ranges(const char* preset)
{
    const auto policy = *presetOf(preset);
    std::string text;
    for (int n = 1; n < policy.attempts; ++n) {
        const auto range = rangeOf(policy.backoff, n);
        text += (text.empty() ? "" : " ") + std::to_string(range.least / 1ms) + '-' + std::to_string(range.most / 1ms);
    }
    return text;
}

std::string steps(const char* preset)
{
    const auto policy = *presetOf(preset);
    std::string text;
    for (int n = 1; n < policy.attempts; ++n)
        text += (text.empty() ? "" : " ") + formatDuration(boundOf(policy.backoff, n));
    return text;
}

TEST(Presets, AreTheSchedulesOfTheDocuments)
{
    EXPECT_EQ(ranges("playbook"), "100-200 200-400 400-800 800-1600");
    EXPECT_EQ(ranges("atlas"), "100-200 300-600 700-1400");
    EXPECT_EQ(ranges("vendor"), "500-550 2000-2200 5000-5500 30000-33000");
    EXPECT_EQ(steps("vendor"), "500ms 2s 5s 30s");
    EXPECT_EQ(steps("standard_webhooks"), "5s 5m 30m 2h 5h 10h 14h 20h 1d");
    EXPECT_EQ(ranges("aws"), "0-50 0-100");
    EXPECT_EQ(ranges("grpc"), "80-120 160-240 320-480");
    EXPECT_EQ(ranges("stripe"), "500-500 500-1000");
    EXPECT_EQ(ranges("polly"), "0-30000 0-30000 0-30000");
}

TEST(Presets, SayAttemptsTotalAndCap)
{
    const auto playbook = *presetOf("playbook");
    EXPECT_EQ(playbook.attempts, 5);
    EXPECT_EQ(playbook.total, 10s);
    EXPECT_EQ(playbook.backoff.cap, 2s);
    EXPECT_EQ(playbook.attemptTimeout, 3s);
    EXPECT_EQ(playbook.serverErrors, ServerErrors::All);
    EXPECT_FALSE(playbook.retriesRequestTimeout);
    const auto atlas = *presetOf("atlas");
    EXPECT_EQ(atlas.attempts, 4);
    EXPECT_EQ(atlas.total, 10s);
    const auto vendor = *presetOf("vendor");
    EXPECT_EQ(vendor.attempts, 5);
    EXPECT_TRUE(vendor.deadLetters);
    EXPECT_EQ(vendor.attemptTimeout, 15s);
    const auto aws = *presetOf("aws");
    EXPECT_EQ(aws.attempts, 3);
    EXPECT_EQ(aws.backoff.cap, 20s);
    EXPECT_EQ(boundOf(aws.backoff, 1, true), 1s);
    const auto webhooks = *presetOf("standard_webhooks");
    EXPECT_EQ(webhooks.attempts, 10);
    EXPECT_EQ(webhooks.attemptTimeout, 20s);
    EXPECT_EQ(presetOf("stripe")->attempts, 3);
    EXPECT_EQ(presetOf("grpc")->attempts, 4);
}

// X12: the logged delays of the playbook fit its own schedule and not the atlas's.
TEST(Presets, ContainTheDelaysOfThePlaybooksLog)
{
    const auto contains = [](const char* preset, int retry, Duration delay) {
        const auto range = rangeOf(presetOf(preset)->backoff, retry);
        return range.least <= delay && delay <= range.most;
    };
    EXPECT_TRUE(contains("playbook", 1, 137ms));
    EXPECT_TRUE(contains("playbook", 2, 281ms));
    EXPECT_TRUE(contains("atlas", 1, 137ms));
    EXPECT_FALSE(contains("atlas", 2, 281ms));
}

TEST(Presets, FitTheirTotalEvenWhereEveryDelayIsTheLongest)
{
    for (const auto& policy : presets()) {
        Duration longest{};
        for (int n = 1; n < policy.attempts; ++n)
            longest += rangeOf(policy.backoff, n).most;
        if (policy.total) {
            EXPECT_LT(longest, *policy.total) << policy.name;
            EXPECT_LT(policy.attemptTimeout, *policy.total) << policy.name;
        }
        EXPECT_NE(policy.backoff.jitter, Jitter::None) << policy.name << " retries without jitter";
        EXPECT_FALSE(policy.source.empty()) << policy.name;
    }
}

TEST(Presets, AreFoundByNameAndAlias)
{
    std::vector<std::string_view> names;
    for (const auto& policy : presets())
        names.push_back(policy.name);
    EXPECT_THAT(
        names, ElementsAre("playbook", "atlas", "vendor", "aws", "grpc", "polly", "stripe", "standard_webhooks"));
    EXPECT_EQ(presetOf("aws_v2_1")->name, "aws");
    EXPECT_EQ(presetOf("grpc_a6")->name, "grpc");
    EXPECT_THAT(presetOf("").error().message, HasSubstr("expected one of playbook, atlas"));
    EXPECT_FALSE(presetOf("Playbook"));
}

TEST(WithRetryAfter, IsAFloorWithJitterThatIsNeverEarlier)
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SeededRandom random(seed);
        const auto shorter = withRetryAfter(RetryAfterRule::Floor, 100ms, 5s, random);
        EXPECT_GE(shorter, 5s);
        EXPECT_LE(shorter, 5500ms);
        const auto longer = withRetryAfter(RetryAfterRule::Floor, 7s, 5s, random);
        EXPECT_GE(longer, 7s);
        EXPECT_LE(longer, 7500ms);
        const auto hour = withRetryAfter(RetryAfterRule::Floor, 1s, 1h, random);
        EXPECT_GE(hour, 1h);
        EXPECT_LE(hour, 1h + 30s);
        EXPECT_EQ(withRetryAfter(RetryAfterRule::Floor, 100ms, 0s, random), 100ms);
        EXPECT_EQ(withRetryAfter(RetryAfterRule::Floor, 100ms, -3s, random), 100ms);
        EXPECT_EQ(withRetryAfter(RetryAfterRule::Floor, 100ms, std::nullopt, random), 100ms);
    }
}

TEST(WithRetryAfter, IsClampedAsTheAwsSdksDo)
{
    SeededRandom random(1);
    const auto clamped = [&](std::optional<Duration> asked) {
        return withRetryAfter(RetryAfterRule::Clamp, 50ms, asked, random);
    };
    EXPECT_EQ(clamped(1500ms), 1500ms);
    EXPECT_EQ(clamped(10s), 5050ms);
    EXPECT_EQ(clamped(0s), 50ms);
    EXPECT_EQ(clamped(-100ms), 50ms);
    EXPECT_EQ(clamped(std::nullopt), 50ms);
}

} // namespace
} // namespace fencepost::retry
