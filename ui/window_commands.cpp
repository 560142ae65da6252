// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's own commands do; which there are, and their keys, is said in commands.cpp.
#include <QAction>
#include <QApplication>
#include <QLineEdit>

#include "core/operations/operation.h"
#include "ui/commands.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/main_window.h"
#include "ui/pages.h"
#include "ui/shell/activity.h"
#include "ui/shell/frame.h"
#include "ui/shell/palette.h"
#include "ui/shell/rail.h"
#include "ui/shell/top_bar.h"
#include "ui/theme.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

const MainWindow::Handler MainWindow::handlers[] = {
    { "palette", &MainWindow::openPalette },
    { "filter", &MainWindow::focusFilter },
    { "reload", &MainWindow::reload },
    { "live", &MainWindow::toggleLive },
    { "zone", &MainWindow::toggleZone },
    { "zone-choose", &MainWindow::chooseZone },
    { "theme", &MainWindow::toggleScheme },
    { "back", &MainWindow::back },
    { "rail", &MainWindow::toggleRail },
    { "activity", &MainWindow::toggleActivity },
    { "density", &MainWindow::toggleDensity },
    { "reset-layout", &MainWindow::resetLayout },
    { "sheet", &MainWindow::showSheet },
    { "quit", &MainWindow::quit },
    { "plan-open", &MainWindow::choosePlan },
    { "alert-add", &MainWindow::addAlert },
    { "arm", &MainWindow::toggleArming },
    { "snapshot", &MainWindow::takeSnapshot },
    { "file-open", &MainWindow::chooseFile },
    { "import", &MainWindow::importLogs },
    { "notebook-export", &MainWindow::exportNotebook },
    { "connection-add", &MainWindow::addConnection },
    { "reconnect", &MainWindow::reconnect },
    { "disconnect", &MainWindow::disconnectSession },
};

void MainWindow::runCommand(const QString& id)
{
    m_palette->close();
    const std::string name = id.toStdString();
    if (id.startsWith(QLatin1String("page.")))
        return open(name.substr(5));
    if (id.startsWith(QLatin1String("operation."))) {
        if (const Operation* operation = findOperation(name.substr(10)))
            plan(*operation, selection());
        return;
    }
    for (const Handler& handler : handlers) {
        if (name == handler.id)
            return (this->*handler.run)();
    }
    if (Page* front = page(); front && front->handles(name))
        front->run(name);
}

void MainWindow::openPalette()
{
    QLineEdit& box = m_frame->top().search();
    box.setFocus(Qt::ShortcutFocusReason);
    box.selectAll();
    m_palette->open();
}

void MainWindow::focusFilter()
{
    if (QWidget* field = page() ? page()->filterField() : nullptr)
        field->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::reload()
{
    if (page())
        page()->reload();
    if (m_dossier)
        m_dossier->reload();
    if (m_workspace.session())
        m_workspace.session()->refreshInfo();
}

void MainWindow::toggleZone()
{
    const bool utc = m_zone.value() == models::Zone::utc();
    m_zone.set(utc ? models::Zone::local() : models::Zone::utc());
    Q_EMIT zoneChosen();
}

void MainWindow::chooseZone()
{
    auto* dialog = new ZoneDialog(m_theme, m_zone.value(), this);
    connect(dialog, &ZoneDialog::chosen, this, [this](const models::Zone& zone) {
        m_zone.set(zone);
        Q_EMIT zoneChosen();
    });
    dialog->open();
}

void MainWindow::toggleScheme()
{
    m_theme.setScheme(m_theme.scheme() == Scheme::Light ? Scheme::Dark : Scheme::Light);
    Q_EMIT schemeChosen();
}

// The nearest step that leads somewhere else than here.
void MainWindow::goBack()
{
    while (!m_history.empty()) {
        const Step step = m_history.back();
        m_history.pop_back();
        if (step.page == m_current && page() && page()->place() == step.place)
            continue;
        auto history = std::move(m_history);
        open(step.page.toStdString());
        m_history = std::move(history);
        if (Page* front = page(); front && front->place() != step.place)
            front->show(step.place.binding, step.place.filter);
        return;
    }
}

// From the inside out: the dossier, the activity, then the page before.
void MainWindow::back()
{
    if (m_dossier)
        closeDossier();
    else if (!m_frame->activity().isHidden())
        m_frame->activity().hide();
    else
        goBack();
}

void MainWindow::toggleRail()
{
    m_frame->rail().setCollapsed(!m_frame->rail().isCollapsed());
}

void MainWindow::toggleActivity()
{
    m_frame->activity().setVisible(m_frame->activity().isHidden());
}

void MainWindow::toggleDensity()
{
    setDense(!m_dense);
}

void MainWindow::setDense(bool dense)
{
    m_dense = dense;
    for (const auto& [id, made] : m_pages)
        made->setDense(m_dense);
}

void MainWindow::resetLayout()
{
    setDense(false);
    m_frame->resetArrangement();
    m_arrangements.clear();
    for (const auto& [id, made] : m_pages)
        made->setArrangement({});
}

void MainWindow::showSheet()
{
    (new ShortcutSheet(m_theme, *m_commands, this))->open();
}

void MainWindow::quit()
{
    close();
}

void MainWindow::markToggles()
{
    const std::pair<const char*, bool> states[] = { { "live", m_live }, { "theme", m_theme.scheme() == Scheme::Dark },
        { "density", m_dense }, { "rail", m_frame->rail().isCollapsed() },
        { "activity", !m_frame->activity().isHidden() } };
    for (const auto& [id, on] : states)
        m_commands->action(id)->setChecked(on);
}

void MainWindow::toggleArming()
{
    models::Session* session = m_workspace.session();
    if (session && session->armed())
        session->disarm();
    else
        arm();
}

void MainWindow::addConnection()
{
    open("connections");
    if (Page* front = page())
        front->run("connection-add");
}

void MainWindow::reconnect()
{
    if (m_workspace.session())
        m_workspace.session()->reads().reconnect();
}

void MainWindow::disconnectSession()
{
    m_workspace.close();
}

void MainWindow::allowCommands()
{
    const models::Session* session = m_workspace.session();
    const Page* front = page();
    const Selection chosen = selection();
    for (const Commands::Entry& entry : m_commands->entries()) {
        const std::string id = entry.id.toStdString();
        if (entry.reach == Reach::Page)
            m_commands->allow(id, front && front->handles(id), tr("The page in front has no rows for it"));
    }
    for (const Operation& operation : operations()) {
        const std::string id = std::string("operation.") + operation.id;
        if (!parts().plan || !session)
            m_commands->allow(id, false, tr("No connection is open"));
        else if (chosen.isEmpty())
            m_commands->allow(id, false, tr("Select records first"));
        else
            m_commands->allow(id, whyNot(chosen, operation).isEmpty(), whyNot(chosen, operation));
    }
    m_commands->allow("plan-open", session && parts().opened, tr("No connection is open"));
    m_commands->allow("filter", front && front->filterField(), tr("The page in front has no filter"));
    m_commands->allow("reconnect", session, tr("No connection is open"));
    m_commands->allow("disconnect", session, tr("No connection is open"));
    m_commands->allow("arm", session && session->canArm(),
        !session                    ? tr("No connection is open")
            : session->isSnapshot() ? tr("This is a snapshot: nothing is written to it")
                                    : tr("This connection is read-only and cannot be armed"));
    m_commands->allow("notebook-export", session && m_workspace.notebook(), tr("No connection is open"));
    m_commands->allow("import", m_workspace.snapshots() != nullptr, tr("This console imports no logs"));
    m_commands->allow("snapshot", session && m_workspace.snapshots(), tr("No connection is open"));
}

// The table's own reason, before a plan is made: a profile that cannot fence says why.
QString MainWindow::whyNot(const Selection& selection, const Operation& operation)
{
    for (const Capability& capability : selection.binding.capabilities) {
        if (capability.verb == operation.id)
            return capability.allowed ? QString() : text(capability.why);
    }
    return tr("This table's profile has no such action");
}

} // namespace fencepost::ui
