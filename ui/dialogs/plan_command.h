// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/operations/plan.h"

namespace fencepost::ui {

// The commands that make and apply the same plan without a window. Never contains a password.
[[nodiscard]] QString commandOf(const Plan& plan, const QString& url);
// Where a database is, as the command line spells it.
[[nodiscard]] QString urlOf(const DatabaseInfo& database);
// One word of a POSIX shell, whatever is in it.
[[nodiscard]] QString shellWord(const QString& text);

} // namespace fencepost::ui
