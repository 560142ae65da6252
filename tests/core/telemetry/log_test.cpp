// SPDX-License-Identifier: GPL-3.0-or-later
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/telemetry/log.h"

namespace fencepost::telemetry {
namespace {

using nlohmann::ordered_json;

KeyEvent replay()
{
    KeyEvent event;
    event.at = timeFromMicros(1'757'937'600'123'456);
    event.id = { "POST /refunds|acme", "POST /refunds", "refund:ch_9ab:1000" };
    event.payloadHash = Bytes("\xab\xcd", 2);
    event.status = State::Succeeded;
    event.from = State::Succeeded;
    event.to = State::Succeeded;
    event.attempt = 2;
    event.fence = { 7 };
    event.owner = "00000000-0000-4000-8000-000000000001";
    event.correlationId = "c-1";
    event.outcome = KeyOutcome::Replayed;
    return event;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

TEST(JsonLog, WritesTheContractInItsOrder)
{
    EXPECT_EQ(jsonLine(replay(), { .showKeys = true, .salt = {} }),
        R"({"ts":"2025-09-15T12:00:00.123456Z","level":"info","event":"reserve","idempotency_key":"refund:ch_9ab:1000",)"
        R"("scope":"POST /refunds|acme","operation_type":"POST /refunds","payload_hash":"abcd","status":"SUCCEEDED",)"
        R"("from_state":"SUCCEEDED","to_state":"SUCCEEDED","attempt":2,"fence":7,)"
        R"("owner":"00000000-0000-4000-8000-000000000001","error_code":null,"correlation_id":"c-1","outcome":"replayed"})");
}

TEST(JsonLog, HashesKeysUnlessToldOtherwise)
{
    const auto line = jsonLine(replay(), { .showKeys = false, .salt = "pepper" });
    EXPECT_THAT(line, testing::Not(testing::HasSubstr("ch_9ab")));
    const auto object = ordered_json::parse(line);
    EXPECT_EQ(object.at("key_hash"), keyHash("refund:ch_9ab:1000", "pepper"));
    EXPECT_FALSE(object.contains("idempotency_key"));
    EXPECT_TRUE(LogOptions().privacy.showKeys == false);
}

TEST(JsonLog, SaysNullForWhatIsNotThere)
{
    const auto object = ordered_json::parse(jsonLine({}, {}));
    for (const char* member :
        { "payload_hash", "status", "from_state", "owner", "error_code", "correlation_id", "outcome" })
        EXPECT_TRUE(object.at(member).is_null()) << member;
    EXPECT_EQ(object.size(), 16U);
}

TEST(JsonLog, HostileTextStaysOneLineOfAscii)
{
    const std::vector<std::string> hostile = { "a\nb", "a\r\nb", "\"},{\"", "\\", std::string("\0", 1), "\xff\xfe",
        "\xed\xa0\x80", "\xc0\x80", "\xe2\x80\xa8", "\xc2\x85", "\xe2\x80\xae", "\x1b[31m", "\x7f", "\xf0\x9f\x92\xa9",
        std::string(100'000, '\n') };
    for (const auto& text : hostile) {
        auto event = replay();
        event.id = { text, text, text };
        event.owner = text;
        event.errorCode = text;
        event.correlationId = text;
        const auto line = jsonLine(event, { .showKeys = true, .salt = text });
        for (const char c : line)
            ASSERT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
        const auto object = ordered_json::parse(line, nullptr, false);
        ASSERT_FALSE(object.is_discarded()) << line.substr(0, 200);
        EXPECT_TRUE(!isUtf8(text) || object.at("idempotency_key") == text) << text;
    }
}

TEST(JsonLog, RandomOctetsAreAlwaysOneValidLine)
{
    SeededRandom random(3);
    for (int i = 0; i < 500; ++i) {
        std::string text;
        for (auto left = random.below(40); left > 0; --left)
            text += static_cast<char>(random.below(256));
        auto event = replay();
        event.id = { text, text, text };
        const auto line = jsonLine(event, { .showKeys = true, .salt = {} });
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_FALSE(ordered_json::parse(line, nullptr, false).is_discarded()) << toHex(text);
    }
}

TEST(JsonLog, LeavesOutWhatIsBelowItsLevel)
{
    std::ostringstream stream;
    JsonLog log(stream, { .privacy = {}, .least = Level::Warning });
    for (const auto level : { Level::Debug, Level::Info, Level::Warning, Level::Error }) {
        auto event = replay();
        event.level = level;
        log.record(event);
    }
    EXPECT_EQ(linesOf(stream.str()).size(), 2U);
    EXPECT_EQ(log.lost(), 0);
}

TEST(JsonLog, KeepsLinesWholeUnderConcurrentUse)
{
    std::ostringstream stream;
    JsonLog log(stream, {});
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&log] {
                for (int i = 0; i < 250; ++i)
                    log.record(replay());
            });
    }
    const auto lines = linesOf(stream.str());
    EXPECT_EQ(lines.size(), 1000U);
    for (const auto& line : lines)
        ASSERT_EQ(line, jsonLine(replay(), {}));
}

TEST(JsonLog, CountsWhatCouldNotBeWritten)
{
    int writes = 0;
    JsonLog log([&](const std::string&) { return ++writes != 2; }, {});
    for (int i = 0; i < 3; ++i)
        log.record(replay());
    EXPECT_EQ(log.lost(), 1);

    struct Full final : std::streambuf { };
    Full full;
    std::ostream stream(&full);
    JsonLog streamLog(stream, {});
    streamLog.record(replay());
    streamLog.record(replay());
    EXPECT_EQ(streamLog.lost(), 2) << "a disk that was full once is tried again";
}

} // namespace
} // namespace fencepost::telemetry
