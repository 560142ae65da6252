// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/lab/cashier.h"
#include "app/lab/faulty_store.h"
#include "app/lab/lab.h"
#include "app/lab/mailer.h"
#include "app/lab/request_trace.h"
#include "app/lab/routes.h"
#include "core/service/idempotent_handler.h"
#include "core/telemetry/observed_store.h"

namespace fencepost::app {

// The spans of one request's calls, until they are written with its own.
class CollectedSpans final : public telemetry::SpanSink {
public:
    void record(telemetry::Span span) override { m_spans.push_back(std::move(span)); }
    [[nodiscard]] std::vector<telemetry::Span> take() { return std::exchange(m_spans, {}); }

private:
    std::vector<telemetry::Span> m_spans;
};

// What a worker has for as long as its connection: the store with its faults, whoever works with it, and the contract
// of every route over them. Used by one thread.
struct Desk {
    static Result<std::unique_ptr<Desk>> open(Lab& lab);

    // Of the request that is in work now.
    void setFaults(const FaultsOfRequest& drawn);
    // Null: it is no route of the contract's.
    [[nodiscard]] IdempotentHandler* handlerOf(const UnsafeRoute* route);
    // The request is answered: if it was executed, another one may have its place.
    void leave(const HttpResponse& answer);

    SystemClock clock;
    SystemRandom random;
    RequestTrace trace;
    CollectedSpans calls;
    bool standsStill = false; // so that nothing renews its lease
    telemetry::EventFan events;
    std::unique_ptr<store::Connection> connection;
    std::optional<store::SqlStore> sqlStore;
    std::optional<FaultyStore> faultyStore;
    std::optional<telemetry::ObservedStore> store;
    std::optional<Payouts> payouts;
    std::optional<Cashier> cashier;
    std::optional<Mailer> mailer;

private:
    struct Served {
        const UnsafeRoute* route;
        IdempotentHandler handler;
    };
    explicit Desk(Lab& lab);
    void staff();
    [[nodiscard]] ServiceParts parts();
    Handled carryOut(const UnsafeRoute& route, Execution& execution);
    std::optional<TurnedAway> enter(const HttpRequest& request);

    Lab& m_lab;
    std::optional<retry::Slot> m_place; // of the request that is executed
    std::vector<Served> m_served;
};

} // namespace fencepost::app
