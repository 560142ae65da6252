// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QFile>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTextEdit>

#include "tests/app/console/console_fixture.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/link.h"
#include "ui/pages/table_page.h"
#include "ui/shell/palette.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/figure_tile.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

class WindowTest : public ConsoleFixture {
protected:
    QLineEdit* search() const { return window->findChild<QLineEdit*>(QStringLiteral("search")); }

    static int coloursOf(const QImage& image)
    {
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3)
                colours.insert(image.pixel(x, y));
        }
        return static_cast<int>(colours.size());
    }

    // What a screen reader would say of each control that is visible, or the control's class where it would say
    // nothing.
    static QStringList namelessIn(const QWidget& root)
    {
        QStringList nameless;
        for (QWidget* widget : root.findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget)
                || qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget)
                || qobject_cast<QAbstractItemView*>(widget) || qobject_cast<QTextEdit*>(widget)
                || qobject_cast<QPlainTextEdit*>(widget);
            // Parts that Qt puts into other controls are spoken with those.
            const bool inner = widget->objectName().startsWith(QLatin1String("qt_"))
                || qobject_cast<QComboBox*>(widget->parent()) || qobject_cast<QTabBar*>(widget->parent())
                || qobject_cast<QAbstractItemView*>(widget->parent()) || widget->inherits("QComboBoxPrivateContainer")
                || widget->inherits("QComboBoxListView")
                || (widget->parentWidget() && widget->parentWidget()->inherits("QComboBoxPrivateContainer"))
                || widget->inherits("QLineEditIconButton");
            if (!control || inner || !widget->isVisible())
                continue;
            const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
            if (!spoken || spoken->text(QAccessible::Name).trimmed().isEmpty())
                nameless += QStringLiteral("%1 “%2” in %3")
                                .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                                    widget->parentWidget() ? widget->parentWidget()->objectName() : QString());
        }
        return nameless;
    }
};

TEST_F(WindowTest, CtrlEndReachesTheLastRowOfWhatWasNotReadYet)
{
    test::TempDatabase database(store::Dialect::Sqlite);
    {
        const auto connection = database.connect();
        ASSERT_TRUE(connection && test::fillRecords(**connection, 5'000, SystemClock().now(), true));
    }
    const auto id = desk->connections().add({ .name = QStringLiteral("many"),
        .environment = models::Environment::Local,
        .url = QString::fromStdString(database.url()) });
    ASSERT_TRUE(id);
    desk->open(*id);
    ASSERT_TRUE(testing::eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
    window->openPage(QStringLiteral("keys"));
    ASSERT_TRUE(settle());
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    auto* model = page->model();
    ASSERT_TRUE(testing::eventually([&] { return model->rowCount() > 0 && !model->busy(); }));
    const auto whole = model->estimatedSize().value;
    ASSERT_LT(model->rowCount(), whole) << "the last rows are not there yet";
    auto* view = page->findChild<ui::GridView*>();
    ASSERT_NE(view, nullptr);
    view->setFocus();
    QTest::keyClick(view, Qt::Key_End, Qt::ControlModifier);
    EXPECT_TRUE(testing::eventually([&] {
        return model->firstPosition() + view->currentRow() == whole - 1
            && view->verticalScrollBar()->value() == view->verticalScrollBar()->maximum();
    })) << model->firstPosition()
        << " + " << view->currentRow();
}

TEST_F(WindowTest, EveryPageOpensInBothThemesAndShowsSomething)
{
    openDemo();
    for (const ui::Scheme scheme : { ui::Scheme::Light, ui::Scheme::Dark }) {
        theme.setScheme(scheme);
        for (const ui::PageEntry& page : ui::pages()) {
            window->openPage(QLatin1String(page.id));
            ASSERT_TRUE(settle()) << page.id;
            EXPECT_EQ(window->currentPage(), QLatin1String(page.id));
            ASSERT_NE(window->page(), nullptr) << page.id;
            EXPECT_GT(coloursOf(window->page()->grab().toImage()), 12) << page.id;
            EXPECT_EQ(banner(), QString()) << page.id;
        }
    }
}

TEST_F(WindowTest, WithoutAConnectionPagesSaySoAndLeadToConnections)
{
    window->openPage(QStringLiteral("keys"));
    EXPECT_EQ(window->page(), nullptr);
    window->openPage(QStringLiteral("connections"));
    EXPECT_NE(window->page(), nullptr);
}

TEST_F(WindowTest, EveryCommandIsFoundInThePalette)
{
    openDemo();
    auto* palette = window->findChild<ui::Palette*>();
    ASSERT_NE(palette, nullptr);
    int found = 0;
    for (const auto& entry : window->commands().entries()) {
        if (entry.reach == ui::Reach::Focus || entry.id == QLatin1String("palette"))
            continue;
        press("palette");
        search()->clear();
        QTest::keyClicks(search(), QString(entry.title).remove(QChar(0x2026)));
        const auto& offers = palette->offers();
        EXPECT_TRUE(std::any_of(offers.begin(), offers.end(), [&entry](const auto& offer) {
            return offer.title == entry.title;
        })) << qPrintable(entry.title);
        ++found;
    }
    EXPECT_GT(found, 25);
}

TEST_F(WindowTest, PaletteRunsTheChosenCommandAndGivesTheKeysBack)
{
    openDemo();
    window->activateWindow();
    ASSERT_TRUE(testing::eventually([this] { return window->isActiveWindow(); }));
    QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
    ASSERT_TRUE(search()->hasFocus());
    QTest::keyClicks(search(), QStringLiteral("go to conn"));
    QTest::keyClick(search(), Qt::Key_Down);
    QTest::keyClick(search(), Qt::Key_Up);
    auto* palette = window->findChild<ui::Palette*>();
    ASSERT_FALSE(palette->offers().empty());
    // The typed text as a key comes first; the command is the first that is no key.
    while (palette->offers().size() > 1 && window->currentPage() != QLatin1String("connections")) {
        const auto& offers = palette->offers();
        const auto row = std::find_if(offers.begin(), offers.end(),
            [](const auto& offer) { return offer.title == QLatin1String("Go to Connections"); });
        ASSERT_NE(row, offers.end());
        for (auto step = offers.begin(); step != row; ++step)
            QTest::keyClick(search(), Qt::Key_Down);
        QTest::keyClick(search(), Qt::Key_Return);
        break;
    }
    EXPECT_EQ(window->currentPage(), QStringLiteral("connections"));
    EXPECT_FALSE(palette->isVisible());
    EXPECT_TRUE(search()->text().isEmpty());
    EXPECT_FALSE(search()->hasFocus());
}

TEST_F(WindowTest, TypedTextIsOfferedAsAKeyAndQuoted)
{
    openDemo();
    press("palette");
    QTest::keyClicks(search(), QStringLiteral("pay \"x\""));
    auto* palette = window->findChild<ui::Palette*>();
    ASSERT_FALSE(palette->offers().empty());
    EXPECT_EQ(palette->offers()[0].title, QStringLiteral("Find “pay \"x\"” in all tables and connections"));
    EXPECT_EQ(palette->offers()[1].title, QStringLiteral("Find the key “pay \"x\"”"));
    QTest::keyClick(search(), Qt::Key_Down);
    QTest::keyClick(search(), Qt::Key_Return);
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_TRUE(settle());
    EXPECT_EQ(banner(), QString());
}

TEST_F(WindowTest, NoTwoShortcutsAreTheSameOrHideEachOther)
{
    const auto& entries = window->commands().entries();
    for (const auto& one : entries) {
        const QKeySequence keys = one.action->shortcut();
        if (keys.isEmpty())
            continue;
        for (const auto& other : entries) {
            const QKeySequence others = other.action->shortcut();
            if (&one == &other || others.isEmpty())
                continue;
            EXPECT_EQ(keys.matches(others), QKeySequence::NoMatch)
                << qPrintable(one.title) << " and " << qPrintable(other.title);
        }
    }
    EXPECT_FALSE(window->commands().remap("reload", QKeySequence(QStringLiteral("T"))).isEmpty());
    EXPECT_TRUE(window->commands().remap("reload", QKeySequence(QStringLiteral("F5"))).isEmpty());
}

TEST_F(WindowTest, ShortcutSheetNamesEveryCommand)
{
    press("sheet");
    auto* sheet = dialog<ui::ShortcutSheet>();
    ASSERT_NE(sheet, nullptr);
    QStringList words;
    for (const QLabel* label : sheet->findChildren<QLabel*>())
        words += label->text();
    for (const auto& entry : window->commands().entries())
        EXPECT_TRUE(words.contains(entry.title)) << qPrintable(entry.title);
}

TEST_F(WindowTest, SingleKeysAreTypedWhereATextFieldHasTheFocus)
{
    window->activateWindow();
    ASSERT_TRUE(testing::eventually([this] { return window->isActiveWindow(); }));
    window->setFocus();
    QTest::keyClick(window.get(), Qt::Key_T);
    EXPECT_EQ(theme.scheme(), ui::Scheme::Dark);
    search()->setFocus();
    QTest::keyClicks(search(), QStringLiteral("tz"));
    EXPECT_EQ(theme.scheme(), ui::Scheme::Dark);
    EXPECT_EQ(search()->text(), QStringLiteral("tz"));
    EXPECT_EQ(zone.value().name(), QStringLiteral("UTC"));
    QTest::keyClick(search(), Qt::Key_Escape);
    EXPECT_TRUE(search()->text().isEmpty());
    QTest::keyClick(window.get(), Qt::Key_T);
    EXPECT_EQ(theme.scheme(), ui::Scheme::Light);
}

TEST_F(WindowTest, EscClosesTheListOnTopAndNothingBehindIt)
{
    openDemo();
    window->openPage(QStringLiteral("flows"));
    ASSERT_TRUE(settle());
    window->activateWindow();
    ASSERT_TRUE(testing::eventually([this] { return window->isActiveWindow(); }));
    const auto escape = [] { QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape); };
    auto* tables = window->page()->findChild<QComboBox*>();
    ASSERT_NE(tables, nullptr);
    tables->showPopup();
    QTest::keyClick(tables->view(), Qt::Key_Escape);
    EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
    EXPECT_EQ(window->currentPage(), QStringLiteral("flows"));

    QMenu menu(window.get());
    menu.addAction(QStringLiteral("one"));
    menu.popup({});
    escape();
    EXPECT_FALSE(menu.isVisible());
    EXPECT_EQ(window->currentPage(), QStringLiteral("flows"));

    QCompleter words({ QStringLiteral("stuck"), QStringLiteral("state") });
    QLineEdit box(window.get());
    box.setCompleter(&words);
    box.show();
    box.setFocus();
    QTest::keyClicks(&box, QStringLiteral("st"));
    ASSERT_TRUE(words.popup()->isVisible());
    escape();
    EXPECT_FALSE(words.popup()->isVisible());
    EXPECT_EQ(window->currentPage(), QStringLiteral("flows"));

    window->setFocus();
    QTest::keyClick(window.get(), Qt::Key_Escape);
    EXPECT_EQ(window->currentPage(), QStringLiteral("overview"));
}

TEST_F(WindowTest, ADatabaseThatNothingFitsSaysHowItsTablesAreMapped)
{
    QFile empty(files.filePath(QStringLiteral("empty.db")));
    ASSERT_TRUE(empty.open(QIODevice::WriteOnly));
    empty.close();
    ASSERT_TRUE(desk->openFile(empty.fileName()));
    ASSERT_TRUE(testing::eventually([this] { return desk->session()->bindingsRead(); }));
    window->openPage(QStringLiteral("overview"));
    ASSERT_TRUE(settle());
    QString said;
    for (const auto* state : window->page()->findChildren<ui::EmptyState*>())
        if (state->isVisible())
            said = state->accessibleDescription();
    EXPECT_TRUE(said.contains(QStringLiteral("Map this table…"))) << qPrintable(said);
    EXPECT_TRUE(said.contains(QStringLiteral("profiles detect --read-as TABLE=PROFILE"))) << qPrintable(said);
}

TEST_F(WindowTest, TheDockOfOperationsOpensAsHighAsWhatItSays)
{
    openDemo();
    press("activity");
    testing::handleEvents();
    auto* dock = window->findChild<QWidget*>(QStringLiteral("bottomDock"));
    ASSERT_TRUE(dock && dock->isVisible());
    auto* operations = dock->findChild<QScrollArea*>();
    ASSERT_NE(operations, nullptr);
    EXPECT_EQ(operations->verticalScrollBar()->maximum(), 0) << dock->height();
}

TEST_F(WindowTest, ArmsForAReasonCountsDownAndDisarms)
{
    openDemo(models::Environment::Production);
    auto* arming = window->findChild<QAbstractButton*>(QStringLiteral("arming"));
    EXPECT_TRUE(arming->text().contains(QStringLiteral("Read-only")));
    QTest::mouseClick(arming, Qt::LeftButton);
    auto* arm = dialog<ui::ArmDialog>();
    ASSERT_NE(arm, nullptr);
    QPushButton* act = nullptr;
    for (QPushButton* button : arm->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Arm demo for 15 minutes"))
            act = button;
    }
    ASSERT_NE(act, nullptr);
    EXPECT_FALSE(act->isEnabled());
    EXPECT_FALSE(act->isDefault());
    QTest::keyClicks(arm->findChild<QLineEdit*>(), QStringLiteral("INC-1: two stuck payments"));
    QTest::mouseClick(act, Qt::LeftButton);
    ASSERT_TRUE(testing::eventually([this] { return desk->session()->armed(); })) << qPrintable(banner());
    EXPECT_TRUE(arming->text().contains(QStringLiteral("Armed 1"))) << qPrintable(arming->text());
    EXPECT_TRUE(arming->toolTip().contains(QStringLiteral("INC-1")));
    QTest::mouseClick(arming, Qt::LeftButton);
    EXPECT_FALSE(desk->session()->armed());
    EXPECT_TRUE(arming->text().contains(QStringLiteral("Read-only")));
}

TEST_F(WindowTest, AReadOnlyConnectionCannotBeArmedAndSaysWhy)
{
    openDemo(models::Environment::Production, true);
    const QAction* arm = window->commands().action("arm");
    EXPECT_FALSE(arm->isEnabled());
    EXPECT_TRUE(arm->toolTip().contains(QStringLiteral("cannot be armed"))) << qPrintable(arm->toolTip());
}

TEST_F(WindowTest, ProductionIsNamedInTheTitle)
{
    openDemo(models::Environment::Production);
    EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("PRODUCTION")));
    EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("demo")));
}

TEST_F(WindowTest, OverviewFiguresLeadToTheRows)
{
    openDemo();
    ASSERT_TRUE(settle());
    ui::FigureTile* stuck = nullptr;
    for (ui::FigureTile* tile : window->findChildren<ui::FigureTile*>()) {
        if (tile->text() == QStringLiteral("Stuck"))
            stuck = tile;
    }
    ASSERT_NE(stuck, nullptr);
    // A count that ran out of its time is no figure yet; the next refresh counts again.
    EXPECT_TRUE(testing::eventually([&] {
        window->page()->reload();
        return stuck->figure().toInt() > 0;
    }));
    QTest::mouseClick(stuck, Qt::LeftButton);
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_TRUE(settle());
    EXPECT_EQ(banner(), QString());
}

TEST_F(WindowTest, EveryControlHasANameForScreenReaders)
{
    openDemo();
    for (const ui::PageEntry& page : ui::pages()) {
        window->openPage(QLatin1String(page.id));
        ASSERT_TRUE(settle());
        EXPECT_EQ(namelessIn(*window).join(QLatin1Char('\n')), QString()) << page.id;
    }
    for (const char* command : { "sheet", "arm", "zone-choose", "connection-add", "alert-add" }) {
        press(command);
        auto* shown = dialog<QDialog>();
        ASSERT_NE(shown, nullptr) << command;
        EXPECT_EQ(namelessIn(*shown).join(QLatin1Char('\n')), QString()) << command;
        shown->reject();
        testing::handleEvents();
    }
}

TEST_F(WindowTest, LayoutIsKeptAndReset)
{
    press("rail");
    press("activity");
    const QJsonObject kept = window->arrangement();
    ui::MainWindow second(*desk, theme, zone);
    second.setArrangement(kept);
    EXPECT_EQ(second.arrangement()[QStringLiteral("collapsed")], true);
    EXPECT_EQ(second.arrangement()[QStringLiteral("activity")], true);
    second.commands().action("reset-layout")->trigger();
    EXPECT_EQ(second.arrangement()[QStringLiteral("collapsed")], false);
    EXPECT_EQ(second.arrangement()[QStringLiteral("activity")], false);
}

TEST_F(WindowTest, ZoneIsChosenFromTheDatabaseOfZones)
{
    press("zone-choose");
    auto* chooser = dialog<ui::ZoneDialog>();
    ASSERT_NE(chooser, nullptr);
    QTest::keyClicks(chooser->findChild<QLineEdit*>(), QStringLiteral("Kathmandu"));
    QTest::keyClick(chooser, Qt::Key_Return);
    EXPECT_EQ(zone.value().name(), QStringLiteral("Asia/Kathmandu"));
    testing::handleEvents();

    press("zone-choose");
    chooser = dialog<ui::ZoneDialog>();
    ASSERT_NE(chooser, nullptr);
    QTest::keyClicks(chooser->findChild<QLineEdit*>(), QStringLiteral("Nowhere"));
    QStringList words;
    for (const QLabel* label : chooser->findChildren<QLabel*>())
        if (label->isVisible())
            words += label->text();
    EXPECT_TRUE(words.contains(QStringLiteral("No zone has “Nowhere” in its name.")))
        << qPrintable(words.join(QStringLiteral(" | ")));
    for (const QPushButton* button : chooser->findChildren<QPushButton*>())
        EXPECT_EQ(button->isEnabled(), button->text() == QStringLiteral("Cancel")) << qPrintable(button->text());
}

TEST_F(WindowTest, ALinkOpensItsConnectionAndPage)
{
    openDemo();
    desk->close();
    window->openLink(
        { .connection = QStringLiteral("demo"), .page = QStringLiteral("keys"), .filter = QStringLiteral("stuck") });
    ASSERT_TRUE(
        testing::eventually([this] { return window->currentPage() == QLatin1String("keys") && window->page(); }));
    EXPECT_TRUE(settle());
    EXPECT_EQ(banner(), QString());
}

TEST_F(WindowTest, WhatIsSaidOfARefusedLinkEndsWithTheNextThatIsFollowed)
{
    openDemo();
    window->openLink({ .connection = QStringLiteral("nowhere"), .page = QStringLiteral("keys") });
    EXPECT_NE(banner(), QString());
    window->openLink({ .connection = QStringLiteral("demo"), .page = QStringLiteral("keys") });
    EXPECT_TRUE(settle());
    EXPECT_EQ(window->currentPage(), QLatin1String("keys"));
    EXPECT_EQ(banner(), QString());
}

// Whoever is sent the link sees the time of the incident.
TEST_F(WindowTest, ALinkToAPageThatLooksBackKeepsItsTime)
{
    openDemo();
    const QString link = QStringLiteral("fencepost://demo/flows?from=2026-01-01T10:00:00Z&until=2026-01-01T11:00:00Z");
    window->openLink(*ui::parseLink(link));
    ASSERT_TRUE(
        testing::eventually([this] { return window->currentPage() == QLatin1String("flows") && window->page(); }));
    EXPECT_TRUE(settle());
    window->page()->run("copy-link");
    const auto copied = ui::parseLink(QApplication::clipboard()->text());
    ASSERT_TRUE(copied) << qPrintable(QApplication::clipboard()->text());
    EXPECT_EQ(copied->page, QStringLiteral("flows"));
    EXPECT_EQ(copied->range, ui::parseLink(link)->range);
}

// What the command line named is no saved connection, and a link to it is followed all the same.
TEST_F(WindowTest, ALinkIsFollowedInWhatTheCommandLineOpened)
{
    openDemo();
    ASSERT_TRUE(desk->openUrl(
        QStringLiteral("sqlite:") + demoFile(), QStringLiteral("named"), Error{ Failure::NotFound, "none", {}, {} }));
    ASSERT_EQ(desk->openId(), QString());
    window->openLink(
        { .connection = QStringLiteral("named"), .page = QStringLiteral("keys"), .filter = QStringLiteral("stuck") });
    ASSERT_TRUE(testing::eventually([this] {
        return window->currentPage() == QLatin1String("keys") && window->page();
    })) << qPrintable(banner());
    EXPECT_TRUE(settle());
    EXPECT_EQ(banner(), QString());
    EXPECT_EQ(desk->session()->status().name, QStringLiteral("named"));
}

// What leads nowhere is said at once, and waits for no connection that is opened later.
TEST_F(WindowTest, ALinkThatLeadsNowhereIsSaidAndForgotten)
{
    openDemo();
    desk->close();
    const auto follow = [this](const char* connection, const char* page, const char* binding, const char* filter) {
        window->openLink({ .connection = QLatin1String(connection),
            .page = QLatin1String(page),
            .binding = QLatin1String(binding),
            .filter = QLatin1String(filter) });
        testing::handleEvents();
        return banner();
    };
    EXPECT_TRUE(follow("nosuch", "keys", "idempotency_records", "held").contains(QStringLiteral("nosuch")));
    EXPECT_EQ(desk->session(), nullptr);
    EXPECT_TRUE(follow("demo", "kyes", "", "").contains(QStringLiteral("no page called kyes")));
    EXPECT_TRUE(follow("demo", "keys", "", "held and").contains(QStringLiteral("filter of the link")));
    EXPECT_EQ(desk->session(), nullptr) << "nothing was opened for it";
    const auto* demo = desk->connections().named(QStringLiteral("demo"));
    ASSERT_NE(demo, nullptr);
    desk->open(demo->id);
    ASSERT_TRUE(testing::eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
    EXPECT_TRUE(settle());
    EXPECT_NE(window->currentPage(), QLatin1String("keys")) << "an earlier link leads here";
    follow("demo", "keys", "nowhere", "held");
    EXPECT_TRUE(testing::eventually([this] { return banner().contains(QStringLiteral("no table nowhere")); }))
        << qPrintable(banner());
    EXPECT_NE(window->currentPage(), QLatin1String("keys"));
}

TEST_F(WindowTest, TheTopBarStandsStillWhileItsButtonsSpeak)
{
    openDemo();
    testing::handleEvents();
    auto* arming = window->findChild<QAbstractButton*>(QStringLiteral("arming"));
    auto* live = window->findChild<QAbstractButton*>(QStringLiteral("live"));
    ASSERT_TRUE(arming && live);
    const auto places = [&] { return std::vector{ search()->geometry(), live->geometry(), arming->geometry() }; };
    const auto before = places();
    press("live");
    testing::handleEvents();
    EXPECT_EQ(places(), before);
    ASSERT_TRUE(desk->session()->arm(std::chrono::minutes(15), QStringLiteral("INC-1"))) << "it can be armed";
    ASSERT_TRUE(testing::eventually([&] { return arming->text().contains(QStringLiteral("Armed")); }));
    testing::handleEvents();
    EXPECT_EQ(places(), before);
}

TEST_F(WindowTest, InstantsAreWholeInEveryZone)
{
    openDemo();
    window->openPage(QStringLiteral("keys"));
    ASSERT_TRUE(settle());
    auto* front = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_TRUE(front && front->model());
    const auto& view = front->grid().view();
    const auto* model = front->model();
    int instants = 0;
    for (const char* name : { "UTC", "Asia/Kolkata" }) {
        zone.set(*models::Zone::named(QLatin1String(name)));
        testing::handleEvents();
        for (int column = 0; column < model->columnCount(); ++column) {
            const auto id = model->headerData(column, Qt::Horizontal, models::RowsModelBase::ColumnIdRole).toString();
            if (id != QLatin1String("created") && id != QLatin1String("expires"))
                continue;
            const auto words = model->index(0, column).data().toString();
            EXPECT_GE(view.columnWidth(column), QFontMetrics(theme.font(ui::Text::Mono)).horizontalAdvance(words) + 22)
                << qPrintable(words);
            ++instants;
        }
    }
    EXPECT_EQ(instants, 4);
}

TEST_F(WindowTest, WhatIsLeftOutOfASelectionIsAlwaysReadable)
{
    openDemo();
    window->openPage(QStringLiteral("keys"));
    window->page()->show({}, QStringLiteral("not held"));
    ASSERT_TRUE(settle());
    auto* front = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_TRUE(front && front->model());
    const auto* clear = front->findChild<QPushButton*>(QStringLiteral("clearSelection"));
    EXPECT_FALSE(clear->isVisible());
    press("open-row");
    press("select-all");
    front->model()->toggleSelected(0);
    zone.set(*models::Zone::named(QStringLiteral("Asia/Kolkata")));
    front->model()->toggleSelected(1);
    testing::handleEvents();
    const auto* words = front->findChild<QLabel*>(QStringLiteral("selected"));
    ASSERT_NE(words, nullptr);
    EXPECT_TRUE(words->text().contains(QStringLiteral("except 2\n"))) << qPrintable(words->text());
    EXPECT_GE(words->width(), words->sizeHint().width());
    EXPECT_GE(words->height(), words->sizeHint().height());
    EXPECT_TRUE(clear->isVisible());
}

TEST_F(WindowTest, EscLeadsBackThroughThePagesWithTheirFilters)
{
    openDemo();
    const auto filter = [this] {
        const auto* front = qobject_cast<ui::TablePage*>(window->page());
        return front ? front->filterBar().filter() : QStringLiteral("no table");
    };
    window->openPage(QStringLiteral("keys"));
    window->page()->show({}, QStringLiteral("held"));
    window->openPage(QStringLiteral("stuck"));
    window->openPage(QStringLiteral("stuck"));
    window->openLink(
        { .connection = QStringLiteral("demo"), .page = QStringLiteral("keys"), .filter = QStringLiteral("stuck") });
    ASSERT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_EQ(filter(), QStringLiteral("stuck"));

    press("back");
    EXPECT_EQ(window->currentPage(), QStringLiteral("stuck"));
    press("back");
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_EQ(filter(), QStringLiteral("held"));
    press("back");
    EXPECT_EQ(window->currentPage(), QStringLiteral("overview"));
    press("back");
    EXPECT_EQ(window->currentPage(), QStringLiteral("overview"));
    EXPECT_TRUE(settle());
    EXPECT_EQ(banner(), QString());
}

} // namespace
} // namespace fencepost::app
