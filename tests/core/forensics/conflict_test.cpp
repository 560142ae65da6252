// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/forensics/conflict.h"

using namespace fencepost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

constexpr const char* firstBody = R"({"amount":1000,"currency":"EUR","memo":"a"})";

Bytes hashOf(const std::string& method, const std::string& path, const std::string& query, const Headers& headers,
    std::string_view body, const FingerprintProfile& profile = {})
{
    const auto print = fingerprint({ method, path, query, headers, body }, profile);
    EXPECT_TRUE(print) << print.error().message;
    return print ? print->requestHash : Bytes();
}

// A record of POST /v1/refunds?dry=1 with a JSON body, whose media type was not kept.
ConflictCase example()
{
    const Headers json{ { "Content-Type", "application/json" } };
    ConflictCase of;
    of.record.id = { "s", "refund.create", "k" };
    of.record.requestMethod = "POST";
    of.record.requestTarget = "/v1/refunds?dry=1";
    of.record.requestBody = firstBody;
    of.record.requestHash = hashOf("POST", "/v1/refunds", "dry=1", json, firstBody);
    Conflict refused;
    refused.id = of.record.id;
    refused.kind = "mismatch";
    refused.principal = "tenant_7";
    refused.count = 3;
    refused.presentedHash =
        hashOf("POST", "/v1/refunds", "dry=1", json, R"({"amount":2000,"currency":"EUR","memo":"a"})");
    of.conflicts = { refused };
    return of;
}

ConflictExplanation explained(const ConflictCase& of, const PresentedRequest& presented)
{
    return explainConflict(of, presented);
}

TEST(ConflictTest, KnowsTheRequestThatTheRecordIsOf)
{
    for (const auto* body : { firstBody, R"({"memo":"\u0061","currency":"EUR","amount":1e3})" }) {
        const auto same = explained(example(), { .body = body });
        EXPECT_EQ(same.match, Match::Same);
        EXPECT_EQ(same.failed, FailedCheck::None);
        EXPECT_THAT(same.notes, IsEmpty()) << "the media type that was not kept is found";
        ASSERT_TRUE(same.bodies);
        EXPECT_TRUE(same.bodies->same);
    }
}

TEST(ConflictTest, KnowsTheOneThatWasRefused)
{
    const auto refused = explained(example(), { .body = R"({"amount":2e3,"currency":"EUR","memo":"a"})" });
    EXPECT_EQ(refused.match, Match::Refused);
    EXPECT_EQ(refused.failed, FailedCheck::Body);
    ASSERT_TRUE(refused.refused);
    EXPECT_EQ(refused.refused->principal, "tenant_7");
    ASSERT_TRUE(refused.bodies);
    ASSERT_EQ(refused.bodies->differences.size(), 1U);
    EXPECT_EQ(refused.bodies->differences[0].place, "/amount");
}

TEST(ConflictTest, NamesTheCheckThatFails)
{
    const auto body = explained(example(), { .body = R"({"amount":7})" });
    EXPECT_EQ(body.match, Match::Other);
    EXPECT_EQ(body.failed, FailedCheck::Body);
    for (const PresentedRequest& around : { PresentedRequest{ .body = firstBody, .method = "PUT" },
             PresentedRequest{ .body = firstBody, .target = "/v1/refunds" },
             PresentedRequest{ .body = firstBody, .target = "/v2/refunds?dry=1" },
             PresentedRequest{ .body = firstBody, .contentType = "application/vnd.shop+json" } }) {
        const auto explanation = explained(example(), around);
        EXPECT_EQ(explanation.match, Match::Other);
        EXPECT_EQ(explanation.failed, FailedCheck::Around);
        ASSERT_TRUE(explanation.bodies);
        EXPECT_TRUE(explanation.bodies->same);
    }
}

TEST(ConflictTest, SaysWhatItCannotKnow)
{
    auto of = example();
    of.record.requestBody.reset();
    const auto hashOnly = explained(of, { .body = firstBody, .contentType = "application/json" });
    EXPECT_EQ(hashOnly.match, Match::Same) << "its hash is enough to know it again";
    const auto other = explained(of, { .body = "{}", .contentType = "application/json" });
    EXPECT_EQ(other.failed, FailedCheck::Unknown);
    EXPECT_THAT(other.notes, ElementsAre(HasSubstr("only its hash")));

    of = example();
    of.record.fingerprintAlg = "v1:0123456789abcdef";
    EXPECT_THAT(explained(of, { .body = "{}" }).notes, ::testing::Contains(HasSubstr("v1:0123456789abcdef")));
    of.record.requestHash = Bytes(32, 'x');
    EXPECT_THAT(
        explained(of, { .body = firstBody }).notes, ::testing::Contains(HasSubstr("only the bodies can be compared")));
}

TEST(ConflictTest, TellsWhatIsRefusedBeforeItsKeyIsLookedAt)
{
    for (const std::string body : { R"({"a":1,"a":2})", R"({"a":)", R"({"a":1e400})", "\"\xff\"" })
        for (const auto& type : { std::optional<std::string>("application/json"), std::optional<std::string>() }) {
            const auto broken = explained(example(), { .body = body, .contentType = type });
            EXPECT_EQ(broken.failed, FailedCheck::Validation) << body;
            EXPECT_EQ(broken.match, Match::Other) << body;
            EXPECT_EQ(broken.presentedHash, Bytes());
            EXPECT_THAT(broken.notes, ElementsAre(::testing::Not(IsEmpty())));
            EXPECT_TRUE(broken.bodies) << "the kept one is shown beside it";
        }
    auto of = example();
    of.record.requestHash = sha256(R"({"a":)");
    EXPECT_EQ(explained(of, { .body = R"({"a":)" }).match, Match::Same) << "a service may compare the octets alone";
}

TEST(ConflictTest, TellsWhatAroundTheBodyDiffers)
{
    const auto around = explained(example(), { .body = firstBody, .method = "PUT", .target = "/v1/refunds" });
    EXPECT_EQ(around.failed, FailedCheck::Around);
    EXPECT_THAT(around.notes, ::testing::Contains("The method differs: POST was kept, this is PUT"));
    EXPECT_THAT(around.notes, ::testing::Contains("The query differs"));
    EXPECT_THAT(around.notes, ::testing::Not(::testing::Contains("The path differs")));
}

TEST(ConflictTest, KnowsABodyByItsDigestAlone)
{
    const std::string otherBody = R"({"amount":2})";
    for (const bool canonical : { true, false }) {
        const auto digest = [&](const std::string& body) {
            return canonical ? *bodyDigest("application/json", body) : sha256(body);
        };
        ConflictCase of;
        of.record.requestHash = digest(firstBody);
        Conflict refused;
        refused.kind = "mismatch";
        refused.presentedHash = digest(otherBody);
        of.conflicts = { refused };
        const auto same = explained(of, { .body = firstBody });
        EXPECT_EQ(same.match, Match::Same);
        EXPECT_EQ(same.failed, FailedCheck::None);
        EXPECT_EQ(explained(of, { .body = otherBody }).match, Match::Refused);
        EXPECT_EQ(explained(of, { .body = "{}" }).match, Match::Other);
    }
    auto of = example();
    of.record.requestBody.reset();
    of.record.payloadHash = *bodyDigest("application/json", firstBody);
    const auto elsewhere = explained(of, { .body = firstBody, .target = "/v2" });
    EXPECT_EQ(elsewhere.match, Match::Body);
    EXPECT_EQ(elsewhere.failed, FailedCheck::Around);
    of.record.requestMethod.reset();
    of.record.requestTarget.reset();
    const auto untold = explained(of, { .body = firstBody });
    EXPECT_EQ(untold.match, Match::Body);
    EXPECT_EQ(untold.failed, FailedCheck::NotTold);
}

TEST(ConflictTest, ComparesWithTheProfileThatTheRecordWasMadeWith)
{
    auto of = example();
    FingerprintProfile bodyOnly;
    bodyOnly.bodyOnly = true;
    of.record.fingerprintAlg = tagOf(bodyOnly);
    of.record.requestHash =
        hashOf("POST", "/v1/refunds", "dry=1", { { "Content-Type", "application/json" } }, firstBody, bodyOnly);
    const auto elsewhere = explained(of, { .body = firstBody, .target = "/anything" });
    EXPECT_EQ(elsewhere.match, Match::Same) << "nothing but the body decides there";

    FingerprintProfile amount;
    amount.pointers = { "/amount" };
    of.record.fingerprintAlg = tagOf(amount);
    of.record.requestHash =
        hashOf("POST", "/v1/refunds", "dry=1", { { "Content-Type", "application/json" } }, firstBody, amount);
    EXPECT_EQ(explained(of, { .body = R"({"amount":1000})", .pointers = { "/amount" } }).match, Match::Same);
}

TEST(ConflictTest, HasARateWhereItCameMoreThanOnce)
{
    Conflict conflict;
    conflict.count = 12;
    EXPECT_EQ(hourlyRate(conflict), std::nullopt);
    conflict.lastAt = conflict.firstAt + std::chrono::minutes(30);
    EXPECT_DOUBLE_EQ(*hourlyRate(conflict), 22);
    conflict.lastAt = conflict.firstAt + std::chrono::seconds(1);
    EXPECT_EQ(hourlyRate(conflict), std::nullopt) << "a blink says nothing of an hour";
}

// What is hidden in a snapshot's body is no difference that anybody could see.
TEST(ConflictTest, WhatARedactedCopyHidesIsNotToldAsADifference)
{
    auto of = example();
    for (const auto* mark : { "•••", "sha256:0123456789abcdef" }) {
        of.record.requestBody = std::string(R"({"amount":1000,"currency":")") + mark + R"(","memo":"a"})";
        const auto same = explained(of, { .body = firstBody });
        EXPECT_EQ(same.match, Match::Same) << mark;
        EXPECT_EQ(same.failed, FailedCheck::None);
        ASSERT_TRUE(same.bodies);
        EXPECT_TRUE(same.bodies->same);
        EXPECT_EQ(same.bodies->differenceCount, 0U);
        EXPECT_EQ(same.bodies->hiddenCount, 1U);
        ASSERT_EQ(same.bodies->differences.size(), 1U);
        EXPECT_EQ(same.bodies->differences[0].kind, DifferenceKind::Hidden);
        EXPECT_EQ(same.bodies->differences[0].place, "/currency");

        const auto refused = explained(of, { .body = R"({"amount":2000,"currency":"EUR","memo":"a"})" });
        EXPECT_EQ(refused.match, Match::Refused);
        EXPECT_EQ(refused.failed, FailedCheck::Body);
        EXPECT_EQ(refused.bodies->differenceCount, 1U);
        EXPECT_EQ(refused.bodies->hiddenCount, 1U);
        EXPECT_THAT(refused.notes, ::testing::Contains(HasSubstr("1 value of the body that was kept is hidden")));

        const auto other = explained(of, { .body = R"({"amount":1000,"currency":"USD","memo":"a"})" });
        EXPECT_EQ(other.match, Match::Other);
        EXPECT_EQ(other.failed, FailedCheck::Unknown) << "only what is hidden can differ";
    }
    // The service's own words, in a body that is as it came.
    const std::string marked = R"({"amount":1000,"currency":"sha256:0123456789abcdef","memo":"a"})";
    of.record.requestBody = marked;
    of.record.requestHash = hashOf("POST", "/v1/refunds", "dry=1", { { "Content-Type", "application/json" } }, marked);
    const auto live = explained(of, { .body = R"({"amount":1000,"currency":"USD","memo":"a"})" });
    EXPECT_EQ(live.failed, FailedCheck::Body);
    EXPECT_EQ(live.bodies->hiddenCount, 0U);
    EXPECT_EQ(live.bodies->differenceCount, 1U);
}

TEST(ConflictTest, AsksForWhatARedactedCopyDoesNotTell)
{
    for (const auto* hidden : { "•••", "https://***@host/v1/refunds", "sha256:0011" }) {
        auto of = example();
        of.record.requestTarget = hidden;
        const auto blind = explained(of, { .body = firstBody });
        EXPECT_EQ(blind.match, Match::Unknown);
        EXPECT_EQ(blind.failed, FailedCheck::NotTold);
        of.record.requestMethod = hidden;
        const auto without = explained(of, { .body = firstBody, .target = "/v1/refunds?dry=1" });
        EXPECT_EQ(without.match, Match::Same) << "POST is what is usual";
        const auto neither = explained(of, { .body = R"({"amount":3})" });
        EXPECT_EQ(neither.match, Match::Unknown);
        of.record.requestMethod = "POST";
        EXPECT_THAT(blind.notes, ElementsAre(HasSubstr("conflicts explain --method POST --target"))) << hidden;
        const auto told = explained(of, { .body = firstBody, .target = "/v1/refunds?dry=1" });
        EXPECT_EQ(told.match, Match::Same);
        EXPECT_THAT(told.notes, IsEmpty());
    }
    auto of = example();
    of.record.requestTarget = "/v1/other";
    EXPECT_THAT(explained(of, { .body = firstBody }).notes, ElementsAre(::testing::Not(HasSubstr("--target"))));
}

TEST(ConflictTest, AMarkIsNeitherAHashNorAPartThatDiffers)
{
    auto hidden = example();
    hidden.record.requestTarget = "•••";
    hidden.record.payloadHash = "•••";
    EXPECT_EQ(explained(hidden, { .body = firstBody }).failed, FailedCheck::NotTold);
    hidden.record.payloadHash = *bodyDigest("application/json", firstBody);
    EXPECT_EQ(explained(hidden, { .body = R"({"amount":3})" }).failed, FailedCheck::Body);

    for (const auto* kept : { "•••", "/v1/refunds?dry=1&token=•••" }) {
        auto of = example();
        of.record.requestTarget = kept;
        const auto elsewhere =
            explained(of, { .body = firstBody, .method = "PUT", .target = "/v1/refunds?dry=1&token=abc" });
        EXPECT_THAT(elsewhere.notes, ::testing::Contains("The method differs: POST was kept, this is PUT"));
        EXPECT_THAT(elsewhere.notes, ::testing::Not(::testing::Contains("The path differs"))) << kept;
        EXPECT_THAT(elsewhere.notes, ::testing::Not(::testing::Contains("The query differs"))) << kept;
    }

    auto redacted = example();
    redacted.record.payloadHash = *bodyDigest("application/json", firstBody);
    redacted.record.requestBody = R"({"amount":"•••","currency":"EUR","memo":"a"})";
    const auto around = explained(redacted, { .body = firstBody, .target = "/v2" });
    EXPECT_EQ(around.failed, FailedCheck::Around) << "its hash says that the body is the same";
}

TEST(ConflictTest, ShowsAMarkInTheFormThatItHas)
{
    EXPECT_EQ(shownHash("•••"), "•••");
    EXPECT_EQ(shownHash("sha256:0011"), "sha256:0011");
    EXPECT_EQ(shownHash(Bytes("\x01\xab", 2)), "01ab");
}

} // namespace
