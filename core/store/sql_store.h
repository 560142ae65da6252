// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/clock.h"
#include "core/store.h"
#include "core/store/database.h"
#include "core/store/native.h"

namespace fencepost::store {

// Which clock decides. SQLite has none of its own with microseconds, so it always gets the injected one.
struct StoreClock {
    const Clock* clock = nullptr; // null: the system's
    bool bind = false; // PostgreSQL too; otherwise its statement_timestamp() decides

    [[nodiscard]] Time now() const { return clock != nullptr ? clock->now() : SystemClock().now(); }
};

// What statements get as :now; none: the database's own clock.
[[nodiscard]] std::optional<Time> boundTime(const Connection& connection, const StoreClock& clock);

// The protocol over one connection, in the words of either dialect. On PostgreSQL, where a round trip costs most, what
// happens all the time is one statement with its journal row; everything else, and all of it on SQLite, is judged by
// decide() under the record's lock. Thread rule of Store.
class SqlStore final : public Store {
public:
    SqlStore(Connection& connection, StoreClock clock);

    Result<Reserved> reserve(const Reservation& reservation) override;
    Result<std::optional<Reserved>> replay(const Reservation& reservation) override;
    Result<Applied> renew(const Claim& claim, Duration lease) override;
    Result<Applied> advance(
        const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data) override;
    Result<Applied> finalize(const Claim& claim, const Completion& completion) override;
    Result<Applied> fail(const Claim& claim, const Failing& failing) override;
    Result<Applied> hold(const Claim& claim, const std::string& reason) override;
    Result<Applied> reconcile(const RecordId& id, Fence seen, Evidence evidence, const Completion& completion,
        const std::string& actor) override;
    Result<Applied> intervene(const Intervention& intervention) override;
    Result<Reaped> reap(const ReapRequest& request) override;

    Result<std::vector<Result<Reserved>>> reserveAll(const std::vector<Reservation>& reservations) override;
    Result<std::vector<Result<Applied>>> finalizeAll(
        const std::vector<std::pair<Claim, Completion>>& completions) override;

    Result<std::optional<Record>> find(const RecordId& id) override;
    Result<std::vector<JournalEntry>> journal(const RecordId& id) override;
    Result<std::vector<Conflict>> conflicts(const RecordId& id) override;
    Result<KeyLives> livesOf(const RecordId& id) override;
    Result<Time> now() override;

    // Runs the body's operations in one transaction: all of them are committed or none. Run again as a whole where the
    // database asks for it.
    Status together(const std::function<Status()>& body);

private:
    // What a statement of PostgreSQL's hot path met.
    struct Met {
        bool won = false;
        Time now;
        std::optional<Record> record;
    };
    // A worker's event: what decide() judges, and PostgreSQL's statement that mostly makes that needless.
    struct Change {
        Event event;
        const Claim& claim;
        std::function<Trigger()> trigger;
        std::function<Result<Met>()> hot;
        std::string reason; // of what the statement won
    };

    [[nodiscard]] std::optional<Time> bound() const;
    [[nodiscard]] bool isSqlite() const { return m_connection.dialect() == Dialect::Sqlite; }
    static Status readMet(const NativeRow& row, Met& met);
    Result<Met> meet(const NamedSql& sql, const Parameters& parameters);

    Error explained(const Error& error, const Reservation& reservation);
    // None: ask again.
    Result<std::optional<Reserved>> reserveOnce(const Reservation& reservation);
    Result<std::optional<Reserved>> reserveWithoutLock(const Reservation& reservation);
    Result<std::optional<Reserved>> reserveJudged(const Reservation& reservation);
    Result<std::optional<Reserved>> reservedFrom(const Reservation& reservation, Met met);
    // With the entry that a refused arrival leaves.
    Result<Reserved> answerOf(const Reservation& reservation, Decision decision, Time now);

    Result<Met> meetCompletion(
        const Claim& claim, const Completion& completion, Event event, State state, const char* reason);
    Result<Applied> change(const Change& change);
    Result<Applied> noteFenced(const Change& change, const Record& before, Applied applied);
    Result<Applied> judgeAlone(const Trigger& trigger);

    Result<std::vector<Met>> meetAll(const std::vector<NativeCall>& calls);
    // PostgreSQL: the calls as the rows of one statement, where they can be that, else one after the other.
    Result<std::vector<Met>> meetTogether(const NamedSql& sql, std::string_view name, const std::vector<RecordId>& ids,
        const std::vector<NativeCall>& calls);
    template <typename T>
    Result<std::vector<Result<T>>> inChunks(const std::vector<std::size_t>& order,
        const std::function<Status(const std::vector<std::size_t>& chunk, std::vector<Result<T>>& results)>&
            inOneCommit,
        const std::function<Result<T>(std::size_t index)>& alone);

    // SQLite: journal rows, conflicts, then the change itself. PostgreSQL's change does all of it.
    struct Settling {
        const NamedSql& journal;
        const NamedSql& change;
        const NamedSql* conflicts; // null: the records stay
    };
    Result<std::int64_t> reapSettled(const Settling& settling, const Parameters& parameters);
    Status purge(const NamedSql& sql, int batch, std::int64_t& total);
    Status keepEffects(const std::vector<RecordId>& orphans);
    Status reapOrphans(const ReapRequest& request, Reaped& reaped);
    Status reapJournal(const ReapRequest& request, std::int64_t& total);

    Connection& m_connection;
    StoreClock m_clock;
};

} // namespace fencepost::store
