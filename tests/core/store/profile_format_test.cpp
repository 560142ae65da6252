// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/profile/shipped_profiles.h"
#include "core/store/profile_compiler.h"
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const auto& line : lines)
        text += line + '\n';
    return text;
}

std::string documentOf(const std::string& profile)
{
    for (const auto& file : profile::shippedProfiles())
        if (const auto read = profile::parse(file.json, file.name); read && read->name == profile)
            return std::string(file.json);
    return {};
}

// A queue whose jobs are free or claimed by what stands in other tables.
constexpr auto queueProfile = R"({
 "profile": "test.queue", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
 "detect": {"require": {"t": ["id", "name", "at"], "c": ["job_id", "worker"], "r": ["job_id"], "w": ["name", "seen_at"]}},
 "source": {"tables": {"t": {"pattern": "*_jobs"}, "c": {"pattern": "*_claims"}, "r": {"pattern": "*_ready"}, "w": "workers"}},
 "identity": ["id"],
 "params": {"pause": {"type": "duration"}, "why": {"type": "text", "default": "operator"}, "tag": {"type": "uuid", "generate": "uuid4"}},
 "time": {"*": {"postgresql": "tz", "sqlite": "iso"}},
 "fields": {"key": ["col", "name"], "created_us": ["col", "at"], "raw_state": ["col", "note"]},
 "state": [
  {"when": ["exists", "c", ["eq", ["col", "c.job_id"], ["col", "id"]]], "is": "IN_PROGRESS"},
  {"when": ["exists", "r", ["eq", ["col", "r.job_id"], ["col", "id"]]], "is": "PENDING"},
  {"when": ["not_exists", "r", ["eq", ["col", "r.job_id"], ["col", "id"]]], "is": "SUCCEEDED"}],
 "stuck": ["exists", "c", ["and", ["eq", ["col", "c.job_id"], ["col", "id"]], ["eq", ["col", "c.worker"], "gone"]]],
 "fencing": "row_existence",
 "actions": {
  "release": {"title": "Make it ready again", "needs": ["stuck"], "steps": [
   {"insert": {"into": "r", "columns": {"job_id": ["col", "id"], "why": ["param", "why"]}},
    "when": ["and", ["exists", "c", ["eq", ["col", "c.job_id"], ["col", "id"]]], ["older_than", ["col", "at"], ["param", "pause"]]]},
   {"set": {"note": ["concat", ["old", "note"], " ", ["param", "why"]]}, "when": ["true"], "unchanged": ["note", "at"]}]}}})";

class ProfileFormat : public FrameworkTest {
protected:
    void add(const std::string& json)
    {
        const auto added = library.add(json, "test.json");
        ASSERT_TRUE(added) << added.error().message;
    }

    [[nodiscard]] std::string instantType() const { return sqlite() ? "TEXT" : "timestamptz"; }

    void makeQueue()
    {
        add(queueProfile);
        run("CREATE TABLE app_jobs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, at " + instantType() + ")");
        run("CREATE TABLE app_claims (job_id INTEGER PRIMARY KEY, worker TEXT)");
        run("CREATE TABLE app_ready (job_id INTEGER PRIMARY KEY, why TEXT)");
        run("CREATE TABLE workers (name TEXT PRIMARY KEY, seen_at " + instantType() + ")");
        run("INSERT INTO app_jobs VALUES (1, 'claimed', 'n', " + seed(-1h) + "), (2, 'gone', 'n', " + seed(-1h)
            + "), (3, 'ready', 'n', " + seed(-1h) + "), (4, 'done', 'n', " + seed(-1h) + "), (5, 'young', 'n', "
            + seed(-1s) + ")");
        run("INSERT INTO app_claims VALUES (1, 'here'), (2, 'gone'), (5, 'gone')");
        run("INSERT INTO app_ready VALUES (3, NULL)");
    }

    RunReport applied(const Plan& plan)
    {
        const auto report = applyPlan(writing(), plan, "a@b", {});
        EXPECT_TRUE(report) << report.error().message << " " << report.error().detail;
        return report ? *report : RunReport();
    }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, ProfileFormat, bothDialects(), nameOfDialect);

// What PostgreSQL refuses to make.
class SqliteFormat : public ProfileFormat { };

INSTANTIATE_TEST_SUITE_P(Backends, SqliteFormat, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

// A profile may call a row stuck for something else than its lease, which is then not what is over.
TEST_P(ProfileFormat, ALeaseThatLiesAheadIsNoReason)
{
    add(R"({"profile": "test.leases", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
 "detect": {"require": {"t": ["id", "name", "until"]}}, "source": {"tables": {"t": "leases"}}, "identity": ["id"],
 "time": {"*": {"postgresql": "tz", "sqlite": "iso"}},
 "fields": {"key": ["col", "name"], "lease_until_us": ["col", "until"]},
 "state": [{"when": ["true"], "is": "IN_PROGRESS"}],
 "stuck": ["not_null", ["col", "id"]]})");
    run("CREATE TABLE leases (id INTEGER PRIMARY KEY, name TEXT NOT NULL, until " + instantType() + ")");
    run("INSERT INTO leases VALUES (1, 'over', " + seed(-1min) + "), (2, 'held', " + seed(1h) + "), (3, 'none', NULL)");
    std::string reasons;
    for (const auto& row : rowsOf(bindingOf("test.leases"), "stuck"))
        reasons += row.key + '=' + row.stuckReason + ' ';
    EXPECT_EQ(reasons, "over=lease_expired held=too_old none=too_old ");
}

TEST_P(ProfileFormat, LooksIntoSeveralTablesAndWritesToThem)
{
    makeQueue();
    const auto jobs = bindingOf("test.queue");
    std::string states;
    for (const auto& row : rowsOf(jobs))
        states += row.key + '=' + row.state + ' ';
    EXPECT_EQ(states, "claimed=IN_PROGRESS gone=IN_PROGRESS ready=PENDING done=SUCCEEDED young=IN_PROGRESS ");
    const auto stuck = rowsOf(jobs, "stuck");
    ASSERT_EQ(keysOf(stuck), "gone young");
    EXPECT_NE(joined(jobs.reasons).find("its name is like \"*_jobs\""), std::string::npos) << joined(jobs.reasons);

    const auto unsaid = planFor(jobs, "release", stuck[0], {});
    ASSERT_FALSE(unsaid);
    EXPECT_NE(unsaid.error().message.find("asks for \"pause\""), std::string::npos) << unsaid.error().message;
    const auto unknown = planFor(jobs, "release", stuck[0], { { "pause", "PT1M" }, { "pauze", "1" } });
    EXPECT_FALSE(unknown);

    const auto plan =
        planFor(jobs, "release", stuck[0], { { "pause", "PT1M" }, { "why", "x'; DROP TABLE workers; --" } });
    ASSERT_TRUE(plan) << plan.error().message << plan.error().detail;
    EXPECT_EQ(applied(*plan).changed, 1);
    EXPECT_EQ(value("SELECT why FROM app_ready WHERE job_id = 2"), "x'; DROP TABLE workers; --");
    EXPECT_EQ(value("SELECT note FROM app_jobs WHERE id = 2"), "n x'; DROP TABLE workers; --");
    EXPECT_EQ(value("SELECT count(*) FROM workers"), "0");

    // Its condition is judged with the parameter that was said.
    const auto young = planFor(jobs, "release", stuck[1], { { "pause", "PT1M" } });
    ASSERT_TRUE(young) << young.error().message;
    EXPECT_TRUE(young->items.empty());
    ASSERT_EQ(young->leftOut.size(), 1U);
    EXPECT_NE(young->leftOut[0].why.find("condition"), std::string::npos) << young->leftOut[0].why;
    const auto old = planFor(jobs, "release", stuck[1], { { "pause", "PT0.5S" } });
    ASSERT_TRUE(old) << old.error().message;
    ASSERT_EQ(old->items.size(), 1U);
    // What is no longer so when it is carried out writes nothing: the first step meets no row.
    run("UPDATE app_jobs SET at = " + seed(1s) + " WHERE id = 5");
    EXPECT_EQ(applied(*old).skipped, 1);
    EXPECT_EQ(value("SELECT count(*) FROM app_ready WHERE job_id = 5"), "0");

    const auto nonsense = planFor(jobs, "release", stuck[1], { { "pause", "soon" } });
    ASSERT_FALSE(nonsense);
    EXPECT_NE(nonsense.error().message.find("no duration"), std::string::npos) << nonsense.error().message;
}

// A pattern finds several tables in one schema, and each may have the same keys.
TEST_P(ProfileFormat, TellsTheTablesOfOneSchemaApartInAViewOverAll)
{
    add(R"({"profile": "test.shelf", "format": 1, "kind": "idempotency", "dialects": ["postgresql", "sqlite"],
        "multiSchema": true, "detect": {"require": {"t": ["id", "shelf_state"]}},
        "source": {"tables": {"t": {"pattern": "*_shelf"}}}, "identity": ["id"],
        "fields": {"key": ["col", "id"]}, "state": [{"when": ["true"], "is": "SUCCEEDED"}], "actions": {},
        "readOnlyReason": "looked at"})");
    for (const auto* table : { "a_shelf", "b_shelf" }) {
        run(std::string("CREATE TABLE ") + table + " (id TEXT PRIMARY KEY, shelf_state TEXT NOT NULL)");
        run(std::string("INSERT INTO ") + table + " VALUES ('k1', 's'), ('k2', 's'), ('k3', 's')");
    }
    const auto all = writing().bindings(true);
    ASSERT_TRUE(all);
    const auto over =
        std::find_if(all->begin(), all->end(), [](const Binding& found) { return !found.members.empty(); });
    ASSERT_NE(over, all->end());
    std::set<std::vector<std::string>> seen;
    PageRequest next;
    next.limit = 1;
    for (int pages = 0; pages < 7; ++pages) {
        const auto page = writing().page(*over, next);
        ASSERT_TRUE(page) << page.error().message;
        for (const auto& row : page->rows)
            seen.insert(row.identity);
        if (!page->moreAfter)
            break;
        next.after = page->cursors.back();
    }
    EXPECT_EQ(seen.size(), 6U);
}

TEST_P(ProfileFormat, TakesBackTheFirstStepWhereTheSecondFails)
{
    makeQueue();
    const auto jobs = bindingOf("test.queue");
    const auto stuck = rowsOf(jobs, "key = gone");
    const auto plan = planFor(jobs, "release", stuck[0], { { "pause", "PT1M" } });
    ASSERT_TRUE(plan) << plan.error().message;
    run("UPDATE app_jobs SET note = 'moved on' WHERE id = 2");
    EXPECT_EQ(applied(*plan).skipped, 1);
    EXPECT_EQ(value("SELECT count(*) FROM app_ready WHERE job_id = 2"), "0");
}

TEST_P(ProfileFormat, ComparesInstantsToTheMicrosecond)
{
    if (sqlite())
        run("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
            "http_code INT, created_at TEXT, expires_at TEXT)");
    else
        makeLayout("playbook");
    const auto at = sqlite() ? "'2026-06-20 10:00:00.123456'" : "timestamptz '2026-06-20 10:00:00.123456+00'";
    const auto next = sqlite() ? "'2026-06-20 10:00:00.123457'" : "timestamptz '2026-06-20 10:00:00.123457+00'";
    run(std::string(
            "INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', "
            "'complete', ")
        + at + ", " + at + ")");
    const auto keys = bindingOf("seed.playbook.idempotency_keys");
    const auto rows = rowsOf(keys);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(microsOf(*rows[0].expiresAt) % 1'000'000, 123'456);
    const auto plan = planFor(keys, "expire", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    run(std::string("UPDATE idempotency_keys SET expires_at = ") + next);
    EXPECT_EQ(applied(*plan).skipped, 1);
    run(std::string("UPDATE idempotency_keys SET expires_at = ") + at);
    auto again = *plan;
    again.requestId = uuid4(random);
    EXPECT_EQ(applied(again).changed, 1);
}

TEST_P(ProfileFormat, NamesTheRowThatAnotherOneWaitsFor)
{
    load("axon");
    const auto letters = bindingOf("axon.dead_letters");
    const auto rows = rowsOf(letters);
    EXPECT_FALSE(rowOf(rows, "e1")->extra.contains(rowBehind));
    EXPECT_EQ(rowOf(rows, "e2")->extra.at(rowBehind), "e1");
    EXPECT_FALSE(rowOf(rows, "e3")->extra.contains(rowBehind));
}

TEST_P(ProfileFormat, TellsWhetherTheOwnerLivesAndWhyARowIsStuck)
{
    load("wolverine");
    const auto incoming = bindingOf("wolverine.incoming");
    const auto rows = rowsOf(incoming);
    const auto alive = [&](int number) {
        const auto* row = rowOf(rows, "00000001-0000-4000-8000-00000000000" + std::to_string(number));
        const auto said = row->extra.find(rowOwnerAlive);
        return said == row->extra.end() ? std::string("none") : said->second;
    };
    EXPECT_EQ(alive(1), "yes");
    EXPECT_EQ(alive(2), "no");
    EXPECT_EQ(alive(3), "no");
    EXPECT_EQ(alive(4), "none");
    EXPECT_EQ(rowsOf(incoming, "stuck").front().stuckReason, "dead_owner");
    const auto live = planFor(incoming, "release", *rowOf(rows, "00000001-0000-4000-8000-000000000001"), {});
    ASSERT_TRUE(live);
    ASSERT_EQ(live->leftOut.size(), 1U);
    EXPECT_NE(live->leftOut[0].why.find("condition"), std::string::npos) << live->leftOut[0].why;
}

TEST_P(ProfileFormat, AsksForTheZoneOfLocalTimes)
{
    load("cap");
    auto published = bindingOf("dotnetcore.cap.published");
    EXPECT_NE(joined(published.warnings).find("time zone"), std::string::npos) << joined(published.warnings);
    const auto* replay = capability(published, "replay");
    EXPECT_FALSE(replay->allowed);
    EXPECT_NE(replay->why.find("time zone"), std::string::npos);
    // Read as UTC, two hours off.
    EXPECT_EQ(rowOf(rowsOf(published), "1")->createdAt, now + 1h);

    EXPECT_FALSE(library.answerZone("dotnetcore.cap.published", "x' OR 1=1"));
    EXPECT_FALSE(library.answerZone("no.such", "UTC"));
    EXPECT_FALSE(library.answerZone("oban.jobs", "UTC"));
    ASSERT_TRUE(library.answerZone("dotnetcore.cap.published", "Europe/Berlin"));
    published = bindingOf("dotnetcore.cap.published");
    EXPECT_TRUE(capability(published, "replay")->allowed) << capability(published, "replay")->why;
    const auto rows = rowsOf(published);
    EXPECT_EQ(rowOf(rows, "1")->createdAt, now - 1h);
    const auto plan = planFor(published, "expire", *rowOf(rows, "1"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
    const auto expiry = rowOf(rowsOf(published), "1")->expiresAt;
    EXPECT_LE(*expiry, now);
    EXPECT_GT(*expiry, now - 1s);
}

// Only where a column does not tell it: SQLite has no type that does.
TEST_P(ProfileFormat, AsksForNoZoneOfColumnsThatHaveOne)
{
    for (const std::string name : { "zoned", "naive", "words" })
        add(R"({"profile": "test.)" + name + R"(", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "at"]}}, "source": {"tables": {"t": ")"
            + name + R"("}}, "identity": ["id"],
        "time": {"*": "naive:app-local"}, "fields": {"key": ["col", "id"], "created_us": ["col", "at"]},
        "state": [{"when": ["true"], "is": "PENDING"}]})");
    run(std::string("CREATE TABLE zoned (id TEXT PRIMARY KEY, at ") + (sqlite() ? "TEXT" : "timestamptz") + ")");
    run(std::string("CREATE TABLE naive (id TEXT PRIMARY KEY, at ") + (sqlite() ? "TEXT" : "timestamp") + ")");
    run("CREATE TABLE words (id TEXT PRIMARY KEY, at TEXT)");
    const auto asks = [&](const char* name) {
        return joined(bindingOf(name).warnings).find("time zone") != std::string::npos;
    };
    EXPECT_EQ(asks("test.zoned"), sqlite());
    EXPECT_TRUE(asks("test.naive"));
    EXPECT_TRUE(asks("test.words"));
}

TEST_P(ProfileFormat, ReadsLocalTimesOnBothSidesOfAChangeOfTheClock)
{
    add(R"({"profile": "test.local", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "at"]}}, "source": {"tables": {"t": "local_jobs"}}, "identity": ["id"],
        "time": {"at": "naive:Europe/Berlin"}, "fields": {"key": ["col", "id"], "created_us": ["col", "at"]},
        "state": [{"when": ["older_than", ["col", "at"], "PT1H"], "is": "DEAD"}, {"when": ["true"], "is": "PENDING"}]})");
    run(std::string("CREATE TABLE local_jobs (id TEXT PRIMARY KEY, at ") + (sqlite() ? "TEXT" : "timestamp") + ")");
    const std::pair<const char*, const char*> instants[] = { { "2026-03-29 01:59:59", "2026-03-29T00:59:59.000000Z" },
        { "2026-03-29 03:00:00", "2026-03-29T01:00:00.000000Z" },
        { "2026-01-15 12:00:00", "2026-01-15T11:00:00.000000Z" },
        { "2026-07-15 12:00:00", "2026-07-15T10:00:00.000000Z" },
        { "2026-10-25 01:59:59", "2026-10-24T23:59:59.000000Z" },
        { "2026-10-25 02:30:00", "2026-10-25T01:30:00.000000Z" },
        { "2026-10-25 03:00:00", "2026-10-25T02:00:00.000000Z" } };
    for (const auto& [local, utc] : instants)
        run(std::string("INSERT INTO local_jobs VALUES ('") + local + "', '" + local + "')");
    const auto rows = rowsOf(bindingOf("test.local"));
    for (const auto& [local, utc] : instants)
        EXPECT_EQ(formatInstant(*rowOf(rows, local)->createdAt), utc) << local;
}

TEST_P(ProfileFormat, SaysWhichProfilesFitEquallyWellAndWaitsForAChoice)
{
    makeLayout("playbook");
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', 'pending', "
        + seed(-1h) + ", " + seed(1h) + ")");
    add(R"({"profile": "mine", "format": 1, "kind": "idempotency", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["key", "payload_hash", "status", "result_ref", "http_code", "created_at", "expires_at"]}},
        "source": {"tables": {"t": "idempotency_keys"}}, "identity": ["key"], "time": {"*": {"sqlite": "iso"}},
        "fields": {"key": ["col", "key"]}, "state": [{"when": ["true"], "is": "PENDING"}]})");
    const auto both = bindingOf("seed.playbook.idempotency_keys");
    EXPECT_EQ(both.choices, (std::vector<std::string>{ "seed.playbook.idempotency_keys", "mine" }));
    EXPECT_FALSE(capability(both, "release")->allowed);
    EXPECT_NE(capability(both, "release")->why.find("mine"), std::string::npos);
    EXPECT_EQ(rowsOf(both).size(), 1U);
    ASSERT_TRUE(library.choose("idempotency_keys", "mine"));
    EXPECT_TRUE(bindingOf("mine").choices.empty());
    EXPECT_FALSE(library.choose("idempotency_keys", "nobody's"));
}

TEST_P(ProfileFormat, AsksAboutAProfileOfAnotherIdentityThatDiffersInMoreThanThat)
{
    load("oban");
    const auto adding = [&](const std::string& name, const std::string& from, const std::string& to) {
        auto text = documentOf("oban.jobs");
        const auto put = [&](const std::string& old, const std::string& fresh) {
            const auto at = text.find(old);
            ASSERT_NE(at, std::string::npos) << old;
            text.replace(at, old.size(), fresh);
        };
        put("\"oban.jobs\"", '"' + name + '"');
        put("[\"id\"],", "[\"id\", \"queue\"],");
        if (!from.empty())
            put(from, to);
        add(text);
    };
    adding("mine.same", {}, {});
    EXPECT_TRUE(bindingOf("oban.jobs").choices.empty());
    const std::pair<const char*, const char*> differences[] = { { "PT1H", "PT9H" }, { "\"DEAD\"", "\"SUCCEEDED\"" },
        { "[\"state\", \"attempt\"]", "[\"attempt\"]" }, { "\"naive:UTC\"", "\"naive:Europe/Berlin\"" },
        { "\"fencing\": \"none\"", "\"fencing\": \"none\", \"readOnlyReason\": \"never touch\"" } };
    for (const auto& [from, to] : differences) {
        SCOPED_TRACE(from);
        adding("mine.other", from, to);
        const auto binding = bindingOf("oban.jobs");
        EXPECT_EQ(binding.choices, (std::vector<std::string>{ "oban.jobs", "mine.other" }));
        EXPECT_FALSE(capability(binding, "release")->allowed);
        EXPECT_NE(capability(binding, "release")->why.find("mine.other"), std::string::npos);
    }
}

// Actions that were written into a mapping count when somebody has taken out that they were not reviewed.
TEST_P(ProfileFormat, OffersNoActionAsLongAsItSaysWhyItIsReadOnly)
{
    const auto capabilityWith = [this](const std::string& more) {
        add(R"({"profile": "test.calls", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "phase"]}}, "source": {"tables": {"t": "partner_calls"}},
            "identity": ["id"], "fields": {"key": ["col", "id"]}, "state": [{"when": ["true"], "is": "PENDING"}],)"
            + more + R"("actions": {"fail": {"title": "Close", "steps": [
                {"set": {"phase": "failed"}, "when": ["true"], "unchanged": ["phase"]}]}}})");
        const auto binding = bindingOf("test.calls");
        return *capability(binding, "fail");
    };
    run("CREATE TABLE partner_calls (id TEXT PRIMARY KEY, phase TEXT NOT NULL)");
    const auto unreviewed = capabilityWith(R"("readOnlyReason": "nobody has reviewed it",)");
    EXPECT_FALSE(unreviewed.allowed);
    EXPECT_NE(unreviewed.why.find("nobody has reviewed it"), std::string::npos) << unreviewed.why;
    const auto reviewed = capabilityWith("");
    EXPECT_TRUE(reviewed.allowed) << reviewed.why;
    EXPECT_EQ(reviewed.effect, "Close: the profile does not say what follows from it");
}

TEST_P(ProfileFormat, AddressesRowsByTheWholeOfAWiderKey)
{
    add(R"({"profile": "test.wide", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "part", "note"]}}, "source": {"tables": {"t": "wide_jobs"}},
        "identity": ["id"], "fields": {"key": ["col", "id"]}, "state": [{"when": ["true"], "is": "PENDING"}],
        "actions": {"release": {"steps": [{"set": {"note": "b"}, "when": ["true"], "unchanged": ["note"]}]},
            "discard": {"steps": [{"set": {"part": "gone"}, "when": ["true"], "unchanged": ["note"]}]}}})");
    run("CREATE TABLE wide_jobs (id TEXT, part TEXT, note TEXT, PRIMARY KEY (part, id))");
    run("INSERT INTO wide_jobs VALUES ('1', 'x', 'a'), ('1', 'y', 'a')");
    const auto wide = bindingOf("test.wide");
    EXPECT_EQ(wide.identityColumns, (std::vector<std::string>{ "id", "part" }));
    EXPECT_TRUE(wide.warnings.empty()) << joined(wide.warnings);
    EXPECT_EQ(capability(wide, "discard")->why, "it writes the column part, by which the table's rows are told apart");
    const auto rows = rowsOf(wide);
    ASSERT_EQ(rows.size(), 2U);
    const auto plan = planFor(wide, "release", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
    EXPECT_EQ(value("SELECT note FROM wide_jobs WHERE part = 'x'"), "b");
    EXPECT_EQ(value("SELECT note FROM wide_jobs WHERE part = 'y'"), "a");
}

TEST_P(ProfileFormat, DoesNotTellToFenceWhereNobodyCanBeFenced)
{
    load("brandur");
    const auto keys = bindingOf("brandur.rocket_rides_atomic");
    const auto rows = rowsOf(keys);
    const auto plan = planFor(keys, "release", *rowOf(rows, "fresh"), {});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->leftOut.size(), 1U);
    EXPECT_EQ(plan->leftOut[0].why, "its lease is live: somebody may be working on it right now");
}

TEST_P(SqliteFormat, SaysThatAViewCannotBePrepared)
{
    run("CREATE VIEW idempotency_keys AS SELECT no_such_function(1) AS key");
    ASSERT_TRUE(writing().bindings(true));
    const auto unfit = writing().unfit();
    ASSERT_TRUE(unfit);
    ASSERT_FALSE(unfit->empty());
    for (const auto& each : *unfit)
        EXPECT_NE(each.why.find("the view cannot be prepared (no such function: no_such_function"), std::string::npos)
            << each.why;
}

TEST_P(ProfileFormat, ShowsTheTablesOfSeveralSchemasAsOne)
{
    for (const auto* service : { "orders", "refunds" }) {
        if (sqlite())
            run(std::string("CREATE TABLE ") + service
                + "_idempotency_keys (key TEXT PRIMARY KEY, scope TEXT NOT NULL, request_hash TEXT NOT NULL, response "
                  "TEXT "
                  "NOT NULL, expires_at TEXT NOT NULL, created_at TEXT NOT NULL)");
        else
            makeLayout("service", service);
        const auto table =
            sqlite() ? std::string(service) + "_idempotency_keys" : std::string(service) + ".idempotency_keys";
        run("INSERT INTO " + table
            + " (key, scope, request_hash, response, expires_at, created_at) VALUES ('k', 's', 'h', "
              "'{}', "
            + seed(1h) + ", " + seed(-1h) + "), ('" + service + "', 's', 'h', '{}', " + seed(1h) + ", " + seed(-1h)
            + ")");
    }
    const auto all = writing().bindings(true);
    ASSERT_TRUE(all);
    const auto over =
        std::find_if(all->begin(), all->end(), [](const Binding& binding) { return !binding.members.empty(); });
    ASSERT_NE(over, all->end());
    EXPECT_EQ(over->members.size(), 2U);
    const auto rows = rowsOf(*over);
    EXPECT_EQ(keysOf(rows), "k orders k refunds");
    const auto schema = sqlite() ? std::string("refunds_idempotency_keys") : std::string("refunds");
    EXPECT_EQ(rows.back().identity, (std::vector<std::string>{ schema, "refunds" }));
    EXPECT_EQ(rows.back().extra.at(rowSchema), schema);
    EXPECT_EQ(keysOf(rowsOf(*over, "schema = " + schema)), "k refunds");
    EXPECT_EQ(rowsOf(*over, "key = k").size(), 2U);
    EXPECT_EQ(writing().counts(*over, nullptr, 5s)->total.value, 4);
    EXPECT_TRUE(writing().details(*over, rows.back().identity, 100)->has_value());
    for (const auto& capability : over->capabilities)
        EXPECT_TRUE(!capability.allowed || capability.verb == "note") << capability.verb;
    EXPECT_NE(capability(*over, "expire")->why.find("choose the one"), std::string::npos);
}

TEST_P(ProfileFormat, RefusesNamesThatNoFrameworkHas)
{
    load("debezium");
    run("CREATE TABLE \"outbox\"\"; DROP TABLE outbox; --\" (id TEXT PRIMARY KEY, aggregatetype TEXT, aggregateid "
        "TEXT, "
        "type TEXT, payload TEXT)");
    const auto all = writing().bindings(true);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2U);
    const auto hostile =
        std::find_if(all->begin(), all->end(), [](const Binding& binding) { return binding.table != "outbox"; });
    EXPECT_FALSE(hostile->canRead);
    EXPECT_NE(joined(hostile->warnings).find("quotes"), std::string::npos) << joined(hostile->warnings);
    EXPECT_EQ(writing().page(*hostile, {}).error().failure, Failure::Denied);
    EXPECT_EQ(value("SELECT count(*) FROM outbox"), "2");
}

TEST_P(ProfileFormat, ReadsTablesOfAThousandColumns)
{
    std::string columns;
    for (int i = 0; i < 1'000; ++i)
        columns += ", \"c" + std::to_string(i) + " \"\"; --\" INTEGER";
    run("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
        "http_code "
        "INT, created_at "
        + instantType() + ", expires_at " + instantType() + columns + ")");
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', 'pending', "
        + seed(-1h) + ", " + seed(1h) + ")");
    const auto keys = bindingOf("seed.playbook.idempotency_keys");
    const auto rows = rowsOf(keys, "stuck");
    ASSERT_EQ(keysOf(rows), "k");
    const auto plan = planFor(keys, "fail", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
}

TEST_P(ProfileFormat, RecognisesTwoThousandTablesWithinTwoSeconds)
{
    for (int i = 0; i < 2'000; ++i) {
        const auto number = std::to_string(i);
        if (i % 100 == 0 && !sqlite())
            run("CREATE SCHEMA s" + number);
        const auto own = i % 100 == 0;
        const auto name = !own ? "t" + number
            : sqlite()         ? "s" + number + "_idempotency_keys"
                               : "s" + number + ".idempotency_keys";
        run("CREATE TABLE " + name
            + (own ? " (key TEXT PRIMARY KEY, scope TEXT, request_hash TEXT, response TEXT, expires_at " + instantType()
                        + ", created_at " + instantType() + ")"
                   : " (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER, d TEXT, e TEXT)"));
    }
    const auto started = std::chrono::steady_clock::now();
    const auto all = writing().bindings(true);
    const auto took = std::chrono::steady_clock::now() - started;
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), 21U);
    EXPECT_LT(took, 2s) << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms";
}

TEST_P(ProfileFormat, CountsWhatIsNoCountAsFarAsACountGoes)
{
    load("gruelbox");
    if (GetParam() == store::Dialect::PostgreSql)
        run("ALTER TABLE txno_outbox ALTER attempts TYPE bigint");
    run("UPDATE txno_outbox SET attempts = CASE WHEN id = 'd-blocked' THEN 2147483648 ELSE -9000000000000000000 END");
    const auto found = inspector().forensics()->retries(bindingOf("gruelbox.transaction_outbox"), {});
    ASSERT_TRUE(found) << found.error().message;
    std::set<int> attempts;
    for (const auto& each : found->attempts)
        attempts.insert(each.attempts);
    EXPECT_EQ(attempts, (std::set<int>{ std::numeric_limits<int>::min(), std::numeric_limits<int>::max() }));
}

namespace {

class PostgresProfiles : public ProfileFormat { };

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, PostgresProfiles, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(PostgresProfiles, LeavesARowAloneThatAWorkerHasLocked)
{
    load("gruelbox");
    const auto outbox = bindingOf("gruelbox.transaction_outbox");
    const auto rows = rowsOf(outbox);
    const auto plan = planFor(outbox, "replay", *rowOf(rows, "d-blocked"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    auto worker = database.connect();
    ASSERT_TRUE(worker);
    run("BEGIN", **worker);
    run("SELECT * FROM txno_outbox WHERE id = 'd-blocked' FOR NO KEY UPDATE", **worker);
    const auto locked = applied(*plan);
    EXPECT_EQ(locked.skipped, 1);
    EXPECT_NE(locked.items[0].outcome.reason.find("locked the row"), std::string::npos)
        << locked.items[0].outcome.reason;
    run("ROLLBACK", **worker);
    auto again = *plan;
    again.requestId = uuid4(random);
    EXPECT_EQ(applied(again).changed, 1);
}

TEST_P(PostgresProfiles, DoesNotWaitForAViewThatSleeps)
{
    makeLayout("playbook");
    run("ALTER TABLE idempotency_keys RENAME TO kept");
    run("CREATE VIEW idempotency_keys AS SELECT kept.* FROM kept, LATERAL (SELECT pg_sleep(60)) AS s");
    run("INSERT INTO kept (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', 'pending', now(), "
        "now())");
    const auto started = std::chrono::steady_clock::now();
    const auto view = bindingOf("seed.playbook.idempotency_keys");
    EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
    EXPECT_NE(joined(view.warnings).find("took longer than"), std::string::npos) << joined(view.warnings);
    EXPECT_NE(capability(view, "release")->why.find("view"), std::string::npos);
    EXPECT_NE(joined(view.notes).find("this connection's role"), std::string::npos);
}

TEST_P(PostgresProfiles, DoesNotWaitForManyViewsThatSleep)
{
    makeLayout("playbook");
    run("ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_status_check");
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', 'odd', "
        "now(), now())");
    for (const auto* schema : { "a", "b", "c", "d", "e" }) {
        run(std::string("CREATE SCHEMA ") + schema);
        run(std::string("CREATE VIEW ") + schema
            + ".idempotency_keys AS SELECT k.* FROM public.idempotency_keys AS k, LATERAL (SELECT pg_sleep(60)) AS s");
    }
    const auto took = [&](const auto& what) {
        const auto started = std::chrono::steady_clock::now();
        what();
        return std::chrono::steady_clock::now() - started;
    };
    EXPECT_LT(took([&] { ASSERT_TRUE(writing().bindings(true)); }), 7s);
    int unread = 0;
    const auto all = writing().bindings(false);
    ASSERT_TRUE(all);
    for (const auto& binding : *all) {
        const auto warnings = joined(binding.warnings);
        if (binding.name == "public.idempotency_keys")
            EXPECT_NE(warnings.find("\"odd\""), std::string::npos) << "views took the table's time: " << warnings;
        else
            EXPECT_TRUE(binding.canRead);
        unread += warnings.find("those of other views took longer than 4") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(unread, 3);
    for (const auto* named : { "public.idempotency_keys", "a.idempotency_keys" }) {
        auto inspector = store::SqlInspector::create(*connection, { .profiles = &library, .only = named });
        ASSERT_TRUE(inspector);
        const bool table = std::string(named).starts_with("public");
        EXPECT_LT(took([&] { ASSERT_TRUE((*inspector)->bindings(true)); }), table ? 2s : 4s);
        const auto some = (*inspector)->bindings(false);
        ASSERT_TRUE(some);
        for (const auto& binding : *some) {
            const auto warnings = joined(binding.warnings);
            EXPECT_EQ(warnings.find("as another table was asked for") == std::string::npos,
                binding.schema == "public" || binding.name == named)
                << binding.name << warnings;
        }
    }
}

TEST_P(PostgresProfiles, ChangesNothingBehindAView)
{
    makeLayout("playbook");
    run("ALTER TABLE idempotency_keys RENAME TO kept");
    run("CREATE TABLE seen (at timestamptz)");
    run("CREATE FUNCTION looked() RETURNS boolean LANGUAGE sql VOLATILE AS $f$ INSERT INTO seen VALUES (now()) "
        "RETURNING "
        "true $f$");
    run("CREATE VIEW idempotency_keys AS SELECT kept.* FROM kept WHERE looked()");
    run("INSERT INTO kept (key, payload_hash, status, created_at, expires_at) VALUES ('k', 'h', 'pending', now(), "
        "now())");
    const auto view = bindingOf("seed.playbook.idempotency_keys");
    EXPECT_FALSE(view.canRead);
    EXPECT_NE(joined(view.warnings).find("read-only transaction"), std::string::npos) << joined(view.warnings);
    EXPECT_FALSE(writing().page(view, {}));
    EXPECT_EQ(value("SELECT count(*) FROM seen"), "0");
}

TEST_P(PostgresProfiles, FoldsPartitionsAndNamesForeignTablesAndViews)
{
    run("CREATE TABLE outbox (id bigint, aggregatetype text, aggregateid text, type text, payload text, PRIMARY KEY "
        "(id)) "
        "PARTITION BY RANGE (id)");
    run("CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES FROM (0) TO (100)");
    run("CREATE TABLE outbox_2 PARTITION OF outbox FOR VALUES FROM (100) TO (200)");
    run("CREATE SCHEMA \"a.b\"");
    run("CREATE TABLE \"a.b\".\"outbox.c\" (id bigint PRIMARY KEY, aggregatetype text, aggregateid text, type text, "
        "payload "
        "text)");
    run("CREATE SCHEMA a");
    run("CREATE TABLE a.\"outbox\" (id bigint PRIMARY KEY, aggregatetype text, aggregateid text, type text, payload "
        "text)");
    run("INSERT INTO outbox VALUES (1, 'a', '1', 'T', '{}'), (101, 'a', '1', 'T', '{}')");
    const auto all = writing().bindings(true);
    ASSERT_TRUE(all);
    std::vector<std::string> names;
    for (const auto& binding : *all)
        names.push_back(binding.name);
    EXPECT_EQ(names, (std::vector<std::string>{ "a.outbox", "outbox.c", "public.outbox" }));
    EXPECT_NE(joined(all->back().reasons).find("2 partitions"), std::string::npos) << joined(all->back().reasons);
    EXPECT_EQ(rowsOf(all->back()).size(), 2U);
}

} // namespace fencepost::test
