// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/arrivals.h"

class QLabel;
class QPushButton;

namespace fencepost::ui {

class ArrivalBars;
class RangeSetting;
class StateLegend;
class Theme;
class ZoneSetting;

// When rows arrived, small. Dragging across the bars, or choosing one by the keys, freezes the window's range to their
// time: that of an incident.
class FreezeStrip final : public QWidget {
    Q_OBJECT
public:
    FreezeStrip(const Theme& theme, RangeSetting& range, const ZoneSetting& zone, QWidget* parent = nullptr);

    void show(const std::optional<models::Arrivals>& arrivals);
    using QWidget::show;
    [[nodiscard]] ArrivalBars& bars() const { return *m_bars; }
    [[nodiscard]] QPushButton& releaseButton() const { return *m_release; }
    [[nodiscard]] const StateLegend& legend() const { return *m_legend; }
    [[nodiscard]] QString words() const;

private:
    void showRange();

    RangeSetting& m_range;
    const ZoneSetting& m_zone;
    ArrivalBars* m_bars;
    QLabel* m_words;
    StateLegend* m_legend;
    QPushButton* m_release;
};

} // namespace fencepost::ui
