// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/service/http_contract.h"

namespace fencepost {

// What a reservation that was not won is answered. Not for Outcome::Execute.
[[nodiscard]] HttpResponse answerOf(const RouteContract& route, const RecordId& id, const Reserved& reserved);
// The stored answer of a terminal record.
[[nodiscard]] HttpResponse replayOf(const RouteContract& route, const Record& record);
[[nodiscard]] HttpResponse storeDown(const RouteContract& route);

// The first answer to its own caller.
[[nodiscard]] HttpResponse firstAnswer(HttpResponse response, const Record& record);
// To an owner that lost its record before it could finish. What the winner was answered is told to the same request
// alone: the key may have gone to another one meanwhile.
[[nodiscard]] HttpResponse fencedAnswer(
    const RouteContract& route, const Bytes& requestHash, const std::optional<Record>& winner, Time now);

} // namespace fencepost
