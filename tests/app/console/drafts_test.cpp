// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include "app/demo/demo.h"
#include "tests/app/console/stuck_dialog.h"
#include "ui/widgets/error_banner.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class DraftFiles : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(makeDemo({ .path = database().toStdString() })); }
    [[nodiscard]] QString database() const { return m_files.filePath(QStringLiteral("demo.db")); }
    [[nodiscard]] QFileInfoList drafts() const
    {
        return QDir(m_files.filePath(QStringLiteral("state/drafts"))).entryInfoList(QDir::Files);
    }
    [[nodiscard]] QByteArray kept() const
    {
        QByteArray all;
        for (const auto& entry : drafts()) {
            QFile file(entry.filePath());
            if (file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return all;
    }
    // Another process types, and is killed as soon as the text is on the disk. The answer is its plan's request id.
    std::string typeAndDie(const std::string& dialog, const QString& typed, const QByteArray& awaited)
    {
        QProcess child;
        child.start(
            QStringLiteral(DRAFTS_CHILD), { m_files.path(), database(), QString::fromStdString(dialog), typed });
        EXPECT_TRUE(child.waitForStarted());
        EXPECT_TRUE(child.waitForReadyRead(60'000)) << child.readAllStandardError().toStdString();
        const auto requestId = child.readLine().trimmed().toStdString();
        EXPECT_TRUE(eventually([&] { return kept().contains(awaited); })) << kept().toStdString();
        child.kill();
        EXPECT_TRUE(child.waitForFinished());
        EXPECT_EQ(child.exitStatus(), QProcess::CrashExit);
        return requestId;
    }

    QTemporaryDir m_files;
};

class DraftsTest : public DraftFiles, public ::testing::WithParamInterface<std::string> { };
using ArmDraftTest = DraftFiles;

TEST_P(DraftsTest, OutliveAKilledProcessAndAreOfferedAgain)
{
    const auto requestId = typeAndDie(GetParam(), QStringLiteral("INC-4711: half a sen"), "half a sen");
    ASSERT_EQ(drafts().size(), 1);
    EXPECT_EQ(drafts().front().permissions() & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther), 0);

    StuckDialog again(m_files.path(), database());
    auto* dialog = again.open(GetParam().c_str());
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->form().reason(), QStringLiteral("INC-4711: half a sen"));
    ASSERT_TRUE(dialog->plan());
    EXPECT_EQ(dialog->plan()->requestId, requestId) << "the plan that was frozen, not another one";
    EXPECT_TRUE(dialog->findChild<ui::ErrorBanner*>()->sentence().contains(QStringLiteral("left here")));
    dialog->reject();
    EXPECT_TRUE(drafts().isEmpty()) << "given up";
}

TEST_P(DraftsTest, AreGoneOnceTheyAreCarriedOut)
{
    const auto requestId = typeAndDie(GetParam(), QStringLiteral("INC-4711"), "INC-4711");
    StuckDialog again(m_files.path(), database());
    auto* dialog = again.open(GetParam().c_str());
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(again.desk().session()->arm(std::chrono::minutes(5), QStringLiteral("INC-4711")));
    ASSERT_TRUE(eventually([&] { return again.desk().session()->armed(); }));
    ASSERT_TRUE(eventually([&] { return dialog->confirmButton().isEnabled(); })) << dialog->hint().toStdString();
    dialog->confirmButton().click();
    ASSERT_TRUE(eventually([&] { return dialog->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_TRUE(drafts().isEmpty());
    const auto report = again.desk().plans()->report(QString::fromStdString(requestId));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->changed, 1);
}

TEST_P(DraftsTest, KeepNoSecret)
{
    (void)typeAndDie(GetParam(), QStringLiteral("see postgresql://ann:hunter2@db/x password=hunter3 now"), "now\"");
    EXPECT_FALSE(kept().contains("hunter")) << kept().toStdString();
}

TEST_F(ArmDraftTest, OutlivesAKilledProcessAndIsGoneOnceItArmed)
{
    EXPECT_EQ(typeAndDie("arm", QStringLiteral("INC-4711: half a sen"), "half a sen"), "arm");
    ASSERT_EQ(drafts().size(), 1);
    StuckDialog again(m_files.path(), database());
    auto* dialog = again.openArming();
    ASSERT_NE(dialog, nullptr);
    auto* reason = dialog->findChild<QLineEdit*>();
    EXPECT_EQ(reason->text(), QStringLiteral("INC-4711: half a sen"));
    EXPECT_TRUE(dialog->findChild<ui::ErrorBanner*>()->sentence().contains(QStringLiteral("left here")));
    testing::handleEvents();
    QTest::keyClicks(reason, QStringLiteral("tence"));
    for (auto* button : dialog->findChildren<QPushButton*>())
        if (button->text().startsWith(QLatin1String("Arm ")))
            QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return again.desk().session()->armed(); }));
    EXPECT_EQ(again.desk().session()->status().armedReason, QStringLiteral("INC-4711: half a sentence"));
    EXPECT_TRUE(eventually([this] { return drafts().isEmpty(); }));
}

TEST_F(ArmDraftTest, IsGoneWhenItIsGivenUp)
{
    (void)typeAndDie("arm", QStringLiteral("not now"), "not now");
    StuckDialog again(m_files.path(), database());
    auto* dialog = again.openArming();
    ASSERT_NE(dialog, nullptr);
    dialog->reject();
    EXPECT_TRUE(drafts().isEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Dialogs, DraftsTest, ::testing::Values("fence", "note"), [](const auto& verb) { return verb.param; });

} // namespace
} // namespace fencepost::app
