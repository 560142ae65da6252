// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

#include "resources/resources.h"
#include "ui/theme.h"
#include "ui/widgets/cell_text.h"

namespace fencepost::ui {
namespace {

// Where there is ink: painted in black on white.
class CellTextTest : public ::testing::Test {
protected:
    QImage painted(const CellText& cell, const QRect& where, Qt::Alignment alignment, const QString& text,
        Qt::TextElideMode elision = Qt::ElideRight) const
    {
        QImage image(400, 40, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        cell.paint(painter, where, alignment, text, elision);
        return image;
    }
    static QRect inkOf(const QImage& image)
    {
        QRect ink;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (qGray(image.pixel(x, y)) < 128)
                    ink = ink.united({ x, y, 1, 1 });
        return ink;
    }

    Theme theme{ (loadResources(), Scheme::Light) };
    CellText words{ theme.font(Text::Body), CellText::Face::Proportional };
    CellText ids{ theme.font(Text::Mono), CellText::Face::Monospace };
    const QRect place{ 40, 4, 120, 28 };
};

TEST_F(CellTextTest, WhatIsTooLongStaysInItsPlaceAndFillsIt)
{
    for (const auto elision : { Qt::ElideRight, Qt::ElideMiddle })
        for (const auto* cell : { &words, &ids })
            for (const QString& text :
                { QString(200, u'w'), QString(200, QChar(0x5d0)), QString(200, QChar(0x4e2d)) }) {
                const auto ink = inkOf(painted(*cell, place, Qt::AlignLeft, text, elision));
                EXPECT_TRUE(place.adjusted(-1, 0, 1, 0).contains(ink)) << ink.left() << ' ' << ink.right();
                EXPECT_GT(ink.width(), place.width() - 30);
            }
}

TEST_F(CellTextTest, FollowsTheColumnsSideWhateverTheDirectionOfTheText)
{
    for (const QString& text : { QStringLiteral("42"), QString(3, QChar(0x5d0)) }) {
        EXPECT_LT(inkOf(painted(words, place, Qt::AlignLeft, text)).left(), place.left() + 4);
        EXPECT_GT(inkOf(painted(words, place, Qt::AlignRight, text)).right(), place.right() - 4);
    }
}

TEST_F(CellTextTest, PaintsTheSameAgainAndAnywhere)
{
    const auto text = QStringLiteral("refund:ch_d0ab1234567890500:a8f1a6a9");
    const auto once = painted(ids, place, Qt::AlignLeft, text, Qt::ElideMiddle);
    const auto lower = painted(ids, place.translated(100, 6), Qt::AlignLeft, text, Qt::ElideMiddle);
    EXPECT_EQ(inkOf(lower), inkOf(once).translated(100, 6));
    EXPECT_EQ(painted(ids, place, Qt::AlignLeft, text, Qt::ElideMiddle), once);
}

TEST_F(CellTextTest, BothEndsOfAnIdStaySeen)
{
    const auto wide = painted(ids, { 40, 4, 340, 28 }, Qt::AlignLeft, QStringLiteral("abcdef0123456789uvwxyz"));
    EXPECT_LT(inkOf(wide).width(), 340) << "what fits is not cut";
    const auto first = painted(ids, place, Qt::AlignLeft, QString(40, u'-') + u'X', Qt::ElideMiddle);
    const auto second = painted(ids, place, Qt::AlignLeft, QString(40, u'-') + u'Y', Qt::ElideMiddle);
    EXPECT_NE(first, second);
    const auto cutAtTheEnd = painted(ids, place, Qt::AlignLeft, QString(40, u'-') + u'X');
    EXPECT_EQ(cutAtTheEnd, painted(ids, place, Qt::AlignLeft, QString(40, u'-') + u'Y'));
}

} // namespace
} // namespace fencepost::ui
