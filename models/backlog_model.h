// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "models/deliver.h"
#include "models/list_model.h"
#include "models/page_model.h"

namespace fencepost::models {

// How far the relays of an outbox are behind; its rows are the heads that others of their key wait for.
class BacklogModel final : public ListModel<BlockedKey> {
    Q_OBJECT

public:
    explicit BacklogModel(StoreThread& thread, QObject* parent = nullptr);

    void setBinding(const BindingPtr& binding);
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    [[nodiscard]] const std::optional<OutboxBacklog>& backlog() const { return m_backlog; } // none: not loaded yet

protected:
    [[nodiscard]] QVariant mark(const BlockedKey& key, int role) const override;

private:
    QPointer<StoreThread> m_thread;
    BindingPtr m_binding;
    Latest<Result<OutboxBacklog>> m_load;
    std::optional<OutboxBacklog> m_backlog;
};

} // namespace fencepost::models
