// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include <QDialog>

class QGridLayout;
class QKeySequenceEdit;
class QLabel;
class QPushButton;

namespace fencepost::ui {

class Commands;
class Theme;

// Every command with its key, made from the registry. Pressing a key's cap asks for another one.
class ShortcutSheet : public QDialog {
    Q_OBJECT
public:
    ShortcutSheet(const Theme& theme, Commands& commands, QWidget* parent);

    // Of a command whose keys can be chosen.
    [[nodiscard]] QPushButton* cap(const QString& command) const;
    [[nodiscard]] QString message() const;

private:
    QWidget* makeGroup(const QString& group);
    void showKeys();
    void ask(const QString& command);
    void choose(const QString& command, QKeySequenceEdit* field);

    const Theme& m_theme;
    Commands& m_commands;
    QLabel* m_message;
    std::map<QString, QPushButton*> m_caps;
};

} // namespace fencepost::ui
