// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace fencepost::ui {

class Theme;

// A longer text to read and copy: a query, a report.
class TextDialog : public QDialog {
    Q_OBJECT
public:
    TextDialog(const Theme& theme, const QString& title, const QString& text, QWidget* parent);
};

} // namespace fencepost::ui
