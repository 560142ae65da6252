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

// Requests and events that came under a used key, of one table, the newest first; all of them or those of one client.
class RefusedModel final : public ListModel<RefusedArrival> {
    Q_OBJECT

public:
    explicit RefusedModel(StoreThread& thread, QObject* parent = nullptr);

    void ask(BindingPtr binding, const RangeRequest& request);
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    [[nodiscard]] const BindingPtr& binding() const { return m_binding; }
    [[nodiscard]] const std::optional<Conflicts>& answer() const { return m_answer; }
    // Refused arrivals of the stretch before; none: nothing was answered yet.
    [[nodiscard]] const std::optional<std::int64_t>& before() const { return m_before; }
    // None: of all clients.
    void setClient(const std::optional<std::string>& client);
    [[nodiscard]] const std::optional<std::string>& client() const { return m_client; }

protected:
    [[nodiscard]] QVariant mark(const RefusedArrival& row, int role) const override;

private:
    struct Both {
        Conflicts now;
        std::int64_t before = 0;
    };
    static Result<Both> read(Backend& backend, const Binding& binding, const RangeRequest& request);
    void showRows();

    QPointer<StoreThread> m_thread;
    BindingPtr m_binding; // null: nothing is asked
    RangeRequest m_request;
    std::optional<std::string> m_client;
    std::optional<Conflicts> m_answer;
    std::optional<std::int64_t> m_before;
    Latest<Result<Both>> m_load;
};

} // namespace fencepost::models
