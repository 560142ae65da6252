// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with files: plans, databases, snapshots.
#include <QFileInfo>

#include "core/operations/plan.h"
#include "models/deliver.h"
#include "models/files.h"
#include "models/incident_timeline.h"
#include "models/visible_text.h"
#include "ui/dialogs/import_dialog.h"
#include "ui/dialogs/snapshot_dialog.h"
#include "ui/main_window.h"
#include "ui/pages.h"
#include "ui/range_setting.h"
#include "ui/shell/frame.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/file_chooser.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

void MainWindow::choosePlan()
{
    auto* chooser = newFileChooser(this, tr("Open a plan"));
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ tr("Plans (*.json)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, this, &MainWindow::openPlan);
    chooser->open();
}

void MainWindow::openPlan(const QString& path)
{
    const auto attempt = tr("open the plan");
    if (!m_context->session || !m_context->session->status().info)
        return m_frame->banner().report(
            attempt, { Failure::Unavailable, "The database has not answered yet, so the plan cannot be checked.", {} });
    const auto bytes = models::readFile(path);
    if (!bytes)
        return m_frame->banner().report(attempt, bytes.error());
    const auto plan = parsePlan(bytes->toStdString());
    if (!plan)
        return m_frame->banner().report(attempt, plan.error());
    if (plan->database != m_context->session->status().info->identity)
        return m_frame->banner().report(attempt,
            { Failure::Invalid, "It was made for another database than the one that is open.",
                "The plan names " + plan->database + "." });
    m_frame->banner().clear();
    parts().opened(*m_context, *plan, this)->open();
}

void MainWindow::chooseFile()
{
    auto* chooser = newFileChooser(this, tr("Open a database file"));
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ tr("Databases and snapshots (*.db *.sqlite *.sqlite3)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, this, [this](const QString& path) { openFile(path); });
    chooser->open();
}

void MainWindow::openFile(const QString& path, const QString& binding, const std::vector<std::string>& identity)
{
    m_pendingLink = Link{ .binding = binding, .identity = identity };
    const auto* session = m_workspace.session();
    const auto info = session ? session->status().info : std::nullopt;
    // It is open already, with whatever was asked of it.
    if (info && info->identity == "sqlite:" + QFileInfo(path).canonicalFilePath().toStdString())
        return followPendingLink();
    if (const auto opened = m_workspace.openFile(path); !opened)
        m_frame->banner().report(tr("open the file"), opened.error());
}

void MainWindow::takeSnapshot()
{
    auto* session = m_workspace.session();
    const auto snapshots = m_workspace.snapshots();
    if (!session || !snapshots)
        return;
    const auto place = page() ? page()->place() : Place();
    auto* dialog = new SnapshotDialog(m_theme, *session, snapshots,
        { .connection = session->status().name,
            .binding = place.binding,
            .filter = place.binding.isEmpty() || !parseFilter(place.filter.toStdString()) ? QString()
                                                                                          : place.filter.trimmed(),
            .folder = folderForFiles() },
        this);
    follow(*dialog);
    connect(&m_workspace, &Workspace::sessionClosing, dialog, [dialog] { delete dialog; });
    dialog->open();
}

void MainWindow::importLogs()
{
    const auto snapshots = m_workspace.snapshots();
    if (!snapshots)
        return;
    auto* dialog = new ImportDialog(m_theme, snapshots, folderForFiles(), this);
    follow(*dialog);
    dialog->open();
}

// The dialog may end with the session that it is of.
void MainWindow::follow(const FileRunDialog& dialog)
{
    connect(&dialog, &FileRunDialog::made, this, &MainWindow::log);
    connect(
        &dialog, &FileRunDialog::openAsked, this, [this](const QString& path) { openFile(path); },
        Qt::QueuedConnection);
}

void MainWindow::exportNotebook()
{
    auto* chooser = newFileChooser(this, tr("Export the notebook as a timeline"));
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setDefaultSuffix(QStringLiteral("md"));
    chooser->setNameFilters({ tr("Markdown (*.md)"), tr("All files (*)") });
    const auto info = m_workspace.session() ? m_workspace.session()->status().info : std::nullopt;
    const auto at =
        info ? QString::fromStdString(formatInstant(info->now)).left(16).remove(QLatin1Char(':')) : QString();
    chooser->selectFile(at.isEmpty() ? QStringLiteral("notebook.md") : QStringLiteral("notebook-%1Z.md").arg(at));
    connect(chooser, &QFileDialog::fileSelected, this, &MainWindow::writeTimeline);
    chooser->open();
}

// Of the time that the pages are about.
void MainWindow::writeTimeline(const QString& path)
{
    auto* session = m_workspace.session();
    auto* notebook = m_workspace.notebook();
    if (!session || !notebook)
        return;
    const auto range = m_range->lookBack();
    models::IncidentTimeline begun{ .connection = session->status().name };
    begun.location = session->status().info ? text(session->status().info->location) : QString();
    begun.until = range.until.value_or(session->databaseNow());
    begun.from = range.from.value_or(begun.until - range.last);
    begun.notes = notebook->of(session->notedUnder(m_workspace.openId()));
    if (auto* bookmarks = m_workspace.bookmarks())
        for (const auto& bookmark : bookmarks->of(begun.connection))
            begun.pinned.push_back({ bookmark, std::nullopt });
    const auto gather = [begun](Backend& backend) -> Result<QString> {
        return markdownOf(models::gathered(backend.inspector(), begun));
    };
    models::deliver(session->reads().run(gather), this, [this, path](const Result<QString>& answer) {
        const auto written = answer ? models::replaceFile(path, answer->toUtf8()) : Status(answer.error());
        if (!written)
            return m_frame->banner().report(tr("export the notebook"), written.error());
        log(tr("The notebook was exported to %1").arg(path));
        m_frame->banner().tell("good", tr("The notebook was exported to %1.").arg(path));
    });
}

QString MainWindow::snapshotWords(const models::SnapshotStatus& snapshot) const
{
    const auto& manifest = snapshot.manifest;
    QStringList words{ tr("of %1").arg(models::visibleText(manifest.location)),
        tr("taken %1 by %2")
            .arg(m_zone.value().format(manifest.takenAt, models::Precision::Seconds),
                models::visibleText(manifest.takenBy)) };
    if (!manifest.filter.empty())
        words += tr("only %1").arg(models::visibleText(manifest.filter));
    words += !snapshot.seal        ? tr("its seal is being checked")
        : !*snapshot.seal          ? tr("its seal could not be checked")
        : (*snapshot.seal)->sealed ? tr("its seal is whole")
                                   : tr("IT WAS CHANGED since it was sealed");
    return words.join(QStringLiteral(" · "));
}

void MainWindow::sayBrokenSeal(const models::SnapshotStatus& snapshot)
{
    if (!snapshot.seal || (*snapshot.seal && (*snapshot.seal)->sealed) || m_saidBrokenSeal)
        return;
    m_saidBrokenSeal = true;
    if (!*snapshot.seal)
        return m_frame->banner().report(tr("check the seal of the snapshot"), snapshot.seal->error());
    m_frame->banner().tell("danger",
        tr("This snapshot was changed after it was sealed: %1. Do not take it for evidence; ask for another copy.")
            .arg(models::visibleText((*snapshot.seal)->reason)));
}

} // namespace fencepost::ui
