// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <map>

#include <QCoreApplication>
#include <QEventLoop>

#include "core/service/idempotent_handler.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"

namespace fencepost::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A service over a real socket and the same database, and requests that its workers left unfinished.
class CompleteTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        connection = std::move(*database.connect());
        ASSERT_TRUE(store::initSchema(*connection, false));
        records = std::make_unique<store::SqlStore>(*connection, store::StoreClock{});
        route.route = "POST_/refunds";
        route.operation = "refund.create";
        route.policy = Policy().forRoute(route.route, route.operation);
        route.policy.takeover.value = Takeover::Auto;
        route.keepsRequest = true;
    }

    // Its worker died ten minutes ago.
    RecordId abandon(const std::string& key, const std::string& type = "application/json",
        const std::string& principal = "anonymous", const RouteContract* as = nullptr)
    {
        ManualClock clock(SystemClock().now() - std::chrono::minutes(10));
        store::SqlStore earlier(*connection, { .clock = &clock, .bind = true });
        const auto& contract = as ? *as : route;
        const HttpRequest request{ "POST", "/refunds?b=1", { { "Content-Type", type }, { "Idempotency-Key", key } },
            R"({"amount":10})", principal };
        const RecordId id{ *scopeOf(contract.route, principal), contract.operation, key };
        auto wish = std::get<Reservation>(reservationOf(contract, request, id, { uuid4(random) }));
        wish.lease = std::chrono::seconds(1);
        const auto reserved = earlier.reserve(wish);
        EXPECT_TRUE(reserved && reserved->outcome == Outcome::Execute);
        return id;
    }

    testing::ScriptedServer::Act service()
    {
        return [this](QTcpSocket& socket) {
            auto request = server->requests().back();
            const auto principal = lineOf(request.headers, "X-Principal");
            request.principal = serves.empty() ? std::string(principal.value_or("anonymous")) : serves;
            auto handler = IdempotentHandler::create(route, { *records, wall, random }, [&](Execution& execution) {
                ++executions[execution.claim().id.key];
                return Handled{ { 201, { { "Content-Type", "application/json" } }, "{}" } };
            });
            const auto answer = handler->serve(request);
            if (killed) {
                ::kill(static_cast<pid_t>(killed->processId()), SIGKILL);
                killed = nullptr;
                return;
            }
            testing::answers(answer.status, answer.headers, answer.body)(socket);
        };
    }

    QStringList arguments(const QStringList& further) const
    {
        return withDatabase(
            QStringList{ QStringLiteral("complete"), QStringLiteral("--to"), QString::fromStdString(server->url("")) }
            + further);
    }

    CtlRun complete(const QStringList& further = {})
    {
        QProcess process;
        start(process, arguments(further));
        return servedRunOf(process);
    }

    State state(const RecordId& id) { return (*records->find(id))->status; }

    SystemClock wall;
    SystemRandom random;
    RouteContract route;
    std::string serves;
    QProcess* killed = nullptr;
    std::unique_ptr<store::SqlStore> records;
    std::map<std::string, int> executions;
    std::unique_ptr<testing::ScriptedServer> server =
        std::make_unique<testing::ScriptedServer>(std::vector{ service() });
};
INSTANTIATE_TEST_SUITE_P(Backends, CompleteTest, bothDialects(), nameOfDialect);

TEST_P(CompleteTest, DrivesAbandonedRequestsToTheirEndOldestFirst)
{
    const auto first = abandon("k1");
    const auto second = abandon("k2", "application/x-www-form-urlencoded");
    const auto run = complete();
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(run.json()["outcomes"], nlohmann::json({ { "completed", 2 } }));
    EXPECT_EQ(run.lines().front()["key"], "k1");
    EXPECT_EQ(run.lines().front()["status"], 201);
    EXPECT_EQ(run.lines().front()["state"], "SUCCEEDED");
    EXPECT_EQ(state(first), State::Succeeded);
    EXPECT_EQ(state(second), State::Succeeded);
    EXPECT_THAT(server->lines("Idempotency-Key"), ElementsAre("k1", "k2"));
    EXPECT_THAT(server->lines("Authorization"), Each(""));
    EXPECT_EQ(server->requests().front().target, "/refunds?b=1");
    EXPECT_EQ(complete().json()["outcomes"], nlohmann::json::object());
    EXPECT_EQ(executions, (std::map<std::string, int>{ { "k1", 1 }, { "k2", 1 } }));
}

TEST_P(CompleteTest, SaysWhatItLeavesAloneAndWhy)
{
    auto bare = route;
    bare.keepsRequest = false;
    abandon("no-request", "application/json", "anonymous", &bare);
    auto manual = route;
    manual.policy.takeover.value = Takeover::Manual;
    abandon("manual", "application/json", "anonymous", &manual);
    abandon("tenant", "application/json", "tenant_1");
    abandon("odd-type", "application/vnd.odd+json");
    // As programs of an older version left it: its content type can only be guessed.
    abandon("older-type", "application/vnd.odd+json");
    ASSERT_TRUE(connection->execute(
        "UPDATE idempotency_records SET request_headers = NULL WHERE idempotency_key = 'older-type'"));
    auto spent = route;
    spent.policy.maxAttempts.value = 1;
    abandon("spent", "application/json", "anonymous", &spent);
    abandon("old", "application/json", "anonymous", &bare);
    const auto run = complete();
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.json()["skipped"],
        nlohmann::json({ { "no_stored_request", 2 }, { "takeover_manual", 1 }, { "principal", 1 },
            { "attempts_spent", 1 }, { "fingerprint", 1 } }));
    EXPECT_EQ(run.json()["outcomes"], nlohmann::json({ { "completed", 1 } }));
    EXPECT_THAT(server->lines("Content-Type"), ElementsAre("application/vnd.odd+json")) << "the stored one";
    EXPECT_EQ(complete({ QStringLiteral("--age"), QStringLiteral("2h") }).json()["skipped"]["age"], 4);
    const auto typed = complete({ QStringLiteral("--content-type"), QStringLiteral("application/vnd.odd+json") });
    EXPECT_EQ(typed.json()["outcomes"], nlohmann::json({ { "completed", 1 } }));
    const auto everybody = complete({ QStringLiteral("--principal-header"), QStringLiteral("X-Principal") });
    EXPECT_EQ(everybody.json()["outcomes"], nlohmann::json({ { "completed", 1 } }));
    EXPECT_EQ(executions["tenant"], 1);
}

TEST_P(CompleteTest, StopsWhereTheServiceTakesItForSomebodyElse)
{
    serves = "somebody";
    const auto id = abandon("k1");
    abandon("k2");
    abandon("k3");
    const auto run = complete({ QStringLiteral("--concurrency"), QStringLiteral("4") });
    EXPECT_EQ(run.code, 3);
    EXPECT_EQ(run.json()["outcomes"], nlohmann::json({ { "elsewhere", 1 } }));
    EXPECT_EQ(server->requests().size(), 1U);
    EXPECT_EQ(run.lines().front()["status"], 412);
    EXPECT_EQ(state(id), State::InProgress);
    EXPECT_TRUE(executions.empty()) << "a service that keeps to the contract has not carried it out for somebody else";
    serves = "anonymous";
    EXPECT_EQ(complete().json()["outcomes"], nlohmann::json({ { "completed", 3 } }));
    for (const auto& [key, count] : executions)
        EXPECT_EQ(count, 1) << key;
}

TEST_P(CompleteTest, TakesARunningRequestForNoOutcome)
{
    for (const int status : { 202, 303 }) {
        const auto key = "k" + std::to_string(status);
        const auto id = abandon(key);
        server = std::make_unique<testing::ScriptedServer>(std::vector{
            testing::answers(status, { { "Content-Type", "application/problem+json" }, { "Retry-After", "1" } },
                R"({"error_code":"idempotency.in_progress"})"),
            service() });
        const auto early = complete();
        EXPECT_EQ(early.json()["outcomes"], nlohmann::json({ { "refused", 1 } })) << early.out << early.err;
        EXPECT_EQ(state(id), State::InProgress);
        const auto run = complete();
        EXPECT_EQ(run.json()["outcomes"], nlohmann::json({ { "completed", 1 } })) << run.out << run.err;
        EXPECT_EQ(executions[key], 1);
        EXPECT_EQ(state(id), State::Succeeded);
    }
}

TEST_P(CompleteTest, MayDieAndBeMany)
{
    for (int i = 0; i < 6; ++i)
        abandon("k" + std::to_string(i));
    QProcess dying;
    start(dying, arguments({}));
    killed = &dying;
    EXPECT_EQ(servedRunOf(dying).code, -1);
    QProcess one;
    QProcess other;
    start(one, arguments({}));
    start(other, arguments({}));
    EXPECT_NE(servedRunOf(one).code, -1);
    EXPECT_NE(servedRunOf(other).code, -1);
    EXPECT_EQ(executions.size(), 6U);
    for (const auto& [key, count] : executions)
        EXPECT_EQ(count, 1) << key;
}

TEST_P(CompleteTest, SendsTheCredentialOfTheRunAndKeepsItNowhere)
{
    abandon("k1");
    QProcess process;
    auto with = environment();
    with.insert(QStringLiteral("FENCEPOST_AUTHORIZATION"), QStringLiteral("Bearer secret"));
    process.setProcessEnvironment(with);
    process.setWorkingDirectory(database.folder());
    process.start(QStringLiteral(FENCEPOSTCTL), arguments({}));
    const auto run = servedRunOf(process);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(server->lines("Authorization"), ElementsAre("Bearer secret"));
    EXPECT_EQ(run.out.find("secret"), std::string::npos);
}

TEST_P(CompleteTest, TellsAServiceThatIsNotThere)
{
    abandon("k1");
    const auto base = server->url("");
    server->stopListening();
    const auto run = complete();
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.json()["outcomes"], nlohmann::json({ { "unreachable", 1 } }));
    for (const auto* wrong : { "localhost:80", "http://user:secret@localhost/", "ftp://localhost" })
        EXPECT_EQ(ctl({ QStringLiteral("complete"), QStringLiteral("--to"), QString::fromUtf8(wrong) }).code, 2);
}

} // namespace
} // namespace fencepost::test
