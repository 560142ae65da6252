// SPDX-License-Identifier: Apache-2.0
#include "core/service/reconciler.h"

#include <algorithm>

#include "core/service/calls_of_request.h"

namespace fencepost {

namespace {

// An operator's hold is the operator's to end.
std::optional<std::string> reasonToLeave(const Record& record, Time now)
{
    if (record.status != State::InProgress)
        return "it is " + std::string(wordOf(record.status));
    if (isLive(record, now))
        return "its lease is live";
    if (record.hold && record.holdReason != "outcome_unknown")
        return "it is held: " + record.holdReason.value_or("");
    return {};
}

} // namespace

std::string_view wordOf(Reconciled reconciled) noexcept
{
    switch (reconciled) {
    case Reconciled::Succeeded:
        return "succeeded";
    case Reconciled::Released:
        return "released";
    case Reconciled::Held:
        return "held";
    case Reconciled::TooEarly:
        return "too_early";
    case Reconciled::NotNeeded:
        return "not_needed";
    }
    return "";
}

Time reconcilableFrom(const Record& record, const std::vector<OutboundCall>& calls, Duration settleAfter)
{
    const auto leaseEnd = record.leaseExpiresAt.value_or(record.updatedAt);
    if (calls.empty())
        return leaseEnd + settleAfter;
    auto due = leaseEnd;
    for (const auto& call : calls)
        if (isOpen(call))
            due = std::max(due, call.answerBy.value_or(due));
    return due;
}

Reconciler::Reconciler(Store& store, OutboundLedger& ledger, ReconcileHooks hooks, ReconcilerOptions options)
    : m_store(store)
    , m_ledger(ledger)
    , m_hooks(std::move(hooks))
    , m_options(std::move(options))
{
}

Result<ReconcileReport> Reconciler::settle(const RecordId& id)
{
    const auto found = m_store.find(id);
    if (!found)
        return found.error();
    if (!*found)
        return Error{ Failure::NotFound, "There is no such record", id.key };
    const auto now = m_store.now();
    if (!now)
        return now.error();
    auto record = **found;
    if (auto reason = reasonToLeave(record, *now))
        return ReconcileReport{ Reconciled::NotNeeded, std::move(*reason), std::move(record) };
    const auto calls = callsOf(m_ledger, record, *now);
    if (!calls)
        return calls.error();
    if (reconcilableFrom(record, *calls, m_options.settleAfter) > *now)
        return ReconcileReport{ Reconciled::TooEarly, "what it sent may still be answered", std::move(record) };
    if (!record.hold && record.takeover == Takeover::Manual) {
        // Row 7: whoever sleeps in the middle of it can no longer renew or send while the vendor is asked.
        const auto held = m_store.reconcile(id, record.fence, Evidence::Unknown, {}, m_options.actor);
        if (!held)
            return held.error();
        if (held->outcome != Outcome::Applied || !held->record)
            return ReconcileReport{ Reconciled::NotNeeded, held->reason, held->record };
        record = *held->record;
    }
    return conclude(record, *calls, *now);
}

Result<Evidence> Reconciler::settleCalls(const std::vector<OutboundCall>& calls)
{
    auto evidence = Evidence::NotApplied; // of nothing being open
    for (const auto& call : calls) {
        if (!isOpen(call))
            continue;
        const auto* vendor = m_hooks.vendor ? m_hooks.vendor(call.id.vendor) : nullptr;
        auto knowledge = vendor && m_hooks.ask ? m_hooks.ask(call) : VendorKnowledge{};
        if (!vendor || knowledge.evidence == Evidence::Unknown) {
            evidence = Evidence::Unknown;
            continue;
        }
        const auto applied = writeKnowledge(m_ledger, *vendor, call, std::move(knowledge));
        if (!applied)
            return applied.error();
        if (applied->outcome != CallOutcome::Applied)
            evidence = Evidence::Unknown;
    }
    return evidence;
}

Result<ReconcileReport> Reconciler::conclude(const Record& record, const std::vector<OutboundCall>& calls, Time now)
{
    const auto settled = settleCalls(calls);
    if (!settled)
        return settled.error();
    if (*settled == Evidence::Unknown || !m_hooks.conclude)
        return write(record, {});
    const auto known = callsOf(m_ledger, record, now);
    if (!known)
        return known.error();
    return write(record, m_hooks.conclude(record, *known));
}

Result<ReconcileReport> Reconciler::write(const Record& record, const Reconciliation& known)
{
    // A hold would keep from it the request that ends it: whoever is called recognises what was sent before.
    if (known.evidence == Evidence::Unknown && !record.hold && record.takeover == Takeover::Auto)
        return ReconcileReport{ Reconciled::NotNeeded,
            "nobody knows what became of it, and the next same request carries it out again without doing it twice",
            record };
    const auto applied = m_store.reconcile(record.id, record.fence, known.evidence, known.completion, m_options.actor);
    if (!applied)
        return applied.error();
    const auto& now = applied->record;
    if (now && now->hold)
        return ReconcileReport{ Reconciled::Held, now->holdReason.value_or(""), now };
    if (applied->outcome != Outcome::Applied)
        return ReconcileReport{ Reconciled::NotNeeded, applied->reason, now };
    const auto what = known.evidence == Evidence::Applied ? Reconciled::Succeeded : Reconciled::Released;
    return ReconcileReport{ what, applied->reason, now };
}

} // namespace fencepost
