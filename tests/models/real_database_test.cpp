// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QTemporaryDir>

#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/audit_model.h"
#include "models/overview.h"
#include "models/records_model.h"
#include "models/session.h"
#include "tests/support/dialects.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;

constexpr std::int64_t tableSize = 6000;

// The models over the real stores.
class RealDatabaseTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    RealDatabaseTest()
        : m_database(GetParam())
    {
    }
    void SetUp() override
    {
        ASSERT_EQ(m_database.problem(), "");
        auto profiles = profile::shippedLibrary();
        ASSERT_TRUE(profiles) << profiles.error().message;
        m_profiles = std::move(*profiles);
        {
            const auto connection = m_database.connect();
            ASSERT_TRUE(connection);
            const auto filled = test::fillRecords(**connection, tableSize, m_clock.now(), true);
            ASSERT_TRUE(filled) << filled.error().message << filled.error().detail;
            m_filled = *filled;
        }
        m_session = std::make_unique<Session>(SessionRequest{ .name = QStringLiteral("test"),
                                                  .openReads = opener(store::Access::ReadOnly),
                                                  .openWrites = opener(store::Access::ReadWrite),
                                                  .actor = "ada@bench" },
            m_clock);
        m_session->open();
        ASSERT_TRUE(eventually([this] { return !m_session->bindings().empty(); }));
    }
    [[nodiscard]] Opener opener(store::Access access)
    {
        return [this, access] {
            return store::open({ .target = m_database.target(),
                .options = { .access = access, .statementTimeout = std::chrono::seconds(30) },
                .profiles = &m_profiles,
                .auditPath = m_database.folder().toStdString() + "/audit.db" });
        };
    }
    [[nodiscard]] BindingPtr records() { return m_session->binding(QStringLiteral("idempotency_records")); }
    template <typename Model> static void settle(Model& model)
    {
        ASSERT_TRUE(eventually([&] { return !model.busy(); }));
        ASSERT_FALSE(model.error()) << model.error()->message << model.error()->detail;
    }

    SystemClock m_clock;
    test::TempDatabase m_database;
    profile::Library m_profiles;
    test::LargeTable m_filled;
    std::unique_ptr<Session> m_session;
};

// Two databases that are in no list have no id, and two notebooks.
TEST_P(RealDatabaseTest, ItsNotesAreFoundByItsConnectionOrByItself)
{
    EXPECT_EQ(m_session->notedUnder(QStringLiteral("c1")), QStringLiteral("c1"));
    const auto status = m_session->status();
    ASSERT_TRUE(status.info);
    EXPECT_EQ(m_session->notedUnder({}), QString::fromStdString(status.info->identity));
    EXPECT_TRUE(m_session->notedUnder({}).contains(
        GetParam() == store::Dialect::Sqlite ? m_database.folder() : QStringLiteral("postgresql:")));
}

TEST_P(RealDatabaseTest, EveryRowIsMetOnceInBothDirections)
{
    ASSERT_TRUE(records());
    RecordsModel model(m_session->reads());
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setCapacity(1500);
    model.setBinding(records());
    settle(model);
    std::map<std::int64_t, Identity> met;
    const auto meet = [&] {
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto [place, fresh] = met.emplace(model.firstPosition() + row, model.rowAt(row).identity);
            ASSERT_EQ(place->second, model.rowAt(row).identity) << "the way back shows the same row";
        }
    };
    while (model.moreAfter()) {
        meet();
        model.show(model.rowCount() - 40, model.rowCount() - 1);
        settle(model);
    }
    meet();
    std::set<Identity> distinct;
    for (const auto& [position, identity] : met)
        distinct.insert(identity);
    EXPECT_EQ(static_cast<std::int64_t>(met.size()), tableSize);
    EXPECT_EQ(static_cast<std::int64_t>(distinct.size()), tableSize);
    EXPECT_EQ(model.estimatedSize().value, tableSize);
    while (model.moreBefore()) {
        model.show(0, 40);
        settle(model);
        meet();
    }
    EXPECT_EQ(model.firstPosition(), 0);
}

// The bars of the overview are of now, too.
TEST_P(RealDatabaseTest, TheOverviewsArrivalsFollowTheRowsThatCome)
{
    ASSERT_TRUE(records());
    Overview overview(*m_session);
    overview.restForEachChart(2); // what counting costs here says how loaded the machine is, and is not waited for
    const auto counted = [&] {
        std::int64_t sum = 0;
        if (overview.arrivals())
            for (const auto& hour : overview.arrivals()->hours)
                sum += hour.counts.total.value;
        return sum;
    };
    ArrivalsRequest request;
    request.count = 2;
    overview.loadArrivals(QStringLiteral("idempotency_records"), request);
    ASSERT_TRUE(eventually([&] { return counted() > 0; }));
    const auto before = counted();
    {
        const auto connection = m_database.connect();
        ASSERT_TRUE(connection);
        for (const auto* sql :
            { "CREATE TEMPORARY TABLE later AS SELECT * FROM idempotency_records ORDER BY created_at "
              "DESC LIMIT 37",
                "UPDATE later SET idempotency_key = 'later ' || idempotency_key",
                "INSERT INTO idempotency_records SELECT * FROM later" })
            ASSERT_TRUE((*connection)->execute(sql)) << sql;
    }
    EXPECT_TRUE(eventually([&] {
        overview.refreshArrivals(QStringLiteral("idempotency_records"), request);
        return counted() > before;
    }));
}

// What is said of all rows is of now, like the rows that are shown.
TEST_P(RealDatabaseTest, ACountFollowsTheRowsThatCome)
{
    ASSERT_TRUE(records());
    RecordsModel model(m_session->reads());
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setBinding(records());
    settle(model);
    ASSERT_TRUE(model.moreAfter());
    ASSERT_EQ(model.estimatedSize().value, tableSize);
    ASSERT_EQ(model.estimatedSize().exactness, Exactness::Exact);
    {
        const auto connection = m_database.connect();
        ASSERT_TRUE(connection);
        for (const auto* sql : { "CREATE TEMPORARY TABLE later AS SELECT * FROM idempotency_records LIMIT 37",
                 "UPDATE later SET idempotency_key = 'later ' || idempotency_key, "
                 "created_at = (SELECT max(created_at) FROM idempotency_records)",
                 "INSERT INTO idempotency_records SELECT * FROM later" })
            ASSERT_TRUE((*connection)->execute(sql)) << sql;
    }
    model.refresh();
    settle(model);
    const auto moved = model.estimatedSize();
    EXPECT_TRUE(moved.exactness == Exactness::Estimate || moved.value == tableSize + 37) << moved.value;
    EXPECT_TRUE(eventually([&] {
        model.refresh();
        const auto size = model.estimatedSize();
        return size.value == tableSize + 37 && size.exactness == Exactness::Exact;
    }));
}

TEST_P(RealDatabaseTest, AFractionLandsWhereTheBarStands)
{
    ASSERT_TRUE(records());
    for (const auto& order : records()->orders) {
        RecordsModel model(m_session->reads());
        const auto set = model.setView(records(), QString(), QString::fromStdString(order), true);
        ASSERT_TRUE(set) << set.error().message;
        settle(model);
        model.jumpToFraction(0.5);
        settle(model);
        ASSERT_GT(model.rowCount(), 0) << order;
        const auto middle = model.rowAt(0).identity;
        model.jumpToEnd();
        settle(model);
        EXPECT_FALSE(model.moreAfter()) << order;
        if (order != "created")
            continue;
        model.jumpToBegin();
        settle(model);
        int guard = 0;
        while (model.rowOf(middle) < 0 && model.moreAfter() && ++guard < 100) {
            model.show(model.rowCount() - 40, model.rowCount() - 1);
            settle(model);
        }
        const auto row = model.rowOf(middle);
        ASSERT_GE(row, 0);
        EXPECT_NEAR(static_cast<double>(model.firstPosition() + row) / tableSize, 0.5, 0.2) << order;
    }
}

TEST_P(RealDatabaseTest, FindsWhatIsStuckFencesItAndShowsTheAudit)
{
    ASSERT_TRUE(records());
    RecordsModel model(m_session->reads());
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(model.setView(records(), QStringLiteral("state = IN_PROGRESS"), QString(), true));
    settle(model);
    ASSERT_EQ(model.rowCount(), m_filled.inProgress);
    model.selectEverything();
    auto resolving = model.resolveSelection();
    ASSERT_TRUE(eventually([&] { return resolving.isFinished(); }));
    const auto scope = resolving.result();
    ASSERT_TRUE(scope) << scope.error().message;
    ASSERT_EQ(static_cast<std::int64_t>(scope->identities.size()), m_filled.inProgress);

    auto planning = m_session->reads().run([binding = records(), scope = *scope](Backend& backend) {
        SystemRandom random;
        return makePlan(backend.inspector(), *binding,
            { .verb = "fence", .identities = scope.identities, .reason = "incident 4711", .actor = "ada@bench" },
            random);
    });
    ASSERT_TRUE(eventually([&] { return planning.isFinished(); }));
    const auto plan = planning.result();
    ASSERT_TRUE(plan) << plan.error().message << plan.error().detail;
    ASSERT_FALSE(plan->items.empty());

    QObject owner;
    const auto folder = std::make_shared<const PlanFolder>(m_database.folder() + QStringLiteral("/plans"));
    EXPECT_FALSE(m_session->carryOut(*plan, folder, &owner)) << "read-only until it is armed";
    ASSERT_TRUE(m_session->arm(std::chrono::minutes(5), QStringLiteral("incident 4711")));
    ASSERT_TRUE(eventually([&] { return m_session->status().arming != Arming::Arming; }));
    ASSERT_TRUE(m_session->armed());
    const auto run = m_session->carryOut(*plan, folder, &owner);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_TRUE(eventually([&] { return (*run)->state() == RunState::Finished; }));
    EXPECT_EQ((*run)->report().changed, static_cast<std::int64_t>(plan->items.size()))
        << ((*run)->report().items.empty() ? "" : (*run)->report().items.front().outcome.reason);
    EXPECT_EQ(folder->interrupted().size(), 0U);

    // The filter is about the old state: what was acted on is shown with its new one, and goes with its selection.
    const int rows = model.rowCount();
    int held = 0;
    model.noteChanged(scope->identities);
    settle(model);
    ASSERT_EQ(model.rowCount(), rows);
    for (int row = 0; row < rows; ++row) {
        EXPECT_TRUE(model.data(model.index(row, 0), RowsModelBase::ChangedRole).toBool());
        const auto seen = std::find_if(plan->items.begin(), plan->items.end(),
            [&](const PlanItem& item) { return item.identity == model.rowAt(row).identity; });
        ASSERT_NE(seen, plan->items.end());
        EXPECT_GT(model.rowAt(row).fence, seen->fence);
        held += model.rowAt(row).state == "HELD" ? 1 : 0;
    }
    EXPECT_GT(held, 0);
    EXPECT_FALSE(model.selection().empty());
    model.refresh();
    settle(model);
    EXPECT_TRUE(model.selection().empty());
    EXPECT_EQ(model.rowCount(), rows - held) << "what was held has left";

    AuditModel audit(m_session->reads());
    QAbstractItemModelTester auditTester(&audit, QAbstractItemModelTester::FailureReportingMode::Fatal);
    audit.showAll();
    settle(audit);
    EXPECT_EQ(audit.rowCount(), static_cast<int>(plan->items.size()) + 1) << "the arming and every row";
    audit.showRequest(QString::fromStdString(plan->requestId));
    settle(audit);
    EXPECT_EQ(audit.rowCount(), static_cast<int>(plan->items.size()));
    EXPECT_EQ(audit.rowAt(0).reason, "incident 4711");
    auto verdict = audit.verify();
    ASSERT_TRUE(eventually([&] { return verdict.isFinished(); }));
    ASSERT_TRUE(verdict.result());
    EXPECT_TRUE(verdict.result()->intact) << verdict.result()->reason;
}

INSTANTIATE_TEST_SUITE_P(Backends, RealDatabaseTest, test::bothDialects(), test::nameOfDialect);

} // namespace
} // namespace fencepost::models
