// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include "core/result.h"

namespace fencepost::models {

// NotFound: there is no such file.
[[nodiscard]] Result<QByteArray> readFile(const QString& path);
// Either the whole new content is there or the old one; the folder is made, and only its owner may read the file.
Status replaceFile(const QString& path, const QByteArray& content);
// A name that is free beside the wanted one: connections.json.damaged, connections.json.damaged-2, …
[[nodiscard]] QString freeName(const QString& wanted);

} // namespace fencepost::models
