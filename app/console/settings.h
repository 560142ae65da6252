// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>

#include "core/result.h"

namespace fencepost::app {

// What the console remembers between runs. Never a secret; connections have a file of their own.
struct Settings {
    QString scheme = QStringLiteral("system"); // system, light, dark
    QString zone = QStringLiteral("UTC"); // as models::Zone::named takes it
    QString lastConnection; // id; opened again at the next start
    QJsonObject shortcuts; // command -> keys, where the user changed them
    QJsonObject arrangement; // of the window
    QString geometry; // base64
    QJsonObject alerts; // connection -> its rules and who is told

    bool operator==(const Settings&) const = default;
};

// A missing file gives the defaults; a damaged one is Corrupt, and the caller says so and goes on with the defaults.
[[nodiscard]] Result<Settings> loadSettings(const QString& path);
Status saveSettings(const QString& path, const Settings& settings);

// Where the console keeps its files; made when something is written.
struct Folders {
    QString config;
    QString data;
    QString audit; // a file, shared with fencepostctl

    [[nodiscard]] QString settings() const { return config + QStringLiteral("/settings.json"); }
    [[nodiscard]] QString connections() const { return config + QStringLiteral("/connections.json"); }
    [[nodiscard]] QString profiles() const { return config + QStringLiteral("/profiles"); }
    [[nodiscard]] QString views() const { return config + QStringLiteral("/views"); }
    [[nodiscard]] QString bookmarks() const { return views() + QStringLiteral("/bookmarks.json"); }
    [[nodiscard]] QString plans() const { return data + QStringLiteral("/plans"); }
    // Beside the audit, in the folder of what is neither settings nor documents.
    [[nodiscard]] QString seenProfiles() const
    {
        return audit.section(QLatin1Char('/'), 0, -2) + QStringLiteral("/profiles");
    }
    [[nodiscard]] QString drafts() const { return audit.section(QLatin1Char('/'), 0, -2) + QStringLiteral("/drafts"); }
    [[nodiscard]] QString notebook() const { return data + QStringLiteral("/notebook.jsonl"); }
};

[[nodiscard]] Folders standardFolders();

} // namespace fencepost::app
