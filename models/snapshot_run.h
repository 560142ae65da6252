// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QTimer>

#include "models/deliver.h"
#include "models/snapshots.h"
#include "models/store_thread.h"

namespace fencepost::models {

// Takes a snapshot on a connection and a thread of its own, so that the pages go on reading. Lives on the GUI thread,
// and deletes itself once the thread has ended: a seal in hand is not waited for.
class SnapshotRun : public QObject {
    Q_OBJECT

public:
    // `opener`: read-only and without a limit of a statement's time. Of the request, `stopped` and `progress` are set
    // here.
    SnapshotRun(Opener opener, std::shared_ptr<const Snapshots> snapshots, SnapshotRequest request, const Clock& clock,
        QObject* parent);
    ~SnapshotRun() override; // stops it

    void start();
    // Nothing is left of the file, unless it just got its name. No signal follows.
    void stop();

Q_SIGNALS:
    void progressed(const QString& table, qint64 rows); // of all tables
    void finished(const fencepost::SnapshotManifest& manifest);
    void failed(const fencepost::Error& error); // nothing is left of the file

private:
    struct Shared;

    void look();
    void received(const Result<SnapshotManifest>& answer);
    void linkMoved(const Link& link);

    const std::shared_ptr<const Snapshots> m_snapshots;
    const std::shared_ptr<Shared> m_shared; // with the job
    SnapshotRequest m_request;
    StoreThread m_thread;
    QTimer m_looks;
    bool m_running = false;
};

} // namespace fencepost::models
