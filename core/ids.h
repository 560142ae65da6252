// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/random.h"
#include "core/result.h"

namespace fencepost {

// Raw octets: hashes, bodies. Not text.
using Bytes = std::string;

// The primary key of an idempotency record: the same key under another scope or operation is another operation.
struct RecordId {
    std::string scope; // route or business area plus principal
    std::string operation; // operation type
    std::string key; // the client's idempotency key

    auto operator<=>(const RecordId&) const = default;
};

// One acquisition of a record, never a worker's name: a UUID, whose digits are kept in lower case so that every store
// compares it alike.
struct Owner {
    Owner() = default;
    Owner(std::string text); // what is no UUID stays as it is, to be refused by who takes it

    std::string uuid;

    auto operator<=>(const Owner&) const = default;
};

// Store-wide, strictly increasing over all time and per record. 0 is never handed out.
struct Fence {
    std::int64_t value = 0;

    auto operator<=>(const Fence&) const = default;
};

// RFC 9562 version 4.
[[nodiscard]] std::string uuid4(Random& random);
[[nodiscard]] bool isUuid(std::string_view text) noexcept;

[[nodiscard]] std::string toHex(std::string_view bytes);
[[nodiscard]] Result<Bytes> fromHex(std::string_view text);
[[nodiscard]] Bytes sha256(std::string_view bytes);
[[nodiscard]] bool isUtf8(std::string_view text) noexcept;
[[nodiscard]] bool isBlank(std::string_view text) noexcept; // nothing but white space

} // namespace fencepost
