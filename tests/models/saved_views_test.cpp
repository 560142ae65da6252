// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDir>
#include <QTemporaryDir>

#include "core/query/filter.h"
#include "models/files.h"
#include "models/saved_views.h"

namespace fencepost::models {
namespace {

class SavedViewsTest : public ::testing::Test {
protected:
    static SavedView make(const QString& name)
    {
        return { .name = name,
            .filter = QStringLiteral("stuck and age > 5m"),
            .columns = { QStringLiteral("state"), QStringLiteral("key") },
            .order = QStringLiteral("created"),
            .descending = false };
    }
    [[nodiscard]] static QList<SavedView> own(const SavedViews& views)
    {
        auto list = views.of(Kind::Idempotency);
        list.removeIf([](const SavedView& view) { return view.shipped; });
        return list;
    }

    QTemporaryDir m_temporary;
    QString m_folder = m_temporary.filePath(QStringLiteral("views"));
    SavedViews m_views{ m_folder };
};

TEST_F(SavedViewsTest, RoundTrip)
{
    const auto view = make(QStringLiteral("Überfällig / payments"));
    ASSERT_TRUE(m_views.save(view));
    SavedViews again(m_folder);
    again.load();
    ASSERT_EQ(own(again), QList<SavedView>{ view });
    auto changed = view;
    changed.filter = QStringLiteral("held");
    ASSERT_TRUE(again.save(changed));
    EXPECT_EQ(own(again), QList<SavedView>{ changed });
    EXPECT_EQ(QDir(m_folder).entryList(QDir::Files).size(), 1) << "saving again replaces it";
    ASSERT_TRUE(again.remove(changed));
    EXPECT_TRUE(own(again).isEmpty());
}

TEST_F(SavedViewsTest, NamesThatBecomeTheSameFileNameStayApart)
{
    ASSERT_TRUE(m_views.save(make(QStringLiteral("a/b"))));
    ASSERT_TRUE(m_views.save(make(QStringLiteral("a b"))));
    EXPECT_EQ(own(m_views).size(), 2);
}

TEST_F(SavedViewsTest, ADamagedFileIsNamedAndTheOthersLoad)
{
    ASSERT_TRUE(m_views.save(make(QStringLiteral("good"))));
    ASSERT_TRUE(replaceFile(m_folder + QStringLiteral("/broken.view.json"), "{"));
    ASSERT_TRUE(replaceFile(m_folder + QStringLiteral("/strange.view.json"),
        R"({"format":1,"name":"x","kind":"idempotency","filter":"state ="})"));
    m_views.load();
    EXPECT_EQ(own(m_views).size(), 1);
    ASSERT_EQ(m_views.errors().size(), 2U);
    EXPECT_NE(m_views.errors()[0].message.find("broken.view.json"), std::string::npos);
    EXPECT_NE(m_views.errors()[1].message.find("strange.view.json"), std::string::npos);
}

TEST_F(SavedViewsTest, RefusesWhatCannotBeUsed)
{
    EXPECT_FALSE(m_views.save(make(QStringLiteral("  "))));
    EXPECT_FALSE(m_views.save(make(QStringLiteral("Stuck")))) << "a shipped view";
    auto view = make(QStringLiteral("x"));
    view.filter = QStringLiteral("nonsense =");
    EXPECT_FALSE(m_views.save(view));
}

TEST_F(SavedViewsTest, EveryShippedFilterIsOne)
{
    const auto views = m_views.of(Kind::Idempotency);
    EXPECT_GE(views.size(), 5);
    for (const auto& view : views)
        EXPECT_TRUE(parseFilter(view.filter.toStdString())) << view.filter.toStdString();
}

} // namespace
} // namespace fencepost::models
