// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "core/messaging/webhook_signature.h"
#include "core/operations/replay.h"
#include "core/profile/library.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/http_message.h"
#include "core/retry/steady_clock.h"
#include "core/store/sql_inspector.h"
#include "tests/core/store/message_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

namespace {

// Dead letters as an operator replays them.
class ReplayTest : public MessageTest {
protected:
    void SetUp() override
    {
        MessageTest::SetUp();
        auto shipped = profile::shippedLibrary();
        ASSERT_TRUE(shipped);
        library = std::move(*shipped);
        console = openConsole();
    }

    struct Console {
        std::unique_ptr<store::Connection> connection;
        std::unique_ptr<store::SqlInspector> inspector;
    };

    Console openConsole()
    {
        Console opened;
        opened.connection = std::move(*database.connect());
        auto made = store::SqlInspector::create(
            *opened.connection, { .clock = &clock, .bindClock = true, .profiles = &library, .auditPath = {} });
        EXPECT_TRUE(made) << made.error().message;
        opened.inspector = std::move(*made);
        return opened;
    }

    Binding table()
    {
        for (const auto& found : value(console.inspector->bindings(true)))
            if (found.name == "dead_letters")
                return found;
        ADD_FAILURE();
        return {};
    }

    Plan plan(const char* verb, const std::string& filter, std::map<std::string, std::string> parameters = {})
    {
        PlanRequest request;
        request.verb = verb;
        request.filter = filter;
        request.parameters = std::move(parameters);
        request.reason = "mended";
        request.actor = "olga@desk";
        return value(makePlan(*console.inspector, table(), request, random));
    }

    void sql(const std::string& text)
    {
        const auto ran = main.connection->execute(text);
        ASSERT_TRUE(ran) << text << ": " << ran.error().detail;
    }

    // A message that no target takes; "connection" says that nothing arrived.
    void bury(const std::string& id, const std::string& code = "connection", std::optional<std::string> key = {})
    {
        const auto seq = add(event(id, std::move(key)));
        auto asked = wish(1);
        asked.deadHead = DeadHead::Skip;
        EXPECT_EQ(claim(asked), id);
        value(outbox().undelivered(seq, ownerOf(1), { code, "no " + id, false, {} }, maxAttempts));
        clock.advance(1s);
    }

    static std::vector<std::string> keysOf(const Plan& made)
    {
        std::vector<std::string> keys;
        for (const auto& item : made.items)
            keys.push_back(item.key);
        return keys;
    }

    RunReport apply(const Plan& made) { return value(applyPlan(*console.inspector, made, "olga@desk", nullptr)); }

    // Another process beside the replay: it sends what is due, and what is poison dies again.
    void relayOnce()
    {
        auto asked = wish(7);
        asked.deadHead = DeadHead::Skip;
        std::vector<std::int64_t> fine;
        for (const auto& message : value(outbox().claim(asked))) {
            sentIds.push_back(message.event.eventId);
            if (poison.contains(message.event.eventId))
                value(outbox().undelivered(message.seq, ownerOf(7), { "422", "poison", false, {} }, maxAttempts));
            else if (failing.contains(message.event.eventId))
                value(outbox().undelivered(message.seq, ownerOf(7), { "503", "down", true, 1h }, maxAttempts));
            else if (throttled.contains(message.event.eventId))
                value(outbox().undelivered(message.seq, ownerOf(7), { "429", "later", true, 1h }, maxAttempts));
            else if (!unanswered.contains(message.event.eventId))
                fine.push_back(message.seq);
        }
        if (!fine.empty())
            value(outbox().sent(fine, ownerOf(7)));
    }

    ReplayHooks hooks(bool withRelay = true)
    {
        ReplayHooks made;
        made.sleep = [this, withRelay](Duration length) {
            steady.advance(length);
            clock.advance(length);
            if (withRelay)
                relayOnce();
        };
        made.itemDone = [this](const ItemReport& item) {
            times.push_back(steady.now());
            done.push_back(item.key);
        };
        return made;
    }

    ReplayReport replay(const Plan& made, const ReplaySettings& settings, const ReplayHooks& with)
    {
        return value(runReplay(*console.inspector, made, "olga@desk", &settings, with, steady, random));
    }

    profile::Library library;
    SeededRandom random{ 4 };
    ManualClock steady{ timeFromMicros(1'000'000) };
    Console console;
    std::set<std::string> poison;
    std::set<std::string> failing; // tried again for days
    std::set<std::string> throttled;
    std::set<std::string> unanswered; // its relay waits
    std::vector<std::string> sentIds;
    std::vector<std::string> done;
    std::vector<Time> times;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, ReplayTest, bothDialects(), nameOfDialect);

// An id that reads like the form in which other octets are shown is the text that it is.
TEST_P(ReplayTest, ALetterIsTheOneOfItsIdWhateverThatReadsLike)
{
    for (const auto* verb : { "discard", "replay" }) {
        bury(std::string("event-") + verb);
        sql(R"(UPDATE dead_letters SET id = '\x6f6464' WHERE state = 'DEAD')");
        const auto report = apply(plan(verb, "state = DEAD"));
        EXPECT_EQ(report.changed, 1) << verb << ": " << report.failed << " failed";
        sql(R"(UPDATE dead_letters SET id = ')" + std::string(verb) + R"(' WHERE id = '\x6f6464')");
    }
}

TEST_P(ReplayTest, APlanHasAVerdictForEachRowAndLeavesOutWhatMayDouble)
{
    bury("safe");
    bury("unknown", "503");
    kill(delivery("done"));
    kill(delivery("racing"));
    kill(delivery("left"));
    EXPECT_EQ(value(inbox().receive(delivery("left", "another payload"), arrival(1))).reception, Reception::Conflict);
    sql("UPDATE inbox_messages SET status = 'PROCESSED' WHERE event_id = 'done'");
    auto busy = reservation(5, "pay 10", "racing");
    busy.payloadHash = delivery("racing").payloadHash;
    reserve(busy);

    const auto made = plan("replay", "state = DEAD");
    EXPECT_THAT(keysOf(made), ElementsAre("safe", "left"));
    EXPECT_EQ(made.verdicts,
        (std::map<std::string, std::int64_t>{
            { "conflict", 1 }, { "racing", 1 }, { "safe", 2 }, { "succeeded", 1 }, { "unknown", 1 } }));
    EXPECT_EQ(made.leftOut.size(), 4U);
    for (const auto& row : made.leftOut)
        EXPECT_NE(row.why, "") << row.key;
    EXPECT_THAT(made.effect, HasSubstr("4 of 6 rows are excluded"));
    const auto read = parsePlan(formatPlan(made));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, made);

    const auto chosen = plan("replay", "state = DEAD",
        { { "include_unknown", "the endpoint deduplicates" }, { "include_racing", "its owner is gone" } });
    EXPECT_THAT(keysOf(chosen), UnorderedElementsAre("safe", "left", "unknown", "racing"));
    EXPECT_EQ(apply(chosen).changed, 4);
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING'"), 4) << "those of the inbox are enqueued";
    EXPECT_EQ(apply(chosen).alreadyDone, 4);
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING'"), 4);
}

TEST_P(ReplayTest, AnInboxThatAnotherDestinationMayHaveFilledProvesNothing)
{
    using Verdicts = std::map<std::string, std::int64_t>;
    bury("fan", "503");
    bury("refused");
    for (const auto* id : { "fan", "refused" }) {
        const auto what = delivery(id);
        EXPECT_EQ(receive(what, 1), Reception::Process);
        EXPECT_EQ(settle(what, 1), InboxSettlement::Applied);
    }
    sql("UPDATE inbox_messages SET source = '/lab', payload_hash = (SELECT l.payload_hash FROM dead_letters AS l WHERE "
        "l.event_id = inbox_messages.event_id)");
    EXPECT_EQ(plan("replay", "state = DEAD").verdicts, (Verdicts{ { "succeeded", 2 } }));
    for (const auto* id : { "fan", "refused" }) {
        auto other = event(id);
        other.destination = "http://127.0.0.1:9/other";
        const auto seq = add(other);
        auto asked = wish(1);
        asked.deadHead = DeadHead::Skip;
        EXPECT_EQ(claim(asked), id);
        EXPECT_EQ(sent({ seq }, 1).size(), 1U);
    }
    const auto made = plan("replay", "state = DEAD");
    EXPECT_EQ(made.verdicts, (Verdicts{ { "safe", 1 }, { "unknown", 1 } }));
    EXPECT_THAT(keysOf(made), ElementsAre("refused"));
    EXPECT_THAT(made.leftOut.front().why, HasSubstr("several destinations"));

    // Nor does it prove that what was put back has arrived.
    EXPECT_EQ(apply(made).changed, 1);
    const auto fate = [&] {
        const auto found = value(console.inspector->runs()->fates({ made.items.front().identity.front() }));
        return wordOf(fateOf(found.at(0), 1, made.requestId));
    };
    EXPECT_EQ(fate(), "pending");
    relayOnce();
    EXPECT_EQ(fate(), "succeeded");
}

TEST_P(ReplayTest, ARowThatMovedOnSinceThePlanIsSkipped)
{
    kill(delivery("a"));
    kill(delivery("b"));
    kill(delivery("c"));
    bury("d");
    const auto made = plan("replay", "state = DEAD");
    EXPECT_EQ(made.items.size(), 4U);
    sql("UPDATE inbox_messages SET status = 'PROCESSED' WHERE event_id = 'a'");
    EXPECT_EQ(apply(plan("discard", "key = b")).changed, 1);
    sql("UPDATE dead_letters SET deaths = 2 WHERE event_id = 'c'");
    reserve(reservation(5, "pay 10", "d"));
    sql("UPDATE idempotency_records SET payload_hash = (SELECT payload_hash FROM dead_letters WHERE event_id = 'd')");
    const auto report = apply(made);
    EXPECT_EQ(report.changed, 0);
    EXPECT_EQ(report.skipped, 4);
    for (const auto& item : report.items)
        EXPECT_NE(item.outcome.reason, "") << item.key;
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING'"), 0);
}

TEST_P(ReplayTest, ADiscardIsTakenBackWhereTheLetterDidNotMoveOn)
{
    bury("a");
    bury("b");
    const auto made = plan("discard", "state = DEAD");
    EXPECT_EQ(apply(made).changed, 2);
    EXPECT_EQ(count("dead_letters WHERE state = 'DISCARDED'"), 2);
    EXPECT_THAT(keysOf(plan("replay", "key = a")), IsEmpty());
    const auto undo = value(makeUndo(*console.inspector, made.requestId, {}, "olga@desk", random));
    EXPECT_EQ(undo.verb, "restore");
    EXPECT_EQ(apply(undo).changed, 2);
    EXPECT_EQ(count("dead_letters WHERE state = 'DEAD'"), 2);
    EXPECT_EQ(apply(undo).alreadyDone, 2);
    EXPECT_TRUE(value(console.inspector->verifyAudit()).intact);
    const auto replayed = plan("replay", "key = a");
    EXPECT_EQ(apply(replayed).changed, 1);
    EXPECT_FALSE(makeUndo(*console.inspector, replayed.requestId, {}, "olga@desk", random)) << "a replay has no undo";
}

TEST_P(ReplayTest, EventsKeepTheirOrderAndWhatIsOvertakenIsSaid)
{
    bury("k1", "503", "rf_1");
    bury("k2", "connection", "rf_1");
    bury("other", "connection", "rf_2");
    const auto made = plan("replay", "state = DEAD");
    EXPECT_THAT(keysOf(made), ElementsAre("k2", "other"));
    EXPECT_THAT(made.items[0].warning, HasSubstr("waits for k1"));
    EXPECT_EQ(made.items[1].warning, "");
    const auto all = plan("replay", "state = DEAD", { { "include_unknown", "it deduplicates" } });
    EXPECT_THAT(keysOf(all), ElementsAre("k1", "k2", "other"));
    EXPECT_EQ(all.items[1].warning.find("k1"), std::string::npos);
    const auto alone = plan("replay", "key = k2");
    ASSERT_EQ(alone.items.size(), 1U);
    EXPECT_THAT(alone.items[0].warning, HasSubstr("waits for k1"));
    ASSERT_EQ(apply(plan("discard", "key = k1")).changed, 1);
    EXPECT_EQ(plan("replay", "key = k2").items[0].warning, "") << "nobody waits for what was discarded";
}

TEST_P(ReplayTest, WhatOvertookAnEventIsSaid)
{
    bury("k1", "connection", "rf_1");
    bury("other", "connection", "rf_2");
    for (const auto* id : { "k2", "k3" }) {
        const auto seq = add(event(id, "rf_1"));
        auto asked = wish(1);
        asked.deadHead = DeadHead::Skip;
        EXPECT_EQ(claim(asked), id);
        EXPECT_EQ(sent({ seq }, 1).size(), 1U);
    }
    const auto made = plan("replay", "state = DEAD");
    ASSERT_THAT(keysOf(made), ElementsAre("k1", "other"));
    EXPECT_THAT(made.items[0].warning, HasSubstr("(the latest is k3)"));
    EXPECT_EQ(made.items[1].warning, "");
    const auto edited = plan("edit", "key = k1", { { editedPayload, R"({"id":"k1","amount":1})" } });
    EXPECT_THAT(edited.items.at(0).warning, HasSubstr("(the latest is k3)"));
    // A schema without its index is not walked through for that.
    sql("DELETE FROM fencepost_schema WHERE version = 9");
    EXPECT_EQ(plan("replay", "key = k1").items.at(0).warning, "");
}

TEST_P(ReplayTest, EachStageIsVerifiedBeforeTheNext)
{
    for (const auto* id : { "a", "b", "c", "d", "e", "f" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    std::size_t asked = 0;
    with.sleep = [&, sleep = with.sleep](Duration length) {
        // Nothing of the next stage is out while one of this stage is on its way.
        if (count("outbox_messages WHERE status = 'PENDING'") > 0) {
            ++asked;
            EXPECT_TRUE(done.size() == 1 || done.size() == 3 || done.size() == 6) << done.size();
        }
        sleep(length);
    };
    const auto report = replay(made, { .ramp = { 1, 2 } }, with);
    EXPECT_GE(asked, 3U);
    EXPECT_EQ(report.report.changed, 6);
    EXPECT_EQ(report.progress.phase, RunPhase::Done);
    ASSERT_EQ(report.progress.stages.size(), 3U);
    EXPECT_EQ(report.progress.stages[1].succeeded, 2);
    EXPECT_EQ(report.progress.all().succeeded, 6);
    EXPECT_THAT(sentIds, ElementsAre("a", "b", "c", "d", "e", "f"));
    const auto runs = value(console.inspector->runs()->list(10));
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].phase, RunPhase::Done);
    EXPECT_EQ(runs[0].changed, 6);
    EXPECT_NE(runs[0].finishedAt, std::nullopt);
    EXPECT_EQ(replay(made, { .ramp = { 1, 2 } }, hooks()).report.alreadyDone, 6) << "it is over";
}

TEST_P(ReplayTest, TheBrakeStopsAtTheStageWhereItFailsAndTheRestCanBeGoneOnWith)
{
    for (const auto* id : { "a", "b", "c", "d", "e", "f" })
        bury(id);
    poison = { "b" };
    const auto made = plan("replay", "state = DEAD");
    const ReplaySettings settings{ .ramp = { 1, 2 }, .brake = 0.05 };
    const auto braked = replay(made, settings, hooks());
    EXPECT_EQ(braked.progress.phase, RunPhase::Paused);
    EXPECT_THAT(braked.progress.because, HasSubstr("brake"));
    EXPECT_THAT(done, ElementsAre("a", "b", "c"));
    EXPECT_EQ(braked.report.notRun, 3);
    EXPECT_EQ(braked.progress.stages[1].deadAgain, 1);
    EXPECT_EQ(value(console.inspector->runs()->find(made.requestId))->phase, RunPhase::Paused);
    const auto rest = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done) << rest.progress.because;
    EXPECT_EQ(rest.report.changed, 3);
    EXPECT_EQ(rest.report.alreadyDone, 3);
    EXPECT_THAT(done, ElementsAre("a", "b", "c", "d", "e", "f")) << "none twice";
    EXPECT_EQ(rest.progress.all().deadAgain, 1);
}

TEST_P(ReplayTest, TheBrakeHeedsWhatFailsLongBeforeItIsDead)
{
    for (int i = 100; i < 160; ++i) {
        const auto id = "e" + std::to_string(i);
        bury(id);
        if (i > 101)
            failing.insert(id);
    }
    const auto made = plan("replay", "state = DEAD");
    const auto braked = replay(made, { .ramp = { 2 }, .rate = 10, .brake = 0.05 }, hooks());
    EXPECT_EQ(braked.progress.phase, RunPhase::Paused);
    EXPECT_THAT(braked.progress.because, HasSubstr("of them are tried again"));
    EXPECT_LT(done.size(), 40U) << "it waited for the first to die";
    EXPECT_EQ(braked.progress.all().deadAgain, 0);
    EXPECT_EQ(braked.progress.all().succeeded, 2);
    EXPECT_GE(braked.progress.all().failing, 18);
    EXPECT_LE(braked.progress.all().failing + 2, braked.report.changed);
    // Who goes on knows of them; their destination is back, and they count as what they become.
    failing.clear();
    const auto rest = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done) << rest.progress.because;
    EXPECT_EQ(rest.report.changed + rest.report.alreadyDone, 60);
}

TEST_P(ReplayTest, TheBrakeJudgesAStageByItself)
{
    for (int i = 100; i < 145; ++i) {
        bury("e" + std::to_string(i));
        if (i >= 130)
            poison.insert("e" + std::to_string(i));
    }
    const auto braked = replay(plan("replay", "state = DEAD"), { .ramp = { 30, 5, 5 }, .brake = 0.3 }, hooks());
    EXPECT_EQ(braked.progress.phase, RunPhase::Paused);
    EXPECT_EQ(braked.progress.because, "5 of 5 failed, more than the brake allows") << "not 5 of 35";
    EXPECT_EQ(done.size(), 35U);
}

// A target that fails from now on is not measured by the hundreds that it took before.
TEST_P(ReplayTest, TheBrakeJudgesByWhatComesOfLate)
{
    for (int i = 1000; i < 1400; ++i) {
        bury("e" + std::to_string(i));
        if (i >= 1300)
            poison.insert("e" + std::to_string(i));
    }
    const auto braked = replay(plan("replay", "state = DEAD"), { .ramp = { 1 }, .rate = 20, .brake = 0.2 }, hooks());
    EXPECT_EQ(braked.progress.phase, RunPhase::Paused);
    EXPECT_LT(braked.progress.all().deadAgain, 50) << "a fifth of all would be 75";
}

TEST_P(ReplayTest, WhatWasForgivenHidesNothingThatFailsLater)
{
    for (int i = 100; i < 240; ++i) {
        bury("e" + std::to_string(i));
        failing.insert("e" + std::to_string(i));
    }
    const auto made = plan("replay", "state = DEAD");
    ReplaySettings settings{ .ramp = { 140 }, .rate = 20, .brake = 0.1 };
    ASSERT_EQ(replay(made, settings, hooks()).progress.phase, RunPhase::Paused);
    const auto before = done.size();
    EXPECT_GE(before, 20U);
    failing.clear();
    clock.advance(2h);
    for (int i = 100 + static_cast<int>(before) + 10; i < 240; ++i)
        poison.insert("e" + std::to_string(i));
    const auto again = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(again.progress.phase, RunPhase::Paused);
    EXPECT_THAT(again.progress.because, HasSubstr("failed, more than the brake allows"));
    EXPECT_LT(again.progress.all().deadAgain, 20) << "those that recovered are no credit for those that die";
}

// Nothing of what was purged is on its way.
TEST_P(ReplayTest, ARunThatIsOverWaitsForNothingThatWasPurged)
{
    bury("a");
    bury("b");
    const auto made = plan("replay", "state = DEAD");
    const ReplaySettings settings{ .ramp = { 1 }, .rate = 20, .brake = 0.1 };
    ASSERT_EQ(replay(made, settings, hooks()).progress.phase, RunPhase::Done);
    auto* const journal = console.inspector->runs();
    const auto standing = [&] {
        const auto run = value(journal->find(made.requestId));
        auto stages = value(stagesOf(*run));
        EXPECT_TRUE(stages.recall(*journal));
        EXPECT_TRUE(stages.askFates(*journal, 1'000));
        return progressOf(*run, stages).all();
    };
    EXPECT_EQ(standing().succeeded, 2);
    sql("DELETE FROM outbox_messages");
    EXPECT_EQ(standing().succeeded, 2);
    sql("DELETE FROM dead_letters");
    EXPECT_EQ(standing().pending, 0);
}

TEST_P(ReplayTest, TheBrakeSeesPastTheHundredsThatWait)
{
    for (int i = 1000; i < 1700; ++i) {
        bury("e" + std::to_string(i));
        (i < 1520 ? unanswered : poison).insert("e" + std::to_string(i));
    }
    const auto braked = replay(plan("replay", "state = DEAD"), { .ramp = { 700 }, .rate = 50, .brake = 0.05 }, hooks());
    EXPECT_EQ(braked.progress.phase, RunPhase::Paused);
    EXPECT_THAT(braked.progress.because, HasSubstr("failed, more than the brake allows"));
    EXPECT_LT(done.size(), 660U);
}

TEST_P(ReplayTest, WhoGoesOnBehind429IsNotStoppedByThoseThatStillWait)
{
    for (int i = 100; i < 160; ++i) {
        bury("e" + std::to_string(i));
        throttled.insert("e" + std::to_string(i));
    }
    const auto made = plan("replay", "state = DEAD");
    const auto braked = replay(made, { .ramp = { 60 }, .rate = 20, .brake = 1 }, hooks());
    EXPECT_THAT(braked.progress.because, HasSubstr("429"));
    EXPECT_GT(braked.progress.all().failing, 5);
    throttled.clear();
    const auto again = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(done.size(), 60U) << again.progress.because;
}

TEST_P(ReplayTest, AStageThatOnlyFailsSaysSoWhereNobodyIsPatientAnyMore)
{
    for (const auto* id : { "a", "b" })
        bury(id);
    failing = { "a" };
    const auto report =
        replay(plan("replay", "state = DEAD"), { .ramp = { 1 }, .brake = 0.05, .patience = 5s }, hooks());
    EXPECT_EQ(report.progress.phase, RunPhase::Paused);
    EXPECT_EQ(
        report.progress.because, "1 of the stage are still pending after 5s, the attempts of 1 of them have failed");
}

TEST_P(ReplayTest, ALockThatAnotherHoldsPausesItAndNothingIsLeftOut)
{
    for (const auto* id : { "a", "b", "c" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    const auto other = value(database.connect());
    bool locked = false;
    // The lock is taken behind the first row, and let go of while the run tries to say why it rests.
    const auto asBefore = with.itemDone;
    with.itemDone = [&](const ItemReport& item) {
        asBefore(item);
        if (!std::exchange(locked, true)) {
            ASSERT_TRUE(other->execute(GetParam() == store::Dialect::Sqlite
                    ? "BEGIN IMMEDIATE"
                    : "BEGIN; LOCK TABLE dead_letters, operation_runs IN ACCESS EXCLUSIVE MODE"));
        }
    };
    with.sleep = [&](Duration length) {
        (void)other->execute("ROLLBACK");
        steady.advance(length);
    };
    const auto paused = replay(made, { .ramp = { 3 } }, with);
    (void)other->execute("ROLLBACK");
    EXPECT_EQ(paused.progress.phase, RunPhase::Paused);
    EXPECT_THAT(paused.progress.because, HasSubstr("the database did not answer"));
    EXPECT_EQ(value(console.inspector->runs()->find(made.requestId))->phase, RunPhase::Paused);
    const auto rest = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done) << rest.progress.because;
    EXPECT_EQ(rest.report.changed + rest.report.alreadyDone, 3);
    EXPECT_THAT(sentIds, UnorderedElementsAre("a", "b", "c")) << "none twice, none left out";
}

// Every look at it comes later than the one before.
class TickingClock final : public Clock {
public:
    explicit TickingClock(Duration tick)
        : m_tick(tick)
    {
    }
    [[nodiscard]] Time now() const override { return m_now += m_tick; }

private:
    Duration m_tick;
    mutable Time m_now = timeFromMicros(1'000'000);
};

TEST_P(ReplayTest, ADatabaseThatTakesTooLongPausesItSoon)
{
    for (const auto* id : { "a", "b", "c", "d", "e", "f" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    const TickingClock slow(2500ms);
    const ReplaySettings settings{ .ramp = { 6 } };
    const auto paused = value(runReplay(*console.inspector, made, "olga@desk", &settings, hooks(), slow, random));
    EXPECT_EQ(paused.progress.phase, RunPhase::Paused);
    EXPECT_THAT(paused.progress.because, HasSubstr("the database takes "));
    EXPECT_THAT(done, ElementsAre("a", "b")) << "two, and what is written of them, took three times the limit";
    // It is gone on with where it was left, and may be paused once more.
    const TickingClock quick(100ms);
    const auto rest = value(runReplay(*console.inspector, made, "otto@desk", nullptr, hooks(), quick, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done) << rest.progress.because;
    EXPECT_THAT(done, ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST_P(ReplayTest, WithoutARelayAStageIsNotWaitedForForEver)
{
    bury("a");
    bury("b");
    const auto made = plan("replay", "state = DEAD");
    const auto report = replay(made, { .ramp = { 1 }, .patience = 30s }, hooks(false));
    EXPECT_EQ(report.progress.phase, RunPhase::Paused);
    EXPECT_THAT(report.progress.because, HasSubstr("still pending"));
    EXPECT_EQ(report.report.notRun, 1);
}

TEST_P(ReplayTest, ATargetThatAsksForFewerPausesIt)
{
    for (const auto* id : { "a", "b", "c" })
        bury(id);
    throttled = { "a" };
    const auto made = plan("replay", "state = DEAD");
    const auto report = replay(made, { .ramp = { 1 } }, hooks());
    EXPECT_EQ(report.progress.phase, RunPhase::Paused);
    EXPECT_THAT(report.progress.because, HasSubstr("429"));
    throttled.clear();
    clock.advance(2h);
    const auto rest = replay(made, { .ramp = { 1 } }, hooks());
    EXPECT_EQ(rest.progress.phase, RunPhase::Done) << rest.progress.because;
    EXPECT_EQ(rest.progress.all().succeeded, 3);
}

TEST_P(ReplayTest, ADatabaseThatIsSlowPausesIt)
{
    for (int i = 0; i < 30; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    with.itemDone = [&](const ItemReport&) { steady.advance(600ms); };
    // A change takes as long as the clock moves while it is made.
    class Slow final : public Clock {
    public:
        explicit Slow(ManualClock& steady)
            : m_steady(steady)
        {
        }
        [[nodiscard]] Time now() const override
        {
            m_steady.advance(100ms);
            return m_steady.now();
        }

    private:
        ManualClock& m_steady;
    };
    const Slow slow(steady);
    const ReplaySettings settings{ .ramp = { 30 }, .slowest = 50ms };
    const auto report = value(runReplay(*console.inspector, made, "olga@desk", &settings, with, slow, random));
    EXPECT_EQ(report.progress.phase, RunPhase::Paused);
    EXPECT_THAT(report.progress.because, HasSubstr("database"));
    EXPECT_GT(report.report.notRun, 0);
}

TEST_P(ReplayTest, KeepsToItsRateAndTakesAnotherOneWhileItRuns)
{
    for (int i = 0; i < 40; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    with.itemDone = [&](const ItemReport&) {
        times.push_back(steady.now());
        if (times.size() == 20) {
            const auto set = console.inspector->runs()->setSettings(made.requestId, formatReplay({ .rate = 2 }));
            EXPECT_TRUE(set && *set);
        }
    };
    const auto report = replay(made, { .rate = 10 }, with);
    EXPECT_EQ(report.report.changed, 40);
    ASSERT_EQ(times.size(), 40U);
    EXPECT_NEAR(static_cast<double>((times[19] - times[0]).count()) / 1e6, 1.9, 0.1);
    EXPECT_NEAR(static_cast<double>((times[39] - times[24]).count()) / 1e6, 7.5, 0.4);
}

// Whoever goes on with a run that was slowed down, behind a crash too, must not let go of it.
TEST_P(ReplayTest, TheRateThatWasChosenWhileItRunsIsTheRunsOwn)
{
    for (int i = 0; i < 20; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    bool asked = false;
    with.rate = [&] { return done.size() >= 5 && !std::exchange(asked, true) ? std::optional(2.0) : std::nullopt; };
    with.order = [&] { return done.size() >= 10 ? ReplayOrder::Leave : ReplayOrder::Go; };
    const auto left = replay(made, { .rate = 50 }, with);
    EXPECT_EQ(left.progress.rate, 2);
    const auto run = *value(console.inspector->runs()->find(made.requestId));
    EXPECT_EQ(value(parseReplay(run.settings)).rate, 2);
    times.clear();
    auto goesOn = hooks();
    goesOn.itemDone = [&](const ItemReport&) { times.push_back(steady.now()); };
    const auto rest = value(runReplay(*console.inspector, made, "otto@desk", nullptr, goesOn, steady, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done);
    EXPECT_EQ(rest.progress.rate, 2);
    ASSERT_GE(times.size(), 8U);
    EXPECT_NEAR(static_cast<double>((times.back() - times[times.size() - 5]).count()) / 1e6, 2.0, 0.3);
}

TEST_P(ReplayTest, OrdersFromElsewhereAreObeyed)
{
    for (int i = 0; i < 10; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    auto other = openConsole();
    auto with = hooks();
    const auto order = [&](RunPhase phase) {
        EXPECT_TRUE(value(other.inspector->runs()->enter(made.requestId, phase, "by otto")));
    };
    std::optional<Time> paused;
    bool resumed = false;
    bool stopped = false;
    with.sleep = [&, sleep = with.sleep](Duration length) {
        sleep(length);
        if (!paused && done.size() == 3) {
            order(RunPhase::Paused);
            paused = steady.now();
        } else if (paused && !resumed && steady.now() > *paused + 1min) {
            EXPECT_EQ(done.size(), 3U) << "nothing goes on while it is paused";
            order(RunPhase::Running);
            resumed = true;
        } else if (resumed && !stopped && done.size() == 7) {
            order(RunPhase::Stopped);
            stopped = true;
        }
    };
    const auto report = replay(made, { .rate = 2 }, with);
    EXPECT_EQ(report.progress.phase, RunPhase::Stopped);
    EXPECT_EQ(report.report.changed, 7);
    EXPECT_EQ(report.report.notRun, 3);
    EXPECT_THAT(stopInWords(made, report.report), HasSubstr("Make a new plan"));
    EXPECT_THAT(stopInWords(made, report.report), Not(HasSubstr("runs resume"))) << "which would be refused";
    const ReplaySettings settings;
    const auto again = runReplay(*console.inspector, made, "olga@desk", &settings, hooks(), steady, random);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().failure, Failure::Conflict) << "it was stopped for good";
}

TEST_P(ReplayTest, WhatWasLeftIsTakenUpBySomebodyElse)
{
    for (int i = 0; i < 10; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    with.order = [&] { return done.size() >= 4 ? ReplayOrder::Leave : ReplayOrder::Go; };
    const auto left = replay(made, { .rate = 2 }, with);
    EXPECT_EQ(left.progress.phase, RunPhase::Paused);
    EXPECT_EQ(left.progress.because, "left by olga@desk");
    EXPECT_GT(left.report.notRun, 0);
    EXPECT_EQ(value(console.inspector->runs()->find(made.requestId))->phase, RunPhase::Paused);
    auto other = openConsole();
    const auto run = value(other.inspector->runs()->find(made.requestId));
    ASSERT_TRUE(run);
    const auto kept = parsePlan(run->plan);
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, made);
    const auto rest = value(runReplay(*other.inspector, *kept, "otto@desk", nullptr, hooks(), steady, random));
    EXPECT_EQ(rest.progress.phase, RunPhase::Done);
    EXPECT_EQ(rest.report.alreadyDone + rest.report.changed, 10);
    EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), 10U);
    EXPECT_EQ(done.size(), 10U) << "none twice";
}

TEST_P(ReplayTest, TheStagesOfWhatIsDoneAreToldAsTheyWere)
{
    for (const auto* id : { "a", "b", "c" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    ASSERT_EQ(replay(made, { .ramp = { 1 } }, hooks()).progress.phase, RunPhase::Done);
    const auto again = replay(made, { .ramp = { 1, 1 }, .brake = 0.5 }, hooks());
    ASSERT_EQ(again.progress.stages.size(), 2U);
    EXPECT_EQ(again.progress.stages[0].rows, 1);
    EXPECT_EQ(again.progress.stages[1].rows, 2);
    EXPECT_EQ(value(parseReplay(value(console.inspector->runs()->find(made.requestId))->settings)).ramp,
        std::vector<int>{ 1 });
    EXPECT_EQ(done.size(), 3U);
}

TEST_P(ReplayTest, AStageOfSkippedRowsProvesNothing)
{
    for (int i = 0; i < 12; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    ASSERT_EQ(made.items.size(), 12U);
    // Somebody else has settled what the first three stages were to be.
    ASSERT_EQ(apply(plan("discard", "key in (e100, e101, e102, e103, e104)")).changed, 5);
    poison = { "e105", "e106", "e107", "e108", "e109", "e110", "e111" };
    const auto report = replay(made, { .ramp = { 1, 2, 2 }, .brake = 0.05 }, hooks());
    EXPECT_EQ(report.progress.phase, RunPhase::Paused);
    EXPECT_EQ(report.report.changed, 1) << "the canary";
    EXPECT_EQ(report.report.skipped, 5);
    ASSERT_EQ(report.progress.stages.size(), 4U);
    EXPECT_EQ(report.progress.stages[0].rows, 6);
    EXPECT_EQ(report.progress.stages[0].deadAgain, 1);
    EXPECT_EQ(report.progress.stages[3].rows, 2);
    const auto run = value(console.inspector->runs()->find(made.requestId));
    auto stages = value(stagesOf(*run));
    ASSERT_TRUE(stages.recall(*console.inspector->runs()));
    EXPECT_EQ(stages.reports()[0].rows, 6) << "whoever looks on sees the same stages";
    EXPECT_EQ(stages.current(), 0U) << "its outcome is not asked for yet";

    poison.clear();
    const auto rest = replay(made, { .ramp = { 1, 2, 2 }, .brake = 0.05 }, hooks());
    EXPECT_EQ(rest.progress.phase, RunPhase::Done);
    EXPECT_EQ(rest.progress.all().rows, 12);
    EXPECT_EQ(rest.progress.all().succeeded, 6);
}

TEST_P(ReplayTest, WhatAKilledProcessDidIsWrittenDownByWhoeverStopsTheRun)
{
    for (const auto* id : { "a", "b", "c", "d" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    auto with = hooks();
    with.order = [&] { return done.size() >= 3 ? ReplayOrder::Leave : ReplayOrder::Go; };
    (void)replay(made, { .rate = 2 }, with);
    ASSERT_GE(done.size(), 3U);
    const auto put = std::int64_t(done.size());
    // As if it had been killed before the last ones were in the journal, and one where it did not know.
    sql("DELETE FROM run_items WHERE item = 1");
    sql("UPDATE run_items SET outcome = 'failed' WHERE item = 2");
    sql("UPDATE operation_runs SET state = 'RUNNING'");
    auto& runs = *console.inspector->runs();
    ASSERT_EQ(value(runs.find(made.requestId))->changed, put - 2);
    EXPECT_TRUE(value(runs.enter(made.requestId, RunPhase::Stopped, "by olga")));
    const auto stopped = value(runs.find(made.requestId));
    EXPECT_EQ(stopped->changed, put);
    EXPECT_EQ(stopped->failed, 0);
    const auto items = value(runs.items(made.requestId));
    ASSERT_EQ(items.size(), std::size_t(put));
    EXPECT_EQ(items.front().outcome, "changed");
}

TEST_P(ReplayTest, WhatIsPendingAtTheEndIsSaidAndToldLater)
{
    bury("a");
    bury("b");
    const auto made = plan("replay", "state = DEAD");
    const auto report = replay(made, { .ramp = { 5 }, .patience = 30s }, hooks(false));
    EXPECT_EQ(report.progress.phase, RunPhase::Done);
    EXPECT_THAT(report.progress.because, HasSubstr("2 were still pending after 30s"));
    auto& journal = *console.inspector->runs();
    const auto run = *value(journal.find(made.requestId));
    EXPECT_EQ(run.because, report.progress.because);
    poison = { "b" };
    relayOnce();
    auto stages = value(stagesOf(run));
    ASSERT_TRUE(stages.recall(journal));
    EXPECT_EQ(stages.reports()[0].pending, 2) << "nobody has asked yet";
    EXPECT_FALSE(value(stages.askFates(journal, 1)));
    EXPECT_EQ(stages.reports()[0].pending, 1);
    EXPECT_FALSE(value(stages.askFates(journal, 500)));
    const auto progress = progressOf(run, stages);
    ASSERT_EQ(progress.stages.size(), 1U);
    EXPECT_TRUE(progress.verified);
    EXPECT_EQ(progress.all().succeeded, 1);
    EXPECT_EQ(progress.all().deadAgain, 1);
    EXPECT_EQ(progress.all().pending, 0);
    EXPECT_EQ(progress.phase, RunPhase::Done);
    auto redacted = run;
    redacted.plan = "sha256:0123";
    EXPECT_THAT(stagesOf(redacted).error().message, HasSubstr("hidden when the snapshot was taken"));
}

TEST_P(ReplayTest, WhoLooksOnSeesWhatIsDoneMeanwhile)
{
    for (const auto* id : { "a", "b", "c" })
        bury(id);
    const auto made = plan("replay", "state = DEAD");
    auto other = openConsole();
    std::vector<ReplayProgress> seen;
    auto with = hooks();
    with.sleep = [&, sleep = with.sleep](Duration length) {
        if (done.size() == 1 || done.size() == 3) {
            ReplayHooks looking;
            looking.sleep = [](Duration) {};
            looking.order = [&, asked = 0]() mutable { return ++asked > 2 ? ReplayOrder::Leave : ReplayOrder::Go; };
            looking.progressed = [&](const ReplayProgress& progress) { seen.push_back(progress); };
            SeededRandom mine(9);
            const auto looked = runReplay(*other.inspector, made, "otto@desk", nullptr, looking, steady, mine);
            ASSERT_TRUE(looked) << looked.error().message;
        }
        sleep(length);
    };
    EXPECT_EQ(replay(made, { .ramp = { 1 } }, with).progress.phase, RunPhase::Done);
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.front().stage, 0U);
    EXPECT_EQ(seen.front().runner, "olga@desk");
    ASSERT_EQ(seen.front().stages.size(), 2U);
    EXPECT_EQ(seen.front().stages[0].changed, 1);
    EXPECT_EQ(seen.front().stages[0].pending, 1);
    EXPECT_EQ(seen.back().stage, 1U);
    EXPECT_EQ(seen.back().stages[0].succeeded, 1);
    EXPECT_EQ(seen.back().stages[1].changed, 2);
    EXPECT_THAT(done, ElementsAre("a", "b", "c")) << "none by who looked on";
}

TEST_P(ReplayTest, TwoAtTheSameTimePutEachBackOnce)
{
    for (int i = 0; i < 30; ++i)
        bury("e" + std::to_string(100 + i));
    const auto made = plan("replay", "state = DEAD");
    std::vector<Console> consoles;
    consoles.push_back(openConsole());
    consoles.push_back(openConsole());
    std::vector<std::int64_t> changed(2);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i)
        threads.emplace_back([&, i] {
            ReplayHooks real;
            real.sleep = [](Duration length) { std::this_thread::sleep_for(std::min<Duration>(length, 20ms)); };
            const ReplaySettings settings;
            SeededRandom mine(10 + i);
            const retry::SteadyClock clockOfThread;
            const auto report =
                runReplay(*consoles[i].inspector, made, "olga@desk", &settings, real, clockOfThread, mine);
            ASSERT_TRUE(report) << report.error().message << report.error().detail;
            changed[i] = report->report.changed;
            EXPECT_EQ(report->report.changed + report->report.alreadyDone, 30);
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(changed[0] + changed[1], 30);
    EXPECT_EQ(count("dead_letters WHERE state = 'REDRIVEN'"), 30);
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING'"), 30);
    EXPECT_EQ(count("idempotency_audit WHERE outcome = 'changed'"), 30);
}

TEST_P(ReplayTest, TheGroupsTellWhatDiedSinceTheirReplay)
{
    for (const auto* id : { "a", "b", "c" })
        bury(id);
    const auto groupOf = [&](const std::string& code, const std::string& pattern) {
        for (const auto& group : value(console.inspector->letterGroups(table())).groups)
            if (group.code == code && group.pattern == pattern)
                return group;
        ADD_FAILURE() << code << ' ' << pattern;
        return LetterGroup{};
    };
    EXPECT_EQ(groupOf("connection", "no c").replayedAt, std::nullopt);
    EXPECT_EQ(groupOf("connection", "no c").sinceReplay, 0);
    poison = { "a", "b" };
    const auto began = clock.now();
    replay(plan("replay", "state = DEAD"), { .ramp = { 1 } }, hooks());
    EXPECT_EQ(groupOf("connection", "no c").replayedAt, began);
    EXPECT_EQ(groupOf("connection", "no c").dead, 0);
    EXPECT_EQ(groupOf("422", "poison").replayedAt, began);
    EXPECT_EQ(groupOf("422", "poison").sinceReplay, 2);
    EXPECT_EQ(groupOf("422", "poison").again, 2);
    clock.advance(1h);
    bury("d");
    EXPECT_EQ(groupOf("connection", "no d").replayedAt, std::nullopt) << "another group";
    poison.clear();
    const auto mended = plan("replay", "state = DEAD and error ~ poison", { { includeUnknown, "it is mended" } });
    ASSERT_THAT(keysOf(mended), ElementsAre("a", "b"));
    const auto later = clock.now();
    const auto report = replay(mended, { .ramp = { 1 } }, hooks());
    EXPECT_EQ(report.report.changed, 2) << report.progress.because;
    EXPECT_EQ(groupOf("422", "poison").replayedAt, later);
    EXPECT_EQ(groupOf("422", "poison").sinceReplay, 0);
}

TEST_P(ReplayTest, AnIdThatNoHeaderCarriesIsNotPutBack)
{
    bury("a", "request");
    for (const auto* id : { "a\nb", "", " a", "a\tb\x01" }) {
        sql(std::string("UPDATE dead_letters SET event_id = '") + id + "'");
        sql(std::string("UPDATE outbox_messages SET event_id = '") + id + "'");
        const auto refused = plan("replay", "state = DEAD");
        ASSERT_EQ(refused.leftOut.size(), 1U) << id;
        EXPECT_THAT(refused.leftOut[0].why, HasSubstr("its id is none that can be sent there"));
    }
}

TEST_P(ReplayTest, AnIdThatNoWebhookCarriesNeedsAnother)
{
    int number = 0;
    for (const std::string id : { "a.b", "caf\xc3\xa9", "two words", "a\x01b", "tab\tbed" }) {
        const auto was = "a" + std::to_string(++number);
        bury(was, "request");
        sql("UPDATE dead_letters SET event_id = '" + id + "' WHERE event_id = '" + was + "'");
        sql("UPDATE outbox_messages SET event_id = '" + id + "' WHERE event_id = '" + was + "'");
        const auto refused = plan("replay", "state = DEAD");
        ASSERT_EQ(refused.leftOut.size(), 1U) << id;
        EXPECT_THAT(refused.leftOut[0].why, HasSubstr("its id is none that can be sent there"));
        // Nobody has it under another id, so the same payload may go out.
        const auto edited = plan("edit", "state = DEAD", { { editedPayload, event(was).payload } });
        ASSERT_THAT(keysOf(edited), ElementsAre(id)) << formatPlan(edited);
        const auto applied = apply(edited);
        ASSERT_EQ(applied.changed, 1) << id << ": " << applied.items.size();
        relayOnce();
        ASSERT_EQ(sentIds.size(), 1U) << id;
        EXPECT_TRUE(isWebhookId(sentIds.front())) << sentIds.front();
        sentIds.clear();
    }
}

TEST_P(ReplayTest, AnEditIsAPlanOfOneEventAndSaysThatTheKeyMustChange)
{
    bury("a", "422", "rf_1");
    bury("b", "503");
    kill(delivery("done"));
    sql("UPDATE inbox_messages SET status = 'PROCESSED' WHERE event_id = 'done'");
    const std::string mended = R"({"id":"a","secret":"4111"})";
    const std::map<std::string, std::string> given{ { editedPayload, mended }, { includeUnknown, "it was refused" } };

    PlanRequest both;
    both.verb = "edit";
    both.filter = "state = DEAD";
    both.parameters = given;
    both.reason = "mended";
    both.actor = "olga@desk";
    const auto refused = makePlan(*console.inspector, table(), both, random);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("one event"));
    EXPECT_THAT(plan("edit", "key = b", { { editedPayload, mended } }).leftOut[0].why, HasSubstr("may duplicate"));
    EXPECT_THAT(plan("edit", "key = done", given).leftOut[0].why, HasSubstr("twice"));
    auto same = given;
    same[editedPayload] = event("a").payload;
    EXPECT_THAT(plan("edit", "key = a", same).leftOut[0].why, HasSubstr("the same"));

    auto known = given;
    known[editedEventId] = "done";
    both.filter = "key = a";
    both.parameters = known;
    const auto taken = makePlan(*console.inspector, table(), both, random);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().message, HasSubstr("the inbox of ledger has it as PROCESSED"));
    auto broken = given;
    broken[editedPayload] = "{broken";
    EXPECT_THAT(plan("edit", "key = a", broken).items[0].warning, HasSubstr("was JSON"));
    sql("UPDATE dead_letters SET headers = '[[\"Content-Type\",\"application/json; charset=utf-8\"]]' WHERE event_id = "
        "'a'");
    both.parameters = broken;
    const auto unreadable = makePlan(*console.inspector, table(), both, random);
    ASSERT_FALSE(unreadable);
    EXPECT_THAT(unreadable.error().message, HasSubstr("says that its payload is JSON"));

    const auto made = plan("edit", "key = a", given);
    ASSERT_THAT(keysOf(made), ElementsAre("a"));
    EXPECT_THAT(made.items[0].effect, HasSubstr("the id must change"));
    EXPECT_THAT(made.items[0].effect, HasSubstr(toHex(sha256(mended)).substr(0, 12)));
    EXPECT_THAT(made.items[0].warning, HasSubstr("second"));
    const auto read = parsePlan(formatPlan(made));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, made);
    EXPECT_EQ(apply(made).changed, 1);
    EXPECT_EQ(apply(made).alreadyDone, 1);
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING'"), 1) << "one copy, however often the plan is applied";
    EXPECT_EQ(
        count("outbox_messages WHERE status = 'PENDING' AND aggregatetype = 'refund' AND aggregateid = 'rf_1'"), 1)
        << "its consumer tells by it which versions it has applied";
    EXPECT_EQ(count("dead_letters WHERE state = 'DISCARDED'"), 1);
    EXPECT_FALSE(makeUndo(*console.inspector, made.requestId, {}, "olga@desk", random));
    for (const auto& entry : value(console.inspector->audit({})))
        EXPECT_THAT(entry.parameters + entry.before + entry.after, Not(HasSubstr("4111")));
    EXPECT_TRUE(value(console.inspector->verifyAudit()).intact);
}

TEST_P(ReplayTest, AnEditIsNotSentToConsumersThatHaveTheFirst)
{
    const auto toMail = [](const std::string& id) {
        auto what = delivery(id);
        what.id.consumer = "mail";
        return what;
    };
    const auto handledByMail = [&](const std::string& id) {
        EXPECT_EQ(receive(toMail(id), 4), Reception::Process);
        EXPECT_EQ(settle(toMail(id), 4), InboxSettlement::Applied);
    };
    for (const auto* id : { "done", "alone", "late" })
        kill(delivery(id));
    handledByMail("done");
    const std::map<std::string, std::string> given{ { editedPayload, R"({"amount":11})" } };
    const auto refused = plan("edit", "key = done", given);
    ASSERT_EQ(refused.leftOut.size(), 1U) << formatPlan(refused);
    EXPECT_THAT(refused.leftOut[0].why, HasSubstr("mail has processed the first"));
    EXPECT_THAT(refused.leftOut[0].why, HasSubstr("--include-unknown"));
    EXPECT_THAT(keysOf(plan("replay", "key = done")), ElementsAre("done")) << "under its own id mail acknowledges it";
    EXPECT_THAT(keysOf(plan("edit", "key = alone", given)), ElementsAre("alone"));

    // What is handled behind the plan is seen where it is applied.
    const auto late = plan("edit", "key = late", given);
    ASSERT_THAT(keysOf(late), ElementsAre("late"));
    handledByMail("late");
    const auto skipped = apply(late);
    EXPECT_EQ(skipped.changed, 0);
    ASSERT_EQ(skipped.items.size(), 1U);
    EXPECT_THAT(skipped.items[0].outcome.reason, HasSubstr("mail has processed the first"));
    EXPECT_EQ(count("outbox_messages"), 0);
    EXPECT_EQ(count("dead_letters WHERE state = 'DEAD'"), 3);

    auto chosen = given;
    chosen[includeUnknown] = "mail knows its own doubles";
    const auto made = plan("edit", "key = late", chosen);
    ASSERT_THAT(keysOf(made), ElementsAre("late"));
    EXPECT_THAT(made.items[0].warning, HasSubstr("mail has processed the first"));
    EXPECT_EQ(apply(made).changed, 1);
    EXPECT_EQ(count("outbox_messages"), 1);
}

TEST_P(ReplayTest, TheLettersOfOneEventAreEditedOnce)
{
    auto mail = delivery("shared");
    mail.id.consumer = "mail";
    kill(delivery("shared"));
    kill(mail);
    const std::map<std::string, std::string> given{ { editedPayload, R"({"amount":11})" } };
    const auto both = plan("edit", "key = shared and scope = mail", given);
    ASSERT_THAT(keysOf(both), ElementsAre("shared"));
    ASSERT_EQ(apply(plan("edit", "key = shared and scope = ledger", given)).changed, 1);
    sql("UPDATE dead_letters SET destination = 'http://localhost:9/hooks' WHERE consumer = 'mail'");
    clock.advance(100h);
    EXPECT_EQ(value(letters().purge(1h, 100)), 0) << "what tells of the copy is kept while a letter waits";
    // The copy went to both of them.
    for (const auto* verb : { "edit", "replay" }) {
        const auto again = plan(verb, "key = shared and scope = mail",
            std::string(verb) == "edit" ? given : std::map<std::string, std::string>());
        ASSERT_EQ(again.leftOut.size(), 1U) << verb;
        EXPECT_THAT(again.leftOut[0].why, HasSubstr("edited as")) << verb;
    }
    EXPECT_EQ(apply(both).changed, 0);
    EXPECT_EQ(count("outbox_messages"), 1);
}

TEST_P(ReplayTest, OneCopyGoesToEachDestinationUnderOneId)
{
    bury("fan");
    auto other = event("fan");
    other.destination = "http://127.0.0.1:9/other";
    const auto seq = add(other);
    auto asked = wish(1);
    asked.deadHead = DeadHead::Skip;
    EXPECT_EQ(claim(asked), "fan");
    value(outbox().undelivered(seq, ownerOf(1), { "connection", "no", false, {} }, maxAttempts));
    std::map<std::string, std::string> given{ { editedPayload, R"({ "id": "fan", "amount": 1 })" },
        { editedEventId, "fan-2" } };
    EXPECT_EQ(apply(plan("edit", "queue = http://127.0.0.1:9/hooks", given)).changed, 1);
    PlanRequest request;
    request.verb = "edit";
    request.filter = "queue = http://127.0.0.1:9/other";
    request.parameters = given;
    request.parameters[editedPayload] = R"({"id":"fan","amount":2})";
    request.reason = "mended";
    request.actor = "olga@desk";
    const auto refused = makePlan(*console.inspector, table(), request, random);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("known already")) << "it is another event there";
    // Also where a consumer has the first copy by now.
    auto known = delivery("fan-2", given.at(editedPayload));
    known.id.source = "/lab";
    known.payloadHash = payloadDigest(given.at(editedPayload));
    EXPECT_EQ(receive(known, 4), Reception::Process);
    EXPECT_EQ(settle(known, 4), InboxSettlement::Applied);
    EXPECT_EQ(apply(plan("edit", "queue = http://127.0.0.1:9/other", given)).changed, 1);
    EXPECT_EQ(count("outbox_messages WHERE event_id = 'fan-2' AND status = 'PENDING'"), 2);
}

TEST_P(ReplayTest, AStructuredEventHasTheIdOfItsCopyInItsPayload)
{
    bury("a");
    sql("UPDATE dead_letters SET headers = '[[\"content-type\",\"application/cloudevents+json\"]]', payload = "
        + std::string(GetParam() == store::Dialect::Sqlite ? "CAST('" : "convert_to('")
        + R"({"specversion":"1.0","id":"a","source":"/lab","type":"t","subject":"rf_1","version":7})"
        + (GetParam() == store::Dialect::Sqlite ? "' AS BLOB)" : "', 'UTF8')"));
    PlanRequest request;
    request.verb = "edit";
    request.filter = "state = DEAD";
    request.reason = "mended";
    request.actor = "olga@desk";
    const auto why = [&](const std::string& payload, const std::string& id = {}) {
        request.parameters = { { editedPayload, payload } };
        if (!id.empty())
            request.parameters[editedEventId] = id;
        const auto made = makePlan(*console.inspector, table(), request, random);
        return made ? std::string() : made.error().message;
    };
    EXPECT_THAT(why(R"({"amount":1})"), HasSubstr("has no \"id\""));
    EXPECT_THAT(why(R"({"id":"a","amount":1})"), HasSubstr("of the first event"));
    EXPECT_THAT(why(R"({"id":"a-2","amount":1})", "a-3"), HasSubstr("two ids"));
    EXPECT_THAT(why(R"({"id":"a.2","amount":1})"), HasSubstr("\"a.2\""));
    EXPECT_EQ(why(R"({"id":"a-2","amount":1})"), "");
    const auto made = value(makePlan(*console.inspector, table(), request, random));
    EXPECT_THAT(made.items.at(0).warning, HasSubstr("no longer says its specversion, source, type, subject, version"));
    EXPECT_THAT(made.items.at(0).effect, HasSubstr("the event id a-2"));
    request.parameters[editedPayload] = R"({"specversion":"1.0","id":"a-2","source":"/mended","type":"t2","subject":)"
                                        R"("rf_2","time":"2020-01-01T00:00:00Z","version":8})";
    const auto other = value(makePlan(*console.inspector, table(), request, random));
    EXPECT_THAT(other.items.at(0).warning, HasSubstr("says another source, type, subject, version than"));
    EXPECT_EQ(apply(other).changed, 1);
    EXPECT_EQ(count("outbox_messages WHERE event_id = 'a-2' AND source = '/mended' AND type = 't2' AND aggregateid = "
                    "'rf_2' AND CAST(headers AS TEXT) LIKE '%2020-01-01T00:00:00Z%'"),
        1)
        << "whoever gets it looks at the headers first";
}

TEST_P(ReplayTest, WhatWasGivenUpBeforeTheRunIsNotItsOutcome)
{
    bury("a");
    auto other = delivery("a");
    other.id.source = "/lab";
    other.payloadHash = hashOf(event("a").payload);
    kill(other);
    auto mail = other;
    mail.id.consumer = "mail";
    EXPECT_EQ(receive(mail, 4), Reception::Process);
    EXPECT_EQ(fail(mail, 4), InboxSettlement::Applied);
    const auto made = plan("replay", "state = DEAD and error ~ connection");
    ASSERT_THAT(keysOf(made), ElementsAre("a")) << formatPlan(made);
    clock.advance(1s);
    EXPECT_EQ(apply(made).changed, 1);
    const auto fate = [&] {
        const auto found = value(console.inspector->runs()->fates({ made.items.front().identity.front() }));
        return wordOf(fateOf(found.at(0), 1, made.requestId));
    };
    EXPECT_EQ(fate(), "pending") << "nothing was sent yet";
    relayOnce();
    clock.advance(10s);
    EXPECT_EQ(receive(mail, 5), Reception::Process);
    EXPECT_EQ(settle(mail, 5), InboxSettlement::Applied);
    EXPECT_EQ(fate(), "succeeded") << "the other consumer refuses it as before";
    // One that dies behind the run is.
    sql("UPDATE dead_letters SET dead_at = (SELECT settled_at FROM dead_letters AS r WHERE r.kind = 'outbox') + "
        + std::string(GetParam() == store::Dialect::Sqlite ? "1" : "INTERVAL '1 second'") + " WHERE kind = 'inbox'");
    EXPECT_EQ(fate(), "dead_again");
}

TEST_P(ReplayTest, WhatAnEventIsAboutAndWhenItHappenedOutlivesItsOutbox)
{
    auto what = event("a");
    what.headers = {};
    what.aggregateId = "réf 1";
    const auto seq = add(what);
    const auto began = clock.now();
    EXPECT_EQ(claim(wish(1)), "a");
    value(outbox().undelivered(seq, ownerOf(1), { "connection", "no", false, {} }, maxAttempts));
    sql("DELETE FROM outbox_messages");
    clock.advance(1h);
    EXPECT_EQ(apply(plan("replay", "state = DEAD")).changed, 1);
    ASSERT_EQ(count("outbox_messages WHERE aggregateid = 'réf 1'"), 1);
    const auto claimed = value(outbox().claim(wish(1)));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(lineOf(claimed[0].event.headers, "ce-subject"), "r%C3%A9f%201");
    EXPECT_EQ(lineOf(claimed[0].event.headers, "ce-time"), formatInstant(began));
}
