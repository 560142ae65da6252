// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMenuBar;

namespace fencepost::ui {

class Commands;

// Every command in a menu, in the order of the list.
void fillMenus(QMenuBar& bar, const Commands& commands);

} // namespace fencepost::ui
