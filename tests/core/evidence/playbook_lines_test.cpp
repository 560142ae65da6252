// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/evidence/playbook_lines.h"

using namespace fencepost;
using namespace std::chrono_literals;
using exchange::ReplayRow;
using exchange::ReplayStatus;
using exchange::RetryLogRow;

namespace {

const Time noon = timeFromMicros(1'700'000'000'000'000);

// The states that a log leads through, with the milliseconds since noon and the key of each attempt.
std::string told(const std::vector<RetryLogRow>& rows)
{
    std::string path;
    RetryLogLines lines("r.csv", noon);
    const auto show = [&path](const std::vector<LogLine>& attempt) {
        for (const auto& line : attempt)
            path += (line.event == "reserve" ? line.id.key + '@'
                                + std::to_string(std::chrono::floor<std::chrono::milliseconds>(line.at - noon).count())
                                + " from " + (line.from ? std::string(wordOf(*line.from)) : "-") + " to "
                                             : std::string())
                + (line.event == "reserve" ? "" : std::string(wordOf(*line.to)) + "; ");
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto before = lines.add(static_cast<std::int64_t>(i) + 2, rows[i]);
        EXPECT_TRUE(before);
        show(*before);
    }
    show(lines.finish());
    EXPECT_TRUE(lines.finish().empty());
    return path;
}

RetryLogRow attempt(int number, std::int64_t delay, const std::string& status, std::optional<int> code = {})
{
    return { number, delay, status, code, {} };
}

} // namespace

TEST(ReplayLineTest, AnAnswerTellsWhatIsStored)
{
    const Bytes hash(32, 'h');
    auto line = logLineOf({ "k1", toHex(hash), ReplayStatus::Complete, 201, "rf_1", "created" }, noon);
    EXPECT_EQ(line.id, (RecordId{ "unknown", "unknown", "k1" }));
    EXPECT_EQ(line.to, State::Succeeded);
    EXPECT_EQ(line.event, "finalize");
    EXPECT_EQ(line.outcome, "created");
    EXPECT_EQ(line.responseCode, 201);
    EXPECT_EQ(line.resultId, "rf_1");
    EXPECT_EQ(line.payloadHash, hash);
    EXPECT_EQ(line.requestHash, hash);
    EXPECT_EQ(line.note, "201, rf_1");

    line = logLineOf({ "k1", toHex(hash), ReplayStatus::Pending, 202, {}, "somebody's words" }, noon);
    EXPECT_EQ(line.to, State::InProgress);
    EXPECT_FALSE(line.event || line.outcome || line.from) << "nobody says what was done";
    EXPECT_FALSE(line.responseCode) << "what is told while it is worked on is not stored";
    EXPECT_EQ(line.note, "202, somebody's words");

    line = logLineOf({ "k1", toHex(hash), ReplayStatus::Failed, 500, {}, "replayed" }, noon);
    EXPECT_EQ(line.to, State::FailedFinal);
    EXPECT_EQ(line.from, line.to);
}

TEST(ReplayLineTest, AConflictIsARefusalAndSaysNothingOfTheRecord)
{
    const auto line = logLineOf({ "k1", "xyz", ReplayStatus::Conflict, 409, {}, "payload mismatch" }, noon);
    EXPECT_EQ(line.outcome, "conflict");
    EXPECT_FALSE(line.to || line.status || line.responseCode || line.requestHash);
    EXPECT_TRUE(line.otherHash);
    EXPECT_EQ(line.payloadHash, sha256("xyz"));
    EXPECT_EQ(line.note, "409, payload hash xyz, payload mismatch") << "what stands there is kept";
}

TEST(RetryLogLinesTest, AttemptsLieApartByTheirDelays)
{
    EXPECT_EQ(told({ attempt(1, 0, "timeout"), attempt(2, 137, "5xx", 502), attempt(3, 281, "200", 201) }),
        "r.csv:2@0 from ABSENT to FAILED_RETRYABLE; r.csv:2@137 from FAILED_RETRYABLE to FAILED_RETRYABLE; "
        "r.csv:2@418 from FAILED_RETRYABLE to SUCCEEDED; ");
}

TEST(RetryLogLinesTest, AnotherOperationBeginsWhereTheNumberDoesNotRise)
{
    EXPECT_EQ(told({ attempt(1, 0, "200"), attempt(1, 5, "reset"), attempt(3, 10, "404"), attempt(2, 7, "429") }),
        "r.csv:2@0 from ABSENT to SUCCEEDED; r.csv:3@5 from ABSENT to FAILED_RETRYABLE; "
        "r.csv:3@15 from FAILED_RETRYABLE to FAILED_FINAL; r.csv:5@22 from - to FAILED_RETRYABLE; ");
}

TEST(RetryLogLinesTest, WhatWasTriedAgainCouldBe)
{
    EXPECT_EQ(told({ attempt(1, 0, "4xx", 409), attempt(2, 1, "breaker_open") }),
        "r.csv:2@0 from ABSENT to FAILED_RETRYABLE; r.csv:2@1 from FAILED_RETRYABLE to FAILED_RETRYABLE; ");
    EXPECT_EQ(told({ attempt(1, 0, "200"), attempt(2, 1, "answered") }),
        "r.csv:2@0 from ABSENT to SUCCEEDED; r.csv:2@1 from SUCCEEDED to UNKNOWN; ")
        << "a success that was tried again is shown, not mended";
}

TEST(RetryLogLinesTest, ADelayThatNoClockCanTellIsLeftOut)
{
    RetryLogLines lines("r.csv", noon);
    EXPECT_TRUE(lines.add(2, attempt(1, 0, "timeout")));
    EXPECT_FALSE(lines.add(3, attempt(2, std::numeric_limits<std::int64_t>::max(), "200")));
    const auto next = lines.add(4, attempt(2, 5, "200"));
    ASSERT_TRUE(next);
    EXPECT_EQ(next->size(), 2U);
    EXPECT_EQ(lines.span(), Duration(5ms));
}
