// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "app/demo/demo.h"
#include "core/operations/plan.h"
#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/files.h"
#include "models/plan_folder.h"
#include "tests/support/signal_process.h"
#include "tests/support/wait.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// The program itself with files of its own, and an operator at its keys.
class RunningConsole {
public:
    RunningConsole(const QTemporaryDir& home, const QString& database)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : { "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS" })
            environment.remove(QLatin1String(name));
        for (const char* folder : { "config", "data", "state" })
            environment.insert(QStringLiteral("XDG_%1_HOME").arg(QLatin1String(folder).toString().toUpper()),
                home.filePath(QLatin1String(folder)));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("QT_PLUGIN_PATH"), QStringLiteral(OPERATOR_PLUGINS));
        environment.insert(QStringLiteral("QT_QPA_GENERIC_PLUGINS"), QStringLiteral("operator"));
        m_process.setProcessEnvironment(environment);
        m_process.start(
            QStringLiteral(FENCEPOST_PROGRAM), { QStringLiteral("--db"), QStringLiteral("sqlite:") + database });
        EXPECT_TRUE(m_process.waitForStarted());
    }
    ~RunningConsole()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    [[nodiscard]] bool tell(const QString& line)
    {
        m_process.write(line.toUtf8() + '\n');
        if (!m_process.canReadLine() && !m_process.waitForReadyRead(60'000))
            return false;
        return m_process.readLine().trimmed() == "yes";
    }
    // Until it can be done.
    [[nodiscard]] bool go(const QString& line)
    {
        return eventually([&] { return tell(line); });
    }
    [[nodiscard]] bool sees(const QString& words) { return go(QStringLiteral("see ") + words); }
    void killNow()
    {
        ASSERT_TRUE(testing::signalProcess(m_process, SIGKILL)) << complaint();
        ASSERT_TRUE(m_process.waitForFinished());
        ASSERT_EQ(m_process.exitStatus(), QProcess::CrashExit);
    }
    [[nodiscard]] std::string complaint() { return m_process.readAllStandardError().toStdString(); }

private:
    QProcess m_process;
};

class CrashTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(makeDemo({ .path = database().toStdString() })); }
    [[nodiscard]] QString database() const { return m_home.filePath(QStringLiteral("demo.db")); }

    // As another program would look at it.
    [[nodiscard]] std::unique_ptr<Backend> open()
    {
        const auto target = store::parseUrl("sqlite:" + database().toStdString());
        auto backend = store::open({ .target = *target,
            .options = { .access = store::Access::ReadOnly },
            .profiles = &*m_profiles,
            .auditPath = m_home.filePath(QStringLiteral("audit.sqlite")).toStdString() });
        EXPECT_TRUE(backend) << backend.error().message;
        return backend ? std::move(*backend) : nullptr;
    }
    [[nodiscard]] std::vector<AuditEntry> auditOf(const std::string& verb)
    {
        std::vector<AuditEntry> found;
        const auto backend = open();
        const auto read = forEachEntry(
            {}, [&](const AuditRequest& request) { return backend->inspector().audit(request); },
            [&](const AuditEntry& entry) {
                if (entry.verb == verb && entry.reason.find("INC-77") != std::string::npos)
                    found.push_back(entry);
            });
        EXPECT_TRUE(read);
        return found;
    }
    void expectWholeAudit()
    {
        const auto verdict = open()->inspector().verifyAudit();
        ASSERT_TRUE(verdict);
        EXPECT_TRUE(verdict->intact) << verdict->reason;
    }
    [[nodiscard]] QByteArray contentsUnder(const QString& folder, const QString& name) const
    {
        QByteArray all;
        const QDir under(m_home.filePath(folder));
        for (const auto& entry : under.entryList({ name }, QDir::Files))
            all += models::readFile(under.filePath(entry)).value();
        return all;
    }
    // The first stuck record, up to the dialog of an operation.
    static void openDialog(RunningConsole& console, const char* operation)
    {
        ASSERT_TRUE(console.go(QStringLiteral("do page.stuck")));
        ASSERT_TRUE(console.sees(QStringLiteral("Why it is stuck"))) << console.complaint();
        ASSERT_TRUE(console.go(QStringLiteral("do operation.") + QLatin1String(operation)));
    }
    static void arm(RunningConsole& console)
    {
        ASSERT_TRUE(console.go(QStringLiteral("press Arm demo")));
        ASSERT_TRUE(console.go(QStringLiteral("focus Because")));
        ASSERT_TRUE(console.go(QStringLiteral("type INC-77")));
        ASSERT_TRUE(console.go(QStringLiteral("press Arm ")));
    }

    QTemporaryDir m_home;
    Result<profile::Library> m_profiles = profile::shippedLibrary();
};

TEST_F(CrashTest, AKilledRunIsOfferedAgainAndItsSumsAreRight)
{
    std::set<std::string> changedBefore;
    {
        RunningConsole console(m_home, database());
        ASSERT_TRUE(console.go(QStringLiteral("do page.stuck")));
        ASSERT_TRUE(console.sees(QStringLiteral("Why it is stuck"))) << console.complaint();
        ASSERT_TRUE(console.go(QStringLiteral("do select-all")));
        ASSERT_TRUE(console.go(QStringLiteral("do operation.fence")));
        ASSERT_TRUE(console.sees(QStringLiteral("Type 21 to confirm")));
        ASSERT_TRUE(console.go(QStringLiteral("focus Reason")));
        ASSERT_TRUE(console.go(QStringLiteral("type , INC-77")));
        // So slowly that it is killed in the middle, however busy this computer is.
        ASSERT_TRUE(console.go(QStringLiteral("focus pace")));
        ASSERT_TRUE(console.go(QStringLiteral("type 2")));
        ASSERT_TRUE(console.go(QStringLiteral("focus Type 21 to confirm that many rows")));
        ASSERT_TRUE(console.go(QStringLiteral("type 21")));
        ASSERT_NO_FATAL_FAILURE(arm(console));
        ASSERT_TRUE(console.go(QStringLiteral("press Fence 21 owners")));
        ASSERT_TRUE(eventually([&] { return auditOf("fence").size() >= 3; })) << console.complaint();
        ASSERT_NO_FATAL_FAILURE(console.killNow());
        for (const auto& entry : auditOf("fence"))
            changedBefore.insert(entry.identity);
    }
    ASSERT_GE(changedBefore.size(), 3U);
    ASSERT_LT(changedBefore.size(), 21U);
    expectWholeAudit();

    RunningConsole console(m_home, database());
    ASSERT_TRUE(console.sees(QStringLiteral("A run was cut short"))) << console.complaint();
    ASSERT_TRUE(console.go(QStringLiteral("press Look at it")));
    ASSERT_TRUE(console.sees(QStringLiteral("Type 21 to confirm")));
    ASSERT_TRUE(console.go(QStringLiteral("focus Type 21 to confirm that many rows")));
    ASSERT_TRUE(console.go(QStringLiteral("type 21")));
    ASSERT_NO_FATAL_FAILURE(arm(console));
    ASSERT_TRUE(console.go(QStringLiteral("press Fence 21 owners")));
    EXPECT_TRUE(console.sees(QStringLiteral("changed %1 · already done %2 · skipped 0 · failed 0")
                                 .arg(21 - changedBefore.size())
                                 .arg(changedBefore.size())));
    const auto entries = auditOf("fence");
    std::set<std::string> rows;
    std::set<std::string> requests;
    for (const auto& entry : entries) {
        rows.insert(entry.identity);
        requests.insert(entry.requestId);
    }
    EXPECT_EQ(entries.size(), 21U) << "each row was fenced once";
    EXPECT_EQ(rows.size(), 21U);
    EXPECT_EQ(requests.size(), 1U);
    expectWholeAudit();
    const models::PlanFolder plans(m_home.filePath(QStringLiteral("data/fencepost/plans")));
    EXPECT_TRUE(plans.interrupted().empty());
    EXPECT_EQ(plans.all().size(), 1U);
}

TEST_F(CrashTest, AHalfWrittenNoteAndAFinishedOneOutliveTheKill)
{
    const QString half = QStringLiteral("INC-77: the worker was dra");
    {
        RunningConsole console(m_home, database());
        ASSERT_NO_FATAL_FAILURE(openDialog(console, "note"));
        ASSERT_TRUE(console.go(QStringLiteral("focus Note")));
        ASSERT_TRUE(console.go(QStringLiteral("type ") + half));
        ASSERT_TRUE(eventually([&] {
            return contentsUnder(QStringLiteral("state/fencepost/drafts"), QStringLiteral("*")).contains(half.toUtf8());
        })) << console.complaint();
        ASSERT_NO_FATAL_FAILURE(console.killNow());
    }
    {
        RunningConsole console(m_home, database());
        ASSERT_NO_FATAL_FAILURE(openDialog(console, "note"));
        EXPECT_TRUE(console.sees(half));
        ASSERT_TRUE(console.go(QStringLiteral("focus Note")));
        ASSERT_TRUE(console.go(QStringLiteral("type ined")));
        ASSERT_NO_FATAL_FAILURE(arm(console));
        ASSERT_TRUE(console.go(QStringLiteral("press Add note")));
        ASSERT_TRUE(console.sees(QStringLiteral("changed 1 · skipped 0 · failed 0")));
        ASSERT_NO_FATAL_FAILURE(console.killNow());
    }
    const auto entries = auditOf("note");
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries.front().reason, (half + QStringLiteral("ined")).toStdString());
    expectWholeAudit();
    EXPECT_TRUE(contentsUnder(QStringLiteral("data/fencepost"), QStringLiteral("*"))
                    .contains((half + QStringLiteral("ined")).toUtf8()))
        << "the notebook has it as well";
    EXPECT_TRUE(contentsUnder(QStringLiteral("state/fencepost/drafts"), QStringLiteral("*")).isEmpty());
}

} // namespace
} // namespace fencepost::app
