// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <set>

#include "core/random.h"
#include "core/store/reservation.h"
#include "core/store/worker.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

namespace {

// One key's life under random events at random instants, told twice: by the store and by decide() over a value.
class History {
public:
    History(store::SqlStore& store, ManualClock& clock, Random& random)
        : m_store(store)
        , m_clock(clock)
        , m_random(random)
    {
    }

    // Empty, or how the two differ.
    std::string run(int steps)
    {
        for (int i = 0; i < steps && m_difference.empty(); ++i) {
            moveClock();
            step();
        }
        if (m_difference.empty())
            compareJournal();
        return m_difference.empty() ? m_difference : m_difference + "\nafter:" + m_told;
    }

private:
    std::uint64_t below(std::uint64_t bound) { return m_random.below(bound); }
    bool oneIn(std::uint64_t n) { return below(n) == 0; }

    // Mostly to an instant at which something ends, give or take a microsecond.
    void moveClock()
    {
        std::vector<Time> ends;
        if (m_model) {
            ends.push_back(m_model->expiresAt);
            ends.push_back(m_model->expiresAt + 1h);
            for (const auto& end : { m_model->leaseExpiresAt, m_model->notBefore, m_model->tombstoneUntil })
                if (end)
                    ends.push_back(*end);
        }
        if (ends.empty() || oneIn(3)) {
            m_clock.advance(Duration(static_cast<std::int64_t>(below(40'000'000))));
            return;
        }
        const auto end = ends[below(ends.size())] + Duration(static_cast<std::int64_t>(below(3)) - 1);
        m_clock.set(std::max(end, m_clock.now()));
    }

    Owner anyOwner() { return ownerOf(1 + static_cast<int>(below(3))); }

    // What the worker or operator believes: mostly the truth.
    Claim belief()
    {
        Claim claim{ m_id, anyOwner(), { static_cast<std::int64_t>(below(3)) } };
        if (m_model && !oneIn(5)) {
            claim.owner = m_model->owner;
            claim.fence = m_model->fence;
        }
        return claim;
    }

    Completion anyCompletion()
    {
        Completion done;
        if (oneIn(2))
            done.response.code = 200 + static_cast<int>(below(300));
        if (oneIn(2))
            done.response.body = Bytes(below(4), '\0');
        if (oneIn(3))
            done.response.headers = { { "A", "b" } };
        if (oneIn(3))
            done.response.refId = "ref";
        if (oneIn(3))
            done.errorCode = "TRANSIENT.x";
        if (oneIn(2))
            done.ttl = Duration(static_cast<std::int64_t>(below(100'000'000)));
        return done;
    }

    void step()
    {
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return reserve();
        case 4:
        case 5:
        case 6:
        case 7:
            return work();
        case 8:
        case 9:
            return intervene();
        case 10:
            return reconcile();
        default:
            return reap();
        }
    }

    void reserve()
    {
        Reservation wish{ .id = m_id,
            .requestHash = hashOf(oneIn(6) ? "other" : "same"),
            .owner = anyOwner(),
            .lease = Duration(static_cast<std::int64_t>(1 + below(60'000'000))),
            .ttl = Duration(static_cast<std::int64_t>(1 + below(200'000'000))),
            .takeover = oneIn(3) ? Takeover::Manual : Takeover::Auto,
            .maxAttempts = static_cast<int>(below(4)),
            .principal = oneIn(2) ? "ann" : "" };
        if (oneIn(2))
            wish.payloadHash = hashOf("body");
        if (oneIn(4)) {
            wish.staleKey = StaleKey::Reject;
            wish.keyTime = m_clock.now() - Duration(static_cast<std::int64_t>(below(400'000'000)));
        }
        const auto reserved = m_store.reserve(wish);
        if (!reserved)
            return differ("reserve failed: " + reserved.error().message + " " + reserved.error().detail);
        judge(triggerOf(wish), reserved->outcome, reserved->record, "reserve");
    }

    void work()
    {
        const auto claim = belief();
        const auto completion = anyCompletion();
        switch (below(6)) {
        case 0: {
            auto trigger = triggerOf(Event::Renew, claim);
            trigger.lease = Duration(static_cast<std::int64_t>(1 + below(60'000'000)));
            return judge(trigger, m_store.renew(claim, trigger.lease));
        }
        case 1: {
            auto trigger = triggerOf(Event::Advance, claim);
            trigger.recoveryPoint = oneIn(2) ? "charged" : "mailed";
            if (oneIn(2))
                trigger.recoveryData = R"({"n":1})";
            return judge(trigger, m_store.advance(claim, *trigger.recoveryPoint, trigger.recoveryData));
        }
        case 2:
            return judge(triggerOf(Event::Finalize, claim, completion), m_store.finalize(claim, completion));
        case 3:
        case 4: {
            const Failing failing{ .retryable = !oneIn(3),
                .retryAfter = Duration(static_cast<std::int64_t>(below(20'000'000))),
                .completion = completion };
            auto trigger = triggerOf(Event::Fail, claim, completion);
            trigger.retryable = failing.retryable;
            trigger.retryAfter = failing.retryAfter;
            return judge(trigger, m_store.fail(claim, failing));
        }
        default: {
            auto trigger = triggerOf(Event::Hold, claim);
            trigger.reason = oneIn(3) ? "outcome_unknown" : "no answer";
            return judge(trigger, m_store.hold(claim, trigger.reason));
        }
        }
    }

    void intervene()
    {
        constexpr std::array events = { Event::OperatorFence, Event::OperatorRelease, Event::OperatorResolve,
            Event::OperatorExpire, Event::OperatorFail, Event::Unexpire, Event::Reopen };
        const auto claim = belief();
        const auto completion = anyCompletion();
        Trigger trigger{ .event = events[below(events.size())],
            .id = m_id,
            .owner = ownerOf(9),
            .fence = claim.fence,
            .ttl = completion.ttl,
            .resolution = static_cast<Resolution>(below(4)),
            .response = completion.response,
            .errorCode = completion.errorCode,
            .reason = "because",
            .actor = "olga",
            .noHold = oneIn(3) };
        if (oneIn(2))
            trigger.expiresAt = m_clock.now() + 1h;
        if (oneIn(2))
            trigger.tombstone = Duration(static_cast<std::int64_t>(below(100'000'000)));
        judge(trigger, m_store.intervene({ trigger }));
    }

    void reconcile()
    {
        const auto claim = belief();
        const auto completion = anyCompletion();
        const Trigger trigger{ .event = Event::Reconcile,
            .id = m_id,
            .fence = claim.fence,
            .ttl = completion.ttl,
            .evidence = static_cast<Evidence>(below(3)),
            .response = completion.response,
            .errorCode = completion.errorCode,
            .actor = "hook" };
        judge(trigger, m_store.reconcile(m_id, claim.fence, trigger.evidence, completion, "hook"));
    }

    void reap()
    {
        ReapRequest request{ .batch = 1 + static_cast<int>(below(2)) };
        if (oneIn(2))
            request.tombstone = 50s + Duration(static_cast<std::int64_t>(below(100'000'000)));
        if (oneIn(2))
            request.orphanGrace = 1h;
        const auto reaped = m_store.reap(request);
        if (!reaped)
            return differ("reap failed: " + reaped.error().message);
        const Trigger settle{
            .event = Event::Reap, .id = m_id, .actor = "reaper", .tombstone = request.tombstone, .grace = request.grace
        };
        const auto settled = decide(m_model, settle, m_clock.now());
        const bool entombed = settled.writes && settled.record;
        note("reap", settled);
        if ((reaped->tombstoned == 1) != entombed || (reaped->deleted == 1) != (settled.writes && !settled.record))
            return differ("reap settled something else");
        if (!request.orphanGrace)
            return compareStored();
        const Trigger orphan{
            .event = Event::ReapOrphan, .id = m_id, .actor = "reaper", .grace = *request.orphanGrace
        };
        const auto left = decide(m_model, orphan, m_clock.now());
        note("reap_orphan", left);
        if ((reaped->held == 1) != (left.writes && left.record)
            || (reaped->orphans == 1) != (left.writes && !left.record))
            return differ("reap treated an orphan otherwise");
        compareStored();
    }

    void judge(const Trigger& trigger, const Result<Applied>& applied)
    {
        if (!applied)
            return differ(std::string(wordOf(trigger.event)) + " failed: " + applied.error().message + " "
                + applied.error().detail);
        judge(trigger, applied->outcome, applied->record, std::string(wordOf(trigger.event)));
    }

    void judge(Trigger trigger, Outcome outcome, const std::optional<Record>& record, const std::string& word)
    {
        // The store drew the fence; whatever it is, it must be new.
        if (record && (!m_model || record->fence != m_model->fence)) {
            if (record->fence <= m_last)
                return differ(word + ": the fence went back");
            trigger.nextFence = record->fence;
            m_last = record->fence;
        }
        const auto decision = decide(m_model, trigger, m_clock.now());
        m_told += " " + word + "=" + std::string(wordOf(decision.outcome));
        if (decision.outcome != outcome)
            return differ(word + ": store says " + std::string(wordOf(outcome)) + ", decide() "
                + std::string(wordOf(decision.outcome)));
        if (decision.record != record)
            return differ(word + ": another record");
        if (decision.outcome == Outcome::Mismatch)
            refuse("mismatch", trigger.requestHash, decision.from);
        const bool worker = trigger.event == Event::Renew || trigger.event == Event::Advance
            || trigger.event == Event::Finalize || trigger.event == Event::Fail || trigger.event == Event::Hold;
        if (worker && decision.outcome == Outcome::LostOwnership)
            refuseWorker(trigger, decision.from);
        note(word, decision);
        if (m_difference.empty())
            compareStored();
    }

    void note(const std::string& word, const Decision& decision)
    {
        if (!decision.writes)
            return;
        // What was refused in an earlier life is news again in the next.
        constexpr int anew = 17;
        if (!decision.record || decision.row == anew)
            m_refused.clear();
        m_model = decision.record;
        if (decision.journalled)
            m_path += std::string(wordOf(decision.from)) + ">" + std::string(wordOf(decision.to)) + " " + word + "\n";
    }

    // Once per owner, and once more for the first outcome that he came with.
    void refuseWorker(const Trigger& trigger, State state)
    {
        const auto worker = trigger.owner.uuid + std::to_string(trigger.fence.value);
        const bool known = std::find(m_refused.begin(), m_refused.end(), worker) != m_refused.end();
        refuse("fenced", worker, state);
        if (trigger.event == Event::Finalize && m_refusedOutcomes.insert(worker).second && known)
            m_path += std::string(wordOf(state)) + ">" + std::string(wordOf(state)) + " fenced\n";
    }

    void refuse(const std::string& kind, const std::string& what, State state)
    {
        if (std::find(m_refused.begin(), m_refused.end(), what) != m_refused.end())
            return;
        m_refused.push_back(what);
        m_path += std::string(wordOf(state)) + ">" + std::string(wordOf(state)) + " " + kind + "\n";
    }

    void compareStored()
    {
        const auto stored = m_store.find(m_id);
        if (!stored || *stored != m_model)
            differ("another record is stored");
        const auto conflicts = m_store.conflicts(m_id);
        if (!conflicts || conflicts->size() != m_refused.size())
            differ("other conflicts are stored");
    }

    void compareJournal()
    {
        std::string path;
        const auto entries = m_store.journal(m_id);
        for (const auto& entry : *entries)
            path += entry.fromState + ">" + entry.toState + " " + entry.event + "\n";
        if (path != m_path)
            differ("journal:\n" + path + "expected:\n" + m_path);
    }

    void differ(std::string how)
    {
        if (m_difference.empty())
            m_difference = std::move(how);
    }

    store::SqlStore& m_store;
    ManualClock& m_clock;
    Random& m_random;
    const RecordId m_id{ "s", "o", "k" };
    std::optional<Record> m_model;
    Fence m_last;
    std::vector<std::string> m_refused;
    std::set<std::string> m_refusedOutcomes; // the journal keeps them over lives
    std::string m_path;
    std::string m_told;
    std::string m_difference;
};

} // namespace

// decide() against the SQL, in parts that run side by side.
class StoreHistories : public ::testing::TestWithParam<std::tuple<store::Dialect, int>> {
protected:
    void tell(int histories)
    {
        const auto [dialect, part] = GetParam();
        TempDatabase database(dialect);
        ASSERT_EQ(database.problem(), "");
        auto target = database.target();
        if (dialect == store::Dialect::Sqlite)
            target.path = ":memory:";
        auto connection = store::Connection::open(target, { .access = store::Access::ReadWrite, .create = true });
        ASSERT_TRUE(connection);
        ASSERT_TRUE(store::initSchema(**connection, false));
        if (dialect == store::Dialect::PostgreSql) {
            ASSERT_TRUE((*connection)->execute("SET synchronous_commit = off"));
        }
        ManualClock clock(start);
        store::SqlStore subject(**connection, { .clock = &clock, .bind = true });
        for (int i = 0; i < histories; ++i) {
            const auto seed = static_cast<std::uint64_t>(part) * 1'000'000'000U + static_cast<std::uint64_t>(i);
            SeededRandom random(seed);
            clock.set(start);
            History history(subject, clock, random);
            const auto difference = history.run(3 + static_cast<int>(random.below(6)));
            ASSERT_EQ(difference, "") << "seed " << seed;
            for (const char* table : { "idempotency_records", "idempotency_transitions", "idempotency_conflicts" })
                ASSERT_TRUE((*connection)->execute(std::string("DELETE FROM ") + table));
        }
    }
};

class SqliteHistories : public StoreHistories { };
class PostgresHistories : public StoreHistories { };

constexpr int parts = 4;

INSTANTIATE_TEST_SUITE_P(
    Parts, SqliteHistories, ::testing::Combine(::testing::Values(store::Dialect::Sqlite), ::testing::Range(0, parts)));
INSTANTIATE_TEST_SUITE_P(Parts, PostgresHistories,
    ::testing::Combine(::testing::Values(store::Dialect::PostgreSql), ::testing::Range(0, parts)));

TEST_P(SqliteHistories, AreToldTheSameByTheStoreAndByDecide)
{
    tell(100'000 / parts);
}

TEST_P(PostgresHistories, AreToldTheSameByTheStoreAndByDecide)
{
    tell(5'000 / parts);
}
