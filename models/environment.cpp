// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/environment.h"

namespace fencepost::models {

QString wordOf(Environment environment)
{
    switch (environment) {
    case Environment::Local:
        return QStringLiteral("local");
    case Environment::Development:
        return QStringLiteral("development");
    case Environment::Staging:
        return QStringLiteral("staging");
    case Environment::Production:
        return QStringLiteral("production");
    }
    return {};
}

std::optional<Environment> environmentOf(const QString& word)
{
    for (const auto environment : environments) {
        if (wordOf(environment) == word)
            return environment;
    }
    return std::nullopt;
}

} // namespace fencepost::models
