// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/protocol/http_message.h"

namespace fencepost {

enum class IfMatch {
    Optional,
    Required, // without it 428: nobody may overwrite what somebody else has written meanwhile
};

// If-Match of an update (RFC 9110 §13.1.1): `current` is the resource's entity tag with its quotes, none where there is
// no such resource. Compared strongly: a weak tag never matches. None: go on. Else 412, 428, or 400 for what is no list
// of entity tags. The answer is kept like every other: a route that compares names "if-match" among the headers of its
// fingerprint, so that the same key with another tag is another request, and its client takes a new key (§3.6).
[[nodiscard]] std::optional<HttpResponse> checkIfMatch(
    const HttpRequest& request, const std::optional<std::string>& current, IfMatch rule);

} // namespace fencepost
