// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_buttons.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

PlanButtons::PlanButtons(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_hint(new PlainLabel(this))
    , m_save(new QPushButton(theme.icon("save"), tr("Save plan…"), this))
    , m_copy(new QPushButton(theme.icon("command"), tr("Copy as command"), this))
    , m_undo(new QPushButton(theme.icon("undo"), tr("Undo…"), this))
    , m_background(new QPushButton(tr("Continue in the background"), this))
    , m_giveUp(new QPushButton(tr("Give it up"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_confirm(new QPushButton(this))
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
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    for (auto* button : { m_save, m_copy, m_undo, m_giveUp })
        line->addWidget(button);
    line->addWidget(m_hint, 1);
    for (auto* button : { m_background, m_cancel, m_confirm })
        line->addWidget(button);
    connect(m_save, &QPushButton::clicked, this, &PlanButtons::saveAsked);
    connect(m_copy, &QPushButton::clicked, this, &PlanButtons::copyAsked);
    connect(m_undo, &QPushButton::clicked, this, &PlanButtons::undoAsked);
    connect(m_background, &QPushButton::clicked, this, &PlanButtons::backgroundAsked);
    connect(m_giveUp, &QPushButton::clicked, this, &PlanButtons::giveUpAsked);
    connect(m_cancel, &QPushButton::clicked, this, &PlanButtons::cancelled);
    connect(m_confirm, &QPushButton::clicked, this, &PlanButtons::confirmed);
}

void PlanButtons::show(const State& state)
{
    const bool before = state.step == Step::Before;
    m_hint->setText(state.hint);
    m_confirm->setVisible(before);
    m_confirm->setText(state.action);
    m_confirm->setEnabled(state.canConfirm);
    m_confirm->setAccessibleDescription(state.missing);
    setKind(m_confirm, state.isDanger ? "danger" : "primary");
    m_cancel->setText(state.step == Step::Done ? tr("Close") : tr("Cancel"));
    m_cancel->setEnabled(state.step != Step::Running);
    m_save->setVisible(state.hasPlan && before);
    m_copy->setVisible(state.hasPlan && state.step != Step::Running);
    m_copy->setText(state.step == Step::Done ? tr("Copy report") : tr("Copy as command"));
    m_undo->setVisible(state.canUndo);
    m_background->setVisible(state.step == Step::Running);
    m_giveUp->setVisible(state.canGiveUp && before);
}

QString PlanButtons::hint() const
{
    return m_hint->text();
}

} // namespace fencepost::ui
