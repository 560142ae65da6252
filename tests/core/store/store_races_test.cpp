// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>

#include "core/store/writer_queue.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

namespace {

constexpr int threads = 16;
constexpr int rounds = 200;

struct Tally {
    std::atomic<int> won = 0;
    std::atomic<int> refused = 0;
    std::atomic<int> failed = 0;
    std::atomic<std::int64_t> fence = 0;
};

} // namespace

class StoreRaces : public StoreTest {
protected:
    // Every thread reserves the key of the round at the same time; exactly one may execute it.
    void race(const std::function<Result<Reserved>(int thread, const Reservation&)>& reserve,
        const std::function<void(int round)>& prepare)
    {
        std::vector<Tally> tallies(rounds);
        int round = 0;
        std::barrier ready(threads, [&]() noexcept {
            if (round < rounds)
                prepare(round);
        });
        std::barrier over(threads, [&]() noexcept { ++round; });
        std::vector<std::thread> running;
        for (int thread = 0; thread < threads; ++thread)
            running.emplace_back([&, thread] {
                while (true) {
                    ready.arrive_and_wait();
                    if (round >= rounds)
                        return;
                    auto& tally = tallies[static_cast<std::size_t>(round)];
                    const auto wish = reservation(1 + thread, "p", "race" + std::to_string(round));
                    const auto reserved = reserve(thread, wish);
                    if (!reserved) {
                        ++tally.failed;
                        ADD_FAILURE() << reserved.error().message << ": " << reserved.error().detail;
                    } else if (reserved->outcome == Outcome::Execute) {
                        ++tally.won;
                        tally.fence = reserved->record->fence.value;
                    } else if (reserved->outcome == Outcome::InFlight) {
                        ++tally.refused;
                    }
                    over.arrive_and_wait();
                }
            });
        for (auto& thread : running)
            thread.join();
        std::set<std::int64_t> fences;
        for (const auto& tally : tallies) {
            EXPECT_EQ(tally.won, 1);
            EXPECT_EQ(tally.refused, threads - 1);
            fences.insert(tally.fence);
        }
        EXPECT_EQ(fences.size(), static_cast<std::size_t>(rounds));
    }

    std::vector<OpenStore> openAll()
    {
        std::vector<OpenStore> stores;
        for (int i = 0; i < threads; ++i)
            stores.push_back(open());
        return stores;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, StoreRaces, bothDialects(), nameOfDialect);

TEST_P(StoreRaces, OfSixteenFirstReservationsOneWins)
{
    // A connection belongs to the thread that opened it; nobody else touches it while the race runs.
    const auto stores = openAll();
    race([&](int thread,
             const Reservation& wish) { return stores[static_cast<std::size_t>(thread)].store->reserve(wish); },
        [](int) {});
    EXPECT_EQ(count("idempotency_records"), rounds);
    EXPECT_EQ(count("idempotency_transitions"), rounds);
}

TEST_P(StoreRaces, OfSixteenTakeoversOneWins)
{
    const auto stores = openAll();
    race([&](int thread,
             const Reservation& wish) { return stores[static_cast<std::size_t>(thread)].store->reserve(wish); },
        [&](int round) {
            auto abandoned = reservation(99, "p", "race" + std::to_string(round));
            abandoned.lease = 1us;
            EXPECT_EQ(reserve(abandoned).outcome, Outcome::Execute);
            clock.advance(1us);
        });
    EXPECT_EQ(count("idempotency_transitions"), 2 * rounds);
}

TEST_P(StoreRaces, OfSixteenFencedOwnersNoneFinishes)
{
    const auto stores = openAll();
    const auto first = reserve(1);
    clock.advance(60s);
    const auto second = reserve(2);
    std::atomic<int> lost = 0;
    std::vector<std::thread> running;
    for (const auto& opened : stores)
        running.emplace_back([&] {
            const auto done = opened.store->finalize(claim(1, first.record->fence), completion(201, "zombie"));
            lost += done && done->outcome == Outcome::LostOwnership ? 1 : 0;
        });
    for (auto& thread : running)
        thread.join();
    EXPECT_EQ(lost, threads);
    EXPECT_EQ(record(), second.record);
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_EQ(conflicts[0].count, threads);
}

TEST_P(StoreRaces, AnAttackOfManyHashesAtOnceStaysBounded)
{
    const auto stores = openAll();
    const auto first = reserve(1);
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
        running.emplace_back([&, thread] {
            for (int i = 0; i < 8; ++i) {
                const auto wish = reservation(2, std::to_string(thread) + "/" + std::to_string(i));
                const auto refused = stores[static_cast<std::size_t>(thread)].store->reserve(wish);
                EXPECT_TRUE(refused) << refused.error().message << refused.error().detail;
                EXPECT_TRUE(refused && refused->outcome == Outcome::Mismatch);
            }
        });
    for (auto& thread : running)
        thread.join();
    EXPECT_EQ(record(), first.record);
    std::int64_t total = 0;
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    for (const auto& conflict : conflicts)
        total += conflict.count;
    EXPECT_EQ(conflicts.size(), 9U);
    EXPECT_EQ(total, threads * 8);
}

// Half of the threads take over records whose fences somebody wrote far ahead, each at another distance, while the
// others reserve new keys: whoever lets the counter jump must not let it step back behind a draw.
TEST_P(StoreRaces, NoFenceIsDrawnTwiceWhileTheCounterJumps)
{
    constexpr int jumpers = 8;
    constexpr int jumps = 12;
    for (int i = 0; i < jumpers; ++i)
        ASSERT_EQ(reserve(reservation(1, "p", "far" + std::to_string(i))).outcome, Outcome::Execute);
    std::barrier ready(threads);
    struct Leaving {
        std::barrier<>& ready;
        ~Leaving() { ready.arrive_and_drop(); } // a thread that failed keeps nobody waiting
    };
    std::mutex drawing;
    std::set<std::int64_t> drawn;
    const auto draw = [&](const Reserved& reserved, std::int64_t above) {
        ASSERT_EQ(reserved.outcome, Outcome::Execute);
        const auto fence = reserved.record->fence.value;
        const std::lock_guard lock(drawing);
        EXPECT_GT(fence, above);
        EXPECT_TRUE(drawn.insert(fence).second) << fence << " was drawn twice";
    };
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
        running.emplace_back([&, thread] {
            const Leaving leaving{ ready };
            const auto own = open();
            const auto key = "far" + std::to_string(thread);
            for (int jump = 0; jump < jumps; ++jump) {
                // Close to each other and far from the last ones, so that every jump of a round is somebody's step
                // back.
                const std::int64_t far = (jump + 1) * 10'000'000'000'000 + thread * 7919 % jumpers * 2;
                const bool jumping = thread < jumpers;
                if (jumping) {
                    const auto raise = own.connection->prepare("UPDATE idempotency_records SET lease_expires_at = "
                                                               "created_at, fence = "
                        + std::to_string(far) + " WHERE idempotency_key = '" + key + "'");
                    ASSERT_TRUE(raise && (*raise)->run());
                    (*raise)->finish();
                }
                ready.arrive_and_wait();
                if (jumping) {
                    const auto reserved = own.store->reserve(reservation(100 + jump, "p", key));
                    ASSERT_TRUE(reserved) << reserved.error().detail;
                    draw(*reserved, far);
                    continue;
                }
                for (int i = 0; i < 8; ++i) {
                    const auto fresh = std::to_string(thread) + "." + std::to_string(jump) + "." + std::to_string(i);
                    const auto reserved = own.store->reserve(reservation(1, "p", fresh));
                    ASSERT_TRUE(reserved) << reserved.error().detail;
                    draw(*reserved, 0);
                }
            }
        });
    for (auto& thread : running)
        thread.join();
    const auto last = reserve(reservation(1, "p", "last"));
    EXPECT_GT(last.record->fence.value, *drawn.rbegin());
}

TEST_P(StoreRaces, TheWriterQueueAnswersEveryCallerWithItsOwn)
{
    auto queue = store::WriterQueue::open(database.target(), { .access = store::Access::ReadWrite, .lockTimeout = 30s },
        { .clock = &clock, .bind = true });
    ASSERT_TRUE(queue);
    race([&](int, const Reservation& wish) { return (*queue)->reserve(wish); }, [](int) {});
    std::mutex mutex;
    std::set<std::int64_t> fences;
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
        running.emplace_back([&, thread] {
            for (int i = thread; i < rounds; i += threads) {
                const auto key = "own" + std::to_string(i);
                auto wish = reservation(1, "p", key);
                const auto reserved = (*queue)->reserve(wish);
                ASSERT_TRUE(reserved);
                // A malformed one must not take its commit with it.
                wish.requestHash = "short";
                EXPECT_EQ((*queue)->reserve(wish).has_value(), false);
                const auto done = (*queue)->finalize(claim(1, reserved->record->fence, key), completion(201, key));
                ASSERT_TRUE(done);
                EXPECT_EQ(done->record->response.body, key);
                const std::lock_guard lock(mutex);
                fences.insert(reserved->record->fence.value);
            }
        });
    for (auto& thread : running)
        thread.join();
    EXPECT_EQ(count("idempotency_records"), 2 * rounds);
    EXPECT_EQ(fences.size(), static_cast<std::size_t>(rounds));
}

// Drawn one after another inside, written once by the commit.
TEST_P(StoreRaces, FencesOfOneTransactionDifferAndAreNotDrawnAgain)
{
    const auto drawTwo = [&](const std::string& name, std::vector<std::int64_t>& drawn) -> Status {
        for (const auto* part : { "1", "2" }) {
            const auto reserved = subject().reserve(reservation(1, "p", name + part));
            if (!reserved)
                return reserved.error();
            drawn.push_back(reserved->record->fence.value);
        }
        return {};
    };
    std::vector<std::int64_t> lost;
    EXPECT_FALSE(subject().together([&]() -> Status {
        const auto two = drawTwo("lost", lost);
        return two ? Status(Error{ Failure::Conflict, "not this time", {} }) : two;
    }));
    EXPECT_FALSE(record("lost1"));
    std::vector<std::int64_t> kept;
    ASSERT_TRUE(subject().together([&] { return drawTwo("kept", kept); }));
    auto elsewhere = open();
    kept.push_back(value(elsewhere.store->reserve(reservation(1, "p", "elsewhere"))).record->fence.value);
    kept.push_back(reserve(reservation(1, "p", "after")).record->fence.value);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_EQ(std::set<std::int64_t>(kept.begin(), kept.end()).size(), kept.size());
}
