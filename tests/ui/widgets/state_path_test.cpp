// SPDX-License-Identifier: GPL-3.0-or-later
#include <sstream>

#include <gtest/gtest.h>

#include "core/protocol/transition.h"
#include "tests/ui/widgets/diagram_checks.h"

using namespace fencepost;
using namespace fencepost::ui;
using namespace std::chrono_literals;

namespace {

const Time start = timeFromMicros(1'700'000'000'000'000);

// A record's life, told in words and really decided by the protocol: "reserve fail wait reserve finalize".
class History {
public:
    explicit History(const std::string& words, Takeover takeover = Takeover::Auto)
    {
        std::istringstream stream(words);
        for (std::string word; stream >> word;)
            play(word, takeover);
    }

    [[nodiscard]] ShownRecord shown() const
    {
        if (!m_record)
            return { .state = State::Absent };
        return { .state = shownState(*m_record, m_now), .expiresAt = m_record->expiresAt };
    }
    [[nodiscard]] StatePath path() const { return pathOf(journal, shown()); }

    std::vector<JournalEntry> journal;

private:
    void play(const std::string& word, Takeover takeover)
    {
        if (word == "wait") {
            m_now += 2min;
            return;
        }
        if (word == "days") {
            m_now += 48h;
            return;
        }
        const bool finally = word == "fail_final";
        Trigger trigger{ .event = finally ? Event::Fail : *eventOf(word),
            .id = { "pay", "charge", "k" },
            .nextFence = { ++m_fence },
            .requestHash = "h",
            .lease = 60s,
            .takeover = takeover,
            .retryable = !finally,
            .resolution = Resolution::Succeeded,
            .reason = "because",
            .actor = "ada@host" };
        if (trigger.event == Event::Reserve) {
            trigger.owner = { "00000000-0000-4000-8000-00000000000" + std::to_string(m_fence % 10) };
            trigger.ttl = 24h;
        } else if (m_record) {
            trigger.owner = trigger.event >= Event::OperatorFence ? Owner{ "operator" } : m_record->owner;
            trigger.fence = m_record->fence;
            trigger.expiresAt = m_now + 24h;
        }
        const auto decision = decide(m_record, trigger, m_now);
        ASSERT_TRUE(decision.writes) << word << ": " << decision.reason;
        m_record = decision.record;
        journal.push_back({ .seq = std::int64_t(journal.size()) + 1,
            .id = trigger.id,
            .fromState = std::string(wordOf(decision.from)),
            .toState = std::string(wordOf(decision.to)),
            .event = std::string(wordOf(trigger.event)),
            .fence = m_record ? m_record->fence : trigger.fence,
            .attempt = m_record ? m_record->attempt : 0,
            .owner = m_record ? m_record->owner.uuid : std::string(),
            .actor = trigger.actor,
            .reason = decision.reason,
            .at = m_now });
        m_now += 7s;
    }

    Time m_now = start;
    std::int64_t m_fence = 0;
    std::optional<Record> m_record;
};

struct Told {
    const char* words;
    Takeover takeover;
    const char* path;
};

// gtest would print the addresses of the words.
void PrintTo(const Told& told, std::ostream* out)
{
    *out << told.words << (told.takeover == Takeover::Manual ? ", manual" : "");
}

class StatePathOf : public ::testing::TestWithParam<Told> { };

} // namespace

TEST_P(StatePathOf, TellsAndDrawsTheHistory)
{
    const History history(GetParam().words, GetParam().takeover);
    const auto path = history.path();
    EXPECT_EQ(formatPath(path), GetParam().path);

    expectDrawn(path);
    EXPECT_TRUE(std::all_of(path.steps.begin(), path.steps.end(), [](const PathStep& step) { return step.legal; }));
}

INSTANTIATE_TEST_SUITE_P(Histories, StatePathOf,
    ::testing::Values(Told{ "reserve", Takeover::Auto, "ABSENT > IN_PROGRESS" },
        Told{ "reserve finalize", Takeover::Auto, "ABSENT > IN_PROGRESS > SUCCEEDED" },
        Told{ "reserve fail wait reserve finalize", Takeover::Auto,
            "ABSENT > IN_PROGRESS > FAILED_RETRYABLE > IN_PROGRESS > SUCCEEDED" },
        Told{ "reserve fail_final", Takeover::Auto, "ABSENT > IN_PROGRESS > FAILED_FINAL" },
        Told{ "reserve wait reserve finalize", Takeover::Auto, "ABSENT > IN_PROGRESS > IN_PROGRESS > SUCCEEDED" },
        Told{ "reserve operator_fence operator_resolve", Takeover::Manual, "ABSENT > IN_PROGRESS > HELD > SUCCEEDED" },
        Told{ "reserve operator_fence operator_resolve reopen operator_fail", Takeover::Manual,
            "ABSENT > IN_PROGRESS > HELD > SUCCEEDED > HELD > FAILED_FINAL" },
        Told{ "reserve wait operator_release wait reserve finalize", Takeover::Auto,
            "ABSENT > IN_PROGRESS > FAILED_RETRYABLE > IN_PROGRESS > SUCCEEDED" },
        Told{ "reserve finalize days", Takeover::Auto, "ABSENT > IN_PROGRESS > SUCCEEDED > EXPIRED" },
        Told{ "reserve finalize days reserve finalize", Takeover::Auto,
            "ABSENT > IN_PROGRESS > SUCCEEDED > EXPIRED > IN_PROGRESS > SUCCEEDED" },
        Told{ "reserve finalize operator_expire unexpire", Takeover::Auto,
            "ABSENT > IN_PROGRESS > SUCCEEDED > EXPIRED > SUCCEEDED" },
        Told{ "reserve fail wait reserve fail wait reserve fail wait reserve fail wait operator_fail", Takeover::Auto,
            "ABSENT > IN_PROGRESS > FAILED_RETRYABLE > IN_PROGRESS > FAILED_RETRYABLE > IN_PROGRESS > "
            "FAILED_RETRYABLE > IN_PROGRESS > FAILED_RETRYABLE > FAILED_FINAL" }));

TEST(StatePathTest, AChangeBehindTheProtocolIsIllegal)
{
    const History history("reserve finalize");
    const auto path = pathOf(history.journal, { .state = State::FailedRetryable });
    EXPECT_EQ(formatPath(path), "ABSENT > IN_PROGRESS > SUCCEEDED !> FAILED_RETRYABLE");
    const auto diagram = layOut(path, widestDiagram, measureRoughly);
    EXPECT_EQ(diagram.edges.back().kind, EdgeKind::Illegal);
    EXPECT_FALSE(path.steps.back().seq);
    expectCleanLabels(diagram);
}

TEST(StatePathTest, AnImpossibleJournalRowIsIllegal)
{
    History history("reserve finalize");
    history.journal.push_back({ .seq = 3, .fromState = "SUCCEEDED", .toState = "FAILED_RETRYABLE", .event = "fail" });
    EXPECT_EQ(formatPath(pathOf(history.journal, { .state = State::FailedRetryable })),
        "ABSENT > IN_PROGRESS > SUCCEEDED !> FAILED_RETRYABLE");
}

// From a state to another only some events lead: what is drawn as legal here would be a second execution.
TEST(StatePathTest, AStepIsJudgedByItsEventToo)
{
    History again("reserve finalize");
    again.journal.push_back({ .seq = 3, .fromState = "SUCCEEDED", .toState = "IN_PROGRESS", .event = "reserve" });
    EXPECT_EQ(formatPath(pathOf(again.journal, { .state = State::InProgress })),
        "ABSENT > IN_PROGRESS > SUCCEEDED !> IN_PROGRESS");
    History wrong("reserve");
    wrong.journal.push_back({ .seq = 2, .fromState = "IN_PROGRESS", .toState = "SUCCEEDED", .event = "fail" });
    EXPECT_EQ(formatPath(pathOf(wrong.journal, { .state = State::Succeeded })), "ABSENT > IN_PROGRESS !> SUCCEEDED");
}

TEST(StatePathTest, RefusedArrivalsMoveNothing)
{
    History history("reserve finalize");
    history.journal.push_back({ .seq = 3, .fromState = "SUCCEEDED", .toState = "SUCCEEDED", .event = "mismatch" });
    history.journal.push_back({ .seq = 4, .fromState = "SUCCEEDED", .toState = "SUCCEEDED", .event = "fenced" });
    EXPECT_EQ(formatPath(pathOf(history.journal, history.shown())), "ABSENT > IN_PROGRESS > SUCCEEDED");
}

TEST(StatePathTest, WithoutAJournalOnlyThePresentIsKnown)
{
    const auto path = pathOf({}, { .state = State::Held, .journalled = false });
    EXPECT_EQ(formatPath(path), "HELD");
    EXPECT_TRUE(describe(path).contains(QStringLiteral("keeps no journal")));
}

TEST(StatePathTest, AnUnknownWordIsDrawnAsUnknown)
{
    const auto path = pathOf(
        { { .seq = 1, .fromState = "ABSENT", .toState = "LIMBO", .event = "reserve" } }, { .state = State::Unknown });
    EXPECT_EQ(formatPath(path), "ABSENT !> UNKNOWN");
    const auto diagram = layOut(path, widestDiagram, measureRoughly);
    EXPECT_EQ(diagram.nodes.size(), 8u);
    expectCleanLabels(diagram);
}

TEST(StatePathTest, EdgesSayAttemptOwnerAndTime)
{
    const History history("reserve fail wait reserve finalize");
    const auto path = history.path();
    EXPECT_EQ(labelOf(path, { 0 }), QStringLiteral("1 · attempt 1 · …000001"));
    EXPECT_EQ(labelOf(path, { 1 }), QStringLiteral("2 · attempt 1 · …000001\nafter 7s"));
    EXPECT_EQ(labelOf(path, { 0, 1, 2, 3, 3 }).left(10), QStringLiteral("1, 2, …, 4"));
}

TEST(StatePathTest, AnEdgeThatWasTakenOftenNamesEveryAttemptAndOwner)
{
    const auto path = History("reserve fail wait reserve fail wait reserve finalize").path();
    ASSERT_EQ(path.steps.size(), 6U);
    EXPECT_EQ(labelOf(path, { 1, 3 }), QStringLiteral("2, 4 · attempts 1–2\nowners …000001, …000003\nafter 7s"));
    for (const double width : { narrowestDiagram, widestDiagram })
        expectCleanLabels(layOut(path, width, measureRoughly));
    auto many = path;
    for (int i = 0; i < 20; ++i) {
        many.steps.push_back(path.steps[1]);
        many.steps.back().owner = "worker-" + std::to_string(100'000 + i);
        many.steps.back().attempt = 2 + 2 * i;
        many.steps.back().since = std::chrono::seconds(i + 1);
    }
    std::vector<std::size_t> steps;
    for (std::size_t i = 6; i < many.steps.size(); ++i)
        steps.push_back(i);
    const auto label = labelOf(many, steps);
    EXPECT_TRUE(label.startsWith(QStringLiteral("7, 8, …, 26 · attempts 2, 4, …, 40\nowners …100000, …100001")))
        << label.toStdString();
    EXPECT_TRUE(label.contains(QStringLiteral("11 more"))) << label.toStdString();
    EXPECT_TRUE(label.endsWith(QStringLiteral("after 1s to 20s"))) << label.toStdString();
    for (const auto& line : label.split(u'\n'))
        EXPECT_LE(line.size(), 48) << line.toStdString();
}

// Of a window of 800 pixels, 450 are left for the diagram of a record, and 24 less where something is not recorded.
TEST(StatePathTest, AMachineIsSeenWholeOnASmallScreen)
{
    const auto path = History("reserve fail wait reserve finalize days").path();
    ASSERT_EQ(path.current, "EXPIRED");
    for (const double width : { narrowestDiagram, 390.0, widestDiagram })
        EXPECT_LE(layOut(path, width, measureRoughly).size.height(), 450) << width;
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter }) {
        StatePath calm;
        calm.kind = kind;
        EXPECT_LE(layOut(calm, narrowestDiagram, measureRoughly).size.height(), 426) << int(kind);
    }
}
