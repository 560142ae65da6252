// SPDX-License-Identifier: GPL-3.0-or-later
// What a table page says of its rows: how many there are and as of when, what is chosen of them, and why there are
// none.
#include "core/query/filter.h"
#include "models/session.h"
#include "ui/pages/chosen_rows.h"
#include "ui/pages/table_page.h"
#include "ui/shown_states.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_completion.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/selection_line.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

// Without a table the grid cannot tell why there are no rows.
void TablePage::showAbsence()
{
    if (m_activated && m_model && !m_model->binding())
        m_grid->emptyState().showNoTable(*m_context.session, m_traits.rows, tr("Try again"));
}

// What a table cannot tell is not the same as that there is none.
void TablePage::remarkFilter(const QString& filter)
{
    const auto parsed = parseFilter(wholeFilter(filter).toStdString());
    const auto& binding = m_model->binding();
    const bool known = binding && parsed && *parsed;
    QString remark;
    if (known && asksFor(*parsed, Flag::Conflict) && !tellsConflicts(*binding))
        remark = tr("Conflicts are no rows of this table: whoever writes into it refuses another request under a used "
                    "key before anything is written, so that only its logs tell of it.");
    else if (known && asksFor(*parsed, Flag::Held) && !tellsHolds(*binding))
        remark = tr("Rows of this table cannot be held.");
    else if (known && asksFor(*parsed, Flag::Stuck) && !binding->tellsStuck)
        remark = binding->fromLogs
            ? tr("These rows were made of logs, which tell no lease. Look for old ones instead, with a filter like "
                 "state = IN_PROGRESS and age > 1h.")
            : tr("The profile of this table does not say when a row is stuck. Look for old rows instead, with a "
                 "filter like age > 1h, or map the table on the page Connections.");
    m_grid->setFilterRemark(remark);
}

void TablePage::showTarget()
{
    if (!m_model)
        return;
    m_selectionLine->operations().setTarget(selection(), m_model->display().now);
    m_selectionLine->setWords(m_chosen->words(m_context.zone.value()));
}

void TablePage::showSummary()
{
    if (!m_model)
        return;
    QStringList parts;
    // First, because it is the end of the line that a narrow window cuts.
    if (m_model->loadedAt() && m_model->stale())
        parts += tr("as of %1, %2")
                     .arg(models::relativeText(*m_model->loadedAt(), m_context.session->databaseNow()),
                         m_context.zone.value().format(m_model->loadedAt(), models::Precision::Seconds));
    if (m_model->rowCount() > 0) {
        const auto size = m_model->estimatedSize();
        const auto fresh = m_model->newRows();
        parts += tr("%1 %2").arg(countText(size), size.value == 1 ? m_traits.one : m_traits.rows);
        // They stand behind the button above the rows, and are not counted among them.
        parts += fresh.value > 0 ? tr("and %1 new").arg(countText(fresh)) : exactnessText(size.exactness);
    }
    if (m_model->binding() && m_model->binding()->mayHideRows)
        parts += tr("row-level security may hide rows");
    if (m_model->binding() && m_model->binding()->zoneUnknown)
        parts += tr("times of an unknown zone, read as UTC");
    if (m_model->sortedLocally())
        parts +=
            tr("sorts the %1 loaded, which stand still: this column has no index").arg(numberText(m_model->rowCount()));
    // Fresh rows are of today, and the line is short.
    if (m_model->loadedAt() && !m_model->stale())
        parts += tr("read %1").arg(m_context.zone.value()
                                       .format(m_model->loadedAt(), models::Precision::Seconds)
                                       .section(QLatin1Char('T'), 1));
    m_bar->setSummary(parts.join(QStringLiteral(" · ")));
    Q_EMIT statusChanged();
}

QString TablePage::rowsText(const Count& size) const
{
    return QStringLiteral("%1 %2 · %3")
        .arg(countText(size), size.value == 1 ? m_traits.one : m_traits.rows, exactnessText(size.exactness));
}

PageStatus TablePage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->binding())
        return status;
    const auto size = m_model->estimatedSize();
    // Before a first answer, and where it was an error, nothing is known of how many there are.
    const auto fresh = m_model->newRows();
    if (!isUnknown(size) && m_model->loadedAt())
        status.rows = fresh.value == 0
            ? rowsText(size)
            : tr("%1 %2 and %3 new")
                  .arg(countText(size), size.value == 1 ? m_traits.one : m_traits.rows, countText(fresh));
    status.readAt = m_model->loadedAt();
    status.stale = m_model->stale();
    return status;
}

} // namespace fencepost::ui
