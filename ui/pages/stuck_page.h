// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/table_page.h"

class QFrame;
class QPushButton;

namespace fencepost::ui {

// Records that nobody works on any more: why, what fencing them will do, and what to do next.
class StuckPage final : public TablePage {
    Q_OBJECT
public:
    explicit StuckPage(PageContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString why() const;
    [[nodiscard]] QString effect() const;
    [[nodiscard]] QString suggestion() const;

protected:
    void showCurrent() override;

private:
    void build();
    QLabel* addLine(QBoxLayout& column, const char* icon, const QString& title);

    QFrame* m_card;
    QLabel* m_why = nullptr;
    QLabel* m_effect = nullptr;
    QLabel* m_suggestion = nullptr;
    QPushButton* m_act;
    const Operation* m_suggested = nullptr;
};

[[nodiscard]] Page* makeStuckPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
