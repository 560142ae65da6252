// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/snapshot/redaction_rules.h"

namespace fencepost::app {

inline constexpr std::int64_t anyLength = std::numeric_limits<std::int64_t>::max();

// Never more than `most` octets: what has more is refused.
[[nodiscard]] Result<std::string> readFile(const std::string& path, std::int64_t most = anyLength);
[[nodiscard]] Result<std::string> readStandardInput(std::int64_t most = anyLength);
// Without a path they are the standard ones.
[[nodiscard]] Result<RedactionRules> readRules(const std::string& path);
// `what` stands in the error's words: "The credential".
[[nodiscard]] Result<std::string> readDescriptor(int descriptor, const char* what);
// A slip of the hand must not cost a file of another kind, least of all the database itself: `isOurs` tells from the
// content of what is there. `what` stands in the error's words: "plan".
[[nodiscard]] Status checkReplaceable(
    const std::string& path, const char* what, const std::function<bool(std::string_view)>& isOurs);
// As writeFile() would find; nothing is left there.
[[nodiscard]] Status checkWritable(const std::string& path);
// Whole or not at all: written beside it, flushed to the disk, then renamed. What is no regular file, such as a device
// or a pipe, is never replaced: it is written into.
[[nodiscard]] Status writeFile(const std::string& path, const std::string& content);
// The same for what may hold payloads: a file that is made here is its owner's alone.
Status writePrivateFile(const std::string& path, const std::string& content);

} // namespace fencepost::app
