// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/ctl/context.h"

namespace fencepost::app {

struct ProfileFileOptions {
    std::string file;
};

// Why a table is not read through a profile that was made or chosen for it.
[[nodiscard]] std::string whyUnfit(const Unfit& unfit);

// Reads the tables of the database through this one profile: rows per state, and each action without carrying it out.
int testProfile(Context& context, const ProfileFileOptions& options);

} // namespace fencepost::app
