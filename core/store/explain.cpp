// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>

#include "core/ids.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

namespace {

// ":v12" outside of quotes becomes "$13": PREPARE, which Qt uses, takes no EXPLAIN, the protocol's own parameters do.
std::string numbered(const std::string& sql)
{
    std::string text;
    char quote = 0;
    for (std::size_t i = 0; i < sql.size(); ++i) {
        const char c = sql[i];
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == ':' && i + 2 < sql.size() && sql[i + 1] == 'v' && sql[i + 2] >= '0' && sql[i + 2] <= '9') {
            auto end = i + 2;
            while (end < sql.size() && sql[end] >= '0' && sql[end] <= '9')
                ++end;
            text += '$' + std::to_string(std::stoi(sql.substr(i + 2, end - i - 2)) + 1);
            i = end - 1;
            continue;
        }
        text += c;
    }
    return text;
}

struct TextForm {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(std::int64_t value) const { return std::to_string(value); }
    std::optional<std::string> operator()(double value) const { return std::to_string(value); }
    std::optional<std::string> operator()(const std::string& value) const { return value; }
    std::optional<std::string> operator()(const Octets& value) const { return "\\x" + toHex(value.bytes); }
};

Result<std::string> explainedByPostgres(Connection& connection, const SqlText& text)
{
    std::vector<std::optional<std::string>> values;
    for (const auto& [name, value] : text.values)
        values.push_back(std::visit(TextForm{}, value));
    std::vector<const char*> pointers;
    for (const auto& value : values)
        pointers.push_back(value ? value->c_str() : nullptr);
    auto* handle = static_cast<PGconn*>(connection.handle());
    const auto sql = "EXPLAIN " + numbered(text.sql);
    PGresult* result = PQexecParams(
        handle, sql.c_str(), static_cast<int>(pointers.size()), nullptr, pointers.data(), nullptr, nullptr, 0);
    Result<std::string> plan = std::string();
    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        plan = errorOf(connection.dialect(), code != nullptr ? code : "", PQerrorMessage(handle));
    } else {
        std::string lines;
        for (int i = 0; i < PQntuples(result); ++i)
            lines += std::string(i > 0 ? "\n" : "") + PQgetvalue(result, i, 0);
        plan = lines;
    }
    PQclear(result);
    return plan;
}

} // namespace

Result<std::string> explained(Connection& connection, const SqlText& text)
{
    if (connection.dialect() == Dialect::PostgreSql)
        return explainedByPostgres(connection, text);
    auto query = text;
    query.sql = "EXPLAIN QUERY PLAN " + text.sql;
    auto statement = prepared(connection, query);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    std::string lines;
    while ((*statement)->next())
        lines += (lines.empty() ? "" : "\n") + (*statement)->text(3);
    (*statement)->finish();
    return lines;
}

} // namespace fencepost::store
