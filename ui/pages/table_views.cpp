// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>

#include "core/query/filter.h"
#include "models/session.h"
#include "ui/dialogs/save_view_dialog.h"
#include "ui/link.h"
#include "ui/pages/table_page.h"
#include "ui/shell/finders.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

namespace {

QString columnId(const models::PageModel& model, int column)
{
    return model.headerData(column, Qt::Horizontal, models::RowsModelBase::ColumnIdRole).toString();
}

QString titleOf(const models::PageModel& model, const QString& id)
{
    for (int column = 0; column < model.columnCount(); ++column)
        if (columnId(model, column) == id)
            return model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return id;
}

// The filter that shows them; empty: there are none, or none that can be typed.
QString filterOf(const QList<models::Bookmark>& bookmarks)
{
    std::vector<std::vector<std::string>> identities;
    for (const auto& bookmark : bookmarks)
        identities.push_back(bookmark.identity);
    return text(filterOfRows(identities));
}

} // namespace

// Ids of the visible columns as they stand.
QStringList TablePage::shownColumns() const
{
    QStringList shown;
    const auto* header = m_grid->view().horizontalHeader();
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        if (!header->isSectionHidden(column))
            shown += columnId(*m_model, column);
    }
    return shown;
}

void TablePage::fillViews()
{
    auto& menu = m_bar->viewsMenu();
    menu.clear();
    auto* views = m_context.workspace ? m_context.workspace->views() : nullptr;
    if (!views || !m_model) {
        menu.addAction(tr("No folder for views is at hand"))->setEnabled(false);
        return;
    }
    addBookmarked(menu);
    const auto all = views->of(m_traits.kind);
    for (const auto& view : all) {
        auto* action = menu.addAction(view.name);
        action->setCheckable(true);
        action->setChecked(view.filter == m_bar->filter());
        action->setToolTip(plainToolTip(view.filter));
        connect(action, &QAction::triggered, this, [this, view] { openView(view); });
    }
    menu.addSeparator();
    auto* keep = menu.addAction(tr("Save this view…"));
    keep->setEnabled(!m_bar->filter().isEmpty());
    connect(keep, &QAction::triggered, this, [this] {
        QStringList columns;
        for (const auto& id : shownColumns())
            columns += titleOf(*m_model, id);
        const auto order = m_model->order();
        auto* dialog = new SaveViewDialog(m_context.theme, *m_context.workspace->views(),
            { .kind = m_traits.kind,
                .filter = m_bar->filter(),
                .columns = columns.join(QStringLiteral(", ")),
                .order = order.isEmpty()    ? QString()
                    : m_model->descending() ? tr("%1, newest or largest first").arg(order)
                                            : tr("%1, oldest or smallest first").arg(order) },
            this);
        connect(dialog, &SaveViewDialog::named, this, &TablePage::saveView);
        dialog->open();
    });
    auto* remove = menu.addMenu(tr("Remove a view"));
    for (const auto& view : all) {
        if (view.shipped)
            continue;
        connect(remove->addAction(view.name), &QAction::triggered, this, [this, views, view] {
            const auto removed = views->remove(view);
            if (!removed)
                m_banner->report(tr("remove the view"), removed.error());
        });
    }
    remove->setEnabled(!remove->isEmpty());
    for (const auto& problem : views->errors()) {
        auto* broken = menu.addAction(m_context.theme.icon("warning", Role::Warning), text(problem.message));
        broken->setEnabled(false);
        broken->setToolTip(plainToolTip(text(problem.detail)));
    }
}

void TablePage::addBookmarked(QMenu& menu)
{
    auto* bookmarks = m_context.workspace->bookmarks();
    if (!bookmarks || !m_model->binding())
        return;
    const auto marked = bookmarks->of(m_context.connection, m_model->binding()->name);
    const auto filter = filterOf(marked);
    auto* action =
        menu.addAction(m_context.theme.icon("bookmark"), tr("Bookmarked (%1)").arg(numberText(marked.size())));
    action->setCheckable(true);
    action->setChecked(!filter.isEmpty() && filter == m_bar->filter());
    action->setEnabled(!filter.isEmpty());
    action->setToolTip(filter.isEmpty() ? tr("B bookmarks a record") : plainToolTip(filter));
    connect(action, &QAction::triggered, this, [this, filter](bool on) { applyFilter(on ? filter : QString()); });
    menu.addSeparator();
}

void TablePage::toggleBookmark(const Row& row)
{
    auto* bookmarks = m_context.workspace ? m_context.workspace->bookmarks() : nullptr;
    if (!bookmarks)
        return;
    const auto kept = bookmarks->toggle({ .connection = m_context.connection,
        .binding = m_model->binding()->name,
        .identity = row.identity,
        .key = row.key });
    if (!kept)
        m_banner->report(tr("keep the bookmark"), kept.error());
}

void TablePage::showBookmarks()
{
    auto* bookmarks = m_context.workspace ? m_context.workspace->bookmarks() : nullptr;
    if (!bookmarks || !m_model->binding())
        return;
    std::set<models::Identity> marked;
    for (const auto& bookmark : bookmarks->of(m_context.connection, m_model->binding()->name))
        marked.insert(bookmark.identity);
    m_model->setBookmarks(std::move(marked));
}

void TablePage::openView(const models::SavedView& view)
{
    if (!m_model->binding())
        return;
    const auto done = m_model->setView(m_model->binding(), wholeFilter(view.filter), view.order, view.descending);
    if (!done)
        return m_banner->report(tr("open the view"), done.error());
    m_bar->setFilter(view.filter);
    m_model->clearSelection();
    markOrder();
    if (!view.columns.isEmpty())
        m_grid->showColumns(view.columns);
    showSummary();
}

void TablePage::saveView(const QString& name)
{
    auto* views = m_context.workspace ? m_context.workspace->views() : nullptr;
    if (!views)
        return;
    const auto saved = views->save({ .name = name.trimmed(),
        .kind = m_traits.kind,
        .filter = m_bar->filter(),
        .columns = shownColumns(),
        .order = m_model->order(),
        .descending = m_model->descending() });
    if (saved)
        m_banner->tell("good", tr("The view %1 is saved in %2").arg(name.trimmed(), views->folder()));
    else
        m_banner->report(tr("save the view"), saved.error());
}

void TablePage::fillCopyMenu(QMenu& menu)
{
    for (const auto& format : models::copyFormats())
        connect(menu.addAction(tr(format.title)), &QAction::triggered, this,
            [this, kind = format.format] { copy(kind, false); });
    auto* secret = menu.addMenu(tr("With secrets (audited)"));
    for (const auto& format : models::copyFormats())
        if (format.format == models::CopyFormat::Json || format.format == models::CopyFormat::JsonLines)
            connect(secret->addAction(tr(format.title)), &QAction::triggered, this,
                [this, kind = format.format] { copy(kind, true); });
}

void TablePage::copyMenu()
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillCopyMenu(*menu);
    const auto row = m_grid->view().visualRect(m_grid->view().currentIndex());
    menu->popup(m_grid->view().viewport()->mapToGlobal(row.bottomLeft()));
}

void TablePage::copy(models::CopyFormat format, bool withSecrets)
{
    const auto chosen = selection();
    if (chosen.rows.empty())
        return m_banner->tell(
            "warning", tr("Select rows one by one to copy them; everything that matches can be exported."));
    models::CopyRequest request;
    request.rows = chosen.rows;
    request.binding = m_model->binding();
    request.display = m_model->display();
    const auto shown = shownColumns();
    for (const auto& id : shown)
        for (const auto& column : m_model->columns())
            if (id == QLatin1String(column.id))
                request.columns.push_back(column);
    if (m_context.workspace)
        request.databaseUrl = m_context.workspace->openedUrl().toStdString();
    request.link = [this](const Row& row) {
        return formatLink({ .connection = m_context.connection,
            .page = QLatin1String(m_traits.id),
            .binding = text(m_model->binding()->name),
            .identity = row.identity });
    };
    request.withSecrets = withSecrets;
    const auto text = models::copyAs(format, request);
    if (!text)
        return m_banner->report(tr("copy the rows"), text.error());
    if (!withSecrets)
        return QGuiApplication::clipboard()->setText(*text);
    AuditEntry entry;
    SystemRandom random;
    entry.requestId = uuid4(random);
    entry.verb = "reveal";
    entry.binding = m_model->binding()->name;
    entry.identity = "[]";
    entry.outcome = wordOf(ItemResult::Changed);
    entry.detail = std::to_string(chosen.rows.size()) + " rows copied with their secrets";
    entry.parameters = "{}";
    entry.actor = m_context.session->actor();
    entry.reason = tr("Copied with secrets").toStdString();
    auto* thread = m_context.session->writes() ? m_context.session->writes() : &m_context.session->reads();
    models::deliver(thread->run([entry](Backend& backend) { return backend.inspector().record(entry); }), this,
        [this, copied = *text](const Result<AuditEntry>& answer) {
            if (answer)
                QGuiApplication::clipboard()->setText(copied);
            else
                m_banner->report(tr("write the copy into the audit, so nothing was copied"), answer.error());
        });
}

} // namespace fencepost::ui
