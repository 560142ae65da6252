// SPDX-License-Identifier: Apache-2.0
#include "core/store/snapshot_closure.h"

#include <algorithm>
#include <array>

#include "core/store/native.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::size_t widest = 3;

// The places of the columns; empty: one of them is missing.
std::vector<std::size_t> placesOf(const CopiedTable& table, const std::vector<std::string>& columns)
{
    std::vector<std::size_t> places;
    for (const auto& name : columns) {
        const auto found = std::find_if(table.columns.begin(), table.columns.end(),
            [&](const CopiedColumn& column) { return column.name == name; });
        if (found == table.columns.end())
            return {};
        places.push_back(static_cast<std::size_t>(found - table.columns.begin()));
    }
    return places;
}

} // namespace

// A correlation id is what a whole day of somebody's work may have in common: it is followed from what was asked for.
const std::vector<SnapshotLink>& snapshotLinks()
{
    static const std::vector<SnapshotLink> links = {
        { { "scope", "operation_type", "idempotency_key" }, { "scope", "operation_type", "idempotency_key" }, true },
        { { "source", "event_id" }, { "source", "event_id" }, true },
        { { "correlation_id" }, { "correlation_id" }, false },
        { { "consumer", "source", "subject" }, { "consumer", "source", "subject" }, true, "inbox_heads" },
        { { "destination" }, { "destination" }, true, "outbox_destinations" },
        { { "run_id" }, { "request_id" }, true },
    };
    return links;
}

SnapshotClosure::SnapshotClosure(Connection& connection)
    : m_connection(connection)
{
}

Status SnapshotClosure::prepare()
{
    for (const auto* text : { sql::closure_create.sqlite, sql::closure_create_open.sqlite })
        if (const auto made = m_connection.execute(text); !made)
            return made;
    return {};
}

std::vector<SnapshotClosure::Leaving> SnapshotClosure::leaving(const CopiedTable& table)
{
    std::vector<Leaving> all;
    for (std::size_t link = 0; link < snapshotLinks().size(); ++link)
        if (auto places = placesOf(table, snapshotLinks()[link].from); !places.empty())
            all.push_back({ link, std::move(places) });
    return all;
}

Status SnapshotClosure::came(const std::vector<Leaving>& leaving, std::span<const CopiedValue> row, bool seed)
{
    for (const auto& each : leaving) {
        if (!seed && !snapshotLinks()[each.link].further)
            continue;
        std::array<std::string_view, widest> parts;
        bool whole = true;
        for (std::size_t i = 0; i < each.places.size(); ++i) {
            const auto& value = row[each.places[i]];
            whole = whole && value.kind == CopiedValue::Kind::Text;
            parts[i] = value.octets;
        }
        if (!whole)
            continue;
        const auto added = m_connection.native().run(sql::closure_add,
            Parameters()
                .integer("link", static_cast<std::int64_t>(each.link))
                .text("a", parts[0])
                .text("b", parts[1])
                .text("c", parts[2]),
            nullptr);
        if (!added)
            return added.error();
    }
    return {};
}

Result<std::vector<std::vector<std::string>>> SnapshotClosure::take(std::size_t link, int limit)
{
    std::vector<std::vector<std::string>> keys;
    const auto width = snapshotLinks()[link].from.size();
    const auto read = m_connection.native().run(sql::closure_take,
        Parameters().integer("link", static_cast<std::int64_t>(link)).integer("limit", limit),
        [&](const NativeRow& row) {
            auto& key = keys.emplace_back();
            for (std::size_t i = 0; i < width; ++i)
                key.push_back(row.text(static_cast<int>(i)));
        });
    if (!read)
        return read.error();
    for (auto key : keys) {
        key.resize(widest);
        const auto done = m_connection.native().run(sql::closure_done,
            Parameters()
                .integer("link", static_cast<std::int64_t>(link))
                .text("a", key[0])
                .text("b", key[1])
                .text("c", key[2]),
            nullptr);
        if (!done)
            return done.error();
    }
    return keys;
}

} // namespace fencepost::store
