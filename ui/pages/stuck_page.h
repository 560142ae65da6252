// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "models/deliver.h"
#include "models/ownership.h"
#include "ui/pages/table_page.h"

class QFrame;
class QLabel;
class QPushButton;

namespace fencepost::ui {

// Records that nobody works on any more: why, what fencing them will do, and what to do next.
class StuckPage final : public TablePage {
    Q_OBJECT
public:
    explicit StuckPage(PageContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString why() const;
    [[nodiscard]] QString effect() const;
    [[nodiscard]] QString suggestion() const;
    // What is known about the record in front; empty: it is no known issue.
    [[nodiscard]] QString known() const;

    void activate() override;
    void reload() override;

protected:
    void showCurrent() override;

private:
    void build();
    void loadKnown();
    QLabel* addLine(QBoxLayout& column, const char* icon, const QString& title);

    QFrame* m_card;
    QLabel* m_why = nullptr;
    QLabel* m_effect = nullptr;
    QLabel* m_suggestion = nullptr;
    QLabel* m_known = nullptr;
    QWidget* m_knownLine = nullptr;
    std::map<models::Identity, models::Ownership> m_issues;
    models::Latest<Result<std::vector<AuditEntry>>> m_loadKnown;
    QPushButton* m_act;
    const Operation* m_suggested = nullptr;
};

[[nodiscard]] Page* makeStuckPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
