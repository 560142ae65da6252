// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/operations/plan.h"

namespace fencepost {
namespace {

using testing::HasSubstr;

Plan samplePlan()
{
    Plan plan;
    plan.requestId = "0f3c9a52-6d1e-4b7a-9d55-2f6f2b1c7a10";
    plan.verb = "fence";
    plan.binding = "idempotency_records";
    plan.profile = "fencepost.records";
    plan.database = "sqlite:/tmp/orders.db";
    plan.filter = "stuck and scope = \"a \\\"b\\\"\"";
    plan.parameters = { { "no_hold", "idempotent provider" } };
    plan.reason = "worker died; see \xe2\x80\x9cINC-7\xe2\x80\x9d\n\x1b[31mred";
    plan.actor = "op@host";
    plan.createdAt = timeFromMicros(1'795'000'000'123'456);
    plan.items = {
        { 0, { "pay", "charge", "k\"1" }, "k\"1", "IN_PROGRESS", 9'007'199'254'740'993, { { "status", "IN_PROGRESS" } },
            {}, "fence it", "" },
        { 7, { "pay", "charge", "\\xff00" }, "\\xff00", "HELD", std::nullopt, {}, { { "tombstone", "30d" } }, "",
            "live" },
    };
    plan.leftOut = { { { "pay", "charge", "k3" }, "k3", "it is already SUCCEEDED" } };
    plan.countsByState = { { "HELD", 1 }, { "IN_PROGRESS", 1 } };
    plan.effect = "Fence 2 owners";
    plan.inverse = "None";
    plan.sql = "UPDATE …";
    plan.undoOf = "";
    return plan;
}

TEST(PlanFileTest, RoundTrips)
{
    const auto plan = samplePlan();
    const auto parsed = parsePlan(formatPlan(plan));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, plan);
    Plan empty;
    empty.requestId = plan.requestId;
    empty.reason = plan.reason;
    EXPECT_TRUE(parsePlan(formatPlan(empty)));
    empty.reason = " ";
    EXPECT_THAT(parsePlan(formatPlan(empty)).error().message, HasSubstr("/reason"));
    auto bogus = plan;
    bogus.parameters["bogus"] = "1";
    EXPECT_THAT(parsePlan(formatPlan(bogus)).error().message, HasSubstr("no parameter bogus"));
}

TEST(PlanFileTest, IsRefusedWhenCutAnywhere)
{
    const auto text = formatPlan(samplePlan());
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
        const auto parsed = parsePlan(std::string_view(text).substr(0, size));
        ASSERT_FALSE(parsed) << "cut at " << size;
        EXPECT_EQ(parsed.error().failure, Failure::Invalid);
    }
    // Only the last line feed is missing: the plan is whole.
    EXPECT_TRUE(parsePlan(std::string_view(text).substr(0, text.size() - 1)));
}

TEST(PlanFileTest, IsNeverReadAsAnotherPlanWhenAnyBitFlips)
{
    const auto plan = samplePlan();
    const auto text = formatPlan(plan);
    for (std::size_t at = 0; at < text.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            auto damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            const auto parsed = parsePlan(damaged);
            // White space between members may change; nothing else.
            EXPECT_TRUE(!parsed || *parsed == plan) << "byte " << at << " bit " << bit;
        }
}

TEST(PlanFileTest, NoticesAnEdit)
{
    auto text = formatPlan(samplePlan());
    const auto at = text.find("\"charge\"");
    text.replace(at, 8, "\"refund\"");
    const auto parsed = parsePlan(text);
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("hash does not match"));
}

TEST(PlanFileTest, RefusesDuplicateMembers)
{
    auto text = formatPlan(samplePlan());
    text.insert(text.find("\"verb\""), "\"verb\": \"expire\", ");
    const auto parsed = parsePlan(text);
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("twice"));
}

// Reseals an edited plan as an attacker would, by way of a plan whose hash is right.
TEST(PlanFileTest, RefusesOtherFormatsAndOtherFiles)
{
    EXPECT_THAT(parsePlan("{}").error().message, HasSubstr("fencepost_plan"));
    EXPECT_THAT(parsePlan("[]").error().message, HasSubstr("fencepost_plan"));
    EXPECT_THAT(parsePlan("null").error().message, HasSubstr("fencepost_plan"));
    EXPECT_THAT(parsePlan("").error().message, HasSubstr("no JSON"));
    EXPECT_THAT(parsePlan(R"({"fencepost_plan":2})").error().message, HasSubstr("format is 2"));
    EXPECT_THAT(parsePlan(R"({"fencepost_plan":1})").error().message, HasSubstr("hash"));
    EXPECT_THAT(parsePlan(std::string("SQLite format 3\0", 16)).error().message, HasSubstr("no JSON"));
    EXPECT_THAT(parsePlan(std::string(100'000, '[')).error().message, HasSubstr("nested"));
}

TEST(PlanFileTest, RefusesHostileContentUnderARightHash)
{
    const auto seal = [](std::string body) {
        // Members sorted and compact, as the hash is taken of it.
        const auto hash = toHex(sha256(body));
        body.insert(body.size() - 1, ",\"sha256\":\"" + hash + "\"");
        return body;
    };
    EXPECT_THAT(parsePlan(seal(R"({"fencepost_plan":1,"verb":7})")).error().message, HasSubstr("no member"));
    EXPECT_THAT(parsePlan(seal(R"({"binding":{},"fencepost_plan":1,"request_id":[],"verb":"fence"})")).error().message,
        HasSubstr("another type"));
    const std::string start = R"({"actor":"","binding":"","counts_by_state":{},"created_at":"2026-11-20T00:00:00Z",)"
                              R"("database":"","effect":"","fencepost_plan":1,"filter":"","inverse":"","items":)";
    const std::string end =
        R"(,"left_out":[],"parameters":{},"profile":"","reason":"r",)"
        R"("request_id":"0f3c9a52-6d1e-4b7a-9d55-2f6f2b1c7a10","sql":"","undo_of":"","verb":"fence"})";
    EXPECT_TRUE(parsePlan(seal(start + "[]" + end)));
    EXPECT_FALSE(parsePlan(seal(start + "{}" + end)));
    EXPECT_FALSE(parsePlan(seal(start + "[7]" + end)));
    EXPECT_FALSE(parsePlan(seal(start + R"([{"identity":"pay"}])" + end)));
    const std::string item =
        R"({"effect":"","fence":FENCE,"identity":["a"],"item":ITEM,"key":"","seen":{},"state":""})";
    const auto with = [&](std::string fence, std::string number) {
        auto out = item;
        out.replace(out.find("FENCE"), 5, fence);
        out.replace(out.find("ITEM"), 4, number);
        return out;
    };
    EXPECT_TRUE(parsePlan(seal(start + '[' + with("1", "0") + ']' + end)));
    EXPECT_FALSE(parsePlan(seal(start + '[' + with("1.5", "0") + ']' + end)));
    EXPECT_FALSE(parsePlan(seal(start + '[' + with("18446744073709551615", "0") + ']' + end)));
    EXPECT_FALSE(parsePlan(seal(start + '[' + with("1", "-4") + ']' + end)));
    EXPECT_FALSE(parsePlan(seal(start + '[' + with("1", "0") + ',' + with("1", "0") + ']' + end)));
}

} // namespace
} // namespace fencepost
