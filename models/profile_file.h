// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QString>

#include "core/result.h"

namespace fencepost::models {

// Writes a profile. The folder is made. Conflict: there is a file of that name, and it is not to be replaced; nothing
// was written.
Status saveProfile(const QString& path, const std::string& document, bool replace);
// "FOLDER/mapped.orders.json", with a number where that name is taken.
[[nodiscard]] QString freeProfilePath(const QString& folder, const QString& profileName);

} // namespace fencepost::models
