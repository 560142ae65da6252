// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace fencepost::ui {

class Theme;

// What can be done with a plan, in one line of buttons; beside them, what still keeps it from being carried out.
class PlanButtons final : public QWidget {
    Q_OBJECT
public:
    explicit PlanButtons(const Theme& theme, QWidget* parent = nullptr);

    enum class Step { Before, Running, Done };
    struct State {
        Step step = Step::Before;
        bool hasPlan = false;
        bool canConfirm = false;
        bool isDanger = true; // what is confirmed
        bool canUndo = false;
        bool canGiveUp = false;
        QString action; // on the button that confirms
        QString missing; // for whoever cannot see that it is disabled
        QString hint;
    };
    void show(const State& state);
    using QWidget::show;
    [[nodiscard]] QString hint() const;
    [[nodiscard]] QPushButton& confirm() const { return *m_confirm; }
    [[nodiscard]] QPushButton& cancel() const { return *m_cancel; }
    [[nodiscard]] QPushButton& background() const { return *m_background; }

Q_SIGNALS:
    void saveAsked();
    void copyAsked();
    void undoAsked();
    void backgroundAsked();
    void giveUpAsked();
    void cancelled();
    void confirmed();

private:
    QLabel* m_hint;
    QPushButton* m_save;
    QPushButton* m_copy;
    QPushButton* m_undo;
    QPushButton* m_background;
    QPushButton* m_giveUp;
    QPushButton* m_cancel;
    QPushButton* m_confirm;
};

} // namespace fencepost::ui
