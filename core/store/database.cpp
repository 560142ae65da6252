// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <libpq-fe.h>
#include <poll.h>
#include <sqlite3.h>

#include <QSqlDriver>
#include <QUuid>

#include "core/store/connecting.h"
#include "core/store/native.h"
#include "core/store/snapshot_seal.h"
#include "core/store/statement_cache.h"

namespace fencepost::store {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Virtual-machine steps between two looks at the clock.
constexpr int stepsPerLook = 4000;
// SQLite's own waits grow to a tenth of a second, and miss the moments that somebody who writes all the time leaves.
constexpr auto betweenTries = std::chrono::milliseconds(2);

} // namespace

struct Connection::Private {
    Target target;
    OpenOptions options;
    QString name = QUuid::createUuid().toString();
    QSqlDatabase database;
    void* handle = nullptr;
    PGcancel* pgCancel = nullptr;
    std::unique_ptr<Native> native;
    int names = 0;
    std::mutex cancelling; // cancel() against the destructor
    std::atomic<std::int64_t> deadline{ 0 }; // of the steady clock; 0: none
    SteadyClock::time_point busySince; // somebody else has the lock
    std::optional<Duration> limit; // instead of statementTimeout
    StatementCache<Statement> statements;
    bool drawing = false;
    std::optional<Fence> drawn;

    static int look(void* self)
    {
        const auto deadline = static_cast<Private*>(self)->deadline.load(std::memory_order_relaxed);
        return deadline != 0 && SteadyClock::now().time_since_epoch().count() > deadline ? 1 : 0;
    }

    static int busy(void* self, int tries)
    {
        auto& d = *static_cast<Private*>(self);
        const auto now = SteadyClock::now();
        if (tries == 0)
            d.busySince = now;
        if (now - d.busySince >= d.options.lockTimeout)
            return 0;
        std::this_thread::sleep_for(betweenTries);
        return 1;
    }

    [[nodiscard]] bool timedOut() const
    {
        const auto at = deadline.load(std::memory_order_relaxed);
        return at != 0 && SteadyClock::now().time_since_epoch().count() > at;
    }
};

Connection::Connection(Target target, OpenOptions options)
    : d(std::make_unique<Private>())
{
    d->target = std::move(target);
    d->options = std::move(options);
}

Connection::~Connection()
{
    {
        const std::lock_guard lock(d->cancelling);
        if (d->pgCancel != nullptr)
            PQfreeCancel(d->pgCancel);
        d->pgCancel = nullptr;
        d->handle = nullptr;
    }
    d->native.reset();
    d->database.close();
    // Every copy must be gone before the name is.
    d->database = QSqlDatabase();
    if (QSqlDatabase::contains(d->name))
        QSqlDatabase::removeDatabase(d->name);
    // Behind their driver: a closed connection has freed them all, and Qt would print that it could not free those of a
    // lost one.
    d->statements.clear();
}

Result<std::unique_ptr<Connection>> Connection::open(const Target& target, const OpenOptions& options)
{
    const bool sqlite = target.dialect == Dialect::Sqlite;
    const auto driver = QLatin1String(sqlite ? "QSQLITE" : "QPSQL");
    if (!QSqlDatabase::isDriverAvailable(driver))
        return Error{ Failure::Unsupported,
            sqlite ? "Qt's SQLite driver is not installed" : "Qt's PostgreSQL driver is not installed",
            QString(driver).toStdString() };
    if (const auto ready = sqlite ? checkFile(target, options) : checkSettings(target); !ready)
        return ready.error();

    std::unique_ptr<Connection> connection(new Connection(target, options));
    auto& d = *connection->d;
    d.database = QSqlDatabase::addDatabase(driver, d.name);
    if (sqlite) {
        d.database.setDatabaseName(QString::fromStdString(target.path));
        d.database.setConnectOptions(sqliteOptions(options));
    } else {
        d.database.setUserName(QString::fromStdString(target.user));
        d.database.setPassword(QString::fromStdString(options.password));
        d.database.setConnectOptions(postgresOptions(target, options));
    }
    bool opened = d.database.open();
    // Said by poolers that know no such option. Where strings are as they are everywhere, nothing is lost without it.
    if (!opened && d.database.lastError().databaseText().contains(QLatin1String("unsupported startup parameter"))) {
        d.database.setConnectOptions(postgresOptions(target, options, false));
        opened = d.database.open();
    }
    if (!opened)
        return sqlite ? errorOf(*connection, d.database.lastError()) : connectError(target, d.database.lastError());

    const auto handle = d.database.driver()->handle();
    if (sqlite) {
        d.handle = *static_cast<sqlite3* const*>(handle.constData());
        sqlite3_progress_handler(static_cast<sqlite3*>(d.handle), stepsPerLook, &Private::look, &d);
        sqlite3_busy_handler(static_cast<sqlite3*>(d.handle), &Private::busy, &d);
    } else {
        d.handle = *static_cast<PGconn* const*>(handle.constData());
        d.pgCancel = PQgetCancel(static_cast<PGconn*>(d.handle));
    }
    for (const auto& sql : sqlite ? sqliteSession(options) : postgresSession(target, options))
        if (const auto set = connection->execute(sql); !set)
            return set.error();
    if (sqlite && options.access == Access::ReadWrite)
        if (const auto writable = refuseSnapshot(*connection); !writable)
            return writable.error();
    return connection;
}

Dialect Connection::dialect() const
{
    return d->target.dialect;
}

const Target& Connection::target() const
{
    return d->target;
}

Access Connection::access() const
{
    return d->options.access;
}

Result<Statement*> Connection::prepare(const std::string& sql)
{
    if (auto* kept = d->statements.find(sql)) {
        kept->finish();
        return kept;
    }
    QSqlQuery query(d->database);
    // SQLite would keep every row that was walked; libpq has the whole result anyway and is slower row by row.
    query.setForwardOnly(dialect() == Dialect::Sqlite);
    startTimer();
    if (!query.prepare(QString::fromStdString(sql)))
        return errorOf(*this, query.lastError());
    return &d->statements.add(sql, Statement(*this, std::move(query)));
}

void Connection::forgetStatements()
{
    d->native.reset();
    d->statements.clear();
}

Status Connection::execute(const std::string& sql)
{
    return native().execute(sql);
}

bool Connection::isOpen() const
{
    if (dialect() == Dialect::Sqlite)
        return d->database.isOpen();
    return d->handle != nullptr && PQstatus(static_cast<PGconn*>(d->handle)) == CONNECTION_OK;
}

bool Connection::isAlive()
{
    if (dialect() == Dialect::Sqlite || !isOpen())
        return isOpen();
    // What comes unasked is a notice, or the end.
    auto* native = static_cast<PGconn*>(d->handle);
    pollfd socket{ .fd = PQsocket(native), .events = POLLIN, .revents = 0 };
    if (::poll(&socket, 1, 0) > 0)
        (void)PQconsumeInput(native);
    return isOpen();
}

bool Connection::inTransaction() const
{
    if (dialect() == Dialect::Sqlite)
        return sqlite3_get_autocommit(static_cast<sqlite3*>(d->handle)) == 0;
    return PQtransactionStatus(static_cast<PGconn*>(d->handle)) != PQTRANS_IDLE;
}

void Connection::leaveTransaction()
{
    // A cancel that was meant for the statement before may take the first of them.
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts && isOpen() && inTransaction(); ++attempt)
        (void)execute("ROLLBACK");
}

void* Connection::handle() const
{
    return d->handle;
}

void Connection::startTimer()
{
    const auto limit = d->limit.value_or(d->options.statementTimeout);
    if (dialect() != Dialect::Sqlite)
        return;
    const auto at = limit <= Duration(0) ? SteadyClock::time_point() : SteadyClock::now() + limit;
    d->deadline.store(at.time_since_epoch().count(), std::memory_order_relaxed);
}

void Connection::limitStatements(std::optional<Duration> limit)
{
    d->limit = limit;
}

bool Connection::timedOut() const
{
    return d->timedOut();
}

void Connection::cancel()
{
    const std::lock_guard lock(d->cancelling);
    if (d->handle == nullptr)
        return;
    if (dialect() == Dialect::Sqlite) {
        sqlite3_interrupt(static_cast<sqlite3*>(d->handle));
    } else if (d->pgCancel != nullptr) {
        char words[256];
        // A cancel that does not arrive leaves the statement to its timeout.
        (void)PQcancel(d->pgCancel, words, sizeof words);
    }
}

std::optional<Fence>* Connection::drawnFence()
{
    return d->drawing ? &d->drawn : nullptr;
}

void Connection::startFences(bool started)
{
    d->drawing = started;
    d->drawn.reset();
}

QSqlDatabase& Connection::qt()
{
    return d->database;
}

std::string Connection::freshName()
{
    return "fencepost_" + std::to_string(++d->names);
}

Native& Connection::native()
{
    if (!d->native)
        d->native = Native::on(*this);
    return *d->native;
}

Error errorOf(Connection& connection, const QSqlError& error)
{
    const auto code = error.nativeErrorCode().toStdString();
    auto words = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
    auto result = errorOf(connection.dialect(), code == "-1" ? std::string() : code, words.trimmed().toStdString());
    constexpr int interrupted = 9;
    if (connection.dialect() == Dialect::Sqlite && std::atoi(code.c_str()) == interrupted && connection.timedOut()) {
        result.failure = Failure::TimedOut;
        result.message = "The statement took longer than allowed";
    }
    return result;
}

} // namespace fencepost::store
