// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/delivery/nats_credentials.h"

#include <QString>

namespace fencepost::app {

const char* const natsCredentialsHelp =
    "NATS: credentials come from FENCEPOST_NATS_CREDS (the path of a .creds file), FENCEPOST_NATS_USER and "
    "FENCEPOST_NATS_PASSWORD, or FENCEPOST_NATS_TOKEN. https and TLS: root certificates of your own come from "
    "SSL_CERT_FILE, beside the system's.";

Result<delivery::NatsCredentials> natsCredentials()
{
    const auto variable = [](const char* name) { return qEnvironmentVariable(name).toStdString(); };
    delivery::NatsCredentials given{ variable("FENCEPOST_NATS_CREDS"), variable("FENCEPOST_NATS_USER"),
        variable("FENCEPOST_NATS_PASSWORD"), variable("FENCEPOST_NATS_TOKEN") };
    if (given.user.empty() != given.password.empty())
        return invalid("FENCEPOST_NATS_USER and FENCEPOST_NATS_PASSWORD belong together");
    const int kinds = !given.file.empty() + !given.user.empty() + !given.token.empty();
    if (kinds > 1)
        return invalid("Of FENCEPOST_NATS_CREDS, FENCEPOST_NATS_USER and FENCEPOST_NATS_TOKEN one is enough");
    return given;
}

} // namespace fencepost::app
