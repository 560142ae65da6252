// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/store/database.h"

using namespace fencepost;
using namespace fencepost::store;

TEST(TargetUrl, NamesAnSqliteFile)
{
    const auto target = parseUrl("sqlite:/tmp/a b.db");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->dialect, Dialect::Sqlite);
    EXPECT_EQ(target->path, "/tmp/a b.db");
    EXPECT_EQ(formatUrl(*target), "sqlite:/tmp/a b.db");
}

TEST(TargetUrl, NamesAPostgresServer)
{
    const auto target = parseUrl("postgresql://ann@db.example:5433/orders?sslmode=verify-full&application_name=x%20y");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->user, "ann");
    EXPECT_EQ(target->host, "db.example");
    EXPECT_EQ(target->port, "5433");
    EXPECT_EQ(target->database, "orders");
    EXPECT_EQ(target->sslMode, "verify-full");
    EXPECT_EQ(target->applicationName, "x y");
    EXPECT_EQ(formatUrl(*target), "postgresql://ann@db.example:5433/orders?sslmode=verify-full&application_name=x%20y");
}

TEST(TargetUrl, NamesSeveralHosts)
{
    const auto target = parseUrl("postgresql://a:5433,b,[::1]:5434/d?target_session_attrs=read-write");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->host, "a,b,::1");
    EXPECT_EQ(target->port, "5433,5432,5434");
    EXPECT_EQ(parseUrl(formatUrl(*target))->host, "a,b,::1");
    EXPECT_EQ(parseUrl(formatUrl(*target))->port, "5433,5432,5434");
}

TEST(TargetUrl, NamesASocketFolderAndAService)
{
    const auto target = parseUrl("postgres://%2Frun%2Fpg/d?service=orders&schema=svc");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->host, "/run/pg");
    EXPECT_EQ(target->service, "orders");
    EXPECT_EQ(target->schema, "svc");
    EXPECT_EQ(parseUrl(formatUrl(*target))->host, "/run/pg");
}

TEST(TargetUrl, RefusesAPasswordWithoutRepeatingIt)
{
    for (const char* url : { "postgresql://ann:hunter2@h/d", "postgresql://h/d?password=hunter2",
             "postgresql://ann:hun@ter2@h/d", "postgresql://h/d?sslpassword=hunter2" }) {
        const auto target = parseUrl(url);
        ASSERT_FALSE(target) << url;
        EXPECT_EQ(target.error().failure, Failure::Invalid);
        EXPECT_EQ((target.error().message + target.error().detail).find("hunter2"), std::string::npos);
    }
}

TEST(TargetUrl, RefusesWhatItDoesNotKnow)
{
    for (const char* url : { "", "sqlite:", "mysql://h/d", "postgresql://h:x/d", "postgresql://h/d?sslmode=perhaps",
             "postgresql://h/d?options=-c", "postgresql://h/%zz", "postgresql://[::1/d", "postgresql://h/a%00b",
             "postgresql://h/d?schema=a%3Bb" }) {
        const auto target = parseUrl(url);
        ASSERT_FALSE(target) << url;
        EXPECT_EQ(target.error().failure, Failure::Invalid) << url;
    }
}
