// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_forensics.h"

#include <algorithm>
#include <tuple>

#include "core/store/conflict_reads.h"
#include "core/store/flow_reads.h"
#include "core/store/invariant_reads.h"
#include "core/store/retry_reads.h"

namespace fencepost::store {

namespace {

bool isNative(const BoundProfile& table)
{
    return table.profile->native && table.binding.reachable;
}

Status checkJournal(const BoundProfile& table)
{
    if (!isNative(table) || table.binding.kind != Kind::Idempotency || table.journal)
        return {};
    return Error{ Failure::Denied, "The journal beside " + table.binding.name + " cannot be read",
        "idempotency_transitions is not there, or this role may not read it" };
}

Status checkConflicts(const BoundProfile& table)
{
    const auto kind = table.binding.kind;
    if (!isNative(table) || (kind != Kind::Idempotency && kind != Kind::Inbox))
        return Error{ Failure::Unsupported,
            "The table " + table.binding.name
                + " does not tell of conflicts: they are kept beside Fencepost's own records and inbox" };
    if (kind == Kind::Idempotency && !table.conflicts)
        return Error{ Failure::Denied, "The conflicts beside " + table.binding.name + " cannot be read",
            "idempotency_conflicts is not there, or this role may not read it" };
    return {};
}

void noteEstimates(bool any, Basis& basis)
{
    if (any)
        basis.notes.emplace_back("some of the refused arrivals are an estimate: of a request that is refused again and "
                                 "again the first and the last time are kept, and the others are taken to lie evenly "
                                 "between them");
}

// A profile whose last case takes every row says of its own that nobody can know their state.
bool knowsEveryRow(const profile::Profile& profile)
{
    return !profile.states.empty() && profile.states.back().when->op == profile::Expression::Op::True;
}

// The rules that every profile can tell of, over the filter language.
Result<std::vector<Violation>> foreignViolations(
    ProfileReader& reader, const BoundProfile& table, std::string_view only, Duration budget)
{
    std::vector<Violation> violations;
    for (const auto& invariant : invariants()) {
        if (invariant.kind != Kind::Job || (!only.empty() && only != invariant.id))
            continue;
        if (invariant.id == std::string_view("foreign_unknown") && knowsEveryRow(*table.profile))
            continue;
        const auto filter = parseFilter(invariant.filter);
        if (!filter)
            return filter.error();
        PageRequest request;
        request.filter = *filter;
        request.limit = static_cast<int>(shownBroken);
        const auto page = reader.page(table, request);
        // A table without leases cannot tell of stuck rows, and has none.
        if (!page && page.error().failure == Failure::Unsupported)
            continue;
        if (!page)
            return page.error();
        if (page->rows.empty())
            continue;
        const auto counts = reader.counts(table, *filter, budget);
        if (!counts)
            return counts.error();
        Violation violation{ &invariant, {}, counts->total.value, counts->total.exactness != Exactness::Exact,
            invariant.filter };
        for (const auto& row : page->rows)
            violation.rows.push_back({ .key = row.key,
                .identity = row.identity,
                .detail = invariant.id == std::string_view("foreign_unknown") ? row.rawState : row.stuckReason });
        violation.shown = violation.count;
        violations.push_back(std::move(violation));
    }
    return violations;
}

// With what was asked for, the rows that were created in the range.
Result<FilterPtr> createdWithin(const BoundProfile& table, const TimeRange& range, const FilterPtr& filter)
{
    if (table.fields.count("created_us") == 0)
        return filter;
    auto created =
        parseFilter("created >= " + formatInstant(range.from) + " and created < " + formatInstant(range.until));
    if (!created || !filter)
        return created;
    Filter both;
    both.op = Filter::Op::And;
    both.children = { *created, filter };
    return FilterPtr(std::make_shared<const Filter>(std::move(both)));
}

} // namespace

SqlForensics::SqlForensics(Connection& connection, Bindings& bindings, ProfileReader& reader)
    : m_connection(connection)
    , m_bindings(bindings)
    , m_reader(reader)
{
}

Result<Flows> SqlForensics::flows(const Binding& binding, const RangeRequest& request)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    const auto& table = **bound;
    const bool native = isNative(table);
    TimedReads reads(m_connection, m_reader);
    if (const auto begun = reads.begin(request); !begun)
        return begun.error();
    if (const auto readable = checkJournal(table); !readable)
        return readable.error();
    auto found = !native                    ? arrivalFlows(reads, table, m_reader.deciding())
        : binding.kind == Kind::Idempotency ? recordFlows(reads, table.conflicts.has_value())
                                            : messageFlows(reads, binding.kind);
    if (!found)
        return found.error();
    Flows flows{ std::move(*found), reads.basis() };
    noteEstimates(std::any_of(flows.flows.begin(), flows.flows.end(), [](const Flow& flow) { return flow.estimated; }),
        flows.basis);
    for (auto& flow : flows.flows)
        judge(native ? binding.kind : Kind::Job, flow);
    std::sort(flows.flows.begin(), flows.flows.end(), [](const Flow& left, const Flow& right) {
        return std::tie(left.from, left.to, left.event) < std::tie(right.from, right.to, right.event);
    });
    return flows;
}

Result<Conflicts> SqlForensics::conflicts(const Binding& binding, const ConflictsRequest& request)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (const auto kept = checkConflicts(**bound); !kept)
        return kept.error();
    TimedReads reads(m_connection, m_reader);
    if (const auto begun = reads.begin(request.range); !begun)
        return begun.error();
    Conflicts conflicts;
    if (const auto read = readConflicts(reads, binding.kind, request.most, conflicts); !read)
        return read.error();
    conflicts.basis = reads.basis();
    noteEstimates(conflicts.estimated, conflicts.basis);
    return conflicts;
}

Result<std::optional<ConflictCase>> SqlForensics::conflictCase(const Binding& binding, const RecordId& id)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (const auto kept = checkConflicts(**bound); !kept)
        return kept.error();
    if (binding.kind == Kind::Idempotency)
        return readCase(m_connection, id);
    const auto all = m_bindings.all();
    if (!all)
        return all.error();
    const bool inOutbox = std::any_of((*all)->begin(), (*all)->end(), [](const BoundProfile& beside) {
        return isNative(beside) && beside.binding.kind == Kind::Outbox && beside.binding.canRead;
    });
    return readInboxCase(m_connection, id, inOutbox);
}

Result<Violations> SqlForensics::violations(const Binding& binding, std::string_view invariant, Duration budget)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    TimedReads reads(m_connection, m_reader);
    if (const auto begun = reads.begin({ .budget = budget }); !begun)
        return begun.error();
    if (isNative(**bound))
        return brokenRows(reads, binding.kind, invariant, m_reader.deciding());
    auto found = foreignViolations(m_reader, **bound, invariant, budget);
    if (!found)
        return found.error();
    return Violations{ std::move(*found), {}, reads.basis() };
}

Result<Retries> SqlForensics::retries(const Binding& binding, const RetriesRequest& request)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    const auto& table = **bound;
    TimedReads reads(m_connection, m_reader);
    if (const auto begun = reads.begin(request.range); !begun)
        return begun.error();
    if (const auto readable = checkJournal(table); !readable)
        return readable.error();
    Retries retries;
    const auto filter = createdWithin(table, reads.range(), request.filter);
    if (!filter)
        return filter.error();
    auto status = countAttempts(reads, table, *filter, m_reader.deciding(), retries.attempts);
    if (status && isNative(table))
        status = binding.kind == Kind::Idempotency ? readRetries(reads, request, retries)
                                                   : readDelays(reads, binding.kind, request, retries);
    if (!status)
        return status.error();
    retries.basis = reads.basis();
    return retries;
}

} // namespace fencepost::store
