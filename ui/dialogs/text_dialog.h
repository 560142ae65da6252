// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QPlainTextEdit;

namespace fencepost::ui {

class Theme;

// A longer text to read and copy: a query, a report.
class TextDialog : public QDialog {
    Q_OBJECT
public:
    TextDialog(const Theme& theme, const QString& title, const QString& text, QWidget* parent);

    void setText(const QString& text);
    [[nodiscard]] QString text() const;

private:
    QPlainTextEdit* m_text;
};

} // namespace fencepost::ui
