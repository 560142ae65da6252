// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace fencepost::ui {

// Wrapped text keeps the height that it needs at this width. A dialog of a fixed width would otherwise be laid out for
// the width that its text would like best, and cut it.
inline void wrapWithin(QLabel& label, int width)
{
    label.setWordWrap(true);
    label.setMinimumHeight(label.heightForWidth(width));
}

} // namespace fencepost::ui
