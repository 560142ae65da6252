// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>

#include "app/ctl/commands.h"
#include "core/clock.h"
#include "core/retry/policy.h"
#include "core/retry/retry_after.h"

namespace fencepost::app {

namespace {

struct ScheduleOptions {
    std::string preset;
    std::string seed;
    std::optional<int> attempts;
    std::optional<std::string> retryAfter;
    std::string now;
    std::string jitter;
};

struct RetryAfterOptions {
    std::string value;
    std::string now;
};

// Whole milliseconds, rounded up: nobody comes earlier than was said.
std::int64_t milliseconds(Duration duration)
{
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

// With the seconds that a header would say, where the words have other units.
std::string waitInWords(Duration wait)
{
    const auto words = wait == Duration(0) ? "0s" : formatDuration(wait);
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
    return seconds < std::chrono::minutes(1) ? words : words + " (" + std::to_string(seconds.count()) + " s)";
}

// No delay of it is longer: a fixed table is spread upwards, so that nobody comes earlier than it says.
Duration longestOf(const retry::Backoff& backoff)
{
    return backoff.jitter == retry::Jitter::UpTo10 ? backoff.cap + backoff.cap / 10 : backoff.cap;
}

// The instant that --now names, or that of this computer.
Result<Time> instantOf(const std::string& text)
{
    return text.empty() ? Result<Time>(SystemClock().now()) : parseInstant(text);
}

Result<retry::Policy> policyOf(const ScheduleOptions& options)
{
    auto policy = retry::presetOf(options.preset);
    if (!policy)
        return policy.error();
    if (options.attempts)
        policy->attempts = *options.attempts;
    if (options.jitter.empty())
        return policy;
    const auto jitter = retry::jitterOf(options.jitter);
    if (!jitter)
        return jitter.error();
    policy->backoff.jitter = *jitter;
    return policy;
}

Result<std::optional<retry::RetryAfter>> askedFor(const ScheduleOptions& options)
{
    if (!options.retryAfter)
        return std::optional<retry::RetryAfter>();
    const auto now = instantOf(options.now);
    if (!now)
        return now.error();
    const auto parsed = retry::parseRetryAfter(*options.retryAfter, *now);
    if (!parsed)
        return parsed.error();
    return std::optional(*parsed);
}

// What an answer asks for that comes so long after the first attempt: of a date, what is left until it.
std::optional<Duration> askedAfter(const std::optional<retry::RetryAfter>& asked, Duration elapsed)
{
    if (!asked || !asked->date)
        return asked ? std::optional(asked->delay) : std::nullopt;
    return asked->delay > elapsed ? std::optional(asked->delay - elapsed) : std::nullopt;
}

// One attempt after the other, as they would be made if every one of them failed at once with the same answer.
json attemptsOf(const retry::Policy& policy, const std::optional<retry::RetryAfter>& asked, Random& random)
{
    json attempts = json::array();
    retry::Delays delays(policy.backoff);
    Duration elapsed{};
    for (int number = 1; number <= policy.attempts; ++number) {
        Duration delay{};
        retry::DelayRange range;
        if (number > 1) {
            range = retry::rangeOf(policy.backoff, number - 1);
            delay = retry::withRetryAfter(policy.retryAfter, delays.next(random), askedAfter(asked, elapsed), random);
        }
        elapsed += delay;
        attempts.push_back({ { "attempt", number }, { "delay_ms", milliseconds(delay) }, { "delay_us", delay.count() },
            { "least_ms", milliseconds(range.least) }, { "most_ms", milliseconds(range.most) },
            { "at_ms", milliseconds(elapsed) },
            { "in_time", !policy.total || elapsed + policy.leastAttempt <= *policy.total } });
    }
    return attempts;
}

int showSchedule(Context& context, const ScheduleOptions& options)
{
    const auto policy = policyOf(options);
    if (!policy)
        return context.usage(policy.error());
    const auto asked = askedFor(options);
    if (!asked)
        return context.usage(asked.error());
    // Short enough for readers whose numbers are doubles.
    const auto seed = options.seed.empty() ? Result<std::uint64_t>(context.random.next() >> 11U) : seedOf(options.seed);
    if (!seed)
        return context.usage(seed.error());
    SeededRandom random(*seed);
    const auto attempts = attemptsOf(*policy, *asked, random);
    json delays = json::array();
    for (const auto& attempt : attempts)
        delays.push_back(attempt["delay_ms"]);
    context.out.object({ { "preset", policy->name }, { "source", policy->source }, { "seed", *seed },
        { "jitter", wordOf(policy->backoff.jitter) }, { "attempts", policy->attempts },
        { "cap_ms", milliseconds(longestOf(policy->backoff)) }, { "bound_ms", milliseconds(policy->backoff.cap) },
        { "total_ms", policy->total ? json(milliseconds(*policy->total)) : json() },
        { "attempt_timeout_ms", milliseconds(policy->attemptTimeout) },
        { "retry_after_ms", *asked ? json(milliseconds((*asked)->delay)) : json() },
        { "dead_letters", policy->deadLetters }, { "delays_ms", delays }, { "schedule", attempts } });
    return Exit::Done;
}

int readRetryAfter(Context& context, const RetryAfterOptions& options)
{
    const auto now = instantOf(options.now);
    if (!now)
        return context.usage(now.error());
    const auto parsed = retry::parseRetryAfter(options.value, *now);
    if (!parsed)
        return context.usage(parsed.error());
    if (context.out.isJson()) {
        context.out.object({ { "value", options.value }, { "form", wordOf(parsed->form) },
            { "delay_ms", milliseconds(parsed->delay) }, { "date", orNull(parsed->date) },
            { "not_before", formatInstant(*now + parsed->delay) }, { "now", formatInstant(*now) },
            { "capped", parsed->capped }, { "wrong_weekday", parsed->wrongWeekday } });
        return Exit::Done;
    }
    context.out.line(waitInWords(parsed->delay) + ", not before " + formatInstant(*now + parsed->delay) + " ("
        + std::string(wordOf(parsed->form)) + ')');
    if (parsed->capped)
        context.out.note("It asks for more than can be waited, and was cut.");
    if (parsed->wrongWeekday)
        context.out.note("Its weekday is not that of its date.");
    return Exit::Done;
}

std::string presetNames()
{
    std::string names;
    for (const auto& policy : retry::presets())
        names += (names.empty() ? "" : ", ") + std::string(policy.name);
    return names;
}

void declareSchedule(CLI::App& command, ScheduleOptions& options)
{
    command.add_option("--preset", options.preset, "One of " + presetNames())->required();
    command.add_option("--seed", options.seed, "For the same delays again (default: a new one, which is printed)");
    command.add_option("--attempts", options.attempts, "Instead of the preset's, the first one included")
        ->check(CLI::Range(1, 1000));
    command.add_option("--retry-after", options.retryAfter, "What every answer asks for: seconds or an HTTP date");
    command.add_option("--now", options.now, "The instant that such a date is compared with (default: now)");
    command.add_option("--jitter", options.jitter, "Instead of the preset's: none, full, equal …");
}

} // namespace

Result<std::uint64_t> seedOf(const std::string& text)
{
    std::uint64_t seed = 0;
    const auto end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, seed); read.ec != std::errc() || read.ptr != end)
        return invalid("\"" + text + "\" is not a seed; expected a whole number up to 18446744073709551615");
    return seed;
}

void addRetryCommands(CLI::App& app, Context& context)
{
    auto* retry = app.add_subcommand("retry", "When a call is tried again");
    retry->require_subcommand(1);
    addCommand<ScheduleOptions>(*retry, context, "schedule",
        "The delays of a preset before each attempt, as one JSON object", declareSchedule, showSchedule);
    addCommand<RetryAfterOptions>(
        app, context, "retry-after", "How long a Retry-After asks to wait",
        [](CLI::App& command, RetryAfterOptions& options) {
            command.add_option("value", options.value, "The field's value: seconds or an HTTP date")->required();
            command.add_option("--now", options.now, "The instant that a date is compared with (default: now)");
        },
        readRetryAfter);
}

} // namespace fencepost::app
