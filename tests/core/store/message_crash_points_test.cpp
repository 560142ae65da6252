// SPDX-License-Identifier: GPL-3.0-or-later
// p13 to p16 of protocol §3.12: what relays and consumers leave behind that are killed with SIGKILL. Oracle: every
// event arrives, under one id, and has its effect once.
#include <thread>

#include <QCoreApplication>
#include <QProcess>

#include "tests/core/store/message_fixture.h"
#include "tests/support/signal_process.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

class MessageCrashPoints : public MessageTest {
protected:
    void SetUp() override
    {
        MessageTest::SetUp();
        // The processes live by the clock of their databases.
        messages = openMessages(false);
    }

    // Runs the verb until it says how far it came, and kills it there.
    std::string killAt(const QString& verb)
    {
        QProcess child;
        child.start(QCoreApplication::applicationDirPath() + QStringLiteral("/store_child"),
            { verb, QString::fromStdString(database.url()) });
        EXPECT_TRUE(child.waitForStarted(60'000));
        while (!child.canReadLine() && child.waitForReadyRead(60'000)) { }
        const auto word = child.readLine().trimmed().toStdString();
        EXPECT_TRUE(::fencepost::testing::signalProcess(child, SIGKILL)) << word;
        EXPECT_TRUE(child.waitForFinished(60'000));
        EXPECT_EQ(child.exitStatus(), QProcess::CrashExit);
        return word;
    }

    // What another relay gets, once the dead one's lease is over.
    std::vector<OutboxMessage> claimedLater()
    {
        for (int i = 0; i < 200; ++i) {
            auto claimed = value(outbox().claim(wish(7)));
            if (!claimed.empty())
                return claimed;
            std::this_thread::sleep_for(50ms);
        }
        return {};
    }
    Reception receivedLater(const Delivery& what)
    {
        auto reception = Reception::Busy;
        for (int i = 0; i < 200 && reception == Reception::Busy; ++i) {
            reception = value(inbox().receive(what, { ownerOf(7), 30s, 5 })).reception;
            if (reception == Reception::Busy)
                std::this_thread::sleep_for(50ms);
        }
        return reception;
    }
    static Delivery refund()
    {
        Delivery made;
        made.id = { "ledger", "lab", "evt_1" };
        made.payload = "{}";
        made.payloadHash = sha256(*made.payload);
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, MessageCrashPoints, bothDialects(), nameOfDialect);

TEST_P(MessageCrashPoints, P13ARelayDiesBetweenItsClaimAndTheSending)
{
    const auto seq = add(event("evt_1", "rf_1"));
    add(event("evt_2", "rf_1"));
    EXPECT_EQ(killAt(QStringLiteral("claim")), "claimed 1");
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Sending);
    const auto claimed = claimedLater();
    ASSERT_EQ(claimed.size(), 1U) << "the one behind it still waits";
    EXPECT_EQ(claimed[0].event.eventId, "evt_1");
    EXPECT_EQ(claimed[0].attempt, 2);
    ASSERT_EQ(claimed[0].attempts.size(), 1U);
    EXPECT_EQ(claimed[0].attempts[0].code, "lease_expired");
    EXPECT_EQ(sent({ seq }, 7), std::vector<std::int64_t>{ seq });
    EXPECT_EQ(claim(8), "evt_2");
}

TEST_P(MessageCrashPoints, P14ARelayDiesBetweenTheSendingAndItsMark)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE target (event_id TEXT)"));
    const auto seq = add(event("evt_1"));
    EXPECT_EQ(killAt(QStringLiteral("send")), "sent 1");
    EXPECT_EQ(count("target"), 1);
    const auto claimed = claimedLater();
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].event.eventId, "evt_1") << "it is sent again under the id by which its consumer knows it";
    sent({ seq }, 7);
    // The consumer got it twice.
    EXPECT_EQ(receivedLater(refund()), Reception::Process);
    EXPECT_EQ(value(inbox().settle(refund().id, ownerOf(7), "ok")), InboxSettlement::Applied);
    EXPECT_EQ(receivedLater(refund()), Reception::Done);
}

TEST_P(MessageCrashPoints, P15AConsumerDiesBetweenItsInboxAndItsHandler)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE ledger (event_id TEXT)"));
    EXPECT_EQ(killAt(QStringLiteral("receive")), "process");
    EXPECT_EQ(value(inbox().find(refund().id))->state, InboxState::Processing);
    EXPECT_EQ(receivedLater(refund()), Reception::Process) << "the redelivery carries it out";
    EXPECT_EQ(value(inbox().settle(refund().id, ownerOf(7), "ok",
                  [&] { return messages.connection->execute("INSERT INTO ledger VALUES ('evt_1')"); })),
        InboxSettlement::Applied);
    EXPECT_EQ(count("ledger"), 1);
    EXPECT_EQ(value(inbox().find(refund().id))->attempt, 2);
}

TEST_P(MessageCrashPoints, P16AConsumerDiesBetweenItsCommitAndTheAcknowledgement)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE ledger (event_id TEXT)"));
    EXPECT_EQ(killAt(QStringLiteral("handle")), "handled");
    EXPECT_EQ(count("ledger"), 1);
    EXPECT_EQ(receivedLater(refund()), Reception::Done) << "the redelivery is acknowledged without an effect";
    EXPECT_EQ(count("ledger"), 1);
    EXPECT_EQ(value(inbox().find(refund().id))->attempt, 1);
}
