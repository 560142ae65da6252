// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "ui/widgets/filter_completion.h"

using namespace fencepost;
using namespace fencepost::ui;

namespace {

QStringList wordsAt(const char* text)
{
    const auto line = QString::fromUtf8(text);
    return completionsAt(line, line.size()).words;
}

} // namespace

TEST(FilterCompletionTest, OffersFieldsAndFlagsWhereATermBegins)
{
    EXPECT_TRUE(wordsAt("").contains(QStringLiteral("stuck")));
    EXPECT_TRUE(wordsAt("not ").contains(QStringLiteral("state")));
    EXPECT_EQ(wordsAt("att"), QStringList{ QStringLiteral("attempts") });
    EXPECT_EQ(wordsAt("(held or exp"), QStringList{ QStringLiteral("expires") });
}

TEST(FilterCompletionTest, OffersTheStatesAfterStateAndADurationAfterAge)
{
    EXPECT_TRUE(wordsAt("state = ").contains(QStringLiteral("FAILED_RETRYABLE")));
    EXPECT_EQ(wordsAt("state=IN"), QStringList{ QStringLiteral("IN_PROGRESS") });
    EXPECT_TRUE(wordsAt("state in (SUCCEEDED, ").contains(QStringLiteral("HELD")));
    EXPECT_TRUE(wordsAt("age > ").contains(QStringLiteral("5m")));
    EXPECT_TRUE(wordsAt("key = ").isEmpty());
}

TEST(FilterCompletionTest, OffersOperatorsAndJoints)
{
    EXPECT_TRUE(wordsAt("age ").contains(QStringLiteral(">=")));
    EXPECT_EQ(wordsAt("stuck "), (QStringList{ QStringLiteral("and"), QStringLiteral("or") }));
    EXPECT_EQ(wordsAt("key = \"a b\" a"), QStringList{ QStringLiteral("and") });
    EXPECT_TRUE(wordsAt("key = \"a sta").isEmpty());
}

TEST(FilterCompletionTest, SaysWhichCharactersAChoiceReplaces)
{
    const auto text = QStringLiteral("stuck and sco");
    const auto completion = completionsAt(text, text.size());
    EXPECT_EQ(completion.from, 10);
    EXPECT_EQ(completion.length, 3);
}

TEST(FilterCompletionTest, AMistakeIsPlacedInTheText)
{
    const auto mistake = mistakeOf({ Failure::Invalid, "at 7: expected a value", {} }, 20);
    EXPECT_EQ(mistake.at, 6);
    EXPECT_EQ(mistake.message, QStringLiteral("expected a value"));
    EXPECT_EQ(mistakeOf({ Failure::Invalid, "too deep", {} }, 20).at, 20);
}

TEST(FilterCompletionTest, ChipsAddAndRemoveTheirTerm)
{
    const auto with = withFlag(QStringLiteral("scope = pay"), Flag::Stuck, true);
    ASSERT_TRUE(with);
    const auto parsed = parseFilter(with->toStdString());
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(asksFor(*parsed, Flag::Stuck));
    EXPECT_EQ(withFlag(*with, Flag::Stuck, false), QString::fromStdString(formatFilter(*parseFilter("scope = pay"))));
    EXPECT_EQ(withFlag(QStringLiteral("stuck"), Flag::Stuck, false), QString());
    EXPECT_EQ(withFlag(QString(), Flag::Held, true), QStringLiteral("held"));
    EXPECT_FALSE(withFlag(QStringLiteral("scope ="), Flag::Stuck, true));
}

TEST(FilterCompletionTest, AChipBesideAnOrKeepsItsMeaning)
{
    const auto with = withState(QStringLiteral("stuck or held"), "IN_PROGRESS", true);
    ASSERT_TRUE(with);
    const auto parsed = parseFilter(with->toStdString());
    ASSERT_TRUE(parsed);
    EXPECT_EQ((*parsed)->op, Filter::Op::And);
    EXPECT_TRUE(asksFor(*parsed, std::string("IN_PROGRESS")));
}
