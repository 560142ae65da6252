// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

namespace fencepost::test {

// Letters of 300 groups; the first `planned` of them died of a consumer, which has processed half of them.
void fillLetters(store::Connection& connection, int letters, int planned);

} // namespace fencepost::test
