// SPDX-License-Identifier: Apache-2.0
#include "core/store/log_files.h"

#include <array>

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include "core/open_database.h"
#include "core/store/log_import.h"
#include "core/store/same_file.h"

namespace fencepost::store {

namespace {

Status readInto(LogImport& import, const std::string& path, const ImportRequest& request, ImportProgress& progress)
{
    const bool standardInput = path == "-";
    if (const auto readable = checkNoOpenDatabase(path); !standardInput && !readable)
        return readable;
    QFile file(QString::fromStdString(path));
    const bool opened = standardInput ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!opened)
        return Error{ Failure::Invalid, "Cannot read " + path, file.errorString().toStdString(), {},
            "Name a file that is there and may be read" };
    const auto changed = standardInput ? QDateTime() : QFileInfo(file).lastModified();
    import.beginFile(path, changed.isValid() ? timeFromMicros(changed.toMSecsSinceEpoch() * 1000) : request.now);
    progress.file = path;
    std::array<char, 65536> piece{};
    for (;;) {
        const auto length = file.read(piece.data(), static_cast<qint64>(piece.size()));
        if (length < 0)
            return Error{ Failure::Unavailable, "Cannot read " + path, file.errorString().toStdString() };
        if (length == 0)
            return import.endFile();
        if (const auto added = import.add({ piece.data(), static_cast<std::size_t>(length) }); !added)
            return added;
        progress.lines = import.linesRead();
        progress.octets += length;
        if (request.progress)
            request.progress(progress);
    }
}

} // namespace

ImportOutcome importLogs(const ImportRequest& request, Random& random)
{
    for (const auto& file : request.files)
        if (isSameFile(file, request.path))
            return { {}, invalid("A log cannot be written over by what is made of it: " + file) };
    const auto import = LogImport::create(request);
    if (!import)
        return { {}, import.error() };
    ImportProgress progress;
    for (const auto& file : request.files)
        if (const auto read = readInto(**import, file, request, progress); !read)
            return { (*import)->leftOut(), read.error() };
    progress.file.clear();
    if (request.progress)
        request.progress(progress);
    auto manifest = (*import)->finish(random);
    return { (*import)->leftOut(), std::move(manifest) };
}

} // namespace fencepost::store
