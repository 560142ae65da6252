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

class ListForm;
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
    [[nodiscard]] ListForm& faults() const { return *m_faults; }
    [[nodiscard]] ListForm& phases() const { return *m_phases; }
    // Takes what was typed and not ended yet.
    void takePending();
    // What keeps a text from being taken, of the first such field; empty: nothing does.
    [[nodiscard]] QString problem() const;
    // Leads to that field.
    void chooseProblem();

private:
    struct Row {
        QString path;
        QLabel* name = nullptr;
        QSlider* slider = nullptr;
        QLineEdit* field = nullptr;
        QComboBox* words = nullptr;
        QCheckBox* flag = nullptr;
        QWidget* editor = nullptr; // whichever of the three it is
        QLabel* problem = nullptr; // of what is typed in the field
    };
    struct Group {
        QString name;
        QToolButton* head = nullptr;
        QWidget* body = nullptr;
        int first = 0; // of the rows
        int end = 0;
        ListForm* list = nullptr; // instead of rows
    };

    Group& addGroup(const Theme& theme, const QString& name);
    ListForm* addList(const Theme& theme, const QString& name);
    void nameList(const Group& group);
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
    ListForm* m_phases = nullptr;
    ListForm* m_faults = nullptr;
    QString m_filter;
    bool m_showing = false; // what changes now is not typed
};

} // namespace fencepost::ui
