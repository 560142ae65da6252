// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

#include "core/operations/operation.h"
#include "tests/ui/console_fixture.h"
#include "ui/dialogs/plan_command.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/plan_review.h"
#include "ui/dialogs/run_view.h"
#include "ui/widgets/plain_table.h"

namespace fencepost::ui {
namespace {

using testing::eventually;
using Stage = PlanDialog::Stage;

class PlanDialogTest : public ConsoleFixture {
protected:
    void TearDown() override { delete dialog; }

    void openPlan(const char* verb, const std::vector<std::string>& keys)
    {
        dialog = new PlanDialog(*context, *findOperation(verb), selectionOf(keys), nullptr);
        dialog->open();
    }
    void waitForReview()
    {
        ASSERT_TRUE(eventually([this] { return dialog->stage() == Stage::Review; })) << dialog->hint().toStdString();
    }
    void confirm()
    {
        QTest::mouseClick(&dialog->confirmButton(), Qt::LeftButton);
        ASSERT_TRUE(eventually([this] { return dialog->stage() == Stage::Done; }));
    }

    QPointer<PlanDialog> dialog;
};

TEST_F(PlanDialogTest, FencesAStuckRowAndLeavesItInTheAudit)
{
    const auto before = reserve("k1");
    connectSession();
    openPlan("fence", { "k1" });
    waitForReview();
    EXPECT_EQ(dialog->confirmButton().text(), QStringLiteral("Arm orders-test…"));
    QTest::mouseClick(&dialog->confirmButton(), Qt::LeftButton);
    EXPECT_EQ(navigation.armings, 1);
    EXPECT_EQ(dialog->stage(), Stage::Review);

    arm();
    EXPECT_EQ(dialog->confirmButton().text(), QStringLiteral("Fence 1 owner on orders-test"));
    dialog->form().setReason(QStringLiteral("INC-7: the worker is gone"));
    confirm();
    EXPECT_EQ(dialog->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));

    const auto after = find("k1");
    EXPECT_GT(after.fence, before.fence);
    EXPECT_NE(after.owner, before.owner);
    const auto entries = auditOf("fence");
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].reason, "INC-7: the worker is gone");
    EXPECT_EQ(entries[0].actor, "ada@desk");
    EXPECT_EQ(entries[0].outcome, "changed");
    EXPECT_EQ(finalize(before).outcome, Outcome::LostOwnership);
    ASSERT_EQ(navigation.lines.size(), 1);
}

TEST_F(PlanDialogTest, ARefreshStormNeitherRebuildsNorAcceptsIt)
{
    reserve("k1");
    reserve("k2");
    connectSession();
    arm();
    openPlan("fence", { "k1", "k2" });
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7"));
    const auto plan = *dialog->plan();
    for (int i = 0; i < 50; ++i) {
        session->reloadBindings();
        session->refreshInfo();
        session->tick();
        QTest::keyClick(dialog, Qt::Key_Return);
        QTest::keyClick(&dialog->countField(), Qt::Key_Return);
        testing::handleEvents();
    }
    ASSERT_TRUE(dialog);
    EXPECT_EQ(dialog->stage(), Stage::Review);
    EXPECT_EQ(*dialog->plan(), plan);
    EXPECT_TRUE(auditOf("fence").empty());
    EXPECT_FALSE(dialog->confirmButton().isEnabled());
}

TEST_F(PlanDialogTest, ManyRowsAskForTheirCount)
{
    for (const auto* key : { "k1", "k2", "k3" })
        reserve(key);
    connectSession();
    arm();
    openPlan("fence", { "k1", "k2", "k3" });
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7"));
    EXPECT_FALSE(dialog->confirmButton().isEnabled());
    QTest::keyClicks(&dialog->countField(), QStringLiteral("2"));
    EXPECT_FALSE(dialog->confirmButton().isEnabled());
    dialog->countField().setText(QStringLiteral("3"));
    EXPECT_EQ(dialog->confirmButton().text(), QStringLiteral("Fence 3 owners on orders-test"));
    confirm();
    EXPECT_EQ(dialog->runView().summary(), QStringLiteral("changed 3 · skipped 0 · failed 0"));
}

TEST_F(PlanDialogTest, WhatMovedOnMeanwhileIsSkippedAndSaysWhy)
{
    const auto late = reserve("k1");
    reserve("k2");
    connectSession();
    arm();
    openPlan("fence", { "k1", "k2" });
    waitForReview();
    ASSERT_EQ(finalize(late).outcome, Outcome::Applied);
    dialog->form().setReason(QStringLiteral("INC-7"));
    dialog->countField().setText(QStringLiteral("2"));
    confirm();
    EXPECT_EQ(dialog->runView().summary(), QStringLiteral("changed 1 · skipped 1 · failed 0"));
    // What needs a look comes first, with its reason.
    EXPECT_EQ(dialog->runView().items().cell(0, 0), QStringLiteral("k1"));
    EXPECT_EQ(dialog->runView().items().cell(0, 1), QStringLiteral("skipped"));
    EXPECT_FALSE(dialog->runView().items().cell(0, 2).isEmpty());
    EXPECT_EQ(find("k1").status, State::Succeeded);
    EXPECT_TRUE(dialog->runView().reportText().contains(QStringLiteral("k1: skipped")));
}

TEST_F(PlanDialogTest, RowsItDoesNotApplyToAreLeftOutWithTheReason)
{
    reserve("stuck");
    finalize(reserve("done"));
    connectSession();
    openPlan("fence", { "stuck", "done" });
    waitForReview();
    ASSERT_EQ(dialog->plan()->items.size(), 1u);
    EXPECT_EQ(dialog->review().leftOut().cell(0, 0), QStringLiteral("done"));
    EXPECT_TRUE(dialog->review().leftOut().cell(0, 1).contains(QStringLiteral("SUCCEEDED")));
}

// While a reason is typed there are moments in which nothing is left out.
TEST_F(PlanDialogTest, WhoeverReadsWhatIsLeftOutStaysThere)
{
    PlanReview review(theme);
    auto* tabs = review.findChild<QTabWidget*>();
    Plan plan;
    plan.items.push_back({ .key = "k1" });
    plan.leftOut.push_back({ .key = "k2", .why = "unknown" });
    auto whole = plan;
    whole.leftOut.clear();
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(tabs->currentIndex(), 0);
    tabs->setCurrentIndex(1);
    review.setPlan(whole, models::Zone::utc());
    EXPECT_EQ(tabs->currentIndex(), 0);
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(tabs->currentIndex(), 1);
    tabs->setCurrentIndex(2);
    review.setPlan(whole, models::Zone::utc());
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(tabs->currentIndex(), 2);
}

TEST_F(PlanDialogTest, ALiveLeaseIsSaid)
{
    reserve("live", Takeover::Auto, std::chrono::hours(1));
    connectSession();
    openPlan("fence", { "live" });
    waitForReview();
    EXPECT_TRUE(dialog->review().warning().contains(QStringLiteral("lease is live")));
}

TEST_F(PlanDialogTest, WhatMayBeHiddenIsSaid)
{
    const Theme light{ Scheme::Light };
    PlanReview review(light, nullptr);
    Plan plan;
    plan.items.resize(2);
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(review.warning(), QString());
    plan.warnings = { "row-level security may hide rows" };
    plan.items[0].warning = "its lease is live";
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(review.warning(), QStringLiteral("Row-level security may hide rows\n1 of 2: its lease is live"));
}

// What differs from row to row does not hide what is said of one row alone.
TEST_F(PlanDialogTest, EachKindOfWarningHasItsLine)
{
    const Theme light{ Scheme::Light };
    PlanReview review(light, nullptr);
    Plan plan;
    plan.items.resize(4);
    plan.items[0].warning = "its lease is live for another 1m 5s: somebody works on it";
    plan.items[1].warning = "its lease is live for another 42s: somebody works on it";
    plan.items[2].warning = "its vendor has done it (stripe payouts.create po_1)";
    review.setPlan(plan, models::Zone::utc());
    EXPECT_EQ(review.warning(),
        QStringLiteral("2 of 4: its lease is live for another 1m 5s: somebody works on it; and others like it\n"
                       "1 of 4: its vendor has done it (stripe payouts.create po_1)"));
}

TEST_F(PlanDialogTest, WhatAnOperationNeedsIsAskedForBeforeItIsPlanned)
{
    reserve("k1", Takeover::Manual);
    connectSession();
    arm();
    openPlan("fence", { "k1" });
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7"));
    confirm();
    delete dialog;
    ASSERT_TRUE(find("k1").hold);

    openPlan("resolve", { "k1" });
    EXPECT_EQ(dialog->stage(), Stage::Filling);
    EXPECT_FALSE(dialog->confirmButton().isEnabled());
    dialog->form().setParameter("as", QStringLiteral("succeeded"));
    dialog->form().setParameter("evidence", QStringLiteral("the provider shows charge 42"));
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7"));
    confirm();
    EXPECT_EQ(find("k1").status, State::Succeeded);
}

TEST_F(PlanDialogTest, AnUndoPutsTheExpiryBack)
{
    finalize(reserve("k1"));
    const auto expiresAt = find("k1").expiresAt;
    connectSession();
    arm();
    openPlan("expire", { "k1" });
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7"));
    confirm();
    ASSERT_LT(find("k1").expiresAt, expiresAt);
    const auto requestId = QString::fromStdString(dialog->plan()->requestId);
    delete dialog;

    dialog = new PlanDialog(*context, requestId, nullptr);
    dialog->open();
    waitForReview();
    EXPECT_EQ(dialog->confirmButton().text(), QStringLiteral("Undo 1 change on orders-test"));
    dialog->form().setReason(QStringLiteral("expired the wrong one"));
    confirm();
    EXPECT_EQ(find("k1").expiresAt, expiresAt);
}

TEST_F(PlanDialogTest, ProductionAsksForAReasonOfItsOwn)
{
    reserve("k1");
    connectSession(models::Environment::Production);
    arm();
    openPlan("fence", { "k1" });
    waitForReview();
    EXPECT_EQ(dialog->form().reason(), QString());
    EXPECT_FALSE(dialog->confirmButton().isEnabled());
    EXPECT_TRUE(dialog->cancelButton().isDefault());
}

TEST_F(PlanDialogTest, TheCommandSurvivesAShell)
{
    reserve("it's; rm -rf \"$HOME\"");
    connectSession();
    openPlan("fence", { "it's; rm -rf \"$HOME\"" });
    waitForReview();
    dialog->form().setReason(QStringLiteral("INC-7 `date`"));
    const auto command = dialog->command();
    EXPECT_TRUE(command.contains(QStringLiteral("'it'\\''s; rm -rf \"$HOME\"'"))) << command.toStdString();
    EXPECT_TRUE(command.contains(QStringLiteral("--reason 'INC-7 `date`'")));
    EXPECT_TRUE(command.contains(QStringLiteral("apply fence-")));
    EXPECT_EQ(shellWord(QString()), QStringLiteral("''"));
}

} // namespace
} // namespace fencepost::ui
