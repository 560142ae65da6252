// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QChartView>
#include <QFrame>

class QLabel;

namespace fencepost::ui {

class ChartMenu;
class EmptyState;
class Theme;

// A chart with what every chart has: a title that says the finding, a reason where it is empty, the query, and the
// picture and the numbers for the clipboard.
class ChartCard : public QFrame {
    Q_OBJECT
public:
    ChartCard(const Theme& theme, QWidget* parent);

    void setTitle(const QString& finding, const QString& caption);
    void showChart();
    void showEmpty(const QString& title, const QString& why);
    // Made when asked for.
    void setNumbers(std::function<QString()> csv, std::function<QString()> query);
    [[nodiscard]] QChartView& view() { return *m_view; }

private:
    QLabel* m_title;
    QLabel* m_caption;
    QChartView* m_view;
    ChartMenu* m_menu;
    EmptyState* m_empty;
};

} // namespace fencepost::ui
