// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_stages.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace fencepost {

namespace {

constexpr std::size_t askedAtOnce = 500;

int deathsOf(const PlanItem& item)
{
    const auto found = item.seen.find(seenDeaths);
    return found == item.seen.end() ? 0 : std::atoi(found->second.c_str());
}

} // namespace

ReplayStages::ReplayStages(const Plan& plan, const std::vector<int>& ramp, bool asks)
    : m_requestId(plan.requestId)
    , m_asks(asks)
{
    m_rows.reserve(plan.items.size());
    for (const auto& item : plan.items)
        m_rows.push_back(
            { item.number, item.identity.empty() ? std::string() : item.identity.front(), deathsOf(item) });
    std::size_t at = 0;
    for (const int rows : ramp) {
        if (at >= m_rows.size())
            break;
        at = std::min(m_rows.size(), at + static_cast<std::size_t>(rows));
        m_ends.push_back(at);
    }
    if (at < m_rows.size() || m_ends.empty())
        m_ends.push_back(m_rows.size());
    std::size_t first = 0;
    for (const auto end : m_ends) {
        m_reports.emplace_back().rows = static_cast<std::int64_t>(end - first);
        first = end;
    }
    m_judged.resize(m_reports.size());
}

std::size_t ReplayStages::current() const
{
    for (std::size_t stage = 0; stage + 1 < m_reports.size(); ++stage)
        if (m_reports[stage].done() < m_reports[stage].rows || m_reports[stage].pending > 0)
            return stage;
    return m_reports.empty() ? 0 : m_reports.size() - 1;
}

bool ReplayStages::isPutBack(std::size_t row) const
{
    const auto& outcome = m_rows[row].told.outcome;
    return outcome == wordOf(ItemResult::Changed) || outcome == wordOf(ItemResult::AlreadyDone);
}

std::vector<ReplayFate> ReplayStages::fates() const
{
    std::vector<ReplayFate> fates;
    fates.reserve(m_rows.size());
    for (const auto& row : m_rows)
        fates.push_back(row.fate);
    return fates;
}

void ReplayStages::note(std::size_t row, Told told)
{
    count(row, -1);
    const bool skipped = told.outcome == wordOf(ItemResult::Skipped);
    m_rows[row].told = std::move(told);
    count(row, 1);
    if (skipped && !std::exchange(m_rows[row].passed, true))
        widen(stageOf(row));
}

void ReplayStages::note(std::size_t row, ReplayFate fate, bool fails)
{
    count(row, -1);
    m_rows[row].fate = fate;
    m_rows[row].fails = fails;
    count(row, 1);
}

std::size_t ReplayStages::stageOf(std::size_t row) const
{
    return static_cast<std::size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), row) - m_ends.begin());
}

// Every boundary from its end on moves by a row, but the last.
void ReplayStages::widen(std::size_t stage)
{
    for (; stage + 1 < m_ends.size() && m_ends[stage] < m_rows.size(); ++stage) {
        const auto moved = m_ends[stage];
        count(moved, -1);
        --m_reports[stage + 1].rows;
        ++m_reports[stage].rows;
        ++m_ends[stage];
        count(moved, 1);
    }
}

void ReplayStages::count(std::size_t row, int sign)
{
    count(m_reports[stageOf(row)], row, sign);
    if (!m_rows[row].forgiven)
        count(m_judged[stageOf(row)], row, sign);
    if (!m_rows[row].settled)
        count(m_newest, row, sign);
    if (!isPutBack(row) || !m_asks)
        return;
    if (sign > 0 && m_rows[row].fate == ReplayFate::Pending)
        m_open.insert(row);
    else
        m_open.erase(row);
}

void ReplayStages::count(StageReport& into, std::size_t row, int sign) const
{
    const auto& outcome = m_rows[row].told.outcome;
    if (outcome == wordOf(ItemResult::Skipped))
        into.skipped += sign;
    else if (outcome == wordOf(ItemResult::Failed))
        into.failed += sign;
    if (!isPutBack(row))
        return;
    into.changed += sign;
    if (!m_asks)
        return;
    const auto fate = m_rows[row].fate;
    into.succeeded += fate == ReplayFate::Succeeded ? sign : 0;
    into.deadAgain += fate == ReplayFate::DeadAgain ? sign : 0;
    into.pending += fate == ReplayFate::Pending ? sign : 0;
    into.failing += fate == ReplayFate::Pending && m_rows[row].fails ? sign : 0;
}

bool ReplayStages::isKnown(std::size_t row) const
{
    const auto& known = m_rows[row];
    return isPutBack(row) ? known.fate != ReplayFate::Pending || known.fails : !known.told.outcome.empty();
}

void ReplayStages::settle()
{
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        if (!m_rows[row].settled && isKnown(row)) {
            count(row, -1);
            m_rows[row].settled = true;
            count(row, 1);
        }
}

void ReplayStages::forgive()
{
    settle();
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        if (!m_rows[row].forgiven && isKnown(row)) {
            count(row, -1);
            m_rows[row].forgiven = true;
            count(row, 1);
        }
}

// Without a place in common from one time to the next: what is stuck at one end hides nothing at the other.
std::vector<std::size_t> ReplayStages::someOpen(std::size_t most)
{
    if (m_open.size() <= most)
        return { m_open.begin(), m_open.end() };
    const auto first = *m_open.begin();
    const auto step = (*m_open.rbegin() - first) / most + 1;
    const auto shift = m_sample++ % step;
    std::vector<std::size_t> some;
    for (auto at = first + shift; some.size() < most; at += step) {
        const auto found = m_open.lower_bound(at);
        if (found == m_open.end())
            break;
        if (some.empty() || some.back() < *found)
            some.push_back(*found);
    }
    return some;
}

Status ReplayStages::recall(RunJournal& journal)
{
    const auto known = journal.items(m_requestId);
    if (!known)
        return known.error();
    std::map<int, std::size_t> places;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        places.emplace(m_rows[i].number, i);
    for (const auto& item : *known)
        if (const auto place = places.find(item.item); place != places.end() && !m_rows[place->second].told.here)
            note(place->second, Told{ item.outcome, item.detail, false });
    return {};
}

Result<bool> ReplayStages::askFates(RunJournal& journal, std::size_t most)
{
    const auto open = someOpen(most);
    bool throttled = false;
    for (std::size_t first = 0; first < open.size(); first += askedAtOnce) {
        std::map<std::string, std::size_t> places;
        std::vector<std::string> ids;
        for (auto i = first; i < std::min(open.size(), first + askedAtOnce); ++i) {
            ids.push_back(m_rows[open[i]].letter);
            places.emplace(ids.back(), open[i]);
        }
        const auto fates = journal.fates(ids);
        if (!fates)
            return fates.error();
        for (const auto& fate : *fates) {
            const auto place = places.find(fate.id);
            if (place == places.end())
                continue;
            auto& row = m_rows[place->second];
            note(place->second, fateOf(fate, row.deaths, m_requestId), isFailing(fate));
            const bool waits = isThrottled(fate);
            throttled = throttled || (waits && !row.waits);
            row.waits = row.waits || waits;
            places.erase(place);
        }
        // A letter is purged once it has arrived or somebody has decided about it: nothing of it is on its way.
        for (const auto& [id, gone] : places)
            note(gone, ReplayFate::Settled, false);
    }
    return throttled;
}

StageReport sumOf(const std::vector<StageReport>& stages)
{
    StageReport sum;
    for (const auto& each : stages)
        for (const auto member :
            { &StageReport::rows, &StageReport::changed, &StageReport::skipped, &StageReport::failed,
                &StageReport::succeeded, &StageReport::deadAgain, &StageReport::pending, &StageReport::failing })
            sum.*member += each.*member;
    return sum;
}

} // namespace fencepost
