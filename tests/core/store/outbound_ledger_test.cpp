// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>
#include <thread>

#include "core/service/idempotent_handler.h"
#include "core/service/reconciler.h"
#include "core/store/sql_effect_guard.h"
#include "core/store/sql_outbound_ledger.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

class OutboundLedgers : public StoreTest {
protected:
    void SetUp() override
    {
        StoreTest::SetUp();
        ledger = std::make_unique<store::SqlOutboundLedger>(*main.connection, clockOf());
        auto wish = reservation(1);
        wish.takeover = Takeover::Manual;
        const auto reserved = reserve(wish);
        ASSERT_EQ(reserved.outcome, Outcome::Execute);
        fence = reserved.record->fence;
    }

    store::StoreClock clockOf() { return { .clock = &clock, .bind = true }; }

    CallTrigger trigger(CallEvent event, int owner = 1)
    {
        return { .event = event,
            .id = { std::string(vendor.name), "orders.create",
                effectKey({ "s", "o", "k" }, hashOf("pay 10"), "order") },
            .record = { "s", "o", "k" },
            .step = "order",
            .owner = ownerOf(owner),
            .fence = fence,
            .keep = 24h };
    }
    CallDecision apply(const CallTrigger& what) { return value(ledger->apply(vendor, what)); }
    std::string outcome(const CallTrigger& what) { return std::string(wordOf(apply(what).outcome)); }
    std::string state()
    {
        const auto call = value(ledger->find(trigger(CallEvent::Send).id));
        return call ? std::string(wordOf(call->state)) : "ABSENT";
    }
    CallTrigger answer(Evidence evidence)
    {
        auto what = trigger(CallEvent::Reconcile);
        what.evidence = evidence;
        what.seenSends = value(ledger->find(what.id))->sends;
        what.result.ref = "order_7";
        return what;
    }

    Vendor vendor = *findVendor("bigcommerce");
    std::unique_ptr<store::SqlOutboundLedger> ledger;
    Fence fence;
};
INSTANTIATE_TEST_SUITE_P(Backends, OutboundLedgers, bothDialects(), nameOfDialect);

TEST_P(OutboundLedgers, KeepWhatWasSentAndWhatCameOfIt)
{
    EXPECT_EQ(outcome(trigger(CallEvent::Intend)), "applied");
    EXPECT_EQ(state(), "INTENT");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    EXPECT_EQ(state(), "SENDING");
    auto done = trigger(CallEvent::Done);
    done.result = { "order_7", Bytes("{\"id\":\xff\0}", 8), std::nullopt };
    EXPECT_EQ(outcome(done), "applied");
    const auto again = apply(trigger(CallEvent::Send));
    EXPECT_EQ(again.outcome, CallOutcome::AlreadyDone);
    EXPECT_EQ(again.call->result, done.result);
    EXPECT_EQ(again.call->sends, 1);
    EXPECT_EQ(again.call->answerBy, start + vendor.timeout);
    const auto calls = value(ledger->callsOf({ "s", "o", "k" }));
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls.front(), *again.call);
}

TEST_P(OutboundLedgers, AskBeforeASecondSend)
{
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "ask_first");
    EXPECT_EQ(state(), "UNKNOWN");
    EXPECT_EQ(outcome(answer(Evidence::NotApplied)), "too_early");
    clock.advance(vendor.timeout);
    const auto stale = answer(Evidence::NotApplied);
    EXPECT_EQ(outcome(answer(Evidence::Unknown)), "applied");
    EXPECT_EQ(state(), "UNKNOWN");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "ask_first");
    EXPECT_EQ(outcome(stale), "applied");
    EXPECT_EQ(state(), "INTENT");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    clock.advance(vendor.timeout);
    EXPECT_EQ(outcome(stale), "refused"); // it tells of the send before this one
    EXPECT_EQ(state(), "SENDING");
    EXPECT_EQ(outcome(answer(Evidence::Applied)), "applied");
    EXPECT_EQ(state(), "DONE");
    EXPECT_EQ(apply(trigger(CallEvent::Send)).call->result.ref, "order_7");
}

TEST_P(OutboundLedgers, AreSentAgainWhileTheVendorKnowsTheKey)
{
    vendor = *findVendor("stripe");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    ASSERT_TRUE(subject().renew(claim(1, fence), 48h));
    clock.advance(24h - vendor.timeout);
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "ask_first");
    EXPECT_EQ(state(), "UNKNOWN");
}

TEST_P(OutboundLedgers, AreWrittenByTheOwnerWithEnoughLease)
{
    EXPECT_EQ(outcome(trigger(CallEvent::Send, 2)), "fenced");
    clock.advance(60s - vendor.timeout);
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "lease_too_short");
    EXPECT_EQ(state(), "ABSENT");
    ASSERT_TRUE(subject().renew(claim(1, fence), 60s));
    auto careful = trigger(CallEvent::Send);
    careful.safetyMargin = 60s - vendor.timeout;
    EXPECT_EQ(outcome(careful), "lease_too_short");
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    EXPECT_EQ(outcome(trigger(CallEvent::Done, 2)), "fenced");
    ASSERT_TRUE(subject().hold(claim(1, fence), "outcome_unknown"));
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "fenced");
    EXPECT_EQ(outcome(trigger(CallEvent::Unknown)), "applied");
    EXPECT_EQ(outcome(trigger(CallEvent::Done)), "applied"); // the answer came late
}

TEST_P(OutboundLedgers, LetOneOfManySendAtATime)
{
    std::atomic<int> sent = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            const auto own = open();
            store::SqlOutboundLedger mine(*own.connection, clockOf());
            const auto decided = mine.apply(vendor, trigger(CallEvent::Send));
            ASSERT_TRUE(decided) << decided.error().detail;
            sent += decided->outcome == CallOutcome::Send ? 1 : 0;
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(sent, 1);
}

TEST_P(OutboundLedgers, ForgetWhatIsSettledAndOver)
{
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    clock.advance(48h);
    EXPECT_EQ(value(ledger->purge(100)), 0); // nobody knows what became of it
    EXPECT_EQ(outcome(trigger(CallEvent::Done)), "applied");
    value(subject().finalize(claim(1, fence), {}));
    EXPECT_EQ(value(ledger->purge(100)), 1);
    EXPECT_EQ(state(), "ABSENT");
}

// Whoever takes the request over would send it a second time.
TEST_P(OutboundLedgers, RememberWhatWasSentForARequestThatIsNotAtItsEnd)
{
    EXPECT_EQ(outcome(trigger(CallEvent::Send)), "send");
    EXPECT_EQ(outcome(trigger(CallEvent::Done)), "applied");
    clock.advance(480h);
    EXPECT_EQ(value(ledger->purge(100)), 0);
    EXPECT_EQ(value(subject().reap({})).calls, 0);
    EXPECT_EQ(state(), "DONE");
    value(subject().finalize(claim(1, fence), {}));
    const auto reaped = value(subject().reap({ .batch = 1 }));
    EXPECT_EQ(reaped.calls, 1);
    EXPECT_EQ(reaped.deleted, 0) << "the record has a time of its own";
    EXPECT_EQ(state(), "ABSENT");
}

TEST_P(OutboundLedgers, RefuseWhatNoCallCanBe)
{
    auto what = trigger(CallEvent::Send);
    what.id.key = "short";
    EXPECT_EQ(ledger->apply(vendor, what).error().failure, Failure::Invalid);
    what = trigger(CallEvent::Send);
    what.id.vendor = "stripe";
    EXPECT_EQ(ledger->apply(vendor, what).error().failure, Failure::Invalid);
    what = trigger(CallEvent::Send);
    what.owner = { "me" };
    EXPECT_EQ(ledger->apply(vendor, what).error().failure, Failure::Invalid);
    EXPECT_EQ(outcome(trigger(CallEvent::Done)), "not_found");
}

// A handler that makes one call, on a vendor that counts.
class VendorCalls : public StoreTest {
protected:
    void SetUp() override
    {
        StoreTest::SetUp();
        ledger = std::make_unique<store::SqlOutboundLedger>(
            *main.connection, store::StoreClock{ .clock = &clock, .bind = true });
        route.route = "POST_/payouts";
        route.operation = "payout.create";
        route.workTime = route.longestWork = 1h;
        route.policy = Policy().forRoute(route.route, route.operation);
        route.policy.effect.value = EffectClass::External;
        route.policy.takeover.value = Takeover::Manual;
        call.vendor = *findVendor("bigcommerce");
        call.operation = "orders.create";
        call.step = "order";
    }

    HttpResponse serve()
    {
        auto handler = IdempotentHandler::create(route, { subject(), clock, random }, [this](Execution& execution) {
            const auto outcome = callVendor(execution, *ledger, call, send);
            Handled handled{ { outcome.isDone() ? 201 : 502, {}, outcome.result.ref.value_or("") } };
            handled.settlement = settlementOf(outcome);
            return handled;
        });
        return handler->serve(request);
    }

    ReconcileReport reconcile()
    {
        Reconciler reconciler(subject(), *ledger,
            { .ask = [this](const OutboundCall&) { return knowledge; },
                .conclude =
                    [](const Record&, const std::vector<OutboundCall>& calls) {
                        Reconciliation known{ Evidence::NotApplied };
                        for (const auto& one : calls)
                            if (one.state == OutboundState::Done)
                                known = { Evidence::Applied, completion(201, one.result.ref.value_or("")) };
                        return known;
                    } },
            {});
        return value(reconciler.settle({ "POST_/payouts@ann", "payout.create", "order-1" }));
    }
    std::string settle() { return std::string(wordOf(reconcile().what)); }

    // Done and answered; after its expiry the key is reserved again by somebody who is killed before he sends.
    void callOnceAndLoseTheKey(const Bytes& otherHash)
    {
        send = [](const CallIdentity&, Duration) -> VendorAnswer { return { Sent::Done, { .ref = "order_1" } }; };
        ASSERT_EQ(serve().body, "order_1");
        clock.advance(25h);
        const RecordId id{ "POST_/payouts@ann", "payout.create", "order-1" };
        auto wish = std::get<Reservation>(reservationOf(route, request, id, ownerOf(1)));
        if (!otherHash.empty())
            wish.requestHash = otherHash;
        ASSERT_EQ(value(subject().reserve(wish)).outcome, Outcome::Execute);
        clock.advance(1h);
    }

    // p6: what a worker leaves that is killed behind its send.
    void dieBehindTheSend()
    {
        const RecordId id{ "POST_/payouts@ann", "payout.create", "order-1" };
        const auto wish = std::get<Reservation>(reservationOf(route, request, id, ownerOf(1)));
        const auto reserved = value(subject().reserve(wish));
        ASSERT_EQ(reserved.outcome, Outcome::Execute);
        const auto decided = value(ledger->apply(call.vendor,
            { .event = CallEvent::Send,
                .id = { std::string(call.vendor.name), call.operation, effectKey(id, wish.requestHash, call.step) },
                .record = id,
                .step = call.step,
                .owner = wish.owner,
                .fence = reserved.record->fence,
                .keep = 24h }));
        ASSERT_EQ(decided.outcome, CallOutcome::Send);
    }

    const HttpRequest request{ "POST", "/payouts", { { "Idempotency-Key", "order-1" } }, "{}", "ann" };
    RouteContract route;
    SeededRandom random{ 3 };
    std::unique_ptr<store::SqlOutboundLedger> ledger;
    VendorCall call;
    SendCall send;
    VendorKnowledge knowledge;
    int sends = 0;
};
INSTANTIATE_TEST_SUITE_P(Backends, VendorCalls, bothDialects(), nameOfDialect);

TEST_P(VendorCalls, AreMadeOnceAndAnswered)
{
    send = [&](const CallIdentity& identity, Duration timeout) -> VendorAnswer {
        ++sends;
        EXPECT_EQ(identity.name, "external_id");
        EXPECT_EQ(timeout, call.vendor.timeout);
        return { Sent::Done, { .ref = "order_7" } };
    };
    EXPECT_EQ(serve().body, "order_7");
    EXPECT_EQ(serve().status, 201);
    EXPECT_EQ(sends, 1);
    EXPECT_EQ(settle(), "not_needed");
}

// A replay past expiry executes, and that is all of it.
TEST_P(VendorCalls, AreMadeAnewBehindTheLifeOfTheirKey)
{
    std::set<std::string> keys;
    send = [&](const CallIdentity& identity, Duration) -> VendorAnswer {
        keys.insert(identity.value);
        return { Sent::Done, { .ref = "order_" + std::to_string(++sends) } };
    };
    EXPECT_EQ(serve().body, "order_1");
    clock.advance(23h);
    EXPECT_EQ(serve().body, "order_1");
    clock.advance(2h);
    EXPECT_EQ(serve().body, "order_2");
    EXPECT_EQ(serve().body, "order_2");
    EXPECT_EQ(sends, 2);
    EXPECT_EQ(keys.size(), 2U) << "a vendor that still remembers the first would answer with it";
}

// What was done in an earlier life of the key is no outcome of this one: neither that of another request, however long
// it is remembered, nor the same one's that is not remembered any more.
TEST_P(VendorCalls, OfAnotherRequestThatHadTheKeySettleNothing)
{
    call.keep = 1000h;
    callOnceAndLoseTheKey(sha256("another request"));
    EXPECT_EQ(settle(), "released");
}

TEST_P(VendorCalls, ThatAreForgottenSettleNothing)
{
    callOnceAndLoseTheKey({});
    EXPECT_EQ(settle(), "released");
}

// Killed in its first attempt, the request has not called anybody: the next attempt has nothing but the earlier life's
// call to find.
TEST_P(VendorCalls, OfAnEarlierLifeAreMadeAnewByALaterAttempt)
{
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.takeover.value = Takeover::Auto;
    callOnceAndLoseTheKey({});
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, { .ref = "order_2" } };
    };
    EXPECT_EQ(serve().body, "order_2");
    EXPECT_EQ(sends, 1);
}

TEST_P(VendorCalls, OfAnEarlierLifeSettleNoLaterAttempt)
{
    route.policy.takeover.value = Takeover::Auto;
    callOnceAndLoseTheKey({});
    const RecordId id{ "POST_/payouts@ann", "payout.create", "order-1" };
    const auto wish = std::get<Reservation>(reservationOf(route, request, id, ownerOf(2)));
    const auto again = value(subject().reserve(wish));
    ASSERT_EQ(again.outcome, Outcome::Execute);
    ASSERT_EQ(again.record->attempt, 2);
    clock.advance(1h);
    EXPECT_EQ(settle(), "released");
}

// A row that an earlier life has left is this life's from its first send on.
TEST_P(VendorCalls, OfALaterLifeAreItsOwnBehindTheirEnd)
{
    callOnceAndLoseTheKey({});
    const RecordId id{ "POST_/payouts@ann", "payout.create", "order-1" };
    const auto record = value(subject().find(id));
    ASSERT_TRUE(record);
    clock.advance(-1h);
    const auto key = effectKey(id, record->requestHash, call.step);
    CallTrigger trigger{ .event = CallEvent::Send,
        .id = { std::string(call.vendor.name), call.operation, key },
        .record = id,
        .step = call.step,
        .owner = record->owner,
        .fence = record->fence,
        .keep = 1h };
    const auto sent = value(ledger->apply(call.vendor, trigger));
    ASSERT_EQ(sent.outcome, CallOutcome::Send);
    EXPECT_EQ(sent.call->id.key, effectKeyOfLife(key, record->fence)) << "a vendor may still remember the earlier one";
    trigger.id = sent.call->id;
    trigger.event = CallEvent::Done;
    trigger.result.ref = "order_2";
    ASSERT_EQ(value(ledger->apply(call.vendor, trigger)).outcome, CallOutcome::Applied);
    clock.advance(30h);
    EXPECT_EQ(settle(), "succeeded");
}

// The present life's own call is never taken for an earlier one's, however long it is held.
TEST_P(VendorCalls, OfTheirOwnLifeAreNotMadeAgainWhenTheyAreForgotten)
{
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.takeover.value = Takeover::Auto;
    callOnceAndLoseTheKey({});
    const RecordId id{ "POST_/payouts@ann", "payout.create", "order-1" };
    auto wish = std::get<Reservation>(reservationOf(route, request, id, ownerOf(2)));
    const auto again = value(subject().reserve(wish));
    ASSERT_EQ(again.outcome, Outcome::Execute);
    CallTrigger trigger{ .event = CallEvent::Send,
        .id = { std::string(call.vendor.name), call.operation, effectKey(id, wish.requestHash, call.step) },
        .record = id,
        .step = call.step,
        .owner = wish.owner,
        .fence = again.record->fence,
        .keep = 1h };
    const auto sent = value(ledger->apply(call.vendor, trigger));
    ASSERT_EQ(sent.outcome, CallOutcome::Send);
    trigger.id = sent.call->id;
    trigger.event = CallEvent::Done;
    trigger.result.ref = "order_2";
    ASSERT_EQ(value(ledger->apply(call.vendor, trigger)).outcome, CallOutcome::Applied);
    clock.advance(30h);
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, { .ref = "order_3" } };
    };
    EXPECT_EQ(serve().body, "order_2");
    EXPECT_EQ(sends, 0);
}

TEST_P(VendorCalls, ThatAreRememberedSettleTheSameRequest)
{
    call.keep = 1000h;
    callOnceAndLoseTheKey({});
    EXPECT_EQ(settle(), "succeeded") << "its owner would have been answered with that";
}

TEST_P(VendorCalls, WithoutAnAnswerEndInAHoldAndAreSettledWithoutASecondSend)
{
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return {};
    };
    EXPECT_EQ(serve().status, 409);
    EXPECT_EQ(serve().status, 409);
    EXPECT_EQ(settle(), "not_needed"); // its lease is live
    clock.advance(61s);
    EXPECT_EQ(settle(), "held");
    EXPECT_EQ(serve().status, 409);
    knowledge = { Evidence::Applied, { .ref = "order_7" } };
    EXPECT_EQ(settle(), "succeeded");
    const auto replay = serve();
    EXPECT_EQ(replay.status, 201);
    EXPECT_EQ(replay.body, "order_7");
    EXPECT_EQ(sends, 1);
}

// Who recognises a repeated call needs nobody's decision, and must not be made to wait for one.
TEST_P(VendorCalls, ThatMayBeRepeatedAreLeftToTheNextRequest)
{
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.takeover.value = Takeover::Auto;
    call.vendor = *findVendor("stripe");
    dieBehindTheSend();
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, { .ref = "order_9" } };
    };
    clock.advance(121s);
    EXPECT_EQ(settle(), "not_needed");
    EXPECT_EQ(serve().body, "order_9");
    EXPECT_EQ(sends, 1);
}

TEST_P(VendorCalls, ThatDidNotHappenAreMadeAgain)
{
    dieBehindTheSend();
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, { .ref = "order_8" } };
    };
    EXPECT_EQ(serve().status, 409);
    clock.advance(61s);
    EXPECT_EQ(serve().status, 409);
    EXPECT_EQ(settle(), "held");
    knowledge = { Evidence::NotApplied };
    EXPECT_EQ(settle(), "released");
    EXPECT_EQ(serve().body, "order_8");
    EXPECT_EQ(sends, 1);
}

TEST_P(VendorCalls, ThatTheVendorRecognisesAreSentAgainAtATakeover)
{
    call.vendor = *findVendor("stripe");
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.takeover.value = Takeover::Auto;
    dieBehindTheSend();
    std::string key;
    send = [&](const CallIdentity& identity, Duration) -> VendorAnswer {
        ++sends;
        key = identity.value;
        return { Sent::Done, { .ref = "po_1" } };
    };
    clock.advance(61s);
    EXPECT_EQ(serve().body, "po_1");
    EXPECT_EQ(sends, 1);
    EXPECT_EQ(key, toHex(value(ledger->callsOf({ "POST_/payouts@ann", "payout.create", "order-1" })).front().id.key));
}

TEST_P(VendorCalls, BeyondTheVendorsMemoryAreAskedForAndHeldWhereNobodyKnows)
{
    call.vendor = *findVendor("stripe");
    call.ask = [this](const OutboundCall&) { return knowledge; };
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.takeover.value = Takeover::Auto;
    route.policy.ttl.value = 72h;
    dieBehindTheSend();
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, { .ref = "po_1" } };
    };
    clock.advance(24h);
    EXPECT_EQ(serve().status, 409);
    EXPECT_EQ(sends, 0);
    const auto held = value(subject().find({ "POST_/payouts@ann", "payout.create", "order-1" }));
    EXPECT_TRUE(held->hold);
    clock.advance(2min);
    knowledge = { Evidence::Applied, { .ref = "po_1" } };
    EXPECT_EQ(settle(), "succeeded");
    EXPECT_EQ(serve().body, "po_1");
    EXPECT_EQ(sends, 0);
}

// p12: the owner sleeps past its lease, and wakes up in front of its send.
TEST_P(VendorCalls, AreNotSentByWhoWasHeldMeanwhile)
{
    send = [&](const CallIdentity&, Duration) -> VendorAnswer {
        ++sends;
        return { Sent::Done, {} };
    };
    auto handler = IdempotentHandler::create(route, { subject(), clock, random }, [this](Execution& execution) {
        clock.advance(2min);
        knowledge = { Evidence::NotApplied };
        EXPECT_EQ(settle(), "released");
        const auto outcome = callVendor(execution, *ledger, call, send);
        EXPECT_TRUE(outcome.lost);
        Handled handled{ { 502 } };
        handled.settlement = settlementOf(outcome);
        return handled;
    });
    EXPECT_EQ(handler->serve(request).status, 409);
    EXPECT_EQ(sends, 0);
}

// Nobody waits for the answer any more.
TEST_P(VendorCalls, AreNotSentWithoutTimeForTheirAnswer)
{
    Duration given{};
    send = [&](const CallIdentity&, Duration timeout) -> VendorAnswer {
        ++sends;
        given = timeout;
        return { Sent::Done, { .ref = "po_1" } };
    };
    Duration late = 10s;
    Sent sent = Sent::Done;
    auto slow = [&](Execution& execution) {
        clock.advance(late);
        const auto outcome = callVendor(execution, *ledger, call, send);
        sent = outcome.sent;
        Handled handled{ { outcome.isDone() ? 201 : 502 } };
        handled.settlement = settlementOf(outcome);
        return handled;
    };
    auto asked = request;
    asked.headers.emplace_back("X-Request-Timeout", "10s");
    ServiceParts parts{ subject(), clock, random };
    parts.steady = &clock;
    auto handler = IdempotentHandler::create(route, parts, slow);
    EXPECT_EQ(handler->serve(asked).status, 502);
    EXPECT_EQ(sent, Sent::NotSent);
    EXPECT_EQ(sends, 0);
    late = 4s;
    EXPECT_EQ(handler->serve(asked).status, 201);
    EXPECT_EQ(sends, 1);
    EXPECT_EQ(given, 6s - 50ms) << "less than the vendor's own";
}

class EffectGuards : public StoreTest {
protected:
    void SetUp() override
    {
        StoreTest::SetUp();
        guard = std::make_unique<store::SqlEffectGuard>(
            *main.connection, store::StoreClock{ .clock = &clock, .bind = true });
        ASSERT_TRUE(main.connection->execute("CREATE TABLE refunds (id INTEGER)"));
    }

    // The business transaction: what it did, or why not. `life`: the fence of the record's first attempt; none: this
    // one's.
    std::string refund(std::int64_t fence, bool crash = false, std::optional<Fence> life = {})
    {
        std::string said;
        const auto done = subject().together([&]() -> Status {
            const auto began = life.value_or(Fence{ fence });
            const KeyLives lives{ { { 1 }, Fence{ began.value - 1 } }, { began } };
            const auto verdict = guard->begin(effect, { fence }, lives, 24h);
            if (!verdict)
                return verdict.error();
            if (verdict->turn == EffectTurn::AlreadyDone) {
                said = "done before: " + verdict->ref.value_or("");
                return {};
            }
            if (verdict->turn == EffectTurn::NewerOwner)
                return Error{ Failure::Conflict, "somebody newer", {} };
            if (const auto row = main.connection->execute("INSERT INTO refunds VALUES (1)"); !row)
                return row;
            if (crash)
                return Error{ Failure::Cancelled, "crash", {} };
            const auto marked = guard->done(effect, { fence }, "rf_" + std::to_string(fence));
            said = "done";
            return marked && *marked ? Status() : Status(Error{ Failure::Conflict, "somebody newer", {} });
        });
        return done ? said : done.error().message;
    }

    std::unique_ptr<store::SqlEffectGuard> guard;
    const std::string effect = toHex(sha256("effect"));
};
INSTANTIATE_TEST_SUITE_P(Backends, EffectGuards, bothDialects(), nameOfDialect);

TEST_P(EffectGuards, LetAnEffectHappenOnceWhateverFenceItComesUnder)
{
    EXPECT_EQ(refund(5, true), "crash");
    EXPECT_EQ(refund(6), "done");
    EXPECT_EQ(refund(7), "done before: rf_6");
    EXPECT_EQ(refund(5), "done before: rf_6");
    EXPECT_EQ(count("refunds"), 1);
}

TEST_P(EffectGuards, RefuseAnOlderOwner)
{
    EXPECT_TRUE(subject().together([&]() -> Status {
        EXPECT_EQ(value(guard->begin(effect, { 9 }, {}, 24h)).turn, EffectTurn::Do);
        return {};
    }));
    EXPECT_EQ(refund(8), "somebody newer");
    EXPECT_EQ(refund(9), "done");
    EXPECT_EQ(count("refunds"), 1);
}

TEST_P(EffectGuards, ArePartOfTheBusinessTransactionOnly)
{
    EXPECT_EQ(guard->begin(effect, { 1 }, {}, 24h).error().failure, Failure::Invalid);
    EXPECT_EQ(guard->done(effect, { 1 }, std::nullopt).error().failure, Failure::Invalid);
    EXPECT_EQ(count("effects"), 0);
}

TEST_P(EffectGuards, ForgetAnEffectWithItsRetention)
{
    EXPECT_EQ(refund(5), "done");
    EXPECT_EQ(value(guard->purge(10)), 0);
    clock.advance(24h);
    EXPECT_EQ(refund(6), "done"); // whether or not it was purged
    EXPECT_EQ(count("refunds"), 2);
    clock.advance(24h);
    EXPECT_EQ(value(guard->purge(10)), 1);
    EXPECT_EQ(count("effects"), 0);
}

// Each takeover pushes the record's end on, and some of them die before they ask the guard.
TEST_P(EffectGuards, LetWhoeverTakesARecordOverFindWhatWasDoneHoweverLongAgo)
{
    const auto first = *reserve(1).record;
    EXPECT_EQ(refund(first.fence.value), "done");
    auto last = first;
    for (int owner = 2; owner <= 5; ++owner) {
        clock.advance(20h);
        EXPECT_GT(last.expiresAt, clock.now()) << "it never expired";
        last = *reserve(owner).record;
    }
    EXPECT_EQ(last.attempt, 5);
    const auto ref = "rf_" + std::to_string(first.fence.value);
    EXPECT_EQ(refund(last.fence.value, false, first.fence), "done before: " + ref);
    EXPECT_EQ(count("refunds"), 1);
}

// The first attempt of the later life was killed before it asked the guard.
TEST_P(EffectGuards, RepeatWhatAnEarlierLifeDidInWhicheverAttempt)
{
    const RecordId id{ "s", "o", "k" };
    const auto first = reserve(1).record->fence;
    EXPECT_FALSE(value(guard->isBegun(effect, id)));
    EXPECT_EQ(refund(first.value), "done");
    EXPECT_TRUE(value(guard->isBegun(effect, id)));
    value(subject().finalize(claim(1, first), {}));
    clock.advance(720h);
    const auto second = *reserve(2).record;
    ASSERT_EQ(second.attempt, 1);
    EXPECT_FALSE(value(guard->isBegun(effect, id)));
    EXPECT_EQ(refund(second.fence.value + 1, false, second.fence), "done") << "in its second attempt";
    EXPECT_TRUE(value(guard->isBegun(effect, id)));
    clock.advance(25h);
    EXPECT_EQ(refund(second.fence.value + 2, false, second.fence),
        "done before: rf_" + std::to_string(second.fence.value + 1));
    EXPECT_EQ(count("refunds"), 2);
}

// A record that nobody came back for is deleted, and the same request goes on where it stood.
TEST_P(EffectGuards, AreBegunWhereTheLifeBeforeHadNoOutcome)
{
    const RecordId id{ "s", "o", "k" };
    const auto first = reserve(1).record->fence;
    EXPECT_TRUE(subject().together([&]() -> Status {
        EXPECT_EQ(value(guard->begin(effect, first, { { first } }, 24h)).turn, EffectTurn::Do);
        return {};
    }));
    clock.advance(720h);
    EXPECT_EQ(value(subject().reap({ .orphanGrace = 1h })).orphans, 1);
    ASSERT_EQ(reserve(2).record->attempt, 1);
    EXPECT_TRUE(value(guard->isBegun(effect, id)));
}

// Another request had the key in between, and what it came to is not the first one's outcome.
TEST_P(EffectGuards, AreNotRepeatedWhereOnlyAnotherLifeHadAnOutcome)
{
    const RecordId id{ "s", "o", "k" };
    const auto first = reserve(1).record->fence;
    EXPECT_EQ(refund(first.value), "done");
    clock.advance(720h);
    EXPECT_EQ(value(subject().reap({ .orphanGrace = 1h })).orphans, 1);
    const auto between = *reserve(reservation(2, "q")).record;
    value(subject().finalize(claim(2, between.fence), {}));
    clock.advance(720h);
    const auto again = *reserve(3).record;
    ASSERT_EQ(again.attempt, 1);
    EXPECT_TRUE(subject().together([&]() -> Status {
        const auto verdict = value(guard->begin(effect, again.fence, value(subject().livesOf(id)), 24h));
        EXPECT_EQ(verdict.turn, EffectTurn::AlreadyDone);
        return {};
    }));
    value(subject().finalize(claim(3, again.fence), {}));
    clock.advance(720h);
    const auto last = *reserve(4).record;
    EXPECT_TRUE(subject().together([&]() -> Status {
        const auto verdict = value(guard->begin(effect, last.fence, value(subject().livesOf(id)), 24h));
        EXPECT_EQ(verdict.turn, EffectTurn::Do) << "whoever was answered with it came to an end";
        return {};
    }));
}

TEST_P(EffectGuards, OutliveTheRecordThatWasDeletedWithoutAnOutcome)
{
    const auto first = reserve(1).record->fence;
    EXPECT_EQ(refund(first.value), "done");
    reserve(reservation(1, "p", "other"));
    clock.advance(720h);
    const auto reaped = value(subject().reap({ .orphanGrace = 1h }));
    EXPECT_EQ(reaped.orphans, 2);
    EXPECT_EQ(reaped.effects, 0);
    clock.advance(7200h);
    EXPECT_EQ(value(guard->purge(10)), 0);
    EXPECT_EQ(refund(reserve(2).record->fence.value, false, first), "done before: rf_" + std::to_string(first.value));
    clock.advance(25h);
    EXPECT_EQ(value(guard->purge(10)), 0) << "the request is not at its end";
}

TEST_P(EffectGuards, PushTheRetentionOnWhenTheEffectIsFound)
{
    EXPECT_EQ(refund(5), "done");
    clock.advance(23h);
    EXPECT_EQ(refund(6, false, Fence{ 5 }), "done before: rf_5");
    clock.advance(23h);
    EXPECT_EQ(value(guard->purge(10)), 0);
    EXPECT_EQ(refund(7), "done before: rf_5") << "a record that was lost in between begins at its first attempt";
    clock.advance(24h);
    EXPECT_EQ(refund(8), "done");
    EXPECT_EQ(count("refunds"), 2);
}

TEST_P(EffectGuards, KeepForEverWhatHasNoEnd)
{
    EXPECT_EQ(refund(5), "done");
    ASSERT_TRUE(main.connection->execute("UPDATE effects SET expires_at = NULL"));
    clock.advance(240h);
    EXPECT_EQ(refund(6), "done before: rf_5");
    clock.advance(240h);
    EXPECT_EQ(refund(7), "done before: rf_5");
}

TEST_P(EffectGuards, RememberTheEffectsOfARequestThatIsNotAtItsEnd)
{
    reserve(1);
    clock.advance(1h);
    EXPECT_EQ(refund(5), "done");
    clock.advance(240h);
    EXPECT_EQ(value(subject().reap({})).effects, 0) << "its owner may have died before it could finish";
    value(subject().finalize(claim(1, record()->fence), {}));
    reserve(reservation(2, "p", "later"));
    EXPECT_EQ(value(subject().reap({ .batch = 1 })).effects, 1) << "what began later has nothing to do with it";
    EXPECT_EQ(count("effects"), 0);
}

TEST_P(EffectGuards, KeepWhatWasBegunAndNotDone)
{
    EXPECT_TRUE(subject().together([&]() -> Status {
        EXPECT_EQ(value(guard->begin(effect, { 9 }, {}, 24h)).turn, EffectTurn::Do);
        return {};
    }));
    clock.advance(240h);
    EXPECT_EQ(value(subject().reap({})).effects, 0);
    EXPECT_EQ(count("effects"), 1);
}
