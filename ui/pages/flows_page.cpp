// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/flows_page.h"

#include <QScrollArea>
#include <QSplitter>

#include "models/session.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/drawing_tools.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/flow_diagram.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto flowsLayout = "flows";

bool hasFlows(const Binding& binding)
{
    return binding.kind != Kind::Lock;
}

} // namespace

FlowsPage::FlowsPage(PageContext& context, QWidget* parent)
    : LookBackPage(context, { "flows", hasFlows, tr("keys or messages") }, parent)
    , m_diagram(new FlowDiagram(context.theme))
    , m_drawing(new DrawingTools(*m_diagram, this))
    , m_menu(new ChartMenu(context.theme, *m_diagram, this))
    , m_grid(new RowGrid(context.theme, this))
{
    build();
    if (!context.session)
        return;
    m_model = new models::FlowsModel(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("flows"), {}, tr("Nothing moved in this time"));
    m_grid->setLayoutName(QLatin1String(flowsLayout));
    connect(&context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(this->context().zone.value()); });
    connect(m_model, &models::RowsModelBase::loaded, this, &FlowsPage::showAnswer);
    connect(m_model, &models::RowsModelBase::failed, this, [this](const Error& error) {
        m_diagram->setDimmed(true);
        failed(tr("read what moved in %1").arg(chosen()), error);
    });
}

void FlowsPage::build()
{
    m_drawing->setTitle([this] { return summary(); }, QStringLiteral("flows"));
    addTool(m_drawing);
    addTool(m_menu);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_diagram);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    setPart(m_diagram, "surface");
    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(scroll);
    split->addWidget(m_grid);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    setContent(split);
    m_grid->setSelectable(false);
    m_menu->setNumbers([this] { return csv(); },
        [this] {
            return m_model && m_model->answer() ? text(m_model->answer()->basis.cost.sql)
                                                : tr("-- nothing was counted yet");
        });
    connect(m_drawing, &DrawingTools::failed, this,
        [this](const Error& error) { banner().report(tr("save the diagram"), error); });
    connect(m_drawing, &DrawingTools::saved, this,
        [this](const QString& path) { context().navigation.log(tr("The diagram is in %1").arg(path)); });
    connect(m_diagram, &FlowDiagram::chosen, this, &FlowsPage::openRows);
    connect(m_grid, &RowGrid::rowActivated, this, [this](int row) { openRows({ m_model->rowAt(row).flow }); });
    connect(m_grid, &RowGrid::retryAsked, this, &FlowsPage::reload);
}

QString FlowsPage::csv() const
{
    QString csv = QStringLiteral("from,to,event,count,nature\n");
    for (const auto& flow : m_diagram->flows())
        csv += QStringLiteral("%1,%2,%3,%4,%5\n")
                   .arg(text(flow.from), text(flow.to), text(flow.event))
                   .arg(flow.count)
                   .arg(text(wordOf(flow.nature)));
    return csv;
}

void FlowsPage::ask(const models::BindingPtr& binding, const RangeRequest& request)
{
    m_model->ask(binding, request);
}

void FlowsPage::showAnswer()
{
    const auto& answer = m_model->answer();
    if (!answer)
        return;
    m_diagram->setDimmed(false);
    m_diagram->setFlows(m_model->binding()->native ? m_model->binding()->kind : Kind::Job, answer->flows);
    m_menu->setTitle(title());
    answered(answer->basis, title());
}

QString FlowsPage::title() const
{
    const auto& answer = m_model->answer();
    std::int64_t all = 0;
    std::int64_t wrong = 0;
    for (const auto& flow : answer->flows) {
        all += flow.count;
        if (flow.nature == FlowNature::Suspicious || flow.nature == FlowNature::Illegal)
            wrong += flow.count;
    }
    const auto& range = answer->basis.range;
    const auto length = models::durationText(range.until - range.from);
    const auto before = tr("%1 in %2").arg(numberText(m_model->before()), beforeText(range));
    if (all == 0)
        return tr("Nothing moved in %1 within %2 · %3").arg(chosen(), length, before);
    const auto moves = counted(all, tr("transition"), tr("transitions"));
    return wrong == 0 ? tr("%1 in %2 within %3, none of them suspicious · %4").arg(moves, chosen(), length, before)
                      : tr("%1 in %2 within %3; %4 of them suspicious or illegal · %5")
                            .arg(moves, chosen(), length, numberText(wrong), before);
}

void FlowsPage::openRows(const std::vector<Flow>& flows)
{
    const auto binding = m_model->binding();
    if (!binding || flows.empty() || !m_model->answer())
        return;
    const auto& range = m_model->answer()->basis.range;
    std::int64_t all = 0;
    for (const auto& flow : flows)
        all += flow.count;
    if (binding->native)
        context().navigation.log(tr("The rows of %1 are shown: each once, however often it went that way, and those "
                                    "that were deleted since are gone")
                                     .arg(counted(all, tr("transition"), tr("transitions"))));
    context().navigation.open(pageOf(binding->kind), text(binding->name),
        text(filterOf(binding->kind, binding->native, flows, range.from, range.until)));
}

void FlowsPage::saveDiagram(const QString& path)
{
    m_drawing->save(path);
}

void FlowsPage::activate()
{
    LookBackPage::activate();
    m_diagram->setFocus();
}

void FlowsPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus FlowsPage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->answer())
        return status;
    status.rows = counted(m_model->rowCount(), tr("edge"), tr("edges"));
    status.cost = m_model->answer()->basis.cost;
    status.readAt = m_model->loadedAt();
    status.stale = m_model->stale();
    return status;
}

bool FlowsPage::isLoading() const
{
    return m_model && m_model->loading();
}

bool FlowsPage::handles(std::string_view command) const
{
    return LookBackPage::handles(command) || (m_model && (command == "next-row" || command == "previous-row"));
}

void FlowsPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
    else
        LookBackPage::run(command);
}

QVariantMap FlowsPage::arrangement() const
{
    return m_grid->arrangement();
}

void FlowsPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

Page* makeFlowsPage(PageContext& context, QWidget* parent)
{
    return new FlowsPage(context, parent);
}

} // namespace fencepost::ui
