// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_setup.h"

#include <QJsonArray>
#include <QUuid>

namespace fencepost::models {

namespace {

constexpr const char* suggestions[] = {
    "stuck > 0",
    "oldest_lease > 5m",
    "dead_letters > 20 in 5m",
    "conflicts > 10 in 5m",
    "retries > 20% in 5m",
    "outbox_lag > 1m",
};

QJsonObject jsonOf(const KeptRule& rule)
{
    QJsonObject object{ { QStringLiteral("id"), rule.id }, { QStringLiteral("rule"), rule.text },
        { QStringLiteral("on"), rule.on } };
    if (rule.silentUntil)
        object[QStringLiteral("silent_until")] = QString::fromStdString(formatInstant(*rule.silentUntil));
    if (rule.silentWhileOver)
        object[QStringLiteral("silent_while_over")] = true;
    return object;
}

KeptRule ruleOf(const QJsonObject& object)
{
    KeptRule rule;
    rule.id = object[QStringLiteral("id")].toString(QUuid::createUuid().toString(QUuid::WithoutBraces));
    rule.text = object[QStringLiteral("rule")].toString();
    rule.on = object[QStringLiteral("on")].toBool(true);
    if (const auto until = parseInstant(object[QStringLiteral("silent_until")].toString().toStdString()))
        rule.silentUntil = *until;
    rule.silentWhileOver = object[QStringLiteral("silent_while_over")].toBool();
    return rule;
}

} // namespace

QJsonObject toJson(const AlertSetup& setup)
{
    QJsonArray rules;
    for (const auto& rule : setup.rules)
        rules += jsonOf(rule);
    return { { QStringLiteral("rules"), rules }, { QStringLiteral("webhook"), setup.webhook },
        { QStringLiteral("sound"), setup.sound } };
}

AlertSetup alertSetupOf(const QJsonObject& object)
{
    AlertSetup setup;
    for (const auto& rule : object[QStringLiteral("rules")].toArray())
        setup.rules.push_back(ruleOf(rule.toObject()));
    setup.webhook = object[QStringLiteral("webhook")].toString();
    setup.sound = object[QStringLiteral("sound")].toBool();
    return setup;
}

std::span<const char* const> suggestedRules() noexcept
{
    return suggestions;
}

} // namespace fencepost::models
