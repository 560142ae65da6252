// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "core/inspector.h"

class QComboBox;
class QLabel;
class QMenu;
class QAction;
class QToolButton;

namespace fencepost::ui {

class FilterField;
class Theme;

// Which table, which rows: the filter line with its chips, views, columns and statement. It only says what is wanted;
// the page asks for it.
class FilterBar final : public QWidget {
    Q_OBJECT
public:
    // Which chips are of use: a page of stuck records needs none for that.
    struct Chips {
        bool stuck = true;
        bool arrivals = true; // held and conflict: what only keys know
        bool states = true;
        QString example; // in the empty line; empty: the one of the keys
    };
    FilterBar(const Theme& theme, Chips chips, QWidget* parent = nullptr);

    [[nodiscard]] FilterField& field() { return *m_field; }
    void setTables(const QStringList& names, const QString& chosen);
    // Of which rows the filter is: what they cannot tell is not offered.
    void setRows(const Binding& binding);
    [[nodiscard]] QString table() const;
    // The filter in force. Chips follow it.
    void setFilter(const QString& text);
    [[nodiscard]] QString filter() const { return m_filter; }
    // Under the line: how many rows, of when, in which order.
    void setSummary(const QString& summary);
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QMenu& viewsMenu() { return *m_views; }
    [[nodiscard]] QMenu& columnsMenu() { return *m_columns; }

Q_SIGNALS:
    void filterApplied(const QString& text);
    void tableChosen(const QString& name);
    void statementAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Chip {
        QToolButton* button;
        Flag flag;
    };
    struct StateChoice {
        QAction* action;
        std::string state;
    };

    void addChip(const QString& title, const QString& tip, const char* icon, Flag flag);
    void addStates();
    void fillStates(const std::vector<std::string>& states);
    QToolButton* addTool(const QString& title, const char* icon, const QString& tip);
    void toggle(const std::optional<QString>& changed);
    void fit();
    void apply(const QString& text);
    void showMistake();
    void showChips();

    const Theme& m_theme;
    QComboBox* m_tables;
    FilterField* m_field;
    QLabel* m_mistake;
    QLabel* m_summary;
    QMenu* m_views;
    QMenu* m_columns;
    QWidget* m_chipRow;
    std::vector<Chip> m_chips;
    QToolButton* m_states = nullptr;
    std::vector<StateChoice> m_stateChoices;
    std::vector<QToolButton*> m_tools;
    QString m_filter;
};

} // namespace fencepost::ui
