// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStatusBar>

class QLabel;
class QToolButton;

namespace fencepost::models {
struct SessionStatus;
}

namespace fencepost::ui {

class EnvironmentChip;
class Theme;
class ZoneSetting;
struct PageStatus;

// Rows shown and how exact, time zone, the database's clock against ours, what the console costs, last refresh.
class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    StatusLine(const Theme& theme, const ZoneSetting& zone, QWidget* parent);

    void show(const models::SessionStatus* session, const PageStatus& page);
    using QStatusBar::show;
    // How many rules are over, or that nobody is watching; empty: no rule is on.
    void showAlerts(const QString& words, bool warns);

Q_SIGNALS:
    void zoneRequested();
    void alertsRequested();

private:
    QLabel* field(const QString& name, const QString& tip);
    void showZone();

    const Theme& m_theme;
    const ZoneSetting& m_zone;
    EnvironmentChip* m_environment;
    QLabel* m_link;
    QLabel* m_rows;
    QLabel* m_skew;
    QLabel* m_cost;
    QLabel* m_refreshed;
    QToolButton* m_zoneButton;
    QToolButton* m_alerts;
};

} // namespace fencepost::ui
