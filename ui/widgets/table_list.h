// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>

#include "models/overview.h"

namespace fencepost::ui {

class Theme;

// Every recognised table in one line: what it is, how many rows, how many of them need a hand.
class TableList : public QTableWidget {
    Q_OBJECT
public:
    TableList(const Theme& theme, QWidget* parent);

    void show(const std::vector<models::OverviewEntry>& entries, const QString& current);
    using QWidget::show;

Q_SIGNALS:
    void chosen(const QString& binding);

private:
    void showRow(int row, const models::OverviewEntry& entry);

    const Theme& m_theme;
};

// What a kind of table is called: "Idempotency keys", "Inbox".
[[nodiscard]] QString kindText(Kind kind);

} // namespace fencepost::ui
