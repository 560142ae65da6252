// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/ids.h"
#include "core/in_quotes.h"

using namespace fencepost;

TEST(Ids, UuidsAreVersionFourAndRepeatWithTheSeed)
{
    SeededRandom first(7);
    SeededRandom again(7);
    const auto id = uuid4(first);
    EXPECT_TRUE(isUuid(id));
    EXPECT_EQ(id[14], '4');
    EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
    EXPECT_EQ(uuid4(again), id);
    EXPECT_NE(uuid4(again), id);
}

TEST(Ids, HexRoundTripsAndRefusesWhatIsNotHex)
{
    const std::string octets("\x00\xff\x10 text", 8);
    EXPECT_EQ(*fromHex(toHex(octets)), octets);
    EXPECT_FALSE(fromHex("abc"));
    EXPECT_FALSE(fromHex("zz"));
}

TEST(Ids, Sha256MatchesThePublishedVector)
{
    EXPECT_EQ(toHex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Ids, WhatIsQuotedInAMessageIsShortText)
{
    EXPECT_EQ(inQuotes(""), "\"\"");
    EXPECT_EQ(inQuotes("schlüssel 7"), "\"schlüssel 7\"");
    EXPECT_EQ(inQuotes("a\xff"
                       "b\n\x1b[31m\x7f\xc3"),
        "\"a\\xffb\\x0a\\x1b[31m\\x7f\\xc3\"");
    EXPECT_EQ(inQuotes(std::string("a\0b", 3)), "\"a\\x00b\"");
    std::string large;
    for (int i = 0; i < 1'000; ++i)
        large += "ä";
    EXPECT_EQ(inQuotes(large), "\"" + large.substr(0, 160) + "…\"");
    EXPECT_TRUE(isUtf8(inQuotes(std::string(200, '\x80'))));
}

TEST(Ids, Utf8IsJudgedByTheStandard)
{
    EXPECT_TRUE(isUtf8("schlüssel €  𝄞"));
    EXPECT_FALSE(isUtf8("\xff"));
    EXPECT_FALSE(isUtf8("\xc0\xaf"));
    EXPECT_FALSE(isUtf8("\xed\xa0\x80"));
    EXPECT_FALSE(isUtf8("\xe2\x82"));
}
