// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include "core/ids.h"
#include "core/protocol/keys.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

// The same bits each time, or from the third draw on other ones.
class FixedRandom final : public Random {
public:
    explicit FixedRandom(std::uint64_t bits, std::optional<std::uint64_t> later = std::nullopt)
        : m_bits(bits)
        , m_later(later.value_or(bits))
    {
    }
    std::uint64_t next() override { return m_draws++ < 2 ? m_bits : m_later; }

private:
    std::uint64_t m_bits;
    std::uint64_t m_later;
    int m_draws = 0;
};

const Time start = timeFromMicros(1'645'557'742'000'000); // of RFC 9562's example: 2022-02-22 14:22:22-05:00

class KeySourceTest : public testing::Test {
protected:
    ManualClock clock{ start };
    SeededRandom random{ 1 };
    KeySource source{ clock, random };
};

} // namespace

TEST_F(KeySourceTest, Uuid7HasTheLayoutOfRfc9562)
{
    const auto key = *source.uuid7();
    EXPECT_TRUE(isUuid(key));
    EXPECT_EQ(key.substr(0, 13), "017f22e2-79b0");
    EXPECT_EQ(key[14], '7');
    EXPECT_NE(std::string("89ab").find(key[19]), std::string::npos);
    EXPECT_EQ(timeOfKey(key), start);
    EXPECT_EQ(timeOfKey("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), start);
}

TEST_F(KeySourceTest, UlidHasTheTimeOfItsSpecificationInFront)
{
    clock.set(timeFromMicros(1'469'918'176'385'000));
    EXPECT_EQ(source.ulid()->substr(0, 10), "01ARYZ6S41");
    EXPECT_EQ(source.ulid()->size(), 26U);
    EXPECT_EQ(timeOfKey(*source.ulid()), clock.now());
}

TEST_F(KeySourceTest, UlidsOfAMillisecondFollowEachOther)
{
    FixedRandom zeros(0);
    KeySource counting(clock, zeros);
    EXPECT_EQ(counting.ulid()->substr(10), "0000000000000000");
    EXPECT_EQ(counting.ulid()->substr(10), "0000000000000001");
    clock.advance(999us);
    EXPECT_EQ(counting.ulid()->substr(10), "0000000000000002");
    clock.advance(1us);
    EXPECT_EQ(counting.ulid()->substr(10), "0000000000000000");
}

TEST_F(KeySourceTest, CarriesAreCarriedAndTheLastOneIsAnError)
{
    FixedRandom ones(UINT64_MAX);
    KeySource full(clock, ones);
    EXPECT_EQ(full.ulid()->substr(10), "ZZZZZZZZZZZZZZZZ");
    EXPECT_EQ(full.ulid().error().failure, Failure::Unavailable);
    EXPECT_EQ(full.ulid().error().failure, Failure::Unavailable);
    clock.advance(1ms);
    EXPECT_TRUE(full.ulid());

    FixedRandom onesAndOne(UINT64_MAX, 1);
    KeySource last(clock, onesAndOne);
    EXPECT_EQ(*last.uuid7(), "017f22e2-79b1-7fff-bfff-ffffffffffff");
    EXPECT_EQ(last.uuid7().error().failure, Failure::Unavailable);
}

TEST_F(KeySourceTest, KeysSortInTheOrderInWhichTheyWereMade)
{
    std::string lastUlid;
    std::string lastUuid;
    SeededRandom steps(5);
    for (int i = 0; i < 20'000; ++i) {
        clock.advance(Duration(static_cast<std::int64_t>(steps.below(900))));
        if (steps.below(500) == 0)
            clock.advance(-1h);
        const auto ulid = source.ulid();
        const auto uuid = source.uuid7();
        ASSERT_TRUE(ulid && uuid);
        ASSERT_LT(lastUlid, *ulid);
        ASSERT_LT(lastUuid, *uuid);
        lastUlid = *ulid;
        lastUuid = *uuid;
    }
}

TEST_F(KeySourceTest, AClockThatStepsBackKeepsTheLastTime)
{
    const auto before = *source.ulid();
    clock.advance(-24h);
    const auto after = *source.ulid();
    EXPECT_EQ(after.substr(0, 10), before.substr(0, 10));
    EXPECT_LT(before, after);
}

TEST_F(KeySourceTest, RefusesATimeThatNoKeyCanSay)
{
    clock.set(timeFromMicros(-1000));
    EXPECT_EQ(source.ulid().error().failure, Failure::Invalid);
    clock.set(timeFromMicros((std::int64_t{ 1 } << 48) * 1000));
    EXPECT_EQ(source.uuid7().error().failure, Failure::Invalid);
    clock.advance(-1us);
    EXPECT_EQ(source.ulid()->substr(0, 10), "7ZZZZZZZZZ");
}

TEST_F(KeySourceTest, RepeatsWithItsSeedAndNeverWithinARun)
{
    SeededRandom again(1);
    KeySource twin(clock, again);
    std::set<std::string> keys;
    for (int i = 0; i < 1000; ++i) {
        keys.insert(source.uuid4());
        keys.insert(*source.uuid7());
        keys.insert(*source.ulid());
        keys.insert(*source.clientKey("web"));
    }
    EXPECT_EQ(keys.size(), 4000U);
    EXPECT_TRUE(keys.contains(twin.uuid4()));
}

TEST_F(KeySourceTest, KeysOfOnesOwnNameWhatTheyAreFor)
{
    EXPECT_EQ(
        source.customKey({ "payment", "create", "tenant:1" })->substr(0, 36), "payment:create:tenant%3A1:01FWHE4YDG");
    EXPECT_EQ(timeOfKey(*source.customKey({ "payment", "create" })), start);
    const auto key = *source.clientKey("web shop");
    EXPECT_EQ(key.substr(0, 25), "web%20shop-1645557742000-");
    EXPECT_EQ(key.size(), 41U);
    EXPECT_FALSE(source.customKey({}));
    EXPECT_FALSE(source.clientKey(""));
    EXPECT_FALSE(source.clientKey(std::string(100, 'x')));
}

TEST(NaturalKey, IsTheSameForTheSameFields)
{
    EXPECT_EQ(*naturalKey({ "order_7", "1000", "EUR" }), "order_7:1000:EUR");
    EXPECT_EQ(*naturalKey({ "Größe", "a b", "100%", "x:y" }), "Gr%C3%B6%C3%9Fe:a%20b:100%25:x%3Ay");
    EXPECT_EQ(*naturalKey({ "order", std::nullopt, "" }), "order:%-:");
}

TEST(NaturalKey, KeepsListsOfFieldsApart)
{
    const std::vector<std::vector<std::optional<std::string>>> lists{ { "a", "b", "c" }, { "a:b", "c" }, { "a", "b:c" },
        { "a%3Ab", "c" }, { "a", "b", "", "c" }, { "a", "b", std::nullopt, "c" }, { "a", "b", "%-", "c" },
        { "a", "b", "c", "" }, { "a", "b", "c", std::nullopt }, { "A", "b", "c" }, { "a", "b", "c " } };
    std::set<std::string> keys;
    for (const auto& list : lists)
        keys.insert(*naturalKey(list));
    EXPECT_EQ(keys.size(), lists.size());
}

TEST(NaturalKey, IsHashedWhereItWouldBeTooLong)
{
    const std::string long1(200, 'x');
    const auto key = *naturalKey({ "refund", long1, "1" });
    EXPECT_EQ(key, "refund:%sha256:" + toHex(sha256("refund:" + long1 + ":1")));
    EXPECT_NE(key, *naturalKey({ "refund", long1, "2" }));
    EXPECT_EQ(*naturalKey({ long1, "1" }), "%sha256:" + toHex(sha256(long1 + ":1")));
    EXPECT_EQ(naturalKey({ std::string(128, 'x') })->size(), 128U);
    EXPECT_EQ(naturalKey({ std::string(129, 'x') })->size(), 72U);
    EXPECT_FALSE(naturalKey({ long1 }, 50));
}

TEST(NaturalKey, OfNothingIsMissing)
{
    EXPECT_EQ(naturalKey({ std::nullopt, std::nullopt }).error().failure, Failure::Invalid);
    EXPECT_FALSE(naturalKey({ "", std::nullopt }));
    EXPECT_FALSE(naturalKey({}));
    EXPECT_EQ(*naturalKey({ "0" }), "0");
}

TEST(TimeOfKey, IsSaidByTimeBearingKeysOnly)
{
    EXPECT_TRUE(timeOfKey("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    EXPECT_EQ(timeOfKey("01arz3ndektsv4rrffq69g5fav"), timeOfKey("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    for (const auto* key : { "", "order-7", "550e8400-e29b-41d4-a716-446655440000", "01arz3ndektsv4rrffq69g5fau",
             "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "00000000000000000000000000",
             "017F22E2-79B0-7CC3-18C4-DC0C0C07398F" })
        EXPECT_FALSE(timeOfKey(key)) << key;
}

TEST(WeakKey, IsShortOrMonotonous)
{
    for (const auto* key :
        { "", "1", "order-7", "1234567890123456", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ababababababababababab" })
        EXPECT_TRUE(isWeakKey(key)) << key;
    for (const auto* key : { "550e8400-e29b-41d4-a716-446655440000", "01ARZ3NDEKTSV4RRFFQ69G5FAV" })
        EXPECT_FALSE(isWeakKey(key)) << key;
}
