// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/profile_file.h"

#include <utility>

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "models/files.h"

namespace fencepost::models {

ProfileFile::ProfileFile(QString path)
    : m_path(std::move(path))
{
}

Status ProfileFile::save(const std::string& document, bool replace)
{
    const auto content = QByteArray::fromStdString(document);
    m_before.reset();
    if (!replace)
        return claim(content);
    const auto before = readFile(m_path);
    if (!before)
        return before.error();
    m_before = *before;
    return replaceFile(m_path, content);
}

Status ProfileFile::claim(const QByteArray& content)
{
    const auto folder = QFileInfo(m_path).absolutePath();
    if (!QDir().mkpath(folder))
        return Error{ Failure::Denied, "The folder “" + folder.toStdString() + "” cannot be made; nothing was written.",
            {}, {}, "Choose another folder" };
    // Between a look and the opening somebody else may have made it.
    QFile file(m_path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        if (QFileInfo::exists(m_path) || QFileInfo(m_path).isSymLink())
            return Error{ Failure::Conflict,
                "There is a file “" + m_path.toStdString() + "” already; nothing was written.", {}, {},
                "Choose another name" };
        return Error{ Failure::Denied, "“" + m_path.toStdString() + "” cannot be written.",
            file.errorString().toStdString() };
    }
    file.close();
    const auto written = replaceFile(m_path, content);
    if (!written)
        file.remove();
    return written;
}

Status ProfileFile::takeBack()
{
    if (m_before)
        return replaceFile(m_path, *m_before);
    QFile file(m_path);
    if (file.remove())
        return {};
    return Error{ Failure::Denied,
        "“" + m_path.toStdString() + "” was written, is of no use as a profile, and cannot be removed.",
        file.errorString().toStdString() };
}

QString freeProfilePath(const QString& folder, const QString& profileName)
{
    auto path = QStringLiteral("%1/%2.json").arg(folder, profileName);
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = QStringLiteral("%1/%2-%3.json").arg(folder, profileName).arg(number);
    return path;
}

} // namespace fencepost::models
