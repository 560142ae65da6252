// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr auto secretPayload = R"({"order":"order_4711","password":"hunter2"})";

class FindTest : public CtlTest {
protected:
    // A key, the event that it wrote, who received that, and how it died.
    void makeStory()
    {
        makeStuckKeys(3);
        store::Outbox outbox(*connection, {});
        OutboxEvent event;
        event.eventId = "evt-1";
        event.destination = "http://127.0.0.1:9/hooks";
        event.source = "/shop";
        event.type = "refund.succeeded";
        event.payload = secretPayload;
        event.record = RecordId{ "pay", "charge", "key-100001" };
        event.correlationId = "req-1";
        const auto added = outbox.add(event);
        ASSERT_TRUE(added) << added.error().message << added.error().detail;
        Delivery delivery;
        delivery.id = { "ledger", "/shop", "evt-1" };
        delivery.payloadHash = sha256(secretPayload);
        delivery.payload = secretPayload;
        delivery.type = "refund.succeeded";
        delivery.correlationId = "req-1";
        store::Inbox inbox(*connection, {});
        const Owner owner{ "00000000-0000-4000-8000-000000000001" };
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        ASSERT_TRUE(inbox.fail(delivery, owner, { "exit_1", "refused: password=hunter2", false, {} }, 5));
    }

    CtlRun find(const char* words) const
    {
        return ctl(QStringList{ QStringLiteral("find") } + QString::fromUtf8(words).split(QLatin1Char(' ')));
    }

    static std::vector<nlohmann::json> part(const CtlRun& run, const char* name)
    {
        std::vector<nlohmann::json> lines;
        for (auto& line : run.lines())
            if (line["part"] == name)
                lines.push_back(std::move(line));
        return lines;
    }
    // "binding by"
    static std::vector<std::string> rows(const CtlRun& run, const char* name)
    {
        std::vector<std::string> texts;
        for (const auto& line : part(run, name))
            texts.push_back(line["binding"].get<std::string>() + ": " + line["by"].get<std::string>());
        return texts;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, FindTest, bothDialects(), nameOfDialect);

TEST_P(FindTest, AKeyLeadsToWhatItWroteAndWhatBecameOfIt)
{
    makeStory();
    const auto run = find("key-100001");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(rows(run, "found"), ElementsAre("idempotency_records: key"));
    EXPECT_THAT(rows(run, "linked"),
        UnorderedElementsAre("outbox_messages: written with the key key-100001", "inbox_messages: the event evt-1",
            "dead_letters: the event evt-1"));
    std::string before;
    std::set<std::string> tables;
    for (const auto& line : part(run, "happened")) {
        EXPECT_LE(before, line["at"].get<std::string>());
        before = line["at"].get<std::string>();
        tables.insert(line["binding"].get<std::string>());
    }
    EXPECT_THAT(tables, IsSupersetOf({ "idempotency_records", "outbox_messages", "inbox_messages", "dead_letters" }));
    EXPECT_THAT(run.out, Not(HasSubstr("hunter2")));
    const auto shown = text({ QStringLiteral("find"), QStringLiteral("key-100001") });
    EXPECT_EQ(shown.code, 0);
    for (const auto* word : { "FOUND BY", "LINKED BY", "written with the key key-100001", "received", "died" })
        EXPECT_THAT(shown.out, HasSubstr(word));
    EXPECT_THAT(shown.out, Not(HasSubstr("hunter2")));
}

TEST_P(FindTest, EveryIdOfAStoryLeadsToIt)
{
    makeStory();
    const auto event = find("evt-1");
    EXPECT_THAT(
        rows(event, "found"), UnorderedElementsAre("outbox_messages: key", "inbox_messages: key", "dead_letters: key"));
    EXPECT_THAT(rows(event, "linked"), ElementsAre("idempotency_records: wrote the event evt-1"));
    EXPECT_EQ(part(find("req-1"), "found").size(), 3U);
    EXPECT_THAT(event.err, HasSubstr("were not read, in no table: --scan 2s"));
    EXPECT_EQ(find("evt-1 --scan 5s").err.find("were not read"), std::string::npos);
    EXPECT_THAT(rows(find("pay/charge/key-100001"), "found"), ElementsAre("idempotency_records: scope and key"));
    EXPECT_THAT(rows(find("pay charge key-100002"), "found"), ElementsAre("idempotency_records: scope and key"));
    EXPECT_THAT(rows(find("-- key-100002"), "found"), ElementsAre("idempotency_records: key"));
    const auto owner = part(find("key-100001"), "found").front()["owner"].get<std::string>();
    EXPECT_THAT(rows(find(owner.c_str()), "found"), ElementsAre("idempotency_records: owner"));
    for (const auto& one : part(find("evt-1"), "found"))
        if (one["binding"] == "dead_letters") {
            const auto id = one["identity"].front().get<std::string>();
            EXPECT_THAT(rows(find(id.c_str()), "found"), ElementsAre("dead_letters: identity"));
        }
}

// Who had a key before somebody else took it over stands in the journal alone.
TEST_P(FindTest, AnOwnerOfBeforeIsFoundInTheJournal)
{
    makeStory();
    const auto owner = part(find("key-100001"), "found").front()["owner"].get<std::string>();
    ASSERT_TRUE(connection->execute("UPDATE idempotency_records SET owner_execution_id = "
                                    "'00000000-0000-4000-8000-00000000beef' WHERE idempotency_key = 'key-100001'"));
    const auto run = find(owner.c_str());
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(rows(run, "found"), ElementsAre("idempotency_records: owner in the journal"));
    ASSERT_TRUE(connection->execute("DELETE FROM idempotency_records WHERE idempotency_key = 'key-100001'"));
    const auto gone = part(find(owner.c_str()), "found");
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(gone[0]["key"], "key-100001");
    EXPECT_EQ(gone[0]["state"], "ABSENT");
    const auto key = find("key-100001");
    EXPECT_THAT(rows(key, "found"),
        UnorderedElementsAre("outbox_messages: idempotency_key", "idempotency_records: key in the journal"))
        << key.err;
    EXPECT_THAT(key.out, HasSubstr(R"("what":"reserve)")) << "what befell it";
    // By its whole id an index leads there, however long the journal is.
    const auto whole = find("pay/charge/key-100001");
    EXPECT_THAT(rows(whole, "found"),
        UnorderedElementsAre("outbox_messages: idempotency_key", "idempotency_records: key in the journal"));
    EXPECT_EQ(whole.out.find("journal_entries_of"), std::string::npos) << "the journal was not read through";
    EXPECT_EQ(ctl({ QStringLiteral("keys"), QStringLiteral("show"), QStringLiteral("pay"), QStringLiteral("charge"),
                      QStringLiteral("key-100001") })
                  .json()["state"],
        "ABSENT");
    const auto nobody = text({ QStringLiteral("find"), QStringLiteral("00000000-0000-4000-8000-0000000000aa") });
    EXPECT_EQ(nobody.code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("entries of its journal"));
}

// Nobody knows the record: what it wrote, and what died of that, tells of it.
TEST_P(FindTest, AKeyIsFoundByWhatNamesIt)
{
    makeStory();
    ASSERT_TRUE(connection->execute("UPDATE outbox_messages SET idempotency_key = 'gone-1', aggregateid = 'agg_9'"));
    ASSERT_TRUE(connection->execute("UPDATE inbox_messages SET dedupe_key = 'dedupe_5'"));
    for (const auto* words : { "gone-1", "pay charge gone-1", "agg_9" })
        EXPECT_THAT(part(find(words), "found").front()["binding"], "outbox_messages") << words;
    EXPECT_THAT(rows(find("dedupe_5"), "found"), ElementsAre("inbox_messages: dedupe_key"));
    EXPECT_EQ(find("pay refund gone-1").code, 1) << "another operation's";
    ASSERT_TRUE(connection->execute("UPDATE dead_letters SET idempotency_key = 'gone-2'"));
    EXPECT_THAT(rows(find("gone-2"), "found"), ElementsAre("dead_letters: idempotency_key"));
}

TEST_P(FindTest, AnIdInsideAPayloadIsFoundByABoundedLook)
{
    makeStory();
    const auto run = find("order_4711");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(rows(run, "found"), ::testing::Contains("outbox_messages: payload payload"));
    EXPECT_THAT(run.out, Not(HasSubstr("hunter2")));
    EXPECT_EQ(find("order_471").code, 1) << "it is another order";
    const auto shown = text({ QStringLiteral("find"), QStringLiteral("order_4711") });
    EXPECT_THAT(shown.err, HasSubstr("looked into the payloads of all"));
    // An index has led to the key: nothing else is read unless that is asked for.
    const auto scans = [](const CtlRun& of) {
        const auto all = part(of, "searched");
        return std::count_if(all.begin(), all.end(), [](const auto& line) { return line.contains("payloads_of"); });
    };
    EXPECT_EQ(scans(find("key-100001")), 0);
    EXPECT_GT(scans(find("key-100001 --scan 10s")), 0);
    EXPECT_EQ(scans(find("order_4711 --scan 0s")), 0);
}

TEST_P(FindTest, WhatIsNotThereIsSaidWithWhatWasSearched)
{
    makeStory();
    const auto run = text({ QStringLiteral("find"), QStringLiteral("nothing-of-this-name") });
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err, HasSubstr("Nothing was found of \"nothing-of-this-name\""));
    EXPECT_THAT(run.err, HasSubstr("idempotency_records by key"));
    EXPECT_EQ(find("").code, 2);
    EXPECT_EQ(find("key-100001 --scan soon").code, 2);
    const auto other = ctl("--also sqlite:other.db keys list");
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.err, HasSubstr("--also is for find"));
}

TEST_P(FindTest, SeveralDatabasesAreSearchedAndOneThatIsGoneDoesNotSilenceTheOthers)
{
    makeStory();
    TempDatabase second{ GetParam() };
    ASSERT_EQ(second.problem(), "");
    auto there = second.connect();
    ASSERT_TRUE(there);
    ASSERT_TRUE(store::initSchema(**there, false));
    store::SqlStore records(**there, {});
    Reservation wish;
    wish.id = { "mirror", "charge", "key-100001" };
    wish.requestHash = sha256("x");
    wish.owner = { "00000000-0000-4000-8000-000000000009" };
    wish.lease = std::chrono::seconds(30);
    wish.ttl = std::chrono::hours(48);
    ASSERT_TRUE(records.reserve(wish));
    const auto run = ctl({ QStringLiteral("--also"), QString::fromStdString(second.url()), QStringLiteral("--also"),
        QStringLiteral("sqlite:missing.db"), QStringLiteral("find"), QStringLiteral("key-100001") });
    ASSERT_EQ(run.code, 0) << run.err;
    const auto found = part(run, "found");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NE(found[0]["connection"], found[1]["connection"]);
    EXPECT_EQ(found[1]["scope"], "mirror");
    EXPECT_THAT(run.err, HasSubstr("sqlite:missing.db was not searched"));
    EXPECT_FALSE(QFile::exists(path("missing.db")));
}

TEST_P(FindTest, ARunIsFoundByItsRequestId)
{
    makeStory();
    ASSERT_EQ(ctl("plan fence --key pay charge key-100002 --reason lost --out p").code, 0);
    const auto applied = ctl("apply p --confirm 1");
    ASSERT_EQ(applied.code, 0) << applied.err << applied.out;
    const auto id = ctl("audit list").json()["request_id"].get<std::string>();
    const auto run = find(id.c_str());
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("operator: "));
    EXPECT_THAT(find("key-100002").out, HasSubstr("operator: ")) << "what was done to a row belongs to its story";
}

TEST_P(FindTest, SomebodyElsesTableIsSearched)
{
    makeAtlasKeys({ "k1", "k2" });
    const auto run = find("k2");
    ASSERT_EQ(run.code, 0) << run.err;
    ASSERT_EQ(part(run, "found").size(), 1U);
    EXPECT_EQ(part(run, "found").front()["key"], "k2");
    EXPECT_GT(part(run, "happened").size(), 0U);
}

} // namespace
} // namespace fencepost::test
