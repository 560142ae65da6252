// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "core/forensics.h"
#include "models/arrivals.h"
#include "models/zone.h"

class QLabel;

namespace fencepost::ui {

class ChartMenu;
class StateLegend;
class Theme;

// The bars of a strip: one per stretch of time, by state. Dragging across some of them chooses their time.
class ArrivalBars final : public QWidget {
    Q_OBJECT
public:
    ArrivalBars(const Theme& theme, QWidget* parent);

    void show(const std::optional<models::Arrivals>& arrivals, const models::Zone& zone);
    using QWidget::show;
    void setDimmed(bool dimmed);
    // The time that is frozen, as far as it is shown.
    void mark(const std::optional<TimeRange>& range);
    [[nodiscard]] QSize sizeHint() const override;
    // Those that are drawn, from below.
    [[nodiscard]] std::vector<std::string> states() const;
    // Where a stretch is drawn.
    [[nodiscard]] QRect placeOf(int stretch) const;
    // The same of what is marked; empty: none of it is shown.
    [[nodiscard]] QRect placeOfMark() const;

Q_SIGNALS:
    void chosen(fencepost::Time from, fencepost::Time until);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int stretchAt(int x) const;
    // Of the whole range; the first of them may not have been counted.
    [[nodiscard]] int count() const { return m_arrivals ? m_arrivals->wanted : 0; }
    [[nodiscard]] int uncounted() const { return m_arrivals ? count() - int(m_arrivals->hours.size()) : 0; }
    [[nodiscard]] const models::ArrivalHour& at(int stretch) const;
    [[nodiscard]] Time startOf(int stretch) const;
    [[nodiscard]] QString words(int stretch) const;
    void choose(int from, int to);

    const Theme& m_theme;
    std::optional<models::Arrivals> m_arrivals;
    models::Zone m_zone = models::Zone::utc();
    std::optional<TimeRange> m_mark;
    bool m_dimmed = false;
    int m_current = -1; // under the pointer, or reached by the keys
    int m_pressed = -1;
};

// When the rows that match arrived, above the grid that shows them.
class ArrivalsStrip final : public QWidget {
    Q_OBJECT
public:
    ArrivalsStrip(const Theme& theme, QWidget* parent = nullptr);

    // None: they are being counted.
    void show(const std::optional<models::Arrivals>& arrivals, const models::Zone& zone, const QString& one,
        const QString& rows);
    using QWidget::show;
    void setDimmed(bool dimmed);
    [[nodiscard]] ArrivalBars& bars() const { return *m_bars; }
    [[nodiscard]] const StateLegend& legend() const { return *m_legend; }
    [[nodiscard]] QString caption() const;
    // One line per stretch and state.
    [[nodiscard]] QString csv() const;
    [[nodiscard]] QString query() const;

Q_SIGNALS:
    // A term of the filter language: "created >= … and created < …".
    void chosen(const QString& term);

private:
    std::optional<models::Arrivals> m_arrivals;
    models::Zone m_zone = models::Zone::utc();
    ArrivalBars* m_bars;
    QLabel* m_caption;
    StateLegend* m_legend;
    ChartMenu* m_menu;
};

} // namespace fencepost::ui
