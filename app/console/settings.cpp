// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/settings.h"

#include <QJsonDocument>
#include <QStandardPaths>

#include "models/files.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

constexpr int format = 1;

}

Result<Settings> loadSettings(const QString& path)
{
    const auto bytes = models::readFile(path);
    if (!bytes && bytes.error().failure == Failure::NotFound)
        return Settings{};
    if (!bytes)
        return bytes.error();
    const QJsonObject object = QJsonDocument::fromJson(*bytes).object();
    if (object[QStringLiteral("format")].toInt() != format)
        return Error{ Failure::Corrupt, "The settings in \"" + path.toStdString() + "\" cannot be read.", {}, {} };
    Settings settings;
    settings.scheme = object[QStringLiteral("scheme")].toString(settings.scheme);
    settings.zone = object[QStringLiteral("zone")].toString(settings.zone);
    settings.lastConnection = object[QStringLiteral("last_connection")].toString();
    settings.shortcuts = object[QStringLiteral("shortcuts")].toObject();
    settings.arrangement = object[QStringLiteral("arrangement")].toObject();
    settings.geometry = object[QStringLiteral("geometry")].toString();
    settings.alerts = object[QStringLiteral("alerts")].toObject();
    return settings;
}

Status saveSettings(const QString& path, const Settings& settings)
{
    const QJsonObject object{ { QStringLiteral("format"), format }, { QStringLiteral("scheme"), settings.scheme },
        { QStringLiteral("zone"), settings.zone }, { QStringLiteral("last_connection"), settings.lastConnection },
        { QStringLiteral("shortcuts"), settings.shortcuts }, { QStringLiteral("arrangement"), settings.arrangement },
        { QStringLiteral("geometry"), settings.geometry }, { QStringLiteral("alerts"), settings.alerts } };
    return models::replaceFile(path, QJsonDocument(object).toJson());
}

Folders standardFolders()
{
    const QString config = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return { config + QStringLiteral("/fencepost"), data + QStringLiteral("/fencepost"),
        QString::fromStdString(models::auditFile()) };
}

} // namespace fencepost::app
