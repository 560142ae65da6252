// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/keychain.h"

#include <chrono>

#include <QEventLoop>
#include <QPointer>
#include <QTimer>
#include <qt6keychain/keychain.h>

namespace fencepost::app {

namespace {

constexpr auto longest = std::chrono::seconds(3);
constexpr auto service = "fencepost";

} // namespace

std::optional<std::string> passwordFromKeychain(const std::string& name)
{
    if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return std::nullopt;
    QEventLoop loop;
    std::optional<std::string> password;
    // Deletes itself when it is done, which may be after the limit.
    auto* job = new QKeychain::ReadPasswordJob(QString::fromLatin1(service));
    job->setKey(QString::fromStdString(name));
    QObject::connect(job, &QKeychain::Job::finished, &loop, [&](QKeychain::Job*) {
        if (job->error() == QKeychain::NoError && !job->textData().isEmpty())
            password = job->textData().toStdString();
        loop.quit();
    });
    QTimer::singleShot(longest, &loop, &QEventLoop::quit);
    job->start();
    loop.exec();
    return password;
}

} // namespace fencepost::app
