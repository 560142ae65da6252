// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"

namespace fencepost::test {
namespace {

using namespace fencepost::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Messages as an operator sees them, and the relay that sends them.
class MessagesTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(ctl("schema init").code, 0);
        connection = std::move(*database.connect());
    }

    void add(const std::string& id, const std::string& destination, std::optional<std::string> key = {})
    {
        OutboxEvent event;
        event.eventId = id;
        event.destination = destination;
        event.source = "/shop";
        event.type = "refund.succeeded";
        event.orderingKey = std::move(key);
        event.payload = R"({"id":")" + id + "\"}";
        event.correlationId = "req-1";
        const auto added = store::Outbox(*connection, {}).add(event);
        ASSERT_TRUE(added) << added.error().message << added.error().detail;
    }

    // Its handler gives it up at once.
    void bury(const std::string& id, const std::string& error)
    {
        Delivery delivery;
        delivery.id = { "ledger", "shop", id };
        delivery.payloadHash = sha256(id);
        delivery.payload = id;
        delivery.type = "refund.succeeded";
        store::Inbox inbox(*connection, {});
        const Owner owner{ "00000000-0000-4000-8000-000000000001" };
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        ASSERT_TRUE(inbox.fail(delivery, owner, { "exit_1", error, false, {} }, 5));
    }

    CtlRun relay(const QStringList& more = {})
    {
        QProcess process;
        start(process,
            withDatabase(
                QStringList{ QStringLiteral("relay"), QStringLiteral("run"), QStringLiteral("--once") } + more));
        return servedRunOf(process);
    }

    std::map<std::string, int> counts(const char* words)
    {
        std::map<std::string, int> all;
        for (const auto& line : ctl(words).lines())
            if (const int count = line["count"].get<int>(); count > 0)
                all[line["state"]] = count;
        return all;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, MessagesTest, bothDialects(), nameOfDialect);

TEST_P(MessagesTest, TheRelaySendsWhatIsDueAndSaysWhatBecameOfIt)
{
    ScriptedServer good({ answers(200) });
    ScriptedServer gone({ answers(410) });
    ScriptedServer bad({ answers(500) });
    add("a", good.url(), "key");
    add("b", good.url(), "key");
    add("c", gone.url());
    add("d", bad.url());
    const auto run = relay();
    EXPECT_EQ(run.code, 1) << run.err;
    const auto lines = run.lines();
    ASSERT_FALSE(lines.empty());
    std::map<std::string, std::string> outcomes;
    for (const auto& line : lines)
        if (line.contains("event_id"))
            outcomes[line["event_id"]] = line["outcome"];
    EXPECT_EQ(outcomes,
        (std::map<std::string, std::string>{ { "a", "sent" }, { "b", "sent" }, { "c", "dead" }, { "d", "failed" } }));
    EXPECT_EQ(lines.back()["sent"], 2);
    EXPECT_EQ(lines.back()["failed"], 1);
    EXPECT_EQ(lines.back()["dead"], 1);
    EXPECT_EQ(lines.back()["disabled"], 1);
    EXPECT_THAT(good.lines("ce-id"), ElementsAre("a", "b"));
    EXPECT_EQ(counts("outbox count"), (std::map<std::string, int>{ { "SENT", 2 }, { "DEAD", 1 }, { "PENDING", 1 } }));

    const auto disabled = ctl("relay disabled").lines();
    ASSERT_EQ(disabled.size(), 1U);
    EXPECT_EQ(disabled[0]["destination"], gone.url());
    const auto name = QString::fromStdString(gone.url());
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("relay"), QStringLiteral("enable"), name }).code, 0);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("relay"), QStringLiteral("enable"), name }).code, 3);
    EXPECT_EQ(relay().lines().back()["sent"], 0) << "nothing is due";
}

TEST_P(MessagesTest, OneAddressForAllAndSecretsThatStayOutOfSight)
{
    ScriptedServer server({ answers(200) });
    add("a", "http://127.0.0.1:9/unreachable");
    EXPECT_EQ(relay({ QStringLiteral("--to"), QString::fromStdString(server.url("/all")) }).code, 0);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].target, "/all");
    EXPECT_EQ(relay({ QStringLiteral("--to"), QStringLiteral("ftp://x") }).code, 2);
    EXPECT_EQ(relay({ QStringLiteral("--schedule"), QStringLiteral("never") }).code, 2);
    EXPECT_EQ(relay({ QStringLiteral("--lease"), QStringLiteral("1s") }).code, 2);
    qputenv("FENCEPOST_WEBHOOK_SECRET", "whsec_dG9vc2hvcnQ=");
    const auto refused = relay();
    qunsetenv("FENCEPOST_WEBHOOK_SECRET");
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err.find("dG9vc2hvcnQ"), std::string::npos);
}

TEST_P(MessagesTest, AreListedCountedAndShown)
{
    add("evt-1", "http://127.0.0.1:9/hooks", "order-7");
    bury("dead-1", "no account 17");
    bury("dead-2", "no account 99");
    bury("dead-3", "timeout");

    const auto rows = ctl("outbox list --filter order_key=order-7").lines();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0]["key"], "evt-1");
    EXPECT_EQ(rows[0]["state"], "PENDING");
    EXPECT_EQ(rows[0]["queue"], "http://127.0.0.1:9/hooks");
    const auto seq = QString::fromStdString(rows[0]["identity"][0].get<std::string>());
    for (const auto& id : { seq, QStringLiteral("evt-1") }) {
        const auto shown = ctl(QStringList{ QStringLiteral("outbox"), QStringLiteral("show"), id });
        EXPECT_EQ(shown.code, 0) << shown.err;
        EXPECT_EQ(shown.json()["correlation_id"], "req-1");
        EXPECT_THAT(shown.json()["payloads"].dump(), HasSubstr("evt-1"));
    }
    EXPECT_EQ(ctl("outbox show 999").code, 1);
    EXPECT_EQ(ctl("outbox list --filter correlation=req-1").lines().size(), 1U);

    EXPECT_EQ(counts("inbox count"), (std::map<std::string, int>{ { "DEAD", 3 } }));
    EXPECT_EQ(counts("dlq count"), (std::map<std::string, int>{ { "DEAD", 3 } }));
    EXPECT_EQ(ctl("inbox show ledger shop dead-1").json()["state"], "DEAD");
    const auto groups = ctl("dlq groups").lines();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0]["pattern"], "no account <n>");
    EXPECT_EQ(groups[0]["dead"], 2);
    EXPECT_EQ(groups[0]["last_hour"], 2);
    const auto filter = QString::fromStdString("group = " + groups[0]["group"].get<std::string>());
    const auto alike =
        ctl(QStringList{ QStringLiteral("dlq"), QStringLiteral("list"), QStringLiteral("--filter"), filter }).lines();
    ASSERT_EQ(alike.size(), 2U);
    EXPECT_THAT(alike[0]["error"].get<std::string>(), HasSubstr("no account"));
    EXPECT_EQ(ctl("dlq list --filter state=DEAD --limit 1").lines().size(), 1U);
    EXPECT_EQ(ctl("dlq show dead-3").json()["extra"]["died_as"], "inbox");
}

} // namespace
} // namespace fencepost::test
