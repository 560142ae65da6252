// SPDX-License-Identifier: Apache-2.0
#include "core/store/retry_reads.h"

#include <algorithm>
#include <map>

#include "core/messaging/delivery_attempt.h"
#include "core/store/flow_reads.h"
#include "core/store/journal_range.h"
#include "core/store/statements.h"
#include "core/store/tally_sql.h"

namespace fencepost::store {

namespace {

// Each of them is looked up in the journal's index: the newest of so many tell how long it takes.
constexpr std::int64_t lookedUp = 100'000;
constexpr std::int64_t sampled = 200'000;
constexpr std::int64_t histories = 100'000;
constexpr Duration peakWidth = std::chrono::seconds(10);
constexpr Duration aroundPeak = std::chrono::seconds(60);

class DelayTable {
public:
    explicit DelayTable(Promise promise)
        : m_promise(std::move(promise))
    {
    }

    void add(const std::string& scope, const std::string& operation, int attempt, Duration delay)
    {
        auto& delays = m_table[{ operation, attempt }];
        const auto promise = m_promise ? m_promise(scope, operation, attempt) : std::nullopt;
        delays.operation = operation;
        delays.attempt = attempt;
        delays.delays.add(delay);
        if (!promise)
            return;
        // Two scopes may have two policies: what is shown is all that any of them allows.
        auto& range = delays.promised;
        range = range
            ? retry::DelayRange{ std::min(range->least, promise->least), std::max(range->most, promise->most) }
            : *promise;
        delays.early += delay < promise->least ? 1 : 0;
        delays.late += delay > promise->most ? 1 : 0;
    }

    [[nodiscard]] std::vector<AttemptDelays> take() const
    {
        std::vector<AttemptDelays> all;
        for (const auto& [key, entry] : m_table)
            all.push_back(entry);
        return all;
    }

private:
    Promise m_promise;
    std::map<std::pair<std::string, int>, AttemptDelays> m_table;
};

Parameters entriesOf(const TimeRange& range, const JournalRange& stretch)
{
    return Parameters()
        .time("from", range.from)
        .time("until", range.until)
        .integer("first", stretch.first)
        .integer("last", stretch.last);
}

// What was attempted by stretches of time, and what failed by finer ones.
struct Stretches {
    std::map<std::int64_t, AttemptRate> rates;
    std::map<std::int64_t, std::int64_t> failed;
};

struct FinerStretches {
    Time from;
    Duration width;
};

Result<Stretches> stretchesOf(TimedReads& reads, const std::string& what, const TimeRange& range,
    const JournalRange& entries, Duration width, const FinerStretches& finer)
{
    Stretches found;
    const auto asked = reads.ask(what, sql::attempt_rates,
        entriesOf(range, entries)
            .integer("width", width.count())
            .integer("finer_width", finer.width.count())
            .time("finer_from", finer.from),
        [&](const NativeRow& row) {
            const auto place = row.integer(0);
            auto& rate = found.rates[place];
            rate.from = range.from + place * width;
            rate.first += row.integer(2);
            rate.again += row.integer(3);
            found.failed[row.integer(1)] += row.integer(4);
        });
    if (!asked)
        return asked.error();
    return found;
}

// The outage that the arrivals are shown around is where the most failed, if nobody says where it was.
Status readRates(TimedReads& reads, const JournalRange& entries, int wanted, Retries& into)
{
    const auto& range = reads.range();
    into.rateWidth = std::max(Duration(1), (range.until - range.from + Duration(wanted - 1)) / wanted);
    // By the clock, not by the range: a range that moves on with time would move them over what failed.
    const auto clockwise = range.from - range.from.time_since_epoch() % peakWidth;
    const auto found =
        stretchesOf(reads, "attempts over time", range, entries, into.rateWidth, { clockwise, peakWidth });
    if (!found)
        return found.error();
    for (auto at = range.from; at < range.until; at += into.rateWidth)
        into.rates.push_back({ at, 0, 0 });
    for (const auto& [place, rate] : found->rates)
        into.rates[static_cast<std::size_t>(place)] = rate;
    const auto most = std::max_element(found->failed.begin(), found->failed.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    if (most != found->failed.end() && most->second > 0)
        into.peak = clockwise + most->first * peakWidth;
    return {};
}

Status readArrivals(TimedReads& reads, const std::optional<Time>& around, Retries& into)
{
    const auto centre = around ? around : into.peak;
    if (!centre)
        return {};
    into.arrivalsRange = { *centre - aroundPeak / 6, *centre + aroundPeak };
    const auto entries = journalRange(reads.connection(), into.arrivalsRange);
    if (!entries)
        return entries.error();
    const auto found = stretchesOf(
        reads, "arrivals", into.arrivalsRange, *entries, arrivalWidth, { into.arrivalsRange.from, arrivalWidth });
    if (!found)
        return found.error();
    for (const auto& [place, rate] : found->rates)
        if (const auto count = rate.first + rate.again; count > 0)
            into.arrivals.push_back({ rate.from, count });
    return {};
}

// The first entry of a life may be gone with the retention of the journal.
Status readTimesToSuccess(TimedReads& reads, const JournalRange& entries, Retries& into)
{
    std::int64_t rows = 0;
    const auto asked = reads.ask("times to success", sql::times_to_success,
        entriesOf(reads.range(), entries).integer("most", lookedUp), [&](const NativeRow& row) {
            ++rows;
            if (!row.isNull(1))
                into.timeToSuccess.add(row.time(0) - row.time(1));
        });
    if (asked && rows == lookedUp)
        reads.leaveOut("times to success are those of the newest " + std::to_string(lookedUp));
    return asked;
}

Status readRecordDelays(TimedReads& reads, const JournalRange& entries, const Promise& promise, Retries& into)
{
    DelayTable table(promise);
    std::int64_t rows = 0;
    const auto asked = reads.ask("delays between attempts", sql::retry_delays,
        entriesOf(reads.range(), entries).integer("most", lookedUp), [&](const NativeRow& row) {
            ++rows;
            if (!row.isNull(4))
                table.add(row.text(0), row.text(1), row.number(2), row.time(3) - row.time(4));
        });
    if (asked && rows == lookedUp)
        reads.leaveOut("delays are those of the newest " + std::to_string(lookedUp) + " retries");
    into.delays = table.take();
    return asked;
}

// Whose it is, its failed attempts, how many attempts it had in this life, and when the last of them succeeded.
void addHistory(const NativeRow& row, const TimeRange& range, DelayTable& table)
{
    auto attempts = parseAttempts(row.octets(1));
    if (!attempts)
        return;
    if (!row.isNull(3))
        attempts->push_back({ row.number(2), row.time(3) });
    for (std::size_t i = 1; i < attempts->size(); ++i) {
        const auto& before = (*attempts)[i - 1];
        const auto& attempt = (*attempts)[i];
        // A redrive begins another life: what lies between is an operator's decision.
        if (attempt.number > before.number && attempt.at >= range.from && attempt.at < range.until)
            table.add({}, row.text(0), attempt.number, attempt.at - before.at);
    }
}

} // namespace

Status countAttempts(TimedReads& reads, const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now,
    std::vector<AttemptCount>& into)
{
    const auto ask = [&](std::optional<std::int64_t> rows) -> Status {
        const auto text = compileAttempts(bound, filter, now, { {}, rows });
        if (!text)
            return text.error();
        return reads.ask("rows by attempts", *text, [&](const NativeRow& row) {
            into.push_back({ row.number(0), row.text(1), row.integer(2) });
        });
    };
    if (bound.fields.count("attempts") == 0)
        return {};
    const auto missing = reads.basis().unread.size();
    const auto whole = ask(std::nullopt);
    if (!whole || reads.basis().unread.size() == missing)
        return whole;
    into.clear();
    reads.leaveOut("rows by attempts are those of " + std::to_string(sampled) + " rows");
    return ask(sampled);
}

Status readRetries(TimedReads& reads, const RetriesRequest& request, Retries& into)
{
    const auto entries = journalRange(reads.connection(), reads.range());
    if (!entries)
        return entries.error();
    auto status = readRecordDelays(reads, *entries, request.promise, into);
    if (status)
        status = readTimesToSuccess(reads, *entries, into);
    if (status)
        status = reads.ask(
            "successes by attempts", sql::success_after, entriesOf(reads.range(), *entries), [&](const NativeRow& row) {
                into.successAfter.push_back({ row.number(0), "SUCCEEDED", row.integer(1) });
            });
    if (status)
        status = readRates(reads, *entries, std::clamp(request.rates, 1, 10'000), into);
    if (status)
        status = readArrivals(reads, request.around, into);
    return status;
}

Status readDelays(TimedReads& reads, Kind kind, const RetriesRequest& request, Retries& into)
{
    DelayTable table(request.promise);
    const auto& range = reads.range();
    auto words = Parameters().time("from", range.from).time("until", range.until).integer("most", histories);
    if (kind == Kind::Inbox)
        words.time("since", range.from - longestSchedule);
    const auto& sql = kind == Kind::Inbox ? sql::histories_of_inbox
        : kind == Kind::Outbox            ? sql::histories_of_outbox
                                          : sql::histories_of_letters;
    std::int64_t rows = 0;
    const auto asked = reads.ask("delays between attempts", sql, words, [&](const NativeRow& row) {
        ++rows;
        addHistory(row, range, table);
    });
    if (asked && rows == histories)
        reads.leaveOut("delays are those of the first " + std::to_string(histories) + " histories");
    into.delays = table.take();
    return asked;
}

} // namespace fencepost::store
