// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/small_world.h"

#include <algorithm>
#include <set>

#include "core/store/positional.h"
#include "core/store/schema.h"
#include "tests/fuzz/fuzz.h"

namespace fencepost::fuzz {

namespace {

using namespace std::chrono_literals;

constexpr auto epoch = 1'780'000'000'000'000;
int argumentCount = 1;
char programName[] = "fuzz";
char* arguments[] = { programName, nullptr };

struct Instance {
    const char* key;
    const char* status;
    int leaseMinutes; // from now; 0: none
    bool hold;
    int expiryMinutes;
};

constexpr Instance instances[] = { { "live", "IN_PROGRESS", 1, false, 600 }, { "stuck", "IN_PROGRESS", -5, false, 600 },
    { "held", "IN_PROGRESS", -20, true, 600 }, { "done", "SUCCEEDED", 0, false, 600 },
    { "again", "FAILED_RETRYABLE", 0, false, 600 }, { "failed", "FAILED_FINAL", 0, false, 30 },
    { "old", "SUCCEEDED", 0, false, -60 }, { "x' OR '1'='1", "IN_PROGRESS", -1, false, 5 } };

std::string literal(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + '\'';
}

std::string minutes(int fromNow)
{
    return std::to_string(epoch + std::int64_t{ fromNow } * 60'000'000);
}

} // namespace

SmallWorld::SmallWorld()
    : m_application(argumentCount, arguments)
    , m_clock(timeFromMicros(epoch))
{
    store::Target target;
    target.path = (m_folder.path() + QLatin1String("/world.db")).toStdString();
    auto opened = store::Connection::open(target, { .access = store::Access::ReadWrite, .create = true });
    require(opened.has_value(), "a new file can be opened", opened ? "" : opened.error().message);
    m_connection = std::move(*opened);
    require(store::initSchema(*m_connection, false).has_value(), "a new file gets its tables");
    fill();
    target.applicationName.clear();
    auto reader = store::Connection::open(target, { .access = store::Access::ReadOnly });
    require(reader.has_value(), "the file can be read");
    m_connection = std::move(*reader);
}

void SmallWorld::run(const std::string& sql)
{
    const auto done = m_connection->execute(sql);
    require(done.has_value(), "the small world can be made", done ? "" : done.error().detail);
}

void SmallWorld::fill()
{
    int number = 0;
    for (const auto& one : instances) {
        const auto lease = one.leaseMinutes == 0 ? "NULL" : minutes(one.leaseMinutes);
        const auto created = minutes(-10 * ++number);
        run("INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
            "owner_execution_id, fence, attempt, lease_expires_at, hold, created_at, started_at, updated_at, "
            "expires_at) "
            "VALUES ('s', 'o', "
            + literal(one.key) + ", randomblob(32), '" + one.status + "', '00000000-0000-4000-8000-00000000000"
            + std::to_string(number) + "', " + std::to_string(number) + ", 1, " + lease + ", " + (one.hold ? "1" : "0")
            + ", " + created + ", " + created + ", " + created + ", " + minutes(one.expiryMinutes) + ")");
    }
    const auto text = store::ddl(store::Dialect::Sqlite, "playbook", {});
    require(text.has_value(), "the playbook has its DDL");
    std::size_t from = 0;
    for (auto end = text->find(";\n"); end != std::string::npos; end = text->find(";\n", from)) {
        run(text->substr(from, end - from));
        from = end + 2;
    }
    for (const auto* key : { "a", "b", "'" })
        run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES (" + literal(key)
            + ", 'c0ffee', 'pending', '2026-05-28 20:00:00', '2026-05-29 20:00:00')");
}

std::unique_ptr<store::SqlInspector> SmallWorld::inspect(const profile::Library& library)
{
    auto made = store::SqlInspector::create(*m_connection,
        { .clock = &m_clock, .bindClock = true, .profiles = &library, .auditPath = {}, .identity = "small world" });
    require(made.has_value(), "the small world can be inspected", made ? "" : made.error().message);
    return std::move(*made);
}

std::vector<store::CatalogTable> SmallWorld::catalog()
{
    auto tables = store::readCatalog(*m_connection);
    require(tables.has_value(), "the small world has a catalog");
    return std::move(*tables);
}

store::CatalogTable inPostgres(store::CatalogTable table)
{
    using store::TypeClass;
    table.schema = "public";
    for (auto& column : table.columns) {
        const std::string_view name = column.name;
        const auto is = [&](const char* type, TypeClass typeClass) {
            column.type = type;
            column.typeClass = typeClass;
        };
        if (name.ends_with("_at") || name == "not_before" || name == "tombstone_until")
            is("timestamp with time zone", TypeClass::Instant);
        else if (name == "hold" || name == "response_truncated")
            is("boolean", TypeClass::Boolean);
        else if (name == "owner_execution_id")
            is("uuid", TypeClass::Uuid);
        else if (name.ends_with("_hash") && column.typeClass == TypeClass::Octets)
            is("bytea", TypeClass::Octets);
        else if (column.typeClass == TypeClass::Integer)
            is("bigint", TypeClass::Integer);
        else
            is("text", TypeClass::Text);
    }
    return table;
}

void requireSafe(const store::SqlText& statement)
{
    const auto& sql = statement.sql;
    require(std::all_of(sql.begin(), sql.end(), [](char c) { return c >= ' ' && c <= '~'; }),
        "a statement is printable ASCII", sql);
    require(std::count(sql.begin(), sql.end(), '\'') % 2 == 0, "every literal is closed", sql);
    require(std::count(sql.begin(), sql.end(), '"') % 2 == 0, "every name is closed", sql);
    require(sql.find(';') == std::string::npos, "a statement is one", sql);
    const auto asked = store::positional(sql).names;
    std::set<std::string> given;
    for (const auto& [name, value] : statement.values)
        given.insert(name);
    require(std::set<std::string>(asked.begin(), asked.end()) == given, "each placeholder has its value", sql);
}

} // namespace fencepost::fuzz
