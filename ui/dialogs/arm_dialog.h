// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// "Arm for 15 minutes, because …". Closes itself once the session is armed and the arming is in the audit.
class ArmDialog : public QDialog {
    Q_OBJECT
public:
    ArmDialog(const Theme& theme, models::Session& session, QWidget* parent);

private:
    void arm();
    void showButton();

    models::Session& m_session;
    ErrorBanner* m_banner;
    QComboBox* m_duration;
    QLineEdit* m_reason;
    QPushButton* m_arm;
};

} // namespace fencepost::ui
