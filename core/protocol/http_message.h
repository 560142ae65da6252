// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/record.h"

namespace fencepost {

struct HttpRequest {
    std::string method; // as it stands in the request line
    std::string target; // origin form: /v1/refunds?dry=1
    Headers headers; // every line on its own, in their order
    Bytes body; // as it came, still encoded
    std::string principal; // who is asking, from the service's own authentication; empty: nobody it knows

    bool operator==(const HttpRequest&) const = default;
};

struct HttpResponse {
    int status = 200;
    Headers headers;
    Bytes body;

    bool operator==(const HttpResponse&) const = default;
};

// RFC 9110 §9.2.1: asks and changes nothing.
[[nodiscard]] bool isSafeMethod(std::string_view method) noexcept;

// All lines of a field, whatever the case of their names.
[[nodiscard]] std::vector<std::string_view> linesOf(const Headers& headers, std::string_view name);
// The first line of a field.
[[nodiscard]] std::optional<std::string_view> lineOf(const Headers& headers, std::string_view name);
[[nodiscard]] std::string_view pathOf(const HttpRequest& request);
[[nodiscard]] std::string_view queryOf(const HttpRequest& request); // without the question mark

// IMF-fixdate (RFC 9110 §5.6.7), rounded down to seconds: Wed, 21 Oct 2026 07:28:00 GMT.
[[nodiscard]] std::string httpDate(Time time);

} // namespace fencepost
