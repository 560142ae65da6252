// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/random.h"
#include "core/snapshot/difference.h"
#include "core/snapshot/manifest.h"

using namespace fencepost;

namespace {

SnapshotManifest whole()
{
    SnapshotManifest made;
    made.location = "postgresql://db/orders";
    made.product = "PostgreSQL";
    made.version = "15.6";
    made.identity = "7";
    made.schemaVersion = 8;
    made.takenAt = *parseInstant("2026-11-20T10:00:00.123456Z");
    made.takenBy = "olga@desk";
    made.program = "fencepostctl 1.0.0";
    made.filter = "state = SUCCEEDED and key ~ \"é\"";
    made.filterTable = "records";
    made.rules = "standard";
    made.rulesDigest = std::string(64, 'a');
    made.rulesInWords = { "hide column note" };
    made.saltKept = true;
    made.tables = { { "idempotency_records", "public.idempotency_records", "fencepost", 3, std::string(64, 'b') } };
    made.warnings = { "a table could not be read" };
    return made;
}

} // namespace

TEST(SnapshotManifestTest, IsReadAsItWasWritten)
{
    auto made = whole();
    EXPECT_EQ(*parseManifest(textOf(made)), made);
    ImportedFile log;
    log.name = "app.jsonl";
    log.size = 120;
    log.sha256 = std::string(64, 'c');
    log.lines = 10;
    log.leftOut = 2;
    log.repeated = 1;
    made.imported = { log };
    EXPECT_EQ(*parseManifest(textOf(made)), made);
    made.schemaVersion.reset();
    EXPECT_EQ(*parseManifest(textOf(made)), made);
    EXPECT_EQ(sealOf(textOf(made)), sealOf(textOf(made)));
    auto other = made;
    ++other.tables.front().rows;
    EXPECT_NE(sealOf(textOf(other)), sealOf(textOf(made)));
}

TEST(SnapshotManifestTest, OfANewerFormatSaysWhatToUse)
{
    auto made = whole();
    made.format = snapshotFormat + 1;
    const auto read = parseManifest(textOf(made));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().failure, Failure::Unsupported);
    EXPECT_NE(read.error().next, "");
}

TEST(SnapshotManifestTest, ThatWasDamagedIsCorruptOrAnotherOneAndNeverWorse)
{
    const auto text = textOf(whole());
    SeededRandom random(7);
    int corrupt = 0;
    for (int turn = 0; turn < 3000; ++turn) {
        auto damaged = text;
        const auto at = random.below(damaged.size());
        if (turn % 3 == 0)
            damaged.resize(at);
        else if (turn % 3 == 1)
            damaged.erase(at, 1 + random.below(20));
        else
            damaged[at] = static_cast<char>(random.below(256));
        const auto read = parseManifest(damaged);
        if (read)
            continue;
        ++corrupt;
        EXPECT_TRUE(read.error().failure == Failure::Corrupt || read.error().failure == Failure::Unsupported);
    }
    EXPECT_GT(corrupt, 1000);
}

TEST(SnapshotDifferenceTest, SaysItsStatesInWords)
{
    SnapshotDifference difference;
    difference.from = "IN_PROGRESS";
    difference.to = "SUCCEEDED";
    EXPECT_EQ(statesOf(difference), "IN_PROGRESS → SUCCEEDED");
    difference.to = "IN_PROGRESS";
    EXPECT_EQ(statesOf(difference), "IN_PROGRESS");
    difference.to.clear();
    EXPECT_EQ(statesOf(difference), "IN_PROGRESS");
    EXPECT_EQ(wordOf(SnapshotChange::Removed), "removed");
}
