// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"

namespace fencepost {

// A row that an id leads to.
struct Lead {
    Row row;
    std::string by; // where the id stands: identity, key, owner, correlation_id, …, or "payload" and its name
};

// Where a bounded look stopped, so that another one can go on. Only what returned it knows what stands in it.
struct ScanPlace {
    std::size_t part = 0;
    std::optional<std::vector<std::string>> from; // none: from its beginning
};

// What a bounded look at rows that no index leads to has seen.
struct ScannedRows {
    std::vector<Lead> leads;
    std::int64_t looked = 0; // rows
    std::optional<Count> of; // of so many
    bool all = false; // it came to the end of the table
    std::string order; // in which it went through them; created: the newest first
    std::optional<ScanPlace> next; // its time was over before it was through
};

// Finds the rows of one id in the recognised tables of a database. Used by the inspector's thread.
class Finder {
public:
    virtual ~Finder() = default;

    // The fields in which an index finds an id: identity, key, owner, correlation_id, ….
    virtual Result<std::vector<std::string>> indexedFields(const Binding& binding) = 0;
    // By these alone, and never by reading the table.
    virtual Result<std::vector<Lead>> byIndex(const Binding& binding, const std::string& id) = 0;
    // The statement for one of those fields and the plan that the database chose for it.
    virtual Result<std::string> explain(const Binding& binding, const std::string& field, const std::string& id) = 0;
    // In the payloads and in the fields without an index, until the budget is spent.
    virtual Result<ScannedRows> scan(
        const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from = {}) = 0;
    // Of our own records: those that this worker or operator had to do with before, out of the journal, the newest
    // entries first, until the budget is spent. Entries are counted. Of every other table: all of none.
    virtual Result<ScannedRows> scanJournal(
        const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from = {}) = 0;
    // Of our own outbox: what this record wrote; any where scope or operation is empty. Empty of every other table.
    virtual Result<std::vector<Row>> writtenBy(const Binding& outbox, const RecordId& record) = 0;
    // Of our own outbox and dead letters: the record that wrote the event.
    virtual Result<std::optional<RecordId>> writerOf(
        const Binding& binding, const std::vector<std::string>& identity) = 0;
};

} // namespace fencepost
