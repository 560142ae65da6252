// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "models/connections.h"
#include "models/connections_model.h"
#include "models/files.h"

namespace fencepost::models {
namespace {

class ConnectionsTest : public ::testing::Test {
protected:
    static Connection make(const QString& name)
    {
        return { .name = name, .environment = Environment::Staging, .url = QStringLiteral("sqlite:/srv/a.db") };
    }
    void damage() { ASSERT_TRUE(replaceFile(m_path, "{ \"format\": 1, \"connections\": [ {")); }

    QTemporaryDir m_folder;
    QString m_path = m_folder.filePath(QStringLiteral("sub/connections.json"));
    Connections m_connections{ m_path };
};

TEST_F(ConnectionsTest, SurviveARoundTripWithEveryMember)
{
    ASSERT_TRUE(m_connections.load());
    const Connection first{ .name = QStringLiteral("orders · prod"),
        .environment = Environment::Production,
        .url = QStringLiteral("postgresql://ada@db1:5433,db2/orders?sslmode=verify-full&target_session_attrs=any"),
        .readOnly = true,
        .options = { { QStringLiteral("statement_timeout"), QStringLiteral("5s") } } };
    ASSERT_TRUE(m_connections.add(first));
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("second"))));
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("third"))));
    ASSERT_TRUE(m_connections.move(m_connections.named(QStringLiteral("third"))->id, 0));
    Connections again(m_path);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.all(), m_connections.all());
    EXPECT_EQ(again.all()[0].name, QStringLiteral("third"));
    EXPECT_TRUE(again.all()[1].readOnly) << "a read-only connection must never become writable by saving it";
    EXPECT_EQ(again.all()[1].url, first.url);
    EXPECT_EQ(again.all()[1].options, first.options);
    EXPECT_EQ(
        QFile::permissions(m_path) & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteOther), QFile::Permissions());
}

TEST_F(ConnectionsTest, EditsAndRemoves)
{
    const auto id = m_connections.add(make(QStringLiteral("one")));
    ASSERT_TRUE(id);
    auto edited = *m_connections.find(*id);
    edited.environment = Environment::Production;
    QSignalSpy changed(&m_connections, &Connections::changed);
    ASSERT_TRUE(m_connections.update(edited));
    EXPECT_EQ(m_connections.find(*id)->environment, Environment::Production);
    ASSERT_TRUE(m_connections.remove(*id));
    EXPECT_TRUE(m_connections.all().isEmpty());
    EXPECT_EQ(changed.count(), 2);
    EXPECT_EQ(m_connections.remove(*id).error().failure, Failure::NotFound);
}

TEST_F(ConnectionsTest, RefusesWhatCannotWork)
{
    EXPECT_FALSE(m_connections.add(make(QStringLiteral("  "))));
    auto strange = make(QStringLiteral("a"));
    strange.url = QStringLiteral("mysql://x/y");
    EXPECT_FALSE(m_connections.add(strange));
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("a"))));
    EXPECT_FALSE(m_connections.add(make(QStringLiteral("a")))) << "two of one name";
    EXPECT_EQ(m_connections.all().size(), 1);
}

TEST_F(ConnectionsTest, NeverKeepsAPassword)
{
    for (const auto* url : { "postgresql://ada:secret@db/orders", "postgresql://db/orders?password=secret",
             "postgresql://db/orders?sslmode=require&SSLPASSWORD=secret" }) {
        auto connection = make(QStringLiteral("a"));
        connection.url = QString::fromLatin1(url);
        const auto refused = m_connections.add(connection);
        ASSERT_FALSE(refused) << url;
        EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
    }
    auto ports = make(QStringLiteral("a"));
    ports.url = QStringLiteral("postgresql://ada@db1:5433,db2:5434/orders?passfile=/home/ada/.pgpass");
    EXPECT_TRUE(m_connections.add(ports)) << "a port is no password";
}

TEST_F(ConnectionsTest, ADamagedFileIsNeverOverwritten)
{
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("one"))));
    damage();
    Connections again(m_path);
    const auto loaded = again.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().failure, Failure::Corrupt);
    EXPECT_NE(loaded.error().message.find("connections.json"), std::string::npos);
    EXPECT_FALSE(again.add(make(QStringLiteral("two"))));
    EXPECT_TRUE(readFile(m_path)->startsWith("{ \"format\": 1, \"connections\": [ {"));
    const auto aside = again.setAside();
    ASSERT_TRUE(aside);
    EXPECT_TRUE(QFile::exists(*aside));
    EXPECT_TRUE(again.add(make(QStringLiteral("two"))));
}

TEST_F(ConnectionsTest, ComesBackFromTheBackup)
{
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("one"))));
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("two"))));
    damage();
    Connections again(m_path);
    ASSERT_FALSE(again.load());
    ASSERT_TRUE(again.restoreBackup());
    ASSERT_EQ(again.all().size(), 1);
    EXPECT_EQ(again.all()[0].name, QStringLiteral("one"));
    EXPECT_TRUE(QFile::exists(m_path + QStringLiteral(".damaged")));
}

TEST_F(ConnectionsTest, LeavesTheFileOfANewerVersionAlone)
{
    ASSERT_TRUE(replaceFile(m_path, R"({"format": 2, "connections": []})"));
    EXPECT_EQ(m_connections.load().error().failure, Failure::Unsupported);
    EXPECT_FALSE(m_connections.add(make(QStringLiteral("one"))));
    EXPECT_EQ(*readFile(m_path), QByteArray(R"({"format": 2, "connections": []})"));
}

TEST_F(ConnectionsTest, DoesNotOverwriteWhatAnotherWindowWrote)
{
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("one"))));
    Connections other(m_path);
    ASSERT_TRUE(other.load());
    ASSERT_TRUE(other.add(make(QStringLiteral("two"))));
    const auto refused = m_connections.add(make(QStringLiteral("three")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Conflict);
    ASSERT_TRUE(m_connections.load());
    EXPECT_EQ(m_connections.all().size(), 2);
}

TEST_F(ConnectionsTest, AMissingReadOnlyFlagIsNoPermission)
{
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("one"))));
    auto bytes = *readFile(m_path);
    bytes.replace("\"read_only\"", "\"readonly\"");
    ASSERT_TRUE(replaceFile(m_path, bytes));
    Connections again(m_path);
    EXPECT_EQ(again.load().error().failure, Failure::Corrupt);
}

TEST_F(ConnectionsTest, AreAModel)
{
    ConnectionsModel model(m_connections);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.emptiness().kind, Emptiness::Kind::NoRows);
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("one"))));
    ASSERT_TRUE(m_connections.add(make(QStringLiteral("two"))));
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.textAt(1, 0), QStringLiteral("two"));
    EXPECT_EQ(model.textAt(1, 1), QStringLiteral("staging"));
}

} // namespace
} // namespace fencepost::models
