// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/table_page.h"

#include <algorithm>

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "core/operations/plan.h"
#include "models/session.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/link.h"
#include "ui/operation_words.h"
#include "ui/shown_states.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto liveInterval = std::chrono::milliseconds(2000);

constexpr std::string_view commands[] = { "copy-key", "copy-as", "copy-link", "select-all", "select-row", "next-row",
    "previous-row", "open-row", "bookmark", "export" };

} // namespace

TablePage::TablePage(
    PageContext& context, Traits traits, models::PageModel* (*make)(models::StoreThread&, QObject*), QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_traits(std::move(traits))
    , m_bar(new FilterBar(context.theme, m_traits.chips, this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_operations(new OperationBar(context.theme, this))
    , m_selected(new PlainLabel(this))
    , m_selectionLine(new QWidget(this))
    , m_header(new QVBoxLayout)
    , m_footer(new QVBoxLayout)
{
    build();
    if (context.session) {
        m_model = make(context.session->reads(), this);
        connectModel();
    } else {
        m_grid->emptyState().show(
            Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
    }
}

void TablePage::build()
{
    setPart(this, "surface");
    m_selected->setObjectName(QStringLiteral("selected"));
    // Two small lines stand beside the buttons without moving what is below.
    m_selected->setFont(m_context.theme.font(Text::Caption));
    m_selected->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* line = new QHBoxLayout(m_selectionLine);
    line->setContentsMargins(space::large, 0, space::large, space::small);
    line->setSpacing(space::medium);
    line->addWidget(m_operations, 1);
    line->addWidget(m_selected);
    auto* clear = new QPushButton(tr("Clear"), m_selectionLine);
    clear->setObjectName(QStringLiteral("clearSelection"));
    setKind(clear, "link");
    clear->setAccessibleName(tr("Clear the selection"));
    clear->hide();
    line->addWidget(clear);
    m_operations->setRows(m_traits.kind);
    m_selectionLine->setVisible(m_traits.operations);
    m_grid->setSelectable(m_traits.operations);

    auto* hairline = new QFrame(this);
    setPart(hairline, "line");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addWidget(m_selectionLine);
    if (m_traits.strip) {
        buildStrip();
        layout->addWidget(m_strip);
    }
    auto* banner = new QVBoxLayout;
    banner->setContentsMargins(space::large, 0, space::large, 0);
    banner->addWidget(m_banner);
    layout->addLayout(banner);
    layout->addLayout(m_header);
    layout->addWidget(hairline);
    layout->addWidget(m_grid, 1);
    layout->addLayout(m_footer);
    m_banner->clear();

    connect(clear, &QPushButton::clicked, this, [this] { m_model->clearSelection(); });
    connect(m_operations, &OperationBar::chosen, this, [this](const Operation& operation) { plan(operation); });
    connect(m_bar, &FilterBar::filterApplied, this, &TablePage::applyFilter);
    connect(m_bar, &FilterBar::tableChosen, this, [this](const QString& name) { choose(name, {}); });
    connect(m_bar, &FilterBar::statementAsked, this, &TablePage::showStatement);
    connect(&m_bar->columnsMenu(), &QMenu::aboutToShow, this, [this] {
        m_bar->columnsMenu().clear();
        m_grid->fillColumnMenu(m_bar->columnsMenu());
    });
    connect(&m_bar->viewsMenu(), &QMenu::aboutToShow, this, &TablePage::fillViews);
    connect(m_grid, &RowGrid::sortAsked, this, &TablePage::sort);
    connect(m_grid, &RowGrid::rowActivated, this, &TablePage::openRow);
    connect(m_grid, &RowGrid::rowClicked, this, &TablePage::openRow);
    connect(m_grid, &RowGrid::copyAsked, this, [this] { run("copy-key"); });
    connect(m_grid, &RowGrid::contextMenuAsked, this, &TablePage::rowMenu);
    connect(m_grid, &RowGrid::clearFilterAsked, this, [this] { applyFilter({}); });
    connect(m_grid, &RowGrid::retryAsked, this, &TablePage::reload);
    connect(m_grid, &RowGrid::currentRowChanged, this, [this] {
        showTarget();
        showCurrent();
        Q_EMIT selectionChanged();
    });
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
}

void TablePage::connectModel()
{
    m_model->setZone(m_context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(m_traits.rows, m_traits.good);
    connect(&m_context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(m_context.zone.value()); });
    connect(m_model, &models::RowsModelBase::selectionChanged, this, &TablePage::selectionMoved);
    connect(m_model, &models::RowsModelBase::statusChanged, this, &TablePage::showAbsence);
    connect(m_model, &models::RowsModelBase::statusChanged, this, &TablePage::showSummary);
    connect(m_model, &models::RowsModelBase::positionChanged, this, &TablePage::showSummary);
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        m_banner->clear();
        showSummary();
        showTarget();
        showCurrent();
        if (m_strip)
            recountArrivals();
    });
    connect(m_model, &models::RowsModelBase::failed, this, [this](const Error& error) {
        if (!m_context.session->lost())
            m_banner->report(tr("read the %1").arg(m_traits.rows), error);
    });
    if (auto* bookmarks = m_context.workspace ? m_context.workspace->bookmarks() : nullptr)
        connect(bookmarks, &models::Bookmarks::changed, this, &TablePage::showBookmarks);
    connect(m_context.session, &models::Session::bindingsChanged, this, &TablePage::bindingsMoved);
    connect(m_context.session, &models::Session::bindingsFailed, this, [this](const Error& error) {
        if (!m_context.session->lost())
            m_banner->report(tr("look for tables"), error);
        showAbsence();
    });
    connect(m_context.session, &models::Session::carriedOut, this, &TablePage::noteRun);
    connect(m_context.session, &models::Session::statusChanged, this, [this] {
        if (m_model->stale())
            showSummary();
    });
    connect(&m_resolving, &QFutureWatcherBase::finished, this, [this] {
        if (m_resolving.isCanceled() || m_resolving.future().resultCount() == 0)
            return;
        const auto answer = m_resolving.result();
        if (answer)
            m_scope = *answer;
        else
            m_banner->report(tr("collect the selection"), answer.error());
        showTarget();
        Q_EMIT selectionChanged();
    });
}

// What was acted on goes muted with its new state and leaves with the next refresh; filter, scroll and selection stay.
void TablePage::noteRun(const Plan& plan, const RunReport& report)
{
    if (!m_model->binding() || plan.binding != m_model->binding()->name)
        return;
    std::vector<models::Identity> changed;
    const auto& items = report.items;
    for (std::size_t i = 0; i < items.size() && i < plan.items.size(); ++i)
        if (items[i].outcome.result == ItemResult::Changed)
            changed.push_back(plan.items[i].identity);
    m_countedRows.reset();
    m_model->noteChanged(changed);
}

void TablePage::activate()
{
    m_activated = true;
    bindingsMoved();
    if (m_model && m_model->rowCount() > 0)
        m_model->refresh();
    m_grid->setFocus();
}

// Jobs and locks of other frameworks are read like keys and have no page of their own.
bool TablePage::isShown(Kind kind) const
{
    return kind == m_traits.kind || (m_traits.kind == Kind::Idempotency && (kind == Kind::Job || kind == Kind::Lock));
}

void TablePage::bindingsMoved()
{
    if (!m_model || !m_activated)
        return;
    QStringList names;
    for (const auto& binding : m_context.session->bindings())
        if (isShown(binding->kind))
            names += text(binding->name);
    const auto shown = m_model->binding() ? text(m_model->binding()->name) : QString();
    m_bar->setTables(names, names.contains(shown) ? shown : names.value(0));
    if (names.isEmpty())
        return showAbsence();
    if (!names.contains(shown))
        choose(names.first(), m_bar->filter());
}

// Without a table the grid cannot tell why there are no rows.
void TablePage::showAbsence()
{
    if (m_activated && m_model && !m_model->binding())
        m_grid->emptyState().showNoTable(*m_context.session, m_traits.rows, tr("Try again"));
}

// What a table cannot tell is not the same as that there is none.
void TablePage::remarkFilter(const QString& filter)
{
    const auto parsed = parseFilter(filter.toStdString());
    const auto& binding = m_model->binding();
    const bool known = binding && parsed && *parsed;
    QString remark;
    if (known && asksFor(*parsed, Flag::Conflict) && !tellsConflicts(*binding))
        remark = tr("Conflicts are no rows of this table: whoever writes into it refuses another request under a used "
                    "key before anything is written, so that only its logs tell of it.");
    else if (known && asksFor(*parsed, Flag::Held) && !tellsHolds(*binding))
        remark = tr("Rows of this table cannot be held.");
    m_grid->setFilterRemark(remark);
}

void TablePage::choose(const QString& name, const QString& filter)
{
    const auto binding = m_context.session->binding(name);
    if (!binding)
        return;
    const auto& orders = binding->orders;
    const bool preferred = std::find(orders.begin(), orders.end(), m_traits.order.toStdString()) != orders.end();
    const auto order = preferred ? m_traits.order : orders.empty() ? QString() : text(orders.front());
    m_bar->setTables(
        [&] {
            QStringList names;
            for (const auto& candidate : m_context.session->bindings())
                if (isShown(candidate->kind))
                    names += text(candidate->name);
            return names;
        }(),
        name);
    m_bar->setRows(*binding);
    m_bar->setFilter(filter);
    m_arrivalsTerm.clear();
    const auto done = m_model->setView(binding, wholeFilter(filter), order, preferred ? m_traits.descending : true);
    remarkFilter(filter);
    if (!done)
        m_banner->report(tr("show %1").arg(name), done.error());
    m_grid->setLayoutName(name);
    markOrder();
    showBookmarks();
    m_model->setLive(m_live ? liveInterval : std::chrono::milliseconds(0));
    countArrivals();
    showSummary();
}

void TablePage::show(const QString& binding, const QString& filter)
{
    if (!m_model)
        return;
    m_activated = true;
    const auto shown = m_model->binding() ? text(m_model->binding()->name) : QString();
    if (!binding.isEmpty() && (binding != shown || !filter.isNull()))
        return choose(binding, filter);
    bindingsMoved();
    if (!filter.isNull())
        applyFilter(filter);
}

Place TablePage::place() const
{
    if (!m_model || !m_model->binding())
        return {};
    // An empty filter is one, too: a null one would leave the filter of now in force.
    return { text(m_model->binding()->name), m_bar->filter().isNull() ? QStringLiteral("") : m_bar->filter() };
}

QString TablePage::wholeFilter(const QString& filter) const
{
    if (m_traits.always.isEmpty())
        return filter;
    return filter.isEmpty() ? m_traits.always : QStringLiteral("%1 and (%2)").arg(m_traits.always, filter);
}

void TablePage::applyFilter(const QString& filter)
{
    if (!m_model)
        return;
    const auto done = m_model->setFilterText(wholeFilter(filter));
    if (!done)
        return m_banner->report(tr("apply the filter"), done.error());
    m_bar->setFilter(filter);
    remarkFilter(filter);
    // What was selected may not be in sight any more; acting on it unseen is how scopes drift.
    m_model->clearSelection();
    m_grid->setWords(m_traits.rows, filter.isEmpty() ? m_traits.good : QString());
    countArrivals();
    showSummary();
}

void TablePage::reload()
{
    if (!m_model)
        return;
    if (m_context.session->bindings().empty())
        m_context.session->reloadBindings();
    m_counted.clear();
    countArrivals();
    if (m_model->stale() || m_model->rowCount() == 0)
        m_model->reload();
    else
        m_model->refresh();
}

void TablePage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

void TablePage::setLive(bool live)
{
    m_live = live;
    if (m_model)
        m_model->setLive(live ? liveInterval : std::chrono::milliseconds(0));
}

QWidget* TablePage::filterField() const
{
    return &m_bar->field();
}

std::optional<Row> TablePage::currentRow() const
{
    const int row = m_grid->view().currentRow();
    if (!m_model || row < 0 || row >= m_model->rowCount())
        return std::nullopt;
    return m_model->rowAt(row);
}

// All that is selected, where the window holds it.
std::optional<std::vector<Row>> TablePage::selectedInWindow() const
{
    const auto selected = m_model->selection().size().value;
    if (selected > m_model->rowCount())
        return std::nullopt;
    std::vector<Row> rows;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->index(row, 0).data(models::RowsModelBase::SelectedRole).toBool())
            rows.push_back(m_model->rowAt(row));
    return std::int64_t(rows.size()) == selected ? std::optional(std::move(rows)) : std::nullopt;
}

Selection TablePage::selection() const
{
    Selection chosen;
    if (!m_model || !m_model->binding())
        return chosen;
    chosen.binding = *m_model->binding();
    const auto& selected = m_model->selection();
    if (selected.empty()) {
        if (const auto row = currentRow())
            chosen.rows = { *row };
        return chosen;
    }
    const auto whole = m_model->filterText();
    if (selected.everything() && selected.exceptions().empty() && !whole.isEmpty()) {
        chosen.all = true;
        chosen.filter = whole;
        chosen.matching = selected.size();
        return chosen;
    }
    if (!m_scope) {
        chosen.rows = selectedInWindow().value_or(std::vector<Row>());
        return chosen;
    }
    for (const auto& identity : m_scope->identities) {
        const int row = m_model->rowOf(identity);
        chosen.rows.push_back(row >= 0 ? m_model->rowAt(row) : Row{ .identity = identity, .key = identity.back() });
    }
    return chosen;
}

void TablePage::selectionMoved()
{
    m_scope.reset();
    m_resolving.setFuture({});
    const auto& selected = m_model->selection();
    const bool filtered = selected.everything() && selected.exceptions().empty() && !m_model->filterText().isEmpty();
    if (!selected.empty() && !filtered && !selectedInWindow())
        m_resolving.setFuture(m_model->resolveSelection());
    showTarget();
    Q_EMIT selectionChanged();
}

void TablePage::showTarget()
{
    if (!m_model)
        return;
    m_operations->setTarget(selection(), m_model->display().now);
    const auto& selected = m_model->selection();
    QString words;
    if (selected.everything()) {
        words = tr("All %1 matching").arg(countText(selected.size()));
        if (!selected.exceptions().empty())
            words += tr(", except %1").arg(numberText(std::int64_t(selected.exceptions().size())));
        words += tr("\nas of %1").arg(m_context.zone.value().format(selected.asOf(), models::Precision::Seconds));
    } else if (!selected.empty()) {
        words = tr("%1 selected").arg(countText(selected.size()));
    }
    m_selected->setText(words);
    if (auto* clear = m_selectionLine->findChild<QPushButton*>(QStringLiteral("clearSelection")))
        clear->setVisible(!words.isEmpty());
}

void TablePage::showSummary()
{
    if (!m_model)
        return;
    QStringList parts;
    // First, because it is the end of the line that a narrow window cuts.
    if (m_model->loadedAt() && m_model->stale())
        parts += tr("as of %1, %2")
                     .arg(models::relativeText(*m_model->loadedAt(), m_context.session->databaseNow()),
                         m_context.zone.value().format(m_model->loadedAt(), models::Precision::Seconds));
    if (m_model->rowCount() > 0) {
        const auto size = m_model->estimatedSize();
        parts += tr("%1 %2").arg(countText(size), size.value == 1 ? m_traits.one : m_traits.rows);
        parts += exactnessText(size.exactness);
    }
    if (m_model->binding() && m_model->binding()->mayHideRows)
        parts += tr("row-level security may hide rows");
    if (m_model->sortedLocally())
        parts += tr("sorts the %1 loaded, this column has no index").arg(numberText(m_model->rowCount()));
    // Fresh rows are of today, and the line is short.
    if (m_model->loadedAt() && !m_model->stale())
        parts += tr("read %1").arg(m_context.zone.value()
                                       .format(m_model->loadedAt(), models::Precision::Seconds)
                                       .section(QLatin1Char('T'), 1));
    m_bar->setSummary(parts.join(QStringLiteral(" · ")));
    Q_EMIT statusChanged();
}

PageStatus TablePage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->binding())
        return status;
    const auto size = m_model->estimatedSize();
    // Before a first answer, and where it was an error, nothing is known of how many there are.
    if (!isUnknown(size) && m_model->loadedAt())
        status.rows =
            QStringLiteral("%1 %2 · %3")
                .arg(countText(size), size.value == 1 ? m_traits.one : m_traits.rows, exactnessText(size.exactness));
    status.readAt = m_model->loadedAt();
    status.stale = m_model->stale();
    return status;
}

void TablePage::sort(int column, bool descending)
{
    if (!m_model)
        return;
    if (m_model->canOrderBy(column)) {
        const auto order = m_model->headerData(column, Qt::Horizontal, models::RowsModelBase::OrderRole).toString();
        const auto done = m_model->setOrder(order, descending);
        if (!done)
            return m_banner->report(tr("sort"), done.error());
    } else {
        m_model->sortLoaded(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    m_grid->setSortMark(column, descending);
    showSummary();
}

void TablePage::markOrder()
{
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const auto order = m_model->headerData(column, Qt::Horizontal, models::RowsModelBase::OrderRole).toString();
        if (!order.isEmpty() && order == m_model->order())
            return m_grid->setSortMark(column, m_model->descending());
    }
    m_grid->setSortMark(-1, false);
}

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
    if (m_traits.operations) {
        menu.addSeparator();
        menu.setToolTipsVisible(true);
        for (const auto& operation : operations()) {
            const auto* button = m_operations->button(operation.id);
            if (button->isHidden())
                continue;
            auto* action = menu.addAction(
                m_context.theme.icon(operation.id), tr("%1…").arg(titleIn(*m_model->binding(), operation)));
            action->setEnabled(button->isEnabled());
            action->setToolTip(button->toolTip());
            connect(action, &QAction::triggered, this, [this, &operation] { plan(operation); });
        }
    }
    menu.exec(globalPosition);
}

bool TablePage::handles(std::string_view command) const
{
    return m_model && std::find(std::begin(commands), std::end(commands), command) != std::end(commands);
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
            .identity = row->identity }));
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

QVariantMap TablePage::arrangement() const
{
    return m_grid->arrangement();
}

void TablePage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

} // namespace fencepost::ui
