// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace fencepost::models {
class RowsModelBase;
}

namespace fencepost::ui {

class ElidedLabel;
class RowGrid;
class Theme;

// A short table above a long one, whose rows are questions to it: groups of failures, heads that others wait for. It
// is as tall as its rows, up to a few, and folds away.
class RowPanel final : public QWidget {
    Q_OBJECT
public:
    RowPanel(const Theme& theme, const QString& title, QWidget* parent = nullptr);

    void setModel(models::RowsModelBase* model, const QString& rows);
    // What stands beside the title, folded or not.
    void setSummary(const QString& words);
    [[nodiscard]] QString summary() const;
    // At the end of the title's line.
    QPushButton* addButton(const QString& words);
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] bool isFolded() const;
    void setFolded(bool folded);
    [[nodiscard]] int currentRow() const; // -1: none

Q_SIGNALS:
    // A row was clicked, or Enter pressed on it.
    void chosen(int row);
    void foldedChanged(bool folded);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    void elide();

    const Theme& m_theme;
    QToolButton* m_fold;
    QLabel* m_summary; // as much of the words as there is room for
    QString m_words;
    QBoxLayout* m_line;
    RowGrid* m_grid;
    models::RowsModelBase* m_model = nullptr;
};

} // namespace fencepost::ui
