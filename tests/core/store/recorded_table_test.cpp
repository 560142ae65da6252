// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/simulation/recording_source.h"
#include "core/simulation/report.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

using Observed = std::pair<std::string, std::int64_t>;

// Records of a month ago, whose retention is over, with what the journal says of them.
class RecordedTableTest : public InspectorTest {
protected:
    void SetUp() override
    {
        InspectorTest::SetUp();
        makeOwnTables();
        // Taken over behind a lease of 30 s, and done.
        addOwn({ .key = "taken", .status = "SUCCEEDED", .created = at, .expires = over, .attempt = 2, .code = 201 });
        set("taken",
            "started_at = " + own(at + 40s) + ", completed_at = " + own(at + 41s)
                + ", lease_expires_at = " + own(at + 70s));
        journal("taken", "ABSENT", "IN_PROGRESS", "reserve", at, 1);
        journal("taken", "IN_PROGRESS", "IN_PROGRESS", "reserve", at + 40s, 2);
        journal("taken", "IN_PROGRESS", "SUCCEEDED", "finalize", at + 41s, 2);
        // Left by who ran it.
        addOwn({ .key = "left", .created = at + 1min, .expires = over, .lease = at + 90s });
        journal("left", "ABSENT", "IN_PROGRESS", "reserve", at + 1min, 1);
        // Found by who came behind the lease, who may not take it over, and finished by its owner.
        addOwn({ .key = "late", .status = "SUCCEEDED", .created = at + 2min, .expires = over, .lease = at + 150s });
        set("late", "takeover_policy = 'manual', completed_at = " + own(at + 165s));
        journal("late", "ABSENT", "IN_PROGRESS", "reserve", at + 2min, 1);
        journal("late", "IN_PROGRESS", "HELD", "reserve", at + 160s, 1, "outcome_unknown");
        journal("late", "HELD", "SUCCEEDED", "finalize", at + 165s, 1);
        // Held, and nobody has looked yet.
        addOwn({ .key = "held", .created = at + 3min, .expires = over, .lease = at + 210s, .hold = true });
        journal("held", "ABSENT", "IN_PROGRESS", "reserve", at + 3min, 1);
        journal("held", "IN_PROGRESS", "HELD", "hold", at + 181s, 1, "outcome_unknown");
    }

    void set(const std::string& key, const std::string& values)
    {
        run("UPDATE idempotency_records SET " + values + " WHERE idempotency_key = '" + key + "'");
    }
    void journal(const std::string& key, const std::string& from, const std::string& to, const std::string& event,
        Duration when, int attempt, const std::string& reason = "")
    {
        run("INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
            "fence, attempt, owner, actor, reason, at) VALUES ('s', 'o', '"
            + key + "', '" + from + "', '" + to + "', '" + event + "', 1, " + std::to_string(attempt)
            + ", '00000000-0000-4000-8000-000000000001', 'w', '" + reason + "', " + own(when) + ")");
    }
    Result<simulation::Recording> read(const std::string& filter = {})
    {
        simulation::RecordingRequest request;
        if (!filter.empty())
            request.filter = *parseFilter(filter);
        return simulation::readRecording(inspector(), binding("idempotency_records"), request);
    }
    // With nothing changed.
    static std::vector<std::int64_t> again(const simulation::Recording& recording)
    {
        simulation::Scenario scenario;
        scenario.name = "again";
        const auto outcome = simulation::simulate(withRecording(scenario, recording));
        std::vector<std::int64_t> found;
        for (const auto& [name, number] : recording.observed)
            found.push_back(outcome[measureOf(*simulation::findMeasure(name))]);
        return found;
    }

    static constexpr Duration at = -std::chrono::hours(24 * 30);
    static constexpr Duration over = -std::chrono::hours(24 * 29);
};

INSTANTIATE_TEST_SUITE_P(Backends, RecordedTableTest, bothDialects(), nameOfDialect);

TEST_P(RecordedTableTest, IsWhatItWasAlthoughAllOfItHasExpiredSince)
{
    const auto shown = filtered(binding("idempotency_records"), "state = EXPIRED");
    ASSERT_EQ(shown.rows.size(), 3U) << "the held one is held";
    const auto recording = read();
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_EQ(recording->lease, 30s);
    EXPECT_THAT(recording->observed,
        ElementsAre(Observed("conflicts", 0), Observed("takeovers", 1), Observed("held", 1), Observed("stuck", 1),
            Observed("crashes", 2)));
    EXPECT_THAT(again(*recording), ElementsAre(0, 1, 1, 1, 2));
}

TEST_P(RecordedTableTest, TellsItsLeaseAlsoWhereAFilterLeavesNoOpenRecord)
{
    const auto recording = read("key = taken");
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_EQ(recording->lease, 30s);
    EXPECT_THAT(again(*recording), ElementsAre(0, 1, 0, 0, 1));
    const auto late = read("key = late");
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_THAT(again(*late), ElementsAre(0, 0, 0, 0, 0)) << "who came meanwhile took nothing from its owner";
}

TEST_P(RecordedTableTest, SaysThatNothingFits)
{
    const auto none = read("key = nothing_there");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, Failure::NotFound);
    EXPECT_THAT(none.error().message, HasSubstr("No record of idempotency_records fits the filter"));
    run("DELETE FROM idempotency_records");
    EXPECT_THAT(read().error().message, HasSubstr("idempotency_records has no record to run on"));
}

} // namespace
