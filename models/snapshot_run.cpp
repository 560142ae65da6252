// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/snapshot_run.h"

#include <atomic>
#include <mutex>

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr auto betweenLooks = std::chrono::milliseconds(100);

} // namespace

struct SnapshotRun::Shared {
    std::atomic<bool> stopped = false;
    std::mutex mutex;
    std::string table;
    std::int64_t rows = 0; // of all tables

    void tell(const std::string& name, std::int64_t copied)
    {
        const std::lock_guard lock(mutex);
        table = name;
        rows = copied;
    }
};

SnapshotRun::SnapshotRun(Opener opener, std::shared_ptr<const Snapshots> snapshots, SnapshotRequest request,
    const Clock& clock, QObject* parent)
    : QObject(parent)
    , m_snapshots(std::move(snapshots))
    , m_shared(std::make_shared<Shared>())
    , m_request(std::move(request))
    , m_thread(std::move(opener), clock)
{
    m_request.stopped = [shared = m_shared] { return shared->stopped.load(); };
    m_request.progress = [shared = m_shared](
                             const std::string& table, std::int64_t rows) { shared->tell(table, rows); };
    m_looks.setInterval(betweenLooks);
    connect(&m_looks, &QTimer::timeout, this, &SnapshotRun::look);
    connect(&m_thread, &StoreThread::linkChanged, this, &SnapshotRun::linkMoved);
    connect(&m_thread, &StoreThread::stopped, this, &QObject::deleteLater);
}

SnapshotRun::~SnapshotRun()
{
    stop();
}

void SnapshotRun::start()
{
    m_running = true;
    m_thread.start();
    deliver(m_thread.run([snapshots = m_snapshots, request = m_request](
                             Backend& backend) { return snapshots->take(backend, request); }),
        this, [this](const Result<SnapshotManifest>& answer) { received(answer); });
    m_looks.start();
}

void SnapshotRun::stop()
{
    m_running = false;
    m_looks.stop();
    m_shared->stopped = true;
    m_thread.stop();
}

void SnapshotRun::look()
{
    QString table;
    qint64 rows = 0;
    {
        const std::lock_guard lock(m_shared->mutex);
        table = visibleText(m_shared->table);
        rows = m_shared->rows;
    }
    Q_EMIT progressed(table, rows);
}

// A second connection that is not let in would be tried again for ever; the first one tells when it can be.
void SnapshotRun::linkMoved(const Link& link)
{
    if (link.isLost() && link.error && m_running)
        received(*link.error);
}

void SnapshotRun::received(const Result<SnapshotManifest>& answer)
{
    if (!m_running)
        return;
    stop();
    if (answer)
        Q_EMIT finished(*answer);
    else
        Q_EMIT failed(answer.error());
}

} // namespace fencepost::models
