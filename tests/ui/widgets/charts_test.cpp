// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <QApplication>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>

#include "resources/resources.h"
#include "tests/support/wait.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_chart.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/comparison_card.h"
#include "ui/widgets/freeze_strip.h"
#include "ui/widgets/line_card.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/simulation_plots.h"
#include "ui/widgets/state_legend.h"
#include "ui/widgets/timeline.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Time noon{ std::chrono::sys_days(std::chrono::year{ 2026 } / 11 / 20) + 12h };

Counts countsOf(const std::map<std::string, std::int64_t>& states)
{
    Counts counts;
    counts.total = { 0, Exactness::Exact };
    for (const auto& [state, count] : states) {
        counts.byState[state] = { count, Exactness::Exact };
        counts.total.value += count;
    }
    return counts;
}

models::Arrivals arrivals()
{
    models::Arrivals made;
    made.width = 1h;
    made.end = noon + 2h;
    made.wanted = 2;
    made.whole = true;
    made.hours = { { noon, countsOf({ { "SUCCEEDED", 9 }, { "HELD", 1 } }) },
        { noon + 1h, countsOf({ { "FAILED_RETRYABLE", 2 }, { "SUCCEEDED", 3 }, { "EXPIRED", 0 } }) } };
    return made;
}

class ChartsTest : public ::testing::Test {
protected:
    ChartsTest()
        : theme((loadResources(), Scheme::Light))
    {
        theme.applyTo(*qApp);
    }

    Plot limited() const
    {
        Plot plot;
        for (int i = 0; i < 12; ++i)
            plot.bars.push_back({ QString::number(i), {}, { { Role::Accent, 0.3 + 0.1 * i } }, {} });
        plot.line = 0.2;
        plot.lineWords = QStringLiteral("budget 20 %");
        plot.band = { 9.2, 11.8 };
        plot.bandWords = QStringLiteral("promised 100ms to 200ms");
        plot.value = [](double value) { return QStringLiteral("%1 %").arg(value * 100); };
        return plot;
    }

    Theme theme;
};

TEST_F(ChartsTest, EveryStateThatAChartDrawsStandsInItsLegend)
{
    const auto zone = models::Zone::utc();
    ArrivalsChart chart(theme, nullptr);
    chart.show(arrivals(), zone);
    EXPECT_THAT(chart.legend().states(), ElementsAre("SUCCEEDED", "FAILED_RETRYABLE", "HELD"));
    EXPECT_FALSE(chart.legend().isHidden());
    chart.show(models::Arrivals{ .skipped = QStringLiteral("Not now") }, zone);
    EXPECT_TRUE(chart.legend().isHidden()) << "without a chart there are no colours";

    ArrivalsStrip strip(theme);
    strip.show(arrivals(), zone, QStringLiteral("key"), QStringLiteral("keys"));
    EXPECT_THAT(strip.legend().states(), ElementsAre("SUCCEEDED", "FAILED_RETRYABLE", "HELD"));
    EXPECT_FALSE(strip.legend().isHidden());
}

TEST_F(ChartsTest, ALegendTakesAsManyLinesAsItsWordsNeed)
{
    StateLegend legend(theme);
    const int line = legend.heightFor(600);
    legend.setStates({ "SUCCEEDED", "FAILED_RETRYABLE", "FAILED_FINAL", "IN_PROGRESS", "HELD" });
    EXPECT_EQ(legend.heightFor(legend.sizeHint().width()), line);
    EXPECT_EQ(legend.heightFor(legend.minimumSizeHint().width()), 5 * line);
    EXPECT_TRUE(legend.accessibleDescription().contains(QStringLiteral("FAILED_RETRYABLE")));
}

TEST_F(ChartsTest, NoWordOfALimitOrAPromiseLiesOnABar)
{
    BarPlot plot(theme);
    plot.resize(420, 190);
    plot.setPlot(limited());
    for (int bar = 0; bar < 12; ++bar) {
        EXPECT_FALSE(plot.lineWordsPlace().intersects(plot.placeOf(bar))) << bar;
        EXPECT_FALSE(plot.bandWordsPlace().intersects(plot.placeOf(bar))) << bar;
    }
    const QRectF whole(plot.rect());
    EXPECT_TRUE(whole.contains(plot.lineWordsPlace()));
    EXPECT_TRUE(whole.contains(plot.bandWordsPlace()));
    const QFontMetricsF metrics(theme.font(Text::Caption));
    EXPECT_GE(plot.lineWordsPlace().width(), metrics.horizontalAdvance(QStringLiteral("budget 20 %")));
    EXPECT_GE(plot.bandWordsPlace().width(), metrics.horizontalAdvance(QStringLiteral("promised 100ms to 200ms")));
}

TEST_F(ChartsTest, ABrushThatEndsBeyondTheBarsTakesTheLastOnes)
{
    BarPlot plot(theme);
    plot.resize(420, 190);
    plot.setPlot(limited());
    QSignalSpy chosen(&plot, &BarPlot::chosen);
    const QPoint begin = plot.placeOf(5).center().toPoint();
    QTest::mousePress(&plot, Qt::LeftButton, {}, begin);
    QTest::mouseMove(&plot, QPoint(plot.width() + 40, begin.y()));
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, QPoint(plot.width() + 40, begin.y()));
    QTest::mousePress(&plot, Qt::LeftButton, {}, begin);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, QPoint(0, begin.y()));
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[0], (QVariantList{ 5, int(plot.plot().bars.size()) - 1 }));
    EXPECT_EQ(chosen[1], (QVariantList{ 0, 5 }));
}

TEST_F(ChartsTest, NoLabelStandsNearerToAnotherBarThanToItsOwn)
{
    BarPlot plot(theme);
    for (const int bars : { 3, 12, 40, 90 }) {
        Plot many;
        for (int i = 0; i < bars; ++i)
            many.bars.push_back(
                { i + 1 < bars ? QString() : QStringLiteral("52m 42s"), {}, { { Role::Accent, 1.0 } }, {} });
        many.bars.front().label = QStringLiteral("1m 12.5s");
        plot.resize(420, 190);
        plot.setPlot(many);
        for (const auto& label : plot.labels()) {
            const auto distance = [&](int bar) {
                return std::abs(plot.placeOf(bar).center().x() - label.place.center().x());
            };
            for (int bar = 0; bar < bars; ++bar)
                EXPECT_GE(distance(bar) + 1, distance(label.bar)) << qPrintable(label.text) << " of " << bars;
        }
        if (bars == 3) {
            EXPECT_EQ(plot.labels().size(), 2U);
        }
    }
}

TEST_F(ChartsTest, NumbersAreWrittenInGroupsAlsoWhereAChartOrAMeasureSaysThem)
{
    LinePlot plot;
    plot.lines.push_back({ QStringLiteral("offered"), Role::Accent, false, { { 0, 0 }, { 9, 7'400 } } });
    QWidget home;
    LineCard card(theme, &home);
    card.show(plot, 9);
    const auto axes = card.view().chart()->axes(Qt::Vertical);
    ASSERT_EQ(axes.size(), 1);
    auto* numbers = qobject_cast<QCategoryAxis*>(axes.front());
    ASSERT_NE(numbers, nullptr);
    EXPECT_EQ(numbers->categoriesLabels().front(), QStringLiteral("0"));
    EXPECT_EQ(numbers->categoriesLabels().back(), numberText(8'000));
    EXPECT_EQ(measureText(simulation::MeasureUnit::Count, 54'094), numberText(54'094));
    EXPECT_EQ(measureText(simulation::MeasureUnit::Share, 125'000), QStringLiteral("12.50%"));
}

TEST_F(ChartsTest, NothingMovesWhenATimeIsFrozen)
{
    RangeSetting range;
    ZoneSetting zone(models::Zone::utc());
    FreezeStrip strip(theme, range, zone);
    auto some = arrivals();
    some.hours[0].counts = countsOf(
        { { "SUCCEEDED", 9 }, { "HELD", 1 }, { "FAILED_RETRYABLE", 1 }, { "FAILED_FINAL", 1 }, { "IN_PROGRESS", 1 } });
    strip.show(some);
    for (const int width : { 760, 1000, 1400 }) {
        range.freeze({});
        strip.resize(width, strip.sizeHint().height());
        static_cast<QWidget&>(strip).show();
        testing::handleEvents();
        const auto& legend = *strip.findChild<StateLegend*>();
        const auto place = legend.geometry();
        range.freeze(TimeRange{ noon, noon + 1h });
        testing::handleEvents();
        EXPECT_EQ(legend.geometry(), place) << width;
    }
}

// The page behind it may have any ground.
TEST_F(ChartsTest, TheBreakOfACompressedGapStandsOnThePagesGround)
{
    QWidget page;
    page.resize(400, 500);
    QPalette ground = page.palette();
    ground.setColor(QPalette::Window, QColor(1, 2, 3));
    page.setPalette(ground);
    Timeline timeline(
        theme, [](Time) { return QString(); }, &page);
    timeline.setStyleSheet(QStringLiteral("background: transparent"));
    timeline.resize(page.size());
    std::vector<Mark> marks(5);
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i].at = noon + (i < 3 ? 0h : 10h) + std::chrono::seconds(i);
    timeline.setMarks(marks);
    ASSERT_EQ(timeline.placed().gaps.size(), 1U);
    const auto picture = page.grab().toImage();
    const int y = int(timeline.placed().gaps[0].y);
    for (int x = 0; x < 44; ++x)
        for (int line = y - 8; line <= y + 8; ++line)
            EXPECT_NE(picture.pixelColor(x, line), theme.color(Role::Surface)) << x << ' ' << line;
}

TEST_F(ChartsTest, TheHeadingsOfAComparisonAreWhole)
{
    ComparisonCard card(theme);
    models::Comparison comparison;
    comparison.range = { noon, noon + 1h };
    comparison.counts = countsOf({ { "SUCCEEDED", 1'234'567 } });
    comparison.before = countsOf({ { "SUCCEEDED", 12 } });
    card.show(comparison, { "SUCCEEDED" }, false, models::Zone::utc());
    for (const int width : { 380, 460, 900 }) {
        card.resize(width, 220);
        static_cast<QWidget&>(card).show();
        testing::handleEvents();
        const auto& header = *card.table().horizontalHeader();
        for (int column = 0; column < header.count(); ++column)
            EXPECT_LE(header.sectionSizeHint(column), header.sectionSize(column)) << column << " of " << width;
    }
    EXPECT_EQ(card.table().item(0, 1)->textAlignment(), int(Qt::AlignRight | Qt::AlignVCenter));
}

} // namespace
} // namespace fencepost::ui
