// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/random.h"
#include "core/retry/retry_after.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Time now = *parseInstant("2026-10-21T07:28:00Z"); // a Wednesday

// In words: "60s seconds", "absent".
std::string read(std::string_view value, Time at = now)
{
    const auto parsed = parseRetryAfter(value, at);
    if (!parsed)
        return "absent";
    return std::to_string(parsed->delay / 1s) + "s " + std::string(wordOf(parsed->form))
        + (parsed->capped ? " capped" : "") + (parsed->wrongWeekday ? " wrong weekday" : "");
}

TEST(RetryAfter, ReadsSeconds)
{
    EXPECT_EQ(read("120"), "120s seconds");
    EXPECT_EQ(read("0"), "0s seconds");
    EXPECT_EQ(read(" 5 "), "5s seconds");
    EXPECT_EQ(read("\t5"), "5s seconds");
    EXPECT_EQ(read("007"), "7s seconds");
    EXPECT_EQ(read("2147483648"), "2147483648s seconds");
    EXPECT_EQ(read("2147483649"), "2147483648s seconds capped");
    EXPECT_EQ(read("99999999999999999999"), "2147483648s seconds capped");
}

TEST(RetryAfter, ReadsAllThreeFormsOfADate)
{
    EXPECT_EQ(read("Wed, 21 Oct 2026 07:29:00 GMT"), "60s imf_fixdate");
    EXPECT_EQ(read("Wednesday, 21-Oct-26 07:29:00 GMT"), "60s rfc850");
    EXPECT_EQ(read("Wed Oct 21 07:29:00 2026"), "60s asctime");
    EXPECT_EQ(read("Sun Nov  1 07:28:00 2026"), "950400s asctime");
    EXPECT_EQ(read("Sun Nov 01 07:28:00 2026"), "950400s asctime");
    EXPECT_EQ(parseRetryAfter("Wed, 21 Oct 2026 07:29:00 GMT", now)->date, now + 60s);
    EXPECT_EQ(parseRetryAfter("120", now)->date, std::nullopt);
}

TEST(RetryAfter, TakesAPastDateForNow)
{
    EXPECT_EQ(read("Wed, 21 Oct 2026 07:28:00 GMT"), "0s imf_fixdate");
    EXPECT_EQ(read("Wed, 21 Oct 2026 07:27:59 GMT"), "0s imf_fixdate");
    EXPECT_EQ(read("Thu, 01 Jan 1970 00:00:00 GMT"), "0s imf_fixdate");
    EXPECT_EQ(read("Sat, 01 Jan 0000 00:00:00 GMT"), "0s imf_fixdate");
}

TEST(RetryAfter, KeepsPartsOfASecondOfNow)
{
    EXPECT_EQ(parseRetryAfter("Wed, 21 Oct 2026 07:28:01 GMT", now + 250ms)->delay, 750ms);
}

TEST(RetryAfter, TakesALeapSecondForTheNextMinute)
{
    EXPECT_EQ(read("Wed, 21 Oct 2026 07:28:60 GMT"), "60s imf_fixdate");
    EXPECT_EQ(read("Wed, 21 Oct 2026 23:59:60 GMT"), "59520s imf_fixdate");
    EXPECT_EQ(read("Wed, 21 Oct 2026 07:28:61 GMT"), "absent");
}

TEST(RetryAfter, AcceptsAndFlagsAWrongWeekday)
{
    EXPECT_EQ(read("Mon, 21 Oct 2026 07:29:00 GMT"), "60s imf_fixdate wrong weekday");
    EXPECT_EQ(read("Monday, 21-Oct-26 07:29:00 GMT"), "60s rfc850 wrong weekday");
}

// RFC 9110 §5.6.7: what looks more than 50 years ahead is of the century before.
TEST(RetryAfter, ResolvesTwoDigitsOfAYearByTheFiftyYearRule)
{
    const auto dateOf = [](const char* value, const char* at = "2026-10-21T07:28:00Z") {
        const auto parsed = parseRetryAfter(value, *parseInstant(at));
        return parsed ? formatInstant(*parsed->date).substr(0, 10) : "absent";
    };
    EXPECT_EQ(dateOf("Thursday, 21-Oct-77 07:28:00 GMT"), "1977-10-21");
    EXPECT_EQ(read("Friday, 21-Oct-77 07:28:00 GMT"), "0s rfc850");
    EXPECT_EQ(dateOf("Wednesday, 21-Oct-76 07:28:00 GMT"), "2076-10-21");
    EXPECT_EQ(dateOf("Wednesday, 21-Oct-76 07:28:01 GMT"), "1976-10-21");
    EXPECT_EQ(dateOf("Sunday, 06-Nov-94 08:49:37 GMT"), "1994-11-06");
    EXPECT_EQ(dateOf("Monday, 05-Jan-04 00:00:00 GMT", "2099-12-31T00:00:00Z"), "2104-01-05");
    EXPECT_EQ(dateOf("Monday, 29-Feb-24 00:00:00 GMT", "2024-02-29T00:00:00Z"), "2024-02-29");
    EXPECT_EQ(dateOf("Saturday, 28-Feb-74 00:00:00 GMT", "2024-02-29T00:00:00Z"), "2074-02-28");
    EXPECT_EQ(dateOf("Saturday, 01-Mar-74 00:00:00 GMT", "2024-02-29T00:00:00Z"), "1974-03-01");
}

TEST(RetryAfter, CapsDatesThatAreOutOfReach)
{
    EXPECT_EQ(read("Fri, 31 Dec 9999 23:59:59 GMT"), "2147483648s imf_fixdate capped");
}

TEST(RetryAfter, RefusesEverythingElse)
{
    for (const char* value : { "", " ", "+5", "-3", "1.5", "1e3", "0x10", "abc", "5,10", "5 10", "5s", "Infinity",
             "NaN", "\xD9\xA5", "Mon, 30 Feb 2026 00:00:00 GMT", "Sat, 29 Feb 2025 00:00:00 GMT",
             "Wed, 21 Oct 2026 07:29:00", "Wed, 21 Oct 2026 07:29:00 UTC", "Wed, 21 Oct 2026 07:29:00 +0200",
             "Wed, 21 Oct 2026 07:29:00 CEST", "Wed, 21 Oct 2026 24:00:00 GMT", "Wed, 21 Oct 2026 07:60:00 GMT",
             "Wed, 21 Oct 26 07:29:00 GMT", "Wed, 00 Oct 2026 07:29:00 GMT", "Wed, 1 Oct 2026 07:29:00 GMT",
             "wed, 21 oct 2026 07:29:00 gmt", "Wed,21 Oct 2026 07:29:00 GMT", "Wed, 21 Oct 2026 07:29:00 GMT, 5",
             "Wed, 21-Oct-26 07:29:00 GMT", "Wednesday, 21-Oct-2026 07:29:00 GMT", "Wednesday, 30-Feb-26 07:29:00 GMT",
             "Wed Oct 21 07:29:00 2026 GMT", "Wed Oct 1 07:29:00 2026", "2026-10-21T07:29:00Z" }) {
        const auto parsed = parseRetryAfter(value, now);
        ASSERT_FALSE(parsed) << value;
        EXPECT_EQ(parsed.error().failure, Failure::Invalid);
        EXPECT_EQ(parsed.error().code, "VALIDATION.retry_after");
    }
    EXPECT_FALSE(parseRetryAfter(std::string_view("5\0", 2), now));
}

TEST(RetryAfter, SaysWhatIsWrong)
{
    EXPECT_EQ(parseRetryAfter("-3", now).error().message, "\"-3\" is not a Retry-After: it is negative");
    EXPECT_THAT(parseRetryAfter("+5", now).error().message, HasSubstr("no sign"));
    EXPECT_THAT(parseRetryAfter("1.5", now).error().message, HasSubstr("digits and nothing else"));
    EXPECT_THAT(parseRetryAfter(" ", now).error().message, HasSubstr("it is empty"));
    EXPECT_THAT(parseRetryAfter("Mon, 30 Feb 2026 00:00:00 GMT", now).error().message, HasSubstr("no such day"));
    EXPECT_THAT(parseRetryAfter("soon", now).error().message, HasSubstr("one of the three forms"));
}

TEST(RetryAfter, TakesTheLargestOfSeveralLines)
{
    const std::vector<std::string> lines = { "5", "nonsense", "Wed, 21 Oct 2026 07:29:00 GMT", "10" };
    EXPECT_EQ(largestRetryAfter(lines, now)->delay, 60s);
    EXPECT_EQ(largestRetryAfter(std::vector<std::string>{ "-1", "" }, now), std::nullopt);
    EXPECT_EQ(largestRetryAfter({}, now), std::nullopt);
}

// Mutations of the valid forms: whatever comes, it is an answer in range or a refusal.
TEST(RetryAfter, StandsAnyOctets)
{
    const std::array<std::string, 4> valid = { "120", "Wed, 21 Oct 2026 07:29:00 GMT",
        "Wednesday, 21-Oct-26 07:29:00 GMT", "Wed Oct 21 07:29:00 2026" };
    SeededRandom random(11);
    for (int round = 0; round < 50'000; ++round) {
        auto text = valid[random.below(valid.size())];
        for (auto changes = random.below(4); changes > 0 && !text.empty(); --changes) {
            const auto at = random.below(text.size());
            if (random.below(3) == 0)
                text.erase(at, 1);
            else
                text[at] = static_cast<char>(random.below(2) == 0 ? '0' + random.below(10) : random.below(256));
        }
        if (const auto parsed = parseRetryAfter(text, now)) {
            ASSERT_GE(parsed->delay, 0s) << text;
            ASSERT_LE(parsed->delay, longestRetryAfter) << text;
        }
    }
}

} // namespace
} // namespace fencepost::retry
