// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "tests/app/console/console_fixture.h"
#include "tests/support/temp_database.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/dialogs/run_view.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class FenceOnPostgresTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        const auto connection = database.connect();
        ASSERT_TRUE(connection);
        ASSERT_TRUE(store::initSchema(**connection, false));
    }
    Result<std::unique_ptr<Backend>> backend()
    {
        return store::open({ .target = database.target(),
            .options = { .access = store::Access::ReadWrite },
            .profiles = &profiles,
            .auditPath = folders.audit.toStdString() });
    }
    // A worker that took the key and died.
    Fence reserveAndDie(Backend& worker)
    {
        Reservation reservation;
        reservation.id = { "payments", "charge", "pay-1" };
        reservation.requestHash = sha256("body");
        reservation.owner = { uuid4(random) };
        reservation.lease = std::chrono::milliseconds(1);
        reservation.ttl = std::chrono::hours(24);
        const auto reserved = worker.store().reserve(reservation);
        EXPECT_TRUE(reserved && reserved->record);
        return reserved && reserved->record ? reserved->record->fence : Fence();
    }
    void armFrom(ui::PlanDialog& plan)
    {
        QTest::mouseClick(&plan.confirmButton(), Qt::LeftButton);
        ui::ArmDialog* arm = nullptr;
        ASSERT_TRUE(eventually([&] {
            for (QWidget* widget : QApplication::topLevelWidgets())
                if (auto* found = qobject_cast<ui::ArmDialog*>(widget); found && found->isVisible())
                    arm = found;
            return arm != nullptr;
        }));
        QTest::keyClicks(arm->findChild<QLineEdit*>(), QStringLiteral("INC-1"));
        for (QPushButton* button : arm->findChildren<QPushButton*>())
            if (button->text().startsWith(QLatin1String("Arm "))) {
                QTest::mouseClick(button, Qt::LeftButton);
                break;
            }
        ASSERT_TRUE(eventually([this] { return desk->session()->armed(); })) << qPrintable(banner());
    }

    test::TempDatabase database{ store::Dialect::PostgreSql };
    profile::Library profiles = profile::shippedLibrary().value();
    SystemRandom random;
};

TEST_F(FenceOnPostgresTest, FromTheStuckKeyToTheAuditPage)
{
    auto worker = backend();
    ASSERT_TRUE(worker);
    const Fence fence = reserveAndDie(**worker);
    const auto id =
        desk->connections().add({ .name = QStringLiteral("orders"), .url = QString::fromStdString(database.url()) });
    ASSERT_TRUE(id);
    desk->open(*id);
    ASSERT_TRUE(eventually([this] { return !desk->session()->bindings().empty(); })) << qPrintable(banner());
    window->openPage(QStringLiteral("stuck"));
    auto* page = qobject_cast<ui::TablePage*>(window->page());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(eventually([page] { return page->model()->rowCount() == 1 && !page->model()->busy(); }));
    page->grid().view().setCurrentRow(0);
    page->model()->selectOnly(0);
    press("operation.fence");
    auto* plan = dialog<ui::PlanDialog>();
    ASSERT_NE(plan, nullptr);
    ASSERT_TRUE(eventually([plan] { return plan->plan().has_value(); }));
    ASSERT_NO_FATAL_FAILURE(armFrom(*plan));
    plan->form().setReason(QStringLiteral("INC-1: the worker is gone"));
    ASSERT_TRUE(plan->confirmButton().isEnabled()) << qPrintable(plan->hint());
    QTest::mouseClick(&plan->confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(eventually([plan] { return plan->stage() == ui::PlanDialog::Stage::Done; }));
    EXPECT_TRUE(plan->runView().reportText().contains(QStringLiteral("1 changed"))
        || plan->runView().reportText().contains(QStringLiteral("changed 1")))
        << qPrintable(plan->runView().reportText());
    plan->reject();
    const auto found = (*worker)->store().find({ "payments", "charge", "pay-1" });
    ASSERT_TRUE(found && *found);
    EXPECT_GT((*found)->fence.value, fence.value) << "whoever held it is refused from now on";

    window->openPage(QStringLiteral("audit"));
    auto* audit = qobject_cast<ui::AuditPage*>(window->page());
    ASSERT_NE(audit, nullptr);
    ASSERT_TRUE(eventually([audit] { return audit->model()->rowCount() >= 2 && !audit->model()->busy(); }));
    bool fenced = false;
    for (int row = 0; row < audit->model()->rowCount(); ++row) {
        const auto& entry = audit->model()->rowAt(row);
        fenced = fenced || (entry.verb == "fence" && entry.reason == "INC-1: the worker is gone");
    }
    EXPECT_TRUE(fenced);
}

} // namespace
} // namespace fencepost::app
