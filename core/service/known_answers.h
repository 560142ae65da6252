// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/service/service_parts.h"

namespace fencepost {

// What can be told of a request without a reservation: its record is finished. Lives no longer than the route and the
// parts.
class KnownAnswers {
public:
    KnownAnswers(const RouteContract& route, const ServiceParts& parts)
        : m_route(route)
        , m_parts(parts)
    {
    }

    [[nodiscard]] std::optional<HttpResponse> cached(const Reservation& reservation) const;
    [[nodiscard]] std::optional<HttpResponse> stored(const Reservation& reservation) const;
    // Until the running request is done, or came to nothing; none: the caller's patience ended before that, which is at
    // `until` of the steady clock.
    [[nodiscard]] std::optional<HttpResponse> awaited(
        const Reservation& reservation, const Clock& steady, Time until) const;
    void remember(const Record& record) const;

private:
    [[nodiscard]] std::optional<HttpResponse> cameToNothing(const Reservation& reservation, bool ranHere) const;

    const RouteContract& m_route;
    const ServiceParts& m_parts;
};

} // namespace fencepost
