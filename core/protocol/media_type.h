// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace fencepost {

// A Content-Type (RFC 9110 §8.3.1) as far as a fingerprint reads it.
struct MediaType {
    std::string essence; // type/subtype in lower case
    std::optional<std::string> charset; // in lower case
    std::optional<std::string> boundary; // as it is

    bool operator==(const MediaType&) const = default;
};

// Invalid, code VALIDATION.content_type: it is malformed, or says one of these parameters twice.
[[nodiscard]] Result<MediaType> parseMediaType(std::string_view value);
// essence, or essence;charset=…
[[nodiscard]] std::string canonical(const MediaType& type);
[[nodiscard]] bool isJson(const MediaType& type); // application/json, text/json and …+json
[[nodiscard]] bool isForm(const MediaType& type);
[[nodiscard]] bool isMultipart(const MediaType& type);

} // namespace fencepost
