// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>

#include "tests/app/console/operator_fixture.h"
#include "ui/pages/find_page.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/timeline.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class FindTest : public OperatorTest {
protected:
    // A second database with the same rows, saved and not open.
    void addOther()
    {
        const QString path = files.filePath(QStringLiteral("other.db"));
        ASSERT_TRUE(QFile::copy(demoFile(), path));
        ASSERT_TRUE(
            desk->connections().add({ .name = QStringLiteral("other"), .url = QStringLiteral("sqlite:") + path }));
    }

    // The event of a dead letter, which inbox and outbox know as well.
    QString deadEvent()
    {
        auto* letters = rowsOf("dlq");
        EXPECT_NE(letters, nullptr);
        return letters ? QString::fromStdString(letters->model()->rowAt(0).key) : QString();
    }

    ui::FindPage* typeAndFind(const QString& id)
    {
        press("palette");
        auto* box = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        if (!box)
            return nullptr;
        QTest::keyClicks(box, id);
        QTest::keyClick(box, Qt::Key_Return);
        auto* page = qobject_cast<ui::FindPage*>(window->page());
        if (!page || !eventually([page] { return !page->isLoading() && !page->summary().contains(u'…'); }))
            return nullptr;
        return page;
    }

    static QStringList connectionsIn(const ui::FindPage& page)
    {
        QStringList names;
        for (int i = 0; i < page.model().rowCount(); ++i)
            names += page.model().rowAt(i).connection;
        names.removeDuplicates();
        names.sort();
        return names;
    }
};

TEST_F(FindTest, OneBoxFindsAnIdInAllConnectionsAndOpensItsRowsInEither)
{
    openCopy();
    addOther();
    const auto event = deadEvent();
    ASSERT_FALSE(event.isEmpty());
    auto* page = typeAndFind(event);
    ASSERT_NE(page, nullptr);
    const QAbstractItemModelTester tester(&page->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(connectionsIn(*page), (QStringList{ QStringLiteral("copy"), QStringLiteral("other") }))
        << qPrintable(page->summary());
    const auto& marks = page->timeline().marks();
    ASSERT_GT(marks.size(), 3U);
    EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.at < b.at; }));
    EXPECT_TRUE(page->searched().contains(QLatin1String("by indexes"))) << qPrintable(page->searched());

    // A mark leads to its row.
    const auto place = page->timeline().placed().marks.front();
    QTest::mouseClick(page->timeline().viewport(), Qt::LeftButton, {}, QPoint(60, int(place.y)));
    EXPECT_GE(page->grid().view().currentRow(), 0);

    int other = 0;
    while (other < page->model().rowCount() && page->model().rowAt(other).connection != QLatin1String("other"))
        ++other;
    page->grid().view().setCurrentRow(other);
    page->run("open-row");
    ASSERT_TRUE(eventually([this] {
        return desk->session()->status().name == QLatin1String("other") && window->dossier()
            && !window->dossier()->isLoading();
    }));
    // The answer is where it was left.
    window->openPage(QStringLiteral("find"));
    auto* again = qobject_cast<ui::FindPage*>(window->page());
    ASSERT_NE(again, nullptr);
    EXPECT_GT(again->model().rowCount(), 1);
    EXPECT_TRUE(again->summary().contains(event)) << qPrintable(again->summary());
}

TEST_F(FindTest, ADatabaseThatIsOpenByItsAddressIsSearchedOnceThoughItIsSavedAsWell)
{
    const QString path = files.filePath(QStringLiteral("other.db"));
    addOther();
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("again"),
        .url = QStringLiteral("sqlite:") + files.path() + QStringLiteral("/./other.db") }));
    ASSERT_TRUE(desk->openUrl(
        QStringLiteral("sqlite:") + path, QStringLiteral("by address"), Error{ Failure::NotFound, "none", {}, {} }));
    ASSERT_TRUE(eventually([this] { return !desk->session()->bindings().empty(); }));
    const auto event = deadEvent();
    ASSERT_FALSE(event.isEmpty());
    auto* page = typeAndFind(event);
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(connectionsIn(*page), QStringList{ QStringLiteral("by address") }) << qPrintable(page->summary());
}

TEST_F(FindTest, WhatIsNotThereIsSaidWithWhatWasSearched)
{
    openCopy();
    auto* page = typeAndFind(QStringLiteral("no-such-id-anywhere"));
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(page->model().rowCount(), 0);
    EXPECT_TRUE(page->summary().contains(QLatin1String("Nothing was found"))) << qPrintable(page->summary());
    EXPECT_TRUE(page->searched().contains(QLatin1String("the payloads of all"))) << qPrintable(page->searched());

    page->findChild<QComboBox*>(QStringLiteral("scan"))->setCurrentIndex(0);
    QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("find")), Qt::LeftButton);
    ASSERT_TRUE(eventually([page] {
        return !page->isLoading() && !page->searched().contains(QLatin1String("payloads"));
    })) << qPrintable(page->searched());
}

TEST_F(FindTest, AConnectionThatCannotBeOpenedHidesNothingOfTheOthers)
{
    openCopy();
    ASSERT_TRUE(desk->connections().add(
        { .name = QStringLiteral("away"), .url = QStringLiteral("postgresql://nobody@127.0.0.1:1/none") }));
    const auto event = deadEvent();
    auto* page = typeAndFind(event);
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(connectionsIn(*page), QStringList{ QStringLiteral("copy") });
    EXPECT_TRUE(banner().contains(QLatin1String("away was not searched"))) << qPrintable(banner());

    // Left out, it is no trouble any more.
    for (QAction* place : page->places().actions())
        if (place->text() == QLatin1String("away"))
            place->trigger();
    QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("find")), Qt::LeftButton);
    ASSERT_TRUE(eventually([this, page] { return !page->isLoading() && banner().isEmpty(); })) << qPrintable(banner());
    EXPECT_EQ(connectionsIn(*page), QStringList{ QStringLiteral("copy") });
}

TEST_F(FindTest, ASearchIsStoppedAndAnotherBegun)
{
    openCopy();
    addOther();
    const auto event = deadEvent();
    window->openPage(QStringLiteral("find"));
    auto* page = qobject_cast<ui::FindPage*>(window->page());
    ASSERT_NE(page, nullptr);
    auto* id = page->findChild<QLineEdit*>(QStringLiteral("id"));
    for (const auto& typed : { QStringLiteral("no-such-id-1"), QStringLiteral("no-such-id-2"), event }) {
        id->setText(typed);
        QTest::keyClick(id, Qt::Key_Return);
    }
    ASSERT_TRUE(eventually([page, event] { return !page->isLoading() && page->summary().contains(event); }))
        << qPrintable(page->summary());
    EXPECT_EQ(connectionsIn(*page).size(), 2);
}

} // namespace
} // namespace fencepost::app
