// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fencepost::ui {

// A tooltip that shows data as it is: escaped and marked as rich text, so that a value which looks like markup is not
// read as such, and long ones break.
[[nodiscard]] inline QString plainToolTip(const QString& text)
{
    if (text.isEmpty())
        return {};
    constexpr qsizetype longest = 4000;
    const auto shown = text.size() > longest ? text.left(longest) + QStringLiteral("…") : text;
    return QStringLiteral("<p style=\"white-space:pre-wrap;margin:0\">%1</p>").arg(shown.toHtmlEscaped());
}

} // namespace fencepost::ui
