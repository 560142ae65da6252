// SPDX-License-Identifier: GPL-3.0-or-later
// The labelled points of protocol §3.12 that are the store's own, and what must hold at each. p20, a full disk or a
// connection that is cut at a reservation, a finalization or its answer, is in store_faults_test; p21 and p22 are the
// client's, in core/http.
#include <latch>
#include <thread>

#include "core/store/sql_effect_guard.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

namespace {

// Lets something happen between a store's look at a record and its write: the store reads its clock there.
class InterruptedClock final : public Clock {
public:
    explicit InterruptedClock(const Clock& clock)
        : m_clock(clock)
    {
    }
    [[nodiscard]] Time now() const override
    {
        if (interruption)
            std::exchange(interruption, nullptr)();
        return m_clock.now();
    }
    mutable std::function<void()> interruption;

private:
    const Clock& m_clock;
};

} // namespace

class CrashPoints : public StoreTest {
protected:
    // A finished record whose retention is over.
    Fence leaveOldRecord()
    {
        const auto reserved = reserve(1);
        EXPECT_EQ(reserved.outcome, Outcome::Execute);
        EXPECT_TRUE(subject().finalize(claim(1, reserved.record->fence), completion(201, "x")));
        clock.advance(25h);
        return reserved.record->fence;
    }
    ReapRequest atOnce() { return { .grace = Duration(0) }; }
};
INSTANTIATE_TEST_SUITE_P(Backends, CrashPoints, bothDialects(), nameOfDialect);

// p17. Oracle: one execution, as the first attempt of a new life, under a fence above every one of the old life.
TEST_P(CrashPoints, P17TheReaperDeletesBetweenTheLookAndTheInsert)
{
    const auto old = leaveOldRecord();
    auto reaper = open();
    InterruptedClock interrupted(clock);
    store::SqlStore retrying(*main.connection, { .clock = &interrupted, .bind = true });
    interrupted.interruption = [&] { EXPECT_EQ(value(reaper.store->reap(atOnce())).deleted, 1); };
    const auto again = value(retrying.reserve(reservation(2, "pay 11")));
    EXPECT_EQ(again.outcome, Outcome::Execute);
    EXPECT_EQ(again.record->attempt, 1);
    EXPECT_GT(again.record->fence, old);
    EXPECT_EQ(count("idempotency_records"), 1);
    EXPECT_EQ(value(subject().finalize(claim(1, old), completion(201, "y"))).outcome, Outcome::LostOwnership);
}

TEST_P(CrashPoints, P17TheReaperAndTwoClientsMeet)
{
    for (int round = 0; round < 20; ++round) {
        const auto key = "k" + std::to_string(round);
        const auto first = reserve(reservation(1, "p", key));
        ASSERT_TRUE(subject().finalize(claim(1, first.record->fence, key), completion(201, "x")));
        clock.advance(25h);
        auto one = open();
        auto other = open();
        auto reaper = open();
        std::latch together(3);
        std::optional<Result<Reserved>> ones;
        std::optional<Result<Reserved>> others;
        std::thread a([&] { together.arrive_and_wait(), ones = one.store->reserve(reservation(2, "p", key)); });
        std::thread b([&] { together.arrive_and_wait(), others = other.store->reserve(reservation(3, "p", key)); });
        together.arrive_and_wait();
        EXPECT_TRUE(reaper.store->reap(atOnce()));
        a.join();
        b.join();
        ASSERT_TRUE(*ones && *others);
        const int won = ((*ones)->outcome == Outcome::Execute) + ((*others)->outcome == Outcome::Execute);
        EXPECT_EQ(won, 1) << round;
        const auto now = record(key);
        ASSERT_TRUE(now);
        EXPECT_GT(now->fence, first.record->fence);
    }
}

// p19. Oracle on PostgreSQL: the database's clock decides, so nobody steals a live lease and nobody is refused his own.
// On SQLite, where all processes share one machine's clock, a step may end a lease early, and the fence keeps the old
// owner from finishing.
TEST_P(CrashPoints, P19AClockStepsByAnHour)
{
    for (const auto step : { Duration(1h), Duration(-1h) }) {
        const auto key = step > Duration(0) ? "ahead" : "behind";
        ManualClock stepped(SystemClock().now() + step);
        const auto node = open(false);
        store::SqlStore other(*node.connection, { .clock = &stepped });
        const auto right = open(false);
        const auto first = value(right.store->reserve(reservation(1, "p", key)));
        ASSERT_EQ(first.outcome, Outcome::Execute);
        const auto second = value(other.reserve(reservation(2, "p", key)));
        const bool stolen = sqlite() && step > Duration(0);
        EXPECT_EQ(second.outcome, stolen ? Outcome::Execute : Outcome::InFlight);
        const auto finished = value(right.store->finalize(claim(1, first.record->fence, key), completion(201, "x")));
        EXPECT_EQ(finished.outcome, stolen ? Outcome::LostOwnership : Outcome::Applied);
        if (stolen) {
            EXPECT_EQ(value(other.finalize(claim(2, second.record->fence, key), completion(201, "y"))).outcome,
                Outcome::Applied);
        }
        const auto replayed = value(right.store->reserve(reservation(3, "p", key)));
        EXPECT_EQ(replayed.outcome, Outcome::Replay);
        EXPECT_EQ(replayed.record->response.body, stolen ? "y" : "x");
    }
}

// p19 at p9: the stepped node ran the local effect as well. Oracle: one effect, whoever finished the record.
TEST_P(CrashPoints, P19AStolenLeaseDoesNotDoubleALocalEffect)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE refunds (id INTEGER)"));
    const auto effect = toHex(sha256("refund"));
    int turns = 0;
    for (const std::int64_t fence : { 2, 3, 2 }) {
        const auto done = subject().together([&]() -> Status {
            store::SqlEffectGuard guard(*main.connection, { .clock = &clock, .bind = true });
            const auto turn = guard.begin(effect, { fence }, {}, 24h);
            if (!turn || turn->turn != EffectTurn::Do)
                return turn ? Status() : Status(turn.error());
            ++turns;
            if (const auto row = main.connection->execute("INSERT INTO refunds VALUES (1)"); !row)
                return row;
            const auto marked = guard.done(effect, { fence }, "rf_1");
            return marked ? Status() : Status(marked.error());
        });
        EXPECT_TRUE(done);
    }
    EXPECT_EQ(turns, 1);
    EXPECT_EQ(count("refunds"), 1);
}
