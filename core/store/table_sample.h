// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/store/catalog.h"
#include "core/table_mapper.h"

namespace fencepost::store {

// Bounded looks into a table that no profile describes. Nothing but the columns that are named is read, within two
// seconds and within a number of rows, in a transaction that can write nothing. TimedOut: the table, or what a view
// over it does, takes longer.
[[nodiscard]] Result<TableSample> sampleOf(
    Connection& connection, const CatalogTable& table, const SampleRequest& request);
// NotFound: there is no such column.
[[nodiscard]] Result<ValueCounts> valuesOf(
    Connection& connection, const CatalogTable& table, const std::string& column);

// The same table in the words of core/profile.
[[nodiscard]] profile::TableFacts factsOf(Dialect dialect, const CatalogTable& table);

// How many rows each table of an SQLite file has, which keeps no statistics of its own: small ones are counted, of
// larger ones some pages are looked at. Those that are not reached in half a second, and views, keep what they have.
void countRows(Connection& connection, const std::vector<CatalogTable>& catalog, std::vector<SurveyedTable>& tables);

} // namespace fencepost::store
