// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/protocol/canonical_json.h"
#include "tests/core/protocol/json_samples.h"

using namespace fencepost;

namespace {

std::string canonical(std::string_view text)
{
    const auto json = canonicalJson(text);
    return json ? *json : "refused: " + json.error().detail;
}

std::string problemOf(std::string_view text)
{
    const auto json = canonicalJson(text);
    if (json)
        return "none: " + *json;
    EXPECT_EQ(json.error().code, "VALIDATION.body_not_ijson");
    EXPECT_EQ(json.error().failure, Failure::Invalid);
    return json.error().detail;
}

Bytes digestOf(std::string_view text)
{
    const auto digest = jsonDigest(text);
    EXPECT_TRUE(digest) << text;
    return digest ? *digest : Bytes();
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string out;
    out.reserve(text.size() * times);
    for (; times > 0; --times)
        out += text;
    return out;
}

// The other reader keeps integers that no double holds.
nlohmann::json asDoubles(nlohmann::json value)
{
    if (value.is_number())
        return value.get<double>() + 0.0;
    if (value.is_structured())
        for (auto& part : value)
            part = asDoubles(std::move(part));
    return value;
}

} // namespace

TEST(CanonicalJson, MatchesThePublishedExamples)
{
    EXPECT_EQ(canonical(R"({
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
})"),
        R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
        "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    EXPECT_EQ(canonical(R"({"1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { },
        "111": [ { } ], "A": { }})"),
        R"({"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}})");
}

TEST(CanonicalJson, SortsMembersByUtf16CodeUnits)
{
    EXPECT_EQ(canonical(R"({
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
})"),
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\",\"ö\":\"Latin Small Letter O With "
        "Diaeresis\","
        "\"€\":\"Euro Sign\",\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With "
        "Dagesh\"}");
    EXPECT_EQ(canonical(R"({"\"":1,"!":2,"#":3,"\\":4,"[":5,"]":6,"\u001f":7,"\t":8})"),
        R"({"\t":8,"\u001f":7,"!":2,"\"":1,"#":3,"[":5,"\\":4,"]":6})");
}

TEST(CanonicalJson, OrdersNestedObjectsInsideOnesOutOfOrder)
{
    EXPECT_EQ(canonical(R"([{"b":{"d":[{"f":1,"e":{}}],"c":2},"a":{"h":3,"g":4}},{"z":{"y":1,"x":2},"zz":0}])"),
        R"([{"a":{"g":4,"h":3},"b":{"c":2,"d":[{"e":{},"f":1}]}},{"z":{"x":2,"y":1},"zz":0}])");
}

TEST(CanonicalJson, TakesEveryKindOfDocument)
{
    EXPECT_EQ(canonical(" \n null\t"), "null");
    EXPECT_EQ(canonical("-0"), "0");
    EXPECT_EQ(canonical("\"\\u0000\""), R"("\u0000")");
    EXPECT_EQ(canonical(" [ ] "), "[]");
    EXPECT_EQ(canonical("{\"a\":[1,{},[],\"\"]}"), R"({"a":[1,{},[],""]})");
}

TEST(CanonicalJson, RefusesWhatIsNoIJson)
{
    const std::multimap<std::string, std::string> refused{ { "duplicate_member", R"({"a":1,"a":2})" },
        { "duplicate_member", R"({"a":1,"b":3,"\u0061":1})" }, { "duplicate_member", R"([{"x":{"b":1,"a":2,"b":1}}])" },
        { "lone_surrogate", R"("\ud800")" }, { "lone_surrogate", R"("\udc00")" },
        { "lone_surrogate", R"(["\ud83dx"])" }, { "lone_surrogate", R"({"\ud83d\u0041":1})" },
        { "number_range", "NaN" }, { "number_range", "[-Infinity]" }, { "number_range", "[1e400]" },
        { "number_range", "{\"a\":" + std::string(401, '9') + "}" }, { "utf8", "\"\xff\"" },
        { "utf8", "{\"\xc3\x28\":1}" }, { "utf8", "\"\xed\xa0\x80\"" }, { "utf8", "\"\xc0\xaf\"" },
        { "byte_order_mark", "\xef\xbb\xbf{}" }, { "depth", repeated("[", 257) + repeated("]", 257) },
        { "depth", repeated("{\"a\":", 1000) } };
    for (const auto& [problem, text] : refused)
        EXPECT_EQ(problemOf(text), problem) << text;
    for (const auto* text : { "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "01", "1.", ".5", "+1", "1e", "-",
             "tru", "nulls", "[1 2]", "{\"a\" 1}", "\"\x01\"", "\"\\x\"", "\"\\u12g4\"", "\"", "\"\\", "\"\\u", "[]]",
             "{}{}", "//x", "[\v]", "{\"a\":}", "\xa0{}", "\"\\ud83d\\uzzzz\"" })
        EXPECT_EQ(problemOf(text), "syntax") << text;
    EXPECT_EQ(problemOf(std::string("{\"a\0b\":1}", 9)), "syntax");
    EXPECT_EQ(problemOf(std::string("\0", 1)), "syntax");
}

TEST(CanonicalJson, SaysWhereAndWhat)
{
    EXPECT_EQ(canonicalJson("{\"a\":1,\n \"a\":2}").error().message,
        "The body is no I-JSON: the member \"a\" appears twice (octet 13)");
    EXPECT_EQ(canonicalJson("[1,1e999]").error().message,
        "The body is no I-JSON: a number is beyond what a double can hold (octet 3)");
    EXPECT_EQ(canonicalJson("[1,,2]").error().message, "The body is no I-JSON: it is no JSON (octet 3)");
}

TEST(CanonicalJson, NestsToTheLimitInConstantStack)
{
    const auto text = repeated("[", 256) + repeated("]", 256);
    EXPECT_EQ(canonical(text), text);
    EXPECT_EQ(problemOf(repeated("[", 1'000'000)), "depth");
}

TEST(CanonicalJson, DigestIsThatOfTheCanonicalTextForOrdinaryDocuments)
{
    EXPECT_EQ(digestOf(R"({"b": 1.0, "a": [true]})"), sha256(R"({"a":[true],"b":1})"));
}

TEST(CanonicalJson, NumbersBeyondADoubleKeepDocumentsApart)
{
    const std::string nul(1, '\0');
    EXPECT_EQ(canonical("[9007199254740993]"), canonical("[9007199254740992]"));
    EXPECT_NE(digestOf("[9007199254740993]"), digestOf("[9007199254740992]"));
    EXPECT_EQ(digestOf("[9007199254740993]"), digestOf("[90071992547409930e-1]"));
    EXPECT_EQ(digestOf(R"({"b":[0,9007199254740993],"a":1e-400})"),
        sha256("{\"a\":0,\"b\":[0,9007199254740992]}" + nul + "/a=1e-400\n/b/1=9007199254740993"));
    EXPECT_EQ(digestOf("9007199254740993"), sha256("9007199254740992" + nul + "=9007199254740993"));
}

TEST(CanonicalJson, NoMemberNameCanForgeALineOfLossyNumbers)
{
    const std::string forged =
        R"({"a":9007199254740993,"a=9007199254740993\n/b":9007199254740992,"b":9007199254740993})";
    const std::string other =
        R"({"a":9007199254740992,"a=9007199254740993\n/b":9007199254740993,"b":9007199254740992})";
    EXPECT_EQ(canonical(forged), canonical(other));
    EXPECT_NE(digestOf(forged), digestOf(other));
    const auto read = CanonicalJson::read(R"({"a/b~":{"\n":[0,9007199254740993]}})");
    EXPECT_EQ(std::get<CanonicalJson>(read).lossyNumbers().at(0).pointer, R"(/a~1b~0/\n/1)");
}

TEST(CanonicalJson, EverySpellingOfADocumentHasOneDigest)
{
    SeededRandom random(2026);
    for (int i = 0; i < 3000; ++i) {
        const auto sample = test::randomSample(random);
        const auto first = test::spell(sample, random);
        const auto second = test::spell(sample, random);
        const auto text = canonical(first);
        ASSERT_EQ(canonical(second), text) << first << '\n' << second;
        ASSERT_EQ(digestOf(second), digestOf(first)) << first << '\n' << second;
        ASSERT_EQ(canonical(text), text);
    }
}

TEST(CanonicalJson, DifferentDocumentsHaveDifferentDigests)
{
    SeededRandom random(4);
    for (int i = 0; i < 3000; ++i) {
        auto sample = test::randomSample(random);
        const auto before = test::spell(sample, random);
        test::change(sample, random);
        const auto after = test::spell(sample, random);
        ASSERT_NE(digestOf(before), digestOf(after)) << before << '\n' << after;
    }
}

// Another reader judges: what is accepted is the same, and so is what it says.
TEST(CanonicalJson, AgreesWithAnotherReaderOnDamagedTexts)
{
    SeededRandom random(9);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        auto text = test::spell(test::randomSample(random, 3), random);
        for (auto n = random.below(3); n > 0 && !text.empty(); --n) {
            const auto at = random.below(text.size());
            if (random.below(2) == 0)
                text.erase(at, 1 + random.below(3));
            else
                text.insert(at, 1, "\"\\{}[],:01.eE-+u \xff\x80"[random.below(19)]);
        }
        const auto ours = canonicalJson(text);
        const auto theirs = nlohmann::json::parse(text, nullptr, false);
        const auto problem = ours ? std::string() : ours.error().detail;
        if (problem == "duplicate_member" || problem == "number_range")
            continue;
        ASSERT_EQ(static_cast<bool>(ours), !theirs.is_discarded()) << text << ' ' << problem;
        if (!ours)
            continue;
        ++accepted;
        ASSERT_EQ(asDoubles(nlohmann::json::parse(*ours)), asDoubles(theirs)) << text;
    }
    EXPECT_GT(accepted, 5000);
}

// The work is counted by the size of what is hashed, not by a clock: a hostile text may not make more of it than it
// has.
TEST(CanonicalJson, StaysLinearInTheSizeOfHostileTexts)
{
    const auto inner = "\"" + std::string(1'000'000, 'x') + "\"";
    std::string nested = inner;
    for (int i = 0; i < 255; ++i)
        nested = "{\"b\":" + nested + ",\"a\":0}";
    EXPECT_EQ(canonical(nested).size(), nested.size());

    std::string members = "{";
    for (int i = 50'000; i > 0; --i)
        members += "\"m" + std::to_string(i) + "\":" + std::to_string(i) + (i > 1 ? "," : "}");
    EXPECT_EQ(canonical(members).size(), members.size());

    const auto lossy = "{\"" + std::string(1'000'000, 'n') + "\":[" + repeated("9007199254740993,", 100'000) + "0]}";
    EXPECT_EQ(problemOf(lossy), "too_lossy");
    const auto modest = "{\"" + std::string(50, 'n') + "\":[" + repeated("9007199254740993,", 20'000) + "0]}";
    EXPECT_EQ(digestOf(modest).size(), 32U);
}

TEST(JsonPointer, LeadsToTheSpellingOfAValue)
{
    constexpr std::string_view text =
        R"({"foo": ["bar", {"x":1}], "": 0, "a/b": 1.50, "m~n": {"{": [ ]}, "\u0063": null, "foo2": 1})";
    const auto values = valuesAt(text,
        { "", "/foo", "/foo/0", "/foo/1/x", "/", "/a~1b", "/m~0n/{", "/c", "/foo/2", "/foo/01", "/foo/-", "/nope/x" });
    ASSERT_TRUE(values);
    const std::vector<std::optional<std::string_view>> expected{ text, R"(["bar", {"x":1}])", R"("bar")", "1", "0",
        "1.50", "[ ]", "null", std::nullopt, std::nullopt, std::nullopt, std::nullopt };
    EXPECT_EQ(*values, expected);
    for (const auto* pointer : { "foo", "/~", "/~2", "/a~" })
        EXPECT_EQ(valuesAt(text, { pointer }).error().failure, Failure::Invalid) << pointer;
}
