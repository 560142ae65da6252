// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QSslKey>
#include <QSslServer>

#include "core/retry/deadline.h"
#include "tests/core/http/client_fixture.h"
#include "tests/support/tls_certificate.h"

namespace fencepost::http {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string problem(const std::string& code)
{
    return R"({"error":"some words","error_code":")" + code + "\"}";
}

TEST_F(ClientTest, EveryAttemptHasTheKeyOfItsOperation)
{
    ScriptedServer server({ answers(503), answers(503), answers(201, json, R"({"id":"rf_1"})") });
    const auto ended = carryOut(refund(server));

    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    EXPECT_EQ(ended.attempts, 3);
    EXPECT_EQ(ended.response->status, 201);
    EXPECT_EQ(ended.response->body, R"({"id":"rf_1"})");
    EXPECT_TRUE(isUuid(ended.key));
    EXPECT_THAT(server.lines("Idempotency-Key"), ElementsAre(ended.key, ended.key, ended.key));
    EXPECT_THAT(server.lines("Idempotency-Attempt"), ElementsAre("1", "2", "3"));
    EXPECT_THAT(server.lines("X-Retry-Owner"), ElementsAre("client", "client", "client"));
    for (const auto& request : server.requests())
        EXPECT_EQ(request.body, R"({"amount":10})");
    // 100 to 200 ms, then 200 to 400 ms.
    ASSERT_THAT(delays, SizeIs(2));
    EXPECT_GE(delays[0], 100ms);
    EXPECT_LE(delays[0], 200ms);
    EXPECT_GE(delays[1], 200ms);
    EXPECT_LE(delays[1], 400ms);
}

// The network stack has names of its own for some of them.
TEST_F(ClientTest, EveryRefusalIsAnAnswer)
{
    for (int status = 400; status < 600; ++status) {
        ScriptedServer server({ answers(status) });
        auto request = refund(server);
        request.ownsRetries = false;
        const auto ended = carryOut(request);
        ASSERT_TRUE(ended.response) << status << ": " << ended.transport;
        ASSERT_EQ(ended.response->status, status);
        ASSERT_EQ(ended.attempts, 1) << status;
    }
}

TEST_F(ClientTest, TheBudgetIsForwardedMinusWhatIsSpent)
{
    ScriptedServer server({ answers(503), answers(503), answers(201) });
    auto request = refund(server);
    request.budget = 4s;
    const auto ended = carryOut(request);
    ASSERT_THAT(delays, SizeIs(2));
    const auto left = [](Duration spent) { return retry::formatRequestTimeout(4s - spent - 50ms); };
    EXPECT_THAT(server.lines("X-Request-Timeout"), ElementsAre("3950", left(delays[0]), left(delays[0] + delays[1])));
}

// What a server does without an answer, and what the request is.
struct Silence {
    const char* name;
    ScriptedServer::Act act;
    const char* method;
    const char* body;
};

class UnansweredTest : public ClientTest, public ::testing::WithParamInterface<Silence> { };

TEST_P(UnansweredTest, IsSentOnceForEachAttempt)
{
    ScriptedServer server({ GetParam().act });
    auto request = refund(server);
    request.method = GetParam().method;
    request.body = GetParam().body;
    const auto ended = carryOut(request);

    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
    EXPECT_EQ(ended.attempts, 5);
    EXPECT_EQ(server.requests().size(), 5U + static_cast<std::size_t>(ended.hiddenSends));
    EXPECT_EQ(ended.hiddenSends, 0);
    EXPECT_THAT(server.lines("Idempotency-Key"), Each(ended.key));
    EXPECT_EQ(entryOf(ended)->state, CallState::Unknown);
}

INSTANTIATE_TEST_SUITE_P(Servers, UnansweredTest,
    ::testing::Values(Silence{ "ClosesAPost", closes(), "POST", "{}" },
        Silence{ "ResetsAPost", resets(), "POST", "{}" }, Silence{ "ClosesAnEmptyPost", closes(), "POST", "" },
        Silence{ "ResetsAnEmptyPost", resets(), "POST", "" }, Silence{ "ClosesADelete", closes(), "DELETE", "" },
        Silence{ "ResetsADelete", resets(), "DELETE", "" }, Silence{ "ClosesAPut", closes(), "PUT", "{}" },
        Silence{ "ClosesAPatch", closes(), "PATCH", "{}" }),
    [](const auto& tested) { return tested.param.name; });

TEST_F(ClientTest, ASafeRequestIsRepeatedByTheStackAndCounted)
{
    ScriptedServer server({ closes() });
    const auto ended = carryOut({ .method = "GET", .url = server.url() });
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop);
    EXPECT_EQ(ended.key, "");
    EXPECT_GT(ended.hiddenSends, 0);
    EXPECT_EQ(server.requests().size(), static_cast<std::size_t>(ended.attempts + ended.hiddenSends));
}

// Whether the stack sees the end before it is done with the answer is chance.
TEST_F(ClientTest, AnAnswerWithoutALengthIsWholeWhenTheConnectionEnds)
{
    constexpr int often = 60;
    ScriptedServer server({ saysAndCloses("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nok") });
    for (int i = 0; i < often; ++i) {
        const auto ended = carryOut(refund(server));
        ASSERT_EQ(ended.decision.verdict, Verdict::Done) << i;
        ASSERT_EQ(ended.attempts, 1) << i;
        ASSERT_EQ(ended.response->body, "ok") << i;
    }
}

TEST_F(ClientTest, AConnectionThatWasClosedMeanwhileSendsNothingTwice)
{
    // The second request goes over the connection of the first, which is closed without a word.
    ScriptedServer server({ answers(201), closes(), answers(201) });
    (void)carryOut(refund(server));
    const auto ended = carryOut(refund(server));
    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    EXPECT_EQ(ended.attempts, 2);
    EXPECT_EQ(ended.hiddenSends, 0);
    EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST_F(ClientTest, ARefusedConnectionWasCertainlyNotSent)
{
    ScriptedServer server({ answers(201) });
    const auto request = refund(server);
    server.stopListening();
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop);
    EXPECT_EQ(ended.decision.reason, "all attempts are used");
    EXPECT_FALSE(ended.decision.inDoubt);
    EXPECT_EQ(ended.attempts, 5);
    EXPECT_EQ(entryOf(ended)->state, CallState::Confirmed);
    EXPECT_THAT(server.requests(), IsEmpty());
}

class DoubtTest : public ClientTest, public ::testing::WithParamInterface<const char*> { };

// The stack sends it again, cannot connect, and reports a refused connection: it was sent all the same.
TEST_P(DoubtTest, ARefusalAfterItWasSentIsInDoubt)
{
    ScriptedServer* listening = nullptr;
    ScriptedServer server({ [&](QTcpSocket& socket) {
        listening->stopListening();
        socket.disconnectFromHost();
    } });
    listening = &server;
    auto request = refund(server);
    request.method = GetParam();
    request.body.clear();
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown) << ended.transport;
    EXPECT_THAT(server.requests(), SizeIs(1));
    EXPECT_EQ(entryOf(ended)->state, CallState::Unknown);
}

INSTANTIATE_TEST_SUITE_P(Methods, DoubtTest, ::testing::Values("POST", "DELETE", "PUT"));

TEST_F(ClientTest, AHostWithoutANameWasNotSent)
{
    ScriptedServer server({ answers(201) });
    auto request = refund(server);
    request.url = "http://nobody.invalid/refunds";
    request.policy = *retry::presetOf("aws");
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop) << ended.transport;
}

// Answers in their order, what becomes of the call, and how many attempts that took.
struct Dialogue {
    const char* name;
    std::vector<ScriptedServer::Act> acts;
    Verdict verdict;
    int attempts;
    const char* reason;
};

class DialogueTest : public ClientTest, public ::testing::WithParamInterface<Dialogue> { };

TEST_P(DialogueTest, EndsAsTheTableSays)
{
    ScriptedServer server(GetParam().acts);
    const auto ended = carryOut(refund(server));
    EXPECT_EQ(ended.decision.verdict, GetParam().verdict);
    EXPECT_EQ(ended.decision.reason, GetParam().reason);
    EXPECT_EQ(ended.attempts, GetParam().attempts);
    EXPECT_THAT(server.requests(), SizeIs(static_cast<std::size_t>(GetParam().attempts)));
    EXPECT_THAT(server.lines("Idempotency-Key"), Each(ended.key));
    EXPECT_EQ(
        entryOf(ended)->state, GetParam().verdict == Verdict::Unknown ? CallState::Unknown : CallState::Confirmed);
}

INSTANTIATE_TEST_SUITE_P(Answers, DialogueTest,
    ::testing::Values(
        Dialogue{ "InFlightThenDone", { answers(409, json, problem("idempotency.in_progress")), answers(201) },
            Verdict::Done, 2, "it succeeded" },
        Dialogue{ "Mismatch", { answers(409, json, problem("CONFLICT.idempotency.payload_mismatch")) }, Verdict::Stop,
            1, "the error's code is a final one" },
        Dialogue{ "ConflictWithoutACode", { answers(409) }, Verdict::Stop, 1, "the request is refused as it is" },
        Dialogue{ "ReplayedServerError", { answers(500, { { "Idempotency-Status", "replayed" } }) }, Verdict::Stop, 1,
            "a replayed answer is final" },
        Dialogue{ "ServerErrorUntilItsReplay", { answers(500), answers(500, { { "idempotency-status", "Replayed" } }) },
            Verdict::Stop, 2, "a replayed answer is final" },
        Dialogue{ "TheServerSaysNo", { answers(503, { { "Idempotency-Should-Retry", "false" } }) }, Verdict::Unknown, 1,
            "the server says not to retry" },
        Dialogue{ "TheServerSaysYes", { answers(422, { { "Stripe-Should-Retry", "true" } }), answers(201) },
            Verdict::Done, 2, "it succeeded" },
        Dialogue{ "ProviderDuplicate", { answers(409, json, problem("PROVIDER.duplicate")) }, Verdict::Done, 1,
            "the provider has done it already" },
        Dialogue{ "RequestTimeout", { answers(408) }, Verdict::Stop, 1, "the request is refused as it is" },
        Dialogue{ "TooEarly", { answers(425), answers(201) }, Verdict::Done, 2, "it succeeded" },
        Dialogue{ "Garbage", { saysAndCloses("\x01\x02 no HTTP at all\r\n\r\n"), answers(201) }, Verdict::Done, 2,
            "it succeeded" },
        Dialogue{ "NothingButGarbage", { saysAndCloses("SSH-2.0-OpenSSH_9.2\r\n") }, Verdict::Unknown, 5,
            "all attempts are used" },
        Dialogue{ "HalfABody",
            { saysAndCloses("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\":"), answers(201) },
            Verdict::Done, 2, "it succeeded" },
        Dialogue{ "HalfAChunk",
            { saysAndCloses("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"id\":"), answers(201) },
            Verdict::Done, 2, "it succeeded" },
        Dialogue{ "ABodyUntilTheClose",
            { saysAndCloses("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n\r\n{\"id\":1}") },
            Verdict::Done, 1, "it succeeded" },
        Dialogue{ "HalfAHead", { saysAndCloses("HTTP/1.1 201 Created\r\nContent-Le"), answers(201) }, Verdict::Done, 2,
            "it succeeded" },
        Dialogue{ "Redirected", { answers(307, { { "Location", "/elsewhere" } }) }, Verdict::Done, 1,
            "a redirection is an answer" },
        Dialogue{ "RedirectedForGood", { answers(308, { { "Location", "/elsewhere" } }) }, Verdict::Done, 1,
            "a redirection is an answer" },
        Dialogue{ "SeeOther", { answers(303, { { "Location", "/elsewhere" } }) }, Verdict::Done, 1,
            "a redirection is an answer" },
        Dialogue{ "Unauthorized", { answers(401, { { "WWW-Authenticate", "Basic realm=\"x\"" } }) }, Verdict::Stop, 1,
            "the request is refused as it is" }),
    [](const auto& tested) { return tested.param.name; });

class RetryAfterTest : public ClientTest, public ::testing::WithParamInterface<Headers> { };

// Each of them asks for three seconds.
TEST_P(RetryAfterTest, IsNeverUndercut)
{
    ScriptedServer server({ answers(429, GetParam()), answers(201) });
    const auto ended = carryOut(refund(server));
    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    ASSERT_THAT(delays, SizeIs(1));
    EXPECT_GE(delays[0], 3s);
    EXPECT_LE(delays[0], 3300ms);
}

INSTANTIATE_TEST_SUITE_P(Forms, RetryAfterTest,
    ::testing::Values(Headers{ { "Retry-After", "3" } }, Headers{ { "retry-after", "Wed, 21 Oct 2026 07:28:03 GMT" } },
        Headers{ { "Retry-After", "Wednesday, 21-Oct-26 07:28:03 GMT" } },
        Headers{ { "Retry-After", "Wed Oct 21 07:28:03 2026" } },
        Headers{ { "Retry-After", "1" }, { "Retry-After", "Wed, 21 Oct 2026 07:28:03 GMT" }, { "Retry-After", "2" } }));

TEST_F(ClientTest, AWaitBeyondTheDeadlineEndsTheCallAtOnce)
{
    ScriptedServer server({ answers(503, { { "Retry-After", "60" } }) });
    auto request = refund(server);
    request.budget = 5s;
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
    EXPECT_EQ(ended.decision.reason, "the server asks for more time than is left");
    EXPECT_EQ(ended.decision.retryAfter, Duration(60s));
    EXPECT_EQ(ended.attempts, 1);
    EXPECT_THAT(delays, IsEmpty());
}

TEST_F(ClientTest, ALateAnswerIsGivenUpAndAskedForAgainWithTheKey)
{
    ScriptedServer server({ staysSilent(), answers(201) });
    ASSERT_TRUE(send(refund(server)));
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
    EXPECT_EQ(alarm.ringNext(), Duration(3s)); // the attempt's time
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    EXPECT_EQ(server.lines("Idempotency-Key"), std::vector<std::string>(2, ended.key));
}

TEST_F(ClientTest, ASlowBodyIsGivenUpToo)
{
    ScriptedServer server({ says("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"), answers(201) });
    ASSERT_TRUE(send(refund(server)));
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
    (void)alarm.ringNext();
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    // The stack may take the connection that was given up for one that is free, and lose an attempt on it.
    EXPECT_GE(ended.attempts, 2);
    for (const auto& key : server.lines("Idempotency-Key"))
        EXPECT_EQ(key, ended.key);
    EXPECT_EQ(ended.response->body, "");
}

TEST_F(ClientTest, NoAttemptPassesTheDeadline)
{
    ScriptedServer server({ staysSilent() });
    auto request = refund(server);
    request.budget = 700ms;
    const auto begun = steady.now();
    ASSERT_TRUE(send(request));
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
    EXPECT_EQ(alarm.ringNext(), Duration(700ms));
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
    EXPECT_LE(steady.now() - begun, Duration(700ms));
}

// A connection that never comes about: the body was not touched, so nobody can have executed it.
TEST_F(ClientTest, ATimeoutBeforeTheBodyWasTouchedWasNotSent)
{
    // Its backlog is full, so the kernel leaves further connections unanswered.
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    ASSERT_EQ(::listen(listener, 0), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    std::vector<int> fillers;
    for (int i = 0; i < 4; ++i) {
        fillers.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        (void)::connect(fillers.back(), reinterpret_cast<sockaddr*>(&address), length);
    }
    ClientRequest request{ .operation = "refund.create",
        .url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/refunds",
        .body = "{}" };
    request.ownsRetries = false;
    ASSERT_TRUE(send(request));
    (void)alarm.ringNext();
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop) << ended.decision.reason;
    for (const int filler : fillers)
        ::close(filler);
    ::close(listener);
}

// A certificate that nobody vouches for: the request stays here, and no attempt is in doubt.
TEST_F(ClientTest, AnUnknownCertificateIsNotTalkedTo)
{
    const auto self = test::makeCertificate(folder.path(), "IP:127.0.0.1");
    QFile key(self.key);
    ASSERT_TRUE(key.open(QIODevice::ReadOnly));
    auto tls = QSslConfiguration::defaultConfiguration();
    tls.setLocalCertificate(self.read().at(0));
    tls.setPrivateKey(QSslKey(&key, QSsl::Rsa));
    QSslServer server;
    server.setSslConfiguration(tls);
    QByteArray received;
    QObject::connect(&server, &QSslServer::pendingConnectionAvailable, &server, [&] {
        auto* socket = server.nextPendingConnection();
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [&received, socket] {
            received += socket->readAll();
            if (received.endsWith("{}"))
                socket->write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
        });
    });
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    const ClientRequest request{ .operation = "refund.create",
        .url = "https://127.0.0.1:" + std::to_string(server.serverPort()) + "/refunds",
        .body = "{}" };
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop) << ended.transport;
    EXPECT_EQ(received, QByteArray());

    ClientOptions options;
    options.tls = QSslConfiguration::defaultConfiguration();
    options.tls->addCaCertificates(self.read());
    makeClient(options);
    EXPECT_EQ(carryOut(request).decision.verdict, Verdict::Done) << outcome->transport;
    EXPECT_TRUE(received.startsWith("POST /refunds HTTP/1.1\r\n"));
}

TEST_F(ClientTest, AnAnswerOverTheLimitIsCutAndItsStatusCounts)
{
    ClientOptions options;
    options.longestAnswer = 1000;
    makeClient(options);
    ScriptedServer server({ answers(201, {}, std::string(5'000'000, 'x')), answers(201, {}, std::string(1000, 'y')) });
    const auto ended = carryOut(refund(server));
    EXPECT_EQ(ended.decision.verdict, Verdict::Done);
    EXPECT_TRUE(ended.cut);
    EXPECT_EQ(ended.response->body, std::string(1000, 'x'));
    const auto fitting = carryOut(refund(server));
    EXPECT_FALSE(fitting.cut);
    EXPECT_EQ(fitting.response->body, std::string(1000, 'y'));
}

TEST_F(ClientTest, PresetsSendAsOftenAsTheySay)
{
    ScriptedServer server({ answers(503, { { "Idempotency-Should-Retry", "true" } }) });
    for (const auto& [preset, attempts] :
        { std::pair{ "playbook", 5 }, { "atlas", 4 }, { "vendor", 5 }, { "aws", 3 }, { "standard_webhooks", 10 } }) {
        // Of its own: the failures of one preset open the breaker and empty the budget of the next.
        ClientOptions options;
        options.dependency.breaker->minimum = 1000;
        makeClient(options);
        auto request = refund(server);
        request.policy = *retry::presetOf(preset);
        const auto before = server.requests().size();
        const auto ended = carryOut(request);
        EXPECT_EQ(ended.attempts, attempts) << preset << ": " << ended.decision.reason;
        EXPECT_EQ(server.requests().size() - before, static_cast<std::size_t>(attempts)) << preset;
        EXPECT_EQ(entryOf(ended)->preset, preset);
    }
}

TEST_F(ClientTest, ACallerThatRetriesItselfIsSentOnce)
{
    ScriptedServer server({ answers(503) });
    auto request = refund(server);
    request.ownsRetries = false;
    const auto ended = carryOut(request);
    EXPECT_EQ(ended.attempts, 1);
    EXPECT_EQ(ended.decision.reason, "another layer owns the retries");
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
}

TEST_F(ClientTest, AnOpenBreakerSendsNothing)
{
    ScriptedServer server({ answers(201) });
    client->dependencyOf(server.url()).forceOpen("maintenance");
    const auto ended = carryOut(refund(server));
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop);
    EXPECT_EQ(ended.decision.reason, "the breaker is open");
    EXPECT_EQ(ended.attempts, 0);
    EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(ClientTest, WhatIsCancelledOnItsWayIsUnknown)
{
    ScriptedServer server({ staysSilent() });
    const auto sent = send(refund(server));
    ASSERT_TRUE(sent);
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
    client->cancel(sent->id);
    EXPECT_FALSE(outcome); // told later
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
    EXPECT_EQ(entryOf(ended)->state, CallState::Unknown);
    EXPECT_FALSE(alarm.isSet());
}

TEST_F(ClientTest, WhatIsCancelledAfterARefusalHasNoEffect)
{
    ScriptedServer server({ answers(429, json, problem("RATE_LIMIT.exceeded")) });
    const auto sent = send(refund(server));
    ASSERT_TRUE(sent);
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1 && client->activity().onTheirWay == 0; }));
    client->cancel(sent->id);
    const auto ended = finish();
    EXPECT_EQ(ended.decision.verdict, Verdict::Stop);
    EXPECT_EQ(ended.decision.reason, "the caller cancelled it");
}

TEST_F(ClientTest, TheCallbackMayDeleteTheClient)
{
    ScriptedServer server({ answers(201) });
    bool ended = false;
    ASSERT_TRUE(client->send(refund(server), [&](const ClientOutcome&) {
        client.reset();
        ended = true;
    }));
    EXPECT_TRUE(eventually([&] { return ended; }));
    EXPECT_FALSE(client);
}

TEST_F(ClientTest, CredentialsAreSentAndNotKept)
{
    ScriptedServer server({ answers(503), answers(201) });
    int asked = 0;
    ClientOptions options;
    options.credentials = [&](const std::string&) {
        return Headers{ { "Authorization", "Bearer " + std::to_string(++asked) } };
    };
    makeClient(options);
    auto request = refund(server);
    request.headers.emplace_back("X-Api-Key", "hunter2");
    ASSERT_TRUE(send(request));
    const auto unsettled = journal->unsettled();
    ASSERT_TRUE(unsettled);
    EXPECT_THAT(
        (*unsettled)[0].headers, ElementsAre(std::pair<std::string, std::string>("Content-Type", "application/json")));
    (void)finish();
    EXPECT_THAT(server.lines("Authorization"), ElementsAre("Bearer 1", "Bearer 2"));
    EXPECT_THAT(server.lines("X-Api-Key"), Each("hunter2"));
}

TEST_F(ClientTest, AKeyIsQuotedWhereItMustBeOrShallBe)
{
    ScriptedServer server({ answers(201) });
    auto request = refund(server);
    request.key = "two words";
    EXPECT_EQ(carryOut(request).key, "two words");
    ClientOptions options;
    options.keyForm = KeyForm::Quoted;
    makeClient(options);
    request.key = "one";
    (void)carryOut(request);
    request.key = "\"quoted\"";
    (void)carryOut(request);
    EXPECT_THAT(server.lines("Idempotency-Key"), ElementsAre("\"two words\"", "\"one\"", R"("\"quoted\"")"));
}

TEST_F(ClientTest, RefusesWhatItCannotSendSafely)
{
    const ScriptedServer server({ answers(201) });
    const auto refuses = [&](auto change) {
        auto request = refund(server);
        change(request);
        const auto sent = send(request);
        return !sent && sent.error().failure == Failure::Invalid;
    };
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.operation.clear(); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.method = "PO ST"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.method = "CONNECT"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.method = "GET"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.url = "ftp://127.0.0.1/"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.url = "http://user:secret@127.0.0.1/"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.url = "http:///nowhere"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.url += "#part"; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.headers.emplace_back("X-A", "b\r\nX-C: d"); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.headers.emplace_back("X A", "b"); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.headers.emplace_back("idempotency-key", "k"); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.headers.emplace_back("Transfer-Encoding", "chunked"); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.key = ""; }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.key = std::string(129, 'k'); }));
    EXPECT_TRUE(refuses([](ClientRequest& r) { r.key = "a\nb"; }));
    EXPECT_THAT(*journal->unsettled(), IsEmpty());
    EXPECT_EQ(server.connections(), 0U);
}

TEST_F(ClientTest, RefusesAUrlWithoutRepeatingWhatIsSecretInIt)
{
    const ScriptedServer server({ answers(201) });
    for (const auto* url : { "http://ann:s3cret@127.0.0.1:99999/", "http://ann:s3 cret%@127.0.0.1/?s3cret",
             "http://127.0.0.1:port/?token=s3cret", "http://[::1/s3cret", "s3cret", "http://ann:s3cret@/",
             "http://ho st/?token=s3cret#s3cret" }) {
        auto request = refund(server);
        request.url = url;
        const auto sent = send(request);
        ASSERT_FALSE(sent) << url;
        EXPECT_EQ(sent.error().failure, Failure::Invalid);
        EXPECT_EQ((sent.error().message + sent.error().detail).find("s3"), std::string::npos) << sent.error().detail;
        EXPECT_EQ(sent.error().detail.find("ann"), std::string::npos) << sent.error().detail;
    }
}

// What waits for a connection to a host has nothing to do with those that break.
TEST_F(ClientTest, ConnectionsThatBreakFailNothingButTheirOwnRequests)
{
    const auto cut = saysAndCloses("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc");
    ScriptedServer server({ cut, cut, cut, cut, cut, cut, answers(201) });
    std::map<retry::Ending, int> endings;
    ClientOptions options;
    options.dependency.limiter->start = 200;
    options.dependency.breaker.reset();
    makeClient(options);
    constexpr int requests = 24;
    for (int i = 0; i < requests; ++i) {
        auto request = refund(server);
        request.ownsRetries = false;
        ASSERT_TRUE(client->send(request, [&](const ClientOutcome& ended) { ++endings[*ended.ending]; }));
    }
    EXPECT_TRUE(
        eventually([&] { return endings[retry::Ending::Lost] + endings[retry::Ending::Answered] == requests; }));
    EXPECT_EQ(endings[retry::Ending::Lost], 6);
    EXPECT_THAT(server.requests(), SizeIs(requests));
}

TEST_F(ClientTest, AHundredOperationsHaveAHundredKeys)
{
    ScriptedServer server({ answers(503), answers(201) });
    std::vector<ClientOutcome> all;
    ClientOptions options;
    options.dependency.limiter->start = 200;
    makeClient(options);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(client->send(refund(server), [&](const ClientOutcome& ended) { all.push_back(ended); }));
    ASSERT_TRUE(eventually([&] {
        if (client->activity().calls > 0 && client->activity().onTheirWay == 0)
            (void)alarm.ringNext();
        return all.size() == 100;
    }));
    std::set<std::string> known;
    for (const auto& ended : all) {
        EXPECT_EQ(ended.decision.verdict, Verdict::Done) << ended.decision.reason;
        known.insert(ended.key);
    }
    EXPECT_THAT(known, SizeIs(100));
    EXPECT_THAT(server.requests(), SizeIs(101));
    EXPECT_THAT(*journal->unsettled(), IsEmpty());
}

} // namespace
} // namespace fencepost::http
