// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"
#include "core/profile/profile.h"
#include "core/profile/table_facts.h"

namespace fencepost {

struct TableName {
    std::string schema; // empty in SQLite
    std::string table; // the catalog's spelling

    bool operator==(const TableName&) const = default;
};

// One table of the database and what detection made of it.
struct SurveyedTable {
    TableName name;
    bool view = false;
    bool canSelect = true;
    bool mayHideRows = false; // row-level security is in force for this role
    std::optional<std::int64_t> estimate; // of its rows, by the database's own statistics or a few probes
    bool counted = false; // the estimate is their number
    std::string binding; // its name among the recognised ones; empty: it is none of them
    std::string profile; // by which it was recognised
    std::vector<std::string> reasons; // why it was, or why not
    bool asksForZone = false; // its profile reads local times whose zone nobody has said
    std::vector<std::string> candidates; // profiles that fit it equally well: somebody has to say which is meant
    Kind likeness = Kind::Idempotency; // of a table that is not recognised: what its columns look like
    int score = 0; // from 0 to 100: how much
};

struct SampleRequest {
    std::vector<std::string> columns; // the others are not read at all
    int rows = 200; // at most 1,000
    int length = 256; // characters of each value; the rest is not read
};

// The first rows that the database gives, in no order.
struct TableSample {
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<std::string>>> rows; // as text, octets as "\x…"; none: NULL
    bool cut = false; // the table has more rows
    Cost cost;
};

struct ValueCount {
    std::optional<std::string> value; // as text, exactly as a profile compares it; none: NULL
    std::int64_t rows = 0; // of those that were read
};

// The distinct values of a column within a bounded number of rows, the most frequent first.
struct ValueCounts {
    std::vector<ValueCount> values;
    std::int64_t rows = 0; // read
    bool allRows = false; // the table has no more
    bool allValues = false; // there are no others in those rows
    std::int64_t longer = 0; // rows whose value is a longer text than any state; it is not among the values
};

// What a profile makes of a table that is not bound by it.
struct MappingPreview {
    Binding binding;
    Page page;
    Counts counts;
};

// Tells what the tables of a database are like and tries profiles on them. Changes nothing: every statement is a
// bounded read of a read-only session. Used by the connection's thread.
class TableMapper {
public:
    virtual ~TableMapper() = default;

    // All tables and views that this role can name, recognised or not.
    virtual Result<std::vector<SurveyedTable>> tables(bool refresh) = 0;
    // NotFound: it is gone.
    virtual Result<profile::TableFacts> facts(const TableName& name) = 0;
    virtual Result<TableSample> sample(const TableName& name, const SampleRequest& request) = 0;
    virtual Result<ValueCounts> values(const TableName& name, const std::string& column) = 0;
    // `document` is a profile of format 1. Its first rows and its counts, by the compiler that will read them later.
    virtual Result<MappingPreview> preview(const TableName& name, const std::string& document, int limit) = 0;
    // Recognises by these profiles from now on.
    virtual void use(std::shared_ptr<const profile::Library> profiles) = 0;
};

} // namespace fencepost
