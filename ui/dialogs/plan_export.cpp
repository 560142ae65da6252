// SPDX-License-Identifier: GPL-3.0-or-later
// How a plan leaves its dialog: as a file, and as a command for the headless program.
#include <QClipboard>
#include <QGuiApplication>

#include "models/files.h"
#include "ui/dialogs/plan_command.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/run_view.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/file_chooser.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

QString PlanDialog::command() const
{
    if (!m_plan)
        return {};
    const auto info = m_session->status().info;
    const auto* connection =
        m_context.workspace ? m_context.workspace->connections().find(m_context.workspace->openId()) : nullptr;
    return commandOf(confirmedPlan(), connection ? connection->url : info ? urlOf(*info) : QString());
}

void PlanDialog::copy()
{
    QGuiApplication::clipboard()->setText(m_stage == Stage::Done ? m_runView->reportText() : command());
}

void PlanDialog::savePlan()
{
    auto* chooser = newFileChooser(this, tr("Save plan"));
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

} // namespace fencepost::ui
