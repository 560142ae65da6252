// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/backlog_model.h"

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

template <std::string BlockedKey::*member> QString text(const BlockedKey& key, const Display&)
{
    return visibleText(key.*member);
}

QString stateText(const BlockedKey& key, const Display&)
{
    return visibleText(std::string(wordOf(key.state)));
}

QString stateFull(const BlockedKey& key, const Display& display)
{
    switch (key.state) {
    case OutboxState::Dead:
        return QStringLiteral("It was given up. The others of its key wait until it is replayed or discarded, unless "
                              "the relay was told to pass dead ones by.");
    case OutboxState::Sending:
        return QStringLiteral("The relay that sends it has not renewed its lease: another one takes it over.");
    case OutboxState::Pending:
    case OutboxState::Sent:
        break;
    }
    return key.nextAttemptAt
        ? QStringLiteral("It failed and is tried again ") + relativeText(*key.nextAttemptAt, display.now) + u'.'
        : QStringLiteral("It failed and is tried again.");
}

constexpr Column<BlockedKey> blockedColumns[] = {
    { .id = "state", .title = "Head", .text = stateText, .width = 11, .full = stateFull },
    { .id = "event",
        .title = "Event",
        .text = text<&BlockedKey::eventId>,
        .monospace = true,
        .middleElision = true,
        .width = 22 },
    { .id = "waiting",
        .title = "Wait behind",
        .text = [](const BlockedKey& key, const Display&) { return QString::number(key.waiting); },
        .sortKey = [](const BlockedKey& key) { return QVariant::fromValue<qlonglong>(key.waiting); },
        .alignment = Alignment::Right,
        .width = 11 },
    { .id = "order_key",
        .title = "Order key",
        .text = text<&BlockedKey::orderingKey>,
        .middleElision = true,
        .width = 14 },
    { .id = "queue", .title = "Destination", .text = text<&BlockedKey::destination>, .width = 24 },
    { .id = "attempts",
        .title = "Tries",
        .text = [](const BlockedKey& key, const Display&) { return QString::number(key.attempt); },
        .sortKey = [](const BlockedKey& key) { return QVariant(key.attempt); },
        .alignment = Alignment::Right,
        .width = 7 },
    { .id = "age",
        .title = "Age",
        .text = [](const BlockedKey& key, const Display& display) { return durationText(display.now - key.createdAt); },
        .sortKey = [](const BlockedKey& key) { return QVariant::fromValue<qlonglong>(-microsOf(key.createdAt)); },
        .alignment = Alignment::Right,
        .width = 10,
        .full = [](const BlockedKey& key,
                    const Display& display) { return display.zone.format(key.createdAt, Precision::Microseconds); } },
    { .id = "error", .title = "Last error", .text = text<&BlockedKey::error>, .width = 22, .grows = true },
};

} // namespace

BacklogModel::BacklogModel(StoreThread& thread, QObject* parent)
    : ListModel(
        blockedColumns, [](const BlockedKey& key) { return Identity{ std::to_string(key.seq) }; }, parent)
    , m_thread(&thread)
{
}

void BacklogModel::setBinding(const BindingPtr& binding)
{
    m_binding = binding;
    m_backlog.reset();
    reload();
}

void BacklogModel::reload()
{
    if (!m_thread || !m_binding)
        return;
    m_load.start(
        *m_thread, [binding = m_binding](Backend& backend) { return backend.inspector().outboxBacklog(*binding); },
        [this](const Result<OutboxBacklog>& answer) {
            if (!answer)
                return setError(answer.error());
            m_backlog = *answer;
            setRows(answer->blocked, answer->now);
        });
    Q_EMIT statusChanged();
}

QVariant BacklogModel::mark(const BlockedKey& key, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(std::string(wordOf(key.state)));
    return ListModel::mark(key, role);
}

} // namespace fencepost::models
