// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "core/ids.h"

namespace fencepost {

// SHA-256 of octets that come piece by piece.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view octets); // pieces may be as small as they come
    // 32 octets. Nothing may be added afterwards.
    [[nodiscard]] Bytes finish();

private:
    struct Context;
    void flush();

    std::unique_ptr<Context> m_context;
};

// A list of parts, each with its length in front, so that no two lists are one text. The title says what they are.
class PartsDigest {
public:
    explicit PartsDigest(std::string_view title);
    void add(std::string_view part);
    [[nodiscard]] Bytes finish() { return m_digest.finish(); }
    // Its first 16 octets as a UUID of version 8 (RFC 9562 §5.8): one name for one thing, whoever makes it.
    [[nodiscard]] std::string finishAsUuid();

private:
    Sha256 m_digest;
};

} // namespace fencepost
