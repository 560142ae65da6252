// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/body_explanation.h"
#include "tests/core/protocol/json_samples.h"

using namespace fencepost;

namespace {

const std::string json = "application/json";

// "changed /amount 1000 -> 2000; benign member_order ; note …"
std::string summary(const BodyExplanation& explanation)
{
    std::string out(wordOf(explanation.kind));
    out += explanation.same ? " same" : " differs";
    for (const auto& difference : explanation.differences) {
        out.append("; ").append(wordOf(difference.kind)).append(" ").append(difference.place);
        out.append(" ").append(difference.before).append("->").append(difference.after);
    }
    for (const auto& benign : explanation.benign) {
        out.append("; benign ").append(wordOf(benign.kind)).append(" ").append(benign.place);
        if (!benign.before.empty())
            out.append(" ").append(benign.before).append("->").append(benign.after);
    }
    for (const auto& note : explanation.notes)
        out += "; " + note;
    return out;
}

std::string explain(std::string_view before, std::string_view after, const std::optional<std::string>& type = json,
    const FingerprintProfile& profile = {})
{
    return summary(explainBodies({ type, before }, { type, after }, profile));
}

} // namespace

TEST(BodyExplanation, NamesThePointersThatDiffer)
{
    EXPECT_EQ(explain(R"({"charge_id":"ch_1","amount":1000})", R"({"charge_id":"ch_1","amount":2000})"),
        "json differs; changed /amount 1000->2000");
    EXPECT_EQ(
        explain(R"({"a/b":{"m~n":[1,2,{"x":null}]},"gone":"é"})", R"({"a/b":{"m~n":[1,3,{"x":false},4]},"new":{}})"),
        "json differs; changed /a~1b/m~0n/1 2->3; changed /a~1b/m~0n/2/x null->false; added /a~1b/m~0n/3 ->4; "
        "removed /gone \"é\"->; added /new ->{}");
    EXPECT_EQ(explain("[1]", "{}"), "json differs; changed  [1]->{}");
    EXPECT_EQ(explain("[9007199254740993]", "[9007199254740992]"),
        "json differs; changed /0 9007199254740993->9007199254740992");
}

TEST(BodyExplanation, NamesWhatIsBenign)
{
    EXPECT_EQ(explain(R"({"b":10.0,"a":"x","c":[1e2]})", R"({"a":"x","b":1e1,"c":[100]})"),
        "json same; benign number_spelling /b 10.0->1e1; benign number_spelling /c/0 1e2->100; benign member_order ");
    EXPECT_EQ(explain(R"({"\u0061":"\/"})", R"({"a":"/"})"),
        "json same; benign escapes /a \\u0061->a; benign escapes /a \"\\/\"->\"/\"");
    EXPECT_EQ(explain("{\"a\":[1, 2]}", "{\"a\":[1 ,2]}"), "json same; benign white_space ");
    EXPECT_EQ(explain("{\"a\": 1}", "{\"a\":2}"), "json differs; changed /a 1->2; benign white_space ");
    EXPECT_EQ(explain("{\"a\":\" \"}", "{\"a\":\" \"}"), "json same");
    EXPECT_EQ(explain("-0", "0.0"), "json same; benign number_spelling  -0->0.0");
}

TEST(BodyExplanation, KnowsWhatTheProfileHashes)
{
    const FingerprintProfile amount{ .pointers = { "/order/amount" } };
    EXPECT_EQ(explain(R"({"order":{"amount":1,"amounts":1},"at":1})", R"({"order":{"amount":1,"amounts":2},"at":2})",
                  json, amount),
        "json same; benign not_hashed /at 1->2; benign not_hashed /order/amounts 1->2");
    EXPECT_EQ(explain(R"({"order":{"amount":{"x":1}}})", R"({"order":{"amount":{"x":2}}})", json, amount),
        "json differs; changed /order/amount/x 1->2");
    EXPECT_EQ(explain(R"({"order":{"amount":1}})", R"({"order":null})", json, { .pointers = { "", "/order/amount" } }),
        "json differs; changed /order {\"amount\":1}->null");
    EXPECT_EQ(explain("{ }", "{}", json, { .json = JsonBodies::Raw }),
        "json differs; benign white_space ; The octets of JSON are hashed here, so that its spelling decides.");
}

// A pointer that leads nowhere in both selects nothing, though what stands above its place changes.
TEST(BodyExplanation, KnowsWhatAPointerSelectsBelowAChange)
{
    const FingerprintProfile nowhere{ .pointers = { "/amount/", "/amount/x", "/k" } };
    EXPECT_EQ(explain(R"({"amount":1,"k":0})", R"({"amount":2,"k":0})", json, nowhere),
        "json same; benign not_hashed /amount 1->2");
    EXPECT_EQ(explain(R"({"amount":{"x":1}})", R"({"amount":2})", json, nowhere),
        "json differs; changed /amount {\"x\":1}->2");
    EXPECT_EQ(explain(R"({"a":{"0":1}})", R"({"a":[1.0]})", json, { .pointers = { "/a/0" } }),
        "json same; benign not_hashed /a {\"0\":1}->[1.0]");
    EXPECT_EQ(explain(R"({"a":{"0":1}})", R"({"a":[2]})", json, { .pointers = { "/a/0" } }),
        "json differs; changed /a {\"0\":1}->[2]");
    EXPECT_EQ(explain(R"({"k":0})", R"({"a":{"b":1},"k":0})", json, { .pointers = { "/a/c", "/k" } }),
        "json same; benign not_hashed /a");
}

TEST(BodyExplanation, AgreesWithTheDigest)
{
    SeededRandom random(21);
    for (int i = 0; i < 1000; ++i) {
        auto sample = test::randomSample(random);
        const auto before = test::spell(sample, random);
        const bool changed = random.below(2) == 0;
        if (changed)
            test::change(sample, random);
        const auto after = test::spell(sample, random);
        const auto explanation = explainBodies({ json, before }, { json, after });
        ASSERT_EQ(explanation.same, !changed) << before << '\n' << after;
        ASSERT_EQ(explanation.differenceCount == 0, explanation.same) << before << '\n' << after;
        ASSERT_EQ(explanation.benignCount == 0 && explanation.differenceCount == 0, before == after) << before << '\n'
                                                                                                     << after;
    }
}

TEST(BodyExplanation, KeepsNoMoreThanIsAskedFor)
{
    std::string before = "[0";
    std::string after = "[1";
    for (int i = 0; i < 1000; ++i) {
        before += ",0";
        after += ",\"" + std::string(500, 'x') + "\"";
    }
    const auto explanation = explainBodies({ json, before + ']' }, { json, after + ']' }, {}, 10);
    EXPECT_EQ(explanation.differences.size(), 10U);
    EXPECT_EQ(explanation.differenceCount, 1001U);
    EXPECT_LE(explanation.differences.back().after.size(), 130U);
    EXPECT_TRUE(explainBodies({ json, before + ']' }, { json, after + ']' }, {}, 0).differences.empty());
}

TEST(BodyExplanation, ExaminesBodiesWithoutAType)
{
    EXPECT_EQ(explain("{\"a\":1}", "{\"a\":2}", std::nullopt), "json differs; changed /a 1->2");
    EXPECT_EQ(explain("{\"a\":1}", "x", std::nullopt),
        "text differs; changed line 1, column 1 {\"a\":1}->x; The first body is json, the second text.; They have 7 "
        "and 1 "
        "octets.");
}

TEST(BodyExplanation, SaysWhyADocumentIsNotComparedAsOne)
{
    EXPECT_EQ(explain(R"({"a":1,"a":2})", R"({"a":1})"),
        "text differs; changed line 1, column 7 ,\"a\":2}->}; The first body: The body is no I-JSON: the member \"a\" "
        "appears twice (octet 11).; They have 13 and 7 octets.");
}

TEST(BodyExplanation, OfTextsPointsAtTheFirstDifference)
{
    const std::string plain = "text/plain";
    EXPECT_EQ(explain("one\ntwö x", "one\ntwü x", plain),
        "text differs; changed line 2, column 3 ö x->ü x; They have 10 and 10 octets.");
    EXPECT_EQ(explain("one\r\ntwo", "one\ntwo", plain),
        "text differs; changed line 1, column 4 \r\ntwo->\ntwo; They differ in their line breaks only.; They have 8 "
        "and 7 "
        "octets.");
    EXPECT_EQ(explain("a", "ab", plain), "text differs; added line 1, column 2 ->b; They have 1 and 2 octets.");
    EXPECT_EQ(explain("a", "a", plain), "text same");
    EXPECT_EQ(explain(std::string_view("\0\x01\x02", 3), std::string_view("\0\xff\x02", 3), "application/octet-stream"),
        "octets differs; changed octet 1 0102->ff02; They have 3 and 3 octets.");
}

TEST(BodyExplanation, OfFormsComparesNames)
{
    const std::string form = "application/x-www-form-urlencoded";
    EXPECT_EQ(explain("a=1&b=2&a=3&c=", "a=1&b=3&d=x", form),
        "form differs; changed a 1, 3->1; changed b 2->3; removed c ->; added d ->x");
    EXPECT_EQ(explain("a=1&b=x+y", "b=x%20y&a=1", form, { .form = FormBodies::SortedPairs }),
        "form same; benign pair_order ");
    EXPECT_EQ(
        explain("b=x+y", "b=x%20y", form, { .form = FormBodies::SortedPairs }), "form same; benign pair_spelling ");
    EXPECT_EQ(explain("a=1&b=2", "b=2&a=1", form),
        "form differs; changed order of the pairs a=1&b=2->b=2&a=1; With the form's pairs sorted, they would be the "
        "same.");
}

TEST(BodyExplanation, OfMultipartBodiesComparesParts)
{
    const std::string before = "--x\r\nA: 1\r\n\r\none\r\n--x\r\n\r\ntwo\r\n--x--";
    const std::string after = "--y\r\nA: 2\r\n\r\none\r\n--y\r\n\r\n2\r\n--y\r\n\r\n3\r\n--y--";
    EXPECT_EQ(
        summary(explainBodies({ "multipart/mixed; boundary=x", before }, { "multipart/mixed; boundary=y", after })),
        "multipart differs; changed part 1, headers a: 1\n->a: 2\n; changed part 2 two->2; added part 3 ->; benign "
        "boundary  "
        "x->y");
    EXPECT_EQ(explain("--x", "--x--", "multipart/mixed; boundary=x"),
        "text differs; added line 1, column 4 ->--; The first body: The multipart body has no closing delimiter.; They "
        "have "
        "3 and 5 octets.");
}
