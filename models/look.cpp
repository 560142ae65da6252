// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/look.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/ids.h"

namespace fencepost::models {

namespace {

std::string jsonArrayOf(const std::vector<std::string>& parts)
{
    QJsonArray array;
    for (const auto& part : parts)
        array.append(QString::fromStdString(part));
    return QJsonDocument(array).toJson(QJsonDocument::Compact).toStdString();
}

} // namespace

AuditEntry lookAt(const Binding& binding, const std::vector<std::string>& identity, const std::string& field,
    const std::string& pointer, const std::string& actor, const std::string& reason)
{
    SystemRandom random;
    AuditEntry entry;
    entry.requestId = uuid4(random);
    entry.verb = "reveal";
    entry.binding = binding.name;
    entry.identity = jsonArrayOf(identity);
    entry.outcome = wordOf(ItemResult::Changed);
    entry.parameters = QJsonDocument(QJsonObject{ { QStringLiteral("field"), QString::fromStdString(field) },
                                         { QStringLiteral("pointer"), QString::fromStdString(pointer) } })
                           .toJson(QJsonDocument::Compact)
                           .toStdString();
    entry.actor = actor;
    entry.reason = reason;
    return entry;
}

} // namespace fencepost::models
