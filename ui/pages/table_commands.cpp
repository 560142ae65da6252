// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the rows of a table page: by key, from the menu of a row, and by the operations.
#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QToolButton>

#include "core/operations/operation.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/link.h"
#include "ui/operation_words.h"
#include "ui/pages/table_page.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/selection_line.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr std::string_view rowCommands[] = { "copy-key", "copy-as", "copy-link", "select-all", "select-row", "next-row",
    "previous-row", "open-row", "bookmark", "export" };

} // namespace

void TablePage::openRow(int row)
{
    if (m_model && m_model->binding() && row >= 0 && row < m_model->rowCount())
        m_context.navigation.openDossier(*m_model->binding(), m_model->rowAt(row).identity);
}

void TablePage::plan(const Operation& operation)
{
    const auto chosen = selection();
    if (!chosen.isEmpty())
        m_context.navigation.plan(operation, chosen);
}

void TablePage::rowMenu(const QPoint& globalPosition)
{
    if (!currentRow())
        return;
    QMenu menu(this);
    connect(menu.addAction(tr("Open the record")), &QAction::triggered, this, [this] { run("open-row"); });
    auto* bookmark = menu.addAction(tr("Bookmark"));
    bookmark->setCheckable(true);
    bookmark->setChecked(m_grid->view().currentIndex().data(models::RowsModelBase::BookmarkedRole).toBool());
    connect(bookmark, &QAction::triggered, this, [this] { run("bookmark"); });
    connect(menu.addAction(tr("Copy the key")), &QAction::triggered, this, [this] { run("copy-key"); });
    fillCopyMenu(*menu.addMenu(tr("Copy as")));
    connect(menu.addAction(tr("Copy a link")), &QAction::triggered, this, [this] { run("copy-link"); });
    if (m_traits.operations)
        addOperations(menu);
    menu.exec(globalPosition);
}

// As the buttons above the grid have them.
void TablePage::addOperations(QMenu& menu)
{
    menu.addSeparator();
    menu.setToolTipsVisible(true);
    for (const auto& operation : operations()) {
        const auto* button = m_selectionLine->operations().button(operation.id);
        if (button->isHidden())
            continue;
        auto* action =
            menu.addAction(m_context.theme.icon(operation.id), tr("%1…").arg(titleIn(*m_model->binding(), operation)));
        action->setEnabled(button->isEnabled());
        action->setToolTip(button->toolTip());
        connect(action, &QAction::triggered, this, [this, &operation] { plan(operation); });
    }
}

bool TablePage::handles(std::string_view command) const
{
    return m_model && std::find(std::begin(rowCommands), std::end(rowCommands), command) != std::end(rowCommands);
}

void TablePage::run(std::string_view command)
{
    if (!m_model)
        return;
    auto& view = m_grid->view();
    const auto row = currentRow();
    if (command == "next-row")
        view.moveCurrent(1, false);
    else if (command == "previous-row")
        view.moveCurrent(-1, false);
    else if (command == "select-all")
        m_model->selectEverything();
    else if (command == "export")
        exportRows();
    else if (!row)
        return;
    else if (command == "open-row")
        openRow(view.currentRow());
    else if (command == "select-row")
        m_model->toggleSelected(view.currentRow());
    else if (command == "copy-key")
        QGuiApplication::clipboard()->setText(text(row->key));
    else if (command == "bookmark")
        toggleBookmark(*row);
    else if (command == "copy-as")
        return copyMenu();
    else if (command == "copy-link")
        QGuiApplication::clipboard()->setText(formatLink({ .connection = m_context.connection,
            .page = QLatin1String(m_traits.id),
            .binding = text(m_model->binding()->name),
            .filter = m_bar->filter(),
            .identity = row->identity,
            .range = m_context.range.frozen() }));
}

void TablePage::showStatement()
{
    if (!m_model || !m_model->binding())
        return;
    auto* dialog = new TextDialog(m_context.theme, tr("Statement and plan of %1").arg(text(m_model->binding()->name)),
        tr("Asking the database…"), this);
    models::deliver(m_model->explain(), dialog, [dialog](const Result<std::string>& answer) {
        dialog->setText(answer ? text(*answer) : text(answer.error().message + "\n" + answer.error().detail));
    });
    dialog->open();
}

} // namespace fencepost::ui
