// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/exchange/playbook_csv.h"

namespace fencepost::exchange {
namespace {

using namespace std::chrono_literals;

std::string fixture(const std::string& name)
{
    std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/playbook/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Time at(const char* text)
{
    return *parseInstant(text);
}

const std::vector<RetryLogRow> retries = { { 1, 0, "timeout", std::nullopt, "initial timeout" },
    { 2, 137, "5xx", 502, "proxy error" }, { 3, 281, "200", 201, "success" } };

const std::vector<ReplayRow> replays = { { "k1", "abc", ReplayStatus::Complete, 201, "rf_123", "created" },
    { "k1", "abc", ReplayStatus::Complete, 201, "rf_123", "replayed" },
    { "k1", "xyz", ReplayStatus::Conflict, 409, std::nullopt, "payload mismatch" } };

const std::vector<InboxRow> deliveries = { { "ev_001", "payments", at("2025-09-15T12:00:00Z"),
                                               at("2025-09-15T12:00:03Z"), InboxResult::Ok },
    { "ev_001", "payments", at("2025-09-15T12:00:05Z"), at("2025-09-15T12:00:05Z"), InboxResult::Replayed } };

template <typename T> std::string refusal(const Result<T>& result)
{
    if (result)
        return "accepted";
    EXPECT_EQ(result.error().code, "VALIDATION.csv");
    EXPECT_EQ(result.error().failure, Failure::Invalid);
    return result.error().message;
}

TEST(PlaybookCsv, ReadsTheRowsOfThePlaybook)
{
    EXPECT_EQ(readRetryLog(fixture("retry_log.csv")).value(), retries);
    EXPECT_EQ(readReplayOutcomes(fixture("replay_outcomes.csv")).value(), replays);
    EXPECT_EQ(readInbox(fixture("inbox.csv")).value(), deliveries);
}

TEST(PlaybookCsv, WritesThemByteForByte)
{
    for (const auto style : { CsvStyle::Exact, CsvStyle::SpreadsheetSafe }) {
        EXPECT_EQ(writeRetryLog(retries, style), fixture("retry_log.csv"));
        EXPECT_EQ(writeReplayOutcomes(replays, style), fixture("replay_outcomes.csv"));
        EXPECT_EQ(writeInbox(deliveries, style), fixture("inbox.csv"));
    }
    EXPECT_EQ(writeInbox({}), "event_id,source,first_seen,processed,result\n");
    EXPECT_TRUE(readInbox(writeInbox({})).value().empty());
}

TEST(PlaybookCsv, TheProtocolItselfMakesThoseRows)
{
    const auto answered = [](int status) {
        return retry::Signal{ .ending = retry::Ending::Answered, .status = status };
    };
    const std::vector<RetryLogRow> made = { retryLogRow(
                                                1, 0ms, { .ending = retry::Ending::TimedOut }, "initial timeout"),
        retryLogRow(2, 137ms, answered(502), "proxy error"), retryLogRow(3, 280'001us, answered(201), "success") };
    EXPECT_EQ(writeRetryLog(made), fixture("retry_log.csv"));

    Record record;
    record.id.key = "k1";
    record.status = State::Succeeded;
    record.response.code = 201;
    record.response.refId = "rf_123";
    using enum telemetry::KeyOutcome;
    const std::vector<ReplayRow> answers = { replayRow(record, "abc", Created), replayRow(record, "abc", Replayed),
        replayRow(record, "xyz", Conflict) };
    EXPECT_EQ(writeReplayOutcomes(answers), fixture("replay_outcomes.csv"));
}

TEST(PlaybookCsv, NamesEveryEndOfAnAttempt)
{
    const auto status = [](retry::Ending ending, int code = 0) {
        const auto row = retryLogRow(1, 0ms, { .ending = ending, .status = code }, "");
        EXPECT_EQ(row.code.has_value(), ending == retry::Ending::Answered);
        const auto again = readRetryLog(writeRetryLog(std::vector{ row }));
        EXPECT_TRUE(again && again->front() == row);
        return row.status;
    };
    using enum retry::Ending;
    EXPECT_EQ(status(Answered, 204), "200");
    EXPECT_EQ(status(Answered, 303), "200");
    EXPECT_EQ(status(Answered, 429), "429");
    EXPECT_EQ(status(Answered, 409), "4xx");
    EXPECT_EQ(status(Answered, 503), "5xx");
    EXPECT_EQ(status(TimedOut), "timeout");
    EXPECT_EQ(status(Lost), "reset");
    EXPECT_EQ(status(NotSent), "not_sent");
    EXPECT_EQ(status(BreakerOpen), "breaker_open");
}

TEST(PlaybookCsv, NamesEveryStateOfARecord)
{
    const auto status = [](State state) {
        Record record;
        record.status = state;
        return std::string(wordOf(replayRow(record, "h", telemetry::KeyOutcome::InProgress).status));
    };
    EXPECT_EQ(status(State::Succeeded), "complete");
    EXPECT_EQ(status(State::InProgress), "pending");
    EXPECT_EQ(status(State::FailedRetryable), "failed");
    EXPECT_EQ(status(State::FailedFinal), "failed");
}

TEST(PlaybookCsv, ToleratesOtherWritersOfTheSameColumns)
{
    auto crlf = fixture("inbox.csv");
    for (std::size_t i = 0; (i = crlf.find('\n', i)) != std::string::npos; i += 2)
        crlf.replace(i, 1, "\r\n");
    EXPECT_EQ(readInbox(crlf).value(), deliveries);
    EXPECT_EQ(readRetryLog("host,notes,status,attempt,code,delay_ms\nbank,first,timeout,1,,0\n").value(),
        (std::vector<RetryLogRow>{ { 1, 0, "timeout", std::nullopt, "first" } }));
    EXPECT_EQ(readRetryLog("attempt,delay_ms,status,code,notes\n1,0,reset,,\"a, \"\"b\"\"\nc\"\n").value().at(0).notes,
        "a, \"b\"\nc");
    EXPECT_EQ(readInbox("event_id,source,first_seen,processed,result\ne,s,2025-09-15 14:00:00+02:00,,\n").value().at(0),
        (InboxRow{ "e", "s", at("2025-09-15T12:00:00Z"), std::nullopt, std::nullopt }));
}

TEST(PlaybookCsv, RefusesWithLineAndColumn)
{
    const std::string log = "attempt,delay_ms,status,code,notes\n1,0,timeout,,\n";
    EXPECT_EQ(refusal(readRetryLog("")), "line 1, column 1: there is not even a header");
    EXPECT_EQ(refusal(readRetryLog("attempt,delay,status,code,notes\n")),
        "line 1, column 1: the header has no column delay_ms; expected attempt,delay_ms,status,code,notes");
    EXPECT_EQ(refusal(readRetryLog("attempt,delay_ms,status,code,notes,code\n")),
        "line 1, column 36: the header has a second column code");
    EXPECT_EQ(refusal(readRetryLog(log + "0,1,timeout,,\n")),
        "line 3, column 1: attempt: \"0\" is not a whole number from 1");
    EXPECT_EQ(refusal(readRetryLog(log + "2,1.5,timeout,,\n")),
        "line 3, column 3: delay_ms: \"1.5\" is not a whole number from 0");
    EXPECT_EQ(refusal(readRetryLog(log + "2,-1,timeout,,\n")).substr(0, 16), "line 3, column 3");
    EXPECT_EQ(refusal(readRetryLog(log + "2,1,Time out,,\n")),
        "line 3, column 5: status: \"Time out\" is not a status; expected timeout, reset, 4xx, 5xx, a code such as 429 "
        "or 200, "
        "or why nothing was sent, such as breaker_open");
    for (const auto* status : { "bogus", "99", "600", "2xx", "" })
        EXPECT_EQ(refusal(readRetryLog(log + "2,1," + status + ",,\n")).substr(0, 16), "line 3, column 5") << status;
    EXPECT_EQ(refusal(readRetryLog(log + "2,1,timeout,99,\n")),
        "line 3, column 13: code: \"99\" is not a whole number from 100 to 599");
    EXPECT_EQ(refusal(readRetryLog(log + "2,1,timeout,\n")), "line 3, column 13: the line has 4 cells, the header 5");
    EXPECT_EQ(refusal(readRetryLog(log + "2,1,200,200,done, at last\n")),
        "line 3, column 18: the line has 6 cells, the header 5");
    EXPECT_EQ(refusal(readRetryLog(log + "\"1\n")), "line 3, column 1: the quote of this cell is not closed");

    const std::string answers = "key,payload_hash,status,http_code,result_id,notes\n";
    EXPECT_EQ(refusal(readReplayOutcomes(answers + "k,h,done,201,,\n")),
        "line 2, column 5: status: \"done\" is none of complete, conflict, pending, failed");
    EXPECT_EQ(refusal(readReplayOutcomes(answers + ",h,complete,201,,\n")), "line 2, column 1: key: it is empty");
    const std::string inbox = "event_id,source,first_seen,processed,result\n";
    EXPECT_EQ(refusal(readInbox(inbox + "e,s,yesterday,,\n")).substr(0, 29), "line 2, column 5: first_seen:");
    EXPECT_EQ(refusal(readInbox(inbox + "e,s,2025-09-15T12:00:00Z,,late\n")),
        "line 2, column 27: result: \"late\" is none of ok, replayed, failed, dead");
}

std::optional<PlaybookReader> readerOf(const std::string& header)
{
    const auto rows = parseCsv(header);
    EXPECT_TRUE(rows && rows->size() == 1) << header;
    return rows ? PlaybookReader::recognise(rows->front()) : std::nullopt;
}

TEST(PlaybookCsv, AFormatIsKnownByTheNamesOfItsColumns)
{
    const auto formatOf = [](const std::string& header) {
        const auto reader = readerOf(header);
        return reader ? std::optional(reader->format()) : std::nullopt;
    };
    const auto headers = playbookHeaders();
    ASSERT_EQ(headers.size(), 3U);
    EXPECT_EQ(formatOf(headers[0]), PlaybookFormat::RetryLog);
    EXPECT_EQ(formatOf(headers[1]), PlaybookFormat::ReplayOutcomes);
    EXPECT_EQ(formatOf(headers[2]), PlaybookFormat::Inbox);
    EXPECT_EQ(formatOf("result,host,processed,first_seen,\"source\",event_id"), PlaybookFormat::Inbox);
    EXPECT_EQ(formatOf("attempt,delay_ms,status,code"), std::nullopt);
    EXPECT_EQ(formatOf("attempt,delay_ms,status,code,notes,notes"), std::nullopt);
    EXPECT_EQ(formatOf(headers[0] + ",event_id,source,first_seen,processed,result"), std::nullopt) << "it is of two";
}

TEST(PlaybookCsv, WhatIsWrongWithARowIsSaidWithoutIt)
{
    const auto reader = readerOf("attempt,delay_ms,status,code,notes");
    ASSERT_TRUE(reader);
    const auto refused = [&reader](const std::string& line) {
        const auto rows = parseCsv(line);
        EXPECT_TRUE(rows);
        const auto row = reader->read(rows->front());
        return row ? "accepted" : row.error().message;
    };
    EXPECT_EQ(refused("1,0,timeout,,4111111111111111"), "accepted");
    EXPECT_EQ(refused("4111111111111111,0,timeout,,"), "attempt is not a whole number from 1");
    EXPECT_EQ(refused("1,,timeout,,"), "delay_ms is not a whole number from 0");
    EXPECT_EQ(refused("1,0,secret,,").find("secret"), std::string::npos);
    EXPECT_EQ(refused("1,0,200"), "the line has 3 cells, the header 5");
}

TEST(PlaybookCsv, WritesWholeSeconds)
{
    const std::vector<InboxRow> rows = { { "e", "s", at("2025-09-15T12:00:00.999999Z"), at("1969-12-31T23:59:59.5Z"),
        {} } };
    EXPECT_EQ(writeInbox(rows),
        "event_id,source,first_seen,processed,result\ne,s,2025-09-15T12:00:00Z,1969-12-31T23:59:59Z,\n");
}

TEST(PlaybookCsv, DefusesFormulasOnlyWhereAskedFor)
{
    const std::vector<ReplayRow> rows = { { "=cmd", "-h", ReplayStatus::Failed, std::nullopt, "@ref", "+n" } };
    EXPECT_EQ(writeReplayOutcomes(rows, CsvStyle::SpreadsheetSafe),
        "key,payload_hash,status,http_code,result_id,notes\n\"'=cmd\",\"'-h\",failed,,\"'@ref\",\"'+n\"\n");
    EXPECT_EQ(readReplayOutcomes(writeReplayOutcomes(rows)).value(), rows);
}

} // namespace
} // namespace fencepost::exchange
