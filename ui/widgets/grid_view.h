// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

#include "ui/widgets/cell_text.h"

namespace fencepost::models {
class RowsModelBase;
}

namespace fencepost::ui {

class Theme;
class GridView;

// Paints a cell: state badge, monospace ids elided in the middle, muted rows.
class CellDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    CellDelegate(const Theme& theme, const GridView& view);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;

private:
    void paintText(QPainter* painter, const QRect& place, const QModelIndex& index, bool dimmed) const;

    const Theme& m_theme;
    const GridView& m_grid;
    CellText m_body;
    CellText m_mono;
};

// The strip left of the rows: a check box per row, the hatched edge of stuck ones. Painted here, because an ordinary
// vertical header asks the selection model for every row.
class Gutter final : public QHeaderView {
    Q_OBJECT
public:
    Gutter(const Theme& theme, GridView& view);

Q_SIGNALS:
    void toggled(int row);
    void extended(int row);

protected:
    void paintSection(QPainter* painter, const QRect& place, int row) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    const Theme& m_theme;
    GridView& m_view;
};

// The table itself. It knows one current row; what is selected is kept by the model.
class GridView final : public QTableView {
    Q_OBJECT
public:
    explicit GridView(const Theme& theme, QWidget* parent = nullptr);

    void setRows(models::RowsModelBase* model);
    [[nodiscard]] models::RowsModelBase* rows() const { return m_rows; }
    void setStale(bool stale);
    [[nodiscard]] bool stale() const { return m_stale; }
    void setRowHeight(int height);
    [[nodiscard]] int rowHeight() const { return verticalHeader()->defaultSectionSize(); }
    [[nodiscard]] int hoveredRow() const { return m_hovered; }
    void setHoveredRow(int row);
    [[nodiscard]] int firstShownRow() const;
    [[nodiscard]] int lastShownRow() const;
    [[nodiscard]] int currentRow() const { return currentIndex().row(); }
    void setCurrentRow(int row);
    void moveCurrent(int by, bool extend);
    [[nodiscard]] int currentColumn() const;
    // What a row stands on: surface, hover, current or selected.
    [[nodiscard]] QColor groundOf(const QModelIndex& index) const;
    // Keeps the picture still while rows come in above it.
    void shift(int rows);
    void measure() { updateGeometries(); }

Q_SIGNALS:
    void scrolledTo(int firstRow, int lastRow);
    void rowActivated(int row);
    void rowClicked(int row);
    // Its own words were clicked, not the room beside them.
    void identifierClicked(const QModelIndex& index, const QPoint& globalPosition);
    void currentRowChanged(int row);
    // By a click or a key, also where it was current before.
    void rowTaken(int row);
    void copyAsked();
    void wantsBegin();
    void wantsEnd();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end) override;
    void leaveEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void scrollContentsBy(int dx, int dy) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool handleKey(const QKeyEvent& event);
    [[nodiscard]] bool onIdentifier(const QModelIndex& index, const QPoint& at) const;
    void tellScrolled();

    const Theme& m_theme;
    models::RowsModelBase* m_rows = nullptr;
    int m_hovered = -1;
    int m_lastCurrent = 0; // where the keys go on when that row is gone
    bool m_stale = false;
};

} // namespace fencepost::ui
