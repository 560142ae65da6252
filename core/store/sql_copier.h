// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/copier.h"
#include "core/store/bindings.h"
#include "core/store/read_transaction.h"

namespace fencepost::store {

struct ColumnReading;

// The tables of one connection for a snapshot. Used by the connection's thread.
class SqlCopier final : public Copier {
public:
    SqlCopier(Connection& connection, Bindings& bindings, Inspector& inspector);

    Result<CopySource> begin() override;
    Result<std::optional<CopiedTable>> ownTable(
        const std::string& name, const std::vector<CopiedColumn>& columns) override;
    bool takes(const CopiedTable& table, const Filter& filter) override;
    Status rows(const CopiedTable& table, const FilterPtr& filter, const CopyVisitor& visit) override;
    Status rowsOf(const CopiedTable& table, const std::vector<std::string>& columns,
        const std::vector<std::vector<std::string>>& keys, const CopyVisitor& visit) override;
    void end() override;
    Result<std::optional<Fence>> lastFence() override;
    [[nodiscard]] bool isIn(const std::string& path) const override;
    Result<std::optional<SnapshotManifest>> manifest() override;
    Result<SealVerdict> verifySeal() override;

private:
    [[nodiscard]] const CatalogTable* tableOf(const CopiedTable& table) const;
    [[nodiscard]] const BoundProfile* boundOf(const CopiedTable& table) const;
    [[nodiscard]] std::vector<ColumnReading> readings(const CopiedTable& table, struct SqlText& text) const;
    Status walk(const CopiedTable& table, struct SqlText text, const std::string& behindFrom, const CopyVisitor& visit);

    Connection& m_connection;
    Bindings& m_bindings;
    Inspector& m_inspector;
    std::optional<ReadTransaction> m_transaction;
    std::vector<CatalogTable> m_catalog;
    const std::vector<BoundProfile>* m_bound = nullptr;
    Time m_now;
};

} // namespace fencepost::store
