// SPDX-License-Identifier: GPL-3.0-or-later
// What the operator says about rules; watching them is in alert_board.cpp.
#include <algorithm>

#include <QUuid>

#include "models/alert_board.h"

namespace fencepost::models {

AlertSetup AlertBoard::setup() const
{
    AlertSetup setup{ .webhook = m_webhook, .sound = m_sound };
    for (const auto& watched : m_rules)
        setup.rules.push_back(watched.kept);
    return setup;
}

void AlertBoard::keep()
{
    Q_EMIT setupChanged();
    Q_EMIT changed();
}

Status AlertBoard::add(const QString& text)
{
    const auto parsed = parseAlertRule(text.toStdString());
    if (!parsed)
        return parsed.error();
    const auto same = [&parsed](const WatchedRule& watched) { return watched.rule == *parsed; };
    if (std::any_of(m_rules.begin(), m_rules.end(), same))
        return Error{ Failure::Conflict, "This rule is there already", textOf(*parsed), {} };
    WatchedRule watched;
    watched.kept.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    watched.kept.text = QString::fromStdString(textOf(*parsed));
    watched.rule = *parsed;
    m_rules.push_back(std::move(watched));
    keep();
    look();
    return {};
}

Status AlertBoard::edit(const QString& id, const QString& text)
{
    const auto parsed = parseAlertRule(text.toStdString());
    if (!parsed)
        return parsed.error();
    auto* known = rule(id);
    if (known == nullptr)
        return Error{ Failure::NotFound, "This rule was removed", {}, {} };
    const bool another = std::any_of(m_rules.begin(), m_rules.end(),
        [&](const WatchedRule& watched) { return watched.kept.id != id && watched.rule == *parsed; });
    if (another)
        return Error{ Failure::Conflict, "This rule is there already", textOf(*parsed), {} };
    const KeptRule before = known->kept;
    *known = {};
    known->kept = before;
    known->kept.text = QString::fromStdString(textOf(*parsed));
    known->rule = *parsed;
    keep();
    look();
    return {};
}

void AlertBoard::remove(const QString& id)
{
    std::erase_if(m_rules, [&id](const WatchedRule& watched) { return watched.kept.id == id; });
    keep();
}

void AlertBoard::setOn(const QString& id, bool on)
{
    auto* known = rule(id);
    if (known == nullptr || known->kept.on == on)
        return;
    known->kept.on = on;
    // Nobody knows whether it went on while nobody looked.
    known->over.reset();
    known->calm = 0;
    keep();
    look();
}

void AlertBoard::silenceFor(const QString& id, Duration duration)
{
    if (auto* known = rule(id)) {
        known->kept.silentUntil = m_clock.now() + duration;
        known->kept.silentWhileOver = false;
        known->silent = true;
        keep();
    }
}

void AlertBoard::silenceWhileOver(const QString& id)
{
    if (auto* known = rule(id); known != nullptr && known->over) {
        known->kept.silentUntil.reset();
        known->kept.silentWhileOver = true;
        known->silent = true;
        keep();
    }
}

void AlertBoard::unsilence(const QString& id)
{
    if (auto* known = rule(id)) {
        known->kept.silentUntil.reset();
        known->kept.silentWhileOver = false;
        known->silent = false;
        keep();
    }
}

void AlertBoard::suggest()
{
    for (const auto* text : suggestedRules())
        (void)add(QString::fromUtf8(text)); // those that are there already stay as they are
}

void AlertBoard::setDelivery(const QString& webhook, bool sound)
{
    m_webhook = webhook;
    m_sound = sound;
    keep();
}

} // namespace fencepost::models
