// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/store/inbox.h"
#include "core/store/schema.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;

class InboxTest : public ::testing::TestWithParam<Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << opened.error().message;
        connection = std::move(*opened);
        ASSERT_TRUE(initSchema(*connection, false));
        inbox.emplace(*connection, &clock);
    }

    Reception receive(const Delivery& delivery, const Owner& owner)
    {
        const auto received = inbox->receive(delivery, owner, 30s, 3);
        EXPECT_TRUE(received) << received.error().message << " " << received.error().detail;
        return received ? *received : Reception::Conflict;
    }

    bool settle(const Delivery& delivery, const Owner& owner)
    {
        const auto settled = inbox->settle(delivery, owner, "ok");
        EXPECT_TRUE(settled) << settled.error().message;
        return settled && *settled;
    }

    bool fail(const Delivery& delivery, const Owner& owner)
    {
        const auto failed = inbox->fail(delivery, owner, 10s, 3);
        EXPECT_TRUE(failed) << failed.error().message;
        return failed && *failed;
    }

    std::string row(const std::string& column)
    {
        auto statement = connection->prepare("SELECT CAST(" + column + " AS TEXT) FROM inbox_messages");
        EXPECT_TRUE(statement);
        EXPECT_TRUE((*statement)->run());
        EXPECT_TRUE((*statement)->next());
        auto text = (*statement)->text(0);
        (*statement)->finish();
        return text;
    }

    test::TempDatabase database{ GetParam() };
    std::unique_ptr<Connection> connection;
    ManualClock clock{ *parseInstant("2026-11-20T12:00:00Z") };
    std::optional<Inbox> inbox;
    const Delivery event{ "ledger", "stripe", "evt_1", sha256("{}"), "commission:1", "req_1" };
    const Owner first{ "11111111-1111-4111-8111-111111111111" };
    const Owner second{ "22222222-2222-4222-8222-222222222222" };
};

INSTANTIATE_TEST_SUITE_P(Backends, InboxTest, test::bothDialects(), test::nameOfDialect);

TEST_P(InboxTest, AnEventIsHandledOnce)
{
    EXPECT_EQ(receive(event, first), Reception::Process);
    EXPECT_EQ(receive(event, second), Reception::Busy);
    EXPECT_TRUE(settle(event, first));
    EXPECT_EQ(receive(event, second), Reception::Done);
    EXPECT_EQ(row("status"), "PROCESSED");
    EXPECT_EQ(row("receive_count"), "3");
    EXPECT_EQ(row("attempt"), "1");
}

TEST_P(InboxTest, ARecordedDeliveryIsHandledLater)
{
    ASSERT_TRUE(inbox->accept(event));
    ASSERT_TRUE(inbox->accept(event));
    EXPECT_EQ(row("status"), "RECEIVED");
    EXPECT_EQ(receive(event, first), Reception::Process);
    ASSERT_TRUE(inbox->accept(event));
    EXPECT_EQ(row("status"), "PROCESSING");
}

TEST_P(InboxTest, EachConsumerHandlesItForItself)
{
    auto other = event;
    other.consumer = "analytics";
    EXPECT_EQ(receive(event, first), Reception::Process);
    EXPECT_EQ(receive(other, second), Reception::Process);
}

TEST_P(InboxTest, AnotherPayloadUnderTheSameIdIsAConflict)
{
    auto other = event;
    other.payloadHash = sha256("{\"amount\":1}");
    EXPECT_EQ(receive(event, first), Reception::Process);
    EXPECT_EQ(receive(other, second), Reception::Conflict);
    clock.advance(1min);
    EXPECT_EQ(receive(other, second), Reception::Conflict);
    EXPECT_EQ(row("receive_count"), "1");
}

TEST_P(InboxTest, AnEndedLeaseIsTakenOverAndTheFirstHandlerIsRefused)
{
    EXPECT_EQ(receive(event, first), Reception::Process);
    clock.advance(30s - 1us);
    EXPECT_EQ(receive(event, second), Reception::Busy);
    clock.advance(1us);
    EXPECT_EQ(receive(event, second), Reception::Process);
    EXPECT_FALSE(settle(event, first));
    EXPECT_FALSE(fail(event, first));
    EXPECT_TRUE(settle(event, second));
}

TEST_P(InboxTest, AFailureWaitsAndTheLastOneIsDead)
{
    for (int attempt = 1; attempt <= 3; ++attempt) {
        EXPECT_EQ(receive(event, first), Reception::Process) << attempt;
        EXPECT_TRUE(fail(event, first));
        EXPECT_EQ(row("status"), attempt < 3 ? "FAILED" : "DEAD");
        EXPECT_EQ(receive(event, second), attempt < 3 ? Reception::Busy : Reception::Done);
        clock.advance(10s);
    }
    EXPECT_EQ(receive(event, second), Reception::Done);
}
