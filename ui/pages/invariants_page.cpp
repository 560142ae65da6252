// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/invariants_page.h"

#include <algorithm>

#include <QBoxLayout>
#include <QFrame>
#include <QPushButton>
#include <QSplitter>

#include "core/operations/operation.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto invariantsLayout = "invariants";
constexpr auto brokenLayout = "broken-rows";
// What nobody asked for takes little of the database; a click may take more.
constexpr auto unaskedBudget = std::chrono::seconds(2);
constexpr auto askedBudget = std::chrono::seconds(10);

bool isShownInPart(const Violation& violation)
{
    return !violation.filter.empty() && violation.shown < violation.count;
}

} // namespace

InvariantsPage::InvariantsPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_summary(new PlainLabel(this))
    , m_scan(new QPushButton(context.theme.icon("search", Role::OnAccent), tr("Scan"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_broken(new models::BrokenRowsModel(this))
    , m_found(new QWidget(this))
    , m_card(new QFrame(m_found))
    , m_why(new PlainLabel(m_card))
    , m_advice(new PlainLabel(m_card))
    , m_open(new QPushButton(context.theme.icon("table"), tr("Open the rows"), m_card))
    , m_plan(new QPushButton(m_card))
    , m_rows(new RowGrid(context.theme, m_found))
{
    build();
    if (!context.session) {
        m_grid->emptyState().show(
            Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
        m_scan->setEnabled(false);
        return;
    }
    m_model = new models::ViolationsModel(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_broken->setZone(context.zone.value());
    connect(&context.zone, &ZoneSetting::changed, m_broken, [this] { m_broken->setZone(m_context.zone.value()); });
    m_grid->setModel(m_model);
    showNothing();
    m_grid->setLayoutName(QLatin1String(invariantsLayout));
    connect(m_model, &models::ViolationsModel::progressed, this, &InvariantsPage::showProgress);
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        showProgress();
        showCurrent();
    });
    connect(context.session, &models::Session::carriedOut, this, &InvariantsPage::reload);
    showCurrent();
}

void InvariantsPage::build()
{
    setPart(this, "surface");
    setKind(m_scan, "primary");
    setKind(m_plan, "primary");
    m_summary->setWordWrap(true);
    setTone(m_summary, "muted");
    m_summary->setText(tr("What must hold of the rows of all tables is looked for with one click."));
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_summary, 1);
    line->addWidget(m_scan);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_banner);
    m_banner->clear();
    for (auto* label : { m_why, m_advice }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    setTone(m_advice, "muted");
    auto* words = new QVBoxLayout;
    words->setSpacing(space::tiny);
    words->addWidget(m_why);
    words->addWidget(m_advice);
    auto* card = new QHBoxLayout(m_card);
    card->setContentsMargins(space::large, space::medium, space::large, space::medium);
    card->setSpacing(space::medium);
    card->addLayout(words, 1);
    card->addWidget(m_open, 0, Qt::AlignBottom);
    card->addWidget(m_plan, 0, Qt::AlignBottom);
    const auto addLine = [](QVBoxLayout& layout, QWidget* parent) {
        auto* hairline = new QFrame(parent);
        setPart(hairline, "line");
        layout.addWidget(hairline);
    };
    auto* told = new QVBoxLayout(m_found);
    told->setContentsMargins(0, 0, 0, 0);
    told->setSpacing(0);
    told->addWidget(m_card);
    addLine(*told, m_found);
    told->addWidget(m_rows, 1);
    auto* halves = new QSplitter(Qt::Vertical, this);
    halves->setObjectName(QStringLiteral("halves"));
    halves->setChildrenCollapsible(false);
    halves->addWidget(m_grid);
    halves->addWidget(m_found);
    halves->setStretchFactor(0, 1);
    halves->setStretchFactor(1, 1);
    m_found->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    addLine(*layout, this);
    layout->addWidget(halves, 1);
    m_grid->setSelectable(false);
    m_rows->setSelectable(false);
    m_rows->setModel(m_broken);
    m_rows->setWords(tr("rows"));
    m_rows->setLayoutName(QLatin1String(brokenLayout));
    connect(m_scan, &QPushButton::clicked, this, [this] {
        if (m_model->loading())
            m_model->stop();
        else
            scan(askedBudget);
    });
    connect(m_grid, &RowGrid::currentRowChanged, this, &InvariantsPage::showCurrent);
    connect(m_grid, &RowGrid::rowActivated, this, &InvariantsPage::openRows);
    connect(m_rows, &RowGrid::rowActivated, this, &InvariantsPage::openRow);
    connect(m_rows, &RowGrid::currentRowChanged, this, &InvariantsPage::showOpen);
    connect(m_grid, &RowGrid::retryAsked, this, &InvariantsPage::reload);
    connect(m_open, &QPushButton::clicked, this, &InvariantsPage::openRows);
    connect(m_plan, &QPushButton::clicked, this, &InvariantsPage::makePlan);
    connect(m_banner, &ErrorBanner::acted, this, &InvariantsPage::reload);
}

void InvariantsPage::scan(Duration budget)
{
    if (!m_model || m_context.session->lost())
        return;
    m_banner->clear();
    m_model->scan(m_context.session->bindings(), budget);
}

void InvariantsPage::showProgress()
{
    const bool scanning = m_model->loading();
    m_scan->setText(scanning ? tr("Stop") : tr("Scan"));
    m_scan->setIcon(m_context.theme.icon(scanning ? "stop" : "search", Role::OnAccent));
    if (scanning) {
        setTone(m_summary, "muted");
        m_summary->setText(m_model->scanned() < m_model->tables()
                ? tr("Scanning: %1 of %2 tables").arg(m_model->scanned()).arg(m_model->tables())
                : tr("Scanning: the audit"));
        return Q_EMIT statusChanged();
    }
    std::int64_t rows = 0;
    for (int i = 0; i < m_model->rowCount(); ++i)
        rows += m_model->rowAt(i).violation.count;
    const auto tables = counted(std::int64_t(m_model->tables()), tr("table"), tr("tables"));
    m_summary->setText(m_model->rowCount() > 0
            ? tr("%1 in %2: %3")
                  .arg(counted(m_model->rowCount(), tr("invariant is broken"), tr("invariants are broken")), tables,
                      counted(rows, tr("row"), tr("rows")))
            : m_model->isWhole() ? tr("All invariants hold in %1").arg(tables)
                                 : tr("Nothing was found in what could be read of %1").arg(tables));
    setTone(m_summary, m_model->rowCount() == 0 && m_model->isWhole() ? "good" : "muted");
    showNothing();
    if (!m_model->unread().isEmpty())
        m_banner->tell(
            "warning", tr("Not everything was scanned: %1.").arg(m_model->unread().join(QStringLiteral("; "))));
    Q_EMIT statusChanged();
}

// No finding is good news where all was read.
void InvariantsPage::showNothing()
{
    if (m_model->isWhole())
        m_grid->setWords(
            tr("findings"), tr("All invariants hold"), tr("All invariants hold"), tr("Nothing here needs you."));
    else
        m_grid->setWords(tr("findings"), {}, tr("Nothing was found in what could be read"),
            tr("What could not be read is named above."));
}

const models::FoundViolation* InvariantsPage::current() const
{
    const int row = m_grid->view().currentRow();
    return m_model && row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

void InvariantsPage::showCurrent()
{
    const auto* found = current();
    m_found->setVisible(found != nullptr);
    if (found == nullptr)
        return;
    m_broken->setRows(found->violation.rows, m_model->loadedAt().value_or(Time()));
    const auto& rule = *found->violation.invariant;
    m_why->setText(tr("%1: %2.").arg(sentence(rule.title), text(rule.why)));
    const bool isPart = isShownInPart(found->violation);
    m_advice->setText(tr("Do next: %1.").arg(text(rule.advice))
        + (isPart ? tr(" The view and the plan are about the first %1 of them.").arg(numberText(found->violation.shown))
                  : QString()));
    m_open->setText(openWords(*found));
    showOpen();
    const auto mending = mendingOfCurrent();
    const auto* operation = mending ? findOperation(mending->verb) : nullptr;
    m_plan->setVisible(operation != nullptr);
    if (operation == nullptr)
        return;
    const auto shown = found->violation.shown;
    m_plan->setText(shown == 1 ? tr("%1…").arg(tr(operation->title))
                               : tr("%1 %2 %3…").arg(tr(operation->verb), numberText(shown), tr(operation->objects)));
    m_plan->setIcon(m_context.theme.icon(operation->id, Role::OnAccent));
}

// Of several rows that are gone, it is about the one that was chosen.
void InvariantsPage::showOpen()
{
    const auto* found = current();
    if (found == nullptr)
        return;
    const bool leads = !found->binding || !found->violation.filter.empty() || !chosenTrail(*found).empty();
    m_open->setEnabled(leads);
    m_open->setToolTip(leads ? QString() : tr("Nothing tells which record it was"));
}

QString InvariantsPage::openWords(const models::FoundViolation& found) const
{
    if (!found.binding)
        return tr("Open the audit");
    if (!found.violation.invariant->viewed)
        return tr("Find what is left");
    return isShownInPart(found.violation) ? tr("Open the first %1").arg(numberText(found.violation.shown))
                                          : tr("Open the rows");
}

void InvariantsPage::openRows()
{
    const auto* found = current();
    if (found == nullptr)
        return;
    if (!found->binding)
        return m_context.navigation.open("audit");
    if (!found->violation.filter.empty())
        return m_context.navigation.open(
            pageOf(found->binding->kind), text(found->binding->name), text(found->violation.filter));
    openTrail(chosenTrail(*found));
}

void InvariantsPage::openRow(int row)
{
    const auto* found = current();
    if (found == nullptr || row < 0 || row >= m_broken->rowCount())
        return;
    const auto& broken = m_broken->rowAt(row);
    if (!found->binding)
        return m_context.navigation.open("audit");
    if (found->violation.invariant->viewed)
        return m_context.navigation.openDossier(*found->binding, broken.identity);
    openTrail(trailOf(*found->violation.invariant, broken));
}

std::string InvariantsPage::chosenTrail(const models::FoundViolation& found) const
{
    const int row = std::max(m_rows->view().currentRow(), 0);
    return row < m_broken->rowCount() ? trailOf(*found.violation.invariant, m_broken->rowAt(row)) : std::string();
}

void InvariantsPage::openTrail(const std::string& trail)
{
    if (!trail.empty())
        m_context.navigation.open("find", {}, text(trail));
}

std::optional<Mending> InvariantsPage::mendingOfCurrent() const
{
    const auto* found = current();
    if (found == nullptr || !found->binding || !m_context.session)
        return {};
    std::vector<Binding> all;
    for (const auto& binding : m_context.session->bindings())
        all.push_back(*binding);
    return mendingOf(found->violation, *found->binding, all);
}

void InvariantsPage::makePlan()
{
    const auto* found = current();
    const auto mending = mendingOfCurrent();
    if (!mending)
        return;
    if (const auto* operation = findOperation(mending->verb)) {
        Selection selection;
        selection.binding = mending->in;
        selection.all = true;
        selection.filter = text(mending->filter);
        const bool atLeast = found->violation.more && mending->rows == found->violation.count;
        selection.matching = { mending->rows, atLeast ? Exactness::AtLeast : Exactness::Exact };
        m_context.navigation.plan(*operation, selection);
    }
}

QString InvariantsPage::summary() const
{
    return m_summary->text();
}

QString InvariantsPage::advice() const
{
    return m_advice->text();
}

void InvariantsPage::activate()
{
    if (m_model && !m_model->loading() && m_model->tables() == 0)
        scan(unaskedBudget);
    m_grid->setFocus();
}

void InvariantsPage::reload()
{
    scan(askedBudget);
}

void InvariantsPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus InvariantsPage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->loadedAt())
        return status;
    status.rows = counted(m_model->rowCount(), tr("finding"), tr("findings"));
    status.cost = m_model->cost();
    status.readAt = m_model->loadedAt();
    return status;
}

bool InvariantsPage::isLoading() const
{
    return m_model && m_model->loading();
}

bool InvariantsPage::handles(std::string_view command) const
{
    return m_model && (command == "next-row" || command == "previous-row");
}

void InvariantsPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
}

QVariantMap InvariantsPage::arrangement() const
{
    return m_grid->arrangement();
}

void InvariantsPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

Page* makeInvariantsPage(PageContext& context, QWidget* parent)
{
    return new InvariantsPage(context, parent);
}

} // namespace fencepost::ui
