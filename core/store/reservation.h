// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/store.h"
#include "core/store/judge.h"
#include "core/store/native.h"

namespace fencepost::store {

Status check(const Reservation& reservation);
[[nodiscard]] Trigger triggerOf(const Reservation& reservation);
// The values of reserve.sql; they view the reservation.
[[nodiscard]] Parameters parametersOf(const Reservation& reservation, const std::optional<Time>& now);
// What the request itself adds to a record that it takes over. The protocol has no opinion about it.
[[nodiscard]] Completing requestOf(const Reservation& reservation);
// Whether the key's own time may refuse it.
[[nodiscard]] bool mayBeStale(const Reservation& reservation);
// previous_status of a record that expired before its retry: the journal shows EXPIRED and says "retried".
inline constexpr std::string_view expiredRetryable = "EXPIRED_RETRYABLE";
[[nodiscard]] std::string shownBefore(const std::string& previous);
// The journal's words for a reservation that won, by the state before and the attempt that it began.
[[nodiscard]] std::string reasonOf(const std::string& previous, int attempt);

} // namespace fencepost::store
