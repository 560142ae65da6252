// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>

#include <QWidget>

#include "core/simulation/report.h"
#include "ui/widgets/retry_plots.h"

class QComboBox;
class QLabel;

namespace fencepost::ui {

class BarPlot;
class ChartCard;
class LineCard;
class PlainTable;
class StalePart;
class Theme;

// What came of the worlds of one run, side by side: charts, every measure, and what the scenario claims.
class SimulateResults final : public QWidget {
    Q_OBJECT
public:
    SimulateResults(const Theme& theme, QWidget* parent);

    void show(std::shared_ptr<const simulation::Report> report);
    using QWidget::show;
    // What is chosen by now is something else: what is shown is of the run before, and looks like it.
    void setStale(bool stale);
    [[nodiscard]] bool isStale() const;

    enum Bars { Duplicates, Amplification, Success, Latency, Stuck, Conflicts, Attempts, Delays, BarsCount };
    enum Lines { Load, Retries, Breakers, Budgets, LinesCount };
    [[nodiscard]] BarPlot& plot(Bars bars) const { return *m_plots[bars]; }
    [[nodiscard]] ChartCard& card(Bars bars) const { return *m_cards[bars]; }
    [[nodiscard]] LineCard& line(Lines line) const { return *m_lines[line]; }
    [[nodiscard]] PlainTable& table() const { return *m_table; }
    [[nodiscard]] QString verdict() const;

private:
    QWidget* makeCharts(const Theme& theme);
    QWidget* makeNumbers(const Theme& theme);
    void fill(Bars bars, const RetryPlot& made);
    void showLoad();
    void showTable();
    void showVerdict();
    [[nodiscard]] double lasted() const; // seconds

    const Theme& m_theme;
    std::shared_ptr<const simulation::Report> m_report;
    StalePart* m_stale = nullptr; // all of it
    QLabel* m_verdict;
    QComboBox* m_world; // whose load is shown
    std::array<ChartCard*, BarsCount> m_cards{};
    std::array<BarPlot*, BarsCount> m_plots{};
    std::array<LineCard*, LinesCount> m_lines{};
    QWidget* m_tableHome = nullptr;
    PlainTable* m_table = nullptr; // made anew where the number of worlds changes
    PlainTable* m_claims = nullptr;
};

} // namespace fencepost::ui
