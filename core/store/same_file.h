// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fencepost::store {

struct Target;

// Both are there, and are one, whatever they are called.
[[nodiscard]] bool isSameFile(const std::string& one, const std::string& other);
// What is written to `path` would take the place of the database's file, or of one that SQLite keeps beside it.
[[nodiscard]] bool isFileOf(const Target& target, const std::string& path);

} // namespace fencepost::store
