// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/trail_model.h"

#include "core/without_credentials.h"
#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString shown(const std::string& text)
{
    return visibleText(withoutCredentials(text));
}

QString identityText(const TrailEntry& entry, const Display&)
{
    QStringList parts;
    for (const auto& part : entry.row.identity)
        parts += shown(part);
    return parts.join(QStringLiteral(" / "));
}

QString createdText(const TrailEntry& entry, const Display& display)
{
    return entry.row.createdAt ? display.zone.format(*entry.row.createdAt, Precision::Seconds) : QString();
}

QString createdFull(const TrailEntry& entry, const Display& display)
{
    return entry.row.createdAt ? wholeInstant(*entry.row.createdAt, display) : QString();
}

constexpr Column<TrailEntry> trailColumns[] = {
    { .id = "connection",
        .title = "Connection",
        .text = [](const TrailEntry& entry, const Display&) { return entry.connection; },
        .width = 16 },
    { .id = "table",
        .title = "Table",
        .text = [](const TrailEntry& entry,
                    const Display&) { return entry.isRun ? QStringLiteral("replays") : shown(entry.binding); },
        .width = 20 },
    { .id = "state",
        .title = "State",
        .text = [](const TrailEntry& entry, const Display&) { return shown(entry.row.state); },
        .width = 18 },
    { .id = "key",
        .title = "Key or event",
        .text = [](const TrailEntry& entry, const Display&) { return shown(entry.row.key); },
        .monospace = true,
        .width = 28,
        .full = identityText,
        .grows = true },
    { .id = "by",
        .title = "Found by",
        .text = [](const TrailEntry& entry, const Display&) { return shown(entry.by); },
        .width = 26 },
    { .id = "created",
        .title = "Created",
        .text = createdText,
        .sortKey =
            [](const TrailEntry& entry) {
                return QVariant::fromValue<qlonglong>(entry.row.createdAt ? microsOf(*entry.row.createdAt) : 0);
            },
        .instant = Precision::Seconds,
        .full = createdFull },
};

} // namespace

std::vector<TrailEntry> entriesOf(const TrailAnswer& answer)
{
    std::vector<TrailEntry> entries;
    const auto add = [&](const TrailRow& row, bool found) {
        entries.push_back({ .connection = answer.names[row.source],
            .binding = row.binding,
            .kind = row.kind,
            .row = row.row,
            .isFound = found,
            .by = row.by });
    };
    for (const auto& row : answer.trail.found)
        add(row, true);
    for (const auto& [source, run] : answer.trail.runs) {
        TrailEntry entry{ .connection = answer.names[source], .binding = run.binding, .isRun = true, .isFound = true };
        entry.row.key = run.requestId;
        entry.row.identity = { run.requestId };
        entry.row.state = wordOf(run.phase);
        entry.row.createdAt = run.startedAt;
        entry.by = "request id";
        entries.push_back(std::move(entry));
    }
    for (const auto& row : answer.trail.linked)
        add(row, false);
    return entries;
}

TrailModel::TrailModel(QObject* parent)
    : ListModel(
        trailColumns,
        [](const TrailEntry& entry) {
            Identity identity = entry.row.identity;
            identity.push_back(entry.binding);
            identity.push_back(entry.connection.toStdString());
            return identity;
        },
        parent)
{
}

QVariant TrailModel::mark(const TrailEntry& entry, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(entry.row.state);
    if (role == StuckRole)
        return entry.row.stuck;
    return ListModel::mark(entry, role);
}

} // namespace fencepost::models
