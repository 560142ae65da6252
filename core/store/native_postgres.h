// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "core/store/native.h"
#include "core/store/statement_cache.h"

struct pg_result;

namespace fencepost::store {

// Over the PGconn of Qt's connection: binary values both ways, and pipelines.
class NativePostgres final : public Native {
public:
    explicit NativePostgres(Connection& connection);

    Result<int> run(const NamedSql& sql, const Parameters& parameters, const RowReader& read) override;
    Result<int> runPlanned(const NamedSql& sql, const Parameters& parameters, const RowReader& read) override;
    Result<int> read(const SqlText& text, const RowReader& read) override;
    Status stream(const SqlText& text, const std::function<bool(const NativeRow& row)>& visit) override;
    Status execute(const std::string& sql) override;
    Status runAll(
        const std::vector<NativeCall>& calls, const std::function<void(std::size_t, const NativeRow&)>& read) override;

private:
    struct Prepared {
        std::string name;
        std::string text; // with $1, $2, …
        std::vector<std::string> names; // of $1, $2, …
        bool reads = false;
    };
    // What libpq takes for one call. The octets of integers are kept here.
    struct Values {
        std::vector<const char*> values;
        std::vector<int> lengths;
        std::vector<int> formats;
        std::vector<char> numbers;
    };

    // A compiler's query: its values go as text, of the types that PostgreSQL itself finds for them.
    struct Query {
        std::string name;
        std::vector<std::string> names;
    };

    Result<Query*> prepare(const SqlText& text);
    static Result<std::vector<std::optional<std::string>>> textsOf(const Query& query, const SqlText& text);
    Result<Prepared*> prepare(const NamedSql& sql, const Parameters& parameters);
    static Result<std::vector<unsigned>> typesOf(const std::vector<std::string>& names, const Parameters& parameters);
    Result<int> answered(pg_result* result, bool alone, const RowReader& read) const;
    static Status fill(Values& values, const Prepared& prepared, const Parameters& parameters);
    // `sent`: it may have been carried out although no answer came.
    [[nodiscard]] Error errorOf(const pg_result* result, bool sent) const;
    void forgetIfStale(const NamedSql& sql, const Error& error);
    Status collect(std::size_t count, const std::function<void(std::size_t, const NativeRow&)>& read);

    Connection& m_connection;
    Values m_values; // of the latest single call; kept for its memory
    std::unordered_map<const char*, Prepared> m_statements; // by the text's address: all texts are constants
    StatementCache<Query> m_queries;
};

} // namespace fencepost::store
