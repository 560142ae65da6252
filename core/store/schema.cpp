// SPDX-License-Identifier: Apache-2.0
#include "core/store/schema.h"

#include <array>
#include <span>

#include "core/ids.h"
#include "core/store/audit_log.h"
#include "core/store/connecting.h"
#include "core/store/creation.h"
#include "core/store/replica.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// A migration is a list of statements and nothing else, so that it cannot depend on anything.
struct Migration {
    int version;
    std::span<const NamedSql* const> steps;
};

constexpr std::array firstVersion = { &sql::create_version, &sql::create_fence, &sql::start_fence, &sql::create_records,
    &sql::create_records_by_creation, &sql::create_records_open, &sql::create_records_by_expiry,
    &sql::create_transitions, &sql::create_transitions_by_key, &sql::create_conflicts, &sql::create_inbox,
    &sql::create_inbox_by_reception, &sql::create_effects, &sql::create_runs, &sql::create_run_items };

// A held record is found among millions.
constexpr std::array secondVersion = { &sql::create_records_held };

// What was sent to vendors, and for how long an effect is remembered.
constexpr std::array thirdVersion = { &sql::create_outbound_calls, &sql::create_outbound_by_record,
    &sql::create_outbound_by_expiry, &sql::alter_effects, &sql::create_effects_by_expiry };

// A key is found without its scope, a request can be sent again with the headers that it depends on, and what vendors
// have to be asked about is found at once.
constexpr std::array fourthVersion = { &sql::create_records_by_key, &sql::alter_records_headers,
    &sql::create_outbound_open };

// Events: what is to be sent, what was given up, and an inbox in which two events have one effect once and an older
// version does not follow a newer.
constexpr std::array fifthVersion = { &sql::alter_inbox_subject, &sql::alter_inbox_attempts, &sql::alter_inbox_effect,
    &sql::adopt_inbox_effects, &sql::create_inbox_effects, &sql::create_inbox_by_event,
    &sql::create_inbox_by_correlation, &sql::create_inbox_settled, &sql::create_inbox_heads, &sql::create_outbox,
    &sql::create_outbox_due, &sql::create_outbox_claimed, &sql::create_outbox_by_key, &sql::create_outbox_sent,
    &sql::create_outbox_by_creation, &sql::create_outbox_by_record, &sql::create_outbox_by_correlation,
    &sql::create_dead_letters, &sql::create_dead_letters_by_death, &sql::create_dead_letters_by_group,
    &sql::create_dead_letters_by_event, &sql::create_dead_letters_by_correlation };

// A destination that wants nothing any more is not asked again, and failures that are alike are counted at once.
constexpr std::array sixthVersion = { &sql::create_outbox_destinations, &sql::drop_dead_letters_by_group,
    &sql::create_dead_letters_alike };

// A replay goes on after whoever carried it out was killed, and takes orders from elsewhere.
constexpr std::array seventhVersion = { &sql::alter_runs_settings, &sql::alter_runs_total, &sql::alter_runs_because,
    &sql::alter_runs_runner, &sql::alter_runs_beat_at, &sql::create_runs_by_start, &sql::create_dead_letters_replayed };

// What a disabled destination is owed is walked past by nobody, and what was discarded is found when it is to go.
constexpr std::array eighthVersion = { &sql::create_outbox_by_destination, &sql::create_outbox_discarded };

// What overtook an event that is to be sent again, and what failed though a vendor has done it.
constexpr std::array ninthVersion = { &sql::create_outbox_sent_in_order, &sql::create_records_failed };

constexpr std::array migrations = { Migration{ 1, firstVersion }, Migration{ 2, secondVersion },
    Migration{ 3, thirdVersion }, Migration{ 4, fourthVersion }, Migration{ 5, fifthVersion },
    Migration{ 6, sixthVersion }, Migration{ 7, seventhVersion }, Migration{ 8, eighthVersion },
    Migration{ 9, ninthVersion } };
static_assert(migrations.back().version == currentSchemaVersion);

// Its first row, the end of an empty chain, is written by AuditLog.
constexpr std::array audit = { &sql::audit_create, &sql::audit_create_once, &sql::audit_create_by_request,
    &sql::audit_create_by_row, &sql::audit_create_chain };

constexpr std::array views = { &sql::view_idempotency_keys, &sql::view_svc_idempotency_keys,
    &sql::view_idempotency_store, &sql::view_inbox_events };

constexpr std::array playbook = { &sql::layout_playbook_keys, &sql::layout_playbook_inbox };
constexpr std::array atlas = { &sql::layout_atlas_records };
constexpr std::array service = { &sql::layout_service_schema, &sql::layout_service_keys };

struct Layout {
    std::string_view name;
    std::array<std::span<const NamedSql* const>, 10> parts;
};

constexpr std::array layouts = {
    Layout{ "fencepost",
        { firstVersion, secondVersion, thirdVersion, fourthVersion, fifthVersion, sixthVersion, seventhVersion,
            eighthVersion, ninthVersion, audit } },
    Layout{ "playbook", { playbook } },
    Layout{ "atlas", { atlas } },
    Layout{ "service", { service } },
};

constexpr std::string_view servicePlaceholder = "@service@";

// A statement with its parameter written out, for a text that somebody else runs.
std::string filledIn(std::string text, const std::string& name, const std::string& literal)
{
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + literal.size()))
        text.replace(at, name.size(), literal);
    return text;
}

// What a migration writes besides tables: without it, they would be of no known version, and their audit without an
// end.
std::string firstRows(Dialect dialect)
{
    std::string text;
    for (const auto& migration : migrations)
        text += filledIn(filledIn(sql::add_version.of(dialect), ":version", std::to_string(migration.version)), ":at",
                    "NULL")
            + ";\n\n";
    return text + filledIn(sql::audit_create_end.of(dialect), ":hash", '\'' + std::string(genesis) + '\'') + ";\n\n";
}

Status runStep(Connection& connection, const NamedSql& step)
{
    const char* text = step.of(connection.dialect());
    return text == nullptr ? Status() : connection.execute(text);
}

// An index over a table of millions takes longer than any statement of a session may. Writers wait for it; whoever
// cannot let them wait makes the same index concurrently beforehand, and the migration finds it.
class UnlimitedStatements {
public:
    explicit UnlimitedStatements(Connection& connection)
        : m_connection(connection)
    {
        m_connection.limitStatements(Duration(0));
    }
    ~UnlimitedStatements() { m_connection.limitStatements(std::nullopt); }
    UnlimitedStatements(const UnlimitedStatements&) = delete;
    UnlimitedStatements& operator=(const UnlimitedStatements&) = delete;

    [[nodiscard]] Status inTransaction() const
    {
        const bool sqlite = m_connection.dialect() == Dialect::Sqlite;
        return sqlite ? Status() : m_connection.execute("SET LOCAL statement_timeout = 0");
    }

private:
    Connection& m_connection;
};

Status migrateOnce(Connection& connection, std::optional<Time> at)
{
    auto transaction = Transaction::begin(connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    const auto status = schemaStatus(connection);
    if (!status)
        return status.error();
    const int present = status->version.value_or(0);
    if (present > currentSchemaVersion)
        return newerSchema(present);
    const UnlimitedStatements unlimited(connection);
    if (const auto set = unlimited.inTransaction(); !set)
        return set;
    for (const auto& migration : migrations) {
        if (migration.version <= present)
            continue;
        for (const auto* step : migration.steps)
            if (const auto done = runStep(connection, *step); !done)
                return done.error();
        // Also where an older Fencepost or `audit install` has made it already.
        if (const auto created = AuditLog(connection).create(); !created)
            return created;
        auto add = connection.prepare(sql::add_version);
        if (!add)
            return add.error();
        if (const auto done = (*add)->bindInt("version", migration.version).bindTime("at", at).run(); !done)
            return done.error();
        (*add)->finish();
    }
    return transaction->commit();
}

// WAL can only be switched on outside a transaction, and stays in the file.
Status useWriteAheadLog(Connection& connection)
{
    if (connection.dialect() != Dialect::Sqlite || connection.target().path == ":memory:")
        return {};
    return connection.execute("PRAGMA journal_mode=WAL");
}

Status createViews(Connection& connection)
{
    auto transaction = Transaction::begin(connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    for (const auto* view : views)
        if (const auto made = runStep(connection, *view); !made)
            return made;
    return transaction->commit();
}

} // namespace

Error newerSchema(int version)
{
    return { Failure::Unsupported,
        "The database has schema version " + std::to_string(version) + ", this Fencepost knows up to "
            + std::to_string(currentSchemaVersion),
        {}, {}, "Use a newer Fencepost" };
}

Error olderSchema(std::optional<int> version, int needed)
{
    return { Failure::Unsupported,
        version ? "The database has schema version " + std::to_string(*version) + ", this needs version "
                + std::to_string(needed)
                : "The database has none of Fencepost's tables",
        {}, {}, "Bring it up to date: fencepostctl schema init" };
}

Result<SchemaStatus> schemaStatus(Connection& connection)
{
    SchemaStatus status;
    const auto has = connection.prepare(sql::has_version);
    if (!has)
        return has.error();
    if (const auto run = (*has)->run(); !run)
        return run.error();
    if (!(*has)->next())
        return Error{ Failure::Internal, "The schema's version could not be read", {} };
    const bool present = (*has)->integer(0) != 0;
    status.views = (*has)->integer(1) != 0;
    const bool readable = (*has)->integer(2) != 0;
    (*has)->finish();
    if (!present)
        return status;
    // Found out by trying, it would end the transaction of whoever asks within one.
    if (!readable)
        return Error{ Failure::Denied, words::lacksPrivilege, "SELECT on fencepost_schema", {},
            words::askForPrivilege };
    const auto version = connection.prepare(sql::version);
    if (!version)
        return version.error();
    if (const auto run = (*version)->run(); !run)
        return run.error();
    if ((*version)->next())
        if (const auto value = (*version)->optionalInteger(0))
            status.version = static_cast<int>(*value);
    (*version)->finish();
    return status;
}

Status initSchema(Connection& connection, bool withViews, std::optional<Time> at)
{
    const auto made = creating([&] {
        const auto log = useWriteAheadLog(connection);
        return log ? migrateOnce(connection, at) : log;
    });
    if (!made)
        return withReplicaNamed(connection, made);
    connection.forgetStatements();
    return withViews ? creating([&] { return createViews(connection); }) : Status();
}

Result<std::string> ddl(Dialect dialect, std::string_view layout, std::string_view serviceName)
{
    std::string quoted;
    for (const char c : serviceName.empty() ? std::string_view("service") : serviceName)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    if (quoted.find('\0') != std::string::npos || quoted.size() > 63 || !isUtf8(quoted))
        return Error{ Failure::Invalid, "The service's name is not the name of a schema", {} };
    for (const auto& entry : layouts) {
        if (entry.name != layout)
            continue;
        std::string text;
        std::vector<const NamedSql*> statements;
        for (const auto& part : entry.parts)
            statements.insert(statements.end(), part.begin(), part.end());
        for (const auto* statement : statements) {
            const char* words = statement->of(dialect);
            if (words == nullptr)
                continue;
            std::string part = words;
            for (auto at = part.find(servicePlaceholder); at != std::string::npos; at = part.find(servicePlaceholder))
                part.replace(at, servicePlaceholder.size(), quoted);
            text += part + ";\n\n";
        }
        if (layout == layouts.front().name)
            text += firstRows(dialect);
        return text.substr(0, text.size() - 1);
    }
    return Error{ Failure::Invalid, "\"" + std::string(layout) + "\" is not a layout",
        "One of fencepost, playbook, atlas and service" };
}

} // namespace fencepost::store
