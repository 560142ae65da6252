// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QFuture>
#include <QString>

#include "core/result.h"

namespace fencepost::models {

// Where passwords are kept; the program brings the system's keychain, which is no part of the models. Nothing blocks:
// a secret service may take half a minute to say that it is not there, so an implementation has a time limit of its
// own. A secret never goes to a file, a log or an error text.
class SecretStore {
public:
    virtual ~SecretStore() = default;

    // Unavailable: no secret service runs. None: it has no secret of that name.
    virtual QFuture<Result<std::optional<QString>>> read(const QString& name) = 0;
    virtual QFuture<Status> write(const QString& name, const QString& secret) = 0;
    virtual QFuture<Status> remove(const QString& name) = 0;
};

} // namespace fencepost::models
