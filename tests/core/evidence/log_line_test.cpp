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

TEST(LogLineTest, StatesMayHaveTheWordsOfOthers)
{
    const auto line = [](const std::string& rest) {
        return parseLogLine(R"({"ts":0,"idempotency_key":"k",)" + rest + '}');
    };
    const auto playbook = line(R"("from_state":"pending","to_state":"complete","status":"complete")");
    ASSERT_TRUE(playbook);
    EXPECT_EQ(playbook->from, State::InProgress);
    EXPECT_EQ(playbook->to, State::Succeeded);
    EXPECT_EQ(playbook->status, State::Succeeded);
    EXPECT_FALSE(playbook->note);
    const auto first = line(R"("from_state":"NEW","to_state":"Processing","event":"begun","status":"held")");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->from, State::Absent);
    EXPECT_EQ(first->to, State::InProgress);
    EXPECT_EQ(first->status, State::Held);
    EXPECT_EQ(first->note, "begun");
    EXPECT_EQ(line(R"("outcome":"REPLAYED","status":"failed")")->status, State::FailedFinal);
    EXPECT_EQ(line(R"("outcome":"REPLAYED","event":"Reserve")")->outcome, "replayed");
    EXPECT_EQ(line(R"("outcome":"REPLAYED","event":"Reserve")")->event, "reserve");
}

TEST(LogLineTest, AStatusThatIsNoStateIsOfTheAnswerOrOfTheStep)
{
    const auto line = [](const std::string& rest) {
        return parseLogLine(R"({"ts":0,"idempotency_key":"k",)" + rest + '}');
    };
    for (const auto* status : { "200", R"("200")" }) {
        const auto answered = line(R"("event":"finalize","to_state":"SUCCEEDED","status":)" + std::string(status));
        ASSERT_TRUE(answered) << status;
        EXPECT_FALSE(answered->status);
        EXPECT_EQ(answered->responseCode, 200);
        EXPECT_EQ(answered->note, "status 200");
    }
    const auto retried = line(R"("event":"fail","to_state":"FAILED_RETRYABLE","status":503)");
    ASSERT_TRUE(retried);
    EXPECT_FALSE(retried->responseCode) << "it is not answered from the record";
    EXPECT_EQ(retried->note, "status 503");
    const auto begun = line(R"("event":"begun","outcome":"created","status":"ok")");
    ASSERT_TRUE(begun);
    EXPECT_FALSE(begun->status);
    EXPECT_EQ(begun->note, "begun, status ok");
    EXPECT_FALSE(line(R"("event":"reserve","to_state":"IN_PROGRESS","status":"complete")")->status);
    EXPECT_FALSE(line(R"("event":"reserve","status":99)")->responseCode);
    EXPECT_FALSE(line(R"("status":200)"));
}

TEST(LogLineTest, NumbersMayStandForTextsAndTextsForNumbers)
{
    const auto line = parseLogLine(
        R"({"ts":0,"idempotency_key":4711,"event":"reserve","owner":12,"correlation_id":9,"attempt":"2","fence":"17"})");
    ASSERT_TRUE(line);
    EXPECT_EQ(line->id.key, "4711");
    EXPECT_EQ(line->owner, "12");
    EXPECT_EQ(line->correlationId, "9");
    EXPECT_EQ(line->attempt, 2);
    EXPECT_EQ(line->fence, 17);
    const auto largest =
        parseLogLine(R"({"ts":0,"idempotency_key":"k","event":"e","attempt":2147483647,"fence":9223372036854775807})");
    ASSERT_TRUE(largest);
    EXPECT_EQ(largest->attempt, 2147483647);
    EXPECT_EQ(largest->fence, 9223372036854775807);
}

TEST(LogLineTest, ALineThatTellsWrongThingsIsRefusedWithoutRepeatingThem)
{
    for (const auto* rest : { R"("to_state":"DONE?secret")", R"("to_state":7)", R"("event":"e","fence":-1)",
             R"("event":"e","fence":18446744073709551615)", R"("event":"e","owner":"\u0000secret")",
             R"("event":"e","attempt":"-1")", R"("event":"e","fence":"2 secret")", R"("event":"e","owner":["secret"])",
             R"("event":"e","attempt":2147483648)", R"("event":"e","attempt":"2147483648")", R"("level":"info")" }) {
        const auto line = parseLogLine(R"({"ts":0,"idempotency_key":"k",)" + std::string(rest) + '}');
        ASSERT_FALSE(line) << rest;
        EXPECT_EQ(line.error().message.find("secret"), std::string::npos);
    }
    EXPECT_FALSE(parseLogLine("[]"));
    EXPECT_FALSE(parseLogLine(R"({"ts":0,"event":"e","idempotency_key":""})"));
    EXPECT_FALSE(parseLogLine("{\"ts\":0,\"event\":\"e\",\"idempotency_key\":\"\xff\"}"));
}
