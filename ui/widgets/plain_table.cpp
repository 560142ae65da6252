// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plain_table.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolTip>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

constexpr int headingRoom = 34;

class StateDelegate final : public QStyledItemDelegate {
public:
    StateDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto state = index.data().toString().toStdString();
        m_theme.paintState(*painter, option.rect.adjusted(space::small, 0, -space::tiny, 0), { .state = state });
    }

private:
    const Theme& m_theme;
};

// Identifiers differ at both ends.
class IdentifierDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideMiddle;
        option->features &= ~QStyleOptionViewItem::WrapText;
    }
};

} // namespace

// A heading is never cut: beside its words it has the style sheet's room and the mark's.
int PlainTable::widthOf(const Heading& heading) const
{
    return std::max(
        heading.width, QFontMetrics(m_theme.font(Text::Strong)).horizontalAdvance(heading.title) + headingRoom);
}

// As many columns as there is room for are whole: what is left goes to the last of them, and the others are behind the
// edge.
void PlainTable::fitColumns()
{
    int used = 0;
    int last = -1;
    for (int column = 0; column < columnCount(); ++column) {
        const auto& heading = m_headings[std::size_t(column)];
        if (heading.width == 0)
            return;
        if (used + widthOf(heading) > viewport()->width() && last >= 0)
            break;
        used += widthOf(heading);
        last = column;
    }
    for (int column = 0; column < columnCount(); ++column)
        setColumnWidth(column,
            widthOf(m_headings[std::size_t(column)]) + (column == last ? std::max(0, viewport()->width() - used) : 0));
}

PlainTable::PlainTable(const Theme& theme, std::vector<Heading> headings, QWidget* parent)
    : QTableWidget(0, int(headings.size()), parent)
    , m_theme(theme)
    , m_headings(std::move(headings))
{
    setEditTriggers(NoEditTriggers);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setShowGrid(false);
    setWordWrap(false);
    setTextElideMode(Qt::ElideRight);
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(space::row);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, &QTableWidget::cellClicked, this, &PlainTable::copyIdentifier);
    for (int column = 0; column < columnCount(); ++column) {
        const auto& heading = m_headings[std::size_t(column)];
        setHorizontalHeaderItem(column, new QTableWidgetItem(heading.title));
        if (heading.number)
            horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (heading.width == 0)
            horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
        else
            setColumnWidth(column, widthOf(heading));
        if (heading.state)
            setItemDelegateForColumn(column, new StateDelegate(theme, this));
        else if (heading.monospace)
            setItemDelegateForColumn(column, new IdentifierDelegate(this));
        if (heading.wrap)
            setWordWrap(true);
    }
    if (wordWrap()) {
        verticalHeader()->setMinimumSectionSize(space::row);
        // The header tells of a width before it has it.
        connect(horizontalHeader(), &QHeaderView::sectionResized, this, &PlainTable::fitRows, Qt::QueuedConnection);
    }
}

void PlainTable::setLines(const std::vector<QStringList>& lines)
{
    setRowCount(0);
    setRowCount(int(lines.size()));
    const auto mono = m_theme.font(Text::Mono);
    for (int row = 0; row < rowCount(); ++row) {
        const auto& line = lines[std::size_t(row)];
        for (int column = 0; column < columnCount(); ++column) {
            const auto shown = visible(line.value(column));
            auto* item = new QTableWidgetItem(shown);
            if (m_headings[std::size_t(column)].monospace || m_headings[std::size_t(column)].number)
                item->setFont(mono);
            if (m_headings[std::size_t(column)].number)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            const bool identifier = m_headings[std::size_t(column)].monospace && !shown.isEmpty();
            item->setToolTip(plainToolTip(identifier ? tr("%1\n\nClick to copy").arg(shown) : shown));
            setItem(row, column, item);
        }
    }
    if (wordWrap())
        fitRows();
}

void PlainTable::copyIdentifier(int row, int column)
{
    if (!m_headings[std::size_t(column)].monospace || cell(row, column).isEmpty())
        return;
    QGuiApplication::clipboard()->setText(cell(row, column));
    QToolTip::showText(QCursor::pos(), tr("Copied"), this);
}

// By the columns that wrap alone, at the width that they have: the others are one line.
void PlainTable::fitRows()
{
    const QFontMetrics metrics(font());
    for (int row = 0; row < rowCount(); ++row) {
        int height = space::row;
        for (int column = 0; column < columnCount(); ++column) {
            if (!m_headings[std::size_t(column)].wrap)
                continue;
            const QRect room(0, 0, std::max(1, columnWidth(column) - 2 * space::medium), 4000);
            height = std::max(
                height, metrics.boundingRect(room, Qt::TextWordWrap, cell(row, column)).height() + space::medium);
        }
        setRowHeight(row, height);
    }
}

void PlainTable::setEmptyText(const QString& words)
{
    m_emptyText = words;
    setAccessibleDescription(words);
    viewport()->update();
}

void PlainTable::paintEvent(QPaintEvent* event)
{
    QTableWidget::paintEvent(event);
    if (rowCount() > 0 || m_emptyText.isEmpty())
        return;
    QPainter painter(viewport());
    painter.setFont(m_theme.font(Text::Body));
    painter.setPen(m_theme.color(Role::Muted));
    const QRect room = viewport()->rect().adjusted(space::large, space::large, -space::large, 0);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_emptyText);
}

void PlainTable::resizeEvent(QResizeEvent* event)
{
    QTableWidget::resizeEvent(event);
    fitColumns();
    if (wordWrap())
        fitRows();
}

QString PlainTable::cell(int row, int column) const
{
    const auto* found = item(row, column);
    return found ? found->text() : QString();
}

QSize PlainTable::minimumSizeHint() const
{
    return { 160, 3 * space::row };
}

} // namespace fencepost::ui
