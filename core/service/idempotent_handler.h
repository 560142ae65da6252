// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/protocol/keys.h"
#include "core/retry/steady_clock.h"
#include "core/service/admission.h"
#include "core/service/execution.h"
#include "core/service/known_answers.h"
#include "core/service/service_parts.h"
#include "core/service/settlement.h"

namespace fencepost {

using Handler = std::function<Handled(Execution& execution)>;

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
    void awaitTheStoresWord(const RecordId& id, Time deadline);
    // `turn`: of the running keys; null: the process keeps none.
    HttpResponse inTransaction(
        const HttpRequest& request, const Keyed& keyed, const Reservation& reservation, RunningKeys::Turn* turn);
    HttpResponse keepFailure(const Keyed& keyed, const Reservation& reservation, const Handled& handled);
    HttpResponse answer(const Keyed& keyed, const Reservation& reservation, const Reserved& reserved);
    HttpResponse unreserved(const HttpRequest& request, const Error& error, Time deadline);
    std::optional<HttpResponse> unrecorded(const HttpRequest& request, const RecordId& id);
    Handled run(Execution& execution);
    [[nodiscard]] LeaseTerms terms() const;
    [[nodiscard]] KnownAnswers known() const { return { m_route, m_parts }; }
    [[nodiscard]] const Clock& steady() const { return m_parts.steady != nullptr ? *m_parts.steady : m_steady; }

    RouteContract m_route;
    ServiceParts m_parts;
    Handler m_handler;
    KeySource m_keys;
    retry::SteadyClock m_steady;
};

} // namespace fencepost
