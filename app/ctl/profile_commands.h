// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/ctl/context.h"

namespace fencepost::app {

struct ProfileFileOptions {
    std::string file;
};

// Reads the tables of the database through this one profile: rows per state, and each action without carrying it out.
int testProfile(Context& context, const ProfileFileOptions& options);

} // namespace fencepost::app
