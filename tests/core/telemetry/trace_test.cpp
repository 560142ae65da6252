// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/telemetry/trace.h"

namespace fencepost::telemetry {
namespace {

using nlohmann::json;

constexpr const char* example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TraceContext context(const char* text = example)
{
    const auto parsed = parseTraceparent(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(TraceContext());
}

KeyEvent event()
{
    KeyEvent event;
    event.id = { "acme", "POST /refunds", "refund:ch_9ab:1000" };
    event.from = State::InProgress;
    event.to = State::Succeeded;
    event.attempt = 2;
    event.fence = { 9'007'199'254'740'993 };
    event.outcome = KeyOutcome::Created;
    return event;
}

SpanPlace place()
{
    return { context(), SpanId{ 1, 2, 3, 4, 5, 6, 7, 8 }, true, timeFromMicros(1'544'712'660'000'001),
        timeFromMicros(1'544'712'661'000'000) };
}

// The attribute as its value's only member: "stringValue x".
std::string attribute(const json& span, const std::string& key)
{
    for (const auto& each : span.at("attributes"))
        if (each.at("key") == key) {
            EXPECT_EQ(each.size(), 2U);
            EXPECT_EQ(each.at("value").size(), 1U);
            const auto value = each.at("value").items().begin();
            return value.key() + ' '
                + (value.value().is_string() ? value.value().get<std::string>() : value.value().dump());
        }
    return "none";
}

json exported(const Span& span)
{
    const auto text = otlpJson({ { { "service.name", std::string("lab") } } }, std::vector{ span });
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto request = json::parse(text);
    EXPECT_EQ(request.size(), 1U);
    return request.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0);
}

TEST(Traceparent, RoundTrips)
{
    EXPECT_EQ(formatTraceparent(context()), example);
    EXPECT_TRUE(context().sampled);
    const auto unsampled = context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
    EXPECT_FALSE(unsampled.sampled);
    EXPECT_EQ(formatTraceparent(unsampled), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
    // Flags that nobody defined are not passed on.
    EXPECT_EQ(formatTraceparent(context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff")), example);
}

TEST(Traceparent, OfALaterVersionIsReadByWhatIsShared)
{
    EXPECT_EQ(context("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), context());
    EXPECT_EQ(context("fe-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes"), context());
}

TEST(Traceparent, MalformedIsNone)
{
    for (const char* text : { "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
             "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
             "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
             "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
             "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
             "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
             "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
             "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
             " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" })
        EXPECT_FALSE(parseTraceparent(text)) << text;
}

TEST(Trace, GivesFreshIdsThatAreNeverZero)
{
    struct Zeros final : Random {
        std::uint64_t next() override { return ++calls < 4 ? 0 : calls; }
        std::uint64_t calls = 0;
    };
    Zeros zeros;
    EXPECT_TRUE(parseTraceparent(formatTraceparent(newTrace(zeros))));
    SeededRandom random(1);
    const auto trace = newTrace(random);
    const auto child = childOf(trace, random);
    EXPECT_EQ(child.trace, trace.trace);
    EXPECT_NE(child.span, trace.span);
    EXPECT_NE(newTrace(random).trace, trace.trace);
    auto unsampled = trace;
    unsampled.sampled = false;
    EXPECT_FALSE(childOf(unsampled, random).sampled);
}

TEST(Trace, StepsSayWhatBecameOfTheKey)
{
    const auto span = exported(stepSpan(Step::Finalize, place(), event(), { .showKeys = true, .salt = {} }));
    EXPECT_EQ(span.at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(span.at("spanId"), "00f067aa0ba902b7");
    EXPECT_EQ(span.at("parentSpanId"), "0102030405060708");
    EXPECT_EQ(span.at("name"), "idempotency.finalize");
    EXPECT_EQ(span.at("kind"), 1);
    EXPECT_EQ(span.at("startTimeUnixNano"), "1544712660000001000");
    EXPECT_EQ(span.at("endTimeUnixNano"), "1544712661000000000");
    EXPECT_EQ(span.at("flags"), 0x301);
    EXPECT_FALSE(span.contains("status"));
    EXPECT_FALSE(span.contains("links"));
    EXPECT_EQ(attribute(span, "idempotency_key"), "stringValue refund:ch_9ab:1000");
    EXPECT_EQ(attribute(span, "attempt"), "intValue 2");
    EXPECT_EQ(attribute(span, "fence"), "intValue 9007199254740993");
    EXPECT_EQ(attribute(span, "idempotency.outcome"), "stringValue created");
    EXPECT_EQ(attribute(span, "from_state"), "stringValue IN_PROGRESS");
    EXPECT_EQ(stepSpan(Step::Reserve, place(), event(), {}).name, "idempotency.reserve");
    EXPECT_EQ(stepSpan(Step::Execute, place(), event(), {}).name, "idempotency.execute");
}

TEST(Trace, HashesKeysUnlessToldOtherwise)
{
    const auto step = stepSpan(Step::Reserve, place(), event(), { .showKeys = false, .salt = "pepper" });
    const auto attempt = attemptSpan(place(), { .key = "refund:ch_9ab:1000", .method = "POST" }, { false, "pepper" });
    const auto text = otlpJson({}, std::vector{ step, attempt });
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("ch_9ab")));
    EXPECT_EQ(attribute(exported(step), "idempotency_key"), "stringValue " + keyHash("refund:ch_9ab:1000", "pepper"));
    EXPECT_EQ(attribute(exported(attempt), "idempotency_key"), attribute(exported(step), "idempotency_key"));
}

TEST(Trace, MarksHoldsAndLostLeasesAsErrors)
{
    auto held = event();
    held.level = Level::Error;
    held.outcome = KeyOutcome::Held;
    held.errorCode = "idempotency.outcome_unknown";
    const auto span = exported(stepSpan(Step::Reserve, place(), held, {}));
    EXPECT_EQ(span.at("status"), (json{ { "code", 2 }, { "message", "idempotency.outcome_unknown" } }));
    auto conflict = event();
    conflict.level = Level::Warning;
    conflict.outcome = KeyOutcome::Conflict;
    EXPECT_FALSE(exported(stepSpan(Step::Reserve, place(), conflict, {})).contains("status"));
}

TEST(Trace, CountsTheSendsOfACall)
{
    const auto first = exported(attemptSpan(place(),
        { .key = "k", .method = "POST", .server = "bank.example", .attempt = 1, .status = {}, .error = "timed_out" },
        {}));
    EXPECT_EQ(first.at("kind"), 3);
    EXPECT_EQ(first.at("name"), "POST");
    EXPECT_EQ(attribute(first, "attempt"), "intValue 1");
    EXPECT_EQ(attribute(first, "http.request.resend_count"), "intValue 0");
    EXPECT_EQ(attribute(first, "server.address"), "stringValue bank.example");
    EXPECT_EQ(attribute(first, "error.type"), "stringValue timed_out");
    EXPECT_EQ(attribute(first, "http.response.status_code"), "none");
    EXPECT_EQ(first.at("status").at("code"), 2);
    const auto third =
        exported(attemptSpan(place(), { .method = "POST", .attempt = 3, .status = 201, .error = {} }, {}));
    EXPECT_EQ(attribute(third, "http.request.resend_count"), "intValue 2");
    EXPECT_EQ(attribute(third, "http.response.status_code"), "intValue 201");
    EXPECT_EQ(attribute(third, "idempotency_key"), "none");
    EXPECT_FALSE(third.contains("status"));
    EXPECT_EQ(
        exported(attemptSpan(place(), { .method = "POST", .status = 503, .error = {} }, {})).at("status").at("code"),
        2);
}

TEST(Trace, LinksAReplayToTheExecutionThatMadeIt)
{
    Reserved reserved;
    reserved.outcome = Outcome::Replay;
    EXPECT_FALSE(linkToOriginal(reserved));
    reserved.record = Record();
    EXPECT_FALSE(linkToOriginal(reserved));
    reserved.record->correlationId = "order-17";
    EXPECT_FALSE(linkToOriginal(reserved)) << "a correlation id that is no traceparent leads nowhere";
    reserved.record->correlationId = example;
    const auto link = linkToOriginal(reserved);
    ASSERT_TRUE(link);
    auto span = stepSpan(Step::Reserve, place(), event(), {});
    span.links.push_back(*link);
    const auto links = exported(span).at("links");
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(links[0].at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(links[0].at("spanId"), "00f067aa0ba902b7");
    EXPECT_EQ(attribute(links[0], "fencepost.link"), "stringValue original_execution");
    reserved.outcome = Outcome::InFlight;
    EXPECT_FALSE(linkToOriginal(reserved));
}

TEST(Otlp, IsTheRequestOfTheSpecification)
{
    auto span = stepSpan(Step::Reserve, place(), event(), {});
    span.parent.reset();
    span.remoteParent = false;
    span.attributes = { { "text", std::string("a\"\n\xff") }, { "integer", std::int64_t{ -5 } }, { "real", 0.5 },
        { "truth", true }, { "nothing", std::nan("") }, { "much", std::numeric_limits<double>::infinity() },
        { "little", -std::numeric_limits<double>::infinity() } };
    const auto request =
        json::parse(otlpJson({ { { "service.name", std::string("lab") } } }, std::vector{ span, span }));
    const auto& resource = request.at("resourceSpans").at(0);
    EXPECT_EQ(request.at("resourceSpans").size(), 1U);
    EXPECT_EQ(
        resource.at("resource").dump(), R"({"attributes":[{"key":"service.name","value":{"stringValue":"lab"}}]})");
    const auto& scope = resource.at("scopeSpans").at(0);
    EXPECT_EQ(scope.at("scope"), (json{ { "name", "fencepost" }, { "version", FENCEPOST_VERSION } }));
    ASSERT_EQ(scope.at("spans").size(), 2U);
    const auto& first = scope.at("spans").at(0);
    EXPECT_FALSE(first.contains("parentSpanId"));
    EXPECT_EQ(first.at("flags"), 0x101);
    EXPECT_EQ(attribute(first, "text"), "stringValue a\"\n\xef\xbf\xbd");
    EXPECT_EQ(attribute(first, "integer"), "intValue -5");
    EXPECT_EQ(attribute(first, "real"), "doubleValue 0.5");
    EXPECT_EQ(attribute(first, "truth"), "boolValue true");
    EXPECT_EQ(attribute(first, "nothing"), "doubleValue NaN");
    EXPECT_EQ(attribute(first, "much"), "doubleValue Infinity");
    EXPECT_EQ(attribute(first, "little"), "doubleValue -Infinity");
    for (const auto& [name, value] : first.items())
        EXPECT_EQ(name.find('_'), std::string::npos) << "names are in lowerCamelCase";
}

TEST(Otlp, KeepsTimesWithinTheirField)
{
    auto span = stepSpan(Step::Reserve, place(), event(), {});
    span.start = timeFromMicros(-5);
    span.end = timeFromMicros(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(exported(span).at("startTimeUnixNano"), "0");
    EXPECT_EQ(exported(span).at("endTimeUnixNano"), "18446744073709551000");
    auto backwards = place();
    backwards.end = backwards.start - std::chrono::seconds(1);
    EXPECT_EQ(stepSpan(Step::Reserve, backwards, event(), {}).end, backwards.start);
}

TEST(SpanBuffer, KeepsWhatFitsAndCountsTheRest)
{
    SpanBuffer buffer(2);
    for (int i = 0; i < 3; ++i) {
        auto span = stepSpan(Step::Reserve, place(), event(), {});
        span.name = std::to_string(i);
        buffer.record(span);
    }
    auto unsampled = stepSpan(Step::Reserve, place(), event(), {});
    unsampled.context.sampled = false;
    const auto spans = buffer.take();
    buffer.record(unsampled);
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[1].name, "1");
    EXPECT_EQ(buffer.dropped(), 1U);
    EXPECT_TRUE(buffer.take().empty());
}

TEST(SpanBuffer, TakesSpansFromManyThreads)
{
    SpanBuffer buffer(100'000);
    std::size_t taken = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&buffer] {
                for (int i = 0; i < 500; ++i)
                    buffer.record(stepSpan(Step::Reserve, place(), event(), {}));
            });
        for (int i = 0; i < 50; ++i)
            taken += buffer.take().size();
    }
    EXPECT_EQ(taken + buffer.take().size() + buffer.dropped(), 2000U);
}

} // namespace
} // namespace fencepost::telemetry
