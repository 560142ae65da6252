// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/recording_source.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

constexpr int gatewayError = 502;
constexpr int gatewayTimeout = 504;
constexpr int pageRows = 500;
constexpr Duration behindLast = std::chrono::seconds(10);
constexpr std::chrono::milliseconds longestDelay = std::chrono::hours(24);
constexpr std::size_t mostRows = 1'000'000;

RecordedEnding endingOf(const exchange::RetryLogRow& row)
{
    static constexpr std::pair<std::string_view, RecordedEnding> words[] = {
        { "timeout", RecordedEnding::TimedOut },
        { "timed_out", RecordedEnding::TimedOut },
        { "429", RecordedEnding::Throttled },
        { "200", RecordedEnding::Answered },
        { "4xx", RecordedEnding::Declined },
        { "reset", RecordedEnding::Reset },
        { "lost", RecordedEnding::Reset },
        { "not_sent", RecordedEnding::NotSent },
        { "deadline_over", RecordedEnding::NotSent },
        { "breaker_open", RecordedEnding::BreakerOpen },
        { "budget_empty", RecordedEnding::BudgetEmpty },
        { "shed", RecordedEnding::Shed },
    };
    if (row.status == "5xx")
        return row.code == gatewayError || row.code == gatewayTimeout ? RecordedEnding::ProxyError
                                                                      : RecordedEnding::Failed;
    const auto* found =
        std::find_if(std::begin(words), std::end(words), [&](const auto& word) { return word.first == row.status; });
    return found == std::end(words) ? RecordedEnding::Lost : found->second;
}

void count(Recording& recording, std::size_t attempts)
{
    if (recording.attempts.size() <= attempts)
        recording.attempts.resize(attempts + 1);
    ++recording.attempts[attempts];
}

// In whole milliseconds, so that the log that comes of it says the same.
Duration delayOf(const exchange::RetryLogRow& row)
{
    return std::chrono::milliseconds(row.delayMs);
}

} // namespace

Result<Recording> recordingOf(std::span<const exchange::RetryLogRow> rows, const std::string& source, Duration spacing)
{
    Recording recording;
    recording.by = RecordedBy::Log;
    recording.source = source;
    if (rows.empty())
        return invalid(source + " has no attempt");
    if (rows.size() > mostRows)
        return invalid(
            source + " has more than " + std::to_string(mostRows) + " attempts, which is more than is run on");
    if (rows.front().attempt != 1)
        return invalid(source + " does not begin with a first attempt");
    int before = 0;
    for (const auto& row : rows) {
        const auto place = source + ", attempt " + std::to_string(&row - rows.data() + 1) + " of the log: ";
        if (row.attempt != 1 && row.attempt != before + 1)
            return invalid(place + "number " + std::to_string(row.attempt) + " follows number " + std::to_string(before)
                + "; the attempts of a call stand one behind the other");
        if (row.delayMs < 0 || row.delayMs > longestDelay.count())
            return invalid(place + "a delay of " + std::to_string(row.delayMs) + " ms; none is longer than a day");
        before = row.attempt;
        if (row.attempt == 1) {
            recording.requests.push_back({ .at = spacing * static_cast<std::int64_t>(recording.requests.size()) });
        } else {
            recording.delays.push_back(delayOf(row));
            // What was waited for is what the server had asked for.
            if (auto& last = recording.requests.back().attempts.back(); last.ending == RecordedEnding::Throttled)
                last.retryAfter = delayOf(row);
        }
        recording.requests.back().attempts.push_back({ .ending = endingOf(row),
            .code = row.code.value_or(0),
            .note = row.notes,
            .delay = row.attempt == 1 ? std::nullopt : std::optional(delayOf(row)) });
    }
    for (const auto& request : recording.requests)
        count(recording, request.attempts.size());
    return recording;
}

Result<Recording> readRecording(Inspector& inspector, const Binding& binding, const RecordingRequest& request)
{
    std::vector<RecordedLife> lives;
    PageRequest wanted;
    wanted.filter = request.filter;
    wanted.limit = pageRows;
    for (;;) {
        const auto page = inspector.page(binding, wanted);
        if (!page)
            return page.error();
        for (const auto& row : page->rows) {
            if (std::ssize(lives) == request.limit)
                break;
            auto& life = lives.emplace_back(RecordedLife{ row, {} });
            if (!binding.native)
                continue;
            auto details = inspector.details(binding, row.identity, 0);
            if (!details)
                return details.error();
            if (*details)
                life.journal = std::move((*details)->journal);
        }
        if (request.goesOn && !request.goesOn(std::ssize(lives)))
            return Error{ Failure::Cancelled, "Reading was stopped", {} };
        if (!page->moreAfter || page->cursors.empty() || std::ssize(lives) == request.limit)
            break;
        wanted.after = page->cursors.back();
    }
    return recordingOf(lives, std::to_string(lives.size()) + " records of " + binding.name);
}

Scenario withRecording(Scenario scenario, Recording recording)
{
    scenario.load.requests = 0;
    if (recording.lease > Duration(0))
        scenario.service.lease = recording.lease;
    if (recording.ttl > Duration(0))
        scenario.service.ttl = recording.ttl;
    if (!recording.requests.empty())
        scenario.load.duration = std::max(recording.requests.back().at, Duration(0)) + behindLast;
    scenario.recording = std::move(recording);
    scenario.deliveries.clear();
    scenario.expect.clear();
    return scenario;
}

} // namespace fencepost::simulation
