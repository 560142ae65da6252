// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "ui/widgets/timeline_layout.h"

using namespace fencepost;
using namespace fencepost::ui;
using namespace std::chrono_literals;

namespace {

const Time start = timeFromMicros(1'700'000'000'000'000);

std::vector<Mark> marksAt(const std::vector<Duration>& offsets)
{
    std::vector<Mark> marks;
    for (const auto offset : offsets) {
        Mark mark;
        mark.at = start + offset;
        marks.push_back(mark);
    }
    return marks;
}

} // namespace

TEST(TimelineLayoutTest, JournalRefusalsAndOperatorsShareOneAxis)
{
    RowDetails details;
    details.now = start + 1h;
    details.row.state = "SUCCEEDED";
    details.row.expiresAt = start + 24h;
    details.journal = { { .seq = 1, .fromState = "ABSENT", .toState = "IN_PROGRESS", .event = "reserve", .at = start },
        { .seq = 2, .fromState = "IN_PROGRESS", .toState = "SUCCEEDED", .event = "finalize", .at = start + 2min },
        { .seq = 3, .fromState = "SUCCEEDED", .toState = "SUCCEEDED", .event = "fenced", .at = start + 3min } };
    details.conflicts = { { .presentedHash = "x", .kind = "mismatch", .count = 4, .lastAt = start + 90s } };
    AuditEntry note;
    note.verb = "note";
    note.actor = "ada@host";
    note.at = start + 30min;

    const auto marks = marksOf(details, { note });
    ASSERT_EQ(marks.size(), 6u);
    EXPECT_EQ(marks[0].title, "reserve → IN_PROGRESS");
    EXPECT_EQ(marks[1].kind, MarkKind::Refusal);
    EXPECT_NE(marks[1].text.find("4×"), std::string::npos);
    EXPECT_EQ(marks[3].kind, MarkKind::Refusal);
    EXPECT_EQ(marks[4].kind, MarkKind::Operator);
    EXPECT_TRUE(marks[5].future);
    EXPECT_EQ(marks[5].title, "retention ends");
}

TEST(TimelineLayoutTest, AnIdleGapIsCompressedAndSaysItsTime)
{
    const auto marks = marksAt({ 0s, 1s, 2s, 3s, 10h, 10h + 1s });
    const auto layout = layOut(marks, idleThreshold(marks));
    ASSERT_EQ(layout.gaps.size(), 1u);
    EXPECT_EQ(layout.gaps[0].time, 10h - 3s);
    EXPECT_LT(layout.marks[4].y - layout.marks[3].y, 120);
    EXPECT_GT(layout.gaps[0].y, layout.marks[3].y);
    EXPECT_LT(layout.gaps[0].y, layout.marks[4].y);
}

TEST(TimelineLayoutTest, EntriesNeverOverlap)
{
    std::vector<Duration> offsets;
    for (int i = 0; i < 100'000; ++i)
        offsets.push_back(Duration(i * (i % 7)));
    std::sort(offsets.begin(), offsets.end());
    const auto marks = marksAt(offsets);
    const auto layout = layOut(marks, idleThreshold(marks));
    ASSERT_EQ(layout.marks.size(), marks.size());
    for (std::size_t i = 1; i < layout.marks.size(); ++i)
        ASSERT_GE(layout.marks[i].y - layout.marks[i - 1].y, twoLines);
    const auto roomier = layOut(marks, idleThreshold(marks), threeLines);
    for (std::size_t i = 1; i < roomier.marks.size(); ++i)
        ASSERT_GE(roomier.marks[i].y - roomier.marks[i - 1].y, threeLines);
    EXPECT_GT(layout.height, layout.marks.back().y);
}

TEST(TimelineLayoutTest, ATableWithoutAJournalShowsTheRowsOwnInstants)
{
    RowDetails details;
    details.now = start + 1h;
    details.row.createdAt = start;
    details.row.stuck = true;
    details.row.leaseUntil = start + 1min;
    const auto marks = marksOf(details, {});
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[0].title, "created");
    EXPECT_EQ(marks[1].title, "lease ends");
}
