// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <QByteArray>
#include <QString>

#include "core/result.h"

namespace fencepost::models {

// The file that a profile is written into.
class ProfileFile {
public:
    explicit ProfileFile(QString path);

    // The folder is made. Conflict: there is a file of that name, and it is not to be replaced; nothing was written.
    Status save(const std::string& document, bool replace);
    // What stood there before save(), or no file; for a profile that turns out to be of no use.
    Status takeBack();

private:
    Status claim(const QByteArray& content);

    QString m_path;
    std::optional<QByteArray> m_before; // none: there was no file
};

// "FOLDER/mapped.orders.json", with a number where that name is taken.
[[nodiscard]] QString freeProfilePath(const QString& folder, const QString& profileName);

} // namespace fencepost::models
