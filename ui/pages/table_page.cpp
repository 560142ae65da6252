// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/table_page.h"

#include <QBoxLayout>
#include <QMenu>

#include "core/operations/plan.h"
#include "models/session.h"
#include "ui/pages/chosen_rows.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/selection_line.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto liveInterval = std::chrono::milliseconds(2000);

} // namespace

TablePage::TablePage(
    PageContext& context, Traits traits, models::PageModel* (*make)(models::StoreThread&, QObject*), QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_traits(std::move(traits))
    , m_bar(new FilterBar(context.theme, m_traits.chips, this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_selectionLine(new SelectionLine(context.theme, this))
    , m_header(new QVBoxLayout)
    , m_footer(new QVBoxLayout)
{
    build();
    connectParts();
    if (context.session) {
        m_model = make(context.session->reads(), this);
        connectModel();
        connectSession();
    } else {
        m_grid->emptyState().show(
            Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
    }
}

void TablePage::build()
{
    setPart(this, "surface");
    m_selectionLine->operations().setRows(m_traits.kind);
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
}

void TablePage::connectParts()
{
    connect(m_selectionLine, &SelectionLine::clearAsked, this, [this] { m_model->clearSelection(); });
    connect(&m_selectionLine->operations(), &OperationBar::chosen, this,
        [this](const Operation& operation) { plan(operation); });
    connect(m_bar, &FilterBar::filterApplied, this, &TablePage::applyFilter);
    connect(m_bar, &FilterBar::tableChosen, this, [this](const QString& name) { choose(name, {}); });
    connect(m_bar, &FilterBar::statementAsked, this, &TablePage::showStatement);
    connect(&m_bar->columnsMenu(), &QMenu::aboutToShow, this, [this] {
        m_bar->columnsMenu().clear();
        m_grid->fillColumnMenu(m_bar->columnsMenu());
    });
    connect(&m_bar->viewsMenu(), &QMenu::aboutToShow, this, &TablePage::fillViews);
    m_grid->setSortable(true);
    connect(m_grid, &RowGrid::sortAsked, this, &TablePage::sort);
    connect(m_grid, &RowGrid::rowChosen, this,
        [this](int row) { standOn(*m_model->binding(), m_model->rowAt(row).identity); });
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
    m_chosen = new ChosenRows(*m_model, this);
    m_model->setZone(m_context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(m_traits.rows, m_traits.good);
    connect(&m_context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(m_context.zone.value()); });
    connect(m_chosen, &ChosenRows::failed, this,
        [this](const Error& error) { m_banner->report(tr("collect the selection"), error); });
    connect(m_chosen, &ChosenRows::changed, this, [this] {
        showTarget();
        Q_EMIT selectionChanged();
    });
    connect(m_model, &models::RowsModelBase::statusChanged, this, &TablePage::showAbsence);
    connect(m_model, &models::RowsModelBase::statusChanged, this, &TablePage::showSummary);
    connect(m_model, &models::RowsModelBase::positionChanged, this, &TablePage::showSummary);
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        m_banner->clear();
        // What was sorted here stands in the table's own order again.
        if (!m_model->sortedLocally())
            markOrder();
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
}

void TablePage::connectSession()
{
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

void TablePage::standOn(const Binding& binding, const std::vector<std::string>& identity)
{
    if (!m_model)
        return;
    m_grid->standOn([model = m_model, name = binding.name, identity](int row) {
        return model->binding() && model->binding()->name == name && model->rowAt(row).identity == identity;
    });
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

Selection TablePage::selection() const
{
    return m_chosen ? m_chosen->selection(currentRow()) : Selection();
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
