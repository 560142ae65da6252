// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says about alerts, whichever page is in front.
#include "models/visible_text.h"
#include "ui/alert_place.h"
#include "ui/main_window.h"
#include "ui/pages/alerts_page.h"
#include "ui/shell/frame.h"
#include "ui/shell/status_line.h"
#include "ui/widgets/error_banner.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

void MainWindow::showAlerts()
{
    const auto* board = m_workspace.alerts();
    if (!board || board->state() == models::AlertBoard::Watch::Idle)
        return m_status->showAlerts({}, false);
    const bool lost = board->state() == models::AlertBoard::Watch::NotWatched;
    m_status->showAlerts(alertSummary(*board, m_zone.value()), lost || board->over() > 0 || board->unread() > 0);
}

void MainWindow::tellAlert(const models::AlertEvent& event)
{
    const QString words = models::visibleText(alertInWords(event.change));
    const bool firing = event.change.state.firing;
    log(firing ? tr("Alert: %1").arg(words) : tr("Alert ended: %1").arg(words));
    m_toldAlert = event.change.state;
    const int over = m_workspace.alerts() ? m_workspace.alerts()->over() : 1;
    const QString others = firing && over > 1 ? tr(" %1 are over in all.").arg(over) : QString();
    m_frame->banner().tell(firing ? "warning" : "information",
        (firing ? tr("Alert: %1.") : tr("Alert ended: %1.")).arg(words) + others, tr("Look at it"));
}

void MainWindow::openAlert(const AlertState& state)
{
    const auto* session = m_workspace.session();
    if (!session)
        return;
    const auto place = alertPlace(state.rule, state.reading, *session);
    open(place.page.toStdString(), place.binding, place.filter);
}

void MainWindow::acceptNotice()
{
    const auto told = std::exchange(m_toldAlert, std::nullopt);
    if (!told)
        return openInterrupted();
    m_frame->banner().clear();
    openAlert(*told);
}

void MainWindow::addAlert()
{
    open("alerts");
    if (Page* front = page(); front && front->handles("alert-add"))
        front->run("alert-add");
}

} // namespace fencepost::ui
