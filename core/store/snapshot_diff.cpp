// SPDX-License-Identifier: Apache-2.0
#include "core/store/snapshot_diff.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <sqlite3.h>

#include "core/ids.h"
#include "core/store/bindings.h"
#include "core/store/expression_sql.h"
#include "core/store/snapshot_seal.h"

namespace fencepost::store {

namespace {

// Counters and ends of chains, which move with every row: each of those is told by itself.
const std::set<std::string> leftOut = { "fencepost_snapshot", "fencepost_schema", "idempotency_meta",
    "idempotency_chain" };

// As SQLite orders values: nothing, numbers, texts, octets.
int rankOf(int type)
{
    return type == SQLITE_NULL ? 0 : type == SQLITE_TEXT ? 2 : type == SQLITE_BLOB ? 3 : 1;
}

int compareOctets(std::string_view a, std::string_view b)
{
    const auto common = std::min(a.size(), b.size());
    const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
    return order != 0 ? order : a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

// The rows of one table, one after the other.
class Walk {
public:
    Walk() = default;
    ~Walk() { sqlite3_finalize(m_statement); }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    Status start(Connection& connection, const SqlText& text)
    {
        m_database = static_cast<sqlite3*>(connection.handle());
        if (sqlite3_prepare_v2(m_database, text.sql.c_str(), -1, &m_statement, nullptr) != SQLITE_OK)
            return error();
        for (const auto& [name, value] : text.values) {
            const int index = sqlite3_bind_parameter_index(m_statement, (':' + name).c_str());
            if (const auto* number = std::get_if<std::int64_t>(&value))
                sqlite3_bind_int64(m_statement, index, *number);
            else if (const auto* word = std::get_if<std::string>(&value))
                sqlite3_bind_text(m_statement, index, word->data(), static_cast<int>(word->size()), SQLITE_TRANSIENT);
            else if (const auto* real = std::get_if<double>(&value))
                sqlite3_bind_double(m_statement, index, *real);
        }
        return next();
    }
    Status next()
    {
        const int code = m_statement == nullptr ? SQLITE_DONE : sqlite3_step(m_statement);
        m_there = code == SQLITE_ROW;
        return m_there || code == SQLITE_DONE ? Status() : Status(error());
    }
    [[nodiscard]] bool there() const { return m_there; }
    [[nodiscard]] int compare(const Walk& other, int column) const
    {
        const int mine = sqlite3_column_type(m_statement, column);
        const int theirs = sqlite3_column_type(other.m_statement, column);
        if (rankOf(mine) != rankOf(theirs))
            return rankOf(mine) - rankOf(theirs);
        if (mine == SQLITE_NULL)
            return 0;
        if (mine == SQLITE_INTEGER && theirs == SQLITE_INTEGER) {
            const auto a = sqlite3_column_int64(m_statement, column);
            const auto b = sqlite3_column_int64(other.m_statement, column);
            return a < b ? -1 : a > b ? 1 : 0;
        }
        if (rankOf(mine) == 1) {
            const auto a = sqlite3_column_double(m_statement, column);
            const auto b = sqlite3_column_double(other.m_statement, column);
            return a < b ? -1 : a > b ? 1 : 0;
        }
        return compareOctets(octets(column), other.octets(column));
    }
    [[nodiscard]] std::string text(int column) const
    {
        const int type = sqlite3_column_type(m_statement, column);
        if (type == SQLITE_NULL)
            return {};
        if (type == SQLITE_BLOB)
            return toHex(octets(column));
        const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
        return value == nullptr ? std::string() : std::string(value);
    }

private:
    [[nodiscard]] std::string_view octets(int column) const
    {
        const auto* data = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
        const int size = sqlite3_column_bytes(m_statement, column);
        return { data, data == nullptr ? 0 : static_cast<std::size_t>(size) };
    }
    [[nodiscard]] Error error() const
    {
        return errorOf(
            Dialect::Sqlite, std::to_string(sqlite3_extended_errcode(m_database)), sqlite3_errmsg(m_database));
    }

    sqlite3* m_database = nullptr;
    sqlite3_stmt* m_statement = nullptr;
    bool m_there = false;
};

// One of the two.
struct Side {
    std::unique_ptr<Connection> connection;
    SnapshotManifest manifest;
    std::vector<CatalogTable> catalog;
    std::unique_ptr<Bindings> bindings;

    [[nodiscard]] const CatalogTable* table(const std::string& name) const
    {
        const auto found =
            std::find_if(catalog.begin(), catalog.end(), [&](const CatalogTable& table) { return table.name == name; });
        return found == catalog.end() ? nullptr : &*found;
    }
};

Result<Side> openSide(const std::string& path)
{
    Side side;
    store::Target target;
    target.path = path;
    auto opened = Connection::open(target, { .access = Access::ReadOnly, .statementTimeout = Duration(0) });
    if (!opened)
        return opened.error();
    side.connection = std::move(*opened);
    auto manifest = manifestOf(*side.connection);
    if (!manifest)
        return manifest.error();
    if (!*manifest)
        return Error{ Failure::Unsupported, "The file is no snapshot: " + path, {}, {},
            "Take one with: fencepostctl snapshot OUT" };
    side.manifest = std::move(**manifest);
    return side;
}

// What one table is compared by, the same on both sides.
struct Comparison {
    std::string table;
    std::vector<std::string> columns; // the key's first
    int keys = 0;
    std::string binding; // empty: no profile reads it
    std::vector<int> identity; // which columns name a row of the binding

    [[nodiscard]] int state() const { return static_cast<int>(columns.size()); }
};

Result<SqlText> selection(Side& side, const Comparison& comparison)
{
    SqlText text;
    std::string state = "NULL";
    const auto bound = side.bindings->all();
    if (!bound)
        return bound.error();
    for (const auto& candidate : **bound)
        if (candidate.table.name == comparison.table && candidate.binding.canRead) {
            ExpressionSql sql(candidate, text, side.manifest.takenAt);
            state = sql.stateWord();
            if (sql.error())
                return *sql.error();
        }
    std::string columns;
    std::string order;
    int place = 0;
    for (const auto& column : comparison.columns) {
        columns += "t." + quotedName(column) + ", ";
        if (place++ < comparison.keys)
            order += (order.empty() ? "t." : ", t.") + quotedName(column);
    }
    text.sql = "SELECT " + columns + state + " FROM " + quotedName(comparison.table) + " AS t ORDER BY " + order;
    return text;
}

class TableDiff {
public:
    TableDiff(const Comparison& comparison, const std::function<bool(const SnapshotDifference&)>& visit)
        : m_comparison(comparison)
        , m_visit(visit)
    {
    }

    // False: no more are wanted.
    Result<bool> run(Walk& first, Walk& second)
    {
        while (first.there() || second.there()) {
            const int order = !first.there() ? 1 : !second.there() ? -1 : compareKeys(first, second);
            const bool wanted = order < 0 ? told(SnapshotChange::Removed, &first, nullptr)
                : order > 0               ? told(SnapshotChange::Added, nullptr, &second)
                                          : compareRows(first, second);
            if (!wanted)
                return false;
            if (order <= 0)
                if (const auto moved = first.next(); !moved)
                    return moved.error();
            if (order >= 0)
                if (const auto moved = second.next(); !moved)
                    return moved.error();
        }
        return true;
    }

private:
    [[nodiscard]] int compareKeys(const Walk& first, const Walk& second) const
    {
        for (int column = 0; column < m_comparison.keys; ++column)
            if (const int order = first.compare(second, column); order != 0)
                return order;
        return 0;
    }

    bool compareRows(const Walk& first, const Walk& second)
    {
        std::vector<std::string> changed;
        for (int column = m_comparison.keys; column < m_comparison.state(); ++column)
            if (first.compare(second, column) != 0)
                changed.push_back(m_comparison.columns[static_cast<std::size_t>(column)]);
        if (changed.empty() && first.compare(second, m_comparison.state()) == 0)
            return true;
        return told(SnapshotChange::Changed, &first, &second, std::move(changed));
    }

    bool told(SnapshotChange change, const Walk* first, const Walk* second, std::vector<std::string> columns = {})
    {
        SnapshotDifference difference{ change, m_comparison.table, m_comparison.binding, {}, {}, {}, {},
            std::move(columns) };
        const auto* row = first != nullptr ? first : second;
        for (const int column : m_comparison.identity)
            difference.identity.push_back(row->text(column));
        for (int column = 0; column < m_comparison.keys; ++column)
            difference.key.emplace_back(m_comparison.columns[static_cast<std::size_t>(column)], row->text(column));
        if (first != nullptr)
            difference.from = first->text(m_comparison.state());
        if (second != nullptr)
            difference.to = second->text(m_comparison.state());
        return m_visit(difference);
    }

    const Comparison& m_comparison;
    const std::function<bool(const SnapshotDifference&)>& m_visit;
};

Comparison comparisonOf(const CatalogTable& table, const CatalogTable* other)
{
    Comparison comparison;
    comparison.table = table.name;
    for (const auto* column : sortingColumns(table))
        comparison.columns.push_back(column->name);
    comparison.keys = static_cast<int>(comparison.columns.size());
    for (const auto& column : table.columns)
        if (std::find(comparison.columns.begin(), comparison.columns.end(), column.name) == comparison.columns.end()
            && (other == nullptr || other->find(column.name) != nullptr))
            comparison.columns.push_back(column.name);
    return comparison;
}

// Its rows can be opened then.
void nameRows(Comparison& comparison, const std::vector<BoundProfile>& bound)
{
    for (const auto& candidate : bound) {
        if (candidate.table.name != comparison.table || !candidate.binding.canRead)
            continue;
        std::vector<int> identity;
        for (const auto& column : candidate.profile->identity) {
            const auto found = std::find(comparison.columns.begin(), comparison.columns.end(), column);
            if (found != comparison.columns.end())
                identity.push_back(static_cast<int>(found - comparison.columns.begin()));
        }
        if (identity.empty() || identity.size() != candidate.profile->identity.size())
            continue;
        comparison.binding = candidate.binding.name;
        comparison.identity = std::move(identity);
        return;
    }
}

Result<bool> diffTable(
    Side& first, Side& second, const std::string& name, const std::function<bool(const SnapshotDifference&)>& visit)
{
    const auto* mine = first.table(name);
    const auto* theirs = second.table(name);
    auto comparison = mine != nullptr ? comparisonOf(*mine, theirs) : comparisonOf(*theirs, nullptr);
    const auto bound = (mine != nullptr ? first : second).bindings->all();
    if (!bound)
        return bound.error();
    nameRows(comparison, **bound);
    Walk walks[2];
    Side* sides[2] = { &first, &second };
    for (int i = 0; i < 2; ++i) {
        if (sides[i]->table(name) == nullptr)
            continue;
        const auto text = selection(*sides[i], comparison);
        if (!text)
            return text.error();
        if (const auto started = walks[i].start(*sides[i]->connection, *text); !started)
            return started.error();
    }
    return TableDiff(comparison, visit).run(walks[0], walks[1]);
}

std::string orAll(const std::string& filter)
{
    return filter.empty() ? std::string("all rows") : '"' + filter + '"';
}

std::vector<std::string> warningsOf(const SnapshotManifest& first, const SnapshotManifest& second)
{
    std::vector<std::string> warnings;
    if (first.identity != second.identity)
        warnings.push_back("They are of different databases: " + first.location + " and " + second.location);
    if (first.filter != second.filter || first.filterTable != second.filterTable)
        warnings.push_back("They hold different parts: " + orAll(first.filter) + " and " + orAll(second.filter)
            + "; a row that one of them does not hold is told as added or removed");
    if (first.rules != second.rules || first.rulesDigest != second.rulesDigest)
        warnings.push_back("They were redacted by different rules: " + first.rules + " and " + second.rules
            + "; a value that one of them hides is told as changed");
    const auto hashes = [](const SnapshotManifest& manifest) {
        return !manifest.saltKept
            && std::any_of(manifest.rulesInWords.begin(), manifest.rulesInWords.end(),
                [](const std::string& rule) { return rule.starts_with("hash "); });
    };
    if (hashes(first) || hashes(second))
        warnings.push_back("Hashed values cannot be compared: each snapshot drew a salt of its own. Rules with a "
                           "\"salt\" make hashes that can");
    if (first.takenAt > second.takenAt)
        warnings.push_back("The first one is the later one: what is told as added was there before");
    return warnings;
}

// What does not come from the database that it was taken of is no difference of that.
void warnOfSeal(Side& side, const std::string& path, std::vector<std::string>& warnings)
{
    constexpr std::uintmax_t verifiedAtOnce = 16U << 20U;
    std::error_code unknown;
    if (const auto size = std::filesystem::file_size(path, unknown); unknown || size > verifiedAtOnce) {
        warnings.push_back("the seal of " + path + " was not looked at, for it is large: fencepostctl snapshot verify");
        return;
    }
    const auto verdict = verifySnapshot(*side.connection);
    if (!verdict)
        warnings.push_back("the seal of " + path + " cannot be verified: " + verdict.error().message);
    else if (!verdict->sealed)
        warnings.push_back(path + " was CHANGED after it was sealed: " + verdict->reason);
}

} // namespace

Result<SnapshotPair> compareManifests(const std::string& first, const std::string& second)
{
    auto one = openSide(first);
    if (!one)
        return one.error();
    auto other = openSide(second);
    if (!other)
        return other.error();
    auto warnings = warningsOf(one->manifest, other->manifest);
    warnOfSeal(*one, first, warnings);
    warnOfSeal(*other, second, warnings);
    return SnapshotPair{ std::move(one->manifest), std::move(other->manifest), std::move(warnings) };
}

Status diffSnapshots(const std::string& first, const std::string& second, const profile::Library& profiles,
    const std::function<bool(const SnapshotDifference&)>& visit)
{
    auto one = openSide(first);
    if (!one)
        return one.error();
    auto other = openSide(second);
    if (!other)
        return other.error();
    std::set<std::string> names;
    for (auto* side : { &*one, &*other }) {
        auto catalog = readCatalog(*side->connection);
        if (!catalog)
            return catalog.error();
        side->catalog = std::move(*catalog);
        side->bindings = std::make_unique<Bindings>(*side->connection, &profiles);
        for (const auto& table : side->catalog)
            if (!leftOut.contains(table.name))
                names.insert(table.name);
    }
    for (const auto& name : names) {
        const auto wanted = diffTable(*one, *other, name, visit);
        if (!wanted)
            return wanted.error();
        if (!*wanted)
            return {};
    }
    return {};
}

} // namespace fencepost::store
