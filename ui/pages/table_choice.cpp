// SPDX-License-Identifier: GPL-3.0-or-later
// What a table page shows: which of the session's tables, through which filter, in which order.
#include <algorithm>

#include "models/session.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"

namespace fencepost::ui {

// Jobs and locks of other frameworks are read like keys and have no page of their own.
bool TablePage::isShown(Kind kind) const
{
    return kind == m_traits.kind || (m_traits.kind == Kind::Idempotency && (kind == Kind::Job || kind == Kind::Lock));
}

QStringList TablePage::tableNames() const
{
    QStringList names;
    for (const auto& binding : m_context.session->bindings())
        if (isShown(binding->kind))
            names += text(binding->name);
    return names;
}

void TablePage::bindingsMoved()
{
    if (!m_model || !m_activated)
        return;
    const auto names = tableNames();
    const auto shown = m_model->binding() ? text(m_model->binding()->name) : QString();
    m_bar->setTables(names, names.contains(shown) ? shown : names.value(0));
    if (names.isEmpty())
        return showAbsence();
    if (!names.contains(shown))
        choose(names.first(), m_bar->filter());
}

void TablePage::choose(const QString& name, const QString& filter)
{
    const auto binding = m_context.session->binding(name);
    if (!binding)
        return;
    if (!m_model->binding() || m_model->binding()->name != binding->name)
        m_grid->standOn({});
    const auto& orders = binding->orders;
    const bool preferred = std::find(orders.begin(), orders.end(), m_traits.order.toStdString()) != orders.end();
    const auto order = preferred ? m_traits.order : orders.empty() ? QString() : text(orders.front());
    m_bar->setTables(tableNames(), name);
    m_bar->setRows(*binding);
    m_bar->setFilter(filter);
    m_arrivalsTerm.clear();
    const auto done = m_model->setView(binding, wholeFilter(filter), order, preferred ? m_traits.descending : true);
    remarkFilter(filter);
    if (!done)
        m_banner->report(tr("show %1").arg(name), done.error());
    m_grid->setLayoutName(name);
    markOrder();
    showBookmarks();
    TablePage::setLive(m_live);
    countArrivals();
    showSummary();
}

void TablePage::show(const QString& binding, const QString& filter)
{
    if (!m_model)
        return;
    m_activated = true;
    const auto shown = m_model->binding() ? text(m_model->binding()->name) : QString();
    if (!binding.isEmpty() && (binding != shown || !filter.isNull()))
        return choose(binding, filter);
    bindingsMoved();
    if (!filter.isNull())
        applyFilter(filter);
}

Place TablePage::place() const
{
    if (!m_model || !m_model->binding())
        return {};
    // An empty filter is one, too: a null one would leave the filter of now in force.
    return { text(m_model->binding()->name), m_bar->filter().isNull() ? QStringLiteral("") : m_bar->filter() };
}

QString TablePage::wholeFilter(const QString& filter) const
{
    if (m_traits.always.isEmpty())
        return filter;
    return filter.isEmpty() ? m_traits.always : QStringLiteral("%1 and (%2)").arg(m_traits.always, filter);
}

void TablePage::applyFilter(const QString& filter)
{
    if (!m_model)
        return;
    const auto done = m_model->setFilterText(wholeFilter(filter));
    if (!done)
        return m_banner->report(tr("apply the filter"), done.error());
    m_bar->setFilter(filter);
    markOrder();
    remarkFilter(filter);
    // What was selected may not be in sight any more; acting on it unseen is how scopes drift.
    m_model->clearSelection();
    m_grid->setWords(m_traits.rows, filter.isEmpty() ? m_traits.good : QString());
    countArrivals();
    showSummary();
}

void TablePage::sort(int column, bool descending)
{
    if (!m_model)
        return;
    if (m_model->canOrderBy(column)) {
        const auto order = m_model->headerData(column, Qt::Horizontal, models::RowsModelBase::OrderRole).toString();
        const auto done = m_model->setOrder(order, descending);
        if (!done)
            return m_banner->report(tr("sort"), done.error());
    } else {
        m_model->sortLoaded(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    m_grid->setSortMark(column, descending);
    holdNewest();
    showSummary();
}

void TablePage::holdNewest()
{
    const bool byAge = m_model->order() == QLatin1String("created") && !m_model->sortedLocally();
    m_grid->setHolding(byAge && m_model->descending());
}

void TablePage::markOrder()
{
    holdNewest();
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const auto order = m_model->headerData(column, Qt::Horizontal, models::RowsModelBase::OrderRole).toString();
        if (!order.isEmpty() && order == m_model->order())
            return m_grid->setSortMark(column, m_model->descending());
    }
    m_grid->setSortMark(-1, false);
}

} // namespace fencepost::ui
