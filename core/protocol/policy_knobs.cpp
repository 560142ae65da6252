// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/policy_knobs.h"

#include <array>
#include <limits>

#include <nlohmann/json.hpp>

namespace fencepost {

// Many short names of its own, which may not meet those of a neighbour in one unit.
namespace policy_table {
namespace {

using nlohmann::json;

Error refused(const std::string& where, const std::string& what)
{
    return { Failure::Invalid, where + ": " + what, {} };
}

std::string quoted(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

constexpr std::array effects = { EffectClass::LocalTransaction, EffectClass::ExternalIdempotent,
    EffectClass::External };
constexpr std::array takeovers = { Takeover::Auto, Takeover::Manual };
constexpr std::array staleKeys = { StaleKey::Execute, StaleKey::Reject };
constexpr std::array charsets = { KeyCharset::Ascii, KeyCharset::Utf8 };
constexpr std::array modes = { ContractMode::ReserveFinalize, ContractMode::SingleTransaction };
constexpr std::array inFlights = { InFlightAnswer::Conflict, InFlightAnswer::Accepted, InFlightAnswer::SeeOther,
    InFlightAnswer::Wait };
constexpr std::array failures = { FailureStorage::Classified, FailureStorage::All, FailureStorage::None };
constexpr std::array serverErrors = { retry::ServerErrors::All, retry::ServerErrors::Transient };
constexpr std::array deposits = { retry::DepositOn::Request, retry::DepositOn::Success };

std::string_view wordOf(KeyCharset charset)
{
    return charset == KeyCharset::Ascii ? "ascii" : "utf8";
}

std::string_view wordOf(retry::ServerErrors errors)
{
    return errors == retry::ServerErrors::All ? "all" : "transient";
}

std::string_view wordOf(retry::DepositOn deposit)
{
    return deposit == retry::DepositOn::Request ? "request" : "success";
}

// A number that is a word of the list is read like the word, as in 409.
template <const auto& words> auto readWord(const json& value, const std::string& where)
{
    using Value = std::remove_cvref_t<decltype(words[0])>;
    const auto said = value.is_string() ? value.get<std::string>()
        : value.is_number_integer()     ? value.dump()
                                        : std::string();
    std::string expected;
    for (const auto word : words) {
        if (said == wordOf(word))
            return Result<Value>(word);
        expected += (expected.empty() ? "" : ", ") + std::string(wordOf(word));
    }
    return Result<Value>(refused(where, quoted(value) + " is none of " + expected));
}

template <typename T> std::string showWord(const T& value)
{
    return std::string(wordOf(value));
}

template <bool zeroIsFine> Result<Duration> readSpan(const json& value, const std::string& where)
{
    if (!value.is_string())
        return refused(where, quoted(value) + " is not a duration; it is text with a unit, as in \"90s\"");
    const auto parsed = parseDuration(value.get_ref<const std::string&>());
    if (!parsed)
        return refused(where, parsed.error().message);
    if (*parsed < Duration::zero() || (*parsed == Duration::zero() && !zeroIsFine))
        return refused(where, quoted(value) + " is not longer than nothing");
    return *parsed;
}

// Two units are enough for people, but what is shown here may be written back.
std::string showSpan(const Duration& duration)
{
    auto text = formatDuration(duration);
    if (const auto again = parseDuration(text); again && *again == duration)
        return text;
    return std::to_string(duration.count()) + "us";
}

Result<bool> readFlag(const json& value, const std::string& where)
{
    if (!value.is_boolean())
        return refused(where, quoted(value) + " is neither true nor false");
    return value.get<bool>();
}

std::string showFlag(const bool& value)
{
    return value ? "true" : "false";
}

constexpr int any = std::numeric_limits<int>::max();

template <int least, int most> Result<int> readNumber(const json& value, const std::string& where)
{
    if (value.is_number_integer() && value >= least && value <= most)
        return value.get<int>();
    return refused(where,
        quoted(value) + " is not a whole number from " + std::to_string(least)
            + (most == any ? std::string() : " to " + std::to_string(most)));
}

Result<int> readAttempts(const json& value, const std::string& where)
{
    const auto number = readNumber<0, any>(value, where);
    return number ? number : Result<int>(refused(where, quoted(value) + " is not a whole number from 0 (no limit)"));
}

template <int first, int second, int third> Result<int> readStatus(const json& value, const std::string& where)
{
    for (const int status : { first, second, third })
        if (value.is_number_integer() && value == status)
            return status;
    return refused(where,
        quoted(value) + " is none of " + std::to_string(first) + ", " + std::to_string(second) + ", "
            + std::to_string(third));
}

std::string showNumber(const int& value)
{
    return std::to_string(value);
}

Result<std::string> readPreset(const json& value, const std::string& where)
{
    if (!value.is_string())
        return refused(where, quoted(value) + " is not the name of a preset");
    const auto preset = retry::presetOf(value.get_ref<const std::string&>());
    if (!preset)
        return refused(where, preset.error().message);
    return std::string(preset->name);
}

std::string showText(const std::string& value)
{
    return value;
}

template <auto setting, auto said, auto read, auto show>
constexpr Knob knob(std::string_view name, KnobGroup group, std::string_view meaning)
{
    return { name, group, meaning,
        [](const json& value, PolicyLayer& layer, const std::string& where) -> Status {
            auto taken = read(value, where);
            if (!taken)
                return taken.error();
            layer.*said = std::move(*taken);
            return {};
        },
        [](RoutePolicy& policy, const PolicyLayer& layer, Origin origin, const std::string& from) {
            if (layer.*said)
                policy.*setting = { *(layer.*said), origin, from };
        },
        [](const RoutePolicy& policy) -> SettingText {
            const auto& own = policy.*setting;
            return { {}, show(own.value), own.origin, own.from };
        } };
}

template <auto setting, auto said, bool zeroIsFine>
constexpr Knob span(std::string_view name, KnobGroup group, std::string_view meaning)
{
    return knob<setting, said, readSpan<zeroIsFine>, showSpan>(name, group, meaning);
}

template <auto setting, auto said, const auto& words>
constexpr Knob word(std::string_view name, KnobGroup group, std::string_view meaning)
{
    using Value = std::remove_cvref_t<decltype(words[0])>;
    return knob<setting, said, readWord<words>, showWord<Value>>(name, group, meaning);
}

template <auto setting, auto said, int least, int most>
constexpr Knob number(std::string_view name, KnobGroup group, std::string_view meaning)
{
    return knob<setting, said, readNumber<least, most>, showNumber>(name, group, meaning);
}

using P = RoutePolicy;
using L = PolicyLayer;
using G = KnobGroup;

constexpr std::array table = {
    word<&P::effect, &L::effect, effects>("effect", G::Record, "what a repeated execution would do"),
    word<&P::takeover, &L::takeover, takeovers>("takeover", G::Record, "who may go on after a lease ended"),
    knob<&P::financial, &L::financial, readFlag, showFlag>("financial", G::Record, "money moves"),
    word<&P::staleKey, &L::staleKey, staleKeys>("stale_key", G::Record, "a key older than its record"),
    span<&P::ttl, &L::ttl, false>("ttl", G::Record, "how long an answer is kept"),
    span<&P::lease, &L::lease, false>("lease", G::Record, "how long an owner is believed to work"),
    span<&P::renewEvery, &L::renewEvery, false>("renew_every", G::Service, "how often a lease in use is renewed"),
    span<&P::safetyMargin, &L::safetyMargin, false>(
        "safety_margin", G::Service, "an owner stops that long before its lease ends"),
    knob<&P::maxAttempts, &L::maxAttempts, readAttempts, showNumber>(
        "max_attempts", G::Record, "executions of one request; 0 is no limit"),
    span<&P::retryAfter, &L::retryAfter, true>("retry_after", G::Record, "told to a duplicate of a running request"),
    span<&P::tombstone, &L::tombstone, true>("tombstone", G::Record, "refused that long after it expired by hand"),
    span<&P::grace, &L::grace, true>("grace", G::Record, "kept that long after expiry"),
    span<&P::effects, &L::effects, false>("effects", G::Service, "how long an effect is remembered"),
    knob<&P::keyRequired, &L::keyRequired, readFlag, showFlag>("key_required", G::Service, "a missing key is 400"),
    number<&P::keyLongest, &L::keyLongest, 1, 255>("key_longest", G::Service, "characters of a key"),
    word<&P::keyCharset, &L::keyCharset, charsets>("key_charset", G::Service, "what a key may be made of"),
    knob<&P::mismatchStatus, &L::mismatchStatus, readStatus<409, 422, 400>, showNumber>(
        "mismatch_status", G::Service, "another request under a known key"),
    knob<&P::expiredStatus, &L::expiredStatus, readStatus<409, 410, 412>, showNumber>(
        "expired_status", G::Service, "a key that is too old"),
    word<&P::inFlight, &L::inFlight, inFlights>("in_flight", G::Service, "a duplicate of a running request"),
    span<&P::wait, &L::wait, false>("wait", G::Service, "how long in_flight wait waits"),
    word<&P::failureStorage, &L::failureStorage, failures>("failure_storage", G::Service, "which failures are kept"),
    word<&P::mode, &L::mode, modes>("mode", G::Service, "one transaction, or reserve and finalize"),
    knob<&P::failOpen, &L::failOpen, readFlag, showFlag>("fail_open", G::Service, "with the store down, run anyway"),
    span<&P::workTime, &L::workTime, false>("work_time", G::Service, "for a request that names no timeout"),
    span<&P::longestWork, &L::longestWork, false>("longest_work", G::Service, "for one that names a longer one"),
    number<&P::longestBody, &L::longestBody, 0, any>("longest_body", G::Service, "octets of a request"),
    number<&P::longestStored, &L::longestStored, 0, any>("longest_stored", G::Service, "octets of a kept answer"),
    number<&P::limiterStart, &L::limiterStart, 1, 100'000>("limiter_start", G::Service, "requests at once, at first"),
    number<&P::limiterLeast, &L::limiterLeast, 1, 100'000>("limiter_least", G::Service, "and never fewer"),
    number<&P::limiterMost, &L::limiterMost, 1, 100'000>("limiter_most", G::Service, "and never more"),
    number<&P::limiterBackoff, &L::limiterBackoff, 1, 99>("limiter_backoff", G::Service, "percent left after a drop"),
    span<&P::completerAge, &L::completerAge, true>("completer_age", G::Service, "begun that long ago"),
    span<&P::completerLastRun, &L::completerLastRun, true>("completer_last_run", G::Service, "not run since that long"),
    knob<&P::retryPreset, &L::retryPreset, readPreset, showText>("retry_preset", G::Client, "how a call is retried"),
    number<&P::retryAttempts, &L::retryAttempts, 1, 1000>("retry_attempts", G::Client, "the first one included"),
    span<&P::retryTotal, &L::retryTotal, true>("retry_total", G::Client, "of a call; 0s: its deadline alone"),
    span<&P::attemptTimeout, &L::attemptTimeout, false>("attempt_timeout", G::Client, "of one attempt"),
    word<&P::serverErrors, &L::serverErrors, serverErrors>("server_errors", G::Client, "which 5xx are retried"),
    number<&P::budgetPercent, &L::budgetPercent, 0, 1000>("budget_percent", G::Client, "retries, of the requests"),
    span<&P::budgetTtl, &L::budgetTtl, false>("budget_ttl", G::Client, "how long a request pays for them"),
    number<&P::budgetLeast, &L::budgetLeast, 0, 100'000>("budget_least", G::Client, "a second without any request"),
    word<&P::budgetDeposit, &L::budgetDeposit, deposits>(
        "budget_deposit", G::Client, "what pays: requests or successes"),
    number<&P::breakerPercent, &L::breakerPercent, 1, 100>("breaker_percent", G::Client, "failures that open it"),
    number<&P::breakerAttempts, &L::breakerAttempts, 1, 100'000>("breaker_attempts", G::Client, "before they count"),
    span<&P::breakerWindow, &L::breakerWindow, false>("breaker_window", G::Client, "in which they are counted"),
    span<&P::breakerOpen, &L::breakerOpen, false>("breaker_open", G::Client, "how long it is open, at first"),
    span<&P::breakerLongestOpen, &L::breakerLongestOpen, false>("breaker_longest_open", G::Client, "and never longer"),
    number<&P::breakerProbes, &L::breakerProbes, 1, 1000>("breaker_probes", G::Client, "that close it again"),
    number<&P::completerBatch, &L::completerBatch, 1, 100'000>(
        "completer_batch", G::Program, "requests in one pass of complete"),
    number<&P::reaperBatch, &L::reaperBatch, 1, 100'000>("reaper_batch", G::Program, "rows in one transaction of reap"),
    span<&P::outboxLease, &L::outboxLease, false>("outbox_lease", G::Program, "how long a relay's claim lasts"),
    number<&P::outboxBatch, &L::outboxBatch, 1, 10'000>(
        "outbox_batch", G::Program, "messages a relay claims at a time"),
    number<&P::outboxAttempts, &L::outboxAttempts, 1, 1000>(
        "outbox_attempts", G::Program, "before a message is dead; of the relay's schedule where nothing is said"),
    span<&P::webhookTimeout, &L::webhookTimeout, false>("webhook_timeout", G::Program, "of one delivery"),
    span<&P::webhookTolerance, &L::webhookTolerance, false>(
        "webhook_tolerance", G::Program, "between the clocks of who signs and who checks"),
    span<&P::inboxLease, &L::inboxLease, false>("inbox_lease", G::Program, "how long an event is its handler's"),
    number<&P::inboxAttempts, &L::inboxAttempts, 1, 1000>("inbox_attempts", G::Program, "before an event is dead"),
    span<&P::vendorTimeout, &L::vendorTimeout, false>("vendor_timeout", G::Program, "of one call of a vendor"),
};

} // namespace
} // namespace policy_table

std::span<const Knob> knobs() noexcept
{
    return policy_table::table;
}

} // namespace fencepost
