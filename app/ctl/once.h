// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/ctl/context.h"
#include "core/protocol/cron_registry.h"

namespace fencepost::app {

struct OnceOptions {
    std::string key; // JOB@INSTANT
    std::string scope = cronScope;
    std::string ttl;
    std::string lease;
    std::string takeover;
    bool retryFailed = false;
    std::vector<std::string> scopes; // what its registry lets it do, told to the command
    std::vector<std::string> command;
};

struct OnceEnd {
    std::string outcome; // a word of Outcome, or "failed": nothing was run, for a reason that was told
    int code = 0; // to exit with
};

// Runs a command once per key and reports it, or repeats what it said.
[[nodiscard]] OnceEnd runOnce(Context& context, const OnceOptions& options);

} // namespace fencepost::app
