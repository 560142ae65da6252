// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/operations/operation.h"
#include "tests/support/print_words.h"
#include "ui/operation_words.h"

namespace fencepost::ui {
namespace {

Binding foreign()
{
    Binding binding{ .name = "keys", .profile = "seed.playbook", .fencing = "none" };
    binding.capabilities = {
        { .verb = "release", .effect = "the pending row is deleted", .allowed = true },
        { .verb = "fence", .allowed = false, .why = "it has no owner column" },
    };
    return binding;
}

TEST(OperationWordsTest, AForeignTableIsToldWhatItsProfileDoes)
{
    EXPECT_EQ(summaryIn(foreign(), *findOperation("release")), QStringLiteral("The pending row is deleted."));
    EXPECT_EQ(summaryIn(foreign(), *findOperation("fence")), QStringLiteral("It has no owner column."));
    const Binding own{ .name = "idempotency_records", .native = true };
    EXPECT_EQ(summaryIn(own, *findOperation("release")), QString::fromUtf8(findOperation("release")->summary));
}

TEST(OperationWordsTest, AProfilesActionGoesByItsOwnName)
{
    auto binding = foreign();
    binding.capabilities.front().title = "Mark as failed, as the monitor would";
    const auto& release = *findOperation("release");
    EXPECT_EQ(titleIn(binding, release), QStringLiteral("Mark as failed, as the monitor would"));
    EXPECT_EQ(countedTitleIn(binding, release, 3), QStringLiteral("Mark as failed: 3 rows"));
    EXPECT_EQ(countedTitleIn(binding, *findOperation("fence"), 2), QStringLiteral("Fence 2 owners"));
    EXPECT_EQ(countedTitleIn({ .name = "own", .native = true }, release, 1), QStringLiteral("Release 1 record"));
}

TEST(OperationWordsTest, AnEntryIsTakenBackOnlyWhereItsTableCan)
{
    const Binding other = foreign();
    const Binding own{ .name = "idempotency_records", .native = true };
    AuditEntry entry{ .verb = "fail" };
    EXPECT_EQ(whyNoUndo(entry, &own), QString());
    EXPECT_EQ(whyNoUndo(entry, &other), QStringLiteral("None: this table has no hold to go back to."));
    entry.verb = "expire";
    EXPECT_EQ(whyNoUndo(entry, &other), QString());
    EXPECT_FALSE(whyNoUndo(entry, nullptr).isEmpty());
    entry.verb = "unexpire";
    EXPECT_FALSE(whyNoUndo(entry, &own).isEmpty());
    entry.verb = "arm";
    EXPECT_FALSE(whyNoUndo(entry, &own).isEmpty());
}

} // namespace
} // namespace fencepost::ui
