// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/clock.h"
#include "core/store.h"

namespace fencepost::simulation {

// The protocol over the memory of one process, for a world in which nothing is real: what a database would keep and
// decide, without one. It keeps no outbound calls, no effects and no headers of requests. Not thread-safe.
class MemoryStore final : public Store {
public:
    // `keepsJournal` false: who simulates millions of requests looks at each decision as it is made.
    explicit MemoryStore(const Clock& clock, bool keepsJournal = true);
    ~MemoryStore() override;

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
    Result<Time> now() override { return m_clock.now(); }

    // As find(), without a copy; none: there is no row. Good until the next change of it.
    [[nodiscard]] const Record* look(const RecordId& id) const;
    struct Judgement {
        fencepost::Outcome outcome = fencepost::Outcome::Refused;
        const Record* record = nullptr; // as it stands there now; none: there is no row
    };
    // What decide() says of an event, written down: what reserve(), finalize() and fail() do of it, for who plans all
    // of them himself and millions in a second. Without a copy of the record, without a look at the arguments, and
    // without a list of who was refused.
    Judgement judge(Trigger&& trigger);

    // Nothing survives but the counter of fences.
    void forgetAll();
    // Not even that: as after a crash of a cache that somebody took for a store.
    void loseAll();
    // What stands there from now on, whatever the protocol says of it: a transaction was rolled back, or somebody wrote
    // past it. None: no row, and nothing is known of the key.
    void put(const RecordId& id, std::optional<Record> record);

    [[nodiscard]] std::size_t records() const { return m_records.size(); }
    [[nodiscard]] std::size_t entries() const { return m_journal.size(); }
    [[nodiscard]] std::size_t conflictCount() const;

private:
    // Without noexcept, so that the table remembers it of each row instead of asking again for every neighbour.
    struct HashOfId {
        std::size_t operator()(const RecordId& id) const;
    };
    // Refused arrivals of one kind, each with a place of its own as long as there are some.
    struct Refused {
        std::vector<Conflict> own;
        std::optional<Conflict> others;
        std::set<Bytes> finalized; // what was presented together with an outcome
    };
    struct RefusedBoth {
        Refused mismatches;
        Refused fenced;
    };
    using Completing = std::function<void(Record& after, const std::optional<Record>& before)>;
    struct Judged {
        Decision decision;
        Time now;
    };
    // None never stands there: decide() is given the row as it is.
    using Rows = std::unordered_map<RecordId, std::optional<Record>, HashOfId>;

    Judged judge(Trigger trigger, const std::string& actor, const Completing& complete = nullptr);
    Result<Applied> judgeAlone(const Trigger& trigger);
    Result<Applied> change(const Trigger& trigger, const Claim& claim);
    void write(const Rows::iterator& found, const RecordId& id, const Decision& decision);
    // Whether it is worth a row of the journal.
    bool note(Conflict conflict, bool withOutcome);
    void enter(JournalEntry entry);
    // The terminal records whose time was over that long ago, in the order in which they expired.
    [[nodiscard]] std::vector<RecordId> settled(Duration grace, const std::function<bool(const Record&)>& also) const;
    void reapOrphans(const ReapRequest& request, Reaped& reaped);

    const Clock& m_clock;
    bool m_keepsJournal;
    Rows m_records;
    std::unordered_map<RecordId, RefusedBoth, HashOfId> m_refused;
    std::vector<JournalEntry> m_journal;
    std::int64_t m_lastFence = 0;
    std::int64_t m_lastSeq = 0;
};

} // namespace fencepost::simulation
