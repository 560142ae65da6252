// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/alert_board.h"
#include "models/list_model.h"

namespace fencepost::models {

// How a rule stands, in one word: over, silent, in bounds, off, not read.
[[nodiscard]] QString standingOf(const WatchedRule& watched);

// The rules of a board.
class AlertRulesModel final : public ListModel<WatchedRule> {
    Q_OBJECT

public:
    AlertRulesModel(const AlertBoard& board, const Clock& clock, QObject* parent = nullptr);

protected:
    [[nodiscard]] QVariant mark(const WatchedRule& watched, int role) const override;
};

// What began and what ceased, the newest first.
class AlertEventsModel final : public ListModel<AlertEvent> {
    Q_OBJECT

public:
    AlertEventsModel(const AlertBoard& board, const Clock& clock, QObject* parent = nullptr);
};

} // namespace fencepost::models
