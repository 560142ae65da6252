// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/inspector.h"

class QVBoxLayout;

namespace fencepost::ui {

class Theme;

// What whoever looks at a row of somebody else's table should know of the table: its dangers, its notes, what must not
// be done and why, and what the framework's own commands do. Hidden where there is nothing to say.
class TableNotes final : public QWidget {
    Q_OBJECT
public:
    TableNotes(const Theme& theme, QWidget* parent);

    void show(const Binding& binding);
    using QWidget::show;

private:
    void addNote(const char* icon, const char* tone, const QString& words);
    void addCommand(const Capability& capability);

    const Theme& m_theme;
    QVBoxLayout* m_layout;
    QString m_shown; // of which table, and what was said of it
};

} // namespace fencepost::ui
