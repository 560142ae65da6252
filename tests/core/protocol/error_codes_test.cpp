// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/protocol/error_codes.h"

namespace fencepost {
namespace {

// "503 dependency backoff: Retry", as the row is found for a wire code.
std::string row(std::string_view wire)
{
    const auto* found = findErrorCode(wire);
    if (found == nullptr)
        return "unknown";
    return (found->status ? std::to_string(*found->status) : "-") + ' ' + std::string(wordOf(found->category)) + ' '
        + std::string(wordOf(found->retry)) + ": " + std::string(found->hint);
}

// The eight rows of the playbook, with its hints.
TEST(ErrorCodes, AreTheTaxonomyOfThePlaybook)
{
    EXPECT_EQ(row("VALIDATION.amount"), "400 validation never: Fix input");
    EXPECT_EQ(row("AUTH.expired"), "401 authorization never: Re-auth or permission");
    EXPECT_EQ(row("CONFLICT.idempotency.payload_mismatch"), "409 conflict never: Generate new key");
    EXPECT_EQ(row("RATE_LIMIT.exceeded"), "429 rate_limit after_wait: Wait & retry");
    EXPECT_EQ(row("DEPENDENCY.timeout"), "504 dependency backoff: Retry with backoff");
    EXPECT_EQ(row("DEPENDENCY.unavailable"), "503 dependency backoff: Retry");
    EXPECT_EQ(row("TRANSIENT.deadlock"), "503 transient backoff: Retry");
    EXPECT_EQ(row("PROVIDER.duplicate"), "409 provider already_done: Surface existing result");
}

TEST(ErrorCodes, SeparateTheConflictsThatMayBeAskedAgain)
{
    EXPECT_TRUE(repeatable(findErrorCode("idempotency.in_progress")->retry));
    EXPECT_TRUE(repeatable(findErrorCode("idempotency.outcome_unknown")->retry));
    EXPECT_TRUE(repeatable(findErrorCode("idempotency.fenced")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("idempotency.key_expired")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("idempotency.response_unavailable")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("missing_idempotency_key")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("PROVIDER.duplicate")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("inbox.payload_conflict")->retry));
    EXPECT_FALSE(repeatable(findErrorCode("outbox.dead_letter")->retry));
}

TEST(ErrorCodes, KnowTheirAliases)
{
    for (const char* alias : { "idempotency.payload_mismatch", "idempotency_key_payload_mismatch" })
        EXPECT_EQ(findErrorCode(alias), findErrorCode("CONFLICT.idempotency.payload_mismatch")) << alias;
}

TEST(ErrorCodes, PreferARowOfItsOwnToTheFamily)
{
    EXPECT_EQ(findErrorCode("VALIDATION.idempotency_key")->code, "VALIDATION.idempotency_key");
    EXPECT_EQ(findErrorCode("VALIDATION.body_too_large")->code, "VALIDATION.*");
    EXPECT_EQ(findErrorCode("VALIDATION.a.b")->code, "VALIDATION.*");
}

TEST(ErrorCodes, DoNotGuess)
{
    for (const char* wire : { "", "VALIDATION", "VALIDATION.", "validation.amount", "DEPENDENCY.slow", "nonsense",
             "xVALIDATION.y", "RATE_LIMIT" })
        EXPECT_EQ(findErrorCode(wire), nullptr) << wire;
}

TEST(ErrorCodes, FallBackToTheClassOfTheStatus)
{
    const auto code = [](int status) {
        const auto* found = errorCodeOfStatus(status);
        return found == nullptr ? std::string_view() : found->code;
    };
    EXPECT_EQ(code(200), "");
    EXPECT_EQ(code(302), "");
    EXPECT_EQ(code(400), "VALIDATION.*");
    EXPECT_EQ(code(401), "AUTH.*");
    EXPECT_EQ(code(403), "AUTH.*");
    EXPECT_EQ(code(404), "VALIDATION.*");
    EXPECT_EQ(code(409), "VALIDATION.*");
    EXPECT_EQ(code(429), "RATE_LIMIT.exceeded");
    EXPECT_EQ(code(500), "TRANSIENT.*");
    EXPECT_EQ(code(503), "DEPENDENCY.unavailable");
    EXPECT_EQ(code(504), "DEPENDENCY.timeout");
    EXPECT_EQ(code(599), "TRANSIENT.*");
    EXPECT_EQ(code(0), "");
    EXPECT_EQ(code(-1), "");
    EXPECT_EQ(code(600), "");
}

TEST(ErrorCodes, EachHaveAMeaningAndAHintAndOneName)
{
    std::set<std::string_view> names;
    for (const auto& entry : errorCodes()) {
        EXPECT_FALSE(entry.meaning.empty()) << entry.code;
        EXPECT_FALSE(entry.hint.empty()) << entry.code;
        EXPECT_TRUE(names.insert(entry.code).second) << entry.code;
        for (const auto alias : entry.aliases) {
            EXPECT_TRUE(alias.empty() || names.insert(alias).second) << alias;
        }
        EXPECT_TRUE(!entry.status || errorCodeOfStatus(*entry.status) != nullptr) << entry.code;
        EXPECT_FALSE(wordOf(entry.category).empty());
        EXPECT_FALSE(wordOf(entry.retry).empty());
    }
}

} // namespace
} // namespace fencepost
