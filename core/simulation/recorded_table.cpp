// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/simulation/measures.h"
#include "core/simulation/recording_source.h"

namespace fencepost::simulation {

namespace {

using std::chrono::seconds;

constexpr Duration longestSpan = std::chrono::hours(400 * 24); // of what can be chosen

// A request and when it began, before it is known which one was the first of all.
struct Dated {
    Time at;
    RecordedRequest request;
    std::vector<Duration> delays;
};

struct Table {
    std::vector<Dated> lives;
    std::map<Duration, int> leases; // that were seen, and how often
    std::map<Duration, int> ttls;
    std::int64_t stuck = 0;
    std::int64_t held = 0;
    std::int64_t conflicts = 0;
};

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
    if (event == Event::Reserve && entry.toState == "HELD")
        return RecordedAct::Hold;
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
    return entry.toState == "FAILED_FINAL" ? RecordedAct::Fail : RecordedAct::Retry;
}

Dated& begin(Table& table, Time at)
{
    auto& life = table.lives.emplace_back();
    life.at = at;
    return life;
}

// A key that was forgotten and used again is another request. So is one that came with another payload.
void addLives(Table& table, std::vector<JournalEntry> journal, const std::string& key)
{
    std::sort(journal.begin(), journal.end(), [](const auto& left, const auto& right) { return left.seq < right.seq; });
    std::optional<std::size_t> life; // the table grows
    Time began{};
    const auto first = table.lives.size();
    for (const auto& entry : journal) {
        if (begins(entry)) {
            if (!life || entry.attempt <= 1) {
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

RecordedEnding lastEndingOf(const Row& row)
{
    if (row.state == "SUCCEEDED" || row.state == "EXPIRED")
        return RecordedEnding::Answered;
    if (row.state == "FAILED_FINAL")
        return RecordedEnding::Declined;
    if (row.state == "HELD")
        return RecordedEnding::Held;
    return row.state == "FAILED_RETRYABLE" ? RecordedEnding::Failed : RecordedEnding::Crashed;
}

// What a row alone says: how often, and how it ended.
void addRow(Table& table, const Row& row)
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

// What the row says of its record's rules, for the last life of it.
void addRules(Table& table, const Row& row, std::size_t first)
{
    if (first == table.lives.size())
        return;
    table.stuck += row.state == "IN_PROGRESS" ? 1 : 0;
    table.held += row.state == "HELD" ? 1 : 0;
    for (auto place = first; place < table.lives.size(); ++place) {
        table.lives[place].request.manual = row.takeover == "manual";
        table.lives[place].request.maxAttempts = row.maxAttempts.value_or(0);
    }
    auto last = std::find_if(table.lives.rbegin(), table.lives.rend() - static_cast<std::ptrdiff_t>(first),
        [](const Dated& life) { return !life.request.attempts.empty(); });
    if (last == table.lives.rend() - static_cast<std::ptrdiff_t>(first))
        return;
    auto& attempt = last->request.attempts.back();
    const auto began = last->at + attempt.at.value_or(Duration(0));
    if (row.state == "IN_PROGRESS" && row.leaseUntil && *row.leaseUntil > began) {
        attempt.lease = *row.leaseUntil - began;
        ++table.leases[toTenths(attempt.lease)];
    }
    const auto kept = row.finishedAt ? row.finishedAt : row.startedAt;
    const auto ttl = row.expiresAt && kept ? toTenths(*row.expiresAt - *kept) : Duration(0);
    if (ttl <= Duration(0) || ttl > longestSpan)
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

// Of who was taken over from nobody wrote the lease down: it was one of those that were seen elsewhere, the usual one
// first, and no longer than the time until then.
void guessLeases(Table& table, Duration usual)
{
    for (auto& life : table.lives) {
        auto& attempts = life.request.attempts;
        for (std::size_t place = 0; place + 1 < attempts.size(); ++place) {
            if (attempts[place].ending != RecordedEnding::Crashed || !attempts[place].at || !attempts[place + 1].at)
                continue;
            const auto gap = *attempts[place + 1].at - *attempts[place].at;
            const auto above = table.leases.upper_bound(gap);
            if (usual > Duration(0) && usual <= gap)
                attempts[place].lease = usual;
            else
                attempts[place].lease = above == table.leases.begin() ? gap : std::prev(above)->first;
        }
    }
}

} // namespace

Result<Recording> recordingOf(const std::vector<RecordedLife>& lives, const std::string& source)
{
    Table table;
    for (const auto& life : lives) {
        const auto before = table.lives.size();
        addLives(table, life.journal, "record-" + std::to_string(&life - lives.data() + 1));
        if (table.lives.size() == before)
            addRow(table, life.row);
        addRules(table, life.row, before);
    }
    auto& all = table.lives;
    if (all.empty())
        return invalid(source + " has no record that says when it began");
    Recording recording;
    recording.by = RecordedBy::Table;
    recording.source = source;
    recording.lease = std::min(mostFrequent(table.leases), longestSpan);
    recording.ttl = mostFrequent(table.ttls);
    guessLeases(table, recording.lease);
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
