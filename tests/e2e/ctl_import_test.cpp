// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <map>

#include <sqlite3.h>

#include <QDir>

#include "core/telemetry/log.h"
#include "tests/e2e/ctl_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr auto first =
    R"({"ts":"2026-11-20T10:00:00Z","event":"reserve","idempotency_key":"k1","scope":"pay",)"
    R"("operation_type":"charge","from_state":"ABSENT","to_state":"IN_PROGRESS","status":"IN_PROGRESS",)"
    R"("attempt":1,"fence":7,"owner":"o1"})"
    "\n";
constexpr auto last =
    R"({"other":[1],"fields":{"to_state":"SUCCEEDED","from_state":"IN_PROGRESS","status":"SUCCEEDED",)"
    R"("idempotency_key":"k1","scope":"pay","operation_type":"charge","event":"finalize","fence":7,)"
    R"("attempt":1,"outcome":"created"},"time":1795168802.5})"
    "\n";

class CtlImportTest : public CtlTest {
protected:
    [[nodiscard]] QString log(const char* name, const QByteArray& content) const
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return path(name);
    }

    [[nodiscard]] CtlRun import(const QStringList& files, const QStringList& more = {}) const
    {
        return plain(QStringList{ QStringLiteral("--json"), QStringLiteral("import") } + files
            + QStringList{ QStringLiteral("--into"), path("out.db") } + more);
    }

    // What befell one key, a line a minute.
    void importSteps(const std::vector<const char*>& lines) const
    {
        std::string content;
        for (std::size_t i = 0; i < lines.size(); ++i)
            content += R"({"ts":"2026-11-20T10:0)" + std::to_string(i)
                + R"(:00Z","idempotency_key":"k1","scope":"pay","operation_type":"charge",)" + lines[i] + "}\n";
        const auto run = import({ log("a.jsonl", QByteArray::fromStdString(content)) }, { QStringLiteral("--force") });
        EXPECT_EQ(run.code, 0) << run.err;
    }

    // "event from to", a line each.
    [[nodiscard]] std::string history() const
    {
        return one("SELECT group_concat(event || ' ' || from_state || ' ' || to_state || char(10), '') FROM "
                   "(SELECT * FROM idempotency_transitions ORDER BY seq)");
    }

    [[nodiscard]] CtlRun on(const char* words) const
    {
        return plain(
            QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:") + path("out.db"), QStringLiteral("--json") }
            + QString::fromUtf8(words).split(QLatin1Char(' ')));
    }

    [[nodiscard]] std::string one(const char* sql) const
    {
        sqlite3* file = nullptr;
        EXPECT_EQ(
            sqlite3_open_v2(path("out.db").toUtf8().constData(), &file, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
        std::string text;
        const auto take = [](void* target, int, char** values, char**) {
            *static_cast<std::string*>(target) += values[0] == nullptr ? "NULL" : values[0];
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(file, sql, take, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
        sqlite3_close(file);
        return text;
    }
};

INSTANTIATE_TEST_SUITE_P(Sqlite, CtlImportTest, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

TEST_P(CtlImportTest, KeysAndTheirHistoryAreReadAsFromADatabase)
{
    const auto run = import({ log("b.jsonl", last), log("a.jsonl", first) });
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(run.json()["imported"].size(), 2U);
    const auto shown = on("keys show pay charge k1");
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.json()["state"], "SUCCEEDED") << shown.out;
    EXPECT_EQ(on("keys list").lines().size(), 1U);
    ASSERT_EQ(shown.json()["transitions"].size(), 2U) << shown.out;
    EXPECT_EQ(shown.json()["transitions"][1]["reason"], "created");
    EXPECT_EQ(shown.json()["lease_expires_at"], nullptr);
    EXPECT_EQ(one("SELECT group_concat(event) FROM (SELECT event FROM idempotency_transitions ORDER BY seq)"),
        "reserve,finalize");
    EXPECT_EQ(one("SELECT fence || ' ' || attempt || ' ' || hex(request_hash) FROM idempotency_records"), "7 1 ");
    EXPECT_EQ(plain({ QStringLiteral("snapshot"), QStringLiteral("verify"), path("out.db") }).code, 0);
    for (const auto* command : { "flows --since 2026-11-01T00:00:00Z", "conflicts list --since 2026-11-01T00:00:00Z",
             "find k1", "retries histogram" })
        EXPECT_EQ(on(command).code, 0) << command << on(command).err;
    EXPECT_THAT(on("invariants").out, Not(HasSubstr("fence_unknown")));
}

TEST_P(CtlImportTest, EveryFileThatIsNotUnderstoodIsNamedWithItsReason)
{
    const auto many = log("many.jsonl", QByteArray(first) + QByteArray("{}\n").repeated(12));
    const auto other = log("other.txt", "no log at all\nnor this\n");
    const auto run = import({ many, other });
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    const auto left = run.json()["left_out"];
    ASSERT_EQ(left.size(), 11U) << "ten of the first file and the first of the other";
    EXPECT_THAT(left.back()["file"].get<std::string>(), ::testing::EndsWith("other.txt"));
    EXPECT_EQ(left.back()["line"], 1);
}

// A log whose times tell no offset may be of another zone.
TEST_P(CtlImportTest, ATimeWithoutAnOffsetIsReadAsUtcAndSaidToBe)
{
    const auto told = QByteArray(first);
    const auto local = QByteArray(first).replace("2026-11-20T10:00:00Z", "2026-11-20T10:00:00").replace("k1", "k2");
    const auto run = import({ log("a.jsonl", told + local) });
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr("1 line has a time without an offset, which was read as UTC"));
    EXPECT_EQ(on("keys show pay charge k2").json()["transitions"][0]["at"],
        on("keys show pay charge k1").json()["transitions"][0]["at"]);
    EXPECT_THAT(import({ log("b.jsonl", told) }, { QStringLiteral("--force") }).err, Not(HasSubstr("offset")));
    const auto nought = QByteArray(first).replace("2026-11-20", "0000-11-20");
    const auto left = import({ log("c.jsonl", told + nought) }, { QStringLiteral("--force") });
    EXPECT_THAT(left.err, HasSubstr("line 2: its time is not between the years 1 and 9999"));
    const auto inbox = QByteArray("event_id,source,first_seen,processed,result\ne1,shop,2026-11-20T10:00:00,,\n");
    EXPECT_THAT(import({ log("d.csv", inbox) }, { QStringLiteral("--force") }).err,
        HasSubstr("1 line has a time without an offset"));
}

TEST_P(CtlImportTest, TheSameFileTwiceIsTheSameFile)
{
    const auto name = log("a.jsonl", QByteArray(first) + last);
    const auto run = import({ name, name });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.json()["imported"][1]["repeated"], 2);
    EXPECT_EQ(one("SELECT count(*) FROM idempotency_transitions"), "2");
}

TEST_P(CtlImportTest, WhatTheLibraryLogsIsReadBackAndAHashedKeyIsSaidToBeOne)
{
    telemetry::KeyEvent event{ .at = timeFromMicros(1'700'000'000'000'000),
        .event = Event::Reserve,
        .id = { "pay", "charge", "k\n1" },
        .payloadHash = Bytes(32, 'a'),
        .status = State::InProgress,
        .from = State::Absent,
        .to = State::InProgress,
        .attempt = 1,
        .fence = { 3 },
        .owner = "o" };
    auto lines = telemetry::jsonLine(event, { .showKeys = true }) + '\n';
    event.id.key = "hidden";
    lines += telemetry::jsonLine(event, { .salt = "s" }) + '\n';
    event.outcome = telemetry::KeyOutcome::Conflict;
    event.payloadHash = Bytes(32, 'b');
    event.from = event.to;
    lines += telemetry::jsonLine(event, { .salt = "s" }) + '\n';
    const auto run = import({ log("a.jsonl", QByteArray::fromStdString(lines)) });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(on("keys list").lines().size(), 2U);
    EXPECT_EQ(one("SELECT idempotency_key FROM idempotency_records WHERE idempotency_key LIKE 'sha256:%'"),
        "sha256:" + telemetry::keyHash("hidden", "s"));
    EXPECT_THAT(run.err, HasSubstr("hash of a key"));
    EXPECT_EQ(one("SELECT slot || ' ' || count || ' ' || hex(presented_hash) FROM idempotency_conflicts"),
        "1 1 " + toHex(Bytes(32, 'b')));
}

// Words of another library for the same transitions are the same history, and our own are taken for what was meant.
TEST_P(CtlImportTest, WhatHappenedIsToldByWhatCameOfItWhateverItIsCalled)
{
    struct Step {
        const char* from;
        const char* to;
        int attempt;
        int fence;
    };
    constexpr std::array steps{ Step{ "ABSENT", "IN_PROGRESS", 1, 1 }, Step{ "IN_PROGRESS", "IN_PROGRESS", 1, 1 },
        Step{ "IN_PROGRESS", "IN_PROGRESS", 2, 2 }, Step{ "IN_PROGRESS", "FAILED_RETRYABLE", 2, 2 },
        Step{ "FAILED_RETRYABLE", "IN_PROGRESS", 3, 3 }, Step{ "IN_PROGRESS", "SUCCEEDED", 3, 3 },
        Step{ "SUCCEEDED", "EXPIRED", 3, 3 }, Step{ "EXPIRED", "ABSENT", 3, 3 } };
    using Words = std::array<const char*, steps.size()>;
    const auto logged = [&](const Words& words, const Words& outcomes, bool tellsAttempts) {
        std::string lines;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            Json line{ { "ts", "2026-11-20T10:0" + std::to_string(i) + ":00Z" }, { "idempotency_key", "k1" },
                { "scope", "pay" }, { "operation_type", "charge" }, { "from_state", steps[i].from },
                { "to_state", steps[i].to }, { "fence", steps[i].fence } };
            if (tellsAttempts)
                line["attempt"] = steps[i].attempt;
            if (words[i] != nullptr)
                line["event"] = words[i];
            if (outcomes[i] != nullptr)
                line["outcome"] = outcomes[i];
            lines += line.dump() + '\n';
        }
        return QByteArray::fromStdString(lines);
    };
    const auto read = [&](const Words& words, const Words& outcomes, bool tellsAttempts = true) {
        const auto imported =
            import({ log("a.jsonl", logged(words, outcomes, tellsAttempts)) }, { QStringLiteral("--force") });
        EXPECT_EQ(imported.code, 0) << imported.err;
        EXPECT_EQ(on("invariants").code, 0) << on("invariants").out;
        EXPECT_EQ(one("SELECT group_concat(attempt, ' ') FROM (SELECT * FROM idempotency_transitions ORDER BY seq)"),
            "1 1 2 2 3 3 3 3");
        return history();
    };
    const std::string expected = "reserve ABSENT IN_PROGRESS\nunknown IN_PROGRESS IN_PROGRESS\n"
                                 "reserve IN_PROGRESS IN_PROGRESS\nfail IN_PROGRESS FAILED_RETRYABLE\n"
                                 "reserve FAILED_RETRYABLE IN_PROGRESS\nfinalize IN_PROGRESS SUCCEEDED\n"
                                 "unknown SUCCEEDED EXPIRED\nreap EXPIRED ABSENT\n";
    const Words none{};
    EXPECT_EQ(
        read({ "idempotency.started", "heartbeat", "takeover", "attempt failed", "Retry", "Done", "ttl", "swept" },
            none),
        expected);
    EXPECT_EQ(read({ "in_progress", "unknown", "takeover", "held", "reserve", "mismatch", "expired", "expired" }, none),
        expected);
    EXPECT_EQ(read({ "finalize", "reap", "fail", "finalize", "hold", "reserve", "reap", "release" }, none), expected);
    EXPECT_EQ(read(none, { "execute", "applied", "execute", "applied", "execute", "applied", "applied", "applied" }),
        expected);
    EXPECT_EQ(read({ "a", "b", "c", "d", "e", "f", "g", "h" },
                  { "created", nullptr, "taken_over", "failed", "created", "created", "expired", nullptr }),
        expected);
    EXPECT_EQ(read({ "a", "b", "c", "d", "e", "f", "g", "h" }, none, false), expected);
    EXPECT_THAT(one("SELECT reason FROM idempotency_transitions ORDER BY seq LIMIT 1"), "a");
}

TEST_P(CtlImportTest, OtherWordsHideNoStepThatNoRuleLeadsTo)
{
    const auto findings = [this](const std::vector<const char*>& lines) {
        importSteps(lines);
        std::string rules;
        for (const auto& finding : on("invariants").lines())
            rules += finding["rule"].get<std::string>() + ' ';
        return rules;
    };
    constexpr auto begun = R"("event":"go","from_state":"ABSENT","to_state":"IN_PROGRESS","fence":5,"attempt":1)";
    constexpr auto done = R"("event":"ok","from_state":"IN_PROGRESS","to_state":"SUCCEEDED","fence":5,"attempt":1)";
    for (const auto* wrong : { R"("event":"back","from_state":"SUCCEEDED","to_state":"FAILED_RETRYABLE","fence":5)",
             R"("event":"weird","from_state":"SUCCEEDED","to_state":"IN_PROGRESS","fence":6,"attempt":2)",
             R"("event":"fail","from_state":"SUCCEEDED","to_state":"FAILED_FINAL","fence":5)",
             R"("outcome":"applied","from_state":"SUCCEEDED","to_state":"FAILED_RETRYABLE","fence":5)" })
        EXPECT_EQ(findings({ begun, done, wrong }), "impossible_transition ") << wrong;
    EXPECT_EQ(
        findings({ begun,
            R"("event":"Stolen","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","fence":3,"attempt":2,"owner":"b")" }),
        "fence_went_back ");
    // What ends where the status says, what was given up at once and what is there from the beginning.
    EXPECT_EQ(
        findings({ begun, R"("event":"finalize","from_state":"IN_PROGRESS","status":"SUCCEEDED","fence":5)" }), "");
    EXPECT_EQ(findings({ begun, R"("event":"done","from_state":"IN_PROGRESS","status":"SUCCEEDED","fence":5)" }), "");
    EXPECT_EQ(
        findings({ begun, R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"FAILED_FINAL","fence":5)" }),
        "");
    EXPECT_EQ(findings({ begun, R"("event":"fail","from_state":"IN_PROGRESS","to_state":"ABSENT","fence":5)" }), "");
    EXPECT_EQ(findings({ R"("event":"inserted","from_state":"ABSENT","to_state":"SUCCEEDED","fence":5)" }), "");
}

// What a line leaves out is what the lines of its key have come to until then.
TEST_P(CtlImportTest, LinesMayTellTheirFenceAndTheirAttemptOnlyNowAndThen)
{
    const auto read = [this](const std::vector<const char*>& lines) {
        importSteps(lines);
        return one("SELECT status || ' ' || fence || ' ' || attempt FROM idempotency_records") + ';'
            + one("SELECT group_concat(attempt, ' ') FROM (SELECT * FROM idempotency_transitions ORDER BY seq)");
    };
    constexpr auto reserved = R"("event":"reserve","from_state":"ABSENT","to_state":"IN_PROGRESS")";
    constexpr auto failed = R"("event":"fail","from_state":"IN_PROGRESS","to_state":"FAILED_RETRYABLE")";
    constexpr auto retried = R"("event":"reserve","from_state":"FAILED_RETRYABLE","to_state":"IN_PROGRESS")";
    constexpr auto done = R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"SUCCEEDED")";
    const auto with = [](const char* line, const char* more) { return std::string(line) + more; };
    EXPECT_EQ(read({ with(reserved, R"(,"fence":7,"attempt":1)").c_str(), failed,
                  with(retried, R"(,"fence":9,"attempt":2)").c_str(), done }),
        "SUCCEEDED 9 2;1 1 2 2");
    EXPECT_EQ(
        read({ reserved, with(failed, R"(,"attempt":1)").c_str(), retried, with(done, R"(,"attempt":2)").c_str() }),
        "SUCCEEDED 0 2;1 1 2 2");
    EXPECT_EQ(read({ reserved, failed, with(retried, R"(,"attempt":2)").c_str(), done }), "SUCCEEDED 0 2;1 1 2 2");
    EXPECT_EQ(read({ with(reserved, R"(,"attempt":0)").c_str(), with(failed, R"(,"attempt":0)").c_str(),
                  with(retried, R"(,"attempt":1)").c_str(), done }),
        "SUCCEEDED 0 2;1 1 2 2");
    // From somewhere in its middle on.
    EXPECT_EQ(read({ with(retried, R"(,"attempt":5)").c_str(), failed, retried, failed, retried, done }),
        "SUCCEEDED 0 7;5 5 6 6 7 7");
    // A takeover without states is the second attempt, and who is fenced by an operator was refused nothing.
    EXPECT_EQ(read({ R"("event":"reserve","outcome":"created","owner":"a")",
                  R"("event":"reserve","outcome":"taken_over","owner":"b")", done }),
        "SUCCEEDED 0 2;1 2 2");
    EXPECT_EQ(
        read({ with(reserved, R"(,"fence":1)").c_str(),
            R"("event":"operator_fence","outcome":"fenced","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","fence":2)" }),
        "IN_PROGRESS 2 1;1 1");
    EXPECT_EQ(one("SELECT group_concat(event, ' ') FROM idempotency_transitions"), "reserve operator_fence");
    // A heartbeat that tells nothing hides no takeover behind it.
    constexpr auto beat = R"("event":"beat","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS")";
    EXPECT_EQ(read({ with(reserved, R"(,"fence":4)").c_str(), beat, with(beat, R"(,"fence":5)").c_str(), done }),
        "SUCCEEDED 5 2;1 1 2 2");
    EXPECT_EQ(one("SELECT group_concat(event, ' ') FROM (SELECT event FROM idempotency_transitions ORDER BY seq)"),
        "reserve unknown reserve finalize");
    // Whom an operator gives back goes on, also where the line does not tell from where.
    EXPECT_EQ(read({ R"("to_state":"IN_PROGRESS")", R"("to_state":"HELD","outcome":"held")",
                  R"("to_state":"IN_PROGRESS")", R"("to_state":"SUCCEEDED")" }),
        "SUCCEEDED 0 1;1 1 1 1");
    EXPECT_EQ(one("SELECT group_concat(event, ' ') FROM (SELECT event FROM idempotency_transitions ORDER BY seq)"),
        "reserve hold operator_resolve finalize");
    // A log that begins with a failure begins behind the first attempt.
    EXPECT_EQ(read({ failed, retried, done }), "SUCCEEDED 0 2;1 2 2");
    EXPECT_EQ(
        read({ reserved, with(failed, R"(,"attempt":0)").c_str(), retried, with(done, R"(,"attempt":1)").c_str() }),
        "SUCCEEDED 0 2;1 1 2 2");
    // What expired is what it was before, however often that is told.
    EXPECT_EQ(read({ reserved, done, R"("from_state":"SUCCEEDED","to_state":"EXPIRED")",
                  R"("event":"reap","from_state":"EXPIRED","to_state":"EXPIRED")" }),
        "SUCCEEDED 0 1;1 1 1 1");
    EXPECT_EQ(read({ reserved, done, R"("event":"operator_expire","to_state":"EXPIRED")" }), "SUCCEEDED 0 1;1 1 1");
}

// One word for every end is called by what came of it, also where the line does not tell from where.
TEST_P(CtlImportTest, AWordOfOursIsTakenForWhatItsStatesSay)
{
    const auto read = [this](const std::vector<const char*>& lines) {
        importSteps(lines);
        return history();
    };
    EXPECT_EQ(
        read({ R"("event":"reserve","to_state":"IN_PROGRESS")", R"("event":"finalize","to_state":"FAILED_RETRYABLE")",
            R"("event":"reserve","to_state":"IN_PROGRESS")", R"("event":"finalize","to_state":"FAILED_FINAL")" }),
        "reserve UNKNOWN IN_PROGRESS\nfail IN_PROGRESS FAILED_RETRYABLE\nreserve FAILED_RETRYABLE IN_PROGRESS\n"
        "fail IN_PROGRESS FAILED_FINAL\n");
    EXPECT_THAT(one("SELECT reason FROM idempotency_transitions WHERE seq = 2"), "finalize");
    // What was answered is in progress no more, though nobody told what became of it.
    const auto state = [this] { return on("keys list").lines().at(0)["state"].get<std::string>(); };
    (void)read({ R"("event":"start","outcome":"created")", R"("outcome":"in_progress")", R"("event":"end")",
        R"("outcome":"replayed")" });
    EXPECT_EQ(state(), "UNKNOWN");
    (void)read({ R"("outcome":"in_progress")", R"("event":"finalize")" });
    EXPECT_EQ(state(), "SUCCEEDED");
    (void)read({ R"("to_state":"IN_PROGRESS")", R"("outcome":"replayed")" });
    EXPECT_EQ(state(), "UNKNOWN");
    (void)read({ R"("to_state":"SUCCEEDED")", R"("outcome":"replayed")" });
    EXPECT_EQ(state(), "SUCCEEDED");
    (void)read({ R"("event":"start")", R"("outcome":"in_progress")" });
    EXPECT_EQ(state(), "IN_PROGRESS");
}

// A store that forgets a key forgets its fence with it.
TEST_P(CtlImportTest, ALaterLifeIsTheLaterOneThoughItsFenceIsLower)
{
    constexpr auto reserved = R"("event":"reserve","from_state":"ABSENT","to_state":"IN_PROGRESS","fence":1)";
    constexpr auto stolen = R"("event":"reserve","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","fence":2)";
    constexpr auto failed = R"("event":"fail","from_state":"IN_PROGRESS","to_state":"FAILED_FINAL","fence":2)";
    constexpr auto done = R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"SUCCEEDED","fence":1)";
    constexpr auto reaped = R"("event":"reap","from_state":"FAILED_FINAL","to_state":"ABSENT")";
    for (const auto& lines : { std::vector{ reserved, stolen, failed, reaped, reserved, done },
             std::vector{ reserved, stolen, failed, reserved, done }, std::vector{ failed, reaped, reserved, done } }) {
        importSteps(lines);
        EXPECT_EQ(one("SELECT status || ' ' || fence || ' ' || attempt FROM idempotency_records"), "SUCCEEDED 1 1");
        const auto broken = on("invariants");
        EXPECT_EQ(broken.lines().size(), 1U) << broken.out;
        EXPECT_THAT(broken.out, HasSubstr("fence_went_back"));
    }
}

// Where a line does not tell what the record was, the line before has left it.
TEST_P(CtlImportTest, AStepBeginsWhereTheLineBeforeEnded)
{
    importSteps({ R"("event":"go","to_state":"IN_PROGRESS","attempt":1)",
        R"("event":"no","to_state":"FAILED_RETRYABLE","attempt":1)",
        R"("event":"again","status":"IN_PROGRESS","attempt":2)", R"("outcome":"in_progress","attempt":2)",
        R"("event":"yes","status":"SUCCEEDED","attempt":2)" });
    EXPECT_EQ(history(),
        "reserve UNKNOWN IN_PROGRESS\nfail IN_PROGRESS FAILED_RETRYABLE\nreserve FAILED_RETRYABLE IN_PROGRESS\n"
        "in_progress IN_PROGRESS IN_PROGRESS\nfinalize IN_PROGRESS SUCCEEDED\n");
}

TEST_P(CtlImportTest, WhatIsNotUnderstoodIsNamedWithItsLineAndLeftOut)
{
    QByteArray content = first;
    content += "not json\n\n";
    content += R"({"ts":"2026-11-20T10:00:00Z","event":"reserve"})"
               "\n";
    content += "{\"ts\":\"2026-11-20T10:00:00Z\",\"event\":\"x\",\"idempotency_key\":\"\xff\"}\n";
    content += R"({"ts":"2026-11-20T10:00:00Z","event":"x","idempotency_key":"a\u0000b"})"
               "\n";
    content += R"({"ts":"12026-11-20T10:00:00Z","event":"x","idempotency_key":"far"})"
               "\n";
    content += QByteArray(3 << 20, 'x') + '\n';
    content += QByteArray(100000, '[') + '\n';
    content += R"({"ts":-86400,"event":"reserve","idempotency_key":"old","to_state":"HELD"})"
               "\r\n";
    content += R"({"ts":"2026-11-2)";
    const auto run = import({ log("a.jsonl", content) });
    ASSERT_EQ(run.code, 0) << run.err;
    const auto told = run.json();
    EXPECT_EQ(told["imported"][0]["lines"], 10);
    EXPECT_EQ(told["imported"][0]["left_out"], 8);
    EXPECT_EQ(told["left_out"][0]["line"], 2);
    EXPECT_THAT(run.err, HasSubstr("line 4: it has neither idempotency_key nor key_hash"));
    EXPECT_THAT(run.err, HasSubstr("line 6: idempotency_key has a NUL in it"));
    EXPECT_THAT(run.err, HasSubstr("line 8: it is longer than 1 MiB"));
    EXPECT_THAT(run.err, HasSubstr("line 9: it is nested too deeply"));
    EXPECT_THAT(run.err, HasSubstr("without its end"));
    EXPECT_EQ(one("SELECT hold || ' ' || at FROM idempotency_records JOIN idempotency_transitions USING "
                  "(idempotency_key) WHERE idempotency_key = 'old'"),
        "1 -86400000000");
    EXPECT_EQ(on("keys show unknown unknown old").json()["state"], "HELD");
}

TEST_P(CtlImportTest, NothingUnderstoodLeavesNoFile)
{
    const auto run = import({ log("a.jsonl", "attempt,delay_ms\n1,2\n") });
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("No line was understood"));
    EXPECT_THAT(run.err, HasSubstr("neither a JSON object nor the header"));
    EXPECT_THAT(run.err, HasSubstr("attempt,delay_ms,status,code,notes or key,payload_hash"));
    EXPECT_FALSE(QFile::exists(path("out.db")));
    EXPECT_FALSE(QFile::exists(path("out.db.part")));
    EXPECT_EQ(import({ path("none.jsonl") }).code, 2);
    EXPECT_FALSE(QFile::exists(path("out.db.part")));
}

TEST_P(CtlImportTest, AFileThatIsThereIsReplacedOnlyWhenThatIsSaid)
{
    const auto name = log("a.jsonl", first);
    EXPECT_EQ(import({ name }).code, 0);
    EXPECT_NE(import({ name }).code, 0);
    EXPECT_EQ(import({ name }, { QStringLiteral("--force") }).code, 0);
    const auto refused = on("reap");
    EXPECT_NE(refused.code, 0) << "nothing is written to it";
}

TEST_P(CtlImportTest, OfTwoLinesTheHigherFenceCountsWhereTheClockWentBack)
{
    QByteArray content = first;
    content += R"({"ts":"2026-11-20T09:00:00Z","event":"fail","idempotency_key":"k1","scope":"pay","operation_type":)"
               R"("charge","to_state":"FAILED_FINAL","fence":8,"error_code":"https://u:secret@host/x"})"
               "\n";
    const auto run = import({ log("a.jsonl", content) });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(on("keys show pay charge k1").json()["state"], "FAILED_FINAL");
    EXPECT_THAT(run.err, HasSubstr("earlier than the one before"));
    QFile file(path("out.db"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_FALSE(file.readAll().contains("secret"));
}

TEST_P(CtlImportTest, ThePlaybooksFilesAndJsonLinesBecomeOneHistory)
{
    const auto seed = [](const char* name) {
        return QStringLiteral(FENCEPOST_FIXTURES "/playbook/") + QLatin1String(name);
    };
    const auto at = QStringList{ QStringLiteral("--at"), QStringLiteral("2026-11-20T12:00:00Z") };
    // The names say nothing of what is in them.
    ASSERT_TRUE(QFile::copy(seed("inbox.csv"), path("answers.jsonl")));
    const auto run =
        import({ seed("replay_outcomes.csv"), log("a.csv", first), path("answers.jsonl"), seed("retry_log.csv") }, at);
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    const auto told = run.json();
    EXPECT_EQ(told["product"], "replay outcomes, JSON lines, inbox, retry log");
    EXPECT_EQ(told["imported"][0]["lines_at"], "2026-11-20T12:00:00.000000Z");
    EXPECT_FALSE(told["imported"][2].contains("lines_at")) << "an inbox has times of its own";
    EXPECT_THAT(run.err, HasSubstr("6 lines have no time"));
    EXPECT_THAT(run.err, HasSubstr("the one that was given"));
    EXPECT_THAT(run.err, HasSubstr("3 lines have a payload hash that is no SHA-256"));
    EXPECT_THAT(run.err, HasSubstr("what a client saw"));

    EXPECT_EQ(on("keys list").lines().size(), 3U);
    const auto key = on("keys show unknown unknown k1").json();
    EXPECT_EQ(key["state"], "SUCCEEDED") << "a refused request changes nothing";
    EXPECT_EQ(key["response_code"], 201);
    EXPECT_EQ(key["result_ref"], "result:rf_123");
    ASSERT_EQ(key["transitions"].size(), 3U);
    EXPECT_EQ(key["transitions"][2]["event"], "mismatch");
    EXPECT_EQ(key["transitions"][1]["reason"], "replayed: 201, rf_123, payload hash abc");
    const auto client = on("keys show unknown unknown retry_log.csv:2").json();
    EXPECT_EQ(client["attempts"], 3);
    EXPECT_EQ(client["transitions"][5]["at"], "2026-11-20T12:00:00.000000Z") << "the last line, not the first";

    const auto since = std::string(" --since 2025-09-01T00:00:00Z");
    const auto refused = on(("conflicts list" + since).c_str()).lines();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0]["key"], "k1");
    EXPECT_EQ(refused[0]["kept_hash"], toHex(sha256("abc")));
    EXPECT_EQ(refused[0]["presented_hash"], toHex(sha256("xyz")));

    const auto inbox = on("inbox list").lines();
    ASSERT_EQ(inbox.size(), 1U);
    EXPECT_EQ(inbox[0]["state"], "PROCESSED");
    EXPECT_EQ(one("SELECT receive_count || ' ' || consumer || ' ' || result FROM inbox_messages"), "2 unknown ok");
    std::vector<nlohmann::json> delays;
    for (const auto& figure : on(("retries histogram --preset playbook" + since).c_str()).lines())
        if (figure["figure"] == "delay")
            delays.push_back(figure);
    ASSERT_EQ(delays.size(), 2U);
    EXPECT_EQ(delays[0]["least_us"], 137'000);
    EXPECT_EQ(delays[1]["most_us"], 281'000);
    EXPECT_EQ(delays[1]["late"], 0);

    EXPECT_EQ(on("find rf_123").code, 0);
    EXPECT_EQ(on("find ev_001").code, 0);
    EXPECT_THAT(on("invariants").out, Not(HasSubstr("impossible_transition")));
    EXPECT_EQ(plain({ QStringLiteral("snapshot"), QStringLiteral("verify"), path("out.db") }).code, 0);
}

TEST_P(CtlImportTest, WhatDiedIsADeadLetterAndWhatHangsIsReceived)
{
    const auto run = import({ log("inbox.csv",
        "event_id,source,first_seen,processed,result\n"
        "e1,pay,2025-09-15T12:00:00Z,2025-09-15T12:00:01Z,failed\n"
        "e1,pay,2025-09-15T12:00:10Z,2025-09-15T12:00:12Z,dead\n"
        "e2,pay,2025-09-15T12:00:00Z,,\n") });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(
        one("SELECT group_concat(status) FROM (SELECT status FROM inbox_messages ORDER BY event_id)"), "DEAD,RECEIVED");
    const auto letters = on("dlq list").lines();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_EQ(letters[0]["key"], "e1");
    EXPECT_THAT(on("invariants").out, Not(HasSubstr("dead_without_letter")));
}

TEST_P(CtlImportTest, OneStrayQuoteCostsOneLineAndTheSameFileTwiceIsOne)
{
    QByteArray content = "key,payload_hash,status,http_code,result_id,notes\n";
    for (int i = 0; i < 1000; ++i)
        content += (i == 500 ? "\"" : "") + QByteArray("k") + QByteArray::number(i) + ",abc,complete,201,,\n";
    const auto name = log("answers.csv", content);
    const auto run = import({ name, name });
    ASSERT_EQ(run.code, 0) << run.err;
    const auto told = run.json();
    EXPECT_EQ(told["imported"][0]["lines"], 1000);
    EXPECT_EQ(told["imported"][0]["left_out"], 1);
    EXPECT_EQ(told["imported"][1]["repeated"], 999);
    EXPECT_EQ(told["left_out"][0]["line"], 502);
    EXPECT_EQ(told["left_out"][0]["reason"], "the quote of this cell is not closed");
    EXPECT_EQ(one("SELECT count(*) FROM idempotency_transitions"), "999");
}

TEST_P(CtlImportTest, OperationsOfTwoFilesOfOneNameAreTwo)
{
    ASSERT_TRUE(QDir(path("")).mkpath(QStringLiteral("other")));
    const QByteArray attempt = "attempt,delay_ms,status,code,notes\n1,0,200,200,\n";
    const auto run = import({ log("retry.csv", attempt), log("other/retry.csv", attempt) });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("when it was last changed"));
    EXPECT_EQ(on("keys list").lines().size(), 2U);
}

TEST_P(CtlImportTest, WhatIsSecretInACsvFileIsHiddenToo)
{
    const auto run = import({ log("answers.csv",
        "key,payload_hash,status,http_code,result_id,notes\n"
        "k1,abc,complete,201,rf_1,card 4111 1111 1111 1111 of jo@example.org\n") });
    ASSERT_EQ(run.code, 0) << run.err;
    QFile file(path("out.db"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto bytes = file.readAll();
    EXPECT_FALSE(bytes.contains("4111 1111"));
    EXPECT_FALSE(bytes.contains("jo@example.org"));
    EXPECT_TRUE(bytes.contains("rf_1"));
}

TEST_P(CtlImportTest, ATimeThatIsNoneIsAUsageError)
{
    const auto name = log("a.jsonl", first);
    for (const auto* at : { "soon", "1969-12-31T23:59:59Z" })
        EXPECT_EQ(import({ name }, { QStringLiteral("--at"), QLatin1String(at) }).code, 2) << at;
    EXPECT_FALSE(QFile::exists(path("out.db")));
    const auto over =
        plain({ QStringLiteral("import"), name, QStringLiteral("--into"), name, QStringLiteral("--force") });
    EXPECT_EQ(over.code, 2);
    EXPECT_THAT(over.err, HasSubstr("written over"));
}

TEST_P(CtlImportTest, WhatExpiredIsWhatItWasBefore)
{
    const QByteArray lines = R"({"ts":"2026-11-20T10:00:00Z","scope":"s","operation_type":"o","idempotency_key":"k",)"
                             R"("from_state":"IN_PROGRESS","to_state":"SUCCEEDED","event":"finalize","fence":1}
{"ts":"2026-11-21T10:00:00Z","scope":"s","operation_type":"o","idempotency_key":"k","from_state":"SUCCEEDED",)"
                             R"("to_state":"EXPIRED","event":"expire","fence":1}
)";
    ASSERT_EQ(import({ log("a.jsonl", lines) }).code, 0);
    EXPECT_EQ(on("keys show s o k").json()["state"], "EXPIRED");
    EXPECT_EQ(one("SELECT status FROM idempotency_records"), "SUCCEEDED");
}

TEST_P(CtlImportTest, ARefusedRequestLeavesTheStateThatIsKnown)
{
    const auto refused = [](const char* at, const char* outcome) {
        return std::string(R"({"ts":")") + at + R"(","event":"reserve","idempotency_key":"k1","scope":"pay",)"
            + R"("operation_type":"charge","outcome":")" + outcome + "\"}\n";
    };
    const auto content = refused("2026-11-20T09:59:59Z", "conflict") + first
        + refused("2026-11-20T10:00:01Z", "in_progress") + last + refused("2026-11-20T10:00:03Z", "conflict")
        + refused("2026-11-20T10:00:04Z", "created");
    ASSERT_EQ(import({ log("a.jsonl", QByteArray::fromStdString(content)) }).code, 0);
    EXPECT_EQ(one("SELECT group_concat(from_state || '>' || to_state, ' ') FROM (SELECT from_state, to_state FROM "
                  "idempotency_transitions ORDER BY seq)"),
        "UNKNOWN>UNKNOWN ABSENT>IN_PROGRESS IN_PROGRESS>IN_PROGRESS IN_PROGRESS>SUCCEEDED SUCCEEDED>SUCCEEDED "
        "UNKNOWN>UNKNOWN");
}

// Who is told that another is at it neither takes over nor begins an attempt.
TEST_P(CtlImportTest, ARefusalIsNoTakeoverAndNoAttempt)
{
    const auto line = [](const char* at, const char* event, const char* from, const char* to, const char* more) {
        return std::string(R"({"ts":"2026-11-20T)") + at + R"(Z","event":")" + event
            + R"(","idempotency_key":"k1","scope":"pay","operation_type":"charge","from_state":")" + from
            + R"(","to_state":")" + to + "\"," + more + "}\n";
    };
    std::string content = first;
    for (int i = 1; i <= 5; ++i)
        content += line(("10:00:0" + std::to_string(i)).c_str(), "reserve", "IN_PROGRESS", "IN_PROGRESS",
            R"("attempt":1,"fence":7,"outcome":"in_progress")");
    content +=
        line("10:00:10", "reserve", "IN_PROGRESS", "IN_PROGRESS", R"("attempt":2,"fence":8,"outcome":"taken_over")");
    content += line("10:00:20", "finalize", "IN_PROGRESS", "SUCCEEDED", R"("attempt":2,"fence":8,"outcome":"created")");
    content += line("10:00:30", "reserve", "SUCCEEDED", "SUCCEEDED", R"("attempt":2,"fence":8,"outcome":"replayed")");
    content += line("10:00:31", "finalize", "SUCCEEDED", "SUCCEEDED", R"("attempt":2,"fence":8,"outcome":"replayed")");
    ASSERT_EQ(import({ log("a.jsonl", QByteArray::fromStdString(content)) }).code, 0);
    std::map<std::string, std::string> edges;
    for (const auto& flow : on("flows --since 2026-11-20T00:00:00Z").lines())
        edges[flow["from"].get<std::string>() + ">" + flow["to"].get<std::string>() + " "
            + flow["event"].get<std::string>()] =
            std::to_string(flow["count"].get<int>()) + " " + flow["nature"].get<std::string>();
    const std::map<std::string, std::string> expected{ { "ABSENT>IN_PROGRESS reserve", "1 expected" },
        { "IN_PROGRESS>IN_PROGRESS in_progress", "5 expected" }, { "IN_PROGRESS>IN_PROGRESS reserve", "1 suspicious" },
        { "IN_PROGRESS>SUCCEEDED finalize", "1 expected" }, { "SUCCEEDED>SUCCEEDED replayed", "2 expected" } };
    EXPECT_EQ(edges, expected);
    EXPECT_EQ(one("SELECT count(*) FROM idempotency_transitions WHERE event = 'reserve' AND attempt = 1"), "1");
    EXPECT_EQ(on("invariants").code, 0) << on("invariants").out << on("invariants").err;
}

TEST_P(CtlImportTest, LinesThatTellAnOutcomeAloneMakeKeys)
{
    const auto line = [](const char* key, const char* rest) {
        return std::string(R"({"ts":"2026-11-20T10:00:00Z","idempotency_key":")") + key + "\"," + rest + "}\n";
    };
    const auto content = line("a", R"("outcome":"created")") + line("a", R"("outcome":"replayed","status":"SUCCEEDED")")
        + line("b", R"("outcome":"created")") + line("c", R"("outcome":"in_progress")")
        + line("c", R"("outcome":"conflict")");
    ASSERT_EQ(import({ log("a.jsonl", QByteArray::fromStdString(content)) }).code, 0);
    EXPECT_EQ(one("SELECT group_concat(idempotency_key || ' ' || status) FROM (SELECT * FROM idempotency_records ORDER "
                  "BY idempotency_key)"),
        "a SUCCEEDED,b UNKNOWN,c IN_PROGRESS");
    EXPECT_EQ(on("keys list").lines().size(), 3U);
    EXPECT_EQ(on("keys show unknown unknown b").json()["state"], "UNKNOWN");
}

// Each request under a key has a correlation id of its own, and a record has one.
TEST_P(CtlImportTest, EveryCorrelationIdLeadsToItsKey)
{
    const auto line = [](int second, const char* event, const char* to, const char* more) {
        return QByteArray(R"({"timestamp":"2026-11-20T10:00:0)") + QByteArray::number(second)
            + R"(Z","idempotency_key":"k1","scope":"pay","operation_type":"charge","event":")" + event
            + R"(","to_state":")" + to + "\"" + more + "}\n";
    };
    ASSERT_EQ(import({ log("one.jsonl",
                         line(0, "reserve", "IN_PROGRESS", R"(,"correlation_id":"corr-9")")
                             + line(1, "fail", "FAILED_RETRYABLE", "")) })
                  .code,
        0);
    EXPECT_EQ(on("find corr-9").code, 0) << "the last line does not tell it";
    EXPECT_EQ(one("SELECT correlation_id FROM idempotency_records"), "corr-9");
    ASSERT_TRUE(QFile::remove(path("out.db")));
    ASSERT_EQ(import({ log("two.jsonl",
                         line(0, "reserve", "IN_PROGRESS", R"(,"correlation_id":"corr-9")")
                             + line(1, "fail", "FAILED_RETRYABLE", R"(,"correlation_id":"corr-9")")
                             + line(2, "reserve", "IN_PROGRESS", R"(,"correlation_id":"corr-10")")) })
                  .code,
        0);
    for (const auto* id : { "find corr-9", "find corr-10" }) {
        const auto found = on(id);
        EXPECT_EQ(found.code, 0) << id << found.err;
        EXPECT_THAT(found.out, HasSubstr("\"k1\"")) << id;
    }
    EXPECT_EQ(on("find corr-1").code, 1) << "no part of one";
    for (const auto* action : { "hide", "hash" }) {
        ASSERT_TRUE(QFile::remove(path("out.db")));
        const auto rules = log("rules.json",
            QByteArray(R"({"name":"x","salt":"s","rules":[{"column":"idempotency_records.correlation_id","action":")")
                + action + "\"}]}");
        ASSERT_EQ(import({ path("two.jsonl") }, { QStringLiteral("--redact"), rules }).code, 0);
        EXPECT_EQ(one("SELECT count(*) FROM idempotency_transitions WHERE reason LIKE '%corr-%'"), "0") << action;
        EXPECT_EQ(one("SELECT count(*) FROM idempotency_records WHERE correlation_id LIKE 'corr-%'"), "0") << action;
    }
}

// Whoever has it open would lose the locks on it by our closing it.
TEST_P(CtlImportTest, ADatabaseInUseIsNoLog)
{
    ASSERT_EQ(plain({ QStringLiteral("--db"), QStringLiteral("sqlite:") + path("live.db"), QStringLiteral("schema"),
                        QStringLiteral("init") })
                  .code,
        0);
    store::Target target;
    target.path = path("live.db").toStdString();
    const auto open = store::Connection::open(target, { .access = store::Access::ReadWrite });
    ASSERT_TRUE(open);
    ASSERT_TRUE((*open)->execute("CREATE TABLE something (id INTEGER)"));
    const auto run = import({ path("live.db") });
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("a database that is in use"));
    EXPECT_FALSE(QFile::exists(path("out.db")));
}

TEST_P(CtlImportTest, TheHashThatWasKeptStandsBesideTheOneThatWasPresented)
{
    const auto line = [](const char* at, const std::string& hash, const char* rest) {
        return std::string(R"({"ts":"2026-11-20T10:00:0)") + at + R"(Z","event":"reserve","idempotency_key":"k1",)"
            + R"("payload_hash":")" + hash + "\"," + rest + "}\n";
    };
    const auto content = line("0", std::string(64, 'a'), R"("from_state":"ABSENT","to_state":"IN_PROGRESS")")
        + line(
            "1", std::string(64, 'b'), R"("from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","outcome":"conflict")");
    ASSERT_EQ(import({ log("a.jsonl", QByteArray::fromStdString(content)) }).code, 0);
    const auto refused = on("conflicts list --since 2026-11-20T00:00:00Z").lines();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0]["kept_hash"], std::string(64, 'a'));
    EXPECT_EQ(refused[0]["presented_hash"], std::string(64, 'b'));
}

TEST_P(CtlImportTest, WhatALogCannotTellIsNoFinding)
{
    ASSERT_EQ(import({ log("a.jsonl", QByteArray(first) + last) }).code, 0);
    const auto scanned = on("invariants");
    EXPECT_EQ(scanned.code, 0) << scanned.out << scanned.err;
    EXPECT_THAT(scanned.err, HasSubstr("no_response cannot be judged of 1 row"));
    EXPECT_THAT(scanned.err, HasSubstr("a log"));

    // Who works on it and until when, no line tells.
    ASSERT_EQ(import({ log("a.jsonl", QByteArray(first)) }, { QStringLiteral("--force") }).code, 0);
    const auto open = on("invariants");
    EXPECT_EQ(open.code, 0) << open.out;
    EXPECT_THAT(open.err, HasSubstr("lapsed_lease cannot be judged of 1 row: no lease is told of them"));
    EXPECT_THAT(on("keys stuck").err, HasSubstr("made of logs, which tell no lease"));
    const auto watched = plain(QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:") + path("out.db"),
        QStringLiteral("watch"), QStringLiteral("--once"), QStringLiteral("--rule"), QStringLiteral("stuck > 0") });
    EXPECT_THAT(watched.out + watched.err, HasSubstr("No table here tells of stuck"));
    EXPECT_NE(watched.code, 0);

    const auto held = QByteArray(first)
        + R"({"ts":"2026-11-20T10:00:02Z","event":"hold","idempotency_key":"k1","scope":"pay","operation_type":"charge",)"
          R"("from_state":"IN_PROGRESS","to_state":"HELD","fence":7})"
        + "\n";
    ASSERT_EQ(import({ log("a.jsonl", held) }, { QStringLiteral("--force") }).code, 0);
    EXPECT_THAT(on("invariants").err, Not(HasSubstr("held_too_long")))
        << "as of the end of the log it was held just now";
    const auto later = QByteArray(first).replace("k1", "k2").replace("2026-11-20", "2026-11-27");
    ASSERT_EQ(import({ log("a.jsonl", held + later) }, { QStringLiteral("--force") }).code, 0);
    const auto behind = on("invariants");
    EXPECT_EQ(behind.code, 0) << behind.out;
    EXPECT_THAT(behind.err, HasSubstr("held_too_long cannot be judged of 1 row: what became of them behind the end"));
}

// Our own log says so of who is told to wait.
TEST_P(CtlImportTest, WhoWaitsWithoutAnAttemptNumbersNobodyElses)
{
    importSteps({ R"("event":"reserve","from_state":"ABSENT","to_state":"IN_PROGRESS","attempt":1,"fence":4,"owner":"w")",
        R"("event":"reserve","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","attempt":0,"fence":0,"owner":null,)"
        R"("status":null,"outcome":"in_progress")",
        R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"SUCCEEDED","attempt":1,"fence":4,"outcome":"created")" });
    EXPECT_EQ(one("SELECT status || ' ' || fence || ' ' || attempt FROM idempotency_records"), "SUCCEEDED 4 1");
    EXPECT_EQ(
        one("SELECT group_concat(attempt) FROM (SELECT attempt FROM idempotency_transitions ORDER BY seq)"), "1,0,1");
    importSteps({ R"("event":"reserve","from_state":"ABSENT","to_state":"IN_PROGRESS","attempt":0)",
        R"("event":"reserve","from_state":"IN_PROGRESS","to_state":"IN_PROGRESS","attempt":0,"outcome":"in_progress")",
        R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"SUCCEEDED","attempt":0)" });
    EXPECT_EQ(one("SELECT attempt FROM idempotency_records"), "1") << "a log that counts from 0";
}

TEST_P(CtlImportTest, ALogIsReadAsOfItsEnd)
{
    ASSERT_EQ(import({ log("a.jsonl", QByteArray(first) + last) }).code, 0);
    EXPECT_EQ(on("flows").lines().size(), 2U) << "of the last hour of the log";
    EXPECT_THAT(one("SELECT manifest FROM fencepost_snapshot"), HasSubstr("2026-11-20T10:00:03.5"));
    const auto ahead = QByteArray(first).replace("2026-11-20", "9000-11-20");
    ASSERT_EQ(import({ log("b.jsonl", ahead) }, { QStringLiteral("--force") }).code, 0);
    EXPECT_THAT(one("SELECT manifest FROM fencepost_snapshot"), Not(HasSubstr("9000-")));
}

TEST_P(CtlImportTest, WhatBefellAKeyThatIsGoneIsToldAllTheSame)
{
    importSteps({ R"("event":"reserve","from_state":"ABSENT","to_state":"IN_PROGRESS","attempt":1)",
        R"("event":"finalize","from_state":"IN_PROGRESS","to_state":"SUCCEEDED","attempt":1)",
        R"("event":"reap","from_state":"SUCCEEDED","to_state":"ABSENT")" });
    for (const auto* words : { "find k1", "find pay charge k1", "find pay/charge/k1" }) {
        const auto found = on(words);
        ASSERT_EQ(found.code, 0) << words << found.err;
        for (const auto* what : { "reserve", "finalize", "reap" })
            EXPECT_THAT(found.out, HasSubstr(R"("what":")" + std::string(what))) << words;
    }
    const auto shown = on("keys show pay charge k1");
    ASSERT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.json()["state"], "ABSENT");
    EXPECT_EQ(shown.json()["transitions"].size(), 3U);
    EXPECT_EQ(on("keys show pay charge k2").code, 1);
}

TEST_P(CtlImportTest, StatesOfThePlaybookAreUnderstood)
{
    importSteps({ R"("event":"go","from_state":"none","to_state":"pending","attempt":"1")",
        R"("event":"done","from_state":"pending","to_state":"complete","status":201,"attempt":"1")" });
    EXPECT_EQ(history(), "reserve ABSENT IN_PROGRESS\nfinalize IN_PROGRESS SUCCEEDED\n");
    EXPECT_EQ(one("SELECT status || ' ' || response_code FROM idempotency_records"), "SUCCEEDED 201");
}

} // namespace
