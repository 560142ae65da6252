// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QSslConfiguration>

#include "core/result.h"

namespace fencepost::app {

// The roots of the system and those of SSL_CERT_FILE, by which a service behind a certificate of one's own is known.
// None: the variable is not set, and the system's are meant. Invalid: no certificate stands in its file.
[[nodiscard]] Result<std::optional<QSslConfiguration>> ownRoots();

} // namespace fencepost::app
