// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/result.h"
#include "core/snapshot/redaction_rules.h"

namespace fencepost::app {

[[nodiscard]] Result<std::string> readFile(const std::string& path);
[[nodiscard]] Result<std::string> readStandardInput();
// Without a path they are the standard ones.
[[nodiscard]] Result<RedactionRules> readRules(const std::string& path);
// `what` stands in the error's words: "The credential".
[[nodiscard]] Result<std::string> readDescriptor(int descriptor, const char* what);
// As writeFile() would find; nothing is left there.
[[nodiscard]] Status checkWritable(const std::string& path);
// Whole or not at all: written beside it, flushed to the disk, then renamed.
[[nodiscard]] Status writeFile(const std::string& path, const std::string& content);

} // namespace fencepost::app
