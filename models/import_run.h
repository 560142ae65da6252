// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include <QObject>

#include "models/snapshots.h"

namespace fencepost::models {

// Makes one file of logs on a thread of its own. Lives on the GUI thread, and deletes itself once the thread has ended:
// a seal in hand is not waited for, unless the parent ends.
class ImportRun : public QObject {
    Q_OBJECT

public:
    // Of the request, `stopped` and `progress` are set here.
    ImportRun(std::shared_ptr<const Snapshots> snapshots, ImportRequest request, QObject* parent);
    ~ImportRun() override;

    void start();
    // Nothing is left of the file, unless it just got its name. No signal follows.
    void stop();

Q_SIGNALS:
    void progressed(const fencepost::ImportProgress& progress);
    void finished(const fencepost::ImportOutcome& outcome); // it may have failed

private:
    void tell(const ImportProgress& progress);
    void received(const ImportOutcome& outcome);

    const std::shared_ptr<const Snapshots> m_snapshots;
    ImportRequest m_request;
    std::atomic<bool> m_stopped = false;
    std::thread m_thread;
};

} // namespace fencepost::models
