// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/log_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/instant_offset.h"
#include "core/profile/synonyms.h"
#include "core/protocol/ascii.h"
#include "core/protocol/digest.h"
#include "core/protocol/transition.h"
#include "core/telemetry/event.h"

namespace fencepost {

namespace {

using nlohmann::json;
using telemetry::KeyOutcome;

constexpr int deepest = 16;
constexpr std::string_view sha256Prefix = "sha256:";

// A member on top, or of one of the objects in which loggers put what they were given.
const json* memberOf(const json& line, const char* name)
{
    const auto within = [name](const json& object) -> const json* {
        const auto found = object.find(name);
        return found == object.end() || found->is_null() ? nullptr : &*found;
    };
    if (const auto* found = within(line))
        return found;
    for (const auto* group : { "fields", "attributes" })
        if (const auto nested = line.find(group); nested != line.end() && nested->is_object())
            if (const auto* found = within(*nested))
                return found;
    return nullptr;
}

// A number that is whole stands for its digits: some number their workers, orders and requests.
Status takeText(const json& line, const char* name, std::optional<std::string>& target)
{
    const auto* member = memberOf(line, name);
    if (member == nullptr)
        return {};
    if (!member->is_string() && !member->is_number_integer())
        return invalid(std::string(name) + " is no text");
    auto text = member->is_string() ? member->get<std::string>() : member->dump();
    if (text.find('\0') != std::string::npos)
        return invalid(std::string(name) + " has a NUL in it");
    if (!text.empty())
        target = std::move(text);
    return {};
}

// In any spelling.
std::optional<State> ownStateIn(const std::string& word)
{
    const auto states = allStates();
    const auto found = std::find_if(states.begin(), states.end(),
        [lower = asciiLower(word)](State state) { return asciiLower(wordOf(state)) == lower; });
    return found == states.end() ? std::nullopt : std::optional(*found);
}

// A state of the protocol, or what tables have in its place, as "complete" of the playbook's.
std::optional<State> stateIn(const std::string& word)
{
    if (const auto own = ownStateIn(word))
        return own;
    const auto meant = profile::stateOf(Kind::Idempotency, word);
    return meant ? stateOf(*meant) : std::nullopt;
}

// Where a record comes from that was not there has names of its own, some of which are states of a table otherwise.
std::optional<State> originIn(const std::string& word)
{
    constexpr std::array<std::string_view, 6> nothing{ "none", "new", "init", "initial", "start", "missing" };
    if (std::find(nothing.begin(), nothing.end(), asciiLower(word)) != nothing.end())
        return State::Absent;
    return stateIn(word);
}

Status takeState(const json& line, const char* name, std::optional<State> (*stateOfWord)(const std::string& word),
    std::optional<State>& target)
{
    std::optional<std::string> word;
    if (const auto taken = takeText(line, name, word); !taken || !word)
        return taken;
    target = stateOfWord(*word);
    return target ? Status() : invalid(std::string(name) + " is no state of the protocol");
}

std::optional<std::int64_t> wholeIn(std::string_view digits)
{
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && number >= 0 ? std::optional(number)
                                                                                              : std::nullopt;
}

std::optional<int> httpCodeIn(std::string_view word)
{
    constexpr int first = 100;
    constexpr int last = 599;
    const auto code = wholeIn(word);
    return code && *code >= first && *code <= last ? std::optional(static_cast<int>(*code)) : std::nullopt;
}

// In the contract it is what is stored. Others tell by it what was answered or how a step went: that is no state, and
// stands with the reason. Their words for states count as far as they gainsay no other member.
Status takeStatus(const json& line, LogLine& target)
{
    constexpr std::array<std::string_view, 4> ends{ "ok", "success", "error", "failure" };
    std::optional<std::string> word;
    if (const auto taken = takeText(line, "status", word); !taken || !word)
        return taken;
    target.status = ownStateIn(*word);
    if (target.status)
        return {};
    const bool ended = std::find(ends.begin(), ends.end(), asciiLower(*word)) != ends.end();
    const auto meant = ended ? std::nullopt : stateIn(*word);
    if (meant && target.to.value_or(*meant) == *meant) {
        target.status = meant;
        return {};
    }
    if (target.to && isTerminal(*target.to))
        target.responseCode = httpCodeIn(*word);
    target.note = "status " + *word;
    return {};
}

constexpr std::int64_t largestFence = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t largestAttempt = std::numeric_limits<std::int32_t>::max();

Status takeNumber(const json& line, const char* name, std::int64_t most, std::optional<std::int64_t>& target)
{
    const auto* member = memberOf(line, name);
    if (member == nullptr)
        return {};
    std::optional<std::int64_t> whole;
    if (member->is_string())
        whole = wholeIn(member->get_ref<const std::string&>());
    else if (member->is_number_unsigned() && member->get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
        whole = member->get<std::int64_t>();
    if (!whole || *whole > most)
        return invalid(std::string(name) + " is no whole number from 0 to " + std::to_string(most));
    target = whole;
    return {};
}

Error tooFar()
{
    return invalid("its time is not between the years 1 and 9999");
}

// From the year 1 to 9999, which every form of an instant can say.
Result<Time> within(double micros)
{
    constexpr double first = -62135596800e6;
    constexpr double end = 253402300800e6;
    if (!(micros >= first && micros < end))
        return tooFar();
    return timeFromMicros(static_cast<std::int64_t>(micros));
}

// Seconds, milliseconds, microseconds or nanoseconds since 1970: which of them, its size says.
Result<Time> instantOfNumber(const json& number)
{
    const auto size = std::abs(number.get<double>());
    constexpr std::array<std::pair<double, double>, 3> units{ { { 1e11, 1e6 }, { 1e14, 1e3 }, { 1e17, 1 } } };
    for (const auto& [below, micros] : units)
        if (size < below) {
            if (!number.is_number_integer())
                return within(std::round(number.get<double>() * micros));
            const auto whole = number.get<std::int64_t>() * static_cast<std::int64_t>(micros);
            const auto bounded = within(static_cast<double>(whole));
            return bounded ? Result<Time>(timeFromMicros(whole)) : bounded;
        }
    if (size >= 9.2e18)
        return tooFar();
    constexpr std::int64_t nanosecondsInOne = 1000;
    return number.is_number_integer() ? Result<Time>(timeFromMicros(number.get<std::int64_t>() / nanosecondsInOne))
                                      : within(number.get<double>() / nanosecondsInOne);
}

// Finer than we keep is cut off.
std::string withMicroseconds(std::string text)
{
    constexpr std::size_t digits = 6;
    const auto point = text.find('.');
    if (point == std::string::npos)
        return text;
    auto end = point + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9')
        ++end;
    if (end - point - 1 > digits)
        text.erase(point + 1 + digits, end - point - 1 - digits);
    return text;
}

Result<Time> instantOf(const json& line, bool& withoutOffset)
{
    for (const auto* name : { "ts", "time", "timestamp", "@timestamp" }) {
        const auto* member = memberOf(line, name);
        if (member == nullptr)
            continue;
        if (member->is_number())
            return instantOfNumber(*member);
        const auto text = member->is_string() ? member->get<std::string>() : std::string();
        const auto instant = parseInstant(withMicroseconds(text));
        if (!instant)
            return invalid(std::string(name) + " is no instant");
        withoutOffset = !tellsOffset(text);
        return within(static_cast<double>(microsOf(*instant))) ? instant : tooFar();
    }
    return invalid("it has no time (ts)");
}

Status takeKey(const json& line, LogLine& target)
{
    std::optional<std::string> key;
    std::optional<std::string> hash;
    std::optional<std::string> scope;
    std::optional<std::string> operation;
    for (const auto& taken : { takeText(line, "idempotency_key", key), takeText(line, "key_hash", hash),
             takeText(line, "scope", scope), takeText(line, "operation_type", operation) })
        if (!taken)
            return taken;
    if (!key && !hash)
        return invalid("it has neither idempotency_key nor key_hash");
    target.hashedKey = !key;
    target.id.key = key ? *key : hash->starts_with(sha256Prefix) ? *hash : std::string(sha256Prefix) + *hash;
    target.id.scope = scope.value_or(std::string(untold));
    target.id.operation = operation.value_or(std::string(untold));
    return {};
}

// The outcome that a word means, which some loggers have in the place of the event.
std::optional<std::string> outcomeOf(const std::string& word)
{
    constexpr std::array<std::pair<std::string_view, KeyOutcome>, 3> others{ { { "mismatch", KeyOutcome::Conflict },
        { "replay", KeyOutcome::Replayed }, { "takeover", KeyOutcome::TakenOver } } };
    const auto lower = asciiLower(word);
    for (const auto outcome : telemetry::allKeyOutcomes())
        if (lower == telemetry::wordOf(outcome))
            return lower;
    for (const auto& [other, outcome] : others)
        if (lower == other)
            return std::string(telemetry::wordOf(outcome));
    return std::nullopt;
}

// Everybody has words of his own for what happened: what came of it says which of ours it is.
void takeWords(LogLine& target)
{
    if (target.outcome)
        target.outcome = outcomeOf(*target.outcome).value_or(*target.outcome);
    if (!target.event)
        return;
    if (const auto own = asciiLower(*target.event); eventOf(own)) {
        target.event = own;
        return;
    }
    const auto outcome = outcomeOf(*target.event);
    if (outcome && !target.outcome)
        target.outcome = outcome;
    if (!outcome && !target.outcome && !target.to && !target.status)
        return;
    if (!outcome)
        target.note = *target.event + (target.note ? ", " + *target.note : "");
    target.event.reset();
}

Status takeRest(const json& line, LogLine& target)
{
    std::optional<std::string> hash;
    for (const auto& taken : { takeText(line, "event", target.event), takeText(line, "outcome", target.outcome),
             takeText(line, "owner", target.owner), takeText(line, "error_code", target.errorCode),
             takeText(line, "correlation_id", target.correlationId), takeText(line, "payload_hash", hash),
             takeState(line, "from_state", originIn, target.from), takeState(line, "to_state", stateIn, target.to),
             takeStatus(line, target), takeNumber(line, "attempt", largestAttempt, target.attempt),
             takeNumber(line, "fence", largestFence, target.fence) })
        if (!taken)
            return taken;
    if (!target.event && !target.outcome && !target.to)
        return invalid("it tells neither event, outcome nor to_state");
    takeWords(target);
    if (hash)
        takePayloadHash(*hash, target);
    return {};
}

} // namespace

void takePayloadHash(const std::string& hash, LogLine& line)
{
    constexpr std::size_t octets = 32;
    auto bytes = fromHex(hash.starts_with(sha256Prefix) ? hash.substr(sha256Prefix.size()) : hash);
    line.otherHash = !bytes || bytes->size() != octets;
    line.payloadHash = line.otherHash ? sha256(hash) : std::move(*bytes);
}

Result<LogLine> parseLogLine(std::string_view line)
{
    bool tooDeep = false;
    const auto shallow = [&tooDeep](int depth, json::parse_event_t, json&) {
        tooDeep = tooDeep || depth > deepest;
        return !tooDeep;
    };
    const auto object = json::parse(line.begin(), line.end(), shallow, false);
    if (tooDeep)
        return invalid("it is nested too deeply");
    if (!object.is_object())
        return invalid("it is no JSON object in UTF-8");
    LogLine out;
    const auto at = instantOf(object, out.withoutOffset);
    if (!at)
        return at.error();
    out.at = *at;
    for (const auto& taken : { takeKey(object, out), takeRest(object, out) })
        if (!taken)
            return taken.error();
    return out;
}

} // namespace fencepost
