// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QStackedWidget;

namespace fencepost::models {
class MappingDraft;
}

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// How the state of a row is stored, and which canonical state each stored value is.
class MappingStateStep final : public QWidget {
    Q_OBJECT
public:
    MappingStateStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent);

    void focusFirst();

private:
    QWidget* makeValues();
    QWidget* makeEnds();
    void fill();
    void fillColumns();
    void fillValues();
    void fillStates(QComboBox& box, bool unknown) const;
    void showNotes();
    void addValue();

    const Theme& m_theme;
    models::MappingDraft& m_draft;
    QComboBox* m_style;
    QComboBox* m_column;
    QLabel* m_trap;
    QLabel* m_note;
    ErrorBanner* m_banner;
    QStackedWidget* m_stack;
    QWidget* m_lines = nullptr; // one for each value
    QGridLayout* m_grid = nullptr;
    QLineEdit* m_more = nullptr;
    std::vector<QComboBox*> m_states;
    QComboBox* m_done;
    QComboBox* m_open;
    QLabel* m_openName;
    QSpinBox* m_stuck;
};

} // namespace fencepost::ui
