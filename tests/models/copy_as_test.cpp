// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "models/copy_as.h"

namespace fencepost::models {
namespace {

class CopyAsTest : public ::testing::Test {
protected:
    static CopyRequest make()
    {
        Binding binding;
        binding.name = "idempotency_records";
        binding.identityColumns = { "scope", "operation_type", "idempotency_key" };
        Row row;
        row.key = "pay_01";
        row.scope = "it's";
        row.operation = "capture";
        row.identity = { "it's", "capture", "pay_01" };
        row.state = "FAILED_FINAL";
        row.rawState = "FAILED_FINAL";
        row.fence = 12;
        row.createdAt = *parseInstant("2026-11-20T23:45:47.123456Z");
        row.error = "card 4111111111111111 was declined | try again";
        row.extra = { { "customer_email", "ada@example.org" }, { "region", "eu" } };
        CopyRequest request;
        request.rows = { row };
        request.binding = std::make_shared<const Binding>(binding);
        request.columns = { recordColumns().begin(), recordColumns().end() };
        request.display.zone = *Zone::named(QStringLiteral("Asia/Kolkata"));
        request.databaseUrl = "postgresql://ada@db/orders?sslmode=require";
        return request;
    }
    static QString copied(CopyFormat format, const CopyRequest& request = make())
    {
        const auto text = copyAs(format, request);
        EXPECT_TRUE(text) << text.error().message;
        return text ? *text : QString();
    }
};

TEST_F(CopyAsTest, JsonHasTheGridsInstantsAndNoSecrets)
{
    const auto object = QJsonDocument::fromJson(copied(CopyFormat::Json).toUtf8()).object();
    EXPECT_EQ(object.value(QStringLiteral("key")).toString(), QStringLiteral("pay_01"));
    EXPECT_EQ(object.value(QStringLiteral("created")).toString(), QStringLiteral("2026-11-21T05:15:47.123+05:30"));
    EXPECT_EQ(object.value(QStringLiteral("error")).toString(), QStringLiteral("card ••• was declined | try again"));
    EXPECT_EQ(object.value(QStringLiteral("customer_email")).toString(), QStringLiteral("•••"));
    EXPECT_EQ(object.value(QStringLiteral("region")).toString(), QStringLiteral("eu"));
    EXPECT_EQ(object.value(QStringLiteral("fence")).toInt(), 12);
    auto request = make();
    request.withSecrets = true;
    EXPECT_TRUE(copied(CopyFormat::Json, request).contains(QStringLiteral("4111111111111111")));
}

TEST_F(CopyAsTest, SeveralRowsAreAnArrayOrLines)
{
    auto request = make();
    request.rows.push_back(request.rows.front());
    EXPECT_EQ(QJsonDocument::fromJson(copied(CopyFormat::Json, request).toUtf8()).array().size(), 2);
    const auto lines = copied(CopyFormat::JsonLines, request).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(QJsonDocument::fromJson(lines[0].toUtf8()).isObject());
}

TEST_F(CopyAsTest, AMarkdownTableHoldsEveryCellTogether)
{
    const auto lines = copied(CopyFormat::Markdown).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_TRUE(lines[2].contains(QStringLiteral("declined \\| try again")));
    EXPECT_FALSE(lines[2].contains(QStringLiteral("4111")));
    EXPECT_TRUE(lines[2].contains(QStringLiteral("2026-11-21T05:15:47.123+05:30")));
}

TEST_F(CopyAsTest, ASqlConditionQuotesNamesAndValues)
{
    EXPECT_EQ(copied(CopyFormat::Where),
        QStringLiteral(
            "WHERE (\"scope\", \"operation_type\", \"idempotency_key\") IN (('it''s', 'capture', 'pay_01'))"));
    auto octets = make();
    octets.rows.front().identity.back() = "\\xff";
    EXPECT_FALSE(copyAs(CopyFormat::Where, octets));
}

TEST_F(CopyAsTest, ACommandSurvivesTheShell)
{
    EXPECT_EQ(copied(CopyFormat::Command),
        QStringLiteral("fencepostctl --db 'postgresql://ada@db/orders?sslmode=require' keys show --binding "
                       "idempotency_records -- 'it'\\''s' capture pay_01\n"));
}

TEST_F(CopyAsTest, LinksAndKeys)
{
    auto request = make();
    request.link = [](const Row& row) { return QStringLiteral("fencepost://a/") + QString::fromStdString(row.key); };
    EXPECT_EQ(copied(CopyFormat::Link, request), QStringLiteral("fencepost://a/pay_01\n"));
    EXPECT_EQ(copied(CopyFormat::Key), QStringLiteral("pay_01"));
    request.rows.clear();
    EXPECT_FALSE(copyAs(CopyFormat::Key, request));
}

} // namespace
} // namespace fencepost::models
