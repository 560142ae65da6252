// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "app/lab/books.h"
#include "app/lab/webhook_sender.h"
#include "core/clock.h"
#include "tests/support/dialects.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

namespace fencepost::app {
namespace {

using namespace std::chrono_literals;

class WebhookSenderTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened);
        connection = std::move(*opened);
        books.emplace(*connection);
        ASSERT_TRUE(books->install());
    }

    std::unique_ptr<WebhookSender> start(const std::string& url, Duration pause)
    {
        auto policy = *retry::presetOf("vendor");
        policy.backoff = {
            .growth = retry::Growth::Exponential, .jitter = retry::Jitter::None, .base = pause, .cap = pause
        };
        auto sender = WebhookSender::start(
            { database.target(), { .access = store::Access::ReadWrite }, url, faults, metrics, policy });
        EXPECT_TRUE(sender);
        return sender ? std::move(*sender) : nullptr;
    }

    test::TempDatabase database{ GetParam() };
    std::unique_ptr<store::Connection> connection;
    std::optional<Books> books;
    Faults faults{ 1 };
    telemetry::Metrics metrics;
};

INSTANTIATE_TEST_SUITE_P(Backends, WebhookSenderTest, test::bothDialects(), test::nameOfDialect);

TEST_P(WebhookSenderTest, GivesUpAnEndpointThatNeverAnswers)
{
    testing::ScriptedServer receiver({ testing::closes() });
    ASSERT_TRUE(books->add({ "evt_1", "refund.succeeded", "{}" }, SystemClock().now()));
    EXPECT_EQ(books->webhookBacklog()->events, 1);
    const auto sender = start(receiver.url("/hooks"), 10ms);
    ASSERT_TRUE(sender);
    ASSERT_TRUE(testing::eventually([&] { return books->webhookBacklog()->events == 0; }));
    EXPECT_EQ(receiver.requests().size(), 5U) << "the vendor's schedule, once";
    EXPECT_EQ(books->webhookBacklog()->oldest, std::nullopt);
    for (const auto& id : receiver.lines("webhook-id"))
        EXPECT_EQ(id, "evt_1");
    EXPECT_NE(metrics.text().find("retry_delay_ms_count"), std::string::npos) << metrics.text();
}

// An endpoint that is down for all of them opens the breaker, which is no reason to give up any of them.
TEST_P(WebhookSenderTest, GivesUpOnlyWhatWasAskedForOftenEnough)
{
    constexpr int events = 30;
    std::vector<testing::ScriptedServer::Act> script(20, testing::answers(503));
    script.push_back(testing::answers(204));
    testing::ScriptedServer receiver(std::move(script));
    for (int i = 0; i < events; ++i)
        ASSERT_TRUE(books->add({ "evt_" + std::to_string(i), "refund.succeeded", "{}" }, SystemClock().now()));
    const auto sender = start(receiver.url("/hooks"), 10ms);
    ASSERT_TRUE(sender);
    ASSERT_TRUE(testing::eventually([&] { return books->webhookBacklog()->events == 0; }));
    auto statement = connection->prepare("SELECT event_id FROM webhooks WHERE given_up_at IS NOT NULL");
    ASSERT_TRUE(statement && (*statement)->run());
    const auto asked = receiver.lines("webhook-id");
    while ((*statement)->next())
        EXPECT_GE(std::count(asked.begin(), asked.end(), (*statement)->text(0)), 5) << (*statement)->text(0);
    (*statement)->finish();
}

TEST_P(WebhookSenderTest, SaysOfEachAttemptWhenItWasMade)
{
    testing::ScriptedServer receiver({ testing::answers(500), testing::answers(204) });
    ASSERT_TRUE(books->add({ "evt_1", "refund.succeeded", "{}" }, SystemClock().now()));
    const auto sender = start(receiver.url("/hooks"), 1100ms);
    ASSERT_TRUE(sender);
    ASSERT_TRUE(testing::eventually([&] { return receiver.requests().size() == 2; }));
    const auto stamps = receiver.lines("webhook-timestamp");
    EXPECT_LT(std::stoll(stamps.at(0)), std::stoll(stamps.at(1)));
}

} // namespace
} // namespace fencepost::app
