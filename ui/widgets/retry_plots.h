// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/forensics.h"
#include "models/zone.h"
#include "ui/widgets/bar_plot.h"

namespace fencepost::ui {

// What a card says about a plot, and the plot; without bars: why there are none.
struct RetryPlot {
    QString title; // the finding
    QString caption;
    Plot plot;
    QString none; // where there are no bars
    bool ofAttempts = false; // what the bars count are attempts: a row that made several of them is one row
};

[[nodiscard]] RetryPlot attemptsPlot(const Retries& retries);
// `kind` of the table that they are of.
[[nodiscard]] RetryPlot delaysPlot(const Retries& retries, const AttemptDelays* delays, Kind kind);
[[nodiscard]] RetryPlot timeToSuccessPlot(const Retries& retries);
[[nodiscard]] RetryPlot successAfterPlot(const Retries& retries);
[[nodiscard]] RetryPlot amplificationPlot(const Retries& retries, const models::Zone& zone);
[[nodiscard]] RetryPlot arrivalsPlot(const Retries& retries, const models::Zone& zone);
// One line per bar.
[[nodiscard]] QString csvOf(const Plot& plot);

} // namespace fencepost::ui
