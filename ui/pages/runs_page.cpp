// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs_page.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QFrame>
#include <QPushButton>

#include "core/operations/plan.h"
#include "core/operations/replay.h"
#include "models/run_watch.h"
#include "models/runs_model.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/field_list.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/pace_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/stage_bars.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto runsInterval = std::chrono::milliseconds(1000);
constexpr auto layoutName = "runs";

QString rampText(const ReplaySettings& settings)
{
    if (settings.ramp.empty())
        return RunsPage::tr("one, and nobody verifies it");
    QStringList parts;
    for (const int rows : settings.ramp)
        parts += QString::number(rows);
    return parts.join(QStringLiteral(" → ")) + RunsPage::tr(" → the rest");
}

QString rateText(const ReplaySettings& settings)
{
    return settings.rate > 0 ? RunsPage::tr("%1 rows a second").arg(settings.rate)
                             : RunsPage::tr("as fast as the database answers");
}

} // namespace

RunsPage::RunsPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_hint(new PlainLabel(this))
    , m_pace(new PaceField(this))
    , m_pause(new QPushButton(context.theme.icon("pause"), tr("Pause"), this))
    , m_resume(new QPushButton(context.theme.icon("replay"), tr("Resume…"), this))
    , m_stop(new QPushButton(context.theme.icon("stop"), tr("Stop for good"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_card(new QFrame(this))
    , m_facts(new FieldList(context.theme, m_card))
    , m_stages(new StageBars(context.theme, m_card))
{
    build();
    if (!context.session) {
        m_grid->emptyState().show(
            Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
        showCurrent();
        return;
    }
    m_model = new models::RunsModel(context.session->reads(), this);
    m_watch = new models::RunWatch(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("replays"), {}, tr("No replay was made"),
        tr("What is replayed from this console or its command line is listed here, with what became of each event."));
    m_grid->setLayoutName(QLatin1String(layoutName));
    m_refresh.setInterval(runsInterval);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (isVisible() && !m_model->loading() && !m_context.session->lost())
            m_model->reload();
    });
    connect(&context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(m_context.zone.value()); });
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        m_watch->look();
        showCurrent();
        Q_EMIT statusChanged();
    });
    connect(m_model, &models::RowsModelBase::failed, this, [this](const Error& error) {
        if (!m_context.session->lost())
            m_banner->report(tr("read the replays"), error);
    });
    connect(m_watch, &models::RunWatch::changed, this, &RunsPage::showStages);
    connect(m_watch, &models::RunWatch::failed, this, [this](const Error& error) {
        if (!m_context.session->lost())
            m_banner->report(tr("read what became of the replay's rows"), error);
    });
    connect(context.session, &models::Session::carriedOut, m_model, &models::RunsModel::reload);
    connect(context.session, &models::Session::armingChanged, this, &RunsPage::showCurrent);
    showCurrent();
}

void RunsPage::build()
{
    setPart(this, "surface");
    m_hint->setWordWrap(true);
    setTone(m_hint, "muted");
    m_pace->setAccessibleName(tr("Rows a second"));
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_hint, 1);
    line->addWidget(m_pace);
    line->addWidget(m_pause);
    line->addWidget(m_resume);
    line->addWidget(m_stop);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_banner);
    auto* hairline = new QFrame(this);
    setPart(hairline, "line");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(hairline);
    layout->addWidget(m_grid, 1);
    auto* below = new QFrame(this);
    setPart(below, "line");
    layout->addWidget(below);
    // Beside each other: a low window has no room for one below the other.
    auto* card = new QHBoxLayout(m_card);
    card->setContentsMargins(space::large, space::medium, space::large, space::medium);
    card->setSpacing(space::huge);
    card->addWidget(m_facts, 2);
    card->addWidget(m_stages, 3, Qt::AlignTop);
    layout->addWidget(m_card);
    m_grid->setSelectable(false);
    m_banner->clear();
    m_stages->hide();

    connect(m_pause, &QPushButton::clicked, this, [this] { enter(RunPhase::Paused); });
    connect(m_stop, &QPushButton::clicked, this, [this] { enter(RunPhase::Stopped); });
    connect(m_resume, &QPushButton::clicked, this, &RunsPage::resumeCurrent);
    connect(m_pace, &PaceField::paceChosen, this, &RunsPage::setRate);
    connect(m_grid, &RowGrid::currentRowChanged, this, &RunsPage::showCurrent);
    connect(m_grid, &RowGrid::copyAsked, this, [this] { run("copy-key"); });
    connect(m_grid, &RowGrid::retryAsked, this, &RunsPage::reload);
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
}

void RunsPage::activate()
{
    if (m_model)
        m_model->reload();
    m_grid->setFocus();
}

void RunsPage::reload()
{
    m_banner->clear();
    if (m_model)
        m_model->reload();
}

void RunsPage::setLive(bool live)
{
    if (live && m_model)
        m_refresh.start();
    else
        m_refresh.stop();
}

void RunsPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus RunsPage::status() const
{
    PageStatus status;
    if (!m_model || !m_model->loadedAt())
        return status;
    status.rows = counted(m_model->rowCount(), tr("replay"), tr("replays"));
    status.readAt = m_model->rowCount() > 0 ? m_model->loadedAt() : std::nullopt;
    status.stale = m_model->stale();
    return status;
}

bool RunsPage::isLoading() const
{
    return (m_model && (m_model->loading() || m_watch->loading())) || m_find.pending();
}

bool RunsPage::handles(std::string_view command) const
{
    return m_model && (command == "copy-key" || command == "next-row" || command == "previous-row");
}

void RunsPage::run(std::string_view command)
{
    if (command == "next-row")
        return m_grid->view().moveCurrent(1, false);
    if (command == "previous-row")
        return m_grid->view().moveCurrent(-1, false);
    if (const auto* run = current(); run != nullptr && command == "copy-key")
        QApplication::clipboard()->setText(text(run->requestId));
}

QVariantMap RunsPage::arrangement() const
{
    return m_grid->arrangement();
}

void RunsPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

QString RunsPage::hint() const
{
    return m_hint->text();
}

const OperationRun* RunsPage::current() const
{
    const int row = m_grid->view().currentRow();
    return m_model && row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

QString RunsPage::whyNot(const OperationRun& run) const
{
    if (run.isOver())
        return tr("It is over.");
    if (!m_context.session->armed())
        return tr("The connection is read-only: arm it to give orders.");
    // The thread for writes is at work until then.
    if (m_context.session->running())
        return tr("This window carries something out: its own panel has pause, rate and stop.");
    return {};
}

void RunsPage::showCurrent()
{
    const auto* run = current();
    m_card->setVisible(run != nullptr);
    if (m_watch != nullptr)
        m_watch->watch(run != nullptr ? run->requestId : std::string());
    const auto why = run != nullptr ? whyNot(*run) : QString();
    const bool can = run != nullptr && why.isEmpty();
    const bool alive = run != nullptr && models::isAlive(*run);
    for (auto* control : std::initializer_list<QWidget*>{ m_pause, m_resume, m_stop, m_pace }) {
        control->setEnabled(can);
        control->setToolTip(plainToolTip(why));
    }
    if (can) {
        m_pause->setEnabled(run->phase == RunPhase::Running);
        m_resume->setEnabled(run->phase == RunPhase::Paused || !alive);
    }
    if (run == nullptr) {
        m_hint->setText(tr("Replays are begun on the page Dead letters."));
        return;
    }
    m_hint->setText(!why.isEmpty() ? why
            : alive                ? tr("It is carried out elsewhere, by %1: orders reach it within a second.")
                          .arg(models::visibleText(run->actor))
                    : tr("Nobody carries it out: resume takes it up here, where it was left."));
    showFacts(*run);
}

void RunsPage::showFacts(const OperationRun& run)
{
    const auto& zone = m_context.zone.value();
    const auto settings = parseReplay(run.settings);
    std::vector<FactLine> lines{ { tr("Run"), text(run.requestId), {}, true },
        { tr("Table"), models::visibleText(run.binding) },
        { tr("Reason"), models::visibleText(run.reason), models::visibleText(run.actor) },
        { tr("Rows"),
            tr("%1 of %2 · put back %3 · skipped %4 · refused %5")
                .arg(numberText(run.changed + run.skipped + run.failed), numberText(run.total), numberText(run.changed),
                    numberText(run.skipped), numberText(run.failed)) },
        { tr("Because"), models::becauseOf(run) } };
    if (settings) {
        lines.push_back({ tr("Stages"), rampText(*settings) });
        lines.push_back({ tr("Rate"), rateText(*settings) });
        m_speed.add(run);
        if (const auto speed = m_speed.perSecond()) {
            const auto left = m_speed.timeLeft();
            lines.push_back({ tr("Goes at"), tr("%1 rows/s").arg(*speed, 0, 'f', *speed < 10 ? 1 : 0),
                left ? tr("%1 left").arg(models::durationText(*left)) : QString() });
        }
        if (settings->brake > 0)
            lines.push_back({ tr("Brake"), tr("%1 % failures").arg(settings->brake * 100) });
    }
    lines.push_back({ tr("Began"), zone.format(run.startedAt, models::Precision::Seconds),
        models::relativeText(run.startedAt, run.now) });
    if (run.finishedAt)
        lines.push_back({ tr("Ended"), zone.format(*run.finishedAt, models::Precision::Seconds),
            models::relativeText(*run.finishedAt, run.now) });
    m_facts->setLines(lines);
    // What is being typed there stays.
    if (settings && !m_pace->isAncestorOf(QApplication::focusWidget()))
        m_pace->setPace(settings->rate > 0 ? std::optional(settings->rate) : std::nullopt);
}

void RunsPage::showStages()
{
    const auto& progress = m_watch->progress();
    m_stages->setVisible(progress.has_value());
    if (progress)
        m_stages->setProgress(*progress);
}

void RunsPage::order(const QString& what, std::function<Result<bool>(RunJournal&, const std::string&)> give)
{
    const auto* run = current();
    if (run == nullptr || !whyNot(*run).isEmpty() || !m_context.session->writes())
        return;
    models::deliver(m_context.session->writes()->run(
                        [give = std::move(give), id = run->requestId](Backend& backend) -> Result<bool> {
                            const auto journal = journalOf(backend.inspector());
                            return journal ? give(**journal, id) : journal.error();
                        }),
        this, [this, what](const Result<bool>& answer) {
            if (!answer)
                m_banner->report(what, answer.error());
            else if (!*answer)
                m_banner->tell("warning", tr("The run was over already. Nothing was changed."));
            m_model->reload();
        });
}

void RunsPage::enter(RunPhase phase)
{
    const auto actor = m_context.session->actor();
    order(phase == RunPhase::Paused      ? tr("pause the run")
            : phase == RunPhase::Stopped ? tr("stop the run")
                                         : tr("let the run go on"),
        [phase, actor](RunJournal& journal, const std::string& id) {
            return journal.enter(id, phase, phase == RunPhase::Running ? std::string() : "by " + actor);
        });
}

void RunsPage::setRate(std::optional<double> rate)
{
    order(tr("change the rate"), [rate = rate.value_or(0)](RunJournal& journal, const std::string& id) {
        return fencepost::setRate(journal, id, rate);
    });
}

// Where it is carried out it goes on there; else it is taken up here.
void RunsPage::resumeCurrent()
{
    const auto* run = current();
    if (run == nullptr || !whyNot(*run).isEmpty())
        return;
    if (models::isAlive(*run))
        return enter(RunPhase::Running);
    takeUp(run->requestId);
}

void RunsPage::takeUp(const std::string& requestId)
{
    m_find.start(
        m_context.session->reads(),
        [requestId](Backend& backend) -> Result<std::optional<OperationRun>> {
            auto* journal = backend.inspector().runs();
            return journal ? journal->find(requestId) : std::optional<OperationRun>();
        },
        [this](const Result<std::optional<OperationRun>>& answer) {
            if (!answer)
                return m_banner->report(tr("read the run's plan"), answer.error());
            if (!*answer)
                return m_banner->tell("warning", tr("The run is gone from its journal."));
            const auto plan = parsePlan((**answer).plan);
            if (!plan)
                return m_banner->report(tr("read the run's plan"), plan.error());
            m_context.navigation.resume(*plan);
        });
}

Page* makeRunsPage(PageContext& context, QWidget* parent)
{
    return new RunsPage(context, parent);
}

} // namespace fencepost::ui
