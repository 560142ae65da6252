// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ownership.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/operations/plan.h"

namespace fencepost::models {

namespace {

bool isNote(const AuditEntry& entry)
{
    return entry.verb == "note" && entry.outcome == wordOf(ItemResult::Changed);
}

// "none" ends it before its time.
std::optional<Time> endOfQuiet(const AuditEntry& entry, const QString& snooze)
{
    const auto length = parseDuration(snooze.toStdString());
    return length ? entry.at + *length : entry.at;
}

void take(Ownership& known, const AuditEntry& entry)
{
    const auto said = QJsonDocument::fromJson(QByteArray::fromStdString(entry.parameters)).object();
    const auto word = [&said](const char* name) { return said[QLatin1String(name)].toString().trimmed(); };
    if (known.ticket.isEmpty())
        known.ticket = word("ticket");
    if (known.assignee.isEmpty())
        known.assignee = word("assignee");
    if (known.tags.isEmpty())
        for (const QString& tag : word("tags").split(u',', Qt::SkipEmptyParts))
            known.tags += tag.trimmed();
    if (const QString snooze = word("snooze"); !known.quietUntil && !snooze.isEmpty()) {
        known.quietUntil = endOfQuiet(entry, snooze);
        known.why = QString::fromStdString(entry.reason);
        known.by = QString::fromStdString(entry.actor);
    }
}

std::optional<Identity> identityOf(const AuditEntry& entry)
{
    const auto parsed = QJsonDocument::fromJson(QByteArray::fromStdString(entry.identity));
    if (!parsed.isArray())
        return std::nullopt;
    Identity identity;
    for (const auto& part : parsed.array())
        identity.push_back(part.toString().toStdString());
    return identity;
}

} // namespace

Ownership ownershipOf(const std::vector<AuditEntry>& entries)
{
    Ownership known;
    for (const auto& entry : entries)
        if (isNote(entry))
            take(known, entry);
    return known;
}

std::map<Identity, Ownership> knownIssues(const std::vector<AuditEntry>& entries, const std::string& binding, Time now)
{
    std::map<Identity, Ownership> known;
    for (const auto& entry : entries)
        if (isNote(entry) && entry.binding == binding)
            if (const auto identity = identityOf(entry))
                take(known[*identity], entry);
    std::erase_if(known, [now](const auto& each) { return !each.second.quiet(now); });
    return known;
}

} // namespace fencepost::models
