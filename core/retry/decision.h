// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/retry/policy.h"

namespace fencepost::retry {

// How an attempt ended, or why there was none.
enum class Ending {
    Answered, // status and headers came back
    NotSent, // DNS, refused, TLS before the request, REFUSED_STREAM, GOAWAY above the stream: nobody can have executed
             // it
    TimedOut, // after it was sent
    Lost, // reset, closed, or not sent again by the transport, after it was sent
    Cancelled, // by the caller, while it was on its way
    DeadlineOver, // before it was sent, as the three below
    BreakerOpen,
    BudgetEmpty,
    Shed, // too much load here: limiter, ladder or throttle
};

[[nodiscard]] std::string_view wordOf(Ending ending) noexcept; // "answered", "not_sent", "timed_out" …

struct Signal {
    Ending ending = Ending::Answered;
    int status = 0; // Answered
    std::optional<std::string> errorCode{}; // the answer's error_code
    std::optional<bool> shouldRetry{}; // Idempotency-Should-Retry, Stripe-Should-Retry
    bool replayed = false; // Idempotency-Status: replayed
    std::optional<Duration> retryAfter{}; // asked for by the server, or what is left until the breaker lets one try

    bool operator==(const Signal&) const = default;
};

// What an answer says about itself. Names of headers in any case, several Retry-After lines count as the largest one,
// what cannot be read counts as absent. The error_code is in the body, whose form the caller knows.
[[nodiscard]] Signal signalOfAnswer(
    int status, const std::vector<std::pair<std::string, std::string>>& headers, Time now);

// What a repetition does by the verb alone (RFC 9110 §9.2).
enum class Verb {
    Safe, // GET, HEAD, OPTIONS, TRACE: nothing happens, so nothing is in doubt
    Idempotent, // PUT, DELETE
    Unsafe, // POST, PATCH, and everything that nobody knows
};

[[nodiscard]] Verb verbOf(std::string_view method) noexcept; // case-sensitive, as methods are

enum class Verdict {
    Retry, // wait for `delay`, then send the same request with the same key
    Done, // the answer is the result
    Stop, // no attempt of this call has an effect that is not known
    Unknown, // stop too, but it may have happened: keep the key until somebody knows
};

[[nodiscard]] std::string_view wordOf(Verdict verdict) noexcept; // "retry", "done", "stop", "unknown"

enum class Cost { Normal, Throttle }; // of a retry, to a budget that tells them apart
enum class Health { Success, Failure, Neutral }; // to the breaker; neutral: says nothing about the dependency
enum class Load { Success, Dropped, Ignored }; // to the limiter

// A call as it stands when an attempt has ended.
struct Situation {
    Verb verb = Verb::Unsafe;
    bool hasKey = false;
    bool ownsRetries = true; // false: a layer above retries, so this one does not
    bool inDoubt = false; // an attempt before this one may have been executed
    bool mayBePoison = false; // its failure may be its own: a server that answers it is there for all others
    int attempts = 1; // that were made, this one included
    int widening = 1; // factor of every delay while there is too much load here
    Time startedAt{};
    Time now{};
    std::optional<Time> deadline{}; // the caller's; the policy's total counts besides
};

struct Decision {
    Verdict verdict = Verdict::Stop;
    Duration delay{}; // Retry
    std::optional<Duration> retryAfter{}; // what to tell whoever may come back later
    Cost cost = Cost::Normal;
    Health health = Health::Neutral;
    Load load = Load::Ignored;
    bool inDoubt = false; // for the situation of the next attempt
    std::string_view reason; // in words; for ever valid

    bool operator==(const Decision&) const = default;
};

// One row of protocol §3.6. The first row that fits a signal decides; a Retry still has to pass safety, attempts and
// time.
struct Rule {
    bool (*fits)(const Signal& signal, const Policy& policy);
    Verdict verdict; // never Unknown: that follows from the doubt
    Cost cost;
    std::string_view reason;
};

[[nodiscard]] std::span<const Rule> rules() noexcept;

// What to do after a signal. Pure but for what it draws from `delays` and `random`, which it does for a Retry only.
[[nodiscard]] Decision decide(
    const Signal& signal, const Policy& policy, const Situation& situation, Delays& delays, Random& random);

// How long an attempt that starts now may take: the policy's time for one, cut to what is left of the call. None: too
// little is left to start one.
[[nodiscard]] std::optional<Duration> attemptTimeout(const Policy& policy, const Situation& situation);

} // namespace fencepost::retry
