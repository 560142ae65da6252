// SPDX-License-Identifier: GPL-3.0-or-later
#include <QEvent>

#include "ui/main_window.h"
#include "ui/shell/frame.h"
#include "ui/shell/top_bar.h"

namespace fencepost::ui {

bool MainWindow::event(QEvent* event)
{
    const bool handled = QMainWindow::event(event);
    switch (event->type()) {
    case QEvent::WindowBlocked:
    case QEvent::WindowUnblocked:
        m_blocked = event->type() == QEvent::WindowBlocked;
        [[fallthrough]];
    case QEvent::WindowStateChange:
    case QEvent::Show:
    case QEvent::Hide:
        followInFront();
        break;
    default:
        break;
    }
    return handled;
}

void MainWindow::toggleLive()
{
    m_live = !m_live;
    m_frame->top().setLive(m_live);
    followInFront();
}

// Only what somebody looks at asks the database again: neither a page behind another, nor a window that is hidden or
// waits for a dialog, which is about the rows as they were when it was opened.
void MainWindow::followInFront()
{
    const bool watched = m_live && isVisible() && !isMinimized() && !m_blocked;
    for (const auto& [id, made] : m_pages)
        made->setLive(watched && id == m_current);
    if (m_dossier)
        m_dossier->setLive(watched);
}

} // namespace fencepost::ui
