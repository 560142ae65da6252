// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reveal.h"

#include "models/deliver.h"
#include "models/look.h"
#include "models/session.h"
#include "ui/words.h"

namespace fencepost::ui {

void auditLook(models::Session& session, const Binding& binding, const std::vector<std::string>& identity,
    const QString& field, const QString& pointer, QObject* receiver, std::function<void(const Status&)> then)
{
    const auto entry = models::lookAt(binding, identity, field.toStdString(), pointer.toStdString(), session.actor(),
        QObject::tr("Looked at %1").arg(field).toStdString());
    auto* thread = session.writes() ? session.writes() : &session.reads();
    models::deliver(thread->run([entry](Backend& backend) { return backend.inspector().record(entry); }), receiver,
        [then = std::move(then)](
            const Result<AuditEntry>& answer) { then(answer ? Status() : Status(answer.error())); });
}

} // namespace fencepost::ui
