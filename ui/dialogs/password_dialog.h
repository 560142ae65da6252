// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "ui/workspace.h"

namespace fencepost::ui {

class Theme;

// Asks for the password of a connection and says where it will be kept.
class PasswordDialog : public QDialog {
    Q_OBJECT
public:
    PasswordDialog(const Theme& theme, const models::Connection& connection, const QString& why, Keychain keychain,
        QWidget* parent);

Q_SIGNALS:
    void given(const QString& password, bool keep);
};

} // namespace fencepost::ui
