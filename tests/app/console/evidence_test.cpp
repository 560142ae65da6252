// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <QComboBox>

#include "app/console/another_body.h"
#include "app/console/demo_moments.h"
#include "core/store/stores.h"
#include "tests/app/console/console_fixture.h"
#include "ui/pages/retries_page.h"
#include "ui/widgets/bar_plot.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What a tour of the demo shows beside the demo as it is.
class EvidenceTest : public ConsoleFixture { };

TEST_F(EvidenceTest, TheDemosMomentsDifferAndAreOfOneDatabase)
{
    const auto path = files.filePath(QStringLiteral("moments.db")).toStdString();
    const auto end = *parseInstant("2026-11-20T18:30:00Z");
    const auto moments = makeDemoWithMoments({ .path = path, .end = end }, *desk->snapshots());
    ASSERT_TRUE(moments) << moments.error().message;
    const auto first = moments->earlier.toStdString();
    const auto second = moments->later.toStdString();
    const auto pair = desk->snapshots()->compare(first, second);
    ASSERT_TRUE(pair) << pair.error().message;
    EXPECT_THAT(pair->warnings, ::testing::IsEmpty());
    EXPECT_EQ(pair->second.takenAt - pair->first.takenAt, Duration(std::chrono::hours(2)));
    std::map<SnapshotChange, int> found;
    ASSERT_TRUE(desk->snapshots()->differences(first, second, [&found](const SnapshotDifference& difference) {
        ++found[difference.change];
        return true;
    }));
    EXPECT_GT(found[SnapshotChange::Added], 10);
    EXPECT_GT(found[SnapshotChange::Changed], 5);
}

TEST_F(EvidenceTest, AnotherBodyIsOneOfThoseThatWereRefused)
{
    store::OpenRequest request;
    request.target.path = demoFile().toStdString();
    const auto profiles = profile::shippedLibrary();
    ASSERT_TRUE(profiles);
    request.profiles = &*profiles;
    request.clock = &clock;
    const auto backend = store::open(request);
    ASSERT_TRUE(backend);
    auto* forensics = (*backend)->inspector().forensics();
    ASSERT_NE(forensics, nullptr);
    int told = 0;
    const auto bindings = (*backend)->inspector().bindings();
    for (const auto& binding : *bindings) {
        if (binding.kind != Kind::Idempotency)
            continue;
        const auto refused = forensics->conflicts(binding, { .range = { .last = std::chrono::hours(48) } });
        ASSERT_TRUE(refused) << refused.error().message;
        for (const auto& arrival : refused->newest) {
            const auto found = forensics->conflictCase(binding, arrival.conflict.id);
            ASSERT_TRUE(found && *found);
            const auto explained = explainConflict(**found, { .body = anotherBody(**found) });
            EXPECT_NE(explained.match, Match::Same);
            told += explained.match == Match::Refused ? 1 : 0;
        }
    }
    EXPECT_GT(told, 0);
    EXPECT_EQ(anotherBody({}), "") << "nothing was kept";
}

// Beside a policy file, what it promises to each route is shown before anybody chooses.
TEST_F(EvidenceTest, DelaysStandAgainstThePolicyFile)
{
    ASSERT_TRUE(desk->openUrl(QStringLiteral("sqlite:") + demoFile(), QStringLiteral("told"), demoPolicy()));
    ASSERT_TRUE(eventually([this] { return !desk->session()->bindings().empty(); }));
    window->openPage(QStringLiteral("retries"));
    auto* page = qobject_cast<ui::RetriesPage*>(window->page());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(eventually([page] { return !page->isLoading() && page->answer(); }));
    EXPECT_EQ(page->promises().currentText(), QStringLiteral("Policy file"));
    const auto& plot = page->plot(ui::RetriesPage::Delays).plot();
    ASSERT_TRUE(plot.band);
    EXPECT_GE(plot.band->first, 0);
    EXPECT_LT(plot.band->first, plot.band->second);
    EXPECT_LE(plot.band->second, double(plot.bars.size()));
    page->show(QStringLiteral("outbox_messages"), {});
    ASSERT_TRUE(eventually([page] { return !page->isLoading(); }));
    EXPECT_EQ(page->promises().currentText(), QStringLiteral("Policy vendor, presumed"));
}

} // namespace
} // namespace fencepost::app
