// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>

#include "core/operations/replay.h"
#include "models/deliver.h"
#include "models/store_thread.h"

namespace fencepost::models {

// Looks on at one replay, whoever carries it out, also when it is over: what became of its rows, stage by stage.
class RunWatch final : public QObject {
    Q_OBJECT

public:
    explicit RunWatch(StoreThread& thread, QObject* parent = nullptr);

    // Another run than before is read at once; empty: none.
    void watch(const std::string& requestId);
    // Once more, where there may be news; of a run that is over less often.
    void look();
    // None: nothing is known yet.
    [[nodiscard]] const std::optional<ReplayProgress>& progress() const { return m_progress; }
    [[nodiscard]] bool loading() const { return m_load.pending(); }

Q_SIGNALS:
    void changed();
    void failed(const fencepost::Error& error);

private:
    struct Seen {
        std::shared_ptr<ReplayStages> stages; // of one job after the other
        ReplayProgress progress;
    };

    void read();

    QPointer<StoreThread> m_thread;
    std::string m_requestId;
    std::shared_ptr<ReplayStages> m_stages;
    std::optional<ReplayProgress> m_progress;
    QElapsedTimer m_readLast;
    Latest<Result<Seen>> m_load;
};

} // namespace fencepost::models
