// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/intervention.h"

namespace fencepost::store {

// What the protocol decided about a locked record, and carried out.
struct Judged {
    Decision decision;
    std::optional<Record> before;
    Time now;
};

// What an event adds to the decided record that the protocol has no opinion about.
using Completing = std::function<void(Record& after, const std::optional<Record>& before)>;

// Locks the record, lets decide() judge the event and writes what it decided by compare-and-swap with its journal row,
// all inside the caller's transaction. On PostgreSQL, where nothing locks what is not there, a reservation of an absent
// record is only judged: reserve.sql inserts it.
// `actor` is the journal's. `now` none: the database's own clock.
Result<Judged> judge(Connection& connection, Trigger trigger, const std::string& actor, const std::optional<Time>& now,
    const Completing& complete = nullptr);

Result<std::optional<Record>> findRecord(Connection& connection, const RecordId& id, bool locked);
// `bound` where there is one, else the database's statement_timestamp().
Result<Time> instantOf(Connection& connection, const std::optional<Time>& bound);

} // namespace fencepost::store
