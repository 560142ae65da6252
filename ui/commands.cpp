// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands.h"

#include <algorithm>

#include <QAction>
#include <QWidget>

#include "core/operations/operation.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr auto onOff = true;

constexpr WindowCommand ownCommands[] = {
    { "palette", QT_TRANSLATE_NOOP("Commands", "Find a key, a page or a command"), "Find", "search", "Ctrl+K" },
    { "filter", QT_TRANSLATE_NOOP("Commands", "Edit the filter"), "Find", "filter", "/" },
    { "back", QT_TRANSLATE_NOOP("Commands", "Close what is on top, or go back"), "Find", "chevron-left", "Esc" },
    { "plan-open", QT_TRANSLATE_NOOP("Commands", "Open a plan…"), "Plans", "open", "Ctrl+O" },
    { "reload", QT_TRANSLATE_NOOP("Commands", "Refresh"), "View", "refresh", "R" },
    { "live", QT_TRANSLATE_NOOP("Commands", "Live refresh"), "View", "pause", "P", Reach::Window, onOff },
    { "zone", QT_TRANSLATE_NOOP("Commands", "Switch between UTC and local time"), "View", "zone", "Z" },
    { "zone-choose", QT_TRANSLATE_NOOP("Commands", "Choose a time zone…"), "View", "zone", "Shift+Z" },
    { "theme", QT_TRANSLATE_NOOP("Commands", "Dark theme"), "View", "theme", "T", Reach::Window, onOff },
    { "density", QT_TRANSLATE_NOOP("Commands", "Dense rows"), "View", "table", "D", Reach::Window, onOff },
    { "rail", QT_TRANSLATE_NOOP("Commands", "Collapse the rail to icons"), "View", "rail", "Ctrl+B", Reach::Window,
        onOff },
    { "activity", QT_TRANSLATE_NOOP("Commands", "Running operations and log"), "View", "live", "Ctrl+J", Reach::Window,
        onOff },
    { "reset-layout", QT_TRANSLATE_NOOP("Commands", "Reset layout"), "View", "columns", "" },
    { "sheet", QT_TRANSLATE_NOOP("Commands", "Show all shortcuts"), "Help", "keyboard", "?" },
    { "connection-add", QT_TRANSLATE_NOOP("Commands", "Add a connection…"), "Connection", "add", "Ctrl+N" },
    { "file-open", QT_TRANSLATE_NOOP("Commands", "Open a database file or a snapshot…"), "Connection", "open",
        "Ctrl+Shift+O" },
    { "import", QT_TRANSLATE_NOOP("Commands", "Import a log…"), "Connection", "import", "Ctrl+Shift+I" },
    { "snapshot", QT_TRANSLATE_NOOP("Commands", "Take a snapshot…"), "Connection", "environment-snapshot",
        "Ctrl+Shift+S" },
    { "notebook-export", QT_TRANSLATE_NOOP("Commands", "Export the notebook as a timeline…"), "Connection", "note",
        "Ctrl+Shift+E" },
    { "alert-add", QT_TRANSLATE_NOOP("Commands", "Add an alert rule…"), "Connection", "alerts", "" },
    { "arm", QT_TRANSLATE_NOOP("Commands", "Arm or disarm the connection"), "Connection", "armed", "Ctrl+Shift+A" },
    { "reconnect", QT_TRANSLATE_NOOP("Commands", "Connect again now"), "Connection", "connections", "Ctrl+R" },
    { "disconnect", QT_TRANSLATE_NOOP("Commands", "Close the connection"), "Connection", "disconnected", "" },
    { "quit", QT_TRANSLATE_NOOP("Commands", "Quit"), "Connection", "close", "Ctrl+Q" },
    { "next-row", QT_TRANSLATE_NOOP("Commands", "Next row"), "Rows", "chevron-down", "J", Reach::Page },
    { "previous-row", QT_TRANSLATE_NOOP("Commands", "Previous row"), "Rows", "chevron-up", "K", Reach::Page },
    { "open-row", QT_TRANSLATE_NOOP("Commands", "Open the record"), "Rows", "dossier", "Return", Reach::Focus },
    { "select-row", QT_TRANSLATE_NOOP("Commands", "Select or deselect the row"), "Rows", "state-succeeded", "X",
        Reach::Page },
    { "select-all", QT_TRANSLATE_NOOP("Commands", "Select everything that matches"), "Rows", "table", "Shift+A",
        Reach::Page },
    { "bookmark", QT_TRANSLATE_NOOP("Commands", "Set or drop a bookmark"), "Rows", "bookmark", "B", Reach::Page },
    { "copy-key", QT_TRANSLATE_NOOP("Commands", "Copy the key"), "Rows", "copy", "C", Reach::Page },
    { "copy-as", QT_TRANSLATE_NOOP("Commands", "Copy as…"), "Rows", "copy", "Shift+C", Reach::Page },
    { "copy-link", QT_TRANSLATE_NOOP("Commands", "Copy a link"), "Rows", "link", "Y", Reach::Page },
    { "export", QT_TRANSLATE_NOOP("Commands", "Export everything that matches…"), "Rows", "save", "Ctrl+E",
        Reach::Page },
};

} // namespace

std::span<const WindowCommand> windowCommands() noexcept
{
    return ownCommands;
}

Commands::Commands(const Theme& theme, QWidget& window)
    : QObject(&window)
    , m_theme(theme)
{
    for (const PageEntry& page : pages()) {
        add({ .id = QStringLiteral("page.") + QLatin1String(page.id),
                .title = tr("Go to %1").arg(tr(page.title)),
                .group = tr("Pages") },
            page.icon, QKeySequence(QLatin1String(page.shortcut)), window);
    }
    for (const Operation& operation : operations()) {
        add({ .id = QStringLiteral("operation.") + QLatin1String(operation.id),
                .title = tr("%1…").arg(tr(operation.title)),
                .group = tr("Operations"),
                .summary = text(operation.summary) },
            operation.id, QKeySequence(QLatin1String(operation.shortcut)), window);
    }
    for (const WindowCommand& command : ownCommands) {
        add({ .id = QLatin1String(command.id),
                .title = tr(command.title),
                .group = tr(command.group),
                .reach = command.reach,
                .toggles = command.toggles },
            command.icon, QKeySequence(QLatin1String(command.shortcut)), window);
    }
}

QAction* Commands::action(std::string_view id) const
{
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [id](const Entry& entry) { return entry.id == text(id); });
    return found == m_entries.end() ? nullptr : found->action;
}

void Commands::allow(std::string_view id, bool allowed, const QString& why)
{
    QAction* known = action(id);
    if (!known)
        return;
    known->setEnabled(allowed);
    known->setToolTip(allowed || why.isEmpty() ? known->text() : plainToolTip(tr("%1 — %2").arg(known->text(), why)));
    known->setProperty("why", allowed ? QString() : why);
}

QString Commands::remap(std::string_view id, const QKeySequence& keys)
{
    for (const Entry& entry : m_entries) {
        const QKeySequence taken = entry.action->shortcut();
        // G alone would be waited for whenever G, K is meant.
        if (entry.id != text(id) && !keys.isEmpty() && !taken.isEmpty()
            && (keys.matches(taken) != QKeySequence::NoMatch || taken.matches(keys) != QKeySequence::NoMatch))
            return entry.title;
    }
    QAction* known = action(id);
    if (known && known->shortcut() != keys) {
        known->setShortcut(keys);
        Q_EMIT keysChanged();
    }
    return {};
}

void Commands::restoreKeys()
{
    for (const Entry& entry : m_entries)
        entry.action->setShortcut(entry.standard);
    Q_EMIT keysChanged();
}

// Single keys are typed into a text field that has the focus: it claims them before a window's shortcut sees them.
void Commands::add(Entry entry, const char* icon, const QKeySequence& keys, QWidget& window)
{
    entry.action = new QAction(m_theme.icon(icon), entry.title, &window);
    entry.action->setObjectName(entry.id);
    entry.action->setCheckable(entry.toggles);
    // The mark takes the icon's place.
    entry.action->setIconVisibleInMenu(!entry.toggles);
    entry.standard = keys;
    entry.action->setShortcut(keys);
    entry.action->setShortcutContext(entry.reach == Reach::Focus ? Qt::WidgetShortcut : Qt::WindowShortcut);
    if (entry.reach != Reach::Focus)
        window.addAction(entry.action);
    connect(entry.action, &QAction::triggered, this, [this, id = entry.id] { Q_EMIT triggered(id); });
    m_entries.push_back(std::move(entry));
}

} // namespace fencepost::ui
