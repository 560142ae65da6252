// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

#include "models/bookmarks.h"

namespace fencepost::models {
namespace {

class BookmarksTest : public ::testing::Test {
protected:
    static Bookmark make(const std::string& key)
    {
        return { .connection = QStringLiteral("orders-prod"),
            .binding = "idempotency_records",
            .identity = { "payments", "charge", key },
            .key = key };
    }

    QTemporaryDir m_folder;
    QString m_path = m_folder.filePath(QStringLiteral("views/bookmarks.json"));
    Bookmarks m_bookmarks{ m_path };
};

TEST_F(BookmarksTest, AreThereInTheNextRunWhateverTheKeyIsMadeOf)
{
    const QList<Bookmark> all{ make("pay-1"), make("a b/c%20\"d\""), make("\xff\xfe"), make("שלום") };
    for (const auto& bookmark : all)
        ASSERT_TRUE(m_bookmarks.toggle(bookmark));
    Bookmarks again(m_path);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.of(QStringLiteral("orders-prod")), all);
    EXPECT_TRUE(again.of(QStringLiteral("orders-prod"), "inbox_messages").isEmpty());
    EXPECT_TRUE(again.of(QStringLiteral("orders-test")).isEmpty());
}

TEST_F(BookmarksTest, ASecondToggleTakesItAwayAndOnlyIt)
{
    ASSERT_TRUE(m_bookmarks.toggle(make("pay-1")));
    ASSERT_TRUE(m_bookmarks.toggle(make("pay-2")));
    int changes = 0;
    QObject::connect(&m_bookmarks, &Bookmarks::changed, &m_bookmarks, [&changes] { ++changes; });
    ASSERT_TRUE(m_bookmarks.toggle(make("pay-1")));
    EXPECT_EQ(changes, 1);
    EXPECT_FALSE(m_bookmarks.contains(make("pay-1")));
    EXPECT_TRUE(m_bookmarks.contains(make("pay-2")));
    EXPECT_EQ(m_bookmarks.of(QStringLiteral("orders-prod")), QList<Bookmark>{ make("pay-2") });
}

TEST_F(BookmarksTest, ADamagedFileIsPutAsideAndSaid)
{
    ASSERT_TRUE(m_bookmarks.toggle(make("pay-1")));
    QFile file(m_path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{ broken");
    file.close();
    Bookmarks again(m_path);
    EXPECT_EQ(again.load().error().failure, Failure::Corrupt);
    EXPECT_TRUE(again.of(QStringLiteral("orders-prod")).isEmpty());
    ASSERT_TRUE(again.toggle(make("pay-2")));
    QFile aside(m_path + QStringLiteral(".damaged"));
    ASSERT_TRUE(aside.open(QIODevice::ReadOnly));
    EXPECT_EQ(aside.readAll(), QByteArray("{ broken"));
}

TEST_F(BookmarksTest, WhatCannotBeWrittenIsNotShownAsKept)
{
    Bookmarks nowhere(QStringLiteral("/proc/none/bookmarks.json"));
    EXPECT_FALSE(nowhere.toggle(make("pay-1")));
    EXPECT_FALSE(nowhere.contains(make("pay-1")));
}

} // namespace
} // namespace fencepost::models
