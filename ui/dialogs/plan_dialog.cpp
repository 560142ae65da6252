// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_dialog.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>

#include "core/binding_notes.h"
#include "models/files.h"
#include "ui/dialogs/plan_command.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/plan_review.h"
#include "ui/dialogs/run_view.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/pace_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/ramp_field.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr int frameWidth = 3;
// Soon enough that a crash takes no more than the last word, seldom enough that typing never waits for the disk.
constexpr std::chrono::milliseconds draftDelay{ 250 };

Binding bindingOf(const models::Session& session, const Plan& plan)
{
    const auto binding = session.binding(text(plan.binding));
    return binding ? *binding : Binding{ .name = plan.binding };
}

std::vector<ActionParameter> askedFor(const Binding& binding, const Operation* operation)
{
    for (const auto& capability : binding.capabilities)
        if (operation && capability.verb == operation->id && !capability.native)
            return capability.parameters;
    return {};
}

} // namespace

PlanDialog::PlanDialog(PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent)
    : PlanDialog(context, { .operation = &operation, .selection = selection }, parent)
{
}

PlanDialog::PlanDialog(PageContext& context, const QString& requestId, QWidget* parent)
    : PlanDialog(context, { .selection = {}, .requestId = requestId }, parent)
{
}

PlanDialog::PlanDialog(PageContext& context, const Plan& frozen, Source source, QWidget* parent)
    : PlanDialog(context,
        { .operation = findOperation(frozen.verb),
            .selection = { .binding = bindingOf(*context.session, frozen) },
            .requestId = text(frozen.requestId),
            .frozen = frozen,
            .source = source },
        parent)
{
}

PlanDialog::PlanDialog(PageContext& context, Subject subject, QWidget* parent)
    : QDialog(parent)
    , m_context(context)
    , m_session(context.session)
    , m_operation(subject.operation)
    , m_selection(std::move(subject.selection))
    , m_requestId(std::move(subject.requestId))
    , m_source(subject.source)
    , m_banner(new ErrorBanner(context.theme, this))
    , m_form(new PlanForm(m_operation, m_selection.binding.native, this, askedFor(m_selection.binding, m_operation)))
    , m_review(new PlanReview(context.theme, this))
    , m_runView(new RunView(context.theme, this))
    , m_stack(new QStackedWidget(this))
    , m_waiting(new PlainLabel(this))
    , m_countLine(new QWidget(this))
    , m_pace(new PaceField(m_countLine))
    , m_ramp(new RampField(this))
    , m_countLabel(new PlainLabel(this))
    , m_count(new QLineEdit(this))
    , m_hint(new PlainLabel(this))
    , m_save(new QPushButton(context.theme.icon("save"), tr("Save plan…"), this))
    , m_copy(new QPushButton(context.theme.icon("command"), tr("Copy as command"), this))
    , m_undo(new QPushButton(context.theme.icon("undo"), tr("Undo…"), this))
    , m_background(new QPushButton(tr("Continue in the background"), this))
    , m_giveUp(new QPushButton(tr("Give it up"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_confirm(new QPushButton(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    build();
    connect(m_form, &PlanForm::parametersChanged, this, &PlanDialog::read);
    connect(m_form, &PlanForm::reasonChanged, this, &PlanDialog::showButtons);
    connect(m_form, &PlanForm::typed, this, &PlanDialog::showButtons);
    connect(m_form, &PlanForm::presentAsked, this, &PlanDialog::beginWithPresent);
    connect(m_count, &QLineEdit::textChanged, this, &PlanDialog::showButtons);
    connect(m_ramp, &RampField::changed, this, &PlanDialog::showButtons);
    connect(m_pace, &PaceField::paceChosen, this, [this] { m_paceChosen = true; });
    connect(m_session.data(), &models::Session::armingChanged, this, &PlanDialog::showButtons);
    connect(m_session.data(), &models::Session::armingFailed, this,
        [this](const Error& error) { m_banner->report(tr("arm the connection"), error); });
    connect(m_banner, &ErrorBanner::acted, this, &PlanDialog::read);
    connect(m_confirm, &QPushButton::clicked, this, &PlanDialog::confirm);
    connect(m_cancel, &QPushButton::clicked, this, &PlanDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &PlanDialog::savePlan);
    connect(m_giveUp, &QPushButton::clicked, this, &PlanDialog::giveUp);
    connect(m_background, &QPushButton::clicked, this, &PlanDialog::continueBelow);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_stage == Stage::Done ? m_runView->reportText() : command());
    });
    connect(m_undo, &QPushButton::clicked, this, [this] {
        m_context.navigation.undo(text(m_plan->requestId));
        accept();
    });
    // On production nobody confirms with a reason that was already there.
    if (m_operation && std::string_view(m_operation->id) != "note"
        && m_context.environment != QLatin1String("production"))
        m_form->setReason(tr("%1 by %2").arg(titleIn(m_selection.binding, *m_operation), text(m_session->actor())));
    // Without its connection the plan can neither be read nor carried out; what was typed waits for the next one.
    connect(m_session.data(), &QObject::destroyed, this, [this] {
        keepDraft();
        m_keepsDraft = false;
        close();
    });
    m_draftDue.setSingleShot(true);
    m_draftDue.setInterval(draftDelay);
    connect(&m_draftDue, &QTimer::timeout, this, &PlanDialog::keepDraft);
    if (subject.frozen)
        showFrozen(*subject.frozen);
    else if (!restoreDraft())
        read();
    if (m_form->isEnabled())
        m_form->focusFirst();
    const auto due = [this] {
        if (!m_draftDue.isActive())
            m_draftDue.start();
    };
    connect(m_form, &PlanForm::reasonChanged, this, due);
    connect(m_form, &PlanForm::parametersChanged, this, due);
}

// The rows, the reason and the parameters are those of then, and none of them is asked for again.
void PlanDialog::showFrozen(const Plan& frozen)
{
    m_keepsDraft = false;
    {
        const QSignalBlocker quiet(m_form);
        for (const auto& [name, value] : frozen.parameters)
            m_form->setParameter(name, text(value));
        m_form->setReason(text(frozen.reason));
    }
    m_form->setEnabled(false);
    m_restored = m_source == Source::File
        ? tr("Made by %1 at %2. Rows that moved on since are skipped; what was done before answers “already done”.")
              .arg(text(frozen.actor), m_context.zone.value().format(frozen.createdAt, models::Precision::Seconds))
        : tr("This run was cut short. What it had done already answers “already done”; rows that moved on since are "
             "skipped.");
    planned(frozen);
}

// A report that says so: the run is not offered again.
void PlanDialog::giveUp()
{
    RunReport report{ .requestId = m_plan->requestId, .notRun = std::int64_t(m_plan->items.size()) };
    report.stoppedBy = Error{ Failure::Cancelled, "The run was cut short and given up.", {}, {} };
    const auto plans = m_context.workspace ? m_context.workspace->plans() : nullptr;
    if (const auto kept = plans ? plans->finish(report) : Status(); !kept)
        return m_banner->report(tr("give the run up"), kept.error());
    m_context.navigation.log(tr("Given up: request %1").arg(text(m_plan->requestId)));
    accept();
}

void PlanDialog::build()
{
    const auto title = m_operation ? titleIn(m_selection.binding, *m_operation) : tr("Undo");
    setWindowTitle(tr("%1 on %2").arg(title, m_context.connection));
    // Not taller than the window below it, which fits its screen.
    constexpr QSize usual(820, 740);
    resize(
        usual.width(), parentWidget() ? std::min(usual.height(), parentWidget()->window()->height()) : usual.height());
    auto* band = new EnvironmentBand(m_context.theme, this);
    const auto info = m_session->status().info;
    band->show(m_context.environment,
        info ? tr("%1 · %2").arg(m_context.connection, text(info->location)) : m_context.connection);
    auto* heading = new PlainLabel(title, this);
    heading->setFont(m_context.theme.font(Text::Title));
    auto* scope = new PlainLabel(scopeText(), this);
    scope->setWordWrap(true);
    setTone(scope, "muted");
    m_waiting->setAlignment(Qt::AlignCenter);
    m_waiting->setWordWrap(true);
    setTone(m_waiting, "muted");
    m_stack->addWidget(m_waiting);
    m_stack->addWidget(m_review);
    m_stack->addWidget(m_runView);

    m_count->setMaximumWidth(140);
    m_countLabel->setBuddy(m_count);
    auto* count = new QHBoxLayout(m_countLine);
    count->setContentsMargins(0, 0, 0, 0);
    count->addWidget(m_pace);
    count->addStretch(1);
    count->addWidget(m_countLabel);
    count->addWidget(m_count);
    m_countLine->hide();
    m_ramp->setSettings(models::usualReplay());
    m_ramp->hide();

    auto* content = new QVBoxLayout;
    content->setContentsMargins(space::huge, space::large, space::huge, space::large);
    content->setSpacing(space::medium);
    content->addWidget(heading);
    content->addWidget(scope);
    for (const auto& note : m_selection.binding.notes)
        if (isDanger(note))
            content->addWidget(makeDanger(note));
    content->addWidget(m_form);
    content->addWidget(m_banner);
    content->addWidget(m_stack, 1);
    content->addWidget(m_ramp);
    content->addWidget(m_countLine);
    content->addLayout(buildButtons());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(frameWidth, 0, frameWidth, frameWidth);
    layout->setSpacing(0);
    layout->addWidget(band);
    layout->addLayout(content, 1);
    m_banner->clear();
}

// What the table's profile warns of, whatever is done there.
QWidget* PlanDialog::makeDanger(const std::string& note)
{
    auto* danger = new PlainLabel(withStop(sentence(note)), this);
    danger->setObjectName(QStringLiteral("danger"));
    danger->setWordWrap(true);
    setTone(danger, "danger");
    return danger;
}

QLayout* PlanDialog::buildButtons()
{
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setTone(m_hint, "muted");
    // Enter in a field, or by habit, must not start anything.
    m_cancel->setDefault(true);
    m_confirm->setAutoDefault(false);
    for (auto* button : { m_save, m_copy, m_undo, m_giveUp }) {
        button->setAutoDefault(false);
        setKind(button, "flat");
    }
    m_undo->hide();
    m_background->setAutoDefault(false);
    m_background->setToolTip(tr("Close this dialog; progress, pause and stop move below the rows"));
    setKind(m_confirm, "danger");
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_save);
    line->addWidget(m_copy);
    line->addWidget(m_undo);
    line->addWidget(m_giveUp);
    line->addWidget(m_hint, 1);
    line->addWidget(m_background);
    line->addWidget(m_cancel);
    line->addWidget(m_confirm);
    return line;
}

QString PlanDialog::scopeText() const
{
    if (m_source == Source::File)
        return tr("A plan from a file, request %1.").arg(m_requestId);
    if (m_source == Source::Interrupted)
        return tr("The run of request %1, which did not come to its end.").arg(m_requestId);
    if (!m_operation)
        return tr("Takes back what the request %1 changed.").arg(m_requestId);
    const auto table = text(m_selection.binding.name);
    if (m_selection.all)
        return tr("Everything in %1 that matches %2 (%3 when it was chosen).")
            .arg(table, m_selection.filter, countText(m_selection.matching));
    return tr("%1 of %2.")
        .arg(counted(std::int64_t(m_selection.rows.size()), tr("chosen row"), tr("chosen rows")), table);
}

// Reads the rows again and freezes them anew. What was confirmed before is forgotten.
void PlanDialog::read()
{
    if (m_source || m_stage == Stage::Running || m_stage == Stage::Done)
        return;
    m_plan.reset();
    m_count->clear();
    const auto missing = m_form->whyIncomplete();
    if (!missing.isEmpty()) {
        m_load.drop(m_session->reads());
        const auto summary = m_operation ? summaryIn(m_selection.binding, *m_operation) + u'\n' : QString();
        m_waiting->setText(summary + tr("The plan is frozen as soon as everything marked with * is there."));
        return enter(Stage::Filling);
    }
    m_waiting->setText(tr("Reading the rows…"));
    enter(Stage::Reading);
    const auto title = std::string(m_operation ? m_operation->title : "Undo");
    const auto actor = m_session->actor();
    const auto done = [this](const Result<Plan>& answer) { planned(answer); };
    auto& reads = m_session->reads();
    if (!m_operation) {
        m_load.start(
            reads,
            [id = m_requestId.toStdString(), title, actor](Backend& backend) {
                SystemRandom random;
                return makeUndo(backend.inspector(), id, title, actor, random);
            },
            done);
        return;
    }
    PlanRequest request;
    request.verb = m_operation->id;
    request.parameters = m_form->parameters();
    request.reason = title; // the operator's own replaces it when the plan is confirmed
    request.actor = actor;
    if (m_context.workspace && m_context.workspace->policy())
        request.isFinancial = [policy = *m_context.workspace->policy()](const Row& row) {
            return policy.forRoute(row.scope.value_or(std::string()), row.operation.value_or(std::string()))
                .financial.value;
        };
    if (m_selection.all)
        request.filter = m_selection.filter.toStdString();
    for (const auto& row : m_selection.rows)
        request.identities.push_back(row.identity);
    m_load.start(
        reads,
        [binding = m_selection.binding, request](Backend& backend) {
            SystemRandom random;
            return makePlan(backend.inspector(), binding, request, random);
        },
        done);
}

void PlanDialog::planned(const Result<Plan>& answer)
{
    if (!answer) {
        m_waiting->clear();
        m_banner->report(tr("make the plan"), answer.error());
        return enter(Stage::Filling);
    }
    m_banner->clear();
    if (const auto told = std::exchange(m_restored, {}); !told.isEmpty())
        m_banner->tell("information", told);
    m_plan = *answer;
    m_review->setPlan(*m_plan, m_context.zone.value());
    m_countLine->setVisible(m_plan->items.size() > 1);
    // A run that goes on keeps its own.
    m_ramp->setVisible(m_plan->items.size() > 1 && isStaged(*m_plan) && m_source != Source::Interrupted);
    m_pace->setRows(m_plan->items.size());
    if (goesOn())
        readRate();
    m_countLabel->setText(tr("Type %1 to confirm that many rows").arg(m_plan->items.size()));
    m_count->setAccessibleName(m_countLabel->text());
    enter(Stage::Review);
    m_draftDue.start();
}

void PlanDialog::enter(Stage stage)
{
    m_stage = stage;
    switch (stage) {
    case Stage::Filling:
    case Stage::Reading:
        m_stack->setCurrentWidget(m_waiting);
        m_countLine->hide();
        m_ramp->hide();
        break;
    case Stage::Review:
        m_stack->setCurrentWidget(m_review);
        break;
    case Stage::Running:
    case Stage::Done:
        m_stack->setCurrentWidget(m_runView);
        m_form->hide();
        m_countLine->hide();
        m_ramp->hide();
        break;
    }
    showButtons();
}

QString PlanDialog::actionText() const
{
    if (!m_plan)
        return m_operation ? titleIn(m_selection.binding, *m_operation) : tr("Undo");
    const auto count = std::int64_t(m_plan->items.size());
    if (count == 0)
        return tr("Nothing to change");
    const auto action = m_operation ? countedTitleIn(m_selection.binding, *m_operation, count)
                                    : tr("Undo %1").arg(counted(count, tr("change"), tr("changes")));
    return tr("%1 on %2").arg(action, m_context.connection);
}

// What still keeps the plan from being carried out; empty: nothing.
QString PlanDialog::whyNotYet() const
{
    if (!m_plan && m_stage == Stage::Reading)
        return {};
    if (const auto missing = m_plan ? QString() : m_form->whyIncomplete(); !missing.isEmpty())
        return missing;
    if (!m_plan && !m_form->isBeingTyped())
        return {};
    if (!m_plan)
        return tr("The plan is made when you pause.");
    if (m_form->isBeingTyped())
        return tr("The plan is made anew when you pause.");
    if (m_plan->items.empty())
        return tr("The operation applies to none of the rows.");
    if (m_form->reason().isEmpty())
        return tr("The reason is missing.");
    if (const auto chosen = replaySettings(); !chosen)
        return text(chosen.error().message);
    if (m_plan->items.size() > 1 && m_count->text().trimmed() != QString::number(m_plan->items.size()))
        return tr("The count is missing.");
    return {};
}

Result<ReplaySettings> PlanDialog::replaySettings() const
{
    return m_ramp->settings(models::usualReplay());
}

void PlanDialog::showButtons()
{
    const bool over = m_stage == Stage::Running || m_stage == Stage::Done;
    const auto missing = whyNotYet();
    const bool armed = m_session->armed();
    const bool asksToArm = m_plan && !m_plan->items.empty() && !armed && !over;
    m_hint->setText(over ? QString() : asksToArm ? tr("%1 is read-only.").arg(m_context.connection) : missing);
    m_confirm->setVisible(!over);
    m_confirm->setText(asksToArm ? tr("Arm %1…").arg(m_context.connection) : actionText());
    m_confirm->setEnabled(asksToArm || (m_plan && missing.isEmpty()));
    m_confirm->setAccessibleDescription(missing);
    setKind(
        m_confirm, asksToArm || (m_operation && std::string_view(m_operation->risk) == "low") ? "primary" : "danger");
    m_cancel->setText(m_stage == Stage::Done ? tr("Close") : tr("Cancel"));
    m_cancel->setEnabled(m_stage != Stage::Running);
    m_save->setVisible(m_plan.has_value() && !over);
    m_copy->setVisible(m_plan.has_value() && m_stage != Stage::Running);
    m_copy->setText(m_stage == Stage::Done ? tr("Copy report") : tr("Copy as command"));
    m_undo->setVisible(m_stage == Stage::Done && m_operation && canBeUndone(*m_operation, m_selection.binding) && m_run
        && m_run->report().changed > 0);
    m_background->setVisible(m_stage == Stage::Running);
    m_giveUp->setVisible(m_source == Source::Interrupted && !over);
}

QString PlanDialog::hint() const
{
    return m_hint->text();
}

Plan PlanDialog::confirmedPlan() const
{
    auto plan = *m_plan;
    plan.reason = m_form->reason().toStdString();
    return plan;
}

void PlanDialog::confirm()
{
    if (!m_session->armed())
        return m_context.navigation.arm();
    if (m_stage == Stage::Review && whyNotYet().isEmpty())
        run();
}

bool PlanDialog::goesOn() const
{
    return m_source == Source::Interrupted && isStaged(*m_plan);
}

// Whoever goes on with a run goes on as carefully as it was begun.
void PlanDialog::readRate()
{
    m_rate.start(
        m_session->reads(),
        [id = m_plan->requestId](Backend& backend) -> Result<std::optional<double>> {
            auto* journal = backend.inspector().runs();
            const auto run = journal ? journal->standing(id) : Result<std::optional<RunStanding>>(std::nullopt);
            if (!run || !*run)
                return run ? Result<std::optional<double>>(std::nullopt) : run.error();
            const auto settings = parseReplay((**run).settings);
            return settings ? Result<std::optional<double>>(settings->rate) : settings.error();
        },
        [this](const Result<std::optional<double>>& rate) {
            if (rate && *rate && !m_paceChosen)
                m_pace->setPace(**rate > 0 ? *rate : std::nullopt);
        });
}

void PlanDialog::run()
{
    m_plan = confirmedPlan();
    keepNotes();
    const auto replay = m_source == Source::Interrupted ? std::nullopt : std::optional(*replaySettings());
    auto pace = m_pace->pace();
    if (goesOn())
        pace = m_paceChosen ? std::optional(pace.value_or(0)) : std::nullopt;
    const auto started =
        m_session->carryOut(*m_plan, m_context.workspace ? m_context.workspace->plans() : nullptr, this, pace, replay);
    if (!started)
        return m_banner->report(tr("keep the plan, so nothing was begun"), started.error());
    // From here on the folder of plans knows it.
    dropDraft();
    m_run = *started;
    connect(m_run, &models::Run::finished, this, &PlanDialog::finish);
    connect(m_run, &models::Run::keepingFailed, this,
        [this](const Error& error) { m_banner->report(tr("keep the report"), error); });
    m_runView->follow(*m_run);
    enter(Stage::Running);
}

// A note is in the notebook before anything else can go wrong with it.
void PlanDialog::keepNotes()
{
    auto* notebook = m_context.workspace ? m_context.workspace->notebook() : nullptr;
    if (!notebook || m_plan->verb != "note")
        return;
    // A run that could not begin is tried again, with the notes that are kept already.
    if (m_keptReason != m_plan->reason) {
        m_keptReason = m_plan->reason;
        m_keptNotes = 0;
    }
    for (; m_keptNotes < m_plan->items.size(); ++m_keptNotes) {
        const auto& item = m_plan->items[m_keptNotes];
        QStringList identity;
        for (const auto& part : item.identity)
            identity += text(part);
        const auto kept = notebook->add({ .actor = text(m_plan->actor),
            .connection = m_context.workspace->openId(),
            .binding = text(m_plan->binding),
            .identity = identity,
            .key = text(item.key),
            .text = text(m_plan->reason) });
        if (!kept)
            return m_banner->report(tr("write the note into the notebook"), kept.error());
    }
}

// The run goes on without the dialog; whoever shows it owns it.
void PlanDialog::continueBelow()
{
    if (m_stage != Stage::Running)
        return;
    disconnect(m_run, nullptr, this, nullptr);
    m_run->setParent(m_runView);
    connect(m_run, &models::Run::finished, m_runView,
        [&navigation = m_context.navigation, action = actionText()](const RunReport& report) {
            navigation.log(tr("%1 · %2 · request %3").arg(action, summaryOf(report), text(report.requestId)));
        });
    m_runView->standAlone(actionText());
    m_context.navigation.showRun(m_runView);
    accept();
}

void PlanDialog::finish(const RunReport& report)
{
    m_context.navigation.log(tr("%1 · %2 · request %3").arg(actionText(), summaryOf(report), text(report.requestId)));
    enter(Stage::Done);
    m_cancel->setFocus();
    Q_EMIT changed(text(m_plan->binding));
}

QString PlanDialog::command() const
{
    if (!m_plan)
        return {};
    const auto info = m_session->status().info;
    const auto* connection =
        m_context.workspace ? m_context.workspace->connections().find(m_context.workspace->openId()) : nullptr;
    return commandOf(confirmedPlan(), connection ? connection->url : info ? urlOf(*info) : QString());
}

void PlanDialog::savePlan()
{
    auto* chooser = new QFileDialog(this, tr("Save plan"));
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setDefaultSuffix(QStringLiteral("json"));
    chooser->selectFile(QStringLiteral("%1-%2.json").arg(text(m_plan->verb), text(m_plan->requestId).left(8)));
    connect(chooser, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const auto written = models::replaceFile(path, QByteArray::fromStdString(formatPlan(confirmedPlan())));
        if (written)
            m_banner->tell("good", tr("The plan is saved as %1").arg(path));
        else
            m_banner->report(tr("save the plan"), written.error());
    });
    chooser->open();
}

void PlanDialog::reject()
{
    if (m_stage == Stage::Running)
        return;
    dropDraft();
    QDialog::reject();
}

void PlanDialog::keyPressEvent(QKeyEvent* event)
{
    // Enter belongs to the button that has the focus; elsewhere it is a habit, and here it does nothing.
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (auto* button = qobject_cast<QPushButton*>(focusWidget()))
            button->click();
        return;
    }
    QDialog::keyPressEvent(event);
}

void PlanDialog::paintEvent(QPaintEvent* event)
{
    QDialog::paintEvent(event);
    QPainter painter(this);
    const auto look = environmentLook(m_context.environment.toStdString());
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_context.theme.color(look.role));
    painter.drawRect(0, 0, frameWidth, height());
    painter.drawRect(width() - frameWidth, 0, frameWidth, height());
    painter.drawRect(0, height() - frameWidth, width(), frameWidth);
}

QDialog* makePlanDialog(PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent)
{
    return new PlanDialog(context, operation, selection, parent);
}

QDialog* makeResumeDialog(PageContext& context, const Plan& interrupted, QWidget* parent)
{
    return new PlanDialog(context, interrupted, PlanDialog::Source::Interrupted, parent);
}

QDialog* makeOpenedDialog(PageContext& context, const Plan& plan, QWidget* parent)
{
    return new PlanDialog(context, plan, PlanDialog::Source::File, parent);
}

QDialog* makeUndoDialog(PageContext& context, const QString& requestId, QWidget* parent)
{
    return new PlanDialog(context, requestId, parent);
}

} // namespace fencepost::ui
