// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/lab/books.h"
#include "core/protocol/http_message.h"

namespace fencepost::app {

// JSON on one line; what is no UTF-8 is replaced.
[[nodiscard]] std::string compact(const nlohmann::ordered_json& body);
[[nodiscard]] HttpResponse jsonResponse(int status, const nlohmann::ordered_json& body);
// A text, or null.
[[nodiscard]] nlohmann::ordered_json textOrNull(const std::optional<std::string>& text);
[[nodiscard]] nlohmann::ordered_json jsonOf(const Refund& refund);
[[nodiscard]] HttpResponse responseOf(const Payment& payment, int status);
[[nodiscard]] HttpResponse responseOf(const Refund& refund, int status);

} // namespace fencepost::app
