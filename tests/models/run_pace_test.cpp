// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/run_pace.h"

namespace fencepost::models {
namespace {

using namespace std::chrono_literals;

OperationRun at(Duration when, std::int64_t done)
{
    OperationRun run;
    run.requestId = "r1";
    run.runner = "somebody";
    run.total = 100;
    run.changed = done - 1;
    run.skipped = 1;
    run.now = timeFromMicros(1'000'000'000) + when;
    run.beatAt = run.now;
    return run;
}

TEST(RunPace, IsThatOfTheLastSeconds)
{
    RunPace pace;
    EXPECT_FALSE(pace.perSecond());
    pace.add(at(0s, 10));
    EXPECT_FALSE(pace.perSecond()) << "one look tells no pace";
    pace.add(at(500ms, 15));
    EXPECT_FALSE(pace.perSecond());
    pace.add(at(2s, 20));
    EXPECT_DOUBLE_EQ(pace.perSecond().value(), 5);
    EXPECT_EQ(pace.timeLeft(), 16s);
    pace.add(at(4s, 20));
    EXPECT_DOUBLE_EQ(pace.perSecond().value(), 2.5);
    pace.add(at(30s, 20));
    pace.add(at(60s, 20));
    EXPECT_DOUBLE_EQ(pace.perSecond().value(), 0);
    EXPECT_FALSE(pace.timeLeft()) << "nobody can tell";
}

TEST(RunPace, BeginsAnewBehindAPauseAndWithAnotherRun)
{
    RunPace pace;
    pace.add(at(0s, 10));
    pace.add(at(2s, 20));
    ASSERT_TRUE(pace.perSecond());
    auto paused = at(4s, 20);
    paused.phase = RunPhase::Paused;
    pace.add(paused);
    EXPECT_FALSE(pace.perSecond());
    pace.add(at(6s, 20));
    pace.add(at(8s, 40));
    EXPECT_DOUBLE_EQ(pace.perSecond().value(), 10) << "the pause does not count";
    auto dead = at(100s, 40);
    dead.beatAt = dead.now - 60s;
    pace.add(dead);
    EXPECT_FALSE(pace.perSecond());
    pace.add(at(102s, 40));
    pace.add(at(104s, 50));
    auto other = at(106s, 60);
    other.requestId = "r2";
    pace.add(other);
    EXPECT_FALSE(pace.perSecond());
}

} // namespace
} // namespace fencepost::models
