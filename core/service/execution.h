// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/outbound_ledger.h"
#include "core/protocol/http_message.h"
#include "core/service/heartbeat.h"
#include "core/service/running_keys.h"
#include "core/store.h"

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
    // Of the record's key, Store::livesOf().
    [[nodiscard]] Result<KeyLives> lives() const;
    // What was sent to vendors for the request, by this attempt and by those before it. None without a key.
    [[nodiscard]] Result<std::vector<OutboundCall>> calls(OutboundLedger& ledger) const;
    // The identity of one of its effects: H(scope, operation, key, request hash, step), the same in every attempt. As
    // the unique key of a business row, or the key of a call to a provider.
    [[nodiscard]] std::string effectId(std::string_view step) const;
    // The same as 32 octets. A call in a later life of the key has one of its own (CallDecision::call).
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
    // A call that may have had its effect: whoever fails now must not tell that nothing happened. callVendor() says it.
    void noteCalled() { m_called = true; }
    [[nodiscard]] bool hasCalled() const { return m_called; }
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
    Time m_startedAt;
    int m_attempt = 0;
    bool m_called = false;
    Bytes m_requestHash;
    std::string m_recoveryPoint;
    std::optional<std::string> m_recoveryData;
    RunningKeys* m_running = nullptr;
    std::string m_fingerprintAlg;
    friend class IdempotentHandler;
    std::vector<Reservation> m_refused; // while it committed
};

} // namespace fencepost
