// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/forensics.h"
#include "core/forensics/alert.h"
#include "tests/support/fake_inspector.h"

using namespace fencepost;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace {

constexpr Time noon{ std::chrono::sys_days(std::chrono::year{ 2026 } / 11 / 20) + 12h };

AlertRule ruleOf(const char* text)
{
    const auto rule = parseAlertRule(text);
    EXPECT_TRUE(rule) << text << ": " << rule.error().message;
    return rule ? *rule : AlertRule{ &alertMeasures().front() };
}

// A table whose counts, or whose failure, the test says.
class Watched final : public test::FakeInspector {
public:
    Watched()
        : FakeInspector(noon)
    {
    }

    Result<Counts> counts(const Binding&, const FilterPtr&, Duration) override
    {
        if (failure)
            return *failure;
        Counts counts;
        counts.stuck = { stuck, exactness };
        counts.oldestLease = oldestLease;
        counts.now = noon;
        return counts;
    }

    std::int64_t stuck = 0;
    Exactness exactness = Exactness::Exact;
    std::optional<Time> oldestLease;
    std::optional<Error> failure;
};

TEST(AlertTest, RulesAreReadAndWrittenAsTheyWere)
{
    for (const char* text : { "stuck > 10", "oldest_lease > 5m", "dead_letters > 20 in 5m", "conflicts > 0 in 1d",
             "retries > 20% in 1h30m", "retries > 12.5% in 5m", "outbox_lag > 1m30s250ms", "oldest_lease > 1d2h3m4s" })
        EXPECT_EQ(textOf(ruleOf(text)), text);
    EXPECT_EQ(textOf(ruleOf(" stuck>10 ")), "stuck > 10");
    EXPECT_EQ(textOf(ruleOf("retries > 20 %")), "retries > 20% in 5m");
    EXPECT_EQ(textOf(ruleOf("dead_letters > 1")), "dead_letters > 1 in 5m");
    EXPECT_DOUBLE_EQ(ruleOf("retries > 20%").above, 0.2);
    EXPECT_DOUBLE_EQ(ruleOf("oldest_lease > 1500ms").above, 1.5);
    for (const auto& measure : alertMeasures())
        EXPECT_EQ(ruleOf(measure.example).measure, &measure);
}

TEST(AlertTest, ARuleThatIsNoneIsRefused)
{
    for (const char* text : { "", "stuck", "stuck 10", "> 3", "stuck >", "stuck > -1", "stuck > many", "stuck > nan",
             "stuck > inf", "stuck > 1e999", "stuck > 5m", "stuck > 5%", "stuck > 5 in 5m", "Stuck > 5", "retries > 2",
             "retries > %", "oldest_lease > 5", "oldest_lease > -5m", "conflicts > 3 in 0s", "conflicts > 3 in 8d",
             "conflicts > 3 in", "conflicts > 3 in a while", "conflicts > 3 > 4", "stuck > 3; stuck > 4" }) {
        const auto rule = parseAlertRule(text);
        ASSERT_FALSE(rule) << text << " is " << textOf(*rule);
        EXPECT_EQ(rule.error().failure, Failure::Invalid) << text;
        EXPECT_NE(rule.error().message, "") << text;
    }
}

TEST(AlertTest, FlowsAreCountedByWhatTheyTell)
{
    const std::vector<Flow> flows{ { "ABSENT", "IN_PROGRESS", "reserve", 10 },
        { "EXPIRED", "IN_PROGRESS", "reserve", 2 }, { "FAILED_RETRYABLE", "IN_PROGRESS", "reserve", 5 },
        { "IN_PROGRESS", "IN_PROGRESS", "reserve", 1 }, { "IN_PROGRESS", "HELD", "reserve", 100 },
        { "SUCCEEDED", "SUCCEEDED", "mismatch", 4 }, { "IN_PROGRESS", "SUCCEEDED", "finalize", 50 } };
    const auto retries = alertFlowsOf(ruleOf("retries > 20%"), Kind::Idempotency, flows);
    EXPECT_EQ(retries.first, 12);
    EXPECT_EQ(retries.again, 6);
    EXPECT_EQ(alertFlowsOf(ruleOf("conflicts > 1"), Kind::Idempotency, flows).counted, 4);
    const std::vector<Flow> letters{ { "ABSENT", "DEAD", "die", 7 }, { "DEAD", "REDRIVEN", "redrive", 3 } };
    EXPECT_EQ(alertFlowsOf(ruleOf("dead_letters > 1"), Kind::DeadLetter, letters).counted, 7);
    const std::vector<Flow> inbox{ { "PROCESSING", "DEAD", "die", 7 }, { "ABSENT", "DEAD", "conflict", 3 } };
    EXPECT_EQ(alertFlowsOf(ruleOf("conflicts > 1"), Kind::Inbox, inbox).counted, 3);
    EXPECT_EQ(alertFlowsOf(ruleOf("dead_letters > 1"), Kind::Inbox, inbox).counted, 0)
        << "the letter counts, not its event";
}

TEST(AlertTest, ARuleFiresOnceAndCeasesOnce)
{
    Watched table;
    AlertWatch watch({ ruleOf("stuck > 2"), ruleOf("oldest_lease > 5m") });
    EXPECT_THAT(watch.look(table), SizeIs(0));
    table.stuck = 2;
    EXPECT_THAT(watch.look(table), SizeIs(0)) << "it is not over it";
    table.stuck = 3;
    auto changes = watch.look(table);
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_TRUE(changes[0].state.firing);
    EXPECT_EQ(changes[0].at, noon);
    EXPECT_EQ(alertInWords(changes[0]), "stuck > 2: 3 rows that nobody works on any more, most in idempotency_records");
    EXPECT_TRUE(watch.firing());
    table.stuck = 30;
    EXPECT_THAT(watch.look(table), SizeIs(0)) << "it was told";
    table.information().now = noon + 90s;
    table.stuck = 0;
    changes = watch.look(table);
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_FALSE(changes[0].state.firing);
    EXPECT_EQ(changes[0].lasted, Duration(90s));
    EXPECT_THAT(alertInWords(changes[0]), HasSubstr("over after 1m 30s"));
    EXPECT_FALSE(watch.firing());

    table.oldestLease = noon - 5min;
    EXPECT_THAT(watch.look(table), SizeIs(0));
    table.oldestLease = noon - 6min;
    ASSERT_THAT(watch.look(table), SizeIs(1));
    EXPECT_DOUBLE_EQ(watch.states()[1].reading->value, 360);
    table.oldestLease = noon + 6min;
    ASSERT_THAT(watch.look(table), SizeIs(1)) << "a lease that lives is none";
}

TEST(AlertTest, WhatCannotBeReadNeitherFiresNorCeases)
{
    Watched table;
    table.stuck = 9;
    AlertWatch watch({ ruleOf("stuck > 2") });
    ASSERT_THAT(watch.look(table), SizeIs(1));
    table.failure = Error{ Failure::Unavailable, "The server is gone", "" };
    EXPECT_THAT(watch.look(table), SizeIs(0));
    EXPECT_TRUE(watch.firing());
    ASSERT_TRUE(watch.states()[0].error);
    EXPECT_EQ(watch.states()[0].reading->value, 9) << "what was known stays";
    table.failure.reset();
    table.stuck = 1;
    table.exactness = Exactness::AtLeast;
    EXPECT_THAT(watch.look(table), SizeIs(0)) << "there may be more";
    EXPECT_FALSE(watch.states()[0].error);
    table.exactness = Exactness::Exact;
    EXPECT_THAT(watch.look(table), SizeIs(1));
}

TEST(AlertTest, ARuleThatNoTableTellsOfIsNotQuiet)
{
    Watched table;
    AlertWatch watch({ ruleOf("outbox_lag > 1m"), ruleOf("dead_letters > 1"), ruleOf("conflicts > 1") });
    EXPECT_THAT(watch.look(table), SizeIs(0));
    for (const auto& state : watch.states()) {
        ASSERT_TRUE(state.error) << textOf(state.rule);
        EXPECT_EQ(state.error->failure, Failure::Unsupported);
    }
}

} // namespace
