// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/record_dossier.h"

#include <algorithm>

#include <QBoxLayout>
#include <QEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include "core/operations/operation.h"
#include "core/protocol/record.h"
#include "models/row_columns.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/pages/dossier_facts.h"
#include "ui/pages/path_card.h"
#include "ui/theme.h"
#include "ui/widgets/drawing_tools.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/payload_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/state_label.h"
#include "ui/widgets/table_notes.h"
#include "ui/widgets/timeline.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr std::int64_t payloadLimit = 64 * 1024;
constexpr int auditLimit = 200;
constexpr int narrowest = 400;
constexpr int widestNarrow = 560; // beside it the rows still have room in a window of 1280
constexpr auto betweenLooks = std::chrono::seconds(5);

} // namespace

RecordDossier::RecordDossier(PageContext& context, QWidget* parent)
    : Dossier(parent)
    , m_context(context)
    , m_key(new ElidedLabel(context.theme, true, this))
    , m_state(new StateLabel(context.theme, this))
    , m_lease(new PlainLabel(this))
    , m_error(new PlainLabel(this))
    , m_operations(new OperationBar(context.theme, this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_tabs(new QTabWidget(this))
    , m_facts(new FieldList(context.theme, this))
    , m_about(new TableNotes(context.theme, this))
    , m_path(new PathCard(context.theme, this))
    , m_timeline(new Timeline(context.theme, {}, this))
    , m_attempts(new PlainTable(context.theme,
          { { tr("#"), 46 }, { tr("Owner"), 116, true }, { tr("Ended as"), 156, false, true }, { tr("Took"), 70 },
              { tr("Fence"), 58 }, { tr("Started"), 204 }, { tr("Because"), 240 } },
          this))
    , m_deliveries(new PlainTable(context.theme,
          { { tr("#"), 46 }, { .title = tr("Failed with"), .width = 0, .wrap = true }, { tr("When"), 178 } }, this))
    , m_related(new PlainTable(context.theme,
          { { tr("Table"), 138 }, { tr("State"), 140, false, true },
              { .title = tr("Why related"), .width = 0, .wrap = true } },
          this))
    , m_sameOwner(new QPushButton(tr("Keys of the same owner"), this))
    , m_sameHash(new QPushButton(tr("Keys with the same request hash"), this))
    , m_auditTable(new PlainTable(context.theme,
          { { tr("Verb"), 68 }, { tr("Outcome"), 96 }, { .title = tr("Reason"), .width = 0, .wrap = true } }, this))
{
    build();
    m_ticks.setInterval(1000);
    connect(&m_ticks, &QTimer::timeout, this, &RecordDossier::countDown);
    m_live.setInterval(betweenLooks);
    connect(&m_live, &QTimer::timeout, this, [this] {
        if (isVisible() && !isLoading() && !m_context.session->lost())
            reload();
    });
    connect(m_context.session, &models::Session::statusChanged, this, &RecordDossier::countDown);
    // A page that is on its way out may outlive it by one turn of the event loop.
    connect(m_context.session, &QObject::destroyed, this, [this] {
        m_ticks.stop();
        m_details.reset();
    });
    connect(&m_context.zone, &ZoneSetting::changed, this, [this] {
        if (m_details)
            showTabs();
    });
    connect(m_operations, &OperationBar::chosen, this,
        [this](const Operation& operation) { m_context.navigation.plan(operation, selection()); });
    connect(m_path, &PathCard::stepActivated, this, &RecordDossier::openStep);
    connect(&m_path->tools(), &DrawingTools::failed, this,
        [this](const Error& error) { m_banner->report(tr("save the diagram"), error); });
    connect(&m_path->tools(), &DrawingTools::saved, this,
        [this](const QString& path) { m_context.navigation.log(tr("The diagram is in %1").arg(path)); });
    connect(m_tabs, &QTabWidget::currentChanged, this, &RecordDossier::loadRelatives);
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
    if (m_context.session)
        connect(m_context.session, &models::Session::carriedOut, this, &RecordDossier::reload);
    connect(m_related, &QTableWidget::cellActivated, this, [this](int line, int) {
        const auto& relative = m_relatives[std::size_t(line)];
        if (const auto binding = m_context.session->binding(text(relative.binding)))
            m_context.navigation.openDossier(*binding, relative.row.identity);
    });
}

QWidget* RecordDossier::buildHead()
{
    auto* head = new QWidget(this);
    m_key->setFont(m_context.theme.font(Text::Mono));
    m_state->setFramed(true);
    for (auto* label : { m_lease, m_error })
        label->setWordWrap(true);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setTone(m_lease, "muted");
    setTone(m_error, "danger");
    auto* refresh = new QToolButton(head);
    auto* close = new QToolButton(head);
    refresh->setIcon(m_context.theme.icon("refresh", Role::Muted));
    close->setIcon(m_context.theme.icon("close", Role::Muted));
    refresh->setToolTip(tr("Read the record again"));
    close->setToolTip(tr("Close"));
    refresh->setAccessibleName(refresh->toolTip());
    close->setAccessibleName(tr("Close the record"));
    connect(refresh, &QToolButton::clicked, this, &RecordDossier::reload);
    connect(close, &QToolButton::clicked, this, [this] { m_context.navigation.closeDossier(); });

    auto* first = new QHBoxLayout;
    first->setSpacing(space::tiny);
    first->addWidget(m_key, 1);
    first->addWidget(refresh);
    first->addWidget(close);
    auto* second = new QHBoxLayout;
    second->setSpacing(space::medium);
    second->addWidget(m_state);
    second->addWidget(m_lease, 1);
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(space::large, space::medium, space::medium, space::small);
    column->setSpacing(space::small);
    column->addLayout(first);
    column->addLayout(second);
    column->addWidget(m_error);
    column->addWidget(m_operations);
    column->addWidget(m_banner);
    return head;
}

QWidget* RecordDossier::addScroll(QVBoxLayout& column)
{
    auto* content = new QWidget(this);
    setPart(content, "transparent");
    column.setContentsMargins(space::large, space::medium, space::large, space::large);
    column.setSpacing(space::medium);
    content->setLayout(&column);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    return scroll;
}

void RecordDossier::build()
{
    setPart(this, "surface");
    setMinimumWidth(narrowest);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setDocumentMode(true);
    m_tabs->setProperty("compact", true);
    auto* overview = new QVBoxLayout;
    overview->addWidget(m_facts);
    overview->addWidget(m_about);
    overview->addStretch(1);
    m_tabs->addTab(addScroll(*overview), tr("Overview"));
    m_facts->parentWidget()->installEventFilter(this);
    m_tabs->addTab(m_path, tr("State"));
    m_tabs->addTab(m_timeline, tr("Timeline"));
    m_payloadColumn = new QVBoxLayout;
    m_tabs->addTab(addScroll(*m_payloadColumn), tr("Payload"));
    m_attemptsPage = new QStackedWidget(this);
    m_attemptsPage->addWidget(m_attempts);
    m_attemptsPage->addWidget(m_deliveries);
    m_tabs->addTab(m_attemptsPage, tr("Attempts"));
    m_tabs->addTab(buildRelated(), tr("Related"));
    m_tabs->addTab(m_auditTable, tr("Audit"));
    m_attempts->setEmptyText(tr("The journal tells of no attempt."));
    m_deliveries->setEmptyText(tr("No attempt has failed."));
    m_related->setEmptyText(tr("No other record of this database has the same key or correlation id."));
    m_auditTable->setEmptyText(tr("No operator has changed, annotated or revealed this record."));
    m_attempts->setAccessibleName(tr("Attempts"));
    m_deliveries->setAccessibleName(tr("Failed deliveries"));
    m_related->setAccessibleName(tr("Related records"));
    m_auditTable->setAccessibleName(tr("Audit of this record"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildHead());
    layout->addWidget(m_tabs, 1);
    m_banner->clear();
    m_error->hide();
}

// In a zone with an offset an instant is longer, and beside it stands how long ago it was.
bool RecordDossier::eventFilter(QObject* watched, QEvent* event)
{
    const auto* content = static_cast<QWidget*>(watched);
    const auto type = event->type();
    const bool moves = type == QEvent::LayoutRequest || type == QEvent::Resize || type == QEvent::Show;
    // Behind another tab it has the width of when it was last seen.
    if (moves && content->isVisible()) {
        const int around = width() - content->parentWidget()->width();
        setMinimumWidth(std::clamp(content->minimumSizeHint().width() + around, narrowest, widestNarrow));
    }
    return Dossier::eventFilter(watched, event);
}

void RecordDossier::open(const Binding& binding, const std::vector<std::string>& identity)
{
    const bool same = m_binding && m_binding->name == binding.name && m_identity == identity;
    m_binding = binding;
    m_identity = identity;
    m_about->show(binding);
    m_operations->setTable(binding);
    if (!same) {
        m_details.reset();
        m_key->setText(models::visibleText(identity.back()));
        m_operations->setTarget({}, {});
    }
    reload();
}

void RecordDossier::reload()
{
    if (!m_binding || !m_context.session)
        return;
    m_load.start(
        m_context.session->reads(),
        [binding = *m_binding, identity = m_identity](Backend& backend) -> Result<Contents> {
            auto& inspector = backend.inspector();
            auto details = inspector.details(binding, identity, payloadLimit);
            if (!details)
                return details.error();
            AuditRequest request;
            request.binding = binding.name;
            request.identity = identity;
            request.limit = auditLimit;
            // A database without an audit has no entries; that is no reason to show no record.
            auto audit = inspector.audit(request);
            return Contents{ std::move(*details), audit ? std::move(*audit) : std::vector<AuditEntry>() };
        },
        [this](const Result<Contents>& answer) {
            if (answer)
                loaded(*answer);
            else
                m_banner->report(tr("read the record"), answer.error());
        });
}

void RecordDossier::setLive(bool live)
{
    if (live)
        m_live.start();
    else
        m_live.stop();
}

bool RecordDossier::hasStoryOf(const Contents& contents) const
{
    const auto same = [](const AuditEntry& left, const AuditEntry& right) { return left.hash == right.hash; };
    return m_details && contents.details->row == m_details->row
        && contents.details->journal.size() == m_details->journal.size()
        && contents.details->conflicts.size() == m_details->conflicts.size()
        && std::equal(contents.audit.begin(), contents.audit.end(), m_audit.begin(), m_audit.end(), same);
}

void RecordDossier::loaded(const Contents& contents)
{
    const bool isGone = !contents.details || contents.details->row.state == wordOf(State::Absent);
    if (isGone)
        m_banner->tell("warning", tr("This record is not in the table any more: it was reaped or deleted."));
    else
        m_banner->clear();
    if (!contents.details) {
        m_details.reset();
        m_ticks.stop();
        m_operations->setTarget({}, {});
        return;
    }
    // What was revealed or scrolled to stays where it has not changed.
    const bool samePayloads = hasPayloadsOf(contents);
    const bool sameStory = hasStoryOf(contents);
    m_details = contents.details;
    m_audit = contents.audit;
    m_sinceRead.start();
    m_ticks.start();
    if (!samePayloads)
        showPayloads();
    if (sameStory)
        return countDown();
    showHead();
    showTabs();
    m_relatives.clear();
    m_related->setLines({});
    m_sameOwner->hide();
    m_sameHash->hide();
    loadRelatives();
}

Selection RecordDossier::selection() const
{
    Selection chosen;
    if (!m_binding || !m_details || m_details->row.state == wordOf(State::Absent))
        return chosen;
    chosen.binding = *m_binding;
    chosen.rows = { m_details->row };
    return chosen;
}

bool RecordDossier::isLoading() const
{
    return m_load.pending() || m_loadRelatives.pending();
}

int RecordDossier::partCount() const
{
    return m_tabs->count();
}

QString RecordDossier::partName(int part) const
{
    return m_tabs->tabText(part);
}

void RecordDossier::showPart(int part)
{
    m_tabs->setCurrentIndex(part);
}

Time RecordDossier::databaseNow() const
{
    return m_details->now + std::chrono::milliseconds(m_sinceRead.elapsed());
}

QString RecordDossier::leaseText() const
{
    return m_lease->text();
}

void RecordDossier::showHead()
{
    const auto& row = m_details->row;
    m_key->setText(models::visibleText(row.key));
    m_state->setState(row.state, row.stuck);
    const auto error = lastError(*m_details);
    m_error->setText(visible(error));
    m_error->setVisible(!error.isEmpty());
    m_operations->setTarget(selection(), m_details->now);
    setAccessibleName(tr("Record %1").arg(m_key->text()));
    countDown();
}

void RecordDossier::countDown()
{
    if (!m_details)
        return;
    const auto now = databaseNow();
    // Nobody knows what became of it since.
    if (m_context.session->lost())
        m_lease->setText(tr("As it was %1, at %2")
                             .arg(models::relativeText(m_details->now, now),
                                 m_context.zone.value().format(m_details->now, models::Precision::Seconds)));
    else
        m_lease->setText(leaseSentence(m_details->row, now));
    showFacts();
}

void RecordDossier::showFacts()
{
    const auto& zone = m_context.zone.value();
    const auto now = m_context.session->lost() ? m_details->now : databaseNow();
    auto facts = factsOf(m_details->row, m_binding->kind, zone, now);
    if (const auto why = models::stuckSentence(m_details->row, now); !why.isEmpty())
        facts.insert(facts.begin(), { tr("Stuck because"), why, {}, false, "warning" });
    const auto ownership = ownershipFacts(models::ownershipOf(m_audit), zone, now);
    facts.insert(facts.end(), ownership.begin(), ownership.end());
    m_facts->setLines(facts);
}

void RecordDossier::showTabs()
{
    const auto& zone = m_context.zone.value();
    showFacts();
    m_timeline->setFormat([zone](Time at) { return zone.format(at, models::Precision::Milliseconds); });
    m_timeline->setMarks(marksOf(*m_details, m_audit));
    m_path->show(*m_binding, *m_details, m_audit);
    showAttempts();
    showAudit();
}

StateDiagram& RecordDossier::diagram() const
{
    return m_path->diagram();
}

// Where more is said of it.
void RecordDossier::openStep(const PathStep& step)
{
    if (step.seq) {
        m_tabs->setCurrentWidget(m_timeline);
        m_timeline->show(*step.seq);
    } else if (!step.actor.empty()) {
        m_tabs->setCurrentWidget(m_auditTable);
    } else if (step.attempt > 0) {
        m_tabs->setCurrentWidget(m_attemptsPage);
    }
}

void RecordDossier::showAttempts()
{
    std::vector<QStringList> lines;
    const auto& zone = m_context.zone.value();
    if (const auto deliveries = failedDeliveries(*m_details); deliveries && *deliveries) {
        for (const auto& delivery : **deliveries)
            lines.push_back(
                { QString::number(delivery.number), models::visibleText(delivery.code + ": " + delivery.error),
                    zone.format(delivery.at, models::Precision::Seconds) });
        m_deliveries->setLines(lines);
        return m_attemptsPage->setCurrentWidget(m_deliveries);
    }
    m_attemptsPage->setCurrentWidget(m_attempts);
    const auto attempts = attemptsOf(m_details->journal);
    for (const auto& attempt : attempts)
        lines.push_back({ QString::number(attempt.number), text(attempt.owner), text(attempt.endState),
            attempt.endedAt                    ? models::durationText(*attempt.endedAt - attempt.startedAt)
                : &attempt == &attempts.back() ? tr("no end")
                                               : tr("taken over"),
            QString::number(attempt.fence.value), zone.format(attempt.startedAt), text(attempt.reason) });
    m_attempts->setLines(lines);
}

void RecordDossier::showAudit()
{
    std::vector<QStringList> lines;
    for (const auto& entry : m_audit)
        lines.push_back({ text(entry.verb), text(entry.outcome),
            tr("%1\n%2, %3").arg(text(entry.reason), text(entry.actor), m_context.zone.value().format(entry.at)) });
    m_auditTable->setLines(lines);
}

Dossier* makeRecordDossier(PageContext& context, QWidget* parent)
{
    return new RecordDossier(context, parent);
}

} // namespace fencepost::ui
