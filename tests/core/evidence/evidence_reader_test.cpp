// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/evidence/evidence_reader.h"
#include "core/evidence/line_reader.h"

using namespace fencepost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const Time noon = timeFromMicros(1'700'000'000'000'000);

struct Reading {
    EvidenceFormat format = EvidenceFormat::JsonLines;
    std::vector<EvidenceRow> rows;
    Duration span{};

    [[nodiscard]] std::vector<std::string> leftOut() const
    {
        std::vector<std::string> all;
        for (const auto& row : rows)
            if (!row.leftOut.empty())
                all.push_back(std::to_string(row.line) + ": " + row.leftOut);
        return all;
    }
    [[nodiscard]] std::vector<Bytes> digests() const
    {
        std::vector<Bytes> all;
        for (const auto& row : rows)
            all.push_back(row.digest);
        return all;
    }
};

Reading reading(const std::string& text, std::size_t piece = 1000, const std::string& name = "a.csv")
{
    Reading made;
    const auto keep = [&made](const EvidenceRow& row) {
        made.rows.push_back(row);
        return true;
    };
    EvidenceReader reader({ name, noon });
    for (std::size_t at = 0; at < text.size(); at += piece)
        EXPECT_TRUE(reader.add(std::string_view(text).substr(at, piece), keep));
    EXPECT_TRUE(reader.finish(keep));
    made.format = reader.format();
    made.span = reader.span();
    return made;
}

std::string seed(const std::string& name)
{
    std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/playbook/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

constexpr auto answers = "key,payload_hash,status,http_code,result_id,notes\n";
constexpr auto events = "event_id,source,first_seen,processed,result\n";

} // namespace

TEST(EvidenceReaderTest, EachOfTheSeedsFilesIsKnownByItsFirstLine)
{
    for (const std::size_t piece : { 1, 20, 1000 }) {
        const auto retries = reading(seed("retry_log.csv"), piece);
        EXPECT_EQ(retries.format, EvidenceFormat::RetryLog);
        ASSERT_EQ(retries.rows.size(), 3U);
        EXPECT_EQ(retries.rows[2].line, 4);
        EXPECT_EQ(retries.rows[2].lines.size(), 2U);
        EXPECT_EQ(retries.span, std::chrono::milliseconds(418));
        const auto replays = reading(seed("replay_outcomes.csv"), piece);
        EXPECT_EQ(replays.format, EvidenceFormat::ReplayOutcomes);
        ASSERT_EQ(replays.rows.size(), 3U);
        EXPECT_EQ(replays.rows[0].lines.front().at, noon);
        EXPECT_EQ(replays.rows[2].lines.front().outcome, "conflict");
        const auto inbox = reading(seed("inbox.csv"), piece);
        EXPECT_EQ(inbox.format, EvidenceFormat::Inbox);
        ASSERT_EQ(inbox.rows.size(), 2U);
        EXPECT_EQ(inbox.rows[1].delivery->result, exchange::InboxResult::Replayed);
    }
    EXPECT_TRUE(tellsTime(EvidenceFormat::Inbox));
    EXPECT_FALSE(tellsTime(EvidenceFormat::RetryLog));
}

TEST(EvidenceReaderTest, WhatStandsInFrontOfTheFirstLineDoesNotHideIt)
{
    EXPECT_EQ(reading("\xef\xbb\xbf" + std::string(events)).format, EvidenceFormat::Inbox);
    EXPECT_EQ(reading("\r\n\n" + seed("inbox.csv")).rows.size(), 2U);
    EXPECT_EQ(reading("event_id,source,first_seen,processed,result\r\ne,s,2025-09-15T12:00:00Z,,\r\n").rows.size(), 1U);
    EXPECT_EQ(reading("event_id,source,first_seen,processed,result").format, EvidenceFormat::Inbox);
    EXPECT_TRUE(reading(events).rows.empty());
    EXPECT_TRUE(reading("").rows.empty());
    const auto lines = reading("\n{\"ts\":0,\"event\":\"e\",\"idempotency_key\":\"k\"}\n", 3);
    EXPECT_EQ(lines.format, EvidenceFormat::JsonLines);
    ASSERT_EQ(lines.rows.size(), 1U);
    EXPECT_EQ(lines.rows[0].line, 2);
}

TEST(EvidenceReaderTest, WhatIsNeitherIsSaidOnce)
{
    EXPECT_THAT(reading("attempt,delay\n1,2\n").leftOut(),
        ElementsAre("1: it is neither a JSON object nor the header of one of the playbook's CSV files",
            "2: it is no JSON object in UTF-8"));
}

TEST(EvidenceReaderTest, HostileRowsAreLeftOutWithTheirLineAndNothingOfThem)
{
    const auto made = reading(std::string(answers)
        + "k1,abc,complete,201,rf_1,created\n"
          "k2,abc,secret,201,rf_1,\n"
          "k3,abc,complete,99,,\n"
          "k4,\"abc,complete,201,,\n"
        + std::string("k5,abc,complete,201,,\0\n", 24)
        + "k6,\xff,complete,201,,\n"
          "k7,abc,complete,201\n"
          "=cmd|calc,-1,complete,201,@x,+y\n"
          "k8,abc,comp");
    EXPECT_THAT(made.leftOut(),
        ElementsAre("3: status is none of complete, conflict, pending, failed",
            "4: http_code is not a whole number from 100 to 599", "5: the quote of this cell is not closed",
            "6: a cell has a NUL in it", "7: the cell is no UTF-8", "8: the line has 4 cells, the header 6",
            "10: the line has 3 cells, the header 6, and is the last one, without its end"));
    ASSERT_EQ(made.rows.size(), 9U);
    EXPECT_EQ(made.rows[7].lines.front().id.key, "=cmd|calc") << "a formula is a text like any other";
}

TEST(EvidenceReaderTest, AHugeFieldIsNotKept)
{
    constexpr std::size_t huge = 100U << 20U;
    const std::string piece(1U << 20U, 'x');
    for (const auto* quote : { "", "\"" }) {
        Reading made;
        const auto keep = [&made](const EvidenceRow& row) {
            made.rows.push_back(row);
            return true;
        };
        EvidenceReader reader({ "a.csv", noon });
        reader.add(std::string(events) + quote, keep);
        for (std::size_t at = 0; at < huge; at += piece.size())
            reader.add(piece, keep);
        reader.add(",s,2025-09-15T12:00:00Z,,\ne,s,2025-09-15T12:00:00Z,,ok\n", keep);
        reader.finish(keep);
        ASSERT_EQ(made.rows.size(), 2U);
        EXPECT_THAT(made.rows[0].leftOut, HasSubstr(std::to_string(LineReader::longest)));
        EXPECT_EQ(made.rows[1].line, 3);
        EXPECT_TRUE(made.rows[1].delivery);
    }
    const auto first = reading(piece + piece, piece.size());
    EXPECT_THAT(first.leftOut(), ElementsAre("1: it is longer than 1 MiB"));
}

TEST(EvidenceReaderTest, RowsThatAreAlikeAreTwoWithinAFileAndOneInItsCopy)
{
    const auto row = std::string("k1,abc,complete,201,rf_1,replayed\n");
    const auto once = reading(answers + row + row);
    ASSERT_EQ(once.rows.size(), 2U);
    EXPECT_NE(once.rows[0].digest, once.rows[1].digest);
    const auto longer = reading(answers + row + row + row, 1000, "b.csv").digests();
    EXPECT_EQ(std::vector<Bytes>(longer.begin(), longer.begin() + 2), once.digests()) << "a file that grew";
    const auto attempts = "attempt,delay_ms,status,code,notes\n1,0,200,200,\n";
    EXPECT_EQ(reading(attempts).digests(), reading(attempts).digests());
    EXPECT_NE(reading(attempts).digests(), reading(attempts, 1000, "b.csv").digests())
        << "two operations may both have succeeded at once";
}
