// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "core/simulation/memory_store.h"
#include "core/store/unfinished.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

// Where a store keeps its records.
enum class Kept { Sqlite, PostgreSql, Memory };

void PrintTo(Kept kept, std::ostream* out)
{
    *out << (kept == Kept::Sqlite ? "SQLite" : kept == Kept::PostgreSql ? "PostgreSQL" : "memory");
}

std::string nameOfKept(const ::testing::TestParamInfo<Kept>& info)
{
    return info.param == Kept::Sqlite ? "Sqlite" : info.param == Kept::PostgreSql ? "PostgreSql" : "Memory";
}

// Every row of protocol.md §3.3 on both databases, and on the memory that the simulator has in their place. What a row
// is called there stands in the name of its test.
class StoreContract : public StoreWords<Kept> {
protected:
    void SetUp() override
    {
        if (GetParam() == Kept::Memory) {
            memory.emplace(clock);
            return;
        }
        database.emplace(GetParam() == Kept::Sqlite ? store::Dialect::Sqlite : store::Dialect::PostgreSql);
        ASSERT_EQ(database->problem(), "");
        main = openStore(*database, &clock);
        ASSERT_TRUE(main.store);
        const auto made = store::initSchema(*main.connection, false);
        ASSERT_TRUE(made) << made.error().message << ": " << made.error().detail;
    }

    Store& subject() override { return memory ? static_cast<Store&>(*memory) : static_cast<Store&>(*main.store); }
    std::int64_t count(const std::string& table)
    {
        if (!memory)
            return countRows(*main.connection, table);
        const auto rows = table == "idempotency_records" ? memory->records()
            : table == "idempotency_transitions"         ? memory->entries()
                                                         : memory->conflictCount();
        return std::int64_t(rows);
    }
    // Somebody empties the table by hand.
    void forgetRecords()
    {
        if (memory)
            memory->forgetAll();
        else
            EXPECT_TRUE(main.connection->execute("DELETE FROM idempotency_records"));
    }

    std::optional<TempDatabase> database;
    OpenStore main;
    std::optional<simulation::MemoryStore> memory;
};

// What only a table can be brought to, by whoever writes it by hand.
class StoreTableContract : public StoreTest { };

INSTANTIATE_TEST_SUITE_P(
    Backends, StoreContract, ::testing::Values(Kept::Sqlite, Kept::PostgreSql, Kept::Memory), nameOfKept);
INSTANTIATE_TEST_SUITE_P(Backends, StoreTableContract, bothDialects(), nameOfDialect);

TEST_P(StoreContract, Row1TheFirstReservationExecutes)
{
    const auto reserved = reserve(1);
    ASSERT_EQ(reserved.outcome, Outcome::Execute);
    EXPECT_EQ(reserved.now, start);
    const auto stored = record();
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored, reserved.record);
    EXPECT_EQ(stored->status, State::InProgress);
    EXPECT_EQ(stored->owner, ownerOf(1));
    EXPECT_EQ(stored->attempt, 1);
    EXPECT_GT(stored->fence.value, 0);
    EXPECT_EQ(stored->leaseExpiresAt, start + 60s);
    EXPECT_EQ(stored->expiresAt, start + 24h);
    EXPECT_EQ(stored->createdAt, start);
    EXPECT_EQ(stored->payloadHash, hashOf("body of pay 10"));
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve");
}

TEST_P(StoreContract, Row2AStaleKeyIsRefusedAndNothingIsStored)
{
    auto wish = reservation(1);
    wish.staleKey = StaleKey::Reject;
    wish.keyTime = start - 24h;
    EXPECT_EQ(reserve(wish).outcome, Outcome::KeyExpired);
    EXPECT_FALSE(record());
    EXPECT_EQ(path(), "");
    wish.keyTime = start - 24h + 1us;
    EXPECT_EQ(reserve(wish).outcome, Outcome::Execute);
    // It may be taken over although it is stale by now: it was accepted.
    clock.advance(60s);
    wish.owner = ownerOf(2);
    EXPECT_EQ(reserve(wish).outcome, Outcome::Execute);
    value(subject().finalize(claim(2, record()->fence), completion(201, "done")));
    clock.advance(25h);
    EXPECT_EQ(reserve(wish).outcome, Outcome::KeyExpired);
}

TEST_P(StoreContract, Row3AMismatchNeverTouchesTheRecord)
{
    reserve(1);
    const auto before = record();
    for (int i = 0; i < 3; ++i) {
        clock.advance(1s);
        const auto other = reserve(2, "pay 1000");
        EXPECT_EQ(other.outcome, Outcome::Mismatch);
    }
    EXPECT_EQ(record(), before);
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_EQ(conflicts[0].kind, "mismatch");
    EXPECT_EQ(conflicts[0].presentedHash, hashOf("pay 1000"));
    EXPECT_EQ(conflicts[0].principal, "ann");
    EXPECT_EQ(conflicts[0].count, 3);
    EXPECT_EQ(conflicts[0].firstAt, start + 1s);
    EXPECT_EQ(conflicts[0].lastAt, start + 3s);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS mismatch");
}

TEST_P(StoreContract, Row4And5TheLeaseEndsAtItsMicrosecond)
{
    const auto first = reserve(1);
    clock.set(start + 60s - 1us);
    const auto duplicate = reserve(2);
    EXPECT_EQ(duplicate.outcome, Outcome::InFlight);
    EXPECT_EQ(duplicate.record, first.record);
    clock.set(start + 60s);
    const auto takeover = reserve(2);
    ASSERT_EQ(takeover.outcome, Outcome::Execute);
    EXPECT_EQ(takeover.record->attempt, 2);
    EXPECT_GT(takeover.record->fence, first.record->fence);
    EXPECT_EQ(takeover.record->createdAt, start);
    EXPECT_EQ(takeover.record->startedAt, start + 60s);
    EXPECT_EQ(record(), takeover.record);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS reserve");
}

TEST_P(StoreContract, Row5ATakeoverKeepsTheRecoveryPoint)
{
    const auto first = reserve(1);
    value(subject().advance(claim(1, first.record->fence), "charged", R"({"charge":"ch_1"})"));
    clock.advance(61s);
    const auto takeover = reserve(2);
    EXPECT_EQ(takeover.record->recoveryPoint, "charged");
    EXPECT_EQ(takeover.record->recoveryData, R"({"charge":"ch_1"})");
}

TEST_P(StoreContract, Row5SpentAttemptsBecomeAHold)
{
    auto wish = reservation(1);
    wish.maxAttempts = 2;
    reserve(wish);
    clock.advance(60s);
    wish.owner = ownerOf(2);
    EXPECT_EQ(reserve(wish).outcome, Outcome::Execute);
    clock.advance(60s);
    wish.owner = ownerOf(3);
    const auto held = reserve(wish);
    EXPECT_EQ(held.outcome, Outcome::Held);
    EXPECT_EQ(held.record->holdReason, "attempts_exhausted");
    EXPECT_EQ(record(), held.record);
    EXPECT_EQ(reserve(wish).outcome, Outcome::Held);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS reserve | IN_PROGRESS>HELD reserve");
}

TEST_P(StoreContract, Row6And7ReconcileLearnsTheOutcome)
{
    auto wish = reservation(1);
    wish.takeover = Takeover::Manual;
    const auto first = reserve(wish);
    const auto seen = first.record->fence;
    EXPECT_EQ(value(subject().reconcile(wish.id, seen, Evidence::Applied, completion(200, "x"), "hook")).outcome,
        Outcome::Refused);
    clock.advance(60s);
    EXPECT_EQ(value(subject().reconcile(wish.id, Fence{ seen.value + 50 }, Evidence::Applied, {}, "hook")).outcome,
        Outcome::LostOwnership);
    const auto done = value(subject().reconcile(wish.id, seen, Evidence::Applied, completion(200, "x"), "hook"));
    EXPECT_EQ(done.outcome, Outcome::Applied);
    EXPECT_EQ(done.record->status, State::Succeeded);
    EXPECT_GT(done.record->fence, seen);
    EXPECT_EQ(record(), done.record);
    EXPECT_EQ(reserve(wish).outcome, Outcome::Replay);
}

TEST_P(StoreContract, Row7AManualRecordIsHeldWhenItsLeaseEnds)
{
    auto wish = reservation(1);
    wish.takeover = Takeover::Manual;
    reserve(wish);
    clock.advance(60s);
    wish.owner = ownerOf(2);
    const auto held = reserve(wish);
    EXPECT_EQ(held.outcome, Outcome::Held);
    EXPECT_EQ(held.record->holdReason, "outcome_unknown");
    EXPECT_EQ(held.record->owner, ownerOf(1));
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>HELD reserve");
}

TEST_P(StoreContract, Row8RenewsInTimeSilentlyAndLateWithAnEntry)
{
    const auto first = reserve(1);
    const auto mine = claim(1, first.record->fence);
    clock.advance(30s);
    const auto renewed = value(subject().renew(mine, 60s));
    EXPECT_EQ(renewed.outcome, Outcome::Applied);
    EXPECT_EQ(record()->leaseExpiresAt, start + 90s);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve");
    clock.advance(5min);
    EXPECT_EQ(value(subject().renew(mine, 60s)).outcome, Outcome::Applied);
    EXPECT_EQ(record()->leaseExpiresAt, start + 30s + 5min + 60s);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS renew");
    value(subject().hold(mine, ""));
    EXPECT_EQ(value(subject().renew(mine, 60s)).outcome, Outcome::Refused);
}

TEST_P(StoreContract, Row9AdvancesItsRecoveryPoint)
{
    const auto first = reserve(1);
    const auto advanced = value(subject().advance(claim(1, first.record->fence), "charged", R"({"a":1})"));
    EXPECT_EQ(advanced.outcome, Outcome::Applied);
    EXPECT_EQ(record()->recoveryPoint, "charged");
    const auto kept = value(subject().advance(claim(1, first.record->fence), "mailed", std::nullopt));
    EXPECT_EQ(kept.record->recoveryData, R"({"a":1})");
    const auto bad = subject().advance(claim(1, first.record->fence), "x", "no json");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().failure, Failure::Invalid) << bad.error().detail;
    EXPECT_EQ(record(), kept.record);
}

TEST_P(StoreContract, Row10FinalizesOnceAndReplaysTheSameBytes)
{
    const auto first = reserve(1);
    clock.advance(1s);
    const auto done = value(subject().finalize(claim(1, first.record->fence), completion(201, "rf_123")));
    EXPECT_EQ(done.outcome, Outcome::Applied);
    EXPECT_EQ(done.record->status, State::Succeeded);
    EXPECT_EQ(done.record->completedAt, start + 1s);
    // As long again as it was reserved for.
    EXPECT_EQ(done.record->expiresAt, start + 1s + 24h);
    // P-003: the fingerprints survive the end.
    EXPECT_EQ(done.record->requestHash, hashOf("pay 10"));
    EXPECT_EQ(done.record->payloadHash, hashOf("body of pay 10"));
    const auto replay = reserve(2);
    EXPECT_EQ(replay.outcome, Outcome::Replay);
    EXPECT_EQ(replay.record, done.record);
    EXPECT_EQ(replay.record->response, completion(201, "rf_123").response);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>SUCCEEDED finalize");
    EXPECT_EQ(reserve(3, "pay 11").outcome, Outcome::Mismatch);
}

TEST_P(StoreContract, Row11FailsFinally)
{
    const auto first = reserve(1);
    auto failing = Failing{ .retryable = false, .completion = completion(422, "no") };
    failing.completion.errorCode = "VALIDATION.amount";
    failing.completion.ttl = 7 * 24h;
    const auto failed = value(subject().fail(claim(1, first.record->fence), failing));
    EXPECT_EQ(failed.record->status, State::FailedFinal);
    EXPECT_EQ(failed.record->errorCode, "VALIDATION.amount");
    EXPECT_EQ(failed.record->expiresAt, start + 7 * 24h);
    EXPECT_EQ(reserve(2).outcome, Outcome::Replay);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>FAILED_FINAL fail");
}

TEST_P(StoreContract, Row12And14FailsForNowAndIsRetriedWhenTheDelayIsOver)
{
    const auto first = reserve(1);
    const auto failed = value(subject().fail(claim(1, first.record->fence), { .retryable = true, .retryAfter = 5s }));
    EXPECT_EQ(failed.record->status, State::FailedRetryable);
    EXPECT_EQ(failed.record->notBefore, start + 5s);
    // P-053: the fingerprint stays.
    EXPECT_EQ(reserve(2, "pay 11").outcome, Outcome::Mismatch);
    clock.set(start + 5s - 1us);
    EXPECT_EQ(reserve(2).outcome, Outcome::RetryLater);
    clock.set(start + 5s);
    const auto retried = reserve(2);
    EXPECT_EQ(retried.outcome, Outcome::Execute);
    EXPECT_EQ(retried.record->attempt, 2);
    EXPECT_FALSE(retried.record->notBefore);
    EXPECT_EQ(record(), retried.record);
    EXPECT_EQ(path(),
        "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>FAILED_RETRYABLE fail | FAILED_RETRYABLE>FAILED_RETRYABLE mismatch"
        " | FAILED_RETRYABLE>IN_PROGRESS reserve");
}

TEST_P(StoreContract, Row14IsARetryBehindTheExpiryToo)
{
    const auto first = reserve(1);
    value(subject().fail(claim(1, first.record->fence), { .retryable = true, .retryAfter = 5s }));
    clock.advance(25h);
    EXPECT_EQ(reserve(2).record->attempt, 2);
    clock.advance(25h);
    EXPECT_EQ(reserve(3).record->attempt, 3);
    const auto entries = value(subject().journal({ "s", "o", "k" }));
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[2].fromState, "EXPIRED");
    EXPECT_EQ(entries[2].reason, "retried");
    EXPECT_EQ(entries[3].fromState, "EXPIRED");
    EXPECT_EQ(entries[3].reason, "taken over");
}

TEST_P(StoreContract, Row12TheLastAttemptFailsFinally)
{
    auto wish = reservation(1);
    wish.maxAttempts = 1;
    const auto first = reserve(wish);
    Failing failing{ .retryable = true, .retryAfter = 5s, .completion = completion(503, "later") };
    const auto failed = value(subject().fail(claim(1, first.record->fence), failing));
    EXPECT_EQ(failed.outcome, Outcome::Applied);
    EXPECT_EQ(failed.record->status, State::FailedFinal);
    EXPECT_EQ(failed.record->response.code, 503);
    EXPECT_EQ(record(), failed.record);
}

TEST_P(StoreContract, Row12TheLastAttemptsFailureIsReplayed)
{
    auto wish = reservation(1);
    wish.maxAttempts = 1;
    const auto first = reserve(wish);
    const auto failed = value(subject().fail(claim(1, first.record->fence), { .retryable = true }));
    EXPECT_EQ(failed.record->status, State::FailedFinal);
    EXPECT_EQ(failed.record->response.code, 503);
    EXPECT_EQ(failed.record->errorCode, "DEPENDENCY.unavailable");
    const auto replay = reserve(2);
    EXPECT_EQ(replay.outcome, Outcome::Replay);
    EXPECT_EQ(replay.record, failed.record);
}

TEST_P(StoreContract, Row13AHoldForTheSameReasonIsJournalledOnce)
{
    const auto first = reserve(1);
    const auto mine = claim(1, first.record->fence);
    const auto held = value(subject().hold(mine, "no answer"));
    clock.advance(1s);
    for (int i = 0; i < 3; ++i) {
        const auto again = value(subject().hold(mine, "no answer"));
        EXPECT_EQ(again.outcome, Outcome::Applied);
        EXPECT_EQ(again.record, held.record);
    }
    EXPECT_EQ(record(), held.record);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>HELD hold");
    EXPECT_EQ(value(subject().hold(mine, "asked the bank")).record->holdReason, "asked the bank");
}

TEST_P(StoreContract, Row13HoldsAnAmbiguousEffectUntilTheOwnerKnows)
{
    const auto first = reserve(1);
    const auto mine = claim(1, first.record->fence);
    const auto held = value(subject().hold(mine, "no answer from the bank"));
    EXPECT_TRUE(held.record->hold);
    EXPECT_EQ(held.record->holdReason, "no answer from the bank");
    clock.advance(2min);
    EXPECT_EQ(reserve(2).outcome, Outcome::Held);
    const auto done = value(subject().finalize(mine, completion(200, "ok")));
    EXPECT_EQ(done.outcome, Outcome::Applied);
    EXPECT_FALSE(done.record->hold);
    EXPECT_EQ(path(), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>HELD hold | HELD>SUCCEEDED finalize");
}

TEST_P(StoreContract, Row15AReleasedRecordWithoutAttemptsLeftFailsFinally)
{
    auto wish = reservation(1);
    wish.maxAttempts = 1;
    const auto first = reserve(wish);
    clock.advance(60s);
    value(subject().intervene({ operatorEvent(Event::OperatorRelease, first.record->fence) }));
    wish.owner = ownerOf(2);
    const auto spent = reserve(wish);
    EXPECT_EQ(spent.outcome, Outcome::Replay);
    EXPECT_EQ(spent.record->status, State::FailedFinal);
    EXPECT_EQ(spent.record->errorCode, "DEPENDENCY.unavailable");
    EXPECT_EQ(spent.record->response.code, 503);
    EXPECT_EQ(record(), spent.record);
}

// Whoever was told that it failed for good must not see it executed by the next request.
TEST_P(StoreContract, Row15KeepsItsOutcomeAsLongAsAnyOther)
{
    auto wish = reservation(1);
    wish.maxAttempts = 1;
    const auto first = reserve(wish);
    clock.advance(60s);
    const auto released = value(subject().intervene({ operatorEvent(Event::OperatorRelease, first.record->fence) }));
    value(subject().intervene({ operatorEvent(Event::OperatorExpire, released.record->fence) }));
    clock.advance(1s);
    wish.owner = ownerOf(2);
    const auto spent = reserve(wish);
    EXPECT_EQ(spent.outcome, Outcome::Replay);
    EXPECT_EQ(spent.record->expiresAt, clock.now() + wish.ttl);
    wish.owner = ownerOf(3);
    EXPECT_EQ(reserve(wish).outcome, Outcome::Replay);
}

TEST_P(StoreContract, Row17AnExpiredRecordIsReservedAnew)
{
    const auto first = reserve(1);
    value(subject().advance(claim(1, first.record->fence), "charged", R"({"a":1})"));
    const auto done = value(subject().finalize(claim(1, first.record->fence), completion(201, "rf_1")));
    clock.set(done.record->expiresAt - 1us);
    EXPECT_EQ(reserve(2, "other").outcome, Outcome::Mismatch);
    clock.set(done.record->expiresAt);
    const auto anew = reserve(2, "other");
    ASSERT_EQ(anew.outcome, Outcome::Execute);
    EXPECT_EQ(anew.record->attempt, 1);
    EXPECT_GT(anew.record->fence, first.record->fence);
    EXPECT_EQ(anew.record->recoveryPoint, "started");
    EXPECT_FALSE(anew.record->recoveryData);
    EXPECT_EQ(anew.record->response, Response{});
    EXPECT_FALSE(anew.record->completedAt);
    EXPECT_EQ(anew.record->requestHash, hashOf("other"));
    EXPECT_EQ(record(), anew.record);
}

TEST_P(StoreContract, Row17AnUnresolvedRecordIsNeverTakenByAnotherRequest)
{
    reserve(1);
    clock.advance(30 * 24h);
    EXPECT_EQ(reserve(2, "other").outcome, Outcome::Mismatch);
    EXPECT_EQ(reserve(2).outcome, Outcome::Execute);
}

TEST_P(StoreContract, Row18ReapsInBatchesAndLeavesWhatIsUnresolved)
{
    for (int i = 0; i < 7; ++i) {
        const auto one = reserve(reservation(1, "p", "done" + std::to_string(i)));
        value(subject().finalize(claim(1, one.record->fence, "done" + std::to_string(i)), completion(200, "x")));
    }
    reserve(reservation(1, "p", "open"));
    const auto held = reserve(reservation(1, "p", "held"));
    value(subject().hold(claim(1, held.record->fence, "held"), ""));
    clock.set(start + 24h + 1h - 1us);
    EXPECT_EQ(value(subject().reap({ .batch = 3 })).deleted, 0);
    clock.set(start + 24h + 1h);
    const auto reaped = value(subject().reap({ .batch = 3 }));
    EXPECT_EQ(reaped.deleted, 7);
    EXPECT_EQ(count("idempotency_records"), 2);
    EXPECT_EQ(path("done3"), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>SUCCEEDED finalize | EXPIRED>ABSENT reap");
}

TEST_P(StoreContract, TheJournalHasARetentionOfItsOwn)
{
    for (const auto* key : { "old1", "old2", "young" }) {
        const auto one = reserve(reservation(1, "p", key));
        value(subject().finalize(claim(1, one.record->fence, key), completion(200, "x")));
    }
    reserve(reservation(1, "p", "open"));
    EXPECT_EQ(value(subject().reap({ .journalRetention = 90 * 24h })).transitions, 0);
    clock.advance(26h);
    value(subject().reap({}));
    ASSERT_FALSE(record("young"));
    clock.advance(90 * 24h - 26h);
    reserve(reservation(2, "p", "young"));
    const auto all = count("idempotency_transitions");
    // What was written when the records were made is old now, what was when they were deleted is not.
    const auto first = value(subject().reap({ .batch = 2, .journalRetention = 90 * 24h }));
    EXPECT_EQ(first.transitions, 4);
    EXPECT_EQ(count("idempotency_transitions"), all - 4);
    EXPECT_EQ(path("old1"), "EXPIRED>ABSENT reap");
    EXPECT_EQ(path("open"), "ABSENT>IN_PROGRESS reserve");
    EXPECT_EQ(path("young"),
        "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>SUCCEEDED finalize | EXPIRED>ABSENT reap | ABSENT>IN_PROGRESS "
        "reserve");
    clock.advance(27h);
    EXPECT_EQ(value(subject().reap({ .journalRetention = 90 * 24h })).transitions, 1);
    EXPECT_EQ(path("old1"), "");
    EXPECT_EQ(path("old2"), "EXPIRED>ABSENT reap") << "the last one shows how far it was purged";
    EXPECT_EQ(value(subject().reap({ .journalRetention = 90 * 24h })).transitions, 0);
    EXPECT_FALSE(subject().reap({ .journalRetention = -1us }));
}

TEST_P(StoreContract, Row18ATombstoneRefusesUntilItIsOver)
{
    const auto first = reserve(1);
    value(subject().finalize(claim(1, first.record->fence), completion(201, "rf_1")));
    clock.advance(26h);
    const auto entombed = value(subject().reap({ .tombstone = 30 * 24h }));
    EXPECT_EQ(entombed.tombstoned, 1);
    EXPECT_EQ(entombed.deleted, 0);
    EXPECT_FALSE(record()->response.body);
    EXPECT_TRUE(record()->response.headers.empty());
    EXPECT_EQ(record()->response.code, 201);
    EXPECT_EQ(reserve(2).outcome, Outcome::KeyExpired);
    EXPECT_EQ(reserve(2, "other").outcome, Outcome::Mismatch);
    EXPECT_EQ(value(subject().reap({ .tombstone = 30 * 24h })).tombstoned, 0);
    clock.advance(30 * 24h - 1us);
    EXPECT_EQ(reserve(2).outcome, Outcome::KeyExpired);
    clock.advance(1us);
    EXPECT_EQ(value(subject().reap({ .tombstone = 30 * 24h })).deleted, 1);
    EXPECT_FALSE(record());
    // I2: the fence goes on where the deleted record ended.
    EXPECT_GT(reserve(2).record->fence, first.record->fence);
}

TEST_P(StoreContract, Row18OrphansGoOrAreHeldByTheirPolicy)
{
    reserve(reservation(1, "p", "auto"));
    auto manual = reservation(1, "p", "manual");
    manual.takeover = Takeover::Manual;
    reserve(manual);
    const auto retryable = reserve(reservation(1, "p", "retryable"));
    value(subject().fail(claim(1, retryable.record->fence, "retryable"), { .retryable = true }));
    clock.advance(24h + 7 * 24h - 1us);
    EXPECT_EQ(value(subject().reap({ .orphanGrace = 7 * 24h })).orphans, 0);
    clock.advance(1us);
    const auto reaped = value(subject().reap({ .batch = 1, .orphanGrace = 7 * 24h }));
    EXPECT_EQ(reaped.orphans, 2);
    EXPECT_EQ(reaped.held, 1);
    EXPECT_FALSE(record("auto"));
    EXPECT_FALSE(record("retryable"));
    EXPECT_TRUE(record("manual")->hold);
    EXPECT_EQ(path("auto"), "ABSENT>IN_PROGRESS reserve | EXPIRED>ABSENT reap_orphan");
}

TEST_P(StoreContract, Row19TheFenceTakesALiveRecordFromItsOwnerAndHoldsIt)
{
    const auto first = reserve(1);
    const auto fenced = value(subject().intervene({ operatorEvent(Event::OperatorFence, first.record->fence) }));
    ASSERT_EQ(fenced.outcome, Outcome::Applied);
    EXPECT_GT(fenced.record->fence, first.record->fence);
    EXPECT_EQ(fenced.record->owner, ownerOf(99));
    EXPECT_EQ(fenced.record->leaseExpiresAt, start);
    EXPECT_TRUE(fenced.record->hold);
    EXPECT_EQ(record(), fenced.record);
    const auto entries = value(subject().journal({ "s", "o", "k" }));
    EXPECT_EQ(entries.back().actor, "olga@desk");
    EXPECT_EQ(entries.back().reason, "because");
    EXPECT_EQ(reserve(2).outcome, Outcome::Held);
    // Seen by another operator before that: it moved on.
    EXPECT_EQ(value(subject().intervene({ operatorEvent(Event::OperatorFence, first.record->fence) })).outcome,
        Outcome::LostOwnership);
}

TEST_P(StoreContract, Row19AFenceWithoutAHoldLeavesItFreeForTakeover)
{
    const auto first = reserve(1);
    clock.advance(60s);
    const auto safe = value(subject().intervene({ operatorEvent(Event::OperatorFence, first.record->fence) }));
    EXPECT_FALSE(safe.record->hold);
    EXPECT_EQ(reserve(2).outcome, Outcome::Execute);
}

TEST_P(StoreContract, FencedOwnersAreRefusedEverywhereAndJournalledOnce)
{
    const auto first = reserve(1);
    const auto old = claim(1, first.record->fence);
    clock.advance(60s);
    const auto second = reserve(2);
    const auto before = record();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(value(subject().renew(old, 60s)).outcome, Outcome::LostOwnership);
        EXPECT_EQ(value(subject().advance(old, "p", std::nullopt)).outcome, Outcome::LostOwnership);
        EXPECT_EQ(value(subject().finalize(old, completion(201, "zombie"))).outcome, Outcome::LostOwnership);
        EXPECT_EQ(value(subject().fail(old, { .retryable = true })).outcome, Outcome::LostOwnership);
        EXPECT_EQ(value(subject().fail(old, {})).outcome, Outcome::LostOwnership);
        EXPECT_EQ(value(subject().hold(old, "")).outcome, Outcome::LostOwnership);
    }
    EXPECT_EQ(record(), before);
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_EQ(conflicts[0].kind, "fenced");
    EXPECT_EQ(conflicts[0].count, 12);
    // The first refusal, and the first with an outcome.
    EXPECT_EQ(path(),
        "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS reserve | IN_PROGRESS>IN_PROGRESS fenced | "
        "IN_PROGRESS>IN_PROGRESS fenced");
    // Neither the right owner with an old fence nor a stranger with the right fence.
    EXPECT_EQ(value(subject().finalize(claim(2, first.record->fence), {})).outcome, Outcome::LostOwnership);
    EXPECT_EQ(value(subject().finalize(claim(3, second.record->fence), {})).outcome, Outcome::LostOwnership);
    EXPECT_EQ(
        value(subject().finalize(claim(2, second.record->fence), completion(201, "ok"))).outcome, Outcome::Applied);
    EXPECT_EQ(record()->response.body, "ok");
    EXPECT_EQ(value(subject().finalize({ { "s", "o", "none" }, ownerOf(1), { 1 } }, {})).outcome, Outcome::NotFound);
}

TEST_P(StoreContract, Row20ResolvesAHoldEachWay)
{
    const auto resolve = [&](Resolution resolution) {
        auto wish = reservation(1, "p", "k");
        wish.maxAttempts = 1;
        const auto first = reserve(wish);
        EXPECT_EQ(first.outcome, Outcome::Execute);
        value(subject().hold(claim(1, first.record->fence), ""));
        auto event = operatorEvent(Event::OperatorResolve, first.record->fence);
        event.resolution = resolution;
        event.response = completion(200, "found it").response;
        auto resolved = value(subject().intervene({ event }));
        EXPECT_EQ(resolved.outcome, Outcome::Applied) << resolved.reason;
        EXPECT_FALSE(resolved.record->hold);
        EXPECT_GT(resolved.record->fence, first.record->fence);
        EXPECT_EQ(record(), resolved.record);
        // The owner that was held can no longer finish.
        EXPECT_EQ(value(subject().finalize(claim(1, first.record->fence), {})).outcome, Outcome::LostOwnership);
        const auto end = *resolved.record;
        forgetRecords();
        return end;
    };
    EXPECT_EQ(resolve(Resolution::Succeeded).response.body, "found it");
    EXPECT_EQ(resolve(Resolution::FailedFinal).status, State::FailedFinal);
    EXPECT_EQ(resolve(Resolution::FailedRetryable).status, State::FailedRetryable);
    const auto free = resolve(Resolution::TakeOver);
    EXPECT_EQ(free.status, State::InProgress);
    EXPECT_EQ(free.leaseExpiresAt, start);
}

TEST_P(StoreContract, Row20AResolvedRecordGoesBackToHeldWithANewFence)
{
    const auto first = reserve(1);
    value(subject().hold(claim(1, first.record->fence), ""));
    auto event = operatorEvent(Event::OperatorResolve, first.record->fence);
    event.resolution = Resolution::Succeeded;
    const auto resolved = value(subject().intervene({ event }));
    const auto reopened = value(subject().intervene({ operatorEvent(Event::Reopen, resolved.record->fence) }));
    ASSERT_EQ(reopened.outcome, Outcome::Applied) << reopened.reason;
    EXPECT_TRUE(reopened.record->hold);
    EXPECT_EQ(reopened.record->status, State::InProgress);
    EXPECT_GT(reopened.record->fence, resolved.record->fence);
    EXPECT_EQ(record(), reopened.record);
}

TEST_P(StoreContract, Row21ExpiresAndUnexpires)
{
    const auto first = reserve(1);
    EXPECT_EQ(value(subject().intervene({ operatorEvent(Event::OperatorExpire, first.record->fence) })).outcome,
        Outcome::Refused);
    const auto done = value(subject().finalize(claim(1, first.record->fence), completion(201, "x")));
    auto expire = operatorEvent(Event::OperatorExpire, first.record->fence);
    expire.tombstone = 30 * 24h;
    const auto expired = value(subject().intervene({ expire }));
    EXPECT_EQ(expired.outcome, Outcome::Applied);
    EXPECT_EQ(expired.record->expiresAt, start);
    EXPECT_EQ(reserve(2).outcome, Outcome::KeyExpired);
    auto back = operatorEvent(Event::Unexpire, first.record->fence);
    back.expiresAt = done.record->expiresAt;
    const auto unexpired = value(subject().intervene({ back }));
    EXPECT_EQ(unexpired.record->expiresAt, done.record->expiresAt);
    EXPECT_FALSE(unexpired.record->tombstoneUntil);
    EXPECT_EQ(reserve(2).outcome, Outcome::Replay);
}

TEST_P(StoreContract, Row23ReleasesWhatNobodyWorksOn)
{
    const auto first = reserve(1);
    const auto release = operatorEvent(Event::OperatorRelease, first.record->fence);
    EXPECT_EQ(value(subject().intervene({ release })).outcome, Outcome::Refused);
    clock.advance(60s);
    const auto released = value(subject().intervene({ release }));
    EXPECT_EQ(released.record->status, State::FailedRetryable);
    EXPECT_EQ(released.record->notBefore, start + 60s);
    EXPECT_EQ(reserve(2).outcome, Outcome::Execute);
}

TEST_P(StoreContract, Row24FailsFinallyWhatNobodyWorksOn)
{
    const auto first = reserve(1);
    auto fail = operatorEvent(Event::OperatorFail, first.record->fence);
    EXPECT_EQ(value(subject().intervene({ fail })).outcome, Outcome::Refused);
    clock.advance(60s);
    const auto failed = value(subject().intervene({ fail }));
    EXPECT_EQ(failed.record->status, State::FailedFinal);
    EXPECT_EQ(failed.record->response.code, 500);
    EXPECT_EQ(reserve(2).outcome, Outcome::Replay);
    EXPECT_FALSE(subject().intervene({ { .event = Event::Reserve } }));
}

// P-001: nothing left of a deadline is no lease, and never one without end.
TEST_P(StoreContract, LengthsOfNothingAreRefused)
{
    const auto refused = [&](const auto& result) { return !result && result.error().failure == Failure::Invalid; };
    for (const Duration nothing : { Duration(0), Duration(-1) }) {
        auto wish = reservation(1);
        wish.lease = nothing;
        EXPECT_TRUE(refused(subject().reserve(wish)));
        EXPECT_TRUE(refused(value(subject().reserveAll({ wish })).front()));
        wish = reservation(1);
        wish.ttl = nothing;
        EXPECT_TRUE(refused(subject().reserve(wish)));
    }
    auto wish = reservation(1);
    wish.maxAttempts = -1;
    EXPECT_TRUE(refused(subject().reserve(wish)));
    EXPECT_EQ(count("idempotency_records"), 0);
    const auto first = reserve(1);
    const auto mine = claim(1, first.record->fence);
    EXPECT_TRUE(refused(subject().renew(mine, 0s)));
    EXPECT_TRUE(refused(subject().renew(mine, -1s)));
    EXPECT_TRUE(refused(subject().advance(mine, "", std::nullopt)));
    EXPECT_EQ(record(), first.record);
}

TEST_P(StoreContract, Row5And14FollowTheStoredPolicyAndLimit)
{
    auto wish = reservation(1);
    wish.takeover = Takeover::Manual;
    wish.maxAttempts = 2;
    const auto first = reserve(wish);
    value(subject().fail(claim(1, first.record->fence), { .retryable = true }));
    const auto plain = reservation(2);
    const auto retried = reserve(plain);
    ASSERT_EQ(retried.outcome, Outcome::Execute);
    EXPECT_EQ(retried.record->takeover, Takeover::Manual);
    EXPECT_EQ(retried.record->maxAttempts, 2);
    EXPECT_EQ(record(), retried.record);
    clock.advance(60s);
    EXPECT_EQ(reserve(3).outcome, Outcome::Held);

    auto free = reservation(1, "p", "auto");
    free.maxAttempts = 2;
    reserve(free);
    clock.advance(60s);
    auto strict = reservation(2, "p", "auto");
    strict.takeover = Takeover::Manual;
    strict.payloadHash.reset();
    const auto batch = value(subject().reserveAll({ strict, reservation(2, "p", "beside") }));
    ASSERT_TRUE(batch[0] && batch[0]->outcome == Outcome::Execute);
    EXPECT_EQ(batch[0]->record->takeover, Takeover::Auto);
    EXPECT_EQ(batch[0]->record->maxAttempts, 2);
    EXPECT_EQ(batch[0]->record->payloadHash, hashOf("body of p"));
    // Another life has its own.
    value(subject().finalize(claim(2, batch[0]->record->fence, "auto"), {}));
    clock.advance(25h);
    const auto anew = reserve(strict);
    EXPECT_EQ(anew.record->takeover, Takeover::Manual);
    EXPECT_EQ(anew.record->maxAttempts, 0);
    EXPECT_FALSE(anew.record->payloadHash);
    EXPECT_EQ(record("auto"), anew.record);
}

TEST_P(StoreContract, AnOwnerIsTheSameInEitherCase)
{
    constexpr auto lower = "abcdefab-cdef-4abc-8def-abcdefabcdef";
    const Owner upper{ "ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF" };
    auto wish = reservation(1);
    wish.owner = upper;
    const auto first = reserve(wish);
    EXPECT_EQ(first.record->owner.uuid, lower);
    EXPECT_EQ(value(subject().renew({ wish.id, { lower }, first.record->fence }, 60s)).outcome, Outcome::Applied);
    EXPECT_EQ(value(subject().finalize({ wish.id, upper, first.record->fence }, {})).outcome, Outcome::Applied);
    EXPECT_EQ(record()->owner.uuid, lower);
    for (const auto* word : { "", "worker-1", "abcdefab-cdef-4abc-8def-abcdefabcdeg" }) {
        EXPECT_EQ(subject().renew({ wish.id, { word }, first.record->fence }, 60s).error().failure, Failure::Invalid);
        auto fence = operatorEvent(Event::OperatorFence, first.record->fence);
        fence.owner = { word };
        EXPECT_EQ(subject().intervene({ fence }).error().failure, Failure::Invalid);
    }
}

TEST_P(StoreContract, I2TheFenceOnlyGrowsOverAllTime)
{
    Fence last{ 0 };
    const auto grows = [&](Fence fence) {
        EXPECT_GT(fence, last);
        last = fence;
    };
    for (int round = 0; round < 5; ++round) {
        const auto first = reserve(10 * round + 1);
        grows(first.record->fence);
        clock.advance(60s);
        const auto second = reserve(10 * round + 2);
        grows(second.record->fence);
        const auto fenced = value(subject().intervene({ operatorEvent(Event::OperatorFence, second.record->fence) }));
        grows(fenced.record->fence);
        const auto third = reserve(10 * round + 3);
        ASSERT_EQ(third.outcome, Outcome::Held);
        auto resolve = operatorEvent(Event::OperatorResolve, fenced.record->fence);
        resolve.resolution = Resolution::FailedFinal;
        grows(value(subject().intervene({ resolve })).record->fence);
        clock.advance(50h);
        const auto reaped = round % 2 == 0 ? value(subject().reap({})).deleted : 1;
        EXPECT_EQ(reaped, 1);
    }
}

// Whoever writes fences by hand may write any. What takes such a record over must not count up to it.
TEST_P(StoreTableContract, I2AFenceWrittenFarAheadIsPassedAtOnce)
{
    constexpr std::int64_t far = 1'000'000'000;
    const auto write = [&](const std::string& key, std::int64_t fence) {
        const auto statement = main.connection->prepare("UPDATE idempotency_records SET fence = "
            + std::to_string(fence) + " WHERE idempotency_key = '" + key + "'");
        ASSERT_TRUE(statement && (*statement)->run());
        (*statement)->finish();
    };
    const std::vector<Reservation> batch = { reservation(1, "p", "b0"), reservation(1, "p", "b1") };
    value(subject().reserveAll(batch));
    for (const auto* key : { "taken", "fenced", "reaped" })
        ASSERT_EQ(reserve(reservation(1, "p", key)).outcome, Outcome::Execute);
    clock.advance(60s);

    write("taken", 10 * far);
    const auto taken = reserve(reservation(2, "p", "taken")).record->fence;
    EXPECT_GT(taken.value, 10 * far);

    write("fenced", 100 * far);
    auto fence = operatorEvent(Event::OperatorFence, { 100 * far });
    fence.id.key = "fenced";
    const auto fenced = value(subject().intervene({ fence })).record->fence;
    EXPECT_GT(fenced.value, 100 * far);

    write("b1", 1000 * far);
    const auto both = value(subject().reserveAll(batch));
    ASSERT_TRUE(both.size() == 2 && both[0] && both[1]);
    EXPECT_GT(both[0]->record->fence, fenced);
    EXPECT_GT(both[1]->record->fence.value, 1000 * far);

    write("reaped", 10'000 * far);
    value(subject().finalize(claim(1, { 10'000 * far }, "reaped"), completion(201, "done")));
    clock.advance(26h);
    EXPECT_EQ(value(subject().reap({})).deleted, 1);
    EXPECT_GT(reserve(reservation(3, "p", "reaped")).record->fence.value, 10'000 * far);
}

// Whoever can write to the table can write that. It costs the record, and nothing else.
TEST_P(StoreTableContract, I2AFenceThatNothingFollowsEndsItsRecordAlone)
{
    const auto write = [&](std::int64_t fence) {
        const auto statement = main.connection->prepare(
            "UPDATE idempotency_records SET fence = " + std::to_string(fence) + " WHERE idempotency_key = 'k'");
        ASSERT_TRUE(statement && (*statement)->run());
        (*statement)->finish();
    };
    for (const bool settled : { false, true })
        for (const std::int64_t fence : { INT64_MAX, INT64_MAX - 1, INT64_C(9'000'000'000'000'000'001) }) {
            const auto own = reserve(1).record->fence;
            if (settled)
                value(subject().finalize(claim(1, own), completion(201, "done")));
            write(fence);
            clock.advance(60s);
            const auto refused = [&](const auto& result) {
                ASSERT_FALSE(result);
                EXPECT_EQ(result.error().failure, Failure::Corrupt);
                EXPECT_EQ(result.error().message, "A record holds a value that no record can have");
                EXPECT_EQ(result.error().detail, "fence " + std::to_string(fence));
            };
            refused(subject().reserve(reservation(2)));
            refused(subject().intervene({ operatorEvent(Event::OperatorFence, { fence }) }));
            refused(subject().intervene({ operatorEvent(Event::OperatorRelease, { fence }) }));
            refused(subject().find({ "s", "o", "k" }));
            const auto batch = value(subject().reserveAll({ reservation(2), reservation(2, "p", "other") }));
            ASSERT_EQ(batch.size(), 2U);
            refused(batch[0]);
            EXPECT_TRUE(batch[1]);

            clock.advance(100h);
            const auto reaped = subject().reap({ .orphanGrace = 1h });
            ASSERT_TRUE(reaped) << reaped.error().message << reaped.error().detail;
            EXPECT_EQ(count("idempotency_records WHERE idempotency_key = 'k'"), 1);
            // The others go on, and the counter has not been led to its end.
            const auto next = reserve(reservation(3, "p", "next " + std::to_string(fence) + (settled ? "s" : "")));
            EXPECT_EQ(next.outcome, Outcome::Execute);
            EXPECT_LT(next.record->fence.value, 1000);
            const auto gone = main.connection->execute("DELETE FROM idempotency_records");
            ASSERT_TRUE(gone) << gone.error().detail;
        }
}

// A statement draws its number before it has the record's lock, so it may find a later one in the record. What it hands
// out then must have been drawn as well, or the counter gives the same number to somebody else.
TEST_P(StoreTableContract, I2EveryFenceIsDrawnFromTheCounter)
{
    const auto raise = [&](const std::string& key) {
        const auto statement = main.connection->prepare(
            "UPDATE idempotency_records SET fence = fence + 10 WHERE idempotency_key = '" + key + "'");
        ASSERT_TRUE(statement && (*statement)->run());
        (*statement)->finish();
    };
    std::set<std::int64_t> given;
    std::int64_t highest = 0;
    const auto give = [&](Fence fence) {
        EXPECT_TRUE(given.insert(fence.value).second) << fence.value << " was given out twice";
        EXPECT_GT(fence.value, highest);
        highest = std::max(highest, fence.value);
    };
    const auto giveNewKeys = [&](const std::string& name) {
        for (int i = 0; i < 12; ++i)
            give(reserve(reservation(100 + i, "pay", name + std::to_string(i))).record->fence);
    };
    give(reserve(1).record->fence);
    clock.advance(60s);
    raise("k");
    const auto taken = reserve(2);
    give(taken.record->fence);
    giveNewKeys("after a takeover ");
    raise("k");
    const auto seen = Fence{ taken.record->fence.value + 10 };
    give(value(subject().intervene({ operatorEvent(Event::OperatorFence, seen) })).record->fence);
    giveNewKeys("after a fence ");
    // Deleted with a fence that nobody drew, and reserved again at once.
    clock.advance(60s);
    auto resolve = operatorEvent(Event::OperatorResolve, record()->fence);
    resolve.resolution = Resolution::FailedFinal;
    give(value(subject().intervene({ resolve })).record->fence);
    raise("k");
    highest = record()->fence.value;
    clock.advance(50h);
    EXPECT_EQ(value(subject().reap({})).deleted, 1);
    give(reserve(3).record->fence);
}

TEST_P(StoreContract, I8AnAbusiveClientCannotFillTheTable)
{
    reserve(1);
    const auto before = record();
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(reserve(2, "attack " + std::to_string(i)).outcome, Outcome::Mismatch);
    EXPECT_EQ(reserve(2, "attack 3").outcome, Outcome::Mismatch);
    EXPECT_EQ(record(), before);
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    ASSERT_EQ(conflicts.size(), 9U);
    std::int64_t total = 0;
    std::int64_t overflow = 0;
    for (const auto& conflict : conflicts) {
        total += conflict.count;
        if (conflict.presentedHash.empty())
            overflow += conflict.count;
    }
    EXPECT_EQ(total, 101);
    EXPECT_EQ(overflow, 92);
    EXPECT_EQ(count("idempotency_transitions"), 1 + 9);
}

// A heartbeat was refused first and is all that was journalled of him: that he came with an outcome is written as well,
// once.
TEST_P(StoreContract, WritesTheFirstRefusedFinalizeOfAFencedOwner)
{
    const auto first = reserve(1);
    clock.advance(60s);
    reserve(2);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(value(subject().renew(claim(1, first.record->fence), 60s)).outcome, Outcome::LostOwnership);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(value(subject().finalize(claim(1, first.record->fence), {})).outcome, Outcome::LostOwnership);
    std::vector<std::string> reasons;
    for (const auto& entry : value(subject().journal({ "s", "o", "k" })))
        if (entry.event == "fenced")
            reasons.push_back(entry.reason.substr(0, entry.reason.find(':')));
    EXPECT_EQ(reasons, (std::vector<std::string>{ "renew", "finalize" }));
    const auto conflicts = value(subject().conflicts({ "s", "o", "k" }));
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_EQ(conflicts[0].count, 6);
}

TEST_P(StoreContract, I8NeitherKindOfConflictHidesTheOther)
{
    const auto seen = [&](const std::string& kind) {
        std::vector<std::int64_t> counts;
        for (const auto& conflict : value(subject().conflicts({ "s", "o", "k" })))
            if (conflict.kind == kind)
                counts.push_back(conflict.presentedHash.empty() ? -conflict.count : conflict.count);
        return counts;
    };
    const auto journalled = [&](const std::string& event) {
        int entries = 0;
        for (const auto& entry : value(subject().journal({ "s", "o", "k" })))
            entries += entry.event == event;
        return entries;
    };
    const auto first = reserve(1);
    for (int i = 0; i < 40; ++i)
        reserve(2, "attack " + std::to_string(i));
    clock.advance(60s);
    reserve(2);
    value(subject().finalize(claim(1, first.record->fence), {}));
    EXPECT_EQ(seen("fenced"), std::vector<std::int64_t>({ 1 }));
    EXPECT_EQ(journalled("fenced"), 1);
    for (int i = 3; i < 20; ++i)
        value(subject().finalize(claim(i, first.record->fence), {}));
    EXPECT_EQ(seen("fenced"), std::vector<std::int64_t>({ 1, 1, 1, 1, 1, 1, 1, -11 }));
    EXPECT_EQ(journalled("fenced"), 8);
}

TEST_P(StoreTableContract, I8WhatWasForgottenIsCountedAnew)
{
    const auto first = reserve(1);
    clock.advance(60s);
    reserve(2);
    for (int i = 0; i < 40; ++i)
        reserve(2, "attack " + std::to_string(i));
    EXPECT_TRUE(main.connection->execute("DELETE FROM idempotency_conflicts"));
    for (int i = 3; i < 40; ++i)
        value(subject().finalize(claim(i, first.record->fence), {}));
    reserve(2, "late attack");
    std::int64_t mismatches = 0;
    for (const auto& conflict : value(subject().conflicts({ "s", "o", "k" })))
        mismatches += conflict.kind == "mismatch" ? conflict.count : 0;
    EXPECT_EQ(mismatches, 1);
}

TEST_P(StoreContract, AConflictEndsWithTheLifeOfItsRecord)
{
    const auto conflicts = [&] { return value(subject().conflicts({ "s", "o", "k" })).size(); };
    const auto first = reserve(1);
    reserve(2, "other");
    value(subject().finalize(claim(2, first.record->fence), {}));
    value(subject().finalize(claim(1, first.record->fence), completion(200, "x")));
    EXPECT_EQ(conflicts(), 2U);
    clock.advance(25h);
    const auto anew = reserve(2, "other");
    ASSERT_EQ(anew.outcome, Outcome::Execute);
    EXPECT_EQ(conflicts(), 0U);
    // The journal still tells of it, and of the first in this life.
    EXPECT_EQ(reserve(3, "third").outcome, Outcome::Mismatch);
    EXPECT_EQ(conflicts(), 1U);
    value(subject().finalize(claim(2, anew.record->fence), {}));
    clock.advance(26h);
    EXPECT_EQ(value(subject().reap({})).deleted, 1);
    EXPECT_EQ(count("idempotency_conflicts"), 0);

    reserve(1);
    reserve(2, "other");
    clock.advance(24h + 7 * 24h);
    EXPECT_EQ(value(subject().reap({ .orphanGrace = 7 * 24h })).orphans, 1);
    EXPECT_EQ(count("idempotency_conflicts"), 0);
}

TEST_P(StoreContract, KeysOfOtherScopesAndOperationsAreOthers)
{
    reserve(1);
    auto other = reservation(2, "other");
    other.id.scope = "S";
    EXPECT_EQ(reserve(other).outcome, Outcome::Execute);
    other.id = { "s", "O", "k" };
    EXPECT_EQ(reserve(other).outcome, Outcome::Execute);
    other.id = { "s", "o", "K" };
    EXPECT_EQ(reserve(other).outcome, Outcome::Execute);
    other.id = { "s", "o", "k " };
    EXPECT_EQ(reserve(other).outcome, Outcome::Execute);
}

TEST_P(StoreContract, BytesComeBackAsTheyWere)
{
    const std::vector<std::pair<std::string, std::optional<Bytes>>> bodies = { { "none", std::nullopt },
        { "empty", "" }, { "zero", Bytes("a\0b\0", 4) }, { "binary", "\xff\xfe\x80" },
        { "big", Bytes(64U << 20U, 'x') } };
    for (const auto& [key, body] : bodies) {
        const auto first = reserve(reservation(1, "p", key));
        Completion done;
        done.response.code = 200;
        done.response.body = body;
        done.response.headers = { { "X-Latin", "caf\xe9" }, { "X-Utf8", "café \"q\" \\" }, { "Empty", "" } };
        done.response.refType = "refund";
        done.response.refId = "rf_1";
        done.response.truncated = key == "none";
        ASSERT_EQ(value(subject().finalize(claim(1, first.record->fence, key), done)).outcome, Outcome::Applied) << key;
        const auto replay = reserve(reservation(2, "p", key));
        EXPECT_EQ(replay.outcome, Outcome::Replay);
        EXPECT_TRUE(replay.record->response == done.response) << key;
    }
}

TEST_P(StoreContract, AKeyThatIsNoUtf8IsItsOwnKeyOrRefused)
{
    const auto odd = reservation(1, "p", "\xff");
    if (GetParam() == Kept::PostgreSql) {
        const auto refused = subject().reserve(odd);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Invalid);
        EXPECT_FALSE(subject().reserve(reservation(1, "p", std::string("a\0b", 3))));
        EXPECT_EQ(count("idempotency_records"), 0);
        return;
    }
    const auto first = reserve(odd);
    EXPECT_EQ(first.record->id.key, "\xff");
    EXPECT_EQ(reserve(reservation(2, "p", "\xef\xbf\xbd")).outcome, Outcome::Execute);
    EXPECT_EQ(reserve(reservation(2, "p", "\xff")).outcome, Outcome::InFlight);
    EXPECT_EQ(value(subject().finalize(claim(1, first.record->fence, "\xff"), {})).outcome, Outcome::Applied);
    EXPECT_EQ(record("\xef\xbf\xbd")->status, State::InProgress);
    EXPECT_EQ(reserve(reservation(1, "p", std::string("a\0b", 3))).record->id.key, std::string("a\0b", 3));
    EXPECT_EQ(reserve(reservation(1, "p", "a")).outcome, Outcome::Execute);
}

TEST_P(StoreContract, AMalformedReservationIsRefused)
{
    auto wish = reservation(1);
    wish.requestHash = "short";
    EXPECT_EQ(subject().reserve(wish).error().failure, Failure::Invalid);
    wish = reservation(1);
    wish.owner = { "worker-1" };
    EXPECT_EQ(subject().reserve(wish).error().failure, Failure::Invalid);
    EXPECT_EQ(count("idempotency_records"), 0);
}

TEST_P(StoreContract, BatchesAnswerEachElementInItsPlace)
{
    reserve(reservation(1, "p", "taken"));
    std::vector<Reservation> wishes;
    for (int i = 149; i >= 0; --i)
        wishes.push_back(reservation(2, "p", "b" + std::to_string(i)));
    wishes.push_back(reservation(3, "p", "b7"));
    wishes.push_back(reservation(3, "other", "taken"));
    const auto all = value(subject().reserveAll(wishes));
    ASSERT_EQ(all.size(), wishes.size());
    std::vector<std::pair<Claim, Completion>> completions;
    for (std::size_t i = 0; i < 150; ++i) {
        ASSERT_TRUE(all[i]);
        EXPECT_EQ(all[i]->outcome, Outcome::Execute);
        EXPECT_EQ(all[i]->record->id, wishes[i].id);
        completions.emplace_back(
            Claim{ wishes[i].id, wishes[i].owner, all[i]->record->fence }, completion(200, wishes[i].id.key));
    }
    EXPECT_EQ(all[150]->outcome, Outcome::InFlight);
    EXPECT_EQ(all[151]->outcome, Outcome::Mismatch);
    completions.push_back(completions.front());
    const auto done = value(subject().finalizeAll(completions));
    for (std::size_t i = 0; i < 150; ++i) {
        ASSERT_TRUE(done[i]);
        EXPECT_EQ(done[i]->outcome, Outcome::Applied);
        EXPECT_EQ(done[i]->record->response.body, wishes[i].id.key);
    }
    EXPECT_EQ(done[150]->outcome, Outcome::LostOwnership);
    EXPECT_EQ(path("b7"), "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>SUCCEEDED finalize");
}

// Whatever way a batch takes to the database: large bodies and small ones, first reservations, takeovers and retries.
TEST_P(StoreContract, ABatchStoresWhatSingleCallsStore)
{
    const auto octets = std::string("\0\xff\"\\ \n", 6);
    const auto wishOf = [&](const std::string& key, int owner) {
        auto wish = reservation(owner, "pay", key);
        wish.correlationId = "c \"1\"";
        wish.requestMethod = "POST";
        wish.requestTarget = "/v1/\xc3\xa4?x=1";
        wish.requestBody = octets;
        wish.maxAttempts = 7;
        wish.takeover = Takeover::Auto;
        return wish;
    };
    const auto same = [&](const std::string& left, const std::string& right) {
        auto one = *record(left);
        const auto other = *record(right);
        one.id = other.id;
        one.fence = other.fence;
        EXPECT_EQ(one, other) << left << " and " << right;
        EXPECT_EQ(path(left), path(right));
    };
    const auto reserveAll = [&](int owner) {
        reserve(wishOf("single", owner));
        const auto all = value(subject().reserveAll({ wishOf("b", owner), wishOf("a", owner) }));
        for (const auto& one : all) {
            ASSERT_TRUE(one) << one.error().detail;
            EXPECT_EQ(one->outcome, Outcome::Execute);
        }
        same("single", "a");
        same("single", "b");
    };
    reserveAll(1);
    clock.advance(61s);
    reserveAll(2);
    for (const auto* key : { "single", "a", "b" })
        value(subject().fail(claim(2, record(key)->fence, key), { .retryable = true, .retryAfter = 1s }));
    clock.advance(48h);
    reserveAll(3);
    for (const std::size_t size : { std::size_t(10), std::size_t(1'500'000) }) {
        auto done = completion(201, octets + std::string(size, 'x'));
        done.response.refType = "payment";
        done.errorCode = "E";
        done.ttl = 72h;
        value(subject().finalize(claim(3, record("single")->fence, "single"), done));
        for (const auto& one : value(subject().finalizeAll(
                 { { claim(3, record("b")->fence, "b"), done }, { claim(3, record("a")->fence, "a"), done } })))
            EXPECT_EQ(one->outcome, Outcome::Applied);
        same("single", "a");
        same("single", "b");
        clock.advance(100h);
        reserveAll(3);
    }
    // A key whose own time is over is refused in a batch too, and nothing is stored of it.
    auto stale = wishOf("stale", 4);
    stale.staleKey = StaleKey::Reject;
    stale.keyTime = clock.now() - 24h;
    const auto mixed = value(subject().reserveAll({ stale, wishOf("fresh", 4) }));
    EXPECT_EQ(mixed[0]->outcome, Outcome::KeyExpired);
    EXPECT_EQ(mixed[1]->outcome, Outcome::Execute);
    EXPECT_FALSE(record("stale"));
}

TEST_P(StoreContract, AMalformedElementDoesNotTakeTheBatchWithIt)
{
    auto bad = reservation(2, "p", "bad");
    bad.requestHash = "short";
    const auto all = value(subject().reserveAll({ reservation(1, "p", "a"), bad, reservation(3, "p", "c") }));
    EXPECT_TRUE(all[0]);
    EXPECT_FALSE(all[1]);
    EXPECT_TRUE(all[2]);
    EXPECT_EQ(count("idempotency_records"), 2);
}

TEST_P(StoreContract, ARequestIsKeptWithItsRecord)
{
    auto wish = reservation(1);
    wish.correlationId = "c-1";
    wish.requestMethod = "POST";
    wish.requestTarget = "/refunds";
    wish.requestBody = Bytes("{}\0", 3);
    const auto first = reserve(wish);
    EXPECT_EQ(first.record->requestBody, wish.requestBody);
    clock.advance(60s);
    auto again = reservation(2);
    again.correlationId = "c-2";
    const auto takeover = reserve(again);
    EXPECT_EQ(takeover.record->correlationId, "c-2");
    EXPECT_EQ(takeover.record->requestTarget, "/refunds");
    value(subject().finalize(claim(2, takeover.record->fence), {}));
    clock.advance(25h);
    const auto anew = reserve(3, "other");
    EXPECT_FALSE(anew.record->requestTarget);
    EXPECT_FALSE(anew.record->requestBody);
}

TEST_P(StoreContract, AFinishedRecordIsReplayedByOneReadAlone)
{
    const auto replayed = [&](const Reservation& wish) { return value(subject().replay(wish)); };
    EXPECT_FALSE(replayed(reservation(1)));
    EXPECT_EQ(count("idempotency_records"), 0);
    reserve(1);
    EXPECT_FALSE(replayed(reservation(2))) << "it is in work";
    value(subject().finalize(claim(1, record()->fence), completion(201, "done")));
    const auto entries = count("idempotency_transitions");
    const auto before = *record();
    const auto found = replayed(reservation(2));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->outcome, Outcome::Replay);
    EXPECT_EQ(found->record, before);
    EXPECT_EQ(found->now, clock.now());
    const auto same = reserve(2);
    EXPECT_EQ(same.outcome, found->outcome);
    EXPECT_EQ(same.record, found->record);
    EXPECT_FALSE(replayed(reservation(2, "another payload"))) << "only a reservation counts a mismatch";
    auto other = reservation(2);
    other.fingerprintAlg = "v1:0123456789abcdef";
    EXPECT_FALSE(replayed(other));
    EXPECT_FALSE(subject().replay(Reservation{}));
    EXPECT_EQ(count("idempotency_transitions"), entries);
    EXPECT_EQ(*record(), before);
    clock.advance(before.expiresAt - clock.now() - 1us);
    EXPECT_TRUE(replayed(reservation(2)));
    clock.advance(1us);
    EXPECT_FALSE(replayed(reservation(2))) << "past its expiry nothing is replayed";
    ASSERT_TRUE(subject().reap({ .grace = 0s, .tombstone = 24h }));
    EXPECT_FALSE(replayed(reservation(2))) << "nor from a tombstone";
    // What failed for good is an answer, too; what may be tried again is none.
    reserve(reservation(3, "p", "f"));
    value(subject().fail(claim(3, record("f")->fence, "f"), { .completion = completion(422, "no") }));
    EXPECT_TRUE(replayed(reservation(4, "p", "f")));
    reserve(reservation(3, "p", "r"));
    value(subject().fail(claim(3, record("r")->fence, "r"), { .retryable = true }));
    EXPECT_FALSE(replayed(reservation(4, "p", "r")));
}

TEST_P(StoreTableContract, TheHeadersOfARequestLiveAsLongAsItsBody)
{
    const auto keptOf = [&](const std::string& key) -> Headers {
        for (const auto& unfinished : value(store::unfinishedRecords(*main.connection, std::nullopt, 100)))
            if (unfinished.record.id.key == key)
                return unfinished.requestHeaders;
        return { { "nothing", "is there" } };
    };
    const auto wishOf = [&](const std::string& key, int owner, const Headers& headers) {
        auto wish = reservation(owner, "pay", key);
        wish.requestMethod = "POST";
        wish.requestTarget = "/refunds";
        wish.requestBody = "1";
        wish.requestHeaders = headers;
        return wish;
    };
    const Headers csv = { { "Content-Type", "text/csv" }, { "X-\xff", "\"\\" } };
    const Headers xml = { { "Content-Type", "text/xml" } };
    reserve(wishOf("k", 1, csv));
    EXPECT_EQ(keptOf("k"), csv);
    for (const auto& one :
        value(subject().reserveAll({ wishOf("a", 1, xml), wishOf("b", 1, csv), wishOf("c", 1, {}) })))
        EXPECT_EQ(one->outcome, Outcome::Execute);
    EXPECT_EQ(keptOf("a"), xml);
    EXPECT_EQ(keptOf("b"), csv);
    EXPECT_EQ(keptOf("c"), Headers());
    // A takeover that says nothing of them leaves them, and one that does replaces them.
    clock.advance(61s);
    auto silent = reservation(2, "pay", "k");
    EXPECT_EQ(reserve(silent).outcome, Outcome::Execute);
    EXPECT_EQ(keptOf("k"), csv);
    clock.advance(61s);
    EXPECT_EQ(reserve(wishOf("k", 3, xml)).outcome, Outcome::Execute);
    EXPECT_EQ(keptOf("k"), xml);
    // A new life does not know them any more.
    value(subject().finalize(claim(3, record()->fence), {}));
    clock.advance(48h);
    EXPECT_EQ(reserve(wishOf("k", 4, {})).outcome, Outcome::Execute);
    EXPECT_EQ(keptOf("k"), Headers());
    value(subject().finalize(claim(4, record()->fence), {}));
    clock.advance(48h);
    EXPECT_EQ(reserve(wishOf("k", 5, csv)).outcome, Outcome::Execute);
    EXPECT_EQ(keptOf("k"), csv);
    // Nor does a tombstone.
    value(subject().finalize(claim(5, record()->fence), {}));
    clock.advance(48h);
    EXPECT_EQ(value(subject().reap({ .tombstone = 720h })).tombstoned, 1);
    EXPECT_EQ(count("idempotency_records WHERE idempotency_key = 'k' AND request_headers IS NULL"), 1);
}

// A service changed what it hashes: what it stored before is still compared by the profile that made it.
TEST_P(StoreContract, ComparesARecordByTheProfileThatMadeIt)
{
    auto first = reservation(1, "by the old profile");
    first.fingerprintAlg = "v1:0123456789abcdef";
    const auto reserved = reserve(first);
    EXPECT_EQ(record()->fingerprintAlg, first.fingerprintAlg);
    auto again = reservation(2, "by the new profile");
    again.otherHashes = { { first.fingerprintAlg, first.requestHash } };
    EXPECT_EQ(reserve(again).outcome, Outcome::InFlight);
    // The same octets under another tag are another request.
    auto other = reservation(2, "by the old profile");
    EXPECT_EQ(reserve(other).outcome, Outcome::Mismatch);
    clock.advance(std::chrono::seconds(61));
    EXPECT_EQ(reserve(other).outcome, Outcome::Mismatch);
    const auto taken = reserve(again);
    ASSERT_EQ(taken.outcome, Outcome::Execute);
    EXPECT_EQ(record()->fingerprintAlg, first.fingerprintAlg);
    EXPECT_EQ(record()->requestHash, first.requestHash);
    ASSERT_EQ(
        value(subject().finalize(claim(2, taken.record->fence), completion(201, "done"))).outcome, Outcome::Applied);
    EXPECT_EQ(reserve(again).outcome, Outcome::Replay);
    EXPECT_EQ(reserve(first).outcome, Outcome::Replay);
    // A new life is the new profile's.
    clock.advance(std::chrono::hours(49));
    EXPECT_EQ(reserve(again).outcome, Outcome::Execute);
    EXPECT_EQ(record()->fingerprintAlg, "v1");
    EXPECT_EQ(record()->requestHash, again.requestHash);
    auto wishes = std::vector{ reservation(3, "b", "k1"), reservation(3, "b", "k2") };
    wishes[0].fingerprintAlg = "v1:fedcba9876543210";
    ASSERT_TRUE(subject().reserveAll(wishes));
    EXPECT_EQ(record("k1")->fingerprintAlg, wishes[0].fingerprintAlg);
    EXPECT_EQ(record("k2")->fingerprintAlg, "v1");
}
