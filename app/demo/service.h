// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "app/demo/agenda.h"
#include "app/demo/requests.h"
#include "core/protocol/policy.h"
#include "core/store.h"

namespace fencepost::app {

// How the world treats the service at one instant.
enum class Weather { Fair, Outage, Deployment };

// What becomes of one execution.
enum class Fate {
    Succeeds,
    LosesAnswer, // succeeds, but the client does not hear of it
    Declined, // the provider says no, for good
    Transient, // the provider does not answer: may be retried
    Ambiguous, // nobody knows whether the provider did it
    Crashes, // before the provider was called
    CrashesLate, // after a recovery point
    Sleeps, // the worker stops for longer than its lease, then carries on
    Slow, // renews its lease until it is done
};

// A client's call: one request, sent until it is answered or the client gives up.
struct Call {
    Request request;
    int patience = 9; // sends before it stops trying
    int returns = 1; // times it comes back minutes later
    bool answered = false;
    std::optional<Fate> fate; // of the first execution; none: as the weather has it
};

// A payments service and its clients: several workers, one store, faults from the weather. Every change of the database
// is a call of Store on the agenda's clock, never a written row.
class Service {
public:
    using Forecast = Weather (*)(Time now, Time end);

    Service(Store& store, Agenda& agenda, const Policy& policy, Random& random, Forecast forecast, Time end);

    // Sends it now.
    Status send(const std::shared_ptr<Call>& call);
    // Looks up the outcome of a record with an ended lease at the provider, as the reconcile hook does.
    Status reconcile(const RecordId& id);

    [[nodiscard]] std::int64_t storeCalls() const { return m_calls; }

private:
    struct Execution {
        std::shared_ptr<Call> call;
        Claim claim;
        RoutePolicy policy;
    };

    Status answer(const std::shared_ptr<Call>& call, const Reserved& reserved, const RoutePolicy& policy);
    Status sendLater(const std::shared_ptr<Call>& call, Duration delay);
    Status execute(const Execution& execution);
    Status finishIn(const Execution& execution, Duration delay, bool heard);
    Status declineIn(const Execution& execution, Duration delay);
    Status failIn(const Execution& execution, Duration delay);
    Status advanceIn(const Execution& execution, Duration delay);
    Status keepRenewing(const Execution& execution, int times);
    [[nodiscard]] Fate fateOf(const Call& call);
    [[nodiscard]] Duration between(Duration least, Duration most);

    Store& m_store;
    Agenda& m_agenda;
    const Policy& m_policy;
    Random& m_random;
    Forecast m_forecast;
    Time m_end;
    std::int64_t m_calls = 0;
};

} // namespace fencepost::app
