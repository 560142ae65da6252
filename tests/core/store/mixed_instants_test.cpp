// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {
namespace {

// One instant in columns of five encodings.
class MixedInstants : public FrameworkTest {
protected:
    struct Column {
        const char* name;
        std::optional<Time> Row::*instant;
    };
    static constexpr Column columns[] = { { "s", &Row::createdAt }, { "ms", &Row::startedAt }, { "z", &Row::updatedAt },
        { "b", &Row::finishedAt }, { "w", &Row::nextAttemptAt } };

    void SetUp() override
    {
        FrameworkTest::SetUp();
        makeTable();
    }

    void makeTable()
    {
        run(std::string("CREATE TABLE mixed (id TEXT PRIMARY KEY, st TEXT, s BIGINT, ms BIGINT, ")
            + (sqlite() ? "z TEXT, b TEXT, " : "z timestamptz, b timestamp, ") + "w TEXT, n BIGINT)");
        insert("past", -30min);
        insert("ahead", 5h);
    }

    void insert(const std::string& id, Duration from)
    {
        const auto at = whole + from;
        const auto seconds = microsOf(at) / 1'000'000;
        const auto local = formatInstant(at + 2h); // in Berlin's summer
        run("INSERT INTO mixed VALUES ('" + id + "', 'open', " + std::to_string(seconds) + ", "
            + std::to_string(seconds) + "000, '" + formatInstant(at).substr(0, 19) + "Z', '" + local.substr(0, 10) + ' '
            + local.substr(11, 8) + "', '" + formatInstant(at).substr(0, 10) + ' ' + formatInstant(at).substr(11, 8)
            + "', 60)");
    }

    [[nodiscard]] static std::string profileWith(const std::string& stuck, const std::string& set)
    {
        return R"({"profile": "test.mixed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "st", "s", "ms", "z", "b", "w", "n"]}},
            "source": {"tables": {"t": "mixed"}}, "identity": ["id"],
            "time": {"s": "epoch_s", "ms": "epoch_ms", "z": {"postgresql": "tz", "sqlite": "isoZ"},
                     "b": "naive:Europe/Berlin", "w": "iso"},
            "fields": {"key": ["col", "id"], "raw_state": ["col", "st"], "created_us": ["col", "s"],
                       "started_us": ["col", "ms"], "updated_us": ["col", "z"], "finished_us": ["col", "b"],
                       "next_attempt_us": ["col", "w"]},
            "state": [{"when": ["eq", ["col", "st"], "open"], "is": "IN_PROGRESS"}, {"when": ["true"], "is": "FAILED_FINAL"}],
            "stuck": )"
            + stuck + R"(, "fencing": "none",
            "actions": {"fail": {"title": "Fail it", "risk": "low", "steps": [{"set": {"st": "done")"
            + set + R"(}, "when": ["eq", ["col", "st"], "open"], "unchanged": ["st"]}]}}})";
    }

    std::string stuckBy(const std::string& condition)
    {
        const auto added = library.add(profileWith(condition, ""), "mixed.json");
        EXPECT_TRUE(added) << added.error().message;
        return keysOf(rowsOf(bindingOf("test.mixed"), "stuck"));
    }

    static const Capability* capabilityOf(const Binding& binding, const std::string& verb)
    {
        const auto found = std::find_if(binding.capabilities.begin(), binding.capabilities.end(),
            [&](const Capability& capability) { return capability.verb == verb; });
        return found != binding.capabilities.end() ? &*found : nullptr;
    }

    const Time whole = timeFromMicros(1'780'000'000'000'000);
};

INSTANTIATE_TEST_SUITE_P(Backends, MixedInstants, bothDialects(), nameOfDialect);

std::string column(const char* name)
{
    return std::string(R"(["col", ")") + name + "\"]";
}

TEST_P(MixedInstants, AreComparedAsInstants)
{
    for (const auto& each : columns) {
        SCOPED_TRACE(each.name);
        const auto one = column(each.name);
        for (const auto* meant : { R"(["now"])", R"(["now", "epoch_s"])", R"(["now", "isoZ"])" }) {
            EXPECT_EQ(stuckBy("[\"lt\", " + one + ", " + meant + "]"), "past") << meant;
            EXPECT_EQ(stuckBy("[\"ge\", " + one + ", " + meant + "]"), "ahead") << meant;
            EXPECT_EQ(stuckBy(std::string("[\"gt\", ") + meant + ", " + one + "]"), "past") << meant;
        }
        EXPECT_EQ(stuckBy("[\"le\", " + one + R"(, ["add_interval", ["now"], "PT6H"]])"), "ahead past");
        EXPECT_EQ(stuckBy("[\"le\", " + one + R"(, ["add_s", ["now"], 7200]])"), "past");
        for (const auto& other : columns) {
            SCOPED_TRACE(other.name);
            const auto two = column(other.name);
            EXPECT_EQ(stuckBy("[\"eq\", " + one + ", " + two + "]"), "ahead past");
            EXPECT_EQ(stuckBy("[\"ne\", " + one + ", " + two + "]"), "");
            EXPECT_EQ(stuckBy("[\"lt\", " + one + ", [\"add_s\", " + two + ", 1]]"), "ahead past");
            EXPECT_EQ(stuckBy("[\"gt\", [\"coalesce\", " + one + ", " + two + R"(], ["now"]])"), "ahead");
        }
    }
}

// A number of seconds is made of more than one column, and told what now is among such.
TEST_P(MixedInstants, NowIsComparedInItsOwnFormWithWhatTellsNone)
{
    EXPECT_EQ(stuckBy(R"(["lt", ["add", ["col", "s"], ["col", "n"]], ["now", "epoch_s"]])"), "past");
    EXPECT_EQ(stuckBy(R"(["lt", ["now", "epoch_s"], ["add", ["col", "s"], ["col", "n"]]])"), "ahead");
    const auto added =
        library.add(profileWith(R"(["lt", ["add", ["col", "s"], ["col", "n"]], ["now"]])", ""), "mixed.json");
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().message.find("mixed.json: /stuck/1: found [\"add\""), std::string::npos)
        << added.error().message;
    ASSERT_TRUE(library.add(profileWith(R"(["lt", ["col", "n"], ["now"]])", ""), "mixed.json"));
    const auto binding = bindingOf("test.mixed");
    EXPECT_FALSE(binding.canRead) << "nobody says what a count is among instants";
    ASSERT_FALSE(binding.warnings.empty());
    EXPECT_NE(binding.warnings[0].find("\"n\""), std::string::npos) << binding.warnings[0];
}

TEST_P(MixedInstants, AreSetFromEachOther)
{
    for (const auto& target : columns)
        for (const auto& source : columns) {
            const auto from = column(source.name);
            for (const auto& value : { from, "[\"coalesce\", " + from + ", " + column("s") + "]",
                     "[\"greatest\", " + from + ", " + column("ms") + "]",
                     "[\"case\", [[[\"is_null\", " + column("w") + "], " + column("z") + "]], " + from + "]",
                     "[\"case\", [[[\"not_null\", " + column("id") + "], " + from + "]]]" }) {
                SCOPED_TRACE(std::string(target.name) + " = " + value);
                run("DELETE FROM mixed");
                insert("past", -30min);
                // So that what is copied as it is would be seen.
                run(std::string("UPDATE mixed SET ") + target.name + " = NULL WHERE '" + target.name + "' <> '"
                    + source.name + "'");
                ASSERT_TRUE(library.add(
                    profileWith(R"(["true"])", std::string(", \"") + target.name + "\": " + value), "mixed.json"));
                const auto binding = bindingOf("test.mixed");
                const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
                ASSERT_TRUE(plan) << plan.error().message;
                const auto report = applyPlan(writing(), *plan, "a@b", {});
                ASSERT_TRUE(report) << report.error().message << report.error().detail;
                ASSERT_EQ(report->changed, 1);
                const auto row = rowsOf(binding).at(0);
                EXPECT_EQ(row.*target.instant, whole - 30min);
            }
        }
}

TEST_P(MixedInstants, AreCopiedWithTheirFraction)
{
    run("DELETE FROM mixed");
    insert("past", -30min);
    run(std::string("UPDATE mixed SET w = NULL, b = NULL, z = '2026-05-28T19:56:40.123456Z'"));
    ASSERT_TRUE(library.add(profileWith(R"(["true"])", R"(, "w": ["col", "z"], "b": ["col", "z"])"), "mixed.json"));
    const auto binding = bindingOf("test.mixed");
    const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    const auto row = rowsOf(binding).at(0);
    const auto copied = *parseInstant("2026-05-28T19:56:40.123456Z");
    EXPECT_EQ(row.nextAttemptAt, copied) << value("SELECT w FROM mixed");
    EXPECT_EQ(row.finishedAt, copied);
}

TEST_P(MixedInstants, AreCopiedFromBefore1970)
{
    run("DELETE FROM mixed");
    insert("past", -30min);
    run("UPDATE mixed SET w = NULL, b = NULL, z = '1969-12-31T22:59:59.999990Z'");
    ASSERT_TRUE(library.add(profileWith(R"(["true"])", R"(, "w": ["col", "z"], "b": ["col", "z"])"), "mixed.json"));
    const auto binding = bindingOf("test.mixed");
    const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    const auto row = rowsOf(binding).at(0);
    const auto copied = *parseInstant("1969-12-31T22:59:59.999990Z");
    EXPECT_EQ(row.nextAttemptAt, copied) << value("SELECT w FROM mixed");
    EXPECT_EQ(row.finishedAt, copied) << value("SELECT b FROM mixed");
}

// As they were seen, and now in whatever encoding it is named.
TEST_P(MixedInstants, WhatWasSeenIsTheSameInstantInAnotherEncoding)
{
    for (const auto& source : columns)
        for (const auto& target : columns)
            for (const auto& seen : { std::string(R"(["old", ")") + source.name + "\"]",
                     std::string(R"(["coalesce", ["old", ")") + source.name + R"("], ["now"]])" }) {
                run("DELETE FROM mixed");
                insert("past", -30min);
                ASSERT_TRUE(library.add(
                    profileWith(R"(["true"])", std::string(", \"") + target.name + "\": " + seen), "mixed.json"));
                const auto binding = bindingOf("test.mixed");
                const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
                ASSERT_TRUE(plan) << plan.error().message;
                const auto report = applyPlan(writing(), *plan, "a@b", {});
                ASSERT_TRUE(report && report->changed == 1) << seen << target.name;
                EXPECT_EQ(rowsOf(binding).at(0).*target.instant, whole - 30min) << seen << target.name;
            }
    for (const auto& target : columns)
        for (const auto* named : { "tz", "epoch_s", "epoch_ms", "isoZ", "naive:Europe/Berlin" }) {
            run("DELETE FROM mixed");
            insert("past", -30min);
            ASSERT_TRUE(library.add(
                profileWith(R"(["true"])", std::string(", \"") + target.name + R"(": ["now", ")" + named + "\"]"),
                "mixed.json"));
            const auto binding = bindingOf("test.mixed");
            const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
            ASSERT_TRUE(plan) << plan.error().message;
            const auto report = applyPlan(writing(), *plan, "a@b", {});
            ASSERT_TRUE(report && report->changed == 1) << named << target.name;
            const auto written = rowsOf(binding).at(0).*target.instant;
            ASSERT_TRUE(written);
            EXPECT_LT(now - *written, 1s) << named << target.name;
            EXPECT_GE(now, *written) << named << target.name;
        }
}

TEST_P(MixedInstants, BeforeAWholeSecondKeepTheFormOfTheirRow)
{
    run("DELETE FROM mixed");
    insert("past", -30min);
    run("ALTER TABLE mixed ADD us BIGINT");
    run("UPDATE mixed SET w = '1969-12-31 23:59:59.500000', us = -1500000");
    auto profile = profileWith(R"(["true"])", R"(, "w": ["col", "us"])");
    const std::string time = R"("time": {)";
    profile.replace(profile.find(time), time.size(), time + R"("us": "epoch_us", )");
    const auto added = library.add(profile, "mixed.json");
    ASSERT_TRUE(added) << added.error().message;
    const auto binding = bindingOf("test.mixed");
    const auto plan = planFor(binding, "fail", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(value("SELECT w FROM mixed"), "1969-12-31 23:59:58.500000");
}

// Only PostgreSQL has types that do not go together.
TEST_P(MixedInstants, ALiteralThatIsNoValueOfItsColumnIsToldBeforeARowMeetsIt)
{
    if (!sqlite())
        run("ALTER TABLE mixed ADD day date, ADD much jsonb");
    else
        run("ALTER TABLE mixed ADD day date"), run("ALTER TABLE mixed ADD much jsonb");
    struct Case {
        const char* condition;
        const char* place; // empty: it can be read
    };
    for (const auto& each : { Case{ R"(["eq", ["col", "day"], "2026-11-20"])", "" },
             Case{ R"(["eq", ["col", "day"], "nope"])",
                 "/stuck has a value that its column cannot hold (invalid input syntax for type date: \"nope\")" },
             Case{ R"(["in", ["col", "much"], "{}", "{nope"])", "/stuck has a value that its column cannot hold (" },
             Case{ R"(["lt", ["col", "z"], "2026-02-30"])", "/stuck has a value that its column cannot hold (" },
             Case{ R"(["eq", ["col", "day"], 5])", "/stuck " },
             Case{ R"(["eq", ["case", [[["eq", ["col", "day"], "no"], "a"]], "b"], "a"])", "/stuck has a value" } }) {
        ASSERT_TRUE(library.add(profileWith(each.condition, ""), "mixed.json"));
        const auto binding = bindingOf("test.mixed");
        const auto words = binding.warnings.empty() ? std::string() : binding.warnings.back();
        EXPECT_EQ(binding.canRead, sqlite() || *each.place == '\0') << each.condition << words;
        if (!sqlite() && *each.place != '\0') {
            EXPECT_NE(words.find(each.place), std::string::npos) << words;
        }
    }
    ASSERT_TRUE(library.add(profileWith(R"(["true"])", R"(, "much": "nope")"), "mixed.json"));
    const auto binding = bindingOf("test.mixed");
    const auto* fail = capabilityOf(binding, "fail");
    ASSERT_NE(fail, nullptr);
    EXPECT_EQ(fail->allowed, sqlite()) << fail->why;
}

TEST_P(MixedInstants, AnActionWhoseTypesDoNotGoTogetherIsNotOffered)
{
    for (const auto* set : { R"(, "n": ["col", "st"])", R"(, "n": ["coalesce", ["col", "n"], ["col", "st"]])",
             R"(, "z": ["col", "st"])", R"(, "s": ["col", "st"])", R"(, "n": ["now", "isoZ"])" }) {
        ASSERT_TRUE(library.add(profileWith(R"(["true"])", set), "mixed.json"));
        const auto binding = bindingOf("test.mixed");
        const auto* fail = capabilityOf(binding, "fail");
        ASSERT_NE(fail, nullptr);
        EXPECT_EQ(fail->allowed, sqlite()) << set << fail->why;
        if (!sqlite()) {
            EXPECT_EQ(fail->why.find("/actions/fail/steps/0 does not go with the types of the table's columns ("), 0U)
                << fail->why;
        }
    }
}

} // namespace
} // namespace fencepost::test
