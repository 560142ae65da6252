// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/recording_source.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

constexpr int gatewayError = 502;
constexpr int gatewayTimeout = 504;
constexpr int pageRows = 500;
constexpr Duration betweenCalls = std::chrono::milliseconds(100);
constexpr Duration behindLast = std::chrono::seconds(10);
constexpr std::chrono::milliseconds longestDelay = std::chrono::hours(24);

RecordedEnding endingOf(const exchange::RetryLogRow& row)
{
    if (row.status == "timeout" || row.status == "timed_out")
        return RecordedEnding::TimedOut;
    if (row.status == "429")
        return RecordedEnding::Throttled;
    if (row.status == "200")
        return RecordedEnding::Answered;
    if (row.status == "4xx")
        return RecordedEnding::Declined;
    if (row.status == "5xx")
        return row.code == gatewayError || row.code == gatewayTimeout ? RecordedEnding::ProxyError
                                                                      : RecordedEnding::Failed;
    return RecordedEnding::Lost;
}

void count(Recording& recording, std::size_t attempts)
{
    if (recording.attempts.size() <= attempts)
        recording.attempts.resize(attempts + 1);
    ++recording.attempts[attempts];
}

bool begins(const JournalEntry& entry)
{
    return eventOf(entry.event) == Event::Reserve && entry.toState == "IN_PROGRESS";
}

RecordedEnding endingOf(const JournalEntry& entry)
{
    if (entry.toState == "SUCCEEDED")
        return RecordedEnding::Answered;
    return entry.toState == "FAILED_FINAL" ? RecordedEnding::Declined : RecordedEnding::Failed;
}

bool ends(const JournalEntry& entry)
{
    const auto event = eventOf(entry.event);
    return event == Event::Finalize || event == Event::Fail || event == Event::Reconcile;
}

// A request and when it began, before it is known which one was the first of all.
struct Dated {
    Time at;
    RecordedRequest request;
    std::vector<Duration> delays;
};

// A key that was forgotten and used again is another request.
void addLives(std::vector<Dated>& all, std::vector<JournalEntry> journal)
{
    std::sort(journal.begin(), journal.end(), [](const auto& left, const auto& right) { return left.seq < right.seq; });
    Dated* life = nullptr;
    Time began{};
    Time last{};
    for (const auto& entry : journal) {
        if (begins(entry)) {
            if (!life || entry.attempt <= 1) {
                life = &all.emplace_back();
                life->at = entry.at;
            } else {
                life->delays.push_back(std::max(entry.at - last, Duration(0)));
            }
            began = last = entry.at;
            life->request.attempts.push_back({ RecordedEnding::Crashed, {}, 0, {} });
        } else if (life && ends(entry)) {
            auto& attempt = life->request.attempts.back();
            attempt.ending = endingOf(entry);
            attempt.took = std::max(entry.at - began, Duration(0));
            last = entry.at;
        }
    }
}

RecordedEnding lastEndingOf(const Row& row)
{
    if (row.state == "SUCCEEDED" || row.state == "EXPIRED")
        return RecordedEnding::Answered;
    if (row.state == "FAILED_FINAL")
        return RecordedEnding::Declined;
    return row.state == "FAILED_RETRYABLE" ? RecordedEnding::Failed : RecordedEnding::Crashed;
}

// What a row alone says: how often, and how it ended.
void addRow(std::vector<Dated>& all, const Row& row)
{
    const auto at = row.createdAt ? row.createdAt : row.startedAt;
    if (!at)
        return;
    auto& life = all.emplace_back();
    life.at = *at;
    constexpr std::int64_t mostAttempts = 100;
    const auto attempts = std::clamp<std::int64_t>(row.attempts.value_or(1), 1, mostAttempts);
    life.request.attempts.assign(static_cast<std::size_t>(attempts), { RecordedEnding::Failed, {}, 0, {} });
    auto& last = life.request.attempts.back();
    last.ending = lastEndingOf(row);
    if (attempts == 1 && row.finishedAt)
        last.took = std::max(*row.finishedAt - *at, Duration(0));
}

} // namespace

Result<Recording> recordingOf(std::span<const exchange::RetryLogRow> rows, const std::string& source)
{
    Recording recording;
    recording.source = source;
    if (rows.empty())
        return invalid(source + " has no attempt");
    if (rows.front().attempt != 1)
        return invalid(source + " does not begin with a first attempt");
    Duration at{};
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
            if (!recording.requests.empty())
                at += betweenCalls;
            recording.requests.push_back({ at, {}, {}, {}, {} });
        } else {
            const auto delay = Duration(std::chrono::milliseconds(row.delayMs));
            recording.delays.push_back(delay);
            at += delay;
        }
        recording.requests.back().attempts.push_back({ endingOf(row), {}, row.code.value_or(0), row.notes });
    }
    for (const auto& request : recording.requests)
        count(recording, request.attempts.size());
    return recording;
}

Result<Recording> recordingOf(const std::vector<RecordedLife>& lives, const std::string& source)
{
    std::vector<Dated> all;
    for (const auto& life : lives) {
        const auto before = all.size();
        addLives(all, life.journal);
        if (all.size() == before)
            addRow(all, life.row);
    }
    if (all.empty())
        return invalid(source + " has no record that says when it began");
    std::stable_sort(all.begin(), all.end(), [](const Dated& left, const Dated& right) { return left.at < right.at; });
    Recording recording;
    recording.source = source;
    for (auto& one : all) {
        one.request.at = one.at - all.front().at;
        count(recording, one.request.attempts.size());
        recording.delays.insert(recording.delays.end(), one.delays.begin(), one.delays.end());
        recording.requests.push_back(std::move(one.request));
    }
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
    if (!recording.requests.empty())
        scenario.load.duration = std::max(recording.requests.back().at, Duration(0)) + behindLast;
    scenario.recording = std::move(recording);
    scenario.deliveries.clear();
    scenario.expect.clear();
    return scenario;
}

} // namespace fencepost::simulation
