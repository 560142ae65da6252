// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/service/http_contract.h"

namespace fencepost {

// Whether a header of an answer is kept with it.
[[nodiscard]] bool isKept(const RouteContract& route, std::string_view name);
// The headers of a request that are kept with it, see RouteContract::keepsRequest.
[[nodiscard]] Headers keptHeadersOf(const RouteContract& route, const HttpRequest& request);

} // namespace fencepost
