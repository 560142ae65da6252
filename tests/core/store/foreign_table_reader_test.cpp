// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include "core/operations/operation.h"
#include "core/store/profile_compiler.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;

class ForeignTableReader : public InspectorTest {
protected:
    void addPlaybook(const std::string& key, const std::string& status, Duration created, Duration expires)
    {
        run("INSERT INTO idempotency_keys (key, payload_hash, status, http_code, created_at, expires_at) VALUES ('"
            + key + "', 'abc', '" + status + "', 200, " + seed(created) + ", " + seed(expires) + ")");
    }

    void addAtlas(const std::string& key, const std::string& status, Duration updated)
    {
        run("INSERT INTO idempotency_records VALUES ('s', 'o', '" + key + "', " + bytes("c0ffee") + ", '" + status
            + "', '00000000-0000-4000-8000-000000000001', 201, 'order', '17', " + seed(updated) + ", " + seed(updated)
            + ", " + seed(24h) + ")");
    }

    // Runs the compiled action and answers how many rows it changed.
    int act(const Binding& of, const std::string& verb, const Row& row)
    {
        store::Bindings bindings(*connection, &library);
        const auto bound = bindings.find(of);
        EXPECT_TRUE(bound) << bound.error().message;
        SystemRandom random;
        const auto steps = store::compileAction(
            **bound, verb, { .identity = row.identity, .seen = row.cas, .parameters = {}, .now = clock.now() }, random);
        EXPECT_TRUE(steps) << steps.error().message;
        if (!steps)
            return -1;
        const auto statement = store::prepared(*connection, steps->front().statement);
        EXPECT_TRUE(statement) << statement.error().message << statement.error().detail;
        const auto ran = (*statement)->run();
        EXPECT_TRUE(ran) << ran.error().message << " " << ran.error().detail << "\n" << steps->front().statement.sql;
        return (*statement)->affected();
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, ForeignTableReader, bothDialects(), nameOfDialect);

TEST_P(ForeignTableReader, FindsNothingWhereNothingIs)
{
    run("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    EXPECT_EQ(bindingNames(), std::vector<std::string>{});
}

TEST_P(ForeignTableReader, ReadsThePlaybook)
{
    makeLayout("playbook");
    addPlaybook("fresh", "pending", -1min, 24h);
    addPlaybook("stuck", "pending", -6min, 24h);
    addPlaybook("done", "complete", -2h, 24h);
    addPlaybook("failed", "failed", -3h, 30min);
    const auto keys = binding("idempotency_keys");
    EXPECT_EQ(keys.profile, "seed.playbook.idempotency_keys");
    EXPECT_FALSE(keys.native);
    EXPECT_FALSE(capability(keys, "fence")->allowed);
    EXPECT_EQ(capability(keys, "fence")->why,
        "the playbook layout has no owner column: a worker finalizes by key alone, so nothing a fence could write "
        "would "
        "stop it");
    EXPECT_TRUE(capability(keys, "release")->allowed);
    EXPECT_EQ(capability(keys, "release")->risk, "high");
    EXPECT_TRUE(capability(keys, "fail")->allowed);
    EXPECT_TRUE(capability(keys, "expire")->allowed);
    EXPECT_FALSE(capability(keys, "resolve")->allowed);
    const auto all = filtered(keys, "");
    ASSERT_EQ(keysOf(all), "done failed fresh stuck");
    EXPECT_EQ(rowOf(all, "fresh")->state, "IN_PROGRESS");
    EXPECT_EQ(rowOf(all, "failed")->state, "FAILED_FINAL");
    EXPECT_EQ(rowOf(all, "done")->state, "SUCCEEDED");
    EXPECT_EQ(rowOf(all, "done")->responseCode, 200);
    EXPECT_EQ(rowOf(all, "stuck")->stuckReason, "too_old");
    EXPECT_FALSE(rowOf(all, "fresh")->stuck);
    EXPECT_EQ(rowOf(all, "stuck")->cas.at("status"), "pending");
    const auto micros = microsOf(now - 6min);
    EXPECT_EQ(microsOf(*rowOf(all, "stuck")->createdAt), sqlite() ? micros / 1'000'000 * 1'000'000 : micros);
    EXPECT_EQ(keysOf(filtered(keys, "stuck")), "stuck");
    EXPECT_EQ(keysOf(filtered(keys, "age > 1h")), "done failed");
    EXPECT_EQ(keysOf(filtered(keys, "expires < 1h")), "failed");
    EXPECT_EQ(keysOf(filtered(keys, "hash = abc and state = SUCCEEDED")), "done");
    EXPECT_EQ(keysOf(filtered(keys, "held or conflict")), "");
    const auto counts = inspector().counts(keys, nullptr, 2s);
    ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
    EXPECT_EQ(counts->total.value, 4);
    EXPECT_EQ(counts->stuck.value, 1);
    EXPECT_EQ(counts->byState.at("IN_PROGRESS").value, 2);
}

TEST_P(ForeignTableReader, ReadsTheAtlas)
{
    makeLayout("atlas");
    addAtlas("live", "IN_PROGRESS", -1min);
    addAtlas("stuck", "IN_PROGRESS", -10min);
    addAtlas("done", "SUCCEEDED", -10min);
    addAtlas("odd", "COMPENSATED", -10min);
    const auto records = binding("idempotency_records");
    EXPECT_EQ(records.profile, "seed.atlas.idempotency_records");
    EXPECT_TRUE(capability(records, "fence")->allowed) << capability(records, "fence")->why;
    EXPECT_FALSE(capability(records, "fence")->native);
    EXPECT_EQ(records.fencing, "owner_cas");
    EXPECT_EQ(records.warnings,
        std::vector<std::string>{ "the column status has the value \"COMPENSATED\", which the profile does not know" });
    const auto all = filtered(records, "");
    EXPECT_EQ(rowOf(all, "odd")->state, "UNKNOWN");
    EXPECT_EQ(rowOf(all, "odd")->rawState, "COMPENSATED");
    EXPECT_EQ(rowOf(all, "done")->resultRef, "order:17");
    EXPECT_EQ(rowOf(all, "done")->requestHash, "c0ffee");
    EXPECT_EQ(keysOf(filtered(records, "state = UNKNOWN")), "odd");
    EXPECT_EQ(keysOf(filtered(records, "not state = UNKNOWN")), "done live stuck");
    EXPECT_EQ(keysOf(filtered(records, "stuck")), "stuck");
    EXPECT_EQ(keysOf(filtered(records, "hash = C0FFEE")), "done live odd stuck");
    EXPECT_EQ(inspector().counts(records, nullptr, 2s)->byState.at("UNKNOWN").value, 1);
    // Of a value that nobody knows nothing else is known either.
    run("UPDATE idempotency_records SET expires_at = " + seed(-1h) + " WHERE idempotency_key IN ('odd', 'done')");
    const auto later = filtered(records, "");
    EXPECT_EQ(rowOf(later, "odd")->state, "UNKNOWN");
    EXPECT_EQ(rowOf(later, "done")->state, "EXPIRED");
    EXPECT_EQ(keysOf(filtered(records, "state = EXPIRED")), "done");
    EXPECT_EQ(keysOf(filtered(records, "state = UNKNOWN")), "odd");
}

// The state that is shown: UNKNOWN where nobody knows the value, else EXPIRED, else what is stored.
TEST_P(ForeignTableReader, ShowsExpiryOverWhatIsStored)
{
    makeLayout("playbook");
    addPlaybook("fresh", "pending", -1min, 24h);
    addPlaybook("left", "pending", -2h, -1h);
    addPlaybook("done", "complete", -2h, 24h);
    addPlaybook("over", "complete", -48h, -24h);
    addPlaybook("at", "failed", -48h, sqlite() ? -1s : 0s);
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('soon', 'h', "
        "'complete', "
        + seed(-1h) + ", " + seed(1min) + ")");
    const auto keys = binding("idempotency_keys");
    const auto all = filtered(keys, "");
    const auto stateOf = [&](const std::string& key) { return rowOf(all, key)->state; };
    EXPECT_EQ(stateOf("fresh"), "IN_PROGRESS");
    EXPECT_EQ(stateOf("left"), "EXPIRED");
    EXPECT_EQ(stateOf("done"), "SUCCEEDED");
    EXPECT_EQ(stateOf("over"), "EXPIRED");
    EXPECT_EQ(stateOf("at"), "EXPIRED");
    EXPECT_EQ(rowOf(all, "over")->status, "SUCCEEDED");
    EXPECT_EQ(rowOf(all, "left")->status, "IN_PROGRESS");
    EXPECT_EQ(rowOf(all, "done")->status, "");
    EXPECT_EQ(keysOf(filtered(keys, "state = EXPIRED")), "at left over");
    EXPECT_EQ(keysOf(filtered(keys, "state != EXPIRED")), "done fresh soon");
    EXPECT_EQ(keysOf(filtered(keys, "state = SUCCEEDED")), "done soon");
    EXPECT_EQ(keysOf(filtered(keys, "state in (IN_PROGRESS, FAILED_FINAL)")), "fresh");
    EXPECT_EQ(keysOf(filtered(keys, "state = UNKNOWN")), "");
    const auto counts = inspector().counts(keys, nullptr, 2s);
    ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
    EXPECT_EQ(counts->byState.at("EXPIRED").value, 3);
    EXPECT_EQ(counts->byState.at("SUCCEEDED").value, 2);
    EXPECT_EQ(counts->byState.count("FAILED_FINAL"), 0U);
    // Whether it is stuck, and what may be done about it, follows from what is stored.
    EXPECT_EQ(keysOf(filtered(keys, "stuck")), "left");
    EXPECT_EQ(findOperation("release")->whyNot(keys, *rowOf(all, "left"), now), "");
    EXPECT_EQ(findOperation("release")->whyNot(keys, *rowOf(all, "over"), now),
        "only a record in progress can be released; it is already SUCCEEDED");
    EXPECT_EQ(act(keys, "release", *rowOf(all, "left")), 1);
}

TEST_P(ForeignTableReader, ReadsEveryServicesStore)
{
    if (sqlite())
        run("CREATE TABLE billing_idempotency_keys (key TEXT PRIMARY KEY, scope TEXT NOT NULL, request_hash TEXT NOT "
            "NULL, "
            "response TEXT NOT NULL, expires_at TEXT NOT NULL, created_at TEXT NOT NULL)");
    makeLayout("service", "billing");
    if (!sqlite())
        makeLayout("service", "odd.schema; DROP");
    const auto names = bindingNames();
    // Each of them, and a view over both.
    ASSERT_EQ(names.size(), 3U);
    const auto name = sqlite() ? "idempotency_keys" : "odd.schema; DROP.idempotency_keys";
    const std::string table = sqlite() ? "idempotency_keys" : "\"odd.schema; DROP\".idempotency_keys";
    run("INSERT INTO " + table + " VALUES ('k', 'tenant', 'h', '{\"a\":1}', " + seed(1h) + ", " + seed(-1h) + ")");
    const auto odd = binding(name);
    EXPECT_EQ(odd.profile, "seed.platform.service_idempotency_keys");
    const auto all = filtered(odd, "scope = tenant");
    ASSERT_EQ(keysOf(all), "k");
    EXPECT_EQ(all.rows[0].state, "SUCCEEDED");
    const auto details = inspector().details(odd, { "k" }, 100);
    ASSERT_TRUE(details) << details.error().message << details.error().detail;
    ASSERT_EQ((*details)->payloads.size(), 1U);
    EXPECT_EQ((*details)->payloads[0].contentType, "application/json");
    EXPECT_EQ(
        filtered(binding(sqlite() ? "billing_idempotency_keys" : "billing.idempotency_keys"), "").rows.size(), 0U);
    EXPECT_EQ(capability(odd, "fence")->why,
        "a write-once store has no owner to fence: a row is written together with its effect");
    EXPECT_EQ(keysOf(filtered(odd, "state = EXPIRED")), "");
    EXPECT_EQ(act(odd, "expire", all.rows[0]), 1);
    EXPECT_EQ(act(odd, "expire", all.rows[0]), 0);
    EXPECT_EQ(filtered(odd, "state = EXPIRED").rows.at(0).status, "SUCCEEDED");
    EXPECT_EQ(keysOf(filtered(odd, "state = SUCCEEDED")), "");
}

TEST_P(ForeignTableReader, ReadsThePlaybooksInbox)
{
    makeLayout("playbook");
    run("INSERT INTO inbox_events (event_id, source, payload_hash, received_at, processed_at) VALUES ('a', 'bank', "
        "'h', "
        + seed(-1h) + ", " + seed(-59min) + "), ('b', 'bank', 'h', " + seed(-1h) + ", NULL), ('c', 'bank', 'h', "
        + seed(-1min) + ", NULL)");
    const auto inbox = binding("inbox_events");
    EXPECT_EQ(inbox.kind, Kind::Inbox);
    const auto all = filtered(inbox, "");
    EXPECT_EQ(rowOf(all, "a")->state, "PROCESSED");
    EXPECT_EQ(rowOf(all, "b")->state, "RECEIVED");
    EXPECT_EQ(keysOf(filtered(inbox, "stuck")), "b");
    EXPECT_EQ(keysOf(filtered(inbox, "state = RECEIVED")), "b c");
    EXPECT_EQ(keysOf(filtered(inbox, "state = UNKNOWN")), "");
    EXPECT_FALSE(capability(inbox, "expire")->allowed);
    EXPECT_NE(capability(inbox, "expire")->why.find("duplicates"), std::string::npos);
}

TEST_P(ForeignTableReader, ChangesExactlyOneRowAndThenNone)
{
    makeLayout("playbook");
    addPlaybook("stuck", "pending", -6min, 24h);
    addPlaybook("other", "pending", -6min, 24h);
    addPlaybook("done", "complete", -6min, 24h);
    const auto keys = binding("idempotency_keys");
    const auto before = filtered(keys, "");
    EXPECT_EQ(act(keys, "release", *rowOf(before, "done")), 0);
    EXPECT_EQ(act(keys, "release", *rowOf(before, "stuck")), 1);
    EXPECT_EQ(act(keys, "release", *rowOf(before, "stuck")), 0);
    EXPECT_EQ(act(keys, "fail", *rowOf(before, "other")), 1);
    EXPECT_EQ(act(keys, "fail", *rowOf(before, "other")), 0);
    EXPECT_EQ(act(keys, "expire", *rowOf(before, "done")), 1);
    EXPECT_EQ(act(keys, "expire", *rowOf(before, "done")), 0);
    const auto after = filtered(keys, "");
    EXPECT_EQ(keysOf(after), "done other");
    EXPECT_EQ(rowOf(after, "other")->state, "FAILED_FINAL");
    EXPECT_LE(*rowOf(after, "done")->expiresAt, now);
}

TEST_P(ForeignTableReader, FencesTheAtlasByItsOwner)
{
    makeLayout("atlas");
    addAtlas("stuck", "IN_PROGRESS", -10min);
    addAtlas("drifted", "IN_PROGRESS", -10min);
    const auto records = binding("idempotency_records");
    const auto before = filtered(records, "");
    run("UPDATE idempotency_records SET updated_at = " + seed(-1s) + " WHERE idempotency_key = 'drifted'");
    EXPECT_EQ(act(records, "fence", *rowOf(before, "drifted")), 0);
    EXPECT_EQ(act(records, "fence", *rowOf(before, "stuck")), 1);
    const auto after = filtered(records, "");
    EXPECT_EQ(rowOf(after, "stuck")->state, "FAILED_RETRYABLE");
    EXPECT_NE(rowOf(after, "stuck")->owner, rowOf(before, "stuck")->owner);
    EXPECT_TRUE(isUuid(*rowOf(after, "stuck")->owner));
    EXPECT_EQ(act(records, "fence", *rowOf(before, "stuck")), 0);
    const auto sql = inspector().sqlOf(records, "fence", {});
    ASSERT_TRUE(sql) << sql.error().message;
    EXPECT_NE(sql->find(sqlite() ? "IS :v" : "IS NOT DISTINCT FROM"), std::string::npos) << *sql;
    EXPECT_EQ(inspector().sqlOf(records, "resolve", {}).error().failure, Failure::Unsupported);
}

TEST_P(ForeignTableReader, RestoresWhatAnActionChanged)
{
    makeLayout("playbook");
    addPlaybook("done", "complete", -6min, 24h);
    const auto keys = binding("idempotency_keys");
    const auto row = filtered(keys, "").rows.at(0);
    store::Bindings bindings(*connection, &library);
    const auto bound = bindings.find(keys);
    ASSERT_TRUE(bound);
    const auto before = store::readImage(*connection, **bound, row.identity);
    ASSERT_TRUE(before) << before.error().message << before.error().detail;
    ASSERT_EQ(act(keys, "expire", row), 1);
    const auto after = store::readImage(*connection, **bound, row.identity);
    ASSERT_TRUE(after);
    EXPECT_NE((**before).at("expires_at"), (**after).at("expires_at"));
    EXPECT_EQ((**before).at("result_ref"), std::nullopt);
    const auto restore = store::compileRestore(**bound, row.identity, **before, **after);
    ASSERT_TRUE(restore) << restore.error().message;
    for (const int expected : { 1, 0 }) {
        const auto statement = store::prepared(*connection, restore->statement);
        ASSERT_TRUE(statement);
        const auto ran = (*statement)->run();
        ASSERT_TRUE(ran) << ran.error().message << ran.error().detail;
        EXPECT_EQ((*statement)->affected(), expected);
        (*statement)->finish();
    }
    EXPECT_EQ(store::readImage(*connection, **bound, row.identity)->value(), **before);
}

TEST_P(ForeignTableReader, LeavesHostileTablesAlone)
{
    makeLayout("playbook");
    run("CREATE TABLE \"x\"\"; DROP TABLE idempotency_keys; --\" (key TEXT, \"payload_hash\"\"; DROP\" TEXT)");
    run("CREATE TABLE \":v0 ? $1 ' \" (key TEXT)");
    EXPECT_EQ(bindingNames(),
        (std::vector<std::string>{
            "idempotency_keys=seed.playbook.idempotency_keys", "inbox_events=seed.playbook.inbox_events" }));
    addPlaybook("''; DROP TABLE idempotency_keys; --", "pending", -6min, 24h);
    EXPECT_EQ(keysOf(filtered(binding("idempotency_keys"), "")), "'; DROP TABLE idempotency_keys; --");
}

TEST_P(ForeignTableReader, BindsHostileValues)
{
    makeLayout("playbook");
    const std::string hostile = "x' OR '1'='1; -- \\ \" :v0 ?";
    std::string doubled;
    for (const char c : hostile)
        doubled += c == '\'' ? "''" : std::string(1, c);
    addPlaybook(doubled, "pending", -6min, 24h);
    addPlaybook("other", "pending", -6min, 24h);
    const auto keys = binding("idempotency_keys");
    std::string quoted = "key = \"";
    for (const char c : hostile)
        quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    const auto found = filtered(keys, quoted + "\"");
    ASSERT_EQ(keysOf(found), hostile);
    EXPECT_EQ(keysOf(filtered(keys, "key = \"x' OR 1=1 --\"")), "");
    EXPECT_EQ(inspector().row(keys, { hostile })->value().key, hostile);
    EXPECT_EQ(act(keys, "release", found.rows[0]), 1);
    EXPECT_EQ(keysOf(filtered(keys, "")), "other");
}

TEST_P(ForeignTableReader, BindsAHostileProfilesLiteral)
{
    makeLayout("playbook");
    addPlaybook("a", "pending", -6min, 24h);
    const auto added = library.add(R"({"profile": "hostile", "format": 1, "kind": "idempotency",
        "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["key", "status", "payload_hash", "result_ref",
        "http_code", "created_at", "expires_at"]}, "optional": ["key"]}, "source": {"tables": {"t": "idempotency_keys"}},
        "identity": ["key"], "time": {"*": {"sqlite": "iso"}},
        "fields": {"key": ["col", "key"], "scope": ["concat", "a'; DROP TABLE idempotency_keys; --", ["col", "status"]]},
        "state": [{"when": ["eq", ["col", "status"], "SUCCEEDED' OR 1=1 --"], "is": "SUCCEEDED"}]})",
        "hostile.json");
    ASSERT_TRUE(added) << added.error().message;
    const auto keys = binding("idempotency_keys");
    ASSERT_EQ(keys.profile, "hostile");
    const auto all = filtered(keys, "");
    ASSERT_EQ(all.rows.size(), 1U);
    EXPECT_EQ(all.rows[0].state, "UNKNOWN");
    EXPECT_EQ(all.rows[0].scope, "a'; DROP TABLE idempotency_keys; --pending");
    EXPECT_EQ(keysOf(filtered(keys, "state = SUCCEEDED")), "");
}

TEST_P(ForeignTableReader, ResolvesNamesWithoutCase)
{
    run("CREATE TABLE \"Idempotency_Keys\" (\"KEY\" TEXT PRIMARY KEY, \"Payload_Hash\" TEXT, \"STATUS\" TEXT, "
        "result_ref TEXT, "
        "http_code INT, created_at "
        + std::string(sqlite() ? "TEXT" : "TIMESTAMPTZ") + ", expires_at " + (sqlite() ? "TEXT" : "TIMESTAMPTZ") + ")");
    run("INSERT INTO \"Idempotency_Keys\" VALUES ('k', 'h', 'pending', NULL, NULL, " + seed(-6min) + ", " + seed(1h)
        + ")");
    const auto keys = binding("Idempotency_Keys");
    const auto found = filtered(keys, "stuck");
    ASSERT_EQ(keysOf(found), "k");
    EXPECT_EQ(act(keys, "fail", found.rows[0]), 1);
}

TEST_P(ForeignTableReader, RefusesIntegersThatNobodyDeclaredAsTimes)
{
    run("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
        "http_code INT, "
        "created_at BIGINT, expires_at BIGINT)");
    const auto keys = binding("idempotency_keys");
    EXPECT_FALSE(keys.canRead);
    ASSERT_FALSE(keys.warnings.empty());
    EXPECT_NE(keys.warnings.back().find("does not declare under \"time\""), std::string::npos) << keys.warnings.back();
    EXPECT_FALSE(capability(keys, "expire")->allowed);
    EXPECT_EQ(inspector().page(keys, {}).error().failure, Failure::Denied);
}

// PostgreSQL stores no invalid text.
class SqliteTableReader : public ForeignTableReader { };

INSTANTIATE_TEST_SUITE_P(Backends, SqliteTableReader, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

TEST_P(SqliteTableReader, KeepsOctetsThatAreNoText)
{
    makeLayout("playbook");
    const auto add = [&](const std::string& key, const std::string& hash) {
        run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES (" + key + ", '"
            + hash + "', 'pending', " + seed(-6min) + ", " + seed(1h) + ")");
    };
    add("CAST(x'ff' AS TEXT)", "1");
    add("CAST(x'efbfbd' AS TEXT)", "2");
    add("'\\xff'", "3");
    add("x'ff'", "4");
    add("CAST(x'610062' AS TEXT)", "5");
    const auto keys = binding("idempotency_keys");
    std::vector<std::string> hashes;
    PageRequest request;
    request.order = "key";
    request.descending = false;
    request.limit = 1;
    for (bool more = true; more;) {
        const auto part = page(keys, request);
        ASSERT_EQ(part.rows.size(), 1U);
        hashes.push_back(*part.rows[0].requestHash);
        more = part.moreAfter && hashes.size() < 10;
        request.after = *parseCursor(formatCursor(part.cursors[0]));
    }
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(hashes, (std::vector<std::string>{ "1", "2", "3", "4", "5" }));
    const auto all = filtered(keys, "");
    for (const auto& row : all.rows) {
        if (row.requestHash == "2") {
            EXPECT_EQ(row.identity[0], "\xef\xbf\xbd");
        }
        if (row.requestHash == "1") {
            EXPECT_EQ(row.identity[0], "\\xff");
            EXPECT_EQ(row.key, "\\xff");
        }
    }
    // The one that reads as U+FFFD is changed, not its neighbour of one octet.
    const auto two =
        std::find_if(all.rows.begin(), all.rows.end(), [](const Row& row) { return row.requestHash == "2"; });
    EXPECT_EQ(act(keys, "fail", *two), 1);
    EXPECT_EQ(filtered(keys, "state = FAILED_FINAL").rows.at(0).requestHash, "2");
}

class PostgresBindings : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        role = "reader_" + database.target().database;
    }
    std::string role;
};

INSTANTIATE_TEST_SUITE_P(Backends, PostgresBindings, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(PostgresBindings, WarnsOfRowLevelSecurityAndMissingPrivileges)
{
    makeLayout("playbook");
    run("CREATE ROLE " + role);
    run("GRANT SELECT ON idempotency_keys TO " + role);
    run("ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY");
    run("INSERT INTO idempotency_keys (key, payload_hash, status, expires_at) VALUES ('k', 'h', 'pending', now())");
    run("SET ROLE " + role);
    const auto keys = binding("idempotency_keys");
    ASSERT_FALSE(keys.warnings.empty());
    EXPECT_EQ(keys.warnings[0], "row-level security is in force for this role: rows may be hidden");
    EXPECT_EQ(capability(keys, "expire")->why, "the role has no UPDATE privilege on the table");
    EXPECT_EQ(capability(keys, "release")->why, "the role has no DELETE privilege on the table");
    EXPECT_TRUE(keys.canRead);
    EXPECT_TRUE(keys.mayHideRows);
    EXPECT_EQ(filtered(keys, "").rows.size(), 0U);
    // None is shown, which is not to say that there is none.
    const auto counts = inspector().counts(keys, nullptr, 20s);
    ASSERT_TRUE(counts) << counts.error().detail;
    for (const auto& count : { counts->total, counts->stuck, counts->expiringSoon }) {
        EXPECT_EQ(count.value, 0);
        EXPECT_EQ(count.exactness, Exactness::AtLeast);
    }
    const auto inbox = binding("inbox_events");
    EXPECT_FALSE(inbox.canRead);
    EXPECT_EQ(inbox.warnings, std::vector<std::string>{ "the role has no SELECT privilege on the table" });
    EXPECT_EQ(inspector().page(inbox, {}).error().failure, Failure::Denied);
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
}

TEST_P(PostgresBindings, RefusesAFilterOverATableThatCannotBeRead)
{
    ASSERT_TRUE(store::initSchema(*connection, false));
    addOwn({ .key = "k" });
    run("CREATE ROLE " + role);
    run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
    run("REVOKE ALL ON idempotency_conflicts, idempotency_transitions FROM " + role);
    run("SET ROLE " + role);
    const auto records = binding("idempotency_records");
    EXPECT_EQ(records.warnings,
        (std::vector<std::string>{
            "the role has no SELECT privilege on idempotency_conflicts: conflicts cannot be shown",
            "the role has no SELECT privilege on idempotency_transitions: the journal cannot be shown" }));
    EXPECT_EQ(keysOf(filtered(records, "state = IN_PROGRESS")), "k");
    for (const auto* words : { "conflict", "not conflict", "state = IN_PROGRESS and conflict" }) {
        PageRequest request;
        request.filter = *parseFilter(words);
        const auto refused = inspector().page(records, request);
        ASSERT_FALSE(refused) << words;
        EXPECT_EQ(refused.error().failure, Failure::Denied) << words;
        EXPECT_NE(refused.error().message.find("idempotency_conflicts"), std::string::npos) << refused.error().message;
        EXPECT_EQ(inspector().counts(records, request.filter, 2s).error().failure, Failure::Denied) << words;
    }
    EXPECT_EQ(inspector().counts(records, nullptr, 2s)->total.value, 1);
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
}

TEST_P(PostgresBindings, BindsPartitionedTablesOnceAndNamesDuplicatesBySchema)
{
    run("CREATE TABLE idempotency_keys (key TEXT, payload_hash TEXT, status TEXT, result_ref TEXT, http_code INT, "
        "created_at "
        "TIMESTAMPTZ, expires_at TIMESTAMPTZ, PRIMARY KEY (key)) PARTITION BY HASH (key)");
    run("CREATE TABLE part0 PARTITION OF idempotency_keys FOR VALUES WITH (MODULUS 1, REMAINDER 0)");
    EXPECT_EQ(bindingNames(), std::vector<std::string>{ "idempotency_keys=seed.playbook.idempotency_keys" });
    run("CREATE SCHEMA other");
    run("CREATE TABLE other.idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
        "http_code INT, created_at TIMESTAMPTZ, expires_at TIMESTAMPTZ)");
    EXPECT_EQ(bindingNames(),
        (std::vector<std::string>{ "other.idempotency_keys=seed.playbook.idempotency_keys",
            "public.idempotency_keys=seed.playbook.idempotency_keys" }));
}

TEST_P(PostgresBindings, ReadsAnEnumWithAndWithoutAllOfTheLabels)
{
    run("CREATE TYPE status AS ENUM ('pending', 'complete')");
    run("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status status, result_ref TEXT, "
        "http_code INT, "
        "created_at TIMESTAMPTZ, expires_at TIMESTAMPTZ)");
    run("INSERT INTO idempotency_keys VALUES ('k', 'h', 'pending', NULL, NULL, '-infinity', 'infinity')");
    const auto without = binding("idempotency_keys");
    EXPECT_EQ(without.reasons.back(), "its enum status has no label \"failed\", so no row has it");
    EXPECT_EQ(keysOf(filtered(without, "state = IN_PROGRESS")), "k");
    EXPECT_EQ(keysOf(filtered(without, "state = FAILED_FINAL")), "");
    EXPECT_EQ(capability(without, "fail")->why, "the enum of the column status has no label \"failed\"");
    run("ALTER TYPE status ADD VALUE 'failed'");
    const auto keys = binding("idempotency_keys");
    EXPECT_TRUE(capability(keys, "fail")->allowed) << capability(keys, "fail")->why;
    const auto all = filtered(keys, "state = IN_PROGRESS");
    ASSERT_EQ(keysOf(all), "k");
    EXPECT_FALSE(all.rows[0].createdAt);
}

// Whoever runs such a table has made indexes for its own queries: a page of few rows must not read all of them.
TEST_P(ForeignTableReader, IsServedByTheIndexesThatAreThere)
{
    makeLayout("playbook");
    const std::string many = sqlite()
        ? "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n)"
        : "generate_series(1, 60000) AS n(i)";
    const auto spread = [&](Duration from, const std::string& sign, const std::string& seconds) {
        return sqlite() ? "datetime(" + seed(from) + ", '" + sign + "' || (" + seconds + ") || ' seconds')"
                        : seed(from) + " " + sign + " (" + seconds + ") * interval '1 second'";
    };
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) SELECT 'k' || i, 'h', CASE "
        "WHEN i % 3000 = 0 THEN 'pending' ELSE 'complete' END, "
        + spread(-1h, "-", "i * 10") + ", " + spread(1h, "+", "i") + " FROM " + many);
    run("CREATE INDEX by_state ON idempotency_keys (status, created_at)");
    run("CREATE INDEX by_creation ON idempotency_keys (created_at, key)");
    run("CREATE INDEX by_expiry ON idempotency_keys (expires_at, key)");
    run("ANALYZE");
    const auto keys = binding("idempotency_keys");
    struct Served {
        const char* filter;
        const char* order;
        const char* index;
    };
    const char* const primaryKey = sqlite() ? "sqlite_autoindex_idempotency_keys_1" : "idempotency_keys_pkey";
    std::vector<Served> all = { { "", "key", primaryKey }, { "", "created", "by_creation" },
        { "", "expires", "by_expiry" }, { "key = k77", "created", primaryKey },
        { "key in (k77, k78)", "expires", primaryKey } };
    // SQLite is told of no column but ours how few rows a value has, and walks the order instead.
    if (!sqlite())
        for (const auto* filter : { "stuck", "state = IN_PROGRESS", "stuck and hash = h" })
            all.push_back({ filter, "created", "by_state" });
    for (const auto& served : all) {
        PageRequest request;
        request.filter = *parseFilter(served.filter);
        request.order = served.order;
        const auto plan = inspector().explain(keys, request);
        ASSERT_TRUE(plan) << plan.error().message << plan.error().detail;
        EXPECT_NE(plan->substr(plan->find("\n\n")).find(served.index), std::string::npos)
            << served.filter << " by " << served.order << ": " << *plan;
    }
    EXPECT_EQ(filtered(keys, "stuck").rows.size(), 20U);
}

// A file of SQLite that was made for UTF-16 keeps its texts so.
TEST_P(ForeignTableReader, ReadsTextsWhateverTheirEncodingInTheFile)
{
    if (sqlite())
        run("PRAGMA encoding = 'UTF-16'");
    run("CREATE TABLE jobs (id TEXT PRIMARY KEY, st TEXT, made TEXT, body TEXT)");
    run("INSERT INTO jobs VALUES ('k\u00e4se \u2713', 'open', '2026-11-20 22:00:00', '{\"name\": \"J\u00f6rg\"}'), "
        "('plain', 'done', '2026-11-20T22:00:00+02:00', 'words')");
    const auto added = library.add(R"({"profile": "test.jobs", "format": 1, "kind": "job",
        "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["id", "st", "made", "body"]}},
        "source": {"tables": {"t": "jobs"}}, "identity": ["id"], "time": {"*": "iso"},
        "fields": {"key": ["col", "id"], "raw_state": ["col", "st"], "created_us": ["col", "made"]},
        "payload": {"body": ["col", "body"]},
        "state": [{"when": ["eq", ["col", "st"], "open"], "is": "IN_PROGRESS"}, {"when": ["true"], "is": "SUCCEEDED"}],
        "fencing": "none", "actions": {"fail": {"title": "Fail it", "risk": "low", "steps": [{"set": {"st": "failed"},
        "when": ["eq", ["col", "st"], "open"], "unchanged": ["st"], "expect": 1}]}}})",
        "jobs.json");
    ASSERT_TRUE(added) << added.error().message;
    const auto jobs = binding("jobs");
    const auto all = filtered(jobs, "");
    ASSERT_EQ(keysOf(all), "k\u00e4se \u2713 plain");
    EXPECT_EQ(all.rows[0].state, "IN_PROGRESS");
    EXPECT_EQ(all.rows[0].rawState, "open");
    EXPECT_EQ(all.rows[0].createdAt, *parseInstant("2026-11-20T22:00:00Z"));
    EXPECT_EQ(all.rows[1].createdAt, *parseInstant("2026-11-20T20:00:00Z"));
    EXPECT_EQ(keysOf(filtered(jobs, "key = \"k\u00e4se \u2713\"")), "k\u00e4se \u2713");
    const auto details = inspector().details(jobs, all.rows[0].identity, 1000);
    ASSERT_TRUE(details) << details.error().message << " " << details.error().detail;
    ASSERT_TRUE(*details);
    ASSERT_EQ((*details)->payloads.size(), 1U);
    EXPECT_EQ((*details)->payloads[0].bytes, "{\"name\": \"J\u00f6rg\"}");
    EXPECT_EQ((*details)->payloads[0].size, 17);
    EXPECT_EQ((*details)->payloads[0].contentType, "application/json");
    EXPECT_EQ(act(jobs, "fail", all.rows[0]), 1);
    EXPECT_EQ(act(jobs, "fail", all.rows[0]), 0);
}

// What a unique key does not ask to be there may be missing in some rows, and by what rows are ordered, too.
TEST_P(ForeignTableReader, PagesHaveEveryRowOnceWhateverItsKeyLeavesOut)
{
    run("CREATE TABLE jobs (tenant TEXT, id TEXT, st TEXT, made TEXT, ends TEXT, UNIQUE (tenant, id))");
    run("CREATE INDEX jobs_made ON jobs (made)");
    std::string values;
    const char* const tenants[] = { "NULL", "''", "'a'", "'b'" };
    const char* const made[] = { "NULL", "'2026-11-20 22:00:00'", "'2026-11-20 23:00:00'" };
    for (int i = 0; i < 36; ++i)
        values += std::string(i > 0 ? ", (" : "(") + tenants[i % 4] + ", "
            + (i % 13 == 1 ? "NULL" : "'k" + std::to_string(i) + "'") + ", 'open', " + made[i / 2 % 3] + ", NULL)";
    run("INSERT INTO jobs VALUES " + values);
    ASSERT_TRUE(library.add(R"({"profile": "test.jobs", "format": 1, "kind": "job",
        "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["tenant", "id", "st", "made", "ends"]}},
        "source": {"tables": {"t": "jobs"}}, "identity": ["tenant", "id"], "time": {"*": "iso"},
        "fields": {"key": ["col", "id"], "scope": ["col", "tenant"], "raw_state": ["col", "st"],
                   "created_us": ["col", "made"], "expires_us": ["col", "ends"]},
        "payload": {"made": ["col", "made"]},
        "state": [{"when": ["true"], "is": "IN_PROGRESS"}], "fencing": "none"})",
        "jobs.json"));
    const auto jobs = binding("jobs");
    const auto nameOf = [](const Row& row) {
        return row.scope.value_or("-") + '/' + row.key + '/'
            + std::to_string(row.createdAt ? microsOf(*row.createdAt) : 0)
            + (row.extra.contains("nameless") ? "/nameless" : "");
    };
    for (const auto& order : jobs.orders)
        for (const bool descending : { false, true })
            for (const int limit : { 1, 2, 5, 36 }) {
                SCOPED_TRACE(order + (descending ? " down by " : " up by ") + std::to_string(limit));
                PageRequest request;
                request.order = order;
                request.descending = descending;
                request.limit = limit;
                std::vector<std::string> down;
                auto read = page(jobs, request);
                for (int pages = 0; pages < 40; ++pages) {
                    for (const auto& row : read.rows)
                        down.push_back(nameOf(row));
                    if (!read.moreAfter)
                        break;
                    request.after = read.cursors.back();
                    read = page(jobs, request);
                }
                EXPECT_EQ(down.size(), 36U);
                EXPECT_EQ(std::set<std::string>(down.begin(), down.end()).size(), 36U);
                request.after.reset();
                request.fromEnd = true;
                std::vector<std::string> up;
                read = page(jobs, request);
                for (int pages = 0; pages < 40; ++pages) {
                    for (auto row = read.rows.rbegin(); row != read.rows.rend(); ++row)
                        up.push_back(nameOf(*row));
                    if (!read.moreBefore)
                        break;
                    request.fromEnd = false;
                    request.before = read.cursors.front();
                    read = page(jobs, request);
                }
                std::reverse(up.begin(), up.end());
                EXPECT_EQ(up, down);
            }
    // A row that has no name is found all the same, by what it is shown as.
    const auto found = filtered(jobs, "key = k4");
    ASSERT_EQ(found.rows.size(), 1U);
    EXPECT_EQ(found.rows[0].scope, std::nullopt);
    const auto details = inspector().details(jobs, found.rows[0].identity, 100);
    ASSERT_TRUE(details && *details);
    EXPECT_EQ((*details)->row.key, "k4");
    EXPECT_EQ((*details)->row.scope, std::nullopt);
    EXPECT_EQ((*details)->payloads.size(), 1U);
    const auto named = inspector().details(jobs, { "", "k5" }, 100);
    ASSERT_TRUE(named && *named);
    EXPECT_EQ((*named)->row.scope, "");
}
