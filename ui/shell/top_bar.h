// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QMenu;
class QComboBox;
class QToolButton;

namespace fencepost::models {
struct SessionStatus;
}

namespace fencepost::ui {

class Commands;
class EnvironmentChip;
class RangeSetting;
class Theme;

// Connection with its environment, the one search box, the range of time, live or paused, read-only or armed with what
// is left.
class TopBar : public QWidget {
    Q_OBJECT
public:
    TopBar(const Theme& theme, RangeSetting& range, const Commands& commands, QWidget* parent);

    [[nodiscard]] QLineEdit& search() { return *m_search; }
    [[nodiscard]] QComboBox& range() { return *m_range; }
    [[nodiscard]] QMenu& connectionMenu() { return *m_menu; }
    // Null: no connection is open.
    void show(const models::SessionStatus* status);
    using QWidget::show;
    void setLive(bool live);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void showRange(const RangeSetting& range);
    void reserve();
    void showKeys();
    void showArming(const models::SessionStatus* status);
    QToolButton* makeButton(QAction* action);

    const Theme& m_theme;
    const Commands& m_commands;
    bool m_isLive = true;
    bool m_connected = false;
    int m_liveWidth = 0; // of the widest that the button says
    int m_armingWidth = 0;
    QToolButton* m_connection;
    QMenu* m_menu;
    EnvironmentChip* m_environment;
    QLineEdit* m_search;
    QComboBox* m_range;
    QToolButton* m_live;
    QToolButton* m_arming;
};

} // namespace fencepost::ui
