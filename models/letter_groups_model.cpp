// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/letter_groups_model.h"

#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

template <std::int64_t LetterGroup::*member> QString number(const LetterGroup& group, const Display&)
{
    return QString::number(group.*member);
}

template <std::int64_t LetterGroup::*member> QVariant numberKey(const LetterGroup& group)
{
    return QVariant::fromValue<qlonglong>(group.*member);
}

template <Time LetterGroup::*member> QString instant(const LetterGroup& group, const Display& display)
{
    return display.zone.format(group.*member, Precision::Seconds);
}

template <Time LetterGroup::*member> QVariant instantKey(const LetterGroup& group)
{
    return QVariant::fromValue<qlonglong>(microsOf(group.*member));
}

template <Time LetterGroup::*member> QString instantFull(const LetterGroup& group, const Display& display)
{
    return wholeInstant(group.*member, display);
}

QString sinceReplay(const LetterGroup& group, const Display&)
{
    return group.replayedAt ? QString::number(group.sinceReplay) : QStringLiteral("–");
}

QString sinceReplayFull(const LetterGroup& group, const Display& display)
{
    if (!group.replayedAt)
        return QStringLiteral("None of them was ever replayed.");
    return QStringLiteral("%1 of those that wait died after the replay of %2, %3.")
        .arg(group.sinceReplay)
        .arg(display.zone.format(*group.replayedAt, Precision::Seconds), relativeText(*group.replayedAt, display.now));
}

QString againFull(const LetterGroup& group, const Display&)
{
    return QStringLiteral("%1 of those that wait were replayed before and died again.").arg(group.again);
}

constexpr Column<LetterGroup> groupColumns[] = {
    { .id = "pattern",
        .title = "Failure",
        .text = [](const LetterGroup& group, const Display&) { return visibleText(group.pattern); },
        .width = 26,
        .grows = true },
    { .id = "code",
        .title = "Code",
        .text = [](const LetterGroup& group, const Display&) { return visibleText(group.code); },
        .width = 11 },
    { .id = "dead",
        .title = "Waiting",
        .text = number<&LetterGroup::dead>,
        .sortKey = numberKey<&LetterGroup::dead>,
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "since_replay",
        .title = "Since replay",
        .text = sinceReplay,
        .sortKey = numberKey<&LetterGroup::sinceReplay>,
        .alignment = Alignment::Right,
        .width = 11,
        .full = sinceReplayFull },
    { .id = "again",
        .title = "Again",
        .text = number<&LetterGroup::again>,
        .sortKey = numberKey<&LetterGroup::again>,
        .alignment = Alignment::Right,
        .width = 7,
        .full = againFull },
    { .id = "last_hour",
        .title = "Last hour",
        .text = number<&LetterGroup::lastHour>,
        .sortKey = numberKey<&LetterGroup::lastHour>,
        .alignment = Alignment::Right,
        .width = 9 },
    { .id = "all",
        .title = "Ever",
        .text = number<&LetterGroup::all>,
        .sortKey = numberKey<&LetterGroup::all>,
        .alignment = Alignment::Right,
        .width = 6 },
    { .id = "last",
        .title = "Last died",
        .text = instant<&LetterGroup::lastAt>,
        .sortKey = instantKey<&LetterGroup::lastAt>,
        .instant = Precision::Seconds,
        .full = instantFull<&LetterGroup::lastAt> },
    { .id = "first",
        .title = "First died",
        .text = instant<&LetterGroup::firstAt>,
        .sortKey = instantKey<&LetterGroup::firstAt>,
        .instant = Precision::Seconds,
        .full = instantFull<&LetterGroup::firstAt> },
    { .id = "fingerprint",
        .title = "Group",
        .text = [](const LetterGroup& group, const Display&) { return visibleText(group.fingerprint); },
        .monospace = true,
        .width = 18,
        .shown = false },
};

} // namespace

LetterGroupsModel::LetterGroupsModel(StoreThread& thread, QObject* parent)
    : ListModel(
        groupColumns, [](const LetterGroup& group) { return Identity{ group.fingerprint }; }, parent)
    , m_thread(&thread)
{
}

void LetterGroupsModel::setBinding(const BindingPtr& binding)
{
    m_binding = binding;
    reload();
}

void LetterGroupsModel::reload()
{
    if (!m_thread || !m_binding)
        return;
    m_load.start(
        *m_thread, [binding = m_binding](Backend& backend) { return backend.inspector().letterGroups(*binding); },
        [this](const Result<LetterGroups>& answer) {
            if (answer)
                setRows(answer->groups, answer->now);
            else
                setError(answer.error());
        });
    Q_EMIT statusChanged();
}

} // namespace fencepost::models
