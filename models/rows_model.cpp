// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/rows_model.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fencepost::models {

Emptiness::Kind emptinessOf(const Error& error)
{
    switch (error.failure) {
    case Failure::NotFound:
    case Failure::Unsupported:
        return Emptiness::Kind::TableMissing;
    case Failure::Denied:
        return Emptiness::Kind::NoPermission;
    case Failure::Unavailable:
        return Emptiness::Kind::ConnectionLost;
    case Failure::TimedOut:
    case Failure::Cancelled:
    case Failure::Invalid:
    case Failure::Conflict:
    case Failure::InDoubt:
    case Failure::Full:
    case Failure::Corrupt:
    case Failure::Internal:
        return Emptiness::Kind::NotLoaded;
    }
    return Emptiness::Kind::NotLoaded;
}

void RowsModelBase::setZone(const Zone& zone)
{
    if (zone == m_display.zone)
        return;
    m_display.zone = zone;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), { Qt::DisplayRole, Qt::ToolTipRole });
    Q_EMIT zoneChanged();
}

void RowsModelBase::clearSelection()
{
    m_anchor.reset();
    if (m_selection.empty())
        return;
    m_selection.clear();
    selectionMoved();
}

void RowsModelBase::toggleSelected(int row)
{
    const auto position = firstPosition() + row;
    m_anchor = Anchor{ position, cursorAt(row) };
    m_selection.toggle(position, cursorAt(row), identityAt(row));
    selectionMoved();
}

void RowsModelBase::selectTo(int row)
{
    const auto position = firstPosition() + row;
    if (!m_anchor)
        m_anchor = Anchor{ position, cursorAt(row) };
    const bool forward = m_anchor->position <= position;
    m_selection.add({ .first = std::min(m_anchor->position, position),
        .last = std::max(m_anchor->position, position),
        .firstCursor = forward ? m_anchor->cursor : cursorAt(row),
        .lastCursor = forward ? cursorAt(row) : m_anchor->cursor });
    selectionMoved();
}

void RowsModelBase::selectOnly(int row)
{
    m_selection.clear();
    toggleSelected(row);
}

void RowsModelBase::selectEverything()
{
    if (rowCount() == 0)
        return;
    m_anchor.reset();
    m_selection.selectEverything(m_loadedAt.value_or(m_display.now), estimatedSize());
    selectionMoved();
}

QVariant RowsModelBase::alignmentOf(Alignment alignment)
{
    switch (alignment) {
    case Alignment::Left:
        return QVariant::fromValue(int(Qt::AlignLeft | Qt::AlignVCenter));
    case Alignment::Right:
        return QVariant::fromValue(int(Qt::AlignRight | Qt::AlignVCenter));
    case Alignment::Center:
        return QVariant::fromValue(int(Qt::AlignCenter));
    }
    return {};
}

void RowsModelBase::selectionMoved()
{
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), { SelectedRole });
    Q_EMIT selectionChanged();
}

void RowsModelBase::placeSelection()
{
    if (m_selection.empty() || m_selection.everything())
        return;
    const auto first = firstPosition();
    const auto end = first + rowCount();
    const auto atHome = [&](std::int64_t position, const Cursor& cursor) {
        return position < first || position >= end || cursorAt(static_cast<int>(position - first)) == cursor;
    };
    const auto& ranges = m_selection.ranges();
    if (std::all_of(ranges.begin(), ranges.end(), [&](const SelectedRange& range) {
            return atHome(range.first, range.firstCursor) && atHome(range.last, range.lastCursor);
        }))
        return;
    std::map<Cursor, std::int64_t> places;
    for (int row = 0; row < rowCount(); ++row)
        places.emplace(cursorAt(row), first + row);
    std::optional<std::int64_t> by;
    for (const auto& range : ranges) {
        const auto start = places.find(range.firstCursor);
        const auto last = places.find(range.lastCursor);
        const bool found = start != places.end() && last != places.end()
            && last->second - start->second == range.last - range.first && (!by || *by == start->second - range.first);
        if (!found)
            return clearSelection();
        by = start->second - range.first;
    }
    if (by)
        moveSelection(*by);
}

void RowsModelBase::moveSelection(std::int64_t by)
{
    m_selection.shift(by);
    if (m_anchor)
        m_anchor->position += by;
}

} // namespace fencepost::models
