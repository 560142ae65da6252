// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/messaging/outbox_backlog.h"
#include "core/query/filter.h"
#include "core/query/row.h"
#include "core/run_journal.h"
#include "core/store.h"

namespace fencepost {

struct DatabaseInfo {
    std::string product; // "SQLite", "PostgreSQL"
    std::string version;
    std::string location; // host:port/database or file; never a password
    std::string user;
    std::string
        identity; // stable name of this database for plans and audit: same file or same server, database and schema
    bool readOnly = true; // enforced by the server for this session
    bool replica = false;
    std::optional<Duration> replicaLag;
    Time now; // the database's clock
    std::optional<int> schemaVersion; // of Fencepost's own tables; none: there are none
};

// What an action of a profile asks for, besides what the operation itself does.
struct ActionParameter {
    std::string name;
    std::string type; // duration, uuid, text, integer
    std::string standard; // taken where nothing is said; empty: there is none, or one is made for each row
    std::string label;
    bool required = false;
};

// Why a verb of a binding may not be used, or that it may.
struct Capability {
    std::string verb; // fence, release, expire, resolve, fail, note, …
    std::string title; // of the profile's action; empty: the operation's own
    std::string risk; // low, medium, high
    std::string effect; // in words
    bool allowed = false;
    std::string why; // not allowed: the reason, shown as tooltip
    bool native = false; // the core's own operation; else a guarded write of the profile
    std::vector<ActionParameter> parameters;
    std::vector<std::string> external; // done outside by the framework's own command: its words; never run from here
    std::string reference; // where the framework's own statement stands
};

// A recognised table: profile + schema + table.
struct Binding {
    std::string name; // unique in the connection, used by --binding: "idempotency_records", "svc_a.idempotency_keys"
    std::string profile;
    std::string title;
    Kind kind = Kind::Idempotency;
    std::string schema; // catalog spelling; empty in SQLite
    std::string table;
    std::string fencing; // owner_cas, none, not_applicable, …
    std::vector<std::string> identityColumns; // of the table, in the order of Row::identity
    std::vector<std::string> fields; // canonical fields that this table has: key, scope, owner, lease_until, …
    std::vector<std::string> orders; // columns a page may be ordered by (indexed): created, expires, lease, key
    std::vector<Capability> capabilities;
    std::vector<std::string> notes;
    std::vector<std::string> warnings; // row-level security, unknown labels, missing privileges
    std::vector<std::string> reasons; // by what it was recognised
    std::vector<std::string> choices; // profiles that fit equally well: one has to be chosen before anything is changed
    std::vector<std::string> members; // of a view over one table in each schema: the bindings that it is made of
    // What the profile reads and this table does not have: "field updated: the table has no column "changed_at"".
    std::vector<std::string> absent;
    bool canRead = true;
    bool mayHideRows = false; // row-level security is in force for this role: what is not seen may be there
    bool native = false; // Fencepost's own table
    bool reachable = true; // by the native operations: they work on the tables of the session's own schema
    bool tellsStuck = true; // it is told when a row is stuck
    bool zoneUnknown = false; // nobody has said where its local times are of: they are read as UTC
    bool fromLogs = false; // imported: no line of a log tells a lease
};

// An opaque position in an ordered table: keyset values as text. Round-trips through the text form that the command
// line prints.
struct Cursor {
    std::vector<std::string> values;

    auto operator<=>(const Cursor&) const = default;
};

[[nodiscard]] std::string formatCursor(const Cursor& cursor);
[[nodiscard]] Result<Cursor> parseCursor(std::string_view text);

struct PageRequest {
    FilterPtr filter; // null: everything
    std::string order; // of Binding::orders; empty: the first
    bool descending = true;
    std::optional<Cursor> after; // rows behind it in the order
    std::optional<Cursor> before; // rows ahead of it, returned in the same order; not with after
    bool fromEnd = false; // the last page
    int limit = 200;
    bool calls = false; // with what was sent to vendors for records that are not at their end
    // What an action will be told, of the profile's own parameters: its conditions and what is stuck are judged by it.
    std::map<std::string, std::string> parameters;
};

// A table that a profile was made or chosen for, and that it does not fit.
struct Unfit {
    std::string table; // "schema.table", or what was said where there is none
    std::string profile;
    std::string why;
    bool chosen = false; // somebody said that it is read so
};

struct Cost {
    Duration time{};
    std::int64_t rows = 0;
    std::string sql; // as sent, with placeholders
};

struct Page {
    std::vector<Row> rows;
    std::vector<Cursor> cursors; // one per row
    bool moreBefore = false;
    bool moreAfter = false;
    Time now; // the database's clock when it was read
    Cost cost;
};

enum class Exactness { Exact, AtLeast, Estimate };
[[nodiscard]] std::string_view wordOf(Exactness exactness) noexcept; // "exact", "at_least", "estimate"

struct Count {
    std::int64_t value = 0;
    Exactness exactness = Exactness::Exact;
};

struct Counts {
    std::map<std::string, Count> byState; // canonical words
    Count total;
    Count stuck;
    Count expiringSoon; // within an hour
    std::optional<Time> oldestLease; // of records in progress
    Time now;
    Cost cost;
};

// One field of a row too large or too private for a page.
struct Payload {
    std::string name; // response_body, recovery_data, request_body, …
    Bytes bytes; // cut at the limit that was asked for
    std::int64_t size = 0; // of the whole
    std::string contentType; // best guess: application/json, text/plain, application/octet-stream
};

struct RowDetails {
    Row row;
    std::vector<Payload> payloads;
    std::vector<JournalEntry> journal; // own tables only
    std::vector<Conflict> conflicts;
    Time now;
};

// Dead letters that failed alike.
struct LetterGroup {
    std::string fingerprint; // the filter's "group"
    std::string pattern; // the error's words with <id> and <n>
    std::string code; // of the failure
    std::int64_t dead = 0; // those that wait for a decision
    std::int64_t again = 0; // of them: those that had been redriven before
    std::int64_t all = 0;
    std::int64_t lastHour = 0; // died within it, by the database's clock
    Time firstAt;
    Time lastAt;
    std::string example; // id of one
    std::optional<Time> replayedAt; // when the latest run that put one of it back was begun
    std::int64_t sinceReplay = 0; // those that wait and died after that
};

struct LetterGroups {
    std::vector<LetterGroup> groups; // the most frequent first, at most 1,000
    Time now; // the database's clock
};

// Of a native record in Change::seen, beside its fence.
inline constexpr auto seenLive = "live"; // "true" or "false": whether its lease was
inline constexpr auto seenCreatedAt = "created_at"; // microseconds since 1970
inline constexpr auto seenUpdatedAt = "updated_at"; // the same; of a live lease it only tells of heartbeats
inline constexpr auto seenCalls = "calls"; // what was sent to vendors for it: both texts below
// Of a native record in Row::extra, where somebody asked for its calls: what was sent to vendors for it.
inline constexpr auto rowCallsDone = "calls_done"; // "acme payouts.create po_1"; absent: none is
inline constexpr auto rowCallsOpen = "calls_open"; // nobody knows what became of these
inline constexpr auto rowCallsUnread = "calls_unread"; // why nobody can tell
// Of a dead letter in Change::seen.
inline constexpr auto seenDeaths = "deaths";
// Of a dead letter in Row::extra.
inline constexpr auto rowSchema = "schema"; // of a view over one table in each schema: the row's own
inline constexpr auto rowDeaths = "version";
inline constexpr auto rowDiedAs = "died_as"; // a word of DeadLetterKind
inline constexpr auto rowLane = "order_key"; // events of one key are sent one after the other
inline constexpr auto rowVerdict = "verdict"; // a word of ReplayVerdict
inline constexpr auto rowVerdictReason = "verdict_reason";
inline constexpr auto rowUnsendable = "unsendable"; // why it cannot be sent from here; absent: it can
inline constexpr auto rowBehind = "behind"; // the event of its ordering key that goes before it; absent: there is none
inline constexpr auto rowOvertakenBy = "overtaken_by"; // a later event of its ordering key that was sent; absent: none
inline constexpr auto rowCopyDoubles =
    "copy_doubles"; // why an edited copy may have the effect twice; absent: none known
// Of another's row in Row::extra.
inline constexpr auto rowOwnerAlive = "owner_alive"; // "yes" or "no", where the profile knows who lives
inline constexpr auto rowActions = "actions"; // verbs whose conditions it meets, by the profile, apart by spaces
// Parameter of whatever closes a record: how it is known that what a vendor has done was taken back.
inline constexpr auto effectUndone = "effect_undone";
// Parameters of a replay: why rows of that verdict are replayed all the same.
inline constexpr auto includeUnknown = "include_unknown";
inline constexpr auto includeRacing = "include_racing";
// Parameters of an edit.
inline constexpr auto editedPayload = "payload";
inline constexpr auto editedEventId = "event_id"; // of the copy; absent: made of the plan's request id

// One guarded write of a plan: the row as it was seen, and what to do with it.
struct Change {
    std::string requestId; // UUID of the plan
    int item = 0; // position in the plan
    std::string verb; // an operation's id
    std::vector<std::string> identity;
    std::optional<std::int64_t> seenFence;
    std::map<std::string, std::string> seen; // cas columns as read
    std::string seenState; // as shown: another one now means that the row moved on; empty: not compared
    std::map<std::string, std::string>
        parameters; // as=succeeded, evidence=…, response_code=…, no_hold=1, tombstone=30d, …
    std::string actor; // user@host
    std::string reason;
};

enum class ItemResult { Changed, AlreadyDone, Skipped, Failed };
[[nodiscard]] std::string_view wordOf(ItemResult result) noexcept; // "changed", "already_done", "skipped", "failed"

struct ItemOutcome {
    ItemResult result = ItemResult::Failed;
    std::string reason; // skipped or failed: why
    std::string before; // JSON of the row, empty where nothing changed
    std::string after;
};

struct AuditEntry {
    std::int64_t seq = 0;
    std::string requestId;
    int item = 0;
    std::string verb;
    std::string database; // DatabaseInfo::identity: the console's own audit file serves several
    std::string binding;
    std::string identity; // JSON array
    std::string outcome; // words of ItemResult, or "in_doubt": the write was sent and its outcome is not known yet
    std::string detail; // why it was skipped or failed
    std::string before; // JSON
    std::string after; // JSON
    std::string parameters; // JSON
    std::string actor;
    std::string reason;
    Time at;
    std::string previous; // hex hash of the entry before
    std::string hash; // hex SHA-256 over all of the above
};

struct AuditVerdict {
    bool intact = true;
    std::int64_t entries = 0;
    std::optional<std::int64_t> brokenAt; // seq
    std::string reason;
    std::string head; // hash of the last entry: kept elsewhere, it proves that the whole chain was not rewritten
};

struct AuditRequest {
    std::optional<std::int64_t> beforeSeq; // newest first
    std::optional<std::string> requestId;
    std::string binding; // with identity: the entries of one row
    std::vector<std::string> identity;
    int limit = 200;
};

// Every entry that matches, newest first, asked for page by page of `page`.
Status forEachEntry(AuditRequest request,
    const std::function<Result<std::vector<AuditEntry>>(const AuditRequest&)>& page,
    const std::function<void(AuditEntry)>& visit);

class Forensics;
class Copier;

// What the console and the command line ask of a connected database. Used by one thread, the one that opened it.
// Reads go through profiles; every change goes through apply().
class Inspector {
public:
    virtual ~Inspector() = default;

    virtual Result<DatabaseInfo> info() = 0;
    // Recognised tables; read once and cached until refresh.
    virtual Result<std::vector<Binding>> bindings(bool refresh = false) = 0;
    // The tables that would be among them but for something that does not fit.
    virtual Result<std::vector<Unfit>> unfit() { return std::vector<Unfit>(); }
    virtual Result<Page> page(const Binding& binding, const PageRequest& request) = 0;
    // Within the budget: exact where that fits, else ≥ or ≈.
    virtual Result<Counts> counts(const Binding& binding, const FilterPtr& filter, Duration budget) = 0;
    virtual Result<std::optional<Row>> row(const Binding& binding, const std::vector<std::string>& identity) = 0;
    // As an action with these parameters of the profile meets it.
    virtual Result<std::optional<Row>> rowFor(
        const Binding& binding, const std::vector<std::string>& identity, const std::map<std::string, std::string>&)
    {
        return row(binding, identity);
    }
    virtual Result<std::optional<RowDetails>> details(
        const Binding& binding, const std::vector<std::string>& identity, std::int64_t payloadLimit) = 0;
    // Of Fencepost's own dead letters. Unsupported: the table is another.
    virtual Result<LetterGroups> letterGroups(const Binding& binding) = 0;
    // Of Fencepost's own outbox. Unsupported: the table is another.
    virtual Result<OutboxBacklog> outboxBacklog(const Binding& binding) = 0;
    // The statement of a page and the plan that the database chose for it.
    virtual Result<std::string> explain(const Binding& binding, const PageRequest& request) = 0;

    // The statements that a verb would run, for "SQL on demand".
    virtual Result<std::string> sqlOf(
        const Binding& binding, const std::string& verb, const std::map<std::string, std::string>& parameters) = 0;
    // One transaction: audit row (unique request and item) + compare-and-swap. Never repeats a change that was already
    // audited.
    virtual Result<ItemOutcome> apply(const Binding& binding, const Change& change) = 0;

    virtual Result<bool> hasAudit() = 0; // the target keeps the audit table itself
    virtual Status installAudit() = 0;
    virtual Result<std::vector<AuditEntry>> audit(const AuditRequest& request) = 0;
    virtual Result<AuditVerdict> verifyAudit() = 0;
    // A note, a reveal, an arming: audited without a change of a row.
    virtual Result<AuditEntry> record(const AuditEntry& entry) = 0;
    // Null: it keeps none.
    virtual RunJournal* runs() { return nullptr; }
    // What happened, of all of its tables. Null: it does not tell.
    virtual Forensics* forensics() { return nullptr; }
    // Its tables as they are, for a snapshot. Null: it gives none away.
    virtual Copier* copier() { return nullptr; }
};

} // namespace fencepost
