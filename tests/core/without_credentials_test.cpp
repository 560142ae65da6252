// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/without_credentials.h"

using namespace fencepost;

TEST(WithoutCredentials, HidesTheUserAndThePasswordOfAUrl)
{
    EXPECT_EQ(withoutCredentials("https://user:pass@host/hooks"), "https://***@host/hooks");
    EXPECT_EQ(withoutCredentials("https://token@host:8443"), "https://***@host:8443");
    EXPECT_EQ(withoutCredentials("nats://u:p@[::1]:4222/s"), "nats://***@[::1]:4222/s");
    EXPECT_EQ(withoutCredentials("https://@host"), "https://***@host");
}

TEST(WithoutCredentials, LeavesEverythingElseAlone)
{
    for (const auto* text :
        { "", "https://host/users/@me", "https://host:8443/a@b?c=d@e", "mail olga@example.org", "://",
            "https://[::1]/a@b", "at https://host/ and ftp://host", "https://host?mail=a@b", "https://host#a@b" })
        EXPECT_EQ(withoutCredentials(text), text);
}

TEST(WithoutCredentials, HidesWhatIsNamedLikeASecretInTheQuery)
{
    EXPECT_EQ(withoutCredentials("https://host/hooks?tenant=7&access_token=abc&v=2"),
        "https://host/hooks?tenant=7&access_token=***&v=2");
    EXPECT_EQ(withoutCredentials("https://u:p@host?API_KEY=abc"), "https://***@host?API_KEY=***");
    EXPECT_EQ(withoutCredentials("https://host/?sig=a%3Db=="), "https://host/?sig=***");
    EXPECT_EQ(withoutCredentials("https://host#token=abc"), "https://host#token=***");
    EXPECT_EQ(withoutCredentials("https://host?token="), "https://host?token=");
    EXPECT_EQ(withoutCredentials("to \"https://host?token=abc\" and https://two/?secret=d."),
        "to \"https://host?token=***\" and https://two/?secret=***");
    EXPECT_EQ(
        withoutCredentials("https://host?next=https://u:p@two/?key=abc"), "https://host?next=https://***@two/?key=***");
    EXPECT_EQ(withoutCredentials("https://host?token=https://two"), "https://host?token=***");
    const std::string many(100'000, '?');
    EXPECT_EQ(withoutCredentials("https://" + many), "https://" + many);
}

TEST(WithoutCredentials, HidesThemInEachUrlOfASentence)
{
    EXPECT_EQ(withoutCredentials("from https://a:b@one/x to \"https://c@two\", https://d:e@three,https://f:g@four"),
        "from https://***@one/x to \"https://***@two\", https://***@three,https://***@four");
}

TEST(WithoutCredentials, LosesRatherTooMuchOfWhatIsNoProperUrl)
{
    EXPECT_EQ(withoutCredentials("https://user:pa@ss@host"), "https://***@host");
    EXPECT_EQ(withoutCredentials("https://user:pa/ss@host/x"), "https://***@host/x");
    EXPECT_EQ(withoutCredentials("https://user:pa?s#s@host/x"), "https://***@host/x");
    EXPECT_EQ(withoutCredentials("https://user:\xff@host"), "https://***@host");
}
