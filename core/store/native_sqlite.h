// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "core/store/native.h"
#include "core/store/statement_cache.h"

struct sqlite3_stmt;

namespace fencepost::store {

// Over the sqlite3 handle of Qt's connection. Must go before it is closed.
class NativeSqlite final : public Native {
public:
    explicit NativeSqlite(Connection& connection);
    ~NativeSqlite() override;
    NativeSqlite(const NativeSqlite&) = delete;
    NativeSqlite& operator=(const NativeSqlite&) = delete;

    Result<int> run(const NamedSql& sql, const Parameters& parameters, const RowReader& read) override;
    Result<int> runPlanned(const NamedSql& sql, const Parameters& parameters, const RowReader& read) override
    {
        return run(sql, parameters, read);
    }
    Result<int> read(const SqlText& text, const RowReader& read) override;
    Status stream(const SqlText& text, const std::function<bool(const NativeRow& row)>& visit) override;
    Status execute(const std::string& sql) override;
    Status runAll(
        const std::vector<NativeCall>& calls, const std::function<void(std::size_t, const NativeRow&)>& read) override;

private:
    struct Prepared {
        sqlite3_stmt* statement = nullptr;
        std::vector<std::string> names; // of the places, in their order; SQLite frees its own when it prepares anew
    };

    [[nodiscard]] Error error() const;
    Result<Prepared*> prepare(const NamedSql& sql);
    Result<Prepared> compile(const std::string& sql);
    Result<sqlite3_stmt*> bound(const SqlText& text);
    Result<int> walk(sqlite3_stmt* statement, const RowReader& read);
    Status bind(const Prepared& prepared, const Parameters& parameters) const;

    Connection& m_connection;
    std::unordered_map<const char*, Prepared> m_statements; // by the text's address: all texts are constants
    StatementCache<Prepared> m_queries;
};

} // namespace fencepost::store
