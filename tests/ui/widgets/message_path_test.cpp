// SPDX-License-Identifier: GPL-3.0-or-later
#include <sstream>

#include "core/messaging/dead_letter.h"
#include "tests/ui/widgets/diagram_checks.h"
#include "ui/widgets/message_path.h"

namespace fencepost::ui {
namespace {

using namespace std::chrono_literals;

constexpr auto eventLease = 30s;
constexpr int attemptsOfAnEvent = 3;

Owner ownerOf(int number)
{
    return { "00000000-0000-4000-8000-00000000000" + std::to_string(number % 10) };
}

// An event's life, told in words and decided by the protocol, in an inbox or an outbox and as its dead letter.
class EventHistory {
public:
    EventHistory(Kind kind, const std::string& words)
        : m_kind(kind)
    {
        m_delivery.id = { "ledger", "/lab", "evt_1" };
        m_delivery.destination = "https://ledger.internal/events";
        m_delivery.payload = "{}";
        m_outbox.event.destination = m_delivery.destination;
        m_outbox.createdAt = m_outbox.nextAttemptAt.emplace(m_now);
        std::istringstream stream(words);
        for (std::string word; stream >> word;) {
            play(word);
            m_now += 7s;
        }
    }

    [[nodiscard]] MessageHistory history() const
    {
        MessageHistory told{ .kind = m_kind, .row = {}, .failures = std::vector<DeliveryAttempt>() };
        auto& row = told.row;
        if (m_kind == Kind::Inbox && m_inbox) {
            row.state = wordOf(m_inbox->state);
            row.attempts = m_inbox->attempt;
            row.createdAt = m_inbox->receivedAt;
            row.finishedAt = m_inbox->processedAt;
            row.leaseUntil = m_inbox->leaseExpiresAt;
            row.stuck = m_inbox->state == InboxState::Processing && *row.leaseUntil <= m_now;
            row.owner = m_inbox->owner ? std::optional(m_inbox->owner->uuid) : std::nullopt;
            told.failures = m_inbox->attempts;
        } else if (m_kind == Kind::Outbox) {
            row.state = m_outbox.discardedAt ? "DISCARDED" : std::string(wordOf(m_outbox.state));
            row.attempts = m_outbox.attempt;
            row.createdAt = m_outbox.createdAt;
            row.finishedAt = m_outbox.sentAt;
            row.updatedAt = m_outbox.discardedAt;
            row.leaseUntil = m_outbox.leaseExpiresAt;
            row.stuck = m_outbox.state == OutboxState::Sending && *row.leaseUntil <= m_now;
            row.owner = m_outbox.owner ? std::optional(m_outbox.owner->uuid) : std::nullopt;
            told.failures = m_outbox.attempts;
        } else if (m_letter) {
            row.state = wordOf(m_letter->state);
            row.createdAt = m_letter->deadAt;
            row.startedAt = m_letter->firstAt;
            row.finishedAt = m_letter->settledAt;
            row.owner = m_letter->settledBy;
            row.resultRef = m_letter->settledBecause;
            row.extra = { { rowDeaths, std::to_string(m_letter->deaths) },
                { rowDiedAs, std::string(wordOf(m_letter->kind)) } };
            told.failures = m_letter->attempts;
            told.audit = { m_audit.rbegin(), m_audit.rend() };
        }
        return told;
    }
    [[nodiscard]] StatePath path() const { return pathOf(history()); }

private:
    void play(const std::string& word)
    {
        if (word == "wait")
            m_now += 10min;
        else if (word == "redrive" || word == "discard" || word == "restore" || word == "secretly")
            decideLetter(word);
        else if (m_kind == Kind::Inbox)
            playInbox(word);
        else
            playOutbox(word);
    }

    void playInbox(const std::string& word)
    {
        InboxView view{ .message = m_inbox, .sameEffect = {}, .head = {} };
        if (word == "receive") {
            const auto decision = decideAccepted(m_inbox, m_delivery, m_now);
            ASSERT_TRUE(decision.message) << word;
            m_inbox = decision.message;
        } else if (word == "handle") {
            m_owner = ownerOf(++m_handlers);
            const auto decision = decideArrival(view, m_delivery, { m_owner, eventLease, attemptsOfAnEvent }, m_now);
            ASSERT_TRUE(decision.message) << word;
            m_inbox = decision.message;
        } else if (word == "overtaken") {
            m_delivery.subject = "rf_1";
            m_delivery.version = 1;
            m_inbox->subject = m_delivery.subject;
            m_inbox->version = m_delivery.version;
            view = { .message = m_inbox, .sameEffect = {}, .head = 2 };
            const auto decision = decideArrival(view, m_delivery, { ownerOf(9), eventLease, attemptsOfAnEvent }, m_now);
            ASSERT_EQ(decision.reception, Reception::Overtaken);
            m_inbox = decision.message;
        } else if (word == "conflict") {
            auto other = m_delivery;
            other.payloadHash = "another";
            ASSERT_EQ(decideAccepted(m_inbox, other, m_now).reception, Reception::Conflict);
        } else {
            const auto settled = word == "process"
                ? decideProcessed(view, m_owner, "ok", m_now)
                : decideFailed(m_inbox, m_owner, { "handler", "no", word == "fail", 0s }, attemptsOfAnEvent, m_now);
            ASSERT_TRUE(settled.message) << word;
            m_inbox = settled.message;
        }
        if (m_inbox->state == InboxState::Dead)
            bury(deadLetterOf(*m_inbox, m_delivery, m_now).letter);
    }

    void playOutbox(const std::string& word)
    {
        if (word == "conflict") {
            InboxMessage first;
            bury(conflictLetterOf(first, m_delivery, m_now).letter);
            return;
        }
        if (word == "claim") {
            m_owner = ownerOf(++m_handlers);
            m_outbox.state = OutboxState::Sending;
            m_outbox.owner = m_owner;
            m_outbox.leaseExpiresAt = m_now + eventLease;
            ++m_outbox.attempt;
        } else if (word == "send") {
            m_outbox.state = OutboxState::Sent;
            m_outbox.owner.reset();
            m_outbox.leaseExpiresAt.reset();
            m_outbox.sentAt = m_now;
        } else {
            const auto after = word == "lapse"
                ? decideLapsed(m_outbox, attemptsOfAnEvent, m_now += eventLease)
                : decideUndelivered(m_outbox, m_owner, { "503", "no", word == "fail", 0s }, attemptsOfAnEvent, m_now);
            ASSERT_TRUE(after) << word;
            m_outbox = *after;
        }
        if (m_outbox.state == OutboxState::Dead)
            bury(deadLetterOf(m_outbox, "{}", m_now).letter);
    }

    void bury(DeadLetter letter)
    {
        if (m_letter) {
            letter.deaths = m_letter->deaths + 1;
            letter.firstAt = m_letter->firstAt;
        }
        m_letter = std::move(letter);
    }

    void decideLetter(const std::string& word)
    {
        ASSERT_TRUE(m_letter) << word;
        LetterView view{ .letter = m_letter, .inbox = m_inbox, .outbox = m_outbox };
        if (m_letter->kind == DeadLetterKind::Inbox)
            view.outbox.reset();
        const LetterDemand demand{ m_letter->deaths, "ada@desk", "mended", "run_1" };
        const auto decision = word == "discard" ? decideDiscard(view, demand, m_now)
            : word == "restore"                 ? decideRestore(view, demand)
                                                : decideRedrive(view, demand, m_now);
        ASSERT_EQ(decision.outcome, LetterOutcome::Changed) << word << ": " << decision.reason;
        if (word != "secretly")
            m_audit.push_back({ .verb = word == "redrive" ? "replay" : word,
                .outcome = "changed",
                .before = imageOf(*m_letter),
                .after = imageOf(*decision.letter),
                .actor = demand.by,
                .reason = demand.because,
                .at = m_now });
        m_letter = decision.letter;
        m_inbox = decision.inbox ? decision.inbox : m_inbox;
        m_outbox = decision.outbox.value_or(m_outbox);
    }

    static std::string imageOf(const DeadLetter& letter)
    {
        return R"({"state":")" + std::string(wordOf(letter.state)) + R"(","deaths":)" + std::to_string(letter.deaths)
            + R"(,"dead_at":)" + std::to_string(microsOf(letter.deadAt)) + '}';
    }

    Kind m_kind;
    Time m_now = timeFromMicros(1'700'000'000'000'000);
    int m_handlers = 0;
    Owner m_owner;
    Delivery m_delivery;
    std::optional<InboxMessage> m_inbox;
    OutboxMessage m_outbox;
    std::optional<DeadLetter> m_letter;
    std::vector<AuditEntry> m_audit;
};

struct ToldEvent {
    Kind kind;
    const char* words;
    const char* path;
};

// gtest would print the addresses of the words.
void PrintTo(const ToldEvent& told, std::ostream* out)
{
    *out << wordOf(told.kind) << ": " << told.words;
}

class MessagePathOf : public ::testing::TestWithParam<ToldEvent> { };

const PathStep& lastStep(const StatePath& path)
{
    return path.steps.back();
}

TEST_P(MessagePathOf, TellsAndDrawsTheHistory)
{
    const auto path = EventHistory(GetParam().kind, GetParam().words).path();
    EXPECT_EQ(formatPath(path), GetParam().path);
    expectDrawn(path);
}

INSTANTIATE_TEST_SUITE_P(Inboxes, MessagePathOf,
    ::testing::Values(ToldEvent{ Kind::Inbox, "receive", "ABSENT > RECEIVED" },
        ToldEvent{ Kind::Inbox, "receive handle", "ABSENT > RECEIVED > PROCESSING" },
        ToldEvent{ Kind::Inbox, "handle process", "ABSENT > RECEIVED > PROCESSING > PROCESSED" },
        ToldEvent{ Kind::Inbox, "handle fail handle process",
            "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING > PROCESSED" },
        ToldEvent{
            Kind::Inbox, "handle fail handle fail", "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING > FAILED" },
        ToldEvent{ Kind::Inbox, "handle fail handle fail_final",
            "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING > DEAD" },
        // Its handler was lost, and the next delivery took it over.
        ToldEvent{ Kind::Inbox, "handle wait handle", "ABSENT > RECEIVED > PROCESSING > PROCESSING > PROCESSING" },
        ToldEvent{ Kind::Inbox, "handle wait handle process",
            "ABSENT > RECEIVED > PROCESSING > PROCESSING > PROCESSING > PROCESSED" },
        ToldEvent{ Kind::Inbox, "handle wait handle wait handle wait handle",
            "ABSENT > RECEIVED > PROCESSING > PROCESSING > PROCESSING > PROCESSING > PROCESSING > DEAD" },
        ToldEvent{ Kind::Inbox, "receive overtaken", "ABSENT > RECEIVED > PROCESSED" },
        ToldEvent{ Kind::Inbox, "handle fail overtaken", "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSED" },
        ToldEvent{ Kind::Inbox, "handle fail_final redrive", "ABSENT > RECEIVED > PROCESSING > DEAD > RECEIVED" },
        ToldEvent{ Kind::Inbox, "handle fail handle fail_final redrive handle fail handle process",
            "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING > DEAD > RECEIVED > PROCESSING > FAILED > PROCESSING "
            "> "
            "PROCESSED" },
        // What comes under a used id is a dead letter of its own, and leaves the row as it is.
        ToldEvent{ Kind::Inbox, "handle process conflict", "ABSENT > RECEIVED > PROCESSING > PROCESSED" },
        ToldEvent{ Kind::Inbox, "handle fail_final discard", "ABSENT > RECEIVED > PROCESSING > DEAD" }));

INSTANTIATE_TEST_SUITE_P(Outboxes, MessagePathOf,
    ::testing::Values(ToldEvent{ Kind::Outbox, "", "ABSENT > PENDING" },
        ToldEvent{ Kind::Outbox, "claim", "ABSENT > PENDING > SENDING" },
        ToldEvent{ Kind::Outbox, "claim send", "ABSENT > PENDING > SENDING > SENT" },
        ToldEvent{ Kind::Outbox, "claim fail", "ABSENT > PENDING > SENDING > PENDING" },
        ToldEvent{ Kind::Outbox, "claim fail claim lapse claim send",
            "ABSENT > PENDING > SENDING > PENDING > SENDING > PENDING > SENDING > SENT" },
        ToldEvent{ Kind::Outbox, "claim fail claim fail claim fail",
            "ABSENT > PENDING > SENDING > PENDING > SENDING > PENDING > SENDING > DEAD" },
        ToldEvent{ Kind::Outbox, "claim gone", "ABSENT > PENDING > SENDING > DEAD" },
        ToldEvent{ Kind::Outbox, "claim gone redrive", "ABSENT > PENDING > SENDING > DEAD > PENDING" },
        ToldEvent{ Kind::Outbox, "claim fail claim gone redrive claim send",
            "ABSENT > PENDING > SENDING > PENDING > SENDING > DEAD > PENDING > SENDING > SENT" },
        ToldEvent{ Kind::Outbox, "claim gone redrive claim gone redrive claim",
            "ABSENT > PENDING > SENDING > DEAD > PENDING > SENDING > DEAD > PENDING > SENDING" },
        ToldEvent{ Kind::Outbox, "claim gone discard", "ABSENT > PENDING > SENDING > DEAD > DISCARDED" },
        ToldEvent{ Kind::Outbox, "claim gone discard restore", "ABSENT > PENDING > SENDING > DEAD" }));

INSTANTIATE_TEST_SUITE_P(Letters, MessagePathOf,
    ::testing::Values(ToldEvent{ Kind::DeadLetter, "claim gone", "ABSENT > DEAD" },
        ToldEvent{ Kind::DeadLetter, "claim fail claim fail claim fail", "ABSENT > DEAD" },
        ToldEvent{ Kind::DeadLetter, "claim gone redrive", "ABSENT > DEAD > REDRIVEN" },
        ToldEvent{ Kind::DeadLetter, "claim gone redrive claim fail claim gone", "ABSENT > DEAD > REDRIVEN > DEAD" },
        ToldEvent{ Kind::DeadLetter, "claim gone redrive claim gone redrive claim send",
            "ABSENT > DEAD > REDRIVEN > DEAD > REDRIVEN" },
        ToldEvent{ Kind::DeadLetter, "claim gone discard", "ABSENT > DEAD > DISCARDED" },
        ToldEvent{
            Kind::DeadLetter, "claim gone discard restore redrive", "ABSENT > DEAD > DISCARDED > DEAD > REDRIVEN" },
        // Without the audit: the row itself tells the last decision, and how often it died.
        ToldEvent{ Kind::DeadLetter, "claim gone secretly", "ABSENT > DEAD > REDRIVEN" },
        ToldEvent{ Kind::DeadLetter, "claim gone secretly claim gone secretly claim gone",
            "ABSENT > DEAD > REDRIVEN > DEAD > REDRIVEN > DEAD" },
        ToldEvent{ Kind::DeadLetter, "conflict", "ABSENT > DEAD" },
        ToldEvent{
            Kind::DeadLetter, "conflict wait conflict wait conflict discard", "ABSENT > DEAD > DEAD > DISCARDED" }));

TEST(MessagePathTest, EdgesSayAttemptOwnerAndWhatIsKnownOfTheTime)
{
    const auto path = EventHistory(Kind::Outbox, "claim fail claim send").path();
    EXPECT_EQ(labelOf(path, { 0 }), QStringLiteral("1 · write"));
    EXPECT_EQ(labelOf(path, { 1 }), QStringLiteral("2 · attempt 1 · …000001\ntime not recorded"));
    EXPECT_EQ(labelOf(path, { 2 }), QStringLiteral("3 · attempt 1 · …000001\n7s after step 1"));
    EXPECT_EQ(
        labelOf(path, { 1, 3 }), QStringLiteral("2, 4 · attempts 1–2\nowners …000001, unknown\ntime not recorded"))
        << "of an attempt that succeeded no owner is kept";
    EXPECT_EQ(labelOf(path, { 4 }), QStringLiteral("5 · attempt 2\n14s after step 3"));
    EXPECT_TRUE(describe(path).contains(QStringLiteral("not when it began")));
    EXPECT_EQ(csvOf(path).split(u'\n').at(3),
        QStringLiteral("3,SENDING,PENDING,fail,1,00000000-0000-4000-8000-000000000001,"
                       "2023-11-14T22:13:27.000000Z,1,yes"));
}

TEST(MessagePathTest, ALeaseThatIsOverIsSeenAtItsState)
{
    const auto live = EventHistory(Kind::Outbox, "claim").path();
    EXPECT_FALSE(live.stuck);
    const auto over = EventHistory(Kind::Outbox, "claim wait").path();
    EXPECT_TRUE(over.stuck);
    EXPECT_EQ(formatPath(over), formatPath(live));
    EXPECT_EQ(lastStep(over).owner, ownerOf(1).uuid);
    EXPECT_EQ(lastStep(over).attempt, 1);
    for (const auto& node : layOut(over, widestDiagram, measureRoughly).nodes)
        EXPECT_EQ(node.stuck, node.state == "SENDING");
}

TEST(MessagePathTest, WhatARedriveLeavesIsInferredAndSaid)
{
    const auto path = EventHistory(Kind::Inbox, "handle fail_final redrive handle").path();
    ASSERT_EQ(formatPath(path), "ABSENT > RECEIVED > PROCESSING > DEAD > RECEIVED > PROCESSING");
    EXPECT_TRUE(path.steps[3].inferred);
    EXPECT_FALSE(path.steps[3].at);
    EXPECT_EQ(labelOf(path, { 3 }), QStringLiteral("4 · redrive\ninferred, time not recorded"));
    EXPECT_TRUE(describe(path.steps[3]).contains(QStringLiteral("not recorded")));
    EXPECT_TRUE(path.remarks.join(u' ').contains(QStringLiteral("Its dead letter tells when")));
    const auto calm = EventHistory(Kind::Inbox, "handle process").path();
    EXPECT_FALSE(calm.remarks.join(u' ').contains(QStringLiteral("dead letter")));
}

TEST(MessagePathTest, ALetterTellsWhoDecidedAndHowItDied)
{
    const auto path = EventHistory(Kind::DeadLetter, "claim fail claim gone redrive claim gone discard").path();
    ASSERT_EQ(formatPath(path), "ABSENT > DEAD > REDRIVEN > DEAD > DISCARDED");
    EXPECT_EQ(labelOf(path, { 0 }), QStringLiteral("1 · attempt 2 · …000002\n14s after its first attempt"));
    EXPECT_EQ(labelOf(path, { 1 }), QStringLiteral("2 · replay · ada@desk\nafter 7s"));
    EXPECT_EQ(labelOf(path, { 2 }), QStringLiteral("3 · attempt 1 · …000003\nafter 14s"));
    EXPECT_EQ(labelOf(path, { 3 }), QStringLiteral("4 · discard · ada@desk\nafter 7s"));
    EXPECT_TRUE(path.remarks.isEmpty()) << path.remarks.join(u' ').toStdString();
}

TEST(MessagePathTest, AConflictThatComesAgainIsOneStepWithItsNumber)
{
    auto history = EventHistory(Kind::DeadLetter, "conflict wait conflict").history();
    history.row.extra[rowDeaths] = "1000000";
    const auto path = pathOf(history);
    ASSERT_EQ(formatPath(path), "ABSENT > DEAD > DEAD");
    EXPECT_EQ(lastStep(path).times, 999'999);
    EXPECT_EQ(lastStep(path).event, "conflict");
    expectDrawn(path);
}

TEST(MessagePathTest, DeathsWithoutAnAuditAreToldTogether)
{
    auto history = EventHistory(Kind::DeadLetter, "claim gone secretly claim gone").history();
    history.row.extra[rowDeaths] = "1000000";
    const auto path = pathOf(history);
    ASSERT_EQ(formatPath(path), "ABSENT > DEAD > REDRIVEN > DEAD");
    EXPECT_EQ(path.steps[1].times, 999'999);
    EXPECT_TRUE(path.steps[1].inferred);
    EXPECT_TRUE(path.remarks.join(u' ').contains(QStringLiteral("is not recorded")));
    expectDrawn(path);
}

TEST(MessagePathTest, WhatTheMachineDoesNotAllowIsIllegal)
{
    auto sent = EventHistory(Kind::Outbox, "").history();
    sent.row.state = "SENT";
    EXPECT_EQ(formatPath(pathOf(sent)), "ABSENT > PENDING !> SENT");

    auto again = EventHistory(Kind::Inbox, "handle process").history();
    again.row.state = "DEAD";
    EXPECT_EQ(formatPath(pathOf(again)), "ABSENT > RECEIVED > PROCESSING > DEAD")
        << "one attempt more than have failed";
    again.row.attempts = 0;
    EXPECT_EQ(formatPath(pathOf(again)), "ABSENT > RECEIVED !> DEAD");

    auto given = EventHistory(Kind::DeadLetter, "claim gone redrive").history();
    given.row.state = "DISCARDED";
    const auto path = pathOf(given);
    EXPECT_EQ(formatPath(path), "ABSENT > DEAD > REDRIVEN !> DISCARDED");
    expectDrawn(path);
    EXPECT_EQ(layOut(path, widestDiagram, measureRoughly).edges.back().kind, EdgeKind::Illegal);
    EXPECT_TRUE(describe(path).contains(QStringLiteral("does not allow")));
}

TEST(MessagePathTest, AWordThatNobodyKnowsIsDrawnAsUnknown)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        auto history = EventHistory(kind, kind == Kind::Inbox ? "handle fail" : "claim gone").history();
        history.row.state = "LIMBO";
        const auto path = pathOf(history);
        EXPECT_EQ(path.current, "UNKNOWN");
        EXPECT_EQ(lastStep(path).to, "UNKNOWN");
        EXPECT_FALSE(lastStep(path).legal);
        EXPECT_TRUE(path.remarks.join(u' ').contains(QStringLiteral("LIMBO")));
        expectDrawn(path);
    }
}

TEST(MessagePathTest, ARowWithoutAnyHistoryTellsItsStateAlone)
{
    for (const auto& [kind, state, told] : { std::tuple(Kind::Inbox, "PROCESSED", "ABSENT > RECEIVED > PROCESSED"),
             std::tuple(Kind::Outbox, "DEAD", "ABSENT > PENDING > DEAD"),
             std::tuple(Kind::DeadLetter, "DISCARDED", "ABSENT > DEAD > DISCARDED") }) {
        MessageHistory history{ .kind = kind, .row = {}, .failures = {}, .audit = {}, .native = false };
        history.row.state = state;
        const auto path = pathOf(history);
        EXPECT_EQ(formatPath(path), told) << "of another's table nobody knows its ways";
        EXPECT_TRUE(path.remarks.join(u' ').contains(QStringLiteral("keeps no history")));
        for (const auto& step : path.steps)
            EXPECT_FALSE(step.at || step.since || !step.owner.empty() || step.attempt > 0);
        expectDrawn(path);
    }
}

TEST(MessagePathTest, AListThatCannotBeReadIsLeftOutAndSaid)
{
    auto history = EventHistory(Kind::Outbox, "claim fail claim fail claim fail").history();
    history.failures.reset();
    const auto path = pathOf(history);
    EXPECT_EQ(formatPath(path), "ABSENT > PENDING > SENDING > DEAD");
    EXPECT_EQ(path.steps[1].attempt, 3);
    EXPECT_FALSE(lastStep(path).at);
    EXPECT_TRUE(path.remarks.join(u' ').contains(QStringLiteral("cannot be read")));
    expectDrawn(path);
}

TEST(MessagePathTest, AHistoryThatLostItsBeginningSaysSo)
{
    auto history = EventHistory(Kind::Outbox, "claim fail claim fail claim").history();
    history.failures->erase(history.failures->begin());
    const auto path = pathOf(history);
    EXPECT_EQ(formatPath(path), "ABSENT > PENDING > SENDING > PENDING > SENDING");
    EXPECT_TRUE(path.remarks.contains(QStringLiteral("Its attempts before attempt 2 are not recorded.")));
}

TEST(MessagePathTest, AHundredAttemptsAreStillLegible)
{
    auto history = EventHistory(Kind::Outbox, "claim").history();
    for (int i = 1; i <= int(keptAttempts); ++i)
        history.failures->push_back(
            { i, *history.row.createdAt + std::chrono::hours(i), ownerOf(i).uuid, "timeout", "no answer" });
    history.row.attempts = keptAttempts + 1;
    const auto path = pathOf(history);
    EXPECT_EQ(path.steps.size(), 2 + 2 * keptAttempts);
    EXPECT_TRUE(labelOf(path, { 1, 3, 5, 7, 9 }).startsWith(QStringLiteral("2, 4, …, 10")));
    expectDrawn(path);
}

// What failed and what died is told apart by where it stands.
TEST(MessagePathTest, EachLabelOfADeadMessageIsOnItsOwnLine)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox }) {
        MessageHistory history{ .kind = kind, .row = {}, .failures = std::vector<DeliveryAttempt>() };
        const auto start = timeFromMicros(1'700'000'000'000'000);
        history.row.state = "DEAD";
        history.row.createdAt = start;
        history.row.attempts = 5;
        for (int i = 1; i <= 5; ++i)
            history.failures->push_back({ i, start + std::chrono::minutes(i * i), ownerOf(i).uuid, "503", "no" });
        const auto path = pathOf(history);
        for (const double width : { 370.0, 385.0, 400.0, 460.0, widestDiagram }) {
            SCOPED_TRACE(width);
            const auto diagram = layOut(path, width, measureRoughly);
            expectCleanLabels(diagram);
            expectOwnLines(diagram);
        }
    }
}

} // namespace
} // namespace fencepost::ui
