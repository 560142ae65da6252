// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/protocol/http_message.h"
#include "core/result.h"

namespace fencepost::app {

[[nodiscard]] HttpResponse notFound();
[[nodiscard]] HttpResponse notFromHere();
// The database has not answered.
[[nodiscard]] HttpResponse unavailable(const Error& error);

} // namespace fencepost::app
