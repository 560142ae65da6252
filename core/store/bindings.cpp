// SPDX-License-Identifier: Apache-2.0
#include "core/store/bindings.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "core/binding_notes.h"
#include "core/operations/operation.h"
#include "core/store/page_sql.h"
#include "core/store/read_transaction.h"
#include "core/store/recogniser.h"
#include "core/store/sampling.h"
#include "core/store/schema.h"
#include "core/store/snapshot_seal.h"
#include "core/store/sql_inspector.h"
#include "core/store/statements.h"
#include "core/store/union_binding.h"
#include "core/store/unreadable_part.h"

namespace fencepost::store {

namespace {

// A statement that cannot even be prepared would fail on every page; better to say so once. No limit: nothing is run.
Status checkReadable(Connection& connection, BoundProfile& bound, std::optional<Duration> limit)
{
    const auto transaction = ReadTransaction::begin(connection, limit);
    if (!transaction)
        return transaction.error();
    auto small = limit ? isSmall(connection, bound) : Result<bool>(false);
    if (!small)
        return small.error();
    bound.binding.orders = ordersOf(bound, *small);
    const PageWalk walk{ &bound, nullptr, bound.binding.orders.front(), true, Time{}, false };
    const auto segments = segmentsOf(walk);
    if (!segments)
        return segments.error();
    const auto page = compilePage(walk, segments->front(), std::nullopt, false, 1);
    if (!page)
        return page.error();
    if (auto done = checkPlanned(connection, bound, page->text); !done)
        return done;
    if (const auto zones = checkZones(connection, bound); !zones)
        return zones;
    return limit ? checkValues(connection, bound) : Status();
}

constexpr auto notLookedFor = "values that the profile does not know were not looked for";

enum class Notes { Stay, Too };

// What was forbidden before keeps its reason.
void forbid(BoundProfile& bound, Notes notes, const std::string& why)
{
    bound.binding.warnings.push_back(why);
    for (auto& capability : bound.binding.capabilities) {
        if (notes == Notes::Stay && capability.verb == "note")
            continue;
        capability.allowed = false;
        if (capability.why.empty())
            capability.why = why;
    }
}

// A note is an entry of the audit: it needs nothing of the table.
void makeUnreadable(BoundProfile& bound, const std::string& why)
{
    bound.binding.canRead = false;
    forbid(bound, Notes::Stay, "the table cannot be read: " + why);
}

// One of our side tables. Where the role may not read it, the binding says so: nothing found there is no finding.
std::optional<CatalogTable> tableBeside(
    const std::vector<CatalogTable>& catalog, BoundProfile& bound, std::string_view name, const std::string& what)
{
    for (const auto& other : catalog) {
        if (other.schema != bound.table.schema || other.name != name)
            continue;
        if (other.rowSecurity)
            bound.binding.warnings.push_back(
                "row-level security is in force for this role on " + other.name + ": " + what + " may be hidden");
        if (other.canSelect)
            return other;
        bound.binding.warnings.push_back(
            "the role has no SELECT privilege on " + other.name + ": " + what + " cannot be shown");
    }
    return std::nullopt;
}

bool mayNotRead(const std::vector<CatalogTable>& catalog, const BoundProfile& bound, std::string_view name)
{
    return std::any_of(catalog.begin(), catalog.end(), [&](const CatalogTable& other) {
        return other.schema == bound.table.schema && other.name == name && !other.canSelect;
    });
}

void addOwnTables(const std::vector<CatalogTable>& catalog, BoundProfile& bound)
{
    if (!bound.profile->native || bound.binding.kind != Kind::Idempotency)
        return;
    bound.conflicts = tableBeside(catalog, bound, "idempotency_conflicts", "conflicts");
    bound.conflictsDenied = mayNotRead(catalog, bound, "idempotency_conflicts");
    bound.journal = tableBeside(catalog, bound, "idempotency_transitions", "the journal");
    (void)tableBeside(catalog, bound, "idempotency_audit", "what operators did");
    (void)tableBeside(catalog, bound, "outbound_calls", "what was sent to vendors");
}

// Tables of a version that is not known may mean something else by the same columns.
void checkVersion(BoundProfile& bound, const Result<SchemaStatus>& status)
{
    std::string why;
    if (!status)
        why = "the database's schema version cannot be read (" + status.error().detail + "): it is only read";
    else if (status->version.value_or(0) > currentSchemaVersion)
        why = "the database has schema version " + std::to_string(*status->version)
            + ", which is newer than this Fencepost (" + std::to_string(currentSchemaVersion) + "): it is only read";
    else
        return;
    forbid(bound, Notes::Too, why);
}

// The native operations name their tables without a schema: on the tables of another schema they would change the rows
// of this one.
void checkReach(BoundProfile& bound)
{
    bound.binding.reachable = bound.table.visible;
    if (!bound.table.visible)
        forbid(bound, Notes::Too,
            "this session's own tables are not those of the schema " + bound.table.schema
                + ": to change them, connect with ?schema=" + bound.table.schema);
}

struct MissingRights {
    std::string native;
    std::string audit;
    std::string calls; // where a record is closed
};

// What the native operations write beside the row, and what the audit asks of every operation. Where it is missing, all
// that a plan could do is fail on its first row.
Result<MissingRights> missingRights(Connection& connection)
{
    MissingRights missing;
    if (sql::missing_rights.of(connection.dialect()) == nullptr)
        return missing;
    auto rights = connection.prepare(sql::missing_rights);
    if (!rights)
        return rights.error();
    if (const auto ran = (*rights)->run(); !ran)
        return ran.error();
    while ((*rights)->next()) {
        const auto of = (*rights)->integer(1);
        auto& list = of == 0 ? missing.native : of == 1 ? missing.audit : missing.calls;
        list += (list.empty() ? "" : ", ") + (*rights)->text(0);
    }
    (*rights)->finish();
    return missing;
}

void checkWrites(BoundProfile& bound, const MissingRights& rights)
{
    const bool own = bound.profile->native && bound.binding.kind == Kind::Idempotency;
    for (auto& capability : bound.binding.capabilities) {
        const bool writesRow = own && capability.verb != "note";
        const auto* operation = findOperation(capability.verb);
        std::string missing;
        for (const auto& [list, asked] : { std::pair(&rights.native, writesRow), std::pair(&rights.audit, true),
                 std::pair(&rights.calls, writesRow && operation != nullptr && operation->looksAtCalls) })
            if (asked && !list->empty())
                missing += (missing.empty() ? "" : ", ") + *list;
        if (!capability.allowed || missing.empty())
            continue;
        capability.allowed = false;
        capability.why = "the role lacks " + missing;
    }
}

// Somebody who may make functions in a schema of the session makes them run with the rights of whoever compares rows
// there. While rows are read nothing can be changed by it; a plan that is carried out would be.
Status checkShadows(Connection& connection, std::vector<BoundProfile>& all)
{
    if (sql::shadowing_functions.of(connection.dialect()) == nullptr || all.empty())
        return {};
    std::string shadows;
    const auto transaction = ReadTransaction::begin(connection);
    if (!transaction)
        return transaction.error();
    const auto read = connection.native().run(sql::shadowing_functions, {},
        [&](const NativeRow& row) { shadows += (shadows.empty() ? "" : ", ") + row.shown(0).value_or(""); });
    if (!read)
        return read.error();
    if (shadows.empty())
        return {};
    for (auto& bound : all)
        forbid(bound, Notes::Too,
            "it is only read, as a change would run functions that take the place of PostgreSQL's own (" + shadows
                + "): have them dropped, or connect with the ?schema= of a schema in which only its owner makes any");
    return {};
}

void nameBindings(std::vector<BoundProfile>& all)
{
    const auto unique = [&](const BoundProfile& bound) {
        return std::count_if(all.begin(), all.end(), [&](const BoundProfile& other) {
            return other.table.name == bound.table.name;
        }) == 1;
    };
    std::map<std::string, int> taken;
    for (auto& bound : all) {
        if (!bound.table.schema.empty() && (bound.profile->multiSchema || !unique(bound)))
            bound.binding.name = bound.table.schema + '.' + bound.table.name;
        ++taken[bound.binding.name];
    }
    // "a.b" in the schema "c" and "b" in the schema "c.a" are not the same.
    for (auto& bound : all)
        if (taken[bound.binding.name] > 1)
            bound.binding.name = qualified(bound.table);
}

// Somebody has to say something before anything is written: which profile is meant, in which zone the times are.
void checkAnswers(BoundProfile& bound)
{
    if (bound.binding.choices.size() > 1) {
        std::string names;
        for (const auto& name : bound.binding.choices)
            names += (names.empty() ? "" : ", ") + name;
        forbid(bound, Notes::Stay,
            "several profiles fit equally well (" + names + "): until one is chosen it is read through "
                + bound.profile->name + " and not changed");
    }
    bound.binding.zoneUnknown = bound.asksForZone();
    if (bound.binding.zoneUnknown)
        forbid(bound, Notes::Stay, std::string(zoneUnsaid));
}

// What a replica shows may have been over for a while, and a change of it has to be made elsewhere.
Status checkReplica(Connection& connection, std::vector<BoundProfile>& all)
{
    if (connection.dialect() == Dialect::Sqlite || all.empty())
        return {};
    const auto info = describeDatabase(connection);
    if (!info)
        return info.error();
    if (!info->replica)
        return {};
    const auto lag = info->replicaLag
        ? "up to " + formatDuration(*info->replicaLag) + " behind its primary when this was read"
        : std::string("and how far it is behind its primary is not known");
    for (auto& bound : all)
        forbid(bound, Notes::Too,
            "this database is a replica, " + lag + ": it may show what is over, and is changed on its primary only");
    return {};
}

// The compatibility views show our own records once more, in a shape without actions.
void dropOwnViews(std::vector<BoundProfile>& all)
{
    std::set<std::string> own;
    for (const auto& bound : all)
        if (bound.profile->native && !bound.table.view)
            own.insert(bound.table.schema);
    std::erase_if(
        all, [&](const BoundProfile& bound) { return bound.table.view && own.count(bound.table.schema) > 0; });
}

} // namespace

Bindings::Bindings(Connection& connection, const profile::Library* profiles, std::string only)
    : m_connection(connection)
    , m_profiles(profiles)
    , m_only(std::move(only))
{
}

void Bindings::use(std::shared_ptr<const profile::Library> profiles)
{
    m_bound.reset();
    m_adopted = std::move(profiles);
    m_profiles = m_adopted.get();
}

Result<const std::vector<BoundProfile>*> Bindings::all(bool refresh)
{
    if (m_bound && !refresh)
        return &*m_bound;
    const auto catalog = readCatalog(m_connection);
    if (!catalog)
        return catalog.error();
    auto found = recognised(*catalog);
    if (const auto checked = checkAll(found); !checked)
        return checked.error();
    for (const auto& check : { checkReplica, checkShadows })
        if (const auto checked = check(m_connection, found); !checked)
            return checked.error();
    addUnions(found);
    m_bound = std::move(found);
    return &*m_bound;
}

std::vector<BoundProfile> Bindings::recognised(const std::vector<CatalogTable>& catalog)
{
    std::vector<BoundProfile> found;
    m_unfit.clear();
    if (m_profiles == nullptr)
        return found;
    Recogniser recogniser(m_connection.dialect(), *m_profiles, catalog, m_unfit);
    for (const auto& table : catalog) {
        auto best = recogniser.read(table);
        if (!best)
            continue;
        addOwnTables(catalog, *best);
        found.push_back(std::move(*best));
    }
    dropOwnViews(found);
    nameBindings(found);
    return found;
}

bool Bindings::isNamed(const BoundProfile& bound) const
{
    return bound.binding.name == m_only || bound.table.name == m_only
        || bound.table.schema + '.' + bound.table.name == m_only;
}

Bindings::Sampling Bindings::samplingOf(const BoundProfile& bound, bool named, Duration leftForViews) const
{
    // Less is not worth a question.
    constexpr Duration shortest = std::chrono::milliseconds(100);
    if (!bound.table.view)
        return { longestSample, {} };
    if (named && !isNamed(bound))
        return { {}, "its first rows were not read, as another table was asked for: " };
    if (leftForViews < shortest)
        return { {},
            "its first rows were not read, as those of other views took longer than " + formatDuration(longestOfViews)
                + ": " };
    return { std::min(longestSample, leftForViews), {} };
}

// Tables come first, so that what is left of the time is the views' own.
Status Bindings::checkAll(std::vector<BoundProfile>& found)
{
    using SteadyClock = std::chrono::steady_clock;
    const auto rights = missingRights(m_connection);
    if (!rights)
        return rights.error();
    const bool named = std::any_of(found.begin(), found.end(), [this](const auto& bound) { return isNamed(bound); });
    Duration left = longestOfViews;
    for (const bool views : { false, true })
        for (auto& bound : found) {
            if (bound.table.view != views)
                continue;
            checkWrites(bound, *rights);
            const auto began = SteadyClock::now();
            if (const auto checked = check(bound, samplingOf(bound, named, left)); !checked)
                return checked.error();
            if (views)
                left -= std::chrono::duration_cast<Duration>(SteadyClock::now() - began);
        }
    return {};
}

// Planning a write waits for whoever holds the table against writers, which reading does not.
Status Bindings::checkActions(BoundProfile& bound)
{
    auto& capabilities = bound.binding.capabilities;
    const auto isChecked = [](const Capability& capability) { return capability.allowed && capability.verb != "note"; };
    if (bound.profile->native || std::none_of(capabilities.begin(), capabilities.end(), isChecked))
        return {};
    const BriefLocks brief(m_connection);
    for (auto& capability : capabilities) {
        const auto why = isChecked(capability) ? whyUnwritable(m_connection, bound, capability.verb) : std::string();
        if (!why) {
            if (why.error().code != lockNotAvailable && why.error().failure != Failure::TimedOut)
                return why.error();
            bound.binding.warnings.emplace_back("somebody holds a lock on the table, so that its actions could not be "
                                                "checked and are offered as the profile has them");
            return {};
        }
        if (!why->empty()) {
            capability.allowed = false;
            capability.why = *why;
        }
    }
    return {};
}

Status Bindings::check(BoundProfile& bound, const Sampling& sampling)
{
    checkAnswers(bound);
    // However well a name is quoted, a pattern found it, and no framework calls a table or a schema so.
    const auto table = whyNoIdentifier(bound.table.name);
    if (const auto schema = whyNoIdentifier(bound.table.schema); !table.empty() || !schema.empty()) {
        makeUnreadable(bound, table.empty() ? "of its schema, " + schema : table);
        bound.binding.orders = { "key" };
        return {};
    }
    if (!bound.binding.canRead) {
        bound.binding.orders = { "key" };
        return {};
    }
    const bool reads = sampling.whyNot.empty();
    if (!reads)
        bound.binding.warnings.push_back(sampling.whyNot + notLookedFor);
    // First, because a page asks which of them a row allows.
    if (const auto checked = checkActions(bound); !checked)
        return checked;
    if (const auto checked = checkReadable(m_connection, bound, reads ? std::optional(sampling.limit) : std::nullopt);
        !checked) {
        const auto& error = checked.error();
        if (error.failure == Failure::Unavailable || error.failure == Failure::Cancelled)
            return error;
        if (error.failure == Failure::TimedOut)
            bound.binding.warnings.push_back("reading its first rows took longer than "
                + formatDuration(std::chrono::floor<std::chrono::milliseconds>(sampling.limit)) + ": " + notLookedFor);
        else
            makeUnreadable(bound, whyUnreadable(m_connection, bound, error));
        if (bound.binding.orders.empty())
            bound.binding.orders = { "key" };
    }
    if (bound.table.what == "view")
        bound.binding.notes.push_back(
            std::string(aView) + std::string(bound.dialect == Dialect::Sqlite ? viewsQuery : viewsFunctions));
    if (!bound.profile->native)
        return {};
    checkReach(bound);
    if (bound.binding.reachable)
        checkVersion(bound, schemaStatus(m_connection));
    // A manifest that cannot be read is said by the seal.
    if (const auto manifest = manifestOf(m_connection); manifest && *manifest && !(*manifest)->imported.empty()) {
        bound.binding.tellsStuck = false;
        bound.binding.fromLogs = true;
    }
    return {};
}

Result<const BoundProfile*> Bindings::find(const Binding& binding)
{
    const auto bound = all();
    if (!bound)
        return bound.error();
    std::string names;
    for (const auto& candidate : **bound) {
        if (candidate.binding.name == binding.name)
            return &candidate;
        names += (names.empty() ? "" : ", ") + candidate.binding.name;
    }
    return Error{ Failure::NotFound,
        "There is no recognised table \"" + binding.name + "\"; there are: " + (names.empty() ? "none" : names), {},
        {} };
}

} // namespace fencepost::store
