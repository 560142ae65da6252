// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>

#include "core/store/database.h"
#include "core/store/moved_file.h"
#include "core/store/read_transaction.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;
using fencepost::test::TempDatabase;

namespace {

Failure failureOf(const Result<std::unique_ptr<Connection>>& connection)
{
    EXPECT_FALSE(connection);
    return connection ? Failure::Internal : connection.error().failure;
}

} // namespace

class DatabaseTest : public ::testing::TestWithParam<Dialect> {
protected:
    void SetUp() override { ASSERT_EQ(database.problem(), ""); }

    std::unique_ptr<Connection> connect(Access access = Access::ReadWrite)
    {
        auto connection = database.connect(access);
        EXPECT_TRUE(connection) << connection.error().message << connection.error().detail;
        return std::move(*connection);
    }

    TempDatabase database{ GetParam() };
};

INSTANTIATE_TEST_SUITE_P(Backends, DatabaseTest, test::bothDialects(), test::nameOfDialect);

namespace {

// What Qt prints on standard error while it lives.
class Printed {
public:
    Printed()
        : m_previous(qInstallMessageHandler(&note))
    {
        printed.clear();
    }
    ~Printed() { qInstallMessageHandler(m_previous); }
    Printed(const Printed&) = delete;
    Printed& operator=(const Printed&) = delete;

    [[nodiscard]] static std::string text() { return printed; }

private:
    static void note(QtMsgType, const QMessageLogContext&, const QString& words) { printed += words.toStdString(); }

    static inline std::string printed;
    QtMessageHandler m_previous;
};

} // namespace

TEST_P(DatabaseTest, ALostConnectionIsClosedInSilence)
{
    auto connection = connect();
    const auto statement = connection->prepare("SELECT 1");
    ASSERT_TRUE(statement && (*statement)->run());
    (*statement)->finish();
    EXPECT_TRUE(connection->isAlive());
    if (GetParam() == Dialect::PostgreSql) {
        const auto backend = connection->prepare("SELECT pg_backend_pid()");
        ASSERT_TRUE(backend && (*backend)->run() && (*backend)->next());
        database.administrate("SELECT pg_terminate_backend(" + (*backend)->text(0) + ")");
        (*backend)->finish();
        EXPECT_TRUE(fencepost::testing::eventually([&] { return !connection->isAlive(); }))
            << "nothing was asked of it";
        EXPECT_FALSE(connection->execute("SELECT 1"));
        EXPECT_FALSE(connection->isOpen());
    }
    const Printed printed;
    connection.reset();
    EXPECT_EQ(Printed::text(), "");
}

TEST_P(DatabaseTest, KeepsPreparedStatements)
{
    const auto connection = connect();
    ASSERT_TRUE(connection->execute("CREATE TABLE t(a BIGINT, b TEXT)"));
    const auto first = connection->prepare("INSERT INTO t VALUES(:a, :b)");
    ASSERT_TRUE(first);
    (*first)->bindInt("a", 1).bindText("b", "eins");
    ASSERT_TRUE((*first)->run());
    const auto second = connection->prepare("INSERT INTO t VALUES(:a, :b)");
    EXPECT_EQ(*first, *second);
    (*second)->bindInt("a", std::nullopt).bindText("b", std::optional<std::string>());
    ASSERT_TRUE((*second)->run());
    EXPECT_EQ((*second)->affected(), 1);

    const auto read = connection->prepare("SELECT a, b FROM t ORDER BY a");
    ASSERT_TRUE(read);
    ASSERT_TRUE((*read)->run());
    int rows = 0;
    int nulls = 0;
    while ((*read)->next()) {
        ++rows;
        nulls += (*read)->isNull(0) && !(*read)->optionalText(1) ? 1 : 0;
    }
    EXPECT_EQ(rows, 2);
    EXPECT_EQ(nulls, 1);
}

TEST_P(DatabaseTest, RefusesTextThatWouldNameAnotherRow)
{
    const auto connection = connect();
    for (const auto& text : { std::string("\xff"), std::string("a\0b", 3) }) {
        const auto statement = connection->prepare("SELECT CAST(:t AS TEXT)");
        ASSERT_TRUE(statement);
        const auto run = (*statement)->bindText("t", std::string_view(text)).run();
        ASSERT_FALSE(run);
        EXPECT_EQ(run.error().failure, Failure::Invalid);
    }
}

TEST_P(DatabaseTest, RollsBackWhatWasNotCommitted)
{
    const auto connection = connect();
    ASSERT_TRUE(connection->execute("CREATE TABLE t(a INTEGER)"));
    {
        auto transaction = Transaction::begin(*connection, Begin::Immediate);
        ASSERT_TRUE(transaction);
        ASSERT_TRUE(connection->execute("INSERT INTO t VALUES(1)"));
        EXPECT_TRUE(connection->inTransaction());
    }
    EXPECT_FALSE(connection->inTransaction());
    {
        auto transaction = Transaction::begin(*connection, Begin::Immediate);
        ASSERT_TRUE(connection->execute("INSERT INTO t VALUES(2)"));
        ASSERT_TRUE(transaction->commit());
    }
    const auto read = connection->prepare("SELECT sum(a), count(*) FROM t");
    ASSERT_TRUE((*read)->run());
    ASSERT_TRUE((*read)->next());
    EXPECT_EQ((*read)->integer(0), 2);
    EXPECT_EQ((*read)->integer(1), 1);
}

TEST_P(DatabaseTest, TheDatabaseItselfRefusesWritesOfAReadOnlySession)
{
    ASSERT_TRUE(connect()->execute("CREATE TABLE t(a INTEGER)"));
    const auto connection = connect(Access::ReadOnly);
    const auto written = connection->execute("INSERT INTO t VALUES(1)");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().failure, Failure::Denied) << written.error().detail;
}

TEST_P(DatabaseTest, StopsAStatementFromAnotherThread)
{
    const auto connection = connect();
    const auto slow = GetParam() == Dialect::Sqlite
        ? "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(n) FROM c"
        : "SELECT pg_sleep(60)";
    std::atomic<bool> done = false;
    std::thread canceller([&] {
        while (!done) {
            connection->cancel();
            std::this_thread::yield();
        }
    });
    const auto stopped = connection->execute(slow);
    done = true;
    canceller.join();
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().failure, Failure::Cancelled) << stopped.error().detail;
}

TEST_P(DatabaseTest, StopsAStatementAtItsTimeout)
{
    (void)connect();
    auto connection = Connection::open(database.target(), { .statementTimeout = 50ms });
    ASSERT_TRUE(connection);
    const auto slow = GetParam() == Dialect::Sqlite
        ? "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(n) FROM c"
        : "SELECT pg_sleep(60)";
    const auto stopped = (*connection)->execute(slow);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().failure, Failure::TimedOut) << stopped.error().detail;
}

TEST_P(DatabaseTest, SaysWhoHoldsTheLock)
{
    const auto first = connect();
    ASSERT_TRUE(first->execute("CREATE TABLE t(a INTEGER)"));
    auto transaction = Transaction::begin(*first, Begin::Immediate);
    ASSERT_TRUE(transaction);
    if (GetParam() == Dialect::PostgreSql) {
        ASSERT_TRUE(first->execute("LOCK TABLE t"));
    }
    auto second = Connection::open(database.target(), { .access = Access::ReadWrite, .lockTimeout = 10ms });
    ASSERT_TRUE(second);
    const auto locked = (*second)->execute("INSERT INTO t VALUES(1)");
    ASSERT_FALSE(locked);
    EXPECT_EQ(locked.error().failure, Failure::Unavailable) << locked.error().detail;
}

TEST(SqliteFile, ThatCannotBeOpenedSaysWhy)
{
    QTemporaryDir folder;
    const auto path = folder.path().toStdString();
    const auto open = [](const std::string& file, OpenOptions options = {}) {
        return Connection::open({ .dialect = Dialect::Sqlite, .path = file }, options);
    };
    EXPECT_EQ(failureOf(open(path + "/missing.db")), Failure::NotFound);
    EXPECT_EQ(failureOf(open(path + "/missing.db", { .access = Access::ReadWrite })), Failure::NotFound);
    EXPECT_EQ(failureOf(open(path)), Failure::Invalid);
    EXPECT_EQ(failureOf(open(path + "/no/such/folder.db")), Failure::NotFound);

    std::ofstream(path + "/letter.txt") << std::string(5000, 'x');
    const auto letter = open(path + "/letter.txt");
    ASSERT_FALSE(letter);
    EXPECT_EQ(letter.error().failure, Failure::Corrupt);
    EXPECT_EQ(letter.error().message, "The file is not an SQLite database");
    EXPECT_FALSE(QFile::exists(folder.path() + QLatin1String("/missing.db")));
}

TEST(SqliteFile, OfAFolderThatCannotBeWrittenSaysSo)
{
    const TempDatabase database(Dialect::Sqlite);
    ASSERT_TRUE((*database.connect())->execute("PRAGMA journal_mode=WAL"));
    const auto folder = database.folder().toStdString();
    ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
    // The rights of a file do not bind root.
    constexpr uid_t nobody = 65534;
    const auto self = geteuid();
    if (self == 0) {
        ASSERT_EQ(seteuid(nobody), 0);
    }
    const auto opened = database.connect(Access::ReadOnly);
    ASSERT_EQ(seteuid(self), 0);
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
    ASSERT_EQ(failureOf(opened), Failure::Denied);
    EXPECT_NE(opened.error().message.find("-shm"), std::string::npos) << opened.error().message;
    EXPECT_NE(advice(opened.error()).find("folder"), std::string::npos) << advice(opened.error());
}

TEST(PostgresServer, ThatCannotBeReachedSaysWhy)
{
    TempDatabase database(Dialect::PostgreSql);
    ASSERT_EQ(database.problem(), "");
    auto target = database.target();
    target.database = "no_such_database";
    EXPECT_EQ(failureOf(Connection::open(target, {})), Failure::NotFound);
    target = database.target();
    target.user = "nobody_here";
    EXPECT_EQ(failureOf(Connection::open(target, {})), Failure::Denied);
    target = database.target();
    target.port = "1";
    const auto refused = Connection::open(target, { .password = "hunter2" });
    EXPECT_EQ(failureOf(refused), Failure::Unavailable);
    EXPECT_EQ((refused.error().message + refused.error().detail).find("hunter2"), std::string::npos);
    target = database.target();
    target.host = "no-such-host.invalid";
    EXPECT_EQ(failureOf(Connection::open(target, {})), Failure::Unavailable);
    target = database.target();
    target.sslMode = "require";
    EXPECT_EQ(failureOf(Connection::open(target, {})), Failure::Unsupported);
    target = database.target();
    target.service = "no-such-service";
    EXPECT_EQ(failureOf(Connection::open(target, {})), Failure::Invalid);
}

TEST(PostgresServer, OfAListIsTheFirstThatAnswers)
{
    TempDatabase database(Dialect::PostgreSql);
    ASSERT_EQ(database.problem(), "");
    auto target = database.target();
    target.host = target.host + "," + target.host;
    target.port = "1," + target.port;
    target.targetSessionAttrs = "read-write";
    EXPECT_TRUE(Connection::open(target, {}));
}

TEST(PostgresServer, SeesASessionOfOursInUtcWithItsName)
{
    TempDatabase database(Dialect::PostgreSql);
    ASSERT_EQ(database.problem(), "");
    auto connection = database.connect();
    ASSERT_TRUE(connection);
    const auto read = (*connection)
                          ->prepare("SELECT current_setting('TimeZone'), current_setting('application_name'), "
                                    "current_setting('DateStyle')");
    ASSERT_TRUE(read);
    ASSERT_TRUE((*read)->run());
    ASSERT_TRUE((*read)->next());
    EXPECT_EQ((*read)->text(0), "UTC");
    EXPECT_EQ((*read)->text(1).substr(0, 10), "fencepost/");
    EXPECT_EQ((*read)->text(2), "ISO, YMD");
}

TEST(MovedFileTest, WhatWasOpenSaysSoInsteadOfWritingIntoNothing)
{
    TempDatabase database{ Dialect::Sqlite };
    auto connection = database.connect();
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->execute("CREATE TABLE t (a INTEGER)"));
    EXPECT_TRUE(checkFileInPlace(**connection));
    const auto path = database.target().path;
    ASSERT_EQ(std::rename(path.c_str(), (path + ".old").c_str()), 0);
    for (const bool replaced : { false, true }) {
        if (replaced) {
            std::ofstream(path) << "";
        }
        const auto checked = checkFileInPlace(**connection);
        ASSERT_FALSE(checked) << replaced;
        EXPECT_EQ(checked.error().failure, Failure::Unavailable);
        const auto begun = Transaction::begin(**connection, Begin::Immediate);
        ASSERT_FALSE(begun) << replaced;
        EXPECT_EQ(begun.error().failure, Failure::Unavailable);
    }
    ASSERT_EQ(std::rename((path + ".old").c_str(), path.c_str()), 0);
    EXPECT_TRUE(checkFileInPlace(**connection));
}

// What it left open would fail everything that is asked on the connection from then on.
TEST_P(DatabaseTest, ABeginThatFailsHalfwayLeavesNoTransaction)
{
    const auto connection = connect();
    const auto longest = std::chrono::hours(24 * 365 * 100);
    const auto begun = ReadTransaction::begin(*connection, longest);
    // PostgreSQL takes BEGIN and refuses the limit behind it.
    EXPECT_EQ(begun.has_value(), GetParam() == Dialect::Sqlite);
    EXPECT_EQ(connection->inTransaction(), begun.has_value());
}

TEST_P(DatabaseTest, LeavesATransactionThatAnErrorHasAborted)
{
    const auto connection = connect();
    ASSERT_TRUE(connection->execute("BEGIN"));
    EXPECT_FALSE(connection->execute("SELECT nothing FROM nowhere"));
    EXPECT_TRUE(connection->inTransaction());
    connection->leaveTransaction();
    EXPECT_FALSE(connection->inTransaction());
    EXPECT_TRUE(connection->execute("SELECT 1"));
}
