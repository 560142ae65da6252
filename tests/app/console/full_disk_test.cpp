// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <sys/resource.h>

#include <QFile>
#include <QPlainTextEdit>

#include "app/console/settings.h"
#include "models/files.h"
#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/run_view.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// No file of this process can be written any more, as on a disk without room; what is there can be read.
class FullDisk {
public:
    FullDisk()
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit none = m_before;
        none.rlim_cur = 0;
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = SIG_DFL;
};

class FullDiskTest : public OperatorTest {
protected:
    // The dialog of an operation on the first stuck record of a copy that is armed, ready to be confirmed.
    ui::PlanDialog* planFor(const char* operation)
    {
        openCopy();
        armByClicks();
        if (HasFatalFailure())
            return nullptr;
        auto* page = rowsOf("stuck");
        if (!page)
            return nullptr;
        page->run("next-row");
        press(operation);
        return reviewedPlan();
    }
    std::size_t entriesWith(const std::string& reason)
    {
        std::size_t found = 0;
        auto future = desk->session()->reads().run([](Backend& backend) { return backend.inspector().audit({}); });
        EXPECT_TRUE(eventually([&future] { return future.isFinished(); }));
        const auto answer = future.result();
        EXPECT_TRUE(answer);
        for (const auto& entry : *answer)
            found += entry.reason == reason ? 1U : 0U;
        return found;
    }
};

TEST_F(FullDiskTest, SettingsConnectionsAndViewsKeepTheirOldContent)
{
    const QString path = files.filePath(QStringLiteral("settings.json"));
    const Settings before{ .scheme = QStringLiteral("dark") };
    ASSERT_TRUE(saveSettings(path, before));
    ASSERT_TRUE(desk->connections().add({ .name = QStringLiteral("old"), .url = QStringLiteral("sqlite:/tmp/x.db") }));
    {
        const FullDisk full;
        const auto settings = saveSettings(path, Settings{ .scheme = QStringLiteral("light") });
        ASSERT_FALSE(settings);
        EXPECT_EQ(settings.error().failure, Failure::Full);
        EXPECT_NE(settings.error().message.find("what was there before is as it was"), std::string::npos)
            << settings.error().message;
        const auto added =
            desk->connections().add({ .name = QStringLiteral("new"), .url = QStringLiteral("sqlite:/tmp/y.db") });
        ASSERT_FALSE(added);
        EXPECT_EQ(added.error().failure, Failure::Full);
    }
    EXPECT_EQ(*loadSettings(path), before);
    models::Connections again(folders.connections());
    ASSERT_TRUE(again.load());
    EXPECT_NE(again.named(QStringLiteral("old")), nullptr);
}

TEST_F(FullDiskTest, APlanThatCannotBeKeptIsNotBegunAndCanBeConfirmedAgain)
{
    auto* plan = planFor("operation.fence");
    ASSERT_NE(plan, nullptr);
    const QString reason = QStringLiteral("INC-13: the disk is full");
    plan->form().setReason(reason);
    {
        const FullDisk full;
        QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
        EXPECT_TRUE(eventually([this] { return banner().contains(QLatin1String("nothing was begun")); }))
            << qPrintable(banner());
        EXPECT_EQ(plan->stage(), ui::PlanDialog::Stage::Review);
        EXPECT_EQ(plan->form().reason(), reason);
    }
    EXPECT_EQ(entriesWith(reason.toStdString()), 0U);
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(plan->runView().summary(), QStringLiteral("changed 1 · skipped 0 · failed 0"));
    EXPECT_EQ(entriesWith(reason.toStdString()), 1U);
}

TEST_F(FullDiskTest, ANoteIsKeptOnceWhereItsRunCouldNotBegin)
{
    auto* plan = planFor("operation.note");
    ASSERT_NE(plan, nullptr);
    const QString words = QStringLiteral("Case 4712 of the bank");
    QTest::keyClicks(plan->form().findChild<QPlainTextEdit*>(), words);
    // There is room for the notebook, and none for the plan.
    ASSERT_TRUE(models::replaceFile(folders.plans(), "not a folder"));
    for (int i = 0; i < 2; ++i) {
        QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
        ASSERT_TRUE(eventually([this] { return banner().contains(QLatin1String("nothing was begun")); }))
            << qPrintable(banner());
    }
    ASSERT_TRUE(QFile::remove(folders.plans()));
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(entriesWith(words.toStdString()), 1U);
    const auto notebook = models::readFile(folders.notebook());
    ASSERT_TRUE(notebook);
    EXPECT_EQ(notebook->count(words.toUtf8()), 1) << notebook->toStdString();
}

TEST_F(FullDiskTest, ANoteStaysInItsDialogUntilItIsKept)
{
    auto* plan = planFor("operation.note");
    ASSERT_NE(plan, nullptr);
    auto* field = plan->form().findChild<QPlainTextEdit*>();
    const QString words = QStringLiteral("Case 4711 of the bank");
    {
        const FullDisk full;
        QTest::keyClicks(field, words);
        EXPECT_TRUE(eventually([this] { return banner().contains(QLatin1String("keep a draft")); }))
            << qPrintable(banner());
        QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
        EXPECT_TRUE(eventually([this] { return banner().contains(QLatin1String("nothing was begun")); }))
            << qPrintable(banner());
        EXPECT_EQ(field->toPlainText(), words);
    }
    EXPECT_EQ(entriesWith(words.toStdString()), 0U);
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_EQ(entriesWith(words.toStdString()), 1U);
    const auto notebook = models::readFile(folders.notebook());
    ASSERT_TRUE(notebook);
    EXPECT_EQ(notebook->count(words.toUtf8()), 1) << notebook->toStdString();
}

} // namespace
} // namespace fencepost::app
