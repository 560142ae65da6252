// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fencepost::models {

// Text of a database in a cell of a Markdown table: it neither ends the cell nor becomes a link, an image, HTML or
// emphasis. An underscore within a word is none, and is left as it is.
[[nodiscard]] inline QString markdownCell(const QString& text)
{
    const auto isWithinWord = [&](qsizetype at) {
        return at > 0 && at + 1 < text.size() && text.at(at - 1).isLetterOrNumber()
            && text.at(at + 1).isLetterOrNumber();
    };
    QString cell;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar character = text.at(at);
        if (character == QLatin1Char('\n') || character == QLatin1Char('\r')) {
            cell += QLatin1Char(' ');
            continue;
        }
        if (QStringLiteral("\\|<[`*~").contains(character) || (character == QLatin1Char('_') && !isWithinWord(at)))
            cell += QLatin1Char('\\');
        cell += character;
    }
    return cell;
}

} // namespace fencepost::models
