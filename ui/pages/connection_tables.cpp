// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/session.h"
#include "ui/dialogs/mapping_wizard.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/pages/connections_page.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/survey_panel.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

// The tables of the open connection, once it has said which it recognises.
void ConnectionsPage::survey()
{
    auto* session = m_workspace.session();
    if (session && session->bindingsRead() && !session->lost())
        m_survey->load(session->reads());
}

void ConnectionsPage::mapTable(const TableName& table)
{
    if (!m_context.session || m_context.session->lost())
        return;
    auto* wizard = new MappingWizard(m_context, table, this);
    connect(wizard, &MappingWizard::saved, this, &ConnectionsPage::tellMapped);
    wizard->open();
}

void ConnectionsPage::chooseProfile(const TableName& table, const QString& profile)
{
    if (const auto chosen = m_workspace.chooseProfile(table, profile); !chosen)
        return m_banner->report(tr("choose the profile"), chosen.error());
    m_context.navigation.log(tr("%1 is read through %2 from now on").arg(text(table.table), profile));
    m_banner->tell("good", tr("%1 is read through %2 from now on.").arg(text(table.table), profile));
}

// What is written wrongly here moves every lease and age by hours: it is the application's zone, not the reader's.
void ConnectionsPage::askZone(const QString& profile)
{
    auto* dialog = new ZoneDialog(m_context.theme, m_context.zone.value(),
        { tr("Time zone of the application's hosts"),
            tr("Tables of %1 keep local times without their zone. Say in which one the application writes them: until "
               "then they are read as UTC and nothing is changed.")
                .arg(profile),
            false },
        this);
    connect(dialog, &ZoneDialog::chosen, this, [this, profile](const models::Zone& zone) {
        if (const auto said = m_workspace.answerZone(profile, zone.name()); !said)
            return m_banner->report(tr("keep the time zone"), said.error());
        m_context.navigation.log(tr("The times of %1 are those of %2").arg(profile, zone.name()));
        m_banner->tell("good", tr("The times of %1 are read as those of %2 from now on.").arg(profile, zone.name()));
    });
    dialog->open();
}

// Whether the table is read by it is known once the list of tables is there again.
void ConnectionsPage::tellMapped(const QString& profile, const QString& path)
{
    m_mapped = profile;
    m_mappedPath = path;
    m_context.navigation.log(tr("The profile %1 is in %2").arg(profile, path));
    m_banner->tell("information", tr("The profile is in %1. The list of tables is read again…").arg(path));
}

const Binding* ConnectionsPage::mappedBinding() const
{
    if (m_mapped.isEmpty() || !m_context.session)
        return nullptr;
    for (const auto& binding : m_context.session->bindings())
        if (text(binding->profile) == m_mapped)
            return binding.get();
    return nullptr;
}

void ConnectionsPage::openMapped()
{
    if (m_mapped.isEmpty())
        return;
    if (const auto* binding = mappedBinding())
        return m_banner->tell("good",
            tr("%1 is read through %2, and only read until actions are written into it and reviewed.")
                .arg(text(binding->name), m_mappedPath),
            tr("Open its rows"));
    m_banner->tell("warning",
        tr("The profile is in %1, but another one still fits its table better: that one is used.").arg(m_mappedPath));
    m_mapped.clear();
}

} // namespace fencepost::ui
