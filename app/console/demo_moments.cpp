// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/demo_moments.h"

#include "core/clock.h"
#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

constexpr auto between = std::chrono::hours(2);

// By a clock that stands where the demo stopped.
Result<QString> snapshotAt(Time at, const std::string& demo, const char* name, const models::Snapshots& snapshots)
{
    const auto profiles = profile::shippedLibrary();
    if (!profiles)
        return profiles.error();
    const ManualClock clock(at);
    store::OpenRequest request;
    request.target.path = demo;
    request.options.access = store::Access::ReadOnly;
    request.clock = &clock;
    request.profiles = &*profiles;
    const auto backend = store::open(request);
    if (!backend)
        return backend.error();
    SnapshotRequest wanted;
    wanted.path = demo + name;
    wanted.actor = models::actorName();
    wanted.program = "fencepost " FENCEPOST_VERSION;
    if (const auto taken = snapshots.take(**backend, wanted); !taken)
        return taken.error();
    return QString::fromStdString(wanted.path);
}

} // namespace

Result<DemoMoments> makeDemoWithMoments(const DemoOptions& demo, const models::Snapshots& snapshots)
{
    DemoOptions whole = demo;
    whole.end = demo.end.value_or(SystemClock().now());
    DemoOptions half = whole;
    half.until = *whole.end - between;
    if (const auto made = makeDemo(half); !made)
        return made.error();
    const auto earlier = snapshotAt(*half.until, demo.path, ".earlier.snapshot", snapshots);
    if (!earlier)
        return earlier.error();
    if (const auto made = makeDemo(whole); !made)
        return made.error();
    const auto later = snapshotAt(*whole.end, demo.path, ".later.snapshot", snapshots);
    if (!later)
        return later.error();
    return DemoMoments{ *earlier, *later };
}

} // namespace fencepost::app
