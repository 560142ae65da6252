// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/history_models.h"

#include "core/forensics/conflict.h"
#include "core/ids.h"
#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QVariant keyOf(Time time)
{
    return QVariant::fromValue<qlonglong>(microsOf(time));
}

template <std::string JournalEntry::*member> QString text(const JournalEntry& entry, const Display&)
{
    return visibleText(entry.*member);
}

constexpr Column<JournalEntry> journalColumns[] = {
    { .id = "at",
        .title = "At",
        .text = [](const JournalEntry& entry, const Display& display) { return display.zone.format(entry.at); },
        .sortKey = [](const JournalEntry& entry) { return keyOf(entry.at); },
        .instant = Precision::Milliseconds,
        .full = [](const JournalEntry& entry, const Display& display) { return wholeInstant(entry.at, display); } },
    { .id = "event", .title = "Event", .text = text<&JournalEntry::event>, .width = 14 },
    { .id = "from", .title = "From", .text = text<&JournalEntry::fromState>, .width = 21 },
    { .id = "to", .title = "To", .text = text<&JournalEntry::toState>, .width = 21 },
    { .id = "fence",
        .title = "Fence",
        .text = [](const JournalEntry& entry, const Display&) { return QString::number(entry.fence.value); },
        .sortKey = [](const JournalEntry& entry) { return QVariant::fromValue<qlonglong>(entry.fence.value); },
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "attempt",
        .title = "Attempt",
        .text = [](const JournalEntry& entry, const Display&) { return QString::number(entry.attempt); },
        .sortKey = [](const JournalEntry& entry) { return QVariant(entry.attempt); },
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "owner",
        .title = "Owner",
        .text = text<&JournalEntry::owner>,
        .monospace = true,
        .middleElision = true,
        .width = 14 },
    { .id = "actor", .title = "By", .text = text<&JournalEntry::actor>, .middleElision = true, .width = 16 },
    { .id = "reason", .title = "Reason", .text = text<&JournalEntry::reason>, .width = 30 },
};

Identity journalIdentity(const JournalEntry& entry)
{
    return { std::to_string(entry.seq) };
}

constexpr Column<Conflict> conflictColumns[] = {
    { .id = "kind",
        .title = "Refused because",
        .text = [](const Conflict& conflict, const Display&) { return visibleText(conflict.kind); },
        .width = 12 },
    { .id = "count",
        .title = "Times",
        .text = [](const Conflict& conflict, const Display&) { return QString::number(conflict.count); },
        .sortKey = [](const Conflict& conflict) { return QVariant::fromValue<qlonglong>(conflict.count); },
        .alignment = Alignment::Right,
        .width = 7 },
    { .id = "principal",
        .title = "Principal",
        .text = [](const Conflict& conflict, const Display&) { return visibleText(conflict.principal); },
        .width = 18 },
    { .id = "first",
        .title = "First",
        .text = [](const Conflict& conflict, const Display& display) { return display.zone.format(conflict.firstAt); },
        .sortKey = [](const Conflict& conflict) { return keyOf(conflict.firstAt); },
        .instant = Precision::Milliseconds,
        .full = [](const Conflict& conflict,
                    const Display& display) { return wholeInstant(conflict.firstAt, display); } },
    { .id = "last",
        .title = "Last",
        .text = [](const Conflict& conflict, const Display& display) { return display.zone.format(conflict.lastAt); },
        .sortKey = [](const Conflict& conflict) { return keyOf(conflict.lastAt); },
        .instant = Precision::Milliseconds,
        .full = [](const Conflict& conflict,
                    const Display& display) { return wholeInstant(conflict.lastAt, display); } },
    { .id = "hash",
        .title = "Presented hash",
        .text =
            [](const Conflict& conflict, const Display&) {
                return conflict.presentedHash.empty() ? QStringLiteral("further hashes together")
                                                      : QString::fromStdString(shownHash(conflict.presentedHash));
            },
        .monospace = true,
        .middleElision = true,
        .width = 18 },
};

Identity conflictIdentity(const Conflict& conflict)
{
    return { conflict.kind, toHex(conflict.presentedHash), conflict.principal };
}

} // namespace

JournalModel::JournalModel(QObject* parent)
    : ListModel(journalColumns, journalIdentity, parent)
{
}

QVariant JournalModel::mark(const JournalEntry& entry, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(entry.toState);
    return ListModel::mark(entry, role);
}

ConflictsModel::ConflictsModel(QObject* parent)
    : ListModel(conflictColumns, conflictIdentity, parent)
{
}

} // namespace fencepost::models
