// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QPointer>

#include "core/forensics.h"
#include "models/deliver.h"
#include "models/list_model.h"
#include "models/page_model.h"
#include "models/store_thread.h"

namespace fencepost::models {

struct FlowRow {
    Flow flow;
    std::int64_t before = 0; // in the stretch of the same length before
};

// How often rows of one table went from one state to another, and how often they did before that.
class FlowsModel final : public ListModel<FlowRow> {
    Q_OBJECT

public:
    explicit FlowsModel(StoreThread& thread, QObject* parent = nullptr);

    void ask(BindingPtr binding, const RangeRequest& request);
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    [[nodiscard]] const BindingPtr& binding() const { return m_binding; }
    // Of all flows in the stretch before.
    [[nodiscard]] std::int64_t before() const { return m_before; }
    // What the rows are of; none: nothing was answered yet.
    [[nodiscard]] const std::optional<Flows>& answer() const { return m_answer; }

protected:
    [[nodiscard]] QVariant mark(const FlowRow& row, int role) const override;

private:
    struct Both {
        Flows now;
        Flows before;
    };
    static Result<Both> read(Backend& backend, const Binding& binding, const RangeRequest& request);
    void take(const Both& both);

    QPointer<StoreThread> m_thread;
    BindingPtr m_binding; // null: nothing is asked
    RangeRequest m_request;
    std::optional<Flows> m_answer;
    std::int64_t m_before = 0;
    Latest<Result<Both>> m_load;
};

} // namespace fencepost::models
