// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "core/store/native.h"
#include "core/store/positional.h"
#include "core/store/sql_text.h"
#include "core/store/statements.h"
#include "tests/core/store/inspector_fixture.h"
#include "tests/support/large_table.h"
#include "tests/support/older_schema.h"

using namespace fencepost;
using namespace fencepost::test;

// A table large enough for the planner to care, made once per test inside the database.
class ReaderScale : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        const auto filled = fillRecords(*connection, 120'000, now, false);
        ASSERT_TRUE(filled) << filled.error().message << " " << filled.error().detail;
        table = *filled;
    }

    std::string plan(const std::string& filter, const std::string& order)
    {
        PageRequest request;
        request.filter = *parseFilter(filter);
        request.order = order;
        const auto text = inspector().explain(binding("idempotency_records"), request);
        EXPECT_TRUE(text) << filter << ": " << text.error().message << " " << text.error().detail;
        return text ? text->substr(text->find("\n\n")) : std::string();
    }

    void expectIndex(const std::string& filter, const std::string& order, const std::string& index)
    {
        EXPECT_NE(plan(filter, order).find(index), std::string::npos)
            << filter << " by " << order << ":" << plan(filter, order);
    }

    LargeTable table;
};

INSTANTIATE_TEST_SUITE_P(Backends, ReaderScale, bothDialects(), nameOfDialect);

TEST_P(ReaderScale, AnIndexServesStateStuckKeyAndCreated)
{
    expectIndex("", "created", "idempotency_records_created");
    expectIndex("", "expires", "idempotency_records_expires");
    expectIndex("stuck", "created", "idempotency_records_open");
    expectIndex("stuck", "lease", "idempotency_records_open");
    expectIndex("stuck and key ~ 7", "created", "idempotency_records_open");
    expectIndex("state = IN_PROGRESS", "created", "idempotency_records_open");
    expectIndex("state in (HELD, IN_PROGRESS)", "created", "idempotency_records_open");
    for (const auto* order : { "created", "lease", "key", "expires" })
        for (const auto* filter : { "held", "state = HELD", "held and key ~ 7" })
            expectIndex(filter, order, "idempotency_records_held");
    expectIndex("created > " + formatInstant(now - 1min), "created", "idempotency_records_created");
    expectIndex("age < 1m", "created", "idempotency_records_created");
    expectIndex("expires < 1h", "expires", "idempotency_records_expires");
    for (const auto* order : { "created", "expires" })
        expectIndex("state = EXPIRED", order, "idempotency_records_expires");
    const std::string primaryKey = sqlite() ? "USING PRIMARY KEY" : "idempotency_records_pkey";
    if (sqlite())
        EXPECT_EQ(plan("", "key").find("TEMP B-TREE"), std::string::npos) << "the table is its own index";
    else
        expectIndex("", "key", primaryKey);
    expectIndex("", "lease", "idempotency_records_open");
    expectIndex("scope = tenant/00003 and operation = refund and key = key-0000006001", "created",
        sqlite() ? primaryKey : "idempotency_records_");
    expectIndex("key = key-0000006001", "created", "idempotency_records_key");
    EXPECT_EQ(plan("key = key-0000006001", "created").find(sqlite() ? "TEMP B-TREE" : "Sort"), std::string::npos)
        << plan("key = key-0000006001", "created");
    expectIndex("key = key-0000006001", "expires", "idempotency_records_key");
    expectIndex("key = key-0000006001 and state = IN_PROGRESS", "created", "idempotency_records_");
    expectIndex("key in (key-0000006001, key-0000006002)", "created", "idempotency_records_key");
    const std::string row = "row(tenant/00003, refund, key-0000006001)";
    for (const auto& filter : { row, row + " or row(tenant/00003, refund, key-0000006002)" })
        expectIndex(filter, "created", sqlite() ? primaryKey : "idempotency_records_");
    EXPECT_EQ(keysOf(filtered(binding("idempotency_records"), "key in (key-0000006001, key-0000119999, none)")),
        "key-0000006001 key-0000119999");
    const auto found = filtered(
        binding("idempotency_records"), "scope = tenant/00003 and operation = refund and key = key-0000006001");
    EXPECT_EQ(keysOf(found), "key-0000006001");
    EXPECT_EQ(filtered(binding("idempotency_records"), "stuck").rows.size(), static_cast<std::size_t>(table.stuck));
}

// The store's own statements by their values' types: what a reaper asks every ten minutes must not read everything.
TEST_P(ReaderScale, AnIndexServesTheReaper)
{
    const std::string instant = sqlite() ? "1780000000000000" : "timestamptz '2026-05-28 20:26:40+00'";
    const std::map<std::string, std::string> values = { { "now", instant }, { "grace", "3600000000" },
        { "batch", "500" }, { "tombstone", sqlite() ? "NULL" : "NULL::bigint" } };
    const auto planOf = [&](const store::NamedSql& statement) {
        auto parts = store::positional(statement.of(GetParam()));
        for (auto place = parts.names.size(); place > 0; --place) {
            const auto mark = "$" + std::to_string(place);
            const auto& value = values.at(parts.names[place - 1]);
            for (auto at = parts.text.find(mark); at != std::string::npos; at = parts.text.find(mark, at + 1))
                parts.text.replace(at, mark.size(), value);
        }
        const store::SqlText text{ (sqlite() ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + parts.text, {} };
        std::string plan;
        const auto read = connection->native().read(
            text, [&](const store::NativeRow& row) { plan += row.text(sqlite() ? 3 : 0) + "\n"; });
        EXPECT_TRUE(read) << read.error().detail << "\n" << parts.text;
        return plan;
    };
    using namespace store::sql;
    for (const auto* statement :
        { &reap_delete, &reap_tombstone, &reap_delete_journal, &reap_tombstone_journal, &reap_delete_conflicts })
        if (statement->of(GetParam()) != nullptr) {
            const auto plan = planOf(*statement);
            EXPECT_NE(plan.find("idempotency_records_expires"), std::string::npos) << statement->name << ":\n" << plan;
        }
    const auto plan = planOf(orphans);
    const bool served = plan.find("idempotency_records_open") != std::string::npos
        || plan.find("idempotency_records_expires") != std::string::npos;
    EXPECT_TRUE(served) << plan;
}

// A key that many scopes have, in the order of its pages; and the walk from scope to scope where an older database has
// no index of its own for it.
TEST_P(ReaderScale, AKeyIsFoundInEveryScopePageByPage)
{
    const auto records = binding("idempotency_records");
    const std::string twins = sqlite() ? "(WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < "
                                         "4999) SELECT i FROM n)"
                                       : "generate_series(0, 4999)";
    const std::string scope = sqlite() ? "printf('twin/%05d', n.i)" : "'twin/' || lpad(n.i::text, 5, '0')";
    run("INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
        "owner_execution_id, fence, lease_expires_at, created_at, started_at, updated_at, expires_at) SELECT "
        + scope
        + ", operation_type, 'twin', request_hash, status, owner_execution_id, fence, lease_expires_at, created_at, "
          "started_at, updated_at, expires_at FROM idempotency_records, "
        + twins + (sqlite() ? " AS n" : " AS n(i)") + " WHERE idempotency_key = 'key-0000006001'");
    run("ANALYZE");
    PageRequest request;
    request.order = "created";
    request.limit = 1000;
    request.filter = *parseFilter("key = twin");
    const auto walk = [&] {
        std::set<std::string> scopes;
        request.after.reset();
        for (int pages = 0; pages < 10; ++pages) {
            const auto found = page(records, request);
            for (const auto& row : found.rows)
                scopes.insert(row.identity.front());
            if (found.rows.size() < 1000)
                break;
            request.after = found.cursors.back();
        }
        return scopes.size();
    };
    EXPECT_EQ(walk(), 5000U);
    const auto second = inspector().explain(records, request);
    ASSERT_TRUE(second);
    EXPECT_NE(second->substr(second->find("\n\n")).find("idempotency_records_key"), std::string::npos) << *second;
    goBackTo(*connection, 3);
    const auto older = (*inspector().bindings(true))[0];
    EXPECT_EQ(walk(), 5000U);
    const auto plan = inspector().explain(older, request);
    ASSERT_TRUE(plan);
    EXPECT_NE(plan->find("RECURSIVE"), std::string::npos) << *plan;
}

TEST_P(ReaderScale, CountsSayHowExactTheyAre)
{
    const auto records = binding("idempotency_records");
    const auto exact = inspector().counts(records, nullptr, 60s);
    ASSERT_TRUE(exact) << exact.error().message << exact.error().detail;
    EXPECT_EQ(exact->total.value, table.rows);
    EXPECT_EQ(exact->stuck.value, table.stuck);
    EXPECT_EQ(exact->byState.at("IN_PROGRESS").value, table.inProgress);
    bool approximate = false;
    // Far less time than anything could read the whole table in.
    for (const auto budget : { 0ms, 2ms, 5ms, 20ms }) {
        const auto counts = inspector().counts(records, nullptr, budget);
        ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
        const auto check = [&](const std::string& what, const Count& count, std::int64_t real) {
            approximate = approximate || count.exactness != Exactness::Exact;
            if (count.exactness == Exactness::Exact)
                EXPECT_EQ(count.value, real) << what;
            else if (count.exactness == Exactness::AtLeast)
                EXPECT_LE(count.value, real) << what;
            else
                EXPECT_LE(std::abs(count.value - real), real / 2 + 500) << what;
        };
        check("total", counts->total, table.rows);
        // Nobody has analysed the table.
        if (sqlite()) {
            EXPECT_EQ(counts->total.exactness, Exactness::Estimate);
        }
        check("stuck", counts->stuck, table.stuck);
        for (const auto& [state, count] : counts->byState)
            check(state, count, exact->byState.count(state) > 0 ? exact->byState.at(state).value : 0);
    }
    EXPECT_TRUE(approximate);
    const auto some = inspector().counts(records, *parseFilter("key ~ 7"), 1ms);
    ASSERT_TRUE(some);
    EXPECT_NE(some->total.exactness, Exactness::Exact);
}

TEST_P(ReaderScale, PagesFromTheMiddleMeetTheFullScan)
{
    const auto records = binding("idempotency_records");
    PageRequest request;
    request.order = "created";
    request.limit = 200;
    request.filter = *parseFilter("created < " + formatInstant(now - 10min));
    const auto middle = page(records, request);
    request.filter = nullptr;
    request.before = middle.cursors.front();
    const auto ahead = page(records, request);
    ASSERT_EQ(ahead.rows.size(), 200U);
    EXPECT_GE(*ahead.rows.back().createdAt, now - 10min);
    request.before.reset();
    request.after = ahead.cursors.back();
    const auto again = page(records, request);
    EXPECT_EQ(again.rows, middle.rows);
}
