// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/ownership.h"

namespace fencepost::models {
namespace {

AuditEntry note(const std::string& key, Time at, const std::string& parameters, const std::string& words)
{
    return { .verb = "note",
        .binding = "idempotency_records",
        .identity = "[\"tenant\",\"POST /x\",\"" + key + "\"]",
        .outcome = "changed",
        .parameters = parameters,
        .actor = "ada@ops",
        .reason = words,
        .at = at };
}

constexpr auto hour = std::chrono::hours(1);
const Time noon = timeFromMicros(1'800'000'000'000'000);

TEST(OwnershipTest, TheNewestWordHoldsEachByItself)
{
    const auto known = ownershipOf({
        note("a", noon, R"({"assignee":"bob"})", "his now"),
        note("a", noon - hour, R"({"assignee":"ada","ticket":"https://t/7","tags":"bank, outage"})", "mine"),
    });
    EXPECT_EQ(known.assignee, QStringLiteral("bob"));
    EXPECT_EQ(known.ticket, QStringLiteral("https://t/7"));
    EXPECT_EQ(known.tags, QStringList({ QStringLiteral("bank"), QStringLiteral("outage") }));
    EXPECT_FALSE(known.quiet(noon));
}

TEST(OwnershipTest, AKnownIssueIsQuietUntilItsTimeIsOverOrItIsTakenBack)
{
    const auto asleep = note("a", noon, R"({"snooze":"4h"})", "the bank is down");
    const std::vector<std::string> a{ "tenant", "POST /x", "a" };
    const auto at = [&](Time now, const std::vector<AuditEntry>& entries) {
        return knownIssues(entries, "idempotency_records", now).count(a);
    };
    EXPECT_EQ(at(noon + 3 * hour, { asleep }), 1U);
    EXPECT_EQ(at(noon + 4 * hour, { asleep }), 0U);
    EXPECT_EQ(at(noon + 2 * hour, { note("a", noon + hour, R"({"snooze":"none"})", "it is up again"), asleep }), 0U);
    EXPECT_EQ(at(noon + 2 * hour, { note("a", noon + hour, "{}", "still down"), asleep }), 1U);
    EXPECT_TRUE(knownIssues({ asleep }, "another_table", noon + hour).empty());
    EXPECT_EQ(
        knownIssues({ asleep }, "idempotency_records", noon + hour).at(a).why, QStringLiteral("the bank is down"));
}

TEST(OwnershipTest, WhatIsNoNoteOrCannotBeReadSaysNothing)
{
    auto refused = note("a", noon, R"({"snooze":"4h"})", "x");
    refused.outcome = "failed";
    auto fence = note("a", noon, R"({"snooze":"4h"})", "x");
    fence.verb = "fence";
    auto damaged = note("a", noon, "not json", "x");
    auto nameless = note("a", noon, R"({"snooze":"4h"})", "x");
    nameless.identity = "not json";
    EXPECT_TRUE(knownIssues({ refused, fence, damaged, nameless }, "idempotency_records", noon).empty());
}

} // namespace
} // namespace fencepost::models
