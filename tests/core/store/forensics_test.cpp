// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>

#include <QTemporaryDir>

#include "core/copier.h"
#include "core/forensics/alert.h"
#include "core/ids.h"
#include "core/protocol/fingerprint.h"
#include "core/query/moment.h"
#include "core/store/snapshot.h"
#include "core/store/sql_store.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

// The id of an effect in hex, as tests have it.
std::string effectOf(int fence)
{
    const auto digits = std::to_string(fence);
    return std::string(64 - digits.size(), '0') + digits;
}

class ForensicsTest : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        makeOwnTables();
    }

    struct Moved {
        const char* key;
        const char* from;
        const char* to;
        const char* event;
        Duration at; // from now
        int attempt = 1;
        const char* operation = "o";
        int fence = 1;
    };

    void journal(const Moved& moved)
    {
        run("INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
            "fence, attempt, owner, actor, reason, at) VALUES ('s', '"
            + std::string(moved.operation) + "', '" + moved.key + "', '" + moved.from + "', '" + moved.to + "', '"
            + moved.event + "', " + std::to_string(moved.fence) + ", " + std::to_string(moved.attempt)
            + ", '00000000-0000-4000-8000-000000000001', 'w', '', " + own(moved.at) + ")");
    }

    void call(const std::string& key, const std::string& state, Duration at = -1h, int fence = 1)
    {
        run("INSERT INTO outbound_calls (vendor, operation, call_key, scope, operation_type, idempotency_key, step, "
            "state, "
            "owner, fence, sends, open_sends, created_at, updated_at, answer_by, expires_at) VALUES ('psp', 'charge', "
            + bytes(effectOf(++m_calls)) + ", 's', 'o', '" + key + "', 'charge', '" + state
            + "', '00000000-0000-4000-8000-000000000001', " + std::to_string(fence) + ", 1, 0, " + own(at) + ", "
            + own(at) + ", " + own(at + 1min) + ", " + own(24h) + ")");
    }

    void effect(int fence, const std::string& state = "DONE")
    {
        run("INSERT INTO effects (effect_id, fence, state, expires_at) VALUES (" + bytes(effectOf(fence)) + ", "
            + std::to_string(fence) + ", '" + state + "', " + own(24h) + ")");
    }

    std::string brokenBy(const char* rule)
    {
        const auto found = inspector().forensics()->violations(binding("idempotency_records"), rule);
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        std::string words;
        for (const auto& violation : found ? found->violations : std::vector<Violation>())
            for (const auto& row : violation.rows)
                words += row.key + " ";
        return words;
    }

    Violation violation(const char* rule)
    {
        const auto found = inspector().forensics()->violations(binding("idempotency_records"), rule);
        EXPECT_TRUE(found && found->violations.size() == 1) << rule;
        return found && !found->violations.empty() ? found->violations.front() : Violation();
    }

    Flows flows(const std::string& table, const RangeRequest& request = {})
    {
        auto found = inspector().forensics()->flows(binding(table), request);
        EXPECT_TRUE(found) << found.error().message << " " << found.error().detail;
        return found ? *found : Flows();
    }

    static std::vector<std::string> inWordsOf(const Flows& flows)
    {
        std::vector<std::string> words;
        for (const auto& flow : flows.flows)
            words.push_back(flow.from + ">" + flow.to + " " + flow.event + " " + std::to_string(flow.count) + " "
                + std::string(wordOf(flow.nature)));
        return words;
    }

    // In order of their names, each row once.
    std::vector<std::string> keysWhere(const std::string& table, const std::string& filter)
    {
        PageRequest request;
        const auto parsed = parseFilter(filter);
        EXPECT_TRUE(parsed) << filter << ": " << parsed.error().message;
        request.filter = parsed ? *parsed : nullptr;
        request.limit = 1'000;
        const auto page = inspector().page(binding(table), request);
        EXPECT_TRUE(page) << filter << ": " << page.error().message << " " << page.error().detail;
        std::vector<std::string> keys;
        if (page)
            for (const auto& row : page->rows)
                keys.push_back(row.key);
        std::sort(keys.begin(), keys.end());
        return keys;
    }

    void outbox(const std::string& id, const std::string& status, Duration created, const std::string& sent,
        const std::string& attempts, int attempt, const std::string& destination = "http://x")
    {
        run("INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, type, payload, "
            "headers, status, attempt, next_attempt_at, attempts, created_at, sent_at) VALUES ('"
            + id + "', '" + destination + "', 'shop', 'a', '1', 't', " + bytes("7b7d") + ", '[]', '" + status + "', "
            + std::to_string(attempt) + ", " + own(0s) + ", '" + attempts + "', " + own(created) + ", " + sent + ")");
    }

    Retries retries(const std::string& table, const RetriesRequest& request = {})
    {
        auto found = inspector().forensics()->retries(binding(table), request);
        EXPECT_TRUE(found) << found.error().message << " " << found.error().detail;
        return found ? *found : Retries();
    }

    void refuse(const std::string& key, int slot, const std::string& kind, const std::string& principal, int count,
        Duration first, Duration last)
    {
        run("INSERT INTO idempotency_conflicts (scope, operation_type, idempotency_key, slot, presented_hash, kind, "
            "principal, count, first_at, last_at) VALUES ('s', 'o', '"
            + key + "', " + std::to_string(slot) + ", " + bytes(std::string(62, 'c') + std::to_string(10 + slot))
            + ", '" + kind + "', '" + principal + "', " + std::to_string(count) + ", " + own(first) + ", " + own(last)
            + ")");
    }

    struct Letter {
        std::string id;
        std::string kind;
        std::string state = "DEAD";
        Duration dead; // from now
        std::string settled = "NULL";
        std::string attempts = "[]";
        int deaths = 1;
        std::optional<Duration> first = {};
    };

    void letter(const Letter& letter)
    {
        run("INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
            "reason, fingerprint, pattern, attempts, headers, payload_hash, first_at, dead_at, settled_at) VALUES ('"
            + letter.id + "', '" + letter.kind + "', 'ledger', 'shop', '" + letter.id + "', 'http://x', 't', '"
            + letter.state + "', " + std::to_string(letter.deaths) + ", 'c', 'r', 'f', 'p', '" + letter.attempts
            + "', '[]', " + bytes(std::string(64, 'a')) + ", " + own(letter.first.value_or(letter.dead)) + ", "
            + own(letter.dead) + ", " + letter.settled + ")");
    }

    void received(const std::string& id, const std::string& status, Duration at, const std::string& processed,
        const std::string& attempts, int attempt)
    {
        run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at, processed_at, "
            "attempts, attempt) VALUES ('ledger', 'shop', '"
            + id + "', " + bytes(std::string(64, 'a')) + ", '" + status + "', " + own(at) + ", " + processed + ", '"
            + attempts + "', " + std::to_string(attempt) + ")");
    }

    [[nodiscard]] std::string failures(const std::vector<std::pair<int, Duration>>& attempts) const
    {
        std::string list;
        for (const auto& [number, at] : attempts)
            list += (list.empty() ? "" : ",") + std::string(R"({"at":")") + formatInstant(now + at) + R"(","attempt":)"
                + std::to_string(number) + R"(,"code":"timeout","error":"e","owner":"o"})";
        return "[" + list + "]";
    }

    // Of the last hour.
    std::int64_t counted(const std::string& table, const std::string& event, const RangeRequest& request = {})
    {
        std::int64_t count = 0;
        for (const auto& flow : flows(table, request).flows)
            count += flow.event == event ? flow.count : 0;
        return count;
    }
    std::vector<std::string> keysThatHad(
        const std::string& table, const std::string& event, Duration from = -1h, Duration until = 0s)
    {
        return keysWhere(table, filterOf(binding(table).kind, true, { { .event = event } }, now + from, now + until));
    }

private:
    int m_calls = 0;
};

INSTANTIATE_TEST_SUITE_P(Backends, ForensicsTest, bothDialects(), nameOfDialect);

TEST_P(ForensicsTest, CountsEachEdgeOfTheRangeAndJudgesIt)
{
    journal({ "before", "ABSENT", "IN_PROGRESS", "reserve", -61min });
    journal({ "a", "ABSENT", "IN_PROGRESS", "reserve", -60min });
    journal({ "b", "ABSENT", "IN_PROGRESS", "reserve", -59min });
    journal({ "b", "IN_PROGRESS", "SUCCEEDED", "finalize", -58min });
    journal({ "b", "SUCCEEDED", "SUCCEEDED", "mismatch", -57min });
    journal({ "a", "IN_PROGRESS", "IN_PROGRESS", "reserve", -56min, 2 });
    journal({ "a", "IN_PROGRESS", "IN_PROGRESS", "operator_fence", -55min, 2 });
    journal({ "b", "SUCCEEDED", "IN_PROGRESS", "renew", -54min });
    journal({ "b", "NONSENSE", "IN_PROGRESS", "reserve", -53min });
    journal({ "b", "EXPIRED", "SUCCEEDED", "unexpire", -52min });
    journal({ "b", "EXPIRED", "EXPIRED", "reap", -51min });
    journal({ "later", "ABSENT", "IN_PROGRESS", "reserve", 0min });
    const auto hour = flows("idempotency_records");
    EXPECT_THAT(inWordsOf(hour),
        ElementsAre("ABSENT>IN_PROGRESS reserve 2 expected", "EXPIRED>EXPIRED reap 1 expected",
            "EXPIRED>SUCCEEDED unexpire 1 intervened", "IN_PROGRESS>IN_PROGRESS operator_fence 1 intervened",
            "IN_PROGRESS>IN_PROGRESS reserve 1 suspicious", "IN_PROGRESS>SUCCEEDED finalize 1 expected",
            "NONSENSE>IN_PROGRESS reserve 1 illegal", "SUCCEEDED>IN_PROGRESS renew 1 illegal",
            "SUCCEEDED>SUCCEEDED mismatch 1 suspicious"));
    EXPECT_EQ(hour.flows[0].firstAt, now - 60min) << "the beginning is within";
    EXPECT_EQ(hour.flows[0].lastAt, now - 59min) << "the end is not";
    EXPECT_THAT(hour.basis.unread, IsEmpty());
    EXPECT_THAT(hour.basis.cost.sql, HasSubstr("FROM idempotency_transitions"));
    EXPECT_THAT(hour.basis.cost.sql,
        HasSubstr(
            sqlite() ? "at < " + std::to_string(microsOf(now)) : "at < timestamptz '" + formatInstant(now) + "'"));

    EXPECT_EQ(flows("idempotency_records", { .last = 2h }).flows[0].count, 3);
    EXPECT_THAT(inWordsOf(flows("idempotency_records", { .from = now, .until = now + 1s })),
        ElementsAre("ABSENT>IN_PROGRESS reserve 1 expected"));
    const auto backwards =
        inspector().forensics()->flows(binding("idempotency_records"), { .from = now, .until = now });
    ASSERT_FALSE(backwards);
    EXPECT_EQ(backwards.error().failure, Failure::Invalid);
}

// A journal that is too large to be read whole, with commits out of order, numbers that are missing and a clock that
// was once wrong: what is found by halves is what a whole read finds.
TEST_P(ForensicsTest, FindsTheRangeInALargeJournal)
{
    constexpr int rows = 150'000;
    // One a second, every seventh half a minute late.
    const auto instant = sqlite()
        ? std::to_string(microsOf(now)) + " - (150000 - n + CASE WHEN n % 7 = 0 THEN 30 ELSE 0 END) * 1000000"
        : own(0s) + " - (150000 - n + CASE WHEN n % 7 = 0 THEN 30 ELSE 0 END) * interval '1 second'";
    run("INSERT INTO idempotency_transitions (seq, scope, operation_type, idempotency_key, from_state, to_state, "
        "event, "
        "fence, attempt, owner, actor, reason, at) "
        + std::string(sqlite() ? "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 150000) "
                               : "OVERRIDING SYSTEM VALUE ")
        + "SELECT n * 3, 's', 'o', 'k' || n, 'ABSENT', 'IN_PROGRESS', 'reserve', n, 1, "
          "'00000000-0000-4000-8000-000000000001', 'w', '', "
        + instant + (sqlite() ? " FROM c" : " FROM generate_series(1, 150000) AS n"));
    const auto table = binding("idempotency_records");
    for (const auto& [from, until] : { std::pair<Duration, Duration>(-1h, 0s), { -30h, -29h }, { -100h, -40h },
             { -41h, -41h + 1s }, { -300h, 0s }, { 1h, 2h } }) {
        SCOPED_TRACE(formatDuration(-from));
        std::int64_t expected = 0;
        for (int n = 1; n <= rows; ++n) {
            const auto at = -std::chrono::seconds(rows - n + (n % 7 == 0 ? 30 : 0));
            expected += at >= from && at < until ? 1 : 0;
        }
        const auto found = flows(table.name, { .from = now + from, .until = now + until });
        EXPECT_EQ(found.flows.empty() ? 0 : found.flows[0].count, expected);
        if (from < -35h)
            continue;
        run("DELETE FROM idempotency_records");
        run("INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
            "owner_execution_id, fence, created_at, started_at, updated_at, expires_at) SELECT 's', 'o', 'k' || n, "
            + bytes(std::string(64, 'a')) + ", 'FAILED_FINAL', '00000000-0000-4000-8000-000000000001', n, " + own(0s)
            + ", " + own(0s) + ", " + own(0s) + ", " + own(24h)
            + " FROM (SELECT seq / 3 AS n FROM idempotency_transitions) AS j WHERE n % 10 = 0");
        std::int64_t records = 0;
        for (int n = 10; n <= rows; n += 10) {
            const auto at = -std::chrono::seconds(rows - n + (n % 7 == 0 ? 30 : 0));
            records += at >= from && at < until ? 1 : 0;
        }
        const auto filter = parseFilter(
            filterOf(Kind::Idempotency, true, { { "ABSENT", "IN_PROGRESS", "reserve" } }, now + from, now + until));
        ASSERT_TRUE(filter) << filter.error().message;
        const auto counts = inspector().counts(table, *filter, 30s);
        ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
        EXPECT_EQ(counts->total.value, records);
        PageRequest request;
        request.filter = *filter;
        const auto plan = inspector().explain(table, request);
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_THAT(
            *plan, HasSubstr(sqlite() ? "SEARCH j USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" : "(seq >= "));
    }
    // It does not read what it need not.
    const auto hour = flows(table.name);
    EXPECT_THAT(hour.basis.cost.sql, ::testing::Not(HasSubstr("seq >= 3 ")));
}

TEST_P(ForensicsTest, TellsHowMessagesMoved)
{
    const auto inbox = [&](const char* id, const char* status, Duration received, const char* processed,
                           const char* attempts) {
        run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at, processed_at, "
            "attempts) VALUES "
            "('ledger', 'shop', '"
            + std::string(id) + "', " + bytes(std::string(64, 'a')) + ", '" + status + "', " + own(received) + ", "
            + processed + ", '" + attempts + "')");
    };
    const auto attempt = [&](int number, Duration at) {
        return R"({"at":")" + formatInstant(now + at) + R"(","attempt":)" + std::to_string(number)
            + R"(,"code":"timeout","error":"e","owner":"o"})";
    };
    inbox("done", "PROCESSED", -30min, own(-29min).c_str(), "[]");
    inbox("late", "PROCESSED", -30h, own(-10min).c_str(),
        ("[" + attempt(1, -29h) + "," + attempt(2, -20min) + "]").c_str());
    inbox("failing", "FAILED", -40min, "NULL", ("[" + attempt(1, -39min) + "," + attempt(2, -35min) + "]").c_str());
    inbox("dead", "DEAD", -50min, "NULL", ("[" + attempt(1, -49min) + "," + attempt(2, -45min) + "]").c_str());
    const auto buried = [&](const char* id, const char* kind, const char* state, Duration dead, const char* settled,
                            const std::string& attempts) {
        run("INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
            "reason, fingerprint, "
            "pattern, attempts, headers, payload_hash, first_at, dead_at, settled_at) VALUES ('"
            + std::string(id) + "', '" + kind + "', 'ledger', 'shop', '" + id + "', 'http://x', 't', '" + state
            + "', 1, 'c', 'r', 'f', 'p', '" + attempts + "', '[]', " + bytes(std::string(64, 'a')) + ", " + own(dead)
            + ", " + own(dead) + ", " + settled + ")");
    };
    buried("dead", "inbox", "DEAD", -45min, "NULL", "[" + attempt(1, -49min) + "," + attempt(2, -45min) + "]");
    buried("clash", "conflict", "DEAD", -20min, "NULL", "[]");
    buried("sent", "outbox", "REDRIVEN", -55min, own(-5min).c_str(),
        "[" + attempt(1, -56min) + "," + attempt(2, -55min) + "]");
    buried("gone", "outbox", "DISCARDED", -2h, own(-4min).c_str(), "[]");
    EXPECT_THAT(inWordsOf(flows("inbox_messages")),
        ElementsAre("ABSENT>DEAD conflict 1 suspicious", "ABSENT>RECEIVED receive 3 expected",
            "PROCESSING>DEAD die 1 suspicious", "PROCESSING>FAILED fail 4 suspicious",
            "PROCESSING>PROCESSED process 2 expected"))
        << "two of the failing one, one of the late one, and the first of the dead one, whose second was its death";
    EXPECT_THAT(inWordsOf(flows("outbox_messages")),
        ElementsAre("DEAD>DEAD discard 1 intervened", "DEAD>PENDING redrive 1 intervened",
            "SENDING>DEAD die 1 suspicious", "SENDING>PENDING fail 1 suspicious"));
    EXPECT_THAT(inWordsOf(flows("dead_letters")),
        ElementsAre("ABSENT>DEAD die 3 suspicious", "DEAD>DISCARDED discard 1 intervened",
            "DEAD>REDRIVEN redrive 1 intervened"));

    outbox("sent", "SENT", -56min, own(-6min).c_str(), "[" + attempt(1, -55min) + "," + attempt(2, -50min) + "]", 3);
    outbox("gone", "DEAD", -3h, "NULL", "[" + attempt(1, -50min) + "]", 1);
    outbox("broken", "PENDING", -3h, "NULL", "[{\"at\":\"2026", 1);
    const auto keysOf = [&](const char* table, const std::string& event) {
        return keysWhere(table, filterOf(binding(table).kind, true, { { .event = event } }, now - 1h, now));
    };
    EXPECT_THAT(keysOf("inbox_messages", "receive"), ElementsAre("dead", "done", "failing"));
    EXPECT_THAT(keysOf("inbox_messages", "process"), ElementsAre("done", "late"));
    EXPECT_THAT(keysOf("inbox_messages", "fail"), ElementsAre("dead", "failing", "late"));
    EXPECT_THAT(keysOf("inbox_messages", "die"), ElementsAre("dead"));
    EXPECT_THAT(keysOf("inbox_messages", "conflict"), IsEmpty()) << "the row is not there, only its letter";
    EXPECT_THAT(keysOf("inbox_messages", "redrive"), IsEmpty());
    EXPECT_THAT(keysOf("outbox_messages", "die"), ElementsAre("sent"));
    EXPECT_THAT(keysOf("outbox_messages", "redrive"), ElementsAre("sent"));
    EXPECT_THAT(keysOf("outbox_messages", "discard"), ElementsAre("gone"));
    EXPECT_THAT(keysOf("outbox_messages", "write"), ElementsAre("sent"));
    EXPECT_THAT(keysOf("outbox_messages", "send"), ElementsAre("sent"));
    EXPECT_THAT(keysOf("outbox_messages", "fail"), ElementsAre("sent")) << "one attempt was the last before a death";
    EXPECT_THAT(keysOf("dead_letters", "die"), ElementsAre("clash", "dead", "sent"));
    EXPECT_THAT(keysOf("dead_letters", "redrive"), ElementsAre("sent"));
    for (const char* wrong : { "had(event = dance)", "had(at > 2026-01-01)", "had(event = die and attempt = 2)" }) {
        PageRequest request;
        request.filter = *parseFilter(wrong);
        const auto none = inspector().page(binding("dead_letters"), request);
        ASSERT_FALSE(none) << wrong;
        EXPECT_EQ(none.error().failure, Failure::Invalid);
    }
}

// A journal has the first of what is refused again and again: the others are counted beside it.
TEST_P(ForensicsTest, CountsEveryRefusedArrival)
{
    addOwn({ .key = "spike", .status = "SUCCEEDED", .created = -3h, .lease = {}, .fence = 4, .code = 201 });
    addOwn({ .key = "slow", .status = "SUCCEEDED", .created = -30h, .lease = {}, .fence = 5, .code = 201 });
    journal({ "spike", "IN_PROGRESS", "SUCCEEDED", "finalize", -2h });
    journal({ "spike", "SUCCEEDED", "SUCCEEDED", "mismatch", -5s });
    refuse("spike", 1, "mismatch", "tenant_1", 20, -5s, -4s);
    refuse("spike", 9, "fenced", "worker", 7, -5s, -4s);
    const auto conflicts = [&](const RangeRequest& range) {
        const auto found = inspector().forensics()->conflicts(binding("idempotency_records"), { range });
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        std::int64_t arrivals = 0;
        if (found)
            for (const auto& each : found->newest)
                arrivals += each.within.count;
        std::int64_t clustered = 0;
        if (found)
            for (const auto& each : found->clusters)
                clustered += each.arrivals;
        EXPECT_EQ(clustered, arrivals);
        return arrivals;
    };
    EXPECT_THAT(inWordsOf(flows("idempotency_records")), ElementsAre("SUCCEEDED>SUCCEEDED mismatch 20 suspicious"));
    EXPECT_EQ(conflicts({}), 20);
    EXPECT_THAT(flows("idempotency_records").basis.notes, IsEmpty());
    const auto rule = parseAlertRule("conflicts > 10 in 5m");
    ASSERT_TRUE(rule);
    const auto spike = readAlert(inspector(), *rule, 10s);
    ASSERT_TRUE(spike) << spike.error().message;
    EXPECT_EQ(spike->value, 20);
    EXPECT_FALSE(spike->estimated);

    // 101 in 100 minutes: one of each minute, the first and the last are known.
    journal({ "slow", "SUCCEEDED", "SUCCEEDED", "mismatch", -20h });
    refuse("slow", 1, "mismatch", "tenant_2", 101, -20h, -20h + 100min);
    const RangeRequest within{ .from = now - 20h + 10min, .until = now - 20h + 20min };
    EXPECT_NEAR(static_cast<double>(counted("idempotency_records", "mismatch", within)), 10, 1);
    EXPECT_EQ(conflicts(within), counted("idempotency_records", "mismatch", within));
    EXPECT_THAT(flows("idempotency_records", within).basis.notes, ElementsAre(HasSubstr("estimate")));
    EXPECT_THAT(keysThatHad("idempotency_records", "mismatch", -20h + 10min, -20h + 20min), ElementsAre("slow"));
    EXPECT_THAT(keysThatHad("idempotency_records", "mismatch"), ElementsAre("spike"));
    EXPECT_THAT(keysThatHad("idempotency_records", "mismatch", -21h, -20h), IsEmpty());
    const RangeRequest whole{ .last = 24h };
    EXPECT_EQ(counted("idempotency_records", "mismatch", whole), 121);
    EXPECT_EQ(conflicts(whole), 121);
    const RangeRequest first{ .from = now - 21h, .until = now - 20h + 1us };
    EXPECT_EQ(conflicts(first), 1);
    EXPECT_EQ(counted("idempotency_records", "mismatch", first), 1);
    const RangeRequest last{ .from = now - 20h + 100min, .until = now - 1h };
    EXPECT_EQ(conflicts(last), 1);
    EXPECT_EQ(counted("idempotency_records", "mismatch", last), 1);

    // An imported log tells of each arrival in the journal as well.
    for (int n = 1; n < 20; ++n)
        journal({ "spike", "SUCCEEDED", "SUCCEEDED", "mismatch", -4s });
    EXPECT_EQ(counted("idempotency_records", "mismatch"), 20);

    letter({ .id = "clash", .kind = "conflict", .dead = -1min, .deaths = 12, .first = -3min });
    EXPECT_EQ(counted("inbox_messages", "conflict"), 12);
    EXPECT_EQ(counted("dead_letters", "die"), 12);
    EXPECT_THAT(keysThatHad("dead_letters", "die", -2min, -90s), ElementsAre("clash"));
}

// An event that died, was redriven and went through: what it died of failed once, and each of its deaths is one.
TEST_P(ForensicsTest, CountsWhatARedrivenMessageFailedAndDiedOfOnce)
{
    const auto fourth = failures({ { 1, -50min }, { 2, -49min }, { 3, -48min }, { 4, -47min } });
    outbox("sent", "SENT", -51min, own(-40min), fourth, 1);
    letter({ .id = "sent",
        .kind = "outbox",
        .state = "REDRIVEN",
        .dead = -47min,
        .settled = own(-45min),
        .attempts = fourth });
    const auto twice = failures({ { 1, -38min }, { 2, -37min }, { 1, -30min }, { 2, -29min } });
    outbox("twice", "PENDING", -39min, "NULL", twice, 0);
    letter({ .id = "twice",
        .kind = "outbox",
        .state = "REDRIVEN",
        .dead = -29min,
        .settled = own(-28min),
        .attempts = twice,
        .deaths = 2,
        .first = -38min });
    const auto again = failures({ { 1, -20min }, { 1, -15min } });
    outbox("again", "PENDING", -21min, "NULL", again, 1);
    letter({ .id = "again",
        .kind = "outbox",
        .state = "REDRIVEN",
        .dead = -20min,
        .settled = own(-18min),
        .attempts = failures({ { 1, -20min } }) });
    EXPECT_EQ(counted("outbox_messages", "fail"), 3 + 2 + 1);
    EXPECT_EQ(counted("outbox_messages", "die"), 1 + 2 + 1);
    EXPECT_EQ(counted("dead_letters", "die"), 4);
    EXPECT_THAT(keysThatHad("outbox_messages", "fail"), ElementsAre("again", "sent", "twice"));
    EXPECT_THAT(keysThatHad("outbox_messages", "fail", -47min, -46min), IsEmpty()) << "it died of that one";
    EXPECT_THAT(keysThatHad("outbox_messages", "die", -47min, -46min), ElementsAre("sent"));
    EXPECT_THAT(keysThatHad("outbox_messages", "die", -37min, -36min), ElementsAre("twice"));
    EXPECT_THAT(keysThatHad("dead_letters", "die", -37min, -36min), ElementsAre("twice"));
    EXPECT_THAT(keysThatHad("outbox_messages", "die", -36min, -30min), IsEmpty());
    EXPECT_THAT(keysThatHad("outbox_messages", "fail", -29min, -28min), IsEmpty());
    EXPECT_THAT(keysThatHad("outbox_messages", "fail", -15min, -14min), ElementsAre("again"));

    received("done", "PROCESSED", -30min, own(-10min), failures({ { 1, -29min }, { 2, -28min } }), 1);
    letter({ .id = "done",
        .kind = "inbox",
        .state = "REDRIVEN",
        .dead = -28min,
        .settled = own(-11min),
        .attempts = failures({ { 1, -29min }, { 2, -28min } }) });
    EXPECT_EQ(counted("inbox_messages", "fail"), 1);
    EXPECT_EQ(counted("inbox_messages", "die"), 1);
    EXPECT_THAT(keysThatHad("inbox_messages", "fail", -28min, -27min), IsEmpty());
    EXPECT_THAT(keysThatHad("inbox_messages", "fail", -29min, -28min), ElementsAre("done"));
}

// However many rows took an edge, and whatever they are now, the filter of it finds them all and no other.
TEST_P(ForensicsTest, TheFilterOfAnEdgeFindsExactlyTheRowsThatTookIt)
{
    constexpr int rows = 700;
    for (int n = 0; n < rows; ++n)
        addOwn({ .key = "k" + std::to_string(n), .fence = n + 1 });
    addOwn({ .key = "other", .fence = rows + 1 });
    run("INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
        "fence, attempt, owner, actor, reason, at) SELECT scope, operation_type, idempotency_key, 'ABSENT', "
        "'IN_PROGRESS', 'reserve', 1, 1, 'o', 'w', '', "
        + own(-10min) + " FROM idempotency_records WHERE idempotency_key <> 'other'");
    journal({ "other", "ABSENT", "IN_PROGRESS", "reserve", -2h });
    journal({ "other", "IN_PROGRESS", "FAILED_RETRYABLE", "fail", -30min });
    journal({ "k1", "IN_PROGRESS", "FAILED_RETRYABLE", "fail", -9min });
    journal({ "k1", "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", -8min, 2 });
    journal({ "k1", "IN_PROGRESS", "FAILED_RETRYABLE", "fail", -7min, 2 });
    const auto moved = flows("idempotency_records");
    const auto filter = [&](const char* event, const char* from) {
        std::vector<Flow> edge;
        std::copy_if(moved.flows.begin(), moved.flows.end(), std::back_inserter(edge),
            [&](const Flow& flow) { return flow.event == event && flow.from == from; });
        EXPECT_FALSE(edge.empty()) << event;
        return filterOf(Kind::Idempotency, true, edge, moved.basis.range.from, moved.basis.range.until);
    };
    const auto all = filter("reserve", "ABSENT");
    EXPECT_LT(all.size(), 300U);
    const auto table = binding("idempotency_records");
    const auto parsed = parseFilter(all);
    ASSERT_TRUE(parsed) << parsed.error().message;
    const auto counts = inspector().counts(table, *parsed, 10s);
    ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
    EXPECT_EQ(counts->total.value, rows);
    EXPECT_EQ(keysWhere("idempotency_records", all).size(), std::size_t(rows));
    EXPECT_THAT(keysWhere("idempotency_records", filter("fail", "IN_PROGRESS")), ElementsAre("k1", "other"));
    EXPECT_THAT(
        keysWhere("idempotency_records", filter("fail", "IN_PROGRESS") + " and key != k1"), ElementsAre("other"));
    EXPECT_THAT(keysWhere("idempotency_records", "had(delay >= 1m and delay < 61s)"), ElementsAre("k1"));
    EXPECT_THAT(keysWhere("idempotency_records", "had(took >= 2m and took < 121s)"), ElementsAre("k1"));
    EXPECT_THAT(keysWhere("idempotency_records", "had(took >= 90m)"), ElementsAre("other"));
    EXPECT_EQ(keysWhere("idempotency_records", "not had(event = fail)").size(), std::size_t(rows) - 1);
}

TEST_P(ForensicsTest, TellsOfAnothersTableWhatArrived)
{
    makeLayout("playbook");
    const auto named = bindingNames();
    const auto found = std::find_if(
        named.begin(), named.end(), [](const std::string& name) { return name.find("playbook") != std::string::npos; });
    ASSERT_NE(found, named.end());
    const auto table = found->substr(0, found->find('='));
    EXPECT_THAT(flows(table).flows, IsEmpty());
    EXPECT_THAT(retries(table).rates, IsEmpty());
}

// A window that moves on with time looks at the same outage.
TEST_P(ForensicsTest, WhereMostFailedDoesNotMoveWithTheRange)
{
    int place = 0;
    for (const Duration failed : std::initializer_list<Duration>{ -40min, -30min + 9s, -30min + 11s }) {
        const auto key = "k" + std::to_string(++place);
        journal({ key.c_str(), "ABSENT", "IN_PROGRESS", "reserve", failed - 1s });
        journal({ key.c_str(), "IN_PROGRESS", "FAILED_RETRYABLE", "fail", failed });
    }
    std::set<Time> peaks;
    for (int second = 0; second < 10; ++second) {
        RetriesRequest request;
        request.range.from = now - 1h + std::chrono::seconds(second);
        request.range.until = now;
        const auto found = retries("idempotency_records", request);
        ASSERT_TRUE(found.peak);
        peaks.insert(*found.peak);
    }
    EXPECT_THAT(peaks, ::testing::SizeIs(1));
}

TEST_P(ForensicsTest, MeasuresDelaysAgainstWhatWasPromised)
{
    // The second attempts come 10 s, 60 s and 200 s after the failure.
    int place = 0;
    for (const auto delay : { 10s, 60s, 200s }) {
        const auto key = "k" + std::to_string(++place);
        const Duration begin = -50min + place * 1min;
        journal({ key.c_str(), "ABSENT", "IN_PROGRESS", "reserve", begin });
        journal({ key.c_str(), "IN_PROGRESS", "FAILED_RETRYABLE", "fail", begin + 1s });
        journal({ key.c_str(), "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", begin + 1s + delay, 2 });
        journal({ key.c_str(), "IN_PROGRESS", "SUCCEEDED", "finalize", begin + 5s + delay, 2 });
    }
    journal({ "once", "ABSENT", "IN_PROGRESS", "reserve", -10min });
    journal({ "once", "IN_PROGRESS", "SUCCEEDED", "finalize", -10min + 2s });
    addOwn({ .key = "once", .status = "SUCCEEDED", .created = -10min, .lease = {}, .fence = 4, .code = 201 });
    addOwn(
        { .key = "k1", .status = "SUCCEEDED", .created = -49min, .lease = {}, .fence = 5, .attempt = 2, .code = 201 });
    addOwn({ .key = "older",
        .status = "SUCCEEDED",
        .created = -90min,
        .lease = {},
        .fence = 6,
        .attempt = 9,
        .code = 201 });
    RetriesRequest request;
    request.promise = [](const std::string& scope, const std::string& operation, int attempt) {
        EXPECT_EQ(scope, "s");
        EXPECT_EQ(operation, "o");
        EXPECT_EQ(attempt, 2);
        return std::optional(retry::DelayRange{ 30s, 90s });
    };
    request.rates = 6;
    const auto found = retries("idempotency_records", request);
    EXPECT_THAT(found.attempts, ElementsAre(AttemptCount{ 1, "SUCCEEDED", 1 }, AttemptCount{ 2, "SUCCEEDED", 1 }));
    ASSERT_EQ(found.delays.size(), 1U);
    EXPECT_EQ(found.delays[0].delays.count(), 3);
    EXPECT_EQ(found.delays[0].delays.least(), 10s);
    EXPECT_EQ(found.delays[0].delays.most(), 200s);
    EXPECT_EQ(found.delays[0].early, 1);
    EXPECT_EQ(found.delays[0].late, 1);
    EXPECT_EQ(found.timeToSuccess.count(), 4);
    EXPECT_EQ(found.timeToSuccess.least(), 2s);
    EXPECT_EQ(found.timeToSuccess.most(), 205s);
    EXPECT_THAT(found.successAfter, ElementsAre(AttemptCount{ 1, "SUCCEEDED", 1 }, AttemptCount{ 2, "SUCCEEDED", 3 }));
    ASSERT_EQ(found.rates.size(), 6U);
    EXPECT_EQ(found.rates[1].first, 3);
    EXPECT_EQ(found.rates[1].again, 3);
    EXPECT_EQ(found.rates[5].first, 1);
    EXPECT_DOUBLE_EQ(amplificationOf(found.rates), 7.0 / 4);
    ASSERT_TRUE(found.peak);
    EXPECT_EQ(found.arrivalsRange.until - found.arrivalsRange.from, 70s);
    std::int64_t arrived = 0;
    for (const auto& arrival : found.arrivals)
        arrived += arrival.count;
    EXPECT_GE(arrived, 1);
    EXPECT_THAT(found.basis.unread, IsEmpty());
}

// The last attempt of a message is no entry of its list where it succeeded: its own instant tells of it.
TEST_P(ForensicsTest, MeasuresTheDelayBeforeTheAttemptThatSucceeded)
{
    const auto attempt = [&](int number, Duration at) {
        return R"({"at":")" + formatInstant(now + at) + R"(","attempt":)" + std::to_string(number)
            + R"(,"code":"timeout","error":"e","owner":"o"})";
    };
    outbox("sent", "SENT", -30min, own(-10min).c_str(), "[" + attempt(1, -20min) + "," + attempt(2, -15min) + "]", 3);
    outbox("soon", "SENT", -30min, own(-10min).c_str(), "[" + attempt(1, -11min) + "]", 2);
    outbox("elsewhere", "SENT", -30min, own(-10min).c_str(), "[" + attempt(1, -11min) + "]", 2, "http://y");
    outbox("dead", "DEAD", -30min, "NULL", "[" + attempt(1, -20min) + "," + attempt(2, -19min) + "]", 2);
    outbox(
        "redriven", "SENT", -30min, own(-1min).c_str(), "[" + attempt(1, -20min) + "," + attempt(2, -19min) + "]", 1);
    outbox("early", "SENT", -3h, own(-2h).c_str(), "[" + attempt(1, -150min) + "]", 2);
    const auto found = retries("outbox_messages");
    std::map<std::string, std::int64_t> counts;
    const std::map<std::string, std::vector<std::string>> expected{ { "http://x 2",
                                                                        { "dead", "redriven", "sent", "soon" } },
        { "http://x 3", { "sent" } }, { "http://y 2", { "elsewhere" } } };
    for (const auto& delays : found.delays) {
        counts[delays.operation + " " + std::to_string(delays.attempt)] = delays.delays.count();
        Moment moment{ .event = "attempt", .attempt = delays.attempt, .since = now - 1h, .until = now };
        const auto whose = equalTerm(Field::Queue, delays.operation) + " and ";
        for (const auto& step : delays.delays.steps()) {
            moment.delay = SpanRange{ step.from, step.until };
            EXPECT_EQ(keysWhere("outbox_messages", whose + filterOf(moment)).size(), std::size_t(step.count))
                << whose << filterOf(moment);
        }
        moment.delay.reset();
        const auto all =
            keysWhere("outbox_messages", whose + filterOf(moment) + " and had(event = attempt and delay >= 0s)");
        const auto wanted = expected.find(delays.operation + " " + std::to_string(delays.attempt));
        ASSERT_NE(wanted, expected.end()) << delays.operation << delays.attempt;
        EXPECT_EQ(all, wanted->second);
    }
    EXPECT_THAT(
        counts, ElementsAre(std::pair("http://x 2", 4), std::pair("http://x 3", 1), std::pair("http://y 2", 1)));
    run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at, processed_at, "
        "attempt, attempts) VALUES ('ledger', 'shop', 'done', "
        + bytes(std::string(64, 'a')) + ", 'PROCESSED', " + own(-30min) + ", " + own(-10min) + ", 2, '["
        + attempt(1, -12min) + "]')");
    const auto inbox = retries("inbox_messages");
    ASSERT_EQ(inbox.delays.size(), 1U);
    EXPECT_EQ(inbox.delays[0].delays.least(), 2min);
    EXPECT_THAT(keysWhere("inbox_messages", "scope = ledger and had(event = attempt and attempt = 2 and delay = 2m)"),
        ElementsAre("done"));
}

TEST_P(ForensicsTest, ListsConflictsAndWhoPresentedThem)
{
    addOwn({ .key = "a", .status = "SUCCEEDED", .created = -3h, .lease = {}, .fence = 4, .code = 201 });
    refuse("a", 1, "mismatch", "tenant_1", 4, -2h, -1h);
    refuse("a", 2, "mismatch", "tenant_1", 1, -30min, -30min);
    refuse("a", 9, "fenced", "worker", 1, -10min, -10min);
    refuse("gone", 1, "mismatch", "tenant_2", 2, -50min, -40min);
    refuse("ancient", 1, "mismatch", "tenant_1", 2, -500h, -499h);
    auto* forensics = inspector().forensics();
    const auto table = binding("idempotency_records");
    const auto found = forensics->conflicts(table, { .range = { .last = 24h } });
    ASSERT_TRUE(found) << found.error().message << found.error().detail;
    ASSERT_EQ(found->newest.size(), 3U);
    EXPECT_EQ(found->newest[0].conflict.count, 1);
    EXPECT_EQ(found->newest[0].conflict.id, (RecordId{ "s", "o", "a" }));
    EXPECT_EQ(found->newest[0].state, "SUCCEEDED");
    ASSERT_TRUE(found->newest[0].keptHash);
    EXPECT_EQ(*found->newest[0].keptHash, Bytes(32, '\xAB'));
    EXPECT_EQ(found->newest[1].conflict.id.key, "gone");
    EXPECT_FALSE(found->newest[1].keptHash) << "its record is gone";
    ASSERT_EQ(found->clusters.size(), 2U);
    EXPECT_EQ(found->clusters[0].principal, "tenant_1");
    EXPECT_EQ(found->clusters[0].keys, 1);
    EXPECT_EQ(found->clusters[0].arrivals, 5);
    EXPECT_EQ(found->clusters[0].firstAt, now - 2h);
    EXPECT_EQ(found->clusters[1].arrivals, 2);
    const auto all = forensics->conflicts(table, { .range = { .last = 24h * 365 }, .most = 2 });
    ASSERT_TRUE(all);
    EXPECT_EQ(all->newest.size(), 2U);
    EXPECT_EQ(all->clusters[0].keys, 2) << "clusters are of all, whatever is listed";

    const auto one = forensics->conflictCase(table, { "s", "o", "a" });
    ASSERT_TRUE(one) << one.error().message;
    ASSERT_TRUE(*one);
    EXPECT_EQ((*one)->conflicts.size(), 3U);
    EXPECT_EQ((*one)->record.id.key, "a");
    const auto none = forensics->conflictCase(table, { "s", "o", "gone" });
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    const auto outbox = forensics->conflicts(binding("outbox_messages"), {});
    ASSERT_FALSE(outbox);
    EXPECT_EQ(outbox.error().failure, Failure::Unsupported);
}

TEST_P(ForensicsTest, ExplainsWhatTheInboxRefused)
{
    const std::string kept = R"({"amount": 1000, "currency": "EUR"})";
    const std::string other = R"({"amount": 2000, "currency": "EUR"})";
    const auto event = [&](const std::string& id) {
        run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at) VALUES "
            "('mail', 'shop', '"
            + id + "', " + bytes(toHex(payloadDigest(kept))) + ", 'RECEIVED', " + own(-2h) + ")");
    };
    const auto letter = [&](const std::string& id, const std::string& consumer, const std::string& payload) {
        run("INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
            "reason, fingerprint, pattern, attempts, headers, payload, payload_hash, first_at, dead_at) VALUES ('"
            + id + consumer + "', 'conflict', '" + consumer + "', 'shop', '" + id
            + "', 'd', 't', 'DEAD', 3, 'conflict', 'r', 'f', 'p', '[]', '[]', " + bytes(toHex(payload)) + ", "
            + bytes(toHex(payloadDigest(payload))) + ", " + own(-1h) + ", " + own(-30min) + ")");
    };
    event("e1");
    event("e2");
    letter("e1", "mail", other);
    letter("e1", "ledger", kept);
    letter("gone", "mail", other);
    run(std::string("INSERT INTO outbox_messages (") + (sqlite() ? "seq, " : "")
        + "event_id, destination, source, aggregatetype, aggregateid, type, payload, headers, status, next_attempt_at, "
          "attempts, created_at) VALUES ("
        + (sqlite() ? "1, " : "") + "'e1', 'http://x', 'shop', 'a', '1', 't', " + bytes(toHex(kept))
        + ", '[]', 'PENDING', " + own(1h) + ", '[]', " + own(-2h) + ")");
    auto* forensics = inspector().forensics();
    const auto table = binding("inbox_messages");
    const auto found = forensics->conflictCase(table, { "mail", "shop", "e1" });
    ASSERT_TRUE(found) << found.error().message << found.error().detail;
    ASSERT_TRUE(*found);
    EXPECT_TRUE((*found)->payloadAlone);
    ASSERT_EQ((*found)->conflicts.size(), 1U) << "another consumer's is its own";
    EXPECT_EQ((*found)->conflicts[0].count, 3);
    EXPECT_EQ((*found)->record.requestBody, kept);
    const auto same = explainConflict(**found, { .body = R"({"currency":"EUR","amount":1e3})" });
    EXPECT_EQ(same.match, Match::Same);
    EXPECT_EQ(same.failed, FailedCheck::None);
    ASSERT_TRUE(same.bodies);
    EXPECT_TRUE(same.bodies->same);
    EXPECT_FALSE(same.bodies->benign.empty());
    const auto refused = explainConflict(**found, { .body = other });
    EXPECT_EQ(refused.match, Match::Refused);
    EXPECT_EQ(refused.failed, FailedCheck::Body);
    ASSERT_TRUE(refused.bodies);
    ASSERT_EQ(refused.bodies->differences.size(), 1U);
    EXPECT_EQ(refused.bodies->differences[0].place, "/amount");
    EXPECT_EQ(explainConflict(**found, { .body = "{}" }).match, Match::Other);

    const auto alone = forensics->conflictCase(table, { "mail", "shop", "e2" });
    ASSERT_TRUE(alone && *alone);
    EXPECT_FALSE((*alone)->record.requestBody);
    const auto byHash = explainConflict(**alone, { .body = other });
    EXPECT_EQ(byHash.failed, FailedCheck::Body);
    EXPECT_FALSE(byHash.bodies);
    EXPECT_EQ(explainConflict(**alone, { .body = kept }).match, Match::Same);
    const auto gone = forensics->conflictCase(table, { "mail", "shop", "gone" });
    ASSERT_TRUE(gone && *gone) << "its letter is there";
    EXPECT_EQ(explainConflict(**gone, { .body = other }).match, Match::Refused);
    EXPECT_EQ(explainConflict(**gone, { .body = kept }).match, Match::Unknown);
    const auto none = forensics->conflictCase(table, { "mail", "shop", "never" });
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

// Each rule is broken once, beside rows that keep it: it finds that one row and nothing else finds anything.
TEST_P(ForensicsTest, EveryInvariantFindsWhatBreaksItAndNothingElse)
{
    const std::string zero = sqlite() ? "0" : "FALSE";
    const std::string hash = bytes(std::string(64, 'a'));
    // What keeps all of them.
    addOwn({ .key = "live", .created = -1min, .fence = 1 });
    addOwn({ .key = "done", .status = "SUCCEEDED", .created = -40min, .lease = {}, .fence = 2, .code = 201 });
    addOwn({ .key = "held", .created = -30min, .lease = -20min, .hold = true, .fence = 3 });
    addOwn({ .key = "over",
        .status = "SUCCEEDED",
        .created = -90h,
        .expires = -1h,
        .lease = {},
        .fence = 4,
        .code = 200 });
    for (const auto* key : { "live", "done", "held", "over" })
        journal({ key, "ABSENT", "IN_PROGRESS", "reserve", -100h });
    run("UPDATE idempotency_records SET response_ref_type = 'refunds', response_ref_id = 'rf_' || idempotency_key "
        "WHERE status = 'SUCCEEDED'");
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 50" : "SELECT setval('idempotency_fence_seq', 50)");
    const auto inbox = [&](const std::string& id, const std::string& status, const std::string& more = "",
                           const std::string& values = "") {
        run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at" + more
            + ") VALUES ('ledger', 'shop', '" + id + "', " + hash + ", '" + status + "', " + own(-1h) + values + ")");
    };
    const auto done = [&](const std::string& version) { return ", " + own(-50min) + ", 'ok', 'order_1', " + version; };
    inbox("i1", "PROCESSED", ", processed_at, result, subject, version", done("4"));
    inbox("i2", "PROCESSED", ", processed_at, result, subject, version", done("5"));
    inbox("i3", "PROCESSING", ", owner, lease_expires_at", ", '00000000-0000-4000-8000-000000000001', " + own(1min));
    int seq = 0;
    const auto outbox = [&](const std::string& id, const std::string& status, const std::string& lane = "NULL",
                            const std::string& record = "NULL", Duration lease = 1min) {
        run(std::string("INSERT INTO outbox_messages (") + (sqlite() ? "seq, " : "")
            + "event_id, destination, source, aggregatetype, aggregateid, type, "
              "ordering_key, payload, headers, status, owner, lease_expires_at, next_attempt_at, attempts, scope, "
              "operation_type, "
              "idempotency_key, created_at, sent_at) VALUES ("
            + (sqlite() ? std::to_string(++seq) + ", " : std::string()) + "'" + id
            + "', 'http://x', 'shop', 'a', '1', 't', " + lane + ", " + bytes("7b7d") + ", '[]', '" + status
            + "', '00000000-0000-4000-8000-000000000001', " + own(lease) + ", " + own(1h) + ", '[]', 's', 'o', "
            + record + ", " + own(-1h) + ", " + (status == "SENT" ? own(-30min) : "NULL") + ")");
    };
    outbox("o1", "PENDING", "'lane'", "'done'");
    outbox("o2", "SENDING");
    outbox("o3", "SENT", "'lane'", "'live'");
    const auto letter = [&](const std::string& id, const std::string& kind, const std::string& state = "DEAD") {
        run("INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
            "reason, "
            "fingerprint, pattern, attempts, headers, payload, payload_hash, first_at, dead_at) VALUES ('"
            + id + "', '" + kind + "', " + (kind == "outbox" ? "''" : "'ledger'") + ", 'shop', '" + id
            + "', 'http://x', 't', '" + state + "', 1, 'c', 'r', 'f', 'p', '[]', '[]', " + bytes("7b7d") + ", " + hash
            + ", " + own(-1h) + ", " + own(-1h) + ")");
    };
    letter("l1", "outbox");
    outbox("l1", "DEAD");
    letter("l2", "inbox");
    inbox("l2", "DEAD");
    const auto found = [&] {
        std::map<std::string, std::string> keys;
        for (const auto* table : { "idempotency_records", "inbox_messages", "outbox_messages", "dead_letters" }) {
            const auto violations = inspector().forensics()->violations(binding(table));
            EXPECT_TRUE(violations) << violations.error().message << violations.error().detail;
            if (!violations)
                continue;
            EXPECT_THAT(violations->basis.unread, IsEmpty());
            for (const auto& violation : violations->violations) {
                for (const auto& row : violation.rows)
                    keys[violation.invariant->id] += row.key + " ";
                EXPECT_EQ(violation.filter.empty(), !violation.invariant->viewed) << violation.invariant->id;
                if (violation.filter.empty())
                    continue;
                const auto view = filtered(binding(table), violation.filter);
                EXPECT_EQ(static_cast<std::int64_t>(view.rows.size()), violation.count) << violation.filter;
            }
        }
        return keys;
    };
    addOwn({ .key = "declined", .status = "FAILED_FINAL", .lease = {}, .fence = 15, .code = 402 });
    call("declined", "FAILED");
    call("done", "DONE");
    EXPECT_THAT(found(), IsEmpty());

    addOwn({ .key = "paid", .status = "FAILED_FINAL", .lease = {}, .fence = 16, .code = 500 });
    call("paid", "DONE", -5min);
    call("paid", "DONE", -5min);
    addOwn({ .key = "anew", .status = "FAILED_FINAL", .lease = {}, .fence = 18, .code = 402 });
    call("anew", "DONE", -1h); // of another request that had the key before
    addOwn({ .key = "lapsed", .created = -20min, .lease = -5min, .fence = 5 });
    addOwn({ .key = "silent", .status = "SUCCEEDED", .lease = {}, .fence = 6 });
    addOwn({ .key = "twin_a", .status = "SUCCEEDED", .lease = {}, .fence = 7, .code = 201 });
    addOwn({ .key = "twin_b", .status = "SUCCEEDED", .lease = {}, .fence = 8, .code = 201 });
    run("UPDATE idempotency_records SET response_ref_type = 'refunds', response_ref_id = 'same' WHERE idempotency_key "
        "LIKE 'twin%'");
    addOwn({ .key = "many", .status = "FAILED_RETRYABLE", .lease = {}, .fence = 9, .attempt = 6 });
    run("UPDATE idempotency_records SET max_attempts = 5 WHERE idempotency_key = 'many'");
    addOwn({ .key = "brief", .status = "FAILED_RETRYABLE", .expires = 1h, .lease = {}, .fence = 10 });
    run("UPDATE idempotency_records SET not_before = " + own(2h) + " WHERE idempotency_key = 'brief'");
    addOwn({ .key = "lower", .status = "SUCCEEDED", .lease = {}, .fence = 0, .code = 201 });
    journal({ "lower", "ABSENT", "IN_PROGRESS", "reserve", -2h });
    addOwn({ .key = "foreign", .status = "SUCCEEDED", .lease = {}, .fence = 51, .code = 201 });
    journal({ "done", "SUCCEEDED", "IN_PROGRESS", "renew", -2h });
    addOwn({ .key = "endless", .expires = 100h, .lease = 25h, .fence = 11 });
    addOwn({ .key = "tomorrow", .status = "SUCCEEDED", .created = 6min, .lease = {}, .fence = 12, .code = 201 });
    addOwn({ .key = "forgotten", .created = -25h, .expires = 48h, .lease = -24h, .hold = true, .fence = 13 });
    inbox(
        "lapsed", "PROCESSING", ", owner, lease_expires_at", ", '00000000-0000-4000-8000-000000000001', " + own(-1min));
    inbox("mute", "PROCESSED");
    inbox("i5", "PROCESSED", ", processed_at, result, subject, version", done("7"));
    inbox("lost", "DEAD");
    outbox("orphan", "PENDING", "NULL", "'never'");
    call("vanished", "DONE");
    effect(17);
    outbox("left", "SENDING", "NULL", "NULL", -1min);
    outbox("unseen", "DEAD");
    letter("head", "outbox");
    outbox("head", "DEAD", "'street'");
    outbox("waits", "PENDING", "'street'");
    letter("known", "inbox");
    inbox("known", "PROCESSED", ", processed_at, result", ", " + own(-50min) + ", 'ok'");
    letter("keyed", "inbox");
    inbox("keyed", "DEAD");
    letter("named", "inbox");
    inbox("named", "FAILED");
    letter("unkeyed", "inbox");
    inbox("unkeyed", "DEAD");
    letter("written", "outbox");
    outbox("written", "DEAD");
    addOwn({ .key = "named", .status = "SUCCEEDED", .lease = {}, .scope = "ledger", .fence = 14, .code = 201 });
    // A key alone may be anybody's: these are no consumer's records of that letter.
    letter("alone", "inbox");
    inbox("alone", "DEAD");
    addOwn({ .key = "alone", .status = "SUCCEEDED", .lease = {}, .scope = "tenant", .fence = 21, .code = 201 });
    run("UPDATE dead_letters SET scope = 's', operation_type = 'o', idempotency_key = 'done' WHERE id IN ('keyed', "
        "'written')");
    run("UPDATE dead_letters SET scope = 's', operation_type = 'o', idempotency_key = 'live' WHERE id = 'unkeyed'");
    letter("sent", "outbox");
    outbox("sent", "SENT");
    // Of the same keys and events, and sound: what a rule finds is not about them.
    addOwn({ .key = "silent", .status = "SUCCEEDED", .lease = {}, .scope = "other", .fence = 19, .code = 201 });
    addOwn({ .key = "many", .status = "FAILED_RETRYABLE", .lease = {}, .scope = "other", .fence = 20 });
    for (const auto* event : { "sent", "head" }) {
        const auto id = std::string(event) + "_elsewhere";
        letter(id, "outbox");
        outbox(id, "DEAD");
        const auto move =
            " SET event_id = '" + std::string(event) + "', destination = 'http://other' WHERE event_id = '" + id + "'";
        run("UPDATE dead_letters" + move);
        run("UPDATE outbox_messages" + move);
    }
    letter("foreign", "outbox");
    run("UPDATE dead_letters SET event_id = 'sent', source = 'another shop' WHERE id = 'foreign'");
    const auto broken = found();
    EXPECT_THAT(broken,
        ::testing::UnorderedElementsAre(std::pair("lapsed_lease", "lapsed "), std::pair("no_response", "silent "),
            ::testing::Pair("shared_result", ::testing::AnyOf("twin_a twin_b ", "twin_b twin_a ")),
            std::pair("attempts_over", "many "), std::pair("forgotten_too_soon", "brief "),
            std::pair("fence_went_back", "lower "), std::pair("fence_unknown", "foreign "),
            std::pair("impossible_transition", "done "), std::pair("lease_too_long", "endless "),
            std::pair("from_the_future", "tomorrow "), std::pair("held_too_long", "forgotten "),
            std::pair("failed_though_done", "paid "), std::pair("orphaned_call", "vanished "),
            std::pair("orphaned_effect", effectOf(17) + " "), std::pair("processing_lapsed", "lapsed "),
            std::pair("no_result", "mute "), std::pair("version_gap", "i5 "), std::pair("dead_without_letter", "lost "),
            std::pair("key_unknown", "orphan "), std::pair("sending_lapsed", "left "),
            std::pair("dead_outbox_without_letter", "unseen "), std::pair("blocks_its_key", "head "),
            std::pair("already_processed", "known "),
            ::testing::Pair("key_succeeded", ::testing::AnyOf("keyed named ", "named keyed ")),
            std::pair("already_sent", "sent ")));
    std::size_t own = 0;
    for (const auto& invariant : invariants())
        own += invariant.kind == Kind::Job ? 0 : 1;
    EXPECT_EQ(broken.size(), own) << "a rule that is broken nowhere here";

    const auto messages = binding("outbox_messages");
    const auto blocked = inspector().forensics()->violations(messages, "blocks_its_key");
    ASSERT_TRUE(blocked && blocked->violations.size() == 1);
    const auto mending = mendingOf(blocked->violations[0], messages, *inspector().bindings(false));
    ASSERT_TRUE(mending);
    EXPECT_EQ(mending->in.name, "dead_letters");
    const auto mended = filtered(mending->in, mending->filter);
    ASSERT_EQ(mended.rows.size(), 1U) << mending->filter;
    EXPECT_EQ(mended.rows[0].identity, std::vector<std::string>{ "head" });
    EXPECT_FALSE(mendingOf(blocked->violations[0], messages, { messages })) << "there are no letters";

    const auto one = inspector().forensics()->violations(binding("idempotency_records"), "lapsed_lease");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->violations.size(), 1U);
}

// Whatever a key looks like, and however often it is found, the view and the plan are about its row alone.
TEST_P(ForensicsTest, AFindingIsAboutItsRowsAlone)
{
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 50" : "SELECT setval('idempotency_fence_seq', 50)");
    addOwn({ .key = "k1", .status = "SUCCEEDED", .lease = {}, .fence = 1, .code = 201 });
    addOwn({ .key = "\\x6b31", .status = "SUCCEEDED", .lease = {}, .fence = 2 });
    addOwn({ .key = "\\b6b31", .status = "SUCCEEDED", .lease = {}, .fence = 3 });
    addOwn({ .key = "plain", .status = "SUCCEEDED", .lease = {}, .operation = "", .fence = 4 });
    addOwn({ .key = "over", .status = "SUCCEEDED", .expires = -1s, .lease = {}, .fence = 5 });
    addOwn({ .key = "twice", .fence = 6 });
    for (const auto* event : { "renew", "operator_expire" })
        journal({ "twice", "SUCCEEDED", "IN_PROGRESS", event, -2h });
    journal({ "gone", "SUCCEEDED", "IN_PROGRESS", "renew", -2h });
    addOwn({ .key = "fresh", .created = -48h, .expires = 48h, .lease = -47h, .hold = true, .fence = 7 });
    run("UPDATE idempotency_records SET updated_at = " + own(-1min) + " WHERE idempotency_key = 'fresh'");
    addOwn({ .key = "late", .status = "SUCCEEDED", .lease = {}, .fence = 8, .attempt = 6, .code = 201 });
    addOwn({ .key = "failed", .status = "FAILED_FINAL", .lease = {}, .fence = 9, .attempt = 6, .code = 500 });
    run("UPDATE idempotency_records SET max_attempts = 5 WHERE attempt = 6");

    const auto records = binding("idempotency_records");
    const auto found = inspector().forensics()->violations(records);
    ASSERT_TRUE(found) << found.error().message << found.error().detail;
    std::map<std::string, std::string> keys;
    for (const auto& violation : found->violations) {
        const auto view = filtered(records, violation.filter);
        std::vector<std::string> seen;
        for (const auto& row : view.rows)
            seen.push_back(row.key);
        std::sort(seen.begin(), seen.end());
        for (const auto& key : seen)
            keys[violation.invariant->id] += key + ' ';
        EXPECT_EQ(violation.count, static_cast<std::int64_t>(view.rows.size())) << violation.filter;
        EXPECT_EQ(violation.shown, violation.count);
        const auto mending = mendingOf(violation, records, { records });
        if (std::string_view(violation.invariant->id) == "no_response") {
            ASSERT_TRUE(mending);
            EXPECT_EQ(mending->filter, violation.filter);
            EXPECT_EQ(mending->rows, 3);
        } else {
            EXPECT_FALSE(mending) << violation.invariant->id << ": no operation changes what is over";
        }
    }
    EXPECT_THAT(keys,
        ::testing::UnorderedElementsAre(std::pair("no_response", "\\b6b31 \\x6b31 plain "),
            std::pair("impossible_transition", "twice "), std::pair("attempts_over", "late ")));
}

TEST_P(ForensicsTest, OfManyBrokenRowsItIsSaidHowManyTheViewShows)
{
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 500" : "SELECT setval('idempotency_fence_seq', 500)");
    for (int i = 0; i < 150; ++i)
        addOwn({ .key = "k" + std::to_string(i), .status = "SUCCEEDED", .lease = {}, .fence = i + 1 });
    const auto records = binding("idempotency_records");
    const auto found = inspector().forensics()->violations(records, "no_response");
    ASSERT_TRUE(found && found->violations.size() == 1);
    const auto& violation = found->violations[0];
    EXPECT_EQ(violation.count, 150);
    EXPECT_EQ(violation.shown, 100);
    EXPECT_EQ(mendingOf(violation, records, { records })->rows, 100);
}

// A record that was reaped leaves what it did behind, and has said that it goes; one that was deleted has not.
TEST_P(ForensicsTest, ToldApartAreEffectsOfReapedRecordsAndOrphans)
{
    int fence = 0;
    const auto finished = [&](const char* key) {
        ++fence;
        journal({ key, "ABSENT", "IN_PROGRESS", "reserve", -3h, 1, "o", fence });
        journal({ key, "IN_PROGRESS", "SUCCEEDED", "finalize", -3h + 1min, 1, "o", fence });
        call(key, "DONE", -3h, fence);
        effect(fence);
    };
    finished("older"); // its journal was purged, and its effect is remembered for longer
    run("DELETE FROM idempotency_transitions");
    finished("reaped");
    journal({ "reaped", "EXPIRED", "ABSENT", "reap", -2h, 1, "o", fence });
    finished("live");
    addOwn({ .key = "live", .status = "SUCCEEDED", .lease = {}, .fence = fence, .code = 201 });
    call("intended", "INTENT", -4h);
    EXPECT_EQ(brokenBy("orphaned_call"), "");
    EXPECT_EQ(brokenBy("orphaned_effect"), "");

    finished("deleted");
    const auto deleted = fence;
    EXPECT_EQ(brokenBy("orphaned_call"), "deleted ");
    EXPECT_EQ(brokenBy("orphaned_effect"), "deleted ");
    // No view of the records shows what is left of one; its id leads there.
    call("deleted", "DONE", -3h, deleted);
    for (const auto* rule : { "orphaned_call", "orphaned_effect" }) {
        const auto orphans = violation(rule);
        EXPECT_EQ(orphans.filter, "");
        EXPECT_EQ(orphans.count, std::string_view(rule) == "orphaned_call" ? 2 : 1) << "of one record, two calls";
        for (const auto& row : orphans.rows)
            EXPECT_EQ(trailOf(*orphans.invariant, row), "s/o/deleted");
    }
    call("reaped", "UNKNOWN", -3h);
    EXPECT_THAT(brokenBy("orphaned_call"), HasSubstr("reaped ")) << "nobody finds out any more";
    effect(deleted + 1, "DOING");
    EXPECT_THAT(brokenBy("orphaned_effect"), HasSubstr(effectOf(deleted + 1))) << "whoever did it was never here";
    const auto nobodys = violation("orphaned_effect");
    const auto unknown = std::find_if(nobodys.rows.begin(), nobodys.rows.end(),
        [&](const BrokenRow& row) { return row.key == effectOf(deleted + 1); });
    ASSERT_NE(unknown, nobodys.rows.end());
    EXPECT_EQ(trailOf(*nobodys.invariant, *unknown), "") << "nothing tells whose it was";
    EXPECT_EQ(unknown->identity, std::vector<std::string>{ unknown->key });
    addOwn({ .key = "unjournaled", .status = "SUCCEEDED", .lease = {}, .fence = deleted + 1, .code = 201 });
    EXPECT_THAT(brokenBy("orphaned_effect"), ::testing::Not(HasSubstr(effectOf(deleted + 1))));
}

TEST_P(ForensicsTest, WhatIsLeftOfARecordWithoutAJournalIsFound)
{
    const auto records = binding("idempotency_records");
    journal({ "other", "ABSENT", "IN_PROGRESS", "reserve", -3h });
    call("never", "UNKNOWN");
    for (const auto* id : { "never", "s/o/never" }) {
        const auto scanned = inspector().finder().scanJournal(records, id, 10s, {});
        ASSERT_TRUE(scanned) << scanned.error().message;
        ASSERT_EQ(scanned->leads.size(), 1U) << id;
        EXPECT_EQ(scanned->leads[0].row.identity, (std::vector<std::string>{ "s", "o", "never" }));
        EXPECT_EQ(scanned->leads[0].row.state, "ABSENT");
        EXPECT_EQ(scanned->leads[0].by, "call of psp charge that is UNKNOWN");
        EXPECT_TRUE(scanned->all);
    }
    const auto details = inspector().details(records, { "s", "o", "never" }, 0);
    ASSERT_TRUE(details && *details) << "its calls are known";
    EXPECT_EQ((*details)->row.extra.at(rowCallsOpen), "psp charge");
    const auto nothing = inspector().details(records, { "s", "o", "nobody" }, 0);
    ASSERT_TRUE(nothing);
    EXPECT_FALSE(*nothing);
}

TEST_P(ForensicsTest, WhatOnlyTheJournalCouldTellIsSaidNotToBeJudged)
{
    run("INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, type, payload, "
        "headers, "
        "status, next_attempt_at, attempts, scope, operation_type, idempotency_key, created_at) VALUES ('orphan', "
        "'http://x', 'shop', 'a', '1', 't', "
        + bytes("7b7d") + ", '[]', 'PENDING', " + own(1h) + ", '[]', 's', 'o', 'never', " + own(-1h) + ")");
    effect(3);
    call("vanished", "DONE");
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 50" : "SELECT setval('idempotency_fence_seq', 50)");
    const auto unjudged = [&](const char* table) {
        const auto found = inspector().forensics()->violations(binding(table));
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        EXPECT_TRUE(!found || (found->violations.empty() && found->basis.unread.empty()));
        return found ? found->unjudged : std::vector<std::string>();
    };
    EXPECT_THAT(unjudged("idempotency_records"),
        ElementsAre(HasSubstr("orphaned_call cannot be judged of 1 row"),
            HasSubstr("orphaned_effect cannot be judged of 1 row")));
    EXPECT_THAT(unjudged("outbox_messages"), ElementsAre(HasSubstr("key_unknown cannot be judged of 1 row")));
    addOwn({ .key = "never", .fence = 3 });
    EXPECT_THAT(unjudged("outbox_messages"), IsEmpty());
    EXPECT_THAT(unjudged("idempotency_records"), ElementsAre(HasSubstr("orphaned_call")));
}

// A record that lives keeps its whole history, which says nothing of what was purged beside it.
TEST_P(ForensicsTest, APurgeOfTheJournalHidesNothingAndMakesNothingUp)
{
    const auto sent = [&](const std::string& key, Duration created) {
        outbox(key, "SENT", created, own(created + 1min), "[]", 1);
        run("UPDATE outbox_messages SET scope = 's', operation_type = 'o', idempotency_key = event_id WHERE event_id = "
            "'"
            + key + "'");
    };
    const auto violations = [&] {
        auto found = inspector().forensics()->violations(binding("outbox_messages"));
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        return found ? std::move(*found) : Violations();
    };
    const auto unknown = [&] {
        std::string keys;
        for (const auto& violation : violations().violations)
            for (const auto& row : violation.rows)
                keys += std::string(violation.invariant->id) + ' ' + row.key + ' ';
        return keys;
    };
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 50" : "SELECT setval('idempotency_fence_seq', 50)");
    addOwn({ .key = "alive", .created = -72h, .expires = 24h, .lease = 60s, .fence = 1 });
    journal({ "alive", "ABSENT", "IN_PROGRESS", "reserve", -72h, 1 });
    for (const auto* key : { "first", "second" }) {
        journal({ key, "ABSENT", "IN_PROGRESS", "reserve", -48h, 2 });
        journal({ key, "IN_PROGRESS", "SUCCEEDED", "finalize", -47h, 2 });
        journal({ key, "EXPIRED", "ABSENT", "reap", -30h, 2 });
    }
    // Of two lives, of which the second goes on.
    journal({ "again", "ABSENT", "IN_PROGRESS", "reserve", -71h, 3 });
    journal({ "again", "EXPIRED", "ABSENT", "reap", -70h, 3 });
    journal({ "again", "ABSENT", "IN_PROGRESS", "reserve", -69h, 4 });
    addOwn({ .key = "again", .created = -69h, .expires = 24h, .lease = 60s, .fence = 4 });
    journal({ "second", "ABSENT", "IN_PROGRESS", "reserve", -29h, 5 });
    journal({ "second", "EXPIRED", "ABSENT", "reap", -28h, 5 });
    sent("first", -47h);
    sent("second", -47h);
    sent("never", -46h);
    EXPECT_EQ(unknown(), "key_unknown never ") << "others were reaped, and none of their entries is missing";
    if (!sqlite()) {
        run("SELECT nextval(pg_get_serial_sequence('idempotency_transitions', 'seq'))");
        journal({ "alive", "IN_PROGRESS", "IN_PROGRESS", "renew", -26h, 1 });
        EXPECT_EQ(unknown(), "key_unknown never ") << "what was rolled back leaves a number out";
    }

    store::SqlStore records(*connection, { .clock = &clock, .bind = true });
    const auto purged = records.reap({ .journalRetention = 24h });
    ASSERT_TRUE(purged) << purged.error().message;
    EXPECT_EQ(purged->transitions, 7) << "the last one shows where the others were";
    EXPECT_EQ(unknown(), "");
    EXPECT_THAT(violations().unjudged, ElementsAre(HasSubstr("key_unknown cannot be judged of 2 rows")));
    // Neither the end of the second life nor a new one of the key that is left says anything of what was purged.
    run("DELETE FROM idempotency_records WHERE idempotency_key = 'again'");
    journal({ "again", "EXPIRED", "ABSENT", "reap", -20h, 4 });
    EXPECT_EQ(unknown(), "");
    journal({ "second", "ABSENT", "IN_PROGRESS", "reserve", -19h, 6 });
    addOwn({ .key = "second", .created = -19h, .expires = 24h, .lease = 60s, .fence = 6 });
    EXPECT_EQ(unknown(), "");
    EXPECT_THAT(violations().unjudged, ElementsAre(HasSubstr("key_unknown cannot be judged of 2 rows")));
    journal({ "alive", "IN_PROGRESS", "IN_PROGRESS", "renew", -1h, 1 });
    sent("later", -30min);
    EXPECT_EQ(unknown(), "key_unknown later ");
}

TEST_P(ForensicsTest, AnEffectOfALifeThatWasPurgedInPartIsNobodysFault)
{
    run(sqlite() ? "UPDATE idempotency_meta SET fence = 50" : "SELECT setval('idempotency_fence_seq', 50)");
    const auto entry = [&](const char* key, const char* from, const char* to, const char* event, Duration at,
                           int fence) {
        journal({ key, from, to, event, at, 1, "o", fence });
    };
    entry("twice", "ABSENT", "IN_PROGRESS", "reserve", -60h, 2);
    entry("twice", "EXPIRED", "ABSENT", "reap", -59h, 2);
    entry("alive", "ABSENT", "IN_PROGRESS", "reserve", -58h, 3);
    addOwn({ .key = "alive", .created = -58h, .expires = 24h, .lease = 60s, .fence = 3 });
    entry("twice", "ABSENT", "IN_PROGRESS", "reserve", -57h, 4);
    entry("twice", "IN_PROGRESS", "IN_PROGRESS", "reserve", -56h, 5);
    entry("twice", "IN_PROGRESS", "SUCCEEDED", "finalize", -55h, 5);
    entry("twice", "EXPIRED", "ABSENT", "reap", -20h, 5);
    effect(4);
    const auto broken = [&] {
        const auto found = inspector().forensics()->violations(binding("idempotency_records"), "orphaned_effect");
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        return found && !found->violations.empty();
    };
    EXPECT_FALSE(broken());
    store::SqlStore records(*connection, { .clock = &clock, .bind = true });
    ASSERT_TRUE(records.reap({ .journalRetention = 24h }));
    EXPECT_FALSE(broken());
}

TEST_P(ForensicsTest, ARetentionOfTheInboxMakesNoGap)
{
    const auto handled = [&](const std::string& id, const std::string& status, int version, Duration at,
                             const std::string& result = "done") {
        received(id, status, at, status == "PROCESSED" ? own(at) : "NULL", "[]", 1);
        run("UPDATE inbox_messages SET subject = substr(event_id, 1, 1), version = " + std::to_string(version)
            + ", result = " + (status == "PROCESSED" ? "'" + result + "'" : "NULL") + " WHERE event_id = '" + id + "'");
    };
    const auto gaps = [&] {
        auto found = inspector().forensics()->violations(binding("inbox_messages"), "version_gap");
        EXPECT_TRUE(found) << found.error().message << found.error().detail;
        std::string keys;
        if (found && !found->violations.empty())
            for (const auto& row : found->violations[0].rows)
                keys += row.key + ' ';
        for (const auto& words : found ? found->unjudged : std::vector<std::string>())
            keys += words.substr(0, words.find(':'));
        return keys;
    };
    handled("late2", "PROCESSED", 2, -50h);
    handled("late1", "PROCESSED", 1, -20h, "overtaken by version 2");
    handled("late3", "PROCESSED", 3, -19h);
    handled("dead1", "DEAD", 1, -51h);
    handled("dead2", "PROCESSED", 2, -50h);
    handled("dead3", "PROCESSED", 3, -19h);
    handled("real1", "PROCESSED", 1, -18h);
    handled("real3", "PROCESSED", 3, -17h);
    handled("waits1", "FAILED", 1, -16h);
    handled("waits3", "PROCESSED", 3, -15h);
    EXPECT_EQ(gaps(), "real3 waits3 ");
    run("DELETE FROM inbox_messages WHERE status = 'PROCESSED' AND processed_at <= " + own(-24h));
    EXPECT_EQ(gaps(), "real3 waits3 version_gap cannot be judged of 2 rows");
}

TEST_P(ForensicsTest, AReferenceWithoutItsKindIsSharedTooAndAnEmptyResultIsNone)
{
    addOwn({ .key = "a", .status = "SUCCEEDED", .lease = {}, .fence = 1, .code = 201 });
    addOwn({ .key = "b", .status = "SUCCEEDED", .lease = {}, .fence = 2, .code = 201 });
    run("UPDATE idempotency_records SET response_ref_id = 'rf_1'");
    EXPECT_THAT(brokenBy("shared_result"), ::testing::AnyOf("a b ", "b a "));
    run("INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at, processed_at, "
        "result) "
        "VALUES ('ledger', 'shop', 'mute', "
        + bytes(std::string(64, 'a')) + ", 'PROCESSED', " + own(-1h) + ", " + own(-1h) + ", '')");
    const auto found = inspector().forensics()->violations(binding("inbox_messages"), "no_result");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->violations.size(), 1U);
}

TEST_P(ForensicsTest, ARuleWhoseTableIsNotThereIsNamedAndTheOthersGoOn)
{
    addOwn({ .key = "silent", .status = "SUCCEEDED", .lease = {}, .fence = 6 });
    run("DROP TABLE outbound_calls");
    const auto found = inspector().forensics()->violations(binding("idempotency_records"));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(found->basis.unread,
        ElementsAre(HasSubstr("failed_though_done could not be read"), HasSubstr("orphaned_call could not be read")));
    EXPECT_FALSE(found->violations.empty());
}

// In a journal alone, too: of an import, or where the record is gone.
TEST_P(ForensicsTest, AFenceThatDoesNotRiseIsSeenWithinTheJournal)
{
    journal({ "good", "ABSENT", "IN_PROGRESS", "reserve", -3h, 1, "o", 5 });
    journal({ "good", "IN_PROGRESS", "IN_PROGRESS", "reserve", -2h, 1, "o", 5 }); // was told that it is at work
    journal({ "good", "IN_PROGRESS", "IN_PROGRESS", "reserve", -2h, 2, "o", 6 });
    journal({ "good", "IN_PROGRESS", "IN_PROGRESS", "fenced", -1h, 1, "o", 5 });
    journal({ "good", "IN_PROGRESS", "SUCCEEDED", "finalize", -1h, 2, "o", 6 });
    journal({ "untold", "ABSENT", "IN_PROGRESS", "reserve", -2h, 1, "o", 0 });
    journal({ "untold", "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", -1h, 2, "o", 0 });
    EXPECT_EQ(brokenBy("fence_went_back"), "");
    addOwn({ .key = "lower", .lease = 1h, .fence = 8 });
    addOwn({ .key = "again", .lease = 1h, .fence = 10 });
    journal({ "lower", "ABSENT", "IN_PROGRESS", "reserve", -3h, 1, "o", 9 });
    journal({ "lower", "IN_PROGRESS", "IN_PROGRESS", "reserve", -2h, 2, "o", 8 });
    EXPECT_EQ(brokenBy("fence_went_back"), "lower ");
    journal({ "again", "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", -2h, 1, "o", 10 });
    journal({ "again", "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", -1h, 2, "o", 10 });
    EXPECT_THAT(brokenBy("fence_went_back"), HasSubstr("again "));
    addOwn({ .key = "both", .lease = 1h, .fence = 10 });
    journal({ "both", "ABSENT", "IN_PROGRESS", "reserve", -2h, 1, "o", 10 });
    EXPECT_THAT(brokenBy("fence_went_back"), ::testing::Not(HasSubstr("both ")));
    journal({ "both", "IN_PROGRESS", "IN_PROGRESS", "reserve", -1h, 2, "o", 10 });
    EXPECT_THAT(brokenBy("fence_went_back"), HasSubstr("both "));
    // Whoever fences them draws a fence above all.
    run("UPDATE idempotency_records SET fence = 11");
    EXPECT_EQ(brokenBy("fence_went_back"), "");
}

TEST_P(ForensicsTest, TheStatementsOfAFigureRunAsTheyArePrinted)
{
    // The helper writes it as it is given: quoted.
    addOwn({ .key = "it''s :mine -- here", .status = "SUCCEEDED", .lease = {}, .fence = 1, .code = 201 });
    journal({ "k", "ABSENT", "IN_PROGRESS", "reserve", -10min });
    std::string all = flows("idempotency_records").basis.cost.sql + "\n\n";
    RetriesRequest request;
    request.filter = *parseFilter("key = \"it's :mine -- here\" and age > 1s");
    all += retries("idempotency_records", request).basis.cost.sql + "\n\n";
    for (const auto* table : { "idempotency_records", "inbox_messages", "outbox_messages", "dead_letters" }) {
        const auto found = inspector().forensics()->violations(binding(table));
        ASSERT_TRUE(found);
        all += found->basis.cost.sql + "\n\n";
    }
    const auto conflicts = inspector().forensics()->conflicts(binding("idempotency_records"), {});
    ASSERT_TRUE(conflicts);
    all += conflicts->basis.cost.sql;
    std::size_t statements = 0;
    for (std::size_t at = 0; at < all.size(); ++statements) {
        const auto end = std::min(all.find(";\n\n", at), all.size());
        const auto run = connection->execute(all.substr(at, end - at));
        EXPECT_TRUE(run) << run.error().message << ' ' << run.error().detail << '\n' << all.substr(at, end - at);
        at = end + 3;
    }
    EXPECT_GT(statements, 25U);
    EXPECT_THAT(all, ::testing::Not(HasSubstr(":until")));
}

class CounterTest : public ForensicsTest { };
INSTANTIATE_TEST_SUITE_P(Backends, CounterTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(CounterTest, WhoMayNotReadTheCounterIsToldSoAndGetsNoFalseFindings)
{
    addOwn({ .key = "done", .status = "SUCCEEDED", .lease = {}, .fence = 7, .code = 201 });
    run("SELECT setval('idempotency_fence_seq', 7)");
    const auto role = "counterless_" + std::to_string(microsOf(now));
    run("CREATE ROLE " + role);
    run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role);
    run("SET ROLE " + role);
    const auto found = inspector().forensics()->violations(binding("idempotency_records"), "fence_unknown");
    ASSERT_TRUE(found) << found.error().message << found.error().detail;
    EXPECT_TRUE(found->violations.empty());
    EXPECT_THAT(found->basis.unread, ElementsAre(HasSubstr("may not read the counter")));

    const QTemporaryDir folder;
    SnapshotRequest request;
    request.path = folder.filePath(QStringLiteral("a.db")).toStdString();
    SystemRandom random;
    const auto taken = store::takeSnapshot(*inspector().copier(), request, random);
    ASSERT_TRUE(taken) << taken.error().message << taken.error().detail;
    EXPECT_THAT(taken->warnings, ::testing::Contains(HasSubstr("counter of fences")));
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
    store::Target target;
    target.path = request.path;
    const auto file = store::Connection::open(target, { .access = store::Access::ReadOnly });
    ASSERT_TRUE(file);
    const auto copy = store::SqlInspector::create(**file, { .profiles = &library, .auditPath = {} });
    ASSERT_TRUE(copy);
    const auto bindings = (*copy)->bindings(false);
    ASSERT_TRUE(bindings);
    for (const auto& each : *bindings) {
        if (each.kind != Kind::Idempotency)
            continue;
        const auto clean = (*copy)->forensics()->violations(each, "fence_unknown");
        ASSERT_TRUE(clean);
        EXPECT_TRUE(clean->violations.empty());
    }
}

} // namespace
