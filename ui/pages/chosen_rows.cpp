// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/chosen_rows.h"

#include "ui/words.h"

namespace fencepost::ui {

ChosenRows::ChosenRows(const models::PageModel& model, QObject* parent)
    : QObject(parent)
    , m_model(model)
{
    connect(&model, &models::RowsModelBase::selectionChanged, this, &ChosenRows::follow);
    connect(&m_resolving, &QFutureWatcherBase::finished, this, &ChosenRows::resolved);
}

// All that match, and none of them left out: the filter says it.
bool ChosenRows::isFilter() const
{
    const auto& selected = m_model.selection();
    return selected.everything() && selected.exceptions().empty() && !m_model.filterText().isEmpty();
}

// All that is selected, where the window holds it.
std::optional<std::vector<Row>> ChosenRows::inWindow() const
{
    const auto selected = m_model.selection().size().value;
    if (selected > m_model.rowCount())
        return std::nullopt;
    std::vector<Row> rows;
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (m_model.index(row, 0).data(models::RowsModelBase::SelectedRole).toBool())
            rows.push_back(m_model.rowAt(row));
    return std::int64_t(rows.size()) == selected ? std::optional(std::move(rows)) : std::nullopt;
}

void ChosenRows::follow()
{
    m_scope.reset();
    m_resolving.setFuture({});
    if (!m_model.selection().empty() && !isFilter() && !inWindow())
        m_resolving.setFuture(m_model.resolveSelection());
    Q_EMIT changed();
}

void ChosenRows::resolved()
{
    if (m_resolving.isCanceled() || m_resolving.future().resultCount() == 0)
        return;
    const auto answer = m_resolving.result();
    if (answer)
        m_scope = *answer;
    else
        Q_EMIT failed(answer.error());
    Q_EMIT changed();
}

Selection ChosenRows::selection(const std::optional<Row>& current) const
{
    Selection chosen;
    if (!m_model.binding())
        return chosen;
    chosen.binding = *m_model.binding();
    const auto& selected = m_model.selection();
    if (selected.empty()) {
        if (current)
            chosen.rows = { *current };
        return chosen;
    }
    if (isFilter()) {
        chosen.all = true;
        chosen.filter = m_model.filterText();
        chosen.matching = selected.size();
        return chosen;
    }
    if (!m_scope) {
        chosen.rows = inWindow().value_or(std::vector<Row>());
        return chosen;
    }
    for (const auto& identity : m_scope->identities) {
        const int row = m_model.rowOf(identity);
        chosen.rows.push_back(row >= 0 ? m_model.rowAt(row) : Row{ .identity = identity, .key = identity.back() });
    }
    return chosen;
}

QString ChosenRows::words(const models::Zone& zone) const
{
    const auto& selected = m_model.selection();
    if (!selected.everything())
        return selected.empty() ? QString() : tr("%1 selected").arg(countText(selected.size()));
    auto words = tr("All %1 matching").arg(countText(selected.size()));
    if (!selected.exceptions().empty())
        words += tr(", except %1").arg(numberText(std::int64_t(selected.exceptions().size())));
    return words + tr("\nas of %1").arg(zone.format(selected.asOf(), models::Precision::Seconds));
}

} // namespace fencepost::ui
