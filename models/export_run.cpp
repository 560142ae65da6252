// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/export_run.h"

#include <atomic>

#include "core/copier.h"

namespace fencepost::models {

struct ExportRun::Work {
    std::unique_ptr<RowExport> rows;
    std::unique_ptr<ExportFile> file;
    std::atomic<bool> stopped = false;

    Result<ExportProgress> nextPage(Inspector& inspector)
    {
        if (const auto apart = checkApart(inspector); !apart)
            return apart.error();
        const auto text = rows->next(inspector);
        if (!text)
            return text.error();
        auto written = file->write(*text);
        if (written && rows->isDone() && !stopped)
            written = file->commit();
        if (!written)
            return written.error();
        return ExportProgress{ rows->rows(), rows->began(), rows->ended(), rows->isDone() };
    }

    // That a file may be replaced is meant for an earlier export.
    [[nodiscard]] Status checkApart(Inspector& inspector) const
    {
        const auto* copier = inspector.copier();
        if (copier == nullptr || !copier->isIn(file->path()))
            return {};
        return Error{ Failure::Invalid, "The file " + file->path() + " is the database itself: it is not replaced", {},
            {}, "Choose another name." };
    }
};

ExportRun::ExportRun(
    StoreThread& reads, std::unique_ptr<RowExport> rows, std::unique_ptr<ExportFile> file, QObject* parent)
    : QObject(parent)
    , m_reads(reads)
    , m_work(std::make_shared<Work>())
{
    m_work->rows = std::move(rows);
    m_work->file = std::move(file);
}

// The thread may be gone by now: the page in hand is the last one.
ExportRun::~ExportRun()
{
    if (m_work)
        m_work->stopped = true;
}

void ExportRun::start()
{
    next();
}

void ExportRun::stop()
{
    if (!m_work)
        return;
    m_work->stopped = true;
    m_page.drop(m_reads);
    m_work.reset();
}

void ExportRun::next()
{
    m_page.start(
        m_reads, [work = m_work](Backend& backend) { return work->nextPage(backend.inspector()); },
        [this](const Result<ExportProgress>& answer) { received(answer); });
}

void ExportRun::received(const Result<ExportProgress>& answer)
{
    if (!answer) {
        m_work.reset();
        Q_EMIT failed(answer.error());
        return;
    }
    Q_EMIT progressed(*answer);
    // Whoever was told may have stopped it.
    if (!m_work)
        return;
    if (!answer->done)
        return next();
    m_work.reset();
    Q_EMIT finished(*answer);
}

} // namespace fencepost::models
