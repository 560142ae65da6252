// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QWidget>

#include "ui/theme.h"

namespace fencepost::ui {

struct PlotBar {
    QString label; // under it, where there is room; several lines for bars in groups
    QString words; // of the tooltip: what it says, in a sentence
    std::vector<std::pair<Role, double>> parts; // from below
    QString filter; // of the rows behind it; empty: none can be shown
};

// Bars on a common scale, from the left to the right.
struct Plot {
    std::vector<PlotBar> bars;
    std::vector<std::string> states; // whose colours the parts have, from below; none: they are of no state
    std::optional<double> line; // a limit across all of them
    QString lineWords;
    std::optional<std::pair<double, double>> band; // what was promised, in bars: 2.5 is the middle of the third one
    QString bandWords;
    QString axes; // what is counted, and of what: a line below the labels; empty: the title says it
    std::function<QString(double)> value; // of the scale; none: whole numbers
    // The filter of the rows behind the bars from the first to the last; none: each bar's own, joined by "or".
    std::function<QString(int, int)> brushed;
};

// A plot whose bars are chosen with a click, several with a drag, or with Left, Right and Enter.
class BarPlot final : public QWidget {
    Q_OBJECT
public:
    explicit BarPlot(const Theme& theme, QWidget* parent = nullptr);

    void setPlot(Plot plot);
    [[nodiscard]] const Plot& plot() const { return m_plot; }
    [[nodiscard]] QRectF placeOf(int bar) const;
    // Where the limit and the promise are said, beside the bars; empty: there is none.
    [[nodiscard]] QRectF lineWordsPlace() const;
    [[nodiscard]] QRectF bandWordsPlace() const;

    // The words under the bars, each nearer to its own than to any other; what has no such place is left out.
    struct Label {
        int bar = 0;
        QString text;
        QRectF place;
    };
    [[nodiscard]] std::vector<Label> labels() const;

    [[nodiscard]] QSize sizeHint() const override { return { 420, 190 }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { 240, 150 }; }

Q_SIGNALS:
    void chosen(int first, int last);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] int labelLines() const;
    [[nodiscard]] int barAt(const QPointF& position) const; // -1: none
    [[nodiscard]] int nearestBar(const QPointF& position) const; // -1: there are no bars
    [[nodiscard]] double step() const; // between two lines of the scale
    [[nodiscard]] double top() const; // of the scale
    [[nodiscard]] QString valueText(double value) const;
    [[nodiscard]] double xOf(double bar) const;
    [[nodiscard]] std::pair<double, double> bandEnds() const;
    void setCurrent(int bar);
    void paintScale(QPainter& painter) const;
    void paintBand(QPainter& painter) const;
    void paintBars(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void paintLine(QPainter& painter) const;

    const Theme& m_theme;
    Plot m_plot;
    int m_current = -1;
    int m_pressed = -1;
};

} // namespace fencepost::ui
