// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "core/run_journal.h"
#include "models/deliver.h"
#include "models/list_model.h"
#include "models/store_thread.h"

namespace fencepost::models {

// Somebody carries it out at the moment.
[[nodiscard]] bool isAlive(const OperationRun& run);
// Why it stands where it does.
[[nodiscard]] QString becauseOf(const OperationRun& run);

// Replays that are carried out, paused or over, the newest first.
class RunsModel final : public ListModel<OperationRun> {
    Q_OBJECT

public:
    explicit RunsModel(StoreThread& thread, QObject* parent = nullptr);

    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_load.pending(); }

protected:
    [[nodiscard]] QVariant mark(const OperationRun& run, int role) const override;

private:
    QPointer<StoreThread> m_thread;
    Latest<Result<std::vector<OperationRun>>> m_load;
};

} // namespace fencepost::models
