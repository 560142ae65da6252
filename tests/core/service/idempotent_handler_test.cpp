// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/protocol/keys.h"
#include "core/service/idempotent_handler.h"
#include "tests/core/store/store_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

// The contract around a handler that counts, over a real store.
class IdempotentHandlers : public StoreTest {
protected:
    IdempotentHandlers()
    {
        route.route = "POST_/v1/refunds";
        route.operation = "refund.create";
        route.policy = Policy().forRoute(route.route, route.operation);
        route.policy.effect.value = EffectClass::LocalTransaction;
        route.policy.takeover.value = Takeover::Auto;
        respond = [this](Execution&) -> Handled {
            return { { 201, { { "Content-Type", "application/json" }, { "Location", "/refunds/rf_1" } },
                "{\"id\":\"rf_" + std::to_string(executions) + "\"}" } };
        };
    }

    HttpResponse serve(const std::string& body = R"({"amount":1000})", const std::string& key = "order-1")
    {
        HttpRequest request{ "POST", "/v1/refunds",
            { { "Content-Type", "application/json" }, { "Idempotency-Key", key } }, body, "tenant_1" };
        return serve(request);
    }

    HttpResponse serve(const HttpRequest& request)
    {
        ServiceParts parts{ subject(), clock, random };
        parts.together = [this](const std::function<Status()>& body) { return subject().together(body); };
        parts.steady = steady != nullptr ? steady : &clock;
        parts.cache = cache.get();
        parts.running = &running;
        parts.answered = [this](const Reservation&, const Reserved& reserved) { answers.push_back(reserved.outcome); };
        parts.turnAway = turnAway;
        parts.sleep = sleep;
        auto handler = IdempotentHandler::create(route, parts, [this](Execution& execution) {
            ++executions;
            return respond(execution);
        });
        EXPECT_TRUE(handler) << handler.error().message;
        return handler->serve(request);
    }

    std::string code(const HttpResponse& response)
    {
        const auto body = nlohmann::json::parse(response.body, nullptr, false);
        return body.is_object() ? body.value("error_code", "") : "";
    }
    std::string status(const HttpResponse& response)
    {
        return std::string(lineOf(response.headers, "Idempotency-Status").value_or(""));
    }
    std::optional<Record> stored(const std::string& key = "order-1")
    {
        return value(subject().find({ "POST_/v1/refunds@tenant_1", "refund.create", key }));
    }

    RouteContract route;
    SeededRandom random{ 7 };
    Handler respond;
    int executions = 0;
    std::unique_ptr<TerminalCache> cache;
    RunningKeys running;
    std::vector<Outcome> answers; // without the store
    std::function<std::optional<TurnedAway>(const HttpRequest&)> turnAway;
    std::function<void(Duration)> sleep;
    const Clock* steady = nullptr; // none: the one of the store, which a test moves
};
INSTANTIATE_TEST_SUITE_P(Backends, IdempotentHandlers, bothDialects(), nameOfDialect);

TEST_P(IdempotentHandlers, ExecutesOnceAndReplaysTheSameBytes)
{
    const auto first = serve();
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(status(first), "stored");
    EXPECT_EQ(lineOf(first.headers, "Idempotency-Expires"), httpDate(clock.now() + 24h));
    clock.advance(5min);
    const auto again = serve(R"({ "amount" : 1000 })");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(status(again), "replayed");
    EXPECT_EQ(lineOf(again.headers, "Location"), "/refunds/rf_1");
    EXPECT_EQ(executions, 1);
}

TEST_P(IdempotentHandlers, KeepsNoHeaderThatWouldBeTwo)
{
    respond = [](Execution&) -> Handled {
        return { { 201, { { "Location", "/x\r\nSet-Cookie: a=b" }, { "X Y", "1" }, { "ETag", "\"1\"" } }, "{}" } };
    };
    for (int i = 0; i < 2; ++i) {
        const auto answer = serve();
        EXPECT_EQ(answer.status, 201);
        EXPECT_EQ(lineOf(answer.headers, "Location"), "/x  Set-Cookie: a=b");
        EXPECT_EQ(lineOf(answer.headers, "X Y"), std::nullopt);
        EXPECT_EQ(lineOf(answer.headers, "ETag"), "\"1\"");
    }
}

TEST_P(IdempotentHandlers, RefusesAnotherPayloadUnderTheKey)
{
    serve();
    const auto other = serve(R"({"amount":1001})");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(code(other), "CONFLICT.idempotency.payload_mismatch");
    EXPECT_EQ(other.body.find("rf_1"), std::string::npos);
    EXPECT_EQ(executions, 1);
    EXPECT_EQ(count("idempotency_conflicts"), 1);
}

// A record that is locked while it runs is journalled behind the lock, whichever way it is locked.
TEST_P(IdempotentHandlers, KeepsWhatItRefusedWhileTheRecordWasLocked)
{
    const auto finish = respond;
    for (const auto mode : { ContractMode::SingleTransaction, ContractMode::ReserveFinalize }) {
        const auto key = "order-" + std::to_string(static_cast<int>(mode));
        route.mode = mode;
        answers.clear();
        executions = 0;
        std::vector<HttpResponse> beside;
        respond = [&](Execution& execution) {
            if (executions > 1)
                return finish(execution);
            const auto commit = execution.commits();
            beside.push_back(serve(R"({"amount":1000})", key));
            beside.push_back(serve(R"({"amount":1001})", key));
            beside.push_back(serve(R"({"amount":1001})", key));
            return finish(execution);
        };
        EXPECT_EQ(serve(R"({"amount":1000})", key).status, 201);
        EXPECT_EQ(executions, 1);
        ASSERT_EQ(beside.size(), 3U);
        EXPECT_EQ(code(beside[0]), "idempotency.in_progress");
        EXPECT_EQ(code(beside[1]), "CONFLICT.idempotency.payload_mismatch");
        EXPECT_EQ(code(beside[2]), "CONFLICT.idempotency.payload_mismatch");
        EXPECT_EQ(answers, std::vector<Outcome>{ Outcome::InFlight });
        const auto conflicts = value(subject().conflicts({ "POST_/v1/refunds@tenant_1", "refund.create", key }));
        ASSERT_EQ(conflicts.size(), 1U);
        EXPECT_EQ(conflicts[0].count, 2);
    }
}

// Nothing is left behind where it is rolled back: a reservation of what was refused would be won.
TEST_P(IdempotentHandlers, OnlyTellsOfWhatItRefusedWhereNoRecordIsLeft)
{
    route.mode = ContractMode::SingleTransaction;
    respond = [&](Execution&) -> Handled {
        if (executions == 1)
            serve(R"({"amount":1001})");
        return { { 503, {}, "{}" } };
    };
    EXPECT_EQ(serve().status, 503);
    EXPECT_EQ(executions, 1);
    EXPECT_EQ(answers, std::vector<Outcome>{ Outcome::Mismatch });
    EXPECT_FALSE(stored());
}

// Whoever only waits for the record of another process does not say whose it is.
TEST_P(IdempotentHandlers, WhoWaitsForTheRecordIsNotTakenForItsOwner)
{
    auto wrong = reservation(1, "pay 10");
    auto right = reservation(2, "pay 7");
    ASSERT_NE(wrong.requestHash, right.requestHash);
    auto turn = running.begin(wrong.id, { wrong.fingerprintAlg, wrong.requestHash });
    ASSERT_TRUE(turn);
    EXPECT_TRUE(running.isWaiting(wrong.id));
    EXPECT_EQ(running.meet(right), Outcome::InFlight);
    turn->win();
    EXPECT_FALSE(running.isWaiting(wrong.id));
    EXPECT_EQ(running.meet(right), Outcome::Mismatch);
    EXPECT_EQ(running.meet(wrong), Outcome::InFlight);
    EXPECT_EQ(turn->end().size(), 1U);
}

TEST_P(IdempotentHandlers, TellsADuplicateThatItRuns)
{
    std::optional<HttpResponse> duplicate;
    const auto finish = respond;
    respond = [&](Execution& execution) {
        if (executions == 1)
            duplicate = serve();
        return finish(execution);
    };
    EXPECT_EQ(serve().status, 201);
    ASSERT_TRUE(duplicate);
    EXPECT_EQ(duplicate->status, 409);
    EXPECT_EQ(code(*duplicate), "idempotency.in_progress");
    EXPECT_EQ(executions, 1);
}

TEST_P(IdempotentHandlers, RenewsWhereAThirdOfTheLeaseIsOver)
{
    route.policy.lease.value = 60s;
    respond = [this](Execution& execution) -> Handled {
        EXPECT_TRUE(execution.renewIfDue());
        const auto lease = stored()->leaseExpiresAt;
        clock.advance(19s);
        EXPECT_TRUE(execution.renewIfDue());
        EXPECT_EQ(stored()->leaseExpiresAt, lease) << "not due";
        clock.advance(1s);
        EXPECT_TRUE(execution.renewIfDue());
        EXPECT_EQ(stored()->leaseExpiresAt, *lease + 20s);
        EXPECT_EQ(execution.left(), 10s);
        clock.advance(1min);
        EXPECT_EQ(execution.left(), 0s);
        return { { 201 } };
    };
    EXPECT_EQ(serve().status, 201);
}

TEST_P(IdempotentHandlers, AClockThatIsSetMovesNoDeadline)
{
    ManualClock never{ start };
    steady = &never;
    route.workTime = 10s;
    respond = [&](Execution& execution) {
        for (const auto step : { Duration(1h), Duration(-2h) }) {
            clock.advance(step);
            EXPECT_EQ(execution.left(), 10s);
        }
        clock.advance(1h);
        never.advance(11s);
        EXPECT_EQ(execution.left(), 0s);
        return Handled{ { 201, {}, "{}" } };
    };
    EXPECT_EQ(serve().status, 201);
    clock.advance(30s);
    EXPECT_EQ(serve(R"({"amount":1})", "order-2").status, 201);
}

TEST_P(IdempotentHandlers, SaysWhetherTheCallerComesBackByHimself)
{
    HttpRequest request{ "POST", "/v1/refunds", { { "Idempotency-Key", "k" } }, "", "tenant_1" };
    const auto retries = [&](const char* name, const char* value) {
        request.headers[0].second += '+';
        auto asked = request;
        asked.headers.emplace_back(name, value);
        bool said = false;
        respond = [&](Execution& execution) -> Handled {
            said = execution.callerRetries();
            return { { 201 } };
        };
        EXPECT_EQ(serve(asked).status, 201);
        return said;
    };
    EXPECT_FALSE(retries("X-Other", "1"));
    EXPECT_FALSE(retries("Idempotency-Attempt", "1"));
    EXPECT_TRUE(retries("Idempotency-Attempt", "2"));
    EXPECT_TRUE(retries("X-Retry-Owner", "client"));
}

TEST_P(IdempotentHandlers, ADuplicateMayWaitForTheAnswer)
{
    route.inFlight = InFlightAnswer::Wait;
    route.wait = 1s;
    const auto reserved = reserve([&] {
        const auto wish = reservationOf(route,
            { "POST", "/v1/refunds", { { "Content-Type", "application/json" } }, R"({"amount":1000})", "tenant_1" },
            { "POST_/v1/refunds@tenant_1", "refund.create", "order-1" }, ownerOf(1));
        return std::get<Reservation>(wish);
    }());
    ASSERT_EQ(reserved.outcome, Outcome::Execute);
    int slept = 0;
    sleep = [&](Duration) {
        if (++slept == 3)
            value(subject().finalize(
                { reserved.record->id, ownerOf(1), reserved.record->fence }, completion(201, "late")));
    };
    const auto awaited = serve();
    EXPECT_EQ(awaited.body, "late");
    EXPECT_EQ(status(awaited), "replayed");
    EXPECT_EQ(slept, 3);
    EXPECT_EQ(executions, 0);
}

TEST_P(IdempotentHandlers, AWaitEndsAsAConflict)
{
    route.inFlight = InFlightAnswer::Wait;
    route.wait = 1s;
    Duration slept{};
    sleep = [&](Duration by) { slept += by; };
    const auto finish = respond;
    std::optional<HttpResponse> duplicate;
    respond = [&](Execution& execution) {
        duplicate = serve();
        return finish(execution);
    };
    serve();
    EXPECT_EQ(duplicate->status, 409);
    EXPECT_EQ(slept, 1s);
}

TEST_P(IdempotentHandlers, AWaitEndsWithWhatItWaitsFor)
{
    route.inFlight = InFlightAnswer::Wait;
    route.wait = 10s;
    int slept = 0;
    const auto awaited = [&](const char* key, const std::function<void(const Claim&)>& end) {
        const auto wish = std::get<Reservation>(reservationOf(route,
            { "POST", "/v1/refunds", { { "Content-Type", "application/json" } }, R"({"amount":1000})", "tenant_1" },
            { "POST_/v1/refunds@tenant_1", "refund.create", key }, ownerOf(1)));
        const auto fence = reserve(wish).record->fence;
        slept = 0;
        sleep = [&, fence](Duration) {
            if (++slept == 3)
                end({ wish.id, ownerOf(1), fence });
        };
        return serve(R"({"amount":1000})", key);
    };
    const auto failed = awaited(
        "failed", [&](const Claim& claim) { value(subject().fail(claim, { .retryable = true, .retryAfter = 7s })); });
    EXPECT_EQ(failed.status, 503);
    EXPECT_EQ(lineOf(failed.headers, "Retry-After"), "7");
    EXPECT_EQ(slept, 3);
    const auto held = awaited("held", [&](const Claim& claim) { value(subject().hold(claim, "outcome_unknown")); });
    EXPECT_EQ(code(held), "idempotency.outcome_unknown");
    EXPECT_EQ(slept, 3);
    EXPECT_EQ(executions, 0);
}

// A store that is slow takes its part of the time.
TEST_P(IdempotentHandlers, AWaitIsNoLongerThanItSays)
{
    ManualClock real{ start };
    steady = &real;
    route.inFlight = InFlightAnswer::Wait;
    route.wait = 1s;
    int slept = 0;
    sleep = [&](Duration by) {
        ++slept;
        real.advance(by + 400ms);
    };
    const auto finish = respond;
    std::optional<HttpResponse> duplicate;
    respond = [&](Execution& execution) {
        duplicate = serve();
        return finish(execution);
    };
    serve();
    EXPECT_EQ(code(*duplicate), "idempotency.in_progress");
    EXPECT_EQ(slept, 3);
}

TEST_P(IdempotentHandlers, ATerminalFailureIsKeptAndATransientOneIsNot)
{
    respond = [](Execution&) -> Handled { return { { 422, {}, "no such charge" } }; };
    EXPECT_EQ(status(serve()), "stored");
    const auto again = serve();
    EXPECT_EQ(again.status, 422);
    EXPECT_EQ(again.body, "no such charge");
    EXPECT_EQ(status(again), "replayed");
    EXPECT_EQ(executions, 1);

    respond = [](Execution&) -> Handled { return { { 503, {}, "busy" }, {}, {}, Duration(10s) }; };
    const auto busy = serve("{}", "order-2");
    EXPECT_EQ(busy.status, 503);
    EXPECT_EQ(status(busy), "");
    EXPECT_EQ(lineOf(busy.headers, "Retry-After"), "10");
    EXPECT_EQ(stored("order-2")->status, State::FailedRetryable);
    const auto early = serve("{}", "order-2");
    EXPECT_EQ(early.status, 503);
    EXPECT_EQ(lineOf(early.headers, "Retry-After"), "10");
    EXPECT_EQ(serve("{\"other\":1}", "order-2").status, 409) << "the hash is compared first";
    EXPECT_EQ(executions, 2);
    clock.advance(10s);
    respond = [](Execution& execution) -> Handled {
        return { { 201, {}, "attempt " + std::to_string(execution.attempt()) } };
    };
    EXPECT_EQ(serve("{}", "order-2").body, "attempt 2");
}

TEST_P(IdempotentHandlers, TheLastAttemptThatIsAllowedIsAnAnswerForEver)
{
    route.policy.maxAttempts.value = 2;
    respond = [](Execution&) -> Handled { return { { 503, {}, "busy" } }; };
    EXPECT_EQ(serve().status, 503);
    clock.advance(1s);
    const auto last = serve();
    EXPECT_EQ(last.status, 503);
    EXPECT_EQ(status(last), "stored") << "it was executed for this one";
    EXPECT_EQ(lineOf(last.headers, "Idempotency-Should-Retry"), "false");
    const auto again = serve();
    EXPECT_EQ(again.status, 503);
    EXPECT_EQ(again.body, last.body);
    EXPECT_EQ(status(again), "replayed");
    EXPECT_EQ(executions, 2);
}

TEST_P(IdempotentHandlers, WhoMadeTheLastAttemptIsToldItsAnswerHoweverLittleIsKept)
{
    route.policy.maxAttempts.value = 1;
    route.longestStored = 1;
    respond = [](Execution&) -> Handled { return { { 503, {}, "busy" } }; };
    const auto last = serve();
    EXPECT_EQ(last.status, 503);
    EXPECT_EQ(last.body, "busy");
    EXPECT_EQ(status(last), "stored");
    EXPECT_EQ(code(serve()), "idempotency.response_unavailable");
    EXPECT_EQ(executions, 1);
}

// A provider that recognises a repetition may be asked again, but who may not ask again has to find out first.
TEST_P(IdempotentHandlers, TheLastAttemptThatMayHaveHappenedIsHeld)
{
    route.policy.effect.value = EffectClass::ExternalIdempotent;
    route.policy.maxAttempts.value = 2;
    const auto lastOf = [&](const std::string& key, int first, int second) {
        respond = [&](Execution& execution) -> Handled {
            return { { execution.attempt() == 1 ? first : second, {}, "no" } };
        };
        serve("{}", key);
        clock.advance(1s);
        auto last = serve("{}", key);
        EXPECT_EQ(code(serve("{}", key)), code(last));
        return last;
    };
    EXPECT_EQ(code(lastOf("twice-lost", 504, 504)), "idempotency.outcome_unknown");
    EXPECT_EQ(stored("twice-lost")->holdReason, "attempts_exhausted");
    EXPECT_EQ(code(lastOf("lost-before", 504, 503)), "idempotency.outcome_unknown");
    EXPECT_EQ(executions, 4);
    respond = [](Execution&) -> Handled { return { .response = { 503, {}, "not sent" }, .inDoubt = false }; };
    serve("{}", "not-sent");
    clock.advance(1s);
    EXPECT_EQ(status(serve("{}", "not-sent")), "stored");
    EXPECT_EQ(stored("not-sent")->status, State::FailedFinal);
}

// A vendor has done it, and what comes behind that fails: told to use a new key, the client would have it done again.
TEST_P(IdempotentHandlers, TheLastAttemptThatHasCalledAVendorIsHeld)
{
    for (const auto effect : { EffectClass::External, EffectClass::ExternalIdempotent }) {
        route.policy.effect.value = effect;
        route.policy.maxAttempts.value = 1;
        const auto key = "order-" + std::string(effect == EffectClass::External ? "a" : "b");
        respond = [&](Execution& execution) -> Handled {
            execution.noteCalled();
            return { { 503, {}, "the books are closed" } };
        };
        EXPECT_EQ(code(serve("{}", key)), "idempotency.outcome_unknown");
        EXPECT_EQ(stored(key)->holdReason, "attempts_exhausted");
    }
}

TEST_P(IdempotentHandlers, WhatIsUnknownIsHeldAndNeverExecutedAgain)
{
    route.policy.effect.value = EffectClass::External;
    respond = [](Execution&) -> Handled { return { { 504, {}, "the provider did not answer" } }; };
    const auto first = serve();
    EXPECT_EQ(first.status, 409);
    EXPECT_EQ(code(first), "idempotency.outcome_unknown");
    EXPECT_EQ(lineOf(first.headers, "Retry-After"), "30");
    clock.advance(1h);
    EXPECT_EQ(code(serve()), "idempotency.outcome_unknown");
    EXPECT_EQ(executions, 1);
    EXPECT_TRUE(stored()->hold);
}

TEST_P(IdempotentHandlers, AThrownExceptionEndsTheRecord)
{
    respond = [](Execution&) -> Handled { throw std::runtime_error("boom"); };
    const auto local = serve();
    EXPECT_EQ(local.status, 500);
    EXPECT_EQ(code(local), "INTERNAL.uncaught");
    EXPECT_EQ(local.body.find("boom"), std::string::npos);
    EXPECT_EQ(stored()->status, State::FailedFinal);
    EXPECT_EQ(status(serve()), "replayed");
    route.policy.effect.value = EffectClass::External;
    EXPECT_EQ(code(serve("{}", "order-2")), "idempotency.outcome_unknown");
    EXPECT_TRUE(stored("order-2")->hold);
    EXPECT_EQ(executions, 2);
}

TEST_P(IdempotentHandlers, WhoLostItsRecordNeverReportsSuccess)
{
    const auto finish = respond;
    std::optional<HttpResponse> winner;
    respond = [&](Execution& execution) {
        if (executions == 1) {
            clock.advance(61s);
            winner = serve();
            EXPECT_FALSE(execution.renew(60s));
            EXPECT_FALSE(execution.advance("sent"));
        }
        return finish(execution);
    };
    const auto loser = serve();
    ASSERT_TRUE(winner);
    EXPECT_EQ(status(*winner), "stored");
    EXPECT_EQ(status(loser), "replayed");
    EXPECT_EQ(loser.body, winner->body);
    EXPECT_EQ(executions, 2);
    const auto conflicts = value(subject().conflicts(stored()->id));
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_EQ(conflicts[0].count, 3) << "renew, advance and finalize of the fenced owner";
}

// The key has gone to another request while its first owner slept.
TEST_P(IdempotentHandlers, WhoLostItsRecordIsToldNothingOfAnotherRequest)
{
    const auto finish = respond;
    std::optional<HttpResponse> other;
    respond = [&](Execution& execution) {
        if (executions == 1) {
            clock.advance(61s);
            serve();
            clock.advance(25h);
            other = serve(R"({"amount":555})");
        }
        return finish(execution);
    };
    const auto loser = serve();
    ASSERT_TRUE(other);
    EXPECT_EQ(status(*other), "stored");
    EXPECT_EQ(code(loser), "idempotency.fenced");
    EXPECT_EQ(loser.body.find("rf_3"), std::string::npos);
}

TEST_P(IdempotentHandlers, ATakeoverGoesOnWhereTheRecoveryPointIs)
{
    respond = [&](Execution& execution) -> Handled {
        EXPECT_TRUE(execution.advance("charged", R"({"charge":"ch_1"})"));
        return { { 503, {}, "" } };
    };
    serve();
    std::string effect;
    respond = [&](Execution& execution) -> Handled {
        EXPECT_EQ(execution.recoveryPoint(), "charged");
        EXPECT_EQ(
            nlohmann::json::parse(execution.recoveryData().value()), nlohmann::json::parse(R"({"charge":"ch_1"})"));
        effect = execution.effectId("payout");
        EXPECT_NE(effect, execution.effectId("mail"));
        return { { 503, {}, "" } };
    };
    clock.advance(1s);
    serve();
    respond = [&](Execution& execution) -> Handled {
        EXPECT_EQ(execution.effectId("payout"), effect) << "the same in every attempt";
        return { { 201, {}, "" } };
    };
    clock.advance(1s);
    serve();
    EXPECT_EQ(executions, 3);
}

TEST_P(IdempotentHandlers, OneTransactionKeepsAllOrNothing)
{
    route.mode = ContractMode::SingleTransaction;
    const auto insert = [&](Execution& execution) {
        // Any row of the same database stands for the business's.
        auto other = reservation(5, "p", "business" + std::to_string(executions));
        EXPECT_TRUE(subject().reserve(other));
        EXPECT_TRUE(execution.isKeyed());
    };
    respond = [&](Execution& execution) -> Handled {
        insert(execution);
        return { { 503, {}, "busy" } };
    };
    EXPECT_EQ(serve().status, 503);
    EXPECT_FALSE(stored()) << "rolled back: absent";
    EXPECT_FALSE(record("business1"));
    respond = [&](Execution& execution) -> Handled {
        insert(execution);
        return { { 422, {}, "no" } };
    };
    EXPECT_EQ(status(serve()), "stored");
    EXPECT_EQ(stored()->status, State::FailedFinal);
    EXPECT_FALSE(record("business2"));
    respond = [&](Execution& execution) -> Handled {
        insert(execution);
        return { { 201, {}, "yes" } };
    };
    EXPECT_EQ(serve("{}", "order-2").body, "yes");
    EXPECT_TRUE(record("business3"));
    EXPECT_EQ(status(serve("{}", "order-2")), "replayed");
    EXPECT_EQ(executions, 3);
    EXPECT_EQ(serve("{\"x\":1}", "order-2").status, 409);
    EXPECT_EQ(count("idempotency_conflicts"), 1) << "a refused duplicate is kept although nothing is executed";
}

TEST_P(IdempotentHandlers, OneTransactionTellsADuplicateOfItsProcessAtOnce)
{
    route.mode = ContractMode::SingleTransaction;
    std::optional<HttpResponse> duplicate;
    std::optional<HttpResponse> failed;
    respond = [&](Execution&) -> Handled {
        // The row is not committed yet and, on SQLite, nobody else can write to ask for it.
        auto& seen = executions == 1 ? failed : duplicate;
        seen = serve();
        return { { executions == 1 ? 503 : 201, {}, "done" } };
    };
    EXPECT_EQ(serve().status, 503);
    EXPECT_EQ(serve().status, 201) << "the turn of one that failed is over";
    for (const auto& seen : { failed, duplicate }) {
        ASSERT_TRUE(seen);
        EXPECT_EQ(seen->status, 409);
        EXPECT_EQ(code(*seen), "idempotency.in_progress");
        EXPECT_TRUE(lineOf(seen->headers, "Retry-After"));
    }
    EXPECT_EQ(status(serve()), "replayed");
    EXPECT_EQ(executions, 2);
}

TEST_P(IdempotentHandlers, FailsClosedWithoutItsStore)
{
    {
        auto dropped = main.connection->execute("DROP TABLE idempotency_records");
        ASSERT_TRUE(dropped);
    }
    const auto down = serve();
    EXPECT_EQ(down.status, 503);
    EXPECT_EQ(code(down), "DEPENDENCY.unavailable");
    EXPECT_TRUE(lineOf(down.headers, "Retry-After"));
    EXPECT_EQ(executions, 0);
    route.keyRequired = false;
    EXPECT_EQ(serve().status, 503);
    route.failOpen = true;
    EXPECT_EQ(serve().status, 201);
    EXPECT_EQ(executions, 1);
}

TEST_P(IdempotentHandlers, WhatIsFinishedIsToldHoweverBusyItIs)
{
    serve();
    turnAway = [](const HttpRequest&) { return TurnedAway{ 429, 3s }; };
    EXPECT_EQ(status(serve()), "replayed");
    const auto away = serve("{}", "order-2");
    EXPECT_EQ(away.status, 429);
    EXPECT_EQ(code(away), "RATE_LIMIT.exceeded");
    EXPECT_EQ(lineOf(away.headers, "Retry-After"), "3");
    EXPECT_FALSE(stored("order-2"));
    EXPECT_EQ(serve(R"({"amount":1})").status, 429) << "another request under the key learns nothing";
    EXPECT_EQ(executions, 1);
}

TEST_P(IdempotentHandlers, TheCacheNeverServesWhatIsOver)
{
    cache = std::make_unique<TerminalCache>();
    const auto first = serve();
    ASSERT_EQ(cache->size(), 1U);
    ASSERT_TRUE(main.connection->execute("UPDATE idempotency_records SET response_code = 299"));
    const auto cached = serve();
    EXPECT_EQ(cached.status, 201);
    EXPECT_EQ(cached.body, first.body);
    EXPECT_EQ(status(cached), "replayed");
    EXPECT_EQ(answers, std::vector{ Outcome::Replay }) << "it is told of like any other";
    EXPECT_NE(status(serve(R"({"amount":1})")), "replayed") << "another request is the store's to judge";
    clock.advance(60s);
    EXPECT_EQ(serve().status, 299) << "it is too old to be trusted";
    clock.advance(24h);
    EXPECT_EQ(status(serve()), "stored") << "its life is over";
    EXPECT_EQ(executions, 2);
}

TEST_P(IdempotentHandlers, AnOldKeyOfMoneyIsRefused)
{
    route.policy.staleKey.value = StaleKey::Reject;
    KeySource keys(clock, random);
    const auto key = value(keys.ulid());
    clock.advance(25h);
    const auto refused = serve("{}", key);
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(code(refused), "idempotency.key_expired");
    EXPECT_EQ(executions, 0);
    EXPECT_FALSE(stored(key));
}

TEST_P(IdempotentHandlers, WhatIsToBeCompletedIsRecordedOrRefused)
{
    const auto resume = [&](const std::string& principal, const std::string& scope) {
        return serve(HttpRequest{ "POST", "/v1/refunds",
            { { "Content-Type", "application/json" }, { "Idempotency-Key", "order-1" },
                { "Idempotency-Resume", scope } },
            R"({"amount":1000})", principal });
    };
    const std::string scope = R"("POST_/v1/refunds@tenant_1")";
    EXPECT_EQ(resume("tenant_1", scope).status, 412) << "there is no record yet";
    EXPECT_EQ(executions, 0);
    const auto succeed = std::exchange(respond, [](Execution&) { return Handled{ .response = { 503, {}, "" } }; });
    EXPECT_EQ(serve().status, 503);
    respond = succeed;
    for (const auto& [principal, expected] : std::vector<std::pair<std::string, std::string>>{ { "tenant_2", scope },
             { "tenant_2", R"("POST_/v1/refunds@tenant_2")" }, { "tenant_1", R"("POST_/v1/refunds@tenant_2")" },
             { "tenant_1", "" }, { "tenant_1", "POST_/v1/refunds@tenant_1" } }) {
        const auto refused = resume(principal, expected);
        EXPECT_EQ(refused.status, 412) << principal << expected;
        EXPECT_EQ(code(refused), "VALIDATION.idempotency_resume");
    }
    EXPECT_EQ(executions, 1) << "the first attempt";
    clock.advance(1min);
    EXPECT_EQ(resume("tenant_1", scope).status, 201);
    EXPECT_EQ(resume("tenant_1", scope).status, 201);
    EXPECT_EQ(executions, 2);
}

TEST_P(IdempotentHandlers, AnExpiredKeyTellsAnotherRequestNothing)
{
    route.policy.staleKey.value = StaleKey::Reject;
    const auto key = value(KeySource(clock, random).uuid7());
    EXPECT_EQ(serve(R"({"amount":1000})", key).status, 201);
    clock.advance(std::chrono::hours(24 * 1000));
    const auto same = serve(R"({"amount":1000})", key);
    const auto other = serve(R"({"amount":1001})", key);
    EXPECT_EQ(code(same), "idempotency.key_expired");
    EXPECT_EQ(code(other), "idempotency.key_expired");
    EXPECT_EQ(nlohmann::json::parse(other.body).count("reference"), 0U) << other.body;
    EXPECT_EQ(executions, 1);
}

TEST_P(IdempotentHandlers, ChecksItsRouteBeforehand)
{
    const auto refused = [&](const std::function<void(RouteContract&)>& change) {
        auto wrong = route;
        change(wrong);
        const auto handler = IdempotentHandler::create(wrong, { subject(), clock, random }, respond);
        return handler ? std::string() : handler.error().message;
    };
    EXPECT_EQ(refused([](RouteContract&) {}), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.mismatchStatus = 418; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.expiredStatus = 200; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.failOpen = true; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.mode = ContractMode::SingleTransaction; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.inFlight = InFlightAnswer::Accepted; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.policy.lease.value = {}; }), "");
    EXPECT_NE(refused([](RouteContract& wrong) { wrong.fingerprints.clear(); }), "");
}
