// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/panel_page.h"

class QPushButton;

namespace fencepost::models {
class BacklogModel;
class LetterGroupsModel;
} // namespace fencepost::models

namespace fencepost::ui {

// Messages that relays send, below those that others wait for.
class OutboxPage final : public PanelPage {
    Q_OBJECT
public:
    explicit OutboxPage(PageContext& context, QWidget* parent = nullptr);

protected:
    void bind(const models::BindingPtr& binding) override;
    [[nodiscard]] QString summaryOf() const override;
    [[nodiscard]] QString filterOf(int row) const override;

private:
    models::BacklogModel* m_backlog = nullptr;
};

// What was given up, below what it failed of.
class DeadLettersPage final : public PanelPage {
    Q_OBJECT
public:
    explicit DeadLettersPage(PageContext& context, QWidget* parent = nullptr);

protected:
    void bind(const models::BindingPtr& binding) override;
    [[nodiscard]] QString summaryOf() const override;
    [[nodiscard]] QString filterOf(int row) const override;
    void panelMoved() override;

private:
    void replayGroup();

    models::LetterGroupsModel* m_groups = nullptr;
    QPushButton* m_replay;
};

// Messages that consumers received: for reading only.
[[nodiscard]] Page* makeInboxPage(PageContext& context, QWidget* parent);
[[nodiscard]] Page* makeOutboxPage(PageContext& context, QWidget* parent);
[[nodiscard]] Page* makeDeadLettersPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
