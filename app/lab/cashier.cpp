// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/cashier.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/lab/refund_event.h"
#include "core/store/in_transaction.h"
#include "core/store/outbox.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

constexpr std::int64_t mostAmount = 1'000'000'000'000;
constexpr std::size_t longestReference = 200; // octets
constexpr std::string_view refundStep = "refund";

Handled refusal(std::string_view code, int status, std::string detail)
{
    Handled handled{ problemResponse({ .code = code, .status = status, .detail = std::move(detail) }) };
    handled.settlement = Settlement::Terminal;
    handled.errorCode = std::string(code);
    return handled;
}

// What was written was rolled back, or is recognised by its effect when the same request comes again. A value that the
// database cannot hold is not there the next time either.
Handled tryLater(const Error& error)
{
    if (error.failure == Failure::Invalid)
        return refusal("VALIDATION.request", 400, sentence(error.message));
    Handled handled{ problemResponse({ .code = "DEPENDENCY.unavailable", .detail = inWords(error) }) };
    handled.settlement = Settlement::Transient;
    handled.errorCode = "DEPENDENCY.unavailable";
    return handled;
}

Error newerOwner()
{
    return { Failure::Conflict, "Somebody with a newer fence does it", {} };
}

ordered_json textOrNull(const std::optional<std::string>& text)
{
    return text ? ordered_json(*text) : ordered_json();
}

ordered_json jsonOf(const Refund& refund)
{
    ordered_json body;
    body["id"] = refund.id;
    body["object"] = "refund";
    body["charge_id"] = refund.chargeId;
    body["amount"] = refund.amount;
    body["currency"] = refund.currency;
    body["status"] = refund.status;
    body["reference"] = textOrNull(refund.reference);
    if (refund.payoutId)
        body["payout_id"] = *refund.payoutId;
    body["created"] = formatInstant(refund.createdAt);
    if (refund.voidedAt)
        body["voided"] = formatInstant(*refund.voidedAt);
    return body;
}

// The members of a request's body. What is no JSON was refused before, what is no object has none.
class Fields {
public:
    explicit Fields(const HttpRequest& request)
        : m_body(nlohmann::json::parse(request.body, nullptr, false))
    {
    }

    [[nodiscard]] std::optional<std::int64_t> amount() const
    {
        const auto* value = find("amount");
        if (value == nullptr || !value->is_number())
            return {};
        // 1e3 and 1000.0 are 1000, as the fingerprint has them.
        if (value->is_number_float()) {
            const auto number = value->get<double>();
            const bool whole = number >= 1 && number <= static_cast<double>(mostAmount) && number == std::floor(number);
            return whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
        }
        if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(mostAmount))
            return {};
        const auto amount = value->get<std::int64_t>();
        return amount > 0 && amount <= mostAmount ? std::optional(amount) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> text(const char* name) const
    {
        const auto* value = find(name);
        return value != nullptr && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
    }
    [[nodiscard]] bool isReferenceGood() const
    {
        const auto* value = find("reference");
        if (value == nullptr || value->is_null())
            return true;
        const auto said = text("reference");
        return said && said->size() <= longestReference && said->find('\0') == std::string::npos;
    }

private:
    [[nodiscard]] const nlohmann::json* find(const char* name) const
    {
        if (!m_body.is_object())
            return nullptr;
        const auto found = m_body.find(name);
        return found == m_body.end() ? nullptr : &*found;
    }

    nlohmann::json m_body;
};

std::optional<Handled> checkMoney(const Fields& fields)
{
    if (!fields.amount())
        return refusal("VALIDATION.amount", 422, "\"amount\" is a whole number of the smallest unit, from 1 to 10^12.");
    if (!fields.isReferenceGood())
        return refusal("VALIDATION.reference", 422, "\"reference\" is a text of at most 200 octets.");
    return {};
}

bool isCurrency(const std::string& text)
{
    return text.size() == 3 && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
}

} // namespace

std::string compact(const ordered_json& body)
{
    return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

HttpResponse jsonResponse(int status, const ordered_json& body)
{
    return { status, { { "Content-Type", "application/json" } }, compact(body) };
}

HttpResponse responseOf(const Payment& payment, int status)
{
    ordered_json body;
    body["id"] = payment.id;
    body["object"] = "payment";
    body["amount"] = payment.amount;
    body["currency"] = payment.currency;
    body["reference"] = textOrNull(payment.reference);
    body["created"] = formatInstant(payment.createdAt);
    auto response = jsonResponse(status, body);
    if (status == 201)
        response.headers.emplace_back("Location", "/payments/" + payment.id);
    return response;
}

HttpResponse responseOf(const Refund& refund, int status)
{
    auto response = jsonResponse(status, jsonOf(refund));
    if (status == 201)
        response.headers.emplace_back("Location", "/refunds/" + refund.id);
    return response;
}

Cashier::Cashier(const CashierParts& parts)
    : m_parts(parts)
    , m_books(parts.connection)
    , m_effects(parts.connection, {})
    , m_calls(parts.connection, {})
{
}

std::string Cashier::freshId(const char* prefix)
{
    constexpr std::size_t digits = 24;
    auto random = uuid4(m_parts.random);
    std::erase(random, '-');
    return prefix + random.substr(0, digits);
}

// None: it is this execution's turn to carry the effect out.
Result<std::optional<Cashier::Work>> Cashier::doneBefore(
    Execution& execution, const std::string& effectId, const std::function<Result<Work>(const std::string&)>& recalled)
{
    const auto& claim = execution.claim();
    const auto verdict = m_effects.begin(effectId, claim.fence, execution.attempt(), kept(claim.id.operation));
    if (!verdict)
        return verdict.error();
    if (verdict->turn == EffectTurn::NewerOwner)
        return newerOwner();
    if (verdict->turn != EffectTurn::AlreadyDone)
        return std::optional<Work>();
    auto work = recalled(verdict->ref.value_or(""));
    return work ? Result<std::optional<Work>>(std::move(*work)) : Result<std::optional<Work>>(work.error());
}

// The guard and the writes are one transaction: whoever comes later finds both or neither.
Result<Cashier::Work> Cashier::guarded(Execution& execution, const Effect& effect)
{
    const auto effectId = execution.effectId(effect.step);
    auto before = doneBefore(execution, effectId, effect.recall);
    if (!before)
        return before.error();
    if (*before)
        return std::move(**before);
    auto work = effect.work(effectId);
    if (!work || !work->ref)
        return work;
    const auto mine = m_effects.done(effectId, execution.claim().fence, work->ref);
    if (!mine)
        return mine.error();
    const auto owned = m_effects.owns(execution.claim());
    if (!owned)
        return owned.error();
    if (!*mine || !*owned)
        return newerOwner();
    m_drawn.reach(Point::P8);
    return work;
}

Result<Cashier::Work> Cashier::committed(const std::function<Result<Work>()>& body)
{
    std::optional<Work> work;
    const auto done = store::inTransaction(m_parts.connection, [&]() -> Status {
        work.reset();
        auto worked = body();
        if (!worked)
            return worked.error();
        work = std::move(*worked);
        // A refusal has written nothing but the guard, which must go too: the next request may be a good one.
        return work->ref ? Status() : Status(Error{ Failure::Cancelled, "Refused", {} });
    });
    if (work && (done || !work->ref))
        return std::move(*work);
    return done.error();
}

// In a transaction of its own: a second attempt must find the rows of the first one, and no older ones.
Status Cashier::makeRoom(Execution& execution, const std::string& effectId)
{
    if (execution.attempt() > 1)
        return {};
    const auto known = m_books.knows(effectId);
    if (!known || !*known)
        return known ? Status() : Status(known.error());
    return store::inTransaction(m_parts.connection, [&]() -> Status {
        const auto& claim = execution.claim();
        const auto verdict = m_effects.begin(effectId, claim.fence, execution.attempt(), kept(claim.id.operation));
        if (!verdict)
            return verdict.error();
        return verdict->turn == EffectTurn::Do ? m_books.retire(effectId) : Status();
    });
}

// A route may go without keys: then nothing recognises the request, and each is an effect of its own.
Handled Cashier::unguarded(const Effect& effect)
{
    auto work = committed([&] { return effect.work(freshId("")); });
    return work ? std::move(work->handled) : tryLater(work.error());
}

Handled Cashier::once(Execution& execution, const Effect& effect)
{
    if (!execution.isKeyed())
        return unguarded(effect);
    if (const auto room = makeRoom(execution, execution.effectId(effect.step)); !room)
        return tryLater(room.error());
    const auto commit = execution.commits();
    auto work = committed([&] { return guarded(execution, effect); });
    return work ? std::move(work->handled) : tryLater(work.error());
}

Handled Cashier::createPayment(Execution& execution)
{
    const Fields fields(execution.request());
    if (auto bad = checkMoney(fields))
        return std::move(*bad);
    const auto currency = fields.text("currency").value_or("");
    if (!isCurrency(currency))
        return refusal("VALIDATION.currency", 422, "\"currency\" is three capital letters, such as EUR.");
    const auto answered = [](const Payment& payment) {
        Work work{ { responseOf(payment, 201) }, payment.id };
        work.handled.refType = "payment";
        work.handled.refId = payment.id;
        return work;
    };
    return once(execution,
        { "payment",
            [&](const std::string& effectId) -> Result<Work> {
                const Payment payment{ freshId("ch_"), *fields.amount(), currency, fields.text("reference"),
                    m_parts.clock.now() };
                if (const auto added = m_books.add(payment, effectId); !added)
                    return added.error();
                const auto entered = m_books.add(LedgerEntry{ 0, "payment", payment.id, payment.amount, currency,
                                                     payment.reference, payment.createdAt },
                    effectId);
                return entered ? Result<Work>(answered(payment)) : Result<Work>(entered.error());
            },
            [&](const std::string& ref) -> Result<Work> {
                const auto payment = m_books.payment(ref);
                if (!payment)
                    return payment.error();
                if (!*payment)
                    return Error{ Failure::Corrupt, "The payment of an effect that is done is not there", ref };
                return answered(**payment);
            } });
}

Cashier::Asked Cashier::askedBy(const Execution& execution)
{
    if (!execution.isKeyed())
        return {};
    return { execution.claim().id, execution.correlationId() };
}

// In the transaction of the refund: whoever finds one finds the other.
Status Cashier::announce(const Refund& refund, const Asked& asked)
{
    if (m_parts.destinations.empty())
        return {};
    OutboxEvent event;
    event.eventId = "evt_" + refund.id.substr(refund.id.find('_') + 1);
    event.source = eventSource;
    event.type = refundSucceeded;
    event.aggregateType = "refund";
    event.aggregateId = refund.id;
    event.record = asked.record;
    event.correlationId = asked.correlationId;
    ordered_json payload;
    payload["id"] = event.eventId;
    payload["source"] = event.source;
    payload["type"] = event.type;
    payload["created"] = formatInstant(refund.createdAt);
    payload["data"] = jsonOf(refund);
    event.payload = compact(payload);
    const auto faults = m_drawn.forEvent();
    if (auto written = faults.written(); !written.empty())
        event.headers.emplace_back(faultHeader, std::move(written));
    // The refunds of a payment go one after the other, but for those that are to come in the wrong order.
    if (faults.find(FaultKind::ReorderEvent) == nullptr)
        event.orderingKey = refund.chargeId;
    store::Outbox outbox(m_parts.connection, {});
    for (const auto& destination : m_parts.destinations) {
        event.destination = destination;
        if (const auto added = outbox.add(event); !added)
            return added.error();
    }
    return {};
}

Result<Cashier::Work> Cashier::enter(const Refund& refund, const std::string& effectId, const Asked& asked)
{
    const auto entered = m_books.add(
        LedgerEntry{ 0, "refund", refund.id, -refund.amount, refund.currency, refund.reference, refund.createdAt },
        effectId);
    if (!entered)
        return entered.error();
    if (const auto announced = announce(refund, asked); !announced)
        return announced.error();
    return Work{ { .response = responseOf(refund, 201), .refType = "refund", .refId = refund.id }, refund.id };
}

Result<Cashier::Work> Cashier::recall(const std::string& id)
{
    const auto made = m_books.refund(id);
    if (!made)
        return made.error();
    if (!*made)
        return Error{ Failure::Corrupt, "The refund of an effect that is done is not there", id };
    return Work{ { .response = responseOf(**made, 201), .refType = "refund", .refId = id }, id };
}

Result<Cashier::Work> Cashier::refund(
    const Execution& execution, const std::string& effectId, const std::string& status)
{
    const Fields fields(execution.request());
    auto chargeId = fields.text("charge_id").value_or("");
    // No name of ours, and no text of PostgreSQL's.
    if (chargeId.find('\0') != std::string::npos)
        chargeId.clear();
    const auto payment = m_books.lockPayment(chargeId);
    if (!payment)
        return payment.error();
    if (!*payment)
        return Work{ refusal("VALIDATION.unknown_charge", 404, "There is no such payment."), std::nullopt };
    const auto refunded = m_books.refundedOf(chargeId);
    if (!refunded)
        return refunded.error();
    const auto remaining = (*payment)->amount - *refunded;
    if (*fields.amount() > remaining)
        return Work{ refusal("VALIDATION.refund_exceeds_remaining", 422,
                         "Of this payment " + std::to_string(remaining) + " are left to refund."),
            std::nullopt };
    const Refund made{ freshId("rf_"), chargeId, *fields.amount(), (*payment)->currency, status,
        fields.text("reference"), std::nullopt, m_parts.clock.now(), std::nullopt };
    if (const auto added = m_books.add(made, effectId); !added)
        return added.error();
    if (status == "succeeded")
        return enter(made, effectId, askedBy(execution));
    return Work{ {}, made.id };
}

Handled Cashier::createRefund(Execution& execution)
{
    const Fields fields(execution.request());
    if (auto bad = checkMoney(fields))
        return std::move(*bad);
    if (m_parts.payouts != nullptr)
        return payOut(execution);
    if (auto begun = finishPayout(execution))
        return std::move(*begun);
    return once(execution,
        { refundStep, [&](const std::string& effectId) { return refund(execution, effectId, "succeeded"); },
            [&](const std::string& ref) { return recall(ref); } });
}

Duration Cashier::kept(std::string_view operation) const
{
    const auto known = m_parts.effectsKept.find(operation);
    return known == m_parts.effectsKept.end() ? Duration(std::chrono::hours(24)) : known->second;
}

// The intent is in the books, and the record says so, before anything is sent.
Result<Cashier::Work> Cashier::record(Execution& execution, const std::string& effectId)
{
    auto done = doneBefore(execution, effectId, [&](const std::string& ref) { return recall(ref); });
    if (!done)
        return done.error();
    if (*done)
        return std::move(**done);
    const auto before = m_books.refundOfEffect(effectId);
    if (!before)
        return before.error();
    auto work = *before ? Result<Work>(Work{ {}, (*before)->id }) : refund(execution, effectId, "pending");
    if (work && work->ref && !execution.advance("refund_recorded", ordered_json{ { "refund", *work->ref } }.dump()))
        return Error{ Failure::Conflict, "The record was taken away", {} };
    return work;
}

Handled Cashier::payOut(Execution& execution)
{
    if (!execution.isKeyed())
        return refusal("missing_idempotency_key", 400, "Without a key nobody could find out what the vendor did.");
    const auto effectId = execution.effectId(refundStep);
    if (const auto room = makeRoom(execution, effectId); !room)
        return tryLater(room.error());
    auto work = [&] {
        const auto commit = execution.commits();
        return committed([&] { return record(execution, effectId); });
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
        .keep = kept(execution.claim().id.operation),
        .ask = [this](const OutboundCall& known) { return m_parts.payouts->ask(known); } };
    const auto outcome = callVendor(execution, m_calls, call, [&](const CallIdentity& identity, Duration timeout) {
        return m_parts.payouts->send(**refund, identity, timeout, m_drawn);
    });
    if (!outcome.isDone()) {
        auto handled = unpaid(**refund, outcome);
        handled.inDoubt = outcome.sent == Sent::Unknown || mayBePaid(execution);
        return handled;
    }
    const auto commit = execution.commits();
    return settle(**refund,
        { outcome.result.ref.value_or(""), effectId, execution.claim().fence, execution.attempt(),
            askedBy(execution) });
}

// Nobody knows what became of a call of this refund.
bool Cashier::mayBePaid(const Execution& execution)
{
    const auto calls = m_calls.callsOf(execution.claim().id);
    return !calls || std::any_of(calls->begin(), calls->end(), [&](const OutboundCall& call) {
        return call.id.key == execution.effectKey(refundStep) && isOpen(call);
    });
}

// A refund that was begun while there was a vendor to pay it out, and none is configured any more: the ledger tells
// whether it was paid, and where it does not know, nobody else may pay.
std::optional<Handled> Cashier::finishPayout(Execution& execution)
{
    if (!execution.isKeyed() || execution.attempt() == 1)
        return std::nullopt;
    const auto effectId = execution.effectId(refundStep);
    const auto refund = m_books.refundOfEffect(effectId);
    if (!refund)
        return tryLater(refund.error());
    if (!*refund || (*refund)->status != "pending")
        return std::nullopt;
    const auto calls = m_calls.callsOf(execution.claim().id);
    if (!calls)
        return tryLater(calls.error());
    Paid paid{ {}, effectId, execution.claim().fence, execution.attempt(), askedBy(execution) };
    for (const auto& call : *calls) {
        if (call.id.key != execution.effectKey(refundStep))
            continue;
        if (isOpen(call))
            return unpaid(**refund, { Sent::Unknown, {}, false, "it may have been paid out", true });
        if (call.state == OutboundState::Done)
            paid.payoutId = call.result.ref;
    }
    const auto commit = execution.commits();
    return settle(**refund, paid);
}

Handled Cashier::unpaid(const Refund& refund, const VendorOutcome& outcome)
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

Handled Cashier::settle(const Refund& refund, const Paid& paid)
{
    std::optional<Work> work;
    const auto done = store::inTransaction(m_parts.connection, [&]() -> Status {
        work.reset();
        const auto verdict = m_effects.begin(paid.effectId, paid.fence, paid.attempt, kept("refund.create"));
        if (!verdict)
            return verdict.error();
        if (verdict->turn == EffectTurn::NewerOwner)
            return Error{ Failure::Conflict, "Somebody with a newer fence does it", {} };
        const bool isDone = verdict->turn == EffectTurn::AlreadyDone;
        if (!isDone)
            if (const auto settled = m_books.settleRefund(refund.id, "succeeded", paid.payoutId); !settled)
                return settled;
        auto succeeded = refund;
        succeeded.status = "succeeded";
        succeeded.payoutId = paid.payoutId;
        auto entered = isDone ? recall(refund.id) : enter(succeeded, paid.effectId, paid.asked);
        if (!entered)
            return entered.error();
        work = std::move(*entered);
        if (isDone)
            return {};
        const auto mine = m_effects.done(paid.effectId, paid.fence, refund.id);
        if (!mine || !*mine)
            return mine ? Error{ Failure::Conflict, "Somebody with a newer fence does it", {} } : mine.error();
        m_drawn.reach(Point::P8);
        return {};
    });
    return done ? std::move(work->handled) : tryLater(done.error());
}

Reconciliation Cashier::conclude(
    const RouteContract& contract, const Record& record, const std::vector<OutboundCall>& calls)
{
    const auto effectId = toHex(effectKey(record.id, record.requestHash, refundStep));
    const auto refund = m_books.refundOfEffect(effectId);
    if (!refund)
        return {};
    // It is recorded before it is sent.
    const auto paid = std::find_if(
        calls.begin(), calls.end(), [](const OutboundCall& call) { return call.state == OutboundState::Done; });
    if (!*refund || paid == calls.end())
        return { Evidence::NotApplied };
    const auto handled = settle(**refund,
        { paid->result.ref.value_or(""), effectId, record.fence, record.attempt, { record.id, record.correlationId } });
    if (handled.response.status != 201)
        return {};
    return { Evidence::Applied, completionOf(contract, handled) };
}

Result<ReconcileReport> Cashier::reconcile(Store& store, const RouteContract& contract, const RecordId& id)
{
    ReconcileHooks hooks;
    // Another vendor's calls are for whoever can ask it.
    hooks.vendor = [this](std::string_view name) { return name == m_parts.vendor.name ? &m_parts.vendor : nullptr; };
    hooks.ask = [this](const OutboundCall& call) { return m_parts.payouts->ask(call); };
    hooks.conclude = [&](const Record& record, const std::vector<OutboundCall>& calls) {
        return conclude(contract, record, calls);
    };
    return Reconciler(store, m_calls, std::move(hooks), { m_parts.vendor.timeout, "lab reconciler" }).settle(id);
}

Handled Cashier::voidRefund(Execution& execution, const std::string& id)
{
    const auto answered = [&](const Refund& refund) {
        return Work{ { .response = responseOf(refund, 200), .refType = "refund", .refId = id }, id };
    };
    const auto current = [&]() -> Result<Work> {
        const auto refund = m_books.refund(id);
        if (!refund)
            return refund.error();
        return *refund ? Result<Work>(answered(**refund))
                       : Result<Work>(Error{ Failure::Corrupt, "A refund that was voided is not there", id });
    };
    return once(execution,
        { "void",
            [&](const std::string& effectId) -> Result<Work> {
                const auto refund = m_books.lockRefund(id);
                if (!refund)
                    return refund.error();
                if (!*refund)
                    return Work{ refusal("VALIDATION.unknown_refund", 404, "There is no such refund."), std::nullopt };
                if ((*refund)->status != "succeeded")
                    return Work{ refusal("VALIDATION.refund_not_voidable", 422,
                                     "The refund is " + (*refund)->status + " and cannot be voided."),
                        std::nullopt };
                const auto now = m_parts.clock.now();
                if (const auto voided = m_books.voidRefund(id, now); !voided)
                    return voided.error();
                const auto entered = m_books.add(
                    LedgerEntry{ 0, "void", id, (*refund)->amount, (*refund)->currency, (*refund)->reference, now },
                    effectId);
                return entered ? current() : Result<Work>(entered.error());
            },
            [&](const std::string&) { return current(); } });
}

} // namespace fencepost::app
