// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "models/deliver.h"
#include "models/list_model.h"
#include "models/page_model.h"

namespace fencepost::models {

// The failures that dead letters have in common, the most frequent first.
class LetterGroupsModel final : public ListModel<LetterGroup> {
    Q_OBJECT

public:
    explicit LetterGroupsModel(StoreThread& thread, QObject* parent = nullptr);

    void setBinding(const BindingPtr& binding);
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }

private:
    QPointer<StoreThread> m_thread;
    BindingPtr m_binding;
    Latest<Result<LetterGroups>> m_load;
};

} // namespace fencepost::models
