// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/refund_payouts.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/service/problem.h"

namespace fencepost::app {

using nlohmann::ordered_json;

RefundPayouts::RefundPayouts(const Parts& parts)
    : m_parts(parts.cashier)
    , m_books(parts.books)
    , m_refunds(parts.refunds)
    , m_once(parts.once)
    , m_drawn(parts.drawn)
    , m_calls(parts.cashier.connection, {})
{
}

// The intent is in the books, and the record says so, before anything is sent.
Result<Work> RefundPayouts::record(Execution& execution, const std::string& effectId)
{
    auto done = m_once.doneBefore(execution, effectId, [&](const std::string& ref) { return m_refunds.recall(ref); });
    if (!done)
        return done.error();
    if (*done)
        return std::move(**done);
    const auto before = m_books.refundOfEffect(effectId);
    if (!before)
        return before.error();
    auto work = *before ? Result<Work>(Work{ {}, (*before)->id }) : m_refunds.make(execution, effectId, "pending");
    if (work && work->ref && !execution.advance("refund_recorded", ordered_json{ { "refund", *work->ref } }.dump()))
        return Error{ Failure::Conflict, "The record was taken away", {} };
    return work;
}

Handled RefundPayouts::payOut(Execution& execution)
{
    return withDoubt(execution, carryOut(execution));
}

Handled RefundPayouts::carryOut(Execution& execution)
{
    if (!execution.isKeyed())
        return refusal("missing_idempotency_key", 400, "Without a key nobody could find out what the vendor did.");
    const auto effectId = execution.effectId(refundStep);
    if (const auto room = m_once.makeRoom(execution, effectId); !room)
        return tryLater(room.error());
    auto work = [&] {
        const auto commit = execution.commits();
        return m_once.committed([&] { return record(execution, effectId); });
    }();
    if (!work)
        return tryLater(work.error());
    const bool settled = !work->handled.response.body.empty();
    if (settled)
        return std::move(work->handled);
    m_drawn.reach(Point::P4);
    const auto refund = m_books.refund(*work->ref);
    if (!refund || !*refund)
        return tryLater(refund ? Error{ Failure::Corrupt, "The refund that was recorded is not there", *work->ref }
                               : refund.error());
    m_drawn.reach(Point::P5);
    const VendorCall call{ .vendor = m_parts.vendor,
        .operation = "payouts.create",
        .step = std::string(refundStep),
        .keep = m_parts.kept(execution.claim().id.operation),
        .ask = [this](const OutboundCall& known) { return m_parts.payouts->ask(known); } };
    const auto outcome = callVendor(execution, m_calls, call, [&](const CallIdentity& identity, Duration timeout) {
        return m_parts.payouts->send(**refund, identity, timeout, m_drawn);
    });
    if (!outcome.isDone())
        return unpaid(**refund, outcome);
    const auto lives = execution.lives();
    if (!lives)
        return tryLater(lives.error());
    const auto commit = execution.commits();
    return settle(**refund,
        { outcome.result.ref.value_or(""), effectId, execution.claim().fence, *lives, Refunds::askedBy(execution),
            execution.claim() });
}

// Whatever failed, the payout may be out there: by this attempt, or by one before it.
Handled RefundPayouts::withDoubt(const Execution& execution, Handled handled)
{
    if (handled.response.status < 500 || !execution.isKeyed())
        return handled;
    const auto calls = execution.calls(m_calls);
    handled.inDoubt = !calls || std::any_of(calls->begin(), calls->end(), [&](const OutboundCall& call) {
        return call.step == refundStep && (isOpen(call) || call.state == OutboundState::Done);
    });
    return handled;
}

std::optional<Handled> RefundPayouts::finishPayout(Execution& execution)
{
    auto handled = carryOn(execution);
    return handled ? std::optional(withDoubt(execution, std::move(*handled))) : std::nullopt;
}

std::optional<Handled> RefundPayouts::carryOn(Execution& execution)
{
    if (!execution.isKeyed() || execution.attempt() == 1)
        return std::nullopt;
    const auto effectId = execution.effectId(refundStep);
    const auto refund = m_books.refundOfEffect(effectId);
    if (!refund)
        return tryLater(refund.error());
    if (!*refund || (*refund)->status != "pending")
        return std::nullopt;
    const auto calls = execution.calls(m_calls);
    if (!calls)
        return tryLater(calls.error());
    const auto lives = execution.lives();
    if (!lives)
        return tryLater(lives.error());
    Paid paid{ {}, effectId, execution.claim().fence, *lives, Refunds::askedBy(execution), execution.claim() };
    for (const auto& call : *calls) {
        if (call.step != refundStep)
            continue;
        if (isOpen(call))
            return unpaid(**refund, { Sent::Unknown, {}, false, "it may have been paid out", true });
        if (call.state == OutboundState::Done)
            paid.payoutId = call.result.ref;
    }
    const auto commit = execution.commits();
    return settle(**refund, paid);
}

Handled RefundPayouts::unpaid(const Refund& refund, const VendorOutcome& outcome)
{
    if (outcome.sent == Sent::Refused) {
        if (const auto failed = m_books.settleRefund(refund.id, "failed", std::nullopt); !failed)
            return tryLater(failed.error());
        return refusal("VALIDATION.payout_declined", 422, "The vendor does not pay this refund out.");
    }
    if (outcome.sent == Sent::NotSent)
        return tryLater({ Failure::Unavailable, "The vendor was not called", outcome.reason });
    Handled handled{ problemResponse({ .code = "DEPENDENCY.timeout", .detail = "The vendor did not answer." }) };
    // Who recognises a repeated call may be called again.
    const bool repeatable = m_parts.vendor.remembers > Duration(0) && !outcome.elsewhere;
    handled.settlement = repeatable ? Settlement::Transient : settlementOf(outcome);
    handled.errorCode = "DEPENDENCY.timeout";
    return handled;
}

Handled RefundPayouts::settle(const Refund& refund, const Paid& paid)
{
    auto work = m_once.committed([&] { return enterPaid(refund, paid); });
    return work ? std::move(work->handled) : tryLater(work.error());
}

Result<Work> RefundPayouts::enterPaid(const Refund& refund, const Paid& paid)
{
    auto& guard = m_once.guard();
    const auto verdict = guard.begin(paid.effectId, paid.fence, paid.lives, m_parts.kept("refund.create"));
    if (!verdict)
        return verdict.error();
    if (verdict->turn == EffectTurn::NewerOwner)
        return newerOwner();
    if (verdict->turn == EffectTurn::AlreadyDone)
        return m_refunds.recall(refund.id);
    if (const auto written = m_books.settleRefund(refund.id, "succeeded", paid.payoutId); !written)
        return written.error();
    auto succeeded = refund;
    succeeded.status = "succeeded";
    succeeded.payoutId = paid.payoutId;
    auto entered = m_refunds.enter(succeeded, paid.effectId, paid.asked);
    if (!entered)
        return entered;
    const auto mine = guard.done(paid.effectId, paid.fence, refund.id);
    if (!mine || !*mine)
        return mine ? newerOwner() : mine.error();
    if (const auto owned = paid.claim ? guard.owns(*paid.claim) : Result<bool>(true); !owned || !*owned)
        return owned ? newerOwner() : owned.error();
    m_drawn.reach(Point::P8);
    return entered;
}

Reconciliation RefundPayouts::conclude(
    const RouteContract& contract, const Record& record, const KeyLives& lives, const std::vector<OutboundCall>& calls)
{
    const auto effectId = toHex(effectKey(record.id, record.requestHash, refundStep));
    const auto refund = m_books.refundOfEffect(effectId);
    if (!refund)
        return {};
    // It is recorded before it is sent.
    const auto paid = std::find_if(calls.begin(), calls.end(),
        [&](const OutboundCall& call) { return call.step == refundStep && call.state == OutboundState::Done; });
    if (!*refund || paid == calls.end())
        return { Evidence::NotApplied };
    const auto handled = settle(**refund,
        { paid->result.ref.value_or(""), effectId, record.fence, lives, { record.id, record.correlationId } });
    if (handled.response.status != 201)
        return {};
    return { Evidence::Applied, completionOf(contract, handled) };
}

Result<ReconcileReport> RefundPayouts::reconcile(Store& store, const RouteContract& contract, const RecordId& id)
{
    ReconcileHooks hooks;
    // Another vendor's calls are for whoever can ask it.
    hooks.vendor = [this](std::string_view name) { return name == m_parts.vendor.name ? &m_parts.vendor : nullptr; };
    hooks.ask = [this](const OutboundCall& call) { return m_parts.payouts->ask(call); };
    hooks.conclude = [&](const Record& record, const std::vector<OutboundCall>& calls) {
        const auto lives = store.livesOf(record.id);
        return lives ? conclude(contract, record, *lives, calls) : Reconciliation();
    };
    return Reconciler(store, m_calls, std::move(hooks), { m_parts.vendor.timeout, "lab reconciler" }).settle(id);
}

} // namespace fencepost::app
