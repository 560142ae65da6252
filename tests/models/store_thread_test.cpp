// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/deliver.h"
#include "models/store_thread.h"
#include "tests/support/fake_backend.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;
using testing::FakeDatabase;
using testing::handleEvents;
using testing::openerOf;

class StoreThreadTest : public ::testing::Test {
protected:
    static auto info()
    {
        return [](Backend& backend) { return backend.inspector().info(); };
    }

    SystemClock m_clock;
    FakeDatabase m_database{ 1000 };
    StoreThread m_thread{ openerOf(m_database), m_clock,
        { .first = std::chrono::milliseconds(1), .longest = std::chrono::milliseconds(5) } };
};

TEST_F(StoreThreadTest, AnswersJobsInTheirOrder)
{
    std::vector<int> order;
    m_thread.start();
    std::vector<QFuture<Result<int>>> futures;
    for (int i = 0; i < 100; ++i)
        futures.push_back(m_thread.run([i, &order](Backend&) -> Result<int> {
            order.push_back(i);
            return i;
        }));
    futures.back().waitForFinished();
    ASSERT_EQ(order.size(), 100U);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
        EXPECT_EQ(*futures[static_cast<std::size_t>(i)].result(), i);
    }
    EXPECT_EQ(m_thread.link().state, Link::State::Open);
    EXPECT_GE(m_thread.usage().jobs, 100);
}

TEST_F(StoreThreadTest, DeliversInTheReceiversThread)
{
    m_thread.start();
    QObject receiver;
    std::thread::id where;
    std::string product;
    deliver(m_thread.run(info()), &receiver, [&](const Result<DatabaseInfo>& answer) {
        where = std::this_thread::get_id();
        product = answer->product;
    });
    ASSERT_TRUE(eventually([&] { return !product.empty(); }));
    EXPECT_EQ(where, std::this_thread::get_id());
    EXPECT_EQ(product, "Fake");
}

TEST_F(StoreThreadTest, DeliversNothingToTheDead)
{
    m_database.block();
    m_thread.start();
    m_database.release();
    m_thread.run(info()).waitForFinished();
    m_database.block();
    bool called = false;
    auto receiver = std::make_unique<QObject>();
    auto future = m_thread.run(info());
    deliver(future, receiver.get(), [&](const Result<DatabaseInfo>&) { called = true; });
    receiver.reset();
    m_database.release();
    future.waitForFinished();
    handleEvents();
    EXPECT_FALSE(called);
}

TEST_F(StoreThreadTest, TheNewestQuestionWinsAndInterruptsTheOlder)
{
    m_thread.start();
    m_thread.run(info()).waitForFinished();
    Latest<Result<std::string>> latest;
    std::vector<std::string> answers;
    const auto ask = [&](const std::string& word) {
        latest.start(
            m_thread,
            [word](Backend& backend) -> Result<std::string> {
                const auto answer = backend.inspector().info();
                if (!answer)
                    return answer.error();
                return word;
            },
            [&](const Result<std::string>& answer) { answers.push_back(answer ? *answer : answer.error().message); });
    };
    m_database.block();
    ask("older");
    ASSERT_TRUE(eventually([&] { return m_database.waiting() == 1; }));
    ask("newer");
    ASSERT_TRUE(eventually([&] { return m_database.interrupts() == 1 && m_database.waiting() == 1; }));
    m_database.release();
    ASSERT_TRUE(eventually([&] { return !answers.empty(); }));
    handleEvents();
    EXPECT_EQ(answers, std::vector<std::string>({ "newer" }));
}

TEST_F(StoreThreadTest, InterruptsTheRunningStatementWhenAsked)
{
    m_thread.start();
    m_thread.run(info()).waitForFinished();
    m_database.block();
    auto future = m_thread.run(info());
    ASSERT_TRUE(eventually([&] { return m_database.waiting() == 1; }));
    m_thread.cancelRunning();
    future.waitForFinished();
    ASSERT_FALSE(future.result());
    EXPECT_EQ(future.result().error().failure, Failure::Cancelled);
    m_database.release();
    auto next = m_thread.run(info());
    next.waitForFinished();
    EXPECT_TRUE(next.result());
}

TEST_F(StoreThreadTest, StopsWhileAJobRunsAndCancelsWhatWaits)
{
    m_thread.start();
    m_thread.run(info()).waitForFinished();
    m_database.block();
    auto running = m_thread.run(info());
    auto queued = m_thread.run(info());
    ASSERT_TRUE(eventually([&] { return m_database.waiting() == 1; }));
    bool stopped = false;
    QObject::connect(&m_thread, &StoreThread::stopped, &m_thread, [&] { stopped = true; });
    m_thread.stop();
    queued.waitForFinished();
    EXPECT_TRUE(queued.isCanceled());
    EXPECT_EQ(queued.resultCount(), 0);
    ASSERT_TRUE(eventually([&] { return stopped; }));
    EXPECT_EQ(m_thread.link().state, Link::State::Stopped);
    auto late = m_thread.run(info());
    late.waitForFinished();
    EXPECT_TRUE(late.isCanceled());
}

TEST_F(StoreThreadTest, ReconnectsAfterTheConnectionWasLost)
{
    std::vector<Link::State> states;
    QObject::connect(
        &m_thread, &StoreThread::linkChanged, &m_thread, [&](const Link& link) { states.push_back(link.state); });
    m_thread.start();
    m_thread.run(info()).waitForFinished();
    m_database.lose();
    auto refused = m_thread.run(info());
    refused.waitForFinished();
    ASSERT_FALSE(refused.result());
    EXPECT_EQ(refused.result().error().failure, Failure::Unavailable);
    ASSERT_TRUE(eventually([&] { return m_thread.link().attempt >= 3; })) << "it tries again and again";
    auto meanwhile = m_thread.run(info());
    meanwhile.waitForFinished();
    EXPECT_EQ(meanwhile.result().error().failure, Failure::Unavailable) << "nobody waits for a lost connection";
    const auto since = m_thread.link().since;
    m_database.restore();
    ASSERT_TRUE(eventually([&] { return m_thread.link().state == Link::State::Open; }));
    EXPECT_GE(m_thread.link().since, since);
    auto answered = m_thread.run(info());
    answered.waitForFinished();
    EXPECT_TRUE(answered.result());
    handleEvents();
    EXPECT_EQ(states.front(), Link::State::Connecting);
    EXPECT_EQ(states.back(), Link::State::Open);
}

TEST_F(StoreThreadTest, AnErrorOfOneStatementIsNoLostConnection)
{
    m_thread.start();
    m_thread.run(info()).waitForFinished();
    auto locked = m_thread.run([](Backend&) -> Result<int> {
        return Error{ Failure::Unavailable, "The row is locked.", {}, "55P03" };
    });
    locked.waitForFinished();
    EXPECT_EQ(m_thread.link().state, Link::State::Open);
}

TEST_F(StoreThreadTest, AWrongPasswordIsNotTriedAgainUntilAsked)
{
    m_database.breakWith(Error{ Failure::Denied, "The password is wrong.", {}, "28P01" });
    m_thread.start();
    ASSERT_TRUE(eventually([&] { return m_thread.link().state == Link::State::Failed; }));
    EXPECT_EQ(m_thread.link().error->failure, Failure::Denied);
    auto refused = m_thread.run(info());
    refused.waitForFinished();
    EXPECT_EQ(refused.result().error().failure, Failure::Denied);
    m_database.restore();
    m_thread.reconnect();
    ASSERT_TRUE(eventually([&] { return m_thread.link().state == Link::State::Open; }));
}

TEST_F(StoreThreadTest, RunsAgainWhatAnInterruptHitByMistake)
{
    m_thread.start();
    int calls = 0;
    auto future = m_thread.run([&calls](Backend&) -> Result<int> {
        if (++calls == 1)
            return Error{ Failure::Cancelled, "The statement was stopped.", {}, "57014" };
        return calls;
    });
    future.waitForFinished();
    EXPECT_EQ(*future.result(), 2);
}

} // namespace
} // namespace fencepost::models
