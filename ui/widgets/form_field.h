// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QLabel;
class QLineEdit;
class QWidget;

namespace fencepost::ui {

// What the fields of a scrolled form have in common.

// The wheel scrolls the form: only a field that was chosen, by a click or a key, is turned by it.
void leaveWheelToForm(QWidget& field);

// Its text is no value: a red border, and the line below it says why. Empty: it is one, and there is no line.
void showProblem(QLineEdit& field, QLabel& line, const QString& problem);

// The line below a field, hidden while there is nothing to say.
[[nodiscard]] QLabel* makeProblemLine(QWidget* parent);

} // namespace fencepost::ui
