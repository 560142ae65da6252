// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <QWidget>

#include "core/simulation/sweep.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class BarPlot;
class ChartCard;
class PlainTable;
class StalePart;
class Theme;

// One setting or two that take every value of a range, and what a measure comes to at each.
class SimulateSweep final : public QWidget {
    Q_OBJECT
public:
    SimulateSweep(const Theme& theme, QWidget* parent);

    // With the settings that the phases and faults of each have.
    void setWorlds(const QStringList& names, std::vector<std::vector<std::string>> members);
    void show(const std::shared_ptr<const simulation::Sweep>& sweep);
    using QWidget::show;
    // What is chosen by now is another world than the one that was swept.
    void setStale(bool stale);
    [[nodiscard]] bool isStale() const;
    // Which world was swept, and the command that does it again.
    [[nodiscard]] QString words() const;
    // As it is written on the command line.
    [[nodiscard]] Result<std::vector<simulation::SweepAxis>> axes() const;
    void setAxis(int axis, const QString& path, const QString& range);
    [[nodiscard]] BarPlot& plot() const { return *m_plot; }
    [[nodiscard]] PlainTable& table() const { return *m_table; }
    [[nodiscard]] const std::shared_ptr<const simulation::Sweep>& swept() const { return m_sweep; }

Q_SIGNALS:
    void asked(int world);

private:
    struct Axis {
        QComboBox* path = nullptr;
        QLineEdit* range = nullptr;
    };

    void build(const Theme& theme);
    Axis makeAxis(const QString& words);
    void listMembers();
    void showMeasure();
    [[nodiscard]] const simulation::MeasureKind& measure() const;

    const Theme& m_theme;
    QComboBox* m_world;
    std::vector<std::vector<std::string>> m_members; // of each world
    std::array<Axis, 2> m_axes;
    QPushButton* m_run;
    QComboBox* m_measure;
    BarPlot* m_plot;
    ChartCard* m_card;
    QLabel* m_words;
    QWidget* m_shown; // what came of it
    PlainTable* m_table;
    StalePart* m_stale;
    std::shared_ptr<const simulation::Sweep> m_sweep;
};

} // namespace fencepost::ui
