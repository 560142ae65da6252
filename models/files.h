// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include "core/result.h"

class QSaveFile;

namespace fencepost::models {

// NotFound: there is no such file. Invalid: it is a database in use.
[[nodiscard]] Result<QByteArray> readFile(const QString& path);
// Whether something stands there that is no file of its own: a device, a pipe, a socket. Replacing it would take it
// from everybody else who uses it; what is written goes into it.
[[nodiscard]] bool isSpecialFile(const QString& path);
// Into what stands there already. Full: it took a part of it, or nothing.
Status writeInto(const QString& path, const QByteArray& content);
// The whole content in its place and on the disk, or what stood there before. Committing by itself takes no notice of
// what the last bytes met on their way: a full disk would leave an empty file in the place of the old one.
Status commitWhole(QSaveFile& file, const QByteArray& content);
// Either the whole new content is there or the old one; the folder is made, and only its owner may read the file. What
// is special is written into.
Status replaceFile(const QString& path, const QByteArray& content);
// A name that is free beside the wanted one: connections.json.damaged, connections.json.damaged-2, …
[[nodiscard]] QString freeName(const QString& wanted);

} // namespace fencepost::models
