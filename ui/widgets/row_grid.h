// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <QTimer>
#include <QVariantMap>
#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QScrollBar;
class QStackedLayout;

namespace fencepost::models {
class RowsModelBase;
}

namespace fencepost::ui {

class ColumnLayout;
class EmptyState;
class GridView;
class Theme;

// A table of any size. The model holds a window of it; the scroll bar beside the view stands for the whole, so that its
// length is not bound to the pixels that a widget can count.
class RowGrid final : public QWidget {
    Q_OBJECT
public:
    explicit RowGrid(const Theme& theme, QWidget* parent = nullptr);

    void setModel(models::RowsModelBase* model);
    [[nodiscard]] GridView& view() { return *m_view; }
    [[nodiscard]] EmptyState& emptyState() { return *m_empty; }
    // Without check boxes: rows are for reading.
    void setSelectable(bool selectable);
    [[nodiscard]] bool showsRows() const;
    // While somebody stands on a row that was chosen, what comes ahead of it is counted and does not move it: where
    // the newest rows come first. Elsewhere what comes behind the others would not be seen.
    void setHolding(bool holding);
    // Titles ask for another order, with sortAsked.
    void setSortable(bool sortable);
    // Column widths, order and choice are kept per table. Call it after the model is set.
    void setLayoutName(const QString& name);
    [[nodiscard]] QVariantMap arrangement() const;
    void setArrangement(const QVariantMap& arrangement);
    void resetColumns();
    // These and no others, in this order; ids as saved views spell them.
    void showColumns(const QStringList& ids);
    // A menu of all columns with a check mark on those shown.
    void fillColumnMenu(QMenu& menu);
    void setSortMark(int column, bool descending);
    // What an empty table is called: "keys", what a healthy one says: "No stuck keys", and what one that is asked about
    // some time says where nothing was in it.
    void setWords(
        const QString& rows, const QString& good = {}, const QString& nothing = {}, const QString& nothingYet = {});
    // Why a filter can find nothing here, whatever rows there are; empty: it can.
    void setFilterRemark(const QString& remark);

    // The row that was chosen by hand, or whose dossier was opened, from wherever: what the page does is about it, or
    // about none while it is not among the rows that are read. Empty: about whatever row is current.
    void standOn(std::function<bool(int row)> isIt);

    // Where the whole-table bar stands: 0 top, 1 bottom.
    [[nodiscard]] double position() const;
    void scrollToFraction(double fraction);

Q_SIGNALS:
    void rowActivated(int row);
    void rowClicked(int row);
    void currentRowChanged(int row);
    // By a key or a click, not by rows that came and went.
    void rowChosen(int row);
    void copyAsked();
    void sortAsked(int column, bool descending);
    void contextMenuAsked(const QPoint& globalPosition);
    void clearFilterAsked();
    void retryAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildBar();
    void takeRow(int row);
    [[nodiscard]] QStringList identityOf(int row) const;
    [[nodiscard]] int rowOf(const QStringList& identity) const; // -1: it is not there
    void placeCurrent();
    void findCurrent();
    void moveCurrent(int row, bool scrolls);
    void tellCurrent(int row);
    void followView();
    void showEdge();
    void barMoved(int value);
    void showState();
    void showEmptiness();
    void showPill();
    void headerClicked(int column);
    void copyIdentifier(const QModelIndex& index, const QPoint& globalPosition);
    void headerMenu(const QPoint& position);
    void loadLayout();

    models::RowsModelBase* m_model = nullptr;
    GridView* m_view;
    ColumnLayout* m_columns;
    QScrollBar* m_bar;
    QTimer m_jumps; // while it runs the bar only notes where it is
    std::optional<int> m_dragged; // the place on the bar that was not read yet
    EmptyState* m_empty;
    QStackedLayout* m_stack;
    QPushButton* m_pill;
    QString m_layoutName;
    QVariantMap m_layouts; // table -> how its columns stand
    QString m_rowsWord;
    QString m_goodWord;
    QString m_nothing;
    QString m_nothingYet;
    QString m_filterRemark;
    std::function<bool(int row)> m_standsOn; // empty: on whatever row is current
    QStringList m_current; // which that is, so that a list that is read anew keeps it
    bool m_wasSeen = false; // it was scrolled to once; the operator may be elsewhere by now
    bool m_byHand = true; // who moves the current row
    bool m_following = false;
    bool m_holds = false;
    enum class Toward { Nothing, Begin, End } m_toward = Toward::Nothing; // rows of that edge are on their way
    int m_told = -1; // the current row, as it was told last
};

} // namespace fencepost::ui
