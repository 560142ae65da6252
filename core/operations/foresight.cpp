// SPDX-License-Identifier: Apache-2.0
#include "core/operations/foresight.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/operations/applicability.h"
#include "core/protocol/effect.h"

namespace fencepost::operation {

namespace {

constexpr std::array verbs = {
    std::pair<std::string_view, Event>{ "fence", Event::OperatorFence },
    std::pair<std::string_view, Event>{ "release", Event::OperatorRelease },
    std::pair<std::string_view, Event>{ "expire", Event::OperatorExpire },
    std::pair<std::string_view, Event>{ "resolve", Event::OperatorResolve },
    std::pair<std::string_view, Event>{ "fail", Event::OperatorFail },
    std::pair<std::string_view, Event>{ "unexpire", Event::Unexpire },
    std::pair<std::string_view, Event>{ "reopen", Event::Reopen },
};

constexpr std::array resolutionWords = {
    std::pair<std::string_view, Resolution>{ "succeeded", Resolution::Succeeded },
    std::pair<std::string_view, Resolution>{ "failed", Resolution::FailedFinal },
    std::pair<std::string_view, Resolution>{ "retryable", Resolution::FailedRetryable },
    std::pair<std::string_view, Resolution>{ "takeover", Resolution::TakeOver },
};

// Far enough for every answer, and near enough to count with.
constexpr Duration horizon = std::chrono::hours(24 * 3650);

// Whatever somebody wrote into the row.
int countOf(const std::optional<std::int64_t>& count)
{
    return static_cast<int>(std::clamp<std::int64_t>(count.value_or(0), 0, INT32_MAX));
}

std::optional<Record> recordOf(const Row& row, Time now)
{
    const auto status = statusOf(row);
    if (!isStored(status))
        return std::nullopt;
    Record record;
    record.requestHash = "same";
    record.status = status;
    record.owner = { row.owner.value_or("") };
    record.fence = { row.fence.value_or(0) };
    record.attempt = countOf(row.attempts);
    record.maxAttempts = countOf(row.maxAttempts);
    record.leaseExpiresAt = row.leaseUntil;
    record.notBefore = row.nextAttemptAt;
    record.hold = row.hold;
    record.holdReason = row.holdReason;
    record.response.code = row.responseCode ? std::optional(countOf(row.responseCode)) : std::nullopt;
    record.createdAt = row.createdAt.value_or(now);
    record.startedAt = std::clamp(row.startedAt.value_or(record.createdAt), now - horizon, now + horizon);
    record.expiresAt = std::clamp(row.expiresAt.value_or(now + horizon), now - horizon, now + horizon);
    record.takeover = takeoverOf(row.takeover.value_or("")).value_or(Takeover::Manual);
    return record;
}

Trigger triggerOf(Event event, const Record& record, const std::map<std::string, std::string>& parameters)
{
    const auto given = [&](const char* name) {
        const auto found = parameters.find(name);
        return found == parameters.end() ? std::string() : found->second;
    };
    Trigger trigger;
    trigger.event = event;
    trigger.owner = { "operator" };
    trigger.fence = record.fence;
    trigger.nextFence = record.fence;
    trigger.reason = "foreseen";
    trigger.noHold = !given("no_hold").empty();
    trigger.resolution = resolutionOf(given("as")).value_or(Resolution::FailedFinal);
    int code = 0;
    const auto text = given("response_code");
    if (std::from_chars(text.data(), text.data() + text.size(), code).ec == std::errc())
        trigger.response.code = code;
    const auto tombstone = given("tombstone");
    if (const auto length = parseDuration(tombstone); !tombstone.empty() && length)
        trigger.tombstone = std::clamp(*length, Duration{}, horizon);
    return trigger;
}

Decision askedAgain(const Record& record, Bytes hash, Time now)
{
    Trigger trigger;
    trigger.event = Event::Reserve;
    trigger.owner = { "client" };
    trigger.nextFence = record.fence;
    trigger.requestHash = std::move(hash);
    trigger.takeover = record.takeover;
    trigger.maxAttempts = record.maxAttempts;
    trigger.ttl = Duration{};
    return decide(record, trigger, now);
}

std::string attemptsOf(const Record& record)
{
    return std::to_string(record.attempt) + " of " + std::to_string(record.maxAttempts);
}

// Why the machine does not simply execute it, where the answer alone does not tell.
std::string ground(const Foresight& foresight, Time now)
{
    const auto& after = foresight.after;
    const auto& same = foresight.same;
    switch (same.outcome) {
    case Outcome::Held:
        if (!same.writes)
            return {};
        return same.reason == "attempts_exhausted" ? " (attempts_exhausted: " + attemptsOf(after) + ")"
            : after.takeover == Takeover::Manual   ? " (" + same.reason + ": its takeover policy is manual)"
                                                   : " (" + same.reason + ")";
    case Outcome::Replay:
        return same.writes ? ": its attempts are spent (" + attemptsOf(after) + "), which closes the key"
                           : std::string();
    case Outcome::RetryLater:
        return after.notBefore ? " for another " + formatDuration(*after.notBefore - now) + ", then it executes"
                               : std::string();
    case Outcome::KeyExpired:
        return after.tombstoneUntil ? " for " + formatDuration(*after.tombstoneUntil - now) : std::string();
    case Outcome::Execute:
    case Outcome::InFlight:
    case Outcome::Mismatch:
    case Outcome::Applied:
    case Outcome::LostOwnership:
    case Outcome::Refused:
    case Outcome::NotFound:
        return {};
    }
    return {};
}

} // namespace

std::optional<Event> eventOfVerb(std::string_view verb) noexcept
{
    for (const auto& [word, event] : verbs)
        if (word == verb)
            return event;
    return std::nullopt;
}

std::optional<Resolution> resolutionOf(std::string_view word) noexcept
{
    for (const auto& [known, resolution] : resolutionWords)
        if (known == word)
            return resolution;
    return std::nullopt;
}

std::optional<Foresight> foresee(
    std::string_view verb, const Row& row, Time now, const std::map<std::string, std::string>& parameters)
{
    const auto event = eventOfVerb(verb);
    const auto before = recordOf(row, now);
    if (!event || !before)
        return std::nullopt;
    const auto done = decide(before, triggerOf(*event, *before, parameters), now);
    if (done.outcome != Outcome::Applied || !done.record)
        return std::nullopt;
    return Foresight{ *before, *done.record, askedAgain(*done.record, before->requestHash, now),
        askedAgain(*done.record, "other", now) };
}

bool closesKey(const Record& after, Time now)
{
    if (isTerminal(after.status))
        return after.status == State::FailedFinal;
    const auto same = askedAgain(after, after.requestHash, now);
    return same.outcome == Outcome::Replay && same.writes;
}

std::string answerOf(const Decision& decision)
{
    switch (decision.outcome) {
    case Outcome::Execute:
        return "executes";
    case Outcome::Replay: {
        if (!decision.record)
            return "is answered with the outcome";
        const auto& code = decision.record->response.code;
        return "is answered " + std::string(wordOf(decision.record->status))
            + (code ? ' ' + std::to_string(*code) : std::string());
    }
    case Outcome::InFlight:
        return "is told that it is in progress";
    case Outcome::Mismatch:
        return "is refused as another request";
    case Outcome::RetryLater:
        return "is told to retry later";
    case Outcome::Held:
        return "is held";
    case Outcome::KeyExpired:
        return "is refused by the tombstone";
    case Outcome::Applied:
    case Outcome::LostOwnership:
    case Outcome::Refused:
    case Outcome::NotFound:
        break;
    }
    return "is refused";
}

std::string clauseOf(const Foresight& foresight, Time now)
{
    return "the next same request " + answerOf(foresight.same) + ground(foresight, now);
}

} // namespace fencepost::operation
