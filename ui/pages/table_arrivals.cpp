// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the rows of a table page: when they arrived.
#include "core/query/filter.h"
#include "models/session.h"
#include "ui/pages/table_page.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/filter_bar.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr Duration stripSlice = std::chrono::milliseconds(60);

}

void TablePage::buildStrip()
{
    m_strip = new ArrivalsStrip(m_context.theme, this);
    connect(&m_context.range, &RangeSetting::changed, this, &TablePage::countArrivals);
    connect(m_strip, &ArrivalsStrip::chosen, this, &TablePage::applyArrivals);
    connect(&m_context.zone, &ZoneSetting::changed, this, [this] {
        m_counted.clear();
        countArrivals();
    });
}

// Counted for the filter without what was dragged across the strip: the rest of the time stays in sight.
void TablePage::countArrivals()
{
    if (!m_strip || !m_model || !m_model->binding())
        return;
    QString filter = m_bar->filter();
    if (!m_arrivalsTerm.isEmpty() && filter.endsWith(m_arrivalsTerm))
        filter.chop(m_arrivalsTerm.size());
    else
        m_arrivalsTerm.clear();
    const QString wanted =
        QStringLiteral("%1 %2 %3").arg(text(m_model->binding()->name), filter).arg(m_context.range.index());
    const bool again = wanted == m_counted;
    if (again && !m_recount)
        return;
    m_recount = false;
    m_counted = wanted;
    const bool has = models::hasCreated(*m_model->binding());
    m_strip->setVisible(has);
    const auto parsed = parseFilter(wholeFilter(filter).toStdString());
    if (!has || !parsed)
        return;
    const auto size = m_model->estimatedSize();
    m_countedRows = size.exactness == Exactness::Exact ? std::optional(size.value) : std::nullopt;
    // The bars of the same question stay until its answer has changed.
    if (!again)
        m_strip->show(std::nullopt, m_context.zone.value(), m_traits.one, m_traits.rows);
    auto request = m_context.range.request();
    request.filter = *parsed;
    request.slice = stripSlice;
    countOn(request, {}, again);
}

// Slice by slice, so that the rows never wait for the strip.
void TablePage::countOn(const models::ArrivalsRequest& request, const models::Arrivals& before, bool quietly)
{
    m_arrivals.start(
        m_context.session->reads(),
        [binding = *m_model->binding(), request, before](
            Backend& backend) { return models::countArrivals(backend.inspector(), binding, request, before); },
        [this, request, quietly](const Result<models::Arrivals>& answer) {
            if (!quietly || !answer || answer->whole)
                m_strip->show(answer ? *answer : models::Arrivals{ .skipped = text(answer.error().message) },
                    m_context.zone.value(), m_traits.one, m_traits.rows);
            if (answer && !answer->whole)
                countOn(request, *answer, quietly);
        });
}

// Rows came or left, and they are few enough to be counted at once: the strip must not speak of others than the grid.
void TablePage::recountArrivals()
{
    const auto size = m_model->estimatedSize();
    if (size.exactness != Exactness::Exact || m_arrivals.pending() || m_countedRows == size.value)
        return;
    m_recount = true;
    countArrivals();
}

// Replaces what was dragged before, and goes beside whatever else the filter says.
void TablePage::applyArrivals(const QString& term)
{
    QString filter = m_bar->filter();
    if (!m_arrivalsTerm.isEmpty() && filter.endsWith(m_arrivalsTerm))
        filter.chop(m_arrivalsTerm.size());
    const auto parsed = parseFilter(filter.toStdString());
    const bool choice = parsed && *parsed && (*parsed)->op == Filter::Op::Or;
    if (choice)
        filter = QStringLiteral("(%1)").arg(filter);
    m_arrivalsTerm = filter.trimmed().isEmpty() ? term : QStringLiteral(" and ") + term;
    applyFilter(filter + m_arrivalsTerm);
}

} // namespace fencepost::ui
