// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/overview.h"

#include <algorithm>
#include <utility>

namespace fencepost::models {

namespace {

constexpr Duration countBudget = std::chrono::milliseconds(50);

bool isOpen(const Count& count)
{
    return count.exactness == Exactness::AtLeast && count.value == 0;
}

void fill(Count& count, const Count& before)
{
    if (isOpen(count) && !isOpen(before))
        count = { before.value, Exactness::Estimate };
}

// Whether there is a figure that the page would have to leave out.
bool leavesOpen(const Counts& counts)
{
    return isOpen(counts.total) || isOpen(counts.stuck) || isOpen(counts.expiringSoon)
        || std::any_of(
            counts.byState.begin(), counts.byState.end(), [](const auto& state) { return isOpen(state.second); });
}

} // namespace

Counts withEstimates(Counts counts, const std::optional<Counts>& before)
{
    if (!before)
        return counts;
    const bool total = isOpen(counts.total);
    for (const auto& [state, count] : before->byState) {
        // A state that nobody met while everything was counted has no rows any more.
        if (total)
            counts.byState.try_emplace(state, Count{ 0, Exactness::AtLeast });
        if (const auto open = counts.byState.find(state); open != counts.byState.end())
            fill(open->second, count);
    }
    fill(counts.total, before->total);
    fill(counts.stuck, before->stuck);
    fill(counts.expiringSoon, before->expiringSoon);
    const auto running = counts.byState.find("IN_PROGRESS");
    if (!counts.oldestLease && running != counts.byState.end() && running->second.exactness != Exactness::Exact)
        counts.oldestLease = before->oldestLease;
    return counts;
}

Overview::Overview(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&session, &Session::bindingsChanged, this, [this] {
        takeBindings();
        reload();
    });
    takeBindings();
    m_next = m_entries.size();
}

void Overview::reload()
{
    if (loading())
        return; // the answers under way are as new as those that would be asked for
    m_next = 0;
    countNext();
}

void Overview::loadArrivals(const QString& name, const ArrivalsRequest& request)
{
    m_arrivals.reset();
    const BindingPtr binding = m_session.binding(name);
    if (!binding)
        return;
    if (!hasCreated(*binding)) {
        m_arrivals = Arrivals{ .skipped = QStringLiteral("This table does not say when its rows were created.") };
        Q_EMIT arrivalsChanged();
        return;
    }
    countArrivalsOf(binding, request);
}

void Overview::refreshArrivals(const QString& name, const ArrivalsRequest& request)
{
    const BindingPtr binding = m_session.binding(name);
    const bool rested = m_arrivalsAsked.isValid()
        && std::chrono::nanoseconds(m_arrivalsAsked.nsecsElapsed()) >= m_arrivalsCost * m_restForEachChart;
    if (binding && hasCreated(*binding) && m_arrivals && rested && !m_arrivalsLoad.pending())
        countArrivalsOf(binding, request);
}

void Overview::countArrivalsOf(const BindingPtr& binding, const ArrivalsRequest& request)
{
    m_arrivalsAsked.start();
    m_arrivalsLoad.start(
        m_session.reads(),
        [binding, request](Backend& backend) { return countArrivals(backend.inspector(), *binding, request); },
        [this](const Result<Arrivals>& answer) {
            m_arrivalsCost =
                std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(m_arrivalsAsked.nsecsElapsed()));
            if (answer || !m_arrivals)
                m_arrivals = answer ? *answer : Arrivals{ .skipped = QString::fromStdString(answer.error().message) };
            Q_EMIT arrivalsChanged();
        });
}

void Overview::loadComparison(const QString& name, const std::optional<TimeRange>& range)
{
    const BindingPtr binding = m_session.binding(name);
    if (name != std::exchange(m_comparedBinding, name) || !binding)
        m_comparison.reset();
    if (!binding)
        return;
    m_comparisonLoad.start(
        m_session.reads(),
        [binding, range](Backend& backend) { return compareWithBefore(backend.inspector(), *binding, range); },
        [this](const Result<Comparison>& answer) {
            m_comparison = answer ? *answer : Comparison{ .skipped = QString::fromStdString(answer.error().message) };
            Q_EMIT comparisonChanged();
        });
}

const OverviewEntry* Overview::entry(const QString& binding) const
{
    for (const OverviewEntry& entry : m_entries) {
        if (entry.binding->name == binding.toStdString())
            return &entry;
    }
    return nullptr;
}

Cost Overview::cost() const
{
    Cost sum;
    for (const OverviewEntry& entry : m_entries) {
        if (entry.counts) {
            sum.time += entry.counts->cost.time;
            sum.rows += entry.counts->cost.rows;
        }
    }
    if (m_comparison)
        sum.time += m_comparison->cost();
    return sum;
}

// Keeps the counts of tables that are still there.
void Overview::takeBindings()
{
    std::vector<OverviewEntry> entries;
    for (const BindingPtr& binding : m_session.bindings()) {
        const OverviewEntry* known = entry(QString::fromStdString(binding->name));
        entries.push_back(known ? *known : OverviewEntry{});
        entries.back().binding = binding;
    }
    m_countsLoad.drop(m_session.reads());
    m_entries = std::move(entries);
    m_next = m_entries.size();
    Q_EMIT changed();
}

void Overview::countNext()
{
    while (m_next < m_entries.size() && !m_entries[m_next].binding->canRead)
        ++m_next;
    if (m_next >= m_entries.size()) {
        Q_EMIT changed();
        return;
    }
    m_countsLoad.start(
        m_session.reads(),
        [binding = m_entries[m_next].binding](
            Backend& backend) { return backend.inspector().counts(*binding, nullptr, countBudget); },
        [this](const Result<Counts>& answer) {
            OverviewEntry& counted = m_entries[m_next];
            counted.error = answer ? std::nullopt : std::optional(answer.error());
            // The second look at a table finds its pages in memory.
            const bool again = answer && !counted.counts && !counted.askedAgain && leavesOpen(*answer);
            if (answer && !again)
                counted.counts = withEstimates(*answer, counted.counts);
            counted.askedAgain = again;
            if (!again)
                ++m_next;
            Q_EMIT changed();
            countNext();
        });
}

} // namespace fencepost::models
