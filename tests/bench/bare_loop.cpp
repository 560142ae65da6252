// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/bare_loop.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include <libpq-fe.h>
#include <sqlite3.h>

#include <QTemporaryDir>

#include "core/store/positional.h"
#include "core/store/statements.h"

namespace fencepost::bench {

namespace {

using store::NamedSql;
namespace sql = store::sql;

constexpr int fenceColumn = 10; // won, now, then the columns of a record

[[noreturn]] void fail(const char* words)
{
    std::fprintf(stderr, "bare loop: %s\n", words);
    std::exit(1);
}

std::int64_t microsecondsNow()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// What the store sends inside its two transactions, with nothing around it.
class BareSqlite final : public BareLoop {
public:
    explicit BareSqlite(const std::string& path)
    {
        check(sqlite3_open_v2(path.c_str(), &m_database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr));
        sqlite3_busy_timeout(m_database, 30'000);
        sqlite3_exec(m_database, "PRAGMA synchronous=FULL; PRAGMA cache_size=-16384", nullptr, nullptr, nullptr);
        for (auto [statement, text] : { std::pair(&m_begin, "BEGIN IMMEDIATE"), std::pair(&m_commit, "COMMIT"),
                 std::pair(&m_find, sql::find_locked.sqlite), std::pair(&m_nextFence, sql::next_fence.sqlite),
                 std::pair(&m_reachFence, sql::reach_fence.sqlite), std::pair(&m_insert, sql::insert_record.sqlite),
                 std::pair(&m_write, sql::write_record.sqlite), std::pair(&m_journal, sql::add_transition.sqlite) })
            check(sqlite3_prepare_v3(m_database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, nullptr));
        for (auto* statement : { m_find, m_insert, m_write, m_journal }) {
            text(statement, ":scope", scope);
            text(statement, ":operation", operation);
        }
        for (auto* statement : { m_insert, m_write }) {
            sqlite3_bind_blob(statement, place(statement, ":request_hash"), hash.data(), 32, SQLITE_STATIC);
            text(statement, ":fingerprint_alg", algorithm);
            text(statement, ":owner", owner);
            number(statement, ":attempt", 1);
            text(statement, ":recovery_point", started);
            text(statement, ":takeover", automatic);
            number(statement, ":max_attempts", 0);
        }
        text(m_insert, ":status", inProgress);
        text(m_write, ":status", succeeded);
        text(m_write, ":previous_status", inProgress);
        text(m_write, ":seen_status", inProgress);
        number(m_write, ":hold", 0);
        number(m_write, ":response_code", 201);
        sqlite3_bind_blob(
            m_write, place(m_write, ":response_body"), body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
        number(m_write, ":response_truncated", 0);
        text(m_journal, ":owner", owner);
        text(m_journal, ":actor", owner);
        number(m_journal, ":attempt", 1);
        m_placesOfInsert = placesOf(m_insert);
        m_placesOfWrite = placesOf(m_write);
    }

    ~BareSqlite() override
    {
        for (auto* statement : { m_begin, m_commit, m_find, m_nextFence, m_reachFence, m_insert, m_write, m_journal })
            sqlite3_finalize(statement);
        sqlite3_close(m_database);
    }

    void pair(const std::string& key) override
    {
        run(m_begin);
        const auto start = microsecondsNow();
        const auto fence = drawFence();
        bindKeyAndTimes(m_insert, m_placesOfInsert, key, fence, start, start);
        sqlite3_bind_int64(m_insert, m_placesOfInsert.createdAt, start);
        run(m_insert);
        journal(key, absent, inProgress, reserve, reserved, fence, start);
        run(m_commit);

        run(m_begin);
        const auto end = microsecondsNow();
        find(key);
        bindKeyAndTimes(m_write, m_placesOfWrite, key, fence, start, end);
        sqlite3_bind_int64(m_write, m_placesOfWrite.seenFence, fence);
        sqlite3_bind_int64(m_write, m_placesOfWrite.completedAt, end);
        run(m_write);
        journal(key, inProgress, succeeded, finalize, finalized, fence, end);
        run(m_commit);
    }

private:
    // Of what changes from pair to pair; 0: the statement has no such value.
    struct Places {
        int key = 0;
        int fence = 0;
        int seenFence = 0;
        int leaseExpiresAt = 0;
        int createdAt = 0;
        int startedAt = 0;
        int updatedAt = 0;
        int completedAt = 0;
        int expiresAt = 0;
    };

    void check(int code) const
    {
        if (code != SQLITE_OK)
            fail(sqlite3_errmsg(m_database));
    }
    static int place(sqlite3_stmt* statement, const char* name)
    {
        return sqlite3_bind_parameter_index(statement, name);
    }
    static Places placesOf(sqlite3_stmt* statement)
    {
        return { place(statement, ":key"), place(statement, ":fence"), place(statement, ":seen_fence"),
            place(statement, ":lease_expires_at"), place(statement, ":created_at"), place(statement, ":started_at"),
            place(statement, ":updated_at"), place(statement, ":completed_at"), place(statement, ":expires_at") };
    }
    static void text(sqlite3_stmt* statement, const char* name, const std::string& value)
    {
        sqlite3_bind_text(
            statement, place(statement, name), value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    }
    static void number(sqlite3_stmt* statement, const char* name, std::int64_t value)
    {
        sqlite3_bind_int64(statement, place(statement, name), value);
    }
    static void bindKeyAndTimes(sqlite3_stmt* statement, const Places& places, const std::string& key,
        std::int64_t fence, std::int64_t start, std::int64_t now)
    {
        sqlite3_bind_text(statement, places.key, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
        sqlite3_bind_int64(statement, places.fence, fence);
        sqlite3_bind_int64(statement, places.leaseExpiresAt, start + 60'000'000);
        sqlite3_bind_int64(statement, places.startedAt, start);
        sqlite3_bind_int64(statement, places.updatedAt, now);
        sqlite3_bind_int64(statement, places.expiresAt, now + 86'400'000'000);
    }
    void run(sqlite3_stmt* statement) const
    {
        if (sqlite3_step(statement) != SQLITE_DONE)
            fail(sqlite3_errmsg(m_database));
        sqlite3_reset(statement);
    }
    void find(const std::string& key) const
    {
        text(m_find, ":key", key);
        if (const int code = sqlite3_step(m_find); code != SQLITE_ROW && code != SQLITE_DONE)
            fail(sqlite3_errmsg(m_database));
        sqlite3_reset(m_find);
    }
    std::int64_t drawFence() const
    {
        sqlite3_bind_int64(m_nextFence, 1, 0);
        if (sqlite3_step(m_nextFence) != SQLITE_ROW)
            fail(sqlite3_errmsg(m_database));
        const auto fence = sqlite3_column_int64(m_nextFence, 0);
        sqlite3_reset(m_nextFence);
        sqlite3_bind_int64(m_reachFence, 1, fence);
        run(m_reachFence);
        return fence;
    }
    void journal(const std::string& key, const std::string& from, const std::string& to, const std::string& event,
        const std::string& reason, std::int64_t fence, std::int64_t now) const
    {
        text(m_journal, ":key", key);
        text(m_journal, ":from_state", from);
        text(m_journal, ":to_state", to);
        text(m_journal, ":event", event);
        text(m_journal, ":reason", reason);
        number(m_journal, ":fence", fence);
        number(m_journal, ":at", now);
        run(m_journal);
    }

    const std::string scope = "route:POST_/v1/payments";
    const std::string operation = "payment";
    const std::string hash = std::string(32, 'h');
    const std::string algorithm = "v1";
    const std::string automatic = "auto";
    const std::string started = "started";
    const std::string absent = "ABSENT";
    const std::string inProgress = "IN_PROGRESS";
    const std::string succeeded = "SUCCEEDED";
    const std::string reserve = "reserve";
    const std::string finalize = "finalize";
    const std::string reserved = "reserved";
    const std::string finalized = "finalized";
    sqlite3* m_database = nullptr;
    sqlite3_stmt* m_begin = nullptr;
    sqlite3_stmt* m_commit = nullptr;
    sqlite3_stmt* m_find = nullptr;
    sqlite3_stmt* m_nextFence = nullptr;
    sqlite3_stmt* m_reachFence = nullptr;
    sqlite3_stmt* m_insert = nullptr;
    sqlite3_stmt* m_write = nullptr;
    sqlite3_stmt* m_journal = nullptr;
    Places m_placesOfInsert;
    Places m_placesOfWrite;
};

// The values of both statements as PostgreSQL reads them, but for key and fence.
const std::map<std::string, std::string> constantValues = {
    { "scope", "route:POST_/v1/payments" },
    { "operation", "payment" },
    { "request_hash", "\\x6868686868686868686868686868686868686868686868686868686868686868" },
    { "fingerprint_alg", "v1" },
    { "owner", owner },
    { "lease", "60000000" },
    { "ttl", "86400000000" },
    { "takeover", "auto" },
    { "max_attempts", "0" },
    { "status", "SUCCEEDED" },
    { "event", "finalize" },
    { "reason", "finalized" },
    { "response_code", "201" },
    { "response_body", body },
    { "response_truncated", "f" },
};

// As the store declares them; what is not here is text.
const std::map<std::string, Oid> types = {
    { "request_hash", 17 },
    { "payload_hash", 17 },
    { "request_body", 17 },
    { "response_body", 17 },
    { "response_body_digest", 17 },
    { "lease", 20 },
    { "ttl", 20 },
    { "max_attempts", 20 },
    { "response_code", 20 },
    { "fence", 20 },
    { "now", 1184 },
    { "stale_at", 1184 },
    { "response_truncated", 16 },
};

std::string connectionText(const store::Target& target)
{
    return "host=" + target.host + " port=" + target.port + " user=" + target.user + " dbname=" + target.database;
}

class BarePostgres final : public BareLoop {
public:
    explicit BarePostgres(const store::Target& target)
        : m_connection(PQconnectdb(connectionText(target).c_str()))
        , m_reserve(prepare("reserve", sql::reserve))
        , m_complete(prepare("complete", sql::complete))
    {
    }
    ~BarePostgres() override { PQfinish(m_connection); }
    BarePostgres(const BarePostgres&) = delete;
    BarePostgres& operator=(const BarePostgres&) = delete;

    void pair(const std::string& key) override
    {
        m_reserve.values[m_reserve.key] = key.c_str();
        std::array<char, 32> fence{};
        std::snprintf(fence.data(), fence.size(), "%lld", static_cast<long long>(run("reserve", m_reserve)));
        m_complete.values[m_complete.key] = key.c_str();
        m_complete.values[m_complete.fence] = fence.data();
        run("complete", m_complete);
    }

private:
    struct Prepared {
        std::vector<const char*> values;
        std::size_t key = 0;
        std::size_t fence = 0;
    };

    Prepared prepare(const char* name, const NamedSql& statement)
    {
        const auto words = store::positional(statement.postgresql);
        Prepared prepared;
        std::vector<Oid> oids;
        for (std::size_t i = 0; i < words.names.size(); ++i) {
            const auto& parameter = words.names[i];
            const auto value = parameter == "ttl" && std::string(name) == "complete" ? constantValues.end()
                                                                                     : constantValues.find(parameter);
            prepared.values.push_back(value == constantValues.end() ? nullptr : value->second.c_str());
            const auto type = types.find(parameter);
            oids.push_back(type == types.end() ? 25 : type->second);
            if (parameter == "key")
                prepared.key = i;
            if (parameter == "fence")
                prepared.fence = i;
        }
        auto* result = PQprepare(m_connection, name, words.text.c_str(), static_cast<int>(oids.size()), oids.data());
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            fail(PQerrorMessage(m_connection));
        PQclear(result);
        return prepared;
    }

    std::int64_t run(const char* name, const Prepared& prepared)
    {
        constexpr int binary = 1;
        auto* result = PQexecPrepared(m_connection, name, static_cast<int>(prepared.values.size()),
            prepared.values.data(), nullptr, nullptr, binary);
        if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
            fail(PQerrorMessage(m_connection));
        std::uint64_t fence = 0;
        for (int i = 0; i < 8; ++i)
            fence = fence << 8U | static_cast<unsigned char>(PQgetvalue(result, 0, fenceColumn)[i]);
        PQclear(result);
        return static_cast<std::int64_t>(fence);
    }

    PGconn* m_connection;
    Prepared m_reserve;
    Prepared m_complete;
};

// The statement with its values as literals; pgbench fills in :key and :fence itself.
std::string scriptOf(const NamedSql& statement, bool completing)
{
    auto words = store::positional(statement.postgresql);
    for (std::size_t i = words.names.size(); i-- > 0;) {
        const auto& name = words.names[i];
        const auto found = constantValues.find(name);
        std::string value =
            found == constantValues.end() || (completing && name == "ttl") ? "NULL" : "'" + found->second + "'";
        // pgbench takes any :word for a variable, also inside a literal.
        std::replace(value.begin(), value.end(), ':', '.');
        if (name == "key")
            value = "('order-' || :client_id::bigint || '-' || :number::bigint)";
        if (name == "fence")
            value = ":fence";
        const auto type = types.find(name);
        value += type == types.end() ? "::text"
            : type->second == 17     ? "::bytea"
            : type->second == 20     ? "::bigint"
            : type->second == 16     ? "::boolean"
                                     : "::timestamptz";
        const auto place = "$" + std::to_string(i + 1);
        for (auto at = words.text.find(place); at != std::string::npos; at = words.text.find(place, at + value.size()))
            words.text.replace(at, place.size(), value);
    }
    std::string script;
    for (std::size_t at = 0; at < words.text.size();) {
        const auto end = std::min(words.text.find('\n', at), words.text.size());
        const auto line = words.text.substr(at, end - at);
        if (line.find("--") == std::string::npos)
            script += line + "\n";
        at = end + 1;
    }
    return script;
}

} // namespace

std::unique_ptr<BareLoop> bareLoop(const store::Target& target)
{
    if (target.dialect == store::Dialect::Sqlite)
        return std::make_unique<BareSqlite>(target.path);
    return std::make_unique<BarePostgres>(target);
}

std::optional<double> pgbenchPerSecond(const store::Target& target, int clients)
{
    const QTemporaryDir folder;
    const auto path = folder.path().toStdString() + "/pair.sql";
    std::ofstream(path) << "\\set number random(1, 1000000000000)\n"
                        << scriptOf(sql::reserve, false) << "\\gset\n"
                        << scriptOf(sql::complete, true) << ";\n";
    const auto command = "PATH=\"$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)\" pgbench -n -M prepared -T 4 -c "
        + std::to_string(clients) + " -j " + std::to_string(clients) + " -h " + target.host + " -p " + target.port
        + " -U " + target.user + " -f " + path + " " + target.database + " 2>&1";
    auto* output = popen(command.c_str(), "r");
    if (output == nullptr)
        return std::nullopt;
    std::optional<double> found;
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), line.size(), output) != nullptr) {
        double value = 0;
        if (std::sscanf(line.data(), "tps = %lf", &value) == 1)
            found = value;
        else if (std::string(line.data()).find("ERROR") != std::string::npos)
            std::fputs(line.data(), stderr);
    }
    pclose(output);
    return found;
}

} // namespace fencepost::bench
