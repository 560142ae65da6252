// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace fencepost::ui {

class Commands;
class Theme;

// Every command with its key, made from the registry.
class ShortcutSheet : public QDialog {
    Q_OBJECT
public:
    ShortcutSheet(const Theme& theme, const Commands& commands, QWidget* parent);
};

} // namespace fencepost::ui
