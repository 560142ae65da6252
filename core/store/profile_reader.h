// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/inspector.h"
#include "core/store/bindings.h"
#include "core/store/page_sql.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

// Every read of a recognised table, through its profile. Used by the connection's thread.
class ProfileReader {
public:
    // `clock` decides in SQLite, and in PostgreSQL where it is to be bound.
    ProfileReader(Connection& connection, const Clock& clock, bool bindClock);

    Result<Page> page(const BoundProfile& bound, const PageRequest& request);
    Result<Counts> counts(const BoundProfile& bound, const FilterPtr& filter, Duration budget);
    // `said`: what an action will be told.
    Result<std::optional<Row>> row(const BoundProfile& bound, const std::vector<std::string>& identity,
        const std::map<std::string, std::string>& said = {});
    // Of one of our own records that is gone: what the journal tells of it, in ABSENT. Nothing: nobody knows of it.
    Result<std::optional<RowDetails>> details(
        const BoundProfile& bound, const std::vector<std::string>& identity, std::int64_t payloadLimit);
    Result<std::string> explain(const BoundProfile& bound, const PageRequest& request);

    [[nodiscard]] DecidingClock deciding() const;
    Result<Time> now();

private:
    struct Place {
        std::size_t segment = 0;
        std::vector<std::string> values;
    };
    Result<std::optional<Row>> rowAt(const BoundProfile& bound, const std::vector<std::string>& identity,
        const std::map<std::string, std::string>& said);
    Result<PageWalk> walkOf(const BoundProfile& bound, const PageRequest& request);
    Status chooseSort(PageWalk& walk);
    Result<bool> isSmallSet(const BoundProfile& bound, const Filter& filter);
    static Result<std::optional<Place>> placeOf(
        const PageWalk& walk, const PageRequest& request, const std::vector<Segment>& segments);
    Status readSegment(const PageWalk& walk, std::size_t index, const CompiledPage& compiled, Page& into);
    Result<std::vector<Payload>> payloads(
        const BoundProfile& bound, const std::vector<std::string>& identity, std::int64_t limit);
    Result<std::vector<JournalEntry>> journal(const BoundProfile& bound, const std::vector<std::string>& identity);
    Result<std::optional<RowDetails>> history(
        const BoundProfile& bound, const std::vector<std::string>& identity, Time now);
    Result<std::vector<Conflict>> conflicts(const BoundProfile& bound, const std::vector<std::string>& identity);

    Connection& m_connection;
    const Clock& m_clock;
    bool m_bindClock;
};

// Stands for one of our own records that is not there: gone, or, where rows may be hidden, of no known state.
[[nodiscard]] Row absentRecord(const Binding& binding, const std::vector<std::string>& identity);

// The plan that the database chooses for a statement with these values.
[[nodiscard]] Result<std::string> explained(Connection& connection, const SqlText& text);

// "identity column = value and …" of one row.
[[nodiscard]] Result<std::string> identityCondition(ExpressionSql& sql, const std::vector<std::string>& identity);

} // namespace fencepost::store
