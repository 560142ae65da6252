// SPDX-License-Identifier: Apache-2.0
#include "core/store/journal_scan.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/store/journal_range.h"
#include "core/store/native.h"
#include "core/store/read_rows.h"
#include "core/store/read_transaction.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::int64_t entriesAtOnce = 50'000;
constexpr std::size_t enoughLeads = 20;
constexpr auto longestStatement = std::chrono::seconds(2);
// As the statement tells it.
constexpr std::array<std::string_view, 3> foundBy{ "correlation id in the journal", "owner in the journal",
    "key in the journal" };

} // namespace

JournalScan::JournalScan(Connection& connection, ProfileReader& reader, const BoundProfile& bound, std::string who)
    : m_connection(connection)
    , m_reader(reader)
    , m_bound(bound)
    , m_who(std::move(who))
{
}

Result<ScannedRows> JournalScan::run(Duration budget, const ScanPlace& place)
{
    const auto until = Steady::now() + budget;
    ScannedRows scanned;
    scanned.order = "created";
    const auto ends = firstOf(
        readRows(m_connection, sql::journal_ends, Parameters(), [](const NativeRow& row) -> Result<JournalRange> {
            return row.isNull(0) ? JournalRange{ 1, 0 } : JournalRange{ row.integer(0), row.integer(1) };
        }));
    if (!ends)
        return ends.error();
    const auto [first, last] = ends->value_or(JournalRange{ 1, 0 });
    auto end = place.from ? static_cast<std::int64_t>(std::stoll(place.from->front())) : last + 1;
    while (end > first) {
        const bool enough = scanned.leads.size() >= enoughLeads;
        if (enough || Steady::now() >= until) {
            if (!enough)
                scanned.next = ScanPlace{ 0, std::vector{ std::to_string(end) } };
            // Numbers that are missing make it more than it is.
            scanned.of = Count{ last - first + 1, Exactness::Estimate };
            return scanned;
        }
        const auto begin = std::max(first, end - entriesAtOnce);
        if (const auto done = read(begin, end, scanned); !done)
            return done.error();
        scanned.looked += end - begin;
        end = begin;
    }
    scanned.all = true;
    if (scanned.leads.empty())
        if (const auto read = readCalls(scanned); !read)
            return read.error();
    return scanned;
}

// A record that is gone, and of which the journal does not tell, may have left calls to vendors behind.
Status JournalScan::readCalls(ScannedRows& into)
{
    std::vector<Entry> records;
    {
        const auto transaction = ReadTransaction::begin(m_connection, longestStatement);
        if (!transaction)
            return transaction.error();
        const auto found = m_connection.native().run(
            sql::records_of_calls, Parameters().text("who", m_who), [&](const NativeRow& row) {
                records.push_back({ { row.text(0), row.text(1), row.text(2) }, row.text(3) });
            });
        // An older schema has no such table, and not every role may read it.
        if (!found && (found.error().failure == Failure::Denied || found.error().failure == Failure::Unsupported))
            return {};
        if (!found)
            return found.error();
    }
    return addAll(records, into);
}

Status JournalScan::read(std::int64_t first, std::int64_t end, ScannedRows& into)
{
    std::vector<Entry> records;
    {
        const auto transaction = ReadTransaction::begin(m_connection, longestStatement);
        if (!transaction)
            return transaction.error();
        const auto found = m_connection.native().run(sql::journal_of_owner,
            Parameters()
                .integer("first", first)
                .integer("end", end)
                .text("who", m_who)
                .text("told", "correlation_id=" + m_who),
            [&](const NativeRow& row) {
                const auto by = std::clamp<std::int64_t>(row.integer(3), 0, std::ssize(foundBy) - 1);
                records.push_back(
                    { { row.text(0), row.text(1), row.text(2) }, std::string(foundBy[static_cast<std::size_t>(by)]) });
            });
        if (!found)
            return found.error();
    }
    return addAll(records, into);
}

Status JournalScan::addAll(const std::vector<Entry>& entries, ScannedRows& into)
{
    for (const auto& [identity, by] : entries)
        if (const auto added = add(identity, by, into); !added)
            return added;
    return {};
}

Status JournalScan::add(const std::vector<std::string>& identity, const std::string& by, ScannedRows& into)
{
    const auto isIt = [&](const Lead& lead) { return lead.row.identity == identity; };
    if (into.leads.size() >= enoughLeads || std::any_of(into.leads.begin(), into.leads.end(), isIt))
        return {};
    const auto row = m_reader.row(m_bound, identity);
    if (!row)
        return row.error();
    Lead lead;
    lead.by = by;
    lead.row = *row ? **row : absentRecord(m_bound.binding, identity);
    into.leads.push_back(std::move(lead));
    return {};
}

} // namespace fencepost::store
