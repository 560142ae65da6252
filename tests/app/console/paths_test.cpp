// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inspector.h"
#include "models/page_model.h"
#include "tests/app/console/console_fixture.h"
#include "ui/pages/path_card.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/state_diagram.h"

namespace fencepost::app {
namespace {

using testing::eventually;

// What an operator sees of the past of one row, in the window over two days of the demo.
class PathsTest : public ConsoleFixture {
protected:
    void SetUp() override { openDemo(); }

    ui::TablePage* rows(const char* page, const char* filter)
    {
        window->openPage(QLatin1String(page));
        auto* front = qobject_cast<ui::TablePage*>(window->page());
        if (!front)
            return nullptr;
        front->show({}, QLatin1String(filter));
        return eventually([front] { return front->model()->rowCount() > 0 && !front->model()->busy(); }) ? front
                                                                                                         : nullptr;
    }

    ui::RecordDossier* openRow(ui::TablePage& page, int row)
    {
        page.grid().view().setCurrentRow(row);
        page.run("open-row");
        auto* dossier = qobject_cast<ui::RecordDossier*>(window->dossier());
        const auto key = page.model()->rowAt(row).key;
        EXPECT_TRUE(eventually([&] {
            const auto chosen = dossier ? dossier->selection() : ui::Selection();
            return !chosen.rows.empty() && chosen.rows.front().key == key && !dossier->isLoading();
        })) << key;
        return dossier;
    }
};

TEST_F(PathsTest, ADeadLetterShowsItsPathAndWhoBroughtItBack)
{
    auto* page = rows("dlq", "state = REDRIVEN");
    ASSERT_NE(page, nullptr);
    auto* dossier = openRow(*page, 0);
    ASSERT_NE(dossier, nullptr);
    for (int part = 0; part < dossier->partCount(); ++part)
        if (dossier->partName(part) == QStringLiteral("State"))
            dossier->showPart(part);
    auto& diagram = dossier->diagram();
    EXPECT_TRUE(diagram.isVisible());
    EXPECT_EQ(formatPath(diagram.path()), "ABSENT > DEAD > REDRIVEN");
    EXPECT_EQ(diagram.path().steps[0].attempt, 4);
    EXPECT_EQ(diagram.path().steps[1].actor, "mara@ops-1");
    EXPECT_TRUE(dossier->path().remarks().isEmpty()) << dossier->path().remarks().toStdString();
}

TEST_F(PathsTest, EveryMessageOfTheDemoTookAPathThatItsMachineAllows)
{
    std::set<std::string> paths;
    for (const char* id : { "inbox", "outbox", "dlq" }) {
        auto* page = rows(id, "");
        ASSERT_NE(page, nullptr) << id;
        for (int row = 0; row < page->model()->rowCount(); ++row) {
            const auto* dossier = openRow(*page, row);
            ASSERT_NE(dossier, nullptr) << id;
            const auto& path = dossier->diagram().path();
            EXPECT_TRUE(std::all_of(path.steps.begin(), path.steps.end(), [](const auto& step) { return step.legal; }))
                << id << ' ' << page->model()->rowAt(row).key << ": " << formatPath(path);
            EXPECT_EQ(path.steps.back().to, page->model()->rowAt(row).state);
            paths.insert(formatPath(path));
        }
    }
    EXPECT_TRUE(paths.contains("ABSENT > PENDING > SENDING > SENT"));
    EXPECT_TRUE(paths.contains("ABSENT > RECEIVED > PROCESSING > PROCESSED"));
    EXPECT_TRUE(paths.contains("ABSENT > DEAD > REDRIVEN > DEAD"));
    EXPECT_GE(paths.size(), 10U);
}

} // namespace
} // namespace fencepost::app
