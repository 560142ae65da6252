// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/operations/replay.h"

class QLabel;
class QLineEdit;

namespace fencepost::ui {

class PaceField;
class RampField;

// On what terms a plan is carried out: in which stages and how fast. Who confirms many rows types how many they are.
class PlanTerms final : public QWidget {
    Q_OBJECT
public:
    explicit PlanTerms(QWidget* parent = nullptr);

    // `goesOn`: it is a run's that keeps its own stages.
    void setPlan(const Plan& plan, bool goesOn);
    // What was typed was for a plan that is not shown any more.
    void clearCount();
    // What is still to be filled; empty: nothing.
    [[nodiscard]] QString missing() const;
    [[nodiscard]] Result<ReplaySettings> replay() const;
    [[nodiscard]] bool isPaceChosen() const { return m_paceChosen; }

    [[nodiscard]] PaceField& pace() const { return *m_pace; }
    [[nodiscard]] RampField& ramp() const { return *m_ramp; }
    [[nodiscard]] QLineEdit& count() const { return *m_count; }

Q_SIGNALS:
    void changed();

private:
    QWidget* m_countLine;
    PaceField* m_pace;
    RampField* m_ramp;
    QLabel* m_countLabel;
    QLineEdit* m_count;
    std::size_t m_rows = 0;
    bool m_paceChosen = false;
};

} // namespace fencepost::ui
