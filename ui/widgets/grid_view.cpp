// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/grid_view.h"

#include <algorithm>

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>

#include "models/rows_model.h"
#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

using Rows = models::RowsModelBase;
constexpr int gutterWidth = 30;
// As the header's, which keeps a place for the mark of the order at its right end.
constexpr int padding = 11;
constexpr int rightPadding = 18;

bool isPlain(const QKeyEvent& event)
{
    return event.modifiers() == Qt::NoModifier || event.modifiers() == Qt::KeypadModifier;
}

// As statesOf() of two snapshots has it.
constexpr auto betweenStates = " → ";

bool areStates(const QString& words)
{
    const auto all = words.split(QString::fromUtf8(betweenStates));
    return std::none_of(
        all.begin(), all.end(), [](const QString& word) { return stateLook(word.toStdString()).dotted; });
}

// From one to the other, each as it looks alone.
void paintStates(QPainter& painter, const Theme& theme, const QRect& place, const QString& words, bool dimmed)
{
    painter.save();
    painter.setClipRect(place);
    auto rest = place;
    for (const auto& word : words.split(QString::fromUtf8(betweenStates))) {
        if (rest.left() > place.left()) {
            const QRect arrow(rest.left(), rest.top(), space::icon, rest.height());
            painter.setFont(theme.font(Text::Body));
            painter.setPen(theme.color(Role::Muted));
            painter.drawText(arrow, Qt::AlignCenter, QStringLiteral("→"));
            rest.setLeft(arrow.right() + space::tiny);
        }
        const auto state = word.toStdString();
        const StateBadge badge{ .state = state, .dimmed = dimmed };
        theme.paintState(painter, rest, badge);
        rest.setLeft(rest.left() + theme.widthOf(badge) + space::tiny);
    }
    painter.restore();
}

} // namespace

CellDelegate::CellDelegate(const Theme& theme, const GridView& view)
    : QStyledItemDelegate(const_cast<GridView*>(&view))
    , m_theme(theme)
    , m_grid(view)
    , m_body(theme.font(Text::Body), CellText::Face::Proportional)
    , m_mono(theme.font(Text::Mono), CellText::Face::Monospace)
{
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->fillRect(option.rect, m_grid.groundOf(index));
    const bool dimmed = m_grid.stale() || index.data(Rows::GoneRole).toBool() || index.data(Rows::ChangedRole).toBool()
        || index.data(Rows::QuietRole).toBool();
    const bool right = index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    const auto place = option.rect.adjusted(padding, 0, right ? -rightPadding : -padding, 0);
    const auto column = m_grid.model()->headerData(index.column(), Qt::Horizontal, Rows::ColumnIdRole).toString();
    const bool endOfEdge = column == QLatin1String("from") || column == QLatin1String("to");
    const auto state = index.data(endOfEdge ? int(Qt::DisplayRole) : int(Rows::StateRole)).toString().toStdString();
    // An end of an edge that nobody knows is shown by its own name: two of them are two.
    const bool known = !endOfEdge || !stateLook(state).dotted;
    if ((column == QLatin1String("state") || endOfEdge) && known) {
        painter->save();
        painter->setClipRect(place);
        m_theme.paintState(*painter, place,
            { .state = state, .stuck = !endOfEdge && index.data(Rows::StuckRole).toBool(), .dimmed = dimmed });
        painter->restore();
    } else if (column == QLatin1String("states") && areStates(index.data().toString())) {
        paintStates(*painter, m_theme, place, index.data().toString(), dimmed);
    } else if (column == QLatin1String("key") && index.data(Rows::BookmarkedRole).toBool()) {
        const QRect mark(
            place.right() - space::icon + 1, place.center().y() - space::icon / 2, space::icon, space::icon);
        m_theme.paintIcon(*painter, mark, "bookmark", m_theme.color(dimmed ? Role::Muted : Role::Accent));
        paintText(painter, place.adjusted(0, 0, -space::icon - space::tiny, 0), index, dimmed);
    } else {
        paintText(painter, place, index, dimmed);
    }
    if (m_grid.hasFocus() && index.row() == m_grid.currentRow()) {
        painter->setPen(QPen(m_theme.color(Role::Accent), 1));
        painter->drawLine(option.rect.topLeft(), option.rect.topRight());
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    }
}

void CellDelegate::paintText(QPainter* painter, const QRect& place, const QModelIndex& index, bool dimmed) const
{
    // Alignment follows the column, never the direction of the data.
    const auto alignment = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()) | Qt::AlignAbsolute;
    // Inter's digits differ in width, and Qt before 6.7 cannot ask it for tabular ones: numbers are set in the other
    // face.
    const bool mono = index.data(Rows::MonospaceRole).toBool() || alignment.testFlag(Qt::AlignRight);
    painter->setPen(m_theme.color(dimmed ? Role::Muted : Role::Text));
    // A cell is one line; measuring a whole body to show its first words would cost the frame.
    constexpr qsizetype longest = 400;
    auto text = index.data(Qt::DisplayRole).toString();
    const bool middle = index.data(Rows::MiddleElisionRole).toBool();
    if (text.size() > longest)
        text = middle ? text.left(longest / 2) + QStringLiteral("…") + text.right(longest / 2) : text.left(longest);
    (mono ? m_mono : m_body).paint(*painter, place, alignment, text, middle ? Qt::ElideMiddle : Qt::ElideRight);
}

bool CellDelegate::helpEvent(
    QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem&, const QModelIndex& index)
{
    if (!index.isValid() || event->type() != QEvent::ToolTip)
        return false;
    auto words = visible(index.data(Qt::ToolTipRole).toString());
    if (index.data(Rows::MiddleElisionRole).toBool() && !words.isEmpty())
        words = tr("%1\n\nClick to copy").arg(words);
    QToolTip::showText(event->globalPos(), plainToolTip(words), view);
    return true;
}

Gutter::Gutter(const Theme& theme, GridView& view)
    : QHeaderView(Qt::Vertical, &view)
    , m_theme(theme)
    , m_view(view)
{
    setSectionResizeMode(QHeaderView::Fixed);
    setFixedWidth(gutterWidth);
    setMinimumSectionSize(space::denseRow);
    setDefaultSectionSize(space::row);
    setHighlightSections(false);
    setMouseTracking(true);
    setAccessibleName(tr("Selection"));
}

void Gutter::paintSection(QPainter* painter, const QRect& place, int row) const
{
    const auto* rows = m_view.rows();
    if (!rows || row < 0 || row >= rows->rowCount())
        return;
    const auto index = rows->index(row, 0);
    painter->fillRect(place, m_view.groundOf(index));
    if (index.data(Rows::StuckRole).toBool() && !index.data(Rows::QuietRole).toBool() && !m_view.stale())
        m_theme.paintHatchedEdge(*painter, place);
    const bool selected = index.data(Rows::SelectedRole).toBool();
    const QRectF box(place.center().x() - 6.5, place.center().y() - 6.5, 14, 14);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_theme.color(selected ? Role::Accent : Role::Edge), 1));
    painter->setBrush(selected ? m_theme.color(Role::Accent) : m_theme.color(Role::Surface));
    painter->setOpacity(selected || row == m_view.hoveredRow() || row == m_view.currentRow() ? 1 : 0.45);
    painter->drawRoundedRect(box, 4, 4);
    if (selected) {
        QPainterPath tick(box.topLeft() + QPointF(3.5, 7.2));
        tick.lineTo(box.topLeft() + QPointF(6, 9.8));
        tick.lineTo(box.topLeft() + QPointF(10.6, 4.4));
        painter->setPen(QPen(m_theme.color(Role::OnAccent), 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        painter->drawPath(tick);
    }
    painter->restore();
    painter->setPen(QPen(m_theme.color(Role::Border), 0));
    painter->drawLine(place.bottomLeft(), place.bottomRight());
    if (m_view.hasFocus() && row == m_view.currentRow())
        painter->fillRect(QRect(place.left(), place.top(), 2, place.height()), m_theme.color(Role::Accent));
}

void Gutter::mousePressEvent(QMouseEvent* event)
{
    const int row = logicalIndexAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || row < 0)
        return;
    m_view.setFocus(Qt::MouseFocusReason);
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        Q_EMIT extended(row);
    else
        Q_EMIT toggled(row);
}

void Gutter::mouseMoveEvent(QMouseEvent* event)
{
    m_view.setHoveredRow(logicalIndexAt(event->position().toPoint()));
}

void Gutter::leaveEvent(QEvent* event)
{
    m_view.setHoveredRow(-1);
    QHeaderView::leaveEvent(event);
}

GridView::GridView(const Theme& theme, QWidget* parent)
    : QTableView(parent)
    , m_theme(theme)
{
    auto* gutter = new Gutter(theme, *this);
    setVerticalHeader(gutter);
    setItemDelegate(new CellDelegate(theme, *this));
    setSelectionMode(QAbstractItemView::NoSelection);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setShowGrid(false);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    setCornerButtonEnabled(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    setAccessibleName(tr("Rows"));
    auto* header = horizontalHeader();
    header->setSectionsMovable(true);
    header->setSectionsClickable(false);
    // Of no column until there is an order; its room belongs to every title.
    header->setSortIndicatorShown(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setMinimumSectionSize(48);
    header->setStretchLastSection(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setFixedHeight(32);

    connect(gutter, &Gutter::toggled, this, [this](int row) {
        setCurrentRow(row);
        m_rows->toggleSelected(row);
    });
    connect(gutter, &Gutter::extended, this, [this](int row) {
        setCurrentRow(row);
        m_rows->selectTo(row);
    });
    connect(&theme, &Theme::changed, this, [this] {
        viewport()->update();
        verticalHeader()->viewport()->update();
    });
}

void GridView::setRows(models::RowsModelBase* model)
{
    if (m_rows)
        m_rows->disconnect(this);
    m_rows = model;
    setModel(model);
    if (!model)
        return;
    connect(model, &Rows::shifted, this, &GridView::shift);
    connect(model, &Rows::selectionChanged, this, [this] {
        viewport()->update();
        verticalHeader()->viewport()->update();
    });
    connect(model, &QAbstractItemModel::rowsInserted, this, &GridView::tellScrolled, Qt::QueuedConnection);
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        verticalScrollBar()->setValue(0);
        tellScrolled();
    });
}

void GridView::setStale(bool stale)
{
    if (m_stale == stale)
        return;
    m_stale = stale;
    viewport()->update();
    verticalHeader()->viewport()->update();
}

void GridView::setRowHeight(int height)
{
    verticalHeader()->setDefaultSectionSize(height);
}

void GridView::setHoveredRow(int row)
{
    if (m_hovered == row)
        return;
    const int before = m_hovered;
    m_hovered = row;
    for (const int touched : { before, row }) {
        if (touched < 0)
            continue;
        const int y = rowViewportPosition(touched);
        viewport()->update(0, y, viewport()->width(), rowHeight());
        verticalHeader()->viewport()->update(0, y, gutterWidth, rowHeight());
    }
}

int GridView::firstShownRow() const
{
    return std::max(0, rowAt(0));
}

int GridView::lastShownRow() const
{
    const int row = rowAt(viewport()->height() - 1);
    return row >= 0 ? row : (model() ? model()->rowCount() - 1 : -1);
}

int GridView::currentColumn() const
{
    if (currentIndex().isValid() && !isColumnHidden(currentIndex().column()))
        return currentIndex().column();
    const auto* header = horizontalHeader();
    for (int visual = 0; visual < header->count(); ++visual)
        if (!header->isSectionHidden(header->logicalIndex(visual)))
            return header->logicalIndex(visual);
    return 0;
}

void GridView::setCurrentRow(int row)
{
    if (!model() || row < 0 || row >= model()->rowCount())
        return;
    const int left = horizontalScrollBar()->value();
    setCurrentIndex(model()->index(row, currentColumn()));
    horizontalScrollBar()->setValue(left);
    Q_EMIT rowTaken(row);
}

void GridView::moveCurrent(int by, bool extend)
{
    if (!m_rows || m_rows->rowCount() == 0)
        return;
    const int from = currentRow();
    // What was current may be gone, or far away: the keys go on in what is seen.
    const int start = std::max(firstShownRow(), std::min(m_lastCurrent, lastShownRow()));
    const int to = std::clamp(from < 0 ? start : from + by, 0, m_rows->rowCount() - 1);
    if (extend && from >= 0 && m_rows->selection().empty())
        m_rows->selectTo(from);
    setCurrentRow(to);
    if (extend)
        m_rows->selectTo(to);
}

QColor GridView::groundOf(const QModelIndex& index) const
{
    if (index.data(Rows::SelectedRole).toBool())
        return m_theme.tint(Role::Accent, index.row() == m_hovered ? 20 : 16);
    if (index.row() == currentRow())
        return m_theme.tint(Role::Accent, 10);
    return index.row() == m_hovered ? m_theme.tint(Role::Accent, 8) : m_theme.color(Role::Surface);
}

void GridView::shift(int rows)
{
    updateGeometries();
    auto* bar = verticalScrollBar();
    bar->setValue(bar->value() + rows * rowHeight());
}

void GridView::keyPressEvent(QKeyEvent* event)
{
    if (m_rows && handleKey(*event))
        return event->accept();
    // Letters must reach the window's shortcuts instead of a search through all rows.
    if (!event->text().isEmpty() && event->text().at(0).isPrint())
        return event->ignore();
    QTableView::keyPressEvent(event);
}

// The keys of every table. Letters are the commands', which may be given others.
bool GridView::handleKey(const QKeyEvent& event)
{
    const bool shift = event.modifiers() == Qt::ShiftModifier;
    const int page = std::max(1, viewport()->height() / rowHeight() - 1);
    switch (event.key()) {
    case Qt::Key_Down:
        if (!isPlain(event) && !shift)
            return false;
        moveCurrent(1, shift);
        return true;
    case Qt::Key_Up:
        if (!isPlain(event) && !shift)
            return false;
        moveCurrent(-1, shift);
        return true;
    case Qt::Key_PageDown:
        moveCurrent(page, shift);
        return true;
    case Qt::Key_PageUp:
        moveCurrent(-page, shift);
        return true;
    case Qt::Key_Home:
        Q_EMIT wantsBegin();
        return true;
    case Qt::Key_End:
        Q_EMIT wantsEnd();
        return true;
    case Qt::Key_Space:
        if (!isPlain(event) || currentRow() < 0)
            return false;
        m_rows->toggleSelected(currentRow());
        return true;
    case Qt::Key_A:
        if (event.modifiers() != Qt::ControlModifier)
            return false;
        m_rows->selectEverything();
        return true;
    case Qt::Key_C:
        if (event.modifiers() != Qt::ControlModifier)
            return false;
        Q_EMIT copyAsked();
        return true;
    case Qt::Key_Escape:
        if (m_rows->selection().empty())
            return false;
        m_rows->clearSelection();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (currentRow() < 0)
            return false;
        Q_EMIT rowActivated(currentRow());
        return true;
    default:
        return false;
    }
}

void GridView::mousePressEvent(QMouseEvent* event)
{
    const auto index = indexAt(event->position().toPoint());
    if (!index.isValid() || event->button() != Qt::LeftButton) {
        if (index.isValid())
            setCurrentRow(index.row());
        return;
    }
    setCurrentIndex(index);
    Q_EMIT rowTaken(index.row());
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        m_rows->selectTo(index.row());
    else if (event->modifiers().testFlag(Qt::ControlModifier))
        m_rows->toggleSelected(index.row());
    else {
        if (onIdentifier(index, event->position().toPoint()))
            Q_EMIT identifierClicked(index, event->globalPosition().toPoint());
        Q_EMIT rowClicked(index.row());
    }
}

bool GridView::onIdentifier(const QModelIndex& index, const QPoint& at) const
{
    if (!index.data(Rows::MiddleElisionRole).toBool())
        return false;
    const auto words = index.data(Qt::DisplayRole).toString();
    const QRect place = visualRect(index).adjusted(padding, 0, -padding, 0);
    const int wide = QFontMetrics(m_theme.font(Text::Mono)).horizontalAdvance(words.left(place.width()));
    return !words.isEmpty()
        && QRect(place.left(), place.top(), std::min(wide, place.width()), place.height()).contains(at);
}

void GridView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto index = indexAt(event->position().toPoint());
    if (index.isValid() && event->button() == Qt::LeftButton)
        Q_EMIT rowActivated(index.row());
}

void GridView::mouseMoveEvent(QMouseEvent* event)
{
    const auto at = event->position().toPoint();
    setHoveredRow(rowAt(at.y()));
    viewport()->setCursor(onIdentifier(indexAt(at), at) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

// The titles are no rows, and to Qt the pointer on them is still on the view.
bool GridView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        setHoveredRow(-1);
    // Below the rows there is nothing that a menu could be about.
    if (event->type() == QEvent::ContextMenu) {
        const auto* menu = static_cast<QContextMenuEvent*>(event);
        if (menu->reason() == QContextMenuEvent::Mouse && !indexAt(menu->pos()).isValid())
            return true;
    }
    return QTableView::viewportEvent(event);
}

void GridView::leaveEvent(QEvent* event)
{
    setHoveredRow(-1);
    QTableView::leaveEvent(event);
}

void GridView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (current.isValid())
        m_lastCurrent = current.row();
    viewport()->update();
    verticalHeader()->viewport()->update();
    if (current.row() != previous.row())
        Q_EMIT currentRowChanged(current.row());
}

// To the base class a neighbour is current then; the keys go on with the row that comes in its place.
void GridView::rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end)
{
    const int last = currentIndex().isValid() ? currentRow() : m_lastCurrent;
    QTableView::rowsAboutToBeRemoved(parent, start, end);
    m_lastCurrent = last < start ? last : std::max(start, last - (end - start + 1));
}

void GridView::scrollContentsBy(int dx, int dy)
{
    QTableView::scrollContentsBy(dx, dy);
    if (dy != 0)
        tellScrolled();
}

void GridView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    // What was in sight stays so when another part of the page takes its room.
    const int bottom = currentIndex().isValid() ? rowViewportPosition(currentRow()) + rowHeight() : 0;
    if (bottom > viewport()->height() && bottom <= event->oldSize().height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + bottom - viewport()->height());
    tellScrolled();
}

void GridView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    QPainter painter(viewport());
    painter.setPen(QPen(m_theme.color(Role::Border), 0));
    // Hairlines between the rows, one device pixel each.
    const int bottom = rowViewportPosition(lastShownRow());
    for (int y = rowViewportPosition(firstShownRow()) + rowHeight() - 1;
         model() && model()->rowCount() > 0 && y <= bottom + rowHeight(); y += rowHeight())
        painter.drawLine(0, y, viewport()->width(), y);
}

void GridView::tellScrolled()
{
    if (model() && model()->rowCount() > 0)
        Q_EMIT scrolledTo(firstShownRow(), lastShownRow());
}

} // namespace fencepost::ui
