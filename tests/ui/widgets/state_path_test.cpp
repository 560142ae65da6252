// SPDX-License-Identifier: GPL-3.0-or-later
#include <sstream>

#include <gtest/gtest.h>

#include "ui/widgets/state_path.h"

using namespace fencepost;
using namespace fencepost::ui;
using namespace std::chrono_literals;

namespace {

const Time start = timeFromMicros(1'700'000'000'000'000);

QSizeF measureRoughly(const QString& text)
{
    double width = 0;
    const auto lines = text.split(u'\n');
    for (const auto& line : lines)
        width = std::max(width, 6.2 * double(line.size()));
    return { width, 15.0 * double(lines.size()) };
}

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

void expectCleanLabels(const Diagram& diagram)
{
    std::vector<QRectF> taken;
    for (const auto& node : diagram.nodes)
        taken.push_back(node.box);
    const QRectF canvas(QPointF(), diagram.size);
    for (const auto& edge : diagram.edges) {
        const auto extent = edge.line.boundingRect();
        EXPECT_TRUE(canvas.contains(extent.topLeft()) && canvas.contains(extent.bottomRight()))
            << wordOf(edge.from) << " to " << wordOf(edge.to);
        if (edge.kind == EdgeKind::Possible)
            continue;
        EXPECT_TRUE(canvas.contains(edge.labelBox)) << edge.label.toStdString();
        for (const auto& other : taken)
            EXPECT_FALSE(edge.labelBox.intersects(other)) << edge.label.toStdString();
        taken.push_back(edge.labelBox);
    }
}

} // namespace

TEST_P(StatePathOf, TellsAndDrawsTheHistory)
{
    const History history(GetParam().words, GetParam().takeover);
    const auto path = history.path();
    EXPECT_EQ(formatPath(path), GetParam().path);

    for (const double width : { 100.0, narrowestDiagram, 400.0, 460.0, widestDiagram, 2000.0 }) {
        SCOPED_TRACE(width);
        const auto diagram = layOut(path, width, measureRoughly);
        EXPECT_EQ(diagram.size.width(), std::clamp(width, narrowestDiagram, widestDiagram));
        std::size_t drawn = 0;
        for (const auto& edge : diagram.edges) {
            drawn += edge.steps.size();
            if (edge.kind == EdgeKind::Possible)
                EXPECT_TRUE(isLegal(edge.from, edge.to));
            else
                EXPECT_EQ(edge.kind, EdgeKind::Taken);
        }
        EXPECT_EQ(drawn, path.steps.size());
        EXPECT_EQ(
            std::count_if(diagram.nodes.begin(), diagram.nodes.end(), [](const auto& node) { return node.current; }),
            1);
        expectCleanLabels(diagram);
    }
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
