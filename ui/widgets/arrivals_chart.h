// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/overview.h"
#include "models/zone.h"
#include "ui/widgets/chart_card.h"

namespace fencepost::ui {

// When the rows of a table were created, hour by hour, by the state that they have now.
class ArrivalsChart : public ChartCard {
    Q_OBJECT
public:
    ArrivalsChart(const Theme& theme, QWidget* parent);

    // None: still being counted.
    void show(const std::optional<models::Arrivals>& arrivals, const models::Zone& zone);
    // One line per stretch and state.
    [[nodiscard]] QString csv() const;
    using QWidget::show;

Q_SIGNALS:
    void chosen(const QString& filter);

private:
    void draw();

    const Theme& m_theme;
    models::Arrivals m_arrivals;
    models::Zone m_zone = models::Zone::utc();
};

} // namespace fencepost::ui
