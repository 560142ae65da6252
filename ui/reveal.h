// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QObject>
#include <QString>

#include "core/inspector.h"

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

// First the audit, then the values: nobody sees them without a trace. `then` is called with why the look could not be
// written, or without an error; never, once `receiver` is gone.
void auditLook(models::Session& session, const Binding& binding, const std::vector<std::string>& identity,
    const QString& field, const QString& pointer, QObject* receiver, std::function<void(const Status&)> then);

} // namespace fencepost::ui
