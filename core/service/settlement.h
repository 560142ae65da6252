// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/service/http_contract.h"

namespace fencepost {

enum class Settlement {
    Done,
    Terminal, // the answer will not change: kept and replayed
    Transient, // it did not happen, and may be tried again
    Unknown, // nobody knows whether it happened
};

// What a handler answers. Without a settlement it follows from the status and the route's effect class.
struct Handled {
    HttpResponse response;
    std::optional<Settlement> settlement = {};
    std::optional<std::string> errorCode = {};
    std::optional<Duration> retryAfter = {}; // transient; none: the response's own, or at once
    std::optional<std::string> refType = {}; // the business object that stands for the response
    std::optional<std::string> refId = {};
    // Transient: whether the effect may be out there all the same, so that only who recognises a repetition may be
    // asked again. None: it follows, see isInDoubt().
    std::optional<bool> inDoubt = {};
};

// 2xx and 3xx are done. 401, 403, 407, 408, 409, 421, 423, 425 and 429 say nothing about the operation and may be tried
// again; other 4xx are terminal. 503 says that nothing happened. Any other 5xx is terminal where the effect was rolled
// back with it (only 500; 502 and 504 are transient), transient where a repeated effect is harmless, else unknown.
[[nodiscard]] Settlement settlementOf(const HttpResponse& response, EffectClass effect);
[[nodiscard]] Settlement settlementOf(const Handled& handled, const RouteContract& route);

// Whether somebody has to find out what a transient failure left where no attempt may follow it. Not where the effect
// is rolled back with it. A handler may know; else it is where a repetition is recognised, after any 5xx but 503 and
// after an attempt before this one, of which nobody says any more how it ended.
[[nodiscard]] bool isInDoubt(const Handled& handled, const RouteContract& route, int attempt);

// What is kept of an answer.
[[nodiscard]] Completion completionOf(const RouteContract& route, const Handled& handled);
[[nodiscard]] std::optional<Duration> retryAfterOf(const Handled& handled, Time now);

} // namespace fencepost
