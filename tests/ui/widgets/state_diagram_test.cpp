// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include "resources/resources.h"
#include "ui/theme.h"
#include "ui/widgets/drawing_tools.h"
#include "ui/widgets/message_path.h"
#include "ui/widgets/state_diagram.h"

namespace fencepost::ui {
namespace {

using namespace std::chrono_literals;

// A diagram in a panel that scrolls it, as a record's own page has one.
class StateDiagramTest : public ::testing::Test {
protected:
    StateDiagramTest()
        : theme((loadResources(), Scheme::Light))
    {
        panel.setWidget(diagram);
        panel.setWidgetResizable(true);
        panel.resize(460, 520);
        diagram->setPath(path());
        panel.show();
        diagram->setFocus();
        QCoreApplication::processEvents();
    }

    static StatePath path()
    {
        const auto start = timeFromMicros(1'700'000'000'000'000);
        MessageHistory history{ .kind = Kind::Outbox, .row = {}, .failures = std::vector<DeliveryAttempt>() };
        history.row.state = "DEAD";
        history.row.createdAt = start;
        history.row.attempts = 2;
        history.failures = { { 1, start + 5s, "relay-000001", "503", "no" },
            { 2, start + 20s, "relay-000002", "503", "no" } };
        return pathOf(history);
    }

    QString fileOf(const char* name) const { return files.filePath(QLatin1String(name)); }

    // Where the drawing has something that is not its ground.
    static int inkOf(const QImage& image)
    {
        int ink = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                ink += image.pixel(x, y) != image.pixel(0, 0) ? 1 : 0;
        return ink;
    }

    QTemporaryDir files;
    Theme theme;
    QScrollArea panel;
    StateDiagram* diagram = new StateDiagram(theme);
};

TEST_F(StateDiagramTest, TheKeysWalkAlongThePath)
{
    QSignalSpy activated(diagram, &StateDiagram::stepActivated);
    const auto last = diagram->path().steps.size() - 1;
    EXPECT_EQ(diagram->currentStep(), last);
    QTest::keyClick(diagram, Qt::Key_Home);
    EXPECT_EQ(diagram->currentStep(), 0u);
    EXPECT_TRUE(diagram->accessibleDescription().startsWith(QStringLiteral("Step 1 of 5: ABSENT to PENDING by write")));
    QTest::keyClick(diagram, Qt::Key_Left);
    EXPECT_EQ(diagram->currentStep(), 0u) << "there is none before the first";
    QTest::keyClick(diagram, Qt::Key_Right);
    QTest::keyClick(diagram, Qt::Key_Down);
    EXPECT_EQ(diagram->currentStep(), 2u);
    QTest::keyClick(diagram, Qt::Key_Up);
    QTest::keyClick(diagram, Qt::Key_Return);
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated.front().front().toULongLong(), 1u);
    QTest::keyClick(diagram, Qt::Key_End);
    QTest::keyClick(diagram, Qt::Key_Right);
    EXPECT_EQ(diagram->currentStep(), last);
}

TEST_F(StateDiagramTest, AClickOpensTheStepsOfAnEdgeOneAfterTheOther)
{
    QSignalSpy activated(diagram, &StateDiagram::stepActivated);
    QTest::keyClick(diagram, Qt::Key_Home);
    for (const double zoom : { 1.0, 2.0 }) {
        activated.clear();
        diagram->setZoom(zoom);
        QCoreApplication::processEvents();
        QTest::keyClick(diagram, Qt::Key_Home);
        for (int click = 0; click < 2; ++click)
            QTest::mouseClick(diagram, Qt::LeftButton, {}, diagram->placeOf(1).toPoint());
        ASSERT_EQ(activated.count(), 2) << zoom;
        EXPECT_EQ(activated.at(0).front().toULongLong(), 1u);
        EXPECT_EQ(activated.at(1).front().toULongLong(), 3u);
    }
}

TEST_F(StateDiagramTest, WhatIsZoomedIsScrolledAndKeepsItsCourse)
{
    QSignalSpy zoomed(diagram, &Drawing::zoomChanged);
    EXPECT_EQ(panel.horizontalScrollBar()->maximum(), 0) << "it fits";
    const auto before = diagram->diagram().size;
    const auto box = diagram->diagram().edges.back().labelBox;
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(diagram, Qt::Key_Plus, Qt::ControlModifier);
    EXPECT_NEAR(diagram->zoom(), 2.07, 0.01);
    EXPECT_EQ(zoomed.count(), 4);
    QCoreApplication::processEvents();
    EXPECT_GT(panel.horizontalScrollBar()->maximum(), 0);
    EXPECT_GT(panel.verticalScrollBar()->maximum(), 0);
    EXPECT_NEAR(diagram->diagram().size.width(), before.width(), 20) << "but for the room of a scroll bar";
    EXPECT_NEAR(diagram->diagram().edges.back().labelBox.top(), box.top(), 40);
    QTest::keyClick(diagram, Qt::Key_Minus, Qt::ControlModifier);
    EXPECT_NEAR(diagram->zoom(), 1.73, 0.01);
    QTest::keyClick(diagram, Qt::Key_0, Qt::ControlModifier);
    EXPECT_EQ(diagram->zoom(), 1);
    QCoreApplication::processEvents();
    EXPECT_EQ(panel.horizontalScrollBar()->maximum(), 0);

    const auto wheel = [&](Qt::KeyboardModifiers modifiers, int by) {
        QWheelEvent event(QPointF(50, 50), diagram->mapToGlobal(QPointF(50, 50)), {}, { 0, by }, {}, modifiers,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(diagram, &event);
    };
    wheel(Qt::ControlModifier, 120);
    EXPECT_GT(diagram->zoom(), 1.1);
    wheel({}, 120);
    EXPECT_LT(diagram->zoom(), 1.3) << "without Ctrl it scrolls";
    for (int i = 0; i < 40; ++i)
        wheel(Qt::ControlModifier, 120);
    EXPECT_EQ(diagram->zoom(), 3);
    for (int i = 0; i < 40; ++i)
        wheel(Qt::ControlModifier, -120);
    EXPECT_EQ(diagram->zoom(), 0.5);
}

TEST_F(StateDiagramTest, AFileOfItIsAPictureInTheColoursOfTheTheme)
{
    const auto title = QStringLiteral("outbox_messages · <evt_1> & “co”: DEAD");
    for (const auto scheme : { Scheme::Light, Scheme::Dark }) {
        theme.setScheme(scheme);
        ASSERT_TRUE(diagram->save(fileOf("state.png"), title));
        const QImage image(fileOf("state.png"));
        ASSERT_FALSE(image.isNull());
        EXPECT_GT(image.width(), 2 * int(narrowestDiagram) - 1);
        EXPECT_EQ(image.pixelColor(0, 0), theme.color(Role::Surface));
        EXPECT_GT(inkOf(image), 2'000);
        EXPECT_EQ(image.text(QStringLiteral("Title")), title);

        ASSERT_TRUE(diagram->save(fileOf("state.svg"), title));
        QSvgRenderer renderer(fileOf("state.svg"));
        ASSERT_TRUE(renderer.isValid());
        const auto size = renderer.defaultSize();
        EXPECT_NEAR(double(size.width()) / size.height(), double(image.width()) / image.height(), 0.01);
        QImage drawn(size, QImage::Format_ARGB32);
        QPainter painter(&drawn);
        renderer.render(&painter);
        EXPECT_GT(inkOf(drawn), 2'000);
        QFile file(fileOf("state.svg"));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const auto words = QString::fromUtf8(file.readAll());
        EXPECT_TRUE(words.contains(QStringLiteral("<title>outbox_messages · &lt;evt_1&gt; &amp; “co”: DEAD</title>")));
        EXPECT_TRUE(words.contains(QStringLiteral("attempt 2")));
        EXPECT_TRUE(words.contains(theme.color(Role::Surface).name()));
    }
    const QImage untitled = [this] {
        EXPECT_TRUE(diagram->save(fileOf("untitled.png"), {}));
        return QImage(fileOf("untitled.png"));
    }();
    EXPECT_LT(untitled.height(), QImage(fileOf("state.png")).height()) << "the title has a line of its own";
}

TEST_F(StateDiagramTest, AFileThatCannotBeWrittenIsAnErrorAndLeavesNothing)
{
    EXPECT_EQ(diagram->save(fileOf("state.txt"), {}).error().failure, Failure::Invalid);
    EXPECT_FALSE(QFileInfo::exists(fileOf("state.txt")));
    for (const char* path : { "/proc/state.svg", "/proc/state.png" })
        EXPECT_FALSE(diagram->save(QLatin1String(path), {})) << path;

    DrawingTools tools(*diagram, nullptr);
    tools.setTitle([] { return QStringLiteral("one"); }, QStringLiteral("state"));
    QSignalSpy failed(&tools, &DrawingTools::failed);
    QSignalSpy saved(&tools, &DrawingTools::saved);
    tools.save(QStringLiteral("/proc/state.svg"));
    EXPECT_EQ(failed.count(), 1);
    tools.save(fileOf("state.svg"));
    ASSERT_EQ(saved.count(), 1);
    EXPECT_EQ(saved.front().front().toString(), fileOf("state.svg"));
    EXPECT_TRUE(QSvgRenderer(fileOf("state.svg")).isValid());
}

} // namespace
} // namespace fencepost::ui
