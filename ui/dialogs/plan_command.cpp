// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_command.h"

#include <algorithm>

#include <QRegularExpression>
#include <QStringList>

#include "ui/words.h"

namespace fencepost::ui {

QString urlOf(const DatabaseInfo& database)
{
    if (database.product == "SQLite")
        return QStringLiteral("sqlite:") + text(database.location);
    const auto user = database.user.empty() ? QString() : text(database.user) + u'@';
    return QStringLiteral("postgresql://") + user + text(database.location);
}

QString shellWord(const QString& text)
{
    static const QRegularExpression harmless(QStringLiteral("^[A-Za-z0-9_./:@%+=,-]+$"));
    if (harmless.match(text).hasMatch())
        return text;
    auto quoted = text;
    quoted.replace(u'\'', QStringLiteral("'\\''"));
    return u'\'' + quoted + u'\'';
}

QString commandOf(const Plan& plan, const QString& url)
{
    const auto place = url.isEmpty() ? QStringLiteral("\"$FENCEPOST_DB\"") : shellWord(url);
    const auto program = QStringLiteral("fencepostctl --db ") + place;
    const auto file = QStringLiteral("%1-%2.json").arg(text(plan.verb), text(plan.requestId).left(8));
    const auto apply = QStringLiteral("%1 apply %2 --confirm %3").arg(program, shellWord(file)).arg(plan.items.size());
    if (!plan.undoOf.empty())
        return QStringLiteral("%1 undo %2").arg(program, shellWord(text(plan.undoOf)));
    QStringList words{ program, QStringLiteral("plan"), text(plan.verb), QStringLiteral("--binding"),
        shellWord(text(plan.binding)) };
    if (!plan.filter.empty())
        words << QStringLiteral("--filter") << shellWord(text(plan.filter));
    else
        for (const auto& item : plan.items) {
            words << QStringLiteral("--key");
            for (const auto& part : item.identity)
                words << shellWord(text(part));
        }
    for (const auto& [id, value] : plan.parameters) {
        words << QStringLiteral("--") + text(id).replace(u'_', u'-');
        if (value != "1")
            words << shellWord(text(value));
    }
    words << QStringLiteral("--reason") << shellWord(text(plan.reason)) << QStringLiteral("--out") << shellWord(file);
    return words.join(u' ') + QStringLiteral(" && ") + apply;
}

} // namespace fencepost::ui
