// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/random.h"
#include "core/result.h"

namespace fencepost {

constexpr std::size_t longestKey = 128; // characters

// Makes keys for logical operations: one key each, made before the first attempt and kept until the outcome is
// confirmed. The keys of one source that bear a time sort in the order in which they were made, also within a
// millisecond and after the clock stepped back: then the last time is kept and the random part goes up. Used by one
// thread at a time.
class KeySource {
public:
    // Both outlive the source.
    KeySource(const Clock& clock, Random& random);

    // RFC 9562 version 4: 122 random bits.
    [[nodiscard]] std::string uuid4();
    // RFC 9562 version 7, the random 74 bits as its method 2 (§6.2): within a millisecond up by 1 to 2^32.
    // Unavailable: the random part is used up until the next millisecond. Invalid: the clock is outside of 1970 to
    // 10889.
    [[nodiscard]] Result<std::string> uuid7();
    // github.com/ulid/spec with its monotonic random part: within a millisecond up by 1. Errors as for uuid7.
    [[nodiscard]] Result<std::string> ulid();
    // {client}-{milliseconds since 1970}-{64 random bits as hexadecimal digits}; the client is escaped as in
    // naturalKey. Invalid: the client is empty or so long that the key is over longestKey.
    [[nodiscard]] Result<std::string> clientKey(std::string_view client);
    // A name of one's own with a fresh ULID behind it: payment:create:tenant123:01JV… The parts are escaped and joined
    // as in naturalKey. Invalid: there are none, or the key is over longestKey.
    [[nodiscard]] Result<std::string> customKey(const std::vector<std::string>& parts);

private:
    // A time in milliseconds and the random bits behind it, which count upwards while the time stands.
    struct Sequence {
        std::optional<std::uint64_t> milliseconds;
        std::uint64_t high = 0;
        std::uint64_t low = 0;
    };
    enum class Step { One, Random };
    Status advance(Sequence& sequence, unsigned highBits, Step step);

    const Clock& m_clock;
    Random& m_random;
    Sequence m_uuid7;
    Sequence m_ulid;
};

// The same key for the same business fields, for callers that cannot keep a key: {order}-{amount}-{currency} and the
// like. The fields are joined by ':'; in a field ':', '%' and what is no visible ASCII is written %XX, and an absent
// field is
// "%-", so that no two lists of fields have one key. Over `longest` characters, the joined text is replaced by
// "%sha256:" and its digest in hexadecimal digits, behind the first field where that leaves room.
// Invalid: every field is absent or empty: the key is missing, not the hash of nothing.
[[nodiscard]] Result<std::string> naturalKey(
    const std::vector<std::optional<std::string>>& fields, std::size_t longest = longestKey);

// When a time-bearing key was made: a UUIDv7, or a ULID from 2016 on, in capitals or not, alone or as the part behind
// the last ':'.
[[nodiscard]] std::optional<Time> timeOfKey(std::string_view key) noexcept;

// Whether a key can be guessed or met by accident: under 16 characters, or under 64 bits as estimated from its length
// and the kinds of characters in it.
[[nodiscard]] bool isWeakKey(std::string_view key) noexcept;

} // namespace fencepost
