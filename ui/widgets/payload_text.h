// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include <QString>

#include "core/inspector.h"

namespace fencepost::ui {

enum class PayloadForm { Empty, Json, Text, Hex };

// A payload as it can be read: always plain text, never markup, and never more than the bytes at hand.
struct PayloadText {
    PayloadForm form = PayloadForm::Empty;
    QString text;
    QString caption; // "application/json · 1.2 KiB", "first 64 KiB of 64 MiB"
};

[[nodiscard]] PayloadText read(const Payload& payload);

// Two-space indentation without changing one token: numbers keep their digits, members their order and duplicates.
// What is not JSON, or is cut off, comes back as far as it goes.
[[nodiscard]] std::string indentJson(std::string_view json);
// "00000000  7b 22 …  {"…", sixteen octets a line.
[[nodiscard]] QString hexDump(std::string_view bytes);
// Control characters and direction overrides as visible escapes, so that a value cannot redraw its surroundings.
[[nodiscard]] QString visible(const QString& text);
[[nodiscard]] QString visible(std::string_view utf8);

} // namespace fencepost::ui
