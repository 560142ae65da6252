// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace fencepost::app {

// An option whose value is empty was meant to say something: a variable of the shell is not set. Taken for one that was
// not given, it would send to all destinations, or at any rate. Positional arguments, and whatever is behind --, may be
// empty.

// CLI11 takes the next word for the value that "--to=" does not have. So that is refused, or made two words where the
// option may be empty. Throws CLI::ValidationError.
[[nodiscard]] std::vector<std::string> withEmptyValuesApart(
    const CLI::App& app, const std::vector<std::string>& words, std::span<const std::string_view> mayBeEmpty);
// For CLI11's parse_complete_callback, in front of every command. Throws CLI::ValidationError.
void refuseEmptyValues(const CLI::App& app, std::span<const std::string_view> mayBeEmpty);

} // namespace fencepost::app
