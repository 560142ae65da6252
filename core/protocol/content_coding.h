// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/ids.h"
#include "core/result.h"

namespace fencepost {

// Takes the codings of a Content-Encoding (RFC 9110 §8.4) off a body, the last one first: gzip, x-gzip, deflate (with
// the zlib format around it or, as some clients send it, without) and identity. No more than `longest` octets are ever
// made. Invalid, code VALIDATION.body_too_large: it would be longer; code VALIDATION.content_encoding: the body is not
// what it says, is cut off or has octets behind it. Unsupported, same code: another coding, or more than four.
[[nodiscard]] Result<Bytes> decodeContent(std::string_view encodings, std::string_view body, std::size_t longest);

} // namespace fencepost
