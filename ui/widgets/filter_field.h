// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QLineEdit>

#include "ui/widgets/filter_completion.h"

class QCompleter;
class QStringListModel;

namespace fencepost::ui {

class Theme;

// The line in which a filter is written. It completes fields, operators and states, and underlines the place of a
// mistake; it never changes what is shown before Enter.
class FilterField final : public QLineEdit {
    Q_OBJECT
public:
    explicit FilterField(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] const std::optional<FilterMistake>& mistake() const { return m_mistake; }
    // Those offered as values; empty: all that there are.
    void setStates(const QStringList& states);
    // What is offered at the cursor now.
    [[nodiscard]] QStringList offers() const;

Q_SIGNALS:
    void mistakeChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void check();
    void offer();
    void take(const QString& word);

    const Theme& m_theme;
    QStringListModel* m_words;
    QCompleter* m_completer;
    std::optional<FilterMistake> m_mistake;
    QStringList m_states;
};

} // namespace fencepost::ui
