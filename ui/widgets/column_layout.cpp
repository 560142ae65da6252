// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/column_layout.h"

#include <algorithm>

#include <QEvent>
#include <QFontMetrics>
#include <QHeaderView>

#include "core/protocol/record.h"
#include "models/rows_model.h"
#include "ui/theme.h"
#include "ui/widgets/grid_view.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using ModelBase = models::RowsModelBase;

constexpr auto orderKey = "order";
constexpr auto hiddenKey = "hidden";
constexpr auto widthsKey = "widths";

int characterWidth(const Theme& theme)
{
    return QFontMetrics(theme.font(Text::Mono)).averageCharWidth();
}

// A state's word is never cut: the longest one, with the clock of a stuck record where it can have one.
int widestState(const Theme& theme)
{
    const int longest = theme.widthOf({ .state = wordOf(State::FailedRetryable) });
    return std::max(longest, theme.widthOf({ .state = wordOf(State::InProgress), .stuck = true })) + 2 * space::medium;
}

// Before and after, with an arrow between them.
int widestPair(const Theme& theme)
{
    int widest = 0;
    for (const auto from : allStates())
        for (const auto to : allStates())
            if (from != to)
                widest = std::max(widest,
                    theme.widthOf({ .state = wordOf(from) }) + space::icon + 2 * space::tiny
                        + theme.widthOf({ .state = wordOf(to) }));
    return widest + 2 * space::medium;
}

QVariant headerOf(const GridView& view, int column, int role)
{
    return view.model()->headerData(column, Qt::Horizontal, role);
}

} // namespace

ColumnLayout::ColumnLayout(const Theme& theme, GridView& view)
    : QObject(&view)
    , m_theme(theme)
    , m_view(view)
    , m_viewport(view.viewport())
{
    view.viewport()->installEventFilter(this);
    auto* header = view.horizontalHeader();
    header->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this] { m_chosen = m_chosen || m_dragging; });
    connect(header, &QHeaderView::sectionMoved, this, &ColumnLayout::fit);
}

bool ColumnLayout::eventFilter(QObject* watched, QEvent* event)
{
    // The last events come when the view itself is gone and its children go.
    if (watched == m_viewport) {
        if (event->type() == QEvent::Resize)
            fit();
        return false;
    }
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick)
        m_dragging = true;
    else if (event->type() == QEvent::MouseButtonRelease)
        m_dragging = false;
    return false;
}

void ColumnLayout::reset()
{
    auto* header = m_view.horizontalHeader();
    m_chosen = false;
    for (int column = 0; column < header->count(); ++column) {
        header->moveSection(header->visualIndex(column), column);
        m_view.setColumnHidden(column, !headerOf(m_view, column, ModelBase::ShownRole).toBool());
    }
    measure();
}

void ColumnLayout::measure()
{
    const auto* header = m_view.horizontalHeader();
    const int character = characterWidth(m_theme);
    m_usual.clear();
    for (int column = 0; column < header->count(); ++column) {
        const int wished = headerOf(m_view, column, ModelBase::WidthRole).toInt();
        const auto id = idOf(column);
        const int needed = id == QLatin1String("state") ? widestState(m_theme)
            : id == QLatin1String("states")             ? widestPair(m_theme)
                                                        : character * wished + 2 * space::small;
        m_usual.push_back(std::max(header->sectionSizeHint(column), needed));
    }
    fit();
}

void ColumnLayout::setShown(int column, bool shown)
{
    m_view.setColumnHidden(column, !shown);
    fit();
}

void ColumnLayout::showOnly(const QStringList& ids)
{
    for (int column = 0; column < m_view.horizontalHeader()->count(); ++column)
        m_view.setColumnHidden(column, !ids.contains(idOf(column)));
    place(ids);
    fit();
}

void ColumnLayout::place(const QStringList& ids)
{
    auto* header = m_view.horizontalHeader();
    int next = 0;
    for (const QString& id : ids)
        if (const int column = columnOf(id); column >= 0)
            header->moveSection(header->visualIndex(column), next++);
}

QVariantMap ColumnLayout::saved() const
{
    const auto* header = m_view.horizontalHeader();
    QStringList order;
    QStringList hidden;
    QVariantMap widths;
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        order += idOf(column);
        if (header->isSectionHidden(column))
            hidden += idOf(column);
        else
            widths[idOf(column)] = header->sectionSize(column);
    }
    QVariantMap saved{ { QLatin1String(orderKey), order }, { QLatin1String(hiddenKey), hidden } };
    if (m_chosen)
        saved[QLatin1String(widthsKey)] = widths;
    return saved;
}

void ColumnLayout::restore(const QVariantMap& saved)
{
    reset();
    if (saved.isEmpty())
        return;
    const QStringList order = saved[QLatin1String(orderKey)].toStringList();
    const QStringList hidden = saved[QLatin1String(hiddenKey)].toStringList();
    const QVariantMap widths = saved[QLatin1String(widthsKey)].toMap();
    // A column that is newer than the layout stands as the model says.
    for (int column = 0; column < m_view.horizontalHeader()->count(); ++column)
        if (order.contains(idOf(column)))
            m_view.setColumnHidden(column, hidden.contains(idOf(column)));
    place(order);
    m_chosen = !widths.isEmpty();
    for (auto width = widths.begin(); width != widths.end(); ++width)
        if (const int column = columnOf(width.key()); column >= 0 && width->toInt() > 0)
            m_view.setColumnWidth(column, width->toInt());
    fit();
}

void ColumnLayout::fit()
{
    const auto shown = shownColumns();
    if (m_chosen || m_dragging || shown.empty() || m_usual.size() != std::size_t(m_view.horizontalHeader()->count()))
        return;
    const auto usual = [this](int column) { return m_usual[std::size_t(column)]; };
    const int room = m_view.viewport()->width();
    std::size_t whole = 0;
    int used = 0;
    while (whole < shown.size() && (whole == 0 || used + usual(shown[whole]) <= room))
        used += usual(shown[whole++]);
    // What is left goes to the columns whose text is cut first.
    std::vector<int> growing;
    for (std::size_t i = 0; i < whole; ++i)
        if (headerOf(m_view, shown[i], ModelBase::GrowsRole).toBool())
            growing.push_back(shown[i]);
    if (growing.empty())
        growing.push_back(shown[whole - 1]);
    int left = std::max(0, room - used);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const int column = shown[i];
        const auto found = std::find(growing.begin(), growing.end(), column);
        const int extra = found == growing.end() ? 0 : left / int(growing.end() - found);
        left -= extra;
        m_view.setColumnWidth(column, usual(column) + extra);
    }
}

QString ColumnLayout::idOf(int column) const
{
    return headerOf(m_view, column, ModelBase::ColumnIdRole).toString();
}

int ColumnLayout::columnOf(const QString& id) const
{
    for (int column = 0; column < m_view.horizontalHeader()->count(); ++column)
        if (idOf(column) == id)
            return column;
    return -1;
}

std::vector<int> ColumnLayout::shownColumns() const
{
    std::vector<int> shown;
    const auto* header = m_view.horizontalHeader();
    for (int visual = 0; m_view.model() && visual < header->count(); ++visual)
        if (!header->isSectionHidden(header->logicalIndex(visual)))
            shown.push_back(header->logicalIndex(visual));
    return shown;
}

} // namespace fencepost::ui
