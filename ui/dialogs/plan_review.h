// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/operations/plan.h"
#include "models/zone.h"

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QTabWidget;

namespace fencepost::ui {

class PlainTable;
class Theme;

// A frozen plan as it is reviewed: how many rows of which state, what will happen to them in words, a sample, what was
// left out and why, the statement.
class PlanReview final : public QWidget {
    Q_OBJECT
public:
    explicit PlanReview(const Theme& theme, QWidget* parent = nullptr);

    void setPlan(const Plan& plan, const models::Zone& zone);
    [[nodiscard]] QString warning() const;
    [[nodiscard]] QString headline() const;
    [[nodiscard]] PlainTable& sample() const { return *m_sample; }
    [[nodiscard]] PlainTable& leftOut() const { return *m_leftOut; }

private:
    void showLeftOut(bool any);
    void showStates(const Plan& plan);
    void showWarnings(const Plan& plan);

    const Theme& m_theme;
    QLabel* m_headline;
    QLabel* m_effect;
    QLabel* m_inverse;
    QLabel* m_warning;
    QHBoxLayout* m_states;
    QTabWidget* m_tabs;
    PlainTable* m_sample;
    PlainTable* m_leftOut;
    QPlainTextEdit* m_statement;
    bool m_backToLeftOut = false;
};

} // namespace fencepost::ui
