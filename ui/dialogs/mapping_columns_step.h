// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fencepost::models {
class MappedColumnsModel;
class MappingDraft;
} // namespace fencepost::models

namespace fencepost::ui {

class ElidedLabel;
class RowGrid;
class Theme;

// What each column means, how sure that is and why, with sampled values; what kind of rows they are and what tells one
// from another.
class MappingColumnsStep final : public QWidget {
    Q_OBJECT
public:
    MappingColumnsStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent);

    // Where keys go first.
    void focusFirst();

private:
    QWidget* makeDetail();
    void fill();
    void fillIdentity();
    void showColumn();
    void chooseIdentity();
    [[nodiscard]] std::string current() const; // empty: none

    const Theme& m_theme;
    models::MappingDraft& m_draft;
    models::MappedColumnsModel* m_model;
    QComboBox* m_kind;
    QComboBox* m_identity;
    RowGrid* m_grid;
    ElidedLabel* m_column;
    QLabel* m_type;
    QComboBox* m_meaning;
    QLabel* m_reason;
    QLabel* m_warning;
    QLabel* m_valuesTitle;
    QPlainTextEdit* m_values;
    QPushButton* m_reveal;
};

} // namespace fencepost::ui
