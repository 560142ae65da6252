// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_recording.h"

#include <algorithm>
#include <array>

#include "core/simulation/measures.h"
#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t mostRecorded = 1'000'000;
constexpr std::size_t mostRecordedSteps = 1'000;

constexpr std::array<std::string_view, 15> endings = { "answered", "failed", "declined", "crashed", "timed_out", "lost",
    "proxy_error", "throttled", "held", "reset", "not_sent", "breaker_open", "budget_empty", "shed", "busy" };
constexpr std::array<std::string_view, 11> acts = { "fence", "hold", "release", "succeed", "fail", "retry", "reopen",
    "come", "take_over", "expire", "unexpire" };
constexpr std::array<std::string_view, 3> origins = { "hand", "log", "table" };

Status take(std::string& to, const json& value, const std::string& path)
{
    if (!value.is_string())
        return wrongAt(path, "it has to be text");
    to = value.get<std::string>();
    return {};
}

Status take(Duration& to, const json& value, const std::string& path)
{
    const auto length = value.is_string() ? parseDuration(value.get<std::string>()) : Result<Duration>(Error{});
    if (!length || *length < Duration(0))
        return wrongAt(path, "it has to be a length of time with its unit, as in \"137ms\"");
    to = *length;
    return {};
}

Status take(int& to, const json& value, const std::string& path)
{
    constexpr int least = 100;
    constexpr int most = 599;
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
        return wrongAt(path, "it has to be a status of HTTP");
    to = value.get<int>();
    return {};
}

Status take(std::int64_t& to, const json& value, const std::string& path)
{
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t(INT64_MAX))
        return wrongAt(path, "it has to be a whole number");
    to = value.get<std::int64_t>();
    return {};
}

template <typename Word, std::size_t count>
Status takeWord(Word& to, const json& value, const std::string& path, const std::array<std::string_view, count>& all)
{
    const auto* const found =
        value.is_string() ? std::find(all.begin(), all.end(), value.get_ref<const std::string&>()) : all.end();
    if (found == all.end()) {
        std::string words;
        for (const auto word : all)
            words += (words.empty() ? "" : ", ") + std::string(word);
        return wrongAt(path, "it has to be one of " + words);
    }
    to = static_cast<Word>(found - all.begin());
    return {};
}

Status take(bool& to, const json& value, const std::string& path)
{
    if (!value.is_boolean())
        return wrongAt(path, "it has to be true or false");
    to = value.get<bool>();
    return {};
}

Status take(std::optional<Duration>& to, const json& value, const std::string& path)
{
    return take(to.emplace(), value, path);
}

template <typename Item, typename TakeItem>
Status takeList(std::vector<Item>& to, const json& value, const std::string& path, std::size_t most, TakeItem takeItem)
{
    if (!value.is_array() || value.size() > most)
        return wrongAt(path, "it has to be a list of no more than " + std::to_string(most) + " entries");
    for (std::size_t i = 0; i < value.size(); ++i)
        if (const auto taken = takeItem(to.emplace_back(), value[i], path + "[" + std::to_string(i) + "]"); !taken)
            return taken;
    return {};
}

// `takeMember` answers none for a name that it does not know.
template <typename TakeMember>
Status takeObject(const json& value, const std::string& path, std::string_view names, TakeMember takeMember)
{
    if (!value.is_object())
        return wrongAt(path, "it has to be an object");
    for (const auto& [name, member] : value.items()) {
        const std::optional<Status> taken = takeMember(name, member, path + "." + name);
        if (!taken)
            return wrongAt(path + "." + name, "there are " + std::string(names) + " only");
        if (!*taken)
            return *taken;
    }
    return {};
}

Status takeAttempt(RecordedAttempt& to, const json& value, const std::string& path)
{
    return takeObject(value, path, "ending, took, code, note, retry_after, at, delay, lease and silent",
        [&](const std::string& name, const json& member, const std::string& inner) -> std::optional<Status> {
            if (name == "ending")
                return takeWord(to.ending, member, inner, endings);
            if (name == "took")
                return take(to.took, member, inner);
            if (name == "code")
                return take(to.code, member, inner);
            if (name == "note")
                return take(to.note, member, inner);
            if (name == "retry_after")
                return take(to.retryAfter, member, inner);
            if (name == "at")
                return take(to.at, member, inner);
            if (name == "delay")
                return take(to.delay, member, inner);
            if (name == "lease")
                return take(to.lease, member, inner);
            if (name == "silent")
                return take(to.silent, member, inner);
            return std::nullopt;
        });
}

Status takeStep(RecordedStep& to, const json& value, const std::string& path)
{
    return takeObject(value, path, "at and act",
        [&](const std::string& name, const json& member, const std::string& inner) -> std::optional<Status> {
            if (name == "at")
                return take(to.at, member, inner);
            if (name == "act")
                return takeWord(to.act, member, inner, acts);
            return std::nullopt;
        });
}

Status takeRequest(RecordedRequest& to, const json& value, const std::string& path)
{
    return takeObject(value, path, "at, key, payload, result, attempts, steps, ttl, manual and max_attempts",
        [&](const std::string& name, const json& member, const std::string& inner) -> std::optional<Status> {
            if (name == "at")
                return take(to.at, member, inner);
            if (name == "key")
                return take(to.key, member, inner);
            if (name == "payload")
                return take(to.payload, member, inner);
            if (name == "result")
                return take(to.result, member, inner);
            if (name == "attempts")
                return takeList(to.attempts, member, inner, mostRecordedAttempts, takeAttempt);
            if (name == "steps")
                return takeList(to.steps, member, inner, mostRecordedSteps, takeStep);
            if (name == "ttl")
                return take(to.ttl, member, inner);
            if (name == "manual")
                return take(to.manual, member, inner);
            if (name == "max_attempts")
                return take(to.maxAttempts, member, inner);
            return std::nullopt;
        });
}

Status takeObserved(Recording& recording, const json& value, const std::string& path)
{
    if (!value.is_object())
        return wrongAt(path, "it has to be an object of measures and numbers");
    for (const auto& [name, member] : value.items()) {
        if (findMeasure(name) == nullptr)
            return wrongAt(path + "." + name, "there is no such measure; `fencepostctl simulate knobs` lists them");
        std::int64_t number = 0;
        if (const auto taken = take(number, member, path + "." + name); !taken)
            return taken;
        recording.observed.emplace_back(name, number);
    }
    // A file's members have no order of their own.
    std::sort(recording.observed.begin(), recording.observed.end(), [](const auto& left, const auto& right) {
        return measureOf(*findMeasure(left.first)) < measureOf(*findMeasure(right.first));
    });
    return {};
}

std::string length(Duration value)
{
    return Spread(value).text();
}

ordered_json written(const RecordedAttempt& attempt)
{
    ordered_json entry{ { "ending", wordOf(attempt.ending) }, { "took", length(attempt.took) } };
    if (attempt.code != 0)
        entry["code"] = attempt.code;
    if (!attempt.note.empty())
        entry["note"] = attempt.note;
    for (const auto& [name, value] : { std::pair("at", attempt.at), std::pair("delay", attempt.delay) })
        if (value)
            entry[name] = length(*value);
    for (const auto& [name, value] :
        { std::pair("retry_after", attempt.retryAfter), std::pair("lease", attempt.lease) })
        if (value > Duration(0))
            entry[name] = length(value);
    if (attempt.silent)
        entry["silent"] = true;
    return entry;
}

} // namespace

std::string_view wordOf(RecordedEnding ending) noexcept
{
    return endings[static_cast<std::size_t>(ending)];
}

std::string_view wordOf(RecordedAct act) noexcept
{
    return acts[static_cast<std::size_t>(act)];
}

std::string_view wordOf(RecordedBy by) noexcept
{
    return origins[static_cast<std::size_t>(by)];
}

Result<Recording> readRecording(const json& value)
{
    Recording recording;
    const auto taken = takeObject(value, "recording", "source, by, requests, attempts, delays, observed, lease and ttl",
        [&](const std::string& name, const json& member, const std::string& inner) -> std::optional<Status> {
            if (name == "source")
                return take(recording.source, member, inner);
            if (name == "by")
                return takeWord(recording.by, member, inner, origins);
            if (name == "lease")
                return take(recording.lease, member, inner);
            if (name == "ttl")
                return take(recording.ttl, member, inner);
            if (name == "observed")
                return takeObserved(recording, member, inner);
            if (name == "requests")
                return takeList(recording.requests, member, inner, mostRecorded, takeRequest);
            if (name == "attempts")
                return takeList(recording.attempts, member, inner, mostRecordedAttempts + 1,
                    [](std::int64_t& to, const json& count, const std::string& path) { return take(to, count, path); });
            if (name == "delays")
                return takeList(recording.delays, member, inner, mostRecorded,
                    [](Duration& to, const json& delay, const std::string& path) { return take(to, delay, path); });
            return std::nullopt;
        });
    if (!taken)
        return taken.error();
    if (!value.contains("requests"))
        return wrongAt("recording", "it does not say its requests");
    const auto earlier = [](const RecordedRequest& left, const RecordedRequest& right) { return left.at < right.at; };
    if (!std::is_sorted(recording.requests.begin(), recording.requests.end(), earlier))
        return wrongAt("recording.requests", "they have to stand in the order of their time");
    return recording;
}

Result<std::vector<RecordedDelivery>> readDeliveries(const json& value)
{
    std::vector<RecordedDelivery> deliveries;
    const auto takeOne = [](RecordedDelivery& to, const json& entry, const std::string& path) {
        for (const auto* member : { "at", "event" })
            if (entry.is_object() && !entry.contains(member))
                return Status(wrongAt(path, "it does not say its " + std::string(member)));
        return takeObject(entry, path, "at, event, source and took",
            [&](const std::string& name, const json& member, const std::string& inner) -> std::optional<Status> {
                if (name == "at")
                    return take(to.at, member, inner);
                if (name == "event")
                    return take(to.event, member, inner);
                if (name == "source")
                    return take(to.source, member, inner);
                if (name == "took")
                    return take(to.took, member, inner);
                return std::nullopt;
            });
    };
    if (const auto taken = takeList(deliveries, value, "deliveries", mostRecorded, takeOne); !taken)
        return taken.error();
    return deliveries;
}

ordered_json written(const Recording& recording)
{
    auto requests = ordered_json::array();
    for (const auto& request : recording.requests) {
        ordered_json entry{ { "at", length(request.at) } };
        const std::pair<const char*, const std::string&> texts[] = { { "key", request.key },
            { "payload", request.payload }, { "result", request.result } };
        for (const auto& [name, text] : texts)
            if (!text.empty())
                entry[name] = text;
        for (const auto& attempt : request.attempts)
            entry["attempts"].push_back(written(attempt));
        for (const auto& step : request.steps)
            entry["steps"].push_back({ { "at", length(step.at) }, { "act", wordOf(step.act) } });
        if (request.ttl > Duration(0))
            entry["ttl"] = length(request.ttl);
        if (request.manual)
            entry["manual"] = true;
        if (request.maxAttempts > 0)
            entry["max_attempts"] = request.maxAttempts;
        requests.push_back(std::move(entry));
    }
    ordered_json document{ { "source", recording.source } };
    if (recording.by != RecordedBy::Hand)
        document["by"] = wordOf(recording.by);
    if (recording.lease > Duration(0))
        document["lease"] = length(recording.lease);
    if (recording.ttl > Duration(0))
        document["ttl"] = length(recording.ttl);
    document["requests"] = std::move(requests);
    for (const auto& [name, number] : recording.observed)
        document["observed"][name] = number;
    if (!recording.attempts.empty())
        document["attempts"] = recording.attempts;
    for (const auto delay : recording.delays)
        document["delays"].push_back(length(delay));
    return document;
}

ordered_json written(const std::vector<RecordedDelivery>& deliveries)
{
    auto list = ordered_json::array();
    for (const auto& delivery : deliveries)
        list.push_back({ { "at", length(delivery.at) }, { "event", delivery.event }, { "source", delivery.source },
            { "took", length(delivery.took) } });
    return list;
}

} // namespace fencepost::simulation
