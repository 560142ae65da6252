// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgRenderer>

#include "core/protocol/record.h"
#include "resources/resources.h"
#include "ui/tabular_font.h"
#include "ui/theme.h"

namespace fencepost::ui {

// gtest would print octets.
static void PrintTo(Scheme scheme, std::ostream* out)
{
    *out << (scheme == Scheme::Light ? "light" : "dark");
}

namespace {

TEST(FiguresTest, EveryFigureIsAsWideAsTheOthers)
{
    loadResources();
    const Theme theme(Scheme::Light);
    for (const Text size : { Text::Title, Text::Section, Text::Body, Text::Strong, Text::Caption, Text::Figure,
             Text::Mono, Text::MonoCaption }) {
        const QFontMetricsF metrics(theme.font(size));
        for (const QChar figure : QStringLiteral("0123456789"))
            EXPECT_NEAR(metrics.horizontalAdvance(figure), metrics.horizontalAdvance(u'0'), 0.05)
                << figure.toLatin1() << " in " << int(size);
        EXPECT_NEAR(metrics.horizontalAdvance(QStringLiteral("22:39:27Z")),
            metrics.horizontalAdvance(QStringLiteral("22:39:56Z")), 0.05);
    }
}

TEST(FiguresTest, WhatIsNoFontMakesNone)
{
    EXPECT_TRUE(withTabularFigures({}, QStringLiteral("A"), QStringLiteral("B")).isEmpty());
    EXPECT_TRUE(withTabularFigures(QByteArray(400, '\xff'), QStringLiteral("A"), QStringLiteral("B")).isEmpty());
}

class ThemeTest : public ::testing::TestWithParam<Scheme> {
protected:
    ThemeTest()
        : theme((loadResources(), GetParam()))
    {
    }

    QImage picture(const StateBadge& badge) const
    {
        QImage image(220, 28, QImage::Format_RGB32);
        image.fill(theme.color(Role::Surface));
        QPainter painter(&image);
        theme.paintState(painter, image.rect(), badge);
        return image;
    }

    Theme theme;
};

TEST_P(ThemeTest, WordsCanBeReadOnEveryGround)
{
    for (const ColourPair& pair : Theme::colourPairs())
        EXPECT_GE(Theme::contrast(theme.color(pair.foreground), theme.color(pair.ground)), 4.5) << pair.what;
}

TEST_P(ThemeTest, WordsStayReadableOnHoveredAndSelectedRows)
{
    for (const Role role : { Role::Text, Role::Muted, Role::InProgress, Role::Succeeded, Role::FailedRetryable,
             Role::FailedFinal, Role::Held, Role::Expired }) {
        EXPECT_GE(Theme::contrast(theme.color(role), theme.tint(Role::Accent, 8)), 4.0) << static_cast<int>(role);
        EXPECT_GE(Theme::contrast(theme.color(role), theme.tint(Role::Accent, 16)), 3.6) << static_cast<int>(role);
    }
}

TEST_P(ThemeTest, EveryStateOfTheProtocolLooksDifferentInGrey)
{
    std::vector<QImage> seen;
    for (const State state : allStates()) {
        if (state == State::Absent)
            continue; // drawn as EXPIRED with another word
        const QImage image =
            picture({ .state = wordOf(state) }).convertToFormat(QImage::Format_Grayscale8).copy(0, 0, 20, 28);
        for (const QImage& other : seen)
            EXPECT_NE(image, other) << wordOf(state);
        seen.push_back(image);
    }
}

TEST_P(ThemeTest, AStateNobodyKnowsIsShownAsUnknown)
{
    EXPECT_EQ(stateLook("SHIPPED_TO_MARS").word, QStringLiteral("UNKNOWN"));
    EXPECT_TRUE(stateLook("SHIPPED_TO_MARS").dotted);
}

TEST_P(ThemeTest, StuckIsTheSameColourWithAClock)
{
    const StateBadge plain{ .state = "IN_PROGRESS" };
    const StateBadge stuck{ .state = "IN_PROGRESS", .stuck = true };
    EXPECT_NE(picture(plain), picture(stuck));
    EXPECT_GT(theme.widthOf(stuck), theme.widthOf(plain));
}

TEST_P(ThemeTest, ProductionIsAWordAColourAndAHatch)
{
    const EnvironmentLook look = environmentLook("production");
    EXPECT_EQ(look.word, QStringLiteral("PRODUCTION"));
    EXPECT_TRUE(look.hatched);
    for (const char* other : { "local", "development", "staging" }) {
        EXPECT_NE(theme.color(environmentLook(other).role), theme.color(look.role)) << other;
        EXPECT_FALSE(environmentLook(other).hatched) << other;
    }
}

TEST_P(ThemeTest, IconsFollowTheScheme)
{
    const QIcon icon = theme.icon("copy");
    const QImage before = icon.pixmap(24, 24).toImage();
    theme.setScheme(GetParam() == Scheme::Light ? Scheme::Dark : Scheme::Light);
    EXPECT_NE(icon.pixmap(24, 24).toImage(), before);
}

TEST_P(ThemeTest, IconsKeepTheirProportions)
{
    const QImage picture = theme.icon("search").pixmap(24, 12).toImage();
    int first = picture.width();
    int last = -1;
    for (int x = 0; x < picture.width(); ++x)
        for (int y = 0; y < picture.height(); ++y)
            if (qAlpha(picture.pixel(x, y)) > 0) {
                first = std::min(first, x);
                last = std::max(last, x);
            }
    ASSERT_GE(last, first);
    EXPECT_LE(last - first + 1, 12);
}

TEST_P(ThemeTest, FontsOfThePackagesAreUsed)
{
    EXPECT_EQ(QFontInfo(theme.font(Text::Body)).family(), QStringLiteral("Inter Tabular"));
    EXPECT_EQ(QFontInfo(theme.font(Text::Mono)).family(), QStringLiteral("JetBrains Mono"));
}

INSTANTIATE_TEST_SUITE_P(Schemes, ThemeTest, ::testing::Values(Scheme::Light, Scheme::Dark),
    [](const auto& parameter) { return parameter.param == Scheme::Light ? "Light" : "Dark"; });

TEST(IconsTest, AreOneFamily)
{
    loadResources();
    const QStringList names = QDir(QStringLiteral(":/icons")).entryList();
    ASSERT_GT(names.size(), 50);
    static const QRegularExpression colour(QStringLiteral("(stroke|fill)=\"(?!none|currentColor)[^\"]+\""));
    for (const QString& name : names) {
        QFile file(QStringLiteral(":/icons/") + name);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        EXPECT_TRUE(QSvgRenderer(text).isValid()) << qPrintable(name);
        EXPECT_TRUE(text.contains("viewBox=\"0 0 24 24\"")) << qPrintable(name);
        EXPECT_TRUE(text.contains("stroke-width=\"1.75\"")) << qPrintable(name);
        EXPECT_FALSE(QString::fromUtf8(text).contains(colour)) << qPrintable(name);
    }
}

} // namespace
} // namespace fencepost::ui
