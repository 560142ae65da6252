// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/cron_schedule.h"

namespace fencepost {

// Which slots are made up for when nobody ran them in time.
enum class MissedSlots {
    Skip, // none
    Latest, // the last one
    All, // each of them, oldest first
};

[[nodiscard]] std::string_view wordOf(MissedSlots missed) noexcept; // "skip", "latest", "all"

// One job: what is due at each slot of its schedule, once.
struct CronJob {
    std::string id;
    std::string scheduleText;
    CronSchedule schedule;
    std::vector<std::string>
        command; // a command and its arguments, or a URL, or the name of the variable that holds it
    std::string url;
    std::string urlVariable;
    std::string path; // behind the variable's value
    std::vector<std::string> scopes = { "cron" }; // what it may do at its target
    MissedSlots missed = MissedSlots::Latest;
    Duration catchUp = std::chrono::hours(24); // no slot that is older is made up for
};

// fencepost.cron.json.
struct CronRegistry {
    std::vector<CronJob> jobs;
};

// Invalid: the message says where, what it is and what is expected: "jobs[2].schedule: …".
[[nodiscard]] Result<CronRegistry> parseCronRegistry(std::string_view text);

// The slots that are due at an instant, oldest first: those of the last minute in any case, and before them what the
// job makes up for. At most a thousand.
[[nodiscard]] std::vector<Time> dueSlots(const CronJob& job, Time now);

// The scope of the records of all runs: what a job may do at its target is no part of which run it is, so that a right
// which is given or taken carries no slot out again.
inline constexpr const char* cronScope = "cron";

// JOB@INSTANT: the idempotency key of what is done for a slot. A whole second has no fraction.
[[nodiscard]] std::string runIdOf(std::string_view job, Time slot);

} // namespace fencepost
