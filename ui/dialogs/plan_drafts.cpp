// SPDX-License-Identifier: GPL-3.0-or-later
// What is typed into the dialog of a plan: how it begins, is kept and put back.
#include <QSignalBlocker>

#include "core/operations/operation.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/reveal.h"
#include "ui/widgets/error_banner.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr std::int64_t largestEdited = 1 << 20; // octets of a payload that are edited in a window

} // namespace

const models::Drafts* PlanDialog::drafts() const
{
    return m_context.workspace ? m_context.workspace->drafts() : nullptr;
}

// Which dialog this is, also in the next run of the program.
QStringList PlanDialog::subject() const
{
    QStringList words{ m_context.connection,
        m_subject.operation ? QString::fromLatin1(m_subject.operation->id) : m_subject.requestId,
        text(m_subject.binding().name), m_subject.selection.filter };
    for (const auto& row : m_subject.selection.rows)
        for (const auto& part : row.identity)
            words += QString::fromLatin1(QByteArray::fromStdString(part).toHex());
    return words;
}

// The plan is the one that was frozen then: rows that have moved on since are skipped when it is carried out, and
// running what was begun already answers "already done".
bool PlanDialog::restoreDraft()
{
    const auto draft = drafts() ? drafts()->find(subject()) : std::nullopt;
    if (!draft)
        return false;
    {
        const QSignalBlocker quiet(m_form);
        for (const auto& [name, value] : draft->parameters)
            m_form->setParameter(name, text(value));
        m_form->setReason(draft->reason);
    }
    m_restored = tr("This is what was left here when the console ended. Cancel gives it up.");
    if (!draft->plan) {
        read();
        if (m_stage == Stage::Filling)
            m_banner->tell("information", m_restored);
        return true;
    }
    m_restored += tr(" Its plan was frozen at %1.").arg(m_context.zone.value().format(draft->plan->createdAt));
    planned(*draft->plan);
    return true;
}

void PlanDialog::watchDraft()
{
    const auto due = [this] {
        if (!m_draftDue.isActive())
            m_draftDue.start();
    };
    connect(m_form, &PlanForm::reasonChanged, this, due);
    connect(m_form, &PlanForm::parametersChanged, this, due);
}

void PlanDialog::keepDraft()
{
    m_draftDue.stop();
    if (!m_keepsDraft || !drafts())
        return;
    models::Draft draft{ .reason = withoutSecrets(m_form->reason()) };
    auto parameters = m_form->parameters();
    // What customers wrote is not left on this computer.
    if (parameters.erase(editedPayload) == 0)
        draft.plan = m_plan;
    for (const auto& [name, value] : parameters)
        draft.parameters[name] = withoutSecrets(text(value)).toStdString();
    if (const auto kept = drafts()->keep(subject(), draft); !kept)
        m_banner->report(tr("keep a draft of this dialog"), kept.error());
}

// The payload of the one row that is edited, into its field.
void PlanDialog::beginWithPresent(const QString& parameter)
{
    if (m_subject.selection.rows.size() != 1)
        return m_banner->tell("warning", tr("Choose one event: each has a payload of its own."));
    const auto binding = m_subject.binding();
    const auto identity = m_subject.selection.rows.front().identity;
    auditLook(
        *m_session, binding, identity, parameter, {}, this, [this, binding, identity, parameter](const Status& seen) {
            if (!seen)
                return m_banner->report(tr("write the look into the audit, so the payload stays hidden"), seen.error());
            m_present.start(
                m_session->reads(),
                [binding, identity](
                    Backend& backend) { return backend.inspector().details(binding, identity, largestEdited); },
                [this, parameter](const Result<std::optional<RowDetails>>& answer) { fillIn(parameter, answer); });
        });
}

void PlanDialog::fillIn(const QString& parameter, const Result<std::optional<RowDetails>>& answer)
{
    if (!answer)
        return m_banner->report(tr("read the payload"), answer.error());
    if (!*answer)
        return m_banner->tell("warning", tr("The row is not in the table any more."));
    for (const auto& payload : (**answer).payloads) {
        if (text(payload.name) != parameter)
            continue;
        if (payload.size > largestEdited || !isUtf8(payload.bytes))
            return m_banner->tell("warning",
                tr("The payload is no text of at most %1: give it as a file to fencepostctl plan edit.")
                    .arg(sizeText(largestEdited)));
        return m_form->setParameter(parameter.toStdString(), text(payload.bytes));
    }
    m_banner->tell("warning", tr("The payload of this event was not kept."));
}

void PlanDialog::dropDraft()
{
    m_draftDue.stop();
    if (std::exchange(m_keepsDraft, false) && drafts())
        drafts()->remove(subject());
}

} // namespace fencepost::ui
