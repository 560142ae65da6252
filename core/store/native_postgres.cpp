// SPDX-License-Identifier: Apache-2.0
#include "core/store/native_postgres.h"

#include <array>
#include <cctype>
#include <cstring>

#include <libpq-fe.h>

#include <QString>

#include "core/ids.h"
#include "core/store/database.h"
#include "core/store/far_instants.h"
#include "core/store/native_sqlite.h"
#include "core/store/positional.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

namespace {

// PostgreSQL counts microseconds from the year 2000.
constexpr std::int64_t epochOffset = 946'684'800'000'000;
constexpr int binary = 1;

// Object identifiers of the built-in types, fixed since there is PostgreSQL.
constexpr Oid typeOf(Parameters::Kind kind)
{
    switch (kind) {
    case Parameters::Kind::Text:
        return 25;
    case Parameters::Kind::Octets:
        return 17;
    case Parameters::Kind::Integer:
        return 20;
    case Parameters::Kind::Time:
        return 1184;
    case Parameters::Kind::Boolean:
        return 16;
    }
    return 0;
}

struct Results {
    explicit Results(PGresult* answer)
        : result(answer)
    {
    }
    ~Results() { PQclear(result); }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;
    PGresult* result;
};

bool succeeded(const PGresult* result)
{
    const auto status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

class PostgresRow final : public NativeRow {
public:
    PostgresRow(const PGresult* result, int row)
        : m_result(result)
        , m_row(row)
    {
    }
    [[nodiscard]] bool isNull(int column) const override { return PQgetisnull(m_result, m_row, column) != 0; }
    [[nodiscard]] std::string_view octets(int column) const override
    {
        return { PQgetvalue(m_result, m_row, column), static_cast<std::size_t>(PQgetlength(m_result, m_row, column)) };
    }
    // Big-endian, of one, two, four or eight octets; the first carries the sign.
    [[nodiscard]] std::int64_t integer(int column) const override
    {
        const auto data = octets(column);
        if (data.empty())
            return 0;
        auto value = static_cast<std::int64_t>(static_cast<signed char>(data.front()));
        for (const char c : data.substr(1))
            value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8U)
                | static_cast<std::int64_t>(static_cast<unsigned char>(c));
        return value;
    }
    // The infinities are the ends of the range.
    [[nodiscard]] Time time(int column) const override
    {
        return instantWithin(microsOf(instantWithin(integer(column))) + epochOffset);
    }

    // What is no UTF-8 comes of a database without an encoding alone.
    [[nodiscard]] std::optional<std::string> exact(int column) const override
    {
        if (isNull(column) || isUtf8(octets(column)))
            return optionalText(column);
        return "\\x" + toHex(octets(column));
    }
    [[nodiscard]] std::optional<std::string> shown(int column) const override
    {
        const auto value = octets(column);
        if (isNull(column) || isUtf8(value))
            return optionalText(column);
        return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())).toStdString();
    }
    [[nodiscard]] CopiedValue stored(int column) const override
    {
        return isNull(column) ? CopiedValue{} : CopiedValue{ CopiedValue::Kind::Octets, 0, 0, octets(column) };
    }
    [[nodiscard]] std::optional<std::string> hex(int column) const override
    {
        return isNull(column) ? std::nullopt : std::optional(toHex(octets(column)));
    }

private:
    const PGresult* m_result;
    int m_row;
};

struct ValueText {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(std::int64_t value) const { return std::to_string(value); }
    std::optional<std::string> operator()(double value) const { return QString::number(value, 'g', 17).toStdString(); }
    std::optional<std::string> operator()(const std::string& value) const { return value; }
    std::optional<std::string> operator()(const Octets& value) const { return "\\x" + toHex(value.bytes); }
};

// What libpq takes of texts that somebody else keeps.
std::vector<const char*> addressesOf(const std::vector<std::optional<std::string>>& texts)
{
    std::vector<const char*> addresses;
    for (const auto& text : texts)
        addresses.push_back(text ? text->c_str() : nullptr);
    return addresses;
}

const Parameters::Entry* find(const Parameters& parameters, std::string_view name)
{
    for (const auto& entry : parameters.entries())
        if (entry.name == name)
            return &entry;
    return nullptr;
}

// A table that was altered since: the next call prepares its statement anew.
bool isStale(const Error& error)
{
    return error.code == "0A000" || error.code == "26000";
}

Error missingValue(const std::string& name)
{
    return { Failure::Internal, "A statement was run without all of its values", name };
}

} // namespace

std::unique_ptr<Native> Native::on(Connection& connection)
{
    if (connection.dialect() == Dialect::Sqlite)
        return std::make_unique<NativeSqlite>(connection);
    return std::make_unique<NativePostgres>(connection);
}

NativePostgres::NativePostgres(Connection& connection)
    : m_connection(connection)
    , m_queries([&connection](const Query& query) {
        // Where it fails the connection is lost, and the statement with it.
        if (auto* handle = static_cast<PGconn*>(connection.handle()))
            PQclear(PQexec(handle, ("DEALLOCATE " + query.name).c_str()));
    })
{
}

Error NativePostgres::errorOf(const pg_result* result, bool sent) const
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    std::string words = result == nullptr ? PQerrorMessage(handle) : PQresultErrorMessage(result);
    while (!words.empty() && std::isspace(static_cast<unsigned char>(words.back())) != 0)
        words.pop_back();
    auto error = store::errorOf(Dialect::PostgreSql, state == nullptr ? "" : state, words);
    if (sent && state == nullptr && PQstatus(handle) != CONNECTION_OK) {
        error.failure = Failure::InDoubt;
        error.message = "The connection was lost before the answer came";
    }
    return error;
}

Result<NativePostgres::Prepared*> NativePostgres::prepare(const NamedSql& sql, const Parameters& parameters)
{
    if (const auto found = m_statements.find(sql.postgresql); found != m_statements.end())
        return &found->second;
    auto statement = positional(sql.postgresql);
    const auto known = typesOf(statement.names, parameters);
    if (!known)
        return known.error();
    const auto& types = *known;
    const auto name = m_connection.freshName();
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    const Results answer(
        PQprepare(handle, name.c_str(), statement.text.c_str(), static_cast<int>(types.size()), types.data()));
    if (!succeeded(answer.result))
        return errorOf(answer.result, false);
    auto& prepared = m_statements[sql.postgresql];
    const bool reads = statement.text.rfind("SELECT", 0) == 0;
    prepared = { name, std::move(statement.text), std::move(statement.names), reads };
    return &prepared;
}

Result<std::vector<Oid>> NativePostgres::typesOf(const std::vector<std::string>& names, const Parameters& parameters)
{
    std::vector<Oid> types;
    for (const auto& name : names) {
        const auto* entry = find(parameters, name);
        if (entry == nullptr)
            return missingValue(name);
        types.push_back(typeOf(entry->kind));
    }
    return types;
}

Status NativePostgres::fill(Values& result, const Prepared& prepared, const Parameters& parameters)
{
    const auto& entries = parameters.entries();
    const auto count = prepared.names.size();
    result.values.assign(count, nullptr);
    result.lengths.assign(count, 0);
    result.formats.assign(count, binary);
    result.numbers.resize(count * sizeof(std::int64_t));
    std::size_t likely = 0;
    for (std::size_t place = 0; place < count; ++place) {
        // Calls name their values in the statement's order, mostly, so the next entry is the likely one.
        const auto* entry = likely < entries.size() && entries[likely].name == prepared.names[place]
            ? &entries[likely]
            : find(parameters, prepared.names[place]);
        if (entry == nullptr)
            return missingValue(prepared.names[place]);
        likely = static_cast<std::size_t>(entry - entries.data()) + 1;
        if (entry->null)
            continue;
        if (entry->kind == Parameters::Kind::Text || entry->kind == Parameters::Kind::Octets) {
            result.values[place] = entry->octets.data() == nullptr ? "" : entry->octets.data();
            result.lengths[place] = static_cast<int>(entry->octets.size());
            continue;
        }
        char* number = result.numbers.data() + place * sizeof(std::int64_t);
        const bool boolean = entry->kind == Parameters::Kind::Boolean;
        const int size = boolean ? 1 : static_cast<int>(sizeof(std::int64_t));
        auto bits = static_cast<std::uint64_t>(
            entry->kind == Parameters::Kind::Time ? entry->integer - epochOffset : entry->integer);
        for (int i = size - 1; i >= 0; --i, bits >>= 8U)
            number[i] = static_cast<char>(bits & 0xffU);
        result.values[place] = number;
        result.lengths[place] = size;
    }
    return {};
}

void NativePostgres::forgetIfStale(const NamedSql& sql, const Error& error)
{
    if (isStale(error))
        m_statements.erase(sql.postgresql);
}

Result<int> NativePostgres::run(const NamedSql& sql, const Parameters& parameters, const RowReader& read)
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    const auto prepared = prepare(sql, parameters);
    if (!prepared)
        return prepared.error();
    if (const auto filled = fill(m_values, **prepared, parameters); !filled)
        return filled.error();
    // Inside a transaction a lost connection has rolled it back, whatever was sent; and a query changes nothing.
    const bool alone = PQtransactionStatus(handle) == PQTRANS_IDLE && !(*prepared)->reads;
    const Results answer(PQexecPrepared(handle, (*prepared)->name.c_str(), static_cast<int>(m_values.values.size()),
        m_values.values.data(), m_values.lengths.data(), m_values.formats.data(), binary));
    const auto rows = answered(answer.result, alone, read);
    if (!rows)
        forgetIfStale(sql, rows.error());
    return rows;
}

Result<int> NativePostgres::runPlanned(const NamedSql& sql, const Parameters& parameters, const RowReader& read)
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    auto statement = positional(sql.postgresql);
    const auto types = typesOf(statement.names, parameters);
    if (!types)
        return types.error();
    const Prepared unnamed{ {}, std::move(statement.text), std::move(statement.names), false };
    if (const auto filled = fill(m_values, unnamed, parameters); !filled)
        return filled.error();
    const bool alone = PQtransactionStatus(handle) == PQTRANS_IDLE;
    const Results answer(PQexecParams(handle, unnamed.text.c_str(), static_cast<int>(m_values.values.size()),
        types->data(), m_values.values.data(), m_values.lengths.data(), m_values.formats.data(), binary));
    return answered(answer.result, alone, read);
}

Result<int> NativePostgres::answered(pg_result* result, bool alone, const RowReader& read) const
{
    if (!succeeded(result))
        return errorOf(result, alone);
    const int rows = PQntuples(result);
    if (read)
        for (int row = 0; row < rows; ++row)
            read(PostgresRow(result, row));
    return PQresultStatus(result) == PGRES_TUPLES_OK ? rows : std::atoi(PQcmdTuples(result));
}

Result<NativePostgres::Query*> NativePostgres::prepare(const SqlText& text)
{
    if (auto* kept = m_queries.find(text.sql))
        return kept;
    auto statement = positional(text.sql);
    const auto name = m_connection.freshName();
    const Results answer(
        PQprepare(static_cast<PGconn*>(m_connection.handle()), name.c_str(), statement.text.c_str(), 0, nullptr));
    if (!succeeded(answer.result))
        return errorOf(answer.result, false);
    return &m_queries.add(text.sql, { name, std::move(statement.names) });
}

Result<std::vector<std::optional<std::string>>> NativePostgres::textsOf(const Query& query, const SqlText& text)
{
    std::vector<std::optional<std::string>> texts;
    for (const auto& name : query.names)
        for (const auto& [known, value] : text.values)
            if (known == name) {
                if (const auto malformed = malformedText(name, value))
                    return *malformed;
                texts.push_back(std::visit(ValueText{}, value));
            }
    return texts;
}

Result<int> NativePostgres::read(const SqlText& text, const RowReader& read)
{
    const auto query = prepare(text);
    if (!query)
        return query.error();
    const auto texts = textsOf(**query, text);
    if (!texts)
        return texts.error();
    const auto values = addressesOf(*texts);
    const Results answer(PQexecPrepared(static_cast<PGconn*>(m_connection.handle()), (*query)->name.c_str(),
        static_cast<int>(values.size()), values.data(), nullptr, nullptr, binary));
    const auto rows = answered(answer.result, false, read);
    if (!rows && isStale(rows.error()))
        m_queries.erase(text.sql);
    return rows;
}

// Row by row: libpq would else keep the whole answer.
Status NativePostgres::stream(const SqlText& text, const std::function<bool(const NativeRow& row)>& visit)
{
    const auto query = prepare(text);
    if (!query)
        return query.error();
    const auto texts = textsOf(**query, text);
    if (!texts)
        return texts.error();
    const auto values = addressesOf(*texts);
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    if (PQsendQueryPrepared(
            handle, (*query)->name.c_str(), static_cast<int>(values.size()), values.data(), nullptr, nullptr, binary)
            == 0
        || PQsetSingleRowMode(handle) == 0)
        return errorOf(nullptr, false);
    bool wanted = true;
    std::optional<Error> failed;
    while (auto* next = PQgetResult(handle)) {
        const Results answer(next);
        if (!succeeded(next) && PQresultStatus(next) != PGRES_SINGLE_TUPLE) {
            if (wanted && !failed)
                failed = errorOf(next, false);
            continue;
        }
        if (wanted && PQresultStatus(next) == PGRES_SINGLE_TUPLE && !visit(PostgresRow(next, 0))) {
            wanted = false;
            m_connection.cancel();
        }
    }
    return failed ? Status(*failed) : Status();
}

Status NativePostgres::execute(const std::string& sql)
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    const Results answer(PQexec(handle, sql.c_str()));
    if (!succeeded(answer.result))
        return errorOf(answer.result, false);
    // The commit of a transaction in which a statement has failed is answered like this, and is no error to libpq.
    if (sql == "COMMIT" && std::strcmp(PQcmdStatus(answer.result), "ROLLBACK") == 0)
        return Error{ Failure::Internal, "A transaction in which a statement had failed was committed", {} };
    return {};
}

Status NativePostgres::runAll(
    const std::vector<NativeCall>& calls, const std::function<void(std::size_t, const NativeRow&)>& read)
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    std::vector<std::pair<const Prepared*, Values>> prepared;
    prepared.reserve(calls.size());
    for (const auto& call : calls) {
        const auto statement = prepare(*call.sql, call.parameters);
        if (!statement)
            return statement.error();
        auto& values = prepared.emplace_back(*statement, Values()).second;
        if (const auto filled = fill(values, **statement, call.parameters); !filled)
            return filled.error();
    }
    if (PQenterPipelineMode(handle) == 0)
        return errorOf(nullptr, false);
    bool sent = true;
    for (const auto& [statement, values] : prepared)
        sent = sent
            && PQsendQueryPrepared(handle, statement->name.c_str(), static_cast<int>(values.values.size()),
                   values.values.data(), values.lengths.data(), values.formats.data(), binary)
                != 0;
    sent = sent && PQpipelineSync(handle) != 0;
    auto status = sent ? collect(calls.size(), read) : Status(errorOf(nullptr, false));
    PQexitPipelineMode(handle);
    return status;
}

// Reads to the end of the pipeline in any case, so that the connection can be used again. The commit is the answer to
// the sync: whatever was read before it may still be rolled back.
Status NativePostgres::collect(std::size_t count, const std::function<void(std::size_t, const NativeRow&)>& read)
{
    auto* handle = static_cast<PGconn*>(m_connection.handle());
    std::optional<Error> failed;
    std::size_t index = 0;
    while (true) {
        const Results answer(PQgetResult(handle));
        if (answer.result == nullptr) {
            // The end of one statement's results, or of a connection.
            if (PQstatus(handle) != CONNECTION_OK)
                return failed ? *failed : errorOf(nullptr, true);
            ++index;
            continue;
        }
        const auto status = PQresultStatus(answer.result);
        if (status == PGRES_PIPELINE_SYNC)
            return failed ? Status(*failed) : Status();
        if (status == PGRES_PIPELINE_ABORTED)
            continue;
        if (!succeeded(answer.result)) {
            if (!failed)
                failed = errorOf(answer.result, true);
            continue;
        }
        if (index < count && !failed)
            for (int row = 0; row < PQntuples(answer.result); ++row)
                read(index, PostgresRow(answer.result, row));
    }
}

} // namespace fencepost::store
