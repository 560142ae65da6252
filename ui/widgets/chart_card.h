// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QChartView>
#include <QFrame>

#include "ui/widgets/empty_state.h"

class QHBoxLayout;
class QLabel;

namespace fencepost::ui {

class ChartMenu;
class EmptyState;
class StateLegend;
class Theme;

// A chart with what every chart has: a title that says the finding, a reason where it is empty, the query, and the
// picture and the numbers for the clipboard.
class ChartCard : public QFrame {
    Q_OBJECT
public:
    // With a view for a chart.
    ChartCard(const Theme& theme, QWidget* parent);
    // With what draws itself.
    ChartCard(const Theme& theme, QWidget* body, QWidget* parent);

    void setTitle(const QString& finding, const QString& caption);
    void showChart();
    // `emptiness`: Good: there is nothing to draw, as it should be.
    void showEmpty(const QString& title, const QString& why, Emptiness emptiness = Emptiness::NotLoaded);
    // Made when asked for.
    void setNumbers(std::function<QString()> csv, std::function<QString()> query);
    [[nodiscard]] QChartView& view() { return *m_view; } // where it was made with one
    // Chooses what of it is shown; left of the menu.
    void addTool(QWidget* tool);
    // Which states it tells apart by their colours, from below; none: it tells none apart.
    void setLegend(const std::vector<std::string>& states);
    [[nodiscard]] QString title() const;
    [[nodiscard]] const StateLegend& legend() const { return *m_legend; }

private:
    QLabel* m_title;
    QLabel* m_caption;
    QChartView* m_view = nullptr;
    QWidget* m_body;
    QHBoxLayout* m_tools;
    ChartMenu* m_menu;
    StateLegend* m_legend;
    EmptyState* m_empty;
};

} // namespace fencepost::ui
