// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "models/deliver.h"
#include "models/list_model.h"
#include "models/page_model.h"

namespace fencepost::models {

struct StateCount {
    std::string state; // the canonical word
    Count count;
};

// How many rows of a table are in each state, within a time budget: exact, at least, or estimated.
class CountsModel final : public ListModel<StateCount> {
    Q_OBJECT

public:
    explicit CountsModel(StoreThread& thread, QObject* parent = nullptr);

    void setBinding(const BindingPtr& binding, const FilterPtr& filter = nullptr);
    void setBudget(Duration budget) { m_budget = budget; }
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    [[nodiscard]] const std::optional<Counts>& counts() const { return m_counts; } // none: not loaded yet

protected:
    [[nodiscard]] QVariant mark(const StateCount& row, int role) const override;

private:
    QPointer<StoreThread> m_thread;
    BindingPtr m_binding;
    FilterPtr m_filter;
    Duration m_budget = std::chrono::milliseconds(50);
    Latest<Result<Counts>> m_load;
    std::optional<Counts> m_counts;
};

} // namespace fencepost::models
