// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ids.h"
#include "core/protocol/fingerprint.h"
#include "tests/e2e/ctl_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

QString word(const char* text)
{
    return QString::fromUtf8(text);
}

QString word(const QString& text)
{
    return text;
}

template <typename... T> QStringList words(const T&... all)
{
    return { word(all)... };
}

class CtlForensicsTest : public CtlTest {
protected:
    // A request to reserve `key`, of which the body is kept.
    void request(const std::string& key, const std::string& body, const std::string& principal)
    {
        store::SqlStore records(*connection, { .bind = true });
        const auto print = fingerprint({ "POST", "/v1/refunds", "", { { "Content-Type", "application/json" } }, body });
        ASSERT_TRUE(print);
        SeededRandom random(static_cast<std::uint64_t>(m_requests++));
        Reservation wish;
        wish.id = { "tenant_1", "refund.create", key };
        wish.requestHash = print->requestHash;
        wish.owner = { uuid4(random) };
        wish.lease = std::chrono::minutes(10);
        wish.ttl = std::chrono::hours(48);
        wish.requestMethod = "POST";
        wish.requestTarget = "/v1/refunds";
        wish.requestBody = body;
        wish.principal = principal;
        const auto reserved = records.reserve(wish);
        ASSERT_TRUE(reserved) << reserved.error().message << reserved.error().detail;
    }

    void makeTables()
    {
        connection = std::move(*database.connect());
        ASSERT_TRUE(store::initSchema(*connection, false));
    }

    QString fileOf(const char* name, const QByteArray& content)
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return path(name);
    }

    // Those that have the member with the value.
    static std::vector<nlohmann::json> withMember(const CtlRun& run, const char* name, const nlohmann::json& value)
    {
        std::vector<nlohmann::json> found;
        for (const auto& line : run.lines())
            if (line.contains(name) && line[name] == value)
                found.push_back(line);
        return found;
    }

private:
    int m_requests = 1;
};

INSTANTIATE_TEST_SUITE_P(Backends, CtlForensicsTest, bothDialects(), nameOfDialect);

TEST_P(CtlForensicsTest, FlowsAreThoseOfTheRange)
{
    makeStuckKeys(3);
    const auto hours = ctl("flows --last 3h");
    ASSERT_EQ(hours.code, 0) << hours.err;
    const auto reserved = withMember(hours, "event", "reserve");
    ASSERT_EQ(reserved.size(), 1U) << hours.out;
    EXPECT_EQ(reserved[0]["from"], "ABSENT");
    EXPECT_EQ(reserved[0]["to"], "IN_PROGRESS");
    EXPECT_EQ(reserved[0]["count"], 3);
    EXPECT_EQ(reserved[0]["nature"], "expected");
    EXPECT_EQ(reserved[0]["binding"], "idempotency_records");

    const auto minutes = ctl("flows --last 5m");
    EXPECT_EQ(minutes.code, 0);
    EXPECT_THAT(withMember(minutes, "event", "reserve"), IsEmpty());
    EXPECT_THAT(text(words("flows", "--last", "5m")).err, HasSubstr("nothing moved from "));

    const auto until = ctl(words("flows", "--until", "2001-01-01T00:00:00Z", "--last", "1h"));
    EXPECT_EQ(until.code, 0);
    EXPECT_EQ(until.out, "");
}

TEST_P(CtlForensicsTest, AnInstantWithoutAnOffsetIsSaidToBeReadAsUtc)
{
    makeStuckKeys(1);
    for (const auto* since : { "2026-01-02T00:00", "2026-01-02", "2026-01-02 00:00:00" })
        EXPECT_THAT(ctl(words("flows", "--since", since)).err,
            HasSubstr(std::string("--since ") + since + " has no offset and was read as UTC: 2026-01-02T00:00:00"));
    for (const auto* since : { "2026-01-02T00:00Z", "2026-01-02T00:00+02:00", "2026-01-02T00:00-0530" })
        EXPECT_THAT(ctl(words("flows", "--since", since)).err, Not(HasSubstr("offset"))) << since;
    EXPECT_THAT(ctl(words("retries", "histogram", "--around", "2026-01-02T00:00")).err,
        HasSubstr("--around 2026-01-02T00:00 has no offset"));
}

TEST_P(CtlForensicsTest, ARangeThatIsNoneChangesNothingAndIsSaid)
{
    makeStuckKeys(1);
    for (const auto& asked :
        { words("flows", "--since", "yesterday"), words("flows", "--last", "0s"), words("flows", "--last", "-1h"),
            words("flows", "--since", "2026-01-02T00:00:00Z", "--until", "2026-01-01T00:00:00Z"),
            words("flows", "--since", "2026-01-02T00:00:00Z", "--last", "5m"),
            words("conflicts", "list", "--since", "2026-01-02T00:00:00Z", "--last", "5m"),
            words("retries", "histogram", "--preset", "nobody"), words("retries", "histogram", "--filter", "status = "),
            words("retries", "histogram", "--around", "noon"), words("conflicts", "list", "--limit", "0"),
            words("invariants", "--rule", "nothing"), words("invariants", "--budget", "0s") }) {
        const auto run = ctl(asked);
        EXPECT_EQ(run.code, 2) << asked.join(QLatin1Char(' ')).toStdString() << "\n" << run.out << run.err;
        EXPECT_THAT(run.out + run.err, Not(IsEmpty()));
    }
}

TEST_P(CtlForensicsTest, ATableThatIsNotThereIsNotAnEmptyAnswer)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("CREATE TABLE something (a INTEGER)"));
    for (const auto* command : { "flows", "retries histogram", "conflicts list", "invariants" }) {
        const auto run = text(word(command).split(QLatin1Char(' ')));
        EXPECT_EQ(run.code, 1) << command;
        EXPECT_EQ(run.out, "") << command;
        EXPECT_THAT(run.err, HasSubstr("no table here")) << command;
    }
}

TEST_P(CtlForensicsTest, RetriesAreCountedAndTheirStatementsCanBeRead)
{
    makeStuckKeys(4);
    const auto run = ctl("retries histogram --last 3h --sql");
    ASSERT_EQ(run.code, 0) << run.err;
    const auto attempts = withMember(run, "figure", "attempts");
    ASSERT_EQ(attempts.size(), 1U) << run.out;
    EXPECT_EQ(attempts[0]["attempts"], 1);
    EXPECT_EQ(attempts[0]["state"], "IN_PROGRESS");
    EXPECT_EQ(attempts[0]["count"], 4);
    EXPECT_THAT(run.err, HasSubstr("SELECT"));

    const auto one = ctl(words("retries", "histogram", "--last", "3h", "--filter", "key = key-100001"));
    ASSERT_EQ(one.code, 0) << one.err;
    ASSERT_EQ(withMember(one, "figure", "attempts").size(), 1U);
    EXPECT_EQ(withMember(one, "figure", "attempts")[0]["count"], 1);

    // What only one kind of table has keeps nobody from the others.
    const auto owned = ctl(words("retries", "histogram", "--last", "3h", "--filter", "operation != nothing"));
    EXPECT_EQ(owned.code, 0) << owned.err;
    EXPECT_EQ(withMember(owned, "figure", "attempts").size(), 1U) << owned.out;
    EXPECT_THAT(owned.err, HasSubstr("inbox_messages was not asked: "));
    EXPECT_EQ(ctl(words("--binding", "inbox_messages", "retries", "histogram", "--filter", "operation = x")).code, 2);
}

TEST_P(CtlForensicsTest, ConflictsNameTheClientThatUsesItsKeysAgain)
{
    makeTables();
    request("k1", R"({"amount":1})", "tenant_1");
    request("k2", R"({"amount":1})", "tenant_1");
    request("k1", R"({"amount":2})", "tenant_9");
    request("k1", R"({"amount":2})", "tenant_9");
    request("k2", R"({"amount":3})", "tenant_9");
    request("k2", R"({"amount":4})", "tenant_2");
    const auto list = ctl("conflicts list");
    ASSERT_EQ(list.code, 0) << list.err;
    ASSERT_EQ(list.lines().size(), 3U);
    const auto first = withMember(list, "key", "k1");
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0]["count"], 2);
    EXPECT_EQ(first[0]["principal"], "tenant_9");
    EXPECT_NE(first[0]["kept_hash"], first[0]["presented_hash"]);
    EXPECT_EQ(first[0]["status"], "IN_PROGRESS");

    const auto clients = ctl("conflicts list --by-client").lines();
    ASSERT_EQ(clients.size(), 2U);
    EXPECT_EQ(clients[0]["principal"], "tenant_9");
    EXPECT_EQ(clients[0]["keys"], 2);
    EXPECT_EQ(clients[0]["arrivals"], 3);
    EXPECT_EQ(clients[1]["keys"], 1);

    const auto most = ctl("conflicts list --limit 1");
    EXPECT_EQ(most.lines().size(), 1U);
    EXPECT_THAT(most.err, HasSubstr("the newest 1"));
    EXPECT_EQ(ctl(words("conflicts", "list", "--until", "2001-01-01T00:00:00Z")).out, "");
}

TEST_P(CtlForensicsTest, ExplainTellsWhichRequestABodyIs)
{
    makeTables();
    request("k1", R"({"amount":1000,"card":"4111111111111111"})", "tenant_1");
    request("k1", R"({"amount":2000,"card":"4111111111111111"})", "tenant_9");
    const auto explain = words("conflicts", "explain", "tenant_1", "refund.create", "k1");
    const auto facts = ctl(explain);
    ASSERT_EQ(facts.code, 0) << facts.err;
    ASSERT_EQ(facts.json()["refused"].size(), 1U);
    EXPECT_EQ(facts.json()["body_kept"], true);

    const auto asked = [&](const QByteArray& body) {
        return ctl(explain + words("--payload", fileOf("presented", body)));
    };
    const auto same = asked(R"({ "card" : "4111111111111111", "amount" : 1e3 })");
    ASSERT_EQ(same.code, 0) << same.err;
    EXPECT_EQ(same.json()["match"], "same");
    EXPECT_EQ(same.json()["failed_check"], "none");

    const auto refused = asked(R"({"amount":2000,"card":"4111111111111111"})");
    EXPECT_EQ(refused.json()["match"], "refused");
    EXPECT_EQ(refused.json()["failed_check"], "body");
    EXPECT_THAT(refused.out, HasSubstr("/amount"));
    EXPECT_THAT(refused.out, Not(HasSubstr("4111111111111111")));

    const auto other = asked(R"({"amount":3})");
    EXPECT_EQ(other.json()["match"], "other");

    const auto unread = asked(R"({"amount":)");
    EXPECT_EQ(unread.code, 0) << unread.err;
    EXPECT_EQ(unread.json()["failed_check"], "validation");
    EXPECT_TRUE(unread.json()["presented_hash"].is_null());
    EXPECT_FALSE(unread.json()["notes"].empty());
    EXPECT_EQ(ctl(explain + words("--payload", path("nothing"))).code, 1);
    EXPECT_EQ(ctl(words("conflicts", "explain", "tenant_1", "refund.create", "k9")).code, 1);

    const auto body = explain + words("--payload", fileOf("presented", R"({"amount":1})"));
    for (const auto& wrong : { body + words("--pointer", "amount"), body + words("--method", "PO ST"),
             body + words("--header", "no colon"), explain + words("--pointer", "/amount") })
        EXPECT_EQ(ctl(wrong).code, 2) << wrong.join(QLatin1Char(' ')).toStdString();
}

TEST_P(CtlForensicsTest, ExplainTellsWhichPayloadOfAnEventABodyIs)
{
    makeTables();
    const bool isSqlite = GetParam() == store::Dialect::Sqlite;
    const auto hash = [](const char* payload) { return toHex(payloadDigest(payload)); };
    const auto blob = [&](const std::string& hex) {
        return isSqlite ? "x'" + hex + "'" : "decode('" + hex + "', 'hex')";
    };
    const std::string at = isSqlite ? "1790000000000000" : "now()";
    ASSERT_TRUE(connection->execute(
        "INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at) VALUES ('mail', "
        "'shop', 'e1', "
        + blob(hash(R"({"a":1})")) + ", 'RECEIVED', " + at + ")"));
    ASSERT_TRUE(connection->execute(
        "INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
        "reason, "
        "fingerprint, pattern, attempts, headers, payload_hash, first_at, dead_at) VALUES ('l1', 'conflict', 'mail', "
        "'shop', 'e1', 'd', 't', 'DEAD', 2, 'c', 'r', 'f', 'p', '[]', '[]', "
        + blob(hash(R"({"a":2})")) + ", " + at + ", " + at + ")"));
    const auto explain = words("conflicts", "explain", "mail", "shop", "e1");
    const auto facts = ctl(explain);
    ASSERT_EQ(facts.code, 0) << facts.err;
    EXPECT_EQ(facts.json()["kept_hash"], hash(R"({"a":1})"));
    EXPECT_EQ(facts.json()["body_kept"], false);
    const auto asked = [&](const QByteArray& body) {
        return ctl(words("--binding", "inbox_messages") + explain + words("--payload", fileOf("presented", body)));
    };
    EXPECT_EQ(asked(R"({ "a": 1.0 })").json()["match"], "same");
    EXPECT_EQ(asked(R"({"a":2})").json()["match"], "refused");
    EXPECT_EQ(asked(R"({"a":2})").json()["failed_check"], "body");
    EXPECT_EQ(asked(R"({"a":3})").json()["match"], "other");
    const auto inWords = text(explain + words("--payload", fileOf("presented", R"({"a":2})")));
    EXPECT_THAT(inWords.out, HasSubstr("a payload that was refused 2 times"));
    const auto none = ctl(words("conflicts", "explain", "mail", "shop", "e2"));
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.err, HasSubstr("no such event in an inbox"));
    // An inbox needs no records beside it.
    for (const auto* table : { "idempotency_conflicts", "idempotency_transitions", "idempotency_records" })
        ASSERT_TRUE(connection->execute(std::string("DROP TABLE ") + table));
    const auto alone = ctl(explain);
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_EQ(alone.json()["kept_hash"], hash(R"({"a":1})"));
}

TEST_P(CtlForensicsTest, ACaseIsToldOfASnapshotWhateverItsRulesHide)
{
    makeTables();
    for (const auto* body : { R"({"amount":1})", R"({"amount":2})", R"({"amount":3})" })
        request("k1", body, "tenant_1");
    const auto payload = fileOf("presented", R"({"amount":1})");
    for (const auto* column : { "idempotency_conflicts.presented_hash", "idempotency_records.request_hash",
             "idempotency_records.payload_hash", "idempotency_records.request_headers",
             "idempotency_records.response_headers" }) {
        const auto rules = fileOf(
            "rules.json", QByteArray(R"({"name":"r","rules":[{"column":")") + column + R"(","action":"hide"}]})");
        const auto taken = ctl(words("snapshot", path("s.db"), "--force", "--redact", rules));
        ASSERT_EQ(taken.code, 0) << column << taken.err;
        const auto told = plain(QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:") + path("s.db") }
            + words("--json", "conflicts", "explain", "k1", "--payload", payload));
        ASSERT_EQ(told.code, 0) << column << told.err;
        EXPECT_EQ(told.json()["refused"].size(), 2U) << column;
        const bool isKnown = std::string_view(column).find("request_hash") == std::string_view::npos;
        EXPECT_EQ(told.json()["match"], isKnown ? "same" : "unknown") << column;
        for (const auto& refused : told.json()["refused"])
            EXPECT_EQ(refused["presented_hash"].get<std::string>().rfind("sha256:", 0) == 0,
                std::string_view(column).find("presented") != std::string_view::npos)
                << column;
    }
}

TEST_P(CtlForensicsTest, ATargetsSecretsAreHidden)
{
    makeTables();
    request("k1", R"({"amount":1})", "tenant_1");
    ASSERT_TRUE(
        connection->execute("UPDATE idempotency_records SET request_target = '/v1/refunds?card=4111111111111111'"));
    const auto explain = words("conflicts", "explain", "k1", "--payload", fileOf("presented", R"({"amount":2})"));
    const auto asJson = ctl(explain);
    EXPECT_EQ(asJson.code, 0) << asJson.err;
    EXPECT_THAT(asJson.out, HasSubstr("/v1/refunds?card="));
    EXPECT_THAT(asJson.out, Not(HasSubstr("4111111111111111")));
    EXPECT_THAT(text(explain).out, Not(HasSubstr("4111111111111111")));
}

TEST_P(CtlForensicsTest, WhatIsHiddenInADifferenceIsShownForAReasonThatTheAuditKeeps)
{
    makeTables();
    request("k1", R"({"amount":1,"password":"opensesame"})", "tenant_1");
    const auto explain =
        words("conflicts", "explain", "k1", "--payload", fileOf("presented", R"({"amount":1,"password":"friend"})"));
    const auto hidden = ctl(explain);
    ASSERT_EQ(hidden.code, 0) << hidden.err;
    EXPECT_THAT(hidden.out, HasSubstr("/password"));
    EXPECT_THAT(hidden.out, Not(HasSubstr("opensesame")));
    const auto shown = ctl(explain + words("--reveal", "INC-7: whose is it"));
    ASSERT_EQ(shown.code, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("opensesame"));
}

TEST_P(CtlForensicsTest, InvariantsAreRefusedWithAPlanThatMendsThem)
{
    makeTables();
    EXPECT_EQ(ctl("invariants").code, 0);
    EXPECT_THAT(text(words("invariants")).out, HasSubstr("all invariants hold"));
    makeStuckKeys(7);
    const auto broken = ctl("invariants");
    EXPECT_EQ(broken.code, 3);
    const auto lapsed = withMember(broken, "rule", "lapsed_lease");
    ASSERT_EQ(lapsed.size(), 1U) << broken.out;
    EXPECT_EQ(lapsed[0]["count"], 7);
    EXPECT_EQ(lapsed[0]["filter"], "stuck");
    EXPECT_THAT(lapsed[0]["plan"].get<std::string>(), HasSubstr("plan release --filter 'stuck'"));
    EXPECT_EQ(ctl("invariants --rule shared_result").code, 0) << "that one holds";

    // The plan that it proposes takes the rows that it found, and mends them.
    const auto plan = ctl(words("plan", "release", "--filter", "stuck", "--reason", "INC-1", "--out", path("p")));
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(ctl(words("apply", path("p"), "--confirm", "7")).json()["changed"], 7);
    EXPECT_EQ(ctl("invariants --rule lapsed_lease").code, 0);
}

TEST_P(CtlForensicsTest, AnAuditThatSomebodyChangedIsAViolation)
{
    makeStuckKeys(2);
    ASSERT_EQ(ctl(words("plan", "release", "--filter", "stuck", "--reason", "INC-1", "--out", path("p"))).code, 0);
    ASSERT_EQ(ctl(words("apply", path("p"), "--confirm", "2")).code, 0);
    EXPECT_EQ(ctl("invariants --rule audit_broken").code, 0);
    ASSERT_TRUE(connection->execute("UPDATE idempotency_audit SET reason = 'another'"));
    const auto broken = ctl("invariants --rule audit_broken");
    EXPECT_EQ(broken.code, 3);
    EXPECT_EQ(broken.json()["rule"], "audit_broken");
}

TEST_P(CtlForensicsTest, TheRulesAreListedWithWhatTheyLeadTo)
{
    const auto rules = plain(words("--json", "invariants", "--list"));
    EXPECT_EQ(rules.code, 0) << rules.err;
    EXPECT_GE(rules.lines().size(), 12U);
    for (const auto& rule : rules.lines())
        EXPECT_NE(rule["why"], "") << rule;
}

} // namespace

// Twenty times the same wrong body within a moment are twenty, wherever they are counted.
TEST_P(CtlForensicsTest, ASpikeOfTheSameRefusedRequestIsCountedWhole)
{
    makeTables();
    request("key-1", R"({"amount":1})", "shop");
    for (int i = 0; i < 20; ++i) {
        store::SqlStore records(*connection, { .bind = true });
        SeededRandom random(static_cast<std::uint64_t>(1000 + i));
        Reservation wish;
        wish.id = { "tenant_1", "refund.create", "key-1" };
        wish.requestHash = Bytes(32, 'b');
        wish.owner = { uuid4(random) };
        wish.lease = std::chrono::minutes(10);
        wish.ttl = std::chrono::hours(48);
        wish.principal = "shop";
        ASSERT_TRUE(records.reserve(wish));
    }
    const auto alert = ctl(words("watch", "--once", "--rule", "conflicts > 10 in 5m"));
    EXPECT_EQ(alert.code, 3) << alert.out << alert.err;
    EXPECT_EQ(alert.json()["value"], 20) << alert.out;
    const auto moved = withMember(ctl("flows --last 5m"), "event", "mismatch");
    ASSERT_EQ(moved.size(), 1U);
    EXPECT_EQ(moved[0]["count"], 20);
    EXPECT_EQ(moved[0]["estimated"], false);
    const auto listed = ctl("conflicts list --last 5m");
    EXPECT_EQ(listed.json()["count"], 20);
    EXPECT_EQ(listed.json()["within_range"], 20);
    EXPECT_EQ(ctl("conflicts list --last 5m --by-client").json()["arrivals"], 20);
}

TEST_P(CtlForensicsTest, APromiseOfASecondAndAHalfIsNotCutToASecond)
{
    makeTables();
    // Before its fifth attempt the playbook waits 800 to 1,600 ms.
    const auto ago = [](int seconds) {
        return GetParam() == store::Dialect::Sqlite
            ? "(CAST(strftime('%s', 'now') AS INTEGER) - " + std::to_string(seconds) + ") * 1000000"
            : "now() - interval '" + std::to_string(seconds) + " seconds'";
    };
    ASSERT_TRUE(connection->execute(
        "INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
        "fence, attempt, owner, actor, reason, at) VALUES ('s', 'o', 'k', 'IN_PROGRESS', 'FAILED_RETRYABLE', 'fail', "
        "4, 4, 'o', 'w', '', "
        + ago(10) + "), ('s', 'o', 'k', 'FAILED_RETRYABLE', 'IN_PROGRESS', 'reserve', 5, 5, 'o', 'w', '', " + ago(9)
        + ")"));
    const auto shown = text(words("retries", "histogram", "--preset", "playbook")).out;
    EXPECT_THAT(shown, HasSubstr("800ms to 1.6s"));
}
