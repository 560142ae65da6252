// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/store/bindings.h"
#include "core/store/profile_reader.h"
#include "core/table_mapper.h"

namespace fencepost::store {

// Describes the tables of one connection and tries profiles on them. Used by its thread.
class SqlTableMapper final : public TableMapper {
public:
    SqlTableMapper(Connection& connection, Bindings& bindings, ProfileReader& reader);

    Result<std::vector<SurveyedTable>> tables(bool refresh) override;
    Result<profile::TableFacts> facts(const TableName& name) override;
    Result<TableSample> sample(const TableName& name, const SampleRequest& request) override;
    Result<ValueCounts> values(const TableName& name, const std::string& column) override;
    Result<MappingPreview> preview(const TableName& name, const std::string& document, int limit) override;
    void use(std::shared_ptr<const profile::Library> profiles) override;

private:
    Result<const CatalogTable*> find(const TableName& name);

    Connection& m_connection;
    Bindings& m_bindings;
    ProfileReader& m_reader;
    std::optional<std::vector<CatalogTable>> m_catalog;
};

} // namespace fencepost::store
