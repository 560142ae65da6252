// SPDX-License-Identifier: Apache-2.0
#include "core/store/payload_scan.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/store/filter_sql.h"
#include "core/store/native.h"
#include "core/store/read_transaction.h"
#include "core/store/sqlite_estimate.h"

namespace fencepost::store {

namespace {

using Steady = std::chrono::steady_clock;

constexpr int firstBatch = 500;
constexpr int largestBatch = 16'000;
constexpr std::size_t enoughLeads = 20;
constexpr std::int64_t readOfPayload = 1024 * 1024;
constexpr auto longBatch = std::chrono::milliseconds(250);

struct IdField {
    const char* name;
    std::optional<std::string> Row::*member;
};

constexpr std::array scannedFields = { IdField{ "owner", &Row::owner },
    IdField{ "correlation_id", &Row::correlationId }, IdField{ "result_ref", &Row::resultRef },
    IdField{ "error", &Row::error } };
constexpr std::array keyFields = { "key", "order_key" };

// Of our own tables: what stands in no field, by its kind.
struct OwnId {
    Kind kind;
    const char* column;
};

constexpr std::array ownIds = { OwnId{ Kind::Outbox, "idempotency_key" }, OwnId{ Kind::Outbox, "aggregateid" },
    OwnId{ Kind::DeadLetter, "idempotency_key" }, OwnId{ Kind::DeadLetter, "run_id" },
    OwnId{ Kind::Inbox, "dedupe_key" }, OwnId{ Kind::Inbox, "effect_key" },
    OwnId{ Kind::Idempotency, "provider_request_id" } };
constexpr std::int64_t firstOwn = 2; // of the marks; 1: somewhere in the others, 0: nowhere

bool isPartOfWord(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

// order_4 does not stand in order_42.
bool standsIn(std::string_view text, std::string_view id)
{
    for (auto at = text.find(id); at != std::string_view::npos; at = text.find(id, at + 1)) {
        const bool begins = at == 0 || !isPartOfWord(text[at - 1]) || !isPartOfWord(id.front());
        const auto end = at + id.size();
        if (begins && (end == text.size() || !isPartOfWord(text[end]) || !isPartOfWord(id.back())))
            return true;
    }
    return false;
}

std::string partOf(ExpressionSql& sql, const profile::Expression& payload, const std::string& id)
{
    if (sql.dialect() == Dialect::Sqlite)
        return "instr(CAST(" + sql.natural(payload) + " AS BLOB), CAST(" + sql.bindText(id) + " AS BLOB)) > 0";
    const auto* column = payload.op == profile::Expression::Op::Column ? sql.bound().column(payload.name) : nullptr;
    if (column != nullptr && column->typeClass == TypeClass::Octets)
        return "position(" + sql.bind(Octets{ id }) + " IN " + sql.reference(*column) + ") > 0";
    return "position(" + sql.bindText(id) + " IN CAST(" + sql.natural(payload) + " AS text)) > 0";
}

} // namespace

PayloadScan::PayloadScan(Connection& connection, ProfileReader& reader, const BoundProfile& bound, std::string id)
    : m_connection(connection)
    , m_reader(reader)
    , m_bound(bound)
    , m_id(std::move(id))
{
}

std::string PayloadScan::isInside(ExpressionSql& sql) const
{
    std::string text;
    const auto add = [&](const profile::Expression& expression) {
        text += (text.empty() ? "" : " OR ") + partOf(sql, expression, m_id);
    };
    for (const auto& [name, payload] : m_bound.payload)
        add(*payload);
    for (const auto& field : scannedFields)
        if (const auto found = m_bound.fields.find(field.name); found != m_bound.fields.end())
            add(*found->second);
    for (const auto* field : keyFields)
        if (const auto found = m_bound.fields.find(field); found != m_bound.fields.end())
            add(*found->second);
    std::string own;
    for (std::size_t i = 0; i < ownIds.size() && m_bound.profile->native; ++i) {
        const auto* column = ownIds[i].kind == m_bound.binding.kind ? m_bound.table.find(ownIds[i].column) : nullptr;
        if (const auto equal = column == nullptr ? std::nullopt : equalTo(sql, *column, m_id))
            own += " WHEN " + *equal + " THEN " + std::to_string(firstOwn + static_cast<std::int64_t>(i));
    }
    return "CASE" + own + " WHEN " + (text.empty() ? "1 = 0" : text) + " THEN 1 ELSE 0 END";
}

Result<ScannedRows> PayloadScan::run(Duration budget, const ScanPlace& place)
{
    const auto until = Steady::now() + budget;
    const auto left = [&] { return std::chrono::duration_cast<Duration>(until - Steady::now()); };
    ScannedRows scanned;
    PageWalk walk{ &m_bound, nullptr, m_bound.binding.orders.front(), true, m_reader.deciding() };
    const auto& orders = m_bound.binding.orders;
    if (std::find(orders.begin(), orders.end(), "created") != orders.end())
        walk.order = "created";
    scanned.order = walk.order;
    walk.mark = [this](ExpressionSql& sql) { return isInside(sql); };
    const auto segments = segmentsOf(walk);
    if (!segments)
        return segments.error();
    int limit = firstBatch;
    auto from = place.from;
    for (std::size_t segment = place.part; segment < segments->size();) {
        for (bool more = true; more;) {
            if (left() <= Duration::zero() || scanned.leads.size() >= enoughLeads) {
                if (scanned.leads.size() < enoughLeads)
                    scanned.next = ScanPlace{ segment, from };
                const auto counted = count(scanned);
                return counted ? Result<ScannedRows>(std::move(scanned)) : Result<ScannedRows>(counted.error());
            }
            const auto began = Steady::now();
            const auto batch = read(walk, (*segments)[segment], from, limit, left());
            if (!batch && batch.error().failure == Failure::TimedOut && limit > 1) {
                limit = std::max(limit / 8, 1);
                continue;
            }
            if (!batch)
                return batch.error();
            if (const auto confirmed = confirm(*batch, scanned); !confirmed)
                return confirmed.error();
            scanned.looked += batch->rows;
            more = batch->rows == limit;
            from = batch->last;
            const bool slow = Steady::now() - began > longBatch;
            limit = std::clamp(slow ? limit / 2 : limit * 2, 1, largestBatch);
        }
        ++segment;
        from.reset();
    }
    scanned.all = true;
    scanned.of = Count{ scanned.looked, Exactness::Exact };
    return scanned;
}

Result<PayloadScan::Batch> PayloadScan::read(const PageWalk& walk, const Segment& segment,
    const std::optional<std::vector<std::string>>& from, int limit, Duration left)
{
    const auto compiled = compilePage(walk, segment, from, false, limit);
    if (!compiled)
        return compiled.error();
    const auto transaction = ReadTransaction::begin(m_connection, std::max<Duration>(left, longBatch));
    if (!transaction)
        return transaction.error();
    Batch batch;
    const auto read = m_connection.native().read(compiled->text, [&](const NativeRow& row) {
        ++batch.rows;
        const auto mark = row.integer(*compiled->mark);
        if (mark == 0 && batch.rows < limit)
            return;
        auto identity = compiled->projection.identityForCursor(row);
        if (mark != 0)
            batch.suspects.push_back({ identity, mark });
        batch.last.clear();
        if (compiled->ownColumn)
            batch.last.push_back(
                exactForm(row, *compiled->ownColumn, m_bound.dialect, *compiled->first).value_or(std::string()));
        std::move(identity.begin(), identity.end(), std::back_inserter(batch.last));
    });
    if (!read)
        return read.error();
    return batch;
}

// The database looked for octets, whatever stands around them.
Status PayloadScan::confirm(const Batch& batch, ScannedRows& into)
{
    for (const auto& [identity, mark] : batch.suspects) {
        auto details = m_reader.details(m_bound, identity, readOfPayload);
        if (!details)
            return details.error();
        if (!*details)
            continue;
        const auto place =
            mark < firstOwn ? placeIn(**details) : std::optional<std::string>(ownIds.at(mark - firstOwn).column);
        if (place)
            into.leads.push_back({ std::move((*details)->row), *place });
    }
    return {};
}

std::optional<std::string> PayloadScan::placeIn(const RowDetails& details) const
{
    for (const auto& field : scannedFields)
        if (const auto& value = details.row.*field.member; value && standsIn(*value, m_id))
            return field.name;
    if (standsIn(details.row.key, m_id))
        return "key";
    if (const auto lane = details.row.extra.find(rowLane);
        lane != details.row.extra.end() && standsIn(lane->second, m_id))
        return rowLane;
    for (const auto& payload : details.payloads)
        if (standsIn(payload.bytes, m_id) || payload.size > static_cast<std::int64_t>(payload.bytes.size()))
            return "payload " + payload.name;
    return std::nullopt;
}

Status PayloadScan::count(ScannedRows& into)
{
    auto estimate = m_bound.table.estimate;
    if (m_bound.dialect == Dialect::Sqlite && !m_bound.table.view)
        if (const auto probed = estimateRows(m_connection, m_bound.table.name))
            estimate = probed;
    if (estimate && *estimate >= into.looked)
        into.of = Count{ *estimate, Exactness::Estimate };
    return {};
}

} // namespace fencepost::store
