// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/protocol/http_message.h"
#include "core/time.h"

namespace fencepost {

// problem+json (RFC 9457) with error_code. `status` none: the code's own.
struct Problem {
    std::string_view code;
    std::optional<int> status = {};
    std::string detail = {}; // empty: the code's hint
    std::optional<Duration> retryAfter = {};
    std::string operation = {}; // URL
};
[[nodiscard]] HttpResponse problemResponse(const Problem& problem);

// 413, for a body of more octets than are read.
[[nodiscard]] HttpResponse tooLarge(std::size_t longest);

// A problem that says which request it is about: `instance` is the path, where the problem has none and was not stored.
[[nodiscard]] HttpResponse withInstance(HttpResponse response, const HttpRequest& request);
// One that may be tried again says when, in its head and in its problem, unless it does so already.
[[nodiscard]] HttpResponse transientAnswer(HttpResponse response, Duration retryAfter);

} // namespace fencepost
