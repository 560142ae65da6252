// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <libpq-fe.h>

#include "core/store/moved_file.h"
#include "core/store/replica.h"
#include "core/store/schema.h"
#include "core/store/sql_inspector.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Result<Statement*> firstRow(Connection& connection, const NamedSql& sql)
{
    auto statement = connection.prepare(sql);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    if (!(*statement)->next())
        return Error{ Failure::Internal, "The database did not describe itself", sql.name, {} };
    return *statement;
}

Status describeSqlite(Connection& connection, DatabaseInfo& info)
{
    if (const auto there = checkFileInPlace(connection); !there)
        return there.error();
    const auto row = firstRow(connection, sql::database_info);
    if (!row)
        return row.error();
    info.product = "SQLite";
    info.version = (*row)->text(0);
    const auto file = (*row)->text(1);
    (*row)->finish();
    std::error_code problem;
    const auto canonical = std::filesystem::weakly_canonical(file, problem);
    info.location = file.empty() ? connection.target().path : file;
    info.identity = "sqlite:" + (file.empty() ? ":memory:" : problem ? file : canonical.string());
    info.readOnly = connection.access() == Access::ReadOnly;
    return {};
}

// A server keeps its identifier over restarts, moves and fail-overs; a role may not be allowed to see it.
std::string serverName(Connection& connection, const std::string& fallback)
{
    const auto row = firstRow(connection, sql::system_identifier);
    if (!row)
        return fallback;
    auto name = (*row)->text(0);
    (*row)->finish();
    return name;
}

// As it was called: behind a forwarder or a pooler the server's own address says nothing to whoever reads it.
std::string reachedAt(const Connection& connection, const std::string& fallback)
{
    const auto* link = static_cast<const PGconn*>(connection.handle());
    const char* host = link != nullptr ? PQhost(link) : nullptr;
    if (host == nullptr || *host == '\0')
        return fallback;
    const std::string_view name(host);
    const bool v6 = name.find(':') != std::string_view::npos && name.front() != '/';
    return (v6 ? '[' + std::string(name) + ']' : std::string(name)) + ':' + PQport(link);
}

Status describePostgres(Connection& connection, DatabaseInfo& info)
{
    const auto row = firstRow(connection, sql::database_info);
    if (!row)
        return row.error();
    const auto& at = **row;
    info.product = "PostgreSQL";
    info.version = at.text(0);
    info.user = at.text(1);
    const auto database = at.text(2);
    const auto schema = at.text(3);
    const auto is = [&](int column) {
        const auto text = at.text(column);
        return text == "true" || text == "t" || text == "1" || text == "on";
    };
    info.replica = is(4);
    info.readOnly = is(5);
    if (const auto lag = at.optionalInteger(6))
        info.replicaLag = Duration(*lag);
    const auto& target = connection.target();
    const auto host = at.text(7).empty() ? target.host : at.text(7);
    const auto port = at.text(8).empty() ? target.port : at.text(8);
    (*row)->finish();
    const auto place = host + (port.empty() ? "" : ":" + port);
    info.location = reachedAt(connection, place) + "/" + database;
    info.identity = "postgresql:" + serverName(connection, place) + "/" + database + "/" + schema;
    return {};
}

} // namespace

Result<DatabaseInfo> describeDatabase(Connection& connection)
{
    DatabaseInfo info;
    const auto described =
        connection.dialect() == Dialect::Sqlite ? describeSqlite(connection, info) : describePostgres(connection, info);
    if (!described)
        return described.error();
    const auto status = schemaStatus(connection);
    // Who may not read it may still read other tables; what that means for Fencepost's own is said there.
    if (!status && status.error().failure != Failure::Denied)
        return status.error();
    if (status)
        info.schemaVersion = status->version;
    return info;
}

Status withReplicaNamed(Connection& connection, Status status)
{
    constexpr auto readOnlySession = "25006";
    if (status || status.error().code != readOnlySession)
        return status;
    const auto info = describeDatabase(connection);
    if (!info || !info->replica)
        return status;
    const auto& error = status.error();
    return Error{ Failure::Denied, "This database is a replica, which takes no changes", error.detail, error.code,
        "Connect to its primary" };
}

} // namespace fencepost::store
