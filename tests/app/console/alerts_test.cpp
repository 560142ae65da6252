// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

#include "app/console/alert_tray.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/scripted_server.h"
#include "ui/dialogs/alert_delivery_dialog.h"
#include "ui/dialogs/alert_rule_dialog.h"
#include "ui/pages/alerts_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class AlertsTest : public ConsoleFixture {
protected:
    ui::AlertsPage* openAlerts()
    {
        openDemo();
        window->openPage(QStringLiteral("alerts"));
        auto* page = dynamic_cast<ui::AlertsPage*>(window->page());
        EXPECT_NE(page, nullptr);
        return page;
    }
    models::AlertBoard& board() { return *desk->alerts(); }
    bool isOver(const QString& rule)
    {
        return eventually([&] {
            return std::any_of(board().rules().begin(), board().rules().end(),
                [&](const auto& watched) { return watched.kept.text == rule && watched.over; });
        });
    }
    QString status() const
    {
        const auto* button = window->findChild<QToolButton*>(QStringLiteral("alerts"));
        return button->isHidden() ? QString() : button->text();
    }
};

TEST_F(AlertsTest, RulesAreTypedJudgedAndShownInTheFrameOfEveryPage)
{
    auto* page = openAlerts();
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(status(), QString());
    press("alert-add");
    auto* typed = dialog<ui::AlertRuleDialog>();
    ASSERT_NE(typed, nullptr);
    QTest::keyClicks(&typed->field(), QStringLiteral("stock > 0"));
    EXPECT_FALSE(typed->keepButton().isEnabled());
    EXPECT_TRUE(typed->words().startsWith(QStringLiteral("There is no measure \"stock\"")))
        << qPrintable(typed->words());
    typed->field().clear();
    QTest::keyClicks(&typed->field(), QStringLiteral("stuck > 0"));
    QTest::keyClick(&typed->field(), Qt::Key_Return);
    ASSERT_TRUE(isOver(QStringLiteral("stuck > 0")));
    EXPECT_EQ(page->grid().view().model()->index(0, 0).data().toString(), QStringLiteral("Over"));
    for (const ui::PageEntry& entry : ui::pages()) {
        window->openPage(QLatin1String(entry.id));
        EXPECT_EQ(status(), QStringLiteral("1 alert")) << entry.id;
    }
    QTest::mouseClick(window->findChild<QToolButton*>(QStringLiteral("alerts")), Qt::LeftButton);
    EXPECT_EQ(window->currentPage(), QStringLiteral("alerts"));
    EXPECT_TRUE(settle());
}

TEST_F(AlertsTest, ARuleIsSwitchedOffSilencedOpenedAndRemoved)
{
    auto* page = openAlerts();
    ASSERT_NE(page, nullptr);
    QTest::mouseClick(&page->suggestButton(), Qt::LeftButton);
    ASSERT_TRUE(isOver(QStringLiteral("stuck > 0")));
    page->grid().view().setCurrentRow(0);
    EXPECT_TRUE(page->words().endsWith(QStringLiteral(": over."))) << qPrintable(page->words());
    auto actions = page->silenceButton().menu()->actions();
    ASSERT_EQ(actions.size(), 4);
    actions[2]->trigger();
    EXPECT_TRUE(board().rules()[0].kept.silentWhileOver);
    actions[3]->trigger();
    actions[0]->trigger();
    EXPECT_TRUE(board().rules()[0].silent);
    QTest::mouseClick(&page->switchButton(), Qt::LeftButton);
    EXPECT_FALSE(board().rules()[0].kept.on);
    QTest::mouseClick(&page->switchButton(), Qt::LeftButton);
    ASSERT_TRUE(isOver(QStringLiteral("stuck > 0")));
    QTest::mouseClick(&page->openButton(), Qt::LeftButton);
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_EQ(window->page()->place().filter, QStringLiteral("stuck"));
    ASSERT_TRUE(settle());
    window->openPage(QStringLiteral("alerts"));
    const auto before = board().rules().size();
    page->grid().view().setCurrentRow(0);
    QTest::mouseClick(&page->removeButton(), Qt::LeftButton);
    EXPECT_EQ(board().rules().size(), before - 1);
}

TEST_F(AlertsTest, RulesAreKeptPerConnectionAndNeverWithASecret)
{
    ASSERT_NE(openAlerts(), nullptr);
    ASSERT_TRUE(board().add(QStringLiteral("stuck > 0")));
    board().setDelivery(QStringLiteral("http://127.0.0.1:9/"), false);
    desk->keepWebhookSecret(QStringLiteral("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"), [](const Status&) {});
    const Settings settings{ .alerts = desk->alertDesk().setups() };
    const QString path = files.path() + QStringLiteral("/settings.json");
    ASSERT_TRUE(saveSettings(path, settings));
    const auto loaded = loadSettings(path);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(*loaded, settings);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_FALSE(file.readAll().contains("whsec"));
    const auto setup = models::alertSetupOf(loaded->alerts[desk->openId()].toObject());
    ASSERT_EQ(setup.rules.size(), 1U);
    EXPECT_EQ(setup.rules[0].text, QStringLiteral("stuck > 0"));
    EXPECT_FALSE(setup.sound);
    EXPECT_FALSE(desk->checkWebhook(QStringLiteral("https://ada:secret@example.org/"), {}));
    EXPECT_FALSE(desk->checkWebhook(QStringLiteral("ftp://example.org/"), {}));
    EXPECT_FALSE(desk->checkWebhook(QStringLiteral("https://example.org/"), QStringLiteral("whsec_?")));
}

TEST_F(AlertsTest, WithoutATrayTheWindowTellsAndItsButtonOpensTheRows)
{
    const AlertTray tray(board(), *window, theme);
    QSignalSpy sounded(&tray, &AlertTray::sounded);
    openDemo();
    ASSERT_TRUE(board().add(QStringLiteral("stuck > 0")));
    ASSERT_TRUE(isOver(QStringLiteral("stuck > 0")));
    EXPECT_TRUE(banner().startsWith(QStringLiteral("Alert: stuck > 0: "))) << qPrintable(banner());
    EXPECT_EQ(sounded.size(), 0);
    for (auto* shown : window->findChildren<ui::ErrorBanner*>())
        if (shown->isVisible())
            Q_EMIT shown->accepted();
    EXPECT_EQ(window->currentPage(), QStringLiteral("keys"));
    EXPECT_EQ(window->page()->place().filter, QStringLiteral("stuck"));
    EXPECT_TRUE(settle());
    window->hide();
    board().setDelivery({}, true);
    ASSERT_TRUE(board().add(QStringLiteral("oldest_lease > 1s")));
    ASSERT_TRUE(isOver(QStringLiteral("oldest_lease > 1s")));
    EXPECT_EQ(sounded.size(), 1);
}

TEST_F(AlertsTest, AWebhookIsToldWhatTheCommandLineTells)
{
    testing::ScriptedServer server({ testing::answers(200) });
    auto* page = openAlerts();
    ASSERT_NE(page, nullptr);
    (new ui::AlertDeliveryDialog(theme, *desk, window.get()))->open();
    auto* delivery = dialog<ui::AlertDeliveryDialog>();
    ASSERT_NE(delivery, nullptr);
    delivery->webhook().setText(QStringLiteral("mailto:ada"));
    delivery->keepButton().click();
    EXPECT_EQ(delivery->words(), QStringLiteral("A webhook is an address of http or https. Nothing was changed."));
    delivery->webhook().setText(QString::fromStdString(server.url("/alerts")));
    delivery->secret().setText(QStringLiteral("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"));
    delivery->keepButton().click();
    ASSERT_TRUE(board().add(QStringLiteral("stuck > 0")));
    ASSERT_TRUE(eventually([&] { return !server.requests().empty(); }));
    const auto& told = server.requests().front();
    const auto body = nlohmann::json::parse(told.body, nullptr, false);
    EXPECT_EQ(body["rule"], "stuck > 0");
    EXPECT_EQ(body["firing"], true);
    EXPECT_EQ(body["binding"], "idempotency_records");
    EXPECT_FALSE(server.lines("webhook-signature").front().empty());
    EXPECT_EQ(desk->alertDeliveryProblem(), QString());
}

TEST_F(AlertsTest, AFailingWebhookIsSaidSentAgainAndGivenUp)
{
    testing::ScriptedServer server({ testing::answers(503) });
    AlertTeller teller(std::chrono::milliseconds(1));
    teller.use({ QString::fromStdString(server.url("/alerts")), {}, QStringLiteral("fencepost:test") });
    AlertChange change;
    change.state.rule = *parseAlertRule("stuck > 0");
    change.state.firing = true;
    change.at = clock.now();
    teller.tell(change);
    ASSERT_TRUE(eventually([&] { return teller.problem().contains(QStringLiteral("is sent again in")); }));
    ASSERT_TRUE(eventually([&] { return teller.problem().contains(QStringLiteral("1 given up")); }));
    EXPECT_GE(server.requests().size(), 2U);
    EXPECT_LE(server.requests().size(), std::size_t(AlertTeller::attempts));
    teller.use({});
    EXPECT_TRUE(eventually([&] { return teller.problem().isEmpty(); }));
}

TEST_F(AlertsTest, AWebhookThatTakesAlertsAgainIsComplainedOfNoLonger)
{
    testing::ScriptedServer server({ testing::answers(503), testing::answers(200) });
    ASSERT_NE(openAlerts(), nullptr);
    board().setDelivery(QString::fromStdString(server.url("/alerts")), false);
    ASSERT_TRUE(board().add(QStringLiteral("stuck > 0")));
    ASSERT_TRUE(eventually([this] { return banner().startsWith(QStringLiteral("The webhook took no alert")); }))
        << qPrintable(banner());
    ASSERT_TRUE(eventually([this] { return desk->alertDeliveryProblem().isEmpty(); }));
    EXPECT_EQ(banner(), QString());
}

TEST_F(AlertsTest, AlertsSayWhenNobodyWatches)
{
    testing::ScriptedServer server({ testing::answers(200) });
    ASSERT_NE(openAlerts(), nullptr);
    board().setDelivery(QString::fromStdString(server.url("/alerts")), false);
    ASSERT_TRUE(board().add(QStringLiteral("stuck > 100000")));
    ASSERT_TRUE(eventually([this] { return status() == QStringLiteral("No alert"); }));
    board().setInterval(std::chrono::hours(1));
    clock.advance(std::chrono::hours(5));
    Q_EMIT board().changed();
    EXPECT_TRUE(status().startsWith(QStringLiteral("Alerts: not watched since "))) << qPrintable(status());
    // A look that was under way may be the one that resumes.
    ASSERT_TRUE(eventually([&] { return !server.requests().empty(); }));
    board().look();
    ASSERT_TRUE(eventually([&] { return server.requests().size() >= 2; }));
    EXPECT_THAT(server.lines("ce-type"), ::testing::ElementsAre("fencepost.watch.lost", "fencepost.watch.resumed"));
}

} // namespace
} // namespace fencepost::app
