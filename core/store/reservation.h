// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store.h"
#include "core/store/judge.h"
#include "core/store/native.h"

namespace fencepost::store {

// The values of reserve.sql; they view the reservation.
[[nodiscard]] Parameters parametersOf(const Reservation& reservation, const std::optional<Time>& now);
// The stored form of the request's headers; none: there are none to keep.
[[nodiscard]] std::optional<std::string> requestHeadersText(const Reservation& reservation);
// Of a record that this reservation took over or began anew, in the same transaction.
Status keepRequestHeaders(Connection& connection, const Reservation& reservation, const Record& record);
// What the request itself adds to a record that it begins or takes over. The protocol has no opinion about it.
[[nodiscard]] Completing requestOf(const Reservation& reservation);
// Whether the key's own time may refuse it.
[[nodiscard]] bool mayBeStale(const Reservation& reservation);

} // namespace fencepost::store
