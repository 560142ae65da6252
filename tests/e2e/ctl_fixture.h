// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

#include "core/clock.h"
#include "core/store/schema.h"
#include "core/store/sql_store.h"
#include "core/store/statements.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

namespace fencepost::test {

// What a run of fencepostctl left.
struct CtlRun {
    int code = -1; // -1: it did not exit by itself
    std::string out;
    std::string err;

    // The only, or the last, line of its output as JSON.
    [[nodiscard]] nlohmann::json json() const
    {
        const auto all = lines();
        EXPECT_FALSE(all.empty()) << err;
        return all.empty() ? nlohmann::json::object() : all.back();
    }
    [[nodiscard]] std::vector<nlohmann::json> lines() const
    {
        std::vector<nlohmann::json> parsed;
        for (std::size_t at = 0; at < out.size();) {
            const auto end = out.find('\n', at);
            parsed.push_back(nlohmann::json::parse(out.substr(at, end - at), nullptr, false));
            EXPECT_FALSE(parsed.back().is_discarded()) << out.substr(at, end - at);
            at = end == std::string::npos ? out.size() : end + 1;
        }
        return parsed;
    }
};

// Of a process that has ended.
inline CtlRun runOf(QProcess& process)
{
    CtlRun run;
    run.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    run.out = process.readAllStandardOutput().toStdString();
    run.err = process.readAllStandardError().toStdString();
    return run;
}

// Of one that asks a server of this thread until it ends.
inline CtlRun servedRunOf(QProcess& process)
{
    while (process.state() != QProcess::NotRunning)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    return runOf(process);
}

// The real program as a process, on a real database of either kind.
class CtlTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    void SetUp() override { ASSERT_EQ(database.problem(), ""); }

    [[nodiscard]] QProcessEnvironment environment() const
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_STATE_HOME"), database.folder());
        environment.remove(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"));
        return environment;
    }

    void start(QProcess& process, const QStringList& arguments, const std::function<void()>& inChild = {}) const
    {
        process.setProcessEnvironment(environment());
        process.setWorkingDirectory(database.folder());
        if (inChild)
            process.setChildProcessModifier(inChild);
        process.start(QStringLiteral(FENCEPOSTCTL), arguments);
        ASSERT_TRUE(process.waitForStarted());
    }

    CtlRun plain(const QStringList& arguments, const std::function<void()>& inChild = {}) const
    {
        QProcess process;
        start(process, arguments, inChild);
        EXPECT_TRUE(process.waitForFinished(120'000));
        return runOf(process);
    }

    [[nodiscard]] QStringList withDatabase(const QStringList& arguments) const
    {
        return QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--json") }
        + arguments;
    }

    // On the test's database, with --json.
    CtlRun ctl(const QStringList& arguments, const std::function<void()>& inChild = {}) const
    {
        return plain(withDatabase(arguments), inChild);
    }

    // "a b c" as arguments.
    CtlRun ctl(const char* words) const { return ctl(QString::fromUtf8(words).split(QLatin1Char(' '))); }

    // As a person reads it.
    CtlRun text(const QStringList& arguments) const
    {
        return plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + arguments);
    }

    [[nodiscard]] QString path(const char* name) const
    {
        return database.folder() + QLatin1Char('/') + QLatin1String(name);
    }

    // A database with so many keys in progress whose leases ended an hour ago.
    void makeStuckKeys(int count)
    {
        connection = std::move(*database.connect());
        const auto made = store::initSchema(*connection, false);
        ASSERT_TRUE(made) << made.error().message << made.error().detail;
        ManualClock clock(SystemClock().now() - std::chrono::hours(1));
        store::SqlStore records(*connection, { .clock = &clock, .bind = true });
        SeededRandom random(1);
        std::vector<Reservation> wishes;
        for (int i = 0; i < count; ++i) {
            Reservation wish;
            wish.id = { "pay", "charge", "key-" + std::to_string(100'000 + i) };
            wish.requestHash = sha256(wish.id.key);
            wish.owner = { uuid4(random) };
            wish.lease = std::chrono::seconds(1);
            wish.ttl = std::chrono::hours(48);
            wishes.push_back(std::move(wish));
        }
        const auto reserved = records.reserveAll(wishes);
        ASSERT_TRUE(reserved) << reserved.error().message << reserved.error().detail;
    }

    // Somebody else's table, without an audit of its own, with keys in progress.
    void makeAtlasKeys(const std::vector<std::string>& keys)
    {
        connection = std::move(*database.connect());
        ASSERT_TRUE(connection->execute(store::sql::layout_atlas_records.of(GetParam())));
        const auto* hash = GetParam() == store::Dialect::Sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
        for (const auto& key : keys)
            ASSERT_TRUE(connection->execute("INSERT INTO idempotency_records VALUES ('pay', 'charge', '" + key + "', "
                + hash
                + ", 'IN_PROGRESS', '7d9f6d2e-0000-4000-8000-000000000abc', NULL, NULL, NULL, '2026-01-01 11:00:00',"
                  " '2026-01-01 11:00:00', '2036-01-01 11:00:00')"));
    }

    // A key in progress that the command line would not reserve. The schema must be there.
    void makeStuckKey(const std::string& key)
    {
        connection = std::move(*database.connect());
        ManualClock clock(SystemClock().now() - std::chrono::hours(1));
        store::SqlStore records(*connection, { .clock = &clock, .bind = true });
        Reservation wish;
        wish.id = { "pay", "charge", key };
        wish.requestHash = sha256(key);
        wish.owner = { "00000000-0000-4000-8000-000000000000" };
        wish.lease = std::chrono::seconds(1);
        wish.ttl = std::chrono::hours(48);
        const auto reserved = records.reserve(wish);
        ASSERT_TRUE(reserved) << reserved.error().message << reserved.error().detail;
    }

    std::int64_t number(const std::string& sql)
    {
        auto statement = connection->prepare(sql);
        EXPECT_TRUE(statement) << statement.error().detail;
        EXPECT_TRUE((*statement)->run());
        EXPECT_TRUE((*statement)->next());
        const auto value = (*statement)->integer(0);
        (*statement)->finish();
        return value;
    }

    TempDatabase database{ GetParam() };
    std::unique_ptr<store::Connection> connection;
};

} // namespace fencepost::test
