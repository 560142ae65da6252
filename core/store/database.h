// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include "core/ids.h"
#include "core/result.h"
#include "core/store/named_sql.h"
#include "core/time.h"

namespace fencepost::store {

// Where and how to connect. The password is never part of a URL, a log or an error text.
struct Target {
    Dialect dialect = Dialect::Sqlite;
    std::string path; // SQLite
    std::string host; // PostgreSQL: one or several, separated by commas; a directory for a local socket
    std::string port; // one or several, separated by commas
    std::string database;
    std::string user;
    std::string service; // of pg_service.conf
    std::string schema; // search_path; empty: the role's own
    std::string sslMode; // disable … verify-full; empty: libpq's default
    std::string sslRootCert;
    std::string sslCert;
    std::string sslKey;
    std::string targetSessionAttrs; // any, read-write, read-only, primary, standby, prefer-standby
    std::string passFile;
    std::string applicationName; // "fencepost/1.0 user@host pid"
};

// "sqlite:PATH" or "postgresql://[user@]host[:port][,host…]/database[?sslmode=…&service=…&…]". A password in it is
// refused.
[[nodiscard]] Result<Target> parseUrl(std::string_view url);
[[nodiscard]] std::string formatUrl(const Target& target); // without any secret

enum class Access {
    ReadOnly, // enforced by the database: SQLITE_OPEN_READONLY + query_only; default_transaction_read_only + read-only
              // transactions
    ReadWrite,
};

struct OpenOptions {
    Access access = Access::ReadOnly;
    std::string password; // empty: passfile, service file or environment
    Duration statementTimeout = std::chrono::seconds(5);
    Duration lockTimeout = std::chrono::seconds(2); // SQLite: how long the file may be locked
    Duration idleTimeout = std::chrono::seconds(30); // idle in transaction
    Duration connectTimeout = std::chrono::seconds(5);
    bool create = false; // SQLite: make the file where there is none
};

class Native;
class Statement;

// One connection, opened, used and closed by one thread. The only place that turns a driver's error into an Error.
class Connection {
public:
    static Result<std::unique_ptr<Connection>> open(const Target& target, const OpenOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] Dialect dialect() const;
    [[nodiscard]] const Target& target() const;
    [[nodiscard]] Access access() const;

    // Prepared once per text and kept; the pointer is good until the next prepare(). `sql` has named parameters :name
    // and no `;`. A statement that is still walked must not be prepared again.
    Result<Statement*> prepare(const std::string& sql);
    Result<Statement*> prepare(const NamedSql& sql) { return prepare(std::string(sql.of(dialect()))); }
    // Runs a statement without parameters and rows.
    Status execute(const std::string& sql);

    [[nodiscard]] bool isOpen() const;
    // The same, and the server has not ended it meanwhile, as far as is known without asking it. For whoever can still
    // open another one: between two statements, outside of a transaction.
    [[nodiscard]] bool isAlive();
    // Whether a transaction is open, as the database says.
    [[nodiscard]] bool inTransaction() const;
    // Rolls back what is open, whoever opened it.
    void leaveTransaction();
    // The live PGconn* or sqlite3*, for pipelines, cancel and exact octets.
    [[nodiscard]] void* handle() const;
    // SQLite: the last fence that the open transaction has drawn; its commit writes it once. Null outside a
    // Transaction.
    [[nodiscard]] std::optional<Fence>* drawnFence();
    // Drops every prepared statement: after a change of the schema.
    void forgetStatements();
    // Restarts the clock of statementTimeout where the database has none of its own (SQLite).
    void startTimer();
    [[nodiscard]] bool timedOut() const;
    // A shorter limit than statementTimeout for the statements that follow, where the database has none of its own
    // (SQLite); none: the usual one again.
    void limitStatements(std::optional<Duration> limit);
    // Stops the running statement; may be called from any thread.
    void cancel();

    [[nodiscard]] QSqlDatabase& qt();
    // The protocol's own statements, on the same connection and in the same transaction.
    [[nodiscard]] Native& native();
    // A name that no statement of this session has had.
    [[nodiscard]] std::string freshName();

private:
    friend class Transaction;
    explicit Connection(Target target, OpenOptions options);
    void startFences(bool started);
    struct Private;
    std::unique_ptr<Private> d;
};

// Which text no database would take as it is: no UTF-8, or one with a zero octet.
[[nodiscard]] std::optional<Error> malformedText(const std::string& name, std::string_view value);

// A prepared statement. Bind everything, run, walk the rows, finish.
class Statement {
public:
    Statement(Connection& connection, QSqlQuery query);

    Statement& bind(const char* name, const QVariant& value);
    // Text as UTF-8; what is no UTF-8 makes run() answer Invalid: SQLite takes such text only as octets in
    // CAST(:name AS TEXT).
    Statement& bindText(const char* name, std::string_view value);
    Statement& bindText(const char* name, const std::string& value) { return bindText(name, std::string_view(value)); }
    Statement& bindText(const char* name, const char* value) { return bindText(name, std::string_view(value)); }
    Statement& bindText(const char* name, const std::optional<std::string>& value);
    Statement& bindBytes(const char* name, const std::optional<std::string>& value);
    Statement& bindInt(const char* name, std::optional<std::int64_t> value);
    // Microseconds since 1970, as an integer in both dialects.
    Statement& bindTime(const char* name, const std::optional<Time>& value);

    Status run();
    bool next();
    // Why next() ended early; success where it met the end.
    [[nodiscard]] Status error();
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::string bytes(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<std::string> optionalText(int column) const;
    [[nodiscard]] std::optional<std::string> optionalBytes(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const;
    [[nodiscard]] std::optional<Time> time(int column) const;
    [[nodiscard]] int columnIndex(const char* name) const;
    [[nodiscard]] int columnCount() const;
    [[nodiscard]] int affected() const;
    void finish();

private:
    Connection* m_connection;
    QSqlQuery m_query;
    std::optional<Error> m_bindError;
};

enum class Begin { Deferred, Immediate }; // SQLite; PostgreSQL: plain BEGIN for both

// Rolls back unless committed.
class Transaction {
public:
    static Result<Transaction> begin(Connection& connection, Begin how);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    // A commit that was sent and not answered is InDoubt.
    Status commit();
    void rollback();

private:
    explicit Transaction(Connection& connection);
    Connection* m_connection;
};

// The one translation: SQLSTATE or SQLite's extended code -> Failure.
[[nodiscard]] Error errorOf(Connection& connection, const QSqlError& error);
[[nodiscard]] Error errorOf(Dialect dialect, const std::string& code, const std::string& words);
// Whether running it again may succeed: 40001, 40P01 and SQLITE_BUSY.
[[nodiscard]] bool isTransient(const Error& error);

// Runs `body` again on 40001, 40P01 and SQLITE_BUSY, with jitter, at most `attempts` times. Never on InDoubt.
Status retrying(int attempts, const std::function<Status()>& body);

} // namespace fencepost::store
