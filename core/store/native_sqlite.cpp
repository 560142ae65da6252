// SPDX-License-Identifier: Apache-2.0
#include "core/store/native_sqlite.h"

#include <cstring>

#include <sqlite3.h>

#include <QString>

#include "core/ids.h"
#include "core/store/expression_sql.h"
#include "core/store/far_instants.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

namespace {

class SqliteRow final : public NativeRow {
public:
    explicit SqliteRow(sqlite3_stmt* statement)
        : m_statement(statement)
    {
    }
    [[nodiscard]] bool isNull(int column) const override
    {
        return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
    }
    [[nodiscard]] std::string_view octets(int column) const override
    {
        // The blob of a text would be its octets as they are stored, of UTF-16 where the database was made so.
        const void* data = sqlite3_column_type(m_statement, column) == SQLITE_TEXT
            ? static_cast<const void*>(sqlite3_column_text(m_statement, column))
            : sqlite3_column_blob(m_statement, column);
        const int size = sqlite3_column_bytes(m_statement, column);
        return { static_cast<const char*>(data), data == nullptr ? 0 : static_cast<std::size_t>(size) };
    }
    [[nodiscard]] std::int64_t integer(int column) const override { return sqlite3_column_int64(m_statement, column); }
    [[nodiscard]] Time time(int column) const override { return instantWithin(integer(column)); }
    // No value is converted in place here: its type could not be asked for again.
    [[nodiscard]] std::optional<std::string> exact(int column) const override
    {
        switch (sqlite3_column_type(m_statement, column)) {
        case SQLITE_NULL:
            return std::nullopt;
        case SQLITE_INTEGER:
            return std::to_string(integer(column));
        case SQLITE_FLOAT:
            return realText(sqlite3_column_double(m_statement, column));
        case SQLITE_BLOB:
            return "\\b" + toHex(octets(column));
        default:
            break;
        }
        const auto value = octets(column);
        if (octetForm(value) || !isUtf8(value) || value.find('\0') != std::string_view::npos)
            return "\\x" + toHex(value);
        return std::string(value);
    }
    [[nodiscard]] std::optional<std::string> shown(int column) const override
    {
        const int type = sqlite3_column_type(m_statement, column);
        if (type == SQLITE_NULL)
            return std::nullopt;
        if (type == SQLITE_INTEGER)
            return std::to_string(integer(column));
        if (type == SQLITE_FLOAT) {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
            return text == nullptr ? std::string() : std::string(text);
        }
        const auto value = octets(column);
        if (isUtf8(value))
            return std::string(value);
        return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())).toStdString();
    }
    [[nodiscard]] CopiedValue stored(int column) const override
    {
        using Kind = CopiedValue::Kind;
        switch (sqlite3_column_type(m_statement, column)) {
        case SQLITE_NULL:
            return {};
        case SQLITE_INTEGER:
            return { Kind::Integer, integer(column) };
        case SQLITE_FLOAT:
            return { Kind::Real, 0, sqlite3_column_double(m_statement, column) };
        case SQLITE_BLOB:
            return { Kind::Octets, 0, 0, octets(column) };
        default:
            return { Kind::Text, 0, 0, octets(column) };
        }
    }
    [[nodiscard]] std::optional<std::string> hex(int column) const override
    {
        if (sqlite3_column_type(m_statement, column) == SQLITE_BLOB)
            return toHex(octets(column));
        return shown(column);
    }

private:
    // As printf('%!.17g') of a statement writes it.
    static std::string realText(double value)
    {
        char* text = sqlite3_mprintf("%!.17g", value);
        std::string copy(text == nullptr ? "" : text);
        sqlite3_free(text);
        return copy;
    }

    sqlite3_stmt* m_statement;
};

int bindEntry(sqlite3_stmt* statement, int index, const Parameters::Entry& entry)
{
    if (entry.null)
        return sqlite3_bind_null(statement, index);
    // A view of nothing may have no address, and SQLite would take that for NULL.
    const char* data = entry.octets.data() == nullptr ? "" : entry.octets.data();
    const auto size = static_cast<sqlite3_uint64>(entry.octets.size());
    switch (entry.kind) {
    case Parameters::Kind::Text:
        return sqlite3_bind_text64(statement, index, data, size, SQLITE_STATIC, SQLITE_UTF8);
    case Parameters::Kind::Octets:
        return sqlite3_bind_blob64(statement, index, data, size, SQLITE_STATIC);
    case Parameters::Kind::Integer:
    case Parameters::Kind::Time:
    case Parameters::Kind::Boolean:
        return sqlite3_bind_int64(statement, index, entry.integer);
    }
    return SQLITE_MISUSE;
}

// Where the values of one call go. Calls name them in the statement's order, mostly: the next place is the likely one.
class Places {
public:
    explicit Places(const std::vector<std::string>& names)
        : m_names(names)
    {
    }

    // From 1 on; 0: the statement has no such place.
    int indexOf(std::string_view name)
    {
        for (std::size_t looked = 0; looked < m_names.size(); ++looked) {
            const auto place = m_next;
            m_next = (m_next + 1) % m_names.size();
            if (m_names[place] == name)
                return static_cast<int>(place) + 1;
        }
        return 0;
    }

private:
    const std::vector<std::string>& m_names;
    std::size_t m_next = 0;
};

// Binds views: the values outlive the walk.
struct ValueBinder {
    sqlite3_stmt* statement;
    int index;

    int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
    int operator()(const std::string& value) const
    {
        return sqlite3_bind_text64(statement, index, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    int operator()(const Octets& value) const
    {
        return sqlite3_bind_blob64(statement, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
    }
};

} // namespace

NativeSqlite::NativeSqlite(Connection& connection)
    : m_connection(connection)
    , m_queries([](Prepared& prepared) { sqlite3_finalize(prepared.statement); })
{
}

NativeSqlite::~NativeSqlite()
{
    for (auto& [text, prepared] : m_statements)
        sqlite3_finalize(prepared.statement);
}

Error NativeSqlite::error() const
{
    auto* database = static_cast<sqlite3*>(m_connection.handle());
    const int code = sqlite3_extended_errcode(database);
    auto error = errorOf(Dialect::Sqlite, std::to_string(code), sqlite3_errmsg(database));
    if (code == SQLITE_INTERRUPT && m_connection.timedOut()) {
        error.failure = Failure::TimedOut;
        error.message = "The statement took longer than allowed";
    }
    return error;
}

Result<NativeSqlite::Prepared*> NativeSqlite::prepare(const NamedSql& sql)
{
    auto& prepared = m_statements[sql.sqlite];
    if (prepared.statement != nullptr)
        return &prepared;
    auto compiled = compile(sql.sqlite);
    if (!compiled) {
        m_statements.erase(sql.sqlite);
        return compiled.error();
    }
    prepared = std::move(*compiled);
    return &prepared;
}

Result<NativeSqlite::Prepared> NativeSqlite::compile(const std::string& sql)
{
    auto* database = static_cast<sqlite3*>(m_connection.handle());
    Prepared prepared;
    m_connection.startTimer();
    if (sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &prepared.statement, nullptr)
        != SQLITE_OK)
        return error();
    for (int index = 1; index <= sqlite3_bind_parameter_count(prepared.statement); ++index) {
        const char* name = sqlite3_bind_parameter_name(prepared.statement, index);
        prepared.names.emplace_back(name == nullptr ? "" : name + 1);
    }
    return prepared;
}

Status NativeSqlite::bind(const Prepared& prepared, const Parameters& parameters) const
{
    Places places(prepared.names);
    std::size_t bound = 0;
    for (const auto& entry : parameters.entries()) {
        const int index = places.indexOf(entry.name);
        if (index == 0)
            continue;
        if (bindEntry(prepared.statement, index, entry) != SQLITE_OK)
            return error();
        ++bound;
    }
    if (bound != prepared.names.size())
        return Error{ Failure::Internal, "A statement was run without all of its values",
            sqlite3_sql(prepared.statement) };
    return {};
}

Result<int> NativeSqlite::run(const NamedSql& sql, const Parameters& parameters, const RowReader& read)
{
    const auto prepared = prepare(sql);
    if (!prepared)
        return prepared.error();
    auto* statement = (*prepared)->statement;
    if (const auto bound = bind(**prepared, parameters); !bound)
        return bound.error();
    return walk(statement, read);
}

Result<sqlite3_stmt*> NativeSqlite::bound(const SqlText& text)
{
    auto* kept = m_queries.find(text.sql);
    if (kept == nullptr) {
        auto compiled = compile(text.sql);
        if (!compiled)
            return compiled.error();
        kept = &m_queries.add(text.sql, std::move(*compiled));
    }
    sqlite3_stmt* statement = kept->statement;
    Places places(kept->names);
    for (const auto& [name, value] : text.values) {
        if (const auto malformed = malformedText(name, value))
            return *malformed;
        // A value of an expression that did not come into the statement has no place.
        const int index = places.indexOf(name);
        if (index != 0 && std::visit(ValueBinder{ statement, index }, value) != SQLITE_OK)
            return error();
    }
    return statement;
}

Result<int> NativeSqlite::read(const SqlText& text, const RowReader& read)
{
    const auto statement = bound(text);
    return statement ? walk(*statement, read) : statement.error();
}

Status NativeSqlite::stream(const SqlText& text, const std::function<bool(const NativeRow& row)>& visit)
{
    const auto statement = bound(text);
    if (!statement)
        return statement.error();
    m_connection.startTimer();
    const SqliteRow row(*statement);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(*statement)) == SQLITE_ROW)
        if (!visit(row))
            break;
    const auto failed = code == SQLITE_ROW || code == SQLITE_DONE ? std::nullopt : std::optional(error());
    sqlite3_reset(*statement);
    return failed ? Status(*failed) : Status();
}

Result<int> NativeSqlite::walk(sqlite3_stmt* statement, const RowReader& read)
{
    m_connection.startTimer();
    const SqliteRow row(statement);
    int rows = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        ++rows;
        if (read)
            read(row);
    }
    if (code != SQLITE_DONE) {
        auto failed = error();
        sqlite3_reset(statement);
        return failed;
    }
    const bool returns = sqlite3_column_count(statement) > 0;
    const int changed = sqlite3_changes(static_cast<sqlite3*>(m_connection.handle()));
    sqlite3_reset(statement);
    return returns ? rows : changed;
}

Status NativeSqlite::execute(const std::string& sql)
{
    m_connection.startTimer();
    if (sqlite3_exec(static_cast<sqlite3*>(m_connection.handle()), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return error();
    return {};
}

Status NativeSqlite::runAll(
    const std::vector<NativeCall>& calls, const std::function<void(std::size_t, const NativeRow&)>& read)
{
    auto transaction = Transaction::begin(m_connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    for (std::size_t index = 0; index < calls.size(); ++index) {
        const auto done =
            run(*calls[index].sql, calls[index].parameters, [&](const NativeRow& row) { read(index, row); });
        if (!done)
            return done.error();
    }
    return transaction->commit();
}

} // namespace fencepost::store
