// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fencepost::models {

// Text of a database in a cell of a Markdown table: it neither ends the cell nor becomes a link, an image or HTML.
[[nodiscard]] inline QString markdownCell(const QString& text)
{
    QString cell;
    for (const QChar character : text) {
        if (character == QLatin1Char('\n') || character == QLatin1Char('\r')) {
            cell += QLatin1Char(' ');
            continue;
        }
        if (QStringLiteral("\\|<[`").contains(character))
            cell += QLatin1Char('\\');
        cell += character;
    }
    return cell;
}

} // namespace fencepost::models
