// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/clock.h"
#include "models/alerts_models.h"
#include "ui/page.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace fencepost::ui {

class ErrorBanner;
class RowGrid;

// What is watched of this connection: each rule with its figure now and since when it is over, and what began and
// ended. The board goes on watching whichever page is in front.
class AlertsPage final : public Page {
    Q_OBJECT
public:
    explicit AlertsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] RowGrid& grid() const { return *m_rules; }
    [[nodiscard]] RowGrid& eventsGrid() const { return *m_events; }
    [[nodiscard]] QPushButton& suggestButton() const { return *m_suggest; }
    [[nodiscard]] QPushButton& switchButton() const { return *m_switch; }
    [[nodiscard]] QPushButton& removeButton() const { return *m_remove; }
    [[nodiscard]] QPushButton& openButton() const { return *m_open; }
    [[nodiscard]] QToolButton& silenceButton() const { return *m_silence; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString words() const;

private:
    void build();
    [[nodiscard]] QLayout* makeHead();
    [[nodiscard]] QLayout* makeCard();
    void connectParts();
    void fillSilence();
    void showBoard();
    void showDelivery();
    void showCurrent();
    [[nodiscard]] const models::WatchedRule* current() const;
    void addRule();
    void editRule();
    void chooseDelivery();
    void openRows(int row);
    void openEvent(int row);

    const PageContext m_context;
    models::AlertBoard* const m_board; // null: alerts are not kept here
    SystemClock m_clock;
    models::AlertRulesModel* m_ruleRows = nullptr;
    models::AlertEventsModel* m_eventRows = nullptr;
    QLabel* m_summary;
    QPushButton* m_add;
    QPushButton* m_suggest;
    QPushButton* m_delivery;
    ErrorBanner* m_banner;
    QString m_problem; // of the webhook, as the banner was told it
    RowGrid* m_rules;
    QLabel* m_words;
    QPushButton* m_open;
    QPushButton* m_edit;
    QPushButton* m_switch;
    QToolButton* m_silence;
    QPushButton* m_remove;
    RowGrid* m_events;
};

[[nodiscard]] Page* makeAlertsPage(PageContext& context, QWidget* parent);

// In one sentence for page, status line and tray: how many are over, or that nobody is watching.
[[nodiscard]] QString alertSummary(const models::AlertBoard& board, const models::Zone& zone);

} // namespace fencepost::ui
