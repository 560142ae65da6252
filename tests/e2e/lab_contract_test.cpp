// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <thread>

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>

#include "tests/e2e/lab_fixture.h"

namespace fencepost::test {

namespace {

// What the contract promises at its edges: behind a key's life, beside a running request, and to whoever waits.
class LabContractTest : public LabTest {
protected:
    // As often as the first answer is replayed; what ends that must be another effect.
    WireAnswer behindTheLifeOf(
        const WireAnswer& first, const std::string& target, const std::string& key, const std::string& body) const
    {
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        auto answer = first;
        while (answer.id() == first.id() && answer.status == 201 && !deadline.hasExpired())
            answer = post(target, key, body);
        EXPECT_EQ(answer.status, 201) << answer.body;
        EXPECT_EQ(answer.header("Idempotency-Status"), "stored");
        EXPECT_NE(answer.id(), first.id());
        return answer;
    }

    // A request that stands in front of its commit until it is let go.
    struct Slow {
        Slow() = default;
        Slow(const Slow&) = delete;
        Slow& operator=(const Slow&) = delete;
        // A test that failed waits for it as well.
        ~Slow()
        {
            if (thread.joinable())
                thread.join();
        }

        std::thread thread;
        WireAnswer answer;
        std::atomic<bool> done = false;
    };
    void begin(Slow& slow, const std::string& key, const char* fault) const
    {
        slow.thread = std::thread([this, &slow, key, fault] {
            slow.answer = post("/payments", key, tenEuros, { { "Fencepost-Fault", fault } });
            slow.done = true;
        });
    }
    void release(Slow& slow) const
    {
        while (!slow.done)
            ask("DELETE", "/admin/faults");
        slow.thread.join();
    }

    const std::string tenEuros = R"({"amount":1000,"currency":"EUR"})";
};

INSTANTIATE_TEST_SUITE_P(Lab, LabContractTest, bothDialects(), nameOfDialect);

// X9: a route that takes requests without a key lets each of them be an effect of its own.
TEST_P(LabContractTest, GoesWithoutKeysWhereTheRouteSaysSo)
{
    serve(R"({"format":1,"defaults":{"key_required":false}})");
    const auto send = [&](const std::string& target, const std::string& body) { return ask("POST", target, {}, body); };
    const auto first = send("/payments", tenEuros);
    const auto second = send("/payments", tenEuros);
    EXPECT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(second.status, 201) << second.body;
    EXPECT_NE(first.id(), second.id());
    EXPECT_EQ(entries("payment"), 2);
    EXPECT_EQ(send("/refunds", refundOf(first.id(), 10)).status, 201);
    EXPECT_EQ(entries("refund"), 1);
}

// G11 and X16: on a standard scope a replay past expiry executes, and is an effect of its own.
TEST_P(LabContractTest, ExecutesAgainBehindTheRetention)
{
    for (const auto* mode : { "single_tx", "reserve_finalize" }) {
        SCOPED_TRACE(mode);
        serve((R"({"format":1,"defaults":{"financial":false,"ttl":"2s","lease":"1s","mode":")" + std::string(mode)
            + "\"}}")
                  .c_str());
        const auto payments = entries("payment");
        const auto refunds = entries("refund");
        const auto first = post("/payments", "again", tenEuros);
        ASSERT_EQ(first.status, 201) << first.body;
        const auto second = behindTheLifeOf(first, "/payments", "again", tenEuros);
        EXPECT_EQ(entries("payment"), payments + 2);
        const auto body = refundOf(second.id(), 10);
        const auto refund = post("/refunds", "again", body);
        ASSERT_EQ(refund.status, 201) << refund.body;
        behindTheLifeOf(refund, "/refunds", "again", body);
        EXPECT_EQ(entries("refund"), refunds + 2);
        EXPECT_EQ(ask("GET", "/payments/" + first.id()).status, 200) << "what was done before stays";
        stop();
    }
}

// Money is a financial scope: its effects are remembered for 400 days, however short the answers are kept.
TEST_P(LabContractTest, MovesMoneyOnceBehindTheRetentionToo)
{
    for (const auto* words : { "--ttl 2h --mode transaction", "--ttl 2h --mode reserve" }) {
        SCOPED_TRACE(words);
        start(words);
        const auto payments = entries("payment");
        const auto key = "once" + std::to_string(payments);
        const auto first = post("/payments", key, tenEuros);
        ASSERT_EQ(first.status, 201) << first.body;
        EXPECT_EQ(post("/payments", key, tenEuros).header("Idempotency-Status"), "replayed");
        endAnswers();
        const auto later = post("/payments", key, tenEuros);
        EXPECT_EQ(later.header("Idempotency-Status"), "stored") << "its answer was forgotten";
        EXPECT_EQ(later.id(), first.id());
        EXPECT_EQ(entries("payment"), payments + 1);
        stop();
    }
}

// P-174: a duplicate meets the lock of a transaction that nobody can look into.
TEST_P(LabContractTest, TellsADuplicateOfAnOpenTransactionToComeBack)
{
    struct Way {
        const char* way;
        int status;
    };
    const std::string other = R"({"amount":999,"currency":"EUR"})";
    for (const auto& [way, status] : { Way{ "409", 409 }, { "202", 202 }, { "303", 303 }, { "wait", 201 } }) {
        SCOPED_TRACE(way);
        start(QStringList{
            QStringLiteral("--in-flight"), QLatin1String(way), QStringLiteral("--wait"), QStringLiteral("60s") });
        const auto key = std::string("way-") + way;
        Slow slow;
        begin(slow, key, "delay=50s@p8");
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        while (ask("GET", "/operations/payment.create/" + key).status != 200 && !deadline.hasExpired())
            std::this_thread::yield();
        Wire wire(port);
        wire.send(wireRequest("POST", "/payments", { { "Idempotency-Key", key } }, tenEuros));
        if (status == 201)
            release(slow);
        const auto duplicate = wire.receive();
        if (duplicate.code() == "idempotency.in_progress") {
            const auto url = "/operations/payment.create/" + key;
            EXPECT_EQ(ask("GET", url).json().value("state", ""), "IN_PROGRESS") << "where a 303 leads to";
            EXPECT_EQ(post("/payments", key, other).code(), "CONFLICT.idempotency.payload_mismatch");
        }
        if (slow.thread.joinable())
            release(slow);
        EXPECT_EQ(slow.answer.id().substr(0, 3), "ch_") << slow.answer.body;
        EXPECT_EQ(duplicate.status, status) << duplicate.body;
        if (status == 201) {
            EXPECT_EQ(duplicate.body, slow.answer.body);
        } else {
            EXPECT_EQ(duplicate.code(), "idempotency.in_progress");
            EXPECT_NE(duplicate.header("Retry-After"), "");
            EXPECT_EQ(duplicate.header("Idempotency-Should-Retry"), "true");
        }
        EXPECT_EQ(post("/payments", key, tenEuros).body, slow.answer.body);
        stop();
    }
}

TEST_P(LabContractTest, DoesNothingForWhoeverDoesNotWaitAnyMore)
{
    start("--mode reserve --in-flight wait --wait 600s");
    const auto late = post("/payments", "no-time", tenEuros, { { "X-Request-Timeout", "0" } });
    EXPECT_EQ(late.status, 504) << late.body;
    EXPECT_EQ(late.code(), "DEPENDENCY.timeout");
    EXPECT_EQ(ask("GET", "/operations/payment.create/no-time").status, 404);
    EXPECT_EQ(entries("payment"), 0);
    EXPECT_EQ(post("/payments", "no-time", tenEuros).header("Idempotency-Status"), "stored");
    EXPECT_EQ(post("/payments", "no-time", tenEuros, { { "X-Request-Timeout", "0" } }).status, 201) << "a replay";
    // The reservation took what there was.
    const auto spent = post(
        "/payments", "spent", tenEuros, { { "X-Request-Timeout", "200" }, { "Fencepost-Fault", "delay=400ms@p1" } });
    EXPECT_EQ(spent.status, 504) << spent.body;
    EXPECT_EQ(entries("payment"), 1);
    EXPECT_EQ(post("/payments", "spent", tenEuros).header("Idempotency-Status"), "stored");
    // So did what stood between the reservation and the handler.
    const auto behind = post(
        "/payments", "behind", tenEuros, { { "X-Request-Timeout", "200" }, { "Fencepost-Fault", "delay=400ms@p3" } });
    EXPECT_EQ(behind.status, 504) << behind.body;
    EXPECT_EQ(entries("payment"), 2);
    EXPECT_EQ(post("/payments", "behind", tenEuros).header("Idempotency-Status"), "stored");
    // Nobody waits longer than the caller does.
    Slow slow;
    begin(slow, "slow", "delay=50s@p9");
    while (ask("GET", "/operations/payment.create/slow").status != 200)
        std::this_thread::yield();
    const auto duplicate = post("/payments", "slow", tenEuros, { { "X-Request-Timeout", "300ms" } });
    EXPECT_EQ(duplicate.status, 409) << duplicate.body;
    EXPECT_EQ(duplicate.code(), "idempotency.in_progress");
    EXPECT_FALSE(slow.done);
    release(slow);
    EXPECT_EQ(slow.answer.status, 201);
}

TEST_P(LabContractTest, DoesNotCallTheVendorWithoutTimeForItsAnswer)
{
    start("--mode reserve --effect external");
    const auto body = refundOf(payment(), 5);
    const auto late =
        post("/refunds", "late", body, { { "X-Request-Timeout", "400ms" }, { "Fencepost-Fault", "delay=450ms@p5" } });
    EXPECT_THAT(late.status, ::testing::AnyOf(503, 504)) << late.body;
    EXPECT_EQ(ask("GET", "/admin/payouts").json().size(), 0U);
    const QDeadlineTimer deadline(std::chrono::seconds(60));
    auto answer = post("/refunds", "late", body);
    while (answer.status == 503 && !deadline.hasExpired())
        answer = post("/refunds", "late", body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(ask("GET", "/admin/payouts").json().size(), 1U);
}

// §3.11: the lease of an owner that is at work does not end.
TEST_P(LabContractTest, KeepsTheLeaseOfALongHandler)
{
    start("--mode reserve --lease 12s");
    Slow slow;
    begin(slow, "long", "delay=50s@p3");
    while (ask("GET", "/operations/payment.create/long").status != 200)
        std::this_thread::yield();
    QElapsedTimer time;
    time.start();
    while (time.elapsed() < 15'000) {
        const auto duplicate = post("/payments", "long", tenEuros);
        // On a machine so busy that the handler was through first, what counts is said below.
        if (duplicate.status == 201)
            break;
        ASSERT_EQ(duplicate.code(), "idempotency.in_progress") << duplicate.body;
    }
    release(slow);
    EXPECT_EQ(slow.answer.status, 201) << slow.answer.body;
    EXPECT_EQ(slow.answer.header("Idempotency-Status"), "stored");
    EXPECT_EQ(ask("GET", "/operations/payment.create/long").json()["attempt"], 1);
}

TEST_P(LabContractTest, RefusesNamesThatNoDatabaseHoldsForGood)
{
    start("--mode reserve");
    const std::string nul = R"({"charge_id":"ch_\u0000","amount":1})";
    const auto charge = post("/refunds", "nul", nul);
    EXPECT_EQ(charge.status, 404) << charge.body;
    EXPECT_EQ(post("/refunds", "nul", nul).body, charge.body);
    for (const auto* target : { "/refunds/%ff/void", "/refunds/%00/void", "/refunds/a%c3/void" })
        EXPECT_EQ(post(target, "void", "{}").status, 404) << target;
    for (const auto* target : { "/payments/%00", "/payments/%ff", "/refunds/%00", "/operations/payment.create/%ff",
             "/operations/payment.create/%00" })
        EXPECT_EQ(ask("GET", target).status, 404) << target;
    const auto correlated = post("/payments", "c", tenEuros, { { "X-Correlation-Id", "\xff\xfe" } });
    EXPECT_EQ(correlated.status, 400) << correlated.body;
    EXPECT_EQ(correlated.code(), "VALIDATION.correlation_id");
    EXPECT_EQ(ask("GET", "/operations/payment.create/c").status, 404);
}

TEST_P(LabContractTest, RefusesStaleKeysOfMoneyHoweverTheySayTheirAge)
{
    serve(R"({"format":1,"routes":[{"scope":"*","operation":"*","profile":"financial"}]})");
    for (const auto* key : { "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav" })
        EXPECT_EQ(post("/payments", key, tenEuros).code(), "idempotency.key_expired") << key;
    const auto sent = [&](const char* date) {
        return post("/payments", "plain", tenEuros, { { "Repeatability-First-Sent", date } });
    };
    EXPECT_EQ(sent("Wed, 21 Oct 2020 07:28:00 GMT").code(), "idempotency.key_expired");
    EXPECT_EQ(sent("yesterday").code(), "VALIDATION.first_sent");
    EXPECT_EQ(entries("payment"), 0);
    EXPECT_EQ(post("/payments", "plain", tenEuros).status, 201);
}

TEST_P(LabContractTest, SaysWhatItExpectsOfAKey)
{
    serve(
        R"({"format":1,"routes":[{"scope":"POST_/refunds","operation":"*","profile":"financial","key_longest":64}]})");
    const auto missing = ask("POST", "/payments", {}, tenEuros);
    EXPECT_EQ(missing.status, 400);
    EXPECT_EQ(missing.header("Link"), "</.well-known/idempotency>; rel=\"describedby\"");
    EXPECT_EQ(missing.json()["instance"], "/payments");
    const auto described = ask("GET", "/.well-known/idempotency");
    ASSERT_EQ(described.status, 200) << described.body;
    const auto document = described.json();
    EXPECT_EQ(document["required_methods"], nlohmann::json::array({ "POST" }));
    for (const auto& route : document["routes"])
        if (route["route"] == "POST_/refunds") {
            EXPECT_EQ(route["lifetime_seconds"], 7 * 86400);
            EXPECT_EQ(route["key"]["most_length"], 64);
            EXPECT_EQ(route["key_required"], true);
        }
    EXPECT_EQ(document["routes"].size(), 3U);
    // What is stored bears nothing of one request.
    const auto refused = post("/payments", "k", R"({"amount":0,"currency":"EUR"})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(post("/payments", "k", R"({"amount":0,"currency":"EUR"})").body, refused.body);
    const auto mismatch = post("/payments", "k", tenEuros);
    EXPECT_EQ(mismatch.json()["instance"], "/payments");
}

// A policy file is laid over the lab's own, which is that of money.
TEST_P(LabContractTest, MovesMoneyUnderAnyPolicyThatDoesNotSayOtherwise)
{
    const auto described = [&](const char* policy) {
        serve(policy);
        auto routes = ask("GET", "/.well-known/idempotency").json()["routes"];
        EXPECT_EQ(stop(), 0);
        return std::pair(routes[1]["lifetime_seconds"].get<int>(), routes[1]["stale_key"].get<std::string>());
    };
    constexpr int hour = 3600;
    EXPECT_EQ(
        described(R"({"format":1,"defaults":{"limiter_start":4}})"), std::pair(7 * 24 * hour, std::string("reject")));
    EXPECT_EQ(described(R"({"format":1,"routes":[{"scope":"*","operation":"refund.create","max_attempts":2}]})"),
        std::pair(7 * 24 * hour, std::string("reject")));
    EXPECT_EQ(described(R"({"format":1,"defaults":{"ttl":"48h"}})"), std::pair(48 * hour, std::string("reject")));
    EXPECT_EQ(described(R"({"format":1,"defaults":{"stale_key":"execute"}})"),
        std::pair(7 * 24 * hour, std::string("execute")));
    EXPECT_EQ(
        described(R"({"format":1,"defaults":{"financial":false}})"), std::pair(24 * hour, std::string("execute")));
}

TEST_P(LabContractTest, ReadsABodyAsItsFingerprintDoes)
{
    start();
    static constexpr char coded[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\xcc\xcd\x2f\xcd\x2b\x51\xb2"
                                    "\x32\x34\x30\x30\xd0\x51\x4a\x2e\x2d\x2a\x4a\xcd\x4b\xae\x54\xb2\x52\x72\x0d\x0d"
                                    "\x52\xaa\x05\x00\x53\x80\xd2\x10\x20\x00\x00\x00";
    const std::string gzip(coded, sizeof coded - 1);
    const auto first = post("/payments", "gzip", gzip, { { "Content-Encoding", "gzip" } });
    EXPECT_EQ(first.status, 201) << first.body;
    const auto plain = post("/payments", "gzip", tenEuros);
    EXPECT_EQ(plain.body, first.body);
    EXPECT_EQ(plain.header("Idempotency-Status"), "replayed");
    const auto power = post("/payments", "power", R"({"amount":1e3,"currency":"EUR"})");
    EXPECT_EQ(power.status, 201) << power.body;
    EXPECT_EQ(power.json()["amount"], 1000);
    EXPECT_EQ(post("/payments", "power", tenEuros).body, power.body);
    EXPECT_EQ(post("/payments", "half", R"({"amount":1.5,"currency":"EUR"})").status, 422);
    EXPECT_EQ(post("/payments", "broken", "no gzip", { { "Content-Encoding", "gzip" } }).status, 400);
}

} // namespace

} // namespace fencepost::test
