// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reveal.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/ids.h"
#include "models/deliver.h"
#include "models/session.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

std::string jsonArrayOf(const std::vector<std::string>& parts)
{
    QJsonArray array;
    for (const auto& part : parts)
        array.append(text(part));
    return QJsonDocument(array).toJson(QJsonDocument::Compact).toStdString();
}

} // namespace

void auditLook(models::Session& session, const Binding& binding, const std::vector<std::string>& identity,
    const QString& field, const QString& pointer, QObject* receiver, std::function<void(const Status&)> then)
{
    SystemRandom random;
    AuditEntry entry;
    entry.requestId = uuid4(random);
    entry.verb = "reveal";
    entry.binding = binding.name;
    entry.identity = jsonArrayOf(identity);
    entry.outcome = wordOf(ItemResult::Changed);
    entry.parameters =
        QJsonDocument(QJsonObject{ { QStringLiteral("field"), field }, { QStringLiteral("pointer"), pointer } })
            .toJson(QJsonDocument::Compact)
            .toStdString();
    entry.actor = session.actor();
    entry.reason = QObject::tr("Looked at %1").arg(field).toStdString();
    auto* thread = session.writes() ? session.writes() : &session.reads();
    models::deliver(thread->run([entry](Backend& backend) { return backend.inspector().record(entry); }), receiver,
        [then = std::move(then)](
            const Result<AuditEntry>& answer) { then(answer ? Status() : Status(answer.error())); });
}

} // namespace fencepost::ui
