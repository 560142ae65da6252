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

class BareSqlite final : public BareLoop {
public:
    explicit BareSqlite(const std::string& path)
    {
        check(sqlite3_open(path.c_str(), &m_database));
        sqlite3_busy_timeout(m_database, 30'000);
        sqlite3_exec(m_database, "PRAGMA synchronous=FULL", nullptr, nullptr, nullptr);
        for (auto [statement, text] : { std::pair(&m_begin, "BEGIN IMMEDIATE"), std::pair(&m_commit, "COMMIT"),
                 std::pair(&m_reserve, sql::reserve.sqlite), std::pair(&m_fence, sql::reach_fence.sqlite),
                 std::pair(&m_complete, sql::complete.sqlite), std::pair(&m_journal, sql::add_transition.sqlite) })
            check(sqlite3_prepare_v3(m_database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, nullptr));
        text(m_reserve, ":scope", scope);
        text(m_reserve, ":operation", operation);
        sqlite3_bind_blob(m_reserve, place(m_reserve, ":request_hash"), hash.data(), 32, SQLITE_STATIC);
        text(m_reserve, ":owner", owner);
        number(m_reserve, ":lease", 60'000'000);
        number(m_reserve, ":ttl", 86'400'000'000);
        text(m_reserve, ":takeover", automatic);
        number(m_reserve, ":max_attempts", 0);
        text(m_complete, ":scope", scope);
        text(m_complete, ":operation", operation);
        text(m_complete, ":status", succeeded);
        number(m_complete, ":response_code", 201);
        sqlite3_bind_blob(
            m_complete, place(m_complete, ":response_body"), body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
        number(m_complete, ":response_truncated", 0);
        text(m_complete, ":owner", owner);
        text(m_journal, ":scope", scope);
        text(m_journal, ":operation", operation);
        text(m_journal, ":owner", owner);
        text(m_journal, ":actor", owner);
        number(m_journal, ":attempt", 1);
        m_reserveKey = place(m_reserve, ":key");
        m_reserveNow = place(m_reserve, ":now");
        m_completeKey = place(m_complete, ":key");
        m_completeNow = place(m_complete, ":now");
        m_completeFence = place(m_complete, ":fence");
    }

    ~BareSqlite() override
    {
        for (auto* statement : { m_begin, m_commit, m_reserve, m_fence, m_complete, m_journal })
            sqlite3_finalize(statement);
        sqlite3_close(m_database);
    }

    void pair(const std::string& key) override
    {
        run(m_begin);
        auto now = microsecondsNow();
        sqlite3_bind_text(m_reserve, m_reserveKey, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
        sqlite3_bind_int64(m_reserve, m_reserveNow, now);
        const auto fence = runForFence(m_reserve);
        sqlite3_bind_int64(m_fence, 1, fence);
        run(m_fence);
        journal(key, absent, inProgress, reserve, reserved, fence, now);
        run(m_commit);

        run(m_begin);
        now = microsecondsNow();
        sqlite3_bind_text(m_complete, m_completeKey, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
        sqlite3_bind_int64(m_complete, m_completeNow, now);
        sqlite3_bind_int64(m_complete, m_completeFence, fence);
        runForFence(m_complete);
        journal(key, inProgress, succeeded, finalize, finalized, fence, now);
        run(m_commit);
    }

private:
    void check(int code) const
    {
        if (code != SQLITE_OK)
            fail(sqlite3_errmsg(m_database));
    }
    static int place(sqlite3_stmt* statement, const char* name)
    {
        return sqlite3_bind_parameter_index(statement, name);
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
    void run(sqlite3_stmt* statement) const
    {
        if (sqlite3_step(statement) != SQLITE_DONE)
            fail(sqlite3_errmsg(m_database));
        sqlite3_reset(statement);
    }
    std::int64_t runForFence(sqlite3_stmt* statement) const
    {
        if (sqlite3_step(statement) != SQLITE_ROW)
            fail(sqlite3_errmsg(m_database));
        const auto fence = sqlite3_column_int64(statement, fenceColumn);
        if (sqlite3_step(statement) != SQLITE_DONE)
            fail(sqlite3_errmsg(m_database));
        sqlite3_reset(statement);
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
    const std::string automatic = "auto";
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
    sqlite3_stmt* m_reserve = nullptr;
    sqlite3_stmt* m_fence = nullptr;
    sqlite3_stmt* m_complete = nullptr;
    sqlite3_stmt* m_journal = nullptr;
    int m_reserveKey = 0;
    int m_reserveNow = 0;
    int m_completeKey = 0;
    int m_completeNow = 0;
    int m_completeFence = 0;
};

// The values of both statements as PostgreSQL reads them, but for key and fence.
const std::map<std::string, std::string> constantValues = {
    { "scope", "route:POST_/v1/payments" },
    { "operation", "payment" },
    { "request_hash", "\\x6868686868686868686868686868686868686868686868686868686868686868" },
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
