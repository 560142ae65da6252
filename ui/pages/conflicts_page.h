// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/refused_model.h"
#include "ui/pages/look_back_page.h"

namespace fencepost::ui {

class ConflictExplainer;
class PlainTable;
class RowGrid;

// Who was refused under which key: every payload that came under a used key, the clients that reuse keys, and why a
// body is refused.
class ConflictsPage final : public LookBackPage {
    Q_OBJECT
public:
    explicit ConflictsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::RefusedModel* model() const { return m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] PlainTable& clients() const { return *m_clients; }
    [[nodiscard]] ConflictExplainer& explainer() const { return *m_explainer; }

private:
    void build();
    void ask(const models::BindingPtr& binding, const RangeRequest& request) override;
    void showAnswer();
    void showClients();
    void showCurrent();
    void chooseClient(int row);
    void openRecord(int row);
    [[nodiscard]] const RefusedArrival* current() const;

    models::RefusedModel* m_model = nullptr; // null: there is no session
    RowGrid* m_grid;
    PlainTable* m_clients;
    ConflictExplainer* m_explainer;
};

[[nodiscard]] Page* makeConflictsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
