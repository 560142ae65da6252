// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/row_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QToolTip>

#include "models/rows_model.h"
#include "ui/theme.h"
#include "ui/widgets/column_layout.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/grid_view.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using Rows = models::RowsModelBase;
using Reason = models::Emptiness::Kind;

// A scroll bar counts in int; positions are mapped onto this many steps where the table has more.
constexpr int barSteps = 1'000'000'000;
// Under a drag: every place read and shown takes most of a frame, and nobody reads rows that stand for less than this.
constexpr int betweenJumps = 50; // milliseconds

} // namespace

RowGrid::RowGrid(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_view(new GridView(theme, this))
    , m_columns(new ColumnLayout(theme, *m_view))
    , m_bar(new QScrollBar(Qt::Vertical, this))
    , m_empty(new EmptyState(theme, this))
    , m_stack(new QStackedLayout)
    , m_pill(new QPushButton(this))
    , m_rowsWord(tr("rows"))
{
    auto* rows = new QWidget(this);
    auto* line = new QHBoxLayout(rows);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(m_view, 1);
    line->addWidget(m_bar);
    m_stack->addWidget(rows);
    m_stack->addWidget(m_empty);
    setLayout(m_stack);
    setFocusProxy(m_view);
    buildBar();

    setKind(m_pill, "primary");
    m_pill->setObjectName(QStringLiteral("new-rows"));
    m_pill->setFocusPolicy(Qt::NoFocus);
    m_pill->hide();
    connect(m_pill, &QPushButton::clicked, this, [this] { m_model->reload(); });
    connect(m_view, &GridView::rowActivated, this, &RowGrid::rowActivated);
    connect(m_view, &GridView::rowClicked, this, &RowGrid::rowClicked);
    connect(m_view, &GridView::rowTaken, this, &RowGrid::takeRow);
    connect(m_view, &GridView::currentRowChanged, this, &RowGrid::tellCurrent);
    connect(m_view, &GridView::copyAsked, this, &RowGrid::copyAsked);
    connect(m_view, &GridView::identifierClicked, this, &RowGrid::copyIdentifier);
    connect(m_view, &GridView::scrolledTo, this, [this](int first, int last) {
        m_model->show(first, last);
        followView();
    });
    connect(m_view, &GridView::wantsBegin, this, [this] { scrollToFraction(0); });
    connect(m_view, &GridView::wantsEnd, this, [this] { scrollToFraction(1); });
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this,
        [this](const QPoint& at) { Q_EMIT contextMenuAsked(m_view->viewport()->mapToGlobal(at)); });
    auto* header = m_view->horizontalHeader();
    // A table view takes a press on a title for a choice of that column, and makes its first row current.
    for (const char* signal : { SIGNAL(sectionPressed(int)), SIGNAL(sectionEntered(int)) })
        for (auto* titles : { header, m_view->verticalHeader() })
            titles->disconnect(signal, m_view);
    connect(header, &QHeaderView::sectionClicked, this, &RowGrid::headerClicked);
    connect(header, &QWidget::customContextMenuRequested, this, &RowGrid::headerMenu);
    connect(m_empty, &EmptyState::acted, this, [this] {
        if (m_empty->emptiness() == Emptiness::Filtered)
            Q_EMIT clearFilterAsked();
        else
            Q_EMIT retryAsked();
    });
}

void RowGrid::buildBar()
{
    m_bar->setRange(0, 0);
    m_bar->setEnabled(false);
    m_bar->setFixedWidth(12);
    m_bar->setAccessibleName(tr("Position in the whole table"));
    connect(m_bar, &QScrollBar::valueChanged, this, &RowGrid::barMoved);
    m_jumps.setSingleShot(true);
    m_jumps.setInterval(betweenJumps);
    connect(&m_jumps, &QTimer::timeout, this, [this] {
        if (m_dragged)
            barMoved(*m_dragged);
    });
}

void RowGrid::setModel(models::RowsModelBase* model)
{
    if (m_model)
        m_model->disconnect(this);
    m_model = model;
    // Before the view's own: rows that go make a neighbour current, which nobody chose.
    if (model)
        connect(model, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this] { m_byHand = false; });
    m_view->setRows(model);
    if (!model)
        return;
    connect(model, &Rows::statusChanged, this, &RowGrid::showState);
    connect(model, &Rows::positionChanged, this, &RowGrid::followView);
    connect(model, &Rows::zoneChanged, m_columns, &ColumnLayout::measure);
    connect(model, &Rows::loaded, this, [this] {
        showState();
        if (m_toward != Toward::Nothing)
            showEdge();
        else
            placeCurrent();
    });
    connect(model, &QAbstractItemModel::modelReset, this, &RowGrid::showState);
    connect(model, &QAbstractItemModel::rowsInserted, this, &RowGrid::showState);
    connect(model, &QAbstractItemModel::rowsRemoved, this, [this] {
        m_byHand = true;
        if (m_standsOn)
            placeCurrent();
        showState();
    });
    resetColumns();
    showState();
}

void RowGrid::setSelectable(bool selectable)
{
    m_view->verticalHeader()->setVisible(selectable);
}

void RowGrid::setHolding(bool holding)
{
    m_holds = holding;
    if (m_model)
        m_model->setHeld(m_holds && m_standsOn && m_view->currentRow() >= 0);
}

void RowGrid::setSortable(bool sortable)
{
    m_view->horizontalHeader()->setSectionsClickable(sortable);
}

bool RowGrid::showsRows() const
{
    return m_stack->currentIndex() == 0;
}

void RowGrid::setLayoutName(const QString& name)
{
    if (name == m_layoutName)
        return;
    m_layouts = arrangement();
    m_layoutName = name;
    loadLayout();
}

QVariantMap RowGrid::arrangement() const
{
    auto layouts = m_layouts;
    if (!m_layoutName.isEmpty() && m_model)
        layouts.insert(m_layoutName, m_columns->saved());
    return layouts;
}

void RowGrid::setArrangement(const QVariantMap& arrangement)
{
    m_layouts = arrangement;
    loadLayout();
}

void RowGrid::resetColumns()
{
    m_columns->reset();
}

void RowGrid::showColumns(const QStringList& ids)
{
    m_columns->showOnly(ids);
}

void RowGrid::fillColumnMenu(QMenu& menu)
{
    const auto* header = m_view->horizontalHeader();
    for (int visual = 0; m_model && visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        auto* action = menu.addAction(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!m_view->isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool shown) { m_columns->setShown(column, shown); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Reset columns")), &QAction::triggered, this, &RowGrid::resetColumns);
}

void RowGrid::setSortMark(int column, bool descending)
{
    m_view->horizontalHeader()->setSortIndicator(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void RowGrid::setWords(const QString& rows, const QString& good, const QString& nothing, const QString& nothingYet)
{
    m_rowsWord = rows;
    m_goodWord = good;
    m_nothing = nothing;
    m_nothingYet = nothingYet;
    showState();
}

void RowGrid::setFilterRemark(const QString& remark)
{
    m_filterRemark = remark;
    showState();
}

void RowGrid::standOn(std::function<bool(int row)> isIt)
{
    m_standsOn = std::move(isIt);
    m_wasSeen = false;
    placeCurrent();
}

// It stays the one that is meant, wherever rows that come and go move it to.
void RowGrid::takeRow(int row)
{
    if (!m_byHand)
        return;
    const auto identity = identityOf(row);
    m_standsOn = nullptr;
    if (!identity.isEmpty())
        m_standsOn = [this, identity](int other) { return identityOf(other) == identity; };
    m_wasSeen = true;
    m_model->setHeld(m_holds && m_standsOn);
    m_toward = Toward::Nothing;
    Q_EMIT rowChosen(row);
}

QStringList RowGrid::identityOf(int row) const
{
    return m_model->index(row, 0).data(Rows::IdentityRole).toStringList();
}

int RowGrid::rowOf(const QStringList& identity) const
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (identityOf(row) == identity)
            return row;
    return -1;
}

void RowGrid::tellCurrent(int row)
{
    m_told = row;
    Q_EMIT currentRowChanged(row);
}

void RowGrid::placeCurrent()
{
    if (!m_model || m_model->rowCount() == 0)
        return;
    findCurrent();
    m_model->setHeld(m_holds && m_standsOn && m_view->currentRow() >= 0);
}

void RowGrid::findCurrent()
{
    const int current = m_view->currentRow();
    if (!m_standsOn) {
        // Nobody chose it, and it is on the screen: another one is not put in its place while it is there.
        const int kept = current < 0 && m_model->isWhole() && !m_current.isEmpty() ? rowOf(m_current) : -1;
        if (current < 0)
            moveCurrent(std::max(0, kept), kept < 0);
        m_current = identityOf(m_view->currentRow());
        return;
    }
    if (current >= 0 && m_standsOn(current)) {
        m_wasSeen = true;
        return;
    }
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_standsOn(row))
            return moveCurrent(row, !m_wasSeen);
    moveCurrent(-1, false);
}

// Not by hand. Nothing scrolls to a row that was seen before.
void RowGrid::moveCurrent(int row, bool scrolls)
{
    m_byHand = false;
    m_view->setAutoScroll(scrolls);
    m_wasSeen = m_wasSeen || row >= 0;
    if (row >= 0)
        m_view->setCurrentRow(row);
    else
        m_view->setCurrentIndex({});
    m_view->setAutoScroll(true);
    m_byHand = true;
    // A model that was read anew has taken the current row away without a word.
    if (row < 0 && m_told >= 0)
        tellCurrent(-1);
}

double RowGrid::position() const
{
    return m_bar->maximum() == 0 ? 0 : double(m_bar->value()) / m_bar->maximum();
}

void RowGrid::scrollToFraction(double fraction)
{
    if (!m_model)
        return;
    if (fraction > 0 && fraction < 1)
        return m_model->jumpToFraction(fraction);
    m_toward = fraction <= 0 ? Toward::Begin : Toward::End;
    const bool held = m_toward == Toward::Begin
        ? m_model->firstPosition() == 0
        : m_model->firstPosition() + m_model->rowCount() >= m_model->estimatedSize().value;
    if (held)
        showEdge();
    else if (m_toward == Toward::Begin)
        m_model->jumpToBegin();
    else
        m_model->jumpToEnd();
}

// The first row or the last, which was asked for by hand.
void RowGrid::showEdge()
{
    const bool begin = std::exchange(m_toward, Toward::Nothing) == Toward::Begin;
    auto* bar = m_view->verticalScrollBar();
    bar->setValue(begin ? bar->minimum() : bar->maximum());
    m_view->setCurrentRow(begin ? 0 : m_model->rowCount() - 1);
}

// The bar shows where the window's rows stand in the whole table.
void RowGrid::followView()
{
    if (!m_model)
        return;
    m_following = true;
    const int height = std::max(1, m_view->rowHeight());
    const auto shown = std::max(1, m_view->viewport()->height() / height);
    const auto known = m_model->firstPosition() + m_model->rowCount();
    const auto whole = std::max<std::int64_t>(m_model->estimatedSize().value, known);
    const auto scrollable = std::max<std::int64_t>(0, whole - shown);
    const double top = double(m_model->firstPosition()) + double(m_view->verticalScrollBar()->value()) / height;
    const double steps = std::min<double>(double(scrollable) * height, barSteps);
    m_bar->setRange(0, int(steps));
    m_bar->setEnabled(steps >= 1);
    m_bar->setPageStep(scrollable == 0 ? 1 : std::max(1, int(steps * shown / double(scrollable))));
    m_bar->setSingleStep(std::max(1, int(steps * 3 / double(std::max<std::int64_t>(scrollable, 1)))));
    // Where it is being dragged to is still to be read.
    if (!m_dragged)
        m_bar->setValue(scrollable == 0 ? 0 : int(steps * std::clamp(top / double(scrollable), 0.0, 1.0)));
    m_following = false;
}

// Within the window the view scrolls; beyond it the model is asked for the rows there.
void RowGrid::barMoved(int value)
{
    if (m_following || !m_model || m_bar->maximum() == 0)
        return;
    m_dragged.reset();
    const int height = std::max(1, m_view->rowHeight());
    const auto shown = std::max(1, m_view->viewport()->height() / height);
    const auto known = m_model->firstPosition() + m_model->rowCount();
    const auto whole = std::max<std::int64_t>(m_model->estimatedSize().value, known);
    const double fraction = double(value) / m_bar->maximum();
    const double wanted = fraction * double(std::max<std::int64_t>(0, whole - shown));
    const double inWindow = wanted - double(m_model->firstPosition());
    const bool held = inWindow >= 0 && inWindow + shown <= m_model->rowCount();
    if (held)
        return m_view->verticalScrollBar()->setValue(int(std::lround(inWindow * height)));
    if (m_jumps.isActive()) {
        m_dragged = value;
        return;
    }
    m_jumps.start();
    if (value == 0)
        m_model->jumpToBegin();
    else if (value == m_bar->maximum())
        m_model->jumpToEnd();
    else
        m_model->jumpToFraction(wanted / double(whole));
}

void RowGrid::showState()
{
    if (!m_model)
        return;
    m_view->setStale(m_model->stale());
    const bool rows = m_model->rowCount() > 0;
    m_stack->setCurrentIndex(rows ? 0 : 1);
    if (!rows)
        showEmptiness();
    showPill();
    followView();
}

void RowGrid::showEmptiness()
{
    const auto empty = m_model->emptiness();
    const auto why = empty.error ? text(empty.error->message) : QString();
    switch (empty.kind) {
    case Reason::Rows:
    case Reason::Loading:
        m_empty->show(Emptiness::NotLoaded, tr("Reading %1").arg(m_rowsWord), tr("The database has not answered yet."));
        break;
    case Reason::NoRows:
        // What is asked for is what is wrong.
        if (!m_nothing.isEmpty() && m_nothing == m_goodWord)
            m_empty->show(Emptiness::Good, m_goodWord, m_nothingYet);
        else if (m_nothing.isEmpty())
            m_empty->show(Emptiness::NoRows, tr("No %1 at all").arg(m_rowsWord), tr("The table is there and empty."));
        else
            m_empty->show(Emptiness::NoRows, m_nothing,
                m_nothingYet.isEmpty() ? tr("A longer time may have some.") : m_nothingYet);
        break;
    case Reason::RowsMayBeHidden:
        m_empty->show(Emptiness::NoPermission, tr("No %1 that this role is shown").arg(m_rowsWord),
            tr("Row-level security is in force for this role: the table may have rows that it does not see."),
            tr("Try again"));
        break;
    case Reason::FilterHidesRows:
        // What a table cannot tell is no good news.
        if (!m_goodWord.isEmpty() && !m_filterRemark.isEmpty())
            m_empty->show(Emptiness::NotLoaded, tr("This table cannot tell its %1").arg(m_rowsWord), m_filterRemark);
        else if (!m_goodWord.isEmpty())
            m_empty->show(Emptiness::Good, m_goodWord, tr("Nothing here needs you."));
        else
            m_empty->show(Emptiness::Filtered, tr("No %1 match the filter").arg(m_rowsWord),
                !m_filterRemark.isEmpty() ? m_filterRemark
                    : empty.hidden && empty.hidden->value > 0
                    ? tr("%1 hidden by the filter.").arg(countText(*empty.hidden))
                    : QString(),
                tr("Clear filter"));
        break;
    case Reason::TableMissing:
        m_empty->show(Emptiness::TableMissing, tr("The table is missing"), why, tr("Look again"));
        break;
    case Reason::NoPermission:
        m_empty->show(Emptiness::NoPermission, tr("You may not read this table"), why, tr("Try again"));
        break;
    case Reason::NotLoaded:
        m_empty->show(Emptiness::NotLoaded, tr("Not loaded"), why, tr("Try again"));
        break;
    case Reason::ConnectionLost:
        m_empty->show(Emptiness::ConnectionLost, tr("The connection is lost"), why, tr("Try again"));
        break;
    }
}

void RowGrid::showPill()
{
    const auto fresh = m_model->newRows();
    m_pill->setVisible(fresh.value > 0 && m_model->rowCount() > 0);
    m_pill->setText(tr("%1 new ▲").arg(countText(fresh)));
    m_pill->adjustSize();
    m_pill->move((width() - m_pill->width()) / 2, 32 + space::small);
    m_pill->raise();
}

void RowGrid::headerClicked(int column)
{
    const auto* header = m_view->horizontalHeader();
    const bool again = header->sortIndicatorSection() == column;
    Q_EMIT sortAsked(column, again ? header->sortIndicatorOrder() == Qt::DescendingOrder : true);
}

void RowGrid::copyIdentifier(const QModelIndex& index, const QPoint& globalPosition)
{
    const auto words = index.data(Qt::DisplayRole).toString();
    if (m_model->headerData(index.column(), Qt::Horizontal, Rows::ColumnIdRole) == QLatin1String("key"))
        Q_EMIT copyAsked();
    else
        QGuiApplication::clipboard()->setText(words);
    QToolTip::showText(globalPosition, tr("Copied"), m_view);
}

void RowGrid::headerMenu(const QPoint& position)
{
    QMenu menu(this);
    fillColumnMenu(menu);
    menu.exec(m_view->horizontalHeader()->mapToGlobal(position));
}

void RowGrid::loadLayout()
{
    m_columns->restore(m_layouts.value(m_layoutName).toMap());
}

void RowGrid::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_model)
        showPill();
    followView();
}

} // namespace fencepost::ui
