// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/without_userinfo.h"

using namespace fencepost;

TEST(WithoutUserinfo, HidesTheUserAndThePasswordOfAUrl)
{
    EXPECT_EQ(withoutUserinfo("https://user:pass@host/hooks"), "https://***@host/hooks");
    EXPECT_EQ(withoutUserinfo("https://token@host:8443"), "https://***@host:8443");
    EXPECT_EQ(withoutUserinfo("nats://u:p@[::1]:4222/s"), "nats://***@[::1]:4222/s");
    EXPECT_EQ(withoutUserinfo("https://@host"), "https://***@host");
}

TEST(WithoutUserinfo, LeavesEverythingElseAlone)
{
    for (const auto* text :
        { "", "https://host/users/@me", "https://host:8443/a@b?c=d@e", "mail olga@example.org", "://",
            "https://[::1]/a@b", "at https://host/ and ftp://host", "https://host?mail=a@b", "https://host#a@b" })
        EXPECT_EQ(withoutUserinfo(text), text);
}

TEST(WithoutUserinfo, HidesThemInEachUrlOfASentence)
{
    EXPECT_EQ(withoutUserinfo("from https://a:b@one/x to \"https://c@two\", https://d:e@three,https://f:g@four"),
        "from https://***@one/x to \"https://***@two\", https://***@three,https://***@four");
}

TEST(WithoutUserinfo, LosesRatherTooMuchOfWhatIsNoProperUrl)
{
    EXPECT_EQ(withoutUserinfo("https://user:pa@ss@host"), "https://***@host");
    EXPECT_EQ(withoutUserinfo("https://user:pa/ss@host/x"), "https://***@host/x");
    EXPECT_EQ(withoutUserinfo("https://user:pa?s#s@host/x"), "https://***@host/x");
    EXPECT_EQ(withoutUserinfo("https://user:\xff@host"), "https://***@host");
}
