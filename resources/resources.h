// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fencepost {

// Makes ":/icons", ":/themes", ":/profiles" readable. A static library's resources are not registered by themselves.
void loadResources();

} // namespace fencepost
