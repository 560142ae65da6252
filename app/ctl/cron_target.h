// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/protocol/cron_registry.h"

namespace fencepost::app {

// One slot of a job.
struct CronSlot {
    const CronJob* job = nullptr;
    Time at;

    [[nodiscard]] RecordId id() const { return { cronScope, job->id, runIdOf(job->id, at) }; }
};

struct PostedSlot {
    std::string outcome; // a word of Outcome, or "failed"
    std::string reason;
    std::optional<int> status; // of the target's answer
    int code = Exit::Done;
};

// POST to the job's address, once per slot: the run's id is the request's idempotency key, so that the target does
// nothing twice either. Runs the main thread's event loop meanwhile.
[[nodiscard]] PostedSlot postSlot(Context& context, const CronSlot& slot, const std::string& url);

} // namespace fencepost::app
