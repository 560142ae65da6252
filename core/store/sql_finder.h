// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/finder.h"
#include "core/store/bindings.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

// Finds ids through the profiles of one connection. Used by its thread.
class SqlFinder final : public Finder {
public:
    SqlFinder(Connection& connection, Bindings& bindings, ProfileReader& reader);

    Result<std::vector<std::string>> indexedFields(const Binding& binding) override;
    Result<std::vector<Lead>> byIndex(const Binding& binding, const std::string& id) override;
    Result<std::string> explain(const Binding& binding, const std::string& field, const std::string& id) override;
    Result<ScannedRows> scan(
        const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from) override;
    Result<ScannedRows> scanJournal(
        const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from) override;
    Result<std::vector<Row>> writtenBy(const Binding& outbox, const RecordId& record) override;
    Result<std::optional<RecordId>> writerOf(const Binding& binding, const std::vector<std::string>& identity) override;

private:
    // "" where no such row can be; an error comes with the ExpressionSql.
    using Condition = std::function<std::string(ExpressionSql& sql)>;
    struct Search {
        SqlText text; // none: no such row can be
        RowProjection projection;
    };
    Result<Search> searchOf(const BoundProfile& bound, const Condition& condition);
    Result<std::vector<Row>> rowsWhere(const BoundProfile& bound, const Condition& condition);

    Connection& m_connection;
    Bindings& m_bindings;
    ProfileReader& m_reader;
};

} // namespace fencepost::store
