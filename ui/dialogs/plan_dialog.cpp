// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_dialog.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>

#include "core/binding_notes.h"
#include "core/operations/operation.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/plan_review.h"
#include "ui/dialogs/run_view.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
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

// What the table's profile warns of, whatever is done there.
QLabel* makeDanger(const std::string& note, QWidget* parent)
{
    auto* danger = new PlainLabel(withStop(sentence(note)), parent);
    danger->setObjectName(QStringLiteral("danger"));
    danger->setWordWrap(true);
    setTone(danger, "danger");
    return danger;
}

} // namespace

PlanDialog::PlanDialog(PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent)
    : PlanDialog(context, { .operation = &operation, .selection = selection }, nullptr, parent)
{
}

PlanDialog::PlanDialog(PageContext& context, const QString& requestId, QWidget* parent)
    : PlanDialog(context, { .selection = {}, .requestId = requestId }, nullptr, parent)
{
}

PlanDialog::PlanDialog(PageContext& context, const Plan& frozen, Source source, QWidget* parent)
    : PlanDialog(context,
        { .operation = findOperation(frozen.verb),
            .selection = { .binding = bindingOf(*context.session, frozen) },
            .requestId = text(frozen.requestId),
            .source = source },
        &frozen, parent)
{
}

PlanDialog::PlanDialog(PageContext& context, PlanSubject subject, const Plan* frozen, QWidget* parent)
    : QDialog(parent)
    , m_context(context)
    , m_session(context.session)
    , m_subject(std::move(subject))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_form(new PlanForm(m_subject.operation, m_subject.binding().native, this, m_subject.askedFor()))
    , m_review(new PlanReview(context.theme, this))
    , m_runView(new RunView(context.theme, this))
    , m_stack(new QStackedWidget(this))
    , m_waiting(new PlainLabel(this))
    , m_terms(new PlanTerms(this))
    , m_buttons(new PlanButtons(context.theme, this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    build();
    connectParts();
    // On production nobody confirms with a reason that was already there.
    if (m_subject.operation && std::string_view(m_subject.operation->id) != "note"
        && m_context.environment != QLatin1String("production"))
        m_form->setReason(tr("%1 by %2").arg(m_subject.title(), text(m_session->actor())));
    m_draftDue.setSingleShot(true);
    m_draftDue.setInterval(draftDelay);
    connect(&m_draftDue, &QTimer::timeout, this, &PlanDialog::keepDraft);
    if (frozen)
        showFrozen(*frozen);
    else if (!restoreDraft())
        read();
    if (m_form->isEnabled())
        m_form->focusFirst();
    watchDraft();
}

void PlanDialog::build()
{
    setWindowTitle(tr("%1 on %2").arg(m_subject.title(), m_context.connection));
    // Not taller than the window below it, which fits its screen.
    constexpr QSize usual(820, 740);
    resize(
        usual.width(), parentWidget() ? std::min(usual.height(), parentWidget()->window()->height()) : usual.height());
    auto* band = new EnvironmentBand(m_context.theme, this);
    const auto info = m_session->status().info;
    band->show(m_context.environment,
        info ? tr("%1 · %2").arg(m_context.connection, text(info->location)) : m_context.connection);
    m_waiting->setAlignment(Qt::AlignCenter);
    m_waiting->setWordWrap(true);
    setTone(m_waiting, "muted");
    m_stack->addWidget(m_waiting);
    m_stack->addWidget(m_review);
    m_stack->addWidget(m_runView);
    m_terms->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(frameWidth, 0, frameWidth, frameWidth);
    layout->setSpacing(0);
    layout->addWidget(band);
    layout->addLayout(makeContent(), 1);
    m_banner->clear();
}

QLayout* PlanDialog::makeContent()
{
    auto* heading = new PlainLabel(m_subject.title(), this);
    heading->setFont(m_context.theme.font(Text::Title));
    auto* scope = new PlainLabel(m_subject.scope(), this);
    scope->setWordWrap(true);
    setTone(scope, "muted");
    auto* content = new QVBoxLayout;
    content->setContentsMargins(space::huge, space::large, space::huge, space::large);
    content->setSpacing(space::medium);
    content->addWidget(heading);
    content->addWidget(scope);
    for (const auto& note : m_subject.binding().notes)
        if (isDanger(note))
            content->addWidget(makeDanger(note, this));
    content->addWidget(m_form);
    content->addWidget(m_banner);
    content->addWidget(m_stack, 1);
    content->addWidget(m_terms);
    content->addWidget(m_buttons);
    return content;
}

void PlanDialog::connectParts()
{
    connect(m_form, &PlanForm::parametersChanged, this, &PlanDialog::read);
    connect(m_form, &PlanForm::reasonChanged, this, &PlanDialog::showButtons);
    connect(m_form, &PlanForm::typed, this, &PlanDialog::showButtons);
    connect(m_form, &PlanForm::presentAsked, this, &PlanDialog::beginWithPresent);
    connect(m_terms, &PlanTerms::changed, this, &PlanDialog::showButtons);
    connect(m_banner, &ErrorBanner::acted, this, &PlanDialog::read);
    connect(m_buttons, &PlanButtons::confirmed, this, &PlanDialog::confirm);
    connect(m_buttons, &PlanButtons::cancelled, this, &PlanDialog::reject);
    connect(m_buttons, &PlanButtons::saveAsked, this, &PlanDialog::savePlan);
    connect(m_buttons, &PlanButtons::copyAsked, this, &PlanDialog::copy);
    connect(m_buttons, &PlanButtons::undoAsked, this, &PlanDialog::undo);
    connect(m_buttons, &PlanButtons::giveUpAsked, this, &PlanDialog::giveUp);
    connect(m_buttons, &PlanButtons::backgroundAsked, this, &PlanDialog::continueBelow);
    connect(m_session.data(), &models::Session::armingChanged, this, &PlanDialog::showButtons);
    connect(m_session.data(), &models::Session::armingFailed, this,
        [this](const Error& error) { m_banner->report(tr("arm the connection"), error); });
    // Without its connection the plan can neither be read nor carried out; what was typed waits for the next one.
    connect(m_session.data(), &QObject::destroyed, this, [this] {
        keepDraft();
        m_keepsDraft = false;
        close();
    });
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
    m_restored = m_subject.source == Source::File
        ? tr("Made by %1 at %2. Rows that moved on since are skipped; what was done before answers “already done”.")
              .arg(text(frozen.actor), m_context.zone.value().format(frozen.createdAt, models::Precision::Seconds))
        : tr("This run was cut short. What it had done already answers “already done”; rows that moved on since are "
             "skipped.");
    planned(frozen);
}

// Reads the rows again and freezes them anew. What was confirmed before is forgotten.
void PlanDialog::read()
{
    if (m_subject.source || m_stage == Stage::Running || m_stage == Stage::Done)
        return;
    m_plan.reset();
    m_terms->clearCount();
    if (!m_form->whyIncomplete().isEmpty()) {
        m_load.drop(m_session->reads());
        const auto* operation = m_subject.operation;
        const auto summary = operation ? summaryIn(m_subject.binding(), *operation) + u'\n' : QString();
        m_waiting->setText(summary + tr("The plan is frozen as soon as everything marked with * is there."));
        return enter(Stage::Filling);
    }
    m_waiting->setText(tr("Reading the rows…"));
    enter(Stage::Reading);
    PlanSubject::Asked asked{ .parameters = m_form->parameters(), .actor = m_session->actor() };
    if (m_context.workspace && m_context.workspace->policy())
        asked.isFinancial = [policy = *m_context.workspace->policy()](const Row& row) {
            return policy.forRoute(row.scope.value_or(std::string()), row.operation.value_or(std::string()))
                .financial.value;
        };
    m_load.start(m_session->reads(), m_subject.making(asked), [this](const Result<Plan>& answer) { planned(answer); });
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
    m_terms->setPlan(*m_plan, m_subject.source == Source::Interrupted);
    if (goesOn())
        readRate();
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
        m_terms->hide();
        break;
    case Stage::Review:
        m_stack->setCurrentWidget(m_review);
        m_terms->setVisible(m_plan->items.size() > 1);
        break;
    case Stage::Running:
    case Stage::Done:
        m_stack->setCurrentWidget(m_runView);
        m_form->hide();
        m_terms->hide();
        break;
    }
    showButtons();
}

QString PlanDialog::actionText() const
{
    if (!m_plan)
        return m_subject.title();
    const auto count = std::int64_t(m_plan->items.size());
    return count == 0 ? tr("Nothing to change") : tr("%1 on %2").arg(m_subject.action(count), m_context.connection);
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
    return m_terms->missing();
}

void PlanDialog::showButtons()
{
    using Step = PlanButtons::Step;
    const auto step = m_stage == Stage::Running ? Step::Running : m_stage == Stage::Done ? Step::Done : Step::Before;
    const auto missing = whyNotYet();
    const bool asksToArm = m_plan && !m_plan->items.empty() && !m_session->armed() && step == Step::Before;
    const auto* operation = m_subject.operation;
    m_buttons->show({ .step = step,
        .hasPlan = m_plan.has_value(),
        .canConfirm = asksToArm || (m_plan && missing.isEmpty()),
        .isDanger = !asksToArm && !(operation && std::string_view(operation->risk) == "low"),
        .canUndo = step == Step::Done && operation && canBeUndone(*operation, m_subject.binding()) && m_run
            && m_run->report().changed > 0,
        .canGiveUp = m_subject.source == Source::Interrupted,
        .action = asksToArm ? tr("Arm %1…").arg(m_context.connection) : actionText(),
        .missing = missing,
        .hint = step != Step::Before ? QString()
            : asksToArm              ? tr("%1 is read-only.").arg(m_context.connection)
                                     : missing });
}

Plan PlanDialog::confirmedPlan() const
{
    auto plan = *m_plan;
    plan.reason = m_form->reason().toStdString();
    return plan;
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
