// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>

#include <QAbstractItemModelTester>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>

#include "core/operations/operation.h"
#include "core/operations/plan.h"
#include "core/operations/replay.h"
#include "core/retry/steady_clock.h"
#include "models/backlog_model.h"
#include "models/letter_groups_model.h"
#include "models/runs_model.h"
#include "tests/ui/pages/message_fixture.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/run_view.h"
#include "ui/pages/message_pages.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/runs_page.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/pace_field.h"
#include "ui/widgets/ramp_field.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/row_panel.h"
#include "ui/widgets/stage_bars.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

class MessagePagesTest : public MessageFixture {
protected:
    template <typename Shown> void open(Shown& page)
    {
        page.resize(1100, 680);
        static_cast<QWidget&>(page).show();
        page.activate();
        page.setLive(false);
        ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    }
    static void waitForPanel(PanelPage& page, int rows)
    {
        ASSERT_TRUE(eventually([&] {
            return !page.isLoading() && page.panel().grid().view().rows()->rowCount() == rows;
        })) << page.panel().summary().toStdString();
    }
    static void click(RowPanel& panel, int row)
    {
        auto& view = panel.grid().view();
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(view.model()->index(row, 0)).center());
    }
};

TEST_F(MessagePagesTest, AFailureNarrowsTheDeadLettersAndIsReplayedAsAWhole)
{
    for (int i = 0; i < 3; ++i)
        fail(add("timeout" + std::to_string(i)), "timeout", "no answer within " + std::to_string(i + 20) + " s");
    fail(add("refused"), "422", "no such account");
    connectSession();
    DeadLettersPage page(*context);
    open(page);
    waitForPanel(page, 2);
    EXPECT_EQ(
        page.panel().summary(), QStringLiteral("2 kinds of failure · 4 waiting for a decision · 4 in the last hour"));
    EXPECT_EQ(page.model()->rowCount(), 4);

    click(page.panel(), 1);
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 1; }));
    EXPECT_EQ(page.model()->rowAt(0).key, "refused");
    EXPECT_TRUE(page.filterBar().filter().startsWith(QStringLiteral("group = ")));
    click(page.panel(), 0);
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 3; }));

    QPushButton* replay = nullptr;
    for (auto* button : page.panel().findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Replay the group’s 3…"))
            replay = button;
    ASSERT_NE(replay, nullptr);
    ASSERT_TRUE(replay->isVisible());
    QTest::mouseClick(replay, Qt::LeftButton);
    EXPECT_EQ(navigation.planned, findOperation("replay"));
    EXPECT_TRUE(navigation.plannedOn.all);
    EXPECT_EQ(navigation.plannedOn.matching.value, 3);
    PlanRequest request;
    request.verb = "replay";
    request.filter = navigation.plannedOn.filter.toStdString();
    request.reason = "mended";
    request.actor = "ada@desk";
    const auto plan = makePlan(workers->inspector(), navigation.plannedOn.binding, request, random);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->items.size() + plan->leftOut.size(), 3U);
}

TEST_F(MessagePagesTest, WhatDiedSinceItsReplayIsTold)
{
    fail(add("a"), "connection", "refused");
    connectSession();
    auto& inspector = workers->inspector();
    const auto letters = deadLetters();
    PlanRequest request;
    request.verb = "replay";
    request.filter = "state = DEAD";
    request.reason = "mended";
    request.actor = "ada@desk";
    const auto plan = makePlan(inspector, letters, request, random);
    ASSERT_TRUE(plan && plan->items.size() == 1) << plan.error().message;
    const retry::SteadyClock steady;
    const ReplaySettings settings;
    ReplayHooks hooks;
    hooks.sleep = [](Duration) {};
    ASSERT_TRUE(runReplay(inspector, *plan, "ada@desk", &settings, hooks, steady, random));
    then.advance(Seconds(1));
    fail(1, "connection", "refused");
    DeadLettersPage page(*context);
    open(page);
    waitForPanel(page, 1);
    EXPECT_TRUE(page.panel().summary().endsWith(QStringLiteral("1 new since their replay")))
        << page.panel().summary().toStdString();

    RunsPage runs(*context);
    open(runs);
    ASSERT_TRUE(eventually([&] { return runs.model()->rowCount() == 1; }));
    EXPECT_EQ(runs.model()->textAt(0, 0), QStringLiteral("DONE"));
    EXPECT_EQ(runs.model()->textAt(0, 1), QStringLiteral("1 of 1"));
    EXPECT_EQ(runs.hint(), QStringLiteral("It is over."));
    EXPECT_FALSE(runs.pauseButton().isEnabled());
    ASSERT_TRUE(eventually([&] { return runs.stages().isVisible(); }));
    EXPECT_EQ(runs.stages().accessibleDescription(), QStringLiteral("Stage 1: 1 row · 1 died again"));
}

TEST_F(MessagePagesTest, TheBacklogTellsTheLagAndWhoWaitsForWhom)
{
    connectSession();
    {
        OutboxPage page(*context);
        open(page);
        EXPECT_TRUE(eventually([&] { return page.panel().summary() == QStringLiteral("Everything was sent."); }));
        EXPECT_FALSE(page.panel().grid().isVisible());
    }
    fail(add("head", R"(ch "1\)"), "422", "no such account");
    add("waits", R"(ch "1\)");
    add("free");
    OutboxPage page(*context);
    open(page);
    waitForPanel(page, 1);
    EXPECT_EQ(page.panel().summary(),
        QStringLiteral("2 to send · the oldest is of 10m ago · lag 10m, 2 due · 1 wait behind 1 blocked head"));
    EXPECT_TRUE(page.panel().grid().isVisible());
    EXPECT_EQ(page.panel().grid().view().model()->index(0, 1).data().toString(), QStringLiteral("head"));
    click(page.panel(), 0);
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 2; }))
        << page.filterBar().filter().toStdString();
    for (int row = 0; row < 2; ++row)
        EXPECT_NE(page.model()->rowAt(row).key, "free");

    page.panel().setFolded(true);
    EXPECT_FALSE(page.panel().grid().isVisible());
    OutboxPage again(*context);
    again.setArrangement(page.arrangement());
    EXPECT_TRUE(again.panel().isFolded());
}

TEST_F(MessagePagesTest, ARunIsOrderedFromHereAndTakenUpWhereNobodyCarriesItOut)
{
    fail(add("a"), "connection", "refused");
    const auto letters = deadLetters();
    PlanRequest request;
    request.verb = "replay";
    request.filter = "state = DEAD";
    request.reason = "mended";
    request.actor = "olga@elsewhere";
    const auto plan = makePlan(workers->inspector(), letters, request, random);
    ASSERT_TRUE(plan);
    OperationRun run;
    run.requestId = plan->requestId;
    run.verb = plan->verb;
    run.binding = plan->binding;
    run.plan = formatPlan(*plan);
    run.settings = formatReplay({ .ramp = { 1, 5 }, .rate = 0.5 });
    run.actor = "olga@elsewhere";
    run.reason = "mended";
    run.total = 1;
    auto& journal = *workers->inspector().runs();
    ASSERT_TRUE(journal.begin(run));
    connectSession();
    RunsPage page(*context);
    open(page);
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() == 1; }));
    QAbstractItemModelTester tester(page.model(), fatal);
    EXPECT_FALSE(page.pauseButton().isEnabled()) << "the connection is read-only";
    EXPECT_TRUE(page.hint().contains(QStringLiteral("read-only"))) << page.hint().toStdString();
    arm();
    ASSERT_TRUE(eventually([&] { return page.pauseButton().isEnabled(); }));

    const auto phase = [&] { return (**journal.standing(plan->requestId)).phase; };
    QTest::mouseClick(&page.pauseButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return phase() == RunPhase::Paused; }));
    ASSERT_TRUE(eventually([&] { return page.model()->textAt(0, 0) == QStringLiteral("PAUSED"); }));
    EXPECT_EQ((**journal.standing(plan->requestId)).because, "by ada@desk");

    ASSERT_TRUE(eventually([&] { return page.resumeButton().isEnabled(); }));
    QTest::mouseClick(&page.resumeButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return !navigation.resumed.empty(); }));
    EXPECT_EQ(navigation.resumed, plan->requestId) << "nobody carries it out: its plan is opened here";
    PlanDialog resumed(*context, *plan, PlanDialog::Source::Interrupted, nullptr);
    resumed.setAttribute(Qt::WA_DeleteOnClose, false);
    resumed.open();
    EXPECT_TRUE(eventually([&] { return resumed.paceField().pace() == 0.5; })) << "the run's own";
    resumed.reject();

    ASSERT_TRUE(eventually([&] { return page.stopButton().isEnabled(); }));
    QTest::mouseClick(&page.stopButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return phase() == RunPhase::Stopped; }));
    ASSERT_TRUE(eventually([&] { return page.hint() == QStringLiteral("It is over."); }));

    PlanDialog stopped(*context, *plan, PlanDialog::Source::Interrupted, nullptr);
    stopped.setAttribute(Qt::WA_DeleteOnClose, false);
    stopped.open();
    ASSERT_TRUE(eventually([&] { return stopped.confirmButton().isEnabled(); }));
    QTest::mouseClick(&stopped.confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return stopped.stage() == PlanDialog::Stage::Done; }));
    const auto told = stopped.runView().reportText();
    EXPECT_TRUE(told.contains(QStringLiteral("Make a new plan"))) << told.toStdString();
    EXPECT_FALSE(told.contains(QStringLiteral("runs resume"))) << "which would be refused: " << told.toStdString();
}

TEST_F(MessagePagesTest, ARunThatIsTakenUpCountsWhatWasDoneBefore)
{
    constexpr int all = 30;
    for (int i = 0; i < all; ++i)
        fail(add("event_" + std::to_string(i)), "connection", "refused");
    PlanRequest request;
    request.verb = "replay";
    request.filter = "state = DEAD";
    request.reason = "mended";
    request.actor = "olga@elsewhere";
    const auto plan = makePlan(workers->inspector(), deadLetters(), request, random);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->items.size(), std::size_t(all));
    int done = 0;
    ReplayHooks hooks;
    hooks.order = [&] { return done < 3 ? ReplayOrder::Go : ReplayOrder::Leave; };
    hooks.sleep = [](Duration length) { std::this_thread::sleep_for(length); };
    hooks.itemDone = [&](const ItemReport&) { ++done; };
    const retry::SteadyClock steady;
    const ReplaySettings unverified{ .rate = 10 };
    ASSERT_TRUE(runReplay(workers->inspector(), *plan, "olga@elsewhere", &unverified, hooks, steady, random));
    ASSERT_TRUE(done >= 3 && done < all) << done;
    ASSERT_TRUE(setRate(*workers->inspector().runs(), plan->requestId, slowestRate));
    connectSession();
    arm();
    PlanDialog resumed(*context, *plan, PlanDialog::Source::Interrupted, nullptr);
    resumed.setAttribute(Qt::WA_DeleteOnClose, false);
    resumed.open();
    resumed.countField().setText(QString::number(all));
    ASSERT_TRUE(eventually([&] { return resumed.confirmButton().isEnabled(); }));
    QTest::mouseClick(&resumed.confirmButton(), Qt::LeftButton);
    const auto& view = resumed.runView();
    const auto counted = [&] { return view.summary().section(u' ', 0, 0).toInt(); };
    EXPECT_TRUE(eventually([&] { return counted() >= done; })) << view.summary().toStdString();
    EXPECT_TRUE(view.summary().contains(QStringLiteral(" of %1 · changed %2").arg(all).arg(counted())))
        << view.summary().toStdString();
    resumed.reject();
}

TEST_F(MessagePagesTest, AKeyLeadsToItsEventsByTheCorrelationId)
{
    Reservation reservation;
    reservation.id = { "payments", "charge", "k1" };
    reservation.requestHash = sha256("k1");
    reservation.owner = { uuid4(random) };
    reservation.lease = Seconds(60);
    reservation.ttl = std::chrono::hours(24);
    reservation.correlationId = "req_k1";
    ASSERT_TRUE(workers->store().reserve(reservation));
    fail(add("evt_1", {}, "req_k1"), "422", "no such account");
    add("evt_2", {}, "req_other");
    Delivery delivery;
    delivery.id = { "ledger", "/lab", "evt_1" };
    delivery.payload = "{}";
    delivery.payloadHash = sha256("{}");
    delivery.correlationId = "req_k1";
    ASSERT_TRUE(inbox->accept(delivery));
    connectSession();
    RecordDossier dossier(*context);
    dossier.resize(520, 700);
    dossier.show();
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded(); }));
    for (int tab = 0; tab < dossier.tabs().count(); ++tab)
        if (dossier.tabs().tabText(tab) == QStringLiteral("Related"))
            dossier.tabs().setCurrentIndex(tab);
    QTableWidget* related = nullptr;
    for (auto* table : dossier.findChildren<QTableWidget*>())
        if (table->accessibleName() == QStringLiteral("Related records"))
            related = table;
    ASSERT_NE(related, nullptr);
    ASSERT_TRUE(eventually([&] { return related->rowCount() == 3; })) << related->rowCount();
    QStringList tables;
    for (int row = 0; row < related->rowCount(); ++row) {
        tables += related->item(row, 0)->text();
        EXPECT_TRUE(related->item(row, 2)->text().startsWith(QStringLiteral("The same correlation id, evt_1")))
            << related->item(row, 2)->text().toStdString();
    }
    tables.sort();
    EXPECT_EQ(tables,
        (QStringList{
            QStringLiteral("dead_letters"), QStringLiteral("inbox_messages"), QStringLiteral("outbox_messages") }));
}

TEST_F(MessagePagesTest, AnEditBeginsWithThePresentPayloadAndSendsACopy)
{
    fail(add("evt_1"), "422", "no such account");
    connectSession();
    arm();
    const auto letters = deadLetters();
    const auto page = workers->inspector().page(letters, {});
    ASSERT_TRUE(page && page->rows.size() == 1);
    PlanDialog dialog(*context, *findOperation("edit"), { .binding = letters, .rows = page->rows }, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.open();
    EXPECT_EQ(dialog.stage(), PlanDialog::Stage::Filling);
    EXPECT_TRUE(auditOf("reveal").empty()) << "nobody looked yet";
    QPushButton* present = nullptr;
    for (auto* button : dialog.form().findChildren<QPushButton*>())
        present = button;
    ASSERT_NE(present, nullptr);
    QTest::mouseClick(present, Qt::LeftButton);
    auto* payload = dialog.form().findChild<QPlainTextEdit*>(QStringLiteral("payload"));
    ASSERT_NE(payload, nullptr);
    ASSERT_TRUE(eventually([&] { return payload->toPlainText() == QStringLiteral("{}"); }));
    EXPECT_EQ(auditOf("reveal").size(), 1U);
    ASSERT_TRUE(eventually([&] { return dialog.stage() == PlanDialog::Stage::Review; }));
    EXPECT_EQ(dialog.confirmButton().text(), QStringLiteral("Nothing to change")) << "the payload is the same";

    dialog.form().setParameter(includeUnknown, QStringLiteral("it was refused as a whole"));
    payload->selectAll();
    QTest::keyClicks(payload, QStringLiteral("{\"card\":\"4111\"}"));
    EXPECT_FALSE(dialog.confirmButton().isEnabled()) << "the plan in view is not of what was typed";
    ASSERT_TRUE(eventually([&] { return dialog.confirmButton().isEnabled(); })) << dialog.hint().toStdString();
    EXPECT_EQ(dialog.confirmButton().text(), QStringLiteral("Edit and replay 1 event on orders-test"));
    QTest::mouseClick(&dialog.confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return dialog.stage() == PlanDialog::Stage::Done; }));
    EXPECT_EQ(dialog.runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));

    const auto sent = outbox->find(2);
    ASSERT_TRUE(sent && *sent);
    EXPECT_NE((*sent)->event.eventId, "evt_1");
    EXPECT_EQ(*outbox->payload(2), R"({"card":"4111"})");
    const auto entries = auditOf("edit");
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].parameters.find("4111"), std::string::npos) << "the audit is for ever";
}

TEST_F(MessagePagesTest, TheStagesAndTheBrakeOfAReplayAreChosenInItsPlan)
{
    for (const auto* id : { "a", "b", "c" })
        fail(add(id), "connection", "refused");
    connectSession();
    arm();
    const Selection chosen{ .binding = deadLetters(), .rows = workers->inspector().page(deadLetters(), {})->rows };
    PlanDialog dialog(*context, *findOperation("replay"), chosen, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.open();
    ASSERT_TRUE(eventually([&] { return dialog.stage() == PlanDialog::Stage::Review; }));
    auto* stages = dialog.rampField().findChild<QLineEdit*>(QStringLiteral("ramp"));
    auto* brake = dialog.rampField().findChild<QSpinBox*>(QStringLiteral("brake"));
    ASSERT_TRUE(stages && stages->isVisible() && brake);
    EXPECT_EQ(stages->text(), QStringLiteral("1, 5, 25, 100"));
    EXPECT_EQ(brake->value(), 5);
    dialog.countField().setText(QStringLiteral("3"));
    ASSERT_TRUE(dialog.confirmButton().isEnabled()) << dialog.hint().toStdString();
    stages->setText(QStringLiteral("1, none"));
    EXPECT_FALSE(dialog.confirmButton().isEnabled());
    stages->setText(QStringLiteral("2"));
    brake->setValue(30);
    dialog.paceField().findChild<QDoubleSpinBox*>()->setValue(200);
    ASSERT_TRUE(dialog.confirmButton().isEnabled()) << dialog.hint().toStdString();
    QTest::mouseClick(&dialog.confirmButton(), Qt::LeftButton);
    auto& journal = *workers->inspector().runs();
    ASSERT_TRUE(eventually([&] { return journal.list(1)->size() == 1; }));
    const auto begun = journal.list(1)->front();
    const auto settings = parseReplay(begun.settings);
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->ramp, std::vector<int>{ 2 });
    EXPECT_DOUBLE_EQ(settings->brake, 0.3);
    EXPECT_DOUBLE_EQ(settings->rate, 200) << "whoever goes on with it is as careful";
    EXPECT_FALSE(dialog.rampField().isVisible());
}

TEST_F(MessagePagesTest, TheDossierOfADeadLetterTellsItsAttempts)
{
    fail(add("evt_1"), "422", "no such account");
    connectSession();
    const auto letters = deadLetters();
    const auto page = workers->inspector().page(letters, {});
    ASSERT_TRUE(page && page->rows.size() == 1);
    RecordDossier dossier(*context);
    dossier.resize(520, 700);
    dossier.show();
    dossier.open(letters, page->rows[0].identity);
    ASSERT_TRUE(eventually([&] { return dossier.loaded(); }));
    QTableWidget* deliveries = nullptr;
    for (auto* table : dossier.findChildren<QTableWidget*>())
        if (table->accessibleName() == QStringLiteral("Failed deliveries"))
            deliveries = table;
    ASSERT_NE(deliveries, nullptr);
    ASSERT_EQ(deliveries->rowCount(), 1);
    EXPECT_EQ(deliveries->item(0, 0)->text(), QStringLiteral("1"));
    EXPECT_EQ(deliveries->item(0, 1)->text(), QStringLiteral("422: no such account"));
    for (int tab = 0; tab < dossier.tabs().count(); ++tab)
        if (dossier.tabs().tabText(tab) == QStringLiteral("Attempts"))
            dossier.tabs().setCurrentIndex(tab);
    EXPECT_TRUE(deliveries->isVisible());
}

TEST_F(MessagePagesTest, TheModelsKeepWhatTheyShowedWhereTheyCannotBeReadAgain)
{
    fail(add("head", "ch_1"), "422", "no such account");
    add("waits", "ch_1");
    connectSession();
    models::LetterGroupsModel groups(session->reads());
    models::BacklogModel backlog(session->reads());
    QAbstractItemModelTester groupsTester(&groups, fatal);
    QAbstractItemModelTester backlogTester(&backlog, fatal);
    for (const auto& binding : session->bindings()) {
        if (binding->kind == Kind::DeadLetter)
            groups.setBinding(binding);
        if (binding->kind == Kind::Outbox)
            backlog.setBinding(binding);
    }
    ASSERT_TRUE(eventually([&] { return groups.rowCount() == 1 && backlog.rowCount() == 1; }));
    EXPECT_EQ(groups.textAt(0, 0), QStringLiteral("no such account"));
    EXPECT_EQ(backlog.textAt(0, 2), QStringLiteral("1"));
    ASSERT_TRUE(connection->execute("ALTER TABLE dead_letters RENAME COLUMN pattern TO gone"));
    ASSERT_TRUE(connection->execute("ALTER TABLE outbox_messages RENAME COLUMN attempt TO gone"));
    groups.reload();
    backlog.reload();
    ASSERT_TRUE(eventually([&] { return groups.stale() && backlog.stale(); }));
    EXPECT_EQ(groups.rowCount(), 1);
    EXPECT_EQ(backlog.rowCount(), 1);
}

} // namespace
} // namespace fencepost::ui
