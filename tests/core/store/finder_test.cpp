// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ids.h"
#include "core/random.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "core/store/statements.h"
#include "tests/core/store/inspector_fixture.h"
#include "tests/support/large_table.h"

using namespace fencepost;
using namespace fencepost::test;

namespace {

using Fields = std::vector<std::string>;

class FinderTest : public InspectorTest {
protected:
    Finder& finder() { return inspector().finder(); }

    std::vector<Lead> leads(const std::string& table, const std::string& id)
    {
        auto found = finder().byIndex(binding(table), id);
        EXPECT_TRUE(found) << table << ": " << found.error().message << " " << found.error().detail;
        return found ? *found : std::vector<Lead>();
    }

    // "key by field"
    static std::string told(const std::vector<Lead>& leads)
    {
        std::string text;
        for (const auto& lead : leads)
            text += (text.empty() ? "" : ", ") + lead.row.key + " by " + lead.by;
        return text;
    }

    ScannedRows scanned(const std::string& table, const std::string& id, Duration budget)
    {
        auto found = finder().scan(binding(table), id, budget);
        EXPECT_TRUE(found) << table << ": " << found.error().message << " " << found.error().detail;
        return found ? std::move(*found) : ScannedRows();
    }

    void expectServed(const Binding& table)
    {
        const auto fields = finder().indexedFields(table);
        ASSERT_TRUE(fields);
        EXPECT_FALSE(fields->empty()) << table.name;
        for (const auto& field : *fields) {
            const bool number = table.kind == Kind::Outbox && field == "identity";
            const auto plan = finder().explain(table, field, number ? "17" : "7d9f6d2e-0000-4000-8000-000000000abc");
            ASSERT_TRUE(plan) << table.name << " " << field << plan.error().message << plan.error().detail;
            EXPECT_EQ(plan->find(sqlite() ? "SCAN t" : "Seq Scan"), std::string::npos) << field << ":\n" << *plan;
            EXPECT_NE(plan->find(sqlite() ? "SEARCH t USING" : "Index"), std::string::npos) << field << ":\n" << *plan;
        }
    }

    OutboxEvent event(const std::string& id, const std::string& payload)
    {
        OutboxEvent made;
        made.eventId = id;
        made.destination = "http://127.0.0.1:9/hooks";
        made.source = "/shop";
        made.type = "refund.succeeded";
        made.payload = payload;
        made.record = RecordId{ "s", "o", "done" };
        made.correlationId = "req-" + id;
        return made;
    }

    void addEvents(int count)
    {
        store::Outbox outbox(*connection, { .clock = &clock, .bind = true });
        for (int i = 1; i <= count; ++i) {
            const auto number = std::to_string(i);
            ASSERT_TRUE(outbox.add(event("evt-" + number, R"({"order":"order_)" + number + "\"}")));
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, FinderTest, bothDialects(), nameOfDialect);

TEST_P(FinderTest, EveryIdThatIsLookedUpIsServedByAnIndex)
{
    ASSERT_TRUE(fillRecords(*connection, 120'000, now, true));
    expectServed(binding("idempotency_records"));
    // The planner would rather read tables without rows than their indexes.
    if (!sqlite())
        run("SET enable_seqscan = off");
    for (const auto* table : { "inbox_messages", "outbox_messages", "dead_letters" })
        expectServed(binding(table));
    EXPECT_EQ(told(leads("idempotency_records", "key-0000006001")), "key-0000006001 by key");
}

TEST_P(FinderTest, AFieldWithoutAnIndexIsNotAskedFor)
{
    makeOwnTables();
    const auto records = binding("idempotency_records");
    const auto fields = finder().indexedFields(records);
    ASSERT_TRUE(fields);
    EXPECT_EQ(std::count(fields->begin(), fields->end(), "owner"), 0);
    const auto plan = finder().explain(records, "owner", "somebody");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().failure, Failure::Unsupported);
}

TEST_P(FinderTest, MessagesAreFoundByEventAndCorrelation)
{
    makeOwnTables();
    addEvents(3);
    EXPECT_EQ(told(leads("outbox_messages", "evt-2")), "evt-2 by key");
    EXPECT_EQ(told(leads("outbox_messages", "req-evt-3")), "evt-3 by correlation_id");
    EXPECT_EQ(told(leads("outbox_messages", "evt-4")), "");
    EXPECT_EQ(told(leads("outbox_messages", "no number, no uuid ' \" \\")), "");
    const auto written = finder().writtenBy(binding("outbox_messages"), { "s", "o", "done" });
    ASSERT_TRUE(written);
    EXPECT_EQ(written->size(), 3U);
    EXPECT_TRUE(finder().writtenBy(binding("outbox_messages"), { "s", "o", "other" })->empty());
    const auto writer = finder().writerOf(binding("outbox_messages"), written->front().identity);
    ASSERT_TRUE(writer);
    EXPECT_EQ(*writer, std::optional(RecordId{ "s", "o", "done" }));
}

TEST_P(FinderTest, SomebodyElsesTableIsSearchedThroughItsProfile)
{
    run(store::sql::layout_atlas_records.of(GetParam()));
    const auto* hash = sqlite() ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
    for (const auto* scope : { "pay", "ship" })
        run("INSERT INTO idempotency_records VALUES ('" + std::string(scope) + "', 'charge', 'k1', " + hash
            + ", 'IN_PROGRESS', '7d9f6d2e-0000-4000-8000-000000000abc', NULL, NULL, NULL, '2026-01-01 11:00:00',"
              " '2026-01-01 11:00:00', '2036-01-01 11:00:00')");
    const auto table = inspector().bindings(true)->front().name;
    EXPECT_EQ(told(leads(table, "k1")), "k1 by key, k1 by key");
    EXPECT_EQ(told(leads(table, "k2")), "");
    EXPECT_EQ(told(scanned(table, "7d9f6d2e-0000-4000-8000-000000000abc", 10s).leads), "k1 by owner, k1 by owner");
}

TEST_P(FinderTest, PayloadsAreReadNewestFirstAndItSaysWhatItCovered)
{
    makeOwnTables();
    addEvents(42);
    const auto one = scanned("outbox_messages", "order_4", 60s);
    EXPECT_EQ(told(one.leads), "evt-4 by payload payload") << "and not those of order_40 to order_42";
    EXPECT_EQ(one.looked, 42);
    EXPECT_TRUE(one.all);
    EXPECT_EQ(one.order, "created");
    ASSERT_TRUE(one.of);
    EXPECT_EQ(one.of->exactness, Exactness::Exact);
    EXPECT_EQ(told(scanned("outbox_messages", "order_99", 60s).leads), "");
    const auto none = scanned("outbox_messages", "order_4", Duration::zero());
    EXPECT_EQ(none.looked, 0);
    EXPECT_FALSE(none.all);
    EXPECT_TRUE(none.leads.empty());
}

// What one look has not reached, another one goes on with: together they see all of it once.
TEST_P(FinderTest, ALookGoesOnWhereTheOneBeforeStopped)
{
    makeOwnTables();
    addEvents(700);
    const auto table = binding("outbox_messages");
    const auto none = finder().scan(table, "order_nobody", Duration::zero(), {});
    ASSERT_TRUE(none) << none.error().message;
    ASSERT_TRUE(none->next);
    auto place = *none->next;
    std::int64_t looked = 0;
    constexpr int manyLooks = 10'000;
    bool all = false;
    for (int looks = 0; !all && looks < manyLooks; ++looks) {
        const auto found = finder().scan(table, "order_nobody", 5ms, place);
        ASSERT_TRUE(found) << found.error().message;
        looked += found->looked;
        all = found->all;
        EXPECT_EQ(all, !found->next);
        place = found->next.value_or(ScanPlace());
    }
    EXPECT_TRUE(all);
    EXPECT_EQ(looked, 700);
}

TEST_P(FinderTest, ATableThatIsGoneIsAnError)
{
    makeOwnTables();
    const auto outbox = binding("outbox_messages");
    run("DROP TABLE outbox_messages");
    EXPECT_FALSE(finder().byIndex(outbox, "evt-1"));
    EXPECT_FALSE(finder().scan(outbox, "evt-1", 1s));
}

} // namespace
