// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/protocol/policy.h"
#include "core/result.h"
#include "core/time.h"

namespace fencepost::app {

struct DemoOptions {
    std::string path;
    std::uint64_t seed = 1;
    std::optional<Time> end; // of the two days that it shows; none: now
    std::optional<Time> until; // what comes later has not happened yet; none: the end
};

struct DemoReport {
    Time begin;
    Time end;
    std::int64_t storeCalls = 0;
};

// Makes an SQLite database with two days of a payments service in it, by running the protocol on a clock of its own.
// The same seed and end give the same rows, and an earlier `until` those that were there by then. Replaces an earlier
// demo at this path; Conflict: something else is there.
[[nodiscard]] Result<DemoReport> makeDemo(const DemoOptions& options);

// The policies under which the demo's service runs.
[[nodiscard]] Result<Policy> demoPolicy();
[[nodiscard]] Result<std::string> demoPolicyText();

} // namespace fencepost::app
