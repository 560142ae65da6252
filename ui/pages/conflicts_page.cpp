// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/conflicts_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSplitter>

#include "models/session.h"
#include "models/visible_text.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/conflict_explainer.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto conflictsLayout = "conflicts";

// Others keep none.
bool keepsConflicts(const Binding& binding)
{
    return binding.native && binding.reachable && (binding.kind == Kind::Idempotency || binding.kind == Kind::Inbox);
}

} // namespace

ConflictsPage::ConflictsPage(PageContext& context, QWidget* parent)
    : LookBackPage(context,
        { "conflicts", keepsConflicts, tr("Fencepost's own keys or inbox"),
            tr("Conflicts are never rows of other tables: another request under a used key is refused there before "
               "anything is written, so only the application's logs tell of it. A payload at hand is compared with "
               "the hash of a record on the record's own page.") },
        parent)
    , m_grid(new RowGrid(context.theme, this))
    , m_clients(new PlainTable(context.theme,
          { { tr("Client"), 0 }, { .title = tr("Keys"), .width = 64, .number = true },
              { .title = tr("Arrivals"), .width = 76, .number = true } },
          this))
    , m_explainer(new ConflictExplainer(context.theme, context.session, this))
{
    build();
    if (!context.session)
        return;
    m_model = new models::RefusedModel(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("conflicts"), {}, tr("No request was refused for another one under its key"));
    m_grid->setLayoutName(QLatin1String(conflictsLayout));
    connect(&context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(this->context().zone.value()); });
    connect(m_model, &models::RowsModelBase::loaded, this, &ConflictsPage::showAnswer);
    connect(m_model, &models::RowsModelBase::failed, this,
        [this](const Error& error) { failed(tr("read the conflicts of %1").arg(chosen()), error); });
}

void ConflictsPage::build()
{
    auto* above = new QSplitter(Qt::Horizontal, this);
    above->addWidget(m_grid);
    above->addWidget(m_clients);
    above->setStretchFactor(0, 4);
    above->setStretchFactor(1, 1);
    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(above);
    split->addWidget(m_explainer);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    for (auto* each : { above, split })
        each->setChildrenCollapsible(false);
    m_clients->setMinimumWidth(250);
    m_clients->setAccessibleName(tr("Clients that reuse keys"));
    m_clients->setEmptyText(tr("No client reused a key"));
    m_clients->setSelectionMode(QAbstractItemView::SingleSelection);
    m_clients->setSelectionBehavior(QAbstractItemView::SelectRows);
    setContent(split);
    m_grid->setSelectable(false);
    connect(m_clients, &QTableWidget::cellClicked, this, &ConflictsPage::chooseClient);
    connect(m_clients, &QTableWidget::cellActivated, this, &ConflictsPage::chooseClient);
    connect(m_grid, &RowGrid::currentRowChanged, this, &ConflictsPage::showCurrent);
    connect(m_grid, &RowGrid::rowActivated, this, &ConflictsPage::openRecord);
    connect(m_grid, &RowGrid::copyAsked, this, [this] { run("copy-key"); });
    connect(m_grid, &RowGrid::retryAsked, this, &ConflictsPage::reload);
}

void ConflictsPage::ask(const models::BindingPtr& binding, const RangeRequest& request)
{
    m_model->ask(binding, request);
}

void ConflictsPage::showAnswer()
{
    const auto& answer = m_model->answer();
    if (!answer)
        return;
    showClients();
    std::int64_t arrivals = 0;
    std::int64_t keys = 0;
    for (const auto& cluster : answer->clusters) {
        arrivals += cluster.arrivals;
        keys += cluster.keys;
    }
    auto words = arrivals == 0 ? tr("No request was refused for another one under its key")
                               : tr("%1 under %2 of %3")
                                     .arg((answer->estimated ? tr("about ") : QString())
                                             + counted(arrivals, tr("refused arrival"), tr("refused arrivals")),
                                         counted(keys, tr("key"), tr("keys")),
                                         counted(std::int64_t(answer->clusters.size()), tr("client"), tr("clients")));
    words += tr(" · %1 in %2").arg(numberText(m_model->before().value_or(0)), beforeText(answer->basis.range));
    if (arrivals > 0 && !answer->clusters.front().principal.empty())
        words += tr(" · most keys are reused by %1").arg(models::visibleText(answer->clusters.front().principal));
    if (m_model->client())
        words += tr(" · only those of %1 are shown").arg(models::visibleText(*m_model->client()));
    answered(answer->basis, words);
    showCurrent();
}

void ConflictsPage::showClients()
{
    std::vector<QStringList> lines;
    for (const auto& cluster : m_model->answer()->clusters)
        lines.push_back({ cluster.principal.empty() ? tr("not said") : models::visibleText(cluster.principal),
            numberText(cluster.keys), numberText(cluster.arrivals) });
    m_clients->setLines(lines);
}

// Once more: all of them again.
void ConflictsPage::chooseClient(int row)
{
    const auto& answer = m_model->answer();
    if (!answer || row < 0 || row >= static_cast<int>(answer->clusters.size()))
        return;
    const auto& client = answer->clusters[std::size_t(row)].principal;
    const bool again = m_model->client() == client;
    m_model->setClient(again ? std::optional<std::string>() : client);
    if (again)
        m_clients->clearSelection();
}

const RefusedArrival* ConflictsPage::current() const
{
    const int row = m_grid->view().currentRow();
    return m_model && row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

void ConflictsPage::showCurrent()
{
    const auto* arrival = current();
    m_explainer->setConflict(m_model ? m_model->binding() : nullptr, arrival ? std::optional(*arrival) : std::nullopt);
}

void ConflictsPage::openRecord(int row)
{
    const auto& id = m_model->rowAt(row).conflict.id;
    context().navigation.openDossier(*m_model->binding(), { id.scope, id.operation, id.key });
}

void ConflictsPage::activate()
{
    LookBackPage::activate();
    m_grid->setFocus();
}

void ConflictsPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus ConflictsPage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->answer())
        return status;
    status.rows = counted(m_model->rowCount(), tr("conflict"), tr("conflicts"));
    status.cost = m_model->answer()->basis.cost;
    status.readAt = m_model->loadedAt();
    status.stale = m_model->stale();
    return status;
}

bool ConflictsPage::isLoading() const
{
    return (m_model && m_model->loading()) || m_explainer->isLoading();
}

bool ConflictsPage::handles(std::string_view command) const
{
    return LookBackPage::handles(command)
        || (m_model && (command == "copy-key" || command == "next-row" || command == "previous-row"));
}

void ConflictsPage::run(std::string_view command)
{
    if (command == "next-row")
        return m_grid->view().moveCurrent(1, false);
    if (command == "previous-row")
        return m_grid->view().moveCurrent(-1, false);
    if (const auto* arrival = current(); arrival != nullptr && command == "copy-key")
        QApplication::clipboard()->setText(text(arrival->conflict.id.key));
    else
        LookBackPage::run(command);
}

QVariantMap ConflictsPage::arrangement() const
{
    return m_grid->arrangement();
}

void ConflictsPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

Page* makeConflictsPage(PageContext& context, QWidget* parent)
{
    return new ConflictsPage(context, parent);
}

} // namespace fencepost::ui
