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
        "/stuck: the column \"n\" of type bigint cannot be compared with 1.500000");
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
