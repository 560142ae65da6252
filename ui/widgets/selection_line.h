// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace fencepost::ui {

class OperationBar;
class Theme;

// Above a grid: the operations for what is chosen in it, how much that is, and a way to let go of it.
class SelectionLine final : public QWidget {
    Q_OBJECT
public:
    explicit SelectionLine(const Theme& theme, QWidget* parent = nullptr);

    // Empty: nothing is selected.
    void setWords(const QString& words);
    [[nodiscard]] OperationBar& operations() const { return *m_operations; }

Q_SIGNALS:
    void clearAsked();

private:
    OperationBar* m_operations;
    QLabel* m_words;
    QPushButton* m_clear;
};

} // namespace fencepost::ui
