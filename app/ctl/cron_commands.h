// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>

#include "app/ctl/context.h"

namespace fencepost::app {

void addCronCommands(CLI::App& app, Context& context);

} // namespace fencepost::app
