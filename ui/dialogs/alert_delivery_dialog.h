// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "ui/workspace.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class Theme;

// Who is told of alerts besides the window. A secret is written into the keychain and never shown again.
class AlertDeliveryDialog : public QDialog {
    Q_OBJECT
public:
    AlertDeliveryDialog(const Theme& theme, Workspace& workspace, QWidget* parent);

    [[nodiscard]] QLineEdit& webhook() const { return *m_webhook; }
    [[nodiscard]] QLineEdit& secret() const { return *m_secret; }
    [[nodiscard]] QCheckBox& sound() const { return *m_sound; }
    [[nodiscard]] QPushButton& keepButton() const { return *m_save; }
    [[nodiscard]] QString words() const;

private:
    void keep();
    void refuse(const Error& error);

    Workspace& m_workspace;
    QLineEdit* m_webhook;
    QLineEdit* m_secret;
    QCheckBox* m_forget;
    QCheckBox* m_sound;
    QLabel* m_words;
    QPushButton* m_save;
};

} // namespace fencepost::ui
