// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile/mapping.h"
#include "core/store/table_sample.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using profile::Meaning;

class TableMapperTest : public InspectorTest {
protected:
    TableMapper& mapper() { return inspector().mapper(); }

    [[nodiscard]] TableName nameOf(const std::string& table) const
    {
        return { sqlite() ? std::string() : "public", table };
    }

    profile::TableFacts facts(const std::string& table)
    {
        const auto read = mapper().facts(nameOf(table));
        EXPECT_TRUE(read) << read.error().message << read.error().detail;
        return read ? *read : profile::TableFacts();
    }

    // What the first values of each column are.
    profile::SampledValues sampled(const profile::TableFacts& table)
    {
        SampleRequest request;
        for (const auto& column : table.columns)
            request.columns.push_back(column.name);
        const auto sample = mapper().sample({ table.schema, table.name }, request);
        EXPECT_TRUE(sample) << sample.error().message << sample.error().detail;
        profile::SampledValues values;
        for (const auto& row : sample->rows)
            for (std::size_t i = 0; i < row.size(); ++i) {
                auto& of = values[sample->columns[i]];
                if (!row[i])
                    of.nulls = true;
                else if (std::find(of.texts.begin(), of.texts.end(), *row[i]) == of.texts.end())
                    of.texts.push_back(*row[i]);
            }
        return values;
    }

    profile::Mapping proposal(const profile::TableFacts& table)
    {
        const auto values = sampled(table);
        return profile::proposedMapping(table, profile::guessOf(table, values), values);
    }

    MappingPreview preview(const profile::TableFacts& table, const profile::Mapping& mapping)
    {
        const auto document = profile::documentOf(table, mapping);
        EXPECT_TRUE(document) << document.error().message;
        if (!document)
            return {};
        auto shown = mapper().preview({ table.schema, table.name }, *document, 20);
        EXPECT_TRUE(shown) << shown.error().message << ' ' << shown.error().detail << '\n' << *document;
        return shown ? std::move(*shown) : MappingPreview();
    }

    const SurveyedTable* surveyed(const std::vector<SurveyedTable>& all, const std::string& table)
    {
        for (const auto& one : all)
            if (one.name.table == table)
                return &one;
        return nullptr;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, TableMapperTest, bothDialects(), nameOfDialect);

TEST_P(TableMapperTest, ListsTablesWithWhatIsRecognisedAndWhy)
{
    makeLayout("atlas");
    run("CREATE TABLE payment_outbox (event_id TEXT PRIMARY KEY, topic TEXT, payload TEXT, published_at TEXT)");
    run("CREATE TABLE inbox_events (event_id TEXT PRIMARY KEY, source TEXT)");
    run("CREATE TABLE color (id INTEGER PRIMARY KEY, name TEXT)");
    const auto all = mapper().tables(true);
    ASSERT_TRUE(all) << all.error().message << all.error().detail;

    const auto* records = surveyed(*all, "idempotency_records");
    ASSERT_TRUE(records);
    EXPECT_EQ(records->binding, "idempotency_records");
    EXPECT_EQ(records->profile, "seed.atlas.idempotency_records");
    EXPECT_FALSE(records->reasons.empty());

    const auto* outbox = surveyed(*all, "payment_outbox");
    ASSERT_TRUE(outbox);
    EXPECT_EQ(outbox->binding, "");
    EXPECT_EQ(outbox->likeness, Kind::Outbox);
    EXPECT_GE(outbox->score, 50);

    const auto* inbox = surveyed(*all, "inbox_events");
    ASSERT_TRUE(inbox);
    ASSERT_EQ(inbox->reasons.size(), 1U);
    EXPECT_NE(inbox->reasons.front().find("but no column payload_hash, received_at"), std::string::npos)
        << inbox->reasons.front();
    EXPECT_EQ(surveyed(*all, "color")->score, 0);
}

TEST_P(TableMapperTest, FencepostsOwnSideTablesAreNotToBeMapped)
{
    makeOwnTables();
    const auto all = mapper().tables(true);
    ASSERT_TRUE(all);
    EXPECT_TRUE(surveyed(*all, "idempotency_records"));
    EXPECT_FALSE(surveyed(*all, "idempotency_transitions"));
}

// An unknown table of words, from its values to canonical rows.
TEST_P(TableMapperTest, AnUnknownTableIsReadThroughItsMapping)
{
    run("CREATE TABLE charge_requests (request_key TEXT PRIMARY KEY, tenant_id TEXT, body_hash TEXT, status TEXT, "
        "response_body TEXT, created_at TEXT)");
    run("INSERT INTO charge_requests VALUES ('a', 't1', 'h1', 'processing', NULL, '2026-05-01T10:00:00Z'), ('b', 't1', "
        "'h2', 'done', '{}', '2026-05-01T11:00:00Z'), ('c', 't2', 'h3', 'limbo', NULL, '2026-05-01T12:00:00Z'), ('d', "
        "'t2', 'h4', NULL, NULL, '2026-05-01T13:00:00Z')");
    const auto table = facts("charge_requests");
    ASSERT_EQ(table.uniqueKeys, std::vector<std::vector<std::string>>{ { "request_key" } });
    auto mapping = proposal(table);
    EXPECT_EQ(mapping.style, profile::StateStyle::Values);
    EXPECT_EQ(mapping.encodings.at("created_at"), "isoZ");
    const auto values = mapper().values(nameOf("charge_requests"), "status");
    ASSERT_TRUE(values) << values.error().message << values.error().detail;
    EXPECT_TRUE(values->allRows && values->allValues);
    ASSERT_EQ(values->values.size(), 4U);
    for (const auto& value : values->values) {
        const auto state = value.value ? profile::stateOf(mapping.kind, *value.value)
                                       : std::optional<std::string_view>("FAILED_FINAL");
        mapping.values.push_back({ value.value, std::string(state.value_or("")) });
    }
    const auto shown = preview(table, mapping);
    ASSERT_EQ(shown.page.rows.size(), 4U);
    EXPECT_EQ(rowOf(shown.page, "a")->state, "IN_PROGRESS");
    EXPECT_TRUE(rowOf(shown.page, "a")->stuck);
    EXPECT_EQ(rowOf(shown.page, "a")->scope, "t1");
    EXPECT_EQ(formatInstant(*rowOf(shown.page, "a")->createdAt).substr(0, 19), "2026-05-01T10:00:00");
    EXPECT_EQ(rowOf(shown.page, "b")->state, "SUCCEEDED");
    EXPECT_EQ(rowOf(shown.page, "c")->state, "UNKNOWN");
    EXPECT_EQ(rowOf(shown.page, "d")->state, "FAILED_FINAL");
    EXPECT_EQ(shown.counts.byState.at("UNKNOWN").value, 1) << "counted and shown, not dropped";
    for (const auto& capability : shown.binding.capabilities)
        EXPECT_TRUE(!capability.allowed || capability.verb == "note") << capability.verb;
}

TEST_P(TableMapperTest, EveryStyleOfStateIsReadByTheCompiler)
{
    const std::string flag = sqlite() ? "1" : "TRUE";
    const std::string none = sqlite() ? "0" : "FALSE";
    run("CREATE TABLE once_keys (idempotency_key TEXT PRIMARY KEY, response TEXT NOT NULL)");
    run("INSERT INTO once_keys VALUES ('a', '{}')");
    run("CREATE TABLE nullable_keys (idempotency_key TEXT PRIMARY KEY, response TEXT)");
    run("INSERT INTO nullable_keys VALUES ('a', '{}'), ('b', NULL)");
    run("CREATE TABLE instant_outbox (event_id TEXT PRIMARY KEY, topic TEXT, published_at BIGINT)");
    run("INSERT INTO instant_outbox VALUES ('a', 't', 1780000000), ('b', 't', NULL)");
    run("CREATE TABLE flag_outbox (event_id TEXT PRIMARY KEY, topic TEXT, published BOOLEAN)");
    run("INSERT INTO flag_outbox VALUES ('a', 't', " + flag + "), ('b', 't', " + none + "), ('c', 't', NULL)");
    run("CREATE TABLE coded_keys (idempotency_key TEXT PRIMARY KEY, status INTEGER NOT NULL, response TEXT)");
    run("INSERT INTO coded_keys VALUES ('a', 201, '{}'), ('b', 503, NULL)");
    const auto states = [&](const std::string& name) {
        const auto table = facts(name);
        const auto mapping = proposal(table);
        std::string text;
        const auto shown = preview(table, mapping);
        for (const auto* key : { "a", "b", "c" })
            if (const auto* row = rowOf(shown.page, key))
                text += std::string(text.empty() ? "" : " ") + key + "=" + row->state
                    + (row->responseCode ? ":" + std::to_string(*row->responseCode) : "");
        return text;
    };
    EXPECT_EQ(states("once_keys"), "a=SUCCEEDED");
    EXPECT_EQ(states("nullable_keys"), "a=SUCCEEDED b=IN_PROGRESS");
    EXPECT_EQ(states("instant_outbox"), "a=DISPATCHED b=PENDING");
    EXPECT_EQ(states("flag_outbox"), "a=DISPATCHED b=PENDING c=PENDING");
    EXPECT_EQ(states("coded_keys"), "a=SUCCEEDED:201 b=IN_PROGRESS:503") << "status INTEGER was no state";
}

TEST_P(TableMapperTest, NaiveTimesAreReadInTheZoneThatWasSaid)
{
    if (sqlite()) {
        run("CREATE TABLE naive_inbox (message_id TEXT PRIMARY KEY, consumer TEXT, processed_at TIMESTAMP)");
        run("INSERT INTO naive_inbox VALUES ('a', 'c', '2026-07-01 12:00:00')");
        const auto table = facts("naive_inbox");
        const auto values = sampled(table).at("processed_at");
        EXPECT_TRUE(profile::encodingOf("sqlite", *table.find("processed_at"), &values).asksForZone);
        return;
    }
    run("CREATE TABLE local_inbox (message_id TEXT PRIMARY KEY, consumer TEXT, processed_at TIMESTAMP)");
    run("INSERT INTO local_inbox VALUES ('a', 'c', '2026-07-01 12:00:00')");
    const auto table = facts("local_inbox");
    auto mapping = proposal(table);
    EXPECT_EQ(mapping.encodings.at("processed_at"), "");
    EXPECT_FALSE(profile::documentOf(table, mapping));
    mapping.encodings["processed_at"] = "naive:America/New_York";
    const auto shown = preview(table, mapping);
    ASSERT_EQ(shown.page.rows.size(), 1U);
    EXPECT_EQ(formatInstant(*shown.page.rows[0].finishedAt).substr(0, 19), "2026-07-01T16:00:00");
    mapping.encodings["processed_at"] = "naive:Nowhere/Land";
    const auto refused = profile::documentOf(table, mapping);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("Nowhere/Land"), std::string::npos) << refused.error().message;
}

TEST_P(TableMapperTest, OnlyTheColumnsThatWereNamedAreRead)
{
    run("CREATE TABLE things (id INTEGER PRIMARY KEY, body TEXT, blob " + std::string(sqlite() ? "BLOB" : "BYTEA")
        + ")");
    run("INSERT INTO things VALUES (1, '" + std::string(3'000, 'x') + "', " + bytes("c0ffee") + "), (2, NULL, NULL)");
    const auto sample = mapper().sample(nameOf("things"), { .columns = { "id", "blob" }, .rows = 1 });
    ASSERT_TRUE(sample) << sample.error().message << sample.error().detail;
    EXPECT_TRUE(sample->cut);
    ASSERT_EQ(sample->rows.size(), 1U);
    EXPECT_EQ(sample->rows[0], (std::vector<std::optional<std::string>>{ "1", "\\xc0ffee" }));
    EXPECT_EQ(sample->cost.sql.find("\"body\""), std::string::npos);
    const auto cut = mapper().sample(nameOf("things"), { .columns = { "body" }, .length = 16 });
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->rows[0][0], std::string(16, 'x'));
    EXPECT_EQ(cut->rows[1][0], std::nullopt);
    EXPECT_EQ(mapper().sample(nameOf("things"), { .columns = { "gone" } }).error().failure, Failure::NotFound);
    EXPECT_EQ(mapper().sample(nameOf("gone"), { .columns = { "id" } }).error().failure, Failure::NotFound);
}

TEST_P(TableMapperTest, HostileNamesAreQuotedInSamplesAndRefusedInMappings)
{
    run("CREATE TABLE y (id INTEGER PRIMARY KEY)");
    run(R"(CREATE TABLE "x""; DROP TABLE y; --" (key TEXT PRIMARY KEY, "a""b' c" TEXT, status TEXT))");
    run(R"(INSERT INTO "x""; DROP TABLE y; --" VALUES ('k', 'v', 'done'''))");
    const std::string hostile = "x\"; DROP TABLE y; --";
    const auto table = facts(hostile);
    ASSERT_EQ(table.columns.size(), 3U);
    const auto values = sampled(table);
    EXPECT_EQ(values.at("a\"b' c").texts, std::vector<std::string>{ "v" });
    const auto counted = mapper().values(nameOf(hostile), "status");
    ASSERT_TRUE(counted) << counted.error().message;
    EXPECT_EQ(counted->values.front().value, "done'");
    auto mapping = proposal(table);
    mapping.values = { { "done'", "SUCCEEDED" } };
    const auto document = profile::documentOf(table, mapping);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().failure, Failure::Invalid);
    EXPECT_TRUE(mapper().sample(nameOf("y"), { .columns = { "id" } })) << "still there";
}

TEST_P(TableMapperTest, AThousandColumnsAreSampledAndMapped)
{
    std::string columns = "idempotency_key TEXT PRIMARY KEY, response TEXT";
    for (int i = 0; i < 998; ++i)
        columns += ", c" + std::to_string(i) + " TEXT";
    run("CREATE TABLE wide (" + columns + ")");
    run("INSERT INTO wide (idempotency_key) VALUES ('a')");
    const auto table = facts("wide");
    ASSERT_EQ(table.columns.size(), 1'000U);
    const auto shown = preview(table, proposal(table));
    ASSERT_EQ(shown.page.rows.size(), 1U);
    EXPECT_EQ(shown.page.rows[0].state, "IN_PROGRESS");
}

TEST_P(TableMapperTest, AMappedTableIsBoundAtOnceAndReadOnly)
{
    run("CREATE TABLE pay_once (idempotency_key TEXT PRIMARY KEY, response TEXT)");
    run("INSERT INTO pay_once VALUES ('a', NULL)");
    EXPECT_TRUE(bindingNames().empty());
    const auto table = facts("pay_once");
    const auto document = profile::documentOf(table, proposal(table));
    ASSERT_TRUE(document);
    auto more = std::make_shared<profile::Library>(library);
    ASSERT_TRUE(more->add(*document, "pay_once.json"));
    mapper().use(more);
    more.reset();
    EXPECT_EQ(bindingNames(), std::vector<std::string>{ "pay_once=mapped.pay_once" });
    const auto bound = binding("pay_once");
    EXPECT_EQ(page(bound, {}).rows.size(), 1U);
    for (const auto* verb : { "fence", "release", "expire", "fail" }) {
        const auto* found = capability(bound, verb);
        ASSERT_TRUE(found) << verb;
        EXPECT_FALSE(found->allowed);
        EXPECT_EQ(found->why, profile::unreviewed);
    }
}

TEST_P(TableMapperTest, AMappingOfATableThatAProfileFitsFitsItBetter)
{
    makeLayout("playbook");
    ASSERT_EQ(binding("idempotency_keys").profile, "seed.playbook.idempotency_keys");
    const auto table = facts("idempotency_keys");
    EXPECT_TRUE(table.contested);
    auto mapping = proposal(table);
    mapping.values = { { "complete", "SUCCEEDED" } };
    for (auto& [column, encoding] : mapping.encodings)
        encoding = encoding.empty() ? "iso" : encoding;
    const auto document = profile::documentOf(table, mapping);
    ASSERT_TRUE(document) << document.error().message;
    auto more = std::make_shared<profile::Library>(library);
    ASSERT_TRUE(more->add(*document, "mine.json"));
    mapper().use(more);
    const auto bound = binding("idempotency_keys");
    EXPECT_EQ(bound.profile, "mapped.idempotency_keys");
    for (const auto& warning : bound.warnings)
        EXPECT_EQ(warning.find("fits as well"), std::string::npos) << warning;
}

// A view may do anything: it is cut off, and nothing that it does can be written.
TEST_P(TableMapperTest, AViewThatSleepsOrWritesIsStopped)
{
    if (sqlite()) {
        run("CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS "
            "key FROM n");
    } else {
        run("CREATE VIEW endless AS SELECT CAST(pg_sleep(60) AS text) AS key");
        run("CREATE TABLE touched (id INTEGER)");
        run("CREATE FUNCTION touch() RETURNS text LANGUAGE sql AS 'INSERT INTO touched VALUES (1) RETURNING ''x'''");
        run("CREATE VIEW writing AS SELECT touch() AS key");
        EXPECT_FALSE(mapper().sample(nameOf("writing"), { .columns = { "key" } }));
        const auto left = mapper().sample(nameOf("touched"), { .columns = { "id" } });
        ASSERT_TRUE(left);
        EXPECT_TRUE(left->rows.empty());
    }
    const auto began = std::chrono::steady_clock::now();
    const auto sample = mapper().sample(nameOf("endless"), { .columns = { "key" } });
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().failure, Failure::TimedOut) << sample.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}
