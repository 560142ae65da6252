// SPDX-License-Identifier: Apache-2.0
#include "core/store/bindings.h"

#include <algorithm>
#include <set>

#include "core/profile/detection.h"
#include "core/store/page_sql.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// Sorting as many rows takes less than a frame or two; beyond, an order needs an index.
constexpr std::int64_t smallTable = 50'000;
constexpr int rowsOfASample = 1'000;
constexpr int sampledValues = 50;

profile::TableShape shapeOf(const CatalogTable& table, Dialect dialect)
{
    profile::TableShape shape{ table.name, {}, dialect == Dialect::Sqlite };
    for (const auto& column : table.columns)
        shape.columns.push_back(column.name);
    return shape;
}

Result<std::vector<std::string>> readTexts(Connection& connection, const SqlText& text)
{
    auto statement = prepared(connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    std::vector<std::string> values;
    while ((*statement)->next())
        values.push_back((*statement)->text(0));
    const auto ended = (*statement)->error();
    (*statement)->finish();
    if (!ended)
        return ended.error();
    return values;
}

Result<bool> isSmall(Connection& connection, const CatalogTable& table)
{
    if (table.estimate && *table.estimate > smallTable)
        return false;
    SqlText text;
    text.sql = "SELECT count(*) FROM (SELECT 1 FROM " + qualified(table) + " LIMIT " + std::to_string(smallTable + 1)
        + ") AS s";
    const auto counted = readTexts(connection, text);
    if (!counted)
        return counted.error();
    return !counted->empty() && std::stoll(counted->front()) <= smallTable;
}

// Values of the state's column that the profile does not expect: their rows are shown as UNKNOWN.
Status checkValues(Connection& connection, BoundProfile& bound)
{
    for (const auto& [name, expected] : bound.profile->detect.values) {
        const auto* column = bound.column(name);
        if (column == nullptr)
            continue;
        SqlText text;
        text.sql = "SELECT DISTINCT CAST(s.v AS TEXT) FROM (SELECT " + quotedName(column->name) + " AS v FROM "
            + qualified(bound.table) + " LIMIT " + std::to_string(rowsOfASample) + ") AS s WHERE s.v IS NOT NULL LIMIT "
            + std::to_string(sampledValues);
        const auto values = readTexts(connection, text);
        if (!values)
            return values.error();
        for (const auto& value : *values)
            if (std::find(expected.begin(), expected.end(), value) == expected.end())
                bound.binding.warnings.push_back(
                    "the column " + column->name + " has the value \"" + value + "\", which the profile does not know");
    }
    return {};
}

// A statement that cannot even be prepared would fail on every page; better to say so once.
Status checkReadable(Connection& connection, BoundProfile& bound)
{
    auto small = isSmall(connection, bound.table);
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
    if (const auto statement = prepared(connection, page->text); !statement)
        return statement.error();
    return checkValues(connection, bound);
}

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

// What the native operations write beside the row, and what the audit asks of every operation. Where it is missing, all
// that a plan could do is fail on its first row.
Status checkWrites(Connection& connection, BoundProfile& bound)
{
    if (sql::missing_rights.of(connection.dialect()) == nullptr)
        return {};
    auto rights = connection.prepare(sql::missing_rights);
    if (!rights)
        return rights.error();
    if (const auto ran = (*rights)->run(); !ran)
        return ran;
    std::string native;
    std::string audit;
    while ((*rights)->next()) {
        auto& list = (*rights)->integer(1) != 0 ? audit : native;
        list += (list.empty() ? "" : ", ") + (*rights)->text(0);
    }
    (*rights)->finish();
    const bool own = bound.profile->native && bound.binding.kind == Kind::Idempotency;
    for (auto& capability : bound.binding.capabilities) {
        const bool writesRow = own && capability.verb != "note";
        const auto missing =
            (writesRow ? native : std::string()) + (writesRow && !native.empty() && !audit.empty() ? ", " : "") + audit;
        if (!capability.allowed || missing.empty())
            continue;
        capability.allowed = false;
        capability.why = "the role lacks " + missing;
    }
    return {};
}

void nameBindings(std::vector<BoundProfile>& all)
{
    const auto unique = [&](const BoundProfile& bound) {
        return std::count_if(all.begin(), all.end(), [&](const BoundProfile& other) {
            return other.table.name == bound.table.name;
        }) == 1;
    };
    for (auto& bound : all)
        if (!bound.table.schema.empty() && (bound.profile->multiSchema || !unique(bound)))
            bound.binding.name = bound.table.schema + '.' + bound.table.name;
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

Bindings::Bindings(Connection& connection, const profile::Library* profiles)
    : m_connection(connection)
    , m_profiles(profiles)
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
    std::vector<BoundProfile> found;
    const auto dialect = m_connection.dialect();
    for (const auto& table : *catalog) {
        if (m_profiles == nullptr)
            break;
        const auto matches = profile::matchesOf(
            *m_profiles, dialect == Dialect::Sqlite ? "sqlite" : "postgresql", shapeOf(table, dialect));
        if (matches.empty())
            continue;
        auto bound = bindProfile(dialect, *matches.front().profile, table);
        if (!bound)
            continue;
        if (matches.size() > 1 && matches[1].score == matches[0].score)
            bound->binding.warnings.push_back("the profile " + matches[1].profile->name + " fits as well");
        addOwnTables(*catalog, *bound);
        found.push_back(std::move(*bound));
    }
    dropOwnViews(found);
    nameBindings(found);
    for (auto& bound : found) {
        if (const auto checked = checkWrites(m_connection, bound); !checked)
            return checked.error();
        if (!bound.binding.canRead) {
            bound.binding.orders = { "key" };
            continue;
        }
        if (const auto checked = checkReadable(m_connection, bound); !checked) {
            const auto& error = checked.error();
            if (error.failure == Failure::Unavailable || error.failure == Failure::Cancelled)
                return error;
            makeUnreadable(bound, error.detail.empty() ? error.message : error.message + " (" + error.detail + ")");
        }
        if (!bound.profile->native)
            continue;
        checkReach(bound);
        if (bound.binding.reachable)
            checkVersion(bound, schemaStatus(m_connection));
    }
    m_bound = std::move(found);
    return &*m_bound;
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
