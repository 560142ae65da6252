// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QFutureWatcher>
#include <QObject>

#include "models/page_model.h"
#include "models/zone.h"
#include "ui/page.h"

namespace fencepost::ui {

// What is chosen in a table: rows by name, also those beyond the window that the model holds, or all that match.
class ChosenRows final : public QObject {
    Q_OBJECT
public:
    ChosenRows(const models::PageModel& model, QObject* parent);

    // Where nothing is selected it is the current row.
    [[nodiscard]] Selection selection(const std::optional<Row>& current) const;
    // "All 1 234 matching, except 2", "3 selected"; empty: nothing is selected.
    [[nodiscard]] QString words(const models::Zone& zone) const;

Q_SIGNALS:
    void changed();
    // The rows beyond the window are not known; changed() follows.
    void failed(const fencepost::Error& error);

private:
    void follow();
    void resolved();
    [[nodiscard]] bool isFilter() const;
    [[nodiscard]] std::optional<std::vector<Row>> inWindow() const;

    const models::PageModel& m_model;
    QFutureWatcher<Result<models::SelectionScope>> m_resolving;
    std::optional<models::SelectionScope> m_scope; // of a selection that reaches beyond the window
};

} // namespace fencepost::ui
