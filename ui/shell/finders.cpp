// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/finders.h"

#include <QMenu>

#include "models/session.h"
#include "ui/link.h"
#include "ui/page.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

QString quotedValue(const QString& value)
{
    QString escaped = value;
    escaped.replace(QLatin1Char('\\'), QLatin1String("\\\\")).replace(QLatin1Char('"'), QLatin1String("\\\""));
    return QLatin1Char('"') + escaped + QLatin1Char('"');
}

std::vector<Palette::Offer> findLink(
    const QString& typed, const Theme& theme, const std::function<void(const QString& link)>& follow)
{
    const auto link = typed.trimmed();
    if (!isDeepLink(link))
        return {};
    return { { .title = Palette::tr("Follow the link"),
        .group = Palette::tr("Everywhere"),
        .icon = theme.icon("link"),
        .run = [follow, link] { follow(link); } } };
}

std::vector<Palette::Offer> findIds(const QString& typed, PageContext* context)
{
    const bool asked =
        !typed.isEmpty() && !isDeepLink(typed) && context && context->workspace && context->workspace->trailSearch();
    // A connection is open, or some can be.
    if (!asked || (!context->session && context->workspace->connections().all().empty()))
        return {};
    return { { .title = Palette::tr("Find “%1” in all tables and connections").arg(typed),
        .group = Palette::tr("Everywhere"),
        .icon = context->theme.icon("search"),
        .run = [context, typed] { context->navigation.open("find", {}, typed); } } };
}

std::vector<Palette::Offer> findKeys(const QString& typed, PageContext* context)
{
    if (typed.isEmpty() || isDeepLink(typed) || !context || !context->session)
        return {};
    const QString value = quotedValue(typed);
    const auto offer = [context](const QString& title, const QString& filter) {
        return Palette::Offer{ .title = title,
            .group = Palette::tr("Keys"),
            .icon = context->theme.icon("keys"),
            .run = [context, filter] { context->navigation.open("keys", {}, filter); } };
    };
    return { offer(Palette::tr("Find the key “%1”").arg(typed), QStringLiteral("key = ") + value),
        offer(Palette::tr("Find keys that contain “%1”").arg(typed), QStringLiteral("key ~ ") + value) };
}

std::vector<Palette::Offer> findConnections(const QString& typed, Workspace& workspace, const Theme& theme)
{
    std::vector<Palette::Offer> offers;
    if (typed.isEmpty())
        return offers;
    for (const models::Connection& connection : workspace.connections().all()) {
        if (connection.id == workspace.openId() || matchScore(typed, connection.name) == 0)
            continue;
        const EnvironmentLook look = environmentLook(models::wordOf(connection.environment).toStdString());
        offers.push_back({ .title = Palette::tr("Open %1 (%2)").arg(connection.name, look.word),
            .group = Palette::tr("Connections"),
            .icon = theme.icon(look.icon, look.role),
            .run = [&workspace, id = connection.id] { workspace.open(id); } });
    }
    return offers;
}

std::vector<Palette::Offer> findBookmarks(const QString& typed, PageContext* context)
{
    auto* bookmarks = context && context->workspace ? context->workspace->bookmarks() : nullptr;
    if (typed.isEmpty() || !bookmarks || !context->session)
        return {};
    std::vector<Palette::Offer> offers;
    for (const auto& bookmark : bookmarks->of(context->connection)) {
        const auto binding = context->session->binding(text(bookmark.binding));
        const auto title = Palette::tr("Bookmark %1").arg(elidedId(text(bookmark.key)));
        if (!binding || (matchScore(typed, title) == 0 && matchScore(typed, text(bookmark.key)) == 0))
            continue;
        const auto open = [context, binding, bookmark] {
            context->navigation.open(pageOf(binding->kind), text(binding->name), QString());
            context->navigation.openDossier(*binding, bookmark.identity);
        };
        offers.push_back({ .title = title,
            .group = Palette::tr("Bookmarks"),
            .icon = context->theme.icon("bookmark"),
            .run = open });
    }
    return offers;
}

void fillConnectionMenu(QMenu& menu, Workspace& workspace, const Theme& theme, const std::function<void()>& edit)
{
    menu.clear();
    for (const models::Connection& connection : workspace.connections().all()) {
        const EnvironmentLook look = environmentLook(models::wordOf(connection.environment).toStdString());
        QAction* action =
            menu.addAction(theme.icon(look.icon, look.role), Palette::tr("%1 · %2").arg(connection.name, look.word));
        action->setCheckable(true);
        action->setChecked(connection.id == workspace.openId());
        QObject::connect(
            action, &QAction::triggered, &workspace, [&workspace, id = connection.id] { workspace.open(id); });
    }
    if (!workspace.connections().all().empty())
        menu.addSeparator();
    QObject::connect(
        menu.addAction(theme.icon("connections"), Palette::tr("Edit connections")), &QAction::triggered, &menu, edit);
}

} // namespace fencepost::ui
