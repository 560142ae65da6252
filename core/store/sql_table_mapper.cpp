// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_table_mapper.h"

#include <algorithm>
#include <array>

#include "core/in_quotes.h"
#include "core/profile/detection.h"
#include "core/profile/dictionary.h"
#include "core/store/recogniser.h"
#include "core/store/table_sample.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t sortedTable = 50'000;
constexpr auto countingTime = std::chrono::milliseconds(500);
constexpr std::size_t namedColumns = 4;

// Tables of Fencepost that stand beside those which are recognised, and views of those in the shapes of others: nobody
// has to describe them.
constexpr std::array<std::string_view, 15> sideTables = { "idempotency_audit", "idempotency_chain",
    "idempotency_client_calls", "idempotency_intents", "idempotency_conflicts", "idempotency_meta",
    "idempotency_transitions", "effects", "fencepost_schema", "fencepost_snapshot", "inbox_heads", "operation_runs",
    "outbound_calls", "outbox_destinations", "run_items" };
constexpr std::array<std::string_view, 4> ownViews = { "idempotency_keys", "idempotency_store", "inbox_events",
    "svc_idempotency_keys" };

bool isOwnSideTable(const std::vector<CatalogTable>& catalog, const CatalogTable& table)
{
    const auto among = [&](const auto& names) {
        return std::find(names.begin(), names.end(), table.name) != names.end();
    };
    if (table.view ? !among(ownViews) : !among(sideTables))
        return false;
    return std::any_of(catalog.begin(), catalog.end(), [&](const CatalogTable& other) {
        return other.schema == table.schema && (other.name == "fencepost_schema" || other.name == "idempotency_meta");
    });
}

std::string named(const std::vector<std::string>& columns)
{
    std::string text;
    for (std::size_t i = 0; i < columns.size() && i < namedColumns; ++i)
        text += (i > 0 ? ", " : "") + columns[i];
    if (columns.size() > namedColumns)
        text += " and " + std::to_string(columns.size() - namedColumns) + " more";
    return text;
}

bool hasColumn(const CatalogTable& table, const std::string& name)
{
    return std::any_of(table.columns.begin(), table.columns.end(),
        [&](const CatalogColumn& column) { return profile::sameWithoutCase(column.name, name); });
}

std::vector<std::string> requiredBy(const profile::Profile& profile)
{
    std::vector<std::string> columns;
    for (const auto& [alias, required] : profile.detect.require)
        columns.insert(columns.end(), required.begin(), required.end());
    return columns;
}

std::vector<std::string> whyRecognised(const CatalogTable& table, const profile::Profile& profile)
{
    std::vector<std::string> reasons;
    const auto required = requiredBy(profile);
    reasons.push_back("It is called " + inQuotes(table.name) + " and has the " + std::to_string(required.size())
        + " columns by which the profile " + profile.name + " is known: " + named(required) + '.');
    if (!profile.detect.forbid.empty())
        reasons.push_back("It has none of the columns that another layout has: " + named(profile.detect.forbid) + '.');
    return reasons;
}

// What keeps a table from a profile that has its name; empty: no profile has.
std::string whyNot(const CatalogTable& table, const profile::Profile& profile)
{
    if (profile.tables.empty() || !profile::sameWithoutCase(profile.tables.begin()->second, table.name))
        return {};
    std::vector<std::string> missing;
    for (const auto& column : requiredBy(profile))
        if (!hasColumn(table, column))
            missing.push_back(column);
    if (!missing.empty())
        return "It has the name of the profile " + profile.name + ", but no column " + named(missing) + '.';
    for (const auto& column : profile.detect.forbid)
        if (hasColumn(table, column))
            return "It has the name of the profile " + profile.name + ", but also the column " + column
                + ", which such a table does not have.";
    return {};
}

// What else keeps it from a profile that it was made or chosen for.
void addUnfit(const std::vector<Unfit>& unfit, const CatalogTable& table, const profile::Library* library,
    std::vector<std::string>& reasons)
{
    const auto name = table.schema.empty() ? table.name : table.schema + '.' + table.name;
    for (const auto& each : unfit) {
        const auto* profile = library != nullptr ? library->find(each.profile) : nullptr;
        if (each.table == name && (profile == nullptr || whyNot(table, *profile).empty()))
            reasons.push_back("It is not read as " + each.profile + ": " + each.why + '.');
    }
}

profile::TableShape shapeFor(const CatalogTable& table, Dialect dialect)
{
    profile::TableShape shape{ table.name, {}, dialect == Dialect::Sqlite };
    for (const auto& column : table.columns)
        shape.columns.push_back(column.name);
    return shape;
}

} // namespace

SqlTableMapper::SqlTableMapper(Connection& connection, Bindings& bindings, ProfileReader& reader)
    : m_connection(connection)
    , m_bindings(bindings)
    , m_reader(reader)
{
}

void SqlTableMapper::use(std::shared_ptr<const profile::Library> profiles)
{
    m_bindings.use(std::move(profiles));
}

Result<const CatalogTable*> SqlTableMapper::find(const TableName& name)
{
    if (!m_catalog) {
        auto catalog = readCatalog(m_connection);
        if (!catalog)
            return catalog.error();
        m_catalog = std::move(*catalog);
    }
    for (const auto& table : *m_catalog)
        if (table.schema == name.schema && table.name == name.table)
            return &table;
    return Error{ Failure::NotFound, "There is no table " + inQuotes(name.table) + " that this role can name.", {}, {},
        "Read the list of tables again" };
}

Result<std::vector<SurveyedTable>> SqlTableMapper::tables(bool refresh)
{
    auto catalog = readCatalog(m_connection);
    if (!catalog)
        return catalog.error();
    m_catalog = std::move(*catalog);
    const auto bound = m_bindings.all(refresh);
    if (!bound)
        return bound.error();
    const auto dialect = m_connection.dialect();
    std::vector<SurveyedTable> all;
    for (const auto& table : *m_catalog) {
        if (isOwnSideTable(*m_catalog, table))
            continue;
        SurveyedTable surveyed{ .name = { table.schema, table.name },
            .view = table.view,
            .canSelect = table.canSelect,
            .mayHideRows = table.rowSecurity,
            .estimate = table.estimate };
        for (const auto& candidate : **bound)
            if (candidate.table.schema == table.schema && candidate.table.name == table.name) {
                surveyed.binding = candidate.binding.name;
                surveyed.profile = candidate.profile->name;
                surveyed.likeness = candidate.binding.kind;
                surveyed.reasons = candidate.binding.reasons.empty() ? whyRecognised(table, *candidate.profile)
                                                                     : candidate.binding.reasons;
                surveyed.candidates = candidate.binding.choices;
                surveyed.asksForZone = candidate.asksForZone();
            }
        const auto* library = m_bindings.profiles();
        const bool chosen = library != nullptr && library->chosenFor(table.schema, table.name) != nullptr;
        if (library != nullptr && surveyed.binding.empty() && !chosen) {
            const auto matches = profile::matchesOf(*library, wordOf(dialect), shapeFor(table, dialect));
            if (matches.size() > 1 && matches[1].score == matches[0].score)
                for (const auto& match : matches)
                    if (match.score == matches[0].score)
                        surveyed.candidates.push_back(match.profile->name);
        }
        if (surveyed.binding.empty()) {
            const auto likeness = profile::likenessOf(factsOf(dialect, table));
            surveyed.likeness = likeness.kind;
            surveyed.score = likeness.score;
            if (library != nullptr)
                for (const auto& profile : library->all())
                    if (auto why = whyNot(table, profile); !why.empty())
                        surveyed.reasons.push_back(std::move(why));
            addUnfit(m_bindings.unfit(), table, library, surveyed.reasons);
        }
        all.push_back(std::move(surveyed));
    }
    if (dialect == Dialect::Sqlite)
        countRows(m_connection, *m_catalog, all);
    return all;
}

Result<profile::TableFacts> SqlTableMapper::facts(const TableName& name)
{
    const auto table = find(name);
    if (!table)
        return table.error();
    auto described = factsOf(m_connection.dialect(), **table);
    if (const auto* library = m_bindings.profiles())
        described.contested =
            !profile::matchesOf(*library, described.dialect, shapeFor(**table, m_connection.dialect())).empty();
    return described;
}

Result<TableSample> SqlTableMapper::sample(const TableName& name, const SampleRequest& request)
{
    const auto table = find(name);
    if (!table)
        return table.error();
    return sampleOf(m_connection, **table, request);
}

Result<ValueCounts> SqlTableMapper::values(const TableName& name, const std::string& column)
{
    const auto table = find(name);
    if (!table)
        return table.error();
    return valuesOf(m_connection, **table, column);
}

Result<MappingPreview> SqlTableMapper::preview(const TableName& name, const std::string& document, int limit)
{
    const auto table = find(name);
    if (!table)
        return table.error();
    const auto profile = profile::parse(document, "the mapping");
    if (!profile)
        return profile.error();
    auto bound = bindProfile(m_connection.dialect(), *profile, **table);
    if (!bound)
        return bound.error();
    // An unknown size is a large one: no order that would have to be sorted.
    bound->binding.orders = ordersOf(*bound, (*table)->estimate.value_or(sortedTable + 1) <= sortedTable);
    auto page = m_reader.page(*bound, { .limit = limit });
    if (!page)
        return page.error();
    auto counts = m_reader.counts(*bound, nullptr, countingTime);
    if (!counts)
        return counts.error();
    return MappingPreview{ bound->binding, std::move(*page), std::move(*counts) };
}

} // namespace fencepost::store
