// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace fencepost::models {
class KnobsModel;
}

namespace fencepost::ui {

class Theme;

// The phases or the faults of a world as a form: one part for each, with a field for each of its members, and a button
// that adds another one.
class ListForm final : public QWidget {
    Q_OBJECT
public:
    // `list`: "phases" or "faults".
    ListForm(const Theme& theme, models::KnobsModel& model, QString list, QWidget* parent = nullptr);

    [[nodiscard]] int entries() const { return static_cast<int>(m_kinds.size()); }
    // Whether the words stand in what it is about.
    [[nodiscard]] bool fits(const QString& words) const;
    [[nodiscard]] QLineEdit* field(const QString& path) const; // "faults[0].for"; null: there is no such one
    [[nodiscard]] QComboBox* kind(int entry) const; // of a fault
    // Takes what was typed and not ended yet.
    void takePending();
    // What keeps a text from being taken, of the first such field; empty: nothing does.
    [[nodiscard]] QString problem() const;
    void chooseProblem();

Q_SIGNALS:
    void changed(); // in how many there are

private:
    struct Field {
        QString path;
        QLineEdit* edit = nullptr;
        QLabel* problem = nullptr;
    };

    void build();
    void addHead(QGridLayout& grid, int entry);
    void addMember(QGridLayout& grid, int entry, const QString& member);
    QWidget* makeAdder();
    void showValues(bool all);
    void refresh(bool whole);
    void write(const QString& path, const QString& value);
    void showRefusal(const QString& path, const QString& problem);
    [[nodiscard]] std::vector<int> kindsNow() const;
    [[nodiscard]] bool isFaults() const { return m_list == QLatin1String("faults"); }
    [[nodiscard]] QString pathOf(int entry, const QString& member) const;

    const Theme& m_theme;
    models::KnobsModel& m_model;
    const QString m_list;
    std::vector<int> m_kinds; // of the entries that are shown; one of a phase is zero
    std::vector<QComboBox*> m_kindFields;
    std::vector<Field> m_fields;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_layout;
    bool m_showing = false; // what changes now is not typed
};

} // namespace fencepost::ui
