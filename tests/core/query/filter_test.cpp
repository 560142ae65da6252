// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include <gtest/gtest.h>

#include "core/query/filter.h"

namespace fencepost {
namespace {

std::string canonical(std::string_view text)
{
    const auto filter = parseFilter(text);
    return filter ? formatFilter(*filter) : "error: " + filter.error().message;
}

bool sameTree(const Filter& a, const Filter& b)
{
    if (a.op != b.op || a.children.size() != b.children.size() || a.values.size() != b.values.size())
        return false;
    if (a.op == Filter::Op::Test && (a.field != b.field || a.comparison != b.comparison))
        return false;
    if (a.op == Filter::Op::Flagged && a.flag != b.flag)
        return false;
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (a.values[i].text != b.values[i].text || a.values[i].typed != b.values[i].typed)
            return false;
    for (std::size_t i = 0; i < a.children.size(); ++i)
        if (!sameTree(*a.children[i], *b.children[i]))
            return false;
    return true;
}

TEST(FilterTest, EmptyTextIsNoFilter)
{
    for (const auto* text : { "", "   ", "\t\r\n" }) {
        const auto filter = parseFilter(text);
        ASSERT_TRUE(filter) << filter.error().message;
        EXPECT_EQ(*filter, nullptr);
    }
    EXPECT_EQ(formatFilter(nullptr), "");
}

TEST(FilterTest, ReadsEveryFieldAndOperator)
{
    EXPECT_EQ(canonical("state=IN_PROGRESS"), "state = IN_PROGRESS");
    EXPECT_EQ(canonical("STATE = in_progress"), "state = IN_PROGRESS");
    EXPECT_EQ(canonical("scope~tenant-1"), "scope ~ tenant-1");
    EXPECT_EQ(canonical("operation != refund"), "operation != refund");
    EXPECT_EQ(canonical("key >= \"a b\""), "key >= \"a b\"");
    EXPECT_EQ(canonical("owner in (a, \"b,c\", d)"), "owner in (a, \"b,c\", d)");
    EXPECT_EQ(canonical("age>5m"), "age > 5m");
    EXPECT_EQ(canonical("attempts<=3"), "attempts <= 3");
    EXPECT_EQ(canonical("created<2026-11-20T23:45:47Z"), "created < 2026-11-20T23:45:47Z");
    EXPECT_EQ(canonical("expires < 5m"), "expires < 5m");
    EXPECT_EQ(canonical("lease > \"2026-11-20 23:45\""), "lease > \"2026-11-20 23:45\"");
    EXPECT_EQ(canonical("fence = -12"), "fence = -12");
    EXPECT_EQ(canonical("code in (200,201)"), "code in (200, 201)");
    EXPECT_EQ(canonical("hash ~ c0ffee"), "hash ~ c0ffee");
    EXPECT_EQ(canonical("stuck and held or conflict"), "stuck and held or conflict");
}

TEST(FilterTest, AndBindsTighterThanOrAndNotTightest)
{
    const auto filter = *parseFilter("stuck or held and not conflict");
    ASSERT_EQ(filter->op, Filter::Op::Or);
    ASSERT_EQ(filter->children.size(), 2U);
    const auto& right = *filter->children[1];
    EXPECT_EQ(right.op, Filter::Op::And);
    EXPECT_EQ(right.children[1]->op, Filter::Op::Not);
}

TEST(FilterTest, KeepsTheTreeThroughItsText)
{
    for (const auto* text : { "(stuck and held) and conflict", "stuck and (held or conflict)", "not (stuck and held)",
             "not not stuck", "(stuck or held) or conflict", "key = \"and\"", "key = \"\"", "key = \"a\\\"b\\\\c\"",
             "key < \"=x\"", "row(a, \"b c\", 3)", "not row(x) and (row(y) or stuck)",
             "not (not (key in (\"(\", \")\")))", "key = \"zwei Wörter\"", "state in (HELD, dead)" }) {
        const auto filter = parseFilter(text);
        ASSERT_TRUE(filter) << text << ": " << filter.error().message;
        const auto again = parseFilter(formatFilter(*filter));
        ASSERT_TRUE(again) << formatFilter(*filter) << ": " << again.error().message;
        EXPECT_TRUE(sameTree(**filter, **again)) << text << " -> " << formatFilter(*filter);
    }
}

TEST(FilterTest, TypesItsValues)
{
    const auto age = *parseFilter("age > 1h30m");
    EXPECT_EQ(std::get<Duration>(age->values[0].typed), std::chrono::minutes(90));
    const auto created = *parseFilter("created = 1970-01-01T00:00:01Z");
    EXPECT_EQ(microsOf(std::get<Time>(created->values[0].typed)), 1'000'000);
    const auto expires = *parseFilter("expires < 5m");
    EXPECT_EQ(std::get<Duration>(expires->values[0].typed), std::chrono::minutes(5));
    const auto code = *parseFilter("code = 409");
    EXPECT_EQ(std::get<std::int64_t>(code->values[0].typed), 409);
}

TEST(FilterTest, TheRowsOfAFindingFitHoweverLongTheirKeysAre)
{
    std::vector<std::vector<std::string>> identities;
    for (int i = 0; i < 100; ++i)
        identities.push_back(
            { std::string(255, 's'), std::string(255, '"'), std::string(252, 'k') + std::to_string(i) });
    const auto filter = parseFilter(filterOfRows(identities));
    ASSERT_TRUE(filter) << filter.error().message;
    ASSERT_EQ((*filter)->children.size(), 100U);
    EXPECT_EQ((*filter)->children[7]->values[1].text, std::string(255, '"'));
    EXPECT_EQ(filterOfRows({}), "");
    EXPECT_EQ(filterOfRows({ { "a", "b c" } }), "row(a, \"b c\")");
    EXPECT_EQ(filterOfRows({ { "\xff" }, { "b" } }), "row(b)") << "what is no text cannot be typed";
}

TEST(FilterTest, AsksForOneMomentOfARow)
{
    EXPECT_EQ(
        canonical("HAD( Event=reserve and from = ABSENT and at>=2026-11-20T23:45Z and attempt in (2,3) )and not stuck"),
        "had(event = reserve and from = ABSENT and at >= 2026-11-20T23:45Z and attempt in (2, 3)) and not stuck");
    EXPECT_EQ(canonical("not had(delay < 100ms) or had(took >= 1s and to != \"a b\")"),
        "not had(delay < 100ms) or had(took >= 1s and to != \"a b\")");
    EXPECT_EQ(canonical("key = had"), "key = had");
    const std::pair<const char*, const char*> wrong[] = {
        { "had", "error: at 4: expected \"(\" after \"had\"" },
        { "had()", "error: at 5: expected one of event from to attempt at delay took" },
        { "had(key = a)",
            "error: at 5: \"key\" tells nothing of a moment; expected one of event from to attempt at delay took" },
        { "had(event = a or event = b)", "error: at 15: expected \"and\" or \")\"" },
        { "had(event = a", "error: at 4: this \"(\" is never closed" },
        { "event = a", "error: at 1: \"event\" is asked of a moment: had(event …)" },
        { "had(event ~ a)", "error: at 11: \"event\" of a moment is a word; use = != or in" },
        { "had(at > 5m)", "error: at 10: \"at\" takes an instant" },
        { "had(delay > 5)", "error: at 13: \"5\" is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M" },
    };
    for (const auto& [text, expected] : wrong)
        EXPECT_EQ(canonical(text), expected) << text;
}

TEST(FilterTest, SaysWhatIsWrongAndWhere)
{
    const std::pair<const char*, const char*> cases[] = {
        { "colour = red",
            "error: at 1: \"colour\" is no field; expected one of state scope operation key owner age "
            "attempts created expires lease fence code hash queue order_key correlation error group, a flag: "
            "stuck held conflict, had(…) or row(…)" },
        { "key", "error: at 4: expected one of = != < <= > >= ~ in after \"key\"" },
        { "key =", "error: at 6: expected a value after \"key\"" },
        { "key = a b", "error: at 9: expected \"and\", \"or\" or the end of the filter" },
        { "key ! a", "error: at 5: expected \"!=\"" },
        { "(stuck", "error: at 1: this \"(\" is never closed" },
        { "stuck)", "error: at 6: there is no \"(\" for this \")\"" },
        { "stuck and", "error: at 10: expected a field, a flag, \"not\" or \"(\", but the filter ends here" },
        { "key = \"abc", "error: at 7: this quote is never closed" },
        { "key = \"a\\n\"", "error: at 9: only \\\" and \\\\ may follow a backslash in quotes" },
        { "key in a", "error: at 8: expected \"(\" after \"in\"" },
        { "key in (a", "error: at 8: this \"(\" is never closed" },
        { "key in ()", "error: at 9: expected a value after \"key\"" },
        { "row", "error: at 4: expected \"(\" after \"row\"" },
        { "row()", "error: at 5: expected a value after \"row\"" },
        { "row(a, b", "error: at 4: this \"(\" is never closed" },
        { "row(a b)", "error: at 7: expected \",\" or \")\"" },
        { "state = DONE",
            "error: at 9: \"DONE\" is no state; expected one of IN_PROGRESS SUCCEEDED FAILED_RETRYABLE "
            "FAILED_FINAL HELD EXPIRED UNKNOWN PENDING DISPATCHED RECEIVED PROCESSING PROCESSED FAILED "
            "DEAD SENT SENDING REDRIVEN DISCARDED" },
        { "state > HELD", "error: at 7: \"state\" has no order; use = != or in" },
        { "state ~ HELD", "error: at 7: \"~\" looks for a part of a text, and \"state\" is none; use = != or in" },
        { "fence ~ 1",
            "error: at 7: \"~\" looks for a part of a text, and \"fence\" is none; use = != < <= > >= or in" },
        { "fence = twelve", "error: at 9: \"twelve\" is no whole number, and \"fence\" takes one" },
        { "fence = 99999999999999999999",
            "error: at 9: \"99999999999999999999\" is no whole number, and \"fence\" takes one" },
        { "age > 5", "error: at 7: \"5\" is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M" },
        { "created > 2h", "error: at 11: \"created\" takes an instant; for a span since then use age" },
        { "lease < soon",
            "error: at 9: \"soon\" is neither an instant like 2026-11-20T23:45:47Z nor a duration like "
            "5m" },
        { "key = \"größe\" and x",
            "error: at 19: \"x\" is no field; expected one of state scope operation key owner "
            "age attempts created expires lease fence code hash queue order_key correlation error "
            "group, a flag: stuck held conflict, had(…) or row(…)" },
    };
    for (const auto& [text, expected] : cases)
        EXPECT_EQ(canonical(text), expected) << text;
    EXPECT_EQ(parseFilter("nonsense").error().failure, Failure::Invalid);
}

TEST(FilterTest, RefusesWhatIsNoText)
{
    EXPECT_EQ(canonical("key = \xff"), "error: at 1: the filter is not text in UTF-8");
    EXPECT_EQ(canonical(std::string_view("key = a\0b", 9)), "error: at 1: the filter is not text in UTF-8");
}

TEST(FilterTest, BoundsDepthLengthTestsAndLists)
{
    EXPECT_EQ(canonical(std::string(200'000, '(')), "error: at 131072: the filter is longer than 131072 octets");
    EXPECT_EQ(canonical(std::string(5'000, '(')), "error: at 65: the filter is nested more than 64 deep");
    std::string negations;
    for (int i = 0; i < 3'000; ++i)
        negations += "not ";
    EXPECT_EQ(canonical(negations + "stuck"), "error: at 257: the filter is nested more than 64 deep");
    std::string tests = "stuck";
    for (int i = 0; i < 200; ++i)
        tests += " or stuck";
    EXPECT_NE(canonical(tests).find("more than 200 tests"), std::string::npos);
    std::string list = "fence in (1";
    for (int i = 0; i < 500; ++i)
        list += ",1";
    EXPECT_NE(canonical(list + ")").find("more than 500 values"), std::string::npos);
    std::string rows = "row(a)";
    for (int i = 0; i < 500; ++i)
        rows += " or row(a)";
    EXPECT_NE(canonical(rows).find("more than 500 rows"), std::string::npos);
}

// Whatever comes in, the parser answers with a tree whose text gives the same tree, or with an error at a column.
TEST(FilterTest, SurvivesAMillionMutatedInputs)
{
    const std::vector<std::string> seeds = { "state = IN_PROGRESS and age > 5m",
        "not (stuck or held) and key ~ \"a\\\"b\"", "code in (200, 201, \"409\")",
        "expires < 5m or lease >= 2026-11-20T23:45:47.123456Z", "scope = tenant/1",
        "created != 2026-11-20 and hash ~ c0ffee and conflict", "((((stuck))))",
        "attempts<=3 and fence>12 or owner=x" };
    const std::string pieces = "()\"\\=!<>~, andornotinstuck0123456789mhsZ-:T.\xc3\xa4\xff\n_";
    std::mt19937 random(20'261'121);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) {
        if (i % 4 == 0)
            text = seeds[below(seeds.size())];
        const auto edits = 1 + below(3);
        for (std::size_t e = 0; e < edits; ++e) {
            const auto at = below(text.size() + 1);
            switch (below(4)) {
            case 0:
                text.insert(at, 1, pieces[below(pieces.size())]);
                break;
            case 1:
                text.erase(at, 1 + below(3));
                break;
            case 2:
                if (at < text.size())
                    text[at] = pieces[below(pieces.size())];
                break;
            default:
                text.insert(at, seeds[below(seeds.size())].substr(0, below(12)));
            }
        }
        const auto filter = parseFilter(text);
        if (!filter) {
            ++refused;
            ASSERT_EQ(filter.error().failure, Failure::Invalid);
            ASSERT_EQ(filter.error().message.rfind("at ", 0), 0U) << filter.error().message;
            continue;
        }
        ++accepted;
        if (!*filter)
            continue;
        const auto again = parseFilter(formatFilter(*filter));
        ASSERT_TRUE(again) << text << " -> " << formatFilter(*filter) << ": " << again.error().message;
        ASSERT_TRUE(sameTree(**filter, **again)) << text << " -> " << formatFilter(*filter);
    }
    EXPECT_GT(accepted, 10'000U);
    EXPECT_GT(refused, 10'000U);
}

} // namespace
} // namespace fencepost
