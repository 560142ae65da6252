// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "core/ids.h"
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

// Solid Queue keeps what becomes of a job in which of its tables has a row for it, and who works on it in one of them.
constexpr auto jobsProfile = R"({
 "profile": "test.solid_queue.jobs", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
 "detect": {"require": {"t": ["id", "queue_name", "class_name", "priority", "finished_at"], "c": ["job_id", "process_id"], "f": ["job_id", "error"], "r": ["job_id"], "p": ["id", "last_heartbeat_at"]}},
 "source": {"tables": {"t": "solid_queue_jobs", "c": "solid_queue_claimed_executions", "f": "solid_queue_failed_executions", "r": "solid_queue_ready_executions", "p": "solid_queue_processes"}},
 "identity": ["id"],
 "params": {"alive": {"type": "duration", "default": "PT5M"}},
 "time": {"*": {"postgresql": "naive:UTC", "sqlite": "iso"}},
 "owners": {"table": "p", "owner": ["from", "c", ["eq", ["col", "c.job_id"], ["col", "id"]], ["col", "c.process_id"]], "id": "id", "heartbeat": "last_heartbeat_at", "timeout": ["param", "alive"]},
 "fields": {
  "key": ["text", ["col", "id"]], "operation": ["col", "class_name"], "queue": ["col", "queue_name"], "created_us": ["col", "created_at"],
  "owner": ["from", "p", ["eq", ["col", "p.id"], ["from", "c", ["eq", ["col", "c.job_id"], ["col", "id"]], ["col", "c.process_id"]]], ["col", "p.name"]],
  "started_us": ["from", "c", ["eq", ["col", "c.job_id"], ["col", "id"]], ["col", "c.created_at"]],
  "error": ["from", "f", ["eq", ["col", "f.job_id"], ["col", "id"]], ["col", "f.error"]]},
 "state": [
  {"when": ["not_null", ["col", "finished_at"]], "is": "SUCCEEDED"},
  {"when": ["exists", "f", ["eq", ["col", "f.job_id"], ["col", "id"]]], "is": "DEAD"},
  {"when": ["exists", "c", ["eq", ["col", "c.job_id"], ["col", "id"]]], "is": "IN_PROGRESS"},
  {"when": ["exists", "r", ["eq", ["col", "r.job_id"], ["col", "id"]]], "is": "PENDING"}],
 "stuck": ["owner_dead"], "fencing": "row_existence",
 "actions": {
  "release": {"title": "Give the claim of a dead process back", "needs": ["stuck"], "steps": [
   {"insert": {"into": "r", "columns": {"job_id": ["col", "id"], "queue_name": ["col", "queue_name"], "priority": ["col", "priority"], "created_at": ["now"]}}, "when": ["owner_dead"]},
   {"delete": {"from": "c", "where": ["eq", ["col", "c.job_id"], ["col", "id"]]}, "when": ["is_null", ["col", "finished_at"]]}]}}})";

constexpr auto failedProfile = R"({
 "profile": "test.solid_queue.failed", "format": 1, "kind": "dlq", "dialects": ["postgresql", "sqlite"],
 "detect": {"require": {"t": ["id", "job_id", "error"], "j": ["id", "queue_name"], "r": ["job_id"]}},
 "source": {"tables": {"t": "solid_queue_failed_executions", "j": "solid_queue_jobs", "r": "solid_queue_ready_executions"}},
 "identity": ["id"],
 "time": {"*": {"postgresql": "naive:UTC", "sqlite": "iso"}},
 "fields": {"key": ["text", ["col", "job_id"]], "error": ["col", "error"], "created_us": ["col", "created_at"],
  "queue": ["from", "j", ["eq", ["col", "j.id"], ["col", "job_id"]], ["col", "j.queue_name"]]},
 "payload": {"arguments": ["from", "j", ["eq", ["col", "j.id"], ["col", "job_id"]], ["col", "j.arguments"]]},
 "state": [{"when": ["true"], "is": "DEAD"}], "fencing": "row_existence",
 "actions": {"replay": {"title": "Retry", "steps": [
  {"insert": {"into": "r", "columns": {"job_id": ["col", "job_id"], "created_at": ["now"],
    "queue_name": ["from", "j", ["eq", ["col", "j.id"], ["col", "job_id"]], ["col", "j.queue_name"]],
    "priority": ["from", "j", ["eq", ["col", "j.id"], ["col", "job_id"]], ["col", "j.priority"]]}}, "when": ["true"]},
  {"delete": true, "when": ["true"], "unchanged": ["job_id", "error"]}]}}})";

class SeveralTables : public FrameworkTest {
protected:
    void add(const std::string& json)
    {
        const auto added = library.add(json, "test.json");
        ASSERT_TRUE(added) << added.error().message;
    }

    void makeQueue()
    {
        add(jobsProfile);
        add(failedProfile);
        const std::string id = sqlite() ? "id INTEGER PRIMARY KEY" : "id bigserial PRIMARY KEY";
        const std::string at = sqlite() ? " TEXT" : " timestamp(6)";
        run("CREATE TABLE solid_queue_jobs (" + id
            + ", queue_name VARCHAR NOT NULL, class_name VARCHAR NOT NULL, arguments TEXT, priority INTEGER NOT NULL "
              "DEFAULT 0, finished_at"
            + at + ", created_at" + at + " NOT NULL)");
        run("CREATE TABLE solid_queue_ready_executions (" + id
            + ", job_id BIGINT NOT NULL UNIQUE, queue_name VARCHAR NOT NULL, priority INTEGER NOT NULL, created_at" + at
            + " NOT NULL)");
        run("CREATE TABLE solid_queue_claimed_executions (" + id
            + ", job_id BIGINT NOT NULL UNIQUE, process_id BIGINT, created_at" + at + " NOT NULL)");
        run("CREATE TABLE solid_queue_failed_executions (" + id
            + ", job_id BIGINT NOT NULL UNIQUE, error TEXT, created_at" + at + " NOT NULL)");
        run("CREATE TABLE solid_queue_processes (" + id + ", name VARCHAR NOT NULL, last_heartbeat_at" + at
            + " NOT NULL)");
        for (int job = 1; job <= 5; ++job)
            run("INSERT INTO solid_queue_jobs (id, queue_name, class_name, arguments, priority, created_at) VALUES ("
                + std::to_string(job) + ", 'mail', 'Mailer', '{\"to\": " + std::to_string(job) + "}', 7, " + local(-1h)
                + ")");
        run("UPDATE solid_queue_jobs SET finished_at = " + local(-1min) + " WHERE id = 1");
        run("INSERT INTO solid_queue_processes (id, name, last_heartbeat_at) VALUES (1, 'lives', " + local(-1min)
            + "), (2, 'died', " + local(-1h) + ")");
        run("INSERT INTO solid_queue_failed_executions (id, job_id, error, created_at) VALUES (20, 2, 'boom', "
            + local(-1h) + ")");
        run("INSERT INTO solid_queue_claimed_executions (id, job_id, process_id, created_at) VALUES (30, 3, 1, "
            + local(-30min) + "), (40, 4, 2, " + local(-30min) + ")");
        run("INSERT INTO solid_queue_ready_executions (id, job_id, queue_name, priority, created_at) VALUES (50, 5, "
            "'mail', 7, "
            + local(-1h) + ")");
    }

    [[nodiscard]] std::string local(Duration fromNow) const
    {
        auto text = formatInstant(now + fromNow);
        text[10] = ' ';
        text.resize(19);
        return "'" + text + "'";
    }

    RunReport applied(const Plan& plan)
    {
        const auto report = applyPlan(writing(), plan, "a@b", {});
        EXPECT_TRUE(report) << report.error().message << " " << report.error().detail;
        for (const auto& item : report ? report->items : std::vector<ItemReport>())
            EXPECT_NE(item.outcome.result, ItemResult::Failed) << item.outcome.reason;
        return report ? *report : RunReport();
    }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, SeveralTables, bothDialects(), nameOfDialect);

TEST_P(SeveralTables, ReadFieldsAndOwnersOutOfOtherTables)
{
    makeQueue();
    const auto jobs = bindingOf("test.solid_queue.jobs");
    const auto rows = rowsOf(jobs);
    std::string states;
    for (const auto& row : rows)
        states += row.key + '=' + row.state + ' ';
    EXPECT_EQ(states, "1=SUCCEEDED 2=DEAD 3=IN_PROGRESS 4=IN_PROGRESS 5=PENDING ");
    EXPECT_EQ(rowOf(rows, "2")->error, "boom");
    EXPECT_EQ(rowOf(rows, "3")->owner, "lives");
    EXPECT_EQ(rowOf(rows, "4")->owner, "died");
    EXPECT_EQ(rowOf(rows, "5")->owner, std::nullopt);
    EXPECT_LE(*rowOf(rows, "3")->startedAt, now - 30min);
    EXPECT_GT(*rowOf(rows, "3")->startedAt, now - 31min);
    EXPECT_EQ(rowOf(rows, "3")->extra.at(rowOwnerAlive), "yes");
    EXPECT_EQ(rowOf(rows, "4")->extra.at(rowOwnerAlive), "no");
    EXPECT_FALSE(rowOf(rows, "5")->extra.contains(rowOwnerAlive));
    EXPECT_EQ(keysOf(rowsOf(jobs, "stuck")), "4");
    EXPECT_EQ(keysOf(rowsOf(jobs, "owner = died")), "4");
    EXPECT_EQ(writing().counts(jobs, nullptr, 5s)->stuck.value, 1);
}

TEST_P(SeveralTables, GiveTheClaimOfADeadProcessBack)
{
    makeQueue();
    const auto jobs = bindingOf("test.solid_queue.jobs");
    EXPECT_TRUE(capability(jobs, "release")->allowed) << capability(jobs, "release")->why;
    const auto rows = rowsOf(jobs);
    const auto alive = planFor(jobs, "release", *rowOf(rows, "3"), {});
    ASSERT_TRUE(alive) << alive.error().message;
    EXPECT_TRUE(alive->items.empty());
    const auto plan = planFor(jobs, "release", *rowOf(rows, "4"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
    EXPECT_EQ(
        value("SELECT queue_name || ' ' || priority FROM solid_queue_ready_executions WHERE job_id = 4"), "mail 7");
    EXPECT_EQ(value("SELECT count(*) FROM solid_queue_claimed_executions"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM solid_queue_claimed_executions WHERE job_id = 3"), "1");
    EXPECT_EQ(rowOf(rowsOf(jobs), "4")->state, "PENDING");
    auto again = *plan;
    again.requestId = uuid4(random);
    EXPECT_EQ(applied(again).skipped, 1);
    EXPECT_EQ(value("SELECT count(*) FROM solid_queue_ready_executions WHERE job_id = 4"), "1");
    // The audit keeps the row that was taken away beside it.
    AuditRequest request;
    request.requestId = plan->requestId;
    const auto audit = writing().audit(request);
    ASSERT_TRUE(audit);
    ASSERT_EQ(audit->size(), 1U);
    EXPECT_NE(audit->front().before.find("\"c.process_id\":\"2\""), std::string::npos) << audit->front().before;
    EXPECT_EQ(audit->front().after.find("c.process_id"), std::string::npos) << audit->front().after;
}

TEST_P(SeveralTables, TakeBackTheInsertWhereTheClaimIsGone)
{
    makeQueue();
    const auto jobs = bindingOf("test.solid_queue.jobs");
    const auto plan = planFor(jobs, "release", *rowOf(rowsOf(jobs), "4"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    run("UPDATE solid_queue_jobs SET finished_at = " + local(0s) + " WHERE id = 4");
    EXPECT_EQ(applied(*plan).skipped, 1);
    EXPECT_EQ(value("SELECT count(*) FROM solid_queue_ready_executions WHERE job_id = 4"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM solid_queue_claimed_executions WHERE job_id = 4"), "1");
}

TEST_P(SeveralTables, PutAFailedJobBackWithWhatTheOtherTableKnows)
{
    makeQueue();
    const auto failed = bindingOf("test.solid_queue.failed");
    const auto rows = rowsOf(failed);
    ASSERT_EQ(keysOf(rows), "2");
    EXPECT_EQ(rows[0].queue, "mail");
    const auto details = writing().details(failed, rows[0].identity, 100);
    ASSERT_TRUE(details && *details);
    ASSERT_EQ((*details)->payloads.size(), 1U);
    EXPECT_EQ((*details)->payloads[0].bytes, "{\"to\": 2}");
    const auto plan = planFor(failed, "replay", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
    EXPECT_EQ(
        value("SELECT queue_name || ' ' || priority FROM solid_queue_ready_executions WHERE job_id = 2"), "mail 7");
    EXPECT_TRUE(rowsOf(failed).empty());
    EXPECT_EQ(rowOf(rowsOf(bindingOf("test.solid_queue.jobs")), "2")->state, "PENDING");
}

TEST_P(SeveralTables, WriteInTheEncodingOfTheTableThatIsWritten)
{
    add(R"({"profile": "test.bury", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "ts"], "d": ["work_id", "ts"]}},
        "source": {"tables": {"t": "work", "d": "dead"}}, "identity": ["id"],
        "time": {"t.TS": "epoch_ms", "d.ts": "epoch_us"},
        "fields": {"key": ["text", ["col", "id"]], "created_us": ["col", "ts"]},
        "state": [{"when": ["true"], "is": "PENDING"}],
        "actions": {"discard": {"steps": [
          {"insert": {"into": "d", "columns": {"work_id": ["col", "id"], "ts": ["now"]}}, "when": ["true"]},
          {"delete": true, "when": ["true"]}]}}})");
    run("CREATE TABLE work (id INTEGER PRIMARY KEY, ts BIGINT)");
    run("CREATE TABLE dead (work_id INTEGER PRIMARY KEY, ts BIGINT)");
    run("INSERT INTO work VALUES (1, " + std::to_string(microsOf(now) / 1'000) + ")");
    const auto work = bindingOf("test.bury");
    const auto rows = rowsOf(work);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(microsOf(*rows[0].createdAt) / 1'000, microsOf(now) / 1'000);
    const auto plan = planFor(work, "discard", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applied(*plan).changed, 1);
    EXPECT_EQ(value("SELECT ts FROM dead"), std::to_string(microsOf(now)));
}

class HiddenRows : public FrameworkTest {
protected:
    void TearDown() override
    {
        run("RESET ROLE");
        run("DROP OWNED BY " + role());
        run("DROP ROLE " + role());
        FrameworkTest::TearDown();
    }

    [[nodiscard]] std::string role() { return "reader_" + database.target().database; }

    // A role that may read and write all and to which the rows of this table are hidden.
    void hide(const std::string& schema, const std::string& table)
    {
        run("CREATE ROLE " + role());
        run("GRANT USAGE ON SCHEMA " + schema + " TO " + role());
        run("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO " + role());
        run("ALTER TABLE " + schema + '.' + table + " ENABLE ROW LEVEL SECURITY");
        run("SET ROLE " + role());
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, HiddenRows, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(HiddenRows, OfAnOwnersTableLeaveOwnersNeitherAliveNorDead)
{
    load("wolverine");
    hide("wolverine", "wolverine_nodes");
    const auto incoming = bindingOf("wolverine.incoming");
    const auto rows = rowsOf(incoming);
    ASSERT_EQ(rows.size(), 7U);
    for (const auto& row : rows)
        EXPECT_FALSE(row.extra.contains(rowOwnerAlive)) << row.key;
    EXPECT_TRUE(rowsOf(incoming, "stuck").empty());
    EXPECT_EQ(writing().counts(incoming, nullptr, 5s)->stuck.value, 0);
    const auto* dead = rowOf(rows, "00000001-0000-4000-8000-000000000002");
    const auto plan = planFor(incoming, "release", *dead, {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->items.empty());
    ASSERT_EQ(plan->leftOut.size(), 1U);
}

TEST_P(HiddenRows, OfATableBesideMakeNoOrphans)
{
    load("masstransit");
    hide("public", "\"OutboxState\"");
    const auto messages = bindingOf("masstransit.ef.outboxmessage");
    const auto rows = rowsOf(messages);
    const auto stateOf = [&](int number) {
        return rowOf(rows, "00000003-0000-4000-8000-00000000000" + std::to_string(number))->state;
    };
    EXPECT_EQ(stateOf(1), "UNKNOWN");
    EXPECT_EQ(stateOf(3), "UNKNOWN");
    EXPECT_EQ(stateOf(4), "PENDING");
    EXPECT_EQ(stateOf(5), "DEAD");
    EXPECT_EQ(rowsOf(messages, "state = DEAD").size(), 1U);
    EXPECT_EQ(rowsOf(messages, "state = UNKNOWN").size(), 3U);
    EXPECT_EQ(rowsOf(messages, "state = PENDING").size(), 1U);
    const auto counts = writing().counts(messages, nullptr, 5s);
    EXPECT_EQ(counts->byState.at("UNKNOWN").value, 3);
    const auto plan = planFor(
        messages, "discard", *rowOf(rows, "00000003-0000-4000-8000-000000000001"), { { "exported_to", "a file" } });
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->items.empty());
    // Nor does a plan that was made before they were hidden.
    Change change;
    change.requestId = uuid4(random);
    change.verb = "discard";
    change.identity = rowOf(rows, "00000003-0000-4000-8000-000000000001")->identity;
    change.seen = rowOf(rows, "00000003-0000-4000-8000-000000000001")->cas;
    change.parameters["exported_to"] = "a file";
    const auto outcome = writing().apply(messages, change);
    ASSERT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
    EXPECT_EQ(outcome->result, ItemResult::Skipped);
    EXPECT_EQ(rowsOf(messages).size(), 5U);
}

} // namespace fencepost::test
