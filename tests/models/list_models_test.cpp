// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "models/bindings_model.h"
#include "models/counts_model.h"
#include "models/history_models.h"
#include "models/page_model.h"
#include "models/plan_model.h"
#include "models/row_columns.h"
#include "models/zone.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::openerOf;

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

JournalEntry entryAt(std::int64_t seq)
{
    JournalEntry entry;
    entry.seq = seq;
    entry.fromState = "IN_PROGRESS";
    entry.toState = "SUCCEEDED";
    entry.event = "finalize";
    entry.fence = { 7 };
    entry.at = FakeDatabase::nowOf();
    return entry;
}

TEST(ListModelsTest, TheJournalKeepsItsPlaceWhenItIsReadAgain)
{
    JournalModel model;
    QAbstractItemModelTester tester(&model, fatal);
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::Loading);
    model.setRows({ entryAt(1), entryAt(2) }, FakeDatabase::nowOf());
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    auto changed = entryAt(2);
    changed.reason = "by hand";
    model.setRows({ entryAt(1), changed }, FakeDatabase::nowOf());
    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(model.rowAt(1).reason, "by hand");
    EXPECT_EQ(model.data(model.index(0, 0), RowsModelBase::StateRole).toString(), QStringLiteral("SUCCEEDED"));
    model.setRows({}, FakeDatabase::nowOf());
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::NoRows);
    model.setError(Error{ Failure::Denied, "No.", {} });
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::NoPermission);
}

TEST(ListModelsTest, ConflictsSortByTheirNumbers)
{
    ConflictsModel model;
    QAbstractItemModelTester tester(&model, fatal);
    std::vector<Conflict> conflicts;
    for (const auto count : { 9, 100, 20 }) {
        Conflict conflict;
        conflict.kind = "mismatch";
        conflict.presentedHash = std::string(32, static_cast<char>(count));
        conflict.count = count;
        conflicts.push_back(conflict);
    }
    model.setRows(conflicts, FakeDatabase::nowOf());
    model.sortLoaded(1, Qt::DescendingOrder);
    EXPECT_EQ(model.rowAt(0).count, 100);
    EXPECT_EQ(model.rowAt(2).count, 9);
}

TEST(ListModelsTest, AnInboxTellsItsConsumersApart)
{
    const auto cell = [](const char* id, const Row& row) {
        const auto column = std::find_if(inboxColumns().begin(), inboxColumns().end(),
            [&](const auto& each) { return std::string_view(each.id) == id; });
        return column->text(row, {});
    };
    Row row;
    row.scope = "ledger";
    row.queue = "stripe";
    EXPECT_EQ(cell("scope", row), QStringLiteral("ledger"));
    EXPECT_EQ(cell("queue", row), QStringLiteral("stripe"));
    // As the playbook's, which has no consumer, and MassTransit's, which has no source.
    row.scope.reset();
    EXPECT_EQ(cell("scope", row), QString());
    EXPECT_EQ(cell("queue", row), QStringLiteral("stripe"));
    row.scope = "ledger";
    row.queue.reset();
    EXPECT_EQ(cell("scope", row), QStringLiteral("ledger"));
    EXPECT_EQ(cell("queue", row), QString());
}

TEST(ListModelsTest, SaysWhyARecordIsHeldInWordsForPeople)
{
    const auto column = std::find_if(recordColumns().begin(), recordColumns().end(),
        [](const auto& each) { return std::string_view(each.id) == "hold"; });
    ASSERT_NE(column, recordColumns().end());
    const Display display;
    Row row;
    EXPECT_EQ(column->text(row, display), QString());
    EXPECT_EQ(holdSentence(row), QString());
    row.hold = true;
    EXPECT_EQ(column->text(row, display), QStringLiteral("held"));
    for (const char* reason : { "outcome_unknown", "attempts_exhausted", "operator" }) {
        row.holdReason = reason;
        EXPECT_FALSE(column->text(row, display).contains(u'_')) << reason;
        EXPECT_FALSE(holdSentence(row).contains(u'_')) << reason;
        EXPECT_EQ(column->full(row, display), holdSentence(row)) << reason;
    }
    row.holdReason = "ask_anna\xe2\x80\xae";
    EXPECT_EQ(column->text(row, display), QStringLiteral("ask_anna\\u202e"));
    EXPECT_EQ(holdSentence(row), column->text(row, display));
}

TEST(ListModelsTest, APlanShowsRowsEffectsAndWhatIsLeftOut)
{
    Plan plan;
    PlanItem item;
    item.key = "line\nbreak \xff";
    item.identity = { "a" };
    item.state = "IN_PROGRESS";
    item.fence = 12;
    item.effect = "fence 12 → next";
    plan.items = { item };
    plan.leftOut = { { { "b" }, "b", "it is final" } };
    PlanModel model;
    LeftOutModel left;
    QAbstractItemModelTester tester(&model, fatal);
    QAbstractItemModelTester leftTester(&left, fatal);
    model.setPlan(plan);
    left.setPlan(plan);
    EXPECT_EQ(model.textAt(0, 1), QStringLiteral("line\\nbreak \\xff"));
    EXPECT_EQ(model.textAt(0, 3), QStringLiteral("fence 12 → next"));
    EXPECT_EQ(left.textAt(0, 1), QStringLiteral("it is final"));
}

TEST(ListModelsTest, CountsAndTablesComeFromTheSession)
{
    SystemClock clock;
    FakeDatabase database(5000);
    Session session({ .name = QStringLiteral("a"), .openReads = openerOf(database) }, clock);
    BindingsModel bindings(session);
    CountsModel counts(session.reads());
    QAbstractItemModelTester bindingsTester(&bindings, fatal);
    QAbstractItemModelTester countsTester(&counts, fatal);
    session.open();
    ASSERT_TRUE(eventually([&] { return bindings.rowCount() == 1; }));
    EXPECT_EQ(bindings.textAt(0, 0), QStringLiteral("idempotency_records"));
    counts.setBinding(session.bindings().front());
    ASSERT_TRUE(eventually([&] { return counts.rowCount() == 1; }));
    EXPECT_EQ(counts.textAt(0, 1), QStringLiteral("≈ 5000"));
    EXPECT_EQ(counts.counts()->total.value, 5000);
    database.breakWith(Error{ Failure::TimedOut, "Too long.", {} });
    counts.reload();
    ASSERT_TRUE(eventually([&] { return counts.error().has_value(); }));
    EXPECT_EQ(counts.rowCount(), 1);
    EXPECT_TRUE(counts.stale());
}

TEST(ListModelsTest, MessagesAreWindowsToo)
{
    const std::pair<std::span<const Column<Row>>, const char*> kinds[] = { { inboxColumns(), "Message" },
        { outboxColumns(), "Event" }, { letterColumns(), "Event" } };
    SystemClock clock;
    FakeDatabase database(1000);
    StoreThread thread(openerOf(database), clock);
    thread.start();
    for (const auto& [columns, title] : kinds) {
        PageModel model(columns, thread);
        QAbstractItemModelTester tester(&model, fatal);
        model.setBinding(std::make_shared<const Binding>(FakeDatabase::binding()));
        ASSERT_TRUE(eventually([&] { return !model.busy() && model.rowCount() > 0; }));
        EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Schema"));
        EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QLatin1String(title));
    }
}

TEST(ListModelsTest, OneSentenceSaysWhyARowIsStuck)
{
    const auto now = FakeDatabase::nowOf();
    Row row;
    row.owner = "0b9f3c9e";
    row.leaseUntil = now - std::chrono::seconds(432);
    EXPECT_EQ(stuckSentence(row, now), QString());
    row.stuck = true;
    EXPECT_EQ(stuckSentence(row, now),
        QStringLiteral("Owner 0b9f3c9e has not renewed its lease, which ended 7m 12s ago by the database’s clock."));
    row.leaseUntil.reset();
    row.startedAt = now - std::chrono::hours(3);
    row.stuckReason = "too_old";
    EXPECT_TRUE(stuckSentence(row, now).contains(QStringLiteral("as it is for 3h")));
}

} // namespace
} // namespace fencepost::models
