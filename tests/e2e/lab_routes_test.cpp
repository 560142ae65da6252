// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <thread>

#include "tests/e2e/lab_fixture.h"

namespace fencepost::test {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LabRoutesTest : public LabTest { };

INSTANTIATE_TEST_SUITE_P(Lab, LabRoutesTest, bothDialects(), nameOfDialect);

TEST_P(LabRoutesTest, LeavesTablesOfItsNamesToWhoHasThem)
{
    const auto connection = database.connect();
    ASSERT_TRUE(connection) << connection.error().message;
    for (const auto* table : { "payments (id INTEGER PRIMARY KEY, cents INTEGER)",
             "refunds (id TEXT PRIMARY KEY, reason TEXT)", "ledger (effect TEXT)" }) {
        const std::string made(table);
        const auto name = made.substr(0, made.find(' '));
        ASSERT_TRUE((*connection)->execute("CREATE TABLE " + made));
        QProcess process;
        process.start(QStringLiteral(FENCEPOST_LAB),
            { QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--port"),
                QStringLiteral("0") });
        ASSERT_TRUE(process.waitForFinished(120'000));
        EXPECT_EQ(process.exitCode(), 1);
        const auto said = process.readAllStandardError().toStdString();
        EXPECT_THAT(said,
            ::testing::HasSubstr("The lab needs a database of its own: what is " + name
                + " in this one is somebody "
                  "else's"));
        EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("defect")));
        for (const auto* left : { "refunds", "ledger", "payments" })
            ASSERT_TRUE((*connection)->execute(std::string("DROP TABLE IF EXISTS ") + left));
    }
    start();
    EXPECT_EQ(post("/payments", "own-tables", R"({"amount":1,"currency":"EUR"})").status, 201);
}

const std::string tenEuros = R"({"amount":1000,"currency":"EUR"})";

// G1 and E-1 to E-3 of the playbook.
TEST_P(LabRoutesTest, RefundsOnceAndReplaysOctetForOctet)
{
    start();
    const auto charge = payment();
    const auto first = post("/refunds", "refund-1", refundOf(charge, 1000));
    EXPECT_EQ(first.status, 201) << first.body;
    EXPECT_THAT(first.id(), StartsWith("rf_"));
    EXPECT_EQ(first.header("Idempotency-Status"), "stored");
    EXPECT_EQ(first.header("Location"), "/refunds/" + first.id());
    EXPECT_EQ(first.body.find(' '), std::string::npos) << "compact JSON";

    const auto again = post("/refunds", "refund-1", refundOf(charge, 1000));
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("Location"), first.header("Location"));

    const auto other = post("/refunds", "refund-1", refundOf(charge, 2000));
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.code(), "CONFLICT.idempotency.payload_mismatch");
    EXPECT_EQ(entries("refund"), 1);

    const auto renewed = post("/refunds", "refund-2", refundOf(charge, 1000));
    EXPECT_EQ(renewed.status, 201) << "another key is another operation";
    EXPECT_EQ(entries("refund"), 2);
    EXPECT_EQ(metric(R"(idempotent_created_total{operation_type="refund.create"})"), 2);
    EXPECT_EQ(metric(R"(idempotent_replayed_total{operation_type="refund.create"})"), 1);
    EXPECT_EQ(metric(R"(idempotent_conflicts_total{operation_type="refund.create"})"), 1);
}

// G2: to reverse is as idempotent as to create.
TEST_P(LabRoutesTest, VoidsARefundOnce)
{
    start();
    const auto refund = post("/refunds", "refund-1", refundOf(payment(), 1000)).id();
    const auto first = post("/refunds/" + refund + "/void", "void-1", "");
    EXPECT_EQ(first.status, 200) << first.body;
    EXPECT_EQ(first.json()["status"], "voided");
    EXPECT_EQ(first.header("Idempotency-Status"), "stored");
    const auto again = post("/refunds/" + refund + "/void", "void-1", "");
    EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(again.body, first.body);
    const auto second = post("/refunds/" + refund + "/void", "void-2", "");
    EXPECT_EQ(second.status, 422);
    EXPECT_EQ(second.code(), "VALIDATION.refund_not_voidable");
    EXPECT_EQ(post("/refunds/" + refund + "/void", "void-2", "").header("Idempotency-Should-Retry"), "false");
    EXPECT_EQ(post("/refunds/rf_none/void", "void-3", "").status, 404);
    EXPECT_EQ(entries("void"), 1);
    EXPECT_EQ(ask("GET", "/refunds/" + refund).body, first.body);
    EXPECT_EQ(ask("POST", "/refunds/" + refund + "/void").code(), "missing_idempotency_key");
}

TEST_P(LabRoutesTest, AnswersWhatWasMade)
{
    start("--mode reserve");
    const auto made = post("/payments", "payment-1", tenEuros);
    EXPECT_EQ(made.status, 201);
    EXPECT_THAT(made.id(), StartsWith("ch_"));
    EXPECT_EQ(ask("GET", "/payments/" + made.id()).body, made.body);
    EXPECT_EQ(ask("GET", "/payments/ch_none").status, 404);
    EXPECT_EQ(ask("GET", "/nowhere").status, 404);
    const auto wrong = ask("DELETE", "/payments");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("Allow"), "POST");
    const auto entry = ask("GET", "/ledger").json()["entries"].at(0);
    EXPECT_EQ(entry["object_id"], made.id());
    EXPECT_EQ(entry["amount"], 1000);
    const auto state = ask("GET", "/operations/payment.create/payment-1");
    EXPECT_EQ(state.json()["state"], "SUCCEEDED");
    EXPECT_EQ(state.json()["reference"]["id"], made.id());
    EXPECT_EQ(post("/payments", "..", R"({"amount":1000,"currency":"EUR"})").status, 201);
    EXPECT_EQ(ask("GET", "/operations/payment.create/..;").json()["state"], "SUCCEEDED");
    EXPECT_EQ(ask("GET", "/operations/payment.create/payment-1", { { "Authorization", "Bearer other" } }).status, 404);
}

TEST_P(LabRoutesTest, KeepsBusinessErrorsAsTheAnswer)
{
    start();
    const auto charge = payment(1000);
    EXPECT_EQ(post("/refunds", "half", refundOf(charge, 600)).status, 201);
    const auto over = post("/refunds", "over", refundOf(charge, 600));
    EXPECT_EQ(over.status, 422);
    EXPECT_EQ(over.code(), "VALIDATION.refund_exceeds_remaining");
    EXPECT_EQ(over.header("Content-Type"), "application/problem+json");
    const auto again = post("/refunds", "over", refundOf(charge, 600));
    EXPECT_EQ(again.body, over.body);
    EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(post("/refunds", "unknown", refundOf("ch_none", 1)).status, 404);
    int bad = 0;
    for (const auto* body : { R"({"amount":0,"currency":"EUR"})", R"({"amount":1.5,"currency":"EUR"})",
             R"({"amount":1,"currency":"euro"})", R"([1])", R"({"amount":"1","currency":"EUR"})" })
        EXPECT_EQ(post("/payments", "bad-" + std::to_string(++bad), body).status, 422) << body;
    EXPECT_EQ(entries("refund"), 1);
}

TEST_P(LabRoutesTest, TellsClientsApartWithoutKeepingTheirSecret)
{
    start();
    const WireHeaders alice{ { "Authorization", "Bearer alices-secret" } };
    const WireHeaders bob{ { "Authorization", "Bearer bobs-secret" } };
    const auto hers = post("/payments", "same-key", tenEuros, alice);
    const auto his = post("/payments", "same-key", tenEuros, bob);
    EXPECT_EQ(hers.header("Idempotency-Status"), "stored");
    EXPECT_EQ(his.header("Idempotency-Status"), "stored");
    EXPECT_NE(hers.id(), his.id());
    EXPECT_EQ(post("/payments", "same-key", tenEuros, alice).body, hers.body);
    stop();
    if (GetParam() == store::Dialect::Sqlite) {
        // Workers that close at the same moment leave the log to whoever opens the file next.
        QByteArray octets;
        for (const auto* part : { "", "-wal" }) {
            QFile file(QString::fromStdString(database.target().path + part));
            if (file.open(QIODevice::ReadOnly))
                octets += file.readAll();
        }
        EXPECT_TRUE(octets.contains("same-key"));
        EXPECT_FALSE(octets.contains("alices-secret"));
    }
}

TEST_P(LabRoutesTest, LosesNothingOverARestart)
{
    start();
    const auto first = post("/payments", "payment-1", tenEuros);
    EXPECT_EQ(stop(), 0);
    start("--mode reserve");
    const auto again = post("/payments", "payment-1", tenEuros);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
}

// G7: one execution, and everybody else gets its answer.
TEST_P(LabRoutesTest, ExecutesOneOfFiftyAtOnce)
{
    start("--mode reserve --in-flight wait --wait 30s");
    const auto charge = payment();
    std::vector<WireAnswer> answers(50);
    std::vector<std::thread> threads;
    for (auto& answer : answers)
        threads.emplace_back([&] {
            answer = post("/refunds", "fifty", refundOf(charge, 1000), { { "Fencepost-Fault", "delay=300ms@p8" } });
        });
    for (auto& thread : threads)
        thread.join();
    int stored = 0;
    for (const auto& answer : answers) {
        EXPECT_EQ(answer.status, 201) << answer.body;
        EXPECT_EQ(answer.body, answers.front().body);
        stored += answer.header("Idempotency-Status") == "stored" ? 1 : 0;
    }
    EXPECT_EQ(stored, 1);
    EXPECT_EQ(entries("refund"), 1);
}

struct InFlightCase {
    const char* way;
    int status;
};

TEST_P(LabRoutesTest, TellsADuplicateOfARunningRequestWhatItIsToDo)
{
    for (const auto& [way, status] : { InFlightCase{ "409", 409 }, { "202", 202 }, { "303", 303 }, { "wait", 201 } }) {
        SCOPED_TRACE(way);
        start(QStringList{ QStringLiteral("--mode"), QStringLiteral("reserve"), QStringLiteral("--in-flight"),
            QLatin1String(way), QStringLiteral("--wait"), QStringLiteral("30s") });
        const auto key = std::string("in-flight-") + way;
        WireAnswer slow;
        std::atomic<bool> done = false;
        std::thread running([&] {
            slow = post("/payments", key, tenEuros, { { "Fencepost-Fault", "delay=50s@p9" } });
            done = true;
        });
        // It may not stand there yet.
        const auto release = [&] {
            while (!done)
                ask("DELETE", "/admin/faults");
        };
        // Until the first one has its reservation.
        while (ask("GET", "/operations/payment.create/" + key).status != 200)
            std::this_thread::yield();
        Wire wire(port);
        wire.send(wireRequest("POST", "/payments", { { "Idempotency-Key", key } }, tenEuros));
        if (status == 201)
            release();
        const auto duplicate = wire.receive();
        EXPECT_EQ(duplicate.status, status) << duplicate.body;
        if (status != 201) {
            EXPECT_EQ(duplicate.code(), "idempotency.in_progress");
            EXPECT_NE(duplicate.header("Retry-After"), "");
        }
        if (status == 202 || status == 303) {
            EXPECT_EQ(duplicate.header("Location"), "/operations/payment.create/" + key);
            EXPECT_EQ(ask("GET", duplicate.header("Location")).json()["state"], "IN_PROGRESS");
        }
        release();
        running.join();
        EXPECT_EQ(slow.status, 201);
        EXPECT_EQ(post("/payments", key, tenEuros).body, slow.body);
        EXPECT_EQ(stop(), 0);
    }
}

} // namespace

} // namespace fencepost::test
