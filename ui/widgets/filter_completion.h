// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QList>
#include <QString>
#include <QStringList>

#include "core/query/filter.h"

namespace fencepost::ui {

// What may follow at a place in a filter being typed. `from` and `length` say which characters a choice replaces.
struct Completion {
    qsizetype from = 0;
    qsizetype length = 0;
    QStringList words;
};

// `states`: those of the rows that are filtered; empty: all that there are.
[[nodiscard]] Completion completionsAt(const QString& text, qsizetype cursor, const QStringList& states = {});

struct FilterMistake {
    qsizetype at = 0; // index in the text
    QString message; // without the position
};

// The parser's "at 7: …" taken apart, so that the field can point at the character.
[[nodiscard]] FilterMistake mistakeOf(const Error& error, qsizetype textLength);

// Whether the filter asks for the flag or the state at its top level, which a chip shows as pressed.
[[nodiscard]] bool asksFor(const FilterPtr& filter, Flag flag);
[[nodiscard]] bool asksFor(const FilterPtr& filter, const std::string& state);
// The filter's text with a flag or a state added to, or taken from, its top level. Nothing where the text has a
// mistake.
[[nodiscard]] std::optional<QString> withFlag(const QString& text, Flag flag, bool on);
[[nodiscard]] std::optional<QString> withState(const QString& text, const std::string& state, bool on);

} // namespace fencepost::ui
