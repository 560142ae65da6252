// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/counts_model.h"

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString countText(const StateCount& row, const Display&)
{
    const auto number = QString::number(row.count.value);
    switch (row.count.exactness) {
    case Exactness::Exact:
        return number;
    case Exactness::AtLeast:
        return QStringLiteral("≥ ") + number;
    case Exactness::Estimate:
        return QStringLiteral("≈ ") + number;
    }
    return number;
}

constexpr Column<StateCount> countColumns[] = {
    { .id = "state",
        .title = "State",
        .text = [](const StateCount& row, const Display&) { return visibleText(row.state); },
        .width = 18 },
    { .id = "count",
        .title = "Rows",
        .text = countText,
        .sortKey = [](const StateCount& row) { return QVariant::fromValue<qlonglong>(row.count.value); },
        .alignment = Alignment::Right,
        .width = 12 },
};

// In the order of the protocol; states that only a profile knows come last.
std::vector<StateCount> ordered(const Counts& counts)
{
    auto left = counts.byState;
    std::vector<StateCount> rows;
    for (const auto state : allStates()) {
        const auto found = left.find(std::string(wordOf(state)));
        if (found == left.end())
            continue;
        rows.push_back({ found->first, found->second });
        left.erase(found);
    }
    for (const auto& [state, count] : left)
        rows.push_back({ state, count });
    return rows;
}

} // namespace

CountsModel::CountsModel(StoreThread& thread, QObject* parent)
    : ListModel(
        countColumns, [](const StateCount& row) { return Identity{ row.state }; }, parent)
    , m_thread(&thread)
{
}

void CountsModel::setBinding(const BindingPtr& binding, const FilterPtr& filter)
{
    m_binding = binding;
    m_filter = filter;
    m_counts.reset();
    reload();
}

void CountsModel::reload()
{
    if (!m_thread || !m_binding)
        return;
    m_load.start(
        *m_thread,
        [binding = m_binding, filter = m_filter, budget = m_budget](
            Backend& backend) { return backend.inspector().counts(*binding, filter, budget); },
        [this](const Result<Counts>& answer) {
            if (!answer) {
                setError(answer.error());
                return;
            }
            m_counts = *answer;
            setRows(ordered(*answer), answer->now);
        });
    Q_EMIT statusChanged();
}

QVariant CountsModel::mark(const StateCount& row, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(row.state);
    return ListModel::mark(row, role);
}

} // namespace fencepost::models
