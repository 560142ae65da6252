// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/key_life.h"
#include "core/protocol/transition.h"

namespace fencepost {

struct Reservation {
    RecordId id;
    Bytes requestHash; // 32 octets
    std::string fingerprintAlg = "v1"; // how it was made: tagOf the profile
    std::vector<TaggedHash> otherHashes; // of the same request, for records that were made with another profile
    std::optional<Bytes> payloadHash;
    Owner owner; // fresh for each acquisition
    Duration lease{}; // more than nothing, as is ttl
    Duration ttl{};
    // A takeover or a retry follows the record's own two rules; these are for one that begins a life.
    Takeover takeover = Takeover::Auto;
    int maxAttempts = 0;
    StaleKey staleKey = StaleKey::Execute;
    std::optional<Time> keyTime;
    std::optional<std::string> correlationId;
    std::optional<std::string> requestMethod;
    std::optional<std::string> requestTarget;
    std::optional<Bytes> requestBody;
    Headers requestHeaders; // with the body; what the request depends on, never a credential
    std::string principal; // journalled with a mismatch
};

struct Reserved {
    Outcome outcome = Outcome::InFlight; // Execute, Replay, InFlight, Mismatch, RetryLater, Held, KeyExpired
    std::optional<Record> record; // as it is now; none: refused and absent
    Time now; // the clock that decided
};

// What a worker presents. Both must be the record's.
struct Claim {
    RecordId id;
    Owner owner;
    Fence fence;
};

struct Completion {
    Response response;
    std::optional<Duration> ttl; // none: as long again as the reservation asked for
    std::optional<std::string> errorCode;
};

struct Failing {
    bool retryable = false;
    Duration retryAfter{};
    Completion completion;
};

struct Applied {
    Outcome outcome = Outcome::Applied; // Applied, LostOwnership, Refused, NotFound
    std::string reason; // why not, or what was journalled
    std::optional<Record> record; // as it is now
    Time now;
};

// An operator's event, compared and swapped on the fence that the operator saw. `trigger.nextFence` is ignored: the
// store draws it.
struct Intervention {
    Trigger trigger;
};

// One row of the append-only journal of state changes.
struct JournalEntry {
    std::int64_t seq = 0;
    RecordId id;
    std::string fromState; // words of State
    std::string toState;
    std::string event; // words of Event, or "mismatch", "fenced"
    Fence fence;
    int attempt = 0;
    std::string owner;
    std::string actor; // the owner for workers, a person for operators
    std::string reason;
    Time at;
};

// A refused arrival of the record's present life, once per key and presented hash.
struct Conflict {
    RecordId id;
    Bytes presentedHash; // for "fenced": SHA-256 of owner and fence
    std::string kind; // "mismatch" or "fenced"; presentedHash empty: all others of the kind together
    std::string principal;
    std::int64_t count = 0;
    Time firstAt;
    Time lastAt;
};

struct ReapRequest {
    int batch = 500; // rows per transaction
    Duration grace = std::chrono::hours(1);
    std::optional<Duration> tombstone; // none: delete at once
    std::optional<Duration> orphanGrace; // none: orphans stay
    // How long the journal of a record that is gone is kept; that of one that is there always stays. None: for ever.
    std::optional<Duration> journalRetention;
};

struct Reaped {
    std::int64_t deleted = 0;
    std::int64_t tombstoned = 0;
    std::int64_t orphans = 0;
    std::int64_t held = 0; // orphans that became a hold
    std::int64_t calls = 0; // of the ledger of outbound calls
    std::int64_t effects = 0;
    std::int64_t transitions = 0; // of the journal
};

// The idempotency protocol over one database. Used by one thread at a time; other Stores on the same database run
// beside it. Every change is one transaction with its journal row. Errors: Unavailable (lost, locked: nothing changed),
// InDoubt (commit was sent and not answered), Full, Corrupt, Denied (read-only).
class Store {
public:
    virtual ~Store() = default;

    virtual Result<Reserved> reserve(const Reservation& reservation) = 0;
    // What a reservation would answer where the record is at its end, by one read that takes no lock and writes
    // nothing. None: anything else, which only reserve() may judge.
    virtual Result<std::optional<Reserved>> replay(const Reservation& reservation) = 0;
    virtual Result<Applied> renew(const Claim& claim, Duration lease) = 0;
    virtual Result<Applied> advance(
        const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data) = 0;
    virtual Result<Applied> finalize(const Claim& claim, const Completion& completion) = 0;
    virtual Result<Applied> fail(const Claim& claim, const Failing& failing) = 0;
    virtual Result<Applied> hold(const Claim& claim, const std::string& reason) = 0;
    // After the lease ended, by the reconcile hook; evidence decides between rows 5, 6 and 7.
    virtual Result<Applied> reconcile(
        const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor) = 0;
    // Operator's fence, release, resolve, expire, fail and their inverses.
    virtual Result<Applied> intervene(const Intervention& intervention) = 0;
    // Forgets what nobody asks for any more: records, and behind them outbound calls and effects whose own time is
    // over. Nothing unresolved goes, nor what would keep an unresolved request from being carried out twice.
    virtual Result<Reaped> reap(const ReapRequest& request) = 0;

    // Batches keep the order of their input in the output; each element is decided on its own, at full durability.
    virtual Result<std::vector<Result<Reserved>>> reserveAll(const std::vector<Reservation>& reservations) = 0;
    virtual Result<std::vector<Result<Applied>>> finalizeAll(
        const std::vector<std::pair<Claim, Completion>>& completions) = 0;

    virtual Result<std::optional<Record>> find(const RecordId& id) = 0;
    virtual Result<std::vector<JournalEntry>> journal(const RecordId& id) = 0;
    virtual Result<std::vector<Conflict>> conflicts(const RecordId& id) = 0;
    // Of the record's key, by the journal.
    virtual Result<KeyLives> livesOf(const RecordId& id) = 0;
    // The clock that decides leases and expiry.
    virtual Result<Time> now() = 0;
};

} // namespace fencepost
