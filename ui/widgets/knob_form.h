// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace fencepost::models {
class KnobsModel;
}

namespace fencepost::ui {

class Theme;

// The knobs of a world as a form: a slider where values have an order, and always the value as it is written. Groups
// fold; a word in the field on top leaves the settings that have it.
class KnobForm final : public QWidget {
    Q_OBJECT
public:
    KnobForm(const Theme& theme, models::KnobsModel& model, QWidget* parent = nullptr);

    // Shows only settings in whose name or meaning the words stand; empty: the groups as they are folded.
    void setFilter(const QString& words);
    void setGroupOpen(const QString& group, bool open);
    [[nodiscard]] bool isShown(const QString& path) const;
    [[nodiscard]] QSlider* slider(const QString& path) const; // null: it has none
    [[nodiscard]] QLineEdit* field(const QString& path) const; // null: it is chosen, not written

private:
    struct Row {
        QString path;
        QLabel* name = nullptr;
        QSlider* slider = nullptr;
        QLineEdit* field = nullptr;
        QComboBox* words = nullptr;
        QCheckBox* flag = nullptr;
        QWidget* editor = nullptr; // whichever of the three it is
    };
    struct Group {
        QString name;
        QToolButton* head = nullptr;
        QWidget* body = nullptr;
        int first = 0; // of the rows
        int end = 0;
    };

    void addGroup(const Theme& theme, const QString& name);
    void addRow(const Theme& theme, int row, QGridLayout& grid);
    void makeField(Row& made, int row);
    void makeWords(Row& made, int row);
    void makeFlag(Row& made, int row);
    void makeSlider(Row& made, int row);
    void write(int row, const QString& value);
    void showRow(int row);
    void showProblem(int row, const QString& problem);
    void fold();
    [[nodiscard]] const Row* rowOf(const QString& path) const;

    models::KnobsModel& m_model;
    std::vector<Row> m_rows;
    std::vector<Group> m_groups;
    QString m_filter;
    bool m_showing = false; // what changes now is not typed
};

} // namespace fencepost::ui
