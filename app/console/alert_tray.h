// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include <QObject>

#include "models/alert_board.h"
#include "ui/theme.h"

class QSystemTrayIcon;

namespace fencepost::ui {
class MainWindow;
}

namespace fencepost::app {

// Shows what began and ended in the system's tray; where there is none, in the window. A click opens the rows.
class AlertTray : public QObject {
    Q_OBJECT
public:
    AlertTray(models::AlertBoard& board, ui::MainWindow& window, const ui::Theme& theme, QObject* parent = nullptr);
    ~AlertTray() override;

    // What a click on the message does.
    void openTold();

Q_SIGNALS:
    void sounded();

private:
    void tell(const models::AlertEvent& event);
    void showStanding();

    models::AlertBoard& m_board;
    ui::MainWindow& m_window;
    const ui::Theme& m_theme;
    std::unique_ptr<QSystemTrayIcon> m_icon; // null: this desktop has no tray
    std::optional<AlertState> m_told;
};

} // namespace fencepost::app
