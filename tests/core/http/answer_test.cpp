// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/http/answer.h"

namespace fencepost::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ErrorCodeOf, ReadsTheMemberAtTheTop)
{
    EXPECT_EQ(errorCodeOf(R"({"type":"x","error_code":"RATE_LIMIT.exceeded","a":[{"b":1}]})"), "RATE_LIMIT.exceeded");
    EXPECT_EQ(errorCodeOf(R"({"a":{"error_code":"inner"},"error_code":"outer"})"), "outer");
    EXPECT_EQ(errorCodeOf(R"({"error\u005fcode":"escaped"})"), "escaped");
}

TEST(ErrorCodeOf, IsNoneWhereItIsNotSaidOrSaidTwice)
{
    for (const auto* body :
        { "", "no JSON", "[]", R"(["error_code","x"])", R"([{"error_code":"x"}])", R"({"a":{"error_code":"x"}})",
            R"({"error_code":null})", R"({"error_code":["x"]})", R"({"error_code":{"a":"x"}})",
            R"({"error_code":"x","error_code":"y"})", R"({"error_code":"x")", R"({"error_code":"x"} and more)" })
        EXPECT_EQ(errorCodeOf(body), std::nullopt) << body;
    EXPECT_EQ(errorCodeOf(R"({"error_code":"x","padding":")" + std::string(70'000, ' ') + "\"}"), std::nullopt);
    EXPECT_EQ(errorCodeOf(std::string(100'000, '[')), std::nullopt);
}

TEST(Separated, TakesControlHeadersApart)
{
    EXPECT_THAT(separated("Retry-After", "5"), ElementsAre(Pair("Retry-After", "5")));
    EXPECT_THAT(separated("retry-after", "5, Wed, 21 Oct 2026 07:28:00 GMT, 7"),
        ElementsAre(
            Pair("retry-after", "5"), Pair("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), Pair("retry-after", "7")));
    EXPECT_THAT(separated("Retry-After", "Wednesday, 21-Oct-26 07:28:03 GMT, Wed Oct 21 07:28:03 2026"),
        ElementsAre(
            Pair("Retry-After", "Wednesday, 21-Oct-26 07:28:03 GMT"), Pair("Retry-After", "Wed Oct 21 07:28:03 2026")));
    EXPECT_THAT(separated("Idempotency-Status", "replayed, replayed"),
        ElementsAre(Pair("Idempotency-Status", "replayed"), Pair("Idempotency-Status", "replayed")));
    EXPECT_THAT(
        separated("Set-Cookie", "a=1, 2\nb=2"), ElementsAre(Pair("Set-Cookie", "a=1, 2"), Pair("Set-Cookie", "b=2")));
    EXPECT_THAT(separated("Vary", "a, b"), ElementsAre(Pair("Vary", "a, b")));
    EXPECT_THAT(separated("Retry-After", ""), ElementsAre(Pair("Retry-After", "")));
}

TEST(SignalOf, TakesTheCodeOfWhatMayBeNoResult)
{
    const std::string body = R"({"error_code":"idempotency.in_progress"})";
    EXPECT_EQ(signalOf({ 409, {}, body }, {}).errorCode, "idempotency.in_progress");
    for (const int status : { 202, 303 })
        EXPECT_EQ(signalOf({ status, {}, body }, {}).errorCode, "idempotency.in_progress") << status;
    EXPECT_EQ(signalOf({ 200, { { "Content-Type", "application/problem+json" } }, body }, {}).errorCode,
        "idempotency.in_progress");
    EXPECT_EQ(signalOf({ 201, {}, body }, {}).errorCode, std::nullopt) << "a result's own member";
}

} // namespace
} // namespace fencepost::http
