// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/operator.h"

#include <pwd.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QStringList>
#include <QSysInfo>

namespace fencepost::models {

std::string actorName()
{
    const passwd* entry = getpwuid(geteuid());
    const auto user = entry ? std::string(entry->pw_name) : std::to_string(geteuid());
    return user + '@' + QSysInfo::machineHostName().toStdString();
}

std::string auditFile()
{
    QString folder = qEnvironmentVariable("XDG_STATE_HOME");
    if (folder.isEmpty() || !QDir::isAbsolutePath(folder))
        folder = QDir::homePath() + QStringLiteral("/.local/state");
    return (folder + QStringLiteral("/fencepost/audit.sqlite")).toStdString();
}

std::string policyFile(const std::string& database, const std::string& configuration)
{
    QStringList folders;
    if (!database.empty())
        folders += QFileInfo(QString::fromStdString(database)).absolutePath();
    folders << QDir::currentPath() << QString::fromStdString(configuration);
    for (const QString& folder : folders)
        if (const QString path = folder + QLatin1String("/fencepost.policy.json"); QFileInfo::exists(path))
            return path.toStdString();
    return {};
}

} // namespace fencepost::models
