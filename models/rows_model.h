// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <QAbstractTableModel>

#include "core/inspector.h"
#include "models/selection.h"
#include "models/zone.h"

namespace fencepost::models {

enum class Alignment { Left, Right, Center };

// What a cell needs besides its row.
struct Display {
    Zone zone = Zone::utc();
    Time now; // the database's clock when the rows were read; ages are computed from it
};

// One column of a table, as data.
template <typename Row> struct Column {
    const char* id; // as saved views spell it
    const char* title;
    QString (*text)(const Row&, const Display&);
    QVariant (*sortKey)(const Row&) = nullptr; // none: the text
    Alignment alignment = Alignment::Left;
    bool monospace = false;
    bool middleElision = false; // identifiers differ at both ends
    int width = 12; // in characters
    std::optional<Precision> instant = {}; // of the chosen zone, as wide as that writes it, in figures that align
    bool shown = true; // before the user chooses
    const char* order = nullptr; // of Binding::orders: the whole table can be sorted by it
    QString (*full)(const Row&, const Display&) = nullptr; // tooltip; none: the text
    const char* field = nullptr; // of Binding::fields, whose absence leaves the column empty
    bool grows = false; // takes the room that the others leave
};

// Why there are no rows to see, or that there are some.
struct Emptiness {
    enum class Kind {
        Rows, // there are rows
        Loading,
        NoRows, // none at all
        RowsMayBeHidden, // none that this role is shown
        FilterHidesRows,
        TableMissing,
        NoPermission,
        NotLoaded, // timeout, or another error
        ConnectionLost,
    };
    Kind kind = Kind::Loading;
    std::optional<Count> hidden; // FilterHidesRows: how many
    std::optional<Error> error;
    std::optional<Time> asOf; // of the rows shown, by the database's clock
};

// Which kind of emptiness an error means.
[[nodiscard]] Emptiness::Kind emptinessOf(const Error& error);

// The untyped part of every table model. A model's rows are those of its window; in a plain list that is all of them.
class RowsModelBase : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role {
        SortRole = Qt::UserRole + 1,
        MonospaceRole, // bool
        MiddleElisionRole, // bool
        WidthRole, // header: characters
        ColumnIdRole, // header: as saved views spell it
        OrderRole, // header: the order word, empty where only the loaded rows can be sorted
        ShownRole, // header: bool, before the user chooses
        GrowsRole, // header: bool, takes the room that the others leave
        StateRole, // the canonical word of the row's state, for icon and colour
        StuckRole, // bool
        IdentityRole, // QStringList
        SelectedRole, // bool, of the selection kept outside of QItemSelectionModel
        GoneRole, // bool: it left the table or the filter since it was read; drawn muted
        BookmarkedRole, // bool
        QuietRole, // bool: a known issue; drawn muted
        ChangedRole, // bool: this console changed it; drawn muted until the next refresh
    };

    using QAbstractTableModel::QAbstractTableModel;

    [[nodiscard]] const Display& display() const { return m_display; }
    void setZone(const Zone& zone);

    // The selection of a table with rows outside its window. Plain lists have it too.
    [[nodiscard]] const Selection& selection() const { return m_selection; }
    void clearSelection();
    void toggleSelected(int row);
    // Extends from the anchor (the row last toggled or selected) to this one.
    void selectTo(int row);
    void selectOnly(int row);
    void selectEverything();

    [[nodiscard]] virtual Emptiness emptiness() const = 0;
    // The logical position of row 0 in the whole table; an estimate after a jump.
    [[nodiscard]] virtual std::int64_t firstPosition() const { return 0; }
    [[nodiscard]] virtual bool positionIsExact() const { return true; }
    [[nodiscard]] virtual Count estimatedSize() const { return { .value = rowCount() }; }
    [[nodiscard]] std::optional<Time> loadedAt() const { return m_loadedAt; }
    [[nodiscard]] virtual bool loading() const { return false; }
    // The rows are older than the last attempt to read them; loadedAt says of when they are.
    [[nodiscard]] virtual bool stale() const { return false; }
    [[nodiscard]] virtual std::optional<Error> error() const { return std::nullopt; }
    // It is held as a whole, and what is read anew are the same rows again.
    [[nodiscard]] virtual bool isWhole() const { return false; }
    // Somebody is at one of the rows: what comes ahead of them is counted, and does not move them.
    void setHeld(bool held) { m_held = held; }
    // Rows that came ahead of the first one since it was read: "37 new".
    [[nodiscard]] virtual Count newRows() const { return {}; }
    // The order is that of the loaded rows only: "sorts the 1,000 loaded".
    [[nodiscard]] bool sortedLocally() const { return m_sortedLocally; }
    virtual void sortLoaded(int column, Qt::SortOrder order) = 0;

    // The view tells which rows it shows; pages are fetched ahead of it and dropped behind it.
    virtual void show(int firstRow, int lastRow)
    {
        Q_UNUSED(firstRow);
        Q_UNUSED(lastRow);
    }
    virtual void jumpToBegin() { }
    virtual void jumpToEnd() { }
    virtual void jumpToFraction(double fraction) { Q_UNUSED(fraction); }
    // Back to the first page.
    virtual void reload() { }
    // Brings what is shown up to date in place; never moves the rows under a scrolled view.
    virtual void refresh() { }
    virtual void cancelLoading() { }

Q_SIGNALS:
    void selectionChanged();
    void zoneChanged();
    void statusChanged(); // loading, stale, error, emptiness, newRows
    void positionChanged(); // firstPosition, estimatedSize
    // Rows were put in (positive) or taken out (negative) before the first shown one: the view moves its scroll value
    // by as much, and the picture stands still.
    void shifted(int rows);
    void loaded();
    void failed(const fencepost::Error& error);

protected:
    [[nodiscard]] static QVariant alignmentOf(Alignment alignment);
    [[nodiscard]] virtual Identity identityAt(int row) const = 0;
    [[nodiscard]] virtual Cursor cursorAt(int row) const = 0;
    void selectionMoved(); // repaints and tells
    void moveSelection(std::int64_t by);
    // After rows were loaded: a selection whose rows stand elsewhere now follows them; one that cannot be found is
    // dropped, rather than to mean rows that nobody chose.
    void placeSelection();

    Display m_display;
    Selection m_selection;
    bool m_held = false;
    std::optional<Time> m_loadedAt; // by the database's clock
    bool m_sortedLocally = false;

private:
    struct Anchor {
        std::int64_t position = 0;
        Cursor cursor;
    };
    std::optional<Anchor> m_anchor;
};

// The one item model: rows and a table of columns. Meant for the GUI thread.
template <typename Row> class RowsModel : public RowsModelBase {
public:
    explicit RowsModel(std::span<const Column<Row>> columns, QObject* parent = nullptr)
        : RowsModelBase(parent)
        , m_columns(columns)
    {
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final
    {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    [[nodiscard]] const Row& rowAt(int row) const { return m_rows[static_cast<std::size_t>(row)].row; }
    [[nodiscard]] std::span<const Column<Row>> columns() const { return m_columns; }
    void sortLoaded(int column, Qt::SortOrder order) override;
    [[nodiscard]] QString textAt(int row, int column) const
    {
        return m_columns[static_cast<std::size_t>(column)].text(rowAt(row), m_display);
    }

protected:
    struct Entry {
        Row row;
        Cursor cursor;
        bool gone = false;
        bool changed = false;
    };

    // With room for the arrow of an order.
    [[nodiscard]] int instantWidth(Precision precision) const
    {
        return int(m_display.zone.format(m_display.now, precision).size()) + 2;
    }
    // What the delegate needs besides the text.
    [[nodiscard]] virtual QVariant mark(const Row& row, int role) const
    {
        Q_UNUSED(row);
        Q_UNUSED(role);
        return {};
    }
    // False: no row of this table has anything for the column.
    [[nodiscard]] virtual bool hasField(const Column<Row>& column) const
    {
        Q_UNUSED(column);
        return true;
    }
    [[nodiscard]] Cursor cursorAt(int row) const override { return m_rows[static_cast<std::size_t>(row)].cursor; }
    [[nodiscard]] QVariant sortKey(const Row& row, int column) const;

    std::span<const Column<Row>> m_columns;
    std::deque<Entry> m_rows;
};

template <typename Row> QVariant RowsModel<Row>::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const auto& column = m_columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromUtf8(column.title);
    case Qt::TextAlignmentRole:
        return alignmentOf(column.alignment);
    case WidthRole:
        return column.instant ? instantWidth(*column.instant) : column.width;
    case ColumnIdRole:
        return QString::fromUtf8(column.id);
    case OrderRole:
        return QString::fromUtf8(column.order);
    case ShownRole:
        return column.shown && hasField(column);
    case GrowsRole:
        return column.grows;
    default:
        return {};
    }
}

template <typename Row> QVariant RowsModel<Row>::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto& entry = m_rows[static_cast<std::size_t>(index.row())];
    const auto& column = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return column.text(entry.row, m_display);
    case Qt::ToolTipRole:
        return (column.full ? column.full : column.text)(entry.row, m_display);
    case Qt::TextAlignmentRole:
        return alignmentOf(column.alignment);
    case SortRole:
        return sortKey(entry.row, index.column());
    case MonospaceRole:
        return column.monospace || column.instant.has_value();
    case MiddleElisionRole:
        return column.middleElision;
    case SelectedRole:
        return !m_selection.empty() && m_selection.contains(firstPosition() + index.row(), identityAt(index.row()));
    case GoneRole:
        return entry.gone;
    case ChangedRole:
        return entry.changed;
    default:
        return mark(entry.row, role);
    }
}

template <typename Row> void RowsModel<Row>::sortLoaded(int column, Qt::SortOrder order)
{
    std::vector<std::pair<QVariant, int>> keys;
    keys.reserve(m_rows.size());
    for (int row = 0; row < rowCount(); ++row)
        keys.emplace_back(sortKey(rowAt(row), column), row);
    std::stable_sort(keys.begin(), keys.end(), [order](const auto& left, const auto& right) {
        const auto compared = QVariant::compare(left.first, right.first);
        return order == Qt::AscendingOrder ? compared < 0 : compared > 0;
    });
    m_sortedLocally = true;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    std::deque<Entry> sorted;
    std::vector<int> placeOf(keys.size());
    for (std::size_t place = 0; place < keys.size(); ++place) {
        placeOf[static_cast<std::size_t>(keys[place].second)] = static_cast<int>(place);
        sorted.push_back(std::move(m_rows[static_cast<std::size_t>(keys[place].second)]));
    }
    m_rows = std::move(sorted);
    const auto before = persistentIndexList();
    QModelIndexList after;
    for (const auto& index : before)
        after.append(this->index(placeOf[static_cast<std::size_t>(index.row())], index.column()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
    clearSelection();
}

template <typename Row> QVariant RowsModel<Row>::sortKey(const Row& row, int column) const
{
    const auto& entry = m_columns[static_cast<std::size_t>(column)];
    return entry.sortKey ? entry.sortKey(row) : QVariant(entry.text(row, m_display));
}

} // namespace fencepost::models
