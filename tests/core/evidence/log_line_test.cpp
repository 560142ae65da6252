// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/evidence/log_line.h"

using namespace fencepost;

namespace {

Result<LogLine> withTime(const std::string& time)
{
    return parseLogLine(R"({"ts":)" + time + R"(,"idempotency_key":"k","event":"reserve"})");
}

} // namespace

TEST(LogLineTest, AnInstantMayHaveAnyOfItsForms)
{
    const auto expected = parseInstant("2026-11-20T10:00:00.5Z");
    for (const auto* time : { R"("2026-11-20T10:00:00.500000Z")", R"("2026-11-20T11:00:00.500000999+01:00")",
             "1795168800.5", "1795168800500", "1795168800500000", "1795168800500000000" }) {
        const auto line = withTime(time);
        ASSERT_TRUE(line) << time;
        EXPECT_EQ(line->at, *expected) << time;
    }
    EXPECT_EQ(withTime("-1")->at, *parseInstant("1969-12-31T23:59:59Z"));
}

TEST(LogLineTest, AHashOfAnotherKindTellsPayloadsApartAllTheSame)
{
    const auto hashOf = [](const std::string& hash) {
        return *parseLogLine(
            R"({"ts":1795168800,"key_hash":"sha256:ab","event":"mismatch","payload_hash":")" + hash + "\"}");
    };
    const std::string hex(64, 'a');
    EXPECT_EQ(hashOf(hex).payloadHash, Bytes(32, '\xaa'));
    EXPECT_EQ(hashOf("sha256:" + hex).payloadHash, Bytes(32, '\xaa'));
    EXPECT_FALSE(hashOf("sha256:" + hex).otherHash);
    EXPECT_TRUE(hashOf("9f9f").otherHash);
    EXPECT_NE(hashOf("9f9f").payloadHash, hashOf("8e8e").payloadHash);
    EXPECT_EQ(hashOf(hex).id.key, "sha256:ab");
}

TEST(LogLineTest, ATimeThatNobodyCanSayIsNoTime)
{
    for (const auto* time : { R"("soon")", R"("12026-11-20T10:00:00Z")", "true", "null", "[]", "1e300", "-1e300",
             "18446744073709551615", "-9.9e16" })
        EXPECT_FALSE(withTime(time)) << time;
}

TEST(LogLineTest, WhatIsNotToldIsAbsent)
{
    const auto line = withTime("0");
    ASSERT_TRUE(line);
    EXPECT_EQ(line->id, (RecordId{ "unknown", "unknown", "k" }));
    EXPECT_FALSE(line->to || line->from || line->status || line->fence || line->attempt || line->owner);
    EXPECT_FALSE(line->hashedKey);
}

TEST(LogLineTest, ALineThatTellsWrongThingsIsRefusedWithoutRepeatingThem)
{
    for (const auto* rest : { R"("to_state":"DONE?secret")", R"("to_state":7)", R"("event":"e","fence":-1)",
             R"("event":"e","fence":18446744073709551615)", R"("event":"e","owner":"\u0000secret")",
             R"("level":"info")" }) {
        const auto line = parseLogLine(R"({"ts":0,"idempotency_key":"k",)" + std::string(rest) + '}');
        ASSERT_FALSE(line) << rest;
        EXPECT_EQ(line.error().message.find("secret"), std::string::npos);
    }
    EXPECT_FALSE(parseLogLine("[]"));
    EXPECT_FALSE(parseLogLine(R"({"ts":0,"event":"e","idempotency_key":""})"));
    EXPECT_FALSE(parseLogLine("{\"ts\":0,\"event\":\"e\",\"idempotency_key\":\"\xff\"}"));
}
