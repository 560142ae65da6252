// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include "core/ids.h"
#include "core/operations/operation.h"
#include "core/protocol/fingerprint.h"
#include "tests/ui/console_fixture.h"
#include "ui/pages/conflicts_page.h"
#include "ui/pages/invariants_page.h"
#include "ui/widgets/conflict_explainer.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

class ConflictsPageTest : public ConsoleFixture {
protected:
    // A request of which the body is kept; another one under its key is refused.
    void request(const std::string& key, const std::string& body, const std::string& principal)
    {
        const auto print = fingerprint({ "POST", "/v1/refunds", "", { { "Content-Type", "application/json" } }, body });
        ASSERT_TRUE(print);
        Reservation wish;
        wish.id = { "payments", "refund.create", key };
        wish.requestHash = print->requestHash;
        wish.owner = { uuid4(random) };
        wish.lease = Seconds(60);
        wish.ttl = std::chrono::hours(24);
        wish.requestMethod = "POST";
        wish.requestTarget = "/v1/refunds";
        wish.requestBody = body;
        wish.principal = principal;
        ASSERT_TRUE(workers->store().reserve(wish));
    }

    template <typename Shown> void open(Shown& page)
    {
        page.resize(1200, 760);
        static_cast<QWidget&>(page).show();
        page.activate();
        page.setLive(false);
        ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    }
};

TEST_F(ConflictsPageTest, TheClientThatReusesKeysIsFoundAndItsRequestExplained)
{
    request("k1", R"({"amount":1000,"password":"opensesame"})", "tenant_1");
    request("k2", R"({"amount":1})", "tenant_1");
    for (int i = 0; i < 3; ++i)
        request("k1", R"({"amount":2000,"password":"opensesame"})", "tenant_9");
    request("k2", R"({"amount":2})", "tenant_9");
    request("k2", R"({"amount":3})", "tenant_2");
    connectSession();
    ConflictsPage page(*context);
    QAbstractItemModelTester tester(page.model(), fatal);
    open(page);
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() == 3; }));
    EXPECT_TRUE(eventually([&] {
        return page.summary()
            == QStringLiteral(
                "5 refused arrivals under 3 keys of 2 clients · 0 in the 2d before · most keys are reused by tenant_9");
    })) << page.summary().toStdString();
    EXPECT_EQ(page.clients().cell(0, 0), QStringLiteral("tenant_9"));
    EXPECT_EQ(page.clients().cell(0, 1), QStringLiteral("2"));
    EXPECT_EQ(page.clients().cell(0, 2), QStringLiteral("4"));
    Q_EMIT page.clients().cellClicked(1, 0);
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() == 1; }));
    EXPECT_EQ(page.model()->rowAt(0).conflict.principal, "tenant_2");
    Q_EMIT page.clients().cellClicked(1, 0);
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() == 3; }));

    int row = 0;
    while (page.model()->rowAt(row).conflict.id.key != "k1")
        ++row;
    auto& view = page.grid().view();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(view.model()->index(row, 0)).center());
    auto& explainer = page.explainer();
    const auto compare = [&](const char* body) {
        explainer.payload().setPlainText(QString::fromUtf8(body));
        QTest::mouseClick(&explainer.compareButton(), Qt::LeftButton);
        ASSERT_TRUE(eventually([&] { return !explainer.isLoading(); }));
    };
    compare(R"({ "password": "opensesame", "amount": 1e3 })");
    EXPECT_TRUE(explainer.verdict().startsWith(QStringLiteral("This is the request that the record is of.")))
        << explainer.verdict().toStdString();
    EXPECT_TRUE(explainer.differences().cell(0, 0).startsWith(QStringLiteral("benign")));
    compare(R"({"amount":2000,"password":"other"})");
    EXPECT_TRUE(explainer.verdict().contains(QStringLiteral("neither"))) << explainer.verdict().toStdString();
    QString shown;
    for (int i = 0; i < explainer.differences().rowCount(); ++i)
        for (int column = 0; column < 4; ++column)
            shown += explainer.differences().cell(i, column) + u'\n';
    EXPECT_TRUE(shown.contains(QStringLiteral("/amount")));
    EXPECT_TRUE(shown.contains(QStringLiteral("/password")));
    EXPECT_FALSE(shown.contains(QStringLiteral("opensesame"))) << "what is secret stays so";
    compare(R"({"amount":2000,"password":"opensesame"})");
    EXPECT_TRUE(explainer.verdict().contains(QStringLiteral("refused 3 times"))) << explainer.verdict().toStdString();
    compare("{\"amount\":");
    EXPECT_FALSE(explainer.verdict().isEmpty());

    Q_EMIT page.grid().rowActivated(row);
    EXPECT_EQ(navigation.dossier, (std::vector<std::string>{ "payments", "refund.create", "k1" }));
}

TEST_F(ConflictsPageTest, AnEventThatTheInboxRefusedIsExplainedByTheHashOfItsPayload)
{
    const auto opened = database.connect();
    ASSERT_TRUE(opened);
    const auto hash = [](const char* payload) { return "x'" + toHex(payloadDigest(payload)) + "'"; };
    const auto instant = std::to_string(microsOf(then.now()));
    ASSERT_TRUE((*opened)->execute(
        "INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at) VALUES ('mail', "
        "'shop', 'e1', "
        + hash(R"({"a":1})") + ", 'RECEIVED', " + instant + ")"));
    ASSERT_TRUE((*opened)->execute(
        "INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
        "reason, "
        "fingerprint, pattern, attempts, headers, payload_hash, first_at, dead_at) VALUES ('l1', 'conflict', 'mail', "
        "'shop', 'e1', 'd', 't', 'DEAD', 2, 'c', 'r', 'f', 'p', '[]', '[]', "
        + hash(R"({"a":2})") + ", " + instant + ", " + instant + ")"));
    connectSession();
    ConflictsPage page(*context);
    open(page);
    page.show(QStringLiteral("inbox_messages"), {});
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() == 1; }));
    auto& view = page.grid().view();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(view.model()->index(0, 0)).center());
    auto& explainer = page.explainer();
    const auto compare = [&](const char* body) {
        explainer.payload().setPlainText(QString::fromUtf8(body));
        QTest::mouseClick(&explainer.compareButton(), Qt::LeftButton);
        EXPECT_TRUE(eventually([&] { return !explainer.isLoading(); }));
        return explainer.verdict();
    };
    EXPECT_TRUE(compare(R"({ "a" : 1.0 })").startsWith(QStringLiteral("This is the payload that the inbox has")))
        << explainer.verdict().toStdString();
    EXPECT_TRUE(compare(R"({"a":2})").startsWith(QStringLiteral("This is a payload that was refused, 2 times")))
        << explainer.verdict().toStdString();
    EXPECT_TRUE(compare(R"({"a":3})").startsWith(QStringLiteral("This is neither the inbox's payload")))
        << explainer.verdict().toStdString();
}

TEST_F(ConflictsPageTest, NoConflictIsGoodNews)
{
    connectSession();
    ConflictsPage page(*context);
    open(page);
    EXPECT_TRUE(eventually([&] {
        return page.summary()
            == QStringLiteral("No request was refused for another one under its key · 0 in the 2d before");
    })) << page.summary().toStdString();
    page.show(QStringLiteral("inbox_messages"), {});
    ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    EXPECT_EQ(page.model()->binding()->name, "inbox_messages");
}

TEST_F(ConflictsPageTest, AScanFindsWhatIsBrokenAndLeadsToItsRowsAndItsPlan)
{
    finalize(reserve("done"));
    for (int i = 0; i < 3; ++i)
        reserve("lapsed" + std::to_string(i), Takeover::Auto, Seconds(1));
    connectSession();
    InvariantsPage page(*context);
    QAbstractItemModelTester tester(page.model(), fatal);
    open(page);
    ASSERT_EQ(page.model()->rowCount(), 1) << page.summary().toStdString();
    EXPECT_STREQ(page.model()->rowAt(0).violation.invariant->id, "lapsed_lease");
    EXPECT_TRUE(page.summary().startsWith(QStringLiteral("1 invariant is broken in "))) << page.summary().toStdString();
    QTest::mouseClick(page.grid().view().viewport(), Qt::LeftButton, {},
        page.grid().view().visualRect(page.model()->index(0, 0)).center());
    ASSERT_TRUE(page.openButton().isVisible());
    EXPECT_FALSE(page.advice().isEmpty());
    QAbstractItemModelTester rowsTester(&page.brokenRows(), fatal);
    ASSERT_EQ(page.brokenRows().rowCount(), 3);
    QTest::mouseDClick(page.rows().view().viewport(), Qt::LeftButton, {},
        page.rows().view().visualRect(page.brokenRows().index(1, 0)).center());
    EXPECT_EQ(navigation.dossier, page.brokenRows().rowAt(1).identity);
    QTest::mouseClick(&page.openButton(), Qt::LeftButton);
    EXPECT_EQ(navigation.opened, "keys");
    EXPECT_EQ(navigation.openedFilter, QStringLiteral("stuck"));
    QTest::mouseClick(&page.planButton(), Qt::LeftButton);
    EXPECT_EQ(navigation.planned, findOperation("release"));
    EXPECT_TRUE(navigation.plannedOn.all);
    EXPECT_EQ(navigation.plannedOn.matching.value, 3);

    // Mended: one click says so.
    auto raw = database.connect();
    ASSERT_TRUE((*raw)->execute("UPDATE idempotency_records SET status = 'FAILED_FINAL', error_code = 'x'"
                                " WHERE status = 'IN_PROGRESS'"));
    QTest::mouseClick(&page.scanButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 0; }))
        << page.summary().toStdString();
    EXPECT_TRUE(page.summary().startsWith(QStringLiteral("All invariants hold in "))) << page.summary().toStdString();
    EXPECT_EQ(page.grid().emptyState().emptiness(), Emptiness::Good);
    EXPECT_EQ(page.grid().emptyState().title(), QStringLiteral("All invariants hold"));
}

TEST_F(ConflictsPageTest, WhatIsLeftOfARecordThatIsGoneLeadsToItsTrail)
{
    const auto first = reserve("first");
    const auto second = reserve("second");
    finalize(first);
    finalize(second);
    connectSession();
    auto raw = database.connect();
    for (const auto& record : { first, second }) {
        const auto key = record.id.key;
        ASSERT_TRUE((*raw)->execute("INSERT INTO outbound_calls (vendor, operation, call_key, scope, operation_type, "
                                    "idempotency_key, step, state, owner, fence, sends, open_sends, created_at, "
                                    "updated_at, expires_at) SELECT 'psp', 'pay', randomblob(32), scope, "
                                    "operation_type, idempotency_key, 'pay', 'DONE', owner_execution_id, fence, 1, 0, "
                                    "created_at, created_at, expires_at FROM idempotency_records WHERE "
                                    "idempotency_key = '"
            + key + "'"));
        ASSERT_TRUE((*raw)->execute("DELETE FROM idempotency_records WHERE idempotency_key = '" + key + "'"));
    }
    InvariantsPage page(*context);
    open(page);
    ASSERT_EQ(page.model()->rowCount(), 1) << page.summary().toStdString();
    EXPECT_STREQ(page.model()->rowAt(0).violation.invariant->id, "orphaned_call");
    QTest::mouseClick(page.grid().view().viewport(), Qt::LeftButton, {},
        page.grid().view().visualRect(page.model()->index(0, 0)).center());
    ASSERT_TRUE(page.openButton().isEnabled());
    QTest::mouseClick(&page.openButton(), Qt::LeftButton);
    EXPECT_EQ(navigation.opened, "find");
    const auto trail = [&](const char* key) {
        return QString::fromStdString(first.id.scope + '/' + first.id.operation + '/') + QLatin1String(key);
    };
    const auto shown = navigation.openedFilter;
    EXPECT_TRUE(shown == trail("first") || shown == trail("second")) << shown.toStdString();
    // Of several, the one that was chosen.
    for (int row = 0; row < 2; ++row) {
        QTest::mouseClick(page.rows().view().viewport(), Qt::LeftButton, {},
            page.rows().view().visualRect(page.brokenRows().index(row, 0)).center());
        QTest::mouseClick(&page.openButton(), Qt::LeftButton);
        EXPECT_EQ(navigation.openedFilter, trail(page.brokenRows().rowAt(row).key.c_str()));
    }
}

TEST_F(ConflictsPageTest, AScanFindsWhatWasDoneToTheAudit)
{
    finalize(reserve("done"));
    connectSession();
    auto raw = database.connect();
    const AuditEntry note{ .verb = "note", .actor = "ada@laptop", .reason = "seen" };
    ASSERT_TRUE(workers->inspector().record(note));
    ASSERT_TRUE(workers->inspector().record(note));
    ASSERT_TRUE((*raw)->execute("UPDATE idempotency_audit SET reason = 'tampered' WHERE seq = 1"));
    InvariantsPage page(*context);
    QAbstractItemModelTester tester(page.model(), fatal);
    open(page);
    ASSERT_EQ(page.model()->rowCount(), 1) << page.summary().toStdString();
    EXPECT_STREQ(page.model()->rowAt(0).violation.invariant->id, "audit_broken");
    QTest::mouseClick(page.grid().view().viewport(), Qt::LeftButton, {},
        page.grid().view().visualRect(page.model()->index(0, 0)).center());
    EXPECT_FALSE(page.planButton().isVisible());
    QTest::mouseClick(&page.openButton(), Qt::LeftButton);
    EXPECT_EQ(navigation.opened, "audit");
}

} // namespace
} // namespace fencepost::ui
