// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/import_run.h"

#include <chrono>

namespace fencepost::models {

namespace {

constexpr auto betweenReports = std::chrono::milliseconds(100);

} // namespace

ImportRun::ImportRun(std::shared_ptr<const Snapshots> snapshots, ImportRequest request, QObject* parent)
    : QObject(parent)
    , m_snapshots(std::move(snapshots))
    , m_request(std::move(request))
{
    m_request.stopped = [this] { return m_stopped.load(); };
    m_request.progress = [this, last = std::chrono::steady_clock::time_point()](
                             const ImportProgress& progress) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (!progress.file.empty() && now - last < betweenReports)
            return;
        last = now;
        QMetaObject::invokeMethod(
            this, [this, progress] { tell(progress); }, Qt::QueuedConnection);
    };
}

ImportRun::~ImportRun()
{
    stop();
    if (m_thread.joinable())
        m_thread.join();
}

void ImportRun::start()
{
    // This object outlives the thread, and takes its answers on its own.
    m_thread = std::thread([this] {
        const auto outcome = m_snapshots->import(m_request);
        QMetaObject::invokeMethod(
            this, [this, outcome] { received(outcome); }, Qt::QueuedConnection);
    });
}

void ImportRun::stop()
{
    m_stopped = true;
}

void ImportRun::tell(const ImportProgress& progress)
{
    if (!m_stopped)
        Q_EMIT progressed(progress);
}

void ImportRun::received(const ImportOutcome& outcome)
{
    deleteLater();
    if (!m_stopped)
        Q_EMIT finished(outcome);
}

} // namespace fencepost::models
