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

} // namespace fencepost
