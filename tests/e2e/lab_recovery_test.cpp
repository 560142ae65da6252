// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <thread>

#include <QDeadlineTimer>
#include <QFile>

#include "tests/e2e/lab_fixture.h"

namespace fencepost::test {

namespace {

using ::testing::AnyOf;
using Json = nlohmann::json;

constexpr const char* reserving = "--mode reserve";
constexpr const char* external = "--mode reserve --effect external";
constexpr const char* recognised = "--mode reserve --effect external-idempotent";

// What is left behind by a lab that was killed, and the programs that come to clear it up.
class LabRecoveryTest : public LabTest {
protected:
    struct Run {
        int code = -1;
        std::vector<Json> lines;
        std::string err;

        [[nodiscard]] Json outcomes() const { return lines.empty() ? Json() : lines.back().value("outcomes", Json()); }
    };

    Run ctl(const std::string& words) const
    {
        QProcess process;
        start(process, words);
        EXPECT_TRUE(process.waitForFinished(120'000)) << words;
        return ended(process);
    }

    void start(QProcess& process, const std::string& words) const
    {
        auto arguments = QString::fromStdString(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        arguments =
            QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--json") }
            + arguments;
        process.setWorkingDirectory(database.folder());
        process.start(QStringLiteral(FENCEPOSTCTL), arguments);
        ASSERT_TRUE(process.waitForStarted());
    }
    using LabProcess::start;

    static Run ended(QProcess& process)
    {
        Run run;
        run.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        run.err = process.readAllStandardError().toStdString();
        for (const auto& line : process.readAllStandardOutput().split('\n'))
            if (!line.isEmpty())
                run.lines.push_back(Json::parse(line.toStdString(), nullptr, false));
        return run;
    }

    // A refund whose worker is killed at that point of the protocol.
    std::string kill(const char* words, const std::string& point, const std::string& key)
    {
        start(words);
        const auto body = refundOf(payment(), 1000);
        const auto lost = post("/refunds", key, body, { { "Fencepost-Fault", "crash@" + point } });
        EXPECT_EQ(lost.status, 0) << lost.body;
        EXPECT_TRUE(died());
        endLeases();
        start(words);
        return body;
    }

    [[nodiscard]] std::size_t payouts() const { return ask("GET", "/admin/payouts").json().size(); }
    [[nodiscard]] std::string base() const { return "http://127.0.0.1:" + std::to_string(port); }
    [[nodiscard]] std::string stateOf(const std::string& key) const
    {
        return ask("GET", "/operations/refund.create/" + key).json().value("state", "");
    }

    // As often as somebody's lease or answer is still on its way.
    Run reconcile(const std::string& further = {}) const
    {
        const auto vendor = ask("GET", "/admin/vendor").json().value("url", "");
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        Run run;
        do
            run = ctl("reconcile --lookup bigcommerce=" + vendor
                + "/payouts?external_id={key} --list bigcommerce=/payouts" + further);
        while (
            (run.outcomes().contains("too_early") || run.outcomes().contains("not_needed")) && !deadline.hasExpired());
        return run;
    }

    // As often as the lease of whoever died is live.
    Run complete(const std::string& key) const
    {
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        Run run;
        do
            run = ctl("complete --age 0s --last-run 0s --to " + base());
        while (stateOf(key) != "SUCCEEDED" && !deadline.hasExpired());
        return run;
    }
};

INSTANTIATE_TEST_SUITE_P(Lab, LabRecoveryTest, bothDialects(), nameOfDialect);

TEST_P(LabRecoveryTest, TheCompleterFinishesWhatAKilledLabLeftExactlyOnce)
{
    int refunds = 0;
    for (const auto* point : { "p3", "p8", "p9" }) {
        const auto body = kill(reserving, point, point);
        EXPECT_EQ(stateOf(point), "IN_PROGRESS") << point;
        const auto run = complete(point);
        EXPECT_EQ(run.code, 0) << point << run.err;
        EXPECT_EQ(run.outcomes(), (Json{ { "completed", 1 } })) << point;
        EXPECT_EQ(stateOf(point), "SUCCEEDED") << point;
        const auto answer = post("/refunds", point, body);
        EXPECT_EQ(answer.status, 201) << point << answer.body;
        EXPECT_EQ(answer.header("Idempotency-Status"), "replayed") << point;
        EXPECT_EQ(entries("refund"), ++refunds) << point;
        EXPECT_EQ(ctl("complete --age 0s --last-run 0s --to " + base()).outcomes(), Json::object()) << point;
        stop();
    }
}

TEST_P(LabRecoveryTest, TheCompleterLeavesAloneWhatWasFinishedBeforeTheKill)
{
    for (const auto* point : { "p10", "p11" }) {
        const auto body = kill(reserving, point, point);
        EXPECT_EQ(stateOf(point), "SUCCEEDED") << point;
        const auto run = ctl("complete --age 0s --last-run 0s --to " + base());
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(run.outcomes(), Json::object()) << point;
        EXPECT_EQ(post("/refunds", point, body).header("Idempotency-Status"), "replayed") << point;
        stop();
    }
}

TEST_P(LabRecoveryTest, TheCompleterComesAgainUntilItIsStopped)
{
    start(reserving);
    const auto body = refundOf(payment(), 1000);
    QProcess completer;
    start(completer, "complete --every 1s --age 0s --last-run 0s --to " + base());
    // A pass or more find nothing; one that follows finds what somebody fell asleep over.
    WireAnswer late;
    std::thread sleeper([&] { late = post("/refunds", "k", body, { { "Fencepost-Fault", "pause=50s@p9" } }); });
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    while (entries("refund") == 0 && !deadline.hasExpired())
        std::this_thread::yield();
    endLeases();
    while (stateOf("k") != "SUCCEEDED" && !deadline.hasExpired())
        std::this_thread::yield();
    EXPECT_EQ(stateOf("k"), "SUCCEEDED");
    while (metric(R"(idempotent_fenced_total{operation_type="refund.create"})") == 0 && !deadline.hasExpired())
        ask("DELETE", "/admin/faults");
    sleeper.join();
    EXPECT_EQ(late.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(completer.state(), QProcess::Running);
    completer.terminate();
    EXPECT_TRUE(completer.waitForFinished(60'000));
    const auto run = ended(completer);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(entries("refund"), 1);
}

// p18: an operator fences the owner while it stands at a point where it could still do harm. The record is held, the
// owner is refused when it goes on, and what the operator then finds out decides: never a second effect.
TEST_P(LabRecoveryTest, AnOperatorFencesAWorkerThatIsStillThere)
{
    struct Standing {
        const char* point;
        const char* effect;
        std::size_t paidBefore; // by the time of the fence
    };
    const Standing cases[] = {
        { "p3", "local", 0 },
        { "p5", "external-idempotent", 0 },
        { "p5", "external", 0 },
        { "p7", "external-idempotent", 1 },
        { "p7", "external", 1 },
        { "p9", "local", 0 },
        { "p9", "external-idempotent", 1 },
        { "p9", "external", 1 },
    };
    std::size_t paid = 0;
    int refunds = 0;
    for (const auto& standing : cases) {
        const std::string point = standing.point;
        const std::string effect = standing.effect;
        const auto paidBefore = standing.paidBefore;
        const auto key = point + "-" + effect;
        const bool local = effect == "local";
        const bool booked = point == "p9"; // by the time of the fence
        start(("--mode reserve --lease 600s" + (local ? "" : " --effect " + effect)).c_str());
        const auto body = refundOf(payment(), 10, key);
        WireAnswer late;
        std::atomic<bool> woken = false;
        std::thread sleeper([&] {
            late = post("/refunds", key, body, { { "Fencepost-Fault", "pause=50s@" + point } });
            woken = true;
        });
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        const auto standsThere = [&] {
            return payouts() == paid + paidBefore && ctl("keys list --filter key=" + key).lines.size() == 1
                && entries("refund") == refunds + (booked ? 1 : 0);
        };
        while (!standsThere() && !deadline.hasExpired())
            std::this_thread::yield();
        const auto listed = ctl("keys list --filter key=" + key);
        ASSERT_EQ(listed.lines.size(), 1U) << key << listed.err;
        const auto id = listed.lines[0]["scope"].get<std::string>() + " refund.create " + key;
        ASSERT_EQ(ctl("plan fence --reason INC-18 --out fence-" + key + ".json --key " + id).code, 0) << key;
        ASSERT_EQ(ctl("apply fence-" + key + ".json").code, 0) << key;
        EXPECT_EQ(stateOf(key), "HELD") << key;
        while (!woken && !deadline.hasExpired())
            ask("DELETE", "/admin/faults");
        sleeper.join();
        EXPECT_NE(late.status, 201) << key << late.body;
        EXPECT_EQ(stateOf(key), "HELD") << key << " after its owner went on";
        EXPECT_EQ(payouts(), paid + paidBefore) << key;
        EXPECT_EQ(entries("refund"), refunds + (booked ? 1 : 0)) << key << ": its owner books nothing any more";
        EXPECT_EQ(post("/refunds", key, body).code(), "idempotency.outcome_unknown") << key;
        const auto shown = ctl("keys show " + id);
        EXPECT_EQ(shown.code, 0) << key << shown.err;

        // Nothing left the house, or it is safe to do it again under the same keys.
        ASSERT_EQ(
            ctl("plan resolve --as retryable --evidence ledger --reason INC-18 --out free-" + key + ".json --key " + id)
                .code,
            0)
            << key;
        ASSERT_EQ(ctl("apply free-" + key + ".json").code, 0) << key;
        const auto answer = post("/refunds", key, body);
        EXPECT_EQ(answer.status, 201) << key << answer.body;
        EXPECT_EQ(post("/refunds", key, body).body, answer.body) << key;
        EXPECT_EQ(payouts(), paid += local ? 0 : 1) << key;
        EXPECT_EQ(entries("refund"), ++refunds) << key;
        stop();
    }
}

// Nobody ever answered what an operator found done: whoever asks again hears where its result is, and sends nothing.
TEST_P(LabRecoveryTest, WhatAnOperatorFoundDoneIsToldByItsReference)
{
    const auto body = kill(external, "p7", "found");
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    while (stateOf("found") != "HELD" && !deadline.hasExpired())
        post("/refunds", "found", body);
    ASSERT_EQ(stateOf("found"), "HELD");
    const auto listed = ctl("keys list --filter key=found");
    ASSERT_EQ(listed.lines.size(), 1U) << listed.err;
    const auto id = listed.lines[0]["scope"].get<std::string>() + " refund.create found";
    ASSERT_EQ(ctl("plan resolve --as succeeded --evidence statement --reference payout:po_1 --reason INC-19 --out "
                  "found.json --key "
                  + id)
                  .code,
        0);
    ASSERT_EQ(ctl("apply found.json").code, 0);
    const auto answer = post("/refunds", "found", body);
    EXPECT_EQ(answer.status, 409) << answer.body;
    EXPECT_EQ(answer.code(), "idempotency.response_unavailable");
    EXPECT_EQ(answer.json()["reference"], (Json{ { "type", "payout" }, { "id", "po_1" } }));
    EXPECT_EQ(answer.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(answer.header("Idempotency-Should-Retry"), "false");
    EXPECT_EQ(payouts(), 1U);
}

// The vendor was asked and did nothing for so long that it was taken for a vendor that never got the call.
TEST_P(LabRecoveryTest, AVendorThatComesToItLatePaysNobodyWhoHasGivenUp)
{
    start((std::string(external) + " --lease 5s").c_str());
    const auto body = refundOf(payment(), 1000);
    const auto standing = [&] {
        const auto listed = ask("GET", "/admin/faults").json();
        return std::any_of(listed.begin(), listed.end(), [](const auto& each) { return each.contains("standing_at"); });
    };
    const auto unknown = post("/refunds", "k", body, { { "Fencepost-Fault", "pause=100s@p6-unsent" } });
    EXPECT_EQ(unknown.code(), "idempotency.outcome_unknown") << unknown.body;
    ASSERT_TRUE(standing());
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    auto answer = post("/refunds", "k", body);
    while (answer.status != 201 && !deadline.hasExpired()) {
        ask("POST", "/admin/reconcile", {}, R"({"operation":"refund.create","key":"k"})");
        answer = post("/refunds", "k", body);
    }
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(payouts(), 1U);
    while (standing() && !deadline.hasExpired())
        ask("DELETE", "/admin/faults");
    EXPECT_EQ(payouts(), 1U);
    EXPECT_EQ(entries("refund"), 1);
}

TEST_P(LabRecoveryTest, TheReconcilerFindsWhatTheVendorDidAndSendsNothing)
{
    const auto body = kill(external, "p6", "k");
    EXPECT_EQ(payouts(), 1U);
    const auto run = reconcile();
    EXPECT_EQ(run.code, 3) << run.err << run.lines.size();
    EXPECT_EQ(run.outcomes(), (Json{ { "unanswered", 1 } }));
    const auto& call = run.lines.front()["calls"][0];
    EXPECT_EQ(call["state"], "DONE");
    EXPECT_EQ(call["vendor"], "bigcommerce");
    EXPECT_EQ(call["ref"].get<std::string>().substr(0, 3), "po_");
    EXPECT_EQ(stateOf("k"), "HELD") << "what the service answers, only the service knows";
    EXPECT_EQ(reconcile().outcomes(), (Json{ { "unanswered", 1 } })) << "asked twice";
    const auto released = reconcile(" --takeover");
    EXPECT_EQ(released.outcomes(), (Json{ { "released", 1 } }));
    EXPECT_THAT(
        released.lines.front()["reason"].get<std::string>(), ::testing::HasSubstr("reconciled: applied as po_"));
    EXPECT_EQ(payouts(), 1U);
    auto answer = post("/refunds", "k", body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(payouts(), 1U) << "the ledger answered for the vendor";
    EXPECT_EQ(entries("refund"), 1);
}

TEST_P(LabRecoveryTest, TheReconcilerReleasesWhatNeverReachedTheVendor)
{
    const auto body = kill(external, "p6-unsent", "k");
    EXPECT_EQ(payouts(), 0U);
    const auto run = reconcile();
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.outcomes(), (Json{ { "released", 1 } }));
    EXPECT_EQ(run.lines.front()["calls"][0]["state"], "INTENT") << "free to be sent";
    EXPECT_EQ(post("/refunds", "k", body).status, 201);
    EXPECT_EQ(payouts(), 1U);
    EXPECT_EQ(reconcile().outcomes(), Json::object());
}

// The ledger has nothing of it, which is no proof to whoever does not know the service.
TEST_P(LabRecoveryTest, TheReconcilerNamesWhatItCannotAskAbout)
{
    const auto body = kill(external, "p5", "k");
    const auto vendor = ask("GET", "/admin/vendor").json().value("url", "");
    const auto words =
        "reconcile --lookup bigcommerce=" + vendor + "/payouts?external_id={key} --list bigcommerce=/payouts";
    auto run = ctl(words);
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    while (run.outcomes().empty() && !deadline.hasExpired())
        run = ctl(words);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.outcomes(), (Json{ { "unknown", 1 } }));
    EXPECT_EQ(run.lines.front()["key"], "k");
    EXPECT_EQ(payouts(), 0U);
}

TEST_P(LabRecoveryTest, AnotherVendorDoesNotPayWhatTheOneBeforeMayHavePaid)
{
    struct Case {
        const char* before;
        const char* after;
        const char* point;
        bool isKnown; // the ledger has what became of it
    };
    std::size_t paid = 0;
    std::int64_t entered = 0;
    for (const auto& [before, after, point, isKnown] :
        { Case{ recognised, external, "p5", true }, Case{ recognised, external, "p6", false },
            Case{ recognised, external, "p7", false }, Case{ recognised, external, "p8", true },
            Case{ recognised, reserving, "p5", true }, Case{ recognised, reserving, "p6", false },
            Case{ recognised, reserving, "p8", true }, Case{ external, recognised, "p6", false } }) {
        const auto name = std::string(before) + " then " + after + " at " + point;
        const auto key = toHex(sha256(name)).substr(0, 16);
        const auto body = kill(before, point, key);
        paid = payouts();
        stop();
        start(after);
        const auto answer = post("/refunds", key, body);
        const bool nobodyPaid = std::string(point) == "p5" && after == external;
        EXPECT_EQ(payouts(), paid + (nobodyPaid ? 1U : 0U)) << name;
        EXPECT_EQ(answer.status, isKnown ? 201 : 409) << name << answer.body;
        EXPECT_EQ(stateOf(key), isKnown ? "SUCCEEDED" : "HELD") << name;
        EXPECT_EQ(entries("refund"), isKnown ? ++entered : entered) << name;
        EXPECT_EQ(post("/refunds", key, body).status, answer.status) << name;
        stop();
    }
}

TEST_P(LabRecoveryTest, WhatNobodyKnowsIsHeld)
{
    kill(external, "p6", "k");
    const auto vendor = ask("GET", "/admin/vendor").json().value("url", "");
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    // An answer that is no list where one was expected may be a mistake of the question.
    const auto wrong =
        "reconcile --lookup bigcommerce=" + vendor + "/payouts?external_id={key} --list bigcommerce=/data";
    auto run = ctl(wrong);
    while (!run.outcomes().contains("held") && !deadline.hasExpired())
        run = ctl(wrong);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.outcomes(), (Json{ { "held", 1 } }));
    EXPECT_EQ(run.lines.front()["calls"][0]["state"], "SENDING");
    EXPECT_EQ(stateOf("k"), "HELD");
    const auto nobody = ctl("reconcile --lookup bigcommerce=http://127.0.0.1:1/?id={key}");
    EXPECT_EQ(nobody.code, 1) << nobody.err;
    EXPECT_EQ(nobody.lines.back()["unanswered"], 1);
    EXPECT_EQ(payouts(), 1U);
    for (const auto* usage : { "reconcile", "reconcile --lookup nobody=http://x/{key}",
             "reconcile --lookup bigcommerce=http://x/", "reconcile --lookup bigcommerce=ftp://x/{key}",
             "reconcile --lookup bigcommerce=http://x/{key} --list bigcommerce=data",
             "reconcile --lookup bigcommerce=http://x/{key} --list stripe=/data" })
        EXPECT_EQ(ctl(usage).code, 2) << usage;
}

class LabGateTest : public LabTest { };

INSTANTIATE_TEST_SUITE_P(Lab, LabGateTest, bothDialects(), nameOfDialect);

TEST_P(LabGateTest, ShedsWhatItHasNoPlaceForAndStillReplays)
{
    serve(
        R"({"format":1,"defaults":{"limiter_start":1,"limiter_least":1,"limiter_most":1,"mode":"reserve_finalize"}})");
    const auto charge = payment();
    const auto done = post("/refunds", "done", refundOf(charge, 1));
    EXPECT_EQ(done.status, 201);
    EXPECT_EQ(metric(R"(limiter_limit{dependency="lab"})"), 1);
    WireAnswer late;
    std::thread sleeper([&] {
        late = post("/refunds", "asleep", refundOf(charge, 2), { { "Fencepost-Fault", "pause=50s@p9" } });
    });
    while (entries("refund") < 2)
        std::this_thread::yield();
    EXPECT_EQ(metric(R"(limiter_in_flight{dependency="lab"})"), 1);
    const auto shed = post("/refunds", "new", refundOf(charge, 3), { { "Fencepost-Priority", "sheddable" } });
    EXPECT_EQ(shed.status, 503) << shed.body;
    EXPECT_EQ(shed.code(), "DEPENDENCY.unavailable");
    EXPECT_THAT(shed.header("Retry-After"), AnyOf("1", "2", "3", "4", "5"));
    EXPECT_EQ(shed.header("Idempotency-Status"), "");
    EXPECT_EQ(metric(R"(shed_rejected_total{priority="sheddable"})"), 1);
    EXPECT_EQ(post("/refunds", "done", refundOf(charge, 1)).body, done.body) << "what is finished needs no place";
    while (metric(R"(limiter_in_flight{dependency="lab"})") > 0)
        ask("DELETE", "/admin/faults");
    sleeper.join();
    EXPECT_EQ(late.status, 201);
    EXPECT_EQ(post("/refunds", "new", refundOf(charge, 3)).status, 201) << "nothing of it was kept";
    EXPECT_EQ(entries("refund"), 3);
}

TEST_P(LabGateTest, KeepsFinishedRecordsInMemoryWhereItIsAsked)
{
    serve(R"({"format":1,"routes":[{"scope":"POST_/refunds","operation":"*","mismatch_status":422,"in_flight":202}]})",
        { QStringLiteral("--cache"), QStringLiteral("100") });
    const auto body = refundOf(payment(), 5);
    const auto first = post("/refunds", "k", body);
    EXPECT_EQ(first.header("Idempotency-Status"), "stored");
    for (int i = 0; i < 3; ++i) {
        const auto again = post("/refunds", "k", body);
        EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
        EXPECT_EQ(again.body, first.body);
    }
    const auto mismatch = post("/refunds", "k", refundOf("ch_x", 6));
    EXPECT_EQ(mismatch.status, 422) << "as the policy says";
    EXPECT_EQ(mismatch.code(), "CONFLICT.idempotency.payload_mismatch");
}

// Told that it failed, somebody would refund under another key what was paid out already.
TEST_P(LabGateTest, HoldsALastAttemptThatMayHavePaid)
{
    serve(R"({"format":1,"routes":[{"scope":"*","operation":"refund.create","max_attempts":2,"lease":"2s"}]})",
        QStringLiteral("--mode reserve --effect external-idempotent").split(QLatin1Char(' ')));
    const auto body = refundOf(payment(), 5);
    const auto lost = [&] { return post("/refunds", "k", body, { { "Fencepost-Fault", "delay=20s@p6" } }); };
    const auto first = lost();
    EXPECT_EQ(first.status, 504) << first.body;
    EXPECT_EQ(first.json().value("retry_after", 0), 5);
    EXPECT_EQ(lost().code(), "idempotency.outcome_unknown");
    EXPECT_EQ(post("/refunds", "k", body).code(), "idempotency.outcome_unknown");
    EXPECT_EQ(ask("GET", "/admin/payouts").json().size(), 1U);
    EXPECT_EQ(ask("GET", "/operations/refund.create/k").json()["state"], "HELD");
}

TEST_P(LabGateTest, TellsOfItsCallsToTheVendor)
{
    start(QStringLiteral("--mode reserve --effect external --otlp spans.jsonl").split(QLatin1Char(' ')));
    EXPECT_EQ(post("/refunds", "k", refundOf(payment(), 5)).status, 201);
    const auto metrics = ask("GET", "/metrics").body;
    EXPECT_NE(metrics.find("retry_attempts_total{"), std::string::npos) << metrics;
    stop();
    QFile file(database.folder() + QStringLiteral("/spans.jsonl"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    std::string traceOfServer;
    std::string traceOfClient;
    for (const auto& line : file.readAll().split('\n')) {
        const auto tree = nlohmann::json::parse(line.toStdString(), nullptr, false);
        if (!tree.is_object())
            continue;
        for (const auto& span : tree["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
            if (span["kind"] == 2 && span["name"] == "POST /refunds")
                traceOfServer = span["traceId"];
            if (span["kind"] == 3)
                traceOfClient = span["traceId"];
        }
    }
    EXPECT_NE(traceOfClient, "");
    EXPECT_EQ(traceOfClient, traceOfServer);
}

} // namespace

} // namespace fencepost::test
