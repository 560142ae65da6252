// SPDX-License-Identifier: Apache-2.0
#include "core/store/conflict_reads.h"

#include "core/protocol/fingerprint.h"
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

// The clusters were counted with all arrivals of what reaches into the range.
Status takeOutside(TimedReads& reads, bool inbox, const Parameters& range, Conflicts& into)
{
    return reads.ask("conflicts across the ends of the range",
        inbox ? sql::inbox_conflicts_across : sql::conflicts_across, range, [&](const NativeRow& row) {
            Conflict conflict;
            conflict.principal = row.text(0);
            conflict.count = row.integer(1);
            conflict.firstAt = row.time(2);
            conflict.lastAt = row.time(3);
            const auto within = arrivalsWithin(conflict, reads.range().from, reads.range().until);
            into.estimated = into.estimated || within.estimated;
            for (auto& cluster : into.clusters)
                if (cluster.principal == conflict.principal)
                    cluster.arrivals -= conflict.count - within.count;
        });
}

} // namespace

Status readConflicts(TimedReads& reads, Kind kind, int most, Conflicts& into)
{
    const bool inbox = kind == Kind::Inbox;
    const auto& [from, until] = reads.range();
    const auto range = Parameters().time("from", from).time("until", until);
    const auto listed = reads.ask("conflicts", inbox ? sql::conflicts_of_inbox : sql::conflicts_newest,
        Parameters(range).integer("most", most), [&](const NativeRow& row) {
            auto arrival = arrivalFrom(row);
            arrival.within = arrivalsWithin(arrival.conflict, reads.range().from, reads.range().until);
            into.newest.push_back(std::move(arrival));
        });
    if (!listed)
        return listed;
    const auto clustered = reads.ask("conflicts by client",
        inbox ? sql::inbox_conflict_clusters : sql::conflict_clusters, range, [&](const NativeRow& row) {
            into.clusters.push_back({ row.text(0), row.integer(1), row.integer(2), row.time(3), row.time(4) });
        });
    if (!clustered)
        return clustered;
    return takeOutside(reads, inbox, range, into);
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
        ConflictCase{ std::move((*found)->record), false, std::move((*found)->requestHeaders), std::move(*conflicts) });
}

Result<std::optional<ConflictCase>> readInboxCase(Connection& connection, const RecordId& id, bool inOutbox)
{
    auto& native = connection.native();
    const auto event = Parameters().text("source", id.operation).text("event_id", id.key);
    const auto delivery = Parameters(event).text("consumer", id.scope);
    ConflictCase found;
    found.payloadAlone = true;
    found.record.id = id;
    bool isThere = false;
    auto read = native.run(sql::inbox_case, delivery, [&](const NativeRow& row) {
        isThere = true;
        found.record.requestHash = row.text(0);
    });
    if (read)
        read = native.run(sql::conflicts_of_event, delivery,
            [&](const NativeRow& row) { found.conflicts.push_back(conflictFrom(row)); });
    // Whoever sends an event under its id may have sent another payload since: its hash tells.
    if (read && inOutbox && isThere)
        read = native.run(sql::payloads_of_event, event, [&](const NativeRow& row) {
            if (auto payload = row.text(0); payloadDigest(payload) == found.record.requestHash)
                found.record.requestBody = std::move(payload);
        });
    if (!read)
        return read.error();
    return isThere || !found.conflicts.empty() ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace fencepost::store
