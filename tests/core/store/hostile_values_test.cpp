// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <map>

#include "core/operations/operation.h"
#include "core/profile/library.h"
#include "core/store/sql_inspector.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

// Instants and counters that nobody of ours writes: the ends of their ranges, years that no calendar has.
class HostileValues : public StoreTest {
protected:
    struct Instant {
        std::string value; // as SQL
        bool ahead; // of every clock
    };

    [[nodiscard]] std::vector<Instant> instants() const
    {
        if (sqlite())
            return { { "9223372036854775807", true }, { "9223372036854775806", true }, { "4611686018427387904", true },
                { "-9223372036854775807 - 1", false }, { "-9223372036854775807", false }, { "-1", false } };
        return { { "'infinity'", true }, { "'294276-12-31 23:59:59.999999+00'", true }, { "'100000-01-01+00'", true },
            { "'-infinity'", false }, { "'4713-01-01 00:00:00+00 BC'", false }, { "'0001-01-01+00'", false } };
    }

    [[nodiscard]] std::vector<std::string> counters() const
    {
        if (sqlite())
            return { "9223372036854775807", "-9223372036854775807 - 1", "2147483647", "2147483648", "-2147483648" };
        return { "2147483647", "-2147483648" };
    }

    void run(const std::string& sql)
    {
        const auto done = main.connection->execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().message << " " << done.error().detail;
    }

    void set(const std::string& column, const std::string& value)
    {
        run("UPDATE idempotency_records SET " + column + " = " + value);
    }

    void forget()
    {
        run("DELETE FROM idempotency_records");
        run("DELETE FROM idempotency_transitions");
    }

    // Refused in words, or done: never anything else.
    template <typename T> void expectOrderly(const Result<T>& result, const std::string& what)
    {
        if (result)
            return;
        EXPECT_TRUE(result.error().failure == Failure::Corrupt || result.error().failure == Failure::Invalid)
            << what << ": " << nameOf(result.error().failure) << ": " << result.error().message;
    }

    // Everything that anybody may do with a record, each on a record of its own that holds the value.
    void tryEverything(const std::string& column, const std::string& value)
    {
        const std::map<std::string, std::function<void(Fence)>> acts = {
            { "reserve", [&](Fence) { expectOrderly(subject().reserve(reservation(2)), "reserve"); } },
            { "renew", [&](Fence fence) { expectOrderly(subject().renew(claim(1, fence), 60s), "renew"); } },
            { "advance",
                [&](Fence fence) {
                    expectOrderly(subject().advance(claim(1, fence), "paid", std::nullopt), "advance");
                } },
            { "finalize",
                [&](Fence fence) {
                    expectOrderly(subject().finalize(claim(1, fence), completion(201, "x")), "finalize");
                } },
            { "fail",
                [&](Fence fence) {
                    expectOrderly(subject().fail(claim(1, fence), { .retryable = true, .retryAfter = 5s }), "fail");
                } },
            { "hold", [&](Fence fence) { expectOrderly(subject().hold(claim(1, fence), "asked"), "hold"); } },
            { "fence",
                [&](Fence fence) {
                    expectOrderly(subject().intervene({ operatorEvent(Event::OperatorFence, fence) }), "fence");
                } },
            { "release",
                [&](Fence fence) {
                    expectOrderly(subject().intervene({ operatorEvent(Event::OperatorRelease, fence) }), "release");
                } },
            { "expire",
                [&](Fence fence) {
                    expectOrderly(subject().intervene({ operatorEvent(Event::OperatorExpire, fence) }), "expire");
                } },
            { "reap", [&](Fence) { expectOrderly(subject().reap({ .orphanGrace = 1h }), "reap"); } },
        };
        for (const auto& [name, act] : acts) {
            SCOPED_TRACE(column + " = " + value + ": " + name);
            forget();
            const auto fence = reserve(1).record->fence;
            set(column, value);
            act(fence);
            expectOrderly(subject().find({ "s", "o", "k" }), "find");
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, HostileValues, bothDialects(), nameOfDialect);

TEST_P(HostileValues, ALeaseBeyondEveryClockIsLiveAndOneBeforeItIsPast)
{
    for (const auto& [value, ahead] : instants()) {
        SCOPED_TRACE(value);
        forget();
        reserve(1);
        set("lease_expires_at", value);
        EXPECT_EQ(reserve(2).outcome, ahead ? Outcome::InFlight : Outcome::Execute);
    }
}

TEST_P(HostileValues, ARetentionBeyondEveryClockIsKeptAndOneBeforeItIsOver)
{
    for (const auto& [value, ahead] : instants()) {
        SCOPED_TRACE(value);
        forget();
        const auto fence = reserve(1).record->fence;
        StoreTest::value(subject().finalize(claim(1, fence), completion(201, "x")));
        set("expires_at", value);
        EXPECT_EQ(shownState(*record(), clock.now()), ahead ? State::Succeeded : State::Expired);
        const auto reaped = StoreTest::value(subject().reap({ .grace = 1h }));
        EXPECT_EQ(reaped.deleted, ahead ? 0 : 1);
        EXPECT_EQ(reserve(2).outcome, ahead ? Outcome::Replay : Outcome::Execute);
    }
}

TEST_P(HostileValues, NoInstantMakesAnythingOverflow)
{
    for (const auto* column : { "lease_expires_at", "expires_at", "started_at", "updated_at", "created_at",
             "not_before", "tombstone_until", "first_sent_at" })
        for (const auto& instant : instants())
            tryEverything(column, instant.value);
}

TEST_P(HostileValues, NoCounterMakesAnythingOverflow)
{
    for (const auto* column : { "attempt", "max_attempts" })
        for (const auto& counter : counters())
            tryEverything(column, counter);
}

TEST_P(HostileValues, SpansThatNoRecordIsKeptForAreRefused)
{
    const auto forever = Duration::max();
    auto wish = reservation(1);
    wish.lease = forever;
    EXPECT_EQ(subject().reserve(wish).error().failure, Failure::Invalid);
    wish = reservation(1);
    wish.ttl = forever;
    EXPECT_EQ(subject().reserve(wish).error().failure, Failure::Invalid);
    const auto fence = reserve(1).record->fence;
    EXPECT_EQ(subject().renew(claim(1, fence), forever).error().failure, Failure::Invalid);
    auto done = completion(201, "x");
    done.ttl = forever;
    EXPECT_EQ(subject().finalize(claim(1, fence), done).error().failure, Failure::Invalid);
    EXPECT_EQ(subject().fail(claim(1, fence), { .retryable = true, .retryAfter = forever }).error().failure,
        Failure::Invalid);
    EXPECT_EQ(subject().reap({ .grace = forever }).error().failure, Failure::Invalid);
    EXPECT_EQ(record()->status, State::InProgress);
}

// The console reads such rows as it reads others, and says the same of them as the store does.
TEST_P(HostileValues, AreShownAndPlannedLikeOthers)
{
    const auto library = *profile::shippedLibrary();
    for (const auto& [value, ahead] : instants()) {
        SCOPED_TRACE(value);
        forget();
        reserve(1);
        for (const auto* column : { "lease_expires_at", "started_at", "updated_at" })
            set(column, value);
        const auto inspector = StoreTest::value(store::SqlInspector::create(
            *main.connection, { .clock = &clock, .bindClock = true, .profiles = &library, .auditPath = {} }));
        const auto bindings = StoreTest::value(inspector->bindings(true));
        const auto& records = *std::find_if(bindings.begin(), bindings.end(),
            [](const Binding& binding) { return binding.name == "idempotency_records"; });
        for (const auto* order : { "created", "lease", "key", "expires" }) {
            PageRequest request;
            request.order = order;
            const auto page = StoreTest::value(inspector->page(records, request));
            ASSERT_EQ(page.rows.size(), 1U) << order;
            EXPECT_EQ(page.rows[0].stuck, !ahead) << order;
            for (const auto& operation : operations()) {
                static_cast<void>(operation.whyNot(records, page.rows[0], page.now));
                static_cast<void>(operation.effect(records, page.rows[0], page.now, {}));
                static_cast<void>(operation.warning(records, page.rows[0], page.now, {}));
            }
        }
        EXPECT_EQ(StoreTest::value(inspector->counts(records, nullptr, 5s)).stuck.value, ahead ? 0 : 1);
        EXPECT_TRUE(StoreTest::value(inspector->details(records, { "s", "o", "k" }, 100)));
    }
}
