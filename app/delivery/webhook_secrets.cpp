// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/delivery/webhook_secrets.h"

#include <QString>
#include <QStringList>

namespace fencepost::app {

Result<std::vector<WebhookSecret>> webhookSecretsIn(const std::string& text)
{
    std::vector<WebhookSecret> secrets;
    for (const auto& part : QString::fromStdString(text).simplified().split(u' ', Qt::SkipEmptyParts)) {
        auto secret = WebhookSecret::parse(part.toStdString());
        if (!secret)
            return secret.error();
        secrets.push_back(std::move(*secret));
    }
    return secrets;
}

Result<std::vector<WebhookSecret>> webhookSecrets()
{
    return webhookSecretsIn(qEnvironmentVariable(webhookSecretVariable).toStdString());
}

} // namespace fencepost::app
