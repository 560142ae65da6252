// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "ui/pages/dossier_facts.h"

namespace fencepost::ui {
namespace {

QStringList namesOf(const Row& row, Kind kind)
{
    QStringList names;
    for (const auto& line : factsOf(row, kind, models::Zone::utc(), {}))
        if (!line.value.isEmpty())
            names += line.name;
    return names;
}

Row message()
{
    Row row;
    row.scope = "ledger";
    row.queue = "stripe";
    row.operation = "refund.succeeded";
    row.owner = "worker-1";
    row.requestHash = "4840ec";
    row.createdAt = Time{};
    row.finishedAt = Time{};
    row.resultRef = "INC-7";
    return row;
}

} // namespace

// The list and the dossier beside it call a thing by one name.
TEST(DossierFactsTest, NamesAreThoseOfTheListsColumns)
{
    const auto inbox = namesOf(message(), Kind::Inbox);
    for (const auto* name :
        { "Consumer", "Source", "Type", "Owner", "Payload hash", "Received", "Processed", "Result" })
        EXPECT_TRUE(inbox.contains(QString::fromUtf8(name))) << qPrintable(inbox.join(QLatin1Char('|')));
    EXPECT_FALSE(inbox.contains(QStringLiteral("Scope")));
    const auto outbox = namesOf(message(), Kind::Outbox);
    for (const auto* name : { "Destination", "Relay", "Sent" })
        EXPECT_TRUE(outbox.contains(QString::fromUtf8(name))) << qPrintable(outbox.join(QLatin1Char('|')));
    const auto key = namesOf(message(), Kind::Idempotency);
    for (const auto* name : { "Scope", "Operation", "Owner", "Request hash", "Created", "Finished" })
        EXPECT_TRUE(key.contains(QString::fromUtf8(name))) << qPrintable(key.join(QLatin1Char('|')));
}

TEST(DossierFactsTest, ADeadLetterSaysWhoDecidedAndWhy)
{
    auto row = message();
    row.extra[rowDiedAs] = "outbox";
    const auto names = namesOf(row, Kind::DeadLetter);
    for (const auto* name : { "Consumer", "Destination", "Decided by", "Decided", "Decided because", "Died at" })
        EXPECT_TRUE(names.contains(QString::fromUtf8(name))) << qPrintable(names.join(QLatin1Char('|')));
    EXPECT_FALSE(names.contains(QStringLiteral("Result")));
}

} // namespace fencepost::ui
