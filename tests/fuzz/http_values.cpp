// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/http_message.h"
#include "core/retry/deadline.h"
#include "core/retry/retry_after.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

void checkRetryAfter(std::string_view value, Time now)
{
    const auto read = retry::parseRetryAfter(value, now);
    const std::string lines[] = { std::string(value), "7" };
    const auto largest = retry::largestRetryAfter(lines, now);
    require(largest && largest->delay >= seconds(7), "the largest line counts");
    if (!read) {
        require(read.error().code == "VALIDATION.retry_after", "the refusal has its code", read.error().code);
        return fuzz::requireRefusal(read.error(), value.size());
    }
    require(read->delay >= Duration(0) && read->delay <= retry::longestRetryAfter, "a delay is no past and has an end");
    require(largest->delay >= read->delay, "the largest line counts");
    require(read->date.has_value() == (read->form != retry::RetryAfterForm::Seconds), "a date is kept as it was said");
    if (!read->date)
        return;
    const auto text = httpDate(*read->date);
    const auto again = retry::parseRetryAfter(text, now);
    // The second 60 of the last minute that has four digits of a year is in the year 10000.
    if (*read->date >= std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1))
        return;
    require(again && again->form == retry::RetryAfterForm::ImfFixdate && again->date == read->date
            && !again->wrongWeekday && again->delay == read->delay,
        "a date is written as it is read", text);
}

void checkTimeout(std::string_view value)
{
    const auto read = retry::parseRequestTimeout(value);
    if (!read) {
        require(read.error().code == "VALIDATION.request_timeout", "the refusal has its code", read.error().code);
        return fuzz::requireRefusal(read.error(), value.size());
    }
    require(*read >= Duration(0), "a budget is no debt");
    const auto again = retry::parseRequestTimeout(retry::formatRequestTimeout(*read));
    require(
        again && *again <= *read && *read - *again < std::chrono::milliseconds(1), "a budget is written as it is read");
    const auto left = retry::forwardedBudget(*read, microseconds(1));
    require(!left || *left < *read, "what is handed on is less");
}

void checkInstant(std::string_view value)
{
    const auto read = parseInstant(value);
    if (!read)
        return fuzz::requireRefusal(read.error(), value.size());
    const auto again = parseInstant(formatInstant(*read));
    require(again && *again == *read, "an instant is written as it is read", formatInstant(*read));
}

void checkDuration(std::string_view value)
{
    const auto read = parseDuration(value);
    if (!read)
        return fuzz::requireRefusal(read.error(), value.size());
    const auto text = formatDuration(*read);
    require(!text.empty() && text.size() < 40, "a span is written short", text);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    const auto day = seconds(86'400);
    const Time now(seconds(1'792'567'680));
    for (const auto at :
        { now, Time(), now - day * 365 * 100, Time(std::chrono::sys_days(std::chrono::year(9'999) / 12 / 31)) })
        checkRetryAfter(text, at);
    checkTimeout(text);
    checkInstant(text);
    checkDuration(text);
    return 0;
}
