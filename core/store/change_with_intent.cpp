// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/store/change_writer.h"

namespace fencepost::store {

namespace {

constexpr auto lookUp =
    "the write was sent before an interruption and the row is now neither as it was nor as the write "
    "left it: compare it with the audit";

constexpr auto foundDoneWords = "found done after an interruption";

AuditEntry foundDone(AuditEntry intent)
{
    intent.outcome = wordOf(ItemResult::Changed);
    intent.detail = foundDoneWords;
    return intent;
}

// A reason that changes with nothing in it, so that the same refusal is written once.
bool isKnown(const std::optional<AuditEntry>& earlier, const RowChange& done)
{
    return earlier && earlier->outcome == wordOf(done.result) && earlier->detail == done.reason;
}

} // namespace

// Changed, and the console's own file says so; the write stays in doubt there until this is written.
Result<ItemOutcome> ChangeWriter::concludeIntent(const AuditEntry& entry, const RowChange& done)
{
    if (auto concluded = m_own->conclude(entry); !concluded)
        return Error{ Failure::InDoubt, "The row was changed, but the audit file could not be completed",
            concluded.error().message + ": " + concluded.error().detail, concluded.error().code };
    return ItemOutcome{ done.result, done.reason, done.before, done.after };
}

// What an earlier run left in doubt. An outcome: that is the answer; none: the write did not happen and may be sent.
Result<std::optional<ItemOutcome>> ChangeWriter::settleIntent(const BoundProfile& bound, const Change& what)
{
    auto intent = m_own->intentOf(what.requestId, what.item);
    if (!intent)
        return intent.error();
    if (!*intent)
        return std::optional<ItemOutcome>();
    const auto row = readImage(m_connection, bound, what.identity, actionOf(*bound.profile, what.verb));
    if (!row)
        return row.error();
    const auto image = *row ? imageOf(**row) : std::string();
    if (image == (*intent)->after) {
        if (auto concluded = m_own->conclude(foundDone(**intent)); !concluded)
            return concluded.error();
        return std::optional(ItemOutcome{ ItemResult::AlreadyDone, foundDoneWords, {}, {} });
    }
    if (image != (*intent)->before)
        return std::optional(ItemOutcome{ ItemResult::Failed, std::string("in doubt: ") + lookUp, {}, {} });
    // It stays: another run of the same plan may be about to commit it. Whoever has the row's lock replaces it.
    return std::optional<ItemOutcome>();
}

// Of all plans: what is found as a write would have left it was written, and its entry need not wait for the plan to be
// run again. What is as it was before may be written by somebody this very moment, so only its own plan asks.
Status ChangeWriter::settleIntents()
{
    auto own = ownAudit();
    if (!own)
        return own.error();
    const auto open = (*own)->intents(m_settings.database);
    if (!open)
        return open.error();
    for (const auto& entry : *open) {
        Binding named;
        named.name = entry.binding;
        const auto bound = m_bindings.find(named);
        const auto identity = nlohmann::json::parse(entry.identity, nullptr, false);
        if (!bound || !identity.is_array()
            || !std::all_of(identity.begin(), identity.end(), [](const auto& part) { return part.is_string(); }))
            continue;
        const auto row = readImage(m_connection, **bound, identity.get<std::vector<std::string>>(),
            actionOf(*bound.value()->profile, entry.verb));
        if (!row || !*row || imageOf(**row) != entry.after)
            continue;
        if (auto concluded = m_own->conclude(foundDone(entry)); !concluded)
            return concluded.error();
    }
    m_intentsAreSettled = true;
    return {};
}

Result<ItemOutcome> ChangeWriter::applyWithIntent(const BoundProfile& bound, const Change& what)
{
    // Its events draw fences and write journal rows; a record of ours without its audit table is a damaged schema.
    if (bound.binding.native)
        return auditIsLost();
    if (auto own = ownAudit(); !own)
        return own.error();
    if (!m_intentsAreSettled)
        if (auto settled = settleIntents(); !settled)
            return settled.error();
    auto earlier = m_own->find(what.requestId, what.item);
    if (!earlier)
        return earlier.error();
    if (*earlier && (*earlier)->outcome == wordOf(ItemResult::Changed))
        return repeated(bound, what, **earlier);
    auto settled = settleIntent(bound, what);
    if (!settled)
        return settled.error();
    if (*settled)
        return **settled;

    auto transaction = Transaction::begin(m_connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    auto done = change(bound, what);
    if (!done)
        return done.error();
    auto entry = entryOf(bound, what, *done);
    if (!entry)
        return entry.error();
    if (done->result != ItemResult::Changed) {
        transaction->rollback();
        // Another run of the same plan may have been there between our look at the audit and the row's lock. Its intent
        // becomes its entry, so it is looked for in this order.
        auto again = settleIntent(bound, what);
        if (again && *again)
            return **again;
        auto meanwhile = m_own->find(what.requestId, what.item);
        if (meanwhile && *meanwhile && (*meanwhile)->outcome == wordOf(ItemResult::Changed))
            return repeated(bound, what, **meanwhile);
        if (!isKnown(*earlier, *done))
            (void)m_own->conclude(*entry);
        return ItemOutcome{ done->result, done->reason, {}, {} };
    }
    if (what.verb == "note") {
        transaction->rollback();
        return concludeIntent(*entry, *done);
    }
    if (auto status = m_own->intend(*entry); !status)
        return status.error();
    if (auto status = transaction->commit(); !status) {
        if (status.error().failure != Failure::InDoubt)
            (void)m_own->withdraw(what.requestId, what.item);
        return status.error();
    }
    return concludeIntent(*entry, *done);
}

} // namespace fencepost::store
