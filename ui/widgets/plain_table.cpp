// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plain_table.h"

#include <algorithm>

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

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
    for (int column = 0; column < columnCount(); ++column) {
        const auto& heading = m_headings[std::size_t(column)];
        setHorizontalHeaderItem(column, new QTableWidgetItem(heading.title));
        if (heading.width == 0)
            horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
        else
            setColumnWidth(column, heading.width);
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
            if (m_headings[std::size_t(column)].monospace)
                item->setFont(mono);
            item->setToolTip(plainToolTip(shown));
            setItem(row, column, item);
        }
    }
    if (wordWrap())
        fitRows();
}

void PlainTable::fitRows()
{
    for (int row = 0; row < rowCount(); ++row)
        setRowHeight(row, std::max(space::row, sizeHintForRow(row) + space::medium));
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
