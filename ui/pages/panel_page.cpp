// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/panel_page.h"

#include <QBoxLayout>

#include "models/session.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/row_panel.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

// It reads more than a page of the grid does.
constexpr auto panelInterval = std::chrono::milliseconds(5000);
// Beside the names of tables.
constexpr auto foldedName = "panel:folded";
constexpr auto panelName = "panel:columns";

} // namespace

PanelPage::PanelPage(PageContext& pageContext, Traits traits,
    models::PageModel* (*make)(models::StoreThread&, QObject*), const QString& title, QWidget* parent)
    : TablePage(pageContext, std::move(traits), make, parent)
    , m_panel(new RowPanel(pageContext.theme, title, this))
{
    header().addWidget(m_panel);
    m_refresh.setInterval(panelInterval);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (m_rows && isVisible() && !m_rows->loading() && !context().session->lost())
            m_rows->refresh();
    });
}

void PanelPage::setPanelModel(models::RowsModelBase* model, const QString& rows)
{
    m_rows = model;
    m_panel->setModel(model, rows);
    m_panel->grid().setLayoutName(QLatin1String(panelName));
    model->setZone(context().zone.value());
    connect(&context().zone, &ZoneSetting::changed, model, [this] { m_rows->setZone(context().zone.value()); });
    connect(model, &models::RowsModelBase::statusChanged, this, &PanelPage::showPanel);
    connect(m_panel, &RowPanel::chosen, this, [this](int row) { show({}, filterOf(row)); });
    connect(&m_panel->grid(), &RowGrid::currentRowChanged, this, [this] { panelMoved(); });
    connect(this->model(), &models::RowsModelBase::loaded, this, &PanelPage::follow);
    connect(context().session, &models::Session::carriedOut, this, [this] { m_rows->refresh(); });
}

void PanelPage::follow()
{
    const auto shown = model()->binding();
    if (!shown || shown == m_bound)
        return;
    m_bound = shown;
    bind(shown);
}

void PanelPage::showPanel()
{
    const auto error = m_rows->error();
    // A table of another layout has nothing to tell.
    m_panel->setVisible(!error || error->failure != Failure::Unsupported);
    m_panel->setSummary(error ? tr("They could not be read: %1").arg(text(error->message)) : summaryOf());
    panelMoved();
}

void PanelPage::activate()
{
    TablePage::activate();
    if (m_rows && m_bound)
        m_rows->refresh();
}

void PanelPage::reload()
{
    TablePage::reload();
    if (m_rows && m_bound)
        m_rows->refresh();
}

void PanelPage::setLive(bool live)
{
    TablePage::setLive(live);
    if (live)
        m_refresh.start();
    else
        m_refresh.stop();
}

bool PanelPage::isLoading() const
{
    return TablePage::isLoading() || (m_rows && m_rows->loading());
}

QVariantMap PanelPage::arrangement() const
{
    auto all = TablePage::arrangement();
    const auto ofPanel = m_panel->grid().arrangement();
    all.insert(QLatin1String(panelName), ofPanel.value(QLatin1String(panelName)));
    all.insert(QLatin1String(foldedName), m_panel->isFolded());
    return all;
}

void PanelPage::setArrangement(const QVariantMap& arrangement)
{
    TablePage::setArrangement(arrangement);
    m_panel->grid().setArrangement({ { QLatin1String(panelName), arrangement.value(QLatin1String(panelName)) } });
    m_panel->setFolded(arrangement.value(QLatin1String(foldedName)).toBool());
}

} // namespace fencepost::ui
