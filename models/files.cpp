// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/files.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "core/open_database.h"

namespace fencepost::models {

Result<QByteArray> readFile(const QString& path)
{
    QFile file(path);
    if (!file.exists())
        return Error{ Failure::NotFound, "There is no file “" + path.toStdString() + "”.", {} };
    if (const auto readable = checkNoOpenDatabase(path.toStdString()); !readable)
        return readable.error();
    if (!file.open(QIODevice::ReadOnly))
        return Error{ Failure::Denied, "“" + path.toStdString() + "” cannot be read.",
            file.errorString().toStdString() };
    auto content = file.readAll();
    if (file.error() != QFileDevice::NoError)
        return Error{ Failure::Denied, "“" + path.toStdString() + "” cannot be read.",
            file.errorString().toStdString() };
    return content;
}

bool isSpecialFile(const QString& path)
{
    struct stat there { };
    return ::stat(QFile::encodeName(path).constData(), &there) == 0 && !S_ISREG(there.st_mode)
        && !S_ISDIR(there.st_mode);
}

Status writeInto(const QString& path, const QByteArray& content)
{
    const auto failed = [&](Failure failure, const QFileDevice& file) {
        return Error{ failure, "“" + path.toStdString() + "” cannot be written.", file.errorString().toStdString() };
    };
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered))
        return failed(Failure::Denied, file);
    qint64 done = 0;
    while (done < content.size()) {
        const auto written = file.write(content.constData() + done, content.size() - done);
        if (written <= 0)
            return failed(Failure::Full, file);
        done += written;
    }
    return {};
}

Status commitWhole(QSaveFile& file, const QByteArray& content)
{
    errno = 0;
    bool written = file.write(content) == content.size() && file.flush() && ::fsync(file.handle()) == 0;
    const auto why = errno;
    if (!written)
        file.cancelWriting();
    written = written && file.commit();
    if (written)
        return {};
    const bool full = why == ENOSPC || why == EDQUOT || file.error() == QFileDevice::WriteError
        || file.error() == QFileDevice::ResourceError;
    return Error{ full ? Failure::Full : Failure::Denied,
        "“" + file.fileName().toStdString() + "” cannot be written; what was there before is as it was.",
        why != 0 ? std::string(std::strerror(why)) : file.errorString().toStdString() };
}

Status replaceFile(const QString& path, const QByteArray& content)
{
    if (isSpecialFile(path))
        return writeInto(path, content);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    const auto failure = [&] { return file.error() == QFileDevice::ResourceError ? Failure::Full : Failure::Denied; };
    if (!file.open(QIODevice::WriteOnly))
        return Error{ failure(), "“" + path.toStdString() + "” cannot be written.", file.errorString().toStdString() };
    file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    return commitWhole(file, content);
}

QString freeName(const QString& wanted)
{
    auto name = wanted;
    for (int number = 2; QFileInfo::exists(name); ++number)
        name = wanted + QLatin1Char('-') + QString::number(number);
    return name;
}

} // namespace fencepost::models
