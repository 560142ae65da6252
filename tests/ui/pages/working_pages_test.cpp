// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

#include "core/operations/operation.h"
#include "core/operations/plan.h"
#include "tests/support/fake_backend.h"
#include "tests/ui/console_fixture.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/dossier_facts.h"
#include "ui/pages/keys_page.h"
#include "ui/pages/message_pages.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/stuck_page.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/field_list.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/payload_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/timeline.h"

namespace fencepost::ui {
namespace {

using testing::eventually;
using testing::FakeDatabase;

class WorkingPagesTest : public ConsoleFixture {
protected:
    static void waitForRows(const TablePage& page, int rows)
    {
        ASSERT_TRUE(eventually([&] { return page.model()->rowCount() >= rows && !page.model()->loading(); }));
    }
    static void type(TablePage& page, const QString& filter)
    {
        auto& field = page.filterBar().field();
        field.clear();
        QTest::keyClicks(&field, filter);
        QTest::keyClick(&field, Qt::Key_Return);
    }
};

// Ten million computed rows behind the same pages.
class HugeTableTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        loadResources();
        session = std::make_unique<models::Session>(
            models::SessionRequest{
                .name = QStringLiteral("huge"), .openReads = testing::openerOf(database), .actor = "ada@desk" },
            clock);
        session->open();
        ASSERT_TRUE(eventually([this] { return !session->bindings().empty(); }));
        context.emplace(PageContext{
            session.get(), zone, range, theme, navigation, QStringLiteral("huge"), QStringLiteral("local"), nullptr });
        page = std::make_unique<KeysPage>(*context);
        page->resize(1100, 680);
        page->show();
        page->activate();
        page->setLive(false);
        ASSERT_TRUE(eventually([this] { return page->model()->rowCount() > 0 && !page->model()->busy(); }));
    }

    FakeDatabase database{ 10'000'000 };
    SystemClock clock;
    ZoneSetting zone{ models::Zone::utc() };
    RangeSetting range;
    Theme theme{ Scheme::Dark };
    RememberingNavigation navigation;
    std::unique_ptr<models::Session> session;
    std::optional<PageContext> context;
    std::unique_ptr<KeysPage> page;
};

} // namespace

TEST_F(HugeTableTest, SelectingEverythingReadsAndStoresNothing)
{
    const int pages = database.pages();
    const int rows = page->model()->rowCount();
    QTest::keyClick(&page->grid().view(), Qt::Key_A, Qt::ControlModifier);
    EXPECT_TRUE(page->model()->selection().everything());
    EXPECT_EQ(page->model()->selection().size().value, 10'000'000);
    EXPECT_TRUE(page->model()->selection().ranges().empty());
    EXPECT_EQ(database.pages(), pages);
    EXPECT_EQ(page->model()->rowCount(), rows);
    QTest::keyClick(&page->grid().view(), Qt::Key_Escape);
    EXPECT_TRUE(page->model()->selection().empty());
}

TEST_F(HugeTableTest, TheBarReachesTheLastRow)
{
    page->grid().scrollToFraction(1);
    ASSERT_TRUE(eventually([this] { return !page->model()->busy() && page->model()->rowCount() > 0; }));
    EXPECT_EQ(page->model()->rowAt(page->model()->rowCount() - 1).key, FakeDatabase::idOf(0));
    EXPECT_LE(page->model()->rowCount(), models::PageModel::defaultCapacity + 2 * models::PageModel::pageSize);
    page->grid().scrollToFraction(0);
    ASSERT_TRUE(eventually([this] { return !page->model()->busy(); }));
    EXPECT_EQ(page->model()->rowAt(0).key, FakeDatabase::idOf(9'999'999));
}

TEST_F(HugeTableTest, ADraggedBarReadsWhereItEndsAndNotEveryPlaceOnTheWay)
{
    QScrollBar* bar = nullptr;
    for (auto* candidate : page->grid().findChildren<QScrollBar*>()) {
        if (candidate->accessibleName() == QLatin1String("Position in the whole table"))
            bar = candidate;
    }
    ASSERT_NE(bar, nullptr);
    const int pages = database.pages();
    constexpr int places = 400;
    for (int place = 1; place <= places; ++place)
        bar->setValue(int(double(bar->maximum()) * 0.75 * place / places));
    const int wanted = bar->value();
    ASSERT_TRUE(eventually([this] {
        const auto first = page->model()->firstPosition();
        return !page->model()->busy() && first > 7'400'000 && first < 7'600'000;
    })) << page->model()->firstPosition();
    EXPECT_LT(database.pages() - pages, places / 4);
    EXPECT_NEAR(double(bar->value()), double(wanted), double(bar->maximum()) * 0.01);
}

TEST_F(HugeTableTest, KeysMoveSelectAndCopy)
{
    auto& view = page->grid().view();
    view.setCurrentRow(0);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Up);
    EXPECT_EQ(view.currentRow(), 1);
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_EQ(page->model()->selection().size().value, 1);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(page->model()->selection().size().value, 3);
    EXPECT_EQ(page->selection().rows.size(), 3u);
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), FakeDatabase::idOf(9'999'996));
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_EQ(navigation.dossier, std::vector<std::string>{ FakeDatabase::idOf(9'999'996) });
}

TEST_F(HugeTableTest, AMistakeInTheFilterAsksNothingOfTheDatabase)
{
    const int pages = database.pages();
    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("state = BOGUS and stuck"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(field.mistake());
    EXPECT_EQ(field.mistake()->at, 8);
    EXPECT_EQ(page->filterBar().filter(), QString());
    EXPECT_EQ(database.pages(), pages);
}

TEST_F(HugeTableTest, AnAppliedFilterDropsTheSelection)
{
    page->run("select-all");
    ASSERT_FALSE(page->model()->selection().empty());
    auto& field = page->filterBar().field();
    QTest::keyClicks(&field, QStringLiteral("stuck"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_EQ(page->model()->filterText(), QStringLiteral("stuck"));
    EXPECT_TRUE(page->model()->selection().empty());
    page->run("select-all");
    const auto chosen = page->selection();
    EXPECT_TRUE(chosen.all);
    EXPECT_EQ(chosen.filter, QStringLiteral("stuck"));
}

TEST_F(HugeTableTest, ALostConnectionKeepsTheRowsAndSaysOfWhen)
{
    database.lose();
    page->reload();
    ASSERT_TRUE(eventually([this] { return page->model()->stale(); }));
    EXPECT_TRUE(page->grid().showsRows());
    EXPECT_TRUE(page->grid().view().stale());
    EXPECT_TRUE(page->status().stale);
    EXPECT_TRUE(page->filterBar().summary().contains(QStringLiteral("as of")));
    database.restore();
}

TEST_F(HugeTableTest, ColumnsAreChosenAndKeptPerTable)
{
    page->grid().view().setColumnHidden(3, true);
    const auto kept = page->arrangement();
    KeysPage again(*context);
    again.setArrangement(kept);
    again.activate();
    ASSERT_TRUE(eventually([&] { return again.model()->rowCount() > 0; }));
    EXPECT_TRUE(again.grid().view().isColumnHidden(3));
    EXPECT_FALSE(again.grid().view().isColumnHidden(2));
}

TEST_F(HugeTableTest, ColumnsSurviveAFileOfSettings)
{
    auto& view = page->grid().view();
    page->grid().showColumns({ QStringLiteral("key"), QStringLiteral("state"), QStringLiteral("created") });
    const auto written = QJsonDocument(QJsonObject::fromVariantMap(page->arrangement())).toJson();
    KeysPage again(*context);
    again.resize(1100, 680);
    again.setArrangement(QJsonDocument::fromJson(written).object().toVariantMap());
    again.activate();
    ASSERT_TRUE(eventually([&] { return again.model()->rowCount() > 0; }));
    const auto* header = again.grid().view().horizontalHeader();
    EXPECT_EQ(header->logicalIndex(0), view.horizontalHeader()->logicalIndex(0));
    EXPECT_EQ(header->logicalIndex(1), view.horizontalHeader()->logicalIndex(1));
    for (int column = 0; column < header->count(); ++column)
        EXPECT_EQ(header->isSectionHidden(column), view.isColumnHidden(column)) << column;
}

// Where the last column in sight ends, against the view's own edge.
int cutAtTheEdge(const GridView& view)
{
    const auto* header = view.horizontalHeader();
    for (int column = 0; column < header->count(); ++column) {
        const int left = header->sectionViewportPosition(column);
        const int right = left + header->sectionSize(column);
        if (!header->isSectionHidden(column) && left < view.viewport()->width() && right > view.viewport()->width())
            return right - view.viewport()->width();
    }
    return 0;
}

TEST_F(HugeTableTest, NoColumnIsCutAtTheEdgeUntilSomebodyDragsABorder)
{
    auto& view = page->grid().view();
    for (const int width : { 1100, 900, 1313, 1920, 640 }) {
        page->resize(width, 680);
        testing::handleEvents();
        EXPECT_EQ(cutAtTheEdge(view), 0) << width;
    }
    auto* header = view.horizontalHeader();
    const int border = header->sectionViewportPosition(2) + header->sectionSize(2);
    const int before = header->sectionSize(2);
    QTest::mousePress(header->viewport(), Qt::LeftButton, {}, QPoint(border - 1, 10));
    QTest::mouseMove(header->viewport(), QPoint(border + 20, 10));
    QTest::mouseMove(header->viewport(), QPoint(border + 39, 10));
    QTest::mouseRelease(header->viewport(), Qt::LeftButton, {}, QPoint(border + 39, 10));
    const int dragged = header->sectionSize(2);
    EXPECT_GT(dragged, before);
    page->resize(1200, 680);
    testing::handleEvents();
    EXPECT_EQ(header->sectionSize(2), dragged) << "a width that somebody chose stays";
    page->grid().resetColumns();
    EXPECT_EQ(cutAtTheEdge(view), 0);
}

TEST_F(WorkingPagesTest, StuckShowsExactlyTheRowsWhoseLeaseIsPast)
{
    for (int i = 0; i < 37; ++i)
        reserve("stuck-" + std::to_string(i));
    for (int i = 0; i < 20; ++i)
        reserve("live-" + std::to_string(i), Takeover::Auto, std::chrono::hours(1));
    for (int i = 0; i < 20; ++i)
        finalize(reserve("done-" + std::to_string(i)));
    connectSession();
    StuckPage page(*context);
    page.resize(1000, 600);
    page.show();
    page.activate();
    waitForRows(page, 37);
    EXPECT_EQ(page.model()->rowCount(), 37);
    for (int row = 0; row < 37; ++row)
        EXPECT_TRUE(page.model()->rowAt(row).key.starts_with("stuck-"));
    page.grid().view().setCurrentRow(3);
    EXPECT_TRUE(page.why().contains(QStringLiteral("9m"))) << page.why().toStdString();
    EXPECT_TRUE(page.effect().contains(QStringLiteral("can no longer")));
    EXPECT_FALSE(page.suggestion().isEmpty());
}

TEST_F(WorkingPagesTest, ARecordThatWasFencedAlreadyIsSaidToBeFree)
{
    reserve("pay-1");
    auto operators = openBackend(now, store::Access::ReadWrite);
    ASSERT_TRUE(operators);
    const auto bindings = operators->inspector().bindings(true);
    ASSERT_TRUE(bindings);
    const auto keys = std::find_if(
        bindings->begin(), bindings->end(), [](const Binding& binding) { return binding.kind == Kind::Idempotency; });
    ASSERT_NE(keys, bindings->end());
    PlanRequest request{ .verb = "fence" };
    request.identities = { { "payments", "charge", "pay-1" } };
    request.reason = "INC-1";
    request.actor = "ada@desk";
    const auto plan = makePlan(operators->inspector(), *keys, request, random);
    ASSERT_TRUE(plan) << plan.error().message;
    const auto done =
        applyPlan(operators->inspector(), *plan, "ada@desk", [](const auto&, auto, auto) { return true; });
    ASSERT_TRUE(done && done->changed == 1);
    now.advance(Seconds(90));
    connectSession();
    StuckPage page(*context);
    page.resize(1000, 600);
    page.show();
    page.activate();
    waitForRows(page, 1);
    EXPECT_TRUE(page.why().contains(QStringLiteral("It was taken from its worker 1m 30s ago")))
        << page.why().toStdString();
    EXPECT_TRUE(page.suggestion().contains(QStringLiteral("free"))) << page.suggestion().toStdString();
}

TEST_F(WorkingPagesTest, TheStripTellsWhenTheRowsArrivedAndChoosesATime)
{
    for (const char* key : { "a", "b", "c" })
        finalize(reserve(key));
    connectSession();
    KeysPage page(*context);
    page.resize(1000, 700);
    page.show();
    page.activate();
    page.setLive(false);
    waitForRows(page, 3);
    ASSERT_TRUE(eventually([&] { return page.strip()->caption().startsWith(QStringLiteral("3 keys")); }))
        << page.strip()->caption().toStdString();
    type(page, QStringLiteral("state = SUCCEEDED or held"));
    waitForRows(page, 3);
    ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    // Ten minutes ago by the database's clock: within the last of the stretches, or the one before.
    auto& bars = page.strip()->bars();
    QTest::mousePress(&bars, Qt::LeftButton, {}, bars.placeOf(46).center());
    QTest::mouseMove(&bars, bars.placeOf(47).center());
    QTest::mouseRelease(&bars, Qt::LeftButton, {}, bars.placeOf(47).center());
    EXPECT_TRUE(page.filterBar().filter().startsWith(QStringLiteral("(state = SUCCEEDED or held) and created >= ")))
        << page.filterBar().filter().toStdString();
    waitForRows(page, 3);
    // The strip still shows the rest of the time.
    EXPECT_TRUE(eventually([&] { return page.strip()->caption().startsWith(QStringLiteral("3 keys")); }))
        << page.strip()->caption().toStdString();
}

TEST_F(WorkingPagesTest, NothingStuckIsGoodNews)
{
    finalize(reserve("done"));
    connectSession();
    StuckPage page(*context);
    page.activate();
    ASSERT_TRUE(eventually([&] { return page.grid().emptyState().emptiness() == Emptiness::Good; }));
    EXPECT_EQ(page.grid().emptyState().title(), QStringLiteral("No stuck keys"));
}

TEST_F(WorkingPagesTest, WhatATableCannotTellIsNoGoodNews)
{
    auto raw = database.connect();
    ASSERT_TRUE(raw);
    ASSERT_TRUE((*raw)->execute("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, scope TEXT NOT NULL, "
                                "request_hash TEXT NOT NULL, response TEXT NOT NULL, expires_at TEXT NOT NULL, "
                                "created_at TEXT NOT NULL)"));
    ASSERT_TRUE((*raw)->execute("INSERT INTO idempotency_keys VALUES ('k', 's', 'h', '{}', '2026-11-20T10:00:00Z', "
                                "'2026-11-19T10:00:00Z')"));
    connectSession();
    StuckPage page(*context);
    page.activate();
    page.show(QStringLiteral("idempotency_keys"), {});
    const auto& state = page.grid().emptyState();
    ASSERT_TRUE(eventually([&] { return state.title() == QStringLiteral("This table cannot tell its stuck keys"); }))
        << qPrintable(state.title());
    EXPECT_NE(state.emptiness(), Emptiness::Good);
    EXPECT_TRUE(state.accessibleDescription().contains(QStringLiteral("does not say when a row is stuck")));
}

TEST_F(WorkingPagesTest, AFilterThatHidesRowsSaysSoAndCanBeCleared)
{
    finalize(reserve("done"));
    connectSession();
    KeysPage page(*context);
    page.show();
    page.activate();
    waitForRows(page, 1);
    type(page, QStringLiteral("state = HELD"));
    ASSERT_TRUE(eventually(
        [&] { return page.grid().emptyState().emptiness() == Emptiness::Filtered && !page.grid().showsRows(); }));
    Q_EMIT page.grid().emptyState().acted();
    waitForRows(page, 1);
    EXPECT_EQ(page.filterBar().filter(), QString());
}

TEST_F(WorkingPagesTest, AnOperationThatMayNotBeUsedSaysWhy)
{
    finalize(reserve("done"));
    connectSession();
    KeysPage page(*context);
    page.show();
    page.activate();
    waitForRows(page, 1);
    page.grid().view().setCurrentRow(0);
    const auto bar = page.findChild<OperationBar*>();
    ASSERT_TRUE(bar);
    EXPECT_FALSE(bar->button("fence")->isEnabled());
    EXPECT_TRUE(bar->button("fence")->toolTip().contains(QStringLiteral("SUCCEEDED")));
    ASSERT_TRUE(bar->button("expire")->isEnabled());
    QTest::mouseClick(bar->button("expire"), Qt::LeftButton);
    ASSERT_TRUE(navigation.planned);
    EXPECT_STREQ(navigation.planned->id, "expire");
    ASSERT_EQ(navigation.plannedOn.rows.size(), 1u);
    EXPECT_EQ(navigation.plannedOn.rows[0].key, "done");
}

TEST_F(WorkingPagesTest, TheDossierTellsTheRecordsOwnStory)
{
    const auto record = reserve("k1");
    finalize(record, R"({"id":7,"token":"4111-secret"})");
    connectSession();
    RecordDossier dossier(*context);
    dossier.resize(480, 720);
    dossier.show();
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded(); }));
    EXPECT_EQ(formatPath(dossier.diagram().path()), "ABSENT > IN_PROGRESS > SUCCEEDED");
    EXPECT_GE(dossier.timeline().marks().size(), 2u);
    EXPECT_EQ(dossier.facts().valueOf(QStringLiteral("Scope")), QStringLiteral("payments"));
    EXPECT_EQ(dossier.selection().rows.size(), 1u);
    EXPECT_FALSE(dossier.operationBar().button("fence")->isEnabled());

    const PayloadView* body = nullptr;
    for (const auto* view : dossier.payloads())
        if (view->payload().name == "response_body")
            body = view;
    ASSERT_TRUE(body);
    EXPECT_FALSE(body->shownText().contains(QStringLiteral("secret")));
}

TEST_F(WorkingPagesTest, TheDossierFollowsItsRecordAndKeepsWhatWasRevealed)
{
    const auto record = reserve("k1");
    connectSession();
    arm();
    RecordDossier dossier(*context);
    dossier.resize(480, 720);
    dossier.show();
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded() && !dossier.isLoading(); }));
    EXPECT_EQ(formatPath(dossier.diagram().path()), "ABSENT > IN_PROGRESS");
    finalize(record, R"({"id":7,"token":"4111-secret"})");
    dossier.setLive(true);
    ASSERT_TRUE(eventually([&] { return formatPath(dossier.diagram().path()) == "ABSENT > IN_PROGRESS > SUCCEEDED"; }));
    dossier.setLive(false);
    ASSERT_TRUE(eventually([&] { return !dossier.isLoading(); }));
    ASSERT_FALSE(dossier.payloads().empty());
    auto* body = dossier.payloads().front();
    Q_EMIT body->revealAsked(QString::fromStdString(body->payload().name), QStringLiteral("/token"));
    ASSERT_TRUE(eventually([&] { return body->hidden().empty(); }));
    dossier.reload();
    ASSERT_TRUE(eventually([&] { return !dossier.isLoading(); }));
    ASSERT_EQ(dossier.payloads().front(), body);
    EXPECT_TRUE(body->shownText().contains(QStringLiteral("secret")));
}

TEST_F(WorkingPagesTest, AValueIsShownOnlyAfterTheLookAtItIsAudited)
{
    finalize(reserve("k1"), R"({"id":7,"token":"4111-secret"})");
    connectSession();
    arm();
    RecordDossier dossier(*context);
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded() && !dossier.payloads().empty(); }));
    auto* body = dossier.payloads().front();
    ASSERT_EQ(body->hidden(), std::vector<std::string>{ "/token" });
    EXPECT_TRUE(body->shownText().contains(QStringLiteral("\"id\": 7")));
    Q_EMIT body->revealAsked(QString::fromStdString(body->payload().name), QStringLiteral("/token"));
    ASSERT_TRUE(eventually([&] { return body->hidden().empty(); }));
    const auto looks = auditOf("reveal");
    ASSERT_EQ(looks.size(), 1u);
    EXPECT_NE(looks[0].parameters.find("/token"), std::string::npos);
    EXPECT_TRUE(body->shownText().contains(QStringLiteral("secret")));
    body->hideAgain();
    EXPECT_FALSE(body->shownText().contains(QStringLiteral("secret")));
}

TEST_F(WorkingPagesTest, RelatedLeadsToTheKeysOfTheSameOwnerAndHash)
{
    const auto record = reserve("k1");
    connectSession();
    RecordDossier dossier(*context);
    dossier.resize(420, 700);
    dossier.show();
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded(); }));
    int pressed = 0;
    for (int tab = 0; tab < dossier.tabs().count(); ++tab) {
        if (dossier.tabs().tabText(tab) != QStringLiteral("Related"))
            continue;
        dossier.tabs().setCurrentIndex(tab);
        for (auto* link : dossier.tabs().widget(tab)->findChildren<QPushButton*>()) {
            ASSERT_TRUE(link->isVisible()) << link->text().toStdString();
            QTest::mouseClick(link, Qt::LeftButton);
            EXPECT_EQ(navigation.opened, "keys");
            EXPECT_TRUE(parseFilter(navigation.openedFilter.toStdString()));
            pressed += navigation.openedFilter.contains(QString::fromStdString(record.owner.uuid)) ? 1 : 10;
        }
    }
    EXPECT_EQ(pressed, 11) << "one by the owner, one by the hash";
}

TEST_F(WorkingPagesTest, HostileRowsAreShownAsData)
{
    const std::vector<std::string> keys = { "<img src=x><b>bold</b>", "a\x1b[31m\nb\tc",
        "\xe2\x80\xae"
        "evil",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", std::string(200, 'k'), "Geschwindigkeitsbegrenzungsueberschreitung" };
    for (const auto& key : keys)
        finalize(reserve(key), std::string(1 << 20, '<'));
    connectSession();
    KeysPage page(*context);
    page.resize(1000, 600);
    page.show();
    page.activate();
    waitForRows(page, int(keys.size()));
    EXPECT_FALSE(page.grab().isNull());
    RecordDossier dossier(*context);
    dossier.resize(420, 700);
    dossier.show();
    for (const auto& key : keys) {
        dossier.open(selectionOf({ key }).binding, { "payments", "charge", key });
        ASSERT_TRUE(eventually([&] { return dossier.loaded(); })) << key;
        for (int tab = 0; tab < dossier.tabs().count(); ++tab) {
            dossier.tabs().setCurrentIndex(tab);
            EXPECT_FALSE(dossier.grab().isNull());
        }
        EXPECT_LE(dossier.width(), 420);
        for (const auto* label : dossier.findChildren<QLabel*>()) {
            const bool data = label->text().contains(QStringLiteral("img src"));
            EXPECT_TRUE(!data || label->textFormat() == Qt::PlainText) << label->text().toStdString();
        }
        for (const auto* widget : dossier.findChildren<QWidget*>())
            EXPECT_FALSE(widget->toolTip().contains(QStringLiteral("<img"))) << widget->toolTip().toStdString();
    }
}

TEST_F(WorkingPagesTest, TheAuditIsVerifiedAndABrokenChainIsSeen)
{
    reserve("k1");
    connectSession();
    arm();
    AuditPage page(*context);
    page.show();
    page.activate();
    ASSERT_TRUE(eventually([&] { return page.model()->rowCount() >= 1; }));
    QTest::mouseClick(&page.verifyButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return page.verdict().contains(QStringLiteral("whole")); }))
        << page.verdict().toStdString();
    EXPECT_FALSE(page.undoButton().isEnabled());

    auto raw = database.connect();
    ASSERT_TRUE(raw);
    const auto tampered = (*raw)->execute("UPDATE idempotency_audit SET reason = 'another' WHERE seq = 1");
    ASSERT_TRUE(tampered) << tampered.error().detail;
    QTest::mouseClick(&page.verifyButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return page.verdict().contains(QStringLiteral("broken")); }))
        << page.verdict().toStdString();
}

TEST_F(WorkingPagesTest, TheZoneIsHonouredByTheDossier)
{
    finalize(reserve("k1"));
    connectSession();
    RecordDossier dossier(*context);
    dossier.open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier.loaded(); }));
    EXPECT_TRUE(dossier.facts().valueOf(QStringLiteral("Created")).endsWith(u'Z'));
    zone.set(*models::Zone::named(QStringLiteral("Asia/Kolkata")));
    EXPECT_TRUE(dossier.facts().valueOf(QStringLiteral("Created")).endsWith(QStringLiteral("+05:30")));
}

TEST_F(WorkingPagesTest, TheDossierIsAsWideAsWhatItSaysInAnyZone)
{
    finalize(reserve("k1"));
    connectSession();
    zone.set(*models::Zone::named(QStringLiteral("Asia/Kolkata")));
    QSplitter split;
    split.resize(1'000, 700);
    split.addWidget(new QWidget(&split));
    auto* dossier = new RecordDossier(*context, &split);
    split.addWidget(dossier);
    split.setSizes({ 900, 100 });
    split.show();
    dossier->open(selectionOf({ "k1" }).binding, { "payments", "charge", "k1" });
    ASSERT_TRUE(eventually([&] { return dossier->loaded(); }));
    const auto* content = dossier->facts().parentWidget();
    EXPECT_TRUE(eventually([&] {
        return content->minimumSizeHint().width() > 400 && content->width() <= content->parentWidget()->width();
    })) << content->width()
        << " in " << content->parentWidget()->width();

    // Behind another tab nothing is measured.
    dossier->tabs().setCurrentIndex(1);
    split.setSizes({ 200, 800 });
    zone.set(models::Zone::utc());
    QTest::qWait(50);
    EXPECT_LT(dossier->minimumWidth(), 500);
    dossier->tabs().setCurrentIndex(0);
    EXPECT_TRUE(eventually([&] {
        return content->width() <= content->parentWidget()->width() && dossier->minimumWidth() < 500;
    })) << dossier->minimumWidth();
}

TEST(DossierFactsTest, AttemptsAreReadFromTheJournal)
{
    const auto at = [](int second) { return timeFromMicros(1'700'000'000'000'000 + second * 1'000'000LL); };
    const auto attempts = attemptsOf({
        { .seq = 1,
            .fromState = "ABSENT",
            .toState = "IN_PROGRESS",
            .event = "reserve",
            .fence = { 1 },
            .attempt = 1,
            .owner = "a",
            .at = at(0) },
        { .seq = 2,
            .fromState = "IN_PROGRESS",
            .toState = "FAILED_RETRYABLE",
            .event = "fail",
            .fence = { 1 },
            .attempt = 1,
            .owner = "a",
            .reason = "timeout",
            .at = at(4) },
        { .seq = 3,
            .fromState = "FAILED_RETRYABLE",
            .toState = "IN_PROGRESS",
            .event = "reserve",
            .fence = { 2 },
            .attempt = 2,
            .owner = "b",
            .at = at(9) },
        { .seq = 4,
            .fromState = "IN_PROGRESS",
            .toState = "IN_PROGRESS",
            .event = "reserve",
            .fence = { 3 },
            .attempt = 3,
            .owner = "c",
            .at = at(90) },
        { .seq = 5,
            .fromState = "IN_PROGRESS",
            .toState = "SUCCEEDED",
            .event = "finalize",
            .fence = { 3 },
            .attempt = 3,
            .owner = "c",
            .at = at(92) },
    });
    ASSERT_EQ(attempts.size(), 3u);
    EXPECT_EQ(attempts[0].endState, "FAILED_RETRYABLE");
    EXPECT_EQ(*attempts[0].endedAt - attempts[0].startedAt, std::chrono::seconds(4));
    EXPECT_FALSE(attempts[1].endedAt);
    EXPECT_EQ(attempts[1].reason, "taken over");
    EXPECT_EQ(attempts[2].endState, "SUCCEEDED");
}

} // namespace fencepost::ui
