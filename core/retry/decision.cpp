// SPDX-License-Identifier: Apache-2.0
#include "core/retry/decision.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"
#include "core/protocol/error_codes.h"
#include "core/protocol/http_message.h"
#include "core/retry/retry_after.h"

namespace fencepost::retry {

namespace {

bool isAnswer(const Signal& signal, int from, int to)
{
    return signal.ending == Ending::Answered && signal.status >= from && signal.status <= to;
}

bool isServerError(const Signal& signal)
{
    return isAnswer(signal, 500, 599);
}

// The answer's own word, where it is an error and the word is known.
std::optional<RetryAdvice> adviceOf(const Signal& signal)
{
    if (!isAnswer(signal, 400, 599) || !signal.errorCode)
        return std::nullopt;
    const auto* code = findErrorCode(*signal.errorCode);
    return code == nullptr ? std::nullopt : std::optional(code->retry);
}

template <Ending ending> bool endedAs(const Signal& signal, const Policy&)
{
    return signal.ending == ending;
}

template <int from, int to> bool answered(const Signal& signal, const Policy&)
{
    return isAnswer(signal, from, to);
}

template <RetryAdvice advice> bool coded(const Signal& signal, const Policy&)
{
    return adviceOf(signal) == advice;
}

template <bool retry> bool told(const Signal& signal, const Policy&)
{
    return isAnswer(signal, 400, 599) && signal.shouldRetry == retry;
}

// An answer that looks like a success and only says where to look, or to come again.
bool isNotSettledYet(const Signal& signal, const Policy&)
{
    if (!isAnswer(signal, 200, 399))
        return false;
    const auto* code = signal.errorCode ? findErrorCode(*signal.errorCode) : nullptr;
    return signal.shouldRetry == true || (code != nullptr && code->category == ErrorCategory::InFlight);
}

bool isReplayedServerError(const Signal& signal, const Policy&)
{
    return isServerError(signal) && signal.replayed;
}

bool isRequestTimeoutToRetry(const Signal& signal, const Policy& policy)
{
    return isAnswer(signal, 408, 408) && policy.retriesRequestTimeout;
}

bool isServerErrorToRetry(const Signal& signal, const Policy& policy)
{
    if (!isServerError(signal))
        return false;
    switch (policy.serverErrors) {
    case ServerErrors::All:
        return true;
    case ServerErrors::Transient:
        return signal.status == 500 || (signal.status >= 502 && signal.status <= 504);
    }
    return false;
}

bool always(const Signal&, const Policy&)
{
    return true;
}

constexpr std::array ruleTable = {
    Rule{ endedAs<Ending::Cancelled>, Verdict::Stop, Cost::Normal, "the caller cancelled it" },
    Rule{ endedAs<Ending::DeadlineOver>, Verdict::Stop, Cost::Normal, "the deadline is over" },
    Rule{ endedAs<Ending::BreakerOpen>, Verdict::Stop, Cost::Normal, "the breaker is open" },
    Rule{ endedAs<Ending::BudgetEmpty>, Verdict::Stop, Cost::Normal, "the retry budget is empty" },
    Rule{ endedAs<Ending::Shed>, Verdict::Stop, Cost::Normal, "too much load here" },
    Rule{ isNotSettledYet, Verdict::Retry, Cost::Normal, "the key's operation is not settled yet" },
    Rule{ answered<200, 299>, Verdict::Done, Cost::Normal, "it succeeded" },
    Rule{ answered<300, 399>, Verdict::Done, Cost::Normal, "a redirection is an answer" },
    Rule{ coded<RetryAdvice::AlreadyDone>, Verdict::Done, Cost::Normal, "the provider has done it already" },
    Rule{ endedAs<Ending::NotSent>, Verdict::Retry, Cost::Normal, "it was not sent, so it was not executed" },
    Rule{ told<false>, Verdict::Stop, Cost::Normal, "the server says not to retry" },
    Rule{ told<true>, Verdict::Retry, Cost::Normal, "the server says to retry" },
    Rule{ endedAs<Ending::TimedOut>, Verdict::Retry, Cost::Normal, "no answer came in time" },
    Rule{ endedAs<Ending::Lost>, Verdict::Retry, Cost::Normal, "the connection was lost" },
    Rule{ isReplayedServerError, Verdict::Stop, Cost::Normal, "a replayed answer is final" },
    Rule{ coded<RetryAdvice::SameKey>, Verdict::Retry, Cost::Normal, "the key's operation is not settled yet" },
    Rule{ coded<RetryAdvice::SameKeySlowly>, Verdict::Retry, Cost::Normal, "the key's outcome is not known yet" },
    Rule{ coded<RetryAdvice::AfterWait>, Verdict::Retry, Cost::Throttle, "the server asks to slow down" },
    Rule{ coded<RetryAdvice::Backoff>, Verdict::Retry, Cost::Normal, "the error's code is a transient one" },
    Rule{ coded<RetryAdvice::Never>, Verdict::Stop, Cost::Normal, "the error's code is a final one" },
    Rule{ answered<429, 429>, Verdict::Retry, Cost::Throttle, "the server asks to slow down" },
    Rule{ answered<425, 425>, Verdict::Retry, Cost::Normal, "it came too early" },
    Rule{ isRequestTimeoutToRetry, Verdict::Retry, Cost::Normal, "the server gave up waiting for the request" },
    Rule{ answered<400, 499>, Verdict::Stop, Cost::Normal, "the request is refused as it is" },
    Rule{ isServerErrorToRetry, Verdict::Retry, Cost::Normal, "the server failed" },
    Rule{ answered<500, 599>, Verdict::Stop, Cost::Normal, "the server failed in a way that lasts" },
    Rule{ always, Verdict::Stop, Cost::Normal, "the answer has no status that means anything" },
};

// Refusals that depend on the moment, and so say nothing about an attempt before them.
bool isOfTheMoment(int status)
{
    constexpr std::array moments = { 401, 403, 407, 408, 421, 423, 425, 429 };
    return std::find(moments.begin(), moments.end(), status) != moments.end();
}

// Whether an effect may be out there that nobody knows of, once this signal has come.
bool doubtAfter(const Signal& signal, const Situation& situation, bool done)
{
    if (situation.verb == Verb::Safe || done)
        return false;
    switch (signal.ending) {
    case Ending::NotSent:
    case Ending::DeadlineOver:
    case Ending::BreakerOpen:
    case Ending::BudgetEmpty:
    case Ending::Shed:
        return situation.inDoubt;
    case Ending::TimedOut:
    case Ending::Lost:
    case Ending::Cancelled:
        return true;
    case Ending::Answered:
        break;
    }
    const auto* code = signal.errorCode ? findErrorCode(*signal.errorCode) : nullptr;
    if (code != nullptr && code->category == ErrorCategory::InFlight)
        return true;
    if (code != nullptr && code->category == ErrorCategory::Validation)
        return false;
    if (code != nullptr && (code->category == ErrorCategory::RateLimit || code->code == "idempotency.key_expired"))
        return situation.inDoubt;
    if (isServerError(signal)) {
        const bool refusedUnseen = signal.status == 501 || signal.status == 505;
        return refusedUnseen ? situation.inDoubt : !signal.replayed;
    }
    if (isAnswer(signal, 400, 499))
        return isOfTheMoment(signal.status) && situation.inDoubt;
    return true;
}

bool isShedding(const Signal& signal)
{
    return adviceOf(signal) == RetryAdvice::AfterWait;
}

bool asksToSlowDown(const Signal& signal)
{
    return isAnswer(signal, 429, 429) || isShedding(signal);
}

Health healthOf(const Signal& signal, const Situation& situation)
{
    switch (signal.ending) {
    case Ending::NotSent:
    case Ending::TimedOut:
    case Ending::Lost:
        return Health::Failure;
    case Ending::Cancelled:
    case Ending::DeadlineOver:
    case Ending::BreakerOpen:
    case Ending::BudgetEmpty:
    case Ending::Shed:
        return Health::Neutral;
    case Ending::Answered:
        break;
    }
    if (isAnswer(signal, 200, 399))
        return Health::Success;
    // What was stored long ago is no news about now, and a server that sheds load is not broken.
    if (signal.replayed || isShedding(signal))
        return Health::Neutral;
    const bool ofAGateway = isAnswer(signal, 502, 504);
    if (situation.mayBePoison && !ofAGateway)
        return Health::Success;
    return isServerError(signal) ? Health::Failure : Health::Neutral;
}

Load loadOf(const Signal& signal)
{
    switch (signal.ending) {
    case Ending::TimedOut:
    case Ending::Lost:
        return Load::Dropped;
    case Ending::Answered:
        return signal.status == 503 || asksToSlowDown(signal) ? Load::Dropped : Load::Success;
    case Ending::NotSent:
    case Ending::Cancelled:
    case Ending::DeadlineOver:
    case Ending::BreakerOpen:
    case Ending::BudgetEmpty:
    case Ending::Shed:
        break;
    }
    return Load::Ignored;
}

// When the whole call has to be over; none: never.
std::optional<Time> endOf(const Policy& policy, const Situation& situation)
{
    auto end = situation.deadline;
    if (policy.total && (!end || situation.startedAt + *policy.total < *end))
        end = situation.startedAt + *policy.total;
    return end;
}

// Why the rule's Retry is none; empty: it is one.
std::string_view whyNotAgain(const Signal& signal, const Policy& policy, const Situation& situation)
{
    if (signal.ending != Ending::NotSent && !situation.hasKey && situation.verb == Verb::Unsafe)
        return "it was sent without a key, and its verb may not be repeated";
    if (!situation.ownsRetries)
        return "another layer owns the retries";
    if (situation.attempts >= policy.attempts)
        return policy.deadLetters ? "all attempts are used: to the dead letters" : "all attempts are used";
    return {};
}

Decision stopped(Decision decision, std::string_view reason)
{
    decision.verdict = decision.inDoubt ? Verdict::Unknown : Verdict::Stop;
    decision.reason = reason;
    decision.delay = Duration(0);
    return decision;
}

} // namespace

std::string_view wordOf(Ending ending) noexcept
{
    switch (ending) {
    case Ending::Answered:
        return "answered";
    case Ending::NotSent:
        return "not_sent";
    case Ending::TimedOut:
        return "timed_out";
    case Ending::Lost:
        return "lost";
    case Ending::Cancelled:
        return "cancelled";
    case Ending::DeadlineOver:
        return "deadline_over";
    case Ending::BreakerOpen:
        return "breaker_open";
    case Ending::BudgetEmpty:
        return "budget_empty";
    case Ending::Shed:
        return "shed";
    }
    return "";
}

std::string_view wordOf(Verdict verdict) noexcept
{
    switch (verdict) {
    case Verdict::Retry:
        return "retry";
    case Verdict::Done:
        return "done";
    case Verdict::Stop:
        return "stop";
    case Verdict::Unknown:
        return "unknown";
    }
    return "";
}

Signal signalOfAnswer(int status, const std::vector<std::pair<std::string, std::string>>& headers, Time now)
{
    Signal signal;
    signal.status = status;
    std::vector<std::string> waits;
    for (const auto& [name, value] : headers) {
        const auto lower = asciiLower(name);
        const auto word = asciiLower(withoutBlanks(value));
        if (lower == "retry-after")
            waits.push_back(value);
        else if (lower == "idempotency-status")
            signal.replayed = word == "replayed";
        else if ((lower == "idempotency-should-retry" || lower == "stripe-should-retry")
            && (word == "true" || word == "false"))
            signal.shouldRetry = word == "true";
    }
    if (const auto wait = largestRetryAfter(waits, now))
        signal.retryAfter = wait->delay;
    return signal;
}

Verb verbOf(std::string_view method) noexcept
{
    if (isSafeMethod(method))
        return Verb::Safe;
    return method == "PUT" || method == "DELETE" ? Verb::Idempotent : Verb::Unsafe;
}

std::span<const Rule> rules() noexcept
{
    return ruleTable;
}

Decision decide(const Signal& signal, const Policy& policy, const Situation& situation, Delays& delays, Random& random)
{
    // The last rule fits everything.
    const auto& rule =
        *std::find_if(ruleTable.begin(), ruleTable.end(), [&](const Rule& row) { return row.fits(signal, policy); });
    Decision decision;
    decision.verdict = rule.verdict;
    decision.reason = rule.reason;
    decision.cost = rule.cost;
    // A hint says whether to come back, the answer still says how much it was.
    if (rule.verdict == Verdict::Retry && asksToSlowDown(signal))
        decision.cost = Cost::Throttle;
    decision.retryAfter = signal.retryAfter;
    decision.health = healthOf(signal, situation);
    decision.load = loadOf(signal);
    decision.inDoubt = doubtAfter(signal, situation, rule.verdict == Verdict::Done);
    if (rule.verdict == Verdict::Done)
        return decision;
    if (rule.verdict == Verdict::Stop)
        return stopped(decision, rule.reason);
    if (const auto why = whyNotAgain(signal, policy, situation); !why.empty())
        return stopped(decision, why);
    const auto drawn = delays.next(random, decision.cost == Cost::Throttle) * situation.widening;
    decision.delay = withRetryAfter(policy.retryAfter, drawn, signal.retryAfter, random);
    // To sleep and then to fail helps nobody, and to come earlier than asked would be rude.
    if (const auto end = endOf(policy, situation); end && *end - situation.now < decision.delay + policy.leastAttempt)
        return stopped(decision,
            decision.delay > drawn ? "the server asks for more time than is left"
                                   : "too little time is left for another attempt");
    return decision;
}

std::optional<Duration> attemptTimeout(const Policy& policy, const Situation& situation)
{
    const auto end = endOf(policy, situation);
    if (!end)
        return policy.attemptTimeout;
    const auto left = *end - situation.now;
    return left < policy.leastAttempt ? std::nullopt : std::optional(std::min(policy.attemptTimeout, left));
}

} // namespace fencepost::retry
