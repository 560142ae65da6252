// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "core/profile/library.h"
#include "core/random.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "models/alerts_models.h"
#include "models/notebook.h"
#include "models/session.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using std::chrono::minutes;
using testing::eventually;

// A board over Fencepost's own tables, whose keys are reserved by workers that stand ten minutes before the session.
class AlertBoardTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    AlertBoardTest()
        : m_database(GetParam())
    {
    }
    ~AlertBoardTest() override { m_board.leave(); }
    void SetUp() override
    {
        ASSERT_EQ(m_database.problem(), "");
        m_profiles = std::move(*profile::shippedLibrary());
        const auto raw = m_database.connect();
        ASSERT_TRUE(raw);
        ASSERT_TRUE(store::initSchema(**raw, false));
        m_workers = std::move(*open(store::Access::ReadWrite));
        m_session = std::make_unique<Session>(SessionRequest{ .name = QStringLiteral("test"),
                                                  .openReads = [this] { return open(store::Access::ReadOnly); },
                                                  .actor = "ada@bench" },
            m_wall);
        m_session->open();
        ASSERT_TRUE(eventually([this] { return !m_session->bindings().empty(); }));
        m_board.setInterval(std::chrono::hours(1)); // a test looks when it wants to
    }
    Result<std::unique_ptr<Backend>> open(store::Access access)
    {
        return store::open({ .target = m_database.target(),
            .options = { .access = access },
            .profiles = &m_profiles,
            .auditPath = m_database.folder().toStdString() + "/audit.db" });
    }
    // A lease that is over as soon as it began: the database says so when this returns.
    Record reserve(const std::string& key)
    {
        Reservation reservation;
        reservation.id = { "payments", "charge", key };
        reservation.requestHash = sha256(key);
        reservation.owner = { uuid4(m_random) };
        reservation.lease = std::chrono::milliseconds(1);
        reservation.ttl = std::chrono::hours(24);
        auto reserved = m_workers->store().reserve(reservation);
        EXPECT_TRUE(reserved) << reserved.error().message;
        const auto stuck = parseAlertRule("stuck > 0");
        EXPECT_TRUE(eventually([&] {
            const auto reading = readAlert(m_workers->inspector(), *stuck, minutes(1));
            return reading && reading->value > 0;
        }));
        return reserved && reserved->record ? *reserved->record : Record();
    }
    void finish(const Record& record)
    {
        Reservation again;
        again.id = record.id;
        again.requestHash = record.requestHash;
        again.owner = { uuid4(m_random) };
        again.lease = minutes(5);
        again.ttl = std::chrono::hours(24);
        again.takeover = Takeover::Auto;
        const auto taken = m_workers->store().reserve(again);
        ASSERT_TRUE(taken && taken->record) << (taken ? "" : taken.error().message);
        ASSERT_TRUE(m_workers->store().finalize(
            { again.id, taken->record->owner, taken->record->fence }, { .response = { .code = 201 } }));
    }
    void look()
    {
        const auto before = m_board.lookedAt();
        m_wall.advance(std::chrono::seconds(1));
        m_board.look();
        ASSERT_TRUE(eventually([&] { return m_board.lookedAt() != before; }));
    }
    void watch(const QStringList& texts)
    {
        AlertSetup setup;
        for (const auto& text : texts)
            setup.rules.push_back({ .id = text, .text = text });
        m_board.watch(m_session.get(), QStringLiteral("one"), setup);
        ASSERT_TRUE(eventually([this] { return m_board.lookedAt().has_value(); }));
    }

    test::TempDatabase m_database;
    QTemporaryDir m_folder;
    ManualClock m_wall{ SystemClock().now() };
    SeededRandom m_random{ 7 };
    profile::Library m_profiles;
    std::unique_ptr<Backend> m_workers;
    Notebook m_notebook{ m_folder.filePath(QStringLiteral("notes")), m_wall };
    std::unique_ptr<Session> m_session;
    AlertBoard m_board{ m_wall, &m_notebook };
};

TEST_P(AlertBoardTest, TellsOnceThatARuleBeganAndOnceThatItEnded)
{
    const auto record = reserve("key-1");
    QSignalSpy told(&m_board, &AlertBoard::happened);
    watch({ QStringLiteral("stuck > 0") });
    EXPECT_EQ(m_board.over(), 1);
    look();
    look();
    EXPECT_EQ(told.size(), 1);
    EXPECT_TRUE(m_board.events().front().change.state.firing);
    finish(record);
    look();
    look();
    EXPECT_EQ(m_board.over(), 1) << "it may only have swung";
    look();
    EXPECT_EQ(m_board.over(), 0);
    EXPECT_EQ(told.size(), 2);
    ASSERT_EQ(m_notebook.all().size(), 2);
    EXPECT_TRUE(m_notebook.all()[0].text.startsWith(QStringLiteral("Alert: stuck > 0: 1 ")))
        << m_notebook.all()[0].text.toStdString();
    EXPECT_TRUE(m_notebook.all()[1].text.startsWith(QStringLiteral("Alert ended: stuck > 0")));
    EXPECT_EQ(m_notebook.all()[0].connection, QStringLiteral("one"));
}

TEST_P(AlertBoardTest, WhatSwingsAroundItsThresholdIsOneAlert)
{
    auto record = reserve("key-1");
    QSignalSpy told(&m_board, &AlertBoard::happened);
    watch({ QStringLiteral("stuck > 0") });
    finish(record);
    look();
    look();
    reserve("key-2");
    look();
    EXPECT_EQ(told.size(), 1);
    EXPECT_EQ(m_board.over(), 1);
}

TEST_P(AlertBoardTest, ARuleThatCannotBeReadOrDoesNotFitSaysSoAndTheOthersAreWatched)
{
    reserve("key-1");
    watch({ QStringLiteral("stock > 1"), QStringLiteral("stuck > 0") });
    EXPECT_EQ(standingOf(m_board.rules()[0]), QStringLiteral("Does not fit"));
    EXPECT_NE(m_board.rules()[0].error->message.find("There is no measure \"stock\""), std::string::npos);
    EXPECT_EQ(standingOf(m_board.rules()[1]), QStringLiteral("Over"));
    EXPECT_EQ(m_board.unread(), 1);
    EXPECT_EQ(m_board.setup().rules.size(), 2U) << "what cannot be read is kept";
}

TEST_P(AlertBoardTest, NothingIsWatchedWhileTheConnectionIsLost)
{
    watch({ QStringLiteral("stuck > 0") });
    EXPECT_EQ(m_board.state(), AlertBoard::Watch::Watching);
    const auto last = m_board.lookedAt();
    m_wall.advance(std::chrono::hours(5));
    EXPECT_EQ(m_board.state(), AlertBoard::Watch::NotWatched);
    EXPECT_EQ(m_board.lookedAt(), last);
    look();
    EXPECT_EQ(m_board.state(), AlertBoard::Watch::Watching);
}

TEST_P(AlertBoardTest, ASilencedRuleIsListedAndToldToNobodyElse)
{
    AlertSetup setup{ .rules = { { .id = QStringLiteral("a"), .text = QStringLiteral("stuck > 0") } } };
    setup.rules[0].silentUntil = m_wall.now() + minutes(15);
    reserve("key-1");
    m_board.watch(m_session.get(), QStringLiteral("one"), setup);
    ASSERT_TRUE(eventually([this] { return m_board.over() == 1; }));
    EXPECT_TRUE(m_board.events().front().silent);
    EXPECT_EQ(standingOf(m_board.rules()[0]), QStringLiteral("Over, silent"));
    m_wall.advance(minutes(16));
    look();
    EXPECT_EQ(standingOf(m_board.rules()[0]), QStringLiteral("Over"));
    m_board.silenceWhileOver(QStringLiteral("a"));
    EXPECT_TRUE(m_board.rules()[0].silent);
    EXPECT_EQ(alertSetupOf(toJson(m_board.setup())), m_board.setup());
}

TEST_P(AlertBoardTest, RulesAreAddedOnceEditedSwitchedOffAndRemoved)
{
    watch({ QStringLiteral("stuck > 100") });
    QSignalSpy kept(&m_board, &AlertBoard::setupChanged);
    EXPECT_FALSE(m_board.add(QStringLiteral("stuck 3")));
    EXPECT_EQ(m_board.add(QStringLiteral("stuck  >  100")).error().failure, Failure::Conflict);
    EXPECT_EQ(kept.size(), 0);
    m_board.suggest();
    EXPECT_EQ(m_board.rules().size(), 1 + suggestedRules().size());
    m_board.suggest();
    EXPECT_EQ(m_board.rules().size(), 1 + suggestedRules().size());
    const auto id = m_board.rules()[0].kept.id;
    EXPECT_TRUE(m_board.edit(id, QStringLiteral("stuck > 7")));
    EXPECT_FALSE(m_board.edit(id, QStringLiteral("stuck > 0"))) << "another rule says so";
    m_board.setOn(id, false);
    EXPECT_EQ(standingOf(*m_board.find(id)), QStringLiteral("Off"));
    m_board.remove(id);
    EXPECT_EQ(m_board.find(id), nullptr);
}

TEST_P(AlertBoardTest, ItsModelsKeepTheRulesOfItemModels)
{
    AlertRulesModel rules(m_board, m_wall);
    AlertEventsModel events(m_board, m_wall);
    const QAbstractItemModelTester ofRules(&rules, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester ofEvents(&events, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const auto record = reserve("key-1");
    watch({ QStringLiteral("stuck > 0") });
    ASSERT_TRUE(eventually([&] { return events.rowCount() == 1; }));
    EXPECT_EQ(rules.textAt(0, 0), QStringLiteral("Over"));
    EXPECT_EQ(rules.textAt(0, 2), QStringLiteral("1"));
    EXPECT_TRUE(events.textAt(0, 2).startsWith(QStringLiteral("stuck > 0: 1 ")));
    finish(record);
    for (int i = 0; i < AlertBoard::calmLooks; ++i)
        look();
    EXPECT_EQ(rules.textAt(0, 0), QStringLiteral("In bounds"));
    EXPECT_EQ(events.rowCount(), 2);
    m_board.leave();
    EXPECT_EQ(rules.rowCount() + events.rowCount(), 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, AlertBoardTest, test::bothDialects(), test::nameOfDialect);

} // namespace
} // namespace fencepost::models
