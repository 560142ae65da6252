// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/ids.h"

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

TEST(Ids, Utf8IsJudgedByTheStandard)
{
    EXPECT_TRUE(isUtf8("schlüssel €  𝄞"));
    EXPECT_FALSE(isUtf8("\xff"));
    EXPECT_FALSE(isUtf8("\xc0\xaf"));
    EXPECT_FALSE(isUtf8("\xed\xa0\x80"));
    EXPECT_FALSE(isUtf8("\xe2\x82"));
}
