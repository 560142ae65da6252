// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>
#include <QTimer>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::models {
class Drafts;
class Session;
} // namespace fencepost::models

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// "Arm for 15 minutes, because …". Closes itself once the session is armed and the arming is in the audit. What is
// typed outlives a crash, until it is used or given up.
class ArmDialog : public QDialog {
    Q_OBJECT
public:
    // Without drafts nothing is kept; they outlive the dialog.
    ArmDialog(const Theme& theme, models::Session& session, const models::Drafts* drafts, QWidget* parent);

private:
    void connectAll();
    void arm();
    void restoreDraft();
    void keepDraft();
    void dropDraft();
    void showButton();

    models::Session& m_session;
    ErrorBanner* m_banner;
    QComboBox* m_duration;
    QLineEdit* m_reason;
    QPushButton* m_arm;
    const models::Drafts* m_drafts; // null: nothing is kept, or no longer
    const QStringList m_subject;
    QTimer m_draftDue;
};

} // namespace fencepost::ui
