// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "core/simulation/memory_store.h"
#include "core/simulation/recording_source.h"
#include "core/simulation/report.h"

// What was recorded, run on with nothing changed, comes to what was observed.

namespace fencepost::simulation {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr auto keptFor = 10min;
constexpr auto afterAll = std::chrono::hours(24 * 365);

// One key's life under random events, in the store that keeps the protocol's own journal.
class Life {
public:
    explicit Life(std::uint64_t seed)
        : m_random(seed)
        , m_manual(oneIn(3))
        , m_maxAttempts(oneIn(3) ? 3 : 0)
        , m_lease(oneIn(4) ? 15s : 30s)
    {
        m_id = { "s", "o", "key-" + std::to_string(seed) };
        m_clock.advance(Duration(std::chrono::milliseconds(m_random.below(60'000))));
        comes();
        for (auto steps = m_random.below(12); steps > 0; --steps) {
            pass();
            oneIn(3) ? interferes() : comes();
        }
        m_clock.advance(2min);
    }

    // As its table shows it so much later.
    [[nodiscard]] RecordedLife seen(Duration later) const
    {
        const auto record = *m_store.look(m_id);
        RecordedLife life;
        auto& row = life.row;
        row.state = wordOf(shownState(record, m_clock.now() + later));
        row.rawState = wordOf(record.status);
        row.hold = record.hold;
        row.attempts = record.attempt;
        if (record.maxAttempts > 0)
            row.maxAttempts = record.maxAttempts;
        row.takeover = wordOf(record.takeover);
        row.leaseUntil = record.leaseExpiresAt;
        row.createdAt = record.createdAt;
        row.startedAt = record.startedAt;
        row.finishedAt = record.completedAt;
        row.expiresAt = record.expiresAt;
        life.journal =
            *const_cast<MemoryStore&>(m_store).journal(m_id); // NOLINT(cppcoreguidelines-pro-type-const-cast)
        return life;
    }

    [[nodiscard]] bool isLeft() const { return m_store.look(m_id) != nullptr; }

private:
    bool oneIn(std::uint64_t n) { return m_random.below(n) == 0; }
    void pass()
    {
        const auto most = oneIn(10) ? 900'000U : 60'000U;
        m_clock.advance(1s + std::chrono::milliseconds(m_random.below(most)));
    }
    [[nodiscard]] Owner nextOwner()
    {
        Owner owner;
        owner.uuid = "00000000-0000-4000-8000-0000000000" + std::to_string(10 + ++m_owners);
        return owner;
    }
    [[nodiscard]] Reserved reserve(char payload)
    {
        Reservation reservation;
        reservation.id = m_id;
        reservation.requestHash = Bytes(32, payload);
        reservation.owner = nextOwner();
        reservation.lease = m_lease;
        reservation.ttl = keptFor;
        reservation.takeover = m_manual ? Takeover::Manual : Takeover::Auto;
        reservation.maxAttempts = m_maxAttempts;
        return *m_store.reserve(reservation);
    }

    void comes()
    {
        const auto reserved = reserve(oneIn(12) ? 'b' : 'a');
        if (reserved.outcome != fencepost::Outcome::Execute)
            return;
        const Claim claim{ m_id, reserved.record->owner, reserved.record->fence };
        if (oneIn(4))
            return; // it crashes
        if (oneIn(4)) {
            // It sleeps, and somebody else comes meanwhile.
            m_clock.advance(m_lease + 1s + std::chrono::milliseconds(m_random.below(20'000)));
            (void)reserve('a');
            m_clock.advance(2s);
        } else {
            m_clock.advance(std::chrono::milliseconds(50 + m_random.below(4'000)));
        }
        switch (m_random.below(5)) {
        case 0:
            (void)m_store.fail(claim, { .retryable = true });
            break;
        case 1:
            (void)m_store.fail(claim, {});
            break;
        case 2:
            (void)m_store.hold(claim, "outcome_unknown");
            break;
        default:
            (void)m_store.finalize(claim, {});
            break;
        }
    }

    void interferes()
    {
        static constexpr std::pair<Event, Resolution> acts[] = { { Event::OperatorFence, {} },
            { Event::OperatorFence, {} }, { Event::OperatorRelease, {} },
            { Event::OperatorResolve, Resolution::Succeeded }, { Event::OperatorResolve, Resolution::FailedFinal },
            { Event::OperatorResolve, Resolution::FailedRetryable }, { Event::OperatorResolve, Resolution::TakeOver },
            { Event::OperatorExpire, {} }, { Event::OperatorFail, {} }, { Event::Reopen, {} } };
        const auto* record = m_store.look(m_id);
        if (!record)
            return;
        Intervention asked;
        auto& trigger = asked.trigger;
        std::tie(trigger.event, trigger.resolution) = acts[m_random.below(std::size(acts))];
        trigger.id = m_id;
        trigger.fence = record->fence;
        trigger.owner = nextOwner();
        trigger.reason = "to see";
        trigger.actor = "olga";
        trigger.noHold = oneIn(2);
        trigger.ttl = keptFor;
        trigger.response.code = 201;
        trigger.seenLive = fencepost::isLive(*record, m_clock.now());
        (void)m_store.intervene(asked);
    }

    SeededRandom m_random;
    bool m_manual;
    int m_maxAttempts;
    Duration m_lease;
    ManualClock m_clock{ timeFromMicros(1'735'689'600'000'000) };
    MemoryStore m_store{ m_clock };
    RecordId m_id;
    int m_owners = 0;
};

// How what is predicted differs from what was observed, a line for each measure and each number of attempts.
std::vector<std::string> differences(const Recording& recording, std::uint64_t seed = 1)
{
    Scenario scenario;
    scenario.name = "again";
    scenario.seed = seed;
    std::vector<ReportedWorld> worlds;
    worlds.push_back({ "", "", withRecording(scenario, recording), {}, {} });
    worlds[0].outcome = simulate(worlds[0].scenario);
    const auto compared = comparedOf(worlds);
    std::vector<std::string> lines;
    for (const auto* steps : { &compared.measures, &compared.attempts })
        for (const auto& step : *steps)
            if (step.observed != step.predicted[0])
                lines.push_back(step.step + ": observed " + std::to_string(step.observed) + ", predicted "
                    + std::to_string(step.predicted[0]));
    return lines;
}

std::string journalOf(const RecordedLife& life)
{
    std::string text;
    for (const auto& entry : life.journal)
        text += "\n  " + formatInstant(entry.at) + " " + entry.event + " " + entry.fromState + " " + entry.toState + " "
            + std::to_string(entry.attempt);
    return text;
}

TEST(RecordedBaseline, IsWhatTheRecordsSay)
{
    constexpr std::uint64_t lives = 1'000;
    std::vector<RecordedLife> all;
    for (std::uint64_t seed = 1; seed <= lives; ++seed) {
        const Life life(seed);
        if (!life.isLeft())
            continue;
        all.push_back(life.seen({}));
        EXPECT_THAT(differences(*recordingOf({ all.back() }, "one record")), IsEmpty())
            << seed << journalOf(all.back());
    }
    EXPECT_THAT(differences(*recordingOf(all, "records")), IsEmpty());
}

TEST(RecordedBaseline, IsTheSameHoweverLateItIsRead)
{
    std::vector<RecordedLife> soon;
    std::vector<RecordedLife> late;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Life life(seed);
        if (!life.isLeft())
            continue;
        soon.push_back(life.seen({}));
        late.push_back(life.seen(afterAll));
    }
    Scenario scenario;
    scenario.name = "again";
    EXPECT_EQ(formatScenario(withRecording(scenario, *recordingOf(soon, "records"))),
        formatScenario(withRecording(scenario, *recordingOf(late, "records"))));
}

// What a filter leaves may have no open record that tells its lease.
TEST(RecordedBaseline, NeedsNoOpenRecord)
{
    std::vector<RecordedLife> closed;
    for (std::uint64_t seed = 1; seed <= 300; ++seed)
        if (const Life life(seed); life.isLeft())
            if (auto seen = life.seen({}); seen.row.state == "SUCCEEDED")
                closed.push_back(std::move(seen));
    const auto recording = *recordingOf(closed, "records");
    EXPECT_EQ(recording.lease, 30s) << "of those who were done before they had to renew it";
    EXPECT_THAT(differences(recording), IsEmpty());
    for (auto& life : closed)
        life.row.leaseUntil.reset();
    EXPECT_THAT(differences(*recordingOf(closed, "records")), IsEmpty()) << "no lease is told at all";
}

// Any sequence of what a client may write down, with a code or a class of them.
TEST(RecordedBaseline, IsWhatALogSays)
{
    constexpr std::string_view words[] = { "timeout,", "reset,", "429,429", "5xx,503", "5xx,502", "503,", "500,500",
        "4xx,422", "4xx,409", "404,", "200,200", "200,201", "201,201", "204,", "breaker_open,", "not_sent,",
        "budget_empty,", "shed,", "answered,200", "timed_out,", "lost,", "cancelled,", "302,302" };
    SeededRandom random(7);
    std::string text = "attempt,delay_ms,status,code,notes\n";
    std::string one = text;
    for (int call = 0; call < 2'000; ++call) {
        std::string rows;
        const auto attempts = 1 + random.below(6);
        for (std::uint64_t attempt = 1; attempt <= attempts; ++attempt)
            rows += std::to_string(attempt) + "," + std::to_string(attempt == 1 ? 0 : random.below(4'000)) + ","
                + std::string(words[random.below(std::size(words))]) + ",\n";
        text += rows;
        constexpr int each = 400;
        if (call >= each)
            continue;
        EXPECT_THAT(
            differences(*recordingOf(*exchange::readRetryLog(one + rows), "log"), std::uint64_t(call) + 1), IsEmpty())
            << rows;
    }
    const auto rows = *exchange::readRetryLog(text);
    EXPECT_THAT(differences(*recordingOf(rows, "log")), IsEmpty());
    EXPECT_THAT(differences(*recordingOf(rows, "log", Duration(0))), IsEmpty()) << "also where all come at once";
}

} // namespace
} // namespace fencepost::simulation
