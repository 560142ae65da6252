// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <random>
#include <set>

#include "core/messaging/delivery_attempt.h"
#include "core/operations/operation.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;

class OwnTableReader : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        makeOwnTables();
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, OwnTableReader, bothDialects(), nameOfDialect);

TEST_P(OwnTableReader, RecognisesItsTables)
{
    EXPECT_EQ(bindingNames(),
        (std::vector<std::string>{ "dead_letters=fencepost.dead_letters",
            "idempotency_records=fencepost.idempotency_records", "inbox_messages=fencepost.inbox_messages",
            "outbox_messages=fencepost.outbox_messages" }));
    const auto records = binding("idempotency_records");
    EXPECT_TRUE(records.native);
    EXPECT_EQ(records.orders, (std::vector<std::string>{ "created", "expires", "lease", "key" }));
    for (const auto* verb : { "fence", "release", "expire", "resolve", "fail", "note" }) {
        ASSERT_NE(capability(records, verb), nullptr) << verb;
        EXPECT_TRUE(capability(records, verb)->allowed) << verb << ": " << capability(records, verb)->why;
        EXPECT_TRUE(capability(records, verb)->native);
    }
    EXPECT_FALSE(capability(binding("inbox_messages"), "fence")->allowed);
    EXPECT_TRUE(capability(binding("inbox_messages"), "note")->allowed);
    EXPECT_EQ(records.warnings, std::vector<std::string>{});
}

TEST_P(OwnTableReader, ShowsEveryStateAndDecidesStuckByTheLease)
{
    addEveryState();
    const auto all = filtered(binding("idempotency_records"), "");
    const std::pair<const char*, const char*> states[] = { { "live", "IN_PROGRESS" }, { "stuck", "IN_PROGRESS" },
        { "held", "HELD" }, { "done", "SUCCEEDED" }, { "again", "FAILED_RETRYABLE" }, { "failed", "FAILED_FINAL" },
        { "old", "EXPIRED" } };
    ASSERT_EQ(all.rows.size(), 7U);
    for (const auto& [key, state] : states) {
        ASSERT_NE(rowOf(all, key), nullptr) << key;
        EXPECT_EQ(rowOf(all, key)->state, state) << key;
        EXPECT_EQ(rowOf(all, key)->stuck, std::string(key) == "stuck") << key;
    }
    const auto& stuck = *rowOf(all, "stuck");
    EXPECT_EQ(stuck.stuckReason, "lease_expired");
    EXPECT_EQ(stuck.identity, (std::vector<std::string>{ "s", "o", "stuck" }));
    EXPECT_EQ(stuck.leaseUntil, now - 5min);
    EXPECT_EQ(stuck.createdAt, now - 20min);
    EXPECT_EQ(stuck.fence, 2);
    EXPECT_EQ(stuck.attempts, 3);
    EXPECT_EQ(stuck.owner, "00000000-0000-4000-8000-000000000002");
    EXPECT_EQ(stuck.requestHash->size(), 64U);
    EXPECT_EQ(stuck.rawState, "IN_PROGRESS");
    EXPECT_EQ(stuck.takeover, "auto");
    EXPECT_TRUE(rowOf(all, "held")->hold);
    EXPECT_EQ(rowOf(all, "done")->responseCode, 201);
    EXPECT_FALSE(rowOf(all, "done")->leaseUntil);
    EXPECT_EQ(all.now, now);
}

TEST_P(OwnTableReader, ALeaseEndsAtItsInstant)
{
    addOwn({ .key = "at", .lease = 0us });
    addOwn({ .key = "before", .lease = 1us });
    EXPECT_EQ(keysOf(filtered(binding("idempotency_records"), "stuck")), "at");
    clock.advance(1us);
    EXPECT_EQ(keysOf(filtered(binding("idempotency_records"), "stuck")), "at before");
}

TEST_P(OwnTableReader, Filters)
{
    addEveryState();
    const auto records = binding("idempotency_records");
    const auto created = formatInstant(now - 40min);
    const std::pair<std::string, std::string> cases[] = {
        { "", "again done failed held live old stuck" },
        { "state = IN_PROGRESS", "live stuck" },
        { "state = HELD", "held" },
        { "state = EXPIRED", "old" },
        { "state in (SUCCEEDED, FAILED_FINAL)", "done failed" },
        { "state != IN_PROGRESS", "again done failed held old" },
        { "not state = IN_PROGRESS", "again done failed held old" },
        { "state = UNKNOWN", "" },
        { "state = PROCESSED", "" },
        { "stuck", "stuck" },
        { "held", "held" },
        { "not stuck", "again done failed held live old" },
        { "stuck or held", "held stuck" },
        { "key = done", "done" },
        { "key ~ o", "done old" },
        { "key ~ O", "" },
        { "key in (live, done, \"no such\")", "done live" },
        { "key >= live", "live old stuck" },
        { "scope = s and operation = o and key = held", "held" },
        { "scope != s", "" },
        { "owner = 00000000-0000-4000-8000-000000000004", "done" },
        { "owner = nobody", "" },
        { "owner ~ 0000000004", "done" },
        { "age > 1h", "old" },
        { "age >= 1h", "failed old" },
        { "age < 20m", "live" },
        { "age <= 20m", "live stuck" },
        { "age > 200000w", "" },
        { "attempts > 1", "stuck" },
        { "fence in (1, 4)", "done live" },
        { "fence != 1", "again done failed held old stuck" },
        { "created = " + created, "done" },
        { "created > " + created, "held live stuck" },
        { "created <= " + created, "again done failed old" },
        { "created > 0001-01-01", "again done failed held live old stuck" },
        { "expires < 45m", "failed" },
        { "expires > 45m", "again done held live stuck" },
        { "lease < 5m", "live" },
        { "lease > 5m", "" },
        { "code = 409", "failed" },
        { "code >= 500", "again" },
        { "hash = " + std::string(64, 'a'), "" },
        { "hash ~ abab", "again done failed held live old stuck" },
        { "conflict", "" },
        { "(stuck or state = SUCCEEDED) and not code = 201", "stuck" },
    };
    for (const auto& [filter, keys] : cases)
        EXPECT_EQ(keysOf(filtered(records, filter)), keys) << filter;
    std::string hash;
    for (int i = 0; i < 32; ++i)
        hash += "AB";
    EXPECT_EQ(filtered(records, "hash = " + hash).rows.size(), 7U);
}

TEST_P(OwnTableReader, FindsAnOwnerInEitherCase)
{
    addOwn({ .key = "mine" });
    addOwn({ .key = "other" });
    run("UPDATE idempotency_records SET owner_execution_id = 'abcdefab-cdef-4abc-8def-abcdefabcdef' WHERE "
        "idempotency_key = 'mine'");
    const auto records = binding("idempotency_records");
    EXPECT_EQ(keysOf(filtered(records, "owner = ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF")), "mine");
    EXPECT_EQ(keysOf(filtered(records, "owner != ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF")), "other");
}

TEST_P(OwnTableReader, MarksAndFindsConflicts)
{
    addEveryState();
    const auto hash = toHex(sha256("another"));
    run("INSERT INTO idempotency_conflicts (scope, operation_type, idempotency_key, slot, presented_hash, kind, "
        "principal, count, first_at, last_at) VALUES ('s', 'o', 'done', 1, "
        + bytes(hash) + ", 'mismatch', 'ann', 3, " + own(-3min) + ", " + own(-1min) + ")");
    const auto records = binding("idempotency_records");
    const auto found = filtered(records, "conflict");
    EXPECT_EQ(keysOf(found), "done");
    EXPECT_TRUE(found.rows.at(0).conflict);
    EXPECT_FALSE(rowOf(filtered(records, ""), "live")->conflict);
    const auto details = inspector().details(records, { "s", "o", "done" }, 100);
    ASSERT_TRUE(details);
    ASSERT_TRUE(*details);
    ASSERT_EQ((*details)->conflicts.size(), 1U);
    EXPECT_EQ((*details)->conflicts[0].presentedHash, sha256("another"));
    EXPECT_EQ((*details)->conflicts[0].count, 3);
    EXPECT_EQ((*details)->conflicts[0].lastAt, now - 1min);
    // What an earlier record of the key refused is no conflict of this one.
    run("UPDATE idempotency_conflicts SET last_at = " + own(-41min));
    EXPECT_EQ(keysOf(filtered(records, "conflict")), "");
    EXPECT_FALSE(rowOf(filtered(records, ""), "done")->conflict);
    EXPECT_TRUE((**inspector().details(records, { "s", "o", "done" }, 100)).conflicts.empty());
}

// Nobody works on it, so it is stuck in the protocol's word; but there is nobody left to take it from.
TEST_P(OwnTableReader, SaysOfAFencedRecordThatItIsFree)
{
    for (const auto* key : { "free", "left", "spent", "asking", "expired" })
        addOwn({ .key = key, .lease = -5min });
    const auto set = [&](const std::string& what, const std::string& key) {
        run("UPDATE idempotency_records SET " + what + " WHERE idempotency_key = '" + key + "'");
    };
    // As the fence of an operator writes it: the lease ends with the change.
    for (const auto* key : { "free", "spent", "asking" })
        set("updated_at = lease_expires_at", key);
    set("max_attempts = 1", "spent");
    set("takeover_policy = 'manual'", "asking");
    set("updated_at = " + own(0s), "expired");
    const auto rows = filtered(binding("idempotency_records"), "stuck");
    std::map<std::string, std::string> reasons;
    for (const auto& row : rows.rows)
        reasons[row.key] = row.stuckReason;
    EXPECT_EQ(reasons,
        (std::map<std::string, std::string>{ { "asking", "lease_expired" }, { "expired", "lease_expired" },
            { "free", "free" }, { "left", "lease_expired" }, { "spent", "lease_expired" } }));
    const auto records = binding("idempotency_records");
    EXPECT_EQ(findOperation("fence")->warning(records, *rowOf(rows, "free"), now, {}),
        "it is free already: the next same request takes it over without another fence");
    EXPECT_EQ(findOperation("fence")->warning(records, *rowOf(rows, "left"), now, {}), "");
}

// A record that is stuck for longer than its retention is shown as expired, and nobody has waited longer.
TEST_P(OwnTableReader, TheOldestLeaseIsThatOfWhatIsStuckToo)
{
    addOwn({ .key = "old", .lease = -5min });
    addOwn({ .key = "live", .lease = 1min });
    run("UPDATE idempotency_records SET expires_at = " + own(-1min) + " WHERE idempotency_key = 'old'");
    const auto counts = inspector().counts(binding("idempotency_records"), nullptr, 2s);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->stuck.value, 1);
    EXPECT_EQ(counts->oldestLease, now - 5min);
}

TEST_P(OwnTableReader, CountsExactlyWithinTheBudget)
{
    addEveryState();
    const auto counts = inspector().counts(binding("idempotency_records"), nullptr, 2s);
    ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
    std::string text;
    for (const auto& [state, count] : counts->byState) {
        text += state + "=" + std::to_string(count.value) + " ";
        EXPECT_EQ(count.exactness, Exactness::Exact);
    }
    EXPECT_EQ(text, "EXPIRED=1 FAILED_FINAL=1 FAILED_RETRYABLE=1 HELD=1 IN_PROGRESS=2 SUCCEEDED=1 ");
    EXPECT_EQ(counts->total.value, 7);
    EXPECT_EQ(counts->stuck.value, 1);
    EXPECT_EQ(counts->expiringSoon.value, 1);
    EXPECT_EQ(counts->oldestLease, now - 5min);
    EXPECT_EQ(counts->now, now);
    const auto some = inspector().counts(binding("idempotency_records"), *parseFilter("age > 25m"), 2s);
    ASSERT_TRUE(some);
    EXPECT_EQ(some->total.value, 5);
    EXPECT_EQ(some->stuck.value, 0);
}

TEST_P(OwnTableReader, ShowsAndCountsAnUnknownStatus)
{
    addEveryState();
    if (sqlite())
        run("PRAGMA ignore_check_constraints = ON");
    else
        run("DO $$ DECLARE c text; BEGIN FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = "
            "'idempotency_records'::regclass AND contype = 'c' LOOP EXECUTE format('ALTER TABLE idempotency_records "
            "DROP "
            "CONSTRAINT %I', c); END LOOP; END $$");
    addOwn({ .key = "weird", .status = "EXPLODED", .lease = {} });
    const auto records = binding("idempotency_records");
    const auto found = filtered(records, "state = UNKNOWN");
    ASSERT_EQ(keysOf(found), "weird");
    EXPECT_EQ(found.rows[0].state, "UNKNOWN");
    EXPECT_EQ(found.rows[0].rawState, "EXPLODED");
    const auto counts = inspector().counts(records, nullptr, 2s);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->byState.at("UNKNOWN").value, 1);
    EXPECT_EQ(counts->total.value, 8);
}

namespace {

std::string nameOf(const Row& row)
{
    return row.scope.value_or("") + "/" + row.key;
}

} // namespace

TEST_P(OwnTableReader, PagesInEveryOrderAndDirectionEqualTheFullScan)
{
    std::mt19937 random(5);
    const char* const statuses[] = { "IN_PROGRESS", "SUCCEEDED", "FAILED_RETRYABLE", "FAILED_FINAL" };
    for (int i = 0; i < 61; ++i) {
        OwnRow row{ .key = "k" + std::to_string(i % 23) };
        row.scope = "s" + std::to_string(i / 23);
        row.status = statuses[random() % 4];
        // Many rows share an instant, so that the key has to break ties.
        row.created = -1min * static_cast<int>(random() % 5);
        row.expires = 1h * static_cast<int>(1 + random() % 3);
        row.lease = row.status == "IN_PROGRESS" || random() % 2 == 0
            ? std::optional<Duration>(1s * static_cast<int>(random() % 4))
            : std::nullopt;
        addOwn(row);
    }
    const auto records = binding("idempotency_records");
    for (const auto& order : records.orders) {
        for (const bool descending : { false, true }) {
            PageRequest request;
            request.order = order;
            request.descending = descending;
            request.limit = 1'000;
            const auto full = page(records, request);
            ASSERT_EQ(full.rows.size(), 61U) << order;
            EXPECT_FALSE(full.moreBefore || full.moreAfter);
            for (const int size : { 1, 7, 60, 61 }) {
                request.limit = size;
                std::vector<std::string> forward;
                request.after.reset();
                for (bool more = true; more;) {
                    const auto part = page(records, request);
                    for (const auto& row : part.rows)
                        forward.push_back(nameOf(row));
                    ASSERT_EQ(part.rows.size(), part.cursors.size());
                    EXPECT_EQ(part.moreBefore, request.after.has_value());
                    more = part.moreAfter;
                    ASSERT_FALSE(part.rows.empty());
                    request.after = *parseCursor(formatCursor(part.cursors.back()));
                }
                request.after.reset();
                std::vector<std::string> backward;
                request.fromEnd = true;
                for (bool more = true; more;) {
                    const auto part = page(records, request);
                    for (auto row = part.rows.rbegin(); row != part.rows.rend(); ++row)
                        backward.push_back(nameOf(*row));
                    EXPECT_EQ(part.moreAfter, request.before.has_value());
                    more = part.moreBefore;
                    ASSERT_FALSE(part.rows.empty());
                    request.before = part.cursors.front();
                    request.fromEnd = false;
                }
                request.before.reset();
                std::reverse(backward.begin(), backward.end());
                std::vector<std::string> whole;
                for (const auto& row : full.rows)
                    whole.push_back(nameOf(row));
                EXPECT_EQ(forward, whole) << order << (descending ? " descending " : " ascending ") << size;
                EXPECT_EQ(backward, whole) << order << (descending ? " descending " : " ascending ") << size;
            }
        }
    }
}

TEST_P(OwnTableReader, PagesStayStableWhileRowsComeGoAndChange)
{
    for (int i = 0; i < 40; ++i)
        addOwn({ .key = "k" + std::to_string(100 + i), .created = -1min * i });
    const auto records = binding("idempotency_records");
    PageRequest request;
    request.order = "created";
    request.limit = 10;
    std::multiset<std::string> seen;
    for (int turn = 0;; ++turn) {
        const auto part = page(records, request);
        for (const auto& row : part.rows)
            seen.insert(row.key);
        if (!part.moreAfter)
            break;
        request.after = part.cursors.back();
        // The row under the cursor goes, a newer one comes, one ahead changes its state.
        run("DELETE FROM idempotency_records WHERE idempotency_key = '" + part.rows.back().key + "'");
        addOwn({ .key = "new" + std::to_string(turn), .created = 1min });
        run("UPDATE idempotency_records SET status = 'SUCCEEDED', updated_at = " + own(5min)
            + " WHERE idempotency_key = 'k13" + std::to_string(turn) + "'");
    }
    EXPECT_EQ(seen.size(), 40U);
    for (int i = 0; i < 40; ++i)
        EXPECT_EQ(seen.count("k" + std::to_string(100 + i)), 1U) << i;
}

TEST_P(OwnTableReader, RefusesWhatCannotBeAsked)
{
    addEveryState();
    const auto records = binding("idempotency_records");
    PageRequest request;
    request.order = "updated";
    EXPECT_EQ(inspector().page(records, request).error().message,
        "The table idempotency_records can be ordered by created, expires, lease, key, not by \"updated\": no index "
        "gives "
        "that order");
    request = {};
    request.limit = 0;
    EXPECT_EQ(inspector().page(records, request).error().failure, Failure::Invalid);
    request = {};
    request.limit = 2;
    request.order = "created";
    const auto first = page(records, request);
    request.order = "expires";
    request.after = first.cursors.back();
    EXPECT_EQ(inspector().page(records, request).error().message,
        "This cursor belongs to another order or table than expires of idempotency_records");
    request.after = Cursor{ { "expires", "7", "x" } };
    EXPECT_EQ(inspector().page(records, request).error().failure, Failure::Invalid);
    const auto inbox = binding("inbox_messages");
    request = {};
    request.filter = *parseFilter("fence = 1");
    EXPECT_EQ(
        inspector().page(inbox, request).error().message, "The table inbox_messages has no \"fence\" to filter by");
    Binding nobody;
    nobody.name = "nothing";
    EXPECT_EQ(inspector().page(nobody, {}).error().message,
        "There is no recognised table \"nothing\"; there are: dead_letters, idempotency_records, inbox_messages, "
        "outbox_messages");
    EXPECT_FALSE(inspector().row(records, { "one" }));
}

TEST_P(OwnTableReader, ReadsOneRowWithItsBodiesAndItsJournal)
{
    addEveryState();
    run("UPDATE idempotency_records SET response_body = " + bytes("7b2261223a317d")
        + ", recovery_data = '[1]', request_headers = '[[\"A\",\"b\"]]', request_body = " + bytes("00ff")
        + " WHERE idempotency_key = 'done'");
    run("INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
        "fence, "
        "attempt, owner, actor, reason, at) VALUES ('s', 'o', 'done', 'ABSENT', 'IN_PROGRESS', 'reserve', 4, 1, "
        "'00000000-0000-4000-8000-000000000004', 'w', '', "
        + own(-40min) + ")");
    const auto records = binding("idempotency_records");
    const auto found = inspector().details(records, { "s", "o", "done" }, 4);
    ASSERT_TRUE(found) << found.error().message << " " << found.error().detail;
    ASSERT_TRUE(*found);
    std::string text;
    for (const auto& payload : (*found)->payloads)
        text += payload.name + ":" + std::to_string(payload.size) + ":" + toHex(payload.bytes) + ":"
            + payload.contentType + " ";
    EXPECT_EQ(text,
        "recovery_data:3:5b315d:application/json request_body:2:00ff:application/octet-stream "
        "request_headers:11:5b5b2241:application/json response_body:7:7b226122:application/json ");
    ASSERT_EQ((*found)->journal.size(), 1U);
    EXPECT_EQ((*found)->journal[0].toState, "IN_PROGRESS");
    EXPECT_EQ((*found)->journal[0].at, now - 40min);
    const auto nobody = inspector().details(records, { "s", "o", "nobody" }, 4);
    ASSERT_TRUE(nobody);
    EXPECT_FALSE(*nobody);
    const auto one = inspector().row(records, { "s", "o", "stuck" });
    ASSERT_TRUE(one);
    EXPECT_EQ((*one)->key, "stuck");
}

TEST_P(OwnTableReader, TellsOfAMessageWhichAttemptsFailedAndWhenItWasDiscarded)
{
    const std::string failed =
        R"([{"attempt": 1, "at": "2026-01-01T00:00:00Z", "owner": "o", "code": "503", "error": "busy"}])";
    run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, attempt, received_at, attempts) "
        "VALUES ('c', 's', 'e', "
        + bytes(std::string(64, '0')) + ", 'FAILED', 1, " + own(-40min) + ", '" + failed + "')");
    run("INSERT INTO outbox_messages (event_id, destination, source, type, aggregatetype, aggregateid, payload, "
        "headers, "
        "status, attempts, attempt, created_at, discarded_at) VALUES ('e', 'https://h', 's', 't', '', '', "
        + bytes("00") + ", '[]', 'DEAD', '" + failed + "', 1, " + own(-40min) + ", " + own(-10min) + ")");
    for (const auto& [table, identity] : { std::pair("inbox_messages", std::vector<std::string>{ "c", "s", "e" }),
             std::pair("outbox_messages", std::vector<std::string>{ "1" }) }) {
        const auto found = inspector().details(binding(table), identity, 1'000);
        ASSERT_TRUE(found && *found) << table;
        const auto& payloads = (*found)->payloads;
        const auto list = std::find_if(
            payloads.begin(), payloads.end(), [](const Payload& payload) { return payload.name == "failed_attempts"; });
        ASSERT_NE(list, payloads.end()) << table;
        const auto attempts = parseAttempts(list->bytes);
        ASSERT_TRUE(attempts && attempts->size() == 1) << list->bytes;
        EXPECT_EQ(attempts->front().code, "503");
    }
    const auto discarded = inspector().row(binding("outbox_messages"), { "1" });
    ASSERT_TRUE(discarded && *discarded);
    EXPECT_EQ((*discarded)->state, "DISCARDED");
    EXPECT_EQ((*discarded)->updatedAt, now - 10min);
}

TEST_P(OwnTableReader, CutsAHugeBodyInTheDatabase)
{
    addEveryState();
    const std::int64_t size = 64LL << 20;
    run("UPDATE idempotency_records SET response_body = "
        + (sqlite() ? "zeroblob(" + std::to_string(size) + ")"
                    : "decode(repeat('00', " + std::to_string(size) + "), 'hex')")
        + " WHERE idempotency_key = 'done'");
    const auto found = inspector().details(binding("idempotency_records"), { "s", "o", "done" }, 1'000);
    ASSERT_TRUE(found) << found.error().message << " " << found.error().detail;
    ASSERT_EQ((*found)->payloads.size(), 1U);
    EXPECT_EQ((*found)->payloads[0].size, size);
    EXPECT_EQ((*found)->payloads[0].bytes.size(), 1'000U);
    EXPECT_EQ(filtered(binding("idempotency_records"), "").rows.size(), 7U);
}

TEST_P(OwnTableReader, IsStillReadWhereTheSchemaIsNewer)
{
    addEveryState();
    const auto newer = std::to_string(store::currentSchemaVersion + 1);
    run("INSERT INTO fencepost_schema (version, applied_at) VALUES (" + newer + ", " + own(0s) + ")");
    const auto records = binding("idempotency_records");
    EXPECT_EQ(records.warnings,
        std::vector<std::string>{ "the database has schema version " + newer + ", which is newer than this Fencepost ("
            + std::to_string(store::currentSchemaVersion) + "): it is only read" });
    EXPECT_FALSE(capability(records, "fence")->allowed);
    EXPECT_EQ(filtered(records, "").rows.size(), 7U);
    EXPECT_EQ(inspector().info()->schemaVersion, store::currentSchemaVersion + 1);
}

TEST_P(OwnTableReader, DescribesTheDatabase)
{
    const auto info = inspector().info();
    ASSERT_TRUE(info) << info.error().message << info.error().detail;
    EXPECT_EQ(info->product, sqlite() ? "SQLite" : "PostgreSQL");
    EXPECT_EQ(info->now, now);
    EXPECT_EQ(info->schemaVersion, store::currentSchemaVersion);
    EXPECT_FALSE(info->readOnly);
    EXPECT_FALSE(info->replica);
    EXPECT_NE(info->location.find(sqlite() ? "test.db" : "/test_"), std::string::npos) << info->location;
    EXPECT_EQ(inspector().info()->identity, info->identity);
    const auto reader = database.connect(store::Access::ReadOnly);
    ASSERT_TRUE(reader);
    const auto other = store::describeDatabase(**reader);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->identity, info->identity);
    EXPECT_TRUE(other->readOnly);
}

TEST_P(OwnTableReader, ShowsTheStatementsOfAVerb)
{
    const auto sql = inspector().sqlOf(binding("idempotency_records"), "fence", {});
    ASSERT_TRUE(sql) << sql.error().message;
    EXPECT_NE(sql->find("UPDATE idempotency_records"), std::string::npos);
    EXPECT_NE(sql->find("INSERT INTO idempotency_transitions"), std::string::npos);
    EXPECT_EQ(inspector().sqlOf(binding("inbox_messages"), "fence", {}).error().failure, Failure::Unsupported);
}

TEST_P(OwnTableReader, HidesTheViewsOfItsOwnRecords)
{
    ASSERT_TRUE(store::initSchema(*connection, true));
    EXPECT_EQ(bindingNames(),
        (std::vector<std::string>{ "dead_letters=fencepost.dead_letters",
            "idempotency_records=fencepost.idempotency_records", "inbox_messages=fencepost.inbox_messages",
            "outbox_messages=fencepost.outbox_messages" }));
}
