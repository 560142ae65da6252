// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/flows_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStandardPaths>
#include <QToolButton>

#include "models/session.h"
#include "models/visible_text.h"
#include "ui/pages.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/flow_diagram.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/range_field.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto layoutName = "flows";
constexpr auto shortestRefresh = std::chrono::seconds(5);

bool hasFlows(const Binding& binding)
{
    return binding.kind != Kind::Lock;
}

} // namespace

FlowsPage::FlowsPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_tables(new QComboBox(this))
    , m_range(new RangeField(context.theme, context.range, context.zone, this))
    , m_summary(new QLabel(this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_diagram(new FlowDiagram(context.theme))
    , m_scroll(new QScrollArea(this))
    , m_menu(new ChartMenu(context.theme, *m_diagram, this))
    , m_empty(new EmptyState(context.theme, this))
    , m_split(new QSplitter(Qt::Vertical, this))
    , m_grid(new RowGrid(context.theme, this))
{
    build();
    if (!context.session) {
        m_empty->show(Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
        m_split->hide();
        return;
    }
    m_model = new models::FlowsModel(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("flows"), tr("Nothing moved in this time"));
    m_grid->setLayoutName(QLatin1String(layoutName));
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (isVisible() && !m_context.session->lost())
            ask();
    });
    connect(&context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(m_context.zone.value()); });
    connect(&context.range, &RangeSetting::changed, this, [this] {
        if (isVisible())
            ask();
    });
    connect(context.session, &models::Session::bindingsChanged, this, &FlowsPage::fillTables);
    connect(context.session, &models::Session::bindingsFailed, this, &FlowsPage::fillTables);
    connect(m_model, &models::RowsModelBase::loaded, this, &FlowsPage::showAnswer);
    connect(m_model, &models::RowsModelBase::failed, this, [this](const Error& error) {
        m_diagram->setDimmed(true);
        if (!m_context.session->lost())
            m_banner->report(tr("read what moved in %1").arg(m_binding), error);
        Q_EMIT statusChanged();
    });
    fillTables();
}

void FlowsPage::build()
{
    setPart(this, "surface");
    m_tables->setAccessibleName(tr("Table"));
    m_tables->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    setTone(m_summary, "muted");
    const auto addTool = [this](QBoxLayout& line, const char* icon, const QString& words, const QString& name) {
        auto* button = new QToolButton(this);
        if (icon != nullptr)
            button->setIcon(m_context.theme.icon(icon));
        button->setText(words);
        button->setToolTip(name);
        button->setAccessibleName(name);
        setWords(*button, icon == nullptr);
        line.addWidget(button);
        return button;
    };
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_tables);
    line->addWidget(m_range);
    line->addStretch(1);
    auto* smaller = addTool(*line, nullptr, QStringLiteral("−"), tr("Smaller (minus)"));
    auto* usual = addTool(*line, nullptr, tr("Fit"), tr("As large as there is room for (0)"));
    auto* larger = addTool(*line, nullptr, QStringLiteral("+"), tr("Larger (plus, or Ctrl and the wheel)"));
    auto* svg = addTool(*line, nullptr, tr("SVG…"), tr("Save the diagram as SVG"));
    auto* png = addTool(*line, nullptr, tr("PNG…"), tr("Save the diagram as PNG"));
    line->addWidget(m_menu);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::small);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_summary);
    head->addWidget(m_banner);
    m_scroll->setWidget(m_diagram);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    setPart(m_diagram, "surface");
    m_split->addWidget(m_scroll);
    m_split->addWidget(m_grid);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_empty, 1);
    m_grid->setSelectable(false);
    m_banner->clear();
    m_empty->hide();
    m_menu->setNumbers(
        [this] {
            QString csv = QStringLiteral("from,to,event,count,nature\n");
            for (const auto& flow : m_diagram->flows())
                csv += QStringLiteral("%1,%2,%3,%4,%5\n")
                           .arg(text(flow.from), text(flow.to), text(flow.event))
                           .arg(flow.count)
                           .arg(text(wordOf(flow.nature)));
            return csv;
        },
        [this] {
            return m_model && m_model->answer() ? text(m_model->answer()->basis.cost.sql)
                                                : tr("-- nothing was counted yet");
        });

    connect(smaller, &QToolButton::clicked, this, [this] { m_diagram->setZoom(m_diagram->zoom() / 1.2); });
    connect(larger, &QToolButton::clicked, this, [this] { m_diagram->setZoom(m_diagram->zoom() * 1.2); });
    connect(usual, &QToolButton::clicked, this, [this] { m_diagram->setZoom(1); });
    connect(svg, &QToolButton::clicked, this, [this] { askForFile(QStringLiteral("svg")); });
    connect(png, &QToolButton::clicked, this, [this] { askForFile(QStringLiteral("png")); });
    connect(m_tables, &QComboBox::activated, this, [this](int row) {
        m_binding = m_tables->itemData(row).toString();
        ask();
    });
    connect(m_diagram, &FlowDiagram::chosen, this, &FlowsPage::openRows);
    connect(m_grid, &RowGrid::rowActivated, this, [this](int row) { openRows({ m_model->rowAt(row).flow }); });
    connect(m_grid, &RowGrid::retryAsked, this, &FlowsPage::reload);
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
    connect(m_empty, &EmptyState::acted, this, [this] { m_context.navigation.open("connections"); });
}

void FlowsPage::fillTables()
{
    const QSignalBlocker blocker(m_tables);
    m_tables->clear();
    int chosen = -1;
    int first = -1;
    for (const auto& binding : m_context.session->bindings()) {
        if (!hasFlows(*binding))
            continue;
        const auto name = text(binding->name);
        m_tables->addItem(models::visibleText(binding->name), name);
        if (name == m_binding)
            chosen = m_tables->count() - 1;
        if (first < 0 && binding->kind == Kind::Idempotency)
            first = m_tables->count() - 1;
    }
    if (chosen < 0 && m_tables->count() > 0)
        chosen = std::max(first, 0);
    m_tables->setCurrentIndex(chosen);
    const auto before = m_binding;
    m_binding = m_tables->currentData().toString();
    const bool none =
        m_tables->count() == 0 && (m_context.session->bindingsRead() || m_context.session->bindingsError().has_value());
    m_split->setVisible(!none);
    m_empty->setVisible(none);
    if (none)
        m_empty->showNoTable(*m_context.session, tr("keys or messages"), tr("Connections"));
    if (isVisible() && m_binding != before)
        ask();
}

void FlowsPage::ask()
{
    if (!m_model || m_binding.isEmpty())
        return;
    const auto binding = m_context.session->binding(m_binding);
    if (binding)
        m_model->ask(binding, m_context.range.lookBack());
    Q_EMIT statusChanged();
}

void FlowsPage::showAnswer()
{
    const auto& answer = m_model->answer();
    if (!answer)
        return;
    m_banner->clear();
    m_diagram->setDimmed(false);
    m_diagram->setFlows(m_model->binding()->native ? m_model->binding()->kind : Kind::Job, answer->flows);
    m_range->setShown(answer->basis.range);
    m_menu->setTitle(title());
    m_summary->setText(title());
    if (!answer->basis.unread.empty()) {
        QStringList left;
        for (const auto& what : answer->basis.unread)
            left += text(what);
        m_banner->tell("warning", tr("Not everything is here: %1.").arg(left.join(QStringLiteral("; "))));
    }
    // At most a fiftieth of the time goes to it.
    if (m_live && !m_context.range.frozen())
        m_refresh.start(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(answer->basis.cost.time * 100),
            std::chrono::milliseconds(shortestRefresh)));
    Q_EMIT statusChanged();
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
    const auto length = models::durationText(answer->basis.range.until - answer->basis.range.from);
    if (all == 0)
        return tr("Nothing moved in %1 within %2").arg(m_binding, length);
    const auto moves = counted(all, tr("transition"), tr("transitions"));
    return wrong == 0
        ? tr("%1 in %2 within %3, none of them suspicious").arg(moves, m_binding, length)
        : tr("%1 in %2 within %3; %4 of them suspicious or illegal").arg(moves, m_binding, length, numberText(wrong));
}

QString FlowsPage::summary() const
{
    return m_summary->text();
}

void FlowsPage::openRows(const std::vector<Flow>& flows)
{
    const auto binding = m_model->binding();
    if (!binding || flows.empty() || !m_model->answer())
        return;
    m_keys.start(
        m_context.session->reads(),
        [binding, flows, range = m_model->answer()->basis.range](
            Backend& backend) { return models::flowKeys(backend.inspector(), *binding, flows, range); },
        [this, binding](const Result<FlowKeys>& answer) {
            if (!answer)
                return m_banner->report(tr("find the rows of this edge"), answer.error());
            if (answer->filter.empty())
                return m_banner->tell("warning", tr("None of these rows is there any more."));
            if (answer->more)
                m_context.navigation.log(
                    tr("The newest %1 keys of this edge are shown; there are more").arg(shownFlowKeys));
            m_context.navigation.open(pageOf(binding->kind), text(binding->name), text(answer->filter));
        });
}

void FlowsPage::askForFile(const QString& suffix)
{
    const auto folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const auto path = QFileDialog::getSaveFileName(this, tr("Save the diagram"),
        QStringLiteral("%1/flows.%2").arg(folder, suffix), tr("Diagrams (*.%1)").arg(suffix));
    if (path.isEmpty())
        return;
    saveDiagram(path.endsWith(u'.' + suffix, Qt::CaseInsensitive) ? path : path + u'.' + suffix);
}

void FlowsPage::saveDiagram(const QString& path)
{
    if (const auto saved = m_diagram->save(path, m_summary->text()); !saved)
        return m_banner->report(tr("save the diagram"), saved.error());
    m_context.navigation.log(tr("The diagram is in %1").arg(path));
}

void FlowsPage::activate()
{
    ask();
    m_diagram->setFocus();
}

void FlowsPage::reload()
{
    m_banner->clear();
    ask();
}

void FlowsPage::setLive(bool live)
{
    m_live = live;
    if (live)
        m_refresh.start(shortestRefresh);
    else
        m_refresh.stop();
}

void FlowsPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

void FlowsPage::show(const QString& binding, const QString& /*filter*/)
{
    if (binding.isEmpty() || binding == m_binding)
        return;
    m_binding = binding;
    if (m_model)
        fillTables();
    ask();
}

Place FlowsPage::place() const
{
    return { m_binding, {} };
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
    return (m_model && m_model->loading()) || m_keys.pending();
}

bool FlowsPage::handles(std::string_view command) const
{
    return m_model && (command == "next-row" || command == "previous-row");
}

void FlowsPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
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
