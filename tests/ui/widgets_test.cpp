// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFontMetrics>
#include <QImage>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "resources/resources.h"
#include "tests/support/wait.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/payload_view.h"
#include "ui/widgets/stage_bars.h"
#include "ui/words.h"

namespace fencepost::ui {
namespace {

QPushButton* button(QWidget& parent, const QString& text)
{
    for (QPushButton* candidate : parent.findChildren<QPushButton*>()) {
        if (candidate->text() == text && !candidate->isHidden())
            return candidate;
    }
    return nullptr;
}

class WidgetsTest : public ::testing::Test {
protected:
    WidgetsTest()
        : theme((loadResources(), Scheme::Light))
    {
    }
    Theme theme;
};

TEST_F(WidgetsTest, TheListOfAFieldShowsItsEntriesWhole)
{
    theme.applyTo(*qApp);
    for (const int entries : { 2, 7, 20 }) {
        QComboBox box;
        box.setMaxVisibleItems(24);
        for (int i = 0; i < entries; ++i)
            box.addItem(QStringLiteral("table_%1").arg(i));
        box.show();
        box.showPopup();
        testing::handleEvents();
        const auto& view = *box.view();
        EXPECT_GE(view.visualRect(view.model()->index(0, 0)).top(), 0) << entries;
        EXPECT_LT(view.visualRect(view.model()->index(entries - 1, 0)).bottom(), view.viewport()->height()) << entries;
        for (const auto* part : box.findChildren<QWidget*>())
            EXPECT_FALSE(part->inherits("QComboBoxPrivateScroller") && part->isVisible()) << entries;
        box.hidePopup();
    }
}

TEST_F(WidgetsTest, ADropDownListIsAsHighAsItsRowsAndTintsTheOneThatIsChosen)
{
    for (const auto scheme : { Scheme::Dark, Scheme::Light }) {
        theme.setScheme(scheme);
        theme.applyTo(*qApp);
        QComboBox box;
        box.addItems({ QStringLiteral("idempotency_records"), QStringLiteral("inbox"), QStringLiteral("outbox"),
            QStringLiteral("dead_letters") });
        box.setCurrentIndex(1);
        box.show();
        box.showPopup();
        testing::handleEvents();
        auto& view = *box.view();
        const auto row = [&view](int at) { return view.visualRect(view.model()->index(at, 0)); };
        int rows = 0;
        for (int i = 0; i < box.count(); ++i)
            rows += row(i).height();
        EXPECT_GE(row(0).height(), space::denseRow);
        EXPECT_EQ(view.viewport()->height(), rows);
        EXPECT_EQ(view.verticalScrollBar()->maximum(), 0);
        EXPECT_LE(view.window()->height(), rows + 4) << "rows and a frame";
        const auto list = view.grab().toImage();
        const QPoint beside = view.viewport()->pos() + QPoint(row(1).width() - 12, row(1).center().y());
        EXPECT_EQ(list.pixelColor(beside).name(), theme.tint(Role::Accent, 16).name());
        for (const QPoint edge :
            { QPoint(0, 10), QPoint(list.width() - 1, 10), QPoint(20, 0), QPoint(20, list.height() - 1) })
            EXPECT_EQ(list.pixelColor(edge).name(), theme.color(Role::Edge).name()) << edge.x() << ' ' << edge.y();
        box.hidePopup();
    }
}

TEST_F(WidgetsTest, BannerSaysWhatWasTriedWhatHappenedAndWhatWasChanged)
{
    ErrorBanner banner(theme);
    banner.report(QStringLiteral("load the keys"),
        { Failure::Unavailable, "The server closed the connection.", "server closed", "57P01" });
    EXPECT_FALSE(banner.isHidden());
    EXPECT_TRUE(banner.sentence().contains(QStringLiteral("Could not load the keys.")));
    EXPECT_TRUE(banner.sentence().contains(QStringLiteral("The server closed the connection.")));
    EXPECT_TRUE(banner.sentence().contains(QStringLiteral("Nothing was changed.")));
}

TEST_F(WidgetsTest, BannerButtonFollowsFromTheFailure)
{
    ErrorBanner banner(theme);
    QSignalSpy acted(&banner, &ErrorBanner::acted);
    banner.report(QStringLiteral("fence 3 owners"), { Failure::InDoubt, "The answer was lost.", {}, {} });
    QPushButton* lookUp = button(banner, QStringLiteral("Look up"));
    ASSERT_NE(lookUp, nullptr);
    QTest::mouseClick(lookUp, Qt::LeftButton);
    ASSERT_EQ(acted.count(), 1);
    EXPECT_TRUE(banner.sentence().contains(QStringLiteral("It may have been changed")));

    banner.report(QStringLiteral("read the filter"), { Failure::Invalid, "at 7: unknown field", {}, {} });
    for (const char* name : { "Retry", "Reload", "Look up", "Connections" })
        EXPECT_EQ(button(banner, QLatin1String(name)), nullptr) << name;
}

TEST_F(WidgetsTest, ReportHasTheServersWordsAndNoSecret)
{
    ErrorBanner banner(theme);
    banner.report(QStringLiteral("connect"),
        { Failure::Denied, "The server refused the password.",
            "connection to postgresql://ann:hunter2@db1/orders failed, password='s3cret word' token: abc123",
            "28P01" });
    QTest::mouseClick(button(banner, QStringLiteral("Copy report")), Qt::LeftButton);
    const QString report = QApplication::clipboard()->text();
    EXPECT_TRUE(report.contains(QStringLiteral("28P01")));
    EXPECT_TRUE(report.contains(QStringLiteral("db1/orders")));
    for (const char* secret : { "hunter2", "s3cret", "abc123" })
        EXPECT_FALSE(report.contains(QLatin1String(secret))) << secret;
    EXPECT_FALSE(banner.sentence().contains(QStringLiteral("hunter2")));
}

TEST_F(WidgetsTest, MarkupInAServersMessageIsShownAsText)
{
    ErrorBanner banner(theme);
    banner.report(QStringLiteral("load"), { Failure::Unavailable, "<img src=x> & <b>bold</b>", {}, {} });
    EXPECT_TRUE(banner.sentence().contains(QStringLiteral("<img src=x> & "))) << "as it was said";
    for (const auto* label : banner.findChildren<QLabel*>())
        EXPECT_FALSE(label->text().contains(QStringLiteral("<img")) && label->textFormat() != Qt::PlainText)
            << "markup that Qt would carry out";
}

TEST_F(WidgetsTest, TheBannersPictureFollowsTheScheme)
{
    ErrorBanner banner(theme);
    banner.tell("warning", QStringLiteral("The connection is lost"));
    const auto picture = [&banner] {
        for (const auto* label : banner.findChildren<QLabel*>())
            if (!label->pixmap().isNull())
                return label->pixmap().toImage();
        return QImage();
    };
    const auto before = picture();
    ASSERT_FALSE(before.isNull());
    theme.setScheme(theme.scheme() == Scheme::Light ? Scheme::Dark : Scheme::Light);
    EXPECT_NE(picture(), before);
}

TEST_F(WidgetsTest, EveryEmptinessHasAPictureOfItsOwn)
{
    std::vector<QImage> seen;
    EmptyState state(theme);
    state.resize(480, 320);
    for (const Emptiness emptiness : { Emptiness::NoRows, Emptiness::Filtered, Emptiness::TableMissing,
             Emptiness::NoPermission, Emptiness::NotLoaded, Emptiness::ConnectionLost, Emptiness::Good }) {
        state.show(emptiness, QStringLiteral("Title"), QStringLiteral("Why"), QStringLiteral("Next"));
        const QImage image = state.grab().toImage();
        for (const QImage& other : seen)
            EXPECT_NE(image, other) << static_cast<int>(emptiness);
        seen.push_back(image);
    }
}

TEST_F(WidgetsTest, ProductionBandHasNoWordOnAStroke)
{
    EnvironmentBand band(theme);
    band.resize(800, 24);
    band.show(QStringLiteral("production"), QStringLiteral("orders-prod"));
    const QImage image = band.grab().toImage();
    EXPECT_EQ(image.pixelColor(band.width() / 40, 1), theme.color(Role::DangerFill));
    bool hatched = false;
    for (int x = 600; x < 620; ++x)
        hatched = hatched || image.pixelColor(x, 12) != theme.color(Role::DangerFill);
    EXPECT_TRUE(hatched);
}

TEST_F(WidgetsTest, APayloadIsAsHighAsItsLinesAndAsNarrowAsItsPlace)
{
    theme.applyTo(*qApp);
    QScrollArea area;
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    Payload payload;
    payload.name = "response_body";
    payload.contentType = "application/json";
    payload.bytes = R"({"card_number":"4242","password":"p","authorization":"Bearer x","email":"a@b.c"})";
    payload.bytes += std::string(200, ' ');
    payload.size = 64 * 1024 * 1024;
    std::vector<PayloadView*> views;
    for (int i = 0; i < 6; ++i) {
        views.push_back(new PayloadView(theme, column));
        views.back()->setPayload(payload);
        layout->addWidget(views.back());
    }
    area.setWidgetResizable(true);
    area.setWidget(column);
    area.resize(380, 500);
    area.show();
    QApplication::processEvents();
    EXPECT_LE(column->width(), area.viewport()->width()) << "nothing runs off to the right";
    const int line = QFontMetrics(theme.font(Text::Mono)).lineSpacing();
    for (const PayloadView* view : views) {
        EXPECT_FALSE(view->hidden().empty());
        EXPECT_GE(view->findChild<QPlainTextEdit*>()->height(), 6 * line);
    }
}

TEST_F(WidgetsTest, TheFrameOfAnUnknownStateIsAroundItsWord)
{
    const StateBadge badge{ .state = "SOMETHING_ELSE" };
    const int words = QFontMetrics(theme.font(Text::Body)).horizontalAdvance(stateLook(badge.state).word);
    ASSERT_TRUE(stateLook(badge.state).dotted);
    EXPECT_GE(theme.widthOf(badge), space::tiny + space::icon + space::small + words + space::tiny);
}

TEST_F(WidgetsTest, TheBarsOfStagesTellWhatBecameOfTheirRows)
{
    ReplayProgress progress;
    progress.stage = 1;
    progress.stages = { { .rows = 1, .changed = 1, .succeeded = 1 },
        { .rows = 4, .changed = 2, .skipped = 1, .deadAgain = 1, .pending = 1 }, { .rows = 20 } };
    StageBars bars(theme);
    bars.setProgress(progress);
    EXPECT_EQ(bars.wordsOf(0), QStringLiteral("1 row · 1 succeeded"));
    EXPECT_EQ(bars.wordsOf(1), QStringLiteral("4 rows · 1 died again · 1 pending · 1 skipped"));
    EXPECT_EQ(bars.wordsOf(2), QStringLiteral("20 rows · not yet"));
    bars.resize(600, bars.sizeHint().height());
    const auto picture = bars.grab().toImage();
    const auto ratio = picture.devicePixelRatio();
    const int line = bars.height() / 3;
    int dead = 0;
    int waiting = 0;
    int succeeded = 0;
    int untouched = 0;
    for (int x = 0; x < 600; ++x) {
        const auto at = [&](int stage) {
            return picture.pixelColor(int(x * ratio), int((stage * line + line / 2) * ratio));
        };
        succeeded += at(0) == theme.color(Role::Succeeded) ? 1 : 0;
        dead += at(1) == theme.color(Role::FailedFinal) ? 1 : 0;
        waiting += at(1) == theme.color(Role::InProgress) ? 1 : 0;
        untouched += at(2) == theme.color(Role::Succeeded) || at(2) == theme.color(Role::InProgress) ? 1 : 0;
    }
    EXPECT_NEAR(succeeded, 240, 4) << "the whole bar";
    EXPECT_NEAR(dead, 60, 4) << "a quarter of it";
    EXPECT_NEAR(waiting, 60, 4);
    EXPECT_EQ(untouched, 0);
    progress.stages[2].changed = 3;
    bars.setProgress(progress);
    EXPECT_EQ(bars.wordsOf(2), QStringLiteral("20 rows · 3 put back")) << "nobody asks what became of them";
}

TEST(WordsTest, CountsSayHowExactTheyAre)
{
    EXPECT_EQ(countText({ 48'211, Exactness::Exact }), QStringLiteral("48\u2009211"));
    EXPECT_EQ(countText({ 10'000, Exactness::AtLeast }), QStringLiteral("≥\u200910\u2009000"));
    EXPECT_EQ(countText({ 0, Exactness::AtLeast }), QStringLiteral("–")) << "at least none says nothing";
    EXPECT_EQ(countText({ 0, Exactness::Exact }), QStringLiteral("0"));
    EXPECT_EQ(countText({ 2'412'345, Exactness::Estimate }), QStringLiteral("≈\u20092.4M"));
    EXPECT_EQ(countText({ 240, Exactness::Estimate }), QStringLiteral("≈\u2009240"));
    EXPECT_EQ(numberText(-1'234'567), QStringLiteral("-1\u2009234\u2009567"));
    EXPECT_EQ(numberText(-123), QStringLiteral("-123"));
    EXPECT_EQ(counted(1, QStringLiteral("row"), QStringLiteral("rows")), QStringLiteral("1 row"));
}

TEST(WordsTest, LongIdsKeepBothEnds)
{
    const QString id = QStringLiteral("pay_01HXABCDEFGHJKMNPQRSTVWXYZ9f3c");
    const QString shown = elidedId(id, 16);
    EXPECT_EQ(shown.size(), 16);
    EXPECT_TRUE(shown.startsWith(QStringLiteral("pay_01")));
    EXPECT_TRUE(shown.endsWith(QStringLiteral("9f3c")));
    EXPECT_EQ(elidedId(QStringLiteral("short"), 16), QStringLiteral("short"));
}

TEST(WordsTest, SizesAreReadable)
{
    EXPECT_EQ(sizeText(1), QStringLiteral("1 byte"));
    EXPECT_EQ(sizeText(1536), QStringLiteral("1.5 KiB"));
    EXPECT_EQ(sizeText(64LL << 20), QStringLiteral("64 MiB"));
}

} // namespace
} // namespace fencepost::ui
