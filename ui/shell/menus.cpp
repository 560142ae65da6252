// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/menus.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

#include "ui/commands.h"

namespace fencepost::ui {

namespace {

// Which groups of commands stand in which menu.
struct MenuEntry {
    const char* title;
    const char* groups[2];
};

constexpr MenuEntry menus[] = {
    { QT_TRANSLATE_NOOP("Menus", "&Connection"), { "Connection", nullptr } },
    { QT_TRANSLATE_NOOP("Menus", "&Go"), { "Pages", "Find" } },
    { QT_TRANSLATE_NOOP("Menus", "&Rows"), { "Rows", nullptr } },
    { QT_TRANSLATE_NOOP("Menus", "&Operations"), { "Operations", "Plans" } },
    { QT_TRANSLATE_NOOP("Menus", "&View"), { "View", nullptr } },
    { QT_TRANSLATE_NOOP("Menus", "&Help"), { "Help", nullptr } },
};

void addGroup(QMenu& menu, const Commands& commands, const char* group)
{
    if (!menu.isEmpty())
        menu.addSeparator();
    for (const Commands::Entry& entry : commands.entries())
        if (entry.group == Commands::tr(group))
            menu.addAction(entry.action);
}

} // namespace

void fillMenus(QMenuBar& bar, const Commands& commands)
{
    for (const MenuEntry& entry : menus) {
        auto* menu = bar.addMenu(QCoreApplication::translate("Menus", entry.title));
        menu->setObjectName(QLatin1String(entry.groups[0]));
        menu->setToolTipsVisible(true);
        for (const char* group : entry.groups)
            if (group)
                addGroup(*menu, commands, group);
    }
}

} // namespace fencepost::ui
