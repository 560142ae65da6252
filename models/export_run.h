// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QObject>

#include "models/deliver.h"
#include "models/export_file.h"
#include "models/row_export.h"

namespace fencepost::models {

struct ExportProgress {
    std::int64_t rows = 0;
    Time began; // by the database's clock
    Time ended;
    bool done = false; // the file has its name
};

// Writes an export on the store thread, one job for each page, so that other reads come in between. Lives on the GUI
// thread.
class ExportRun : public QObject {
    Q_OBJECT

public:
    ExportRun(StoreThread& reads, std::unique_ptr<RowExport> rows, std::unique_ptr<ExportFile> file, QObject* parent);
    ~ExportRun() override; // stops it

    void start();
    // Nothing is left of the file, unless it just got its name.
    void stop();

Q_SIGNALS:
    void progressed(const fencepost::models::ExportProgress& progress);
    void finished(const fencepost::models::ExportProgress& progress);
    void failed(const fencepost::Error& error); // nothing is left of the file

private:
    struct Work;

    void next();
    void received(const Result<ExportProgress>& answer);

    StoreThread& m_reads;
    std::shared_ptr<Work> m_work; // of this object and of the job that runs
    Latest<Result<ExportProgress>> m_page;
};

} // namespace fencepost::models
