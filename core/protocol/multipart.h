// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/record.h"
#include "core/result.h"

namespace fencepost {

// One part of a multipart body (RFC 2046 §5.1).
struct MultipartPart {
    Headers headers; // names in lower case, sorted by name; folded lines are one
    std::string_view body; // into the text that was parsed
};

// The parts in order, without boundary, preamble and epilogue. Invalid, code VALIDATION.multipart: a boundary of none
// or over 70 characters, no closing delimiter, or a part whose headers do not end.
[[nodiscard]] Result<std::vector<MultipartPart>> multipartParts(std::string_view body, std::string_view boundary);
// SHA-256("multipart\n" and, for each part in order, the 32 octets of SHA-256("name: value\n" … "\n" body)): the same
// parts have one digest, whatever boundary the client drew.
[[nodiscard]] Bytes multipartDigest(const std::vector<MultipartPart>& parts);

} // namespace fencepost
