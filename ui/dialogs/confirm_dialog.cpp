// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/confirm_dialog.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/wrapped.h"

namespace fencepost::ui {

namespace {

constexpr int confirmWidth = 480;

}

ConfirmDialog::ConfirmDialog(const Theme& theme, const Question& question, QWidget* parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(question.title);
    auto* title = new PlainLabel(question.title, this);
    title->setFont(theme.font(Text::Title));
    auto* explanation = new PlainLabel(question.explanation, this);
    setTone(explanation, "muted");
    wrapWithin(*explanation, confirmWidth - 2 * space::huge);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* act = new QPushButton(question.button, this);
    act->setObjectName(QStringLiteral("confirm"));
    act->setAutoDefault(false);
    setKind(act, "danger");
    cancel->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(act);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(space::huge, space::large, space::huge, space::large);
    body->setSpacing(space::medium);
    body->addWidget(title);
    body->addWidget(explanation);
    body->addSpacing(space::small);
    body->addLayout(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    if (!question.environment.isEmpty()) {
        auto* band = new EnvironmentBand(theme, this);
        band->show(question.environment, question.place);
        layout->addWidget(band);
    }
    layout->addLayout(body);
    setFixedWidth(confirmWidth);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(act, &QPushButton::clicked, this, &QDialog::accept);
    cancel->setFocus();
}

} // namespace fencepost::ui
