// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include <QTemporaryDir>

#include "core/store/redacted_rows.h"
#include "core/store/snapshot.h"
#include "tests/core/store/inspector_fixture.h"
#include "tests/support/large_table.h"

namespace fencepost::test {

namespace {

using store::RedactedRows;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CopiedValue integer(std::int64_t number)
{
    return { CopiedValue::Kind::Integer, number };
}

CopiedValue text(std::string_view octets)
{
    return { CopiedValue::Kind::Text, 0, 0, octets };
}

// Hides a text that begins with "secret".
std::optional<RedactedValue> hideSecret(std::size_t /*column*/, const CopiedValue& value)
{
    if (!value.octets.starts_with("secret"))
        return std::nullopt;
    return RedactedValue{ value.kind, 0, "hidden" + std::string(value.octets.substr(6)) };
}

std::string textOf(int row)
{
    constexpr int secretEach = 3;
    constexpr std::size_t usual = 900; // some thousand rows are more than a batch of 256 KiB
    constexpr std::size_t large = 600UL * 1024; // larger than a batch
    const auto begin = (row % secretEach == 0 ? "secret " : "plain ") + std::to_string(row) + ' ';
    return begin + std::string(row % 1'000 == 999 ? large : usual, static_cast<char>('a' + row % 26));
}

} // namespace

TEST(RedactedRowsTest, KeepTheirOrderAndWhatTheyAre)
{
    constexpr int count = 3'500;
    const auto caller = std::this_thread::get_id();
    int put = 0;
    RedactedRows rows(3, hideSecret, [&](auto read, auto written) -> Status {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(read[0].integer, put);
        EXPECT_EQ(written[0].integer, put);
        EXPECT_EQ(written[2].kind, CopiedValue::Kind::Null);
        const auto was = textOf(put);
        EXPECT_EQ(read[1].octets, was);
        EXPECT_EQ(written[1].octets, was.starts_with("secret") ? "hidden" + was.substr(6) : was);
        ++put;
        return {};
    });
    for (int i = 0; i < count; ++i) {
        const auto octets = textOf(i);
        ASSERT_TRUE(rows.add(std::array{ integer(i), text(octets), CopiedValue() }));
        EXPECT_GE(put, i - 3 * 500) << "no more than three batches are kept";
    }
    EXPECT_LT(put, count);
    ASSERT_TRUE(rows.flush());
    EXPECT_EQ(put, count);
    ASSERT_TRUE(rows.flush());
    EXPECT_EQ(put, count) << "what was written is not written again";
}

TEST(RedactedRowsTest, AreRedactedBesideButNeverTwiceAtATimeNorAfterAFlush)
{
    std::atomic<int> inside = 0;
    std::atomic<bool> may = true;
    std::atomic<int> elsewhere = 0;
    const auto caller = std::this_thread::get_id();
    RedactedRows rows(
        1,
        [&](std::size_t, const CopiedValue&) -> std::optional<RedactedValue> {
            EXPECT_EQ(++inside, 1);
            EXPECT_TRUE(may);
            elsewhere += std::this_thread::get_id() == caller ? 0 : 1;
            --inside;
            return std::nullopt;
        },
        [](auto, auto) { return Status(); });
    for (int round = 0; round < 3; ++round) {
        may = true;
        for (int i = 0; i < 2'100; ++i)
            ASSERT_TRUE(rows.add(std::array{ integer(i) }));
        ASSERT_TRUE(rows.flush());
        may = false;
        std::this_thread::yield();
    }
    EXPECT_EQ(elsewhere, 3 * 2'000) << "whole batches go beside, their rest does not";
}

TEST(RedactedRowsTest, AFewRowsNeedNoThread)
{
    const auto caller = std::this_thread::get_id();
    std::vector<std::int64_t> put;
    RedactedRows rows(
        1,
        [&](std::size_t, const CopiedValue&) -> std::optional<RedactedValue> {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            return std::nullopt;
        },
        [&](auto, auto written) {
            put.push_back(written[0].integer);
            return Status();
        });
    for (const auto number : { 3, 1, 2 })
        ASSERT_TRUE(rows.add(std::array{ integer(number) }));
    EXPECT_TRUE(put.empty());
    ASSERT_TRUE(rows.flush());
    EXPECT_THAT(put, ElementsAre(3, 1, 2));
}

TEST(RedactedRowsTest, ALargeValueIsNotCopied)
{
    const std::string large(5UL << 20U, 'x');
    const char* seen = nullptr;
    std::vector<std::int64_t> put;
    RedactedRows rows(2, hideSecret, [&](auto read, auto written) {
        put.push_back(written[0].integer);
        if (read[0].integer == 2)
            seen = written[1].octets.data();
        return Status();
    });
    ASSERT_TRUE(rows.add(std::array{ integer(1), text("before") }));
    ASSERT_TRUE(rows.add(std::array{ integer(2), text(large) }));
    EXPECT_THAT(put, ElementsAre(1, 2)) << "those before it come first";
    EXPECT_EQ(seen, large.data());
}

TEST(RedactedRowsTest, WhatCannotBeWrittenIsSaidByOneOfTheNextAndLeavesNoThreadBehind)
{
    int put = 0;
    {
        RedactedRows rows(1, hideSecret, [&](auto, auto) -> Status {
            return ++put == 10 ? Status(Error{ Failure::Full, "no room", {} }) : Status();
        });
        Status added;
        int tried = 0;
        for (; added && tried < 5'000; ++tried)
            added = rows.add(std::array{ integer(tried) });
        ASSERT_FALSE(added);
        EXPECT_EQ(added.error().failure, Failure::Full);
        EXPECT_EQ(put, 10) << "nothing behind it is tried";
        EXPECT_LE(tried, 3 * 500 + 1);
    }
    RedactedRows rows(1, hideSecret, [&](auto, auto) { return Status(Error{ Failure::Full, "no room", {} }); });
    ASSERT_TRUE(rows.add(std::array{ integer(1) }));
    EXPECT_FALSE(rows.flush());
}

// More rows than are written at a time, among them one that is larger than that.
class LargeSnapshotTest : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        const auto filled = fillRecords(*connection, rows, clock.now(), false);
        ASSERT_TRUE(filled) << inWords(filled.error());
        ASSERT_TRUE(fillBodies(*connection));
        run("UPDATE idempotency_records SET response_body = "
            + std::string(sqlite() ? "zeroblob(700000)" : "convert_to(repeat('x', 700000), 'UTF8')")
            + " WHERE idempotency_key = '" + keyOf(large) + "'");
        run(R"(UPDATE idempotency_records SET recovery_data = '{"need":"no <email> was given","n":1}')");
    }

    // The records of a snapshot of what the filter finds.
    std::unique_ptr<store::Connection> taken(const std::string& filter)
    {
        SnapshotRequest request;
        request.path = folder.filePath(QStringLiteral("taken.db")).toStdString();
        request.rules.rules = { { RedactionRules::By::Member, "country", RedactionAction::Hash } };
        request.replace = true;
        if (!filter.empty()) {
            request.filter = *parseFilter(filter);
            request.filterText = filter;
        }
        SystemRandom random;
        const auto manifest = store::takeSnapshot(*inspector().copier(), request, random);
        EXPECT_TRUE(manifest) << inWords(manifest.error());
        EXPECT_THAT(manifest->warnings, ::testing::IsEmpty()) << "the rule met what was copied";
        store::Target target;
        target.path = request.path;
        auto file = store::Connection::open(target, { .access = store::Access::ReadOnly });
        EXPECT_TRUE(file);
        return std::move(*file);
    }

    std::vector<std::string> texts(store::Connection& of, const std::string& sql)
    {
        std::vector<std::string> read;
        store::SqlText text;
        text.sql = sql;
        const auto done = of.native().read(text, [&](const store::NativeRow& row) { read.push_back(row.text(0)); });
        EXPECT_TRUE(done) << sql << ": " << inWords(done.error());
        return read;
    }

    static constexpr int rows = 4'000;
    static constexpr int large = 1'230;
    QTemporaryDir folder;
};
INSTANTIATE_TEST_SUITE_P(Backends, LargeSnapshotTest, bothDialects(), nameOfDialect);

TEST_P(LargeSnapshotTest, HasEveryRecordRedacted)
{
    const auto file = taken({});
    const std::string keys = "SELECT idempotency_key FROM idempotency_records ORDER BY idempotency_key";
    const auto source = texts(*connection, keys);
    ASSERT_EQ(source.size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(texts(*file, keys), source);
    for (const auto& body : texts(*file, "SELECT request_body FROM idempotency_records")) {
        ASSERT_THAT(body, Not(HasSubstr("4111111111111111")));
        ASSERT_THAT(body, Not(HasSubstr("ada@example.org")));
        ASSERT_THAT(body, HasSubstr(R"("country":"sha256:)"));
        ASSERT_THAT(body, HasSubstr(R"("currency":"EUR")"));
    }
    EXPECT_THAT(texts(*file, "SELECT recovery_data FROM idempotency_records LIMIT 1"),
        ElementsAre(R"({"need":"no <email>•••","n":1})"));
    EXPECT_THAT(texts(*file, "PRAGMA integrity_check"), ElementsAre("ok")) << "its columns are what they must be";
    // Each body belongs to its own key still.
    EXPECT_THAT(texts(*file,
                    "SELECT count(*) FROM idempotency_records WHERE CAST(request_body AS TEXT) NOT LIKE "
                    "'%\"order_id\":\"' || idempotency_key || '\"%'"),
        ElementsAre("0"));
    EXPECT_THAT(
        texts(*file,
            "SELECT length(response_body) FROM idempotency_records WHERE idempotency_key = '" + keyOf(large) + "'"),
        ElementsAre("700000"));
}

TEST_P(LargeSnapshotTest, OfAFilterHasWhatItFindsAndNothingElse)
{
    const std::string found = "SELECT idempotency_key FROM idempotency_records WHERE status = 'SUCCEEDED' "
                              "ORDER BY idempotency_key";
    const auto file = taken("state = SUCCEEDED");
    const auto source = texts(*connection, found);
    ASSERT_GT(source.size(), 3'000U);
    EXPECT_EQ(texts(*file, found), source);
    EXPECT_THAT(texts(*file, "SELECT count(*) FROM idempotency_records"), ElementsAre(std::to_string(source.size())));
}

} // namespace fencepost::test
