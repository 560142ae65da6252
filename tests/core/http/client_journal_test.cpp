// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <set>

#include <QFile>
#include <QProcess>

#include "tests/core/http/client_fixture.h"
#include "tests/support/signal_process.h"

namespace fencepost::http {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClientJournalTest : public ClientTest {
protected:
    [[nodiscard]] CallEntry entry(const std::string& key, const std::string& body = "{}") const
    {
        CallEntry made;
        made.operation = "refund.create";
        made.key = key;
        made.method = "POST";
        made.url = "http://127.0.0.1/refunds";
        made.headers = { { "Content-Type", "application/json" }, { "X-Odd", "\xff" } };
        made.body = body;
        made.bodyDigest = sha256(body);
        made.preset = "playbook";
        made.createdAt = made.updatedAt = wall.now();
        return made;
    }

    std::vector<CallEntry> unsettled()
    {
        auto entries = journal->unsettled();
        EXPECT_TRUE(entries) << entries.error().detail;
        return entries ? *entries : std::vector<CallEntry>();
    }

    std::unique_ptr<QProcess> startChild(const char* when, const ScriptedServer& server)
    {
        auto child = std::make_unique<QProcess>();
        child->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child->start(QCoreApplication::applicationDirPath() + QLatin1String("/client_child"),
            { QString::fromLatin1(when), QString::fromStdString(server.url()), QString::fromStdString(journalPath()) });
        return child;
    }

    static bool ends(QProcess& child)
    {
        return eventually([&] { return child.state() == QProcess::NotRunning; });
    }
};

TEST_F(ClientJournalTest, KeepsEntriesAsTheyAre)
{
    ASSERT_EQ(*journal->open(entry("a", std::string("\0\xff", 2))), std::nullopt);
    auto bodiless = entry("b");
    bodiless.body.reset();
    ASSERT_EQ(*journal->open(bodiless), std::nullopt);
    ASSERT_EQ(*journal->open(entry("c", "")), std::nullopt);
    EXPECT_THAT(unsettled(), ElementsAre(entry("a", std::string("\0\xff", 2)), bodiless, entry("c", "")));
    EXPECT_EQ(*journal->find("payment.create", "a"), std::nullopt);
}

TEST_F(ClientJournalTest, IsItsOwnersAlone)
{
    EXPECT_EQ(QFile::permissions(QString::fromStdString(journalPath()))
            & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
        QFile::Permissions());
}

TEST_F(ClientJournalTest, TellsTheSameRequestFromAnotherOne)
{
    ASSERT_TRUE(journal->open(entry("a")));
    ASSERT_TRUE(journal->update({ "refund.create", "a", CallState::Confirmed, 2, 201, "it succeeded", wall.now() }));
    EXPECT_EQ((**journal->find("refund.create", "a")).body, std::nullopt);

    const auto other = journal->open(entry("a", "[]"));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().failure, Failure::Conflict);
    EXPECT_EQ(other.error().code, "CONFLICT.idempotency.payload_mismatch");
    EXPECT_EQ((**journal->find("refund.create", "a")).state, CallState::Confirmed);

    wall.advance(1h);
    const auto again = journal->open(entry("a"));
    ASSERT_TRUE(again && *again);
    EXPECT_EQ((*again)->attempts, 2);
    const auto open = unsettled();
    ASSERT_THAT(open, SizeIs(1));
    EXPECT_EQ(open[0].body, "{}");
    EXPECT_EQ(open[0].status, 201);
    EXPECT_EQ(open[0].createdAt + 1h, open[0].updatedAt);
}

TEST_F(ClientJournalTest, ForgetsOnlyWhatIsConfirmed)
{
    for (const auto& [key, state] :
        { std::pair{ "a", CallState::Confirmed }, { "b", CallState::Unknown }, { "c", CallState::Open } }) {
        ASSERT_TRUE(journal->open(entry(key)));
        ASSERT_TRUE(journal->update({ "refund.create", key, state, 1, {}, "words", wall.now() }));
    }
    EXPECT_EQ(*journal->forgetConfirmed(wall.now()), 0);
    EXPECT_EQ(*journal->forgetConfirmed(wall.now() + 1us), 1);
    EXPECT_THAT(unsettled(), SizeIs(2));
    EXPECT_EQ(journal->update({ "refund.create", "a", CallState::Open }).error().failure, Failure::NotFound);
}

TEST_F(ClientJournalTest, TwoProcessesShareIt)
{
    auto other = store::ClientJournalFile::open(journalPath());
    ASSERT_TRUE(other);
    ASSERT_EQ(*journal->open(entry("a")), std::nullopt);
    EXPECT_NE(*(*other)->open(entry("a")), std::nullopt);
}

TEST_F(ClientJournalTest, NothingIsSentThatCouldNotBeWritten)
{
    class Full final : public ClientJournal {
        Result<std::optional<CallEntry>> open(const CallEntry&) override { return full(); }
        Status update(const CallProgress&) override { return full(); }
        Result<std::optional<CallEntry>> find(const std::string&, const std::string&) override { return full(); }
        Result<std::vector<CallEntry>> unsettled() override { return full(); }
        Result<std::int64_t> forgetConfirmed(Time) override { return full(); }
        static Error full() { return { Failure::Full, "The disk is full", {} }; }
    } full;
    ScriptedServer server({ answers(201) });
    Client subject({ steady, wall, random, keys, alarm, &full });
    const auto sent = subject.send(refund(server), {});
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().failure, Failure::Full);
    EXPECT_EQ(subject.activity().calls, 0U);
    EXPECT_EQ(server.connections(), 0U);
    EXPECT_EQ(subject.resume({}).error().failure, Failure::Full);
}

TEST_F(ClientJournalTest, AKeyIsOfOneRequestAndOnItsWayOnce)
{
    ScriptedServer server({ answers(503), answers(201) });
    auto request = refund(server);
    request.key = "k1";
    ASSERT_TRUE(send(request));
    const auto twice = client->send(request, {});
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().code, "idempotency.in_progress");
    EXPECT_EQ(finish().decision.verdict, Verdict::Done);

    request.body = R"({"amount":1000})";
    const auto changed = client->send(request, {});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, "CONFLICT.idempotency.payload_mismatch");
    EXPECT_THAT(server.requests(), SizeIs(2));

    request.body = refund(server).body;
    EXPECT_EQ(carryOut(request).decision.verdict, Verdict::Done);
    EXPECT_THAT(server.lines("Idempotency-Attempt"), ElementsAre("1", "2", "3"));
}

TEST_F(ClientJournalTest, AProcessThatDiesBeforeItsKeyIsWrittenHasSentNothing)
{
    ScriptedServer server({ answers(201) });
    const auto child = startChild("before-write", server);
    ASSERT_TRUE(ends(*child));
    EXPECT_EQ(child->exitStatus(), QProcess::CrashExit);
    EXPECT_TRUE(isUuid(child->readAllStandardOutput().trimmed().toStdString()));
    EXPECT_THAT(unsettled(), IsEmpty());
    EXPECT_EQ(server.connections(), 0U);
}

TEST_F(ClientJournalTest, AProcessThatDiesAfterItsKeyIsWrittenLeavesItToTheNext)
{
    ScriptedServer server({ answers(201) });
    const auto child = startChild("after-write", server);
    ASSERT_TRUE(ends(*child));
    EXPECT_EQ(child->exitStatus(), QProcess::CrashExit);
    const auto key = child->readAllStandardOutput().trimmed().toStdString();
    EXPECT_EQ(server.connections(), 0U);

    const auto resumed = client->resume([this](const ClientOutcome& ended) { outcome = ended; });
    ASSERT_TRUE(resumed);
    ASSERT_THAT(resumed->sent, SizeIs(1));
    EXPECT_EQ(resumed->sent[0].key, key);
    EXPECT_EQ(finish().decision.verdict, Verdict::Done);
    EXPECT_THAT(server.lines("Idempotency-Key"), ElementsAre(key));
    EXPECT_THAT(unsettled(), IsEmpty());
}

// Killed once an attempt is on its way, and once it waits for the next one.
TEST_F(ClientJournalTest, AProcessThatIsKilledBetweenAttemptsIsContinuedUnderItsKey)
{
    for (const auto& act : { staysSilent(), answers(503, { { "Retry-After", "5" } }) }) {
        ScriptedServer server({ act, act, answers(201, {}, "done") });
        const auto child = startChild("never", server);
        ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
        ASSERT_TRUE(testing::signalProcess(*child, SIGKILL)) << child->readAllStandardError().toStdString();
        ASSERT_TRUE(ends(*child));
        const auto key = child->readAllStandardOutput().trimmed().toStdString();

        // And again, so that the second process is no special case.
        const auto second = startChild("never", server);
        ASSERT_TRUE(eventually([&] { return server.requests().size() == 2; }));
        ASSERT_TRUE(testing::signalProcess(*second, SIGKILL)) << second->readAllStandardError().toStdString();
        ASSERT_TRUE(ends(*second));
        const auto other = second->readAllStandardOutput().trimmed().toStdString();

        std::vector<ClientOutcome> all;
        const auto resumed = client->resume([&](const ClientOutcome& ended) { all.push_back(ended); });
        ASSERT_TRUE(resumed);
        EXPECT_THAT(resumed->sent, SizeIs(2));
        ASSERT_TRUE(eventually([&] { return all.size() == 2; }));
        for (const auto& ended : all)
            EXPECT_EQ(ended.decision.verdict, Verdict::Done);
        auto keysSeen = server.lines("Idempotency-Key");
        EXPECT_EQ(std::vector(keysSeen.begin(), keysSeen.begin() + 2), (std::vector{ key, other }));
        EXPECT_EQ(std::set(keysSeen.begin() + 2, keysSeen.end()), (std::set{ key, other }));
        EXPECT_THAT(unsettled(), IsEmpty());
    }
}

TEST_F(ClientJournalTest, WhatWasLeftBehindIsInDoubtUntilItIsAnswered)
{
    ScriptedServer server({ answers(201) });
    auto request = refund(server);
    request.key = "k1";
    auto left = entry("k1", request.body);
    left.url = request.url;
    ASSERT_TRUE(journal->open(left));
    server.stopListening();
    ASSERT_TRUE(client->resume([this](const ClientOutcome& ended) { outcome = ended; }));
    const auto ended = finish();
    // No attempt of this process was sent, but one of the process before may have been.
    EXPECT_EQ(ended.decision.verdict, Verdict::Unknown);
    EXPECT_EQ(unsettled()[0].state, CallState::Unknown);

    const auto open = client->resume({});
    ASSERT_TRUE(open);
    EXPECT_THAT(open->sent, IsEmpty());
    const auto all = client->resume([this](const ClientOutcome&) {}, Client::Which::OpenAndUnknown);
    ASSERT_TRUE(all);
    EXPECT_THAT(all->sent, SizeIs(1));
}

TEST_F(ClientJournalTest, KeysThatServersMayHaveForgottenAreNotSentAgain)
{
    ScriptedServer server({ answers(201) });
    auto left = entry("k1");
    left.url = server.url();
    ASSERT_TRUE(journal->open(left));
    wall.advance(24h);
    const auto resumed = client->resume({});
    ASSERT_TRUE(resumed);
    EXPECT_THAT(resumed->sent, IsEmpty());
    EXPECT_THAT(resumed->tooOld, ElementsAre(left));
    EXPECT_EQ(unsettled()[0].state, CallState::Unknown);
    EXPECT_EQ(server.connections(), 0U);
}

TEST_F(ClientJournalTest, ALongBodyIsNotKeptAndItsRequestIsSentByWhoHasIt)
{
    ScriptedServer server({ staysSilent(), answers(201) });
    ClientOptions options;
    options.longestKept = 100;
    makeClient(options);
    auto request = refund(server);
    request.body = std::string(101, 'x');
    const auto sent = send(request);
    ASSERT_TRUE(sent);
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 1; }));
    makeClient(options); // the one before is cut off

    const auto resumed = client->resume({});
    ASSERT_TRUE(resumed);
    ASSERT_THAT(resumed->bodiless, SizeIs(1));
    EXPECT_EQ(resumed->bodiless[0].bodyDigest, sha256(request.body));
    request.key = resumed->bodiless[0].key;
    EXPECT_EQ(carryOut(request).decision.verdict, Verdict::Done);
    EXPECT_THAT(server.lines("Idempotency-Key"), Each(sent->key));
}

} // namespace
} // namespace fencepost::http
