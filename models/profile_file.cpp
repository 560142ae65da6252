// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/profile_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "models/files.h"

namespace fencepost::models {

Status saveProfile(const QString& path, const std::string& document, bool replace)
{
    const auto content = QByteArray::fromStdString(document);
    if (replace)
        return replaceFile(path, content);
    const auto folder = QFileInfo(path).absolutePath();
    if (!QDir().mkpath(folder))
        return Error{ Failure::Denied, "The folder “" + folder.toStdString() + "” cannot be made; nothing was written.",
            {}, {}, "Choose another folder" };
    // Between a look and the opening somebody else may have made it.
    QFile claim(path);
    if (!claim.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        if (QFileInfo::exists(path) || QFileInfo(path).isSymLink())
            return Error{ Failure::Conflict,
                "There is a file “" + path.toStdString() + "” already; nothing was written.", {}, {},
                "Choose another name" };
        return Error{ Failure::Denied, "“" + path.toStdString() + "” cannot be written.",
            claim.errorString().toStdString() };
    }
    claim.close();
    const auto written = replaceFile(path, content);
    if (!written)
        claim.remove();
    return written;
}

QString freeProfilePath(const QString& folder, const QString& profileName)
{
    auto path = QStringLiteral("%1/%2.json").arg(folder, profileName);
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = QStringLiteral("%1/%2-%3.json").arg(folder, profileName).arg(number);
    return path;
}

} // namespace fencepost::models
