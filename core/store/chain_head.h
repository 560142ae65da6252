// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"

namespace fencepost::store {

// How far an audit file had come, in a small file beside it. A chain proves that nothing within it was changed; that
// the file itself was not taken away or put back from long ago is only known from outside. Whoever takes both away, or
// sets both back, is not found out: for that, the head that `audit verify` prints is kept elsewhere.
class ChainHead {
public:
    struct Mark {
        std::int64_t entries = 0;
        std::string hash; // of the last of them
    };

    explicit ChainHead(std::string path);

    [[nodiscard]] const std::string& path() const { return m_path; }
    // None: there is no such file. Corrupt: it says nothing that can be understood.
    [[nodiscard]] Result<std::optional<Mark>> read() const;
    // On disk as a whole or not at all. Called when the entries are on disk themselves, so it may be behind them after
    // a crash and is never ahead.
    Status write(const Mark& mark) const;

private:
    std::string m_path;
};

} // namespace fencepost::store
