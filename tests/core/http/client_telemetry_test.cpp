// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "tests/core/http/client_fixture.h"

namespace fencepost::http {
namespace {

using telemetry::Counter;
using telemetry::Label;
using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

class ClientTelemetryTest : public ClientTest {
protected:
    void SetUp() override
    {
        ClientTest::SetUp();
        client.reset();
        client = std::make_unique<Client>(
            ClientParts{ steady, wall, random, keys, alarm, journal.get(), { .spans = &spans, .metrics = &metrics } });
    }

    void TearDown() override { client.reset(); }

    static std::optional<telemetry::AttributeValue> valueOf(const telemetry::Span& span, std::string_view name)
    {
        for (const auto& [key, value] : span.attributes)
            if (key == name)
                return value;
        return {};
    }

    [[nodiscard]] double ended(const ScriptedServer& server, std::string_view ending) const
    {
        const auto url = server.url();
        const auto origin = url.substr(0, url.find('/', std::string("http://").size()));
        return metrics.valueOf(Counter::RetryAttempts, { { Label::Dependency, origin }, { Label::Ending, ending } });
    }

    telemetry::SpanBuffer spans;
    telemetry::Metrics metrics;
};

TEST_F(ClientTelemetryTest, EachAttemptIsASpanBelowItsCall)
{
    ScriptedServer server({ answers(503), answers(201) });
    const auto created = carryOut(refund(server));

    const auto told = spans.take();
    ASSERT_THAT(told, SizeIs(3));
    const auto& call = told.back();
    EXPECT_EQ(call.name, "refund.create");
    EXPECT_EQ(call.parent, std::nullopt);
    EXPECT_EQ(call.status, telemetry::SpanStatus::Unset);
    EXPECT_EQ(std::get<std::string>(*valueOf(call, "idempotency_key")), telemetry::keyHash(created.key, ""));
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& attempt = told[i];
        EXPECT_EQ(attempt.parent, call.context.span);
        EXPECT_EQ(attempt.context.trace, call.context.trace);
        EXPECT_EQ(std::get<std::int64_t>(*valueOf(attempt, "attempt")), static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(std::get<std::int64_t>(*valueOf(attempt, "http.request.resend_count")), static_cast<std::int64_t>(i));
        // What the server was told is the attempt's own span.
        EXPECT_EQ(server.lines("traceparent")[i], telemetry::formatTraceparent(attempt.context));
    }
    EXPECT_EQ(told[0].status, telemetry::SpanStatus::Error);
    EXPECT_EQ(ended(server, "answered"), 2);
}

TEST_F(ClientTelemetryTest, ACallGoesOnWithTheTraceOfItsCaller)
{
    ScriptedServer server({ answers(201) });
    const auto caller = telemetry::newTrace(random);
    auto request = refund(server);
    request.headers.emplace_back("traceparent", telemetry::formatTraceparent(caller));
    carryOut(request);

    const auto told = spans.take();
    ASSERT_THAT(told, SizeIs(2));
    EXPECT_EQ(told[1].parent, caller.span);
    EXPECT_EQ(told[1].context.trace, caller.trace);
    EXPECT_THAT(server.lines("traceparent"), SizeIs(1));
    EXPECT_NE(server.lines("traceparent")[0], telemetry::formatTraceparent(caller));
}

TEST_F(ClientTelemetryTest, WhatIsNotSampledIsNotTold)
{
    ScriptedServer server({ answers(201) });
    auto caller = telemetry::newTrace(random);
    caller.sampled = false;
    auto request = refund(server);
    request.headers.emplace_back("traceparent", telemetry::formatTraceparent(caller));
    carryOut(request);
    EXPECT_THAT(spans.take(), SizeIs(0));
    EXPECT_TRUE(server.lines("traceparent")[0].ends_with("-00"));
}

TEST_F(ClientTelemetryTest, DelaysAndRefusalsAreCounted)
{
    ScriptedServer server({ answers(503), answers(503), answers(201) });
    carryOut(refund(server));
    EXPECT_EQ(delays.size(), 2U);
    client->dependencyOf(server.url()).forceOpen("a test");
    const auto refused = carryOut(refund(server));
    EXPECT_EQ(refused.attempts, 0);
    EXPECT_EQ(ended(server, "answered"), 3);
    EXPECT_EQ(ended(server, "breaker_open"), 1);
    const auto text = metrics.text();
    EXPECT_NE(text.find("retry_delay_ms_count"), std::string::npos);
    EXPECT_NE(text.find("breaker_state{"), std::string::npos);
}

} // namespace
} // namespace fencepost::http
