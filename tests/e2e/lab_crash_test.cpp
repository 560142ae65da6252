// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>
#include <tuple>

#include <sys/resource.h>

#include <QDeadlineTimer>

#include "tests/e2e/lab_fixture.h"

namespace fencepost::test {

namespace {

// Where the lab is killed, and what its next life must make of it (protocol §3.12).
struct CrashCase {
    const char* point;
    const char* words; // how the lab is started
    bool external; // a refund pays out through the vendor
    bool held = false; // nobody knows what happened: it stops there until the vendor was asked
    const char* answer = "stored"; // Idempotency-Status of the first success
};

constexpr const char* transaction = "--mode transaction";
constexpr const char* reserve = "--mode reserve";
constexpr const char* idempotent = "--mode reserve --effect external-idempotent";
constexpr const char* external = "--mode reserve --effect external";

const CrashCase crashes[] = {
    { "p1", transaction, false },
    { "p2", transaction, false },
    { "p8", transaction, false },
    { "p10", transaction, false, false, "replayed" },
    { "p11", transaction, false, false, "replayed" },

    { "p1", reserve, false },
    { "p2", reserve, false },
    { "p3", reserve, false },
    { "p8", reserve, false },
    { "p9", reserve, false },
    { "p10", reserve, false, false, "replayed" },
    { "p11", reserve, false, false, "replayed" },

    { "p1", idempotent, true },
    { "p2", idempotent, true },
    { "p3", idempotent, true },
    { "p4", idempotent, true },
    { "p5", idempotent, true },
    { "p6-unsent", idempotent, true },
    { "p6", idempotent, true },
    { "p7", idempotent, true },
    { "p8", idempotent, true },
    { "p9", idempotent, true },
    { "p10", idempotent, true, false, "replayed" },
    { "p11", idempotent, true, false, "replayed" },

    { "p1", external, true },
    { "p2", external, true },
    { "p3", external, true, true },
    { "p4", external, true, true },
    { "p5", external, true, true },
    { "p6-unsent", external, true, true },
    { "p6", external, true, true, "replayed" },
    { "p7", external, true, true, "replayed" },
    { "p8", external, true, true, "replayed" },
    { "p9", external, true, true, "replayed" },
    { "p10", external, true, false, "replayed" },
    { "p11", external, true, false, "replayed" },
};

class LabCrashTest : public ::testing::TestWithParam<std::tuple<store::Dialect, CrashCase>>, public LabProcess {
protected:
    LabCrashTest()
        : LabProcess(std::get<0>(GetParam()))
    {
    }
    void SetUp() override { ASSERT_EQ(database.problem(), ""); }
    void TearDown() override { stop(); }

    // A worker whose connection was ended answers once that it has none.
    [[nodiscard]] std::size_t payouts() const
    {
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        auto listed = ask("GET", "/admin/payouts");
        while (listed.status != 200 && !deadline.hasExpired())
            listed = ask("GET", "/admin/payouts");
        EXPECT_EQ(listed.status, 200) << listed.body;
        return listed.json().size();
    }

    // Asks again until the operation is not in work any more.
    WireAnswer insist(const std::string& key, const std::string& body) const
    {
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        auto answer = post("/refunds", key, body);
        while ((answer.code() == "idempotency.in_progress" || answer.status == 503) && !deadline.hasExpired()) {
            std::this_thread::yield();
            answer = post("/refunds", key, body);
        }
        return answer;
    }

    // What the reconcile hook finds, once the vendor cannot have the call on its way any more, and can be asked.
    std::string reconcile(const std::string& key, bool untilKnown = false) const
    {
        const QDeadlineTimer deadline(std::chrono::seconds(60));
        const auto body = R"({"operation":"refund.create","key":")" + key + "\"}";
        while (!deadline.hasExpired()) {
            const auto answer = ask("POST", "/admin/reconcile", {}, body);
            const auto result = answer.json().value("result", "");
            // A worker whose connection was ended answers once that it has none.
            if (answer.status != 503 && result != "too_early" && !(untilKnown && result == "held"))
                return result;
        }
        return "too_early";
    }

    // Whatever became of the worker that was late: one effect, and one answer for everybody.
    void expectOneEffect(
        const CrashCase& crash, const std::string& key, const std::string& body, const WireAnswer& late) const
    {
        auto answer = insist(key, body);
        if (answer.code() == "idempotency.outcome_unknown") {
            EXPECT_TRUE(crash.held);
            EXPECT_THAT(reconcile(key, true), ::testing::AnyOf("succeeded", "released"));
            answer = insist(key, body);
        }
        EXPECT_EQ(answer.status, 201) << answer.body;
        // Each worker of the lab may have a lost connection of its own to meet.
        EXPECT_EQ(insist(key, body).body, answer.body);
        if (late.status == 201) {
            EXPECT_EQ(late.body, answer.body);
        }
        EXPECT_EQ(entries("refund"), 1);
        EXPECT_EQ(payouts(), crash.external ? 1U : 0U);
    }
};

void PrintTo(const CrashCase& crash, std::ostream* out)
{
    *out << crash.point << " with " << crash.words;
}

std::string nameOfCrash(const ::testing::TestParamInfo<std::tuple<store::Dialect, CrashCase>>& info)
{
    const auto& [dialect, crash] = info.param;
    std::string name = dialect == store::Dialect::Sqlite ? "Sqlite_" : "PostgreSql_";
    for (const auto* text : { crash.point, crash.words })
        for (const char c : std::string_view(text))
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
                name += c;
    return name;
}

INSTANTIATE_TEST_SUITE_P(
    Lab, LabCrashTest, ::testing::Combine(bothDialects(), ::testing::ValuesIn(crashes)), nameOfCrash);

TEST_P(LabCrashTest, LeavesExactlyOneEffect)
{
    const auto& crash = std::get<1>(GetParam());
    start(crash.words);
    const auto body = refundOf(payment(), 1000);
    const auto key = "killed-at-" + std::string(crash.point);
    const auto lost = post("/refunds", key, body, { { "Fencepost-Fault", "crash@" + std::string(crash.point) } });
    EXPECT_EQ(lost.status, 0) << lost.body;
    ASSERT_TRUE(died());
    endLeases();
    start(crash.words);
    EXPECT_LE(entries("refund"), 1);
    EXPECT_LE(payouts(), 1U);

    auto answer = insist(key, body);
    if (crash.held) {
        EXPECT_EQ(answer.code(), "idempotency.outcome_unknown") << answer.body;
        EXPECT_EQ(ask("GET", "/operations/refund.create/" + key).json()["state"], "HELD");
        EXPECT_THAT(reconcile(key), ::testing::AnyOf("succeeded", "released"));
        answer = insist(key, body);
    }
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.header("Idempotency-Status"), crash.answer);
    const auto again = post("/refunds", key, body);
    EXPECT_EQ(again.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(again.body, answer.body);
    EXPECT_EQ(entries("refund"), 1);
    EXPECT_EQ(payouts(), crash.external ? 1U : 0U);
}

// Where a request is killed whose key had an answer that is no longer kept: another operation by now.
const CrashCase laterLives[] = {
    { "p3", reserve, false },
    { "p8", reserve, false },
    { "p9", reserve, false },
    { "p10", reserve, false, false, "replayed" },
    { "p8", transaction, false },

    { "p3", idempotent, true },
    { "p4", idempotent, true },
    { "p6-unsent", idempotent, true },
    { "p6", idempotent, true },
    { "p7", idempotent, true },
    { "p9", idempotent, true },

    { "p3", external, true, true },
    { "p6-unsent", external, true, true },
    { "p6", external, true, true, "replayed" },
    { "p9", external, true, true, "replayed" },
};

class LabLaterLifeTest : public LabCrashTest { };

INSTANTIATE_TEST_SUITE_P(
    Lab, LabLaterLifeTest, ::testing::Combine(bothDialects(), ::testing::ValuesIn(laterLives)), nameOfCrash);

TEST_P(LabLaterLifeTest, LeavesOneMoreEffect)
{
    const auto& crash = std::get<1>(GetParam());
    start(crash.words);
    const auto body = refundOf(payment(), 1000);
    const auto first = post("/refunds", "k", body);
    EXPECT_EQ(first.status, 201) << first.body;
    endLives();
    const auto lost = post("/refunds", "k", body, { { "Fencepost-Fault", "crash@" + std::string(crash.point) } });
    EXPECT_EQ(lost.status, 0) << lost.body;
    ASSERT_TRUE(died());
    endLeases();
    start(crash.words);

    auto answer = insist("k", body);
    if (crash.held) {
        EXPECT_EQ(answer.code(), "idempotency.outcome_unknown") << answer.body;
        EXPECT_THAT(reconcile("k"), ::testing::AnyOf("succeeded", "released"));
        answer = insist("k", body);
    }
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.header("Idempotency-Status"), crash.answer);
    EXPECT_NE(answer.id(), first.id());
    EXPECT_EQ(insist("k", body).body, answer.body);
    EXPECT_EQ(entries("refund"), 2);
    EXPECT_EQ(payouts(), crash.external ? 2U : 0U);
}

// p12: a worker stands still for longer than its lease and then goes on, at each point where it could do harm.
const CrashCase pauses[] = {
    { "p5", idempotent, true },
    { "p5", external, true, true },
    { "p8", reserve, false },
    { "p8", idempotent, true },
    { "p9", reserve, false },
    { "p9", idempotent, true },
    { "p9", external, true, true },
};

class LabSleepTest : public LabCrashTest { };

INSTANTIATE_TEST_SUITE_P(
    Lab, LabSleepTest, ::testing::Combine(bothDialects(), ::testing::ValuesIn(pauses)), nameOfCrash);

TEST_P(LabSleepTest, AWorkerThatWakesUpLateDoublesNothing)
{
    const auto& pause = std::get<1>(GetParam());
    start((std::string(pause.words) + " --lease 3s").c_str());
    const auto body = refundOf(payment(), 1000);
    const std::string key = "asleep";
    WireAnswer late;
    std::atomic<bool> woken = false;
    std::thread sleeper([&] {
        late = post("/refunds", key, body, { { "Fencepost-Fault", "pause=50s@" + std::string(pause.point) } });
        woken = true;
    });
    const QDeadlineTimer deadline(std::chrono::seconds(120));
    while (ask("GET", "/operations/refund.create/" + key).json().value("state", "") == "" && !deadline.hasExpired())
        std::this_thread::yield();
    auto other = post("/refunds", key, body);
    while (other.code() == "idempotency.in_progress" && !woken && !deadline.hasExpired())
        other = post("/refunds", key, body);
    EXPECT_LE(payouts(), 1U);
    while (!woken && !deadline.hasExpired())
        ask("DELETE", "/admin/faults");
    sleeper.join();
    expectOneEffect(pause, key, body, late);
}

// p20: while a worker stands at a point, the disk stops taking anything (SQLite), or the server ends every session
// (PostgreSQL, 57P01).
const CrashCase outages[] = {
    { "p2", transaction, false },
    { "p8", transaction, false },
    { "p2", reserve, false },
    { "p8", reserve, false },
    { "p9", reserve, false },
    { "p10", reserve, false, false, "replayed" },
    { "p9", idempotent, true },
    { "p7", external, true, true },
    { "p9", external, true, true },
    { "p10", external, true, false, "replayed" },
};

class LabOutageTest : public LabCrashTest {
protected:
    void SetUp() override
    {
        LabCrashTest::SetUp();
        // As a full disk would: an error of the write, and no signal.
        lab.setChildProcessModifier([] { std::signal(SIGXFSZ, SIG_IGN); });
    }
    void breakDatabase()
    {
        if (std::get<0>(GetParam()) == store::Dialect::PostgreSql)
            return database.endSessions();
        limitFiles(0);
    }
    void mendDatabase()
    {
        if (std::get<0>(GetParam()) == store::Dialect::Sqlite)
            limitFiles(RLIM_INFINITY);
    }
    [[nodiscard]] bool standsAt(const std::string& point) const
    {
        const auto listed = ask("GET", "/admin/faults").json();
        return std::any_of(
            listed.begin(), listed.end(), [&](const auto& each) { return each.value("standing_at", "") == point; });
    }

private:
    void limitFiles(rlim_t most) const
    {
        const rlimit limit{ most, RLIM_INFINITY };
        ASSERT_EQ(::prlimit(static_cast<pid_t>(lab.processId()), RLIMIT_FSIZE, &limit, nullptr), 0);
    }
};

INSTANTIATE_TEST_SUITE_P(
    Lab, LabOutageTest, ::testing::Combine(bothDialects(), ::testing::ValuesIn(outages)), nameOfCrash);

TEST_P(LabOutageTest, ADatabaseThatRefusesDoublesNothing)
{
    const auto& outage = std::get<1>(GetParam());
    start(outage.words);
    const auto body = refundOf(payment(), 1000);
    const std::string key = "refused";
    WireAnswer late;
    std::atomic<bool> woken = false;
    std::thread sleeper([&] {
        late = post("/refunds", key, body, { { "Fencepost-Fault", "pause=50s@" + std::string(outage.point) } });
        woken = true;
    });
    const QDeadlineTimer deadline(std::chrono::seconds(120));
    while (!standsAt(outage.point) && !deadline.hasExpired())
        std::this_thread::yield();
    breakDatabase();
    while (!woken && !deadline.hasExpired())
        ask("DELETE", "/admin/faults");
    sleeper.join();
    mendDatabase();
    endLeases();
    EXPECT_EQ(database.problem(), "");
    EXPECT_THAT(late.status, ::testing::AnyOf(201, 409, 503)) << late.body;

    expectOneEffect(outage, key, body, late);
}

class LabPauseTest : public LabTest { };

INSTANTIATE_TEST_SUITE_P(Lab, LabPauseTest, bothDialects(), nameOfDialect);

// G6: a worker that only seemed to be dead cannot finish what somebody else has finished.
TEST_P(LabPauseTest, FencesAWorkerThatWakesUpLate)
{
    start(reserve);
    const auto body = refundOf(payment(), 1000);
    WireAnswer late;
    std::atomic<bool> done = false;
    std::thread sleeper([&] {
        late = post("/refunds", "asleep", body, { { "Fencepost-Fault", "pause=50s@p9" } });
        done = true;
    });
    while (entries("refund") == 0)
        std::this_thread::yield();
    endLeases();
    auto winner = post("/refunds", "asleep", body);
    while (winner.code() == "idempotency.in_progress")
        winner = post("/refunds", "asleep", body);
    EXPECT_EQ(winner.status, 201) << winner.body;
    EXPECT_EQ(winner.header("Idempotency-Status"), "stored");
    while (!done)
        ask("DELETE", "/admin/faults");
    sleeper.join();
    EXPECT_EQ(late.body, winner.body);
    EXPECT_EQ(late.header("Idempotency-Status"), "replayed");
    EXPECT_EQ(metric(R"(idempotent_fenced_total{operation_type="refund.create"})"), 1);
    EXPECT_EQ(metric(R"(idempotent_takeover_total{operation_type="refund.create"})"), 1);
    EXPECT_EQ(entries("refund"), 1);
}

} // namespace

} // namespace fencepost::test
