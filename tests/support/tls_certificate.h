// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QProcess>
#include <QSslCertificate>

namespace fencepost::test {

// A certificate that nobody vouches for, as files in PEM.
struct TlsCertificate {
    QString certificate;
    QString key;

    [[nodiscard]] QList<QSslCertificate> read() const { return QSslCertificate::fromPath(certificate); }
};

// For "IP:127.0.0.1" or "DNS:localhost".
inline TlsCertificate makeCertificate(const QString& folder, const char* name)
{
    const QDir into(folder);
    TlsCertificate made{ into.filePath(QStringLiteral("cert.pem")), into.filePath(QStringLiteral("key.pem")) };
    QProcess openssl;
    openssl.start(QStringLiteral("openssl"),
        { QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"), QStringLiteral("rsa:2048"),
            QStringLiteral("-nodes"), QStringLiteral("-subj"), QStringLiteral("/CN=localhost"),
            QStringLiteral("-addext"), QStringLiteral("subjectAltName=") + QLatin1String(name),
            QStringLiteral("-keyout"), made.key, QStringLiteral("-out"), made.certificate });
    EXPECT_TRUE(openssl.waitForFinished() && openssl.exitCode() == 0) << openssl.readAllStandardError().toStdString();
    return made;
}

} // namespace fencepost::test
