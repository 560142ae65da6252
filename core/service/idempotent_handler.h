// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/protocol/keys.h"
#include "core/retry/steady_clock.h"
#include "core/service/heartbeat.h"
#include "core/service/http_contract.h"
#include "core/service/running_keys.h"
#include "core/service/terminal_cache.h"

namespace fencepost {

// What a handler is given: the request and, where it is keyed, the right to carry it out. Lives as long as the call.
class Execution {
public:
    // What a keyed execution stands on; all of it outlives it.
    struct Ground {
        Store& store;
        Claim claim;
        const Record& record;
        LeaseTerms terms;
        const Heartbeat::Beat* beat = nullptr;
        RunningKeys* running = nullptr;
    };
    // While it lives, the process itself tells duplicates what it knows.
    class Commit {
    public:
        explicit Commit(Execution& execution);
        ~Commit();
        Commit(const Commit&) = delete;
        Commit& operator=(const Commit&) = delete;

    private:
        Execution& m_execution;
        std::optional<RunningKeys::Turn> m_turn;
    };
    // `steady`: what the deadline is an instant of.
    Execution(const HttpRequest& request, Time deadline, const Clock& steady, std::optional<Ground> ground);

    [[nodiscard]] const HttpRequest& request() const { return m_request; }
    [[nodiscard]] Time deadline() const { return m_deadline; } // by ServiceParts::steady
    // How long whoever asks will wait for what is still to be done; never under zero.
    [[nodiscard]] Duration left() const;
    // Whoever asks comes back by himself (X-Retry-Owner, or this is not his first attempt): what the handler calls is
    // called once.
    [[nodiscard]] bool callerRetries() const;
    [[nodiscard]] bool isKeyed() const { return m_store != nullptr; }
    // Of a keyed execution only.
    [[nodiscard]] const Claim& claim() const { return m_claim; }
    // As the record has it: what else is written for the request is found by it.
    [[nodiscard]] const std::optional<std::string>& correlationId() const { return m_correlationId; }
    [[nodiscard]] int attempt() const { return m_attempt; }
    [[nodiscard]] const std::string& recoveryPoint() const { return m_recoveryPoint; }
    [[nodiscard]] const std::optional<std::string>& recoveryData() const { return m_recoveryData; }
    // The identity of one of its effects: H(scope, operation, key, request hash, step), the same in every attempt. As
    // the unique key of a business row, or the key of a call to a provider.
    [[nodiscard]] std::string effectId(std::string_view step) const;
    // The same as 32 octets.
    [[nodiscard]] Bytes effectKey(std::string_view step) const;
    // False: the record was taken away. Whatever is not done yet must not be done any more.
    [[nodiscard]] bool renew(Duration lease);
    // For a handler of long steps, between them and before each that reaches outside: renews where a third of the lease
    // is over. Answers as renew() does.
    [[nodiscard]] bool renewIfDue();
    // A heartbeat lost the record, as far as it knows by now.
    [[nodiscard]] bool isLost() const;
    [[nodiscard]] const LeaseTerms& terms() const { return m_terms; }
    [[nodiscard]] bool advance(const std::string& recoveryPoint, const std::optional<std::string>& data = {});
    // Around a transaction of the handler's own that holds the record's lock (EffectGuard::owns), which duplicates
    // would wait for.
    [[nodiscard]] Commit commits() { return Commit(*this); }

private:
    const HttpRequest& m_request;
    Time m_deadline;
    const Clock& m_steady;
    Store* m_store = nullptr;
    Claim m_claim;
    std::optional<std::string> m_correlationId;
    LeaseTerms m_terms;
    const Heartbeat::Beat* m_beat = nullptr;
    Time m_renewedAt;
    int m_attempt = 0;
    Bytes m_requestHash;
    std::string m_recoveryPoint;
    std::optional<std::string> m_recoveryData;
    RunningKeys* m_running = nullptr;
    std::string m_fingerprintAlg;
    friend class IdempotentHandler;
    std::vector<Reservation> m_refused; // while it committed
};

using Handler = std::function<Handled(Execution& execution)>;

// Why a request is not let in at the moment: a limiter, shedding or an open breaker said so.
struct TurnedAway {
    int status = 503; // or 429
    Duration retryAfter = std::chrono::seconds(1); // with its jitter
};

// What a service gives. Everything outlives the handler; none of them is required but the first three.
struct ServiceParts {
    Store& store;
    const Clock& clock;
    Random& random;
    // Runs its argument in one transaction of the store, which the business writes join: SqlStore::together. Required
    // for ContractMode::SingleTransaction.
    std::function<Status(const std::function<Status()>&)> together = {};
    std::function<std::optional<TurnedAway>(const HttpRequest&)> turnAway = {};
    // Of deadlines and renewals, so that a clock that is set gives nobody an hour more or less. None: the computer's
    // own that never steps.
    const Clock* steady = nullptr;
    std::function<void(Duration)> sleep = {}; // for InFlightAnswer::Wait; none: the thread sleeps
    TerminalCache* cache = nullptr;
    RunningKeys* running = nullptr; // of the process: duplicates of what runs here need not wait for its locks
    // What was answered without the store: telemetry::ObservedStore::answered.
    std::function<void(const Reservation&, const Reserved&)> answered = {};
    // What keeps the lease of an execution outside of a transaction; none, or null: the handler renews, where it must.
    std::function<Heartbeat*(const HttpRequest&)> heartbeat = {};
};

// The contract of protocol §3.5 around a handler: method, key, principal, body, stored answer, limiter, reservation,
// handler, in this order. Used by one thread at a time, like its store.
class IdempotentHandler {
public:
    // Invalid: the route asks for what the parts do not have, or has an impossible value.
    static Result<IdempotentHandler> create(RouteContract route, ServiceParts parts, Handler handler);

    // For the head alone, so that a body that would be refused is not read. None: go on.
    [[nodiscard]] std::optional<HttpResponse> refuse(const HttpRequest& head) const;
    [[nodiscard]] HttpResponse serve(const HttpRequest& request);

private:
    IdempotentHandler(RouteContract route, ServiceParts parts, Handler handler);

    HttpResponse answerTo(const HttpRequest& request);
    HttpResponse serveKeyed(const HttpRequest& request, const Keyed& keyed);
    HttpResponse reserveAndFinalize(const HttpRequest& request, const Keyed& keyed, const Reservation& reservation);
    // The request is among those that run here, with its record locked; none: it is not.
    std::optional<HttpResponse> besideRunning(const Keyed& keyed, const Reservation& reservation);
    void journal(const std::vector<Reservation>& refused);
    HttpResponse inOneTransaction(const HttpRequest& request, const Keyed& keyed, const Reservation& reservation);
    HttpResponse inTransaction(const HttpRequest& request, const Keyed& keyed, const Reservation& reservation);
    HttpResponse keepFailure(const Keyed& keyed, const Reservation& reservation, const Handled& handled);
    HttpResponse conclude(const Reservation& reservation, const Record& record, const Handled& handled);
    HttpResponse answer(const Keyed& keyed, const Reservation& reservation, const Reserved& reserved);
    HttpResponse unreserved(const HttpRequest& request, const Error& error, Time deadline);
    std::optional<HttpResponse> storedAnswer(const Reservation& reservation);
    std::optional<HttpResponse> unrecorded(const HttpRequest& request, const RecordId& id);
    std::optional<HttpResponse> cachedAnswer(const Reservation& reservation);
    std::optional<HttpResponse> awaitAnswer(const Keyed& keyed, const Reservation& reservation);
    Handled run(Execution& execution);
    [[nodiscard]] LeaseTerms terms() const;
    [[nodiscard]] const Clock& steady() const { return m_parts.steady != nullptr ? *m_parts.steady : m_steady; }
    void remember(const Record& record);

    RouteContract m_route;
    ServiceParts m_parts;
    Handler m_handler;
    KeySource m_keys;
    retry::SteadyClock m_steady;
};

} // namespace fencepost
