// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QToolButton>

namespace fencepost::ui {

class Theme;

// What every chart offers: the query behind it, its picture and its numbers for the clipboard.
class ChartMenu final : public QToolButton {
    Q_OBJECT
public:
    // The picture is that of `chart`, which outlives this.
    ChartMenu(const Theme& theme, QWidget& chart, QWidget* parent);

    // Of the query's window: what the chart says.
    void setTitle(const QString& title);
    // Made when asked for. What is none is not offered.
    void setNumbers(std::function<QString()> csv, std::function<QString()> query);

private:
    void copyPicture();
    void showQuery();

    const Theme& m_theme;
    QWidget& m_chart;
    QAction* m_queryAction;
    QAction* m_csvAction;
    QString m_title;
    std::function<QString()> m_csv;
    std::function<QString()> m_query;
};

} // namespace fencepost::ui
