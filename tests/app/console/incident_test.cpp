// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/console/console_fixture.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/freeze_strip.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class IncidentTest : public ConsoleFixture {
protected:
    ui::FreezeStrip* strip()
    {
        openDemo();
        EXPECT_TRUE(settle());
        auto* found = window->page()->findChild<ui::FreezeStrip*>();
        EXPECT_NE(found, nullptr);
        return found;
    }
};

TEST_F(IncidentTest, DraggingAcrossTheBarsOfTheOverviewFreezesTheirTime)
{
    auto* freeze = strip();
    ASSERT_NE(freeze, nullptr);
    EXPECT_FALSE(freeze->releaseButton().isVisible());
    auto& bars = freeze->bars();
    const QString before = freeze->words();
    const QRect dragged = bars.placeOf(3).united(bars.placeOf(6));
    QTest::mousePress(&bars, Qt::LeftButton, {}, bars.placeOf(3).center());
    QTest::mouseMove(&bars, bars.placeOf(6).center());
    QTest::mouseRelease(&bars, Qt::LeftButton, {}, bars.placeOf(6).center());
    EXPECT_NE(freeze->words(), before);
    EXPECT_TRUE(freeze->words().startsWith(QStringLiteral("Flows, retries and conflicts stay with 20")))
        << qPrintable(freeze->words());
    EXPECT_TRUE(freeze->releaseButton().isVisible());
    // What was dragged across stays marked on the bars when the rows are counted anew.
    EXPECT_TRUE(settle());
    ASSERT_TRUE(eventually([&bars] { return !bars.placeOfMark().isEmpty(); }));
    EXPECT_LE(std::abs(bars.placeOfMark().left() - dragged.left()), 2);
    EXPECT_LE(std::abs(bars.placeOfMark().right() - dragged.right()), 2);
    const auto edge = bars.grab().toImage().pixelColor(bars.placeOfMark().left(), 2);
    EXPECT_EQ(edge, theme.color(ui::Role::Warning));
    QTest::mouseClick(&freeze->releaseButton(), Qt::LeftButton);
    EXPECT_EQ(freeze->words(), before);
    EXPECT_TRUE(bars.placeOfMark().isEmpty());
    EXPECT_TRUE(settle());
}

TEST_F(IncidentTest, TheKeysFreezeAsTheMouseDoes)
{
    auto* freeze = strip();
    ASSERT_NE(freeze, nullptr);
    const QString before = freeze->words();
    QTest::keyClick(&freeze->bars(), Qt::Key_Left);
    QTest::keyClick(&freeze->bars(), Qt::Key_Left);
    QTest::keyClick(&freeze->bars(), Qt::Key_Return);
    EXPECT_NE(freeze->words(), before);
    EXPECT_TRUE(settle());
    freeze->releaseButton().setFocus();
    QTest::keyClick(&freeze->releaseButton(), Qt::Key_Space);
    EXPECT_EQ(freeze->words(), before);
    EXPECT_TRUE(settle());
}

} // namespace
} // namespace fencepost::app
