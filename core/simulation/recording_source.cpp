// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/recording_source.h"

#include <algorithm>
#include <charconv>

namespace fencepost::simulation {

namespace {

constexpr int gatewayError = 502;
constexpr int gatewayTimeout = 504;
constexpr int pageRows = 500;
constexpr Duration behindLast = std::chrono::seconds(10);
constexpr std::chrono::milliseconds longestDelay = std::chrono::hours(24);
constexpr std::size_t mostRows = 1'000'000;

constexpr int tooManyRequests = 429;
constexpr int firstRefusal = 400;
constexpr int firstFailure = 500;
constexpr int perClass = 100;

// What a row says of the answer: a code, or which hundred it is of; 0: neither.
struct Said {
    int code = 0;
    int firstOf = 0;
};

Said saidBy(const exchange::RetryLogRow& row)
{
    Said said;
    const auto& text = row.status;
    if (text.size() == 3 && text.ends_with("xx")) {
        said.firstOf = (text.front() - '0') * perClass;
    } else if (std::from_chars(text.data(), text.data() + text.size(), said.code).ec == std::errc()) {
        said.firstOf = said.code / perClass * perClass;
    } else if (text == "answered" && row.code) {
        said.firstOf = *row.code / perClass * perClass;
    }
    // The playbook writes 200 for all that is no refusal, and the code beside it. Any other code is a mistake.
    const int first = row.code.value_or(0) / perClass * perClass;
    const bool isRefusal = std::max(first, said.firstOf) >= firstRefusal;
    if (row.code && said.firstOf > 0 && (first == said.firstOf || !isRefusal))
        said.code = *row.code;
    return said;
}

RecordedEnding endingOf(const Said& said)
{
    if (said.firstOf >= firstFailure)
        return said.code == gatewayError || said.code == gatewayTimeout ? RecordedEnding::ProxyError
                                                                        : RecordedEnding::Failed;
    if (said.code == tooManyRequests)
        return RecordedEnding::Throttled;
    return said.firstOf >= firstRefusal ? RecordedEnding::Declined : RecordedEnding::Answered;
}

RecordedEnding endingOf(const exchange::RetryLogRow& row)
{
    static constexpr std::pair<std::string_view, RecordedEnding> words[] = {
        { "timeout", RecordedEnding::TimedOut },
        { "timed_out", RecordedEnding::TimedOut },
        { "cancelled", RecordedEnding::TimedOut },
        { "answered", RecordedEnding::Answered },
        { "reset", RecordedEnding::Reset },
        { "lost", RecordedEnding::Reset },
        { "not_sent", RecordedEnding::NotSent },
        { "deadline_over", RecordedEnding::NotSent },
        { "breaker_open", RecordedEnding::BreakerOpen },
        { "budget_empty", RecordedEnding::BudgetEmpty },
        { "shed", RecordedEnding::Shed },
    };
    if (const auto said = saidBy(row); said.firstOf > 0)
        return endingOf(said);
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

// How the call ended as far as its client knew: of what nobody answered he did not know.
std::string_view measureOfEnd(const RecordedAttempt& last)
{
    constexpr int pastSuccess = 300;
    switch (last.ending) {
    case RecordedEnding::Answered:
        return last.code < pastSuccess ? "succeeded" : "refused";
    case RecordedEnding::TimedOut:
    case RecordedEnding::Reset:
    case RecordedEnding::Lost:
        return "unknown";
    default:
        return "refused";
    }
}

// In whole milliseconds, so that the log that comes of it says the same.
Duration delayOf(const exchange::RetryLogRow& row)
{
    return std::chrono::milliseconds(row.delayMs);
}

// Where no record told of it, the world's own is the usual one: what is known of single records counts for as long as
// nobody chooses another.
void meet(Duration& usual, Duration& ofService)
{
    if (usual > Duration(0))
        ofService = usual;
    else
        usual = ofService;
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
        if (static_cast<std::size_t>(row.attempt) > mostRecordedAttempts)
            return invalid(place + "a call of more than " + std::to_string(mostRecordedAttempts)
                + " attempts, which is more than is run on");
        if (row.attempt == 1) {
            recording.requests.push_back({ .at = spacing * static_cast<std::int64_t>(recording.requests.size()) });
        } else {
            recording.delays.push_back(delayOf(row));
            auto& last = recording.requests.back().attempts.back();
            // What was waited for is what the server had asked for.
            if (last.ending == RecordedEnding::Throttled)
                last.retryAfter = delayOf(row);
            // Who tried again was neither refused for good nor told that it is done.
            if (last.ending == RecordedEnding::Declined || last.ending == RecordedEnding::Answered)
                last.ending = RecordedEnding::Busy;
        }
        recording.requests.back().attempts.push_back({ .ending = endingOf(row),
            .code = saidBy(row).code,
            .note = row.notes,
            .delay = row.attempt == 1 ? std::nullopt : std::optional(delayOf(row)) });
    }
    recording.observed = { { "succeeded", 0 }, { "refused", 0 }, { "unknown", 0 } };
    for (const auto& request : recording.requests) {
        count(recording, request.attempts.size());
        const auto ended = measureOfEnd(request.attempts.back());
        ++std::find_if(recording.observed.begin(), recording.observed.end(), [&](const auto& one) {
            return one.first == ended;
        })->second;
    }
    return recording;
}

Result<Recording> readRecording(Inspector& inspector, const Binding& binding, const RecordingRequest& request)
{
    std::vector<RecordedLife> lives;
    bool isAll = true;
    PageRequest wanted;
    wanted.filter = request.filter;
    wanted.limit = pageRows;
    for (;;) {
        const auto page = inspector.page(binding, wanted);
        if (!page)
            return page.error();
        for (const auto& row : page->rows) {
            isAll = isAll && std::ssize(lives) < request.limit;
            if (!isAll)
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
        isAll = isAll && (!page->moreAfter || std::ssize(lives) < request.limit);
        if (!isAll || !page->moreAfter || page->cursors.empty())
            break;
        wanted.after = page->cursors.back();
    }
    if (lives.empty())
        return Error{ Failure::NotFound,
            request.filter ? "No record of " + binding.name + " fits the filter, so there is nothing to run on"
                           : binding.name + " has no record to run on" };
    return recordingOf(
        lives, (isAll ? "" : "the newest ") + std::to_string(lives.size()) + " records of " + binding.name);
}

Scenario withRecording(Scenario scenario, Recording recording)
{
    scenario.load.requests = 0;
    // What the scenario tells of its own load is not true of this one.
    scenario.title = "Run on " + recording.source;
    scenario.shows =
        "What is known of " + recording.source + " is run on in the world of the scenario " + scenario.name + ".";
    if (recording.by == RecordedBy::Table) {
        meet(recording.lease, scenario.service.lease);
        meet(recording.ttl, scenario.service.ttl);
    }
    if (!recording.requests.empty())
        // In whole seconds: it is read by people.
        scenario.load.duration =
            std::chrono::ceil<std::chrono::seconds>(std::max(recording.requests.back().at, Duration(0)) + behindLast);
    scenario.recording = std::move(recording);
    scenario.deliveries.clear();
    scenario.expect.clear();
    return scenario;
}

} // namespace fencepost::simulation
