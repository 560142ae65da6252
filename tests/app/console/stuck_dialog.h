// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QApplication>
#include <QTest>

#include "app/console/desk.h"
#include "core/profile/library.h"
#include "resources/resources.h"
#include "tests/support/wait.h"
#include "ui/commands.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/plan_form.h"
#include "ui/main_window.h"
#include "ui/pages/table_page.h"
#include "ui/theme.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/row_grid.h"
#include "ui/zone_setting.h"

namespace fencepost::app {

// A console whose files lie in one folder, up to the dialog of an operation on the first key in progress.
class StuckDialog {
public:
    StuckDialog(const QString& folder, const QString& database)
        : m_theme((loadResources(), ui::Scheme::Light))
        , m_desk({ folder + QStringLiteral("/config"), folder + QStringLiteral("/data"),
                     folder + QStringLiteral("/state/audit.sqlite") },
              profile::shippedLibrary().value(), m_keychain, m_clock)
        , m_window(m_desk, m_theme, m_zone)
    {
        m_theme.applyTo(*qApp);
        m_desk.setKeychain(ui::Keychain::Missing);
        m_window.resize(1280, 800);
        m_window.show();
        m_opened = bool(m_desk.openUrl(
            QStringLiteral("sqlite:") + database, QStringLiteral("demo"), Error{ Failure::NotFound, "none", {}, {} }));
    }

    ui::PlanDialog* open(const char* operation)
    {
        using testing::eventually;
        if (!m_opened || !eventually([this] { return !m_desk.session()->bindings().empty(); }))
            return nullptr;
        m_window.openPage(QStringLiteral("stuck"));
        auto* page = qobject_cast<ui::TablePage*>(m_window.page());
        if (!page || !eventually([page] { return page->model()->rowCount() > 0 && !page->model()->busy(); }))
            return nullptr;
        page->setLive(false);
        page->grid().view().setCurrentRow(0);
        page->model()->selectOnly(0);
        auto* action = m_window.commands().action((std::string("operation.") + operation).c_str());
        if (!action || !eventually([action] { return action->isEnabled(); }))
            return nullptr;
        action->trigger();
        ui::PlanDialog* found = nullptr;
        (void)eventually([this, &found] { return (found = m_window.findChild<ui::PlanDialog*>()) != nullptr; });
        return found;
    }
    ui::ArmDialog* openArming()
    {
        using testing::eventually;
        auto* action = m_window.commands().action("arm");
        if (!m_opened || !action || !eventually([action] { return action->isEnabled(); }))
            return nullptr;
        action->trigger();
        ui::ArmDialog* found = nullptr;
        (void)eventually([this, &found] { return (found = m_window.findChild<ui::ArmDialog*>()) != nullptr; });
        return found;
    }
    [[nodiscard]] Desk& desk() { return m_desk; }

private:
    ui::Theme m_theme;
    ui::ZoneSetting m_zone{ models::Zone::utc() };
    SystemClock m_clock;
    SystemKeychain m_keychain{ std::chrono::milliseconds(500) };
    Desk m_desk;
    ui::MainWindow m_window;
    bool m_opened = false;
};

} // namespace fencepost::app
