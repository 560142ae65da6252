// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_board.h"
#include "ui/pages/alerts_page.h"
#include "ui/words.h"

namespace fencepost::ui {

QString alertSummary(const models::AlertBoard& board, const models::Zone& zone)
{
    const auto last = board.lookedAt();
    switch (board.state()) {
    case models::AlertBoard::Watch::Idle:
        return AlertsPage::tr("No alert rule is on");
    case models::AlertBoard::Watch::Waiting:
        return AlertsPage::tr("Alerts: not looked yet");
    case models::AlertBoard::Watch::NotWatched:
        return last ? AlertsPage::tr("Alerts: not watched since %1")
                          .arg(zone.format(*last, models::Precision::Seconds).section(QLatin1Char('T'), 1))
                    : AlertsPage::tr("Alerts: not watched");
    case models::AlertBoard::Watch::Watching:
        break;
    }
    const QString over = board.over() > 0 ? counted(board.over(), AlertsPage::tr("alert"), AlertsPage::tr("alerts"))
                                          : AlertsPage::tr("No alert");
    return board.unread() > 0 ? AlertsPage::tr("%1, %2 not read").arg(over, numberText(board.unread())) : over;
}

} // namespace fencepost::ui
