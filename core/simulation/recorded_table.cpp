// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/operations/applicability.h"
#include "core/simulation/measures.h"
#include "core/simulation/recorded_lives.h"
#include "core/simulation/recording_source.h"

namespace fencepost::simulation {

namespace {

using std::chrono::seconds;

constexpr Duration longestSpan = std::chrono::hours(400 * 24); // of what can be chosen
bool begins(const JournalEntry& entry)
{
    return eventOf(entry.event) == Event::Reserve && entry.toState == "IN_PROGRESS";
}

bool ends(const JournalEntry& entry)
{
    const auto event = eventOf(entry.event);
    return event == Event::Finalize || event == Event::Fail || event == Event::Reconcile || event == Event::Hold;
}

RecordedEnding endingOf(const JournalEntry& entry)
{
    if (entry.toState == "SUCCEEDED")
        return RecordedEnding::Answered;
    if (entry.toState == "HELD")
        return RecordedEnding::Held;
    return entry.toState == "FAILED_FINAL" ? RecordedEnding::Declined : RecordedEnding::Failed;
}

// What was done to a record by somebody else than a worker; none: nothing that matters to its requests.
std::optional<RecordedAct> actOf(const JournalEntry& entry)
{
    const auto event = eventOf(entry.event);
    // Who came last found its attempts spent, or that nobody may run it again.
    if (event == Event::Reserve && (entry.toState == "HELD" || entry.toState == "FAILED_FINAL"))
        return RecordedAct::Come;
    if (event == Event::ReapOrphan && entry.toState == "HELD")
        return RecordedAct::Hold;
    if (event == Event::OperatorExpire)
        return RecordedAct::Expire;
    if (event == Event::Unexpire)
        return RecordedAct::Unexpire;
    if (event == Event::OperatorFence)
        return entry.toState == "HELD" ? RecordedAct::Hold : RecordedAct::Fence;
    if (event == Event::OperatorRelease)
        return RecordedAct::Release;
    if (event == Event::OperatorFail)
        return RecordedAct::Fail;
    if (event == Event::Reopen)
        return RecordedAct::Reopen;
    if (event != Event::OperatorResolve)
        return std::nullopt;
    if (entry.toState == "SUCCEEDED")
        return RecordedAct::Succeed;
    if (entry.toState == "IN_PROGRESS")
        return RecordedAct::TakeOver;
    return entry.toState == "FAILED_FINAL" ? RecordedAct::Fail : RecordedAct::Retry;
}

// What is past its retention is told as EXPIRED, whatever it was resolved to: that is seen by what came of it.
std::string stateBehind(const std::vector<JournalEntry>& journal, std::size_t place, const Row& row)
{
    const auto next = std::find_if(journal.begin() + static_cast<std::ptrdiff_t>(place) + 1, journal.end(), begins);
    if (next == journal.end())
        return std::string(wordOf(operation::statusOf(row)));
    if (next->attempt <= 1)
        return "SUCCEEDED";
    return row.takeover == wordOf(Takeover::Auto) ? "IN_PROGRESS" : "FAILED_RETRYABLE";
}

Dated& begin(RecordedLives& table, Time at)
{
    auto& life = table.lives.emplace_back();
    life.at = at;
    return life;
}

// A key that was forgotten and used again is another request. So is one that came with another payload.
void addLives(RecordedLives& table, const RecordedLife& recorded, const std::string& key)
{
    auto journal = recorded.journal;
    std::sort(journal.begin(), journal.end(), [](const auto& left, const auto& right) { return left.seq < right.seq; });
    for (std::size_t place = 0; place < journal.size(); ++place)
        if (eventOf(journal[place].event) == Event::OperatorResolve && journal[place].toState == "EXPIRED")
            journal[place].toState = stateBehind(journal, place, recorded.row);
    std::optional<std::size_t> life; // the table grows
    Time began{};
    const auto first = table.lives.size();
    for (const auto& entry : journal) {
        if (begins(entry)) {
            if (!life || entry.attempt <= 1) {
                if (life)
                    table.lives[*life].anew = entry.at;
                begin(table, entry.at);
                life = table.lives.size() - 1;
            } else {
                table.lives[*life].delays.push_back(std::max(entry.at - began, Duration(0)));
            }
            auto& current = table.lives[*life];
            current.request.attempts.push_back(
                { .ending = RecordedEnding::Crashed, .at = std::max(entry.at - current.at, Duration(0)) });
            began = entry.at;
            continue;
        }
        if (!life)
            continue;
        auto& current = table.lives[*life];
        if (ends(entry)) {
            auto& attempt = current.request.attempts.back();
            attempt.ending = endingOf(entry);
            attempt.took = std::max(entry.at - began, Duration(0));
        } else if (const auto act = actOf(entry)) {
            current.request.steps.push_back({ std::max(entry.at - current.at, Duration(0)), *act });
            if (*act != RecordedAct::Come || entry.toState != "HELD")
                continue;
            // Whoever ran it let its lease end, and may have finished it all the same.
            current.request.attempts.back().silent = true;
            if (entry.reason != "attempts_exhausted")
                current.manual = true;
            else if (current.maxAttempts == 0)
                current.maxAttempts = entry.attempt;
        } else if (entry.event == "mismatch") {
            ++table.conflicts;
            begin(table, entry.at).request.payload = key + "/" + std::to_string(entry.seq);
        }
    }
    // Only where several share the key they have to be told that they do.
    if (table.lives.size() - first < 2)
        return;
    for (auto place = first; place < table.lives.size(); ++place) {
        auto& request = table.lives[place].request;
        request.key = key;
        if (request.payload.empty())
            request.payload = key;
    }
}

// As it was left: that its retention is over by the time of the reading is no part of what happened.
RecordedEnding lastEndingOf(const Row& row)
{
    if (row.hold)
        return RecordedEnding::Held;
    switch (operation::statusOf(row)) {
    case State::FailedFinal:
        return RecordedEnding::Declined;
    case State::FailedRetryable:
        return RecordedEnding::Failed;
    case State::Held:
        return RecordedEnding::Held;
    case State::Succeeded:
    case State::Expired:
        return RecordedEnding::Answered;
    case State::Absent:
    case State::InProgress:
    case State::Unknown:
        break;
    }
    return RecordedEnding::Crashed;
}

// What a row alone says: how often, and how it ended.
void addRow(RecordedLives& table, const Row& row)
{
    const auto at = row.createdAt ? row.createdAt : row.startedAt;
    if (!at)
        return;
    auto& life = begin(table, *at);
    constexpr std::int64_t mostAttempts = 100;
    const auto attempts = std::clamp<std::int64_t>(row.attempts.value_or(1), 1, mostAttempts);
    // Between the first one and the last there is no more than their number.
    const auto lasted = std::max(row.startedAt.value_or(*at) - *at, Duration(0));
    for (std::int64_t place = 0; place < attempts; ++place)
        life.request.attempts.push_back({ .ending = RecordedEnding::Failed,
            .at = attempts == 1 ? Duration(0) : std::max<Duration>(lasted / (attempts - 1), seconds(1)) * place });
    auto& last = life.request.attempts.back();
    last.ending = lastEndingOf(row);
    if (row.finishedAt && (attempts == 1 || row.startedAt))
        last.took = std::max(*row.finishedAt - (attempts == 1 ? *at : *row.startedAt), Duration(0));
}

Duration toTenths(Duration span)
{
    return std::chrono::round<std::chrono::duration<std::int64_t, std::deci>>(span);
}

// By somebody else, since its last execution began.
bool isTouched(const RecordedRequest& request)
{
    return !request.steps.empty() && request.steps.back().at >= request.attempts.back().at.value_or(Duration(0));
}

// What is read off the row is told of the last execution. A lease that was renewed is longer than it was asked for:
// only who was done before the first beat of his heart had the one that is there.
std::optional<Duration> leaseOf(const Row& row, const RecordedRequest& request, Time began)
{
    constexpr int firstBeat = 3;
    if (!row.leaseUntil || *row.leaseUntil <= began)
        return std::nullopt;
    const auto& attempt = request.attempts.back();
    const auto lease = *row.leaseUntil - began;
    if (!row.hold && operation::statusOf(row) == State::InProgress)
        return lease;
    const bool left = attempt.ending == RecordedEnding::Crashed || attempt.silent;
    return left || isTouched(request) || attempt.took * firstBeat > lease ? std::nullopt : std::optional(lease);
}

// What the row says of its record's rules, for the last life of it.
void addRules(RecordedLives& table, const Row& row, std::size_t first)
{
    if (first == table.lives.size())
        return;
    table.stuck += !row.hold && operation::statusOf(row) == State::InProgress ? 1 : 0;
    table.held += row.hold || row.state == "HELD" ? 1 : 0;
    for (auto place = first; place < table.lives.size(); ++place) {
        auto& life = table.lives[place];
        life.request.manual = life.manual || row.takeover == wordOf(Takeover::Manual);
        life.request.maxAttempts = life.maxAttempts > 0 ? life.maxAttempts : row.maxAttempts.value_or(0);
    }
    auto last = std::find_if(table.lives.rbegin(), table.lives.rend() - static_cast<std::ptrdiff_t>(first),
        [](const Dated& life) { return !life.request.attempts.empty(); });
    if (last == table.lives.rend() - static_cast<std::ptrdiff_t>(first))
        return;
    auto& attempt = last->request.attempts.back();
    const auto began = row.startedAt.value_or(last->at + attempt.at.value_or(Duration(0)));
    if (const auto lease = leaseOf(row, last->request, began)) {
        attempt.lease = *lease;
        ++table.leases[toTenths(*lease)];
    }
    const auto kept = row.finishedAt ? row.finishedAt : row.startedAt;
    const auto ttl = row.expiresAt && kept ? toTenths(*row.expiresAt - *kept) : Duration(0);
    if (ttl <= Duration(0) || ttl > longestSpan || isTouched(last->request))
        return;
    last->request.ttl = ttl;
    ++table.ttls[ttl];
}

Duration mostFrequent(const std::map<Duration, int>& counts)
{
    const auto most = std::max_element(
        counts.begin(), counts.end(), [](const auto& left, const auto& right) { return left.second < right.second; });
    return most == counts.end() ? Duration(0) : most->first;
}

} // namespace

Result<Recording> recordingOf(const std::vector<RecordedLife>& lives, const std::string& source)
{
    RecordedLives table;
    for (const auto& life : lives) {
        const auto before = table.lives.size();
        addLives(table, life, "record-" + std::to_string(&life - lives.data() + 1));
        if (table.lives.size() == before)
            addRow(table, life.row);
        addRules(table, life.row, before);
    }
    auto& all = table.lives;
    if (all.empty())
        return invalid("None of " + source + " says when it began");
    for (const auto& life : all)
        if (life.request.attempts.size() > mostRecordedAttempts)
            return invalid("Among " + source + " is one that was executed "
                + std::to_string(life.request.attempts.size()) + " times; no more than "
                + std::to_string(mostRecordedAttempts) + " attempts at one request are run on");
    Recording recording;
    recording.by = RecordedBy::Table;
    recording.source = source;
    recording.lease = std::min(mostFrequent(table.leases), longestSpan);
    recording.ttl = mostFrequent(table.ttls);
    guessLeases(table, recording.lease);
    guessLifetimes(table, recording.ttl);
    std::stable_sort(all.begin(), all.end(), [](const Dated& left, const Dated& right) { return left.at < right.at; });
    std::int64_t takeovers = 0;
    std::int64_t crashes = 0;
    for (auto& one : all) {
        one.request.at = one.at - all.front().at;
        const auto& attempts = one.request.attempts;
        if (!attempts.empty()) {
            if (recording.attempts.size() <= attempts.size())
                recording.attempts.resize(attempts.size() + 1);
            ++recording.attempts[attempts.size()];
            takeovers += std::ssize(attempts) - 1;
            crashes += std::count_if(attempts.begin(), attempts.end(),
                [](const RecordedAttempt& attempt) { return attempt.ending == RecordedEnding::Crashed; });
        }
        recording.delays.insert(recording.delays.end(), one.delays.begin(), one.delays.end());
        recording.requests.push_back(std::move(one.request));
    }
    recording.observed = { { "conflicts", table.conflicts }, { "takeovers", takeovers }, { "held", table.held },
        { "stuck", table.stuck }, { "crashes", crashes } };
    return recording;
}

} // namespace fencepost::simulation
