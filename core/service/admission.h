// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "core/service/http_contract.h"

namespace fencepost {

// What a request asks for, as far as its head says.
struct PassThrough { }; // a safe method, or an optional key that is not there
struct Keyed {
    RecordId id;
    Time deadline; // of the work, by the clock that admit() was told
};
using Admission = std::variant<PassThrough, Keyed, HttpResponse>; // a response refuses it

// Looks at the head alone, before the body is read: method, key, principal, the caller's time and Content-Length, in
// this order.
[[nodiscard]] Admission admit(const RouteContract& route, const HttpRequest& head, Time now);

// The wish of a request with its body: the fingerprints, and the route's policy. A response refuses the body.
[[nodiscard]] std::variant<Reservation, HttpResponse> reservationOf(
    const RouteContract& route, const HttpRequest& request, const RecordId& id, const Owner& owner);

// The request as its handler reads it: the body with every Content-Encoding taken off it. A response refuses the body.
[[nodiscard]] std::variant<HttpRequest, HttpResponse> withoutCoding(
    const RouteContract& route, const HttpRequest& request);

} // namespace fencepost
