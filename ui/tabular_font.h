// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace fencepost::ui {

// An OpenType font whose usual figures are its tabular ones, under a family of its own, made in memory: Qt 6.4 cannot
// ask a font for its feature "tnum". Empty: it is no such font, or it has no tabular figures.
[[nodiscard]] QByteArray withTabularFigures(const QByteArray& font, const QString& family, const QString& style);

} // namespace fencepost::ui
