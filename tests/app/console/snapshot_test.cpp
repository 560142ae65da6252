// SPDX-License-Identifier: GPL-3.0-or-later
#include <sqlite3.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QProcess>

#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/snapshot_dialog.h"
#include "ui/pages/differences_page.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class SnapshotTest : public OperatorTest {
protected:
    [[nodiscard]] QString at(const char* name) const { return files.filePath(QLatin1String(name)); }

    int ctl(const QStringList& arguments)
    {
        QProcess process;
        process.start(QStringLiteral(FENCEPOSTCTL), arguments);
        EXPECT_TRUE(process.waitForFinished(60'000));
        said = QString::fromUtf8(process.readAllStandardError());
        return process.exitCode();
    }

    // Two snapshots of a demo whose stuck keys were fenced in between.
    void takeTwo()
    {
        ASSERT_TRUE(QFile::copy(demoFile(), at("live.db")));
        const QString live = QStringLiteral("sqlite:") + at("live.db");
        ASSERT_EQ(ctl({ QStringLiteral("--db"), live, QStringLiteral("snapshot"), at("a.db") }), 0) << qPrintable(said);
        ASSERT_EQ(ctl({ QStringLiteral("--db"), live, QStringLiteral("plan"), QStringLiteral("fence"),
                      QStringLiteral("--filter"), QStringLiteral("stuck"), QStringLiteral("--reason"),
                      QStringLiteral("a test"), QStringLiteral("--out"), at("plan.json") }),
            0)
            << qPrintable(said);
        QFile plan(at("plan.json"));
        ASSERT_TRUE(plan.open(QIODevice::ReadOnly));
        const auto rows = QJsonDocument::fromJson(plan.readAll())[QLatin1String("items")].toArray().size();
        ASSERT_GT(rows, 1);
        ASSERT_EQ(ctl({ QStringLiteral("--db"), live, QStringLiteral("apply"), at("plan.json"),
                      QStringLiteral("--confirm"), QString::number(rows) }),
            0)
            << qPrintable(said);
        ASSERT_EQ(ctl({ QStringLiteral("--db"), live, QStringLiteral("snapshot"), at("b.db") }), 0) << qPrintable(said);
    }

    [[nodiscard]] QString band() const { return window->findChild<ui::EnvironmentBand*>()->accessibleName(); }

    ui::DifferencesPage* compareTwo()
    {
        window->openPage(QStringLiteral("differences"));
        auto* page = qobject_cast<ui::DifferencesPage*>(window->page());
        EXPECT_NE(page, nullptr);
        QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("first")), at("a.db"));
        QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("second")), at("b.db"));
        QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("compare")), Qt::LeftButton);
        EXPECT_TRUE(eventually([page] { return !page->isLoading() && page->summary().contains(u'('); }))
            << qPrintable(page->summary()) << qPrintable(page->banner().sentence());
        return page;
    }

    QString said; // by the command
};

TEST_F(SnapshotTest, IsTakenByClicksAndOpenedAndNeverArmed)
{
    openCopy();
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    keys->show({}, QStringLiteral("state = HELD"));
    ASSERT_TRUE(eventually([keys] { return !keys->model()->busy() && keys->model()->rowCount() == 8; }));
    press("snapshot");
    auto* form = dialog<ui::SnapshotDialog>();
    ASSERT_NE(form, nullptr);
    EXPECT_EQ(form->findChild<QComboBox*>(QStringLiteral("part"))->count(), 2) << "all, or what the filter finds";
    auto* file = form->findChild<QLineEdit*>(QStringLiteral("file"));
    file->setText(at("held.snapshot.db"));
    auto* take = form->findChild<QPushButton*>(QStringLiteral("act"));
    QTest::mouseClick(take, Qt::LeftButton);
    ASSERT_TRUE(eventually([take] { return take->text() == QLatin1String("Open it"); }));
    EXPECT_TRUE(QFile::exists(at("held.snapshot.db")));
    QTest::mouseClick(take, Qt::LeftButton);

    ASSERT_TRUE(eventually([this] { return band().contains(QLatin1String("its seal is whole")); }))
        << qPrintable(band());
    EXPECT_TRUE(band().contains(QLatin1String("only state = HELD"))) << qPrintable(band());
    EXPECT_TRUE(band().contains(QLatin1String("copy.db"))) << qPrintable(band());
    auto* held = rowsOf("keys");
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(held->model()->rowCount(), 8);
    EXPECT_FALSE(window->commands().action("arm")->isEnabled());
    EXPECT_FALSE(desk->session()->arm(std::chrono::minutes(5), QStringLiteral("a test")));
    EXPECT_EQ(banner(), QString());
}

TEST_F(SnapshotTest, ThatWasChangedIsNoEvidenceAndIsStillShown)
{
    ASSERT_NO_FATAL_FAILURE(takeTwo());
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(qPrintable(at("a.db")), &raw), SQLITE_OK);
    EXPECT_EQ(
        sqlite3_exec(raw, "UPDATE idempotency_records SET fence = fence + 1", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
    ASSERT_TRUE(desk->openFile(at("a.db")));
    ASSERT_TRUE(eventually([this] { return banner().contains(QLatin1String("changed after it was sealed")); }))
        << qPrintable(band());
    EXPECT_TRUE(band().contains(QLatin1String("IT WAS CHANGED"))) << qPrintable(band());
    EXPECT_NE(rowsOf("keys"), nullptr);
}

TEST_F(SnapshotTest, RulesThatCannotBeReadAreSaidAndStoppingLeavesNothing)
{
    openCopy();
    press("snapshot");
    auto* form = dialog<ui::SnapshotDialog>();
    ASSERT_NE(form, nullptr);
    form->findChild<QLineEdit*>(QStringLiteral("file"))->setText(at("x.db"));
    auto* rules = form->findChild<QComboBox*>(QStringLiteral("rules"));
    rules->setCurrentIndex(1);
    QFile file(at("rules.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"({"redact": 3})");
    file.close();
    form->findChild<QLineEdit*>(QStringLiteral("rules-file"))->setText(at("rules.json"));
    auto* take = form->findChild<QPushButton*>(QStringLiteral("act"));
    QTest::mouseClick(take, Qt::LeftButton);
    EXPECT_TRUE(form->findChild<ui::ErrorBanner*>()->sentence().contains(QLatin1String("take the snapshot")));
    EXPECT_FALSE(QFile::exists(at("x.db")));

    rules->setCurrentIndex(0);
    QTest::mouseClick(take, Qt::LeftButton);
    auto* stop = buttonOf(*form, QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    QTest::mouseClick(stop, Qt::LeftButton);
    EXPECT_NE(buttonOf(*form, QStringLiteral("Cancel")), nullptr);
    EXPECT_TRUE(take->isEnabled());
    EXPECT_TRUE(eventually([this] { return desk->session()->findChildren<models::SnapshotRun*>().isEmpty(); }));
    EXPECT_FALSE(QFile::exists(at("x.db")));
    EXPECT_FALSE(QFile::exists(at("x.db.part")));
}

TEST_F(SnapshotTest, DifferencesLeadIntoEitherSnapshot)
{
    ASSERT_NO_FATAL_FAILURE(takeTwo());
    const QAbstractItemModelTester tester(desk->differences(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    auto* page = compareTwo();
    ASSERT_NE(page, nullptr);
    const auto& counts = desk->differences()->counts();
    std::int64_t fenced = 0;
    int kind = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i].table == "idempotency_records" && counts[i].change == SnapshotChange::Changed) {
            fenced += counts[i].count;
            kind = int(i) + 1; // behind "all"
        }
    EXPECT_GT(fenced, 0) << qPrintable(page->summary());

    // The longest pair of states is read whole, and the summary has more room than the box beside it.
    auto& view = page->grid().view();
    for (int column = 0; column < view.model()->columnCount(); ++column)
        if (view.model()->headerData(column, Qt::Horizontal).toString() == QLatin1String("State")) {
            EXPECT_GT(view.columnWidth(column),
                theme.widthOf({ .state = "FAILED_RETRYABLE" }) + theme.widthOf({ .state = "FAILED_FINAL" })
                    + ui::space::icon + 2 * ui::space::tiny);
        }
    auto* kinds = page->findChild<QComboBox*>(QStringLiteral("kinds"));
    EXPECT_LT(kinds->width(), page->width() / 3);
    ASSERT_EQ(kinds->count(), int(counts.size()) + 1);
    kinds->setFocus();
    // Faster than any of them is read.
    while (kinds->currentIndex() < kind)
        QTest::keyClick(kinds, Qt::Key_Down);
    ASSERT_TRUE(eventually([this, page] { return !page->isLoading() && desk->differences()->kind().has_value(); }));
    EXPECT_EQ(desk->differences()->rowCount(), counts[std::size_t(kind - 1)].count);
    EXPECT_EQ(desk->differences()->found(), [&counts] {
        std::int64_t all = 0;
        for (const auto& each : counts)
            all += each.count;
        return all;
    }()) << "the counts stay those of all";

    page->run("next-row");
    auto* earlier = page->findChild<QPushButton*>(QStringLiteral("open-first"));
    ASSERT_TRUE(earlier->isVisible());
    QTest::mouseClick(earlier, Qt::LeftButton);
    ASSERT_TRUE(eventually([this] { return window->dossier() != nullptr && !window->dossier()->isLoading(); }));
    EXPECT_TRUE(desk->session()->status().info->identity.ends_with("a.db"));
    EXPECT_EQ(window->currentPage(), QLatin1String("keys"));

    // The comparison is where it was left.
    window->openPage(QStringLiteral("differences"));
    auto* again = qobject_cast<ui::DifferencesPage*>(window->page());
    ASSERT_NE(again, nullptr);
    EXPECT_GT(desk->differences()->rowCount(), 0);
    again->run("next-row");
    QTest::mouseClick(again->findChild<QPushButton*>(QStringLiteral("open-second")), Qt::LeftButton);
    ASSERT_TRUE(eventually([this] {
        const auto info = desk->session()->status().info;
        return info && info->identity.ends_with("b.db") && window->dossier() && !window->dossier()->isLoading();
    }));
}

TEST_F(SnapshotTest, WhatIsNoSnapshotIsNotCompared)
{
    ASSERT_NO_FATAL_FAILURE(takeTwo());
    window->openPage(QStringLiteral("differences"));
    auto* page = qobject_cast<ui::DifferencesPage*>(window->page());
    ASSERT_NE(page, nullptr);
    QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("first")), at("a.db"));
    QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("compare")), Qt::LeftButton);
    EXPECT_TRUE(page->banner().sentence().contains(QLatin1String("compare the snapshots")));
    QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("second")), at("live.db"));
    QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("compare")), Qt::LeftButton);
    ASSERT_TRUE(eventually([page] { return !page->isLoading() && page->banner().isVisible(); }));
    EXPECT_TRUE(page->banner().sentence().contains(QLatin1String("compare the snapshots")));
    EXPECT_TRUE(page->summary().contains(QLatin1String("Added, removed and changed"))) << qPrintable(page->summary());
}

} // namespace
} // namespace fencepost::app
