// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace fencepost::app {

// A key may begin with a dash, and one --key may name several. Where a command takes keys, whatever is no option of the
// program is made a value for CLI11, in the words' own order.
[[nodiscard]] std::vector<std::string> withKeysAsValues(const CLI::App& app, std::vector<std::string> words);
// A value as it was typed.
[[nodiscard]] std::string asTyped(const std::string& value);
[[nodiscard]] std::vector<std::string> asTyped(const std::vector<std::string>& values);

} // namespace fencepost::app
