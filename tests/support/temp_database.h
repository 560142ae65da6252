// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <QTemporaryDir>
#include <QUuid>

#include "core/store/database.h"

namespace fencepost::test {

// A fresh, empty database of one kind for one test: an SQLite file in a folder of its own, or a database of its own in
// the cluster that FENCEPOST_TEST_POSTGRES names. It goes with the object.
class TempDatabase {
public:
    explicit TempDatabase(store::Dialect dialect)
    {
        m_target.dialect = dialect;
        if (dialect == store::Dialect::Sqlite) {
            m_target.path = (m_folder.path() + QLatin1String("/test.db")).toStdString();
            return;
        }
        const char* url = std::getenv("FENCEPOST_TEST_POSTGRES");
        if (url == nullptr) {
            m_problem = "FENCEPOST_TEST_POSTGRES is not set: run the tests under tests/support/with_postgres";
            return;
        }
        const auto cluster = store::parseUrl(url);
        if (!cluster) {
            m_problem = cluster.error().message;
            return;
        }
        m_cluster = *cluster;
        m_target = *cluster;
        m_target.database = "test_" + QUuid::createUuid().toString(QUuid::Id128).toStdString();
        administrate("CREATE DATABASE " + m_target.database);
    }

    ~TempDatabase()
    {
        if (!m_cluster.host.empty() && m_problem.empty())
            administrate("DROP DATABASE IF EXISTS " + m_target.database + " WITH (FORCE)");
    }

    TempDatabase(const TempDatabase&) = delete;
    TempDatabase& operator=(const TempDatabase&) = delete;

    // Empty, or why there is no database. Every fixture asserts it.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] const store::Target& target() const { return m_target; }
    [[nodiscard]] std::string url() const { return store::formatUrl(m_target); }
    [[nodiscard]] QString folder() const { return m_folder.path(); }

    // A connection that may write; SQLite's file is made where it is missing.
    [[nodiscard]] Result<std::unique_ptr<store::Connection>> connect(
        store::Access access = store::Access::ReadWrite) const
    {
        return store::Connection::open(m_target,
            { .access = access,
                .statementTimeout = std::chrono::seconds(30),
                .lockTimeout = std::chrono::seconds(10),
                .create = access == store::Access::ReadWrite });
    }

    // As a server that is told to stop does (57P01). A file has no sessions.
    void endSessions()
    {
        if (m_target.dialect == store::Dialect::PostgreSql)
            administrate(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + m_target.database + '\'');
    }

    // Nobody gets in until it is opened again, and whoever is in is thrown out. Only of a server.
    void close()
    {
        administrate("ALTER DATABASE " + m_target.database + " WITH ALLOW_CONNECTIONS false");
        endSessions();
    }
    void open() { administrate("ALTER DATABASE " + m_target.database + " WITH ALLOW_CONNECTIONS true"); }

    // As the cluster's superuser, outside the test's database.
    void administrate(const std::string& sql)
    {
        const auto connection =
            store::Connection::open(m_cluster, { .access = store::Access::ReadWrite, .statementTimeout = {} });
        if (!connection) {
            m_problem = connection.error().message + ": " + connection.error().detail;
            return;
        }
        if (const auto done = (*connection)->execute(sql); !done)
            m_problem = done.error().message + ": " + done.error().detail;
    }

private:
    QTemporaryDir m_folder;
    store::Target m_cluster;
    store::Target m_target;
    std::string m_problem;
};

} // namespace fencepost::test
