// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include <gtest/gtest.h>

#include "core/profile/library.h"
#include "core/profile/shipped_profiles.h"

namespace fencepost::profile {
namespace {

// A small profile in which one piece can be replaced.
std::string profileWith(const std::string& piece, const std::string& replacement)
{
    std::string text = R"({
 "profile": "test.keys", "format": 1, "kind": "idempotency", "dialects": ["postgresql", "sqlite"],
 "detect": {"require": {"t": ["key", "status", "at"]}},
 "source": {"tables": {"t": "keys"}},
 "identity": ["key"],
 "params": {"wait": {"type": "duration", "default": "PT5M"}},
 "fields": {"key": ["col", "key"], "created_us": ["col", "at"]},
 "state": [{"when": ["eq", ["col", "status"], "done"], "is": "SUCCEEDED"}],
 "stuck": ["older_than", ["col", "at"], ["param", "wait"]],
 "fencing": "none",
 "actions": {"expire": {"risk": "low", "steps": [{"set": {"at": ["now"]}, "when": ["true"], "unchanged": ["at"], "expect": 1}]}}
})";
    const auto at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), replacement);
}

std::string mistake(const std::string& json)
{
    const auto profile = parse(json, "p.json");
    EXPECT_TRUE(profile || profile.error().failure == Failure::Invalid);
    return profile ? "none" : profile.error().message;
}

TEST(ProfileLoaderTest, ReadsASmallProfile)
{
    const auto profile = parse(profileWith("\"low\"", "\"high\""), "p.json");
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->name, "test.keys");
    EXPECT_EQ(profile->kind, Kind::Idempotency);
    EXPECT_EQ(profile->tables.at("t"), "keys");
    EXPECT_EQ(profile->states.at(0).when->op, Expression::Op::Eq);
    EXPECT_EQ(profile->states.at(0).when->arguments.at(1)->literal, Scalar(std::string("done")));
    EXPECT_EQ(profile->actions.at("expire").risk, "high");
    EXPECT_EQ(profile->actions.at("expire").steps.at(0).unchanged, std::vector<std::string>{ "at" });
    EXPECT_FALSE(profile->native);
}

TEST(ProfileLoaderTest, SaysFilePointerFoundAndExpected)
{
    struct Case {
        const char* piece;
        const char* replacement;
        std::string message;
    };
    const Case cases[] = {
        { "\"format\": 1", "\"format\": 2",
            "p.json: /format: found 2, expected 1, the format that this version reads" },
        { "test.keys", "../../keys", "p.json: /profile: found \"../../keys\", expected a name without \"/\"" },
        { "\"format\": 1, ", "", "p.json: /: found no \"format\", expected 1" },
        { "\"idempotency\"", "\"cache\"",
            "p.json: /kind: found \"cache\", expected one of idempotency inbox outbox dlq job lock" },
        { "\"sqlite\"]", "\"oracle\"]", "p.json: /dialects/1: found \"oracle\", expected one of postgresql sqlite" },
        { "\"fencing\": \"none\"", "\"fencing\": \"total\"",
            "p.json: /fencing: found \"total\", expected one of none not_applicable owner_cas fence_cas version_cas "
            "status_cas row_existence db_row_lock session_lock" },
        { "\"fencing\"", "\"fences\"",
            "p.json: /fences: found the unknown member \"fences\", expected one of profile format kind title dialects "
            "detect source identity params time owners lane fields payload state stuck fencing actions forbidden "
            "external notes dangers readOnlyReason rlsAware multiSchema native" },
        { "[\"true\"]", "[\"raw\", \"1=1\"]",
            "p.json: /actions/expire/steps/0/when/0: found \"raw\", expected a condition: one of and or not eq ne lt "
            "le "
            "gt ge in is_null not_null is_true true older_than past future exists not_exists owner_dead behind" },
        { "[\"col\", \"key\"]", "[\"sql\", \"key\"]",
            "p.json: /fields/key/0: found \"sql\", expected a value: one of col param old now text hex concat coalesce "
            "add sub greatest case json from add_s add_interval" },
        { "\"t\": \"keys\"", "\"t\": \"x\\\"; DROP TABLE y; --\"",
            "p.json: /source/tables/t: found \"x\\\"; DROP TABLE y; --\", expected a name of at most 128 octets "
            "without "
            "quotes, backslashes or control characters" },
        { "\"SUCCEEDED\"", "\"DONE\"",
            "p.json: /state/0/is: found \"DONE\", expected one of PENDING IN_PROGRESS SUCCEEDED FAILED_RETRYABLE "
            "FAILED_FINAL HELD EXPIRED DEAD UNKNOWN" },
        { "\"created_us\"", "\"birthday\"",
            "p.json: /fields/birthday: found the unknown field \"birthday\", expected one of key scope operation queue "
            "order_key raw_state stuck_reason hold hold_reason owner fence version attempts max_attempts takeover "
            "request_hash response_code result_ref error correlation_id lease_until_us started_us updated_us "
            "created_us "
            "finished_us next_attempt_us expires_us group died_as" },
        { "\"expire\":", "\"explode\":",
            "p.json: /actions/explode: found the unknown action \"explode\", expected one of fence release expire "
            "resolve "
            "fail fail_final replay edit discard" },
        { "[\"param\", \"wait\"]", "[\"param\", \"weight\"]",
            "p.json: /stuck/2/1: found \"weight\", expected a name of /params" },
        { "[\"param\", \"wait\"]", "\"5 minutes\"",
            "p.json: /stuck/2: found \"5 minutes\", expected a duration like \"PT5M\" or [\"param\", name]" },
        { "\"PT5M\"", "\"soon\"", "p.json: /params/wait/default: found \"soon\", expected a duration like \"PT5M\"" },
        { "\"duration\", \"default\": \"PT5M\"", "\"integer\", \"default\": 9223372036854775808",
            "p.json: /params/wait/default: found 9223372036854775808, expected a whole number of at most 63 bits" },
        { "\"PT5M\"", "\"5m\"", "p.json: /params/wait/default: found \"5m\", expected a duration like \"PT5M\"" },
        { "[\"param\", \"wait\"]", "\"5m\"",
            "p.json: /stuck/2: found \"5m\", expected a duration like \"PT5M\" or [\"param\", name]" },
        { "{\"tables\": {", "{\"joins\": [{\"type\": \"left\"}], \"tables\": {",
            "p.json: /source/joins: found joins, expected conditions and values of other tables: [\"exists\", alias, "
            "condition], [\"from\", alias, condition, value]" },
        { "\"key\": [\"col\", \"key\"]", "\"scope\": [\"col\", \"key\"]",
            "p.json: /fields: found no \"key\", expected one" },
        { "\"unchanged\"", "\"changed\"",
            "p.json: /actions/expire/steps/0/changed: found the unknown member \"changed\", expected one of set delete "
            "insert when unchanged expect" },
        { "[\"now\"]", "[\"now\", \"martian\"]",
            "p.json: /actions/expire/steps/0/set/at/1: found \"martian\", expected one of tz, naive:<IANA zone>, "
            "epoch_s, epoch_ms, epoch_us, iso, isoZ" },
        { "[\"eq\", [\"col\", \"status\"], \"done\"]", "[\"eq\", [\"col\", \"status\"]]",
            "p.json: /state/0/when: found 1 arguments for \"eq\", expected 2" },
        { "[\"eq\", [\"col\", \"status\"], \"done\"]", "\"status = 'done'\"",
            "p.json: /state/0/when: found \"status = 'done'\", expected a condition: one of and or not eq ne lt le gt "
            "ge "
            "in is_null not_null is_true true older_than past future exists not_exists owner_dead behind" },
        { "\"expect\": 1", "\"expect\": 2",
            "p.json: /actions/expire/steps/0/expect: found 2, expected 1: an action changes one row" },
        { "\"when\": [\"true\"], ", "",
            "p.json: /actions/expire/steps/0: found no \"when\", expected the condition that the row must still meet" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{",
            "p.json: /actions/expire/steps/0: found none of \"set\", \"delete\" and \"insert\", expected one of "
            "them" },
        { "[\"now\"]", "[\"col\", \"\"]",
            "p.json: /actions/expire/steps/0/set/at/1: found \"\", expected a name of at most 128 octets without "
            "quotes, "
            "backslashes or control characters" },
        { "{\"at\": [\"now\"]}", "{\"at\\u0000\": [\"now\"]}",
            "p.json: /actions/expire/steps/0/set/at" + std::string(1, '\0')
                + ": found the name \"at\\u0000\", expected a name of at most 128 octets without quotes, backslashes "
                  "or control characters" },
        { "{\"at\": [\"now\"]}", "{\"a\\\"t\": [\"now\"]}",
            "p.json: /actions/expire/steps/0/set/a\"t: found the name \"a\\\"t\", expected a name of at most 128 "
            "octets without quotes, backslashes or control characters" },
        { "\"fencing\": \"none\"", "\"native\": true",
            "p.json: /native: found true, expected it in Fencepost's own profiles only" },
        { "\"kind\"", "\"format\": 1, \"kind\"",
            "p.json: /: found the member \"format\" twice in one object, expected it once" },
        { "[\"postgresql\", \"sqlite\"]", "[\"sqlite\", \"sqlite\"]",
            "p.json: /dialects/1: found \"sqlite\" a second time, expected each dialect once" },
        { "\"state\": [", "\"state\": [{\"when\": [\"true\"], \"is\": \"FAILED_FINAL\"}, ",
            "p.json: /state/1: found a state behind one that every row is in, expected the condition [\"true\"] in the "
            "last one only" },
        { "\"fencing\": \"none\"", "\"fencing\": \"none\", \"forbidden\": {\"fence\": \"\"}",
            "p.json: /forbidden/fence: found \"\", expected why it must not be done" },
        { "\"identity\": [\"key\"]", "\"identity\": []", "p.json: /identity: found [], expected at least one column" },
        { "\"identity\": [\"key\"]", "\"identity\": [\"key\", \"t.KEY\"]",
            "p.json: /identity/1: found \"t.KEY\" a second time, expected each column once" },
        { "{\"at\": [\"now\"]}", "{\"t.key\": [\"now\"]}",
            "p.json: /actions/expire/steps/0: found a new value for \"t.key\", which is of the identity, expected "
            "other "
            "columns to set" },
        { "\"fencing\": \"none\"", "\"fencing\": \"none\", \"forbidden\": {\"expire\": \"no\"}",
            "p.json: /forbidden/expire: found a verb that /actions has too, expected it in one of them" },
        { "{\"t\": \"keys\"}", "{\"k\": \"keys\", \"u\": \"more\"}",
            "p.json: /source/tables: found 2 tables, none of them \"t\", expected the rows' own table under the alias "
            "\"t\"" },
        { "\"t\": \"keys\"", "\"t\": {\"pattern\": \"keys\"}",
            "p.json: /source/tables/t/pattern: found \"keys\", expected a table's name with one * for any text, as "
            "\"*_OutboxData\"" },
        { "\"t\": \"keys\"", "\"t\": \"keys\", \"head\": \"more\"",
            "p.json: /source/tables/head: found the alias \"head\", expected another, without a dot and not \"head\"" },
        { "\"t\": \"keys\"", "\"t\": \"keys\", \"n\": {\"pattern\": \"*_nodes\"}",
            "p.json: /source/tables: found a pattern for another table than the rows' own, expected one for the rows' "
            "own table too" },
        { "[\"true\"]", "[\"exists\", \"n\", [\"true\"]]",
            "p.json: /actions/expire/steps/0/when/1: found \"n\", expected the alias of another table of "
            "/source/tables" },
        { "[\"true\"]", "[\"owner_dead\"]",
            "p.json: /actions/expire/steps/0/when: found \"owner_dead\" in a profile without /owners, expected the "
            "section that says what it means, and the condition outside of that section" },
        { "[\"true\"]", "[\"behind\"]",
            "p.json: /actions/expire/steps/0/when: found \"behind\" in a profile without /lane, expected the section "
            "that says what it means, and the condition outside of that section" },
        { "\"default\": \"PT5M\"", "\"label\": \"how long\"",
            "p.json: /stuck/2/1: found \"wait\", a parameter without \"default\", expected one that has a default: "
            "only "
            "actions ask for parameters" },
        { "\"fencing\": \"none\"", "\"owners\": {\"table\": \"n\", \"owner\": [\"col\", \"o\"], \"id\": \"id\"}",
            "p.json: /owners/table: found \"n\", expected the alias of another table of /source/tables" },
        { "\"fencing\": \"none\"", "\"lane\": {\"group\": [\"g\"], \"order\": [], \"waits\": [\"true\"]}",
            "p.json: /lane/order: found [], expected at least one column" },
        { "\"fencing\": \"none\"", "\"lane\": {\"group\": [\"g\"], \"order\": [\"n\"]}",
            "p.json: /lane: found no \"waits\", expected the condition that a row meets as long as others wait for "
            "it" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"insert\": {\"into\": \"t\", \"columns\": {\"a\": 1}}, ",
            "p.json: /actions/expire/steps/0/insert/into: found \"t\", expected the alias of another table of "
            "/source/tables" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"call\": \"f\", ",
            "p.json: /actions/expire/steps/0/call: found a call of a function, expected \"set\", \"delete\" or "
            "\"insert\"" },
        { "[\"postgresql\", \"sqlite\"]", "[]",
            "p.json: /dialects: found an empty list, expected at least one of postgresql sqlite" },
        { "[\"key\", \"status\", \"at\"]", "[]",
            "p.json: /detect/require/t: found an empty list, expected at least one column" },
        { "\"detect\": {", "\"detect\": {\"forbid\": [\"Status\"], ",
            "p.json: /detect/forbid/0: found \"Status\", expected a column that \"require\" does not ask for" },
        { "\"detect\": {", "\"detect\": {\"optional\": [\"a\", \"A\"], ",
            "p.json: /detect/optional/1: found \"A\", expected each column once" },
        { "\"detect\": {", "\"detect\": {\"values\": {\"colour\": [\"red\"]}, ",
            "p.json: /detect/values/colour: found values of \"colour\", expected those of a column that \"require\" "
            "asks for" },
        { "\"fencing\": \"none\"", "\"external\": {\"fail\": []}",
            "p.json: /external/fail: found an empty list, expected the words of the command" },
        { "\"done\"]", "null]",
            "p.json: /state/0/when/2: found null, with which no comparison is ever true, expected [\"is_null\", value] "
            "for it" },
        { "[\"eq\", [\"col\", \"status\"], \"done\"]", "[\"in\", [\"col\", \"status\"], \"done\", null]",
            "p.json: /state/0/when/3: found null, with which no comparison is ever true, expected [\"is_null\", value] "
            "for it" },
        { "\"fencing\": \"none\"", "\"time\": {\"att\": \"epoch_s\"}",
            "p.json: /time/att: found an encoding of \"att\", expected one of a column that the profile names, or of "
            "\"*\"" },
        { "\"fencing\": \"none\"", "\"time\": {\"AT\": {}}",
            "p.json: /time/AT: found no encoding, expected one of tz, naive:<IANA zone>, epoch_s, epoch_ms, epoch_us, "
            "iso, isoZ" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"delete\": {\"from\": \"n\", \"where\": [\"true\"]}, ",
            "p.json: /actions/expire/steps/0/delete/from: found \"n\", expected the alias of another table of "
            "/source/tables" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"set\": {\"at\": [\"now\"], \"AT\": null}, ",
            "p.json: /actions/expire/steps/0/set/at: found \"at\" a second time, expected each column once" },
        { "[\"now\"]", "[\"now\", \"naive:app-local\"]",
            "p.json: /actions/expire/steps/0/set/at/1: found \"naive:app-local\", expected one of tz, naive:<IANA "
            "zone>, "
            "epoch_s, epoch_ms, epoch_us, iso, isoZ" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"delete\": false, ",
            "p.json: /actions/expire/steps/0/delete: found false, expected true, or {\"from\": alias, \"where\": "
            "condition}" },
        { "[\"true\"]", "[\"past\", \"abc\"]",
            "p.json: /actions/expire/steps/0/when/1: found \"abc\", expected an instant: a column, [\"now\"], or "
            "case, coalesce, greatest, from, add_s or add_interval of such" },
        { "{\"set\": {\"at\": [\"now\"]}, ", "{\"set\": {\"at\": [\"coalesce\", \"soon\", [\"now\"]]}, ",
            "p.json: /actions/expire/steps/0/set/at/1: found \"soon\", expected an instant: a column, [\"now\"], or "
            "case, coalesce, greatest, from, add_s or add_interval of such" },
        { "\"created_us\": [\"col\", \"at\"]",
            "\"created_us\": [\"coalesce\", [\"col\", \"at\"], [\"concat\", \"a\", \"b\"]]",
            "p.json: /fields/created_us/2: found [\"concat\",\"a\",\"b\"], expected an instant: a column, [\"now\"], "
            "or case, coalesce, greatest, from, add_s or add_interval of such" },
        { "\"created_us\": [\"col\", \"at\"]", "\"created_us\": [\"case\", [[[\"true\"], \"soon\"]]]",
            "p.json: /fields/created_us/1/0/1: found \"soon\", expected an instant: a column, [\"now\"], or case, "
            "coalesce, greatest, from, add_s or add_interval of such" },
        { "[\"true\"]", "[\"older_than\", [\"add_s\", [\"col\", \"at\"], \"60\"], \"PT5M\"]",
            "p.json: /actions/expire/steps/0/when/1/2: found \"60\", expected a number" },
        { "[\"true\"]", "[\"older_than\", [\"add_s\", [\"col\", \"at\"], [\"concat\", \"6\", \"0\"]], \"PT5M\"]",
            "p.json: /actions/expire/steps/0/when/1/2: found [\"concat\",\"6\",\"0\"], expected a number" },
        { "\"fencing\": \"none\"", "\"time\": {\"at\": \"naive:Nowhere/Zone\"}",
            "p.json: /time/at: found \"naive:Nowhere/Zone\", expected a time zone that this computer knows, as "
            "naive:Europe/Berlin" },
        { "[\"now\"]", "[\"now\", \"naive:Nowhere/Zone\"]",
            "p.json: /actions/expire/steps/0/set/at/1: found \"naive:Nowhere/Zone\", expected a time zone that this "
            "computer knows, as naive:Europe/Berlin" },
        { "[\"col\", \"at\"]", "[\"col\", \"z.at\"]",
            "p.json: /fields/created_us/1: found a column of \"z\", expected an alias of /source/tables; a column "
            "whose "
            "name has a dot is listed in /detect" },
        { "\"require\": {", "\"require\": {\"u\": [\"a\"], ",
            "p.json: /detect/require/u: found columns of \"u\", expected an alias of /source/tables" },
        { "\"risk\": \"low\"", "\"risk\": \"none\"",
            "p.json: /actions/expire/risk: found \"none\", expected one of low medium high" },
    };
    for (const auto& [piece, replacement, message] : cases)
        EXPECT_EQ(mistake(profileWith(piece, replacement)), message);
}

// Where nothing is said a case is nothing, and what it leads to may be nothing.
TEST(ProfileLoaderTest, ACaseOfInstantsMayBeNothing)
{
    for (const auto* made : { R"(["case", [[["true"], ["col", "at"]]]])",
             R"(["case", [[["true"], null]], ["col", "at"]])", R"(["case", [[["true"], ["col", "at"]]], null])" }) {
        const auto read =
            parse(profileWith("\"created_us\": [\"col\", \"at\"]", "\"created_us\": " + std::string(made)), "p.json");
        EXPECT_TRUE(read) << made << (read ? "" : read.error().message);
        const auto set = parse(profileWith("{\"set\": {\"at\": [\"now\"]}, ",
                                   "{\"set\": {\"at\": [\"coalesce\", " + std::string(made) + ", [\"now\"]]}, "),
            "p.json");
        EXPECT_TRUE(set) << made << (set ? "" : set.error().message);
    }
}

// With another table beside it.
std::string twoTables(const std::string& piece, const std::string& replacement)
{
    auto text = profileWith("{\"t\": \"keys\"}", "{\"t\": \"keys\", \"n\": \"notes\"}");
    const auto at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), replacement);
}

TEST(ProfileLoaderTest, ReadsALetterThatWaitsToBeMovedBackAsRedriven)
{
    auto text = profileWith("\"idempotency\"", "\"dlq\"");
    text.replace(text.find("SUCCEEDED"), 9, "PENDING");
    const auto profile = parse(text, "p.json");
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->states.at(0).is, "REDRIVEN");
}

TEST(ProfileLoaderTest, TakesAFormatThatIsWrittenWithAFraction)
{
    EXPECT_EQ(mistake(profileWith("\"format\": 1", "\"format\": 1.0")), "none");
    EXPECT_NE(mistake(profileWith("\"format\": 1", "\"format\": 1.5")), "none");
}

TEST(ProfileLoaderTest, ReadsWhatReachesAnotherTable)
{
    const std::string note = R"(["from", "n", ["eq", ["col", "n.of"], ["col", "key"]], ["col", "n.text"]])";
    const auto profile = parse(twoTables(R"("created_us": ["col", "at"])", "\"error\": " + note), "p.json");
    ASSERT_TRUE(profile) << profile.error().message;
    const auto& from = *profile->fields.at("error");
    EXPECT_EQ(from.op, Expression::Op::From);
    EXPECT_EQ(from.name, "n");
    EXPECT_EQ(from.arguments.at(1)->name, "n.text");
    const auto deletes = parse(twoTables(R"({"set": {"at": ["now"]}, )",
                                   R"({"delete": {"from": "n", "where": ["eq", ["col", "n.of"], ["col", "key"]]}, )"),
        "p.json");
    ASSERT_TRUE(deletes) << deletes.error().message;
    const auto& step = deletes->actions.at("expire").steps.at(0);
    EXPECT_EQ(step.kind, Step::Kind::Delete);
    EXPECT_EQ(step.other, "n");
    EXPECT_EQ(step.which->op, Expression::Op::Eq);

    EXPECT_EQ(mistake(twoTables(R"("created_us": ["col", "at"])", R"("error": ["col", "n.text"])")),
        "p.json: /fields/error/1: found a column of the other table \"n\", expected it within [\"exists\", \"n\", "
        "condition] or [\"from\", \"n\", condition, value] only");
    EXPECT_EQ(mistake(twoTables(R"(["true"])", R"(["exists", "n", ["exists", "n", ["true"]]])")),
        "p.json: /actions/expire/steps/0/when/2/1: found the table \"n\" within itself, expected another one, or them "
        "side by side");
    EXPECT_EQ(mistake(twoTables(R"("unchanged": ["at"])", R"("unchanged": ["at", "n.text"])")),
        "p.json: /actions/expire/steps/0/unchanged/1: found a column of the other table \"n\", expected columns of the "
        "row itself; what another table must still hold is said in \"when\"");
    EXPECT_EQ(mistake(twoTables(R"("set": {"at": ["now"]})", R"("set": {"n.text": "x"})")),
        "p.json: /actions/expire/steps/0/set/n.text: found a column of another table, \"n.text\", expected columns of "
        "the row itself; \"insert\" and \"delete\" write to another one");
    EXPECT_EQ(mistake(twoTables(R"("identity": ["key"])", R"("identity": ["n.of"])")),
        "p.json: /identity/0: found a column of another table, \"n.of\", expected columns of the rows' own table");
}

TEST(ProfileLoaderTest, RefusesWhatIsNoProfileAtAll)
{
    EXPECT_EQ(mistake(""), "p.json: /: found text that is not JSON, expected a profile");
    EXPECT_EQ(mistake("[]"), "p.json: /: found [], expected an object");
    EXPECT_EQ(mistake("{\"profile\": \xff}"), "p.json: /: found octets that are no UTF-8, expected JSON");
    EXPECT_EQ(mistake(std::string((1U << 20U) + 1, ' ')), "p.json: /: found more than 1 MiB, expected a profile");
    EXPECT_EQ(mistake(std::string(1'000'000, '[')), "p.json: /: found more than 64 levels, expected fewer");
    EXPECT_EQ(mistake("{\"a\":1,\"a\":2}"), "p.json: /: found the member \"a\" twice in one object, expected it once");
    EXPECT_EQ(mistake(R"({"x":[0,{"y/z":{}},{"y/z":{"a":[],"a":2}}]})"),
        "p.json: /x/2/y~1z: found the member \"a\" twice in one object, expected it once");
}

TEST(ProfileLoaderTest, KeepsAHostileLiteralAValue)
{
    const auto profile = parse(profileWith("\"done\"", "\"SUCCEEDED' OR 1=1 --\""), "p.json");
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->states.at(0).when->arguments.at(1)->op, Expression::Op::Literal);
    EXPECT_EQ(profile->states.at(0).when->arguments.at(1)->literal, Scalar(std::string("SUCCEEDED' OR 1=1 --")));
}

TEST(ProfileLoaderTest, SurvivesMutatedProfiles)
{
    std::mt19937 random(41);
    for (const auto& shipped : shippedProfiles()) {
        for (int i = 0; i < 2'000; ++i) {
            std::string text(shipped.json);
            for (int e = 0; e < 3; ++e) {
                const auto at = random() % text.size();
                switch (random() % 3) {
                case 0:
                    text.erase(at, 1 + random() % 8);
                    break;
                case 1:
                    text[at] = "[]{}\",:01a"[random() % 10];
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 20));
                }
            }
            const auto profile = parse(text, "p.json");
            if (!profile) {
                ASSERT_EQ(profile.error().message.rfind("p.json: /", 0), 0U) << profile.error().message;
            }
        }
    }
}

} // namespace
} // namespace fencepost::profile
