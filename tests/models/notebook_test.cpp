// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

#include "models/files.h"
#include "models/incident_timeline.h"
#include "models/notebook.h"

namespace fencepost::models {
namespace {

class NotebookTest : public ::testing::Test {
protected:
    static Note make(const QString& text)
    {
        return { .actor = QStringLiteral("ada@bench"),
            .connection = QStringLiteral("c1"),
            .binding = QStringLiteral("idempotency_records"),
            .identity = { QStringLiteral("payments"), QStringLiteral("k-1") },
            .key = QStringLiteral("k-1"),
            .text = text };
    }

    QTemporaryDir m_folder;
    QString m_path = m_folder.filePath(QStringLiteral("notes.jsonl"));
    ManualClock m_clock{ *parseInstant("2026-11-20T23:45:47.123456Z") };
};

TEST_F(NotebookTest, NotesAreOnTheDiskWhenTheyAreAdded)
{
    Notebook notebook(m_path, m_clock);
    ASSERT_TRUE(notebook.add(make(QStringLiteral("fenced after\ncalling the bank — ✔"))));
    m_clock.advance(std::chrono::minutes(1));
    ASSERT_TRUE(notebook.add(make(QStringLiteral("released"))));
    Notebook again(m_path, m_clock);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.all(), notebook.all());
    EXPECT_EQ(again
                  .of(QStringLiteral("c1"), QStringLiteral("idempotency_records"),
                      { QStringLiteral("payments"), QStringLiteral("k-1") })
                  .size(),
        2);
    EXPECT_TRUE(again.of(QStringLiteral("c2"), QStringLiteral("idempotency_records"), {}).isEmpty());
}

TEST_F(NotebookTest, ALineThatACrashCutShortCostsNoOther)
{
    Notebook notebook(m_path, m_clock);
    ASSERT_TRUE(notebook.add(make(QStringLiteral("first"))));
    ASSERT_TRUE(notebook.add(make(QStringLiteral("second"))));
    QFile file(m_path);
    ASSERT_TRUE(file.resize(file.size() - 10));
    Notebook again(m_path, m_clock);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.all().size(), 1);
    EXPECT_EQ(again.damagedLines(), 1);
    ASSERT_TRUE(again.add(make(QStringLiteral("third"))));
    Notebook last(m_path, m_clock);
    ASSERT_TRUE(last.load());
    ASSERT_EQ(last.all().size(), 2);
    EXPECT_EQ(last.all()[1].text, QStringLiteral("third"));
}

TEST_F(NotebookTest, TwoWindowsWriteIntoOneFile)
{
    Notebook one(m_path, m_clock);
    Notebook two(m_path, m_clock);
    ASSERT_TRUE(one.add(make(QStringLiteral("a"))));
    ASSERT_TRUE(two.add(make(QStringLiteral("b"))));
    ASSERT_TRUE(one.add(make(QStringLiteral("c"))));
    Notebook again(m_path, m_clock);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.all().size(), 3);
}

TEST_F(NotebookTest, SaysWhenANoteWasNotKept)
{
    Notebook notebook(QStringLiteral("/dev/full"), m_clock);
    const auto refused = notebook.add(make(QStringLiteral("a")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Full);
    EXPECT_TRUE(notebook.all().isEmpty());
    EXPECT_FALSE(notebook.add(make(QStringLiteral("  \n"))));
}

TEST_F(NotebookTest, NotesOfAConnectionAreItsOwn)
{
    Notebook notebook(m_path, m_clock);
    ASSERT_TRUE(notebook.add(make(QStringLiteral("fenced"))));
    EXPECT_EQ(notebook.of(QStringLiteral("c1")).size(), 1);
    EXPECT_TRUE(notebook.of(QStringLiteral("c2")).isEmpty());
}

TEST(IncidentTimelineTest, IsInTheOrderOfTimeAndNeitherLeaksNorBreaksOut)
{
    const Time start{ std::chrono::hours(490'000) };
    IncidentTimeline timeline{ .connection = QStringLiteral("orders | <prod>"),
        .location = QStringLiteral("postgresql://ann:s3cret@db/orders"),
        .from = start,
        .until = start + std::chrono::hours(1) };
    timeline.notes += Note{ .at = start + std::chrono::minutes(2),
        .actor = QStringLiteral("ada"),
        .key = QStringLiteral("k-1"),
        .text = QStringLiteral("line one\n| [x](javascript:alert) `code` <script>") };
    timeline.notes += Note{ .at = start - std::chrono::minutes(2), .text = QStringLiteral("before the incident") };
    timeline.notes += Note{ .at = start + std::chrono::minutes(5),
        .actor = QStringLiteral("ada"),
        .text = QStringLiteral("Alert: stuck > 0"),
        .ofAlert = true };
    timeline.happenings.push_back({ start + std::chrono::minutes(3), 0, "payments", { "a", "k-1" }, "operator: fence",
        "changed by ada: https://bob:s3cret@hooks" });
    timeline.happenings.push_back({ start + std::chrono::minutes(1), 0, "payments", { "a", "k-1" }, "reserve", "" });
    timeline.pinned.push_back({ { .binding = "payments", .identity = { "a", "k-1" }, .key = "k-1" }, std::nullopt });
    timeline.unread.push_back("the audit: denied");
    const auto text = markdownOf(timeline);
    EXPECT_TRUE(text.contains(QStringLiteral("| alert |"))) << "nobody wrote it by hand: " << qPrintable(text);
    EXPECT_FALSE(text.contains(QLatin1String("s3cret"))) << qPrintable(text);
    EXPECT_FALSE(text.contains(QLatin1String("before the incident")));
    EXPECT_FALSE(text.contains(QLatin1String("\n| [x]"))) << "a line of its own";
    EXPECT_TRUE(text.contains(QLatin1String("line one \\| \\[x]"))) << qPrintable(text);
    EXPECT_TRUE(text.contains(QLatin1String("Not read: the audit: denied")));
    EXPECT_TRUE(text.contains(QStringLiteral("| payments | a · k-1 | not there |"))) << qPrintable(text);
    const auto first = text.indexOf(QLatin1String("reserve"));
    const auto second = text.indexOf(QLatin1String("note by ada"));
    const auto third = text.indexOf(QLatin1String("operator: fence"));
    EXPECT_TRUE(first > 0 && first < second && second < third) << qPrintable(text);
}

} // namespace
} // namespace fencepost::models
