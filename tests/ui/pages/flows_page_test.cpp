// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSvgRenderer>
#include <QTest>
#include <QToolButton>

#include "tests/ui/console_fixture.h"
#include "ui/pages/flows_page.h"
#include "ui/widgets/flow_diagram.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/range_field.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

class FlowsPageTest : public ConsoleFixture {
protected:
    void makeFlows()
    {
        for (int i = 0; i < 3; ++i)
            finalize(reserve("done" + std::to_string(i)));
        reserve("open");
        reserve("again", Takeover::Auto, Seconds(1));
        then.advance(Seconds(2));
        reserve("again");
    }

    void open(FlowsPage& page)
    {
        page.resize(1200, 760);
        static_cast<QWidget&>(page).show();
        page.activate();
        page.setLive(false);
        ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->answer(); }));
    }

    std::int64_t matching(const QString& filter)
    {
        const auto parsed = parseFilter(filter.toStdString());
        EXPECT_TRUE(parsed) << filter.toStdString() << ": " << parsed.error().message;
        const auto bindings = workers->inspector().bindings();
        for (const auto& binding : *bindings)
            if (parsed && binding.kind == Kind::Idempotency) {
                const auto counts = workers->inspector().counts(binding, *parsed, Seconds(10));
                EXPECT_TRUE(counts);
                return counts ? counts->total.value : -1;
            }
        return -1;
    }

    static const FlowArc& arcOf(const FlowsPage& page, const std::string& from, const std::string& to)
    {
        for (const auto& arc : page.diagram().picture().arcs)
            if (arc.from == from && arc.to == to)
                return arc;
        ADD_FAILURE() << from << " to " << to;
        return page.diagram().picture().arcs.front();
    }
};

TEST_F(FlowsPageTest, AnEdgeOpensTheRowsThatWentAlongIt)
{
    makeFlows();
    connectSession();
    FlowsPage page(*context);
    QAbstractItemModelTester tester(page.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    open(page);
    EXPECT_EQ(page.tables().currentText(), QStringLiteral("idempotency_records"));
    EXPECT_TRUE(eventually([&] {
        return page.summary()
            == QStringLiteral(
                "9 transitions in idempotency_records within 2d; 1 of them suspicious or illegal · 0 in the 2d before");
    })) << page.summary().toStdString();
    EXPECT_EQ(arcOf(page, "ABSENT", "IN_PROGRESS").count, 5);
    EXPECT_EQ(arcOf(page, "IN_PROGRESS", "SUCCEEDED").count, 3);
    EXPECT_EQ(arcOf(page, "IN_PROGRESS", "IN_PROGRESS").nature, FlowNature::Suspicious);
    EXPECT_EQ(page.model()->rowAt(0).flow.nature, FlowNature::Suspicious) << "what went wrong stands first";

    auto& diagram = page.diagram();
    const auto click = [&](const FlowArc& arc) {
        navigation.opened.clear();
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, diagram.placeOf(arc).toPoint());
        ASSERT_TRUE(eventually([&] { return !navigation.opened.empty(); }));
    };
    click(arcOf(page, "IN_PROGRESS", "SUCCEEDED"));
    EXPECT_EQ(navigation.opened, "keys");
    EXPECT_EQ(matching(navigation.openedFilter), 3);
    EXPECT_TRUE(navigation.openedFilter.contains(QStringLiteral("event = finalize"))) << "not the keys one by one";
    click(arcOf(page, "IN_PROGRESS", "IN_PROGRESS"));
    EXPECT_EQ(matching(navigation.openedFilter), 1);
    click(arcOf(page, "ABSENT", "IN_PROGRESS"));
    EXPECT_EQ(matching(navigation.openedFilter), 5);

    // By keys alone: walks the edges, Enter opens one.
    navigation.opened.clear();
    diagram.setFocus();
    QTest::keyClick(&diagram, Qt::Key_Right);
    QTest::keyClick(&diagram, Qt::Key_Return);
    ASSERT_TRUE(eventually([&] { return !navigation.opened.empty(); }));

    navigation.opened.clear();
    Q_EMIT page.grid().rowActivated(0);
    ASSERT_TRUE(eventually([&] { return !navigation.opened.empty(); }));
    EXPECT_EQ(matching(navigation.openedFilter), 1);
}

// More than any list of keys may have.
TEST_F(FlowsPageTest, ABusyEdgeOpensAllOfItsRows)
{
    constexpr int rows = 620;
    for (int i = 0; i < rows; ++i)
        reserve("a_key_that_is_longer_than_most_" + std::to_string(i));
    connectSession();
    FlowsPage page(*context);
    open(page);
    const auto arc = arcOf(page, "ABSENT", "IN_PROGRESS");
    EXPECT_EQ(arc.count, rows);
    QTest::mouseClick(&page.diagram(), Qt::LeftButton, {}, page.diagram().placeOf(arc).toPoint());
    ASSERT_TRUE(eventually([&] { return !navigation.opened.empty(); }));
    EXPECT_EQ(matching(navigation.openedFilter), rows);
}

TEST_F(FlowsPageTest, TheRangeIsTypedFrozenAndLetGo)
{
    makeFlows();
    connectSession();
    FlowsPage page(*context);
    open(page);
    EXPECT_FALSE(range.frozen());
    QTest::mouseClick(&page.range().freeze(), Qt::LeftButton);
    ASSERT_TRUE(range.frozen());
    EXPECT_EQ(*range.frozen(), page.model()->answer()->basis.range);
    ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));

    const auto type = [](QLineEdit& field, const QString& words) {
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, words);
        QTest::keyClick(&field, Qt::Key_Return);
    };
    const auto before = *range.frozen();
    type(page.range().from(), QStringLiteral("yesterday"));
    EXPECT_EQ(*range.frozen(), before) << "what cannot be read changes nothing";
    EXPECT_FALSE(page.range().from().toolTip().isEmpty());
    EXPECT_TRUE(page.range().from().property("invalid").toBool()) << "the style sheet draws it red";
    const auto* mistake = page.findChild<QLabel*>(QStringLiteral("rangeMistake"));
    ASSERT_NE(mistake, nullptr);
    EXPECT_TRUE(mistake->isVisible());
    EXPECT_TRUE(mistake->text().contains(QStringLiteral("yesterday"))) << mistake->text().toStdString();
    page.grid().view().setFocus();
    page.reload();
    ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    EXPECT_EQ(page.range().from().text(), QStringLiteral("yesterday")) << "a refresh does not take it back";
    type(page.range().from(), QStringLiteral("2001-01-01T00:00Z"));
    type(page.range().until(), QStringLiteral("2000-01-01T00:00Z"));
    EXPECT_EQ(range.frozen()->until, before.until) << "an end before the beginning changes nothing";
    EXPECT_TRUE(page.range().until().property("invalid").toBool());
    EXPECT_FALSE(page.range().from().property("invalid").toBool());
    type(page.range().until(), QStringLiteral("2001-01-02T00:00Z"));
    EXPECT_FALSE(mistake->isVisible());
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 0; }));
    EXPECT_TRUE(eventually([&] {
        return page.summary() == QStringLiteral("Nothing moved in idempotency_records within 1d · 0 in the 1d before");
    })) << page.summary().toStdString();

    QTest::mouseClick(&page.range().freeze(), Qt::LeftButton);
    EXPECT_FALSE(range.frozen());
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() > 0; }));

    // The stretch before is counted beside it.
    const auto middle = formatInstant(then.now() - Seconds(1));
    type(page.range().from(), QString::fromStdString(middle));
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->rowCount() == 1; }));
    range.set(1);
    EXPECT_FALSE(range.frozen()) << "the top bar's choice moves again";
}

TEST_F(FlowsPageTest, TheDiagramIsZoomedAndSaved)
{
    makeFlows();
    connectSession();
    FlowsPage page(*context);
    open(page);
    auto& diagram = page.diagram();
    const auto width = diagram.width();
    diagram.setFocus();
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(&diagram, Qt::Key_Plus);
    EXPECT_GT(diagram.zoom(), 2);
    ASSERT_TRUE(eventually([&] { return diagram.width() > width; })) << "what is larger than the page is scrolled";
    QTest::keyClick(&diagram, Qt::Key_0);
    EXPECT_EQ(diagram.zoom(), 1);

    const auto svg = database.folder() + QStringLiteral("/flows.svg");
    page.saveDiagram(svg);
    QSvgRenderer renderer(svg);
    EXPECT_TRUE(renderer.isValid());
    QFile file(svg);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto drawn = file.readAll();
    EXPECT_TRUE(drawn.contains("finalize"));
    EXPECT_TRUE(drawn.contains("sans-serif"));
    EXPECT_FALSE(drawn.contains("Inter Tabular")) << "no other program has that font";
    const auto png = database.folder() + QStringLiteral("/flows.png");
    page.saveDiagram(png);
    const QImage image(png);
    EXPECT_GT(image.width(), 1000);
    EXPECT_FALSE(diagram.save(database.folder() + QStringLiteral("/flows.txt"), {}));
    page.saveDiagram(database.folder() + QStringLiteral("/no/such/flows.svg"));
    EXPECT_FALSE(diagram.save(QStringLiteral("/proc/flows.svg"), {}));
}

TEST_F(FlowsPageTest, MessagesHaveMachinesOfTheirOwn)
{
    connectSession();
    FlowsPage page(*context);
    open(page);
    for (const char* table : { "inbox_messages", "outbox_messages", "dead_letters" }) {
        page.show(QString::fromUtf8(table), {});
        ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.model()->binding()->name == table; }));
        EXPECT_EQ(page.place().binding, QString::fromUtf8(table));
        EXPECT_TRUE(page.summary().startsWith(QStringLiteral("Nothing moved in "))) << page.summary().toStdString();
    }
}

} // namespace
} // namespace fencepost::ui
