// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <QString>

namespace fencepost::models {

// Text of a database, made fit to be looked at: whatever draws nothing, or turns around what stands beside it, is shown
// as an escape. Letters that read from the right are letters and stay.

// For one line: line breaks and tabs are escapes as well.
[[nodiscard]] QString visibleLine(const QString& text);
// Line breaks and tabs belong to the text.
[[nodiscard]] QString visibleLines(const QString& text);
// One line; octets that are no UTF-8 are shown as \xNN. Credentials in a URL are hidden.
[[nodiscard]] QString visibleText(const std::string& text);
[[nodiscard]] QString visibleText(const std::optional<std::string>& text);

} // namespace fencepost::models
