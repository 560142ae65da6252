// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/overview.h"

#include <utility>

namespace fencepost::models {

namespace {

constexpr Duration countBudget = std::chrono::milliseconds(50);
constexpr Duration hourBudget = std::chrono::milliseconds(100);
constexpr Duration arrivalsBudget = std::chrono::seconds(1);
constexpr int hoursShown = 48;

FilterPtr createdWithin(Time from, Time until)
{
    const auto test = [](Comparison comparison, Time bound) {
        auto filter = std::make_shared<Filter>();
        filter->op = Filter::Op::Test;
        filter->field = Field::Created;
        filter->comparison = comparison;
        filter->values = { { formatInstant(bound), bound } };
        return filter;
    };
    auto both = std::make_shared<Filter>();
    both->op = Filter::Op::And;
    both->children = { test(Comparison::GreaterEqual, from), test(Comparison::Less, until) };
    return both;
}

// Hour by hour, newest first, until the budget is spent: a table that is too large to be counted is left alone.
Result<Arrivals> countHours(Inspector& inspector, const Binding& binding)
{
    const auto info = inspector.info();
    if (!info)
        return info.error();
    Arrivals arrivals;
    const Time end = std::chrono::ceil<std::chrono::hours>(info->now);
    for (int hour = 0; hour < hoursShown; ++hour) {
        const Time from = end - std::chrono::hours(hour + 1);
        const auto counts = inspector.counts(binding, createdWithin(from, from + std::chrono::hours(1)), hourBudget);
        if (!counts)
            return counts.error();
        arrivals.cost += counts->cost.time;
        if (counts->total.exactness != Exactness::Exact || arrivals.cost > arrivalsBudget) {
            arrivals.hours.clear();
            arrivals.skipped = QStringLiteral("Counting %1 hours of this table takes more than %2, so it was not done.")
                                   .arg(hoursShown)
                                   .arg(QString::fromStdString(formatDuration(arrivalsBudget)));
            return arrivals;
        }
        arrivals.hours.insert(arrivals.hours.begin(), { from, *counts });
    }
    return arrivals;
}

bool hasCreated(const Binding& binding)
{
    return std::find(binding.fields.begin(), binding.fields.end(), "created") != binding.fields.end()
        || std::find(binding.fields.begin(), binding.fields.end(), "created_at") != binding.fields.end();
}

} // namespace

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

void Overview::loadArrivals(const QString& name)
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
    m_arrivalsLoad.start(
        m_session.reads(), [binding](Backend& backend) { return countHours(backend.inspector(), *binding); },
        [this](const Result<Arrivals>& answer) {
            m_arrivals = answer ? *answer : Arrivals{ .skipped = QString::fromStdString(answer.error().message) };
            Q_EMIT arrivalsChanged();
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
            if (answer)
                counted.counts = *answer;
            ++m_next;
            Q_EMIT changed();
            countNext();
        });
}

} // namespace fencepost::models
