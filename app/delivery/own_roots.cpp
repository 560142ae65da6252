// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/delivery/own_roots.h"

#include <QSslCertificate>

namespace fencepost::app {

Result<std::optional<QSslConfiguration>> ownRoots()
{
    const auto path = qEnvironmentVariable("SSL_CERT_FILE");
    if (path.isEmpty())
        return std::optional<QSslConfiguration>();
    const auto own = QSslCertificate::fromPath(path);
    if (own.isEmpty())
        return invalid("SSL_CERT_FILE names a file without a certificate in PEM", path.toStdString());
    auto tls = QSslConfiguration::defaultConfiguration();
    // Whatever is added would keep the system's from being looked for.
    tls.setCaCertificates(QSslConfiguration::systemCaCertificates() + own);
    return std::optional(tls);
}

} // namespace fencepost::app
