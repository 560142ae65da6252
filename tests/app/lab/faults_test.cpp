// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>

#include "app/lab/faults.h"

namespace fencepost::app {

namespace {

TEST(Faults, AreReadAsTheyAreWritten)
{
    const auto spec = parseFault(" delay=250ms@p8:30%:x4:attempt2 ");
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->kind, FaultKind::Delay);
    EXPECT_EQ(spec->time, std::chrono::milliseconds(250));
    EXPECT_EQ(spec->at, Point::P8);
    EXPECT_DOUBLE_EQ(spec->chance, 0.3);
    EXPECT_EQ(spec->times, 4);
    EXPECT_EQ(spec->attempt, 2);
    EXPECT_EQ(parseFault("5xx")->status, 503);
    EXPECT_EQ(parseFault("429=2s")->time, std::chrono::seconds(2));
    EXPECT_EQ(parseFaults("delay, 5xx=500 ,crash@p6-unsent")->size(), 3U);
    EXPECT_TRUE(parseFaults("")->empty());
}

TEST(Faults, AreRefusedWhereTheyMeanNothing)
{
    for (const auto* text : { "", "nothing", "crash", "crash@p99", "crash=1s@p9", "5xx=404", "5xx=6000", "429@p1",
             "delay=5", "delay=-1s", "delay:101%", "delay:x0", "delay:often", "delay=1s@p1:x", "reset-before@p1" }) {
        const auto spec = parseFault(text);
        EXPECT_FALSE(spec) << text;
    }
    EXPECT_FALSE(parseFaults("delay,,crash"));
}

TEST(Faults, NameEveryKindAndEveryPointOnce)
{
    std::set<std::string_view> names;
    for (const auto& entry : faultTable()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        const auto text = std::string(entry.name) + (entry.place == FaultPlace::Needed ? "@p9" : "");
        const auto spec = parseFault(text);
        ASSERT_TRUE(spec) << text;
        EXPECT_EQ(spec->kind, entry.kind);
    }
    for (const auto& point : points()) {
        EXPECT_TRUE(names.insert(point.name).second) << point.name;
        EXPECT_EQ(nameOf(point.point), point.name);
        EXPECT_EQ(parseFault("crash@" + std::string(point.name))->at, point.point);
        EXPECT_THAT(describeFaults(), ::testing::HasSubstr(std::string(point.name)));
    }
}

int hits(std::uint64_t seed, const char* text, int requests)
{
    Faults faults(seed);
    faults.add(*parseFault(text));
    int count = 0;
    for (int i = 0; i < requests; ++i)
        count += faults.draw({}, 1).find(FaultKind::ServerError) != nullptr ? 1 : 0;
    EXPECT_EQ(faults.list().front().hits, count);
    return count;
}

TEST(Faults, BefallAsOftenAsTheySayAndAlikeForOneSeed)
{
    EXPECT_EQ(hits(1, "5xx", 1000), 1000);
    EXPECT_EQ(hits(1, "5xx:0%", 1000), 0);
    EXPECT_EQ(hits(1, "5xx:x3", 1000), 3);
    EXPECT_EQ(hits(1, "5xx:attempt2", 1000), 0);
    const int third = hits(7, "5xx:30%", 10'000);
    EXPECT_NEAR(third, 3000, 200);
    EXPECT_EQ(hits(7, "5xx:30%", 10'000), third);
}

TEST(Faults, CountOnlyWhatStrikes)
{
    Faults faults(1);
    const auto specs =
        parseFaults("5xx=502:x1,429=2s:x1,reset-before:x1,crash@p9:x1,timeout-after:x1,reset-after:x1").value();
    for (const auto& spec : specs)
        faults.add(spec);
    const auto struck = [&] {
        std::string words;
        const auto drawn = faults.draw({}, 1);
        for (const auto kind : { FaultKind::ResetBefore, FaultKind::TooMany, FaultKind::ServerError, FaultKind::Crash,
                 FaultKind::TimeoutAfter, FaultKind::ResetAfter })
            if (const auto* spec = drawn.find(kind))
                words += (words.empty() ? "" : " ") + spec->text;
        return words;
    };
    EXPECT_EQ(struck(), "reset-before:x1");
    EXPECT_EQ(struck(), "429=2s:x1");
    EXPECT_EQ(struck(), "5xx=502:x1");
    EXPECT_EQ(struck(), "crash@p9:x1 timeout-after:x1");
    EXPECT_EQ(struck(), "reset-after:x1");
    EXPECT_EQ(struck(), "");
    for (const auto& listed : faults.list())
        EXPECT_EQ(listed.hits, 1) << listed.spec.text;
}

TEST(Faults, AreReplacedByTheSameTextAndGoWithAClear)
{
    Faults faults(1);
    faults.add(*parseFault("5xx:x1"));
    EXPECT_NE(faults.draw({}, 1).find(FaultKind::ServerError), nullptr);
    EXPECT_EQ(faults.draw({}, 1).find(FaultKind::ServerError), nullptr);
    faults.add(*parseFault("5xx:x1"));
    EXPECT_EQ(faults.list().size(), 1U);
    EXPECT_NE(faults.draw({}, 1).find(FaultKind::ServerError), nullptr) << "its count begins anew";
    faults.clear();
    EXPECT_TRUE(faults.list().empty());
}

TEST(Faults, OfTheVendorTravelInAHeader)
{
    Faults faults(1);
    const auto drawn = faults.draw(*parseFaults("crash@p6, pause=2s@p6-unsent, crash@p9"), 1);
    EXPECT_EQ(drawn.forVendor(), "crash@p6, pause=2s@p6-unsent");
    EXPECT_TRUE(parseFaults(drawn.forVendor()));
}

TEST(Faults, OfEventsAreDrawnWhereOneIsWrittenAndTravelInAHeader)
{
    Faults faults(1);
    const auto specs = parseFaults("duplicate-event:x1, crash@p13:x1, crash@p15:x1").value();
    for (const auto& spec : specs)
        faults.add(spec);
    const auto drawn = faults.draw(parseFaults("reorder-event=2s, crash@p9").value(), 1);
    for (const auto& listed : faults.list())
        EXPECT_EQ(listed.hits, 0) << listed.spec.text << " befalls no request";
    const auto event = drawn.forEvent();
    EXPECT_EQ(event.written(), "duplicate-event, crash@p13, reorder-event=2s");
    EXPECT_TRUE(parseFaults(event.written()));
    EXPECT_EQ(faults.draw({}, 1).forEvent().written(), "") << "they were for one";
    EXPECT_TRUE(faults.draw({}, 1, Bearer::Reception).isArmed(Point::P15));
    EXPECT_EQ(FaultsOfRequest().forEvent().written(), "");
}

} // namespace

} // namespace fencepost::app
