// SPDX-License-Identifier: Apache-2.0
#include "core/store/conflict_reads.h"

#include "core/store/journal.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"
#include "core/store/unfinished.h"

namespace fencepost::store {

namespace {

RefusedArrival arrivalFrom(const NativeRow& row)
{
    RefusedArrival arrival{ conflictFrom(row), {}, row.optionalText(10).value_or("") };
    if (!row.isNull(9))
        arrival.keptHash = row.text(9);
    return arrival;
}

} // namespace

Status readConflicts(TimedReads& reads, Kind kind, int most, Conflicts& into)
{
    const bool inbox = kind == Kind::Inbox;
    const auto range = Parameters().time("from", reads.range().from).time("until", reads.range().until);
    const auto listed = reads.ask("conflicts", inbox ? sql::conflicts_of_inbox : sql::conflicts_newest,
        Parameters(range).integer("most", most),
        [&](const NativeRow& row) { into.newest.push_back(arrivalFrom(row)); });
    if (!listed)
        return listed;
    return reads.ask("conflicts by client", inbox ? sql::inbox_conflict_clusters : sql::conflict_clusters, range,
        [&](const NativeRow& row) {
            into.clusters.push_back({ row.text(0), row.integer(1), row.integer(2), row.time(3), row.time(4) });
        });
}

Result<std::optional<ConflictCase>> readCase(Connection& connection, const RecordId& id)
{
    auto found = recordWithRequest(connection, id);
    if (!found)
        return found.error();
    if (!*found)
        return std::optional<ConflictCase>();
    auto conflicts = conflictsOf(connection, id);
    if (!conflicts)
        return conflicts.error();
    return std::optional(
        ConflictCase{ std::move((*found)->record), std::move((*found)->requestHeaders), std::move(*conflicts) });
}

} // namespace fencepost::store
