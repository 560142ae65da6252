// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/alert_tray.h"

#include <QApplication>
#include <QSystemTrayIcon>

#include "models/visible_text.h"
#include "ui/main_window.h"

namespace fencepost::app {

AlertTray::AlertTray(models::AlertBoard& board, ui::MainWindow& window, const ui::Theme& theme, QObject* parent)
    : QObject(parent)
    , m_board(board)
    , m_window(window)
    , m_theme(theme)
{
    connect(&board, &models::AlertBoard::happened, this, &AlertTray::tell);
    connect(&board, &models::AlertBoard::changed, this, &AlertTray::showStanding);
}

AlertTray::~AlertTray() = default;

// A tray may come and go with its desktop, so it is looked for whenever there is something to tell.
void AlertTray::tell(const models::AlertEvent& event)
{
    if (event.silent)
        return;
    const bool firing = event.change.state.firing;
    if (m_board.setup().sound && firing) {
        QApplication::beep();
        Q_EMIT sounded();
    }
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) {
        m_icon.reset();
        return m_window.tellAlert(event);
    }
    if (!m_icon) {
        m_icon = std::make_unique<QSystemTrayIcon>(QApplication::windowIcon());
        connect(m_icon.get(), &QSystemTrayIcon::messageClicked, this, &AlertTray::openTold);
        connect(m_icon.get(), &QSystemTrayIcon::activated, this, &AlertTray::openTold);
        m_icon->show();
    }
    m_told = event.change.state;
    m_icon->showMessage(firing ? tr("Fencepost: alert") : tr("Fencepost: alert ended"),
        models::visibleText(alertInWords(event.change)),
        firing ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
    showStanding();
}

void AlertTray::showStanding()
{
    if (!m_icon)
        return;
    const int over = m_board.over();
    m_icon->setIcon(over > 0 ? m_theme.icon("alerts", ui::Role::Warning) : QApplication::windowIcon());
    m_icon->setToolTip(m_board.state() == models::AlertBoard::Watch::NotWatched
            ? tr("Fencepost: alerts are not watched")
            : over > 0 ? tr("Fencepost: %n alert(s)", nullptr, over)
                       : tr("Fencepost"));
}

void AlertTray::openTold()
{
    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
    m_window.show();
    m_window.raise();
    m_window.activateWindow();
    if (m_told)
        m_window.openAlert(*m_told);
}

} // namespace fencepost::app
