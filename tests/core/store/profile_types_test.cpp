// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

// What the types of a table's columns make of a profile.
class ProfileTypes : public FrameworkTest {
protected:
    static std::string profileWith(const std::string& fields, const std::string& rest = {})
    {
        return R"({"profile": "test.typed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "n"]}}, "source": {"tables": {"t": "typed"}}, "identity": ["id"],
            "fields": {"key": ["text", ["col", "id"]])"
            + fields + R"(}, "state": [{"when": ["true"], "is": "PENDING"}])" + rest + "}";
    }

    void add(const std::string& json)
    {
        const auto added = library.add(json, "test.json");
        ASSERT_TRUE(added) << added.error().message;
    }

    std::string whyUnfit()
    {
        EXPECT_TRUE(writing().bindings(true));
        const auto found = writing().unfit();
        EXPECT_TRUE(found);
        return found && !found->empty() ? found->front().why : "fits";
    }

    // What the rows have as their operation, in the order of their keys; "-" for none.
    std::vector<std::string> operations(const std::string& filter = {})
    {
        std::vector<std::string> found;
        for (const auto& row : rowsOf(bindingOf("test.typed"), filter))
            found.push_back(row.operation.value_or("-"));
        return found;
    }
};

using Texts = std::vector<std::string>;

std::string mutated(std::mt19937& dice)
{
    static const Texts seeds = { R"({"m":{"x":"y\n\u00e9"},"b":[true,null,-1.5e3],"c":{}})", R"({"m" : "\\" } )",
        R"({"m":[1,2,[3,{"q":"w"}]]})", R"({"m":"\ud83d\ude00"})", R"([{"m":0}])" };
    static const std::string pieces = "{}[]\",:\\u0018eE+-.tfalsn rd\n\tx";
    auto text = seeds[dice() % seeds.size()];
    for (auto changes = dice() % 3; changes > 0; --changes) {
        const auto at = dice() % text.size();
        if (dice() % 2 == 0)
            text.insert(at, 1, pieces[dice() % pieces.size()]);
        else
            text[at] = pieces[dice() % pieces.size()];
    }
    return text;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, ProfileTypes, bothDialects(), nameOfDialect);

TEST_P(ProfileTypes, ReadNoMemberOutOfATextThatIsNoJson)
{
    add(profileWith(R"(, "operation": ["json", ["col", "body"], "m", "x"])",
        R"(, "stuck": ["eq", ["json", ["col", "body"], "m", "x"], "in"])"));
    run("CREATE TABLE typed (id TEXT PRIMARY KEY, n INTEGER, body TEXT)");
    run(R"(INSERT INTO typed VALUES ('1', 0, '{"m":{"x":"in"}}'), ('2', 0, 'not json'), ('3', 0, ''), ('4', 0, NULL),
        ('5', 0, '{"m":'), ('6', 0, '{"m":{"x":"in"}} more'), ('7', 0, ' {"m" : {"x" : 7}}'), ('8', 0, '"text"'),
        ('9', 0, '{"m":{"x":"in","x":01}}'))");
    EXPECT_EQ(operations(), (Texts{ "in", "-", "-", "-", "-", "-", "7", "-", "-" }));
    EXPECT_EQ(operations("stuck"), Texts{ "in" });
    const auto counts = writing().counts(bindingOf("test.typed"), nullptr, 20s);
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts->stuck.value, 1);
}

TEST_P(ProfileTypes, AddSpansToInstantsBeyondAnyYear)
{
    add(profileWith(R"(, "created_us": ["col", "at"], "expires_us": ["add_s", ["col", "at"], 60],
        "updated_us": ["add_interval", ["col", "at"], "PT1H"])",
        R"(, "time": {"at": "epoch_us"}, "stuck": ["past", ["add_interval", ["col", "at"], "PT1H"]])"));
    run("CREATE TABLE typed (id TEXT PRIMARY KEY, n INTEGER, at BIGINT)");
    run("INSERT INTO typed VALUES ('a', 0, 9223372036854775807), ('b', 0, -9223372036854775808), ('c', 0, 0), "
        "('d', 0, NULL)");
    const auto rows = rowsOf(bindingOf("test.typed"));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[2].expiresAt, timeFromMicros(60'000'000));
    EXPECT_EQ(rows[2].updatedAt, timeFromMicros(3'600'000'000));
    EXPECT_FALSE(rows[3].expiresAt);
    EXPECT_EQ(keysOf(rowsOf(bindingOf("test.typed"), "stuck")), "b c");
}

class SqliteTypes : public ProfileTypes { };
INSTANTIATE_TEST_SUITE_P(Backends, SqliteTypes, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

// A column of no type holds numbers as numbers and texts as texts; what is compared with them is spelled.
TEST_P(SqliteTypes, WhatAColumnOfNoTypeHoldsIsFoundAgain)
{
    run("CREATE TABLE typed (id PRIMARY KEY, n, r REAL, at)");
    run("INSERT INTO typed VALUES (1764376000.25, 0, 0.1, 1e300), (7, 0, 9e999, 0.1 + 0.2), ('7.5', 0, -9e999, "
        "'3.75'), "
        "(x'0a', 0, 1e-7, x'07')");
    add(profileWith(
        "", R"(, "actions": {"release": {"steps": [{"set": {"n": 1}, "when": ["true"], "unchanged": ["r", "at"]}]}})"));
    const auto binding = bindingOf("test.typed");
    for (const auto& row : rowsOf(binding)) {
        const auto plan = planFor(binding, "release", row, {});
        ASSERT_TRUE(plan) << row.key << plan.error().message;
        const auto report = applyPlan(writing(), *plan, "a@b", {});
        ASSERT_TRUE(report && report->changed == 1) << row.key;
    }
    EXPECT_EQ(value("SELECT sum(n) FROM typed"), "4");
    for (const auto* moved : { "at = at + 0.5", "at = CAST(at AS INTEGER)", "r = 9e999" }) {
        run("UPDATE typed SET n = 0, r = 1.5, at = 2.25");
        const auto row = rowsOf(binding).at(0);
        const auto plan = planFor(binding, "release", row, {});
        ASSERT_TRUE(plan) << plan.error().message;
        run(std::string("UPDATE typed SET ") + moved);
        const auto report = applyPlan(writing(), *plan, "a@b", {});
        EXPECT_TRUE(report && report->skipped == 1) << moved;
    }
}

class PostgresTypes : public ProfileTypes { };

INSTANTIATE_TEST_SUITE_P(Backends, PostgresTypes, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(PostgresTypes, TakeForJsonWhatIsJsonAndNothingElse)
{
    add(profileWith(R"(, "operation": ["json", ["col", "body"], "m"])"));
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n INTEGER, body TEXT)");
    std::mt19937 dice(7);
    std::string rows;
    std::map<std::string, std::string> texts;
    for (int id = 0; id < 3'000; ++id) {
        texts[std::to_string(id)] = mutated(dice);
        std::string quoted;
        for (const char c : texts[std::to_string(id)])
            quoted += c == '\'' ? std::string("''") : std::string(1, c);
        rows += (id > 0 ? "," : "") + ("(" + std::to_string(id)) + ", 0, '" + quoted + "')";
    }
    run("INSERT INTO typed VALUES " + rows);
    PageRequest request;
    request.limit = 5'000;
    const auto page = writing().page(bindingOf("test.typed"), request);
    ASSERT_TRUE(page) << page.error().message << page.error().detail;
    ASSERT_EQ(page->rows.size(), 3'000U);
    int members = 0;
    for (const auto& row : page->rows) {
        const auto& text = texts[row.key];
        const auto parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
        const bool there = parsed.is_object() && parsed.contains("m") && !parsed["m"].is_null();
        // NUL is no character of PostgreSQL's.
        const bool readable = text.find("\\u0000") == std::string::npos;
        EXPECT_EQ(row.operation.has_value(), there && readable) << text;
        members += there ? 1 : 0;
    }
    EXPECT_GT(members, 300);
}

TEST_P(PostgresTypes, ReadNoJsonOfTextsThatWouldExhaustTheServer)
{
    add(profileWith(R"(, "operation": ["json", ["col", "body"], "m"])"));
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n INTEGER, body TEXT)");
    run(R"(INSERT INTO typed VALUES (1, 0, '{"m":' || repeat('[', 50000) || repeat(']', 50000) || '}'),
        (2, 0, '{"m":' || repeat('[', 60) || repeat(']', 60) || '}'), (3, 0, '{"m":"\u0000"}'), (4, 0, '{"m":"\ud800"}'),
        (5, 0, '{"m":"\\u0000"}'), (6, 0, '{"m":1e999999}'))");
    EXPECT_EQ(
        operations(), (Texts{ "-", std::string(60, '[') + std::string(60, ']'), "-", "-", "\\u0000", "1e999999" }));
}

TEST_P(PostgresTypes, AreNamedWhereALiteralIsNoValueOfThem)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, small SMALLINT, flag BOOLEAN, ref UUID, at TIMESTAMPTZ, "
        "note TEXT)");
    const auto why = [&](const std::string& condition) {
        add(profileWith("", ", \"stuck\": " + condition));
        return whyUnfit();
    };
    EXPECT_EQ(why(R"(["eq", ["col", "n"], "abc"])"),
        R"(/stuck: the column "n" of type bigint cannot be compared with "abc")");
    EXPECT_EQ(why(R"(["not", ["lt", ["col", "n"], 1.5]])"),
        "/stuck: the column \"n\" of type bigint cannot be compared with 1.5");
    EXPECT_EQ(why(R"(["in", ["col", "small"], 1, 99999])"),
        "/stuck: the column \"small\" of type smallint cannot be compared with 99999");
    EXPECT_EQ(why(R"(["eq", ["col", "flag"], "IN_PROGRESS"])"),
        R"(/stuck: the column "flag" of type boolean cannot be compared with "IN_PROGRESS")");
    EXPECT_EQ(why(R"(["eq", "none", ["col", "ref"]])"),
        R"(/stuck: the column "ref" of type uuid cannot be compared with "none")");
    EXPECT_EQ(why(R"(["lt", ["col", "at"], 5])"),
        "/stuck: the column \"at\" of type timestamp with time zone cannot be compared with 5");
    EXPECT_EQ(why(R"(["or", ["eq", ["col", "n"], "-7"], ["eq", ["col", "flag"], 0], ["eq", ["col", "flag"], "t"],
        ["eq", ["col", "note"], 5], ["gt", ["col", "at"], "2020-01-01"]])"),
        "fits");
    add(profileWith(R"(, "operation": ["case", [[["eq", ["col", "flag"], "maybe"], "x"]], "y"])"));
    EXPECT_EQ(whyUnfit(), R"(/fields/operation: the column "flag" of type boolean cannot be compared with "maybe")");
}

TEST_P(ProfileTypes, ReadWhatTheDatabaseComputesAndNeverWriteIt)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT NOT NULL, "
        "twice BIGINT GENERATED ALWAYS AS (n * 2) STORED)");
    run("INSERT INTO typed (id, n) VALUES (1, 21)");
    add(profileWith(R"(, "attempts": ["col", "twice"])",
        R"(, "actions": {"release": {"steps": [{"set": {"twice": 4}, "when": ["true"]}]}})"));
    const auto binding = bindingOf("test.typed");
    const auto rows = rowsOf(binding, "attempts = 42");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().attempts, 42);
    EXPECT_EQ(capability(binding, "release")->why,
        R"(/actions/release/steps/0/set/twice: the database itself computes the column "twice")");
}

TEST_P(PostgresTypes, KeepActionsBackThatTheDatabaseWouldRefuse)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT NOT NULL, small SMALLINT, twice BIGINT GENERATED ALWAYS "
        "AS "
        "(n * 2) STORED, serial BIGINT GENERATED ALWAYS AS IDENTITY)");
    run("INSERT INTO typed (id, n) VALUES (1, 1)");
    const auto why = [&](const std::string& set, const std::string& when = R"(["true"])") {
        add(profileWith(R"(, "attempts": ["col", "twice"])",
            ", \"actions\": {\"release\": {\"steps\": [{\"set\": {" + set + "}, \"when\": " + when + "}]}}"));
        return capability(bindingOf("test.typed"), "release")->why;
    };
    EXPECT_EQ(
        why(R"("twice": 4)"), R"(/actions/release/steps/0/set/twice: the database itself computes the column "twice")");
    EXPECT_EQ(why(R"("serial": 4)"),
        R"(/actions/release/steps/0/set/serial: the database itself computes the column "serial")");
    EXPECT_EQ(
        why(R"("n": "abc")"), R"(/actions/release/steps/0/set/n: the column "n" of type bigint cannot hold "abc")");
    EXPECT_EQ(why(R"("n": null)"), R"(/actions/release/steps/0/set/n: the column "n" of type bigint is never NULL)");
    EXPECT_EQ(why(R"("small": 99999)"),
        R"(/actions/release/steps/0/set/small: the column "small" of type smallint cannot hold 99999)");
    EXPECT_EQ(why(R"("small": 9)", R"(["eq", ["col", "n"], "abc"])"),
        R"(/actions/release/steps/0/when: the column "n" of type bigint cannot be compared with "abc")");
    EXPECT_EQ(why(R"("small": 9, "n": ["add", ["col", "n"], 1])"), "");
}

TEST_P(PostgresTypes, AFaultInOneActionLeavesTheOthersAndTheTable)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, doc JSONB, ref UUID)");
    run("INSERT INTO typed VALUES (1, 1, '{}', NULL)");
    for (const auto* when : { R"(["eq", ["col", "doc"], "plain"])",
             R"(["eq", ["coalesce", ["col", "ref"], "none"], "none"])", R"(["lt", ["col", "n"], ["col", "ref"]])" }) {
        add(profileWith("",
            R"(, "actions": {"release": {"steps": [{"set": {"n": 2}, "when": ["true"]}]},
                "fail": {"steps": [{"set": {"n": 3}, "when": )"
                + std::string(when) + "}]}}"));
        const auto binding = bindingOf("test.typed");
        EXPECT_TRUE(binding.canRead) << when;
        EXPECT_EQ(rowsOf(binding).size(), 1U) << when;
        EXPECT_TRUE(capability(binding, "release")->allowed) << capability(binding, "release")->why;
        EXPECT_EQ(capability(binding, "fail")->why.find("/actions/fail/steps/0"), 0U)
            << capability(binding, "fail")->why;
    }
}

TEST_P(ProfileTypes, ADecimalIsWrittenAndComparedAsItStands)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n NUMERIC(20, 12))");
    for (const auto* number : { "0.00000125", "0.123456789012", "1e-9", "5.0", "1e6" }) {
        run("DELETE FROM typed");
        run("INSERT INTO typed VALUES (1, 7)");
        add(profileWith("",
            std::string(R"(, "actions": {"release": {"steps": [{"set": {"n": )") + number
                + R"(}, "when": ["eq", ["col", "n"], 7.0]}]}, "fail": {"steps": [{"set": {"n": 0}, "when": ["eq",
                ["col", "n"], )"
                + number + "]}]}}"));
        for (const auto* verb : { "release", "fail" }) {
            const auto binding = bindingOf("test.typed");
            const auto plan = planFor(binding, verb, rowsOf(binding).at(0), {});
            ASSERT_TRUE(plan) << plan.error().message;
            const auto report = applyPlan(writing(), *plan, "a@b", {});
            ASSERT_TRUE(report) << report.error().message;
            EXPECT_EQ(report->changed, 1) << number << ' ' << verb;
            if (std::string_view(verb) == "release") {
                EXPECT_EQ(value(std::string("SELECT CASE WHEN n = ") + number + " THEN 'as it stands' ELSE "
                              + "CAST(n AS TEXT) END FROM typed"),
                    "as it stands");
            }
        }
    }
}

TEST_P(PostgresTypes, EachConstantThatAStepMayChooseIsLookedAt)
{
    run("CREATE TYPE mood AS ENUM ('open', 'done')");
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, small SMALLINT, ref UUID, word VARCHAR(4), much "
        "NUMERIC(4, 2), day DATE, mood MOOD)");
    const auto why = [&](const std::string& set, const std::string& rest = {}) {
        add(profileWith(
            "", rest + ", \"actions\": {\"release\": {\"steps\": [{\"set\": {" + set + "}, \"when\": [\"true\"]}]}}"));
        return capability(bindingOf("test.typed"), "release")->why;
    };
    const std::string first = R"(["case", [[["eq", ["col", "n"], 1], )";
    EXPECT_EQ(
        why("\"small\": " + first + R"(100000]], ["col", "small"]])").find("/actions/release/steps/0/set/small"), 0U);
    EXPECT_NE(why("\"word\": " + first + R"("too long"]], ["col", "word"]])"), "");
    EXPECT_NE(why("\"much\": " + first + R"(1000]], ["col", "much"]])"), "");
    EXPECT_NE(why(R"("day": ["coalesce", null, "2024-13-44"])"), "");
    EXPECT_NE(why("\"ref\": " + first + R"("def"]], "abc"])"), "");
    EXPECT_NE(why(R"("small": ["old", "ref"])"), "") << "what was seen has the type of its column";
    EXPECT_EQ(why("\"small\": " + first + R"(7]], ["col", "small"]], "word": "fits", "much": 12.5)"), "");

    const std::string asked = R"(, "params": {"x": {"type": "text", "label": "x"}})";
    EXPECT_EQ(why(R"("word": ["param", "x"], "ref": ["param", "x"])", asked), "") << "it is judged when it is said";
    EXPECT_NE(why(R"("word": ["param", "x"], "day": "2024-13-44")", asked), "");
    EXPECT_NE(why(R"("small": ["param", "y"])", R"(, "params": {"y": {"type": "uuid", "generate": "uuid4"}})"), "");
}

TEST_P(ProfileTypes, AnIntegerThatIsSaidIsANumber)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n INTEGER, word TEXT)");
    for (const auto* standard : { "", R"(, "default": 7)" })
        for (const auto* set : { R"("n": ["add", ["col", "n"], ["param", "x"]])", R"("n": ["sub", 42, ["param", "x"]])",
                 R"("n": ["greatest", ["col", "n"], 30, ["param", "x"]])",
                 R"("n": ["case", [[["gt", ["add", ["col", "n"], ["param", "x"]], 3], 33]], ["param", "x"]])",
                 R"("n": ["coalesce", ["param", "x"], ["col", "n"]], "word": ["param", "x"])" }) {
            run("DELETE FROM typed");
            run("INSERT INTO typed VALUES (1, 21, '')");
            add(profileWith("",
                R"(, "params": {"x": {"type": "integer", "label": "x")" + std::string(standard)
                    + R"(}}, "actions": {"release": {"steps": [{"set": {)" + set + R"(}, "when": ["true"]}]}})"));
            const auto binding = bindingOf("test.typed");
            const auto plan = planFor(binding, "release", rowsOf(binding).at(0), { { "x", "9" } });
            ASSERT_TRUE(plan) << set << plan.error().message;
            const auto report = applyPlan(writing(), *plan, "a@b", {});
            ASSERT_TRUE(report) << report.error().message;
            EXPECT_EQ(report->changed, 1) << set;
            const auto written = value("SELECT CAST(n AS TEXT) || word FROM typed");
            EXPECT_TRUE(written == "30" || written == "33" || written == "99") << set << written;
        }
}

TEST_P(ProfileTypes, NowIsInTheEncodingThatItNamesWhereverItStands)
{
    const auto seconds = std::to_string(microsOf(now) / 1'000'000);
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, ttl BIGINT, word TEXT)");
    run("INSERT INTO typed VALUES (1, " + seconds + " - 100, 60, ''), (2, " + seconds + " + 100, 60, '')");
    add(profileWith("",
        R"(, "actions": {"release": {"steps": [{"set": {"n": ["add", ["now", "epoch_s"], ["col", "ttl"]],
            "word": ["concat", "at ", ["now", "epoch_s"]]},
            "when": ["lt", ["col", "n"], ["sub", ["now", "epoch_s"], ["col", "ttl"]]]}]}})"));
    const auto binding = bindingOf("test.typed");
    const auto rows = rowsOf(binding);
    const auto living = planFor(binding, "release", rows.at(1), {});
    ASSERT_TRUE(living);
    EXPECT_TRUE(living->items.empty());
    const auto plan = planFor(binding, "release", rows.at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(value("SELECT n - 60 FROM typed WHERE id = 1"), seconds);
    EXPECT_EQ(value("SELECT word FROM typed WHERE id = 1"), "at " + seconds);
    for (const auto* sum :
        { R"(["add", ["now"], 5])", R"(["sub", ["add_s", ["col", "n"], 5], 1])", R"(["add", ["now", "isoZ"], 5])" }) {
        const auto added = library.add(profileWith("",
                                           R"(, "actions": {"release": {"steps": [{"set": {"n": )" + std::string(sum)
                                               + R"(}, "when": ["true"]}]}})"),
            "test.json");
        EXPECT_FALSE(added) << sum;
    }
}

TEST_P(ProfileTypes, WhatWasSeenIsKnownWhetherItIsComparedOrNot)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, word TEXT)");
    run("INSERT INTO typed VALUES (1, 3, 'w')");
    add(profileWith("",
        R"(, "actions": {"release": {"steps": [{"set": {"n": ["add", ["old", "N"], 1],
            "word": ["concat", "was ", ["old", "n"], ["old", "word"], ["old", "id"]]}, "when": ["true"]}]}})"));
    const auto binding = bindingOf("test.typed");
    const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(value("SELECT CAST(n AS TEXT) || word FROM typed"), "4was 3w1");
}

TEST_P(ProfileTypes, NothingIsAddedToATextOfATime)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n TEXT)");
    for (const auto* value : { R"(["add", ["col", "n"], 60])", R"(["add", ["old", "n"], 60])",
             R"(["sub", ["coalesce", ["col", "n"], ["col", "n"]], 60])",
             R"(["add", 1, ["case", [[["true"], ["col", "n"]]], null]])",
             R"(["add_s", ["col", "n"], ["coalesce", ["col", "n"], ["col", "n"]]])" }) {
        add(profileWith(R"(, "created_us": ["col", "n"])",
            R"(, "time": {"n": "iso"}, "actions": {"release": {"steps": [{"set": {"n": )" + std::string(value)
                + R"(}, "when": ["true"]}]}})"));
        EXPECT_EQ(capability(bindingOf("test.typed"), "release")->why.find("/actions/release/steps/0"), 0U)
            << value << capability(bindingOf("test.typed"), "release")->why;
    }
}

// A fraction that was seen is a number wherever it stands.
TEST_P(ProfileTypes, AFractionThatWasSeenIsANumber)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n NUMERIC(20, 6), word TEXT, d TEXT)");
    for (const auto& [set, expected] : { std::pair(R"("n": ["greatest", ["old", "n"], 5])", "5"),
             std::pair(R"("word": ["case", [[["lt", ["old", "n"], 5], "below"]], "above"])", "below"),
             std::pair(R"("word": ["case", [[["eq", ["old", "n"], 1.5], "same"]], "other"])", "same") }) {
        run("DELETE FROM typed");
        run("INSERT INTO typed VALUES (1, 1.5, '', '')");
        add(profileWith(
            "", R"(, "actions": {"release": {"steps": [{"set": {)" + std::string(set) + R"(}, "when": ["true"]}]}})"));
        const auto binding = bindingOf("test.typed");
        const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
        ASSERT_TRUE(plan) << set << plan.error().message;
        const auto report = applyPlan(writing(), *plan, "a@b", {});
        ASSERT_TRUE(report && report->changed == 1) << set;
        const auto written =
            value("SELECT CASE WHEN word = '' THEN CAST(CAST(n AS INTEGER) AS TEXT) ELSE word END FROM typed");
        EXPECT_EQ(written, expected) << set;
    }
    run("DELETE FROM typed");
    run("INSERT INTO typed VALUES (1, 1719829230.5, '', '2024-01-01 00:00:00.000')");
    add(profileWith(R"(, "created_us": ["col", "n"], "updated_us": ["col", "d"])",
        R"(, "time": {"n": "epoch_s", "d": "iso"}, "actions": {"release": {"steps": [{"set": {"d": ["old", "n"]}, "when": ["true"]}]}})"));
    const auto binding = bindingOf("test.typed");
    const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(rowsOf(binding).at(0).updatedAt, timeFromMicros(1'719'829'230'500'000)) << value("SELECT d FROM typed");
}

// What may be left out where rows are told apart guards what is changed.
TEST_P(ProfileTypes, AnOptionalColumnThatIsMissingWidensNoAction)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n INTEGER)");
    run("INSERT INTO typed VALUES (1, 7)");
    const auto with = [&](const std::string& stuck, const std::string& when) {
        add(R"({"profile": "test.typed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "n"]}, "optional": ["hb"]}, "source": {"tables": {"t": "typed"}},
            "identity": ["id"], "fields": {"key": ["text", ["col", "id"]]},
            "state": [{"when": ["true"], "is": "IN_PROGRESS"}], "stuck": )"
            + stuck + R"(, "fencing": "none", "actions": {"fail": {"title": "F", "risk": "low", "effect": "e",
            "steps": [{"set": {"n": 1}, "when": )"
            + when + R"(, "unchanged": ["n"]}]}}})");
        return bindingOf("test.typed");
    };
    const std::string open = R"(["eq", ["col", "n"], 7])";
    const std::string either = "[\"or\", " + open + R"(, ["eq", ["col", "hb"], 1]])";
    const auto binding = with(either, "[\"and\", " + open + ", [\"not\", " + either + "]]");
    EXPECT_EQ(keysOf(rowsOf(binding, "stuck")), "1");
    EXPECT_NE(capability(binding, "fail")->why.find("hb"), std::string::npos) << capability(binding, "fail")->why;
    EXPECT_FALSE(capability(with(either, either), "fail")->allowed);
    const auto all = [&] {
        add(R"({"profile": "test.typed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "n"]}, "optional": ["hb"]}, "source": {"tables": {"t": "typed"}},
            "identity": ["id"], "fields": {"key": ["text", ["col", "id"]]},
            "state": [{"when": ["true"], "is": "IN_PROGRESS"}], "stuck": ["not", )"
            + either + R"(], "fencing": "none", "actions": {}, "readOnlyReason": "looked at"})");
        const auto found = writing().bindings(true);
        return found && std::any_of(found->begin(), found->end(), [](const Binding& each) {
            return each.profile == "test.typed";
        });
    };
    EXPECT_FALSE(all()) << "under a not it would say more";
    add(R"({"profile": "test.typed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "n"]}, "optional": ["hb"]}, "source": {"tables": {"t": "typed"}, "where": )"
        + either + R"(}, "identity": ["id"], "fields": {"key": ["text", ["col", "id"]]},
        "state": [{"when": ["true"], "is": "IN_PROGRESS"}], "actions": {}, "readOnlyReason": "looked at"})");
    EXPECT_NE(whyUnfit().find("/source/where"), std::string::npos) << "no row may be missing for it: " << whyUnfit();
}

// As every operator that takes some.
TEST_P(ProfileTypes, AChoiceMayHaveOneValueAlone)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n INTEGER, word TEXT)");
    run("INSERT INTO typed VALUES (1, 7, 'w')");
    add(profileWith(R"(, "queue": ["coalesce", ["col", "word"]], "created_us": ["coalesce", ["col", "n"]])",
        R"(, "time": {"n": "epoch_s"}, "actions": {"release": {"steps": [{"set": {"word": ["coalesce", ["col", "n"]]}, "when": ["true"]}]}})"));
    const auto binding = bindingOf("test.typed");
    const auto rows = rowsOf(binding);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].queue, "w");
    EXPECT_EQ(rows[0].createdAt, timeFromMicros(7'000'000));
    const auto plan = planFor(binding, "release", rows[0], {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(value("SELECT word FROM typed"), "7");
}

// A column whose own name has a dot is listed by that name, with what it may hold.
TEST_P(ProfileTypes, AStateMayStandInAColumnWithADot)
{
    run(R"(CREATE TABLE typed (id INTEGER PRIMARY KEY, "st.ate" TEXT))");
    run("INSERT INTO typed VALUES (1, 'OPEN'), (2, 'DONE'), (3, 'ODD')");
    add(R"({"profile": "test.typed", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "st.ate"]}, "values": {"st.ate": ["OPEN", "DONE"]}},
        "source": {"tables": {"t": "typed"}}, "identity": ["id"],
        "fields": {"key": ["text", ["col", "id"]], "raw_state": ["col", "st.ate"]},
        "state": [{"when": ["eq", ["col", "st.ate"], "OPEN"], "is": "PENDING"},
                  {"when": ["eq", ["col", "st.ate"], "DONE"], "is": "SUCCEEDED"}],
        "actions": {}, "readOnlyReason": "looked at"})");
    const auto binding = bindingOf("test.typed");
    const auto rows = rowsOf(binding);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].state + rows[1].state + rows[2].state, "PENDINGSUCCEEDEDUNKNOWN");
    EXPECT_TRUE(std::any_of(binding.warnings.begin(), binding.warnings.end(),
        [](const std::string& warning) { return warning.find("ODD") != std::string::npos; }));
}

TEST_P(ProfileTypes, NothingButANumberIsAdded)
{
    for (const auto* type : { "text", "uuid", "duration" })
        for (const auto* value : { R"(["add", ["col", "n"], ["param", "x"]])", R"(["sub", ["param", "x"], 1])",
                 R"(["add", 1, ["coalesce", ["col", "n"], ["param", "x"]]])" }) {
            const auto added = library.add(profileWith("",
                                               R"(, "params": {"x": {"type": ")" + std::string(type)
                                                   + R"(", "label": "x"}}, "actions": {"release": {"steps": [{"set":
                {"n": )" + value + R"(}, "when": ["true"]}]}})"),
                "test.json");
            ASSERT_FALSE(added) << type << value;
            EXPECT_NE(added.error().message.find("expected a number"), std::string::npos) << added.error().message;
        }
}

TEST_P(PostgresTypes, AConstantBesideAColumnHasItsType)
{
    run("CREATE TYPE mood AS ENUM ('open', 'done')");
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, mood MOOD, ref UUID, doc JSONB, tags TEXT[], at "
        "TIMESTAMPTZ)");
    run("INSERT INTO typed (id, n) VALUES (1, 1)");
    add(profileWith(R"(, "operation": ["coalesce", ["col", "mood"], "done"])",
        R"(, "stuck": ["eq", ["coalesce", ["col", "mood"], "open"], "open"], "actions": {"release": {"steps": [{"set": {
            "mood": ["case", [[["lt", ["col", "n"], 5], "done"]], ["col", "mood"]],
            "ref": ["coalesce", ["col", "ref"], "00000000-0000-4000-8000-000000000001"],
            "doc": ["coalesce", ["col", "doc"], "{}"], "tags": ["coalesce", ["col", "tags"], "{a,b}"]},
            "when": ["true"]}]}})"));
    EXPECT_EQ(operations("stuck"), Texts{ "done" });
    const auto binding = bindingOf("test.typed");
    EXPECT_EQ(capability(binding, "release")->why, "");
    const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report && report->changed == 1);
    EXPECT_EQ(value("SELECT mood || ' ' || right(ref::text, 1) || doc || tags[2] FROM typed"), "done 1{}b");
}

TEST_P(PostgresTypes, WhatIsSaidIsJudgedBeforeAPlanIsMade)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, small SMALLINT, ref UUID)");
    run("INSERT INTO typed VALUES (1, 1, 1, NULL)");
    const std::string asked = R"(, "params": {"x": {"type": "text", "label": "x"}})";
    const auto planned = [&](const std::string& step, const std::string& said) {
        add(profileWith("", asked + R"(, "actions": {"release": {"steps": [)" + step + "]}}"));
        const auto binding = bindingOf("test.typed");
        EXPECT_TRUE(capability(binding, "release")->allowed) << capability(binding, "release")->why;
        return planFor(binding, "release", rowsOf(binding).at(0), { { "x", said } });
    };
    for (const auto* step : { R"({"set": {"small": ["param", "x"]}, "when": ["true"]})",
             R"({"set": {"n": 2}, "when": ["ne", ["col", "small"], ["param", "x"]]})" }) {
        const auto wrong = planned(step, "abc");
        ASSERT_FALSE(wrong) << step;
        EXPECT_EQ(wrong.error().message.find("\"release\" cannot be done with x = \"abc\": "), 0U)
            << wrong.error().message;
        EXPECT_EQ(wrong.error().failure, Failure::Invalid);
        const auto right = planned(step, "7");
        ASSERT_TRUE(right) << right.error().message;
        EXPECT_EQ(right->items.size(), 1U);
    }
}

TEST_P(PostgresTypes, AreWrittenWithRightsToSingleColumns)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT, kept BIGINT)");
    run("INSERT INTO typed VALUES (1, 1, 1)");
    const auto role = "writes_" + database.target().database;
    run("CREATE ROLE " + role);
    run("GRANT SELECT, UPDATE (n) ON typed TO " + role);
    add(profileWith("",
        R"(, "actions": {"release": {"steps": [{"set": {"n": 2}, "when": ["true"]}]},
            "fail": {"steps": [{"set": {"n": 3, "kept": 3}, "when": ["true"]}]}})"));
    run("SET ROLE " + role);
    const auto binding = bindingOf("test.typed");
    EXPECT_EQ(capability(binding, "fail")->why, "the role has no UPDATE privilege on the column kept");
    const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->changed, 1);
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
}

TEST_P(PostgresTypes, AreNotWaitedForWhereATableIsLocked)
{
    run("CREATE TABLE typed (id INTEGER PRIMARY KEY, n BIGINT)");
    run("INSERT INTO typed VALUES (1, 1)");
    add(profileWith("",
        R"(, "actions": {"release": {"steps": [{"set": {"n": 2}, "when": ["true"]}]},
            "fail": {"steps": [{"set": {"n": 3}, "when": ["true"]}]}})"));
    const auto usual = value("SELECT current_setting('lock_timeout')");
    const auto other = *database.connect();
    run("BEGIN", *other);
    run("LOCK TABLE typed IN SHARE MODE", *other);
    const auto binding = bindingOf("test.typed");
    ASSERT_EQ(binding.warnings.size(), 1U);
    EXPECT_EQ(binding.warnings[0].find("somebody holds a lock on the table"), 0U) << binding.warnings[0];
    EXPECT_TRUE(capability(binding, "release")->allowed);
    EXPECT_EQ(rowsOf(binding).size(), 1U);
    EXPECT_EQ(value("SELECT current_setting('lock_timeout')"), usual) << "what is written later waits as it did";
    run("ROLLBACK", *other);
    EXPECT_TRUE(bindingOf("test.typed").warnings.empty());
}

TEST_P(PostgresTypes, ThatDifferLeaveATableOutOfTheViewOverAll)
{
    const auto json =
        profileWith(R"(, "attempts": ["col", "n"], "operation": ["col", "word"])", R"(, "multiSchema": true)");
    add(json);
    for (const auto& [schema, columns] : { std::pair("a", "n BIGINT, word TEXT"), std::pair("b", "n BIGINT, word TEXT"),
             std::pair("c", "n SMALLINT, word TEXT"), std::pair("d", "n BIGINT") }) {
        run(std::string("CREATE SCHEMA ") + schema);
        run(std::string("CREATE TABLE ") + schema + ".typed (id INTEGER PRIMARY KEY, " + columns + ")");
        run(std::string("INSERT INTO ") + schema + ".typed VALUES (1, 7)");
    }
    const auto all = writing().bindings(true);
    ASSERT_TRUE(all);
    const auto over =
        std::find_if(all->begin(), all->end(), [](const Binding& found) { return !found.members.empty(); });
    ASSERT_NE(over, all->end());
    EXPECT_EQ(over->members, (Texts{ "a.typed", "b.typed", "d.typed" }));
    for (const auto& row : rowsOf(*over))
        EXPECT_EQ(row.attempts, 7);
    ASSERT_FALSE(over->warnings.empty());
    EXPECT_NE(over->warnings.back().find("c.typed (its column n is of type smallint, not bigint)"), std::string::npos)
        << over->warnings.back();
    run("ALTER TABLE a.typed ALTER n TYPE NUMERIC");
    run("ALTER TABLE b.typed ALTER n TYPE REAL");
    run("ALTER TABLE d.typed ALTER n TYPE TEXT");
    const auto apart = writing().bindings(true);
    ASSERT_TRUE(apart);
    EXPECT_TRUE(std::all_of(apart->begin(), apart->end(), [](const Binding& found) {
        return found.members.empty() && !found.notes.empty()
            && found.notes.back().find("there is no view over the tables of all schemas: beside ") == 0;
    }));
    for (const auto* schema : { "a", "b", "c", "d" })
        run(std::string("DROP SCHEMA ") + schema + " CASCADE");
}

TEST_P(PostgresTypes, MayHideRowsBehindAView)
{
    run("CREATE TABLE kept (id INTEGER PRIMARY KEY, n BIGINT)");
    run("INSERT INTO kept VALUES (1, 1), (2, 2)");
    run("ALTER TABLE kept ENABLE ROW LEVEL SECURITY");
    run("CREATE POLICY few ON kept FOR SELECT USING (id > 1)");
    run("CREATE VIEW typed WITH (security_invoker = true) AS SELECT * FROM kept");
    add(profileWith(""));
    const auto role = "reads_" + database.target().database;
    run("CREATE ROLE " + role);
    run("GRANT SELECT ON kept, typed TO " + role);
    EXPECT_FALSE(bindingOf("test.typed").mayHideRows) << "whoever is above the policies sees all";
    run("SET ROLE " + role);
    EXPECT_TRUE(bindingOf("test.typed").mayHideRows);
    run("RESET ROLE");
    run("ALTER VIEW typed RESET (security_invoker)");
    run("SET ROLE " + role);
    EXPECT_FALSE(bindingOf("test.typed").mayHideRows) << "it reads as its owner";
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
}

TEST_P(PostgresTypes, AreReadWithRightsToSingleColumns)
{
    add(profileWith(R"(, "operation": ["col", "note"], "error": ["col", "secret"])",
        R"(, "stuck": ["gt", ["col", "n"], 5],
            "actions": {"release": {"steps": [{"set": {"kept": 1}, "when": ["true"], "unchanged": ["kept", "n"]}]}})"));
    run("CREATE TABLE typed (kept BIGINT, id INTEGER PRIMARY KEY, n BIGINT, note TEXT, secret TEXT)");
    run("INSERT INTO typed VALUES (7, 1, 0, 'seen', 'hidden')");
    const auto role = "columns_" + database.target().database;
    run("CREATE ROLE " + role);
    run("GRANT SELECT (id, note) ON typed TO " + role);
    run("SET ROLE " + role);
    const auto without = bindingOf("test.typed");
    EXPECT_FALSE(without.canRead);
    EXPECT_EQ(without.warnings, Texts{ "the role has no SELECT privilege on its column n" });
    EXPECT_EQ(writing().page(without, {}).error().failure, Failure::Denied);
    run("RESET ROLE");
    run("GRANT SELECT (n) ON typed TO " + role);
    run("SET ROLE " + role);
    const auto with = bindingOf("test.typed");
    EXPECT_TRUE(with.canRead);
    EXPECT_TRUE(with.warnings.empty());
    EXPECT_EQ(with.absent, Texts{ "field error: the role has no SELECT privilege on the column secret" });
    EXPECT_EQ(operations(), Texts{ "seen" });
    EXPECT_EQ(capability(with, "release")->why,
        "an action is recorded with every column of the row, and the role has no SELECT privilege on kept, secret");
    run("RESET ROLE");
    run("GRANT SELECT (kept, secret), UPDATE ON typed TO " + role);
    run("SET ROLE " + role);
    EXPECT_TRUE(capability(bindingOf("test.typed"), "release")->allowed);
    run("RESET ROLE");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
}

} // namespace fencepost::test
